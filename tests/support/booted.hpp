// Machines whose firmware has booted already. What a boot does is the same for every program, so of
// the devices that a test makes the first of each board and timing boots, and the others go on from
// there; that boots are the same for all threads, builds and short cuts has tests of its own.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/archive.hpp"
#include "device/image.hpp"
#include "host/boot/machine.hpp"

namespace bhemu::test {

class Boots {
 public:
  /// With our own firmware.
  std::unique_ptr<host::Machine> machine(const DeviceOptions& options) {
    auto machine = std::make_unique<host::Machine>(options, host::Firmware::embedded());
    for (const auto& image : images_)
      if (takes_over(machine->device(), image)) return machine;
    EXPECT_EQ(machine->boot().status, host::Status::Ok);
    images_.push_back(machine->device().image());
    return machine;
  }

 private:
  /// False: it is of another board or timing.
  static bool takes_over(Device& device, const std::shared_ptr<const DeviceImage>& image) {
    try {
      device.take_over(image);
      return true;
    } catch (const ArchiveError&) {
      return false;
    }
  }

  std::vector<std::shared_ptr<const DeviceImage>> images_;
};

}  // namespace bhemu::test
