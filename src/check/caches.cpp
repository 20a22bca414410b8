// Caches that nothing keeps up to date: L0 of the data (4 lines of 16 bytes; MemoryOrdering.md, "L0
// data cache"), and the instruction cache (WormholeB0 InstructionCache.md). Neither is emulated:
// what is looked at is what they could still hold.
#include <fmt/format.h>

#include <algorithm>

#include "base/bits.hpp"
#include "check/tile_checker.hpp"
#include "riscv/data_cache.hpp"
#include "tensix/config.hpp"

namespace bhemu::check {
namespace {

constexpr std::size_t kL0Lines = 4;
constexpr u32 kLineShift = 4;
constexpr u32 kCodeShift = 6;
constexpr u32 kMiscMem = 0x0F;
constexpr u32 kSystem = 0x73;
constexpr u32 kConfig = 0xFFEF0000;

}  // namespace

void TileChecker::check_l0(const trace::Instruction& one, const trace::CoreAccess& access) {
  CoreView& core = cores_[one.core];
  const bool atomic = access.load && access.store;  // which empties the cache
  if (!riscv::has_data_cache(one.state->csr) || atomic) return core.l0.clear();
  if (access.store) return;
  const u32 line = access.address >> kLineShift;
  const auto found = std::find_if(core.l0.begin(), core.l0.end(),
                                  [&](const CachedLine& cached) { return cached.line == line; });
  if (found == core.l0.end()) {
    core.l0.push_back({line, false, {}});
    // Which line goes when a fifth comes is not documented: the oldest is taken to be gone.
    if (core.l0.size() > kL0Lines) core.l0.pop_front();
    return;
  }
  if (!found->stale || !in_kernel(one.author.pc)) return;
  found->stale = false;
  raise(
      Rule::CacheStaleData, one.author,
      fmt::format("it reads L1[{:#x}, +{}] again after {} has written there in cycle {}, and has "
                  "not invalidated its L0 data cache since it read the line first",
                  access.address, access.size, name_of(found->writer.agent), found->writer.cycle));
}

void TileChecker::note_foreign_write(u64 address, u64 bytes, const Author& author) {
  const u64 first = address >> kLineShift;
  const u64 last = (address + bytes - 1) >> kLineShift;
  for (unsigned i = 0; i < kCores; ++i) {
    CoreView& core = cores_[i];
    const bool own = author.agent == static_cast<Agent>(i) && author.tile == node_;
    if (own) {
      std::erase_if(core.l0, [&](const CachedLine& cached) {
        return cached.line >= first && cached.line <= last;
      });
    } else {
      for (CachedLine& cached : core.l0)
        if (cached.line >= first && cached.line <= last) {
          cached.stale = true;
          cached.writer = author;
        }
    }
    for (u64 line = address >> kCodeShift; line <= (address + bytes - 1) >> kCodeShift; ++line)
      if (core.fetched.any(line, 1)) core.changed.set(line, 1), core.line = ~0u;
  }
}

void TileChecker::check_fetch(unsigned index, const Author& author) {
  CoreView& core = cores_[index];
  const u32 line = author.pc >> kCodeShift;
  if (line == core.line) return;
  core.line = line;
  const bool changed = core.changed.any(line, 1);
  core.fetched.set(line, 1);
  core.changed.clear(line, 1);
  if (changed && in_kernel(author.pc))
    raise(
        Rule::CacheStaleCode, author,
        fmt::format("it executes code of the line L1[{:#x}, +64], which has been written since it "
                    "fetched it last (it will return to {} pc {:#x})",
                    line << kCodeShift, name_of(author.agent),
                    tile_.core(static_cast<CoreId>(index)).x[1] - 4));
}

/// Fences, cfg0, and the invalidation of instruction caches.
void TileChecker::note_system(const trace::Instruction& one) {
  CoreView& core = cores_[one.core];
  const u32 opcode = one.word & 0x7F;
  if (opcode == kMiscMem) {
    core.l0.clear();
  } else if (opcode == kSystem && one.state->csr.cfg0 != core.cfg0) {
    core.cfg0 = one.state->csr.cfg0;
    core.l0.clear();
  }
  for (const trace::CoreAccess& access : one.accesses) {
    const u32 word = (access.address - kConfig) / 4 % tensix::kConfigWords;
    if (word != tensix::cfg::RISCV_IC_INVALIDATE_InvalidateAll::kWord) continue;
    for (unsigned i = 0; i < kCores; ++i)
      if (bit(access.stored, i)) {
        cores_[i].fetched.clear();
        cores_[i].changed.clear();
        cores_[i].line = ~0u;
      }
  }
}

}  // namespace bhemu::check
