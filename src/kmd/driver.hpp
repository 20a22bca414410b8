// What tt-kmd does for its clients, over an emulated card that runs by itself: open files with
// their ioctls 0 to 15, windows handed out and configured, memory pinned, attributes in sysfs.
//
// The ABI is that of tt-kmd's public ioctl.h; the meaning of each call follows chardev.c, memory.c
// and tlb.c. Every call may come from any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace bhemu::kmd {

class LiveCard;

/// A stretch of a BAR, as mmap of an open file gives it.
struct Region {
  unsigned bar = 0;
  u64 offset = 0;  // into the BAR
  u64 bytes = 0;
};

/// Where the bytes behind a stretch of a BAR lie as plain memory, right now: pages of a memfd.
/// Reads may go there directly at any time. Writes may too if `writable`; else they must go through
/// Driver::write, because cores may wait for them or run code from there.
struct Direct {
  int fd = -1;
  u64 offset = 0;
  u64 bytes = 0;  // from the start of the stretch; behind it registers or nothing
  bool writable = false;
};

/// One file of sysfs (or procfs) that the driver makes for its card.
struct Attribute {
  std::string path;  // absolute
  std::string text;  // contents; of a link: its target
  bool link = false;
};

class Driver;

/// An open file description of /dev/tenstorrent/N. Closing gives back what it holds: windows,
/// pinned pages, buffers, locks.
class File {
 public:
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// The ioctl `request` (the whole number, 0xFA00 | n) with the caller's structure; 0 or -errno.
  /// Never throws.
  int ioctl(u64 request, void* argument);
  /// What mmap of `bytes` at `offset` shows; -errno when the driver would refuse. The caller says
  /// when it is unmapped again, for a window cannot be freed while it is mapped.
  int map(u64 offset, u64 bytes, Region& region);
  void unmap(u64 offset, u64 bytes);

 private:
  friend class Driver;
  struct Impl;
  explicit File(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class Driver {
 public:
  explicit Driver(LiveCard& card);
  ~Driver();

  std::unique_ptr<File> open();
  std::vector<Attribute> attributes() const;

  /// A mapped stretch, any size and alignment; false: no card answers (a bus then reads all ones).
  bool read(unsigned bar, u64 offset, std::span<u8> bytes);
  bool write(unsigned bar, u64 offset, std::span<const u8> bytes);
  std::optional<Direct> direct(unsigned bar, u64 offset, u64 bytes);
  /// Called, from whichever thread changed it, after a window (0 to 209) points elsewhere: what
  /// direct() said of it no longer holds.
  void on_window_change(std::function<void(unsigned window)> listener);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bhemu::kmd
