// A sparse, zero-filled, page-aligned region of host memory backed by a memfd: pages exist only
// once touched, and a client can map the same pages.
#pragma once

#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/types.hpp"

namespace bhemu {

class Mapping {
 public:
  Mapping() = default;
  /// Throws std::system_error when the host refuses the memory. `bytes` is rounded up to a page.
  Mapping(const char* name, u64 bytes);
  /// Private anonymous memory instead of a memfd: for caches that no client ever maps.
  static Mapping anonymous(u64 bytes);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  u8* data() const { return data_; }
  u64 size() const { return size_; }
  int fd() const { return fd_; }  // -1 for anonymous memory

  /// Copies to the region. Pages of a long stretch that do not exist yet are made in one go, a
  /// tenth of the cost of touching them one by one.
  void fill(u64 offset, const void* source, u64 bytes);
  /// Gives all pages back to the host; the region reads as zero again.
  void clear();
  /// A hash of the contents which costs only what was touched; zero pages do not count, so two
  /// regions with equal bytes hash equal whatever was touched.
  u64 hash() const;
  /// The pages that are not zero; whatever else was there is gone after loading.
  void archive(Archive& archive);

 private:
  bool is_populated(u64 offset, u64 bytes) const;
  void populate(u64 offset, u64 bytes);

  u8* data_ = nullptr;
  u64 size_ = 0;
  int fd_ = -1;
  std::vector<bool> populated_;  // granule by granule (kGranule); empty: none
};

/// Mixes `bytes` into `seed`; the hash of the determinism tests (64-bit FNV-style, 8 bytes a step).
u64 hash_bytes(u64 seed, const void* bytes, u64 count);

}  // namespace bhemu
