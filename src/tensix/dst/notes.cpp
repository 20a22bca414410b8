#include "tensix/dst/notes.hpp"

#include <algorithm>

namespace bhemu::tensix {

using namespace footprint_cell;

DstMapping note_mapping(const Footprint& print, bool wide) {
  constexpr u32 kDebugFeatureDisable = 0xFFB12068;
  const DstMapping mapping = DstAccess::mapping_of(print.state);
  const auto note = [&]<class Field>(Field) {
    print.read(Space::Config, Field::kWord, 1, ((1u << Field::kWidth) - 1) << Field::kLow);
  };
  static_assert(cfg::DEST_ACCESS_CFG_remap_addrs::kWord >= kGlobalConfigBase);
  note(cfg::DEST_ACCESS_CFG_remap_addrs{});
  if (!wide) print.read(Space::Mmio, kDebugFeatureDisable, 4);
  if (wide || mapping.high_halves) note(cfg::DEST_ACCESS_CFG_swizzle_32b{});
  return mapping;
}

void note_dst(const Footprint& print, Access access, const DstSpan& span) {
  note_dst_rows(print, access, span, note_mapping(print, span.wide));
}

void note_dst_rows(const Footprint& print, Access access, const DstSpan& span,
                   const DstMapping& mapping) {
  const bool both = span.wide || (mapping.high_halves && writes(access));
  for (u32 half = 0; half < (both ? 2 : 1); ++half) {
    for (u32 i = 0; i < span.count; ++i) {
      const u32 row = mapping.place(span.first + i * span.step, span.wide) + 8 * half;
      print.note(access, Space::Dst, row % kDstRows, 1, span.columns);
    }
  }
}

namespace {

/// Calls visit(cell) for the first cell of the row, and of its low halves if it has them.
template <class Visit>
void each_half(const Footprint& print, bool wide, u32 dst_row, Visit visit) {
  const u32 first = DstAccess::mapping_of(print.state).place(dst_row, wide);
  for (u32 half = 0; half < (wide ? 2 : 1); ++half)
    visit((first + 8 * half) % kDstRows * kRowDatums);
}

}  // namespace

u32 matrix_cell(const Footprint& print, u32 file, u32 row) {
  return (src_file(print, file).matrix_bank * kSrcRows + row % kSrcRows) * kRowDatums;
}

void note_dst_flow(const Footprint& print, bool wide, u32 dst_row, u32 file, u32 row, Taken taken) {
  if (!print.wants_flows()) return;
  Flow flow{Space::Dst, src_space(file), 0, kRowDatums, matrix_cell(print, file, row)};
  const auto add = [&] {
    each_half(print, wide, dst_row, [&](u32 cell) {
      flow.to_begin = cell;
      print.flow(flow);
    });
  };
  if (taken == Taken::Column) return add();
  flow.group = flow.step = kRowDatums;
  if (taken == Taken::Row) flow.size = kRowDatums;
  if (taken != Taken::Rows) return add();
  flow.step = 0;
  const u32 before_end = std::min(kRowDatums, kSrcRows - row % kSrcRows);
  flow.size = before_end * kRowDatums;
  add();
  flow.from_begin = matrix_cell(print, file, 0);
  flow.size = (kRowDatums - before_end) * kRowDatums;
  if (flow.size != 0) add();
}

void note_dst_kept(const Footprint& print, bool wide, u32 dst_row) {
  if (!print.wants_flows()) return;
  each_half(print, wide, dst_row, [&](u32 to) {
    each_half(print, wide, dst_row, [&](u32 from) {
      print.flow({Space::Dst, Space::Dst, to, kRowDatums, from});
    });
  });
}

void note_matrix_turn(const Footprint& print, u32 file) {
  print.read(Space::SrcControl, file * kSrcCells + MatrixBank);
}

void note_matrix_bank(const Footprint& print, u32 file) {
  note_matrix_turn(print, file);
  print.read(Space::SrcControl, file * kSrcCells + Owner0 + src_file(print, file).matrix_bank);
}

void note_matrix_rows(const Footprint& print, Access access, u32 file, u32 first, u32 count,
                      u32 columns) {
  const u32 bank = src_file(print, file).matrix_bank * kSrcRows;
  const u32 before_end = std::min(count, kSrcRows - first);
  print.note(access, src_space(file), bank + first, before_end, columns);
  print.note(access, src_space(file), bank, count - before_end, columns);
}

}  // namespace bhemu::tensix
