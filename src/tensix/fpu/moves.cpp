// MOVA2D, MOVDBGA2D, MOVB2D, MOVDBGB2D, MOVD2A, MOVD2B, MOVB2A.
//
// Documents: tt-isa-documentation MOVA2D.md ... MOVD2B.md; MOVB2A.md of its fork by jasondavies;
// BlackholeA0 SFPCONFIG.md for LaneConfig.BLOCK_DEST_MOV; which format code each move goes by:
// formats.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tensix/data_paths.hpp"
#include "tensix/dst/formats.hpp"
#include "tensix/dst/notes.hpp"
#include "tensix/dst/rwc.hpp"
#include "tensix/fpu/kernel_rows.hpp"

namespace bhemu::tensix {
namespace {

using fpu::ToDst;
using numeric::Format;

struct MoveFields {
  bool low_half;
  u32 src;
  u32 addr_mode;
  u32 mod;
  u32 dst;
};

/// Bit i: LaneConfig forbids moves to touch column i.
template <class C>
u32 blocked_columns(const C& context) {
  note_read(context, Space::SfpuConfig, 15);
  // Two columns to a lane of LaneConfig; nearly always none.
  u32 any = 0;
  for (u32 lane = 0; lane < kRowDatums / 2; ++lane) any |= context.state.sfpu.lane_config[lane];
  if (bits(any, 9, 2) == 0) return 0;
  u32 mask = 0;
  for (u32 i = 0; i < kRowDatums; ++i)
    mask |= static_cast<u32>(bit(context.state.sfpu.lane_config[i / 2], 9 + (i & 1))) << i;
  return mask;
}

/// A cell as 16 bits of Dst storage.
u16 storage16_of_cell(u32 cell, bool five_bit) {
  if (!five_bit) return numeric::dst_from_bf16(static_cast<u16>(cell >> 16));
  return static_cast<u16>((cell >> 31) << 15 | numeric::cell_mantissa(cell) << 5 |
                          (numeric::cell_exponent(cell) & 0x1F));
}

/// With Fp32_enabled every source counts as TF32, so that moves fill 32-bit rows as arithmetic
/// does: MOVA2D.md and MOVB2D.md of August 2026, from tests against the RTL; tenstorrent/tt-llk
/// issue 449 and the FP8 tests of boopdotpng/blackhole-py saw it on cards. INT8 math makes the
/// exponent one of 8 bits and leaves the rows 16 bits wide.
template <class C>
ToDst how_to_dst(const C& context, const FpuFormats& formats, Format format, bool low_half) {
  const bool force = formats.force_fp16;
  const bool tf32 = formats.fp32 || format == Format::Tf32;
  const bool eight = formats.fp32 || formats.int8 || has_8_bit_exponent(format);
  return {!force && tf32, force || !eight, low_half, !formats.keep_denormals,
          blocked_columns(context)};
}

/// Keeps what is not written: blocked columns, and the other half of a row of 32 bits. That a move
/// of high halves under DBG_FEATURE_DISABLE bit 11 keeps the low ones is LLK's: its transposition
/// of 32-bit tiles (llk_math_transpose_dest.h of March 2026) moves those only then, and runs on
/// cards so.
void move_row_to_dst(DstAccess& dst, u32 row, const std::array<u32, kRowDatums>& cells,
                     const ToDst& how) {
  const bool in_32_bits = how.writes_32_bits();
  // What was invalid reads as zero.
  if (in_32_bits && !dst.valid32(row)) dst.write_row32(row, DstRow32{});
  if (!in_32_bits && !dst.valid16(row)) dst.write_row16(row, DstRow{});
  for (u32 j = 0; j < kRowDatums; ++j) {
    if (bit(how.blocked, j)) continue;
    u32 cell = cells[j];
    if (how.flush && numeric::cell_exponent(cell) == 0) cell = 0;
    const u16 half = storage16_of_cell(cell, how.five_bit);
    if (how.wide)
      dst.write32(row, j, u32{half} << 16 | (cell & 0xE000) | (how.low_half ? half : 0));
    else if (how.low_half)
      dst.write32(row, j, (dst.read32(row, j) & 0xFFFF0000) | half);
    else if (dst.mapping().high_halves)
      dst.write32(row, j, (dst.read32(row, j) & 0xFFFF) | u32{half} << 16);
    else
      dst.write16(row, j, half);
  }
}

/// `cells`: one row for each row of Dst from `row` on.
void move_to_dst(Context& context, u32 row, MoveJob& job, u32 count, const ToDst& how) {
  if (how.blocked != 0 || how.low_half) {
    // What was there is kept in part: rare, not worth vectors.
    DstAccess dst(context.state);
    for (u32 i = 0; i < count; ++i) {
      std::array<u32, kRowDatums> cells;
      std::copy_n(job.cells[i], kRowDatums, cells.begin());
      if (job.broadcast_column) cells.fill(cells[0]);
      move_row_to_dst(dst, row + i, cells, how);
    }
    return;
  }
  const KernelRows rows(context.state, how.wide, row, count);
  job.flush = how.flush;
  job.five_bit = how.five_bit;
  job.wide = how.wide;
  rows.describe(job.dst, false);
  run_move_kernel(job);
  rows.written(/*keeps_low=*/true);
}

/// True: the thread stops here.
bool refuses(Context& context, const ToDst& how) {
  return how.wide && how.low_half &&
         context.raise(Rule::TensixUndefined,
                       "a move of TF32 to the low half of Dst (erratum TEN-4245)");
}

/// First rows of the two sides of a move, and how many.
struct MoveRows {
  u32 dst;
  u32 src;
  u32 count;
};
template <class C>
MoveRows rows_from_a(const C& context, const MoveFields& fields) {
  const bool eight = bit(fields.mod, 1);
  note_rwc(context, footprint_cell::SrcACounter);
  return {(fields.dst + dst_offset(context)) & (eight ? 0x3F8 : 0x3FF),
          (fields.src + rwc_of(context).src_a) & (eight ? 0x38 : 0x3F), eight ? 8u : 1u};
}

/// How this thread's MOVA2D goes, worked out when the configuration has changed.
const fpu::KnownMove& known_move(const Context& context, fpu::KnownMove& own) {
  const SrcFile& src = context.state.fpu.src_a;
  DataPaths* paths = context.env.paths;
  fpu::KnownMove& known = paths != nullptr ? paths->move : own;
  const u8 format = src.format[src.matrix_bank];
  if (paths != nullptr && paths->trusts(known.seen) && known.thread == context.thread &&
      known.format == format)
    return known;
  const FpuFormats formats = fpu_formats(context, FormatsFor::A);
  known.how = how_to_dst(context, formats, formats.a, false);
  known.mapping = DstAccess::mapping_of(context.state);
  known.dst_offset = dst_offset(context) - rwc_of(context).dst;
  known.thread = static_cast<u8>(context.thread);
  known.format = format;
  if (paths != nullptr) known.seen = paths->seen();
  return known;
}

/// The usual MOVA2D: eight rows one after the other, whole. False: nothing was done.
bool move_straight(Context& context, const MoveFields& fields) {
  if (fields.low_half || !bit(fields.mod, 1)) return false;
  fpu::KnownMove own;
  const fpu::KnownMove& known = known_move(context, own);
  const DstMapping mapping = known.mapping;
  if (known.how.blocked != 0 || mapping.swizzle || (mapping.high_halves && !known.how.wide))
    return false;
  FpuState& fpu = context.state.fpu;
  const Rwc& rwc = rwc_of(context);
  const u32 src_row = (fields.src + rwc.src_a) & 0x38;
  const u32 dst_row =
      mapping.place((fields.dst + known.dst_offset + rwc.dst) & 0x3F8, known.how.wide);
  fpu.last_src_a_row = src_row;
  context.touch(Resource::Dst);
  run_straight_move({fpu.src_a.matrix_rows()[src_row].datum.data(),
                     fpu.dst.row[dst_row].datum.data(),
                     fpu.dst.row[(dst_row + 8) % kDstRows].datum.data(), 8, known.how.flush,
                     known.how.five_bit, known.how.wide});
  std::memset(&fpu.dst.valid[dst_row], 1, 8);
  apply_addr_mod(context, fields.addr_mode);
  return true;
}

Completion move_a_to_dst(Context& context, const MoveFields& fields) {
  if (move_straight(context, fields)) return Completion::Done;
  FpuState& fpu = context.state.fpu;
  const FpuFormats formats = fpu_formats(context, FormatsFor::A);
  const ToDst how = how_to_dst(context, formats, formats.a, fields.low_half);
  if (refuses(context, how)) return Completion::Done;
  const auto [dst_row, src_row, rows] = rows_from_a(context, fields);
  fpu.last_src_a_row = src_row;
  context.touch(Resource::Dst);
  MoveJob job;
  for (u32 i = 0; i < rows; ++i) job.cells[i] = fpu.src_a.matrix_rows()[src_row + i].datum.data();
  move_to_dst(context, dst_row, job, rows, how);
  apply_addr_mod(context, fields.addr_mode);
  return Completion::Done;
}

void clear_cells(SrcFile& file, u32 row, u32 count, u32 blocked) {
  for (u32 i = 0; i < count; ++i)
    for (u32 j = 0; j < kRowDatums; ++j)
      if (!bit(blocked, j)) file.matrix_rows()[row + i].datum[j] = 0;
}

template <class C>
MoveRows rows_to_src(const C& context, const MoveFields& fields, u32 counter) {
  const bool four = bit(fields.mod, 1);
  return {(fields.dst + dst_offset(context)) & (four ? 0x3FC : 0x3FF),
          (fields.src + counter) & (four ? 0x3C : 0x3F), four ? 4u : 1u};
}

/// MOVD2A and MOVD2B. `format` decides the style; neither bank's owner nor its format matters.
Completion move_from_dst(Context& context, const MoveFields& fields, Format format, SrcFile& file,
                         u32 counter) {
  const FpuFormats formats = fpu_formats(context, FormatsFor::Nothing);
  const bool five_bit = formats.force_fp16 || !has_8_bit_exponent(format);
  const bool wide = formats.dst_is_32_bit();
  const bool tf32 = format == Format::Tf32 && !five_bit;
  const DstMapping mapping = DstAccess::mapping_of(context.state);
  // tt-llk issue 449: with Fp32_enabled and TF32 as the format the hardware gives zeros. Kernels
  // clear the former, with DBG_FEATURE_DISABLE bit 11 set, or choose another format (tt-metal PR
  // 43757).
  const bool zeros = fields.low_half && formats.fp32 && tf32;
  if (zeros && context.raise(Rule::FpuMoveInFp32, "a move of the low half from Dst"))
    return Completion::Done;
  const bool low = fields.low_half && (wide || mapping.high_halves);
  if (fields.low_half && !low &&
      context.raise(Rule::TensixUndefined, "a move of the low half from Dst in its 16-bit view"))
    return Completion::Done;
  if (tf32 && !wide &&
      context.raise(Rule::TensixUndefined, "a move of TF32 from Dst in its 16-bit view"))
    return Completion::Done;
  const auto [dst_row, src_row, count] = rows_to_src(context, fields, counter);
  FpuState& fpu = context.state.fpu;
  fpu.last_src_a_row = &file == &fpu.src_a ? src_row : rwc_of(context).src_a;
  const KernelRows rows(context.state, wide, dst_row, count);
  MoveFromDstJob job;
  for (u32 i = 0; i < count; ++i) job.cells[i] = file.matrix_rows()[src_row + i].datum.data();
  job.five_bit = five_bit;
  job.tf32 = tf32 && wide;
  job.low = low;
  job.blocked = blocked_columns(context);
  rows.describe(job.dst);
  if (zeros)
    clear_cells(file, src_row, count, job.blocked);
  else
    run_move_from_dst_kernel(job);
  apply_addr_mod(context, fields.addr_mode);
  return Completion::Done;
}

template <class Op>
MoveFields fields_of(Op insn) {
  return {insn.dest_32b_lo() != 0, insn.src(), insn.addr_mode(), insn.instr_mod(), insn.dst()};
}

}  // namespace

Completion execute(Context& context, op::MOVA2D insn) {
  if (!context.state.fpu.src_a.matrix_may_read()) return Completion::Stall;
  return move_a_to_dst(context, fields_of(insn));
}

/// As MOVA2D, without waiting for the bank (MOVDBGA2D.md).
Completion execute(Context& context, op::MOVDBGA2D insn) {
  return move_a_to_dst(context, fields_of(insn));
}

namespace {
template <class C, class Op>
MoveRows rows_from_b(const C& context, Op insn) {
  const u32 mod = insn.movb2d_instr_mod();
  const u32 rows = bit(mod, 1) ? 8 : bit(mod, 2) ? 4 : 1;
  note_rwc(context, footprint_cell::SrcBCounter);
  return {(insn.dst() + dst_offset(context)) & (0x400 - rows),
          (insn.src() + rwc_of(context).src_b) & (rows == 4 ? 0x3C : 0x3F), rows};
}

template <class Op>
Completion move_b_to_dst(Context& context, Op insn) {
  FpuState& fpu = context.state.fpu;
  const FpuFormats formats = fpu_formats(context, FormatsFor::Moves);
  const ToDst how = how_to_dst(context, formats, formats.moves, insn.dest_32b_lo() != 0);
  if (refuses(context, how)) return Completion::Done;

  const bool one_row_to_8 = bit(insn.movb2d_instr_mod(), 1);
  const auto [dst_row, src_row, rows] = rows_from_b(context, insn);
  fpu.last_src_a_row = rwc_of(context).src_a;
  context.touch(Resource::Dst);
  MoveJob job;
  job.broadcast_column = bit(insn.movb2d_instr_mod(), 0);
  for (u32 i = 0; i < rows; ++i)
    job.cells[i] = fpu.src_b.matrix_rows()[src_row + (one_row_to_8 ? 0 : i)].datum.data();
  move_to_dst(context, dst_row, job, rows, how);
  apply_addr_mod(context, insn.addr_mode());
  return Completion::Done;
}
}  // namespace

Completion execute(Context& context, op::MOVB2D insn) {
  if (!context.state.fpu.src_b.matrix_may_read()) return Completion::Stall;
  return move_b_to_dst(context, insn);
}

/// As MOVB2D, without waiting for the bank (assembly.yaml).
Completion execute(Context& context, op::MOVDBGB2D insn) {
  return move_b_to_dst(context, insn);
}

Completion execute(Context& context, op::MOVD2A insn) {
  return move_from_dst(context, fields_of(insn), fpu_formats(context, FormatsFor::A).a,
                       context.state.fpu.src_a, rwc_of(context).src_a);
}

Completion execute(Context& context, op::MOVD2B insn) {
  return move_from_dst(context, fields_of(insn), fpu_formats(context, FormatsFor::Moves).moves,
                       context.state.fpu.src_b, rwc_of(context).src_b);
}

namespace {
/// `dst` is of SrcA.
template <class C>
MoveRows rows_between(const C& context, op::MOVB2A insn) {
  const bool four = bit(insn.instr_mod(), 1);
  const u32 mask = four ? 0x3C : 0x3F;
  note_rwc(context, footprint_cell::SrcACounter);
  note_rwc(context, footprint_cell::SrcBCounter);
  const Rwc& rwc = rwc_of(context);
  return {(insn.srca() + rwc.src_a) & mask, (insn.srcb() + rwc.src_b) & mask, four ? 4u : 1u};
}
}  // namespace

Completion execute(Context& context, op::MOVB2A insn) {
  FpuState& fpu = context.state.fpu;
  if (!fpu.src_b.matrix_may_read()) return Completion::Stall;
  const bool flush = cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src::get(context.config()) == 0;
  const auto [a_row, b_row, count] = rows_between(context, insn);
  fpu.last_src_a_row = a_row;
  const u32 blocked = blocked_columns(context);
  for (u32 i = 0; i < count; ++i) {
    const SrcRow& from = fpu.src_b.matrix_rows()[b_row + i];
    SrcRow& to = fpu.src_a.matrix_rows()[a_row + i];
    for (u32 j = 0; j < kRowDatums; ++j)
      if (!bit(blocked, j))
        to.datum[j] = flush && numeric::cell_exponent(from.datum[j]) == 0 ? 0 : from.datum[j];
  }
  apply_addr_mod(context, insn.addr_mode());
  return Completion::Done;
}

// --- Footprints.

namespace {

/// Columns that are not written keep what they held, unless the row is invalid; low halves alone
/// are written into what is there.
void note_to_dst(const Footprint& print, const MoveRows& rows, const ToDst& how, u32 file,
                 bool one_row = false, Taken taken = Taken::Column) {
  const bool wide = how.writes_32_bits();
  const DstMapping mapping = DstAccess::mapping_of(print.state);
  for (u32 i = 0; i < rows.count; ++i) {
    const u32 row = rows.dst + i;
    const bool valid = print.state.fpu.dst.valid[mapping.place(row, wide)] != 0;
    const u32 columns = valid ? ~how.blocked & 0xFFFF : 0xFFFF;
    const bool keeps = how.low_half && !how.wide;
    note_dst(print, keeps ? Access::ReadWrite : Access::Write, {wide, row, 1, 1, columns});
    if (how.blocked != 0) note_dst(print, Access::Read, {wide, row, 1, 1, 0xFFFF});
    note_dst_flow(print, wide, row, file, rows.src + (one_row ? 0 : i), taken);
    if (keeps || how.blocked != 0) note_dst_kept(print, wide, row);
  }
}

void note_a_to_dst(const Footprint& print, const MoveFields& fields) {
  const FpuFormats formats = fpu_formats(print, FormatsFor::A);
  const ToDst how = how_to_dst(print, formats, formats.a, fields.low_half);
  const MoveRows rows = rows_from_a(print, fields);
  note_matrix_rows(print, Access::Read, 0, rows.src, rows.count, ~how.blocked & 0xFFFF);
  note_last_src_a_row(print);
  note_to_dst(print, rows, how, 0);
  note_addr_mod(print, fields.addr_mode);
}

template <class Op>
void note_b_to_dst(const Footprint& print, Op insn) {
  const FpuFormats formats = fpu_formats(print, FormatsFor::Moves);
  const ToDst how = how_to_dst(print, formats, formats.moves, insn.dest_32b_lo() != 0);
  const MoveRows rows = rows_from_b(print, insn);
  const u32 mod = insn.movb2d_instr_mod();
  note_matrix_rows(print, Access::Read, 1, rows.src, bit(mod, 1) ? 1 : rows.count,
                   bit(mod, 0) ? 1 : ~how.blocked & 0xFFFF);
  note_rwc(print, footprint_cell::SrcACounter);
  note_last_src_a_row(print);
  note_to_dst(print, rows, how, 1, bit(mod, 1), bit(mod, 0) ? Taken::First : Taken::Column);
  note_addr_mod(print, insn.addr_mode());
}

void note_from_dst(const Footprint& print, const MoveFields& fields, Format format, u32 file) {
  const FpuFormats formats = fpu_formats(print, FormatsFor::Nothing);
  note_rwc(print, footprint_cell::SrcACounter);
  if (file == 1) note_rwc(print, footprint_cell::SrcBCounter);
  const Rwc& rwc = rwc_of(print);
  const MoveRows rows = rows_to_src(print, fields, file == 0 ? rwc.src_a : rwc.src_b);
  const u32 columns = ~blocked_columns(print) & 0xFFFF;
  const bool wide = formats.dst_is_32_bit();
  const bool five_bit = formats.force_fp16 || !has_8_bit_exponent(format);
  const bool tf32 = format == Format::Tf32 && !five_bit;
  note_last_src_a_row(print);
  note_matrix_turn(print, file);
  note_matrix_rows(print, Access::Write, file, rows.src, rows.count, columns);
  // Where both halves matter or the low one does, both rows; where 16 bits do, theirs.
  const DstMapping mapping = note_mapping(print, wide);
  const bool low = (wide || mapping.high_halves) && (tf32 || fields.low_half);
  for (u32 i = 0; i < rows.count; ++i) {
    const u32 row = mapping.place(rows.dst + i, wide);
    print.read(Space::Dst, row, 1, columns);
    if (low) print.read(Space::Dst, row + 8, 1, columns);
    const u32 cell = matrix_cell(print, file, rows.src + i);
    for (u32 half = 0; half < (low ? 2 : 1); ++half)
      print.flow({src_space(file), Space::Dst, cell, kRowDatums, (row + 8 * half) * kRowDatums});
  }
  note_addr_mod(print, fields.addr_mode);
}

}  // namespace

void footprint(const Footprint& print, op::MOVA2D insn) {
  note_matrix_bank(print, 0);
  note_a_to_dst(print, fields_of(insn));
}
void footprint(const Footprint& print, op::MOVDBGA2D insn) {
  note_matrix_turn(print, 0);
  note_a_to_dst(print, fields_of(insn));
}
void footprint(const Footprint& print, op::MOVB2D insn) {
  note_matrix_bank(print, 1);
  note_b_to_dst(print, insn);
}
void footprint(const Footprint& print, op::MOVDBGB2D insn) {
  note_matrix_turn(print, 1);
  note_b_to_dst(print, insn);
}
void footprint(const Footprint& print, op::MOVD2A insn) {
  note_from_dst(print, fields_of(insn), fpu_formats(print, FormatsFor::A).a, 0);
}
void footprint(const Footprint& print, op::MOVD2B insn) {
  note_from_dst(print, fields_of(insn), fpu_formats(print, FormatsFor::Moves).moves, 1);
}

void footprint(const Footprint& print, op::MOVB2A insn) {
  note_matrix_bank(print, 1);
  note_matrix_turn(print, 0);
  cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src::get(print.config());
  const MoveRows rows = rows_between(print, insn);
  const u32 columns = ~blocked_columns(print) & 0xFFFF;
  note_last_src_a_row(print);
  note_matrix_rows(print, Access::Read, 1, rows.src, rows.count, columns);
  note_matrix_rows(print, Access::Write, 0, rows.dst, rows.count, columns);
  print.flow({Space::SrcA, Space::SrcB, matrix_cell(print, 0, rows.dst), rows.count * kRowDatums,
              matrix_cell(print, 1, rows.src)});
  note_addr_mod(print, insn.addr_mode());
}

}  // namespace bhemu::tensix
