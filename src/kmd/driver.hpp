// What tt-kmd does for its clients, over an emulated card that runs by itself: open files with
// their ioctls 0 to 15, windows handed out and configured, memory pinned, attributes in sysfs.
//
// The ABI is that of tt-kmd's public ioctl.h (abi.hpp, request.def); what each call does and
// refuses follows chardev.c, memory.c, tlb.c and blackhole.c of tt-kmd 2.10. The host that we stand
// for has an IOMMU, so any pages can be pinned. Every call may come from any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "kmd/live_card.hpp"

namespace bhemu::kmd {

class LiveCard;

/// What mmap of an open file gives: a stretch of a BAR, or of a DMA buffer.
struct Region {
  unsigned bar = 0;
  u64 offset = 0;  // into the BAR; into the file when `fd` says so
  u64 bytes = 0;
  int fd = -1;             // a DMA buffer: plain memory, to be mapped shared from here
  bool combining = false;  // of a BAR: asked for as write-combining
};

/// Where the bytes behind a stretch of a BAR lie as plain memory, right now: pages of a memfd,
/// which the caller may map but not close. Reads may go there directly at any time. Writes may too
/// if `writable`; else they must go through Driver::write, because cores may wait for them or run
/// code from there.
struct Direct {
  int fd = -1;
  u64 offset = 0;
  u64 bytes = 0;  // from the start of the stretch; behind it registers or nothing
  bool writable = false;
};

/// One file of sysfs (or procfs) that the driver, or the kernel for its card, makes.
struct Attribute {
  std::string path;  // absolute
  std::string text;  // contents; of a link: its target, relative as in sysfs
  bool link = false;
};

class Driver;

/// An open file description of /dev/tenstorrent/N. Closing gives back what it holds: windows,
/// pinned pages, buffers, locks. Files must be closed before their driver goes.
class File {
 public:
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// The ioctl `request` (the whole number, 0xFA00 | n) with the caller's structure; 0 or -errno.
  /// Never throws. Pinned memory stays where it is, in the caller's process: before any of it is
  /// unmapped the caller unpins it, or tells Driver::before_unmap.
  int ioctl(u64 request, void* argument);
  /// What mmap of `bytes` at `offset` shows; 0, or -errno when the driver would refuse. The caller
  /// says when it is unmapped again, for a window cannot be freed while it is mapped.
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
  struct Impl;
  /// Number `ordinal` of /dev/tenstorrent. Probes the card as the kernel module does.
  explicit Driver(LiveCard& card, unsigned ordinal = 0);
  ~Driver();

  /// `flags` as of open(2): O_APPEND, O_EXCL and O_NONBLOCK mean something (ioctl.h,
  /// SET_POWER_STATE; chardev.c, admit_chardev_open). Null: `error` says why (-errno).
  std::unique_ptr<File> open(int flags, int* error = nullptr);
  /// As a client does that asks for power itself.
  std::unique_ptr<File> open();

  /// /dev/tenstorrent/N
  std::string device_path() const;
  /// 0000:01:00.0
  std::string pci_address() const;
  /// Every attribute with what it says now, by its real path: without links among its folders.
  std::vector<Attribute> attributes() const;
  /// One of them, by any path that leads there; none: there is no such file. A link is not followed
  /// when it is the last part of the path.
  std::optional<Attribute> attribute(const std::string& path) const;
  /// PCI configuration space, as the sysfs file `config` gives it. False: beyond its end.
  bool config_read(u32 offset, std::span<u8> bytes);
  bool config_write(u32 offset, std::span<const u8> bytes);

  /// A mapped stretch, any size and alignment. False: no card answers; `bytes` are then all ones,
  /// as a bus gives them.
  bool read(unsigned bar, u64 offset, std::span<u8> bytes);
  bool write(unsigned bar, u64 offset, std::span<const u8> bytes);
  using Store = LiveCard::Store;
  /// Stores in their order, between which no time passes on the card: those of adjacent
  /// instructions reach a real one within nanoseconds. False: one of them was not answered.
  bool write(std::span<const Store> stores);
  std::optional<Direct> direct(unsigned bar, u64 offset, u64 bytes);
  /// Called, from whichever thread changed it, after a window (0 to 209) points elsewhere, and for
  /// all of them when the card is reset or stops answering: what direct() said of it no longer
  /// holds. Must not call the driver.
  void on_window_change(std::function<void(unsigned window)> listener);
  /// Called when a reset has taken away every mapping of a BAR that any file had (on silicon the
  /// pages are gone, and touching them is a SIGBUS). Must not call the driver.
  void on_mappings_lost(std::function<void()> listener);

  /// The caller is about to unmap a stretch of his memory, or to map something else there. Pages of
  /// it that are pinned go on living for the card, as a kernel keeps them; what is at this place
  /// when the call returns is not theirs any more. Cheap when nothing is pinned.
  void before_unmap(u64 address, u64 bytes);

  /// What last went wrong, guest's fault or host's mistake, as a report; empty: nothing did.
  std::string failure() const;

 private:
  friend class File;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bhemu::kmd
