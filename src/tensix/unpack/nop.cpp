// UNPACR_NOP: clear a Src bank and hand it over in order with the unpacker, and SETDVALID, which
// hands over out of order.
//
// Documents: tt-isa-documentation UNPACR_NOP_ZEROSRC.md, UNPACR_NOP_SETDVALID.md,
// UNPACR_NOP_OverlayClear.md, UNPACR_NOP_SETREG.md, SETDVALID.md; positions and meaning of the
// Blackhole fields: tenstorrent/tt-llk tt_llk_blackhole assembly.yaml; the stream register:
// tt-metal blackhole/noc/noc_overlay_parameters.h. Not modelled, because no document says enough:
// stream messages together with set_dvalid.
#include <fmt/format.h>

#include "numeric/format_layout.hpp"
#include "tensix/handover.hpp"
#include "tensix/reg_wr_addr.hpp"

namespace bhemu::tensix {
namespace {

enum Operation : u32 { StreamPop, ClearSource, Nothing, PopGivenStream };
enum ClearValue : u32 { Zero, NegativeInfinity, One, Immediate };

/// The bits of "one" per clr_to1_fmt_ctrl are our reading of the field's name.
u32 one_of_format(u32 format) {
  constexpr u32 kFp16 = 15u << 23;
  constexpr u32 kBf16 = 127u << 23;
  constexpr u32 kInt8 = 16u << 23 | 1u << 13;
  return format == 0 ? kFp16 : format == 1 ? kBf16 : kInt8;
}

/// The bits of src_clr_val_ctrl's immediate.
template <class C>
u32 immediate_of(const C& context, u32 unpacker) {
  return unpacker == 0 ? cfg::UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val::get(context.config())
                       : cfg::UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val::get(context.config());
}

bool clear_value(const Context& context, op::UNPACR_NOP insn, u32& cell) {
  const u32 unpacker = insn.unpacker_select();
  switch (insn.src_clr_val_ctrl()) {
    case Zero:
      cell = 0;
      return true;
    case NegativeInfinity:
      cell = 0xFFFFE000u;
      return true;  // all 19 bits
    case One:
      cell = one_of_format(insn.clr_to1_fmt_ctrl());
      return !context.raise(Rule::UnpackClearValue, "UNPACR_NOP clears to one");
    default:
      cell = numeric::cell_from_src_bits(immediate_of(context, unpacker));
      return !context.raise(Rule::UnpackClearValue, "UNPACR_NOP clears to the immediate value");
  }
}

/// Writes 1 to STREAM_MSG_DATA_CLEAR of an overlay stream: the given one, or the thread's.
template <class C>
u32 popped_stream(const C& context, op::UNPACR_NOP insn) {
  if (insn.unpack_pop() == PopGivenStream && insn.msg_clr_cnt() != 0) return insn.stream_id();
  const auto& words = context.thread_config();
  return insn.unpacker_select() == 0 ? thread_cfg::NOC_OVERLAY_MSG_CLEAR_StreamId_0::get(words)
                                     : thread_cfg::NOC_OVERLAY_MSG_CLEAR_StreamId_1::get(words);
}
constexpr u32 clear_address(u32 stream) {
  constexpr u32 kStreams = 0xFFB40000;
  constexpr u32 kStreamMessageDataClear = 266;
  return kStreams + stream * 0x1000 + kStreamMessageDataClear * 4;
}
void pop_stream(const Context& context, op::UNPACR_NOP insn) {
  const u32 stream = popped_stream(context, insn);
  if (insn.set_dvalid() != 0 || context.env.registers == nullptr) {
    context.raise(Rule::UnpackUndocumented,
                  fmt::format("UNPACR_NOP {:#010x} clears stream messages and more", insn.word));
    return;
  }
  if (context.raise(Rule::UnpackStreamClear, fmt::format("a message of stream {}", stream))) return;
  context.store_register(clear_address(stream), 1);
}

/// The register write in order with UNPACR, in full or counted up.
template <class C>
u32 written_address(const C& context, op::UNPACR_NOP insn) {
  const u32 select = bits(insn.word, 22, 1) << 1 | bits(insn.word, 15, 1);
  return register_write_address(context.config(), cfg::THCON_SEC0_REG10_Unpacker_Reg_Wr_Addr::kWord,
                                select, insn.stream_id());
}
constexpr bool may_be_written(u32 address) {
  return address >= 0xFFB11000u && address < 0xFFB80000u;
}
void write_register(const Context& context, op::UNPACR_NOP insn) {
  const u32 value = bits(insn.word, 4, 11);
  const u32 address = written_address(context, insn);
  if (!may_be_written(address) || context.env.registers == nullptr) {
    context.raise(Rule::UnpackUndocumented,
                  fmt::format("UNPACR_NOP {:#010x} writes {:#010x}", insn.word, address));
    return;
  }
  u32 written = value;
  if (bit(insn.word, 3)) {
    UnpackerState& unpacker = context.state.unpacker[insn.unpacker_select()];
    const u32 count = u32{unpacker.message_count_high} << 16 | unpacker.message_count;
    written = value == 0 ? 0 : (count + value) & 0x1FFFF;
    unpacker.message_count = static_cast<u16>(written);
    unpacker.message_count_high = static_cast<u16>(written >> 16);
    context.touch(Resource::Tdma);
    if (value == 0) return;  // only clears the count
  }
  context.store_register(address, written);
}

void hand_over_with_format(const Context& context, u32 unpacker) {
  const u32 format =
      cfg::THCON_SEC0_REG2_Out_data_format::get(context.config(), unpacker * kThconSection);
  unpack::hand_over(context, unpacker, static_cast<u8>(format));
}

}  // namespace

namespace {
/// clr_to1_fmt_ctrl: nothing but the hand-over.
constexpr u32 kOnlySetDvalid = 3;
}  // namespace

Completion execute(Context& context, op::UNPACR_NOP insn) {
  const u32 unpacker = insn.unpacker_select();
  SrcFile& file = unpack::src_file(context.state, unpacker);
  const u32 operation = insn.unpack_pop();
  if (operation == PopGivenStream && bit(insn.word, 2)) {
    write_register(context, insn);
    return Completion::Done;
  }
  if (insn.clr_to1_fmt_ctrl() == kOnlySetDvalid) {
    hand_over_with_format(context, unpacker);
    return Completion::Done;
  }
  if (operation == StreamPop || operation == PopGivenStream) {
    pop_stream(context, insn);
    return Completion::Done;
  }
  if (operation == ClearSource) {
    const u32 wait_bank = insn.stall_clr_cntrl() != 0 ? file.unpack_bank : file.matrix_bank;
    if (file.owner[wait_bank] != SrcOwner::Unpacker) return Completion::Stall;
    u32 cell;
    if (!clear_value(context, insn, cell)) return Completion::Done;
    for (u32 bank = 0; bank < 2; ++bank) {
      if (bank != file.unpack_bank && insn.bank_clr_ctrl() == 0) continue;
      for (SrcRow& row : file.bank[bank]) row.datum.fill(cell);
    }
  }
  if (insn.set_dvalid() != 0) hand_over_with_format(context, unpacker);
  return Completion::Done;
}

Completion execute(Context& context, op::SETDVALID insn) {
  const u32 units = insn.setvalid();
  if (units != 0 &&
      context.raise(Rule::UnpackImpliedFormat, "SETDVALID leaves the implied format unspecified"))
    return Completion::Done;
  if (bit(units, 0) && !unpack::hand_over(context, 0)) return Completion::Done;
  if (bit(units, 1)) unpack::hand_over(context, 1);
  return Completion::Done;
}

// --- Footprints.

namespace {

using namespace footprint_cell;

void note_hand_over_with_format(const Footprint& print, u32 unpacker) {
  cfg::THCON_SEC0_REG2_Out_data_format::get(print.config(), unpacker * kThconSection);
  unpack::note_hand_over(print, unpacker, true);
}

void note_register_write(const Footprint& print, op::UNPACR_NOP insn) {
  const u32 address = written_address(print, insn);
  if (!may_be_written(address)) return;
  const bool counts = bit(insn.word, 3);
  const bool clears = bits(insn.word, 4, 11) == 0;
  if (counts)
    print.note(clears ? Access::Write : Access::ReadWrite, Space::Unpacker,
               insn.unpacker_select() * kUnpackerCells + MessageCount);
  if (!counts || !clears) print.note_register(Access::Write, address);
}

void note_clear(const Footprint& print, op::UNPACR_NOP insn) {
  const u32 unpacker = insn.unpacker_select();
  const SrcFile& file = unpacker == 0 ? print.state.fpu.src_a : print.state.fpu.src_b;
  const u32 cells = unpacker * kSrcCells;
  const bool own = insn.stall_clr_cntrl() != 0;
  print.read(Space::SrcControl, cells + UnpackBank);
  if (!own) print.read(Space::SrcControl, cells + MatrixBank);
  print.read(Space::SrcControl, cells + Owner0 + (own ? file.unpack_bank : file.matrix_bank));
  if (insn.src_clr_val_ctrl() == Immediate) immediate_of(print, unpacker);
  for (u32 bank = 0; bank < 2; ++bank)
    if (bank == file.unpack_bank || insn.bank_clr_ctrl() != 0)
      print.write(unpacker == 0 ? Space::SrcA : Space::SrcB, bank * kSrcRows, kSrcRows);
}

}  // namespace

void footprint(const Footprint& print, op::UNPACR_NOP insn) {
  const u32 unpacker = insn.unpacker_select();
  const u32 operation = insn.unpack_pop();
  if (operation == PopGivenStream && bit(insn.word, 2)) return note_register_write(print, insn);
  if (insn.clr_to1_fmt_ctrl() == kOnlySetDvalid) return note_hand_over_with_format(print, unpacker);
  if (operation == StreamPop || operation == PopGivenStream) {
    const u32 stream = popped_stream(print, insn);
    if (insn.set_dvalid() == 0) print.note_register(Access::Write, clear_address(stream));
    return;
  }
  if (operation == ClearSource) note_clear(print, insn);
  if (insn.set_dvalid() != 0) note_hand_over_with_format(print, unpacker);
}

void footprint(const Footprint& print, op::SETDVALID insn) {
  for (u32 unpacker = 0; unpacker < 2; ++unpacker)
    if (bit(insn.setvalid(), unpacker)) unpack::note_hand_over(print, unpacker, false);
}

}  // namespace bhemu::tensix
