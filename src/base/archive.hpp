// State as a stream of bytes, written and read by the same functions: snapshots of a device.
//
// A part has one `void archive(Archive&)`, which names its members once. What is read back has the
// shape that was written or the read fails; a checksum over the whole stands before this (Device).
//
// An image of a device (device/image.hpp) is of nodes that are made anew when they are needed, and
// most of a node is then what it always is. So of its large values, the *blocks*, only those lines
// of 64 bytes are written that differ from the ones of a node just made, and nothing else of it is
// read or written when it is loaded, into a node just made.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace bhemu {

/// A snapshot that is cut short, or of another version, board or timing.
class ArchiveError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Archive {
 public:
  static Archive saving() { return Archive(); }
  static Archive loading(std::span<const u8> bytes) { return Archive(bytes, Blocks::Whole); }
  /// What saving_changes takes: the blocks of a part just made, one behind the other. `room` is
  /// used for what is saved; its contents go.
  static Archive saving_blocks(std::vector<u8> room) {
    Archive archive;
    archive.blocks_ = Blocks::Alone;
    archive.out_ = std::move(room);
    archive.out_.clear();
    return archive;
  }
  /// Of blocks what differs from `fresh`.
  static Archive saving_changes(std::span<const u8> fresh, std::vector<u8> room) {
    Archive archive;
    archive.blocks_ = Blocks::Changed;
    archive.in_ = fresh;
    archive.out_ = std::move(room);
    archive.out_.clear();
    return archive;
  }
  /// What saving_changes has written, into a part just made.
  static Archive loading_changes(std::span<const u8> bytes) {
    return Archive(bytes, Blocks::Changed);
  }

  bool is_loading() const { return loading_; }
  /// Loading into a part just made: what is zero, empty or not known yet there need not be made so.
  bool is_into_fresh() const { return loading_ && blocks_ == Blocks::Changed; }
  /// What has been saved.
  std::vector<u8> take() { return std::move(out_); }
  /// Everything has been loaded.
  bool at_end() const { return at_ == in_.size(); }

  /// Plain data. Its size travels along: a struct of another size is another version.
  template <class T>
  void value(T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    if constexpr (sizeof(T) > 8) expect(sizeof(T));
    if constexpr (sizeof(T) >= kBlock) {
      block(reinterpret_cast<u8*>(&value), sizeof(T));
    } else {
      raw(&value, sizeof(T));
    }
  }
  /// The same of what a part has or has not, and so is no block: parts just made have the same
  /// ones.
  template <class T>
  void whole(T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    expect(sizeof(T));
    raw(&value, sizeof(T));
  }
  template <class T>
  void vector(std::vector<T>& items) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    u64 count = items.size();
    value(count);
    if (loading_) {
      if (count > left() / sizeof(T)) throw ArchiveError("the snapshot is cut short");
      items.resize(count);
    }
    raw(items.data(), count * sizeof(T));
  }
  /// Saves them as `vector` does.
  void bytes(std::span<const u8> bytes) {
    u64 count = bytes.size();
    value(count);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  /// What `bytes` or `vector` has written, where it lies in the archive.
  std::span<const u8> view() {
    u64 count = 0;
    value(count);
    if (count > left()) throw ArchiveError("the snapshot is cut short");
    at_ += count;
    return in_.subspan(at_ - count, count);
  }
  void text(std::string& text) {
    u64 count = text.size();
    value(count);
    if (loading_) {
      if (count > left()) throw ArchiveError("the snapshot is cut short");
      text.resize(count);
    }
    raw(text.data(), count);
  }
  void raw(void* data, u64 bytes) {
    if (bytes == 0) return;
    if (!loading_) {
      const auto* from = static_cast<const u8*>(data);
      if (blocks_ != Blocks::Alone) out_.insert(out_.end(), from, from + bytes);
      return;
    }
    if (bytes > left()) throw ArchiveError("the snapshot is cut short");
    std::memcpy(data, in_.data() + at_, bytes);
    at_ += bytes;
  }
  /// The same number on both sides.
  void expect(u64 number) {
    u64 found = number;
    raw(&found, sizeof found);
    if (found != number) throw ArchiveError("the snapshot was made by another version of bhemu");
  }

 private:
  enum class Blocks : u8 { Whole, Alone, Changed };
  static constexpr u64 kBlock = 1024;
  static constexpr u64 kLine = 64;
  /// Of a block: what lies there is other than in a part just made. The last one is empty.
  struct Change {
    u32 offset = 0;
    u32 bytes = 0;
  };

  Archive() = default;
  Archive(std::span<const u8> bytes, Blocks blocks) : in_(bytes), loading_(true), blocks_(blocks) {}
  u64 left() const { return in_.size() - at_; }

  void block(u8* data, u64 bytes) {
    if (blocks_ == Blocks::Whole) {
      raw(data, bytes);
    } else if (blocks_ == Blocks::Alone) {
      const auto* size = reinterpret_cast<const u8*>(&bytes);
      out_.insert(out_.end(), size, size + sizeof bytes);
      out_.insert(out_.end(), data, data + bytes);
    } else if (loading_) {
      load_changes(data, bytes);
    } else {
      save_changes(data, bytes);
    }
  }

  void save_changes(u8* data, u64 bytes) {
    u64 size = 0;
    if (left() >= sizeof size) std::memcpy(&size, in_.data() + at_, sizeof size);
    if (size != bytes || bytes > left() - sizeof size)
      throw ArchiveError("the archive is of another kind of part");
    const u8* const fresh = in_.data() + at_ + sizeof size;
    at_ += sizeof size + bytes;
    const auto differs = [&](u64 at) {
      return std::memcmp(data + at, fresh + at, std::min(kLine, bytes - at)) != 0;
    };
    for (u64 at = 0; at < bytes; at += kLine) {
      if (!differs(at)) continue;
      const u64 begin = at;
      while (at < bytes && differs(at)) at += kLine;
      Change change{static_cast<u32>(begin), static_cast<u32>(std::min(at, bytes) - begin)};
      raw(&change, sizeof change);
      raw(data + begin, change.bytes);
    }
    Change end;
    raw(&end, sizeof end);
  }

  void load_changes(u8* data, u64 bytes) {
    Change change;
    for (raw(&change, sizeof change); change.bytes != 0; raw(&change, sizeof change)) {
      if (change.offset > bytes || change.bytes > bytes - change.offset)
        throw ArchiveError("the archive names a place beyond its part");
      raw(data + change.offset, change.bytes);
    }
  }

  std::vector<u8> out_;
  std::span<const u8> in_;  // what is loaded; saving changes: the blocks of a part just made
  u64 at_ = 0;
  bool loading_ = false;
  Blocks blocks_ = Blocks::Whole;
};

}  // namespace bhemu
