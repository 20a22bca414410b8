// Addresses of the register writes that PACR_SETREG and UNPACR_NOP make.
//
// Documents: tenstorrent/tt-llk tt_llk_blackhole assembly.yaml, PACR_SETREG AddrSel: the address is
// 0xFFB, two bits of the chosen 12, the six bits of the instruction, ten bits, 00.
#pragma once

#include "tensix/config.hpp"

namespace bhemu::tensix {

/// `word` is that of THCON_SEC0_REG10_Packer_Reg_Wr_Addr or its unpacker twin. Section 0 has the
/// addresses 0 and 1, section 1 has 2 and 3.
template <class Words>
u32 register_write_address(const Words& words, u32 word, u32 select, u32 middle) {
  const u32 chosen = word_bits(words, word + select / 2 * kThconSection, select % 2 * 12, 12);
  return 0xFFB00000u | chosen >> 10 << 18 | middle << 12 | (chosen & 0x3FF) << 2;
}

}  // namespace bhemu::tensix
