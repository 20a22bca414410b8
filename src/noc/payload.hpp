// Bytes that packets carry: shared by the packets of one multicast, immutable once sent. Made
// without being filled, since whoever makes them fills them.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/types.hpp"

namespace bhemu::noc {

class Payload {
 public:
  Payload() = default;
  Payload(std::nullptr_t) {}  // NOLINT: as a pointer's
  /// `bytes` bytes, to be filled through writable(), that go to the address `to`. Long ones lie in
  /// their page where they will lie there: a copy to some bytes before or behind that takes a host
  /// up to half as long again (docs/PROFILE.md).
  static Payload of(u32 bytes, u64 to = 0) {
    const u32 room = bytes < kPlaced ? 0 : kPage;
    u8* const memory = static_cast<u8*>(std::malloc(sizeof(Block) + bytes + room));
    if (memory == nullptr) throw std::bad_alloc();
    const u64 first = reinterpret_cast<std::uintptr_t>(memory) + sizeof(Block);
    const u32 ahead = room == 0 ? 0 : static_cast<u32>(to - first) % kPage & ~(kAligned - 1);
    Payload payload;
    payload.block_ = new (memory + ahead) Block{{1}, bytes, ahead};
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
    std::free(reinterpret_cast<u8*>(block_) - block_->ahead);
  }

  bool operator==(const Payload& other) const = default;
  bool operator==(std::nullptr_t) const { return block_ == nullptr; }
  explicit operator bool() const { return block_ != nullptr; }

  u32 size() const { return block_->bytes; }
  const u8* data() const { return reinterpret_cast<const u8*>(block_ + 1); }
  /// Before it is sent.
  u8* writable() { return reinterpret_cast<u8*>(block_ + 1); }

 private:
  static constexpr u32 kPlaced = 512;  // chosen: of 8 KiB it was measured
  static constexpr u32 kPage = 4096;
  static constexpr u32 kAligned = 16;
  struct alignas(kAligned) Block {
    std::atomic<u32> users;
    u32 bytes;
    u32 ahead;  // of it, in what was allocated
  };
  Block* block_ = nullptr;
};

}  // namespace bhemu::noc
