// Address generation of UNPACR: from instruction, configuration and address counters to one plan
// that says where the datums come from, how many there are and where they go.
//
// Documents: tt-isa-documentation UNPACR_Regular.md (Wormhole tree, shared with Blackhole),
// ADCs.md; widths of the tileize rows: tenstorrent/tt-llk llk_unpack_tilize.h for Blackhole.
// Not modelled: unpack metadata (words 91, 106..111), row start cache (no architectural effect).
#pragma once

#include "numeric/format_rows.hpp"
#include "tensix/context.hpp"
#include "tensix/footprint/recorder.hpp"
#include "tensix/unpack/flight.hpp"

namespace bhemu::tensix::unpack {

/// Datums in a row, rows in a plane, planes.
struct TileShape {
  u32 x = 0;
  u32 y = 0;
  u32 z = 1;
};

struct Plan {
  Selection select;
  Source source;
  Target target;
  numeric::UnpackRow convert = nullptr;  // null for 32-bit datums into Dst
  numeric::UnpackRows rows = nullptr;    // the same for many rows; null: go row by row
  // Where the tile lies: what stays the same when its base address changes.
  TileShape shape;
  u32 units = 0;      // of 16 bytes, from the base address to its first section
  u64 exponents = 0;  // bytes from there on
  u64 datums = 0;
};

/// False: the thread stops at a fault. `C`: Context or Footprint.
template <class C>
bool select_context(const C& context, op::UNPACR insn, Selection& select);
template <class C>
bool make_plan(const C& context, op::UNPACR insn, const Selection& select, Plan& plan);

}  // namespace bhemu::tensix::unpack
