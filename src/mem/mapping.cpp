#include "mem/mapping.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "mem/arena.hpp"
#include "mem/copy_past_caches.hpp"
#include "mem/pages.hpp"

namespace bhemu {
namespace {

constexpr u64 kPage = 4096;
constexpr u64 kPiece = 512 * 1024;
constexpr u64 kLargePage = 2 * 1024 * 1024;
// Shorter stretches do not repay the zeroing of a large page.
constexpr u64 kWorthLargePages = 256 * 1024;
static_assert(kLargePage == Fills::kBlock && kLargePage % kPiece == 0);

u8* map(u64 bytes, int flags, int fd) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, fd, 0);
  if (data == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  return static_cast<u8*>(data);
}

bool all_zero(const u8* page) {
  return page[0] == 0 && std::memcmp(page, page + 1, kPage - 1) == 0;
}

/// Calls `visit(first byte, count)` for every run of the file that holds data; holes are zero.
template <class Visit>
void each_extent_of_file(int fd, u64 size, Visit visit) {
  off_t at = 0;
  while (static_cast<u64>(at) < size) {
    const off_t first = lseek(fd, at, SEEK_DATA);
    if (first < 0) return;  // ENXIO: only a hole remains
    const off_t end = lseek(fd, first, SEEK_HOLE);
    visit(static_cast<u64>(first), static_cast<u64>(end - first));
    at = end;
  }
}

// The kernel's PAGEMAP_SCAN (Documentation/admin-guide/mm/pagemap.rst, since 6.7), which headers of
// older systems do not have.
struct PageRegion {
  u64 start, end, categories;
};
struct PageScan {
  u64 size, flags, start, end, walk_end, regions, region_count, max_pages;
  u64 inverted, mask, any_of, returned;
};
constexpr unsigned long kScan = _IOWR('f', 16, PageScan);
constexpr u64 kPresent = 1u << 3 | 1u << 4;  // or swapped out

/// Runs of private memory that somebody has written to. False: the kernel cannot tell.
template <class Visit>
bool each_extent_of_memory(u8* data, u64 size, Visit visit) {
  // Not kept open: after a fork it would tell of the parent's pages.
  const int pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pages < 0) return false;
  std::array<PageRegion, 64> regions;
  const u64 base = reinterpret_cast<std::uintptr_t>(data);
  bool told = true;
  for (u64 at = base; told && at < base + size;) {
    PageScan scan{};
    scan.size = sizeof scan;
    scan.start = at;
    scan.end = base + size;
    scan.regions = reinterpret_cast<std::uintptr_t>(regions.data());
    scan.region_count = regions.size();
    scan.any_of = scan.returned = kPresent;
    const int count = ioctl(pages, kScan, &scan);
    told = count >= 0 && scan.walk_end > at;
    for (int i = 0; i < count; ++i)
      visit(regions[i].start - base, regions[i].end - regions[i].start);
    at = scan.walk_end;
  }
  close(pages);
  return told;
}

/// Of what was filled before so many other bytes nothing is in the host's caches. At most kMost,
/// which is chosen, not measured: a virtual machine is told of a cache that it shares with others
/// (256 MiB on one on which 16 MiB were not found in it again).
u64 cache_bytes() {
  static const u64 kBytes = [] {
    constexpr u64 kUnknown = 32 << 20;
    constexpr u64 kMost = 48 << 20;
    long told = -1;
#ifdef _SC_LEVEL3_CACHE_SIZE
    told = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return told > 0 ? std::min(static_cast<u64>(told), kMost) : kUnknown;
  }();
  return kBytes;
}

bool tells_extents_of_memory() {
  static const bool kTells = [] {
    u8* const page = map(kPage, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    const bool tells = each_extent_of_memory(page, kPage, [](u64, u64) {});
    munmap(page, kPage);
    return tells;
  }();
  return kTells;
}

int file_of(const char* name, u64 bytes) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    close(fd);
    throw std::system_error(errno, std::generic_category(), "ftruncate");
  }
  return fd;
}

}  // namespace

/// Pages of private memory are made in half the time that pages of a file take, and clients map few
/// regions. Large pages, where the host gives them to everybody, would be zeroed for a few words.
Mapping::Mapping(const char* name, u64 bytes) : size_(align_up(bytes, kPage)) {
  if (tells_extents_of_memory()) {
    data_ = map(size_, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    madvise(data_, size_, MADV_NOHUGEPAGE);
    file_to_come_ = name;
  } else {
    fd_ = file_of(name, size_);
    data_ = map(size_, MAP_SHARED, fd_);
  }
}

Mapping Mapping::in_pages_of(Arena* arena, const char* name, u64 bytes) {
  if (arena == nullptr || (name != nullptr && !tells_extents_of_memory()))
    return name != nullptr ? Mapping(name, bytes) : anonymous(bytes);
  Mapping mapping;
  mapping.size_ = align_up(bytes, kPage);
  mapping.data_ = arena->pages(mapping.size_);
  mapping.borrowed_ = true;
  mapping.file_to_come_ = name;
  return mapping;
}

Mapping Mapping::in_large_pages(const char* name, u64 bytes) {
  if (!tells_extents_of_memory()) return Mapping(name, bytes);
  const u64 size = align_up(bytes, kLargePage);
  void* const room = mmap(nullptr, size + kLargePage, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return Mapping(name, bytes);
  Mapping mapping;
  mapping.size_ = size;
  mapping.file_to_come_ = name;
  u8* const first = static_cast<u8*>(room);
  mapping.data_ = first + (0 - reinterpret_cast<std::uintptr_t>(first)) % kLargePage;
  if (mapping.data_ != first) munmap(first, static_cast<u64>(mapping.data_ - first));
  munmap(mapping.data_ + size, kLargePage - static_cast<u64>(mapping.data_ - first));
  return mapping;
}

template <class Visit>
void Mapping::each_extent(Visit visit) const {
  CHECK(fd_ >= 0 || file_to_come_ != nullptr);
  if (fd_ >= 0) return each_extent_of_file(fd_, size_, visit);
  CHECK(each_extent_of_memory(data_, size_, visit));
}

/// The file takes the place of the private memory, at the same addresses.
int Mapping::fd() {
  if (file_to_come_ == nullptr) return fd_;
  const int file = file_of(file_to_come_, size_);
  u8* const copy = map(size_, MAP_SHARED, file);
  each_extent([&](u64 first, u64 count) { std::memcpy(copy + first, data_ + first, count); });
  munmap(copy, size_);
  void* const data =
      mmap(data_, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0);
  CHECK(data == data_);
  file_to_come_ = nullptr;
  fd_ = file;
  return fd_;
}

Mapping Mapping::anonymous(u64 bytes) {
  Mapping mapping;
  mapping.size_ = align_up(bytes, kPage);
  mapping.data_ = map(mapping.size_, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  return mapping;
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      fd_(std::exchange(other.fd_, -1)),
      borrowed_(std::exchange(other.borrowed_, false)),
      file_to_come_(std::exchange(other.file_to_come_, nullptr)),
      fills_(std::move(other.fills_)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(fd_, other.fd_);
  std::swap(borrowed_, other.borrowed_);
  std::swap(file_to_come_, other.file_to_come_);
  std::swap(fills_, other.fills_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr && !borrowed_) munmap(data_, size_);
  if (fd_ >= 0) close(fd_);
}

void Mapping::fill(u64 offset, const void* source, u64 bytes) {
  CHECK(offset <= size_ && bytes <= size_ - offset);
  const u8* from = static_cast<const u8*>(source);
  if (bytes < Fills::kGranule) {
    if (bytes != 0) std::memcpy(data_ + offset, from, bytes);
    return;
  }
  if (fills_.empty()) fills_ = Fills(size_, cache_bytes());
  // Piece by piece: what the kernel has just zeroed is still in the processor's cache then.
  while (bytes != 0) {
    const u64 piece = std::min(bytes, kPiece - offset % kPiece);
    const bool cold = fills_.begin(offset, piece);
    const bool fresh = !fills_.has_pages(offset, piece);
    if (fresh) populate(offset, piece);
    if (cold && !fresh)
      copy_past_caches(data_ + offset, from, piece);
    else
      std::memcpy(data_ + offset, from, piece);
    offset += piece;
    from += piece;
    bytes -= piece;
  }
}

/// As in_large_pages makes it, and no client maps it by a file.
bool Mapping::has_large_pages() const {
  return file_to_come_ != nullptr &&
         (reinterpret_cast<std::uintptr_t>(data_) | size_) % kLargePage == 0;
}

void Mapping::populate(u64 offset, u64 bytes) {
  const u64 first = offset & ~u64{kPage - 1};
  const u64 end = offset + bytes;
  if (has_large_pages() && bytes >= kWorthLargePages) {
    const u64 begin = offset & ~(kLargePage - 1);
    madvise(data_ + begin, align_up(end, kLargePage) - begin, MADV_HUGEPAGE);
  }
  make_pages(data_ + first, end - first);
  fills_.made_pages(first, end - first);
}

void Mapping::clear() {
  fills_ = {};
  if (fd_ >= 0) {
    const int failed =
        fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size_));
    CHECK(failed == 0);
  } else if (data_ != nullptr) {
    madvise(data_, size_, MADV_DONTNEED);
  }
}

u64 Mapping::hash() const {
  u64 hash = 0;
  each_extent([&](u64 first, u64 count) {
    for (u64 at = first; at < first + count; at += kPage) {
      if (all_zero(data_ + at)) continue;
      hash = hash_bytes(hash ^ at, data_ + at, kPage);
    }
  });
  return hash;
}

void Mapping::archive(Archive& archive) {
  archive.expect(size_);
  if (archive.is_loading()) return load(archive);
  // Pages that follow one another go together.
  Run run;
  const auto write = [&] {
    if (run.pages == 0) return;
    archive.value(run);
    archive.raw(data_ + run.first * kPage, run.pages * kPage);
    run = {};
  };
  each_extent([&](u64 first, u64 count) {
    for (u64 at = first; at < first + count; at += kPage) {
      if (all_zero(data_ + at)) continue;
      const u64 page = at / kPage;
      if (run.pages == 0 || page != run.first + run.pages) {
        write();
        run.first = page;
      }
      ++run.pages;
    }
  });
  write();
  archive.value(run);
}

void Mapping::load(Archive& archive) {
  clear();  // a tile just made may have firmware in it
  Run run;
  for (archive.value(run); run.pages != 0; archive.value(run)) {
    const u64 pages = size_ / kPage;
    if (run.first > pages || run.pages > pages - run.first)
      throw ArchiveError("the snapshot names a page beyond its memory");
    u8* const target = data_ + run.first * kPage;
    if (run.pages > 1) make_pages(target, run.pages * kPage);
    archive.raw(target, run.pages * kPage);
  }
}

u64 hash_bytes(u64 seed, const void* bytes, u64 count) {
  return XXH3_64bits_withSeed(bytes, count, seed);
}

}  // namespace bhemu
