// A vector of at most so many elements that lie in the vector itself, as C++26's
// std::inplace_vector: of what is not in it nothing is written, so it costs nothing in the state of
// a tile until it is used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "base/check.hpp"

namespace bhemu {

template <class T, std::size_t kCapacity>
class InplaceVector {
 public:
  InplaceVector() {}  // not defaulted: value-initialisation would write all of it
  ~InplaceVector() { clear(); }
  InplaceVector(const InplaceVector&) = delete;
  InplaceVector& operator=(const InplaceVector&) = delete;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == kCapacity; }
  T* data() { return std::launder(reinterpret_cast<T*>(bytes_)); }
  const T* data() const { return std::launder(reinterpret_cast<const T*>(bytes_)); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t index) { return data()[index]; }
  const T& operator[](std::size_t index) const { return data()[index]; }

  /// There is room.
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    CHECK(!full());
    T* const made = std::construct_at(data() + size_, std::forward<Arguments>(arguments)...);
    ++size_;
    return *made;
  }
  /// Those behind it move up.
  void erase(std::size_t index) {
    std::move(begin() + index + 1, end(), begin() + index);
    std::destroy_at(data() + --size_);
  }
  void clear() {
    std::destroy_n(data(), size_);
    size_ = 0;
  }

 private:
  std::size_t size_ = 0;
  alignas(T) std::byte bytes_[kCapacity * sizeof(T)];
};

}  // namespace bhemu
