// What empties, shifts, transposes or gives back register files: ZEROACC, ZEROSRC, CLEARDVALID,
// TRNSPSRCB, SHIFTXA, SHIFTXB, GATESRCRST; and the dead TRNSPSRCA, RAREB, TBUFCMD.
//
// Documents: tt-isa-documentation ZEROACC.md, ZEROSRC.md, CLEARDVALID.md, TRNSPSRCB.md, SHIFTXA.md,
// SHIFTXB.md, GATESRCRST.md; tenstorrent/tt-llk tt_llk_blackhole/instructions/assembly.yaml for
// ZEROACC's flags and for what waits for which bank; boopdotpng/tenstorrent-docs
// blackhole-emulator-spec.md and blackhole-instruction-set-analysis.md for the dead ones.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tensix/dst/dst_access.hpp"
#include "tensix/dst/notes.hpp"
#include "tensix/dst/rwc.hpp"

namespace bhemu::tensix {
namespace {

/// All 19 bits of a cell: what stands for minus infinity in SrcA.
constexpr u32 kMinusInfinity = 0xFFFFE000;

void fill_bank(SrcFile& file, u32 bank, u32 cell) {
  for (SrcRow& row : file.bank[bank]) row.datum.fill(cell);
}

void fill_banks(SrcFile& file, const op::ZEROSRC& insn, u32 cell) {
  if (insn.bank_mask() != 0) {
    fill_bank(file, 0, cell);
    fill_bank(file, 1, cell);
  } else {
    fill_bank(file, insn.write_mode() != 0 ? file.matrix_bank : file.unpack_bank, cell);
  }
}

/// Mode 1: the sixteen rows that instructions of the 16-bit or 32-bit view call 16 x block and on.
///
/// The block is one of the half of Dst that the counters stand in, unless
/// DEST_ACCESS_CFG_zeroacc_absolute_tile_mode is set. The half is bit 9 of a sum: the row that the
/// counters give and the *block number*, so row 496 with block 31 clears 512 rows too far (measured
/// on a P150B: tenstorrent/tt-metal#54295; tt-isa-documentation#54 asks for the rule). For the
/// 32-bit view nothing that software does reaches the carry; the same adder is taken to be at work.
///
/// The permutations of addresses apply as they do to all others who address Dst: ZEROACC.md was
/// written for Wormhole, which has none, and kernels that multiply onto Dst clear it by this mode
/// after others have left the permutations on ("does not affect other operations according to HW
/// spec": tenstorrent/tt-metal#11875 and #12234).
struct SixteenRows {
  u32 block;
  bool wide;
  DstMapping mapping;

  bool exist() const { return block < (wide ? 32u : 64u); }
  u32 row(u32 i) const {
    return wide ? mapping.adj32(block * 16 + i) : mapping.adj16(block * 16 + i);
  }
};
template <class C>
SixteenRows sixteen_rows(const C& context, op::ZEROACC insn) {
  const bool wide = insn.use_32_bit_mode() != 0;
  u32 block = insn.where() & 0xFF;
  if (cfg::DEST_ACCESS_CFG_zeroacc_absolute_tile_mode::get(context.config()) == 0) {
    const u32 sum = dst_offset(context) + block;
    if (!wide && bit(sum, 9)) block += 32;
    if (wide && (sum & 0x300) != 0) block += 16;
  }
  return {block, wide, DstAccess::mapping_of(context.state)};
}
void mark(Dst& dst, const SixteenRows& rows, bool valid) {
  if (!rows.exist()) return;  // kernels use 0xFF to step the counters only
  // No permutation takes four rows apart that begin at a multiple of four.
  constexpr u32 kTogether = 4;
  for (u32 i = 0; i < 16; i += kTogether)
    std::fill_n(dst.valid.begin() + rows.row(i), kTogether, static_cast<u8>(valid));
}

template <class C>
bool is_wide(const C& context) {
  const auto& words = context.config();
  return cfg::ALU_ACC_CTRL_Fp32_enabled::get(words) != 0 ||
         cfg::ALU_ACC_CTRL_INT8_math_enabled::get(words) != 0;
}

/// CLEAR_MODE of ZEROACC.
enum Mode : u32 { kOneRow, kSixteenRows, kHalf, kAll };

/// Kernels use this block to step the counters only.
constexpr u32 kNoBlock = 0xFF;

/// A single row that does not exist. True: a rule stops the thread.
[[gnu::noinline]] bool tell_of_row(Context& context, op::ZEROACC insn, u32 row) {
  return context.raise(Rule::FpuClearRange,
                       fmt::format("ZEROACC of row {} ({} + {}); Dst has {} rows", row,
                                   insn.where(), row - insn.where(), kDstRows));
}

/// Sixteen rows that do not exist, or are counted in another width than products are written in.
/// True: a rule stops the thread.
[[gnu::noinline]] bool tell_of_rows(Context& context, op::ZEROACC insn, const SixteenRows& rows) {
  const u32 bits = rows.wide ? 32 : 16;
  if (rows.exist() && insn.where() <= 0xFF)
    return context.raise(Rule::FpuClearWidth,
                         fmt::format("ZEROACC of 16 rows of {} bits, and ALU_ACC_CTRL says {}",
                                     bits, rows.wide ? 16 : 32));
  return context.raise(
      Rule::FpuClearRange,
      fmt::format("ZEROACC of block {} of 16 rows ({}); Dst has {} of {} bits", insn.where(),
                  rows.exist() ? fmt::format("the lower 8 bits count: {}", rows.block)
                               : fmt::format("{} with its half", rows.block),
                  rows.wide ? 32 : 64, bits));
}

bool is_doubtful(const Context& context, op::ZEROACC insn, const SixteenRows& rows) {
  if ((insn.where() & 0xFF) == kNoBlock) return false;
  return !rows.exist() || insn.where() > 0xFF ||
         (rows.wide != is_wide(context) && insn.clear_zero_flags() == 0);
}

}  // namespace

Completion execute(Context& context, op::ZEROACC insn) {
  const u32 mode = insn.clear_mode();
  // The rows become valid again, with what they held (assembly.yaml; ZEROACC.md calls that
  // undefined, and kernels do it with sixteen rows of the 32-bit view as a work-around).
  const bool revert = insn.clear_zero_flags() != 0;
  context.touch(Resource::Dst);
  Dst& dst = context.state.fpu.dst;
  switch (mode) {
    case kOneRow: {
      // Also in the 32-bit view, where row 512 is row 256: kernels go to the other half so.
      const u32 row = insn.where() + dst_offset(context);
      if (row >= kDstRows && tell_of_row(context, insn, row)) return Completion::Done;
      DstAccess access(context.state);
      if (is_wide(context))
        access.set_valid32(row, revert);
      else
        access.set_valid16(row, revert);
      break;
    }
    case kSixteenRows: {
      const SixteenRows rows = sixteen_rows(context, insn);
      if (is_doubtful(context, insn, rows) && tell_of_rows(context, insn, rows))
        return Completion::Done;
      mark(dst, rows, revert);
      break;
    }
    case kHalf: {
      // The permutations of addresses stay within a half.
      const u32 first = (insn.where() & 1) * (kDstRows / 2);
      for (u32 i = 0; i < kDstRows / 2; ++i) dst.valid[first + i] = revert;
      break;
    }
    default:
      dst.valid.fill(revert);
      break;
  }
  // assembly.yaml: where other instructions say so, these bits give banks back here, too.
  flip_src_banks(context, bit(insn.clear_dvalid(), 0), bit(insn.clear_dvalid(), 1));
  if (mode == kOneRow || mode == kSixteenRows) apply_addr_mod(context, insn.addr_mode());
  return Completion::Done;
}

Completion execute(Context& context, op::ZEROSRC insn) {
  FpuState& fpu = context.state.fpu;
  if (bit(insn.src_mask(), 0))
    fill_banks(fpu.src_a, insn, insn.zero_val() != 0 ? kMinusInfinity : 0);
  if (bit(insn.src_mask(), 1)) fill_banks(fpu.src_b, insn, 0);
  return Completion::Done;
}

Completion execute(Context& context, op::CLEARDVALID insn) {
  FpuState& fpu = context.state.fpu;
  if (bit(insn.reset(), 0)) {
    for (SrcFile* file : {&fpu.src_a, &fpu.src_b}) {
      file->owner.fill(SrcOwner::Unpacker);
      file->format.fill(0);
      file->matrix_bank = file->unpack_bank = 0;
    }
    context.raise(Rule::TensixUnsupported, "CLEARDVALID with reset loses banks in flight");
    return Completion::Done;
  }
  const bool keep_bank = bit(insn.reset(), 1);
  SrcFile* const files[2] = {&fpu.src_a, &fpu.src_b};
  for (u32 i = 0; i < 2; ++i) {
    if (!bit(insn.cleardvalid(), i)) continue;
    files[i]->owner[files[i]->matrix_bank] = SrcOwner::Unpacker;
    if (!keep_bank) files[i]->matrix_bank ^= 1;
  }
  return Completion::Done;
}

Completion execute(Context& context, op::TRNSPSRCB) {
  SrcFile& file = context.state.fpu.src_b;
  if (!file.matrix_may_read()) return Completion::Stall;
  SrcRow* const rows = &file.matrix_rows()[16];
  for (u32 i = 0; i < 16; ++i)
    for (u32 j = 0; j < i; ++j) std::swap(rows[i].datum[j], rows[j].datum[i]);
  return Completion::Done;
}

Completion execute(Context& context, op::SHIFTXA insn) {
  SrcFile& file = context.state.fpu.src_a;
  if (!file.matrix_may_read()) return Completion::Stall;
  enum Direction : u32 { kRight = 2, kLeft = 3 };
  if (insn.shift_mode() < kRight) {
    context.raise(Rule::TensixUndefined, fmt::format("SHIFTXA direction {}", insn.shift_mode()));
    return Completion::Done;
  }
  // The block cannot be named: it is the one that an earlier instruction read from.
  const u32 from = context.state.fpu.last_src_a_row & 0x30;
  auto& rows = file.matrix_rows();
  for (u32 i = 0; i < 16; ++i) {
    const auto source = rows[from + i].datum;
    auto& target = rows[i].datum;
    for (u32 j = 0; j < kRowDatums; ++j) {
      if (insn.shift_mode() == kRight)
        target[j] = j > 0 ? source[j - 1] : 0;
      else
        target[j] = j < kRowDatums - 1 ? source[j + 1] : 0;
    }
  }
  return Completion::Done;
}

Completion execute(Context& context, op::SHIFTXB insn) {
  SrcFile& file = context.state.fpu.src_b;
  if (!file.matrix_may_read()) return Completion::Stall;
  const u32 row = (insn.shift_row() + rwc_of(context).src_b) & (kSrcRows - 1);
  auto& cells = file.matrix_rows()[row].datum;
  const u32 first = cells[0];
  for (u32 j = 0; j < kRowDatums - 1; ++j) cells[j] = cells[j + 1];
  cells[kRowDatums - 1] = insn.rot_shift() != 0 ? 0 : first;
  apply_addr_mod(context, insn.addr_mode());
  return Completion::Done;
}

/// Drops the operand cache of SrcB, which nothing can observe.
Completion execute(Context&, op::GATESRCRST) {
  return Completion::Done;
}

// --- Instructions that the decoder knows and the chip has nothing behind.

namespace {
Completion dead(Context& context) {
  context.raise(Rule::TensixLegacy,
                fmt::format("{} does nothing", info_of_word(context.word).name));
  return Completion::Done;
}
}  // namespace

Completion execute(Context& context, op::TRNSPSRCA) {
  if (!context.state.fpu.src_a.matrix_may_read()) return Completion::Stall;
  return dead(context);
}

Completion execute(Context& context, op::RAREB) {
  if (!context.state.fpu.src_b.matrix_may_read()) return Completion::Stall;
  return dead(context);
}

Completion execute(Context& context, op::TBUFCMD) {
  return dead(context);
}

// --- Footprints.

namespace {

using namespace footprint_cell;

/// Rows become invalid or valid again: a write of all that they hold.
void note_one_row(const Footprint& print, op::ZEROACC insn) {
  const u32 row = insn.where() + dst_offset(print);
  if (is_wide(print)) return note_dst(print, Access::Write, {true, row});
  print.write(Space::Dst, note_mapping(print, false).row16(row));
}

void note_sixteen_rows(const Footprint& print, op::ZEROACC insn) {
  const SixteenRows rows = sixteen_rows(print, insn);
  if (!rows.exist()) return;
  note_mapping(print, rows.wide);
  for (u32 i = 0; i < 16; ++i) {
    print.write(Space::Dst, rows.row(i));
    if (rows.wide) print.write(Space::Dst, rows.row(i) + 8);  // its low halves
  }
}

void note_bank(const Footprint& print, u32 file, u32 bank) {
  print.write(src_space(file), bank * kSrcRows, kSrcRows);
}

}  // namespace

void footprint(const Footprint& print, op::ZEROACC insn) {
  const u32 mode = insn.clear_mode();
  switch (mode) {
    case kOneRow:
      note_one_row(print, insn);
      break;
    case kSixteenRows:
      note_sixteen_rows(print, insn);
      break;
    case kHalf:
      print.write(Space::Dst, (insn.where() & 1) * (kDstRows / 2), kDstRows / 2);
      break;
    default:
      print.write(Space::Dst, 0, kDstRows);
      break;
  }
  note_flips(print, bit(insn.clear_dvalid(), 0), bit(insn.clear_dvalid(), 1));
  if (mode == kOneRow || mode == kSixteenRows) note_addr_mod(print, insn.addr_mode());
}

void footprint(const Footprint& print, op::ZEROSRC insn) {
  for (u32 file = 0; file < 2; ++file) {
    if (!bit(insn.src_mask(), file)) continue;
    const SrcFile& src = src_file(print, file);
    if (insn.bank_mask() != 0) {
      note_bank(print, file, 0);
      note_bank(print, file, 1);
    } else {
      const bool matrix = insn.write_mode() != 0;
      print.read(Space::SrcControl, file * kSrcCells + (matrix ? MatrixBank : UnpackBank));
      note_bank(print, file, matrix ? src.matrix_bank : src.unpack_bank);
    }
  }
}

void footprint(const Footprint& print, op::CLEARDVALID insn) {
  if (bit(insn.reset(), 0)) return print.write(Space::SrcControl, 0, 2 * kSrcCells);
  const bool keep_bank = bit(insn.reset(), 1);
  for (u32 file = 0; file < 2; ++file) {
    if (!bit(insn.cleardvalid(), file)) continue;
    const u32 cells = file * kSrcCells;
    print.write(Space::SrcControl, cells + Owner0 + src_file(print, file).matrix_bank);
    print.note(keep_bank ? Access::Read : Access::ReadWrite, Space::SrcControl, cells + MatrixBank);
  }
}

void footprint(const Footprint& print, op::TRNSPSRCB) {
  note_matrix_bank(print, 1);
  note_matrix_rows(print, Access::ReadWrite, 1, 16, 16);
  for (u32 i = 0; i < kRowDatums; ++i)
    print.flow({Space::SrcB, Space::SrcB, matrix_cell(print, 1, 16 + i), kRowDatums,
                matrix_cell(print, 1, 16) + i, 1, kRowDatums});
}

void footprint(const Footprint& print, op::SHIFTXA insn) {
  note_matrix_bank(print, 0);
  if (insn.shift_mode() < 2) return;
  print.read(Space::Rwc, LastSrcARow);
  note_matrix_rows(print, Access::Read, 0, print.state.fpu.last_src_a_row & 0x30, 16);
  note_matrix_rows(print, Access::Write, 0, 0, 16);
}

void footprint(const Footprint& print, op::SHIFTXB insn) {
  note_matrix_bank(print, 1);
  note_rwc(print, SrcBCounter);
  const u32 row = (insn.shift_row() + rwc_of(print).src_b) & (kSrcRows - 1);
  note_matrix_rows(print, Access::ReadWrite, 1, row, 1);
  note_addr_mod(print, insn.addr_mode());
}

void footprint(const Footprint&, op::GATESRCRST) {}
void footprint(const Footprint& print, op::TRNSPSRCA) {
  note_matrix_bank(print, 0);
}
void footprint(const Footprint& print, op::RAREB) {
  note_matrix_bank(print, 1);
}
void footprint(const Footprint&, op::TBUFCMD) {}

}  // namespace bhemu::tensix
