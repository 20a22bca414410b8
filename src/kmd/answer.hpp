// How the driver hands an answer back.
#pragma once

#include <algorithm>
#include <cerrno>

#include "kmd/user_memory.hpp"

namespace bhemu::kmd {

/// The caller says how long his structure is: all of it is cleared, and as much as both know is
/// filled in. A newer client gets zeros from an older driver, an older client no more than it asked
/// for.
template <class Out>
int answer(Out* target, const Out& out, u32 wanted) {
  if (!clear_user(target, wanted)) return -EFAULT;
  return copy_to_user(target, &out, std::min<u64>(wanted, sizeof out)) ? 0 : -EFAULT;
}

}  // namespace bhemu::kmd
