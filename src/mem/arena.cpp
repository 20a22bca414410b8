#include "mem/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "base/bits.hpp"

namespace bhemu {
namespace {

constexpr u64 kLargePage = u64{2} << 20;
constexpr u64 kChunk = u64{16} << 20;  // of addresses; memory comes as it is touched
constexpr u64 kAlignment = 64;

}  // namespace

Arena::~Arena() {
  for (const auto& [data, bytes] : chunks_) munmap(data, bytes);
}

void* Arena::allocate(u64 bytes) {
  bytes = align_up(bytes, kAlignment);
  if (bytes > left_) {
    const u64 size = std::max(kChunk, align_up(bytes, kLargePage)) + kLargePage;
    void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) throw std::bad_alloc();
    chunks_.emplace_back(static_cast<u8*>(data), size);
    const u64 skip = align_up(reinterpret_cast<std::uintptr_t>(data), kLargePage) -
                     reinterpret_cast<std::uintptr_t>(data);
    next_ = static_cast<u8*>(data) + skip;
    left_ = size - skip;
    madvise(next_, left_, MADV_HUGEPAGE);  // a wish
  }
  left_ -= bytes;
  return std::exchange(next_, next_ + bytes);
}

}  // namespace bhemu
