// A live card with its driver, and a file of it, for tests.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "kmd/abi.hpp"
#include "kmd/driver.hpp"
#include "kmd/live_card.hpp"

namespace bhemu::kmd {

inline constexpr u64 kSoftReset = 0xFFB121B0;
inline constexpr u32 kAllHeld = 0x47800;
inline constexpr u32 kBriscRuns = 0x47000;

inline host::CardSettings settings(host::FaultMode mode = host::FaultMode::Throw) {
  host::CardSettings result;
  result.faults = mode;
  return result;
}

/// Looks until the condition holds. False after so many looks that it never will: a look at the
/// card waits for the end of an epoch, so the card gets far, however slow the machine is.
template <class Condition>
[[nodiscard]] bool eventually(Condition holds) {
  constexpr u32 kLooks = 20'000'000;
  for (u32 look = 0; look < kLooks; ++look) {
    if (holds()) return true;
    std::this_thread::yield();
  }
  return false;
}

/// Anonymous pages of the test's own.
class Pages {
 public:
  explicit Pages(u64 bytes, int rights = PROT_READ | PROT_WRITE) : bytes_(bytes) {
    memory_ = mmap(nullptr, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Pages() { munmap(memory_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  u8* data() const { return static_cast<u8*>(memory_); }
  u64 address() const { return reinterpret_cast<u64>(memory_); }
  u64 size() const { return bytes_; }

 private:
  void* memory_;
  u64 bytes_;
};

inline abi::PinPages pin_wish(const Pages& memory, u32 flags) {
  abi::PinPages pin{};
  pin.in = {sizeof pin.out, flags, memory.address(), memory.size()};
  return pin;
}

class Bench : public testing::Test {
 protected:
  template <class Argument>
  int call(u64 request, Argument& argument, File* on = nullptr) {
    return (on != nullptr ? on : file.get())->ioctl(request, &argument);
  }

  u32 allocate(u64 bytes = u64{2} << 20, File* on = nullptr) {
    abi::AllocateTlb tlb{};
    tlb.in.size = bytes;
    EXPECT_EQ(call(abi::ALLOCATE_TLB, tlb, on), 0);
    return tlb.out.id;
  }
  /// Aims a window at a tile; the address is that of its first byte.
  int aim(u32 id, Coord tile, u64 address, File* on = nullptr) {
    abi::ConfigureTlb tlb{};
    tlb.in.id = id;
    tlb.in.config.addr = address;
    tlb.in.config.x_end = tile.x;
    tlb.in.config.y_end = tile.y;
    tlb.in.config.ordering = 1;
    return call(abi::CONFIGURE_TLB, tlb, on);
  }
  static u64 place(u32 id) { return u64{id} << 21; }

  u32 get32(u64 offset) {
    u32 value = 0;
    driver.read(0, offset, {reinterpret_cast<u8*>(&value), 4});
    return value;
  }
  bool put32(u64 offset, u32 value) {
    return driver.write(0, offset, {reinterpret_cast<const u8*>(&value), 4});
  }

  /// Loads a program for BRISC of a tile and lets it run.
  void start(Coord tile, const std::vector<u32>& program) {
    const u32 id = allocate();
    ASSERT_EQ(aim(id, tile, 0), 0);
    driver.write(0, place(id), {reinterpret_cast<const u8*>(program.data()), program.size() * 4});
    soft_reset(id, tile, kBriscRuns);
  }
  void soft_reset(u32 id, Coord tile, u32 value) {
    constexpr u64 kBase = kSoftReset & ~((u64{2} << 20) - 1);
    ASSERT_EQ(aim(id, tile, kBase), 0);
    ASSERT_TRUE(put32(place(id) + kSoftReset - kBase, value));
  }

  /// Memory of the test's own that outlives the file, since it may be pinned.
  Pages& pages(u64 bytes, int rights = PROT_READ | PROT_WRITE) {
    memory_.push_back(std::make_unique<Pages>(bytes, rights));
    return *memory_.back();
  }

 private:
  std::vector<std::unique_ptr<Pages>> memory_;

 protected:
  LiveCard card{settings()};
  Driver driver{card};
  std::unique_ptr<File> file{driver.open()};
};

}  // namespace bhemu::kmd
