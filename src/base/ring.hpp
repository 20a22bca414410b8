// A fixed-capacity FIFO held by value: plain data, so that a unit's state stays copyable.
#pragma once

#include <array>
#include <span>

#include "base/check.hpp"
#include "base/types.hpp"

namespace bhemu {

template <class T, unsigned Capacity>
class Ring {
 public:
  static_assert((Capacity & (Capacity - 1)) == 0, "capacity must be a power of two");
  bool empty() const { return head_ == tail_; }
  bool full() const { return size() == Capacity; }
  u32 size() const { return tail_ - head_; }
  void push(const T& value) {
    CHECK(!full());
    slots_[tail_++ % Capacity] = value;
  }
  const T& front() const { return slots_[head_ % Capacity]; }
  T& front() { return slots_[head_ % Capacity]; }
  T& back() { return slots_[(tail_ - 1) % Capacity]; }
  const T& operator[](u32 index) const { return slots_[(head_ + index) % Capacity]; }
  /// The first to the last, in one or two pieces.
  std::array<std::span<const T>, 2> pieces() const {
    const u32 first = head_ % Capacity;
    const u32 count = size();
    const u32 straight = count < Capacity - first ? count : Capacity - first;
    return {std::span(&slots_[first], straight), std::span(slots_.data(), count - straight)};
  }
  /// What was taken out last, as long as nothing has come in its place.
  const T& last_out() const { return slots_[(head_ - 1) % Capacity]; }
  T pop() {
    CHECK(!empty());
    return slots_[head_++ % Capacity];
  }
  void drop(u32 count = 1) {
    CHECK(size() >= count);
    head_ += count;
  }
  void clear() { head_ = tail_ = 0; }

 private:
  std::array<T, Capacity> slots_{};
  u32 head_ = 0;
  u32 tail_ = 0;
};

}  // namespace bhemu
