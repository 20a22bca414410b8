#include "kmd/watched_memory.hpp"

#include "mem/mapping.hpp"

namespace bhemu::kmd {

bool WatchedMemory::read(u64 address, void* target, u32 bytes) {
  used_ = true;
  if (memory_ == nullptr || !memory_->read(address, target, bytes)) return false;
  if (watching_) remember(address, bytes, target);
  return true;
}

bool WatchedMemory::write(u64 address, const void* source, u32 bytes) {
  changed_ = used_ = true;
  return memory_ != nullptr && memory_->write(address, source, bytes);
}

void WatchedMemory::start() {
  watching_ = true;
  changed_ = overflowed_ = false;
  count_ = 0;
}

void WatchedMemory::remember(u64 address, u32 bytes, const void* contents) {
  const u64 hash = hash_bytes(0, contents, bytes);
  for (unsigned i = 0; i < count_; ++i) {
    Seen& seen = seen_[i];
    if (seen.address != address || seen.bytes != bytes) continue;
    changed_ |= seen.contents != hash;
    seen.contents = hash;
    return;
  }
  if (count_ == kMost || bytes > kMostBytes) {
    overflowed_ = true;
    return;
  }
  seen_[count_++] = {address, bytes, hash};
}

bool WatchedMemory::changed() {
  std::array<u8, kMostBytes> now;
  for (unsigned i = 0; i < count_ && !changed_; ++i) {
    const Seen& seen = seen_[i];
    changed_ = !memory_->read(seen.address, now.data(), seen.bytes) ||
               hash_bytes(0, now.data(), seen.bytes) != seen.contents;
  }
  return changed_;
}

}  // namespace bhemu::kmd
