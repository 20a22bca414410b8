// Any sequence of calls that clients of tt-kmd could make of its device file, as bytes: requests
// with any structures, maps, more files, accesses to what was mapped. The fuzzer's way in, and that
// of tests/kmd. Nothing may happen but an answer; who has closed his files has given everything
// back.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmd/abi.hpp"
#include "kmd/driver.hpp"
#include "kmd/live_card.hpp"

namespace bhemu::test {

/// Memory between two pages that nobody may touch: a structure that ends here cannot be exceeded.
class FencedPages {
 public:
  static constexpr u64 kPage = 4096;

  explicit FencedPages(u64 pages) : bytes_(pages * kPage) {
    memory_ = mmap(nullptr, bytes_ + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    if (mprotect(data(), bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  ~FencedPages() { munmap(memory_, bytes_ + 2 * kPage); }
  FencedPages(const FencedPages&) = delete;
  FencedPages& operator=(const FencedPages&) = delete;

  u8* data() const { return static_cast<u8*>(memory_) + kPage; }
  u8* end() const { return data() + bytes_; }
  u64 address() const { return reinterpret_cast<u64>(data()); }

 private:
  u64 bytes_;
  void* memory_;
};

class IoctlFuzz {
 public:
  explicit IoctlFuzz(std::span<const u8> bytes) : bytes_(bytes) { files_[0] = driver_.open(); }

  /// Does what the bytes say until they end. Returns how many requests the driver refused. Throws
  /// std::logic_error when an answer is none that a driver gives, or something is not given back.
  unsigned run() {
    while (!bytes_.empty()) step();
    for (auto& file : files_) file.reset();
    expect_everything_back();
    return refused_;
  }

 private:
  static constexpr unsigned kMostResets = 2;  // each makes a device, and keeps the one before

  template <class T>
  T take() {
    T value{};
    const size_t count = std::min(sizeof value, bytes_.size());
    if (count != 0) std::memcpy(&value, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return value;
  }
  static void expect(bool holds, const std::string& what) {
    if (!holds) throw std::logic_error(what);
  }
  int answered(int result) {
    expect(result <= 0 && result > -4096, "an answer is neither 0 nor an error number");
    if (result != 0) ++refused_;
    return result;
  }

  /// Ordinary numbers more often than others.
  u64 number() {
    static constexpr u64 kUsual[] = {
        0, 1, 2, 40, 201, 202, 209, 0x18, 0x28, 4096, 1 << 21, u64{4} << 30, u64{1} << 36, ~u64{0}};
    const u8 kind = take<u8>();
    if (kind < 160) return kUsual[kind % std::size(kUsual)];
    return kind < 224 ? take<u8>() : take<u64>();
  }
  /// Addresses and sizes of whole pages, more often than not within our memory.
  u64 address() {
    const u8 kind = take<u8>();
    if (kind >= 224) return ~u64{0} << 47 | take<u64>();  // nothing of a process is there
    return memory_.address() + (kind % 34) * FencedPages::kPage - FencedPages::kPage;
  }
  u64 page_bytes() {
    const u8 kind = take<u8>();
    return kind < 224 ? (kind % 36) * FencedPages::kPage : take<u32>();
  }

  void fill(kmd::abi::PinPages& pin) {
    pin.in = {static_cast<u32>(number()), take<u8>() % 20u, address(), page_bytes()};
  }
  void fill(kmd::abi::UnpinPages& pin) {
    pin.in = {address(), page_bytes(), take<u8>() < 240 ? 0 : number()};
  }
  void fill(kmd::abi::AllocateTlb& tlb) {
    const u8 kind = take<u8>();
    tlb.in.size = kind < 160 ? u64{2} << 20 : kind < 240 ? u64{4} << 30 : number();
  }
  void fill(kmd::abi::FreeTlb& tlb) { tlb.in.id = static_cast<u32>(number()); }
  void fill(kmd::abi::ConfigureTlb& tlb) {
    tlb.in.id = static_cast<u32>(number());
    tlb.in.config = take<kmd::abi::NocTlbConfig>();
    if (take<u8>() < 200) tlb.in.config.addr &= ~((u64{4} << 30) - 1);
  }
  void fill(kmd::abi::AllocateDmaBuf& buffer) {
    buffer.in = {};
    buffer.in.requested_size = static_cast<u32>(page_bytes());
    buffer.in.buf_index = take<u8>();
    buffer.in.flags = take<u8>() % 8;
  }
  void fill(kmd::abi::ResetDevice& reset) {
    reset.in = {static_cast<u32>(number()), take<u8>() % 9u};
    const bool whole = reset.in.flags == kmd::abi::kConfigWrite ||
                       reset.in.flags == kmd::abi::kAsicReset ||
                       reset.in.flags == kmd::abi::kAsicDmcReset;
    if (whole && ++resets_ > kMostResets) reset.in.flags = kmd::abi::kPostReset;
  }
  void fill(kmd::abi::LockCtl& lock) {
    lock.in.output_size_bytes = static_cast<u32>(number());
    lock.in.flags = take<u8>() % 6;
    // Who waits for himself waits for ever.
    if (lock.in.flags == kmd::abi::kLockAcquireBlocking) lock.in.flags = kmd::abi::kLockTest;
    lock.in.index = take<u8>();
  }
  void fill(kmd::abi::SetNocCleanup& cleanup) {
    cleanup = take<kmd::abi::SetNocCleanup>();
    if (take<u8>() < 200) {
      cleanup.argsz = sizeof cleanup;
      cleanup.flags = 0;
      cleanup.reserved0 = 0;
      cleanup.noc &= 1;
      cleanup.addr &= ~u64{7};
    }
  }
  void fill(kmd::abi::SetPowerState& power) {
    power = take<kmd::abi::SetPowerState>();
    if (take<u8>() < 200) {
      power.argsz = sizeof power;
      power.flags = 0;
      power.validity = 0x1F;
    }
  }
  void fill(kmd::abi::NoArgument&) {}
  /// Structures whose one number is how much the client wants to hear.
  template <class Structure>
  void fill(Structure& structure) {
    const u32 wanted = static_cast<u32>(number());
    std::memcpy(static_cast<void*>(&structure), &wanted, sizeof wanted);
  }

  /// The structure ends up to 63 bytes before memory ends; now and then it ends behind it.
  template <class Structure>
  void request(u64 number) {
    Structure structure{};
    fill(structure);
    const u8 kind = take<u8>();
    const size_t there = kind < 240 ? sizeof structure + kind % 64u : sizeof structure / 2;
    u8* const place = argument_.end() - there;
    std::memcpy(place, &structure, std::min(sizeof structure, there));
    answered(file().ioctl(number, place));
  }
  void any_request() {
    const u64 chosen = take<u8>() % 18;
    switch (kmd::abi::kMagic | chosen) {
#define REQUEST(number, name, handler, structure, does, refuses) \
  case kmd::abi::name:                                           \
    return request<kmd::abi::structure>(kmd::abi::name);
#include "kmd/request.def"
#undef REQUEST
      default:
        answered(file().ioctl(take<u64>(), argument_.data()));
    }
  }

  void map() {
    static constexpr u64 kPlaces[] = {0,
                                      kmd::abi::kOffsetStep,
                                      2 * kmd::abi::kOffsetStep,
                                      4 * kmd::abi::kOffsetStep,
                                      kmd::abi::kOffsetTlbUncached,
                                      kmd::abi::kOffsetTlbCombining,
                                      kmd::abi::kOffsetDmaBuf,
                                      ~u64{0} << 12};
    const u64 offset =
        kPlaces[take<u8>() % std::size(kPlaces)] + u64{take<u16>()} * FencedPages::kPage;
    const u64 bytes = page_bytes();
    kmd::Region region;
    if (answered(file().map(offset, bytes, region)) != 0) return;
    if (region.fd < 0) touch(region.bar, region.offset, region.bytes);
    if (take<u8>() < 192) file().unmap(offset, bytes);
  }
  void touch(unsigned bar, u64 offset, u64 bytes) {
    std::vector<u8> data(std::min<u64>(bytes, take<u8>()));
    if (take<u8>() < 128) {
      driver_.read(bar, offset, data);
    } else {
      for (u8& byte : data) byte = take<u8>();
      driver_.write(bar, offset, data);
    }
  }

  void step() {
    const u8 kind = take<u8>();
    if (kind < 200) return any_request();
    if (kind < 230) return map();
    if (kind < 245) {
      current_ = take<u8>() % files_.size();
      return;
    }
    if (kind < 250) {
      files_[current_].reset();
      return;
    }
    driver_.before_unmap(address(), page_bytes());
  }
  kmd::File& file() {
    auto& file = files_[current_];
    if (file == nullptr) file = driver_.open();
    return *file;
  }

  /// All files are closed: a new one gets all windows and finds no lock taken.
  void expect_everything_back() {
    const std::unique_ptr<kmd::File> last = driver_.open();
    // A card that was being reset, or whose bus was lost, is taken into use again.
    kmd::abi::ResetDevice reset{};
    for (const u32 flags : {kmd::abi::kAsicReset, kmd::abi::kPostReset}) {
      reset.in = {sizeof reset.out, flags};
      expect(last->ioctl(kmd::abi::RESET_DEVICE, &reset) == 0, "a reset is refused");
    }
    expect(reset.out.result == 0, "the card does not come back from a reset");
    unsigned windows = 0;
    kmd::abi::AllocateTlb tlb{};
    tlb.in.size = u64{2} << 20;
    while (last->ioctl(kmd::abi::ALLOCATE_TLB, &tlb) == 0) ++windows;
    expect(windows == 201, std::to_string(windows) + " windows are free, not 201");
    for (unsigned index = 0; index < kmd::abi::kLocks; ++index) {
      kmd::abi::LockCtl lock{};
      lock.in = {sizeof lock.out, kmd::abi::kLockTest, static_cast<u8>(index), {}};
      expect(last->ioctl(kmd::abi::LOCK_CTL, &lock) == 0 && lock.out.value == 0,
             "a lock is still held");
    }
  }

  static host::CardSettings settings() {
    host::CardSettings settings;
    settings.faults = host::FaultMode::Throw;
    return settings;
  }

  std::span<const u8> bytes_;
  unsigned refused_ = 0;
  unsigned resets_ = 0;
  size_t current_ = 0;
  FencedPages argument_{1};
  FencedPages memory_{32};  // what is pinned; goes after the files
  kmd::LiveCard card_{settings()};
  kmd::Driver driver_{card_};
  std::array<std::unique_ptr<kmd::File>, 3> files_;
};

}  // namespace bhemu::test
