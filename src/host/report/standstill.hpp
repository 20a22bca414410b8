// The report of a device that hangs, or was stopped at a limit: the first cause, then who waits for
// what, then the rest, as one structure and as text. Every client makes its report here.
#pragma once

#include "host/report/cause.hpp"

namespace bhemu::host {

struct Standstill {
  enum class Reason : u8 {
    Idle,      // nothing can ever happen again
    Spinning,  // cores repeat themselves
    Limit,     // of cycles
    Asked,     // somebody wants to know where everything stands, or has had enough
  };
  Reason reason = Reason::Idle;
  Cycle cycle = 0;
  size_t all_tiles = 0;
  FirstCause cause;
  std::vector<WaiterGroup> waiters;  // in kernels and threads, then in firmware
  size_t in_kernels = 0;             // how many of them; the others wait for work
};

/// `tiles`: those that have not finished; none: all that are in use. `launched`: when the launch
/// began, of several.
Standstill standstill_of(Device& device, const CodeMap& code, std::span<const Coord> tiles,
                         Standstill::Reason reason, std::span<const KnownWord> words = {},
                         Cycle launched = 0, const Observed* observed = nullptr);
std::string text_of(const Standstill& standstill);

}  // namespace bhemu::host
