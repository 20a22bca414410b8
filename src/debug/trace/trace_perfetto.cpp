#include "debug/trace/trace_perfetto.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "debug/profile/profile_loops.hpp"
#include "debug/trace/perfetto_writer.hpp"
#include "debug/trace/trace_fields.hpp"
#include "host/error.hpp"
#include "tensix/context.hpp"
#include "tensix/disasm.hpp"
#include "tile/wait_text.hpp"
#include "trace/repeats.hpp"

namespace bhemu::debug {
namespace {

using trace::Event;
using Slice = PerfettoWriter::Slice;

/// Tracks of a node, in the order in which they are shown. A track's uuid is that of its node and
/// its place here; a tile is a process and its cores and threads are threads of it.
enum Place : u64 {
  kProcessPlace = 0,
  kAgentPlace = 1,                     // by Agent
  kUnitPlace = kAgentPlace + kAgents,  // by BusyUnit
  kBufferPlace = kUnitPlace + 16,      // by stream
  kSemaphorePlace = kBufferPlace + 64,
  kPlaces = 256,
};
constexpr u16 kAcked = 8;  // registers of a stream by which software counts pages
constexpr u16 kReceived = 10;
constexpr std::size_t kMostPending = 1 << 20;

constexpr const char* kUnits[tensix::kBusyUnits] = {
    "unit: scalar", "unit: unpacker 0",   "unit: unpacker 1",    "unit: packer",
    "unit: matrix", "unit: vector",       "unit: configuration", "unit: mover",
    "unit: sync",   "unit: miscellaneous"};
constexpr const char* kPackets[] = {"write",         "read",      "atomic",
                                    "read-response", "write-ack", "atomic-response"};

u64 uuid_of(NodeId node, u64 place) {
  return (u64{node} + 1) * kPlaces + place;
}

/// The same at both ends of a packet's way.
u64 flow_of(const trace::Packet& packet) {
  u64 hash = 0x9E3779B97F4A7C15;
  for (const u64 part : {u64{static_cast<u8>(packet.kind)}, u64{packet.noc}, u64{packet.source},
                         u64{packet.target}, packet.address, u64{packet.length}, packet.issued,
                         u64{packet.transaction_id}, u64{packet.issuer_pc}}) {
    hash = (hash ^ part) * 0xBF58476D1CE4E5B9;
    hash ^= hash >> 31;
  }
  return hash | 1;
}

tensix::BusyUnit unit_of(u32 word) {
  const tensix::Decoded& decoded = tensix::kDecoded[tensix::opcode_of(word)];
  const u32 second = decoded.unit == tensix::Unit::Unpack ? bits(word, 23, 1) : 0;
  return static_cast<tensix::BusyUnit>(static_cast<u32>(decoded.busy) + second);
}

/// A slice that may still grow.
struct Open {
  bool open = false;
  Cycle begin = 0;
  Cycle end = 0;
  u64 instructions = 0;
  u32 pc = 0;
  std::string name;
};

struct AgentTrack {
  bool known = false;
  Open runs;
  std::array<LoopStep, trace::Repeats::kLongest> recent{};
  u64 count = 0;
  bool stalled = false;
  Cycle stalled_since = 0;
  std::string stall;
  std::string stall_text;
};

class PerfettoSink final : public trace::Sink {
 public:
  PerfettoSink(std::FILE* file, FunctionNamer namer) : file_(file), namer_(std::move(namer)) {}
  ~PerfettoSink() override {
    if (file_ != nullptr) std::fclose(file_);
  }

  void begin(const std::vector<trace::NodeName>& nodes) override {
    nodes_ = nodes;
    tiles_.resize(nodes.size());
  }
  void write(const Event& event) override {
    std::visit([&](const auto& detail) { on(event, detail); }, event.detail);
    if (writer_.size() > kMostPending) put();
  }
  bool flush() override {
    put();
    if (error_.empty() && std::fflush(file_) != 0) failed();
    return error_.empty();
  }
  void end(const trace::Summary& summary) override {
    for (std::size_t node = 0; node < tiles_.size(); ++node) {
      for (auto& [agent, track] : tiles_[node].agents) {
        const u64 uuid =
            uuid_of(static_cast<NodeId>(node), kAgentPlace + static_cast<unsigned>(agent));
        close(uuid, track.runs, "core");
        if (track.stalled) end_stall(uuid, track, summary.cycle);
      }
      for (unsigned unit = 0; unit < tensix::kBusyUnits; ++unit)
        close(uuid_of(static_cast<NodeId>(node), kUnitPlace + unit), tiles_[node].units[unit],
              "unit");
    }
    put();
    if (std::fclose(file_) != 0 && error_.empty()) failed();
    file_ = nullptr;
  }
  std::string error() const override { return error_; }

 private:
  struct Tile {
    bool known = false;
    std::map<Agent, AgentTrack> agents;
    std::array<Open, tensix::kBusyUnits> units{};
    std::array<bool, tensix::kBusyUnits> known_units{};
    std::map<u8, std::pair<u32, u32>> buffers;  // received and acknowledged
    std::map<u8, bool> semaphores;
  };

  void put() {
    const std::string bytes = writer_.take();
    if (!error_.empty() || bytes.empty()) return;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) failed();
  }
  void failed() { error_ = std::strerror(errno); }

  Tile& tile_of(NodeId node) {
    Tile& tile = tiles_[node];
    if (!tile.known) {
      tile.known = true;
      writer_.process(
          uuid_of(node, kProcessPlace), u32{node} + 1,
          fmt::format("{} {}", trace_name_of(nodes_[node].translated), nodes_[node].name));
    }
    return tile;
  }

  AgentTrack& track_of(const Event& event, u64& uuid) {
    const u64 place = kAgentPlace + static_cast<unsigned>(event.agent);
    uuid = uuid_of(event.node, place);
    AgentTrack& track = tile_of(event.node).agents[event.agent];
    if (!track.known) {
      track.known = true;
      writer_.thread(uuid, u32{event.node} + 1,
                     static_cast<u32>(u64{event.node} * kPlaces + place + 1),
                     std::string(trace_name_of(event.agent)));
    }
    return track;
  }

  void close(u64 uuid, Open& open, const char* category) {
    if (!open.open) return;
    open.open = false;
    Slice slice{open.begin, open.end, open.name, category, {{"instructions", open.instructions}},
                ""};
    if (open.pc != 0) slice.numbers.emplace_back("pc", open.pc);
    writer_.slice(uuid, slice);
  }

  const std::string& name_of_pc(Agent agent, u32 pc) {
    const auto [entry, fresh] = names_.try_emplace({agent, pc});
    if (fresh && namer_) entry->second = namer_(agent, pc);
    if (fresh && entry->second.empty()) entry->second = "runs";
    return entry->second;
  }

  // --- What the kinds of events become.

  void on(const Event& event, const trace::Retired& e) {
    u64 uuid = 0;
    AgentTrack& track = track_of(event, uuid);
    track.recent[track.count++ % track.recent.size()] = {
        e.pc, e.memory.load ? e.memory.address : LoopStep::kNone, e.memory.store, e.memory.loaded};
    const std::string& name = name_of_pc(event.agent, e.pc);
    Open& runs = track.runs;
    if (runs.open && (runs.name != name || runs.end != event.cycle)) close(uuid, runs, "core");
    if (!runs.open) runs = {true, event.cycle, event.cycle, 0, e.pc, name};
    runs.end = event.cycle + 1;
    ++runs.instructions;
  }

  void on(const Event& event, const trace::Repeated& e) {
    u64 uuid = 0;
    AgentTrack& track = track_of(event, uuid);
    close(uuid, track.runs, "core");
    std::vector<LoopStep> steps;
    for (u32 i = 0; i < e.period && i < track.count; ++i)
      steps.push_back(track.recent[(track.count - 1 - i) % track.recent.size()]);
    LoopWait found = wait_of_loop(steps, Profile{});
    const bool room = found.both_counters && found.filled != 0;
    if (room) found.at.wait.awaited = Awaited::Room;
    const std::string name = found.waits ? "waits for " + text_of(found.at.wait) : "repeats itself";
    writer_.slice(uuid,
                  {e.first,
                   e.first + e.instructions,
                   name,
                   found.waits ? "wait" : "core",
                   {{"instructions", e.instructions}, {"period", e.period}, {"pc", found.at.at}},
                   ""});
  }

  void on(const Event& event, const trace::Executed& e) {
    u64 uuid = 0;
    AgentTrack& track = track_of(event, uuid);
    const char* const name = tensix::info_of_word(e.word).name;
    Open& runs = track.runs;
    if (runs.open && (runs.name != name || runs.end != event.cycle)) close(uuid, runs, "thread");
    if (!runs.open) runs = {true, event.cycle, event.cycle, 0, 0, name};
    runs.end = event.cycle + 1;
    ++runs.instructions;

    const auto unit = static_cast<unsigned>(unit_of(e.word));
    Tile& tile = tile_of(event.node);
    const u64 unit_uuid = uuid_of(event.node, kUnitPlace + unit);
    if (!tile.known_units[unit]) {
      tile.known_units[unit] = true;
      writer_.track(unit_uuid, uuid_of(event.node, kProcessPlace), kUnits[unit]);
    }
    Open& work = tile.units[unit];
    if (work.open && (work.name != name || work.end < event.cycle)) {
      work.end = std::min(work.end, event.cycle);  // a pipeline: slices of a track must not overlap
      close(unit_uuid, work, "unit");
    }
    if (!work.open) work = {true, event.cycle, event.cycle, 0, 0, name};
    work.end = std::max(work.end, e.end);
    ++work.instructions;
  }

  void on(const Event& event, const trace::StallBegin& e) {
    u64 uuid = 0;
    AgentTrack& track = track_of(event, uuid);
    close(uuid, track.runs, is_core(event.agent) ? "core" : "thread");
    if (track.stalled) end_stall(uuid, track, event.cycle);
    track.stalled = true;
    track.stalled_since = event.cycle;
    track.stall = "waits for " + text_of(WaitOf{Awaited::Event, e.reason.wait, e.reason.index, 0});
    const std::string who = tile::who_of(e.waits);
    track.stall_text = tile::what_of(e.waits) + (who.empty() ? "" : "; can be released by: " + who);
  }
  void on(const Event& event, const trace::StallEnd&) {
    u64 uuid = 0;
    AgentTrack& track = track_of(event, uuid);
    if (track.stalled) end_stall(uuid, track, event.cycle);
  }
  void end_stall(u64 uuid, AgentTrack& track, Cycle now) {
    track.stalled = false;
    if (now > track.stalled_since)
      writer_.slice(uuid, {track.stalled_since, now, track.stall, "wait", {}, track.stall_text});
  }

  void on(const Event& event, const trace::Packet& e) {
    Event at = event;
    at.agent = e.noc == 0 ? Agent::Niu0 : Agent::Niu1;
    u64 uuid = 0;
    track_of(at, uuid);
    const NodeId other = e.arrives ? e.source : e.target;
    const std::string tile = other < nodes_.size() ? trace_name_of(nodes_[other].translated) : "?";
    writer_.instant(
        uuid, event.cycle,
        fmt::format("{} {} {} {}", e.arrives ? "gets" : "sends",
                    kPackets[static_cast<unsigned>(e.kind)], e.arrives ? "from" : "to", tile),
        "noc", flow_of(e), e.arrives,
        {{"bytes", e.length},
         {"address", e.address},
         {"id", e.transaction_id},
         {"by_pc", e.issuer_pc}},
        std::string(trace_name_of(e.issuer)));
  }

  void on(const Event& event, const trace::StreamChanged& e) {
    if (e.index != kAcked && e.index != kReceived) return;
    Tile& tile = tile_of(event.node);
    const u64 uuid = uuid_of(event.node, kBufferPlace + e.stream % 64);
    const auto [entry, fresh] = tile.buffers.try_emplace(e.stream);
    if (fresh)
      writer_.counter(uuid, uuid_of(event.node, kProcessPlace),
                      fmt::format("CB {} pages", e.stream));
    auto& [received, acked] = entry->second;
    (e.index == kReceived ? received : acked) = e.after;
    const u32 pages = (received - acked) & 0xFFFF;
    writer_.value(uuid, event.cycle, pages < 0x8000 ? pages : 0);  // set back one after the other
  }

  void on(const Event& event, const trace::SemaphoreChanged& e) {
    Tile& tile = tile_of(event.node);
    const u64 uuid = uuid_of(event.node, kSemaphorePlace + e.index);
    if (!std::exchange(tile.semaphores[e.index], true)) {
      writer_.counter(uuid, uuid_of(event.node, kProcessPlace),
                      fmt::format("semaphore {}", e.index));
      writer_.value(uuid, event.cycle, e.before);
    }
    writer_.value(uuid, event.cycle, e.after);
  }

  void on(const Event& event, const trace::ResetChanged& e) {
    note(event, e.held ? "reset" : "release", "reset", {{"pc", e.pc}});
  }
  void on(const Event& event, const trace::Faulted& e) {
    note(event, fmt::format("fault: {}", info_of(e.rule).name), "fault", {{"pc", e.pc}}, e.text);
  }
  void on(const Event& event, const trace::HostAccess& e) {
    note(event, e.write ? "host writes" : "host reads", "host",
         {{"address", e.address}, {"bytes", e.bytes}});
  }
  void note(const Event& event, const std::string& name, const char* category,
            const PerfettoWriter::Numbers& numbers, const std::string& text = "") {
    u64 uuid = 0;
    track_of(event, uuid);
    writer_.instant(uuid, event.cycle, name, category, 0, false, numbers, text);
  }

  /// Pushes, elements, mailboxes and interrupts are not shown.
  template <class Other>
  void on(const Event&, const Other&) {}

  std::FILE* file_;
  FunctionNamer namer_;
  PerfettoWriter writer_;
  std::vector<trace::NodeName> nodes_;
  std::vector<Tile> tiles_;
  std::map<std::pair<Agent, u32>, std::string> names_;
  std::string error_;
};

}  // namespace

std::unique_ptr<trace::Sink> perfetto_sink(const std::string& path, FunctionNamer namer) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr)
    throw host::InputError(path, "",
                           std::string("the trace cannot be written: ") + std::strerror(errno));
  return std::make_unique<PerfettoSink>(file, std::move(namer));
}

}  // namespace bhemu::debug
