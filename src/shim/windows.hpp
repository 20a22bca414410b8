// The client's mappings of the card: addresses that trap, but where a window of the card shows
// plain memory and the client looks at it repeatedly, that memory's own pages.
//
// Pages go in at the second access since the window was pointed there (a window that is looked at
// once is not worth a mapping), writable only where nobody on the card could miss a store.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "kmd/driver.hpp"
#include "shim/bus.hpp"

namespace bhemu::shim {

/// An open file of the client's; several descriptors may share it.
struct OpenFile {
  std::unique_ptr<kmd::File> file;
  const std::atomic<bool>* abandoned = nullptr;
  ~OpenFile() {
    // In a forked child the driver's locks may be held by threads that are not there.
    if (abandoned != nullptr && abandoned->load()) (void)file.release();
  }
};

class Windows final : public Bus {
 public:
  /// `abandoned`: this is a forked child, the card stayed with its parent.
  Windows(kmd::Driver& driver, const std::atomic<bool>& abandoned);

  struct Request {
    void* hint = nullptr;
    u64 bytes = 0;
    int protection = 0;
    int flags = 0;
    u64 offset = 0;
  };
  /// As mmap(2): MAP_FAILED and errno. With MAP_FIXED the caller has called forget().
  void* map(const std::shared_ptr<OpenFile>& file, const Request& request);
  /// Takes out what of [address, address + bytes) is ours; the caller unmaps it.
  void forget(u64 address, u64 bytes);
  /// As mprotect(2) on what of the range is ours; false: nothing is.
  bool protect(u64 address, u64 bytes, int protection);
  bool overlaps(u64 address, u64 bytes) const;

  enum class Fault : u8 {
    Perform,  // an access to registers, or a store to memory that somebody watches
    Retry,    // plain memory is there now
    Lost,     // the card was reset: SIGBUS
    Foreign   // none of ours, or not allowed
  };
  Fault fault(u64 address, bool store);
  /// Whether the mapping at `address` may be both read and written, so that what follows the access
  /// that trapped can be done as well.
  bool free_to_use(u64 address) const;

  u64 covers(u64 address) const override;
  u64 plain(u64 address) const override;
  void read(u64 address, std::span<u8> bytes) override;
  void write(u64 address, std::span<const u8> bytes) override;
  struct Store {
    u64 address = 0;
    std::vector<u8> bytes;
  };
  /// Stores of adjacent instructions, in their order: no time passes on the card between them.
  void write(std::span<const Store> stores);

  // Around fork(2).
  void lock();
  void unlock();
  /// Unlocks in the child, where nothing of the card is seen any more.
  void abandon();

 private:
  struct Claim;
  struct Mapping {
    u64 address = 0;
    u64 bytes = 0;
    unsigned bar = 0;
    u64 offset = 0;  // into the BAR
    int protection = 0;
    bool memory = false;  // a DMA buffer: the kernel does the rest
    bool lost = false;
    std::shared_ptr<Claim> claim;
  };
  /// What lies behind one window in one mapping.
  struct Piece {
    unsigned looks = 0;
    u64 begin = 0;  // addresses where pages are
    u64 end = 0;
    bool writable = false;
  };
  struct Place {
    unsigned bar = 0;
    u64 offset = 0;
  };
  using Mappings = std::map<u64, Mapping>;

  const Mapping* find(u64 address) const;
  bool place_of(u64 address, Place& place) const;
  void split(u64 address);
  static void hide(const Piece& piece);
  void hide_all(const Mapping& mapping);
  void window_changed(unsigned window);
  void mappings_lost();
  Fault look_closer(u64 address, bool store);
  u64 piece_of(const Mapping& mapping, u64 address, u64& begin, u64& end) const;

  kmd::Driver& driver_;
  const std::atomic<bool>& abandoned_;
  mutable std::shared_mutex mutex_;
  Mappings mappings_;            // by first address
  std::map<u64, Piece> pieces_;  // by the first address of the piece, those that were looked at
  u64 changes_ = 0;
};

}  // namespace bhemu::shim
