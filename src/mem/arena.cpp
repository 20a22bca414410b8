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
// Of a device that nobody has touched yet there is less than this: it lies in small pages in front
// of the first large one, of which it would take the whole.
constexpr u64 kInSmallPages = u64{256} << 10;
constexpr u64 kAlignment = 64;
constexpr u64 kPage = 4096;
constexpr u64 kPages = u64{48} << 20;  // of addresses; a tile takes 3 MiB

}  // namespace

Arena::~Arena() {
  for (const auto& [data, bytes] : chunks_) munmap(data, bytes);
}

u8* Arena::reserve(u64 bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  chunks_.emplace_back(static_cast<u8*>(data), bytes);
  return static_cast<u8*>(data);
}

u8* Arena::pages(u64 bytes) {
  bytes = align_up(bytes, kPage);
  if (bytes > left_in_pages_) {
    left_in_pages_ = std::max(kPages, bytes);
    next_page_ = reserve(left_in_pages_);
    // Where the host gives large pages to everybody, they would be zeroed for a few words.
    madvise(next_page_, left_in_pages_, MADV_NOHUGEPAGE);
  }
  left_in_pages_ -= bytes;
  return std::exchange(next_page_, next_page_ + bytes);
}

void* Arena::allocate(u64 bytes) {
  bytes = align_up(bytes, kAlignment);
  if (bytes > left_) {
    const u64 size = std::max(kChunk, align_up(bytes, kLargePage)) + 2 * kLargePage;
    u8* const begin = reserve(size);
    const bool first = next_ == nullptr;
    const u64 at = reinterpret_cast<std::uintptr_t>(begin);
    const u64 large = align_up(at + (first ? kInSmallPages : 0), kLargePage) - at;
    next_ = begin + large - (first ? kInSmallPages : 0);
    left_ = static_cast<u64>(begin + size - next_);
    madvise(begin + large, size - large, MADV_HUGEPAGE);  // a wish
  }
  left_ -= bytes;
  return std::exchange(next_, next_ + bytes);
}

}  // namespace bhemu
