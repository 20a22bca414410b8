#include "tensix/dst/notes.hpp"

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
