// A duration as the timing tables give it: the least, the typical and the most, in cycles, with how
// it is known.
#pragma once

#include "base/types.hpp"

namespace bhemu {

struct TimingRange {
  u16 minimum = 0;
  u16 typical = 0;
  u16 maximum = 0;

  constexpr bool in_order() const { return minimum <= typical && typical <= maximum; }
};

enum class Evidence : u8 {
  Measured,    // on silicon
  Documented,  // by the vendor
  Guessed,     // from something like it
};

constexpr const char* name_of(Evidence evidence) {
  return evidence == Evidence::Measured     ? "measured"
         : evidence == Evidence::Documented ? "documented"
                                            : "guessed";
}

}  // namespace bhemu
