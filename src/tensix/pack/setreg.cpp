// PACR_SETREG: one register write in order with PACR.
//
// Documents: tenstorrent/tt-llk tt_llk_blackhole assembly.yaml, PACR_SETREG (address, the flavour
// that sets the data); field comments of that project's register headers for Packer_Reg_Wr_Addr
// ("4 sets of 12-bit addresses including both sections"); tt-isa-documentation WormholeB0
// PACR_SETREG.md for the range of addresses. Wormhole carries ten bits of data in the instruction
// and scales them; those bits are unused on Blackhole. DisableStall concerns time only.
#include <fmt/format.h>

#include "tensix/context.hpp"
#include "tensix/footprint/recorder.hpp"
#include "tensix/reg_wr_addr.hpp"

namespace bhemu::tensix {

namespace {
template <class C>
u32 written_address(const C& context, op::PACR_SETREG insn) {
  return register_write_address(context.config(), cfg::THCON_SEC0_REG10_Packer_Reg_Wr_Addr::kWord,
                                insn.addr_sel(), insn.stream_id());
}
bool writes_register(const PackerState& packer, op::PACR_SETREG insn, u32 address) {
  const bool known = insn.push() != 0 && insn.flush() != 0;
  const bool in_range = address >= 0xFFB11000u && address < 0xFFB80000u;
  // A flush in the middle of a block would pad it, and where the stream goes on is not said.
  const bool idle = packer.exponents.fill == 0 && packer.data.fill == 0 && packer.group_fill == 0;
  return known && in_range && idle;
}
}  // namespace

Completion execute(Context& context, op::PACR_SETREG insn) {
  PackerState& packer = context.state.packer;
  if (insn.mode_sel() != 0) {
    const u32 half = bits(insn.word, 3, 16);
    packer.setreg_data = bit(insn.word, 2) ? (packer.setreg_data & 0xFFFFu) | half << 16
                                           : (packer.setreg_data & 0xFFFF0000u) | half;
    return Completion::Done;
  }
  const u32 address = written_address(context, insn);
  if (!writes_register(packer, insn, address) || context.env.registers == nullptr) {
    context.raise(Rule::PackSetReg,
                  fmt::format("PACR_SETREG {:#010x} to {:#010x}", insn.word, address));
    return Completion::Done;
  }
  context.store_register(address, packer.setreg_data);
  return Completion::Done;
}

void footprint(const Footprint& print, op::PACR_SETREG insn) {
  using namespace footprint_cell;
  if (insn.mode_sel() != 0)
    return print.write(Space::Packer, SetregData, 1, bit(insn.word, 2) ? 0xFFFF0000u : 0xFFFFu);
  const u32 address = written_address(print, insn);
  print.read(Space::Packer, OpenTile);
  if (!writes_register(print.state.packer, insn, address)) return;
  print.read(Space::Packer, SetregData);
  print.note_register(Access::Write, address);
}

}  // namespace bhemu::tensix
