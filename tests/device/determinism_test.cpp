// One hash per program, whatever the number of host threads and with parking on or off
// (docs/DETERMINISM.md). The constants change only when the modelled behaviour changes.
#include <gtest/gtest.h>

#include <string>

#include "device/device.hpp"
#include "support/assembler.hpp"
#include "tile/tile.hpp"

namespace bhemu {
namespace {

using test::Assembler;
using enum test::Reg;

constexpr u32 kArguments = 0x7000;
constexpr u32 kOut = 0x8000;    // 64 bytes sent to the next tile
constexpr u32 kIn = 0x9000;     // 64 bytes from the tile before
constexpr u32 kToken = 0xA000;  // counted up by the tile before
constexpr u32 kBack = 0xB000;   // what came back from DRAM
constexpr u32 kSum = 0x10000;   // written at the end
constexpr u32 kSeen = 0x11000;  // what NCRISC saw of the other core's work

// NIU register offsets and command words, BlackholeA0/NoC/MemoryMap.md.
enum Niu : i32 {
  kTargLo = 0x00,
  kTargMid = 0x04,
  kTargHi = 0x08,
  kRetLo = 0x0C,
  kRetMid = 0x10,
  kRetHi = 0x14,
  kCtrl = 0x1C,
  kLength = 0x20,
  kData = 0x28,
  kCommand = 0x40,
  kReadsAnswered = 0x208,
};
constexpr u32 kRead = 0x2090;
constexpr u32 kWrite = 0x2092;
constexpr u32 kAtomic = 0x2091;
constexpr u32 kIncrement = 0x107C;

void set(Assembler& a, i32 reg, u32 value) {
  a.li(t0, value);
  a.sw(t0, reg, s0);
}
void send(Assembler& a, u32 control) {
  set(a, kCtrl, control);
  set(a, kCommand, 1);
}

/// A ring over all tiles. Each round: change a block, write it to the next tile, tell it by an
/// atomic, wait for the tile before, send what came through DRAM and back, add it up.
std::vector<u32> ring_program(u32 rounds) {
  Assembler a;
  a.li(s0, 0xFFB20000);
  a.li(s1, kArguments);
  a.lw(s2, 0, s1);  // coordinate of the next tile
  a.lw(s3, 4, s1);  // coordinate of a DRAM bank
  a.lw(s7, 8, s1);  // address there
  a.li(s5, rounds);
  a.lw(s8, 12, s1);  // seed
  a.lw(s9, 16, s1);  // own coordinate: where answers go
  a.label("round");
  a.addi(s4, s4, 1);
  a.li(t1, 0x9E3779B1);
  a.mul(s8, s8, t1);
  a.add(s8, s8, s6);
  a.li(t1, kOut);
  a.sw(s8, 0, t1);
  a.sw(s4, 60, t1);
  a.fence();
  set(a, kTargLo, kOut);
  a.sw(s9, kTargHi, s0);
  set(a, kRetLo, kIn);
  set(a, kRetMid, 0);
  a.sw(s2, kRetHi, s0);
  set(a, kLength, 64);
  send(a, kWrite);
  set(a, kTargLo, kToken);
  set(a, kTargMid, 0);
  a.sw(s2, kTargHi, s0);
  a.sw(s9, kRetHi, s0);
  set(a, kRetLo, 4);
  set(a, kLength, kIncrement);
  set(a, kData, 1);
  send(a, kAtomic);
  a.li(t1, kToken);
  a.label("wait");
  a.fence();
  a.lw(a0, 0, t1);
  a.blt(a0, s4, "wait");
  // To DRAM and back.
  set(a, kTargLo, kIn);
  a.sw(s9, kTargHi, s0);
  a.sw(s7, kRetLo, s0);
  a.sw(s3, kRetHi, s0);
  set(a, kLength, 64);
  send(a, kWrite);
  a.sw(s7, kTargLo, s0);
  a.sw(s3, kTargHi, s0);
  a.sw(s9, kRetHi, s0);
  set(a, kRetLo, kBack);
  send(a, kRead);
  a.label("answer");
  a.lw(a0, kReadsAnswered, s0);
  a.bne(a0, s4, "answer");
  a.li(t1, kBack);
  a.lw(a1, 0, t1);
  a.lw(a2, 60, t1);
  a.xor_(s6, s6, a1);
  a.add(s6, s6, a2);
  a.bne(s4, s5, "round");
  a.li(t1, kSum);
  a.ori_nonzero(s6);
  a.sw(s6, 0, t1);
  a.halt();
  return a.finish();
}

/// NCRISC looks at what BRISC changes and stores a word that depends on when it saw what: so the
/// hash tells one order of the two from another.
std::vector<u32> looking_program() {
  Assembler a(0x12000);
  a.li(t0, kOut);
  a.li(t1, kSeen);
  a.li(t2, 900);
  a.li(t3, 3);
  a.label("look");
  a.lw(a0, 0, t0);
  a.mul(s1, s1, t3);
  a.add(s1, s1, a0);
  a.addi(t2, t2, -1);
  a.bne(t2, zero, "look");
  a.sw(s1, 0, t1);
  a.halt();
  return a.finish();
}

struct Outcome {
  RunStatus status;
  u64 hash;
  Cycle cycle;
};

enum class Code { Interpreted, Translated, TranslatedAtOnce };

DeviceOptions options_of(Code code, bool parking) {
  DeviceOptions options;
  options.jit.enabled = code != Code::Interpreted;
  if (code == Code::TranslatedAtOnce) options.jit.threshold = 0;
  options.parking = parking;
  return options;
}

Outcome run_ring(BoardModel model, TimingModel timing, unsigned threads, bool parking,
                 Code code = Code::Translated) {
  DeviceOptions options = options_of(code, parking);
  options.board = BoardOptions::defaults(model);
  options.timing = timing;
  options.threads = threads;
  Device device(options);
  const auto& tiles = device.board().tensix();
  const std::vector<u32> program = ring_program(12);
  const std::vector<u32> looking = looking_program();
  for (u32 i = 0; i < tiles.size(); ++i) {
    const Coord next = tiles[(i + 1) % tiles.size()];
    const Coord bank = device.board().dram_port(i % device.board().dram_banks(), 0);
    const std::array<u32, 5> arguments{next.x | u32{next.y} << 6, bank.x | u32{bank.y} << 6,
                                       i * 0x1000, i * 2 + 1, tiles[i].x | u32{tiles[i].y} << 6};
    device.write(tiles[i], 0, {reinterpret_cast<const u8*>(program.data()), program.size() * 4});
    device.write(tiles[i], kArguments,
                 {reinterpret_cast<const u8*>(arguments.data()), sizeof arguments});
    device.write(tiles[i], 0x12000,
                 {reinterpret_cast<const u8*>(looking.data()), looking.size() * 4});
    device.write32(tiles[i], 0xFFB121B0, 0x07000);
  }
  const auto done = [&] {
    for (const Coord tile : tiles)
      if (device.tile(tile).l1().read32(kSum) == 0) return false;
    return true;
  };
  const RunResult result = device.run(1'000'000, done);
  for (const Fault& fault : device.faults())
    ADD_FAILURE() << info_of(fault.rule).name << fault.text;
  return {result.status, device.hash(), result.cycle};
}

struct Case {
  BoardModel model;
  TimingModel timing;
  u64 hash;
  Cycle cycle;
};

class Determinism : public testing::TestWithParam<Case> {};

TEST_P(Determinism, one_hash_for_every_thread_count_with_and_without_parking) {
  const Case& expected = GetParam();
  for (const bool parking : {true, false}) {
    for (const unsigned threads : {1u, 2u, 4u}) {
      const Outcome outcome = run_ring(expected.model, expected.timing, threads, parking);
      EXPECT_EQ(outcome.status, RunStatus::Done);
      EXPECT_EQ(outcome.cycle, expected.cycle) << threads << " threads, parking " << parking;
      EXPECT_EQ(outcome.hash, expected.hash) << threads << " threads, parking " << parking;
    }
  }
}

TEST_P(Determinism, one_hash_for_interpreted_and_for_translated_code) {
  const Case& expected = GetParam();
  for (const Code code : {Code::Interpreted, Code::TranslatedAtOnce}) {
    for (const bool parking : {true, false}) {
      const Outcome outcome = run_ring(expected.model, expected.timing, 2, parking, code);
      EXPECT_EQ(outcome.cycle, expected.cycle) << static_cast<int>(code) << ", " << parking;
      EXPECT_EQ(outcome.hash, expected.hash) << static_cast<int>(code) << ", " << parking;
    }
  }
}

/// TRISC0 counts in a register of its thread, of a circular buffer, and of a command buffer, reads
/// each back, and adds them up; BRISC follows the circular buffer's.
u64 run_counting(Code code, bool parking) {
  constexpr u32 kCode = 0x13000;
  constexpr i32 kReceived = 0x28;  // of stream 9
  constexpr i32 kRounds = 150;
  Assembler counts(kCode);
  counts.li(s0, 0xFFE00000);
  counts.li(s1, 0xFFB49000);
  counts.li(s2, 0xFFB30000);
  counts.li(s4, kRounds);
  counts.label("round");
  counts.addi(s3, s3, 1);
  counts.sw(s3, 20, s0);
  counts.sw(s3, kTargLo, s2);
  counts.sw(s3, kReceived, s1);
  counts.lw(a0, 20, s0);
  counts.lw(a1, kTargLo, s2);
  counts.lw(a2, kReceived, s1);
  counts.add(s5, s5, a0);
  counts.add(s5, s5, a1);
  counts.add(s5, s5, a2);
  counts.bne(s3, s4, "round");
  counts.li(t0, kSum);
  counts.sw(s5, 0, t0);
  counts.halt();
  Assembler follows;
  follows.li(s1, 0xFFB49000);
  follows.li(s4, kRounds);
  follows.label("look");
  follows.lw(a0, kReceived, s1);
  follows.bne(a0, s4, "look");
  follows.li(t0, kSeen);
  follows.sw(a0, 0, t0);
  follows.halt();
  Device device(options_of(code, parking));
  const Coord tile{1, 2};
  for (const auto& [address, words] :
       {std::pair{kCode, counts.finish()}, std::pair{0u, follows.finish()}})
    device.write(tile, address, {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
  device.write32(tile, 0xFFB12228, kCode);
  device.write32(tile, 0xFFB12234, 1);
  device.write32(tile, 0xFFB121B0, 0x46000);
  const L1& l1 = device.tile(tile).l1();
  device.run(20'000, [&] { return l1.read32(kSum) != 0 && l1.read32(kSeen) != 0; });
  EXPECT_EQ(l1.read32(kSum), 3u * kRounds * (kRounds + 1) / 2);
  EXPECT_EQ(l1.read32(kSeen), static_cast<u32>(kRounds));
  EXPECT_TRUE(device.faults().empty());
  return device.hash();
}

TEST(RegisterDeterminism, registers_hold_the_same_for_interpreted_and_for_translated_code) {
  const u64 hash = run_counting(Code::Interpreted, false);
  for (const Code code : {Code::Interpreted, Code::Translated, Code::TranslatedAtOnce})
    for (const bool parking : {true, false})
      EXPECT_EQ(run_counting(code, parking), hash) << static_cast<int>(code) << ", " << parking;
}

INSTANTIATE_TEST_SUITE_P(
    Ring, Determinism,
    testing::Values(Case{BoardModel::P100A, TimingModel::Fast, 4311245324482038777u, 10240},
                    Case{BoardModel::P100A, TimingModel::Reference, 9503734271184944203u, 10240},
                    Case{BoardModel::P150, TimingModel::Fast, 3066508857611924413u, 10240}),
    [](const auto& info) {
      return std::string(info.param.model == BoardModel::P100A ? "p100a" : "p150") +
             (info.param.timing == TimingModel::Fast ? "_fast" : "_reference");
    });

}  // namespace
}  // namespace bhemu
