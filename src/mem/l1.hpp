// L1 of one tile (1.5 MiB, BlackholeA0/TensixTile/L1.md; 512 KiB in an Ethernet tile) and the one
// door through which every writer passes: cores, coprocessor, NIUs, mover, host.
//
// Each 64-byte line has a byte of flags. A write to a line with flags zero is a plain copy; any
// flag sends it through `WriteListener::before_write`, which runs before the bytes change:
//   kCode     words of the line were decoded; their cache entries must be dropped
//   kWatched  a parked core polls a word of the line
//   kPolled   a thread of the coprocessor waits for a word of the line (ATCAS, ATINCGETPTR)
//   kObserved an observer wants to see every write of the tile
//   kLookedAt a debugger has a watchpoint on the line
//   kSource   a NoC write may still have to leave from the line, or software lies there (checks)
#pragma once

#include <cstring>

#include "base/author.hpp"
#include "base/check.hpp"
#include "base/types.hpp"
#include "mem/arena.hpp"
#include "mem/mapping.hpp"

namespace bhemu {

/// Told of a write to a line with flags before its bytes change.
class WriteListener {
 public:
  virtual void before_write(u32 address, u32 bytes, const Author& author) = 0;

 protected:
  ~WriteListener() = default;
};

class L1 {
 public:
  static constexpr u32 kSize = kL1Size;  // of a Tensix tile, the largest
  static constexpr u32 kLineShift = 6;
  static constexpr u32 kLines = kSize >> kLineShift;
  static constexpr u8 kCode = 1;
  static constexpr u8 kWatched = 2;
  static constexpr u8 kPolled = 4;
  static constexpr u8 kObserved = 8;
  static constexpr u8 kLookedAt = 16;
  static constexpr u8 kSource = 32;
  static constexpr u8 kOfTools = kObserved | kLookedAt;

  /// In pages of the arena, if there is one.
  explicit L1(u32 bytes = kSize, Arena* arena = nullptr, InZeroedMemory zeroed = {})
      : memory_(Mapping::in_pages_of(arena, "bhemu-l1", bytes)), size_(bytes) {
    if (!zeroed.holds) flags_.fill(0);
  }

  u32 size() const { return size_; }

  u8* data() { return memory_.data(); }
  const u8* data() const { return memory_.data(); }
  const u8* flags() const { return flags_.data(); }
  u8 flags_at(u32 address) const { return flags_[address >> kLineShift]; }
  void set_flag(u32 address, u8 flag) { flags_[address >> kLineShift] |= flag; }
  void clear_flag(u32 address, u8 flag) { flags_[address >> kLineShift] &= static_cast<u8>(~flag); }
  /// Of all lines.
  void set_flag(u8 flag) {
    for (u8& flags : flags_) flags |= flag;
  }
  void clear_flag(u8 flag) {
    for (u8& flags : flags_) flags &= static_cast<u8>(~flag);
  }
  /// The listener outlives this; null: nobody listens.
  void listen(WriteListener* listener) { listener_ = listener; }

  static constexpr bool contains(u32 address, u32 bytes) {
    return address <= kSize && bytes <= kSize - address;
  }
  bool has(u32 address, u32 bytes) const { return address <= size_ && bytes <= size_ - address; }

  /// The caller has checked `has(address, bytes)` (`contains` in a Tensix tile).
  void write(u32 address, const void* source, u32 bytes, const Author& author) {
    before_write(address, bytes, author);
    std::memcpy(data() + address, source, bytes);
  }
  /// The same where no line has a flag, so that nobody has to be told of it. False: one has, and
  /// nothing was written.
  bool write_plain(u32 address, const void* source, u32 bytes) {
    if (any_flag(address, bytes) != 0) return false;
    std::memcpy(data() + address, source, bytes);
    return true;
  }
  void write32(u32 address, u32 value, const Author& author) { write(address, &value, 4, author); }
  void read(u32 address, void* target, u32 bytes) const {
    std::memcpy(target, data() + address, bytes);
  }
  u32 read32(u32 address) const {
    u32 value;
    read(address, &value, 4);
    return value;
  }

  /// The flags that lines of [address, address + bytes), which is not empty, have together.
  u8 flags_in(u32 address, u32 bytes) const {
    u64 any = any_flag(address, bytes);
    any |= any >> 32;
    any |= any >> 16;
    return static_cast<u8>(any | any >> 8);
  }
  /// Not 0 when a line from `first` to `last` has a flag: those of eight lines, or-ed.
  static u64 any_of(const u8* flags, u64 first, u64 last) {
    if (first == last) return flags[first];
    const u8* at = flags + first;
    const u8* const end = flags + last + 1;
    const auto eight = [&at](unsigned i) {
      u64 word;
      std::memcpy(&word, at + u64{8} * i, 8);
      return word;
    };
    u64 any = 0;
    for (; end - at >= 64; at += 64)
      any |= ((eight(0) | eight(1)) | (eight(2) | eight(3))) |
             ((eight(4) | eight(5)) | (eight(6) | eight(7)));
    for (; end - at >= 8; at += 8) any |= eight(0);
    for (; at != end; ++at) any |= *at;
    return any;
  }

  /// For writers that fill memory in place (packer, mover): call first, then write through data().
  void before_write(u32 address, u32 bytes, const Author& author) {
    CHECK(has(address, bytes));
    if (bytes == 0) return;
    if (any_flag(address, bytes) != 0 && listener_ != nullptr)
      listener_->before_write(address, bytes, author);
  }

  /// All zero, and nobody sleeps or has decoded anything; who listens stays.
  void clear() {
    memory_.clear();
    for (u8& flags : flags_) flags &= kOfTools;
  }

  /// Contents, and who sleeps until which line changes. Code must be decoded again after loading;
  /// observers are the process's own.
  void archive(Archive& archive) {
    memory_.archive(archive);
    if (archive.is_into_fresh()) return archive.value(flags_);
    std::array<u8, kLines> kept = flags_;
    for (u8& flags : kept) flags &= kWatched | kPolled;
    archive.value(kept);
    if (!archive.is_loading()) return;
    for (u32 line = 0; line < kLines; ++line)
      flags_[line] = static_cast<u8>((flags_[line] & kOfTools) | kept[line]);
  }

  Mapping& memory() { return memory_; }
  const Mapping& memory() const { return memory_; }

 private:
  u64 any_flag(u32 address, u32 bytes) const {
    return any_of(flags_.data(), address >> kLineShift, (address + bytes - 1) >> kLineShift);
  }

  Mapping memory_;
  u32 size_;
  std::array<u8, kLines> flags_;
  WriteListener* listener_ = nullptr;
};

}  // namespace bhemu
