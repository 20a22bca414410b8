// A P150 and a look at one of its Ethernet tiles.
#pragma once

#include <gtest/gtest.h>

#include "device/device.hpp"
#include "eth/base_firmware.hpp"
#include "support/assembler.hpp"
#include "support/debugger.hpp"
#include "tile/tile.hpp"

namespace bhemu::test {

inline constexpr u32 kSoftReset = 0xFFB121B0;
inline constexpr u32 kResetPc0 = 0xFFB14000;
inline constexpr u32 kResetPc1 = 0xFFB14008;
inline constexpr u32 kHeld0 = 1u << 11;
inline constexpr u32 kHeld1 = 1u << 12;
inline constexpr u32 kOthersHeld = 0x46000;  // bits of cores that the tile does not have
inline constexpr u32 kTxq0 = 0xFFB90000;
inline constexpr u32 kRxq0 = 0xFFB94000;
inline constexpr u32 kPcsStatus = 0xFFB9800C;
inline constexpr u32 kHeaderTable = 0xFFB98200;
inline constexpr u32 kClassifier = 0xFFB9C000;
inline constexpr u32 kStreamRegisters = 0xFFB40000;

inline DeviceOptions p150_options(bool parking = true,
                                  FirmwareBundle bundle = FirmwareBundle::V18_12) {
  DeviceOptions options;
  options.board = BoardOptions::defaults(BoardModel::P150);
  options.board.bundle = bundle;
  options.parking = parking;
  return options;
}

struct EthernetChip {
  explicit EthernetChip(DeviceOptions options = p150_options()) : device(options) {}

  void write(u32 address, u32 value, Coord to = kFirst) {
    EXPECT_TRUE(device.write32(to, address, value)) << std::hex << address;
  }
  u32 read(u32 address, Coord from = kFirst) {
    u32 value = 0;
    EXPECT_TRUE(device.read32(from, address, value)) << std::hex << address;
    return value;
  }
  void load(Assembler& a, u32 base, Coord to = kFirst) {
    const std::vector<u32> words = a.finish();
    EXPECT_TRUE(
        device.write(to, base, {reinterpret_cast<const u8*>(words.data()), words.size() * 4}));
  }
  /// Starts one core at `pc` and leaves the other as it is.
  void start(CoreId core, u32 pc, Coord tile = kFirst) {
    const u32 mask = core == CoreId::Erisc0 ? kHeld0 : kHeld1;
    write(kSoftReset, read(kSoftReset, tile) | mask, tile);
    write(core == CoreId::Erisc0 ? kResetPc0 : kResetPc1, pc, tile);
    write(kSoftReset, read(kSoftReset, tile) & ~mask, tile);
  }
  RunResult run(Cycle cycles = 100'000) { return device.run(cycles); }
  /// Both cores of the tile held, so that a test has it for itself.
  void hold(Coord tile = kFirst) { write(kSoftReset, kHeld0 | kHeld1 | kOthersHeld, tile); }
  tile::Tile& tile(Coord at = kFirst) { return device.tile(at); }
  std::vector<Rule> rules() const {
    std::vector<Rule> all;
    for (const Fault& fault : device.faults()) all.push_back(fault.rule);
    return all;
  }
  Debugger debugger(u32 which) {
    return {which, [this](u32 address, u32 value) { write(address, value); },
            [this](u32 address) { return read(address); }};
  }

  static constexpr Coord kFirst{20, 25};  // E0: no port, its SerDes is PCIe's
  static constexpr Coord kPort{24, 25};   // E4: a port without cable
  static constexpr Coord kTensix{1, 2};
  static constexpr u32 kCode = 0x10000;
  static constexpr u32 kResult = 0x20000;

  Device device;
};

}  // namespace bhemu::test
