// The checks that look on at every instruction (src/check), over a run of a program.
#pragma once

#include "base/check_groups.hpp"
#include "device/device.hpp"
#include "host/boot/firmware.hpp"
#include "host/boot/prepared.hpp"

namespace bhemu::host {

class CheckWatch {
 public:
  /// From now on; before the program is written to the device. Does nothing when none of `set`
  /// has to look on.
  CheckWatch(Device& device, CheckSet set, const Program& program, const PreparedPart& part,
             const Firmware& firmware);
  ~CheckWatch();
  CheckWatch(const CheckWatch&) = delete;
  CheckWatch& operator=(const CheckWatch&) = delete;

 private:
  Device& device_;
  unsigned observation_ = 0;
};

}  // namespace bhemu::host
