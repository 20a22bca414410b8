#include "hazard/observer.hpp"

#include <algorithm>

namespace bhemu::hazard {
namespace {

race::Settings settings_of(NodeId node, const Hints& hints, const Options& options) {
  race::Settings settings;
  settings.tile = node;
  settings.sync_words = options.sync_words;
  for (const u64 address : hints.sync_words)
    settings.sync_words.push_back({race::Place::L1, 4, address});
  settings.wanted = hints.wanted;
  settings.locks = hints.locks;
  settings.changes = hints.changes;
  settings.racy = hints.racy;
  return settings;
}

race::Settings settings_of(NodeId node, tile::Tile& tile, const Hints& hints,
                           const Options& options) {
  race::Settings settings = settings_of(node, hints, options);
  settings.memory = tile.l1().data();
  settings.memory_bytes = tile.l1().size();
  return settings;
}

race::Settings settings_of(NodeId node, std::span<const u8> memory, const Hints& hints) {
  race::Settings settings = settings_of(node, hints, Options());
  settings.memory_place = race::Place::Dram;
  settings.memory = memory.data();
  settings.memory_bytes = memory.size();
  return settings;
}

}  // namespace

Detectors::Detectors(const race::Settings& settings, const Options& options)
    : contracts_(options.contracts), without_locks_(options.without_locks) {
  const auto add = [&](race::Level level, bool without_locks) {
    race::Settings own = settings;
    own.level = level;
    own.without_locks = without_locks;
    each_.push_back(std::make_unique<race::Detector>(own));
  };
  add(race::Level::Custom, false);
  if (contracts_) add(race::Level::Documented, false);
  if (without_locks_) add(race::Level::Custom, true);
}

Found Detectors::found(std::span<const race::Finding> windows) const {
  Found found;
  found.findings = each_[0]->findings();
  if (without_locks_) found.findings = race::merge_levels(found.findings, each_.back()->findings());
  if (contracts_) found.findings = race::merge_levels(found.findings, each_[1]->findings());
  found.findings.insert(found.findings.end(), windows.begin(), windows.end());
  for (const auto& one : each_) {
    for (const race::Epoch epoch : one->wanted()) found.wanted.push_back(epoch);
    found.racy.insert(found.racy.end(), one->racy().begin(), one->racy().end());
    found.is_full |= one->is_full();
  }
  found.sync_words = each_[0]->sync_words();
  found.locks = each_[0]->locks();
  found.changes = each_[0]->changes();
  return found;
}

TileObserver::TileObserver(Shared& shared, tile::Tile& tile, const Hints& hints)
    : shared_(shared),
      tile_(tile),
      node_(tile.id()),
      detectors_(settings_of(tile.id(), tile, hints, shared.options), shared.options),
      copy_(tile.l1().data(), tile.l1().size()) {
  cores_.reserve(kCores);
  for (unsigned core = 0; core < kCores; ++core) cores_.emplace_back(copy_);
  for (ThreadView& thread : threads_) thread.window = race::WindowChecker(node_);
}

Found TileObserver::found() const {
  std::vector<race::Finding> windows;
  for (const ThreadView& thread : threads_)
    windows.insert(windows.end(), thread.window.findings().begin(), thread.window.findings().end());
  Found found = detectors_.found(windows);
  found.remote_words.assign(polled_remotely_.begin(), polled_remotely_.end());
  return found;
}

MemoryObserver::MemoryObserver(Shared& shared, NodeId node, std::span<const u8> memory,
                               const Hints& hints)
    : shared_(shared), node_(node), detectors_(settings_of(node, memory, hints), shared.options) {}

}  // namespace bhemu::hazard
