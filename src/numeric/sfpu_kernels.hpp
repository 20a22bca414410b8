// Arithmetic of the vector unit on all 32 lanes at once, with the widest vectors that the host has.
// Every kernel gives, lane by lane, the bits of the scalar function that it names.
#pragma once

#include "numeric/lanes.hpp"

namespace bhemu::numeric {

/// sfpu_mul_add(x ^ flip_x, y, z ^ flip_z).
Lanes sfpu_mul_add_lanes(const Lanes& x, const Lanes& y, const Lanes& z, u32 flip_x, u32 flip_z);

/// The lanes where sfpu_is_smaller(a, b).
u32 sfpu_smaller_lanes(const Lanes& a, const Lanes& b);

}  // namespace bhemu::numeric
