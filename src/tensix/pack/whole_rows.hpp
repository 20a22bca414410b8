// The usual PACR, whole rows of Dst to L1 with nothing special, once it has been found to be that:
// what of it follows from the instruction word and the configuration is worked out once.
#pragma once

#include "tensix/dst/dst_access.hpp"
#include "tensix/pack/path.hpp"

namespace bhemu::tensix::pack {

/// Good for as long as the bits of the instruction and the configuration stay the same. No state.
struct WholeRows {
  u64 settings = 0;                     // DataPaths::settings; 0: nothing is known
  const ConfigWords* config = nullptr;  // the bank that counted
  u32 key = 0;                          // the instruction without what may differ

  Path path;
  DstMapping mapping;
  u32 base = 0;  // byte address in Dst and what the counters add to it
  u32 y_stride = 0;
  u32 z_stride = 0;
  u32 w_stride = 0;
  u32 size = 0;  // address bytes of a datum, as a power of two
  u32 interfaces = 0;
  u32 each = 1;   // how many these are: the rows of an instruction
  u32 reads = 0;  // per plane
  bool transposed = false;
  numeric::ExponentField exponent;
};

/// Notes what the instruction, just executed by way of whole rows on `path`, can use again.
void remember_whole_rows(const Context& context, op::PACR insn, const Path& path);
/// Executes the first of `count` instructions, which come one a cycle from `context.now` on, as
/// long as they are what `remember_whole_rows` has noted. Returns how many; 0: none, and nothing
/// was changed. No agent may look at the state between two of them.
u32 pack_whole_rows(Context& context, const u32* word, u32 count);

/// TilePosition is an 8-bit counter of rows that starts over only when it lands exactly on the
/// rows of a plane. Returns the planes that ended.
inline u32 advance_position(PackerState& packer, u32 reads, bool transposed, u32 rows) {
  u8& inner = transposed ? packer.z : packer.y;
  u8& outer = transposed ? packer.y : packer.z;
  u32 planes = 0;
  while (reads < 256) {
    const u32 left = (reads - inner - 1) % 256 + 1;  // rows until it lands there
    if (rows < left) break;
    rows -= left;
    inner = 0;
    ++outer;
    ++planes;
  }
  inner = static_cast<u8>(inner + rows);
  return planes;
}

/// What the address modifier `m` of a PACR does to the packer's counters.
void advance_counters(Adc& adc, u32 m);
void note_advance_counters(const Footprint& print, unsigned thread, u32 m);

}  // namespace bhemu::tensix::pack
