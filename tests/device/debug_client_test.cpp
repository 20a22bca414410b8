// A debugger over the NoC sees the same whatever the number of host threads, parked or not.
#include <gtest/gtest.h>

#include "device/device.hpp"
#include "support/assembler.hpp"
#include "support/debug_client.hpp"
#include "tensix/isa.hpp"

namespace bhemu {
namespace {

using test::Assembler;
using test::DebugClient;
using enum test::Reg;
using tensix::encode;
namespace op = tensix::op;

constexpr u32 kSoftReset = 0xFFB121B0;
constexpr u32 kStep = 0x1000;

/// Each core polls a word of its own; TRISC1 has first pushed an instruction that never goes.
void load(Device& device, Coord tile, u32 salt) {
  for (u32 core = 0; core < kCores; ++core) {
    Assembler a(core * kStep);
    if (core == static_cast<u32>(CoreId::Trisc1)) {
      a.ttinsn(encode<op::SETRWC>({{"bit_mask", 1}, {"rwc_a", salt % 16}}));
      a.ttinsn(encode<op::SEMINIT>({{"sem_sel", 8}, {"init_value", 0}, {"max_value", 1}}));
      a.ttinsn(encode<op::SEMWAIT>({{"wait_sem_cond", 1}, {"sem_sel", 8}, {"stall_res", 0x1FF}}));
      a.ttinsn(encode<op::SFPNOP>());
    }
    a.li(t0, 0x8000 + core * 64);
    a.label("again");
    for (u32 i = 0; i < core + salt % 3; ++i) a.addi(t1, t1, 0);
    a.lw(a0, 0, t0);
    a.beq(a0, zero, "again");
    a.halt();
    const std::vector<u32> words = a.finish();
    device.write(tile, core * kStep, {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
  }
  device.write32(tile, 0xFFB12238, kStep);
  device.write32(tile, 0xFFB1223C, 1);
  for (u32 trisc = 0; trisc < 3; ++trisc)
    device.write32(tile, 0xFFB12228 + 4 * trisc, (2 + trisc) * kStep);
  device.write32(tile, 0xFFB12234, 7);
  device.write32(tile, kSoftReset, 0);
}

/// Everything that the client reads of some tiles in the course of a run.
std::vector<u32> look(unsigned threads, bool parking) {
  DeviceOptions options;
  options.board = BoardOptions::defaults(BoardModel::P100A);
  options.threads = threads;
  options.parking = parking;
  Device device(options);
  const auto& tiles = device.board().tensix();
  const std::vector<Coord> watched{tiles[0], tiles[17], tiles[60], tiles.back()};
  for (u32 i = 0; i < watched.size(); ++i) load(device, watched[i], i);
  std::vector<u32> seen;
  for (int step = 0; step < 5; ++step) {
    device.advance(1024 + 256 * step);
    for (const Coord tile : watched) {
      DebugClient client;
      client.read = [&](u32 address) {
        u32 value = 0;
        EXPECT_TRUE(device.read32(tile, address, value));
        return value;
      };
      client.write = [&](u32 address, u32 value) {
        EXPECT_TRUE(device.write32(tile, address, value));
      };
      client.poll = [&] { device.advance(1); };
      for (u32 core = 0; core < kCores; ++core)
        seen.push_back(client.pc(static_cast<CoreId>(core)));
      for (u32 word = 0; word < 3; ++word) seen.push_back(client.word(1, 8, word));
      for (const auto& group : client.sample(7, 17, 0xA000, 3, 7))
        seen.insert(seen.end(), group.begin(), group.end());
      if (step == 0) client.start(DebugClient::kInstrnThread);
      seen.push_back(client.cycles(DebugClient::kInstrnThread));
      seen.push_back(client.count(DebugClient::kInstrnThread, 44));
      seen.push_back(static_cast<u32>(client.signal({3, 2, 24, 6})));
    }
  }
  EXPECT_TRUE(device.faults().empty());
  const u64 hash = device.hash();
  seen.push_back(static_cast<u32>(hash));
  seen.push_back(static_cast<u32>(hash >> 32));
  return seen;
}

TEST(DebugClient, sees_the_same_for_any_number_of_host_threads_parked_or_not) {
  const std::vector<u32> first = look(1, true);
  EXPECT_EQ(look(1, false), first);
  for (const unsigned threads : {2u, 4u})
    for (const bool parking : {true, false}) EXPECT_EQ(look(threads, parking), first);
  // The thread hangs with the same instruction at its gate, and its counter counts every cycle.
  constexpr u32 kPerTile = kCores + 3 + 12 + 3;
  const u32 nop = encode<op::SFPNOP>();
  for (u32 tile = 0; tile < 4; ++tile) {
    const u32* at = first.data() + 4 * 4 * kPerTile + tile * kPerTile;  // of the last look
    EXPECT_EQ(at[kCores + 1] >> 8, nop & 0xFFFFFF);
    EXPECT_EQ(at[kCores + 2] & 0xFF, nop >> 24);
    EXPECT_GE(at[kCores + 15], 4 * 1024u);
    EXPECT_EQ(at[kCores + 16], at[kCores + 15]);
    EXPECT_EQ(at[kCores + 17], tile);
  }
}

}  // namespace
}  // namespace bhemu
