#include "host/report/races.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "hazard/observer.hpp"
#include "host/boot/machine.hpp"
#include "host/boot/mailboxes.hpp"
#include "host/error.hpp"
#include "host/file.hpp"
#include "host/settings/software.hpp"
#include "tensix/disasm.hpp"

namespace bhemu::host {
namespace {

constexpr unsigned kTrisc0 = static_cast<unsigned>(CoreId::Trisc0);
using race::FindingKind;
using race::Place;

/// Words by which firmware and host signal each other, in every tile.
std::vector<race::Location> handshakes_of(const Protocol& protocol) {
  constexpr u32 kGoMessages = 9;
  return {{Place::L1, 4, protocol.subordinate_sync},
          {Place::L1, 4, protocol.launch_message_read_pointer},
          {Place::L1, 4 * kGoMessages, protocol.go_messages},
          {Place::L1, 4, protocol.go_message_index}};
}

/// The core that a side's source line is to be looked for at.
std::optional<Author> core_of_side(const race::Side& side) {
  if (!side.known || side.site.tile == kNoNode) return std::nullopt;
  if (is_core(side.site.agent)) return side.site;
  if (side.pushed_at == 0 || side.site.agent < Agent::Thread0 || side.site.agent > Agent::Thread2)
    return std::nullopt;
  const unsigned thread =
      static_cast<unsigned>(side.site.agent) - static_cast<unsigned>(Agent::Thread0);
  Author core = side.site;
  core.agent = side.site.origin == Origin::Brisc ? Agent::Brisc
                                                 : agent_of(static_cast<CoreId>(kTrisc0 + thread));
  core.pc = side.pushed_at;
  return core;
}

class DeviceNames final : public race::Names {
 public:
  DeviceNames(Device& device, const CodeMap& code, std::span<const NamedBytes> named)
      : device_(device), code_(code), named_(named) {}

  std::string side(const race::Side& side) const override { return side_text(side, true); }
  std::string short_side(const race::Side& side) const override { return side_text(side, false); }

  std::string tile(u16 node) const override {
    if (node == kNoNode) return "nowhere";  // of a side that there is none of
    const Coord at = device_.coord_of(node);
    const char* kind = device_.node(node).kind() == noc::NodeKind::Dram ? "DRAM " : "";
    return fmt::format("{}({}, {})", kind, at.x, at.y);
  }

  std::string place(u16 node, const race::Location& where) const override {
    std::string text = race::describe(where);
    if (where.place != Place::L1 || device_.tile_of(node) == nullptr) return text;
    for (const NamedBytes& one : named_) {
      if (where.begin < one.address || where.begin >= u64{one.address} + one.bytes) continue;
      const u64 offset = where.begin - one.address;
      if (one.stride == 0) return fmt::format("{} ({})", text, one.name);
      return fmt::format("{} ({} {}, byte {:#x})", text, one.name, offset / one.stride,
                         offset % one.stride);
    }
    return text;
  }

  Line line(const race::Side& side) const override {
    const CodeMap::Location at = locate(side);
    if (at.image.empty()) return {};
    for (const SourceFrame& frame : at.frames)
      if (!frame.is_library()) return {frame.file, frame.line};
    return {};
  }

 private:
  static bool is_thread(Agent agent) { return agent >= Agent::Thread0 && agent <= Agent::Thread2; }

  CodeMap::Location locate(const race::Side& side) const {
    const auto core = core_of_side(side);
    if (!core) return {};
    return code_.locate(core->agent, core->pc, device_.coord_of(core->tile));
  }

  std::string side_text(const race::Side& side, bool whole) const {
    const race::Site& site = side.site;
    const CodeMap::Location at = locate(side);
    const std::string place = whole ? at.text() : at.user();
    if (site.agent == Agent::Host) return "the host";
    std::string text;
    if (is_thread(site.agent)) {
      constexpr const char* kOrigins[] = {"", "", "", ", of a MOP", ", of a replay"};
      const char* name = tensix::info_of_word(site.pc).name;
      text = fmt::format("{}'s {}{}", name_of(site.agent),
                         whole ? tensix::disassemble(site.pc) : std::string(name ? name : "?"),
                         whole ? kOrigins[static_cast<unsigned>(site.origin)] : "");
      return place.empty() ? text
                           : fmt::format("{}{} {}", text, whole ? ", pushed at" : " at", place);
    }
    text = name_of(site.agent);
    if (place.empty()) return fmt::format("{} at {:#x}", text, site.pc);
    return fmt::format("{} at {}", text, place);
  }

  Device& device_;
  const CodeMap& code_;
  std::span<const NamedBytes> named_;
};

bool adds_to(const hazard::Hints& more, const hazard::Hints& given) {
  const auto has_all = [](const auto& some, const auto& all) {
    return std::all_of(some.begin(), some.end(), [&](const auto& one) {
      return std::find(all.begin(), all.end(), one) != all.end();
    });
  };
  return !has_all(more.sync_words, given.sync_words) || !has_all(more.wanted, given.wanted);
}

/// What can only show that less is in order than it seemed.
bool puts_less_in_order(const hazard::Hints& more, const hazard::Hints& given) {
  const auto is_given = [&](const auto& one) {
    return std::any_of(given.changes.begin(), given.changes.end(),
                       [&](const auto& other) { return other.first == one.first; });
  };
  return more.locks != given.locks ||
         !std::all_of(more.changes.begin(), more.changes.end(), is_given);
}

/// What is told of each finding, to people and programs.
void write_texts(RaceReport& report, const race::Suppressions& suppressions,
                 const DeviceNames& names) {
  std::vector<race::Finding> told;
  for (RaceFinding& one : report.findings) {
    if (const std::string* reason = suppressions.reason_for(one.finding)) {
      one.suppressed = *reason;
      continue;
    }
    one.text = race::text_of(one.finding, names);
    if (one.tiles.size() > 1)
      one.text += fmt::format("  the same on {}\n", tiles_text(one.tiles, 0));
    told.push_back(one.finding);
  }
  report.json = race::json_of(told, names);
  report.sarif = race::sarif_of(told, names);
}

/// Findings of different tiles that are the same but for the tile.
bool same_elsewhere(const race::Finding& a, const race::Finding& b) {
  return race::same_finding(a, b) && a.edge == b.edge;
}

}  // namespace

RaceOptions race_options(const RaceSettings& settings) {
  RaceOptions options;
  options.on = settings.on || !settings.level.empty();
  if (!settings.level.empty() && settings.level != "custom" && settings.level != "documented" &&
      settings.level != "on")
    throw InputError("", "race detector",
                     fmt::format("'{}' is no level; use custom or documented", settings.level));
  options.contracts = settings.level == "documented";
  if (!settings.suppress.empty()) {
    const std::vector<u8> bytes = read_file(settings.suppress);
    const std::string wrong = options.suppressions.parse(std::string(bytes.begin(), bytes.end()));
    if (!wrong.empty()) throw InputError(settings.suppress, "", wrong);
  }
  return options;
}

unsigned RaceReport::errors() const {
  return static_cast<unsigned>(std::count_if(findings.begin(), findings.end(), [](const auto& one) {
    return one.suppressed.empty() && one.finding.kind != FindingKind::Contract &&
           one.finding.kind != FindingKind::Injected;
  }));
}
unsigned RaceReport::told() const {
  return static_cast<unsigned>(findings.size()) - suppressed();
}
unsigned RaceReport::suppressed() const {
  return static_cast<unsigned>(std::count_if(
      findings.begin(), findings.end(), [](const auto& one) { return !one.suppressed.empty(); }));
}

std::string RaceReport::text() const {
  std::string text;
  for (const RaceFinding& one : findings)
    if (one.suppressed.empty()) text += one.text;
  if (is_full)
    text += "The detector's memory was full before the end: not everything was looked at.\n";
  return text;
}

RaceWatch::RaceWatch(Device& device, const RaceOptions& options, const Firmware* firmware,
                     std::span<const Coord> tiles, const RaceHints& hints)
    : device_(device), options_(options), given_(hints) {
  hazard::Options wanted;
  wanted.contracts = options.contracts;
  if (firmware != nullptr) {
    wanted.kernel_base = firmware->kernel_config_base();
    wanted.sync_words = handshakes_of(firmware->protocol());
  } else {
    wanted.software = launched_software();
    wanted.sync_words = handshakes_of(kProtocol96);
  }
  shared_ = std::make_unique<hazard::Shared>(device.board().node_count(), wanted);
  shared_->began_late = device.cycle() != 0;
  for (const auto& [node, known] : given_)
    for (const race::LockWord& one : known.locks) {
      shared_->locks[{node, one.address}].push_back(one);
      shared_->has_far_locks |= one.far;
    }
  observation_ = device.observe([&](NodeId node) -> std::unique_ptr<trace::Observer> {
    const auto known = given_.find(node);
    const hazard::Hints none;
    const hazard::Hints& of_node = known != given_.end() ? known->second : none;
    tile::Tile* const tile = device_.tile_of(node);
    if (tile != nullptr && tile->shape().is_tensix()) {
      if (!tiles.empty() &&
          std::find(tiles.begin(), tiles.end(), device_.coord_of(node)) == tiles.end())
        return nullptr;
      auto observer = std::make_unique<hazard::TileObserver>(*shared_, *tile, of_node);
      tiles_[node] = observer.get();
      return observer;
    }
    if (device_.node(node).kind() == noc::NodeKind::Pcie)
      return std::make_unique<hazard::HostMemoryObserver>(*shared_);
    if (device_.node(node).kind() != noc::NodeKind::Dram) return nullptr;
    const noc::PlainMemory memory = device_.node(node).plain_memory();
    auto observer = std::make_unique<hazard::MemoryObserver>(
        *shared_, node, std::span<const u8>(memory.data, memory.bytes), of_node);
    memories_[node] = observer.get();
    return observer;
  });
}

RaceWatch::~RaceWatch() {
  device_.stop_observing(observation_);
}

void RaceWatch::know(const PreparedProgram& program, const Firmware& firmware) {
  const u32 base = firmware.kernel_config_base();
  for (const CircularBufferConfig& one : program.launch().circular_buffers)
    named_.push_back({one.address, one.size, fmt::format("CB {}, page", one.index), one.page_size});
  for (u32 i = 0; i < program.launch().semaphores.size(); ++i)
    named_.push_back({base + program.offsets().semaphores + i * kSemaphoreStride, 4,
                      fmt::format("semaphore {}", i)});
  const Protocol& protocol = firmware.protocol();
  named_.push_back({protocol.subordinate_sync, 4, "subordinate_sync"});
  named_.push_back({protocol.go_messages, 4, "go message"});
  named_.push_back({protocol.launch_ring, protocol.launch_ring_size * protocol.launch.bytes,
                    "launch message", protocol.launch.bytes});
}

void RaceWatch::finish() const {
  if (shared_->is_over) return;
  shared_->is_over = true;
  for (const auto& [node, observer] : tiles_) observer->finish();
  for (const auto& [node, observer] : memories_) observer->finish();
}

std::vector<Author> RaceWatch::sites() const {
  finish();
  std::vector<Author> all;
  const auto add = [&](const hazard::Found& found) {
    for (const race::Finding& one : found.findings)
      for (const race::Side* side : {&one.first, &one.second})
        if (const auto core = core_of_side(*side)) all.push_back(*core);
  };
  for (const auto& [node, observer] : tiles_) add(observer->found());
  for (const auto& [node, observer] : memories_) add(observer->found());
  return all;
}

void write_races(const RaceSettings& settings, const RaceReport& report) {
  const auto write = [](const std::string& path, const std::string& text) {
    if (!path.empty()) write_file(path, {reinterpret_cast<const u8*>(text.data()), text.size()});
  };
  write(settings.json, report.json);
  write(settings.sarif, report.sarif);
}

RaceReport RaceWatch::report(const CodeMap& code) {
  RaceReport report;
  bool less_in_order = false;
  std::map<NodeId, std::vector<u64>> racy;
  const auto take = [&](NodeId node, const hazard::Found& found) {
    report.is_full |= found.is_full;
    hazard::Hints hints{found.sync_words, found.wanted, found.locks, found.changes, {}};
    const auto given = given_.find(node);
    const hazard::Hints none;
    const hazard::Hints& known = given != given_.end() ? given->second : none;
    report.needs_another_pass |= adds_to(hints, known);
    less_in_order |= puts_less_in_order(hints, known);
    hints.racy = known.racy;
    for (const u64 line : found.racy)
      if (std::find(hints.racy.begin(), hints.racy.end(), line) == hints.racy.end())
        racy[node].push_back(line);
    report.hints[node] = std::move(hints);
    for (const race::Finding& one : found.findings) {
      const auto same = std::find_if(
          report.findings.begin(), report.findings.end(),
          [&](const RaceFinding& other) { return same_elsewhere(other.finding, one); });
      if (same != report.findings.end()) {
        same->tiles.push_back(device_.coord_of(node));
      } else {
        report.findings.push_back({one, {device_.coord_of(node)}, race::name_of(one.kind), "", ""});
      }
    }
  };
  std::vector<std::pair<NodeId, u64>> remote;  // words that are polled from another tile
  for (const auto& [node, observer] : tiles_)
    remote.insert(remote.end(), observer->polled_remotely().begin(),
                  observer->polled_remotely().end());
  for (const auto& [node, address] : remote) {
    if (const auto tile = tiles_.find(node); tile != tiles_.end()) tile->second->polled(address);
    if (const auto bank = memories_.find(node); bank != memories_.end())
      bank->second->polled(address);
  }
  finish();
  for (const auto& [node, observer] : tiles_) take(node, observer->found());
  for (const auto& [node, observer] : memories_) take(node, observer->found());
  // Another pass knows of more that is in order. Distances in instructions stay as they are, and
  // where nothing was found, nothing will be.
  report.needs_another_pass &=
      std::any_of(report.findings.begin(), report.findings.end(), [](const RaceFinding& one) {
        return one.finding.kind != FindingKind::Window || !one.finding.first.known;
      });
  report.needs_another_pass |= less_in_order;
  // Once it is known what is in order, all pairs of the places with findings.
  if (!report.needs_another_pass && !racy.empty()) {
    report.has_more_pairs = true;
    for (const auto& [node, lines] : racy)
      report.hints[node].racy.insert(report.hints[node].racy.end(), lines.begin(), lines.end());
  }

  write_texts(report, options_.suppressions, DeviceNames(device_, code, named_));
  return report;
}

RaceReport with_hints(const Program& program, const DeviceOptions& options,
                      const std::string& firmware, Cycle limit, const RaceOptions& race,
                      RaceReport first) {
  constexpr unsigned kMostPasses = 6;  // words found in the second pass can lead to others
  for (unsigned pass = 1; pass < kMostPasses && first.needs_more(); ++pass) {
    Machine machine(options, firmware.empty() ? Firmware::embedded() : Firmware::load(firmware));
    machine.set_limit(limit);
    const PreparedProgram prepared = machine.prepare(program);
    RaceWatch watch(machine.device(), race, &machine.firmware(), prepared.tiles(), first.hints);
    watch.know(prepared, machine.firmware());
    if (machine.boot().status == Status::Ok) machine.run_unsaved(prepared);
    first = watch.report(machine.code());
  }
  return first;
}

}  // namespace bhemu::host
