// What one UNPACR moves, and one that is under way.
#pragma once

#include <array>

#include "base/author.hpp"
#include "numeric/format_codes.hpp"
#include "numeric/format_unpack.hpp"
#include "tensix/piece_clock.hpp"

namespace bhemu::tensix {

namespace unpack {

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
  numeric::UnpackFlags flags;
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

/// What of registers decides where cells go.
struct Destination {
  u32 src_row = 0;
  u32 bank = 0;
  std::array<bool, 3> placed{};  // of Dst: DstMapping
  bool by_address = false;       // SRCA_SET_SetOvrdWithAddr
};

}  // namespace unpack

struct UnpackFlight {
  u32 word = 0;
  u8 thread = 0;
  Origin origin = Origin::None;
  bool hands_over = false;
  bool sets_row = false;
  u8 next_row = 0;  // SrcRow afterwards, in either case
  unpack::Selection select;
  unpack::Source source;
  unpack::Target target;
  unpack::Destination destination;
  u32 done = 0;   // datums read
  Pieces pieces;  // of 16 datums read
};

}  // namespace bhemu::tensix
