#include "mem/pages.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "base/bits.hpp"

namespace bhemu {

void make_pages(void* data, u64 bytes) {
  constexpr std::uintptr_t kPage = 4096;
  const auto first = reinterpret_cast<std::uintptr_t>(data) & ~(kPage - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(data) + bytes;
  madvise(reinterpret_cast<void*>(first), align_up(end - first, kPage), MADV_POPULATE_WRITE);
}

}  // namespace bhemu
