// Memory of the caller as a kernel reaches it: an address that is not there is an error and no
// crash.
#pragma once

#include <functional>

#include "base/types.hpp"

namespace bhemu::kmd {

/// False: not all of it is mapped (or not writable). The caller's side is an address: it may be
/// anything.
bool copy_from_user(void* target, u64 source, u64 bytes);
bool copy_to_user(u64 target, const void* source, u64 bytes);
bool clear_user(u64 target, u64 bytes);
/// Calls `visit(address, bytes)` for the part of each mapping of this process that lies in the
/// stretch.
void each_mapping(u64 address, u64 bytes, const std::function<void(u64, u64)>& visit);
/// Every page of the stretch can be read, and written if `writable`.
bool is_mapped(u64 address, u64 bytes, bool writable);

}  // namespace bhemu::kmd
