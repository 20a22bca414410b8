// Memory that will be looked at soon: the host is asked for it, and nothing else happens.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bhemu {

inline constexpr std::size_t kCacheLine = 64;

/// The lines of the host's caches that hold [begin, end). It may be memory that nobody may read.
inline void prefetch(const void* begin, const void* end) {
  const auto last = reinterpret_cast<std::uintptr_t>(end);
  for (auto at = reinterpret_cast<std::uintptr_t>(begin); at < last; at += kCacheLine)
    __builtin_prefetch(reinterpret_cast<const void*>(at));
}
template <class T>
inline void prefetch(const T& object) {
  prefetch(&object, &object + 1);
}

}  // namespace bhemu
