// What a Driver and its files hold; for the files that implement them.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "card/windows.hpp"
#include "kmd/abi.hpp"
#include "kmd/bus_memory.hpp"
#include "kmd/driver.hpp"
#include "kmd/firmware.hpp"
#include "kmd/live_card.hpp"
#include "kmd/user_structure.hpp"
#include "mem/mapping.hpp"

namespace bhemu::kmd {

inline constexpr unsigned kWindows = card::Windows::kCount;
inline constexpr unsigned kRegions = 16;  // of the outbound iATU
inline constexpr int kNoRegion = -1;

struct DmaBuf {
  Mapping memory;
  u64 bus_address = 0;
  int region = kNoRegion;
};

struct Pin {
  u64 virtual_address = 0;
  u64 pages = 0;
  u64 bus_address = 0;
  int region = kNoRegion;
  struct Kept {
    u64 address;  // where the client had it
    std::span<u8> memory;
  };
  std::vector<Kept> kept;  // pages that the client has unmapped since

  u64 bytes() const { return pages * abi::kPage; }
};

/// Guarded by the driver's mutex, as all of Driver::Impl.
struct File::Impl {
  Driver::Impl* driver = nullptr;
  u64 generation = 0;  // of resets, when it was opened
  std::map<u8, DmaBuf> buffers;
  std::vector<Pin> pins;  // oldest first
  std::bitset<abi::kLocks> locks;
  std::bitset<kWindows> windows;
  std::vector<unsigned> mapped;  // windows, once per mapping
  abi::SetNocCleanup cleanup{};
  abi::SetPowerState power{};
};

struct Driver::Impl {
  Impl(LiveCard& live, unsigned number) : card(live), ordinal(number), firmware(live) {}

  struct Outbound {
    const File::Impl* owner = nullptr;
    u64 base = 0;
    u64 limit = 0;
  };

  /// A request under way: the file it was made on, and the mutex, for those that wait.
  struct Call {
    File::Impl& file;
    std::unique_lock<std::mutex>& lock;
  };

  // One per request; 0 or -errno.
#define REQUEST(number, name, handler, structure, does, refuses) \
  int handler(Call& call, UserStructure<abi::structure> argument);
#include "kmd/request.def"
#undef REQUEST

  int dispatch(Call& call, u64 request, u64 argument);
  int map(File::Impl& file, u64 offset, u64 bytes, Region& region);
  void unmap(File::Impl& file, u64 offset, u64 bytes);
  int admit(File::Impl& file, int flags, std::unique_lock<std::mutex>& lock);
  void close(File::Impl& file);
  bool is_dead();
  bool is_stale(const File::Impl& file) const {
    return file.generation != generation;
  }

  // Outbound regions.
  int find_room(bool top_down, u64 bytes, u64& base) const;
  int add_region(File::Impl& file, bool top_down, u64 bytes, u64 target, u64& noc_address);
  void program_region(unsigned region, u64 base, u64 limit, u64 target);
  void remove_region(int region);
  void release(Pin& pin);
  void keep(Pin& pin, u64 address, u64 bytes);
  void release(DmaBuf& buffer);

  // Resets.
  void reset_card();
  void invalidate_others(File::Impl& file);
  void lose_mappings();
  bool restore_card();
  void set_reset_marker();
  bool is_reset_marker_clear();

  int aggregate_power();
  u32 config_word(u32 offset);

  /// With the mutex free: tells the listeners what has happened.
  void notify(std::unique_lock<std::mutex>& lock);
  void window_changed(unsigned window) {
    changed_windows.push_back(window);
  }
  void all_windows_changed();

  LiveCard& card;
  const unsigned ordinal;
  BusMemory bus;  // at the edge only

  mutable std::mutex mutex;
  std::condition_variable waiters;  // for locks and for opening
  mutable Firmware firmware;
  std::vector<File::Impl*> files;
  std::atomic<unsigned> pins{0};  // of all files
  std::bitset<kWindows> windows;
  std::array<Outbound, kRegions> outbound{};
  std::bitset<abi::kLocks> locks;
  u64 generation = 0;
  bool needs_init = false;
  bool exclusive = false;  // a file with O_EXCL is open

  std::vector<unsigned> changed_windows;  // for notify()
  bool mappings_lost = false;
  std::vector<std::unique_ptr<Device>> old_devices;  // until nobody can use their memory any more

  std::mutex listener_mutex;
  std::function<void(unsigned)> window_listener;
  std::function<void()> loss_listener;
};

}  // namespace bhemu::kmd
