// Memory of the caller as a kernel reaches it: an address that is not there is an error and no
// crash.
#pragma once

#include "base/types.hpp"

namespace bhemu::kmd {

/// False: not all of it is mapped (or not writable).
bool copy_from_user(void* target, const void* source, u64 bytes);
bool copy_to_user(void* target, const void* source, u64 bytes);
bool clear_user(void* target, u64 bytes);
/// Every page of the stretch can be read, and written if `writable`.
bool is_mapped(u64 address, u64 bytes, bool writable);

}  // namespace bhemu::kmd
