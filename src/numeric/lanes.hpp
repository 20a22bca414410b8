// The 32 lanes of the vector unit as one value. Kernels are pure functions over it, written as
// plain loops over the lanes so that a row is a vector.
//
// Documents: tt-isa-documentation BlackholeA0 LReg.md.
#pragma once

#include <array>

#include "base/types.hpp"

namespace bhemu::numeric {

inline constexpr u32 kLanes = 32;

struct alignas(64) Lanes {
  std::array<u32, kLanes> lane{};

  u32& operator[](std::size_t i) { return lane[i]; }
  u32 operator[](std::size_t i) const { return lane[i]; }
  friend bool operator==(const Lanes&, const Lanes&) = default;
};

/// A mask has one bit per lane; bit 0 is lane 0.
inline constexpr u32 kAllLanes = 0xFFFFFFFF;

inline Lanes splat(u32 value) {
  Lanes result;
  result.lane.fill(value);
  return result;
}

/// `target` takes `value` in the lanes of `mask`.
inline void blend(Lanes& target, const Lanes& value, u32 mask) {
  if (mask == kAllLanes) {
    target = value;
    return;
  }
  for (u32 i = 0; i < kLanes; ++i) {
    const u32 keep = ((mask >> i) & 1) - 1;  // all ones where the lane is masked off
    target.lane[i] = (target.lane[i] & keep) | (value.lane[i] & ~keep);
  }
}

template <class F>
Lanes map(const Lanes& a, F f) {
  Lanes result;
  for (u32 i = 0; i < kLanes; ++i) result.lane[i] = f(a.lane[i]);
  return result;
}

template <class F>
Lanes map(const Lanes& a, const Lanes& b, F f) {
  Lanes result;
  for (u32 i = 0; i < kLanes; ++i) result.lane[i] = f(a.lane[i], b.lane[i]);
  return result;
}

template <class F>
Lanes map(const Lanes& a, const Lanes& b, const Lanes& c, F f) {
  Lanes result;
  for (u32 i = 0; i < kLanes; ++i) result.lane[i] = f(a.lane[i], b.lane[i], c.lane[i]);
  return result;
}

/// The lanes where `f` holds.
template <class F>
u32 mask_where(const Lanes& a, F f) {
  u32 mask = 0;
  for (u32 i = 0; i < kLanes; ++i) mask |= static_cast<u32>(f(a.lane[i])) << i;
  return mask;
}

}  // namespace bhemu::numeric
