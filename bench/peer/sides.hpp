// The two sides of the comparison: each runs a guest program for a while and says what it has done.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "peer/guest.hpp"

namespace bhemu::peer {

/// Work done in a stretch of host time. Of a program whose turns take longer than the stretch
/// there may be none.
struct Stretch {
  double turns = 0;
  double seconds = 0;
};

class Side {
 public:
  virtual ~Side() = default;
  /// Goes on with the program for about `seconds`. Throws std::runtime_error when it cannot.
  virtual Stretch run(double seconds) = 0;
  /// The tile at kOut, between two stretches.
  virtual std::vector<u8> tile() = 0;
};

/// bhemu, one host thread, in this process.
std::unique_ptr<Side> run_here(const GuestProgram& program);

/// A library with the libttsim ABI, in a process of its own: such a library keeps its state in
/// globals, and ends the process when it meets something that it does not support.
std::unique_ptr<Side> run_in_peer(const std::string& library, const GuestProgram& program);

}  // namespace bhemu::peer
