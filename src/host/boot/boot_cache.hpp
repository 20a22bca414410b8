// Boots that have been done before. What a boot comes to depends on the firmware, the board, the
// timing and this build of bhemu alone; so its image (device/image.hpp) is kept in a file that is
// named by a hash of these, and whoever boots the same again goes on from there. The device is then
// the same to the bit: memory, registers, who sleeps, cycles, counts of instructions.
//
// Not for devices that somebody looks on at (a trace, an observer, a debugger): he is to see the
// boot; nor for those to which something was done before, nor for boots with a diagnosis, nor in
// timing chaos. The files are trusted: their checksum finds damage, not malice.
#pragma once

#include <string>
#include <utility>

#include "device/device.hpp"
#include "host/boot/firmware.hpp"

namespace bhemu::host {

class BootCache {
 public:
  /// Boots that are kept in one folder; of more, those that nobody has used for longest go.
  static constexpr unsigned kMostKept = 32;

  /// Empty: nothing is kept, and nothing found.
  explicit BootCache(std::string folder = "") : folder_(std::move(folder)) {}
  /// The folder that BHEMU_BOOT_CACHE names.
  static BootCache from_environment();

  /// True: the device is as after this boot. A file that is damaged or of something else counts as
  /// none. Throws InputError when the folder cannot be written to, or this bhemu has no build id.
  bool resume(Device& device, const Firmware& firmware);
  /// After resume() has said no and the boot was done and went well: it is kept. When the file
  /// cannot be written, standard error is told so, and there is no part of it.
  void keep(Device& device);

 private:
  std::string path_of(const Device& device, const Firmware& firmware) const;
  void drop_oldest() const;

  std::string folder_;
  std::string path_;  // of the boot under way; empty: it is not to be kept
};

}  // namespace bhemu::host
