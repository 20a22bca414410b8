// What the condition guarantees under which a core goes on after it has looked at a counter: a loop
// that waits for one page proves that one page is there, whatever the counter said when it ended.
//
// Follows a counter's value through the registers of a core as far as it stays counter + constant
// (modulo 2^16 or 2^32), and reads a branch on it as a bound: the least count, from the one that is
// certain already, for which the branch would go the way it went. Anything else proves nothing.
#pragma once

#include <array>
#include <optional>

#include "base/types.hpp"

namespace bhemu::race {

enum class Compare : u8 { Equal, NotEqual, Less, NotLess, LessUnsigned, NotLessUnsigned };

class PollCondition {
 public:
  /// A counter's value is loaded. `certain`: the count that was certain before; counts wrap at
  /// 2^width. `id` names the counter to whoever asks.
  void load(u8 reg, u32 id, u32 value, u32 certain, unsigned width);
  /// rd = rs + constant. A mask to 16 bits is no change of what is known (`mask16`).
  void add(u8 rd, u8 rs, u32 constant, bool mask16 = false);
  /// rd = rs1 - rs2 (or + ), of which one may be a counter and the other is a plain number.
  void combine(u8 rd, u8 rs1, u8 rs2, u32 value1, u32 value2, bool subtract);
  /// Anything else is written to a register.
  void forget(u8 rd);

  struct Guarantee {
    u32 id = 0;
    u32 count = 0;  // of the counter, as far as it is proved; at least what was certain
  };
  /// A branch that compares two registers went `taken`.
  std::optional<Guarantee> branch(Compare compare, u8 rs1, u8 rs2, u32 value1, u32 value2,
                                  bool taken) const;

 private:
  struct Tracked {
    bool known = false;
    bool negative = false;  // constant - counter
    u32 id = 0;
    u32 value = 0;  // of the counter
    u32 certain = 0;
    u32 constant = 0;  // register = constant + or - counter
    u32 mask = 0;      // of the counter's width
    u32 shown = 0;     // of the register
  };
  static bool holds(Compare compare, u32 a, u32 b);

  std::array<Tracked, 32> registers_{};
};

}  // namespace bhemu::race
