#include "riscv/effect.hpp"

#include "riscv/decode.hpp"
#include "riscv/diagnose.hpp"
#include "riscv/isa.hpp"
#include "riscv/vector_unit.hpp"

namespace bhemu::riscv {
namespace {

/// Where scalar results of the vector unit go; see the letters of vector.def.
Destination vector_destination(u32 word) {
  if (is_vector_memory(word)) return Destination::None;
  const unsigned row = find_vector_row(word);
  if (row == kVectorRowCount) return Destination::None;
  const VectorRow& info = kVectorRows[row];
  if (info.name.starts_with("vset") || info.bits.find('D') != std::string_view::npos)
    return Destination::Integer;
  return info.bits.find('F') != std::string_view::npos ? Destination::Float : Destination::None;
}

Destination destination_of(Format format, u32 word) {
  switch (format) {
    case Format::Branch:
    case Format::Store:
    case Format::FpStore:
    case Format::Fence:
    case Format::System:
    case Format::Ttinsn:
      return Destination::None;
    case Format::FpLoad:
    case Format::FpTernary:
    case Format::FpTernaryHalf:
    case Format::FpBinary:
    case Format::FpBinaryHalf:
    case Format::FpFromInt:
    case Format::FpFromIntHalf:
    case Format::FpWiden:
    case Format::FpNarrow:
      return Destination::Float;
    case Format::Vector:
      return vector_destination(word);
    default:
      return Destination::Integer;
  }
}

Reach reach_of(Format format, u32 word) {
  switch (format) {
    case Format::Load:
    case Format::FpLoad:
      return Reach::Load;
    case Format::Store:
    case Format::FpStore:
      return Reach::Store;
    case Format::Amo:
      return Reach::Atomic;
    case Format::Ttinsn:
      return Reach::Tensix;
    case Format::Vector:
      return is_vector_memory(word) ? Reach::Vector : Reach::None;
    default:
      return Reach::None;
  }
}

}  // namespace

Effect effect_of(const CoreState& state, u32 word) {
  Effect effect;
  const Row* row = find_row(word);
  if (row == nullptr) return effect;
  effect.destination = destination_of(row->format, word);
  if (effect.destination != Destination::None) effect.reg = static_cast<u8>(rd_of(word));
  effect.reach = reach_of(row->format, word);
  if (effect.reach == Reach::None || effect.reach == Reach::Vector) return effect;
  if (effect.reach == Reach::Tensix) {
    effect.address = kInstrnBufBase;
    return effect;
  }
  const u32 base = state.x[rs1_of(word)];
  effect.size = static_cast<u8>(1u << (bits(word, 12, 3) & 3));
  effect.address = effect.reach == Reach::Atomic ? base
                   : effect.reach == Reach::Load ? base + static_cast<u32>(i_immediate(word))
                                                 : base + static_cast<u32>(s_immediate(word));
  if (effect.reach == Reach::Store) {
    const u32 value =
        row->format == Format::FpStore ? state.f[rs2_of(word)] : state.x[rs2_of(word)];
    effect.stored = value & (~0u >> (32 - 8 * effect.size));
  }
  return effect;
}

u32 value_of(const CoreState& state, const Effect& effect) {
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
