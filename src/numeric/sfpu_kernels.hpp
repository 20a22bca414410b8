// Arithmetic of the vector unit on all 32 lanes at once, with the widest vectors that the host has.
// Every kernel gives, lane by lane, the bits of the scalar function that it names.
#pragma once

#include "numeric/lanes.hpp"

namespace bhemu::numeric {

struct MulAddLanes {
  const Lanes& x;
  const Lanes& y;
  const Lanes& z;
  u32 flip_x = 0;  // sign bits
  u32 flip_z = 0;
};
/// sfpu_mul_add(x ^ flip_x, y, z ^ flip_z) in the lanes of `mask`. `out` may be an operand.
void sfpu_mul_add_lanes(const MulAddLanes& job, u32 mask, Lanes& out);

/// The lanes where sfpu_is_smaller(a, b).
u32 sfpu_smaller_lanes(const Lanes& a, const Lanes& b);

}  // namespace bhemu::numeric
