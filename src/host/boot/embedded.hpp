// Our firmware, built into the program: firmware/prebuilt/*.elf at the time of the build.
#pragma once

#include <span>

#include "base/types.hpp"

namespace bhemu::host {

/// The ELF of a core (0 BRISC, 1 NCRISC, 2 to 4 TRISCs); empty when the build had none.
std::span<const u8> embedded_firmware(unsigned core);

}  // namespace bhemu::host
