// Bytes that packets carry: shared by the packets of one multicast, immutable once sent. Made
// without being filled, since whoever makes them fills them.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/types.hpp"

namespace bhemu::noc {

class Payload {
 public:
  Payload() = default;
  Payload(std::nullptr_t) {}  // NOLINT: as a pointer's
  /// `bytes` bytes, to be filled through writable().
  static Payload of(u32 bytes) {
    void* memory = std::malloc(sizeof(Block) + bytes);
    if (memory == nullptr) throw std::bad_alloc();
    Payload payload;
    payload.block_ = new (memory) Block{{1}, bytes};
    return payload;
  }
  Payload(const Payload& other) : block_(other.block_) {
    if (block_ != nullptr) block_->users.fetch_add(1, std::memory_order_relaxed);
  }
  Payload(Payload&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Payload& operator=(Payload other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Payload() {
    // Who is alone with it needs no atomic operation to know.
    if (block_ == nullptr || (block_->users.load(std::memory_order_acquire) != 1 &&
                              block_->users.fetch_sub(1, std::memory_order_acq_rel) != 1))
      return;
    std::free(block_);
  }

  bool operator==(const Payload& other) const = default;
  bool operator==(std::nullptr_t) const { return block_ == nullptr; }
  explicit operator bool() const { return block_ != nullptr; }

  u32 size() const { return block_->bytes; }
  const u8* data() const { return reinterpret_cast<const u8*>(block_ + 1); }
  /// Before it is sent.
  u8* writable() { return reinterpret_cast<u8*>(block_ + 1); }

 private:
  struct Block {
    std::atomic<u32> users;
    u32 bytes;
  };
  Block* block_ = nullptr;
};

}  // namespace bhemu::noc
