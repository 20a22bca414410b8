// Any sequence of calls of the libttsim ABI that a client could make, as bytes: boards, callbacks
// that fail, calls out of order, random code on the cores. The fuzzer's way in, and that of
// tests/capi. Only what the ABI promises is checked here; the sanitizers see the rest.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "support/libttsim.hpp"

namespace bhemu::test {

class LibttsimFuzz {
 public:
  explicit LibttsimFuzz(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  ~LibttsimFuzz() {
    try {
      libttsim_exit();
    } catch (const std::runtime_error&) {
      // Was not open.
    }
    for (const char* name : kVariables) unsetenv(name);
  }
  LibttsimFuzz(const LibttsimFuzz&) = delete;
  LibttsimFuzz& operator=(const LibttsimFuzz&) = delete;

  /// Does what the bytes say until they end. Returns how many calls were refused.
  unsigned run() {
    unsigned refused = 0;
    refused += attempt([&] { open(); });
    while (!bytes_.empty()) refused += attempt([&] { step(); });
    return refused;
  }

 private:
  static constexpr const char* kVariables[] = {"BHEMU_BOARD",           "BHEMU_HARVEST_DRAM",
                                               "BHEMU_HARVEST_COLUMNS", "BHEMU_TIMING",
                                               "BHEMU_FAULTS",          "BHEMU_RULE"};
  static constexpr uint64_t kBars[] = {0x1'0000'0000, 0x1'2000'0000, 0x8'0000'0000};
  static constexpr uint64_t kBarBytes[] = {0x2000'0000, 0x10'0000, 0x8'0000'0000};
  static constexpr uint64_t kHostBytes = 1 << 16;

  /// A refusal is a std::runtime_error; anything else that is thrown ends the process.
  template <class Body>
  static unsigned attempt(Body body) {
    try {
      body();
      return 0;
    } catch (const std::runtime_error&) {
      return 1;
    }
  }

  template <class T>
  T take() {
    T value{};
    const size_t count = std::min(sizeof value, bytes_.size());
    if (count != 0) std::memcpy(&value, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return value;
  }
  template <class T, size_t n>
  T one_of(const T (&choices)[n]) {
    return choices[take<uint8_t>() % n];
  }

  // --- Callbacks: the ABI gives them no handle ---
  static std::vector<uint8_t>& host_memory() {
    static std::vector<uint8_t> memory(kHostBytes);  // tidy: allow global: see above
    return memory;
  }
  static uint8_t* host_at(uint64_t address, uint32_t bytes) {
    if (address >= kHostBytes || bytes > kHostBytes - address)
      throw std::out_of_range("no host memory");
    return host_memory().data() + address;
  }
  static void host_read(uint64_t address, void* target, uint32_t bytes) {
    std::memcpy(target, host_at(address, bytes), bytes);
  }
  static void host_write(uint64_t address, const void* source, uint32_t bytes) {
    std::memcpy(host_at(address, bytes), source, bytes);
  }
  static void failing_read(uint64_t, void*, uint32_t) { throw 7; }
  static void failing_write(uint64_t, const void*, uint32_t) { throw "no"; }

  void set(const char* name, const char* value) {
    if (value == nullptr)
      unsetenv(name);
    else
      setenv(name, value, 1);
  }

  void open() {
    static constexpr const char* kBoards[] = {"p100a", "p150", nullptr, "p100a", "p300"};
    static constexpr const char* kBanks[] = {nullptr, nullptr, "none", "+2", "0,7,3", "8"};
    // Mostly as few tiles as can be: a device of 140 costs more than all that is done with it.
    static constexpr const char* kFewTiles = "0,1,2,3,4,5,6";
    static constexpr const char* kColumns[] = {kFewTiles, kFewTiles, kFewTiles, kFewTiles,
                                               kFewTiles, nullptr,   "+2",      "+9"};
    static constexpr const char* kTimings[] = {nullptr, "fast", "reference", "slow"};
    static constexpr const char* kFaults[] = {nullptr, "throw", "report", "throw", "loud"};
    static constexpr const char* kRules[] = {nullptr, nullptr, "noc-address=warn", "no-rule=warn"};
    set("BHEMU_BOARD", one_of(kBoards));
    set("BHEMU_HARVEST_DRAM", one_of(kBanks));
    set("BHEMU_HARVEST_COLUMNS", one_of(kColumns));
    set("BHEMU_TIMING", one_of(kTimings));
    set("BHEMU_FAULTS", one_of(kFaults));
    set("BHEMU_RULE", one_of(kRules));
    switch (take<uint8_t>() % 8) {
      case 0:
        libttsim_set_pci_dma_mem_callbacks(nullptr, nullptr);
        break;
      case 1:
        libttsim_set_pci_dma_mem_callbacks(host_read, nullptr);
        break;
      case 2:
        libttsim_set_pci_dma_mem_callbacks(failing_read, failing_write);
        break;
      default:
        libttsim_set_pci_dma_mem_callbacks(host_read, host_write);
    }
    try {
      libttsim_init();
    } catch (const std::runtime_error&) {
      // Settings that no board has: take one that works, so that the bytes are not wasted.
      for (const char* name : kVariables) unsetenv(name);
      libttsim_init();
    }
  }

  // --- Places ---
  /// Near an edge as often as anywhere.
  uint64_t bus_address() {
    static constexpr uint64_t kEdges[] = {
        0,           0x1000,     0x0020'0000, 0x03FF'FFFC, 0x193F'FFFC, 0x1940'0000,
        0x1FC0'0000, 0x1FC009D4, 0x1FC009D8,  0x1FC00A54,  0x1FD04044,  0x1FD14100,
        0x1FD04200,  0x1FE00000, 0x1FE30400,  0x100,       0x11C,       0xFFFF'FFFC};
    const uint8_t kind = take<uint8_t>();
    if (kind == 255) return take<uint64_t>();
    const unsigned bar = kind % 3;
    const uint64_t near = kind < 160 ? one_of(kEdges) : take<uint64_t>() % kBarBytes[bar];
    return kBars[bar] + near + take<uint8_t>() - 8;
  }
  uint64_t tile_address() {
    static constexpr uint64_t kPlaces[] = {
        0,           0x17'FFF8,   0x18'0000,   0xFFB0'0000,   0xFFB1'2000,          0xFFB1'21B0,
        0xFFB2'0000, 0xFFB3'0000, 0xFFB4'0000, 0xFFBD'8000,   0xFFE0'0000,          0xFFE8'0000,
        0xFFEF'0000, 0x8003'0000, 0x8003'0400, 0x1000'0000,   0x1007'FFF8,          0x800B'0000,
        0xFFFF'FFF8, 1ull << 60,  1ull << 58,  0xF8ull << 56, 0xFFFF'FFFF'FF00'0000};
    const uint8_t kind = take<uint8_t>();
    if (kind == 255) return take<uint64_t>();
    return one_of(kPlaces) + (kind < 128 ? kind * 4u : take<uint16_t>());
  }
  /// Also tiles that do not exist, now and then.
  void tile(uint32_t& x, uint32_t& y) {
    static constexpr uint32_t kTiles[][2] = {{1, 2},  {14, 11}, {17, 12}, {18, 23}, {19, 24},
                                             {8, 0},  {20, 25}, {2, 0},   {11, 0},  {8, 3},
                                             {8, 26}, {8, 2},   {16, 11}, {0, 0},   {9, 11}};
    const uint8_t kind = take<uint8_t>();
    if (kind < 200) {
      x = kTiles[kind % std::size(kTiles)][0];
      y = kTiles[kind % std::size(kTiles)][1];
    } else {
      x = take<uint8_t>();
      y = kind == 255 ? take<uint32_t>() : take<uint8_t>();
    }
  }
  uint32_t size() {
    const uint8_t kind = take<uint8_t>();
    return kind < 220 ? kind % 67 : uint32_t{take<uint16_t>()} * (kind == 255 ? 64 : 1);
  }
  std::vector<uint8_t> data(uint32_t bytes) {
    std::vector<uint8_t> result(bytes);
    const size_t known = std::min<size_t>(result.size(), 40);
    for (size_t i = 0; i < known; ++i) result[i] = take<uint8_t>();
    for (size_t i = known; i < result.size(); ++i) result[i] = result[i % known];
    return result;
  }
  void word_to(uint64_t address, uint32_t value) { libttsim_pci_mem_wr_bytes(address, &value, 4); }

  // --- What a client does ---
  void aim() {
    const uint32_t window = take<uint8_t>() % 212;
    const uint64_t address = tile_address();
    uint32_t x;
    uint32_t y;
    tile(x, y);
    const uint8_t kind = take<uint8_t>();
    const bool small = window < 202;
    uint64_t low =
        small ? (address >> 21 & ((uint64_t{1} << 43) - 1)) | uint64_t{x} << 43 | uint64_t{y} << 49
              : address >> 32 | uint64_t{x & 63} << 32 | uint64_t{y & 63} << 38;
    uint32_t high = 0;
    if (kind % 4 == 1) {  // a multicast from there
      const uint64_t start_x = kind >> 4;
      const uint64_t start_y = kind >> 2 & 3;
      low |= small ? start_x << 55 | start_y << 61 : start_x << 44 | start_y << 50;
      if (small)
        high |= 1u << 5 | static_cast<uint32_t>(start_y >> 3);
      else
        low |= uint64_t{1} << 58;
    }
    if (kind % 16 == 2) high |= take<uint32_t>();
    const uint64_t at = kBars[0] + 0x1FC0'0000 + window * 12;
    word_to(at, static_cast<uint32_t>(low));
    word_to(at + 4, static_cast<uint32_t>(low >> 32));
    word_to(at + 8, high);
    if (window < 32 && kind % 8 == 5)
      word_to(kBars[0] + 0x1FC0'09D8 + window * 4, take<uint32_t>());
  }
  void memory_read() {
    const uint64_t address = bus_address();
    std::vector<uint8_t> target(size());
    libttsim_pci_mem_rd_bytes(address, target.data(), static_cast<uint32_t>(target.size()));
  }
  void memory_write() {
    const uint64_t address = bus_address();
    const std::vector<uint8_t> source = data(size());
    libttsim_pci_mem_wr_bytes(address, source.data(), static_cast<uint32_t>(source.size()));
  }
  void tile_access(bool writes) {
    uint32_t x;
    uint32_t y;
    tile(x, y);
    const uint64_t address = tile_address();
    if (writes) {
      const std::vector<uint8_t> source = data(size());
      libttsim_tile_wr_bytes(x, y, address, source.data(), static_cast<uint32_t>(source.size()));
    } else {
      std::vector<uint8_t> target(size());
      libttsim_tile_rd_bytes(x, y, address, target.data(), static_cast<uint32_t>(target.size()));
    }
  }
  void region() {
    const uint64_t at = kBars[1] + 0x1000 + take<uint8_t>() % 17 * 0x200u;
    for (uint32_t i = 0; i < 9; ++i) word_to(at + i * 4, take<uint16_t>() << 8);
    word_to(at + 4, 1u << 31);
  }
  void transfer() {
    word_to(kBars[1] + 0x100, take<uint8_t>() != 0);
    word_to(kBars[1] + 0x11C, take<uint16_t>() * 4u);
    word_to(kBars[1] + 0x120, take<uint16_t>() * 2u);
    word_to(kBars[1] + 0x128, take<uint8_t>() % 4 == 0 ? take<uint32_t>() : take<uint16_t>() * 4u);
    word_to(kBars[1] + 0x188, take<uint8_t>());
    word_to(kBars[1] + 0x190, take<uint16_t>() * 2u);
    word_to(kBars[1] + 0x104, 1);
  }
  void message() {
    uint32_t control = 0;
    uint32_t queues = 0;
    libttsim_tile_rd_bytes(8, 0, 0x8003042C, &control, 4);
    libttsim_tile_rd_bytes(8, 0, control, &queues, 4);
    const std::vector<uint8_t> header = data(32);
    libttsim_tile_wr_bytes(8, 0, queues + 32, header.data(), 32);
    const uint32_t pointer = take<uint8_t>();
    libttsim_tile_wr_bytes(8, 0, queues, &pointer, 4);
    const uint32_t doorbell = 1u << 16;
    libttsim_tile_wr_bytes(8, 0, 0x80030100, &doorbell, 4);
  }
  /// Whatever comes as code, on BRISC or on all five cores.
  void launch() {
    uint32_t x;
    uint32_t y;
    tile(x, y);
    const std::vector<uint8_t> code = data(take<uint8_t>());
    const uint32_t held = 0x47800;
    const uint32_t released = one_of({0x47000u, 0u, 0x47000u, 0x40000u});
    libttsim_tile_wr_bytes(x, y, 0xFFB121B0, &held, 4);
    libttsim_tile_wr_bytes(x, y, 0, code.data(), static_cast<uint32_t>(code.size()));
    libttsim_tile_wr_bytes(x, y, 0xFFB121B0, &released, 4);
    libttsim_clock(take<uint16_t>() % 2048);
  }
  void out_of_order() {
    switch (take<uint8_t>() % 4) {
      case 0:
        libttsim_init();
        break;
      case 1:
        libttsim_set_pci_dma_mem_callbacks(host_read, host_write);
        break;
      case 2:
        libttsim_exit();
        libttsim_clock(1);
        break;
      default:
        libttsim_exit();
        open();
    }
  }

  void step() {
    switch (take<uint8_t>() % 20) {
      case 0:
        libttsim_pci_config_wr32(take<uint8_t>() % 10 == 9, take<uint8_t>() % 80, take<uint32_t>());
        break;
      case 1:
        libttsim_pci_config_rd32(take<uint8_t>() % 10 == 9, take<uint16_t>() % 0xA00);
        break;
      case 2:
      case 3:
      case 4:
        aim();
        break;
      case 5:
      case 6:
      case 7:
        memory_read();
        break;
      case 8:
      case 9:
      case 10:
        memory_write();
        break;
      case 11:
        tile_access(false);
        break;
      case 12:
      case 13:
        tile_access(true);
        break;
      case 14:
        region();
        break;
      case 15:
        transfer();
        break;
      case 16:
        message();
        break;
      case 17:
        launch();
        break;
      case 18:
        libttsim_clock(take<uint16_t>() % 4096);
        break;
      default:
        if (take<uint8_t>() % 16 == 0) out_of_order();
    }
  }

  std::span<const uint8_t> bytes_;
};

}  // namespace bhemu::test
