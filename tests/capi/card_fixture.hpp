// A card behind the libttsim ABI, and a client on it. One per test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device/board.hpp"
#include "support/card_client.hpp"

namespace bhemu::test {

class CardTest : public testing::Test {
 protected:
  using Variables = std::initializer_list<std::pair<const char*, const char*>>;
  static constexpr u64 kHostBase = 0x4000'0000;
  static constexpr u64 kHostBytes = 1 << 20;

  ~CardTest() override {
    close();
    for (const std::string& name : set_) unsetenv(name.c_str());
  }

  /// Environment of the library, then libttsim_init.
  void open(const char* board, Variables variables = {}) {
    close();
    set("BHEMU_BOARD", board);
    for (const auto& [name, value] : variables) set(name, value);
    host().assign(kHostBytes, 0);
    libttsim_set_pci_dma_mem_callbacks(
        [](u64 address, void* target, u32 bytes) {
          copy(static_cast<u8*>(target), at(address, bytes), bytes);
        },
        [](u64 address, const void* source, u32 bytes) {
          copy(at(address, bytes), static_cast<const u8*>(source), bytes);
        });
    libttsim_init();
    is_open_ = true;
    client = CardClient();
    BoardOptions options = BoardOptions::defaults(std::string(board) == "p100a" ? BoardModel::P100A
                                                                                : BoardModel::P150);
    board_ = Board(options);
  }
  void close() {
    if (is_open_) libttsim_exit();
    is_open_ = false;
  }
  void set(const char* name, const char* value) {
    setenv(name, value, 1);
    set_.push_back(name);
  }

  /// What the library says no with; empty when it does not.
  template <class Body>
  static std::string refusal(Body body) {
    try {
      body();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  /// A word of a tile by the other door of the ABI.
  static u32 tile_word(Coord tile, u64 address) {
    u32 value = 0;
    libttsim_tile_rd_bytes(tile.x, tile.y, address, &value, 4);
    return value;
  }
  static void set_tile_word(Coord tile, u64 address, u32 value) {
    libttsim_tile_wr_bytes(tile.x, tile.y, address, &value, 4);
  }
  void iatu(unsigned region, u64 base, u64 limit, u64 target) {
    const u64 at = client.bar2 + 0x1000 + region * 0x200;
    // The order in which tt-umd does it: enabled first.
    CardClient::put(at + 0x00, 0);
    CardClient::put(at + 0x04, 1u << 31);
    CardClient::put(at + 0x08, static_cast<u32>(base));
    CardClient::put(at + 0x0C, static_cast<u32>(base >> 32));
    CardClient::put(at + 0x10, static_cast<u32>(limit));
    CardClient::put(at + 0x14, static_cast<u32>(target));
    CardClient::put(at + 0x18, static_cast<u32>(target >> 32));
    CardClient::put(at + 0x1C, 0);
    CardClient::put(at + 0x20, static_cast<u32>(limit >> 32));
  }

  /// BRISC of a tile runs `code` from address 0.
  void run_brisc(Coord tile, const std::vector<u32>& code) {
    constexpr u64 kSoftReset = 0xFFB121B0;
    client.write32(tile.x, tile.y, kSoftReset, 0x47800);
    client.write(tile.x, tile.y, 0, {reinterpret_cast<const u8*>(code.data()), code.size() * 4});
    client.write32(tile.x, tile.y, kSoftReset, 0x47000);
  }

  /// The ABI hands its callbacks no handle.
  static std::vector<u8>& host() {
    static std::vector<u8> memory;  // tidy: allow global: see above
    return memory;
  }
  static u8* at(u64 address, u32 bytes) {
    if (address < kHostBase || address - kHostBase + bytes > kHostBytes)
      throw std::out_of_range("no host memory");
    return host().data() + (address - kHostBase);
  }
  /// A test may look at host memory while the card's thread writes it.
  static void copy(u8* target, const u8* source, u32 bytes) {
    for (u32 i = 0; i < bytes; ++i)
      __atomic_store_n(target + i, __atomic_load_n(source + i, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
  }
  static u32 host_word(u64 address) {
    u32 value = 0;
    copy(reinterpret_cast<u8*>(&value), at(address, 4), 4);
    return value;
  }

  // RISC-V by hand: this folder tests the library from outside.
  static constexpr u32 lui(u32 rd, u32 value) { return (value & 0xFFFFF000) | rd << 7 | 0x37; }
  static constexpr u32 addi(u32 rd, u32 rs, u32 value) {
    return (value & 0xFFF) << 20 | rs << 15 | rd << 7 | 0x13;
  }
  static constexpr u32 sw(u32 source, u32 base, u32 offset) {
    return (offset >> 5) << 25 | source << 20 | base << 15 | 2 << 12 | (offset & 31) << 7 | 0x23;
  }
  static constexpr u32 kForever = 0x6F;  // jal x0, 0
  /// Stores of `value` to `address`, through x5 and x6.
  static void store(std::vector<u32>& code, u32 address, u32 value) {
    code.push_back(lui(5, value + 0x800));
    code.push_back(addi(5, 5, value));
    code.push_back(lui(6, address + 0x800));
    code.push_back(addi(6, 6, address));
    code.push_back(sw(5, 6, 0));
  }

  struct Place {
    u64 address;
    Coord tile;
  };
  /// A request by BRISC of (1, 2) on NoC 0: `source` to `target`; `control` says which of them is
  /// the far one.
  void request(std::vector<u32>& code, const Place& target, const Place& home, u32 control,
               u32 bytes) {
    constexpr u32 kNiu = 0xFFB20000;
    store(code, kNiu + 0x00, static_cast<u32>(target.address));
    store(code, kNiu + 0x04, static_cast<u32>(target.address >> 32));
    store(code, kNiu + 0x08, target.tile.x | u32{target.tile.y} << 6);
    store(code, kNiu + 0x0C, static_cast<u32>(home.address));
    store(code, kNiu + 0x10, static_cast<u32>(home.address >> 32));
    store(code, kNiu + 0x14, home.tile.x | u32{home.tile.y} << 6);
    store(code, kNiu + 0x1C, control);
    store(code, kNiu + 0x20, bytes);
    store(code, kNiu + 0x24, 0);
    store(code, kNiu + 0x40, 1);
  }
  static constexpr u32 kRead = 0x2090;
  static constexpr u32 kWrite = 0x2092;

  CardClient client{CardClient::Unopened{}};
  Board board_{BoardOptions::defaults(BoardModel::P150)};

 private:
  bool is_open_ = false;
  std::vector<std::string> set_;
};

}  // namespace bhemu::test
