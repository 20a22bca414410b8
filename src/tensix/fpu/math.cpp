// ELWADD, ELWSUB, ELWMUL, MVMUL, DOTPV, GAPOOL.
//
// Documents: tt-isa-documentation ELWADD.md, ELWMUL.md, MVMUL.md, GAPOOL.md, DOTPV.md; roundings in
// numeric/fpu_arithmetic.hpp. Not modelled: stochastic rounding of the FPU (no source describes
// it).
#include <fmt/format.h>

#include "tensix/fpu/formats.hpp"
#include "tensix/fpu/rwc.hpp"

namespace bhemu::tensix {
namespace {

using numeric::DstKind;
using numeric::FpuMode;
using numeric::FpuTerm;

/// Both banks must belong to the matrix unit.
bool sources_ready(const Context& context) {
  const FpuState& fpu = context.state.fpu;
  return fpu.src_a.matrix_may_read() && fpu.src_b.matrix_may_read();
}

bool refuses_rounding_mode(Context& context) {
  return cfg::ALU_ROUNDING_MODE_Fpu_srnd_en::get(context.config()) != 0 &&
         context.raise(Rule::TensixUndefined, "stochastic rounding of the FPU is enabled");
}

enum class Elementwise { Add, Sub, Mul };

struct ElementwiseFields {
  u32 dst;
  u32 addr_mode;
  bool broadcast_column;
  bool broadcast_row;
  bool accumulate;
  u32 clear;
};
template <class Op>
ElementwiseFields fields_of(Op insn) {
  return {insn.dst(),
          insn.addr_mode(),
          bit(insn.instr_mod19(), 0),
          bit(insn.instr_mod19(), 1),
          insn.dest_accum_en() != 0,
          insn.clear_dvalid()};
}

template <Elementwise kind>
void integer_row(DstAccess& dst, u32 row, const u32* a, const u32* b, u32 phase, bool keep,
                 bool accumulate) {
  const DstRow32 old = dst.read_row32(row);
  DstRow32 result;
  for (u32 j = 0; j < kRowDatums; ++j) {
    i64 sum = 0;
    if constexpr (kind == Elementwise::Mul) {
      sum = i64{numeric::integer_slice(a[j], numeric::integer_slice_mask_a(phase))} *
            numeric::integer_slice(b[j], numeric::integer_slice_mask_b(phase), keep);
    } else {
      sum = i64{numeric::integer_operand(a[j])} + numeric::integer_operand(b[j], keep);
    }
    const u32 before = accumulate ? numeric::fp32_from_dst(old[j]) : 0;
    result[j] = numeric::dst_from_fp32(numeric::integer_accumulate(before, sum));
  }
  dst.write_row32(row, result);
}

template <Elementwise kind>
void float_row(DstAccess& dst, u32 row, const u32* a, const u32* b, FpuMode mode, u32 phase,
               bool keep, bool accumulate) {
  u32 values[kRowDatums];
  read_dst_numbers(values, dst, mode.dst, row);
  for (u32 j = 0; j < kRowDatums; ++j) {
    const FpuTerm term = kind == Elementwise::Mul
                             ? numeric::elementwise_product(a[j], b[j], mode, phase, keep)
                             : numeric::elementwise_sum(a[j], b[j], mode, phase, keep);
    const FpuTerm old = accumulate ? numeric::term_of_dst(mode.dst, values[j]) : FpuTerm{};
    values[j] = numeric::accumulate(mode.dst, old, term);
  }
  write_dst_numbers(dst, mode.dst, row, values);
}

template <Elementwise kind>
Completion elementwise(Context& context, const ElementwiseFields& fields) {
  if (!sources_ready(context)) return Completion::Stall;
  if (refuses_rounding_mode(context)) return Completion::Done;
  FpuState& fpu = context.state.fpu;
  const FpuFormats formats = fpu_formats(context);
  const FpuMode mode = formats.mode();
  const u32 phase = fidelity_phase(context);
  if (kind != Elementwise::Mul && phase != 0 && !formats.integer() &&
      context.raise(Rule::FpuPhase, fmt::format("fidelity phase {}", phase)))
    return Completion::Done;

  const Rwc& rwc = rwc_of(context);
  const u32 a_row = rwc.src_a & 0x38u;
  const u32 b_row = rwc.src_b & (fields.broadcast_row ? 0x3Fu : 0x38u);
  const u32 dst_row = (fields.dst + dst_offset(context)) & 0x3F8;
  fpu.last_src_a_row = a_row;
  context.touch(Resource::Dst);
  DstAccess dst(context.state);
  // ELWMUL always accumulates.
  const bool accumulate = kind == Elementwise::Mul || fields.accumulate;
  const u32 sign = kind == Elementwise::Sub ? 0x80000000 : 0;
  for (u32 i = 0; i < 8; ++i) {
    const auto& a_cells = fpu.src_a.matrix_rows()[a_row + i].datum;
    const auto& b_cells = fpu.src_b.matrix_rows()[b_row + (fields.broadcast_row ? 0 : i)].datum;
    u32 a[kRowDatums];
    u32 b[kRowDatums];
    for (u32 j = 0; j < kRowDatums; ++j) {
      a[j] = a_cells[j] & formats.mask_a();
      b[j] = (b_cells[fields.broadcast_column ? 0 : j] ^ sign) & formats.mask_b();
    }
    if (formats.integer())
      integer_row<kind>(dst, dst_row + i, a, b, phase, formats.keep_denormals, accumulate);
    else
      float_row<kind>(dst, dst_row + i, a, b, mode, phase, formats.keep_denormals, accumulate);
  }
  flip_src_banks(context, bit(fields.clear, 0), bit(fields.clear, 1));
  apply_addr_mod(context, fields.addr_mode);
  return Completion::Done;
}

struct ProductShape {
  u32 rows;  // of SrcB and Dst
  u32 dst_mask;
  u32 row_step = 1;  // of Dst rows that are written
  bool broadcast = false;
};
inline constexpr ProductShape kEightRows{8, 0x3F8};
inline constexpr ProductShape kFourRows{4, 0x3FC};
/// Rows 0, 2, 4, 6 of seven are accumulated (MVMUL.md).
inline constexpr ProductShape kBroadcastRow{7, 0x3F9, 2, true};

void integer_product(DstAccess& dst, u32 row, const u32* const a_rows[16], const u32* b,
                     u32 phase) {
  const DstRow32 old = dst.read_row32(row);
  DstRow32 result;
  for (u32 j = 0; j < kRowDatums; ++j) {
    i64 sum = 0;
    for (u32 k = 0; k < 16; ++k) {
      const u32 a_cell = a_rows[k][j] & numeric::kCellFp16;
      const u32 b_cell = b[k] & numeric::kCellFp16;
      sum += i64{numeric::integer_slice(a_cell, numeric::integer_slice_mask_a(phase))} *
             numeric::integer_slice(b_cell, numeric::integer_slice_mask_b(phase));
    }
    result[j] =
        numeric::dst_from_fp32(numeric::integer_accumulate(numeric::fp32_from_dst(old[j]), sum));
  }
  dst.write_row32(row, result);
}

void float_products(Context& context, const FpuFormats& formats, const ProductShape& shape,
                    u32 dst_row, u32 b_row, const u32* const a_rows[16]) {
  const FpuMode mode = formats.mode();
  const u32 phase = fidelity_phase(context);
  const auto& b_rows = context.state.fpu.src_b.matrix_rows();
  DstAccess dst(context.state);
  numeric::MatrixOperandA a;
  numeric::prepare_operand_a(a, a_rows, formats.mask_a(), phase);
  for (u32 i = 0; i < shape.rows; i += shape.row_step) {
    numeric::MatrixOperandB b;
    numeric::prepare_operand_b(b, b_rows[b_row + (shape.broadcast ? 0 : i)].datum.data(),
                               formats.mask_b(), phase, formats.keep_denormals);
    alignas(64) u32 values[kRowDatums];
    read_dst_numbers(values, dst, mode.dst, dst_row + i);
    numeric::matrix_product_row(values, a, b, mode, phase);
    write_dst_numbers(dst, mode.dst, dst_row + i, values);
  }
}

Completion matrix_product(Context& context, u32 dst_field, u32 addr_mode, u32 clear,
                          const ProductShape& shape) {
  if (!sources_ready(context)) return Completion::Stall;
  if (refuses_rounding_mode(context)) return Completion::Done;
  FpuState& fpu = context.state.fpu;
  const FpuFormats formats = fpu_formats(context);
  if (formats.keep_denormals && !formats.integer() &&
      context.raise(Rule::FpuKeepDenormals, "ALU_ACC_CTRL_Zero_Flag_disabled_src is set"))
    return Completion::Done;
  if (shape.broadcast && context.raise(Rule::FpuRowBroadcast, "MVMUL with row broadcast"))
    return Completion::Done;

  const Rwc& rwc = rwc_of(context);
  const u32 a_row = rwc.src_a & 0x38u;
  const u32 b_row = rwc.src_b & (shape.broadcast ? 0x3Fu : 0x38u);
  const u32 dst_row = (dst_field + dst_offset(context)) & shape.dst_mask;
  fpu.last_src_a_row = a_row;
  context.touch(Resource::Dst);
  const u32* a_rows[16];
  for (u32 k = 0; k < 16; ++k)
    a_rows[k] = fpu.src_a.matrix_rows()[(a_row + k) % kSrcRows].datum.data();

  if (formats.integer()) {
    DstAccess dst(context.state);
    const auto& b_rows = fpu.src_b.matrix_rows();
    for (u32 i = 0; i < shape.rows; i += shape.row_step)
      integer_product(dst, dst_row + i, a_rows,
                      b_rows[b_row + (shape.broadcast ? 0 : i)].datum.data(),
                      fidelity_phase(context));
  } else {
    float_products(context, formats, shape, dst_row, b_row, a_rows);
  }
  flip_src_banks(context, bit(clear, 0), bit(clear, 1));
  apply_addr_mod(context, addr_mode);
  return Completion::Done;
}

}  // namespace

Completion execute(Context& context, op::ELWADD insn) {
  return elementwise<Elementwise::Add>(context, fields_of(insn));
}

Completion execute(Context& context, op::ELWSUB insn) {
  return elementwise<Elementwise::Sub>(context, fields_of(insn));
}

Completion execute(Context& context, op::ELWMUL insn) {
  return elementwise<Elementwise::Mul>(context, fields_of(insn));
}

Completion execute(Context& context, op::MVMUL insn) {
  const bool broadcast = insn.instr_mod19() != 0;
  return matrix_product(context, insn.dst(), insn.addr_mode(), insn.clear_dvalid(),
                        broadcast ? kBroadcastRow : kEightRows);
}

Completion execute(Context& context, op::DOTPV insn) {
  return matrix_product(context, insn.dst(), insn.addr_mode(), insn.clear_dvalid(), kEightRows);
}

Completion execute(Context& context, op::GAPOOL insn) {
  return matrix_product(context, insn.dst(), insn.pool_addr_mode(), insn.clear_dvalid(), kFourRows);
}

}  // namespace bhemu::tensix
