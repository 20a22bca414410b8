// The RISC-V debug interface of a whole chip: a host, and cores of other tiles, pause cores at the
// same cycles whatever the number of host threads, with parking and without; snapshots keep it.
#include <gtest/gtest.h>

#include "device/device.hpp"
#include "support/assembler.hpp"
#include "support/debugger.hpp"
#include "tile/tile.hpp"
#include "tile/wait_text.hpp"

namespace bhemu {
namespace {

using test::Assembler;
using test::Debugger;
using enum test::Reg;

constexpr u32 kPolled = 0x9000;
constexpr u32 kCount = 0x9100;
constexpr u32 kArguments = 0x9200;
constexpr unsigned kTiles = 6;

/// BRISC: waits a while, then pauses TRISC0 of the next tile by inline writes over the NoC.
std::vector<u32> brisc_program() {
  Assembler a(0);
  a.li(s0, 0xFFB20000);
  a.li(s1, kArguments);
  a.lw(s2, 0, s1);  // coordinate of the next tile
  a.lw(s3, 4, s1);  // rounds to wait
  a.label("wait");
  a.addi(s3, s3, -1);
  a.bne(s3, zero, "wait");
  for (const auto& [address, value] :
       {std::pair{0xFFB12084u, 1u}, std::pair{0xFFB12080u, 0u}, std::pair{0xFFB12080u, 0x80030001u},
        std::pair{0xFFB12080u, 0u}}) {
    a.li(t0, address);
    a.sw(t0, 0x00, s0);
    a.sw(zero, 0x04, s0);
    a.sw(s2, 0x08, s0);
    a.li(t0, 0x209A);  // write, inline, answered
    a.sw(t0, 0x1C, s0);
    a.li(t0, 0xF);
    a.sw(t0, 0x20, s0);
    a.li(t0, value);
    a.sw(t0, 0x28, s0);
    a.li(t0, 1);
    a.sw(t0, 0x40, s0);
    const std::string sent = "sent" + std::to_string(a.here());
    a.label(sent);
    a.lw(t0, 0x40, s0);
    a.bne(t0, zero, sent);
  }
  a.li(s4, kPolled);
  a.label("poll");
  a.lw(a0, 0, s4);
  a.beq(a0, zero, "poll");
  a.li(s4, 0xFFEC1000);  // to TRISC0
  a.sw(a0, 0, s4);
  a.halt();
  return a.finish();
}

/// TRISC0 counts; TRISC1 polls; TRISC2 waits for a mailbox.
std::vector<u32> counting() {
  Assembler a(0x6000);
  a.li(s0, kCount);
  a.label("on");
  a.addi(s1, s1, 1);
  a.sw(s1, 0, s0);
  a.j("on");
  return a.finish();
}
std::vector<u32> polling() {
  Assembler a(0xA000);
  a.li(s0, kPolled);
  a.label("poll");
  a.lw(a0, 4, s0);
  a.addi(a1, zero, 3);
  a.beq(a0, zero, "poll");
  a.halt();
  return a.finish();
}
std::vector<u32> waiting() {
  Assembler a(0xE000);
  a.li(s0, 0xFFEC0000);
  a.lw(a0, 0, s0);
  a.label("on");
  a.addi(a1, a1, 1);
  a.j("on");
  return a.finish();
}

struct Chip {
  Chip(unsigned threads, bool parking) : device(options(threads, parking)) {
    const auto& tiles = device.board().tensix();
    for (unsigned i = 0; i < kTiles; ++i) {
      const Coord next = tiles[(i + 1) % kTiles];
      for (const auto& [address, words] :
           {std::pair{0u, brisc_program()}, std::pair{0x6000u, counting()},
            std::pair{0xA000u, polling()}, std::pair{0xE000u, waiting()}})
        device.write(tiles[i], address,
                     {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
      device.write32(tiles[i], kArguments, next.x | u32{next.y} << 6);
      device.write32(tiles[i], kArguments + 4, 100 + 300 * i);
      device.write32(tiles[i], 0xFFB121B0, 0x40000);
    }
  }
  static DeviceOptions options(unsigned threads, bool parking) {
    DeviceOptions options;
    options.threads = threads;
    options.parking = parking;
    return options;
  }
  Coord tile(unsigned i) const { return device.board().tensix()[i]; }
  Debugger debugger(unsigned i, u32 which) {
    return {which, [this, i](u32 address, u32 value) { device.write32(tile(i), address, value); },
            [this, i](u32 address) {
              u32 value = 0;
              device.read32(tile(i), address, value);
              return value;
            }};
  }
  Device device;
};

/// Every register of every core, as a debugger sees them.
void append_registers(Chip& chip, std::vector<u32>& seen) {
  for (unsigned i = 0; i < kTiles; ++i) {
    for (u32 which = 0; which < 4; ++which) {
      const Debugger debugger = chip.debugger(i, which);
      seen.push_back(debugger.status());
      if (!debugger.is_paused()) continue;
      for (u32 reg = 0; reg <= 32; ++reg) seen.push_back(debugger.gpr(reg));
    }
  }
}

std::vector<u32> session(Chip& chip) {
  std::vector<u32> seen;
  chip.device.advance(1280);
  append_registers(chip, seen);  // some TRISC0s have been paused by their neighbours
  for (unsigned i = 0; i < kTiles; ++i)
    for (u32 which = 0; which < 4; ++which) chip.debugger(i, which).pause();
  append_registers(chip, seen);
  for (unsigned i = 0; i < kTiles; ++i) {
    for (u32 which = 0; which < 4; ++which) {
      const Debugger debugger = chip.debugger(i, which);
      if (!debugger.is_paused()) continue;
      debugger.watch(which, Debugger::kAtInstruction, 0x6008);
      debugger.watch(5, Debugger::kOnLoad, kPolled + 4);
      i % 2 == 0 ? debugger.step() : debugger.resume();
    }
  }
  chip.device.advance(768);
  append_registers(chip, seen);
  for (unsigned i = 0; i < kTiles; ++i) {
    chip.debugger(i, 2).watch(5, Debugger::kOff, 0);
    for (u32 which = 0; which < 4; ++which)
      if (chip.debugger(i, which).is_paused()) chip.debugger(i, which).resume();
    chip.device.write32(chip.tile(i), kPolled, 1);
    chip.device.write32(chip.tile(i), kPolled + 4, 1);
  }
  chip.device.advance(2560);
  append_registers(chip, seen);
  const u64 hash = chip.device.hash();
  seen.push_back(static_cast<u32>(hash));
  seen.push_back(static_cast<u32>(hash >> 32));
  return seen;
}

TEST(RiscvDebugOfAChip, sees_and_does_the_same_for_every_thread_count_with_and_without_parking) {
  Chip reference(1, true);
  const std::vector<u32> expected = session(reference);
  for (const bool parking : {true, false}) {
    for (const unsigned threads : {1u, 2u, 4u}) {
      Chip chip(threads, parking);
      EXPECT_EQ(session(chip), expected) << threads << " threads, parking " << parking;
      for (const Fault& fault : chip.device.faults()) ADD_FAILURE() << fault.text;
    }
  }
}

TEST(RiscvDebugOfAChip, cores_of_other_tiles_pause_over_the_noc) {
  Chip chip(1, true);
  chip.device.advance(6000);
  for (unsigned i = 0; i < kTiles; ++i) {
    const Debugger debugger = chip.debugger(i, 1);
    EXPECT_EQ(debugger.status(), Debugger::kPaused) << i;
    const u32 count = debugger.gpr(s1);
    EXPECT_GT(count, 100u);
    EXPECT_LT(count, 2000u);
    u32 stored = 0;
    chip.device.read32(chip.tile(i), kCount, stored);
    EXPECT_LE(count - stored, 1u);
  }
}

TEST(RiscvDebugOfAChip, a_paused_core_is_a_waiter_that_the_debugger_halted) {
  Chip chip(1, true);
  chip.device.advance(512);
  chip.debugger(0, 2).pause();
  bool found = false;
  for (const Waiter& waiter : chip.device.waiters()) {
    if (waiter.agent != Agent::Trisc1 || waiter.node != chip.device.tile(chip.tile(0)).id())
      continue;
    found = true;
    EXPECT_EQ(tile::what_of(waiter.waits), "to be resumed: halted by the debugger");
  }
  EXPECT_TRUE(found);
}

TEST(RiscvDebugOfAChip, a_snapshot_keeps_watchpoints_pauses_and_loads_held_back) {
  Chip chip(1, true);
  chip.device.advance(512);
  chip.debugger(0, 2).watch(1, Debugger::kOnLoad, kPolled + 4);
  chip.debugger(1, 3).pause();  // as soon as its mailbox has something
  chip.debugger(2, 1).pause();
  chip.device.advance(512);
  EXPECT_EQ(chip.debugger(0, 2).status(), Debugger::kPaused | Debugger::kMemory | 0x200);
  chip.device.write32(chip.tile(0), kPolled + 4, 1);  // after it was read
  const std::vector<u8> snapshot = chip.device.snapshot();
  Chip other(2, false);
  other.device.restore(snapshot);
  EXPECT_EQ(other.device.hash(), chip.device.hash());
  for (Chip* one : {&chip, &other}) {
    const Debugger polling = one->debugger(0, 2);
    EXPECT_EQ(polling.gpr(a0), 0u);
    polling.step();
    EXPECT_EQ(polling.gpr(a0), 0u) << "read before the word changed";
    polling.resume();
    one->debugger(2, 1).resume();
    one->device.advance(512);
    EXPECT_EQ(polling.status(), Debugger::kPaused | Debugger::kMemory | 0x200);
    polling.step();
    EXPECT_EQ(polling.gpr(a0), 1u);
  }
  EXPECT_EQ(other.device.hash(), chip.device.hash());
}

}  // namespace
}  // namespace bhemu
