// GMPOOL: column-wise maximum of 16 rows of SrcA with a row of Dst, with scaling and index mode;
// and what is left of MPOOL3S1 and MPOOL3S2.
//
// Documents: tt-isa-documentation GMPOOL.md; MatrixUnit.md ("Legacy instructions"). Arithmetic:
// numeric/fpu_pool.hpp.
#include <fmt/format.h>

#include "tensix/dst/formats.hpp"
#include "tensix/dst/notes.hpp"
#include "tensix/dst/rwc.hpp"
#include "tensix/fpu/kernel_rows.hpp"

namespace bhemu::tensix {
namespace {

using numeric::PoolMode;
using numeric::PoolStyle;

PoolMode mode_of(const FpuFormats& formats, bool index) {
  if (formats.force_fp16) return {PoolStyle::Fp16, PoolStyle::Fp16, index};
  if (formats.int8) return {PoolStyle::Int8, PoolStyle::Int32, index};
  const bool wide = formats.fp32;
  if (formats.a == numeric::Format::Tf32)
    return {PoolStyle::Tf32,
            index  ? PoolStyle::Int32
            : wide ? PoolStyle::Tf32
                   : PoolStyle::Bf16,
            index};
  const PoolStyle style = formats.five_bit() ? PoolStyle::Fp16 : PoolStyle::Bf16;
  // In index mode the 16-bit number is in the high half and the index in the low one.
  return {style, wide && !index ? PoolStyle::Tf32 : style, index};
}

struct PoolFields {
  u32 dst;
  u32 addr_mode;
  u32 clear;
  bool index;
  bool zero_a;  // as if SrcA were zero everywhere
};

Completion pool(Context& context, const PoolFields& fields) {
  static constexpr SrcRow kZeroRow{};
  FpuState& fpu = context.state.fpu;
  const Rwc& rwc = rwc_of(context);
  const FpuFormats formats = fpu_formats(context, FormatsFor::A);
  const u32 a_row = rwc.src_a & 0x30u;
  const u32 dst_row = (fields.dst + dst_offset(context)) & 0x3FC;
  fpu.last_src_a_row = a_row;
  context.touch(Resource::Dst);
  const KernelRows rows(context.state, formats.dst_is_32_bit(), dst_row, 4);
  PoolJob job;
  for (u32 k = 0; k < kRowDatums; ++k)
    job.a[k] =
        fields.zero_a ? kZeroRow.datum.data() : fpu.src_a.matrix_rows()[a_row + k].datum.data();
  job.scale = fpu.src_b.matrix_rows()[rwc.src_b & 0x38u].datum.data();
  job.mode = mode_of(formats, fields.index);
  job.wide = formats.dst_is_32_bit();
  rows.describe(job.dst, true, 0xFFFF);
  run_pool_kernel(job);
  rows.written();
  flip_src_banks(context, bit(fields.clear, 0), bit(fields.clear, 1));
  apply_addr_mod(context, fields.addr_mode);
  return Completion::Done;
}

bool sources_ready(const Context& context) {
  const FpuState& fpu = context.state.fpu;
  return fpu.src_a.matrix_may_read() && fpu.src_b.matrix_may_read();
}

/// Something like GMPOOL of a SrcA that is zero everywhere.
template <class Op>
Completion pool_of_zero(Context& context, Op insn) {
  if (!sources_ready(context)) return Completion::Stall;
  if (context.raise(Rule::TensixLegacy,
                    fmt::format("{} pools zeros", info_of_word(insn.word).name)))
    return Completion::Done;
  return pool(context,
              {insn.dst(), insn.pool_addr_mode(), insn.clear_dvalid(), insn.index_en() != 0, true});
}

}  // namespace

Completion execute(Context& context, op::GMPOOL insn) {
  if (!sources_ready(context)) return Completion::Stall;
  if (insn.instr_mod19() == 0 &&
      context.raise(Rule::TensixUndefined, "GMPOOL with bit 19 clear has no documented meaning"))
    return Completion::Done;
  return pool(context, {insn.dst(), insn.pool_addr_mode(), insn.clear_dvalid(),
                        insn.max_pool_index_en() != 0, false});
}

Completion execute(Context& context, op::MPOOL3S1 insn) {
  return pool_of_zero(context, insn);
}

Completion execute(Context& context, op::MPOOL3S2 insn) {
  return pool_of_zero(context, insn);
}

// --- Footprints.

namespace {

/// The first of the four rows of Dst is read, all are written. Indices of 32-bit rows count on in
/// the other three.
void note_pool(const Footprint& print, const PoolFields& fields) {
  note_matrix_bank(print, 0);
  note_matrix_bank(print, 1);
  const FpuFormats formats = fpu_formats(print, FormatsFor::A);
  note_rwc(print, footprint_cell::SrcACounter);
  note_rwc(print, footprint_cell::SrcBCounter);
  const Rwc& rwc = rwc_of(print);
  const u32 dst_row = (fields.dst + dst_offset(print)) & 0x3FC;
  note_last_src_a_row(print);
  if (!fields.zero_a) note_matrix_rows(print, Access::Read, 0, rwc.src_a & 0x30u, kRowDatums);
  note_matrix_rows(print, Access::Read, 1, rwc.src_b & 0x38u, 1);
  note_dst(print, Access::ReadWrite, {formats.dst_is_32_bit(), dst_row});
  const bool counts = fields.index && formats.dst_is_32_bit();
  note_dst(print, counts ? Access::ReadWrite : Access::Write,
           {formats.dst_is_32_bit(), dst_row + 1, 3});
  note_flips(print, bit(fields.clear, 0), bit(fields.clear, 1));
  note_addr_mod(print, fields.addr_mode);
}

}  // namespace

void footprint(const Footprint& print, op::GMPOOL insn) {
  note_pool(print, {insn.dst(), insn.pool_addr_mode(), insn.clear_dvalid(),
                    insn.max_pool_index_en() != 0, false});
}
void footprint(const Footprint& print, op::MPOOL3S1 insn) {
  note_pool(print,
            {insn.dst(), insn.pool_addr_mode(), insn.clear_dvalid(), insn.index_en() != 0, true});
}
void footprint(const Footprint& print, op::MPOOL3S2 insn) {
  note_pool(print,
            {insn.dst(), insn.pool_addr_mode(), insn.clear_dvalid(), insn.index_en() != 0, true});
}

}  // namespace bhemu::tensix
