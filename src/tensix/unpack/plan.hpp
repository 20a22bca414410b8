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

namespace bhemu::tensix::unpack {

/// Which configuration context and whose counters the instruction uses.
struct Selection {
  u32 unpacker = 0;
  bool multi = false;  // multi-context mode
  u32 context = 0;     // 0..7
  u32 xy_thread = 0;   // thread whose counters give X and Y of channel 0 and X of channel 1
};

/// Unpack_limit_address and Unpack_fifo_size, in bytes: addresses beyond the limit step back.
struct Wrap {
  u64 limit = 0;
  u64 size = 0;
};

struct Source {
  numeric::Format format = numeric::Format::Fp32;
  u32 datum_bits = 32;
  u64 data = 0;      // bit address of the next datum
  u64 exponent = 0;  // sixteenths of a byte: one exponent byte serves 16 datums
  u64 delta = 0;     // nibble address of the next run length, compressed input only
  u32 count = 0;     // datums to read
  bool compressed = false;
  bool forced_exponent = false;
  u8 exponent_value = 0;
  u32 drop = 0;            // leading datums of a compressed row not to be emitted
  u32 emit = 0xFFFFFFFFu;  // datums to emit, for a part of a compressed row
  u32 row_datums = 16;     // after so many datums the address steps by row_step
  u64 row_step = 0;        // bits
  Wrap wrap;
};

struct Target {
  numeric::Format format = numeric::Format::Fp32;
  bool to_dst = false;
  numeric::DstForm form = numeric::DstForm::Undefined;
  bool haloize = false;
  u32 column_shift = 0;
  u32 position = 0;         // datums
  u32 upsample = 0;         // positions after each datum ...
  bool interleave = false;  // ... that are skipped instead of cleared
  bool zero_write = false;
  bool broadcast = false;  // SrcB: the row goes into eight rows
};

struct Plan {
  Selection select;
  Source source;
  Target target;
  numeric::UnpackRow convert = nullptr;  // null for 32-bit datums into Dst
  numeric::UnpackRows rows = nullptr;    // the same for many rows; null: go row by row
};

/// False: the thread stops at a fault. `C`: Context or Footprint.
template <class C>
bool select_context(const C& context, op::UNPACR insn, Selection& select);
template <class C>
bool make_plan(const C& context, op::UNPACR insn, const Selection& select, Plan& plan);

}  // namespace bhemu::tensix::unpack
