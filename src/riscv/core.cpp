#include "riscv/core.hpp"

namespace bhemu::riscv {

void CoreState::reset(u32 start_pc, bool keeps_ldm) {
  x.fill(0);
  f.fill(0);
  pc = start_pc;
  csr = CsrState{};
  csr.mcycle_offset = u64{0} - cycle;
  csr.minstret_offset = u64{0} - instret;
  // BabyRISCV/README.md, Local Data RAM: zeroed when the core leaves reset.
  if (!ldm_is_zero && !keeps_ldm) ldm.fill(0);
  ldm_is_zero = false;
  v = VectorState{};
}

void CoreState::enter_interrupt(u32 handler) {
  csr.restore_pc = pc;
  csr.intp_restore_pc = pc;
  csr.in_interrupt = true;
  pc = handler;
}

}  // namespace bhemu::riscv
