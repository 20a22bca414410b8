// A multicast is kept as one until it arrives, and so are its acknowledgements. Nobody can tell it
// from packets: a chip whose nodes are all observed, where each goes its own way, is the twin.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "support/assembler.hpp"
#include "tile/tile.hpp"
#include "trace/observer.hpp"

namespace bhemu {
namespace {

using test::Assembler;
using enum test::Reg;

constexpr u32 kSoftReset = 0xFFB121B0;
constexpr u32 kBriscRuns = 0x47000;
constexpr u32 kNiu = 0xFFB20000;
constexpr u32 kSource = 0x20000;
constexpr u32 kBlock = 0x30000;
constexpr u32 kFlag = 0x9000;
constexpr u32 kCount = 0xA000;
constexpr u32 kAnswers = 0x204;
constexpr u32 kAcknowledged = 0x2C4;

// BlackholeA0/NoC/MemoryMap.md.
enum Niu : i32 {
  kTargLo = 0x00,
  kTargHi = 0x08,
  kRetLo = 0x0C,
  kRetHi = 0x14,
  kCtrl = 0x1C,
  kLength = 0x20,
  kData = 0x28,
  kCommand = 0x40,
};
constexpr u32 kMulticast = 1u << 8 | 1u << 5 | 4u << 13 | 0x92;
constexpr u32 kPosted = 1u << 4;
constexpr u32 kToSelfToo = 1u << 17;

constexpr u32 packed(Coord coord) {
  return coord.x | u32{coord.y} << 6;
}

struct Sender {
  Coord tile;
  Coord first, last;
  u32 receivers;
  u32 control = kMulticast;
  u32 target = kBlock;
  u32 bytes = 4096;
  bool waits = true;
};

/// Ten rounds: writes a block to all, then a flag that tells which round it is, to all as well.
std::vector<u32> sending(const Sender& sender) {
  Assembler a;
  const auto set = [&](i32 reg, u32 value) {
    a.li(t0, value);
    a.sw(t0, reg, s0);
  };
  a.li(s0, kNiu);
  a.li(s1, 10);
  a.li(s5, kSource);
  a.lw(s4, kAnswers, s0);
  set(kTargHi, packed(sender.tile));
  set(kRetHi, packed(sender.last) | packed(sender.first) << 12);
  a.label("round");
  a.sw(s1, 0, s5);
  a.fence();
  for (const bool flag : {false, true}) {
    const u32 control = flag ? kMulticast : sender.control;
    set(kTargLo, kSource);
    set(kRetLo, flag ? kFlag : sender.target);
    set(kLength, flag ? 4 : sender.bytes);
    set(kCtrl, control);
    set(kCommand, 1);
    if ((control & 0x10) != 0)
      a.addi(s4, s4, static_cast<i32>(sender.receivers + ((control & kToSelfToo) != 0 ? 1 : 0)));
    if (!sender.waits) continue;
    const std::string label = flag ? "flag" : "block";
    a.label(label);
    a.lw(t0, kAnswers, s0);
    a.bne(t0, s4, label);
  }
  a.addi(s1, s1, -1);
  a.bne(s1, zero, "round");
  a.halt();
  return a.finish();
}

/// Counts how often the flag changes, and adds up what it sees of the block.
std::vector<u32> receiving() {
  Assembler a;
  a.li(s0, kFlag);
  a.li(s1, kBlock);
  a.li(s2, kCount);
  a.label("look");
  a.lw(t0, 0, s0);
  a.beq(t0, s3, "look");
  a.add(s3, t0, zero);
  a.lw(t1, 0, s1);
  a.add(s4, s4, t1);
  a.addi(s4, s4, 1);
  a.sw(s4, 0, s2);
  a.j("look");
  return a.finish();
}

void start(Device& device, Coord tile, const std::vector<u32>& program) {
  device.write(tile, 0, {reinterpret_cast<const u8*>(program.data()), program.size() * 4});
  device.write32(tile, kSoftReset, kBriscRuns);
}

enum class Way { InOneRun, EpochByEpoch };

struct Seen {
  u64 hash = 0;
  u64 packets = 0;
  u64 bytes = 0;
  std::vector<u32> words;  // of receivers, in each epoch
  bool operator==(const Seen&) const = default;
};

class Multicast : public testing::Test {
 protected:
  /// Receivers lie in columns 1 to 6 and rows 3 to 6; those of column 2 poll.
  Seen run(const std::vector<Sender>& senders, bool observed, Way way, unsigned threads = 1) {
    DeviceOptions options;
    options.board = BoardOptions::defaults(BoardModel::P150);
    options.threads = threads;
    Device device(options);
    for (const Sender& sender : senders) {
      std::vector<u32> words(1024);
      for (u32 i = 0; i < words.size(); ++i) words[i] = i * 0x9E3779B1 + sender.tile.x;
      device.write(sender.tile, kSource,
                   {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
    }
    if (observed) device.observe([](NodeId) { return std::make_unique<trace::Observer>(); });
    for (const Sender& sender : senders) start(device, sender.tile, sending(sender));
    for (u8 y = 3; y <= 6; ++y) start(device, {2, y}, receiving());
    Seen seen;
    if (way == Way::InOneRun) {
      device.run(20'000, [] { return false; });
    } else {
      for (u32 epoch = 0; epoch < 60; ++epoch) {
        device.advance(1);
        for (const u8 x : {1, 2, 6})
          for (const u32 address : {kBlock, kBlock + 4092, kFlag, kCount, kNiu + kAcknowledged}) {
            u32 word = 0;
            device.read32({x, 4}, address, word);
            seen.words.push_back(word);
          }
      }
    }
    for (const Fault& fault : device.faults())
      ADD_FAILURE() << info_of(fault.rule).name << ": " << fault.text;
    const Totals totals = device.totals();
    seen.packets = totals.noc_packets;
    seen.bytes = totals.noc_bytes;
    seen.hash = device.hash();
    return seen;
  }
  void expect_like_packets(const std::vector<Sender>& senders) {
    for (const Way way : {Way::InOneRun, Way::EpochByEpoch}) {
      const Seen twin = run(senders, true, way);
      EXPECT_GT(twin.packets, 100u);
      EXPECT_EQ(run(senders, false, way), twin);
      EXPECT_EQ(run(senders, false, way, 2), twin);
    }
  }
};

TEST_F(Multicast, acknowledged_writes_do_what_as_many_packets_do) {
  expect_like_packets({{{1, 2}, {1, 3}, {6, 6}, 24}});
}

TEST_F(Multicast, posted_writes_do_what_as_many_packets_do) {
  Sender sender{{1, 2}, {1, 3}, {6, 6}, 24};
  sender.control = kMulticast & ~kPosted;
  expect_like_packets({sender});
}

TEST_F(Multicast, a_sender_that_receives_too_gets_its_own_earlier) {
  Sender sender{{1, 3}, {1, 3}, {6, 6}, 23};
  sender.control = kMulticast | kToSelfToo;
  expect_like_packets({sender});
}

TEST_F(Multicast, writes_onto_lines_with_code_go_to_each_by_itself) {
  Sender sender{{1, 2}, {1, 3}, {6, 6}, 24};
  // Behind the program of those that poll.
  sender.target = (static_cast<u32>(receiving().size()) * 4 + 15) & ~15u;
  sender.bytes = 48;
  expect_like_packets({sender});
}

TEST_F(Multicast, writes_of_nothing_are_acknowledged) {
  Sender sender{{1, 2}, {1, 3}, {6, 6}, 24};
  sender.bytes = 0;
  expect_like_packets({sender});
}

TEST_F(Multicast, senders_whose_receivers_are_the_same_keep_their_order) {
  expect_like_packets({{{1, 2}, {1, 3}, {6, 6}, 24},
                       {{3, 2}, {2, 3}, {6, 5}, 15},
                       {{5, 2}, {1, 3}, {6, 6}, 24, kMulticast, kBlock, 2048}});
}

TEST_F(Multicast, requests_that_nobody_waits_for_overtake_nothing) {
  Sender sender{{1, 2}, {1, 3}, {6, 6}, 24};
  sender.waits = false;
  sender.bytes = 64;
  expect_like_packets({sender, {{3, 2}, {1, 3}, {6, 6}, 24}});
}

}  // namespace
}  // namespace bhemu
