// State as a stream of bytes, written and read by the same functions: snapshots of a device.
//
// A part has one `void archive(Archive&)`, which names its members once. What is read back has the
// shape that was written or the read fails; a checksum over the whole stands before this (Device).
#pragma once

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
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
  static Archive loading(std::span<const u8> bytes) { return Archive(bytes); }

  bool is_loading() const { return loading_; }
  /// What has been saved.
  std::vector<u8> take() { return std::move(out_); }
  /// Everything has been loaded.
  bool at_end() const { return at_ == in_.size(); }

  /// Plain data. Its size travels along: a struct of another size is another version.
  template <class T>
  void value(T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    if constexpr (sizeof(T) > 8) expect(sizeof(T));
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
      out_.insert(out_.end(), from, from + bytes);
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
  Archive() = default;
  explicit Archive(std::span<const u8> bytes) : in_(bytes), loading_(true) {}
  u64 left() const { return in_.size() - at_; }

  std::vector<u8> out_;
  std::span<const u8> in_;
  u64 at_ = 0;
  bool loading_ = false;
};

}  // namespace bhemu
