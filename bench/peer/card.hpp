// A card behind the libttsim ABI, whichever library that is, and the rows in which two are
// compared.
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace bhemu::peer {

/// What a row has measured.
struct Measured {
  double seconds = 0;  // per unit of the row
  u64 results = 0;     // a hash of what was computed, which both sides must agree on
  Measured(double value, u64 hash = 0) : seconds(value), results(hash) {}
};

/// Time of the processor in this process: waiting for a processor that others use does not count.
/// Or the time on the wall, which is what several host threads are for.
inline double now(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

inline void demand(bool right, const char* what) {
  if (!right) throw std::runtime_error(what);
}

struct Setup {
  std::string library;
  std::string firmware;  // a directory; empty: our own
  unsigned threads = 1;  // of the host, in bhemu
};

/// A library and its card. Window 0 is for uploads and single accesses, window 1 for whoever aims
/// once and looks often.
class Card {
 public:
  explicit Card(const Setup& setup) {
    setenv("BHEMU_THREADS", std::to_string(setup.threads).c_str(), 1);
    handle_ = dlopen(setup.library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    find("libttsim_clock", clock);
    find("libttsim_pci_mem_rd_bytes", bus_read);
    find("libttsim_pci_mem_wr_bytes", bus_write);
    find("libttsim_exit", exit);
    void (*set_dma)(void (*)(u64, void*, u32), void (*)(u64, const void*, u32)) = nullptr;
    void (*init)() = nullptr;
    find("libttsim_set_pci_dma_mem_callbacks", set_dma);
    find("libttsim_init", init);
    init();
  }

  void (*clock)(u32) = nullptr;
  void (*bus_read)(u64, void*, u32) = nullptr;
  void (*bus_write)(u64, const void*, u32) = nullptr;
  void (*exit)() = nullptr;

  static constexpr u64 kBar0 = 0x1'0000'0000;
  static constexpr u64 kWindowBytes = 2 << 20;

  void aim(u32 window, Coord tile, u64 address) {
    const u64 low = address >> 21 | u64{tile.x} << 43 | u64{tile.y} << 49;
    set(window, low, 0);
  }
  u64 through(u32 window, u64 address) const {
    return kBar0 + window * kWindowBytes + address % kWindowBytes;
  }
  void write(Coord tile, u64 address, const void* bytes, u64 count) {
    if (tile != tile_ || address / kWindowBytes != page_) aim(0, tile, address);
    tile_ = tile;
    page_ = address / kWindowBytes;
    bus_write(through(0, address), bytes, static_cast<u32>(count));
  }
  void write(Coord tile, u64 address, const std::vector<u32>& words) {
    write(tile, address, words.data(), words.size() * 4);
  }
  void write32(Coord tile, u64 address, u32 value) { write(tile, address, &value, 4); }
  /// To every Tensix tile of the rectangle, by one write through a multicast window.
  void multicast32(Coord first, Coord last, u64 address, u32 value) {
    constexpr u32 kWindow = 1;
    const u64 low = address >> 21 | u64{last.x} << 43 | u64{last.y} << 49 | u64{first.x} << 55 |
                    u64{first.y} << 61;
    set(kWindow, low, u32{first.y} >> 3 | 1u << 5);
    bus_write(through(kWindow, address), &value, sizeof value);
  }
  u32 read32(Coord tile, u64 address) {
    if (tile != tile_ || address / kWindowBytes != page_) aim(0, tile, address);
    tile_ = tile;
    page_ = address / kWindowBytes;
    u32 value = 0;
    bus_read(through(0, address), &value, 4);
    return value;
  }

 private:
  /// The registers of a window.
  void set(u32 window, u64 low, u32 high) {
    const std::array<u32, 3> words{static_cast<u32>(low), static_cast<u32>(low >> 32), high};
    for (u32 i = 0; i < 3; ++i) bus_write(kBar0 + 0x1FC00000 + window * 12 + i * 4, &words[i], 4);
  }
  template <class Function>
  void find(const char* name, Function& function) {
    void* symbol = dlsym(handle_, name);
    if (symbol == nullptr) throw std::runtime_error(std::string("the library lacks ") + name);
    std::memcpy(&function, &symbol, sizeof function);
  }

  void* handle_ = nullptr;
  Coord tile_{0xFF, 0xFF};
  u64 page_ = 0;
};

struct Row {
  const char* name;
  const char* unit;  // of a line in the table, and how many of it a second has
  double scale;
  Measured (*run)(const Setup& setup);
  /// Host threads of bhemu; with more than one both sides are measured by the clock on the wall.
  unsigned threads = 1;
};

/// Start, boot, launch, host accesses, NoC.
std::span<const Row> chip_rows();
/// Cores and coprocessors, up to a whole grid of them.
std::span<const Row> grid_rows();

inline constexpr Coord kTile{1, 2};

}  // namespace bhemu::peer
