// Puts a client's wish for a window into the window's registers.
#pragma once

#include "card/function.hpp"
#include "kmd/abi.hpp"

namespace bhemu::kmd {

/// As the driver writes them: fields are cut to the width of the registers, and a pattern of
/// strides is taken back. The address has been checked. At the edge only.
void aim_window(card::Function& function, unsigned window, const abi::NocTlbConfig& config);

}  // namespace bhemu::kmd
