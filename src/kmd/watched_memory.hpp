// Host memory that remembers what the device has read of it, so that somebody can tell, without
// running the device, whether it would read something else now.
#pragma once

#include <array>

#include "pcie/host_memory.hpp"

namespace bhemu::kmd {

class WatchedMemory final : public pcie::HostMemory {
 public:
  /// Between runs only.
  void set(pcie::HostMemory* memory) { memory_ = memory; }

  bool read(u64 address, void* target, u32 bytes) override;
  bool write(u64 address, const void* source, u32 bytes) override;

  /// From now on reads are remembered. Between runs only.
  void start();
  void stop() { watching_ = false; }
  /// The device has written, or has read one address twice with different contents, or what it has
  /// read is other now. True as well when there was too much to remember. Between runs only.
  bool changed();
  bool overflowed() const { return overflowed_; }
  /// The device has come here at some time.
  bool used() const { return used_; }
  /// The device has not come here since start().
  bool unread() const { return count_ == 0 && !overflowed_ && !changed_; }

 private:
  struct Seen {
    u64 address;
    u32 bytes;
    u64 contents;  // hash
  };
  static constexpr unsigned kMost = 64;
  static constexpr u32 kMostBytes = 4096;

  void remember(u64 address, u32 bytes, const void* contents);

  pcie::HostMemory* memory_ = nullptr;
  bool watching_ = false;
  bool used_ = false;
  bool changed_ = false;
  bool overflowed_ = false;
  unsigned count_ = 0;
  std::array<Seen, kMost> seen_{};
};

}  // namespace bhemu::kmd
