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

u64 integer(u32 reg) {
  return (u64{1} << reg) & ~u64{1};
}
u64 floating(u32 reg) {
  return u64{1} << (32 + reg);
}

u64 vector_sources(u32 word) {
  enum Form : u32 { kIntegerScalar = 4, kFloatScalar = 5, kMultiplyScalar = 6, kConfigure = 7 };
  const u64 first = integer(rs1_of(word));
  if (is_vector_memory(word)) {
    const bool strided = bits(word, 26, 2) == 2;
    return first | (strided ? integer(rs2_of(word)) : 0);
  }
  switch (bits(word, 12, 3)) {
    case kIntegerScalar:
    case kMultiplyScalar:
      return first;
    case kFloatScalar:
      return floating(rs1_of(word));
    case kConfigure:
      if (bits(word, 30, 2) == 3) return 0;  // vsetivli
      return first | (bits(word, 30, 2) == 2 ? integer(rs2_of(word)) : 0);
    default:
      return 0;
  }
}

u64 sources_of_format(Format format, u32 word) {
  const u32 first = rs1_of(word);
  const u32 second = rs2_of(word);
  switch (format) {
    case Format::Upper:
    case Format::UpperPc:
    case Format::Jal:
    case Format::Fence:
    case Format::System:
    case Format::CsrImm:
    case Format::Ttinsn:
      return 0;
    case Format::Jalr:
    case Format::Load:
    case Format::Imm:
    case Format::Shift:
    case Format::Unary:
    case Format::Csr:
    case Format::FpLoad:
    case Format::FpFromInt:
    case Format::FpFromIntHalf:
      return integer(first);
    case Format::Branch:
    case Format::Store:
    case Format::Reg:
    case Format::Amo:
      return integer(first) | integer(second);
    case Format::FpStore:
      return integer(first) | floating(second);
    case Format::FpTernary:
    case Format::FpTernaryHalf:
      return floating(first) | floating(second) | floating(rs3_of(word));
    case Format::FpBinary:
    case Format::FpBinaryHalf:
    case Format::FpCompare:
    case Format::FpCompareHalf:
      return floating(first) | floating(second);
    case Format::FpToInt:
    case Format::FpToIntHalf:
    case Format::FpMoveHalf:
    case Format::FpWiden:
    case Format::FpNarrow:
      return floating(first);
    case Format::Vector:
      return vector_sources(word);
  }
  return 0;
}

Kind::Plain plain_of(Format format) {
  switch (format) {
    case Format::Upper:
    case Format::UpperPc:
    case Format::Imm:
    case Format::Shift:
    case Format::Unary:
    case Format::Reg:
      return Kind::Plain::Yes;
    case Format::Branch:
    case Format::Jal:
    case Format::Jalr:
      return Kind::Plain::Leaves;
    case Format::Load:
      return Kind::Plain::Loads;
    default:
      return Kind::Plain::No;
  }
}

}  // namespace

u64 sources_of(u32 word) {
  const Row* row = find_row(word);
  return row == nullptr ? 0 : sources_of_format(row->format, word);
}

u64 destination_bit(const Effect& effect) {
  switch (effect.destination) {
    case Destination::Integer:
      return integer(effect.reg);
    case Destination::Float:
      return floating(effect.reg);
    default:
      return 0;
  }
}

Kind kind_of(u32 word) {
  Kind kind;
  kind.word = word;
  const Row* row = find_row(word);
  if (row == nullptr) return kind;
  kind.destination = destination_of(row->format, word);
  if (kind.destination != Destination::None) kind.reg = static_cast<u8>(rd_of(word));
  kind.reach = reach_of(row->format, word);
  kind.plain = plain_of(row->format);
  kind.stores_float = row->format == Format::FpStore;
  kind.sources = sources_of_format(row->format, word);
  kind.writes = destination_bit({kind.destination, kind.reg});
  if (kind.reach == Reach::Load) kind.offset = i_immediate(word);
  if (kind.reach == Reach::Store) kind.offset = s_immediate(word);
  const bool one_address = kind.reach != Reach::None && kind.reach != Reach::Vector;
  if (one_address && kind.reach != Reach::Tensix)
    kind.size = static_cast<u8>(1u << (bits(word, 12, 3) & 3));
  return kind;
}

const Kind& Kinds::renew(u32 pc, u32 word) {
  return kinds_[pc / 4 % kKinds] = kind_of(word);
}

const Kinds::Outline& Kinds::renew_outline(u32 pc, u32 word) {
  const Kind& kind = at(pc, word);
  Outline outline{kind.word, kind.plain};
  if (kind.destination == Destination::Integer) outline.rd = kind.reg;
  if (kind.plain == Kind::Plain::Loads) outline.rs1 = static_cast<u8>(rs1_of(kind.word));
  return outlines_[pc / 4 % kKinds] = outline;
}

Effect effect_of(const CoreState& state, const Kind& kind) {
  Effect effect{kind.destination, kind.reg, kind.reach, kind.size};
  switch (kind.reach) {
    case Reach::None:
    case Reach::Vector:
      return effect;
    case Reach::Tensix:
      effect.address = kInstrnBufBase;
      return effect;
    default:
      break;
  }
  effect.address = state.x[rs1_of(kind.word)] + static_cast<u32>(kind.offset);
  if (effect.reach == Reach::Store) {
    const u32 source = rs2_of(kind.word);
    effect.stored =
        (kind.stores_float ? state.f[source] : state.x[source]) & (~0u >> (32 - 8 * effect.size));
  }
  return effect;
}

Effect effect_of(const CoreState& state, u32 word) {
  return effect_of(state, kind_of(word));
}

}  // namespace bhemu::riscv
