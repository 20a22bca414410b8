// PACR_SETREG: one register write in order with PACR.
//
// Document: tt-isa-documentation WormholeB0 PACR_SETREG.md. Blackhole names the same bits
// differently (tenstorrent/tt-llk assembly.yaml): mode_sel is AddrSel, unused is Value10,
// stream_id is AddrMid. Other settings of push, disable_stall and the low bits are undocumented.
#include <fmt/format.h>

#include "tensix/context.hpp"

namespace bhemu::tensix {

Completion execute(Context& context, op::PACR_SETREG insn) {
  constexpr u32 kFixedBits = 0x00800F03;
  constexpr u32 kFixedValue = 0x00800F02;
  const PackerState& packer = context.state.packer;
  const bool known = (insn.word & kFixedBits) == kFixedValue;
  const u32 address = 0xFFB00000u + packer.setreg_base[insn.mode_sel()] + (insn.stream_id() << 12);
  const bool in_range = address >= 0xFFB11000u && address < 0xFFB80000u;
  // A flush in the middle of a block would pad it, and where the stream goes on is not said.
  const bool idle = packer.exponents.fill == 0 && packer.data.fill == 0 && packer.group_fill == 0;
  if (!known || !in_range || !idle || context.env.store_register == nullptr) {
    context.raise(Rule::PackSetReg,
                  fmt::format("PACR_SETREG {:#010x} to {:#010x}", insn.word, address));
    return Completion::Done;
  }
  const u32 value = insn.unused();
  const u32 format = cfg::THCON_SEC0_REG1_Out_data_format::get(context.config());
  const u32 high = value * packer.setreg_scaler[format & 3];
  context.env.store_register(context.env.tile, address, value + ((high & 0x1FFFF) << 12),
                             context.now);
  return Completion::Done;
}

}  // namespace bhemu::tensix
