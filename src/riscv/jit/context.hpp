// What translated code sees of the world: one Context per core. The code is position-independent
// and names nothing of a tile except through it, so all tiles and cores share one translation.
#pragma once

#include "riscv/core.hpp"

namespace bhemu::riscv::jit {

/// Why translated code came back.
enum class Leave : u32 {
  Lookup,  // the pc has no translation yet
  Short,   // the next block is longer than the time that is left
  Done,    // an instruction that was interpreted ended the run: `outcome`, or look up again
};

/// Plain data, addressed by offset. Registers of the core live in `state` between instructions:
/// translated code writes every result through, so it can be left anywhere.
struct alignas(64) Context {
  // In one line of the host's caches: what it takes to find out that code is not translated.
  CoreState* state = nullptr;
  void* bus = nullptr;
  Cycle until = 0;
  u64 instret_ahead = 0;  // instret - cycle
  i64 budget = 0;         // cycles that are left
  u8* l1 = nullptr;
  std::array<u32, 3> ldm_limit{};  // bytes of local memory, shifted right by 0, 1, 2
  Outcome outcome = Outcome::Ok;
  // In the next one: what translated code needs besides.
  const u8* l1_flags = nullptr;
  const u32* table = nullptr;       // Translations: a word per word of L1
  const u8* code = nullptr;         // where the offsets in the table count from
  const void* leave = nullptr;      // the way back to the caller
  const u64* generation = nullptr;  // rises when translations are dropped
  /// Interprets `count` instructions from `pc` on, `budget` cycles before `until`. Not zero: leave.
  u32 (*interpret)(Context* context, i64 budget, u32 pc, u32 count) = nullptr;
  /// Likewise the load or store at `pc`, which is neither to plain L1 nor to local memory: most
  /// often to a register of the tile.
  u32 (*access)(Context* context, i64 budget, u32 pc, Decoded instruction) = nullptr;
  /// Likewise the `count` instructions from `pc` on, which push these words to the coprocessor.
  u32 (*push)(Context* context, i64 budget, u32 pc, const u32* words, u32 count) = nullptr;
};
static_assert(sizeof(Context) == 128);

/// What an entry of the table says. Zero: nothing is known of the word.
inline constexpr u32 kCompiled = 1u << 31;  // a block begins here; below: offset of its code
inline constexpr u32 kCovered = 1u << 30;   // inside a block; below: instructions to its end
inline constexpr u32 kLengthMask = 0xFF;

}  // namespace bhemu::riscv::jit
