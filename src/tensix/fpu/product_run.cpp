#include "tensix/fpu/product_run.hpp"

#include <cstring>

#include "tensix/dst/formats.hpp"
#include "tensix/dst/rwc.hpp"
#include "tensix/fpu/kernel_rows.hpp"

namespace bhemu::tensix::fpu {

static_assert(sizeof(SrcRow) == kRowDatums * sizeof(u32));

void ProductRun::drop() {
  known_ = false;
  std::memset(slices_a_, kUnknown, sizeof slices_a_);
  std::memset(slices_b_, kUnknown, sizeof slices_b_);
}

void ProductRun::look(const Context& context) {
  known_ = true;
  const FpuFormats formats = fpu_formats(context, FormatsFor::Both);
  usable_ = !formats.integer() && !formats.keep_denormals &&
            cfg::ALU_ROUNDING_MODE_Fpu_srnd_en::get(context.config()) == 0;
  if (!usable_) return;
  wide_ = formats.dst_is_32_bit();
  job_.mask_a = formats.mask_a();
  job_.mask_b = formats.mask_b();
  job_.mode = formats.mode();
  job_.keep = false;
  dst_offset_ = dst_offset(context) - rwc_of(context).dst;
  phase_ = thread_cfg::FIDELITY_BASE_Phase::get(context.thread_config());
}

// In groups of eight rows, which lie one after the other.
void ProductRun::name_a(const FpuState& fpu, u32 row) {
  const SrcRow* const rows = fpu.src_a.matrix_rows().data();
  const u32* const first = rows[row].datum.data();
  const u32* const second = rows[(row + kGroups) % kSrcRows].datum.data();
  for (u32 k = 0; k < kGroups; ++k) job_.a[k] = first + k * kRowDatums;
  for (u32 k = 0; k < kGroups; ++k) job_.a[kGroups + k] = second + k * kRowDatums;
}

void ProductRun::name_b(const FpuState& fpu, u32 row) {
  const u32* const first = fpu.src_b.matrix_rows()[row].datum.data();
  for (u32 i = 0; i < kMaxKernelRows; ++i) job_.b[i] = first + i * kRowDatums;
}

const ProductOperandA& ProductRun::operand_a(const FpuState& fpu, u32 row) {
  const u32 group = row / kGroups;
  const u8 half = job_.phase & 1;
  if (slices_a_[group] != half) {
    name_a(fpu, row);
    if (slices_a_[group] == kUnknown) prepare_exponents_a(job_, a_[group]);
    prepare_slices_a(job_, a_[group]);
    slices_a_[group] = half;
  }
  return a_[group];
}

const ProductOperandB& ProductRun::operand_b(const FpuState& fpu, u32 row) {
  const u32 group = row / kGroups;
  const u8 half = job_.phase >> 1 & 1;
  if (slices_b_[group] != half) {
    name_b(fpu, row);
    if (slices_b_[group] == kUnknown) prepare_exponents_b(job_, b_[group]);
    prepare_slices_b(job_, b_[group]);
    slices_b_[group] = half;
  }
  return b_[group];
}

bool ProductRun::execute(Context& context, op::MVMUL insn) {
  FpuState& fpu = context.state.fpu;
  if (insn.instr_mod19() != 0 || !fpu.src_a.matrix_may_read() || !fpu.src_b.matrix_may_read())
    return false;
  if (!known_) look(context);
  if (!usable_) return false;
  const Rwc& rwc = rwc_of(context);
  const u32 a_row = rwc.src_a & 0x38u;
  const KernelRows rows(context.state, wide_, (insn.dst() + dst_offset_ + rwc.dst) & 0x3F8, 8);
  job_.phase = (rwc.fidelity + phase_) & 3;
  rows.describe(job_.dst);
  context.touch(Resource::Dst);
  fpu.last_src_a_row = a_row;
  const u32 b_row = rwc.src_b & 0x38u;
  const ProductOperandA& a = operand_a(fpu, a_row);
  const ProductOperandB& b = operand_b(fpu, b_row);
  if (!run_prepared_product(job_, a, b)) {
    name_a(fpu, a_row);
    name_b(fpu, b_row);
    run_matrix_kernel(job_);
  }
  rows.written();
  if (insn.clear_dvalid() != 0) {
    flip_src_banks(context, bit(insn.clear_dvalid(), 0), bit(insn.clear_dvalid(), 1));
    forget();
  }
  apply_addr_mod(context, insn.addr_mode());
  return true;
}

}  // namespace bhemu::tensix::fpu
