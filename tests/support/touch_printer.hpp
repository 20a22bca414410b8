// How a failing test shows a touch.
#pragma once

#include <ostream>

#include "tensix/footprint/footprint.hpp"

namespace bhemu::tensix {

inline void PrintTo(const Touch& touch, std::ostream* out) {
  *out << describe(touch) << " [" << touch.begin << " +" << touch.size << " mask " << std::hex
       << touch.mask << std::dec << "]";
}

}  // namespace bhemu::tensix
