// Memory for the parts of a device, which are made one after the other and go together. It comes
// zeroed and in large pages where the host has them: the state of a tile is some sixty small pages,
// and a page fault for each would cost more than all else that making a tile takes.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace bhemu {

class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Zeroed, aligned to 64 bytes, until the arena goes. Throws std::bad_alloc.
  void* allocate(u64 bytes);
  /// Whole small pages that read as zero, of which only those exist that are touched: room for
  /// mappings, which would cost two calls to the kernel each. Until the arena goes, too.
  u8* pages(u64 bytes);

 private:
  u8* reserve(u64 bytes);

  std::vector<std::pair<u8*, u64>> chunks_;
  u8* next_ = nullptr;
  u64 left_ = 0;
  u8* next_page_ = nullptr;
  u64 left_in_pages_ = 0;
};

/// For constructors of objects with large members: they lie in memory that is zero, as an arena's,
/// so what begins as zero need not be written.
struct InZeroedMemory {
  bool holds = false;
};

/// Ends what make_in has begun.
struct ArenaDelete {
  bool in_arena = false;
  template <class T>
  void operator()(T* object) const {
    if (in_arena)
      object->~T();
    else
      delete object;
  }
};
template <class T>
using ArenaPtr = std::unique_ptr<T, ArenaDelete>;

/// In the arena, or, without one, as std::make_unique does it.
template <class T, class... Arguments>
ArenaPtr<T> make_in(Arena* arena, Arguments&&... arguments) {
  if (arena == nullptr)
    return ArenaPtr<T>(new T(std::forward<Arguments>(arguments)...), ArenaDelete{false});
  void* const memory = arena->allocate(sizeof(T));
  return ArenaPtr<T>(new (memory) T(std::forward<Arguments>(arguments)...), ArenaDelete{true});
}

/// A value most of which is zero, to make copies of in an arena, whose memory is zero already. A
/// static object, so that its padding is zero, too.
template <class T>
class SparseImage {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  /// What `fill` makes of a T.
  template <class Fill>
  explicit SparseImage(Fill fill) {
    fill(value_);
    const u8* const bytes = reinterpret_cast<const u8*>(&value_);
    for (u64 at = 0; at < sizeof(T); at += kStep) {
      const u64 size = std::min(kStep, sizeof(T) - at);
      if (std::all_of(bytes + at, bytes + at + size, [](u8 byte) { return byte == 0; })) continue;
      if (pieces_.empty() || pieces_.back().first + pieces_.back().second != at)
        pieces_.emplace_back(at, 0);
      pieces_.back().second += size;
    }
  }

  const T& value() const { return value_; }
  ArenaPtr<T> copy_in(Arena* arena) const {
    if (arena == nullptr) return make_in<T>(nullptr, value_);
    u8* const memory = static_cast<u8*>(arena->allocate(sizeof(T)));
    copy_to_zeros(memory);
    return ArenaPtr<T>(std::launder(reinterpret_cast<T*>(memory)), ArenaDelete{true});
  }
  /// `memory`: sizeof(T) zeros.
  void copy_to_zeros(void* memory) const {
    for (const auto& [at, size] : pieces_)
      std::memcpy(static_cast<u8*>(memory) + at, reinterpret_cast<const u8*>(&value_) + at, size);
  }

 private:
  static constexpr u64 kStep = 64;
  T value_;
  std::vector<std::pair<u64, u64>> pieces_;  // offset and size of what is not zero
};

}  // namespace bhemu
