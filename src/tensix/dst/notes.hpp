// Footprints of register files of the matrix unit: what the instructions of several units share.
#pragma once

#include "tensix/dst/dst_access.hpp"
#include "tensix/footprint/recorder.hpp"

namespace bhemu::tensix {

inline const SrcFile& src_file(const Footprint& print, u32 file) {
  return file == 0 ? print.state.fpu.src_a : print.state.fpu.src_b;
}
inline Space src_space(u32 file) {
  return file == 0 ? Space::SrcA : Space::SrcB;
}

/// Where rows of a view of Dst lie, and what that follows from.
DstMapping note_mapping(const Footprint& print, bool wide);

/// Rows first, first + step, ... of one view of Dst.
struct DstSpan {
  bool wide = false;
  u32 first = 0;
  u32 count = 1;
  u32 step = 1;
  u32 columns = 0xFFFF;
};
/// A write to the 16-bit view of a Dst whose 16-bit rows are high halves clears the low ones, too.
void note_dst(const Footprint& print, Access access, const DstSpan& span);

/// What the datums of a row of Dst come from in a row of SrcA or SrcB.
enum class Taken : u8 {
  Column,  // each from its own column
  First,   // all from column 0
  Row,     // all from the whole row
  Rows,    // all from sixteen rows, of which this is the first
};
/// A row of a view of Dst comes from a row of the bank that the matrix unit uses of a file.
void note_dst_flow(const Footprint& print, bool wide, u32 dst_row, u32 file, u32 row,
                   Taken taken = Taken::Column);
/// Each datum comes from itself, too: both halves of 32 bits from both.
void note_dst_kept(const Footprint& print, bool wide, u32 dst_row);
/// The first cell (tensix/footprint/flow.hpp) of a row of the bank that the matrix unit uses.
u32 matrix_cell(const Footprint& print, u32 file, u32 row);

/// The same where the mapping is known already.
void note_dst_rows(const Footprint& print, Access access, const DstSpan& span,
                   const DstMapping& mapping);

/// The matrix unit waits for its bank of a file and reads it.
void note_matrix_bank(const Footprint& print, u32 file);
/// Which bank is the matrix unit's, for those that do not wait.
void note_matrix_turn(const Footprint& print, u32 file);
/// Rows of the bank that the matrix unit uses; they wrap at the end of the bank.
void note_matrix_rows(const Footprint& print, Access access, u32 file, u32 first, u32 count,
                      u32 columns = 0xFFFF);

}  // namespace bhemu::tensix
