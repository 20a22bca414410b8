// What translated code sees of the world: one Context per core. The code is position-independent
// and names nothing of a tile except through it, so all tiles and cores share one translation.
#pragma once

#include "riscv/core.hpp"

namespace bhemu::riscv::jit {

/// Why translated code came back.
enum class Leave : u32 {
  Lookup,  // no way on is known from here (Chain)
  Over,    // the time is over
  Done,    // an instruction that was interpreted ended the run: `outcome`, or look up again
};

/// Where a jump out of a region goes on: the code that begins at a pc. Of all addresses that share
/// a slot, one is known. Translated code looks here itself, and leaves when it finds another.
struct Chain {
  u64 key = 0;  // the pc, and 1: none has that
  const void* code = nullptr;

  static constexpr u32 kSlots = 256;
  static constexpr u32 slot_of(u32 pc) { return pc / 4 % kSlots; }
  static constexpr u32 key_of(u32 pc) { return pc | 1; }
};
static_assert(sizeof(Chain) == 16);

/// Plain data, addressed by offset. Whoever is called from translated code finds the core's
/// registers in `state`, and so does who it comes back to.
struct alignas(64) Context {
  // In one line of the host's caches: what it takes to find out whether there is a way in.
  CoreState* state = nullptr;
  void* bus = nullptr;
  Cycle until = 0;
  u64 instret_ahead = 0;  // instret - cycle
  i64 budget = 0;         // cycles that are left
  Outcome outcome = Outcome::Ok;
  /// Where the time was over, and the code that begins there, as long as translations are of that
  /// generation.
  u32 resume_pc = ~u32{0};
  const void* resume = nullptr;
  u64 resume_generation = 0;
  // In the next ones: what translated code needs besides.
  u8* l1 = nullptr;
  const u8* l1_flags = nullptr;
  const Chain* chains = nullptr;    // of the tile, by slot
  const void* leave = nullptr;      // the way back to the caller
  const u64* generation = nullptr;  // rises when translations are dropped
  /// Interprets `count` instructions from `pc` on, `budget` cycles before `until`. Not zero: leave.
  u32 (*interpret)(Context* context, i64 budget, u32 pc, u32 count) = nullptr;
  /// Likewise the load or store at `pc`, which is neither to plain L1 nor to local memory: most
  /// often to a register of the tile.
  u32 (*access)(Context* context, i64 budget, u32 pc, Decoded instruction) = nullptr;
  /// Likewise the `count` instructions from `pc` on, which push these words to the coprocessor.
  u32 (*push)(Context* context, i64 budget, u32 pc, const u32* words, u32 count) = nullptr;
  u32 ldm_bytes = 0;  // of local memory
};
static_assert(offsetof(Context, l1) == 64);

/// What is known of an address. Zero: nothing.
inline constexpr u32 kCompiled = 1u << 31;  // a block begins here; below: offset of its code
inline constexpr u32 kCovered = 1u << 30;   // inside a block; below: offset of that step
inline constexpr u32 kOffsetMask = kCovered - 1;

}  // namespace bhemu::riscv::jit
