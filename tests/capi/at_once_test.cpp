// Accesses that are done at once, because nothing happens on the chip, have the effects of those
// that go through card and node. A trace has to be told of everything, so with one none is done at
// once.
#include <atomic>
#include <random>
#include <thread>

#include "card_fixture.hpp"

namespace bhemu::test {
namespace {

class CardAtOnce : public CardTest {
 protected:
  static constexpr Coord kTile{1, 2};
  static constexpr Coord kBusy{2, 2};
  static constexpr u64 kSoftReset = 0xFFB121B0;
  static constexpr u64 kFlag = 0x10000;
  static constexpr u64 kSeen = 0x20000;
  static constexpr u64 kWallClock = 0xFFB121F0;

  /// Whenever the flag is set: the wall clock to kSeen, and the flag is cleared.
  static std::vector<u32> watching() {
    std::vector<u32> code;
    code.push_back(lui(8, kFlag));
    code.push_back(lui(7, kSeen));
    code.push_back(lui(6, 0xFFB12000));
    code.push_back(8 << 15 | 2 << 12 | 9 << 7 | 3);                  // again: lw x9, 0(x8)
    code.push_back(0xFE048EE3);                                      // beq x9, x0, again
    code.push_back(0x1F0u << 20 | 6 << 15 | 2 << 12 | 10 << 7 | 3);  // lw x10, 0x1F0(x6)
    code.push_back(sw(10, 7, 0));
    code.push_back(sw(0, 8, 0));
    code.push_back(0xFEDFF06F);  // j again
    return code;
  }

  void set_pair(unsigned window, u64 offset, u32 value) {
    CardClient::put(client.window_base(window) + offset, value);
  }
  void set_stretch(unsigned window, u64 offset, u32 bytes, int seed) {
    std::vector<u8> data(bytes);
    for (u32 i = 0; i < bytes; ++i) data[i] = static_cast<u8>(seed + static_cast<int>(i * 31 >> 5));
    libttsim_pci_mem_wr_bytes(client.window_base(window) + offset, data.data(), bytes);
  }
  u32 get(unsigned window, u64 offset) {
    return CardClient::get(client.window_base(window) + offset);
  }

  /// Counts in L1 for ever.
  static std::vector<u32> counting() {
    return {lui(6, kSeen), addi(5, 5, 1), sw(5, 6, 0), 0xFF9FF06F};
  }

  /// What a client sees that does this and that, while nothing happens on the chip and while a tile
  /// works.
  std::vector<u32> session() {
    run_brisc(kTile, watching());
    client.aim(2, {.x = kTile.x, .y = kTile.y});
    client.aim(3, {.address = kWallClock & ~u64{0x1FFFFF}, .x = kTile.x, .y = kTile.y});
    client.aim(4, {.x = 17, .y = 12});
    std::vector<u32> seen;
    std::minstd_rand random(7);
    for (int i = 0; i < 3000; ++i) {
      const u32 what = static_cast<u32>(random() >> 8) % 17;
      const u32 word = static_cast<u32>(random() >> 8) % 64 * 4;
      if (i == 1000) run_brisc(kBusy, counting());
      if (i == 1500) client.aim(2, {.x = kTile.x, .y = kTile.y, .ordering = 2});  // posted
      if (i == 2000) client.write32(kBusy.x, kBusy.y, kSoftReset, 0x47800);
      // Some look like go messages.
      const u32 value = static_cast<u32>(i) | (i % 16 == 0 ? 0x8000'0000 : 0);
      if (what < 4) set_pair(2, 0x30000 + word, value);
      if (what == 4) set_pair(4, word, value);
      if (what == 5) set_pair(2, kFlag, 1);
      if (what == 6) seen.push_back(get(3, kWallClock & 0x1FFFFF));
      if (what == 7) seen.push_back(get(2, kSeen));
      if (what == 8) seen.push_back(get(4, word));
      if (what == 9) libttsim_clock(word * 10);
      if (what == 10) set_pair(2, 0x100, static_cast<u32>(i));  // beside code
      if (what == 11) CardClient::put(client.window_base(2) + 0x30000 + word + 1, 0x01020304);
      if (what == 12) set_stretch(2, 0x40000 + word + 3, word * 300 + 1, i);
      if (what == 12) set_stretch(4, 0x40000 + word * 7, word * 400 + 1, i);
      if (what == 12) set_stretch(2, kFlag - word, word + 1, 0);  // up to a word that is waited for
      if (what == 13) seen.push_back(get(i % 2 == 0 ? 2 : 4, 0x40000 + word * 200));
      if (what == 16) client.aim(5, {.x = static_cast<u8>(1 + word / 4 % 3), .y = kTile.y});
      if (what == 16) seen.push_back(get(5, 0x30000 + word));
      if (what == 16) set_pair(5, kSeen + word % 8, value);
      if (what == 16 && i % 3 == 0) seen.push_back(get(5, kSeen));
      if (what > 13) seen.push_back(get(2, 0x30000 + word));
    }
    // The host's accesses, as the PCI Express tile counts them.
    for (u64 counter = 0x200; counter < 0x300; counter += 4)
      refusal([&] { seen.push_back(CardClient::get(client.bar0 + 0x1FD04000 + counter)); });
    return seen;
  }
};

TEST_F(CardAtOnce, a_client_sees_the_same_with_and_without_short_cuts) {
  open("p150", {{"BHEMU_CLOCK", "calls"}});
  const std::vector<u32> quick = session();
  close();
  open("p150", {{"BHEMU_CLOCK", "calls"}, {"BHEMU_TRACE", "/dev/null"}});
  const std::vector<u32> slow = session();
  EXPECT_EQ(quick, slow);
}

TEST_F(CardAtOnce, a_window_that_is_aimed_anew_leads_elsewhere) {
  open("p150");
  client.write32(1, 2, 0x1000, 1);
  client.write32(2, 2, 0x1000, 2);
  client.aim(2, {.x = 1, .y = 2});
  EXPECT_EQ(get(2, 0x1000), 1u);
  EXPECT_EQ(get(2, 0x1000), 1u);
  client.aim(2, {.x = 2, .y = 2});
  EXPECT_EQ(get(2, 0x1000), 2u);
  EXPECT_EQ(get(2, 0x1000), 2u);
}

TEST_F(CardAtOnce, a_rule_broken_between_two_writes_is_told_at_the_next_clock) {
  open("p150", {{"BHEMU_CLOCK", "calls"}});
  for (const u32 window : {2u, 3u}) {
    client.aim(2, {.x = 1, .y = 2});
    run_brisc(kTile, {lui(6, 0x10000), sw(5, 6, 0), 0xFFFFFFFF});
    // Before the first of these the core comes to the word that is no instruction.
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(refusal([&] {
                  if (window == 2)
                    set_pair(2, 0x30000, 1);
                  else
                    client.aim(3, {.x = static_cast<u8>(1 + i), .y = 3});
                }),
                "");
    EXPECT_NE(refusal([] { libttsim_clock(1); }).find("riscv-illegal-instruction"),
              std::string::npos)
        << window;
    EXPECT_EQ(refusal([] { libttsim_clock(1); }), "");
  }
}

TEST_F(CardAtOnce, threads_that_call_without_a_lock_of_their_own_lose_nothing) {
  open("p150");
  client.aim(2, {.x = 1, .y = 2});
  client.aim(3, {.x = 2, .y = 2});
  std::atomic<int> lost{0};
  const auto work = [&](unsigned window) {
    for (u32 i = 0; i < 20'000; ++i) {
      const u64 address = client.window_base(window) + 0x1000 + i % 16 * 4;
      CardClient::put(address, i);
      if (CardClient::get(address) != i) ++lost;
      if (i % 64 == 0) libttsim_clock(1);
    }
  };
  work(2);
  std::thread other([&] { work(3); });
  work(2);
  other.join();
  EXPECT_EQ(lost.load(), 0);
}

/// The second access through a window is one that may be done at once.
TEST_F(CardAtOnce, registers_of_a_dram_tile_are_no_memory_however_often_they_are_read) {
  open("p150", {{"BHEMU_CLOCK", "calls"}});
  constexpr u64 kRegisters = 0xFFA00000;  // where a window of 2 MiB with the NIUs begins
  client.aim(5, {.address = kRegisters, .x = 17, .y = 12});
  const u32 first = get(5, 0x120044);
  const u32 other = get(5, 0x130044);
  EXPECT_NE(first, 0u);
  EXPECT_NE(other, 0u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(get(5, 0x120044), first) << "NOC_NODE_ID of NIU 0";
    EXPECT_EQ(get(5, 0x130044), other) << "of NIU 1";
  }
}

}  // namespace
}  // namespace bhemu::test
