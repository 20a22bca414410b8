// The caches of a core, as far as they can answer with what was there before: L0 (4 lines of 16
// bytes, not coherent; MemoryOrdering.md, "L0 data cache") and the instruction cache
// (WormholeB0 InstructionCache.md). Neither is emulated; the detector keeps what they could hold.
#include <algorithm>

#include "race/detector.hpp"

namespace bhemu::race {
namespace {
constexpr unsigned kLineShift = 4;
}  // namespace

std::array<Epoch, 4> Detector::written_words(u64 line) {
  std::array<Epoch, 4> written{};
  shadow_.look({Place::L1, 16, line << kLineShift}, [&](const Cell& cell, u64 begin, u64 end) {
    for (u64 word = begin / 4; word < (end + 3) / 4; ++word)
      if (written[word & 3] == Epoch{} || cell.write) written[word & 3] = cell.write;
  });
  return written;
}

/// Which line goes when a fifth comes is not documented: the oldest is taken to be gone. A line
/// that silicon drops earlier hides the fault by luck.
void Detector::check_l0(Core& core, const event::Load& one, const Actor& actor) {
  if (!core.l0_enabled) return;
  const u64 line = one.where.begin >> kLineShift;
  const std::array<Epoch, 4> now = written_words(line);
  const auto found = std::find_if(core.l0.begin(), core.l0.end(),
                                  [&](const CachedLine& cached) { return cached.line == line; });
  if (found == core.l0.end()) {
    core.l0.push_back({line, now});
    if (core.l0.size() > kL0Lines) core.l0.pop_front();
    return;
  }
  const u64 first = one.where.begin / 4;
  const u64 last = (one.where.end() - 1) / 4;
  for (u64 word = first; word <= last && word / 4 == first / 4; ++word) {
    if (found->written[word & 3] == now[word & 3]) continue;
    Finding finding;
    finding.kind = FindingKind::StaleCache;
    finding.edge = EdgeId::StaleL0;
    finding.tile = settings_.tile;
    finding.where = one.where;
    finding.first = side_of(now[word & 3], Mode::Write);
    finding.second = {actor.site, actor.self, actor.kind, Mode::Read, true};
    finding.detail = "the line was loaded before the write, and nothing has flushed L0 since";
    report(finding);
    return;
  }
}

void Detector::drop_l0(Core& core, const Location& where) {
  std::erase_if(core.l0, [&](const CachedLine& cached) {
    return cached.line >= where.begin >> kLineShift &&
           cached.line <= (where.end() - 1) >> kLineShift;
  });
}

void Detector::on(const event::DataCache& one) {
  Core& core = cores_[index_of(core_of(one.site.agent))];
  core.l0_enabled = one.enabled;
  core.l0.clear();
}

void Detector::on(const event::InvalidateCode& one) {
  Core& core = begin(one.site, one.step);
  const unsigned index = index_of(core_of(one.site.agent));
  const Clock clock = snapshot(index, Region::Config);
  queue_store(core, {Place::Config, 1, kConfigBank - 1}, Region::Config);
  for (unsigned i = 0; i < kCores; ++i)
    if ((one.cores >> i & 1) != 0) cores_[i].code.join(clock);
}

/// Code of which a core has fetched words is read by it, as far as its writers are concerned. A
/// fetch is told of once, until the word is written: that a core comes back to old code later than
/// others have heard from it is not seen.
void Detector::note_fetch(unsigned index, const event::Fetch& one) {
  if (settings_.without_locks || one.where.place != Place::L1 ||
      one.where.end() > settings_.memory_bytes)
    return;
  const u64 line = one.where.begin / kCodeLine;
  if (line >= code_lines_.size()) code_lines_.resize(settings_.memory_bytes / kCodeLine + 1);
  code_lines_[line] |= static_cast<u8>(1u << index);
  Fetched& fetched = code_[line * kCores + index];
  fetched.words |= static_cast<u16>(1u << one.where.begin / 4 % 16);
  fetched.time = cores_[index].time;
  fetched.site = one.site;
}

void Detector::forget_fetches(unsigned index) {
  std::erase_if(code_, [&](const auto& one) { return one.first % kCores == index; });
  for (u8& cores : code_lines_) cores &= static_cast<u8>(~(1u << index));
}

/// A write to code that a core may still be fetching.
void Detector::check_code(const Actor& actor, const Location& where) {
  for (u64 line = where.begin / kCodeLine; line <= (where.end() - 1) / kCodeLine; ++line) {
    if (line >= code_lines_.size()) return;
    if (code_lines_[line] == 0) continue;
    u16 written = 0;
    for (u64 word = 0; word < 16; ++word) {
      const u64 at = line * kCodeLine + word * 4;
      if (at + 4 > where.begin && at < where.end()) written |= static_cast<u16>(1u << word);
    }
    for (unsigned index = 0; index < kCores; ++index) {
      if ((code_lines_[line] >> index & 1) == 0) continue;
      const auto found = code_.find(line * kCores + index);
      Fetched& last = found->second;
      if ((last.words & written) == 0) continue;
      // Whatever the core does later comes behind the fetch.
      const bool by_itself = is_core_component(actor.self.component) &&
                             core_behind(actor.self) == static_cast<int>(index);
      if (!by_itself && !has_heard_from(*actor.clock, index, last.time)) {
        const Epoch fetch{last.time + 1, program_of(index), settings_.tile};
        report_sides({last.site, fetch, kind::Load, Mode::Read, true}, actor, where);
      }
      last.words &= static_cast<u16>(~written);
      if (last.words != 0) continue;
      code_.erase(found);
      code_lines_[line] &= static_cast<u8>(~(1u << index));
    }
  }
}

void Detector::on(const event::Fetch& one) {
  const unsigned index = index_of(core_of(one.site.agent));
  Core& core = cores_[index];
  note_fetch(index, one);
  Epoch stale;
  shadow_.look(one.where, [&](const Cell& cell, u64, u64) {
    if (cell.write && !core.code.knows(cell.write)) stale = cell.write;
  });
  if (!stale) return;
  Finding finding;
  finding.kind = FindingKind::StaleCache;
  finding.edge = EdgeId::CodeFetch;
  finding.tile = settings_.tile;
  finding.where = one.where;
  finding.first = side_of(stale, Mode::Write);
  finding.second = {
      one.site, {core.time, program_of(index), settings_.tile}, kind::Load, Mode::Read, true};
  finding.detail = "the instruction cache was not invalidated after the write";
  report(finding);
}

}  // namespace bhemu::race
