#include "hazard/observer.hpp"

#include <algorithm>

namespace bhemu::hazard {
namespace {

race::Settings settings_of(NodeId node, const Hints& hints, const Shared& shared) {
  race::Settings settings;
  settings.tile = node;
  settings.sync_words = shared.options.sync_words;
  settings.has_far_locks = shared.has_far_locks;
  for (const u64 address : hints.sync_words)
    settings.sync_words.push_back({race::Place::L1, 4, address});
  settings.wanted = hints.wanted;
  settings.locks = hints.locks;
  settings.changes = hints.changes;
  settings.racy = hints.racy;
  return settings;
}

race::Settings settings_of(NodeId node, tile::Tile& tile, const Hints& hints,
                           const Shared& shared) {
  race::Settings settings = settings_of(node, hints, shared);
  settings.memory = tile.l1().data();
  settings.memory_bytes = tile.l1().size();
  return settings;
}

race::Settings settings_of(NodeId node, std::span<const u8> memory, const Hints& hints,
                           const Shared& shared) {
  race::Settings settings = settings_of(node, hints, shared);
  settings.sync_words.clear();
  for (const u64 address : hints.sync_words)
    settings.sync_words.push_back({race::Place::L1, 4, address});
  settings.memory_place = race::Place::Dram;
  settings.memory = memory.data();
  settings.memory_bytes = memory.size();
  return settings;
}

/// What was met first at a place hides others: all that is done there is kept in another pass.
void add_racy_lines(std::span<const race::Finding> findings, std::vector<u64>& lines) {
  constexpr std::size_t kMost = 256;
  for (const race::Finding& one : findings) {
    if (one.kind != race::FindingKind::Race && one.kind != race::FindingKind::Contract) continue;
    const u64 line = race::Guard::key_of(one.where.place, one.where.begin / race::Guard::kUnits);
    if (lines.size() < kMost && std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(line);
  }
}

}  // namespace

Detectors::Detectors(const race::Settings& settings, const Options& options)
    : contracts_(options.contracts) {
  const auto add = [&](race::Level level, bool without_locks) {
    race::Settings own = settings;
    own.level = level;
    own.without_locks = without_locks;
    if (!each_.empty()) own.sites = each_.front().get();
    each_.push_back(std::make_unique<race::Detector>(own));
  };
  add(race::Level::Custom, false);
  if (contracts_) add(race::Level::Documented, false);
  add(race::Level::Custom, true);
}

Found Detectors::found(std::span<const race::Finding> windows) const {
  Found found;
  // What a level finds that those before it have not; the documents' are contracts, so they are
  // last.
  const auto take = [&](const race::Detector& one) {
    const std::vector<race::Finding> own = one.findings();
    add_racy_lines(own, found.racy);
    found.findings = race::merge_levels(found.findings, own);
  };
  take(*each_.front());
  take(*each_.back());
  if (contracts_) take(*each_[1]);
  found.findings.insert(found.findings.end(), windows.begin(), windows.end());
  for (const auto& one : each_) {
    for (const race::Epoch epoch : one->wanted()) found.wanted.push_back(epoch);
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
      detectors_(settings_of(tile.id(), tile, hints, shared), shared.options),
      copy_(tile.l1().data(), shared.benches) {
  cores_.reserve(kCores);
  for (unsigned core = 0; core < kCores; ++core) cores_.emplace_back(copy_);
  for (ThreadView& thread : threads_) thread.window = race::WindowChecker(node_);
}

Found TileObserver::found() const {
  std::vector<race::Finding> windows;
  for (const ThreadView& thread : threads_)
    windows.insert(windows.end(), thread.window.findings().begin(), thread.window.findings().end());
  return detectors_.found(windows);
}

MemoryObserver::MemoryObserver(Shared& shared, NodeId node, std::span<const u8> memory,
                               const Hints& hints)
    : shared_(shared),
      node_(node),
      memory_(memory),
      detectors_(settings_of(node, memory, hints, shared), shared.options) {}

}  // namespace bhemu::hazard
