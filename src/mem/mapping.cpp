#include "mem/mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/bits.hpp"
#include "base/check.hpp"

namespace bhemu {
namespace {

constexpr u64 kPage = 4096;
constexpr u64 kNoPage = ~u64{0};

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
void each_extent(int fd, u64 size, Visit visit) {
  off_t at = 0;
  while (static_cast<u64>(at) < size) {
    const off_t first = lseek(fd, at, SEEK_DATA);
    if (first < 0) return;  // ENXIO: only a hole remains
    const off_t end = lseek(fd, first, SEEK_HOLE);
    visit(static_cast<u64>(first), static_cast<u64>(end - first));
    at = end;
  }
}

}  // namespace

Mapping::Mapping(const char* name, u64 bytes) : size_(align_up(bytes, kPage)) {
  fd_ = memfd_create(name, MFD_CLOEXEC);
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
  if (ftruncate(fd_, static_cast<off_t>(size_)) != 0) {
    close(fd_);
    throw std::system_error(errno, std::generic_category(), "ftruncate");
  }
  data_ = map(size_, MAP_SHARED, fd_);
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
      fd_(std::exchange(other.fd_, -1)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(fd_, other.fd_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_);
  if (fd_ >= 0) close(fd_);
}

void Mapping::populate(u64 offset, u64 bytes) {
  CHECK(offset <= size_ && bytes <= size_ - offset);
  const u64 first = offset & ~u64{kPage - 1};
  // A kernel before 5.14 refuses, and the pages come one by one when they are touched.
  madvise(data_ + first, offset + bytes - first, MADV_POPULATE_WRITE);
}

void Mapping::clear() {
  if (fd_ >= 0) {
    const int failed =
        fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size_));
    CHECK(failed == 0);
  } else if (data_ != nullptr) {
    madvise(data_, size_, MADV_DONTNEED);
  }
}

u64 Mapping::hash() const {
  CHECK(fd_ >= 0);
  u64 hash = 0;
  each_extent(fd_, size_, [&](u64 first, u64 count) {
    for (u64 at = first; at < first + count; at += kPage) {
      if (all_zero(data_ + at)) continue;
      hash = hash_bytes(hash ^ at, data_ + at, kPage);
    }
  });
  return hash;
}

void Mapping::archive(Archive& archive) {
  CHECK(fd_ >= 0);
  archive.expect(size_);
  u64 page = 0;
  if (archive.is_loading()) {
    clear();
    for (archive.value(page); page != kNoPage; archive.value(page)) {
      if (page >= size_ / kPage) throw ArchiveError("the snapshot names a page beyond its memory");
      archive.raw(data_ + page * kPage, kPage);
    }
    return;
  }
  each_extent(fd_, size_, [&](u64 first, u64 count) {
    for (u64 at = first; at < first + count; at += kPage) {
      if (all_zero(data_ + at)) continue;
      page = at / kPage;
      archive.value(page);
      archive.raw(data_ + at, kPage);
    }
  });
  page = kNoPage;
  archive.value(page);
}

u64 hash_bytes(u64 seed, const void* bytes, u64 count) {
  constexpr u64 kPrime = 0x9E3779B97F4A7C15;
  const auto* at = static_cast<const u8*>(bytes);
  u64 hash = seed ^ (count * kPrime);
  for (; count >= 8; count -= 8, at += 8) {
    u64 word;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  }
  u64 tail = 0;
  if (count != 0) std::memcpy(&tail, at, count);
  hash = (hash ^ tail) * kPrime;
  return hash ^ (hash >> 29);
}

}  // namespace bhemu
