// Copies of what nobody will read for a long time.
#pragma once

#include "base/types.hpp"

namespace bhemu {

/// As std::memcpy, but the target is not read into the processor's caches first, and is in none of
/// them afterwards, where the processor has stores for that. Of use where it was in none before:
/// less than half the time of std::memcpy there, and five times as much where it is in one
/// (docs/PROFILE.md, "What bounds each row").
void copy_past_caches(void* target, const void* source, u64 bytes);

}  // namespace bhemu
