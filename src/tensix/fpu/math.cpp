// ELWADD, ELWSUB, ELWMUL, MVMUL, DOTPV, GAPOOL, and what is left of CONV3S1, CONV3S2, MFCONV3S1,
// APOOL3S1 and APOOL3S2.
//
// Documents: tt-isa-documentation ELWADD.md, ELWMUL.md, MVMUL.md, GAPOOL.md, DOTPV.md,
// MatrixUnit.md ("Legacy instructions"); roundings in numeric/fpu_arithmetic.hpp. Not modelled:
// stochastic rounding of the FPU (no source describes it).
#include <fmt/format.h>

#include "tensix/dst/formats.hpp"
#include "tensix/dst/notes.hpp"
#include "tensix/dst/rwc.hpp"
#include "tensix/fpu/kernel_rows.hpp"

namespace bhemu::tensix {
namespace {

/// Both banks must belong to the matrix unit.
bool sources_ready(const Context& context) {
  const FpuState& fpu = context.state.fpu;
  return fpu.src_a.matrix_may_read() && fpu.src_b.matrix_may_read();
}

bool refuses_rounding_mode(Context& context) {
  return cfg::ALU_ROUNDING_MODE_Fpu_srnd_en::get(context.config()) != 0 &&
         context.raise(Rule::FpuStochasticRounding, "ALU_ROUNDING_MODE_Fpu_srnd_en is set");
}

/// First rows of the operands.
struct OperandRows {
  u32 a;
  u32 b;
  u32 dst;
};
template <class C>
OperandRows operand_rows(const C& context, u32 dst_field, u32 dst_mask, bool one_row_of_b) {
  note_rwc(context, footprint_cell::SrcACounter);
  note_rwc(context, footprint_cell::SrcBCounter);
  const Rwc& rwc = rwc_of(context);
  return {rwc.src_a & 0x38u, rwc.src_b & (one_row_of_b ? 0x3Fu : 0x38u),
          (dst_field + dst_offset(context)) & dst_mask};
}

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
Completion elementwise(Context& context, const ElementwiseFields& fields) {
  if (!sources_ready(context)) return Completion::Stall;
  if (refuses_rounding_mode(context)) return Completion::Done;
  FpuState& fpu = context.state.fpu;
  const FpuFormats formats = fpu_formats(context, FormatsFor::Both);
  const u32 phase = fidelity_phase(context);
  if (kind != Elementwise::Mul && phase != 0 && !formats.integer() &&
      context.raise(Rule::FpuPhase, fmt::format("fidelity phase {}", phase)))
    return Completion::Done;

  const auto [a_row, b_row, dst_row] =
      operand_rows(context, fields.dst, 0x3F8, fields.broadcast_row);
  fpu.last_src_a_row = a_row;
  context.touch(Resource::Dst);
  const KernelRows rows(context.state, formats.dst_is_32_bit(), dst_row, 8);
  ElementwiseJob job;
  for (u32 i = 0; i < 8; ++i) {
    job.a[i] = fpu.src_a.matrix_rows()[a_row + i].datum.data();
    job.b[i] = fpu.src_b.matrix_rows()[b_row + (fields.broadcast_row ? 0 : i)].datum.data();
  }
  job.mask_a = formats.mask_a();
  job.mask_b = formats.mask_b();
  job.phase = phase;
  job.mode = formats.mode();
  job.kind = kind;
  job.keep = formats.keep_denormals;
  job.broadcast_column = fields.broadcast_column;
  // ELWMUL always accumulates.
  rows.describe(job.dst, kind == Elementwise::Mul || fields.accumulate);
  if (formats.integer()) {
    run_integer_elementwise_kernel(job);
  } else {
    run_elementwise_kernel(job);
  }
  rows.written();
  flip_src_banks(context, bit(fields.clear, 0), bit(fields.clear, 1));
  apply_addr_mod(context, fields.addr_mode);
  return Completion::Done;
}

struct ProductShape {
  u32 rows;  // of SrcB and Dst
  u32 dst_mask;
  u32 row_step = 1;  // of Dst rows that are written
  bool broadcast = false;
  bool zero_a = false;  // as if SrcA were zero everywhere
};
inline constexpr ProductShape kEightRows{8, 0x3F8};
inline constexpr ProductShape kFourRows{4, 0x3FC};
/// Rows 0, 2, 4, 6 of seven are accumulated (MVMUL.md).
inline constexpr ProductShape kBroadcastRow{7, 0x3F9, 2, true};
/// Legacy instructions compute Dst += 0. The eight rows are assembly.yaml's ("outputs 8x 16-wide
/// rows"); for the pooling ones no number is given, they are taken to be like GAPOOL.
inline constexpr ProductShape kNoConvolution{8, 0x3F8, 1, false, true};
inline constexpr ProductShape kNoPooling{4, 0x3FC, 1, false, true};

constexpr SrcRow kZeroRow{};

/// Whether the sums show what a cell of SrcB with exponent 0 counts as: zero, or its hidden one.
bool shows_denormals(const MatrixJob& kept) {
  MatrixJob flushed = kept;
  flushed.keep = false;
  MatrixJob taken = kept;
  std::array<DstRow, kMaxKernelRows> high[2] = {}, low[2] = {};
  for (u32 i = 0; i < kept.dst.count; ++i) {
    taken.dst.high[i] = high[0][i].datum.data();
    taken.dst.low[i] = low[0][i].datum.data();
    flushed.dst.high[i] = high[1][i].datum.data();
    flushed.dst.low[i] = low[1][i].datum.data();
  }
  run_matrix_kernel(taken);
  run_matrix_kernel(flushed);
  for (u32 i = 0; i < kept.dst.count; ++i)
    if (high[0][i].datum != high[1][i].datum || low[0][i].datum != low[1][i].datum) return true;
  return false;
}

/// False: a rule forbids it, and nothing has changed.
bool products(Context& context, const FpuFormats& formats, const ProductShape& shape, u32 a_row,
              u32 b_row, u32 dst_row) {
  const FpuState& fpu = context.state.fpu;
  const u32 count = (shape.rows + shape.row_step - 1) / shape.row_step;
  const KernelRows rows(context.state, formats.dst_is_32_bit(), dst_row, count, shape.row_step);
  MatrixJob job;
  for (u32 k = 0; k < kRowDatums; ++k)
    job.a[k] = shape.zero_a ? kZeroRow.datum.data()
                            : fpu.src_a.matrix_rows()[(a_row + k) % kSrcRows].datum.data();
  for (u32 i = 0; i < count; ++i)
    job.b[i] = fpu.src_b.matrix_rows()[b_row + (shape.broadcast ? 0 : i)].datum.data();
  job.mask_a = formats.mask_a();
  job.mask_b = formats.mask_b();
  job.phase = fidelity_phase(context);
  job.mode = formats.mode();
  job.keep = formats.keep_denormals;
  rows.describe(job.dst);
  if (formats.integer()) {
    run_integer_matrix_kernel(job);
  } else {
    // LLK reduces with denormals kept, for the sake of the moves between
    // (enforce_fp32_accumulation).
    if (job.keep && shows_denormals(job) &&
        context.raise(Rule::FpuKeepDenormals, "ALU_ACC_CTRL_Zero_Flag_disabled_src is set"))
      return false;
    run_matrix_kernel(job);
  }
  rows.written();
  return true;
}

Completion matrix_product(Context& context, u32 dst_field, u32 addr_mode, u32 clear,
                          const ProductShape& shape) {
  if (!sources_ready(context)) return Completion::Stall;
  if (refuses_rounding_mode(context)) return Completion::Done;
  FpuState& fpu = context.state.fpu;
  const FpuFormats formats = fpu_formats(context, FormatsFor::Both);
  if (shape.broadcast && context.raise(Rule::FpuRowBroadcast, "MVMUL with row broadcast"))
    return Completion::Done;

  const auto [a_row, b_row, dst_row] =
      operand_rows(context, dst_field, shape.dst_mask, shape.broadcast);
  fpu.last_src_a_row = a_row;
  context.touch(Resource::Dst);
  if (!products(context, formats, shape, a_row, b_row, dst_row)) return Completion::Done;
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

namespace {
template <class Op>
Completion add_zero(Context& context, Op insn, u32 addr_mode, const ProductShape& shape) {
  if (!sources_ready(context)) return Completion::Stall;
  if (context.raise(Rule::TensixLegacy,
                    fmt::format("{} adds zero to Dst", info_of_word(insn.word).name)))
    return Completion::Done;
  return matrix_product(context, insn.dst(), addr_mode, insn.clear_dvalid(), shape);
}
}  // namespace

Completion execute(Context& context, op::CONV3S1 insn) {
  return add_zero(context, insn, insn.addr_mode(), kNoConvolution);
}

Completion execute(Context& context, op::CONV3S2 insn) {
  return add_zero(context, insn, insn.addr_mode(), kNoConvolution);
}

Completion execute(Context& context, op::MFCONV3S1 insn) {
  return add_zero(context, insn, insn.addr_mode(), kNoConvolution);
}

Completion execute(Context& context, op::APOOL3S1 insn) {
  return add_zero(context, insn, insn.pool_addr_mode(), kNoPooling);
}

Completion execute(Context& context, op::APOOL3S2 insn) {
  return add_zero(context, insn, insn.pool_addr_mode(), kNoPooling);
}

Completion execute(Context& context, op::GAPOOL insn) {
  if (!sources_ready(context)) return Completion::Stall;
  if (insn.max_pool_index_en() != 0 &&
      context.raise(Rule::TensixUndefined, "GAPOOL in index mode has no documented meaning"))
    return Completion::Done;
  return matrix_product(context, insn.dst(), insn.pool_addr_mode(), insn.clear_dvalid(), kFourRows);
}

// --- Footprints.

namespace {

/// What all of them look at before they work.
FpuFormats note_ready(const Footprint& print) {
  note_matrix_bank(print, 0);
  note_matrix_bank(print, 1);
  cfg::ALU_ROUNDING_MODE_Fpu_srnd_en::get(print.config());
  fidelity_phase(print);
  return fpu_formats(print, FormatsFor::Both);
}

void note_elementwise(const Footprint& print, const ElementwiseFields& fields, bool accumulates) {
  const FpuFormats formats = note_ready(print);
  const OperandRows rows = operand_rows(print, fields.dst, 0x3F8, fields.broadcast_row);
  note_last_src_a_row(print);
  note_matrix_rows(print, Access::Read, 0, rows.a, 8);
  note_matrix_rows(print, Access::Read, 1, rows.b, fields.broadcast_row ? 1 : 8,
                   fields.broadcast_column ? 1 : 0xFFFF);
  note_dst(print, accumulates ? Access::ReadWrite : Access::Write,
           {formats.dst_is_32_bit(), rows.dst, 8});
  const bool wide = formats.dst_is_32_bit();
  for (u32 i = 0; i < 8; ++i) {
    note_dst_flow(print, wide, rows.dst + i, 0, rows.a + i);
    note_dst_flow(print, wide, rows.dst + i, 1, rows.b + (fields.broadcast_row ? 0 : i),
                  fields.broadcast_column ? Taken::First : Taken::Column);
    if (accumulates) note_dst_kept(print, wide, rows.dst + i);
  }
  note_flips(print, bit(fields.clear, 0), bit(fields.clear, 1));
  note_addr_mod(print, fields.addr_mode);
}

void note_product(const Footprint& print, u32 dst_field, u32 addr_mode, u32 clear,
                  const ProductShape& shape) {
  const FpuFormats formats = note_ready(print);
  const OperandRows rows = operand_rows(print, dst_field, shape.dst_mask, shape.broadcast);
  note_last_src_a_row(print);
  const u32 count = (shape.rows + shape.row_step - 1) / shape.row_step;
  if (!shape.zero_a) note_matrix_rows(print, Access::Read, 0, rows.a, kRowDatums);
  note_matrix_rows(print, Access::Read, 1, rows.b, shape.broadcast ? 1 : count);
  const bool wide = formats.dst_is_32_bit();
  note_dst(print, Access::ReadWrite, {wide, rows.dst, count, shape.row_step});
  for (u32 i = 0; i < count; ++i) {
    const u32 row = rows.dst + i * shape.row_step;
    note_dst_flow(print, wide, row, 1, rows.b + (shape.broadcast ? 0 : i), Taken::Row);
    // The datum takes its own column of them.
    if (!shape.zero_a) note_dst_flow(print, wide, row, 0, rows.a, Taken::Rows);
    note_dst_kept(print, wide, row);
  }
  note_flips(print, bit(clear, 0), bit(clear, 1));
  note_addr_mod(print, addr_mode);
}

}  // namespace

void footprint(const Footprint& print, op::ELWADD insn) {
  note_elementwise(print, fields_of(insn), insn.dest_accum_en() != 0);
}
void footprint(const Footprint& print, op::ELWSUB insn) {
  note_elementwise(print, fields_of(insn), insn.dest_accum_en() != 0);
}
void footprint(const Footprint& print, op::ELWMUL insn) {
  note_elementwise(print, fields_of(insn), true);
}
void footprint(const Footprint& print, op::MVMUL insn) {
  note_product(print, insn.dst(), insn.addr_mode(), insn.clear_dvalid(),
               insn.instr_mod19() != 0 ? kBroadcastRow : kEightRows);
}
void footprint(const Footprint& print, op::DOTPV insn) {
  note_product(print, insn.dst(), insn.addr_mode(), insn.clear_dvalid(), kEightRows);
}
void footprint(const Footprint& print, op::GAPOOL insn) {
  note_product(print, insn.dst(), insn.pool_addr_mode(), insn.clear_dvalid(), kFourRows);
}
void footprint(const Footprint& print, op::CONV3S1 insn) {
  note_product(print, insn.dst(), insn.addr_mode(), insn.clear_dvalid(), kNoConvolution);
}
void footprint(const Footprint& print, op::CONV3S2 insn) {
  note_product(print, insn.dst(), insn.addr_mode(), insn.clear_dvalid(), kNoConvolution);
}
void footprint(const Footprint& print, op::MFCONV3S1 insn) {
  note_product(print, insn.dst(), insn.addr_mode(), insn.clear_dvalid(), kNoConvolution);
}
void footprint(const Footprint& print, op::APOOL3S1 insn) {
  note_product(print, insn.dst(), insn.pool_addr_mode(), insn.clear_dvalid(), kNoPooling);
}
void footprint(const Footprint& print, op::APOOL3S2 insn) {
  note_product(print, insn.dst(), insn.pool_addr_mode(), insn.clear_dvalid(), kNoPooling);
}

}  // namespace bhemu::tensix
