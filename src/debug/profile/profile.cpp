#include "debug/profile/profile.hpp"

#include <algorithm>

#include "debug/profile/profile_loops.hpp"
#include "tensix/context.hpp"
#include "trace/repeats.hpp"

namespace bhemu::debug {
namespace {

using trace::Event;

constexpr std::size_t kMostLevels = 4096;
constexpr u16 kAcked = 8;  // registers of a stream by which software counts pages
constexpr u16 kReceived = 10;

tensix::BusyUnit unit_of(u32 word) {
  const tensix::Decoded& decoded = tensix::kDecoded[tensix::opcode_of(word)];
  const u32 second = decoded.unit == tensix::Unit::Unpack ? bits(word, 23, 1) : 0;
  return static_cast<tensix::BusyUnit>(static_cast<u32>(decoded.busy) + second);
}

/// What is known of a core or thread while the trace goes on.
struct Track {
  std::array<LoopStep, trace::Repeats::kLongest> recent{};  // a ring
  u64 count = 0;
  bool stalled = false;
  Cycle stalled_since = 0;
  WaitAt stall;
};

class Sink final : public trace::Sink {
 public:
  explicit Sink(std::shared_ptr<Profile> profile) : profile_(std::move(profile)) {}

  void begin(const std::vector<trace::NodeName>& nodes) override {
    profile_->tiles.resize(nodes.size());
    tracks_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      profile_->tiles[i].node = static_cast<NodeId>(i);
      profile_->tiles[i].tile = nodes[i].translated;
      profile_->tiles[i].cores = nodes[i].tensix || nodes[i].first_core == CoreId::Erisc0;
    }
  }
  void write(const Event& event) override {
    if (profile_->begin == kNever || event.cycle < profile_->begin) return remember(event);
    const Visit visit{*this, event, profile_->tiles[event.node]};
    std::visit(visit, event.detail);
  }
  bool flush() override { return true; }
  void end(const trace::Summary& summary) override {
    Profile& profile = *profile_;
    profile.begin = std::min(profile.begin, summary.cycle);
    profile.end = std::max(summary.cycle, profile.begin);
    for (TileUse& tile : profile.tiles) {
      for (auto& [agent, track] : tracks_[tile.node])
        if (track.stalled) end_stall(lane(tile, agent), track, profile.end);
      for (auto& [index, buffer] : tile.buffers) pass(buffer, profile.end);
    }
    finish_lanes();
  }
  std::string error() const override { return ""; }

 private:
  /// What the kinds of events mean for a profile.
  struct Visit {
    Sink& sink;
    const Event& event;
    TileUse& tile;

    void operator()(const trace::Retired& e) const { sink.retired(tile, event, e); }
    void operator()(const trace::Repeated& e) const { sink.repeated(tile, event, e); }
    void operator()(const trace::Executed& e) const { sink.executed(tile, event, e); }
    void operator()(const trace::StallBegin& e) const {
      Track& track = sink.tracks_[tile.node][event.agent];
      if (track.stalled) sink.end_stall(sink.lane(tile, event.agent), track, event.cycle);
      track.stalled = true;
      track.stalled_since = event.cycle;
      track.stall = {{Awaited::Event, e.reason.wait, e.reason.index, 0}, e.at};
    }
    void operator()(const trace::StallEnd&) const {
      Track& track = sink.tracks_[tile.node][event.agent];
      if (track.stalled) sink.end_stall(sink.lane(tile, event.agent), track, event.cycle);
    }
    void operator()(const trace::Packet& e) const {
      if (e.arrives) {
        tile.received[e.noc].packets += 1;
        tile.received[e.noc].bytes += e.length;
        return;
      }
      Traffic& traffic = tile.sent[e.noc][static_cast<unsigned>(e.kind)];
      traffic.packets += 1;
      traffic.bytes += e.length;
      Traffic& flow = sink.profile_->flows[{e.source, e.target}];
      flow.packets += 1;
      flow.bytes += e.length;
    }
    void operator()(const trace::SemaphoreChanged& e) const {
      if (e.after > e.before) ++tile.posts[e.index][event.agent];
      if (e.after < e.before) ++tile.gets[e.index][event.agent];
    }
    void operator()(const trace::StreamChanged& e) const { sink.moved(tile, event, e); }
    template <class Other>
    void operator()(const Other&) const {}
  };

  Lane& lane(TileUse& tile, Agent agent) {
    const auto [entry, fresh] = tile.lanes.try_emplace(agent);
    if (fresh) entry->second.timeline = Timeline(profile_->begin);
    return entry->second;
  }

  bool is_firmware(u32 pc) const { return pc < profile_->kernel_base; }

  /// Before the profile begins: who waits when it does, and how full the buffers are.
  void remember(const Event& event) {
    Track& track = tracks_[event.node][event.agent];
    if (const auto* stall = std::get_if<trace::StallBegin>(&event.detail)) {
      track.stalled = true;
      track.stalled_since = event.cycle;
      track.stall = {{Awaited::Event, stall->reason.wait, stall->reason.index, 0}, stall->at};
    } else if (std::holds_alternative<trace::StallEnd>(event.detail)) {
      track.stalled = false;
    } else if (const auto* retired = std::get_if<trace::Retired>(&event.detail)) {
      track.recent[track.count++ % track.recent.size()] = step_of(*retired);
    }
  }

  static LoopStep step_of(const trace::Retired& e) {
    return {e.pc, e.memory.load ? e.memory.address : LoopStep::kNone, e.memory.store,
            e.memory.loaded};
  }

  /// A core's firmware has waited for work in [from, to).
  static void slept(Lane& lane, Cycle from, Cycle to) {
    if (lane.first == kNever)
      lane.awake = to;
    else if (lane.asleep == 0)
      lane.asleep = from;
  }

  void retired(TileUse& tile, const Event& event, const trace::Retired& e) {
    Lane& lane = this->lane(tile, event.agent);
    Track& track = tracks_[tile.node][event.agent];
    track.recent[track.count++ % track.recent.size()] = step_of(e);
    ++lane.instructions;
    const Spent spent = is_firmware(e.pc) ? Spent::Firmware : Spent::Busy;
    spend(lane, spent, event.cycle, event.cycle + 1);
    if (spent == Spent::Busy) in_kernel(lane, event.cycle);
  }

  static void in_kernel(Lane& lane, Cycle cycle) {
    lane.first = std::min(lane.first, cycle);
    lane.last = std::max(lane.last, cycle);
  }

  static void spend(Lane& lane, Spent spent, Cycle from, Cycle to) {
    lane.cycles[static_cast<unsigned>(spent)] += to - from;
    lane.timeline.add(from, to, spent);
  }

  void wait(Lane& lane, const WaitAt& at, Cycle from, Cycle to) {
    if (to <= from) return;
    lane.waits[at] += to - from;
    spend(lane, spent_of(at.wait), from, to);
  }

  void repeated(TileUse& tile, const Event& event, const trace::Repeated& e) {
    Lane& lane = this->lane(tile, event.agent);
    Track& track = tracks_[tile.node][event.agent];
    const Cycle end = e.first + e.instructions;
    const Cycle from = std::max(e.first, profile_->begin);
    if (end <= from) return;
    lane.instructions += end - from;
    lane.repeated += end - from;
    std::vector<LoopStep> steps;
    for (u32 i = 0; i < e.period && i < track.count; ++i)
      steps.push_back(track.recent[(track.count - 1 - i) % track.recent.size()]);
    LoopWait found = wait_of_loop(steps, *profile_);
    // A loop that reads both counters waits for pages if the buffer is empty. (A consumer that
    // wants more pages than there are is taken for a producer, unless it has popped some before.)
    if (found.both_counters) {
      const BufferUse& buffer = tile.buffers[found.at.wait.index];
      const bool takes = found.filled == 0 || takes_from(buffer, event.agent);
      found.at.wait.awaited = takes ? Awaited::Pages : Awaited::Room;
    }
    const bool firmware = is_firmware(found.at.at);
    if (!firmware) in_kernel(lane, end - 1);
    if (!found.waits) return spend(lane, firmware ? Spent::Firmware : Spent::Busy, from, end);
    // The two rounds that are told one by one were waiting, too.
    const Cycle told = std::max(e.first - std::min(e.first, Cycle{2} * e.period), profile_->begin);
    const Spent was = firmware ? Spent::Firmware : Spent::Busy;
    u64& before = lane.cycles[static_cast<unsigned>(was)];
    const Cycle back = std::min<Cycle>(e.first > told ? e.first - told : 0, before);
    before -= back;
    if (firmware) {
      lane.timeline.add(e.first - back, e.first, Spent::Idle, was);
      return slept(lane, e.first - back, end);
    }
    lane.timeline.add(e.first - back, e.first, spent_of(found.at.wait), was);
    lane.cycles[static_cast<unsigned>(spent_of(found.at.wait))] += back;
    lane.waits[found.at] += back;
    wait(lane, found.at, from, end);
  }

  /// A TRISC moves the counters by its thread.
  static bool takes_from(const BufferUse& buffer, Agent agent) {
    Agent thread = agent;
    if (agent >= Agent::Trisc0 && agent <= Agent::Trisc2)
      thread =
          static_cast<Agent>(static_cast<unsigned>(agent) - static_cast<unsigned>(Agent::Trisc0) +
                             static_cast<unsigned>(Agent::Thread0));
    return buffer.pops.count(agent) != 0 || buffer.pops.count(thread) != 0;
  }

  void end_stall(Lane& lane, Track& track, Cycle now) {
    track.stalled = false;
    const bool core = track.stall.at < profile_->kernel_base && is_core_stall(track.stall.wait);
    const Cycle from = std::max(track.stalled_since, profile_->begin);
    if (core) return;  // a core that waits in firmware has nothing to do
    wait(lane, track.stall, from, now);
  }
  static bool is_core_stall(const WaitOf& wait) {
    return wait.event >= trace::Wait::Fifo && wait.event <= trace::Wait::Debugger;
  }

  void executed(TileUse& tile, const Event& event, const trace::Executed& e) {
    Lane& lane = this->lane(tile, event.agent);
    ++lane.instructions;
    spend(lane, Spent::Busy, event.cycle, event.cycle + 1);
    in_kernel(lane, event.cycle);
    UnitUse& unit = tile.units[static_cast<unsigned>(unit_of(e.word))];
    ++unit.instructions;
    const Cycle from = std::max(unit.until, event.cycle);
    if (e.end > from) unit.cycles += e.end - from;
    unit.until = std::max(unit.until, e.end);
    OpcodeUse& opcode = profile_->opcodes[tensix::opcode_of(e.word)];
    ++opcode.instructions;
    opcode.cycles += e.end > from ? e.end - from : 0;
  }

  static void pass(BufferUse& buffer, Cycle now) {
    buffer.at_level[buffer.filled()] += now - buffer.since;
    buffer.since = now;
  }

  void moved(TileUse& tile, const Event& event, const trace::StreamChanged& e) {
    if (e.index != kAcked && e.index != kReceived) return;
    const auto [entry, fresh] = tile.buffers.try_emplace(e.stream);
    BufferUse& buffer = entry->second;
    if (fresh) buffer.since = profile_->begin;
    u32& counter = e.index == kReceived ? buffer.received : buffer.acked;
    counter = e.before;
    pass(buffer, event.cycle);
    counter = e.after;
    const u32 pages = (e.after - e.before) & 0xFFFF;
    // A counter that is set to nothing is being made ready, not moved.
    if (e.after != 0 || pages == 1) {
      (e.index == kReceived ? buffer.pushed : buffer.popped) += pages;
      (e.index == kReceived ? buffer.pushes : buffer.pops)[event.agent] += pages;
      buffer.most = std::max(buffer.most, buffer.filled());
    }
    if (buffer.levels.size() < kMostLevels)
      buffer.levels.emplace_back(event.cycle, buffer.filled());
  }

  /// What is left of the span is idle, and all timelines get stretches of one length.
  void finish_lanes() {
    Cycle width = 0;
    for (const TileUse& tile : profile_->tiles)
      for (const auto& [agent, lane] : tile.lanes) width = std::max(width, lane.timeline.width());
    for (TileUse& tile : profile_->tiles)
      for (auto& [agent, lane] : tile.lanes) {
        lane.timeline.widen(width);
        lane.awake = std::max(lane.awake, profile_->begin);
        if (lane.asleep == 0) lane.asleep = profile_->end;
        u64 told = 0;
        for (unsigned s = 1; s < kSpents; ++s) told += lane.cycles[s];
        lane.cycles[0] = profile_->span() > told ? profile_->span() - told : 0;
      }
  }

  std::shared_ptr<Profile> profile_;
  std::vector<std::map<Agent, Track>> tracks_;
};

}  // namespace

u64 Lane::waited() const {
  u64 sum = 0;
  for (unsigned s = 0; s < kSpents; ++s)
    if (is_wait(static_cast<Spent>(s))) sum += cycles[s];
  return sum;
}

std::unique_ptr<trace::Sink> profile_sink(std::shared_ptr<Profile> profile) {
  return std::make_unique<Sink>(std::move(profile));
}

}  // namespace bhemu::debug
