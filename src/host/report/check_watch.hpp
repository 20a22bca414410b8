// The checks that look on at every instruction (src/check), over a run of a program.
#pragma once

#include <map>

#include "base/check_groups.hpp"
#include "check/tile_checker.hpp"
#include "device/device.hpp"
#include "host/boot/firmware.hpp"
#include "host/boot/prepared.hpp"

namespace bhemu::host {

class CheckWatch {
 public:
  /// From now on; before the program is written to the device. Does nothing when none of `set`
  /// has to look on.
  CheckWatch(Device& device, CheckSet set, const PreparedProgram& program,
             const Firmware& firmware);
  ~CheckWatch();
  CheckWatch(const CheckWatch&) = delete;
  CheckWatch& operator=(const CheckWatch&) = delete;

  /// A launch of the program is about to begin. What the ones before it have left in memory was
  /// written, but for the buffers, which begin empty.
  void begin(unsigned launch);

 private:
  Device& device_;
  const PreparedProgram& program_;
  const Firmware& firmware_;
  std::map<NodeId, check::TileChecker*> checkers_;  // they belong to the device
  unsigned observation_ = 0;
};

}  // namespace bhemu::host
