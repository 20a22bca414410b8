// Kernels that lie where they do not belong: one that was made for another core, or linked for
// another address. Nothing forbids it, so it is looked at only when a run has failed.
#pragma once

#include <optional>
#include <string>

#include "device/device.hpp"
#include "host/report/report.hpp"

namespace bhemu::host {

struct WrongImage {
  std::string text;    // a clause: "TRISC0 runs trisc1.elf ..."
  std::string remedy;  // an order without a full stop
};

/// Of the kernels that the launch message of a tile enables: by the names of their files, and by
/// what their threads have been set up to do.
std::optional<WrongImage> wrong_image(Device& device, Coord tile, const CodeMap& code);

}  // namespace bhemu::host
