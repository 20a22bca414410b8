// The usual UNPACR, whole rows of a tile in L1 to SrcA or SrcB with nothing special, once it has
// been found to be that: what of it follows from the instruction word and the configuration is
// worked out once; counters and base addresses count each time.
#pragma once

#include "tensix/unpack/plan.hpp"

namespace bhemu::tensix::unpack {

/// Good for as long as the configuration stays the same. No state.
struct Face {
  u64 settings = 0;                     // DataPaths::settings; 0: nothing is known
  const ConfigWords* config = nullptr;  // the bank that counted
  bool bfp = false;
  bool forced_exponent = false;
  bool adds_counters = false;  // to the destination of the context
  u8 exponent_value = 0;
  u8 thread = 0;
  u8 context = 0;
  u32 word = 0;
  numeric::UnpackRows rows = nullptr;
  numeric::Format format = numeric::Format::Fp32;  // in Src
  u32 datum_bits = 0;
  TileShape shape;
  u32 units = 0;      // of 16 bytes, from the base address to the tile
  u64 exponents = 0;  // bytes from there on
  u64 datums = 0;
  Wrap wrap;
  u32 burst = 1;  // burst_rows
  u32 base = 0;   // destination: bytes, and what the counters add to them
  u32 y_stride = 0;
  u32 z_stride = 0;
  u32 w_stride = 0;
  u32 size = 1;             // address bytes of a datum
  u32 context_address = 0;  // datums; unpacker 0 with contexts
};

struct Faces {
  std::array<Face, 16> face{};
  Face& of(u32 word, u32 context) {
    return face[((word * 0x9E3779B1u) >> 28) ^ (context & 1) ^ (context & 2) << 2];
  }
};

/// Notes what the instruction, just executed as `plan` says, can use again.
void remember_face(const Context& context, op::UNPACR insn, const Plan& plan);
/// Moves the datums if the instruction is one of those; what it does to counters and banks is left.
/// False: nothing was done.
bool unpack_face(const Context& context, op::UNPACR insn, const Selection& select, Plan& plan);

}  // namespace bhemu::tensix::unpack
