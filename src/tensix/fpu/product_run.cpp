#include "tensix/fpu/product_run.hpp"

#include <cstring>

#include "tensix/dst/formats.hpp"
#include "tensix/dst/rwc.hpp"
#include "tensix/fpu/kernel_rows.hpp"

namespace bhemu::tensix::fpu {

void ProductRun::forget() {
  known_ = false;
  std::memset(phase_a_, kUnknown, sizeof phase_a_);
  std::memset(phase_b_, kUnknown, sizeof phase_b_);
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

const ProductOperandA& ProductRun::operand_a(const FpuState& fpu, u32 row) {
  for (u32 k = 0; k < kRowDatums; ++k)
    job_.a[k] = fpu.src_a.matrix_rows()[(row + k) % kSrcRows].datum.data();
  const u32 group = row / kGroups;
  const u8 phase = job_.phase & 1;  // all that SrcA's slice goes by
  if (phase_a_[group] != phase) prepare_product_a(job_, a_[group]);
  phase_a_[group] = phase;
  return a_[group];
}

const ProductOperandB& ProductRun::operand_b(const FpuState& fpu, u32 row) {
  for (u32 i = 0; i < kMaxKernelRows; ++i)
    job_.b[i] = fpu.src_b.matrix_rows()[row + i].datum.data();
  const u32 group = row / kGroups;
  if (phase_b_[group] != job_.phase) prepare_product_b(job_, b_[group]);
  phase_b_[group] = static_cast<u8>(job_.phase);
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
  const ProductOperandA& a = operand_a(fpu, a_row);
  run_prepared_product(job_, a, operand_b(fpu, rwc.src_b & 0x38u));
  rows.written();
  if (insn.clear_dvalid() != 0) {
    flip_src_banks(context, bit(insn.clear_dvalid(), 0), bit(insn.clear_dvalid(), 1));
    forget();
  }
  apply_addr_mod(context, insn.addr_mode());
  return true;
}

}  // namespace bhemu::tensix::fpu
