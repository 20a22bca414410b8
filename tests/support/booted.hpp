// Machines whose firmware has booted already. What a boot does is the same for every program, so of
// the devices that a test makes the first of each board and timing boots, and the others go on from
// there; that boots are the same for all threads, builds and short cuts has tests of its own.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "device/image.hpp"
#include "host/boot/machine.hpp"

namespace bhemu::test {

class Boots {
 public:
  /// With our own firmware.
  std::unique_ptr<host::Machine> machine(const DeviceOptions& options) {
    auto machine = std::make_unique<host::Machine>(options, host::Firmware::embedded());
    for (const Boot& boot : boots_) {
      if (boot.columns != options.board.harvested_columns || boot.timing != options.timing)
        continue;
      machine->device().take_over(boot.image);
      return machine;
    }
    EXPECT_EQ(machine->boot().status, host::Status::Ok);
    boots_.push_back({options.board.harvested_columns, options.timing, machine->device().image()});
    return machine;
  }

 private:
  struct Boot {
    u16 columns;  // that are harvested: the boards of tests differ in nothing else
    TimingModel timing;
    std::shared_ptr<const DeviceImage> image;
  };
  std::vector<Boot> boots_;
};

}  // namespace bhemu::test
