// A fixed-capacity FIFO held by value: plain data, so that a unit's state stays copyable.
#pragma once

#include <array>
#include <span>

#include "base/check.hpp"
#include "base/types.hpp"

namespace bhemu {

/// Where the two numbers that say what is in a ring lie: beside what is before it, or behind it.
enum class RingPlaces : u8 { Last, First };

template <class T, unsigned Capacity, RingPlaces Places>
struct RingMemory {
  std::array<T, Capacity> slots{};
  u32 head = 0;
  u32 tail = 0;
};
template <class T, unsigned Capacity>
struct RingMemory<T, Capacity, RingPlaces::First> {
  u32 head = 0;
  u32 tail = 0;
  std::array<T, Capacity> slots{};
};

template <class T, unsigned Capacity, RingPlaces Places = RingPlaces::Last>
class Ring {
 public:
  static_assert((Capacity & (Capacity - 1)) == 0, "capacity must be a power of two");
  bool empty() const { return memory_.head == memory_.tail; }
  bool full() const { return size() == Capacity; }
  u32 size() const { return memory_.tail - memory_.head; }
  void push(const T& value) {
    CHECK(!full());
    memory_.slots[memory_.tail++ % Capacity] = value;
  }
  const T& front() const { return memory_.slots[memory_.head % Capacity]; }
  T& front() { return memory_.slots[memory_.head % Capacity]; }
  T& back() { return memory_.slots[(memory_.tail - 1) % Capacity]; }
  const T& operator[](u32 index) const { return memory_.slots[(memory_.head + index) % Capacity]; }
  /// The first to the last, in one or two pieces.
  std::array<std::span<const T>, 2> pieces() const {
    const u32 first = memory_.head % Capacity;
    const u32 count = size();
    const u32 straight = count < Capacity - first ? count : Capacity - first;
    return {std::span(&memory_.slots[first], straight),
            std::span(memory_.slots.data(), count - straight)};
  }
  /// What was taken out last, as long as nothing has come in its place.
  const T& last_out() const { return memory_.slots[(memory_.head - 1) % Capacity]; }
  T pop() {
    CHECK(!empty());
    return memory_.slots[memory_.head++ % Capacity];
  }
  void drop(u32 count = 1) {
    CHECK(size() >= count);
    memory_.head += count;
  }
  void clear() { memory_.head = memory_.tail = 0; }

 private:
  RingMemory<T, Capacity, Places> memory_;
};

}  // namespace bhemu
