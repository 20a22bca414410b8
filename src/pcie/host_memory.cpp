#include "pcie/host_memory.hpp"

#include <atomic>
#include <cstring>

namespace bhemu::pcie {
namespace {

bool is_word(const u8* at, u32 left) {
  return left >= 8 && reinterpret_cast<std::uintptr_t>(at) % 8 == 0;
}

}  // namespace

u8* SpanMemory::at(u64 address, u32 bytes) const {
  const u64 offset = address - base_;
  if (offset > memory_.size() || bytes > memory_.size() - offset) return nullptr;
  return memory_.data() + offset;
}

bool SpanMemory::read(u64 address, void* target, u32 bytes) {
  u8* from = at(address, bytes);
  if (from == nullptr) return false;
  u8* to = static_cast<u8*>(target);
  for (u32 left = bytes; left != 0;) {
    u32 step = 1;
    if (is_word(from, left)) {
      const u64 word =
          std::atomic_ref<u64>(*reinterpret_cast<u64*>(from)).load(std::memory_order_acquire);
      std::memcpy(to, &word, step = 8);
    } else {
      *to = std::atomic_ref<u8>(*from).load(std::memory_order_acquire);
    }
    from += step;
    to += step;
    left -= step;
  }
  return true;
}

bool SpanMemory::write(u64 address, const void* source, u32 bytes) {
  u8* to = at(address, bytes);
  if (to == nullptr) return false;
  const u8* from = static_cast<const u8*>(source);
  for (u32 left = bytes; left != 0;) {
    u32 step = 1;
    if (is_word(to, left)) {
      u64 word;
      std::memcpy(&word, from, step = 8);
      std::atomic_ref<u64>(*reinterpret_cast<u64*>(to)).store(word, std::memory_order_release);
    } else {
      std::atomic_ref<u8>(*to).store(*from, std::memory_order_release);
    }
    from += step;
    to += step;
    left -= step;
  }
  return true;
}

}  // namespace bhemu::pcie
