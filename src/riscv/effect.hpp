// What an instruction is going to write and where it is going to reach, for those who watch a core.
#pragma once

#include <array>

#include "riscv/core.hpp"

namespace bhemu::riscv {

enum class Destination : u8 { None, Integer, Float };
enum class Reach : u8 { None, Load, Store, Atomic, Vector, Tensix };

struct Effect {
  Destination destination = Destination::None;
  u8 reg = 0;
  Reach reach = Reach::None;
  u8 size = 0;
  u32 address = 0;
  u32 stored = 0;  // of a Store
};

constexpr bool loads(const Effect& effect) {
  return effect.reach == Reach::Load || effect.reach == Reach::Atomic;
}
/// `.ttinsn` stores its word at the instruction FIFO (PushTensixInstruction.md).
constexpr bool stores(const Effect& effect) {
  return effect.reach == Reach::Store || effect.reach == Reach::Atomic ||
         effect.reach == Reach::Tensix;
}

/// What a word alone says of its effect, for those who look at the same words again and again.
struct Kind {
  /// What it can do besides writing an integer register.
  enum class Plain : u8 {
    No,
    Yes,     // nothing: the next word is executed next
    Leaves,  // go on elsewhere
    Loads    // as Yes, where the address is that of memory and not of a register
  };
  u32 word = 0;
  Destination destination = Destination::None;
  u8 reg = 0;
  Reach reach = Reach::None;
  u8 size = 0;
  bool stores_float = false;
  Plain plain = Plain::No;
  i32 offset = 0;   // of the address, from register rs1
  u64 sources = 0;  // sources_of
  u64 writes = 0;   // destination_bit of the effect
};
Kind kind_of(u32 word);

/// Kinds of the words at the addresses looked at last.
class Kinds {
 public:
  /// As much of a Kind as it takes to look far ahead.
  struct Outline {
    u32 word = 0;
    Kind::Plain plain = Kind::Plain::No;
    u8 rd = 0;   // of one that is not No; x0 where none is written
    u8 rs1 = 0;  // of one that Loads
  };
  const Kind& at(u32 pc, u32 word) {
    const Kind& kind = kinds_[pc / 4 % kKinds];
    return kind.word == word ? kind : renew(pc, word);
  }
  const Outline& outline_at(u32 pc, u32 word) {
    const Outline& outline = outlines_[pc / 4 % kKinds];
    return outline.word == word ? outline : renew_outline(pc, word);
  }

 private:
  static constexpr u32 kKinds = 1024;
  // For a word that is not the one at this place in the table: rare, so not inline.
  const Kind& renew(u32 pc, u32 word);
  const Outline& renew_outline(u32 pc, u32 word);

  std::array<Kind, kKinds> kinds_;  // the word 0 is no instruction, and so is an empty Kind
  std::array<Outline, kKinds> outlines_;
};

/// Of the instruction `word`, which `state` is about to execute. Vector loads and stores have
/// elements instead of one address: plan_vector_access.
/// Reach::Tensix is `.ttinsn`, and its address that of the FIFO.
Effect effect_of(const CoreState& state, u32 word);
Effect effect_of(const CoreState& state, const Kind& kind);

/// The registers that an instruction reads: a bit per integer register, x0 never, and from bit 32
/// on per floating point register. Vector registers are not counted.
u64 sources_of(u32 word);
/// The register it writes, likewise.
u64 destination_bit(const Effect& effect);

/// The value of the destination after the instruction, also of x0 (what a load has read).
inline u32 value_of(const CoreState& state, const Effect& effect) {
  switch (effect.destination) {
    case Destination::Integer:
      return state.x[effect.reg == 0 ? 32 : effect.reg];
    case Destination::Float:
      return state.f[effect.reg];
    default:
      return 0;
  }
}

}  // namespace bhemu::riscv
