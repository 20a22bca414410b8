#include "riscv/core.hpp"

namespace bhemu::riscv {

void CoreState::reset(u32 start_pc, bool keeps_ldm) {
  // Whole tiles leave reset in turn, with nothing of them in a cache: what need not be touched
  // is not.
  if (!is_new) {
    x.fill(0);
    f.fill(0);
    csr = CsrState{};
    v = VectorState{};
  }
  is_new = false;
  pc = start_pc;
  csr.mcycle_offset = u64{0} - cycle;
  csr.minstret_offset = u64{0} - instret;
  // BabyRISCV/README.md, Local Data RAM: zeroed when the core leaves reset.
  if (!ldm_is_zero && !keeps_ldm) ldm.fill(0);
  ldm_is_zero = false;
}

void CoreState::enter_interrupt(u32 handler) {
  csr.restore_pc = pc;
  csr.intp_restore_pc = pc;
  csr.in_interrupt = true;
  pc = handler;
}

}  // namespace bhemu::riscv
