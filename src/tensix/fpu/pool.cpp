// GMPOOL: column-wise maximum of 16 rows of SrcA with a row of Dst, with scaling and index mode.
//
// Documents: tt-isa-documentation GMPOOL.md, functional model. With SrcB = 1.0 it agrees with
// tenstorrent/ttsim; scaling, FP16, INT8 and the index mode are the document's alone.
#include "tensix/fpu/formats.hpp"
#include "tensix/fpu/rwc.hpp"

namespace bhemu::tensix {
namespace {

enum class Style : u8 { Bf16, Tf32, Fp16, Int8, Int32 };

/// A number that can be compared: the exponents carry the bias twice, for the scale of SrcB.
struct PoolDatum {
  bool negative = false;
  u32 exponent = 0;  // 9 bits
  u32 mantissa = 0;  // or the low bits of an integer's magnitude, 10 bits

  i32 key() const {
    const i32 magnitude = static_cast<i32>((exponent << 10) + mantissa);
    return negative ? -magnitude : magnitude;
  }
};

struct PoolStyles {
  Style source;
  Style dst;
  bool dst_is_32_bit;
};

PoolStyles styles_of(const FpuFormats& formats, bool index) {
  if (formats.force_fp16) return {Style::Fp16, Style::Fp16, false};
  if (formats.int8) return {Style::Int8, Style::Int32, true};
  const bool wide = formats.fp32;
  if (formats.a == numeric::Format::Tf32)
    return {Style::Tf32, index ? Style::Int32 : wide ? Style::Tf32 : Style::Bf16, wide};
  const Style style = formats.five_bit() ? Style::Fp16 : Style::Bf16;
  // In index mode the 16-bit number is in the high half and the index in the low one.
  return {style, wide && !index ? Style::Tf32 : style, wide};
}

/// `stored` is in storage order; a 16-bit datum is in the high half.
PoolDatum datum_of_dst(u32 stored, Style style) {
  PoolDatum d{(stored >> 31) != 0, 0, 0};
  switch (style) {
    case Style::Int32:  // sign, magnitude 22:16, magnitude 30:23, magnitude 15:0; 19 bits count
      d.mantissa = bits(stored, 0, 10);
      d.exponent = bits(stored, 10, 6) + (bits(stored, 24, 3) << 6);
      break;
    case Style::Fp16:
      d.exponent = bits(stored, 16, 5) + 15;
      d.mantissa = bits(stored, 21, 10);
      break;
    default:
      d.exponent = bits(stored, 16, 8) + 127;
      d.mantissa = bits(stored, 24, 7) << 3;
      if (style == Style::Tf32) d.mantissa += bits(stored, 13, 3);
      break;
  }
  return d;
}

u32 dst_of_datum(const PoolDatum& d, Style style) {
  const u32 sign = static_cast<u32>(d.negative) << 31;
  switch (style) {
    case Style::Int32:
      return sign | (d.exponent & 7) << 10 | d.mantissa;
    case Style::Fp16:
      if ((d.exponent & 0x3F) == 0) return 0;
      return sign | d.mantissa << 21 | ((d.exponent - 15) & 0x1F) << 16;
    default: {
      if (d.exponent == 0) return 0;
      u32 value = sign | (d.mantissa >> 3) << 24 | ((d.exponent - 127) & 0xFF) << 16;
      if (style == Style::Tf32) value |= (d.mantissa & 7) << 13;
      return value;
    }
  }
}

/// A cell of SrcA, scaled by the exponent of a cell of SrcB.
PoolDatum scaled_source(u32 a, u32 b, Style style) {
  const u32 exponent_a = numeric::cell_exponent(a);
  const u32 exponent_b = numeric::cell_exponent(b);
  if (exponent_b == 0) return {true, 0x1FF, 0x3FF};  // minus infinity
  if (exponent_a == 0) return {};
  PoolDatum d{numeric::cell_negative(a), exponent_a + exponent_b, numeric::cell_mantissa(a)};
  switch (style) {
    case Style::Int8:
      d.exponent = 0;
      break;
    case Style::Fp16:
      d.exponent = (exponent_a & 0x1F) + (exponent_b & 0x1F);
      break;
    case Style::Bf16:
      d.mantissa &= 0x3F8;
      break;
    default:
      break;
  }
  return d;
}

struct PoolResult {
  PoolDatum maximum;
  u32 index;
};

/// Visits one column of SrcA in the hardware's order; ties go to the later row.
PoolResult maximum_of_column(const Context& context, const PoolStyles& styles, u32 column,
                             u32 stored) {
  constexpr u8 kIndex[8] = {0, 3, 6, 1, 4, 7, 2, 5};
  const FpuState& fpu = context.state.fpu;
  const Rwc& rwc = fpu.rwc[context.thread];
  const u32 a_row = rwc.src_a & 0x30u;
  const auto& scale = fpu.src_b.matrix_rows()[rwc.src_b & 0x38u].datum;
  const u32 phase = (stored + 0x100) & 0xF00;
  PoolResult result{datum_of_dst(stored, styles.dst), stored & 0xFF};
  for (u32 step = 0; step < 16; ++step) {
    const u32 row = step < 8 ? step ^ 4 : step;
    const PoolDatum x = scaled_source(fpu.src_a.matrix_rows()[a_row + row].datum[column],
                                      scale[row], styles.source);
    if (x.key() < result.maximum.key()) continue;
    result.maximum = x;
    if (row < 8) result.index = (phase >> 4) + kIndex[row];
  }
  return result;
}

u32 pool_column(const Context& context, const PoolStyles& styles, bool index, u32 column,
                u32 stored) {
  const PoolResult result = maximum_of_column(context, styles, column, stored);
  const u32 value = dst_of_datum(result.maximum, styles.dst);
  if (!index) return value;
  const u32 index_bits = ((stored + 0x100) & 0xF00) | result.index;
  return styles.dst == Style::Int32 ? index_bits : value | index_bits;
}

void pool_rows(Context& context, const PoolStyles& styles, bool index, u32 dst_row) {
  DstAccess dst(context.state);
  if (!styles.dst_is_32_bit) {
    const DstRow old = dst.read_row16(dst_row, 0xFFFF);
    DstRow result;
    for (u32 j = 0; j < kRowDatums; ++j)
      result.datum[j] =
          static_cast<u16>(pool_column(context, styles, index, j, u32{old.datum[j]} << 16) >> 16);
    dst.write_row16(dst_row, result);
    for (u32 i = 1; i < 4; ++i) dst.write_row16(dst_row + i, DstRow{});
    return;
  }
  const DstRow32 old = dst.read_row32(dst_row, 0xFFFFFFFF);
  DstRow32 result;
  for (u32 j = 0; j < kRowDatums; ++j) result[j] = pool_column(context, styles, index, j, old[j]);
  dst.write_row32(dst_row, result);
  for (u32 i = 1; i < 4; ++i) {
    DstRow32 other{};
    if (index) {
      other = dst.read_row32(dst_row + i, 0xFFFFFFFF);
      for (u32& value : other) value = (value + 0x100) & 0xF00;
    }
    dst.write_row32(dst_row + i, other);
  }
}

}  // namespace

Completion execute(Context& context, op::GMPOOL insn) {
  FpuState& fpu = context.state.fpu;
  if (!fpu.src_a.matrix_may_read() || !fpu.src_b.matrix_may_read()) return Completion::Stall;
  if (insn.instr_mod19() == 0 &&
      context.raise(Rule::TensixUndefined, "GMPOOL with bit 19 clear has no documented meaning"))
    return Completion::Done;
  const bool index = insn.max_pool_index_en() != 0;
  const PoolStyles styles = styles_of(fpu_formats(context), index);
  fpu.last_src_a_row = rwc_of(context).src_a & 0x30u;
  context.touch(Resource::Dst);
  pool_rows(context, styles, index, (insn.dst() + dst_offset(context)) & 0x3FC);
  flip_src_banks(context, bit(insn.clear_dvalid(), 0), bit(insn.clear_dvalid(), 1));
  apply_addr_mod(context, insn.pool_addr_mode());
  return Completion::Done;
}

}  // namespace bhemu::tensix
