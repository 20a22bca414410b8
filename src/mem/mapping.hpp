// A sparse, zero-filled, page-aligned region of host memory: pages exist only once touched, and a
// client can map the same pages, by the memfd that they lie in.
#pragma once

#include <string>

#include "base/archive.hpp"
#include "base/types.hpp"
#include "mem/fills.hpp"

namespace bhemu {

class Arena;

class Mapping {
 public:
  Mapping() = default;
  /// Throws std::system_error when the host refuses the memory. `bytes` is rounded up to a page.
  Mapping(const char* name, u64 bytes);
  /// Private anonymous memory instead of a memfd: for caches that no client ever maps.
  static Mapping anonymous(u64 bytes);
  /// As the first, or, without a name, as `anonymous`, in pages of the arena, which has to live
  /// longer; null: in pages of its own.
  static Mapping in_pages_of(Arena* arena, const char* name, u64 bytes);
  /// As the first, for memory that is mostly written in long stretches: those lie in large pages
  /// where the host has them. The pages get a file once somebody asks for it.
  static Mapping in_large_pages(const char* name, u64 bytes);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  u8* data() const { return data_; }
  u64 size() const { return size_; }
  /// Of the file with the same pages, for who maps them; -1 for anonymous memory. Nobody may write
  /// to the region meanwhile.
  int fd();

  /// Copies to the region. Pages of a long stretch that do not exist yet are made in one go, a
  /// tenth of the cost of touching them one by one. A long stretch that no cache of the host can
  /// have any more is written without being read into one.
  void fill(u64 offset, const void* source, u64 bytes);
  /// Gives all pages back to the host; the region reads as zero again.
  void clear();
  /// A hash of the contents which costs only what was touched; zero pages do not count, so two
  /// regions with equal bytes hash equal whatever was touched.
  u64 hash() const;
  /// The pages that are not zero; whatever else was there is gone after loading.
  void archive(Archive& archive);

 private:
  template <class Visit>
  void each_extent(Visit visit) const;
  /// Pages that are not zero, as archived; the last one has none.
  struct Run {
    u64 first = 0;
    u64 pages = 0;
  };
  void load(Archive& archive);
  bool has_large_pages() const;
  void populate(u64 offset, u64 bytes);

  u8* data_ = nullptr;
  u64 size_ = 0;
  int fd_ = -1;
  bool borrowed_ = false;               // pages of an arena
  const char* file_to_come_ = nullptr;  // its name, of memory in large pages that has none yet
  Fills fills_;                         // empty: there was no long one
};

/// XXH3 of `bytes`, 64 bits, seeded by what was hashed before: the hash of the determinism tests,
/// of snapshots and of bundles.
u64 hash_bytes(u64 seed, const void* bytes, u64 count);

}  // namespace bhemu
