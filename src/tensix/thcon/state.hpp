// General purpose registers of the scalar unit. Owner: thcon/.
#pragma once

#include <array>

#include "base/types.hpp"

namespace bhemu::tensix {

inline constexpr u32 kGprs = 64;

struct ThconState {
  std::array<std::array<u32, kGprs>, kThreads> gpr{};
  /// The thread whose FLUSHDMA, ATCAS or ATINCGETPTR occupies the unit while it waits, + 1; or 0.
  u32 occupied_by = 0;
};

}  // namespace bhemu::tensix
