// A driver's card and a client that waits for what will never come (kmd/hang_watch.hpp).
#include "kmd/hang_watch.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>

#include "bench.hpp"
#include "support/assembler.hpp"

namespace bhemu::kmd {
namespace {

using test::Assembler;
using enum test::Reg;
using std::chrono::milliseconds;

constexpr u64 kGoMessage = 0x370;
constexpr u64 kFlag = 0x10000;
constexpr u64 kDone = 0x20000;
constexpr u32 kInit = u32{GoMessages::kInit} << 24;
constexpr u32 kGo = u32{GoMessages::kGo} << 24;
constexpr Coord kTile{1, 2};

host::CardSettings impatient(host::FaultMode mode) {
  host::CardSettings result = settings(mode);
  result.hang_seconds = 1;
  return result;
}

/// Waits for the flag, and then says that it is done.
std::vector<u32> waiting(bool by_the_chip) {
  Assembler a;
  a.li(s0, kGoMessage);
  a.li(s1, kGo);
  if (by_the_chip) a.sw(s1, 0, s0);
  a.li(a0, kFlag);
  a.label("again");
  a.fence();
  a.lw(a1, 0, a0);
  a.beq(a1, zero, "again");
  a.sw(zero, 0, s0);
  a.halt();
  return a.finish();
}

class Hang {
 public:
  static constexpr u64 kWindowBytes = u64{2} << 20;

  explicit Hang(host::FaultMode mode) : card(impatient(mode)), driver(card), file(driver.open()) {
    abi::AllocateTlb tlb{};
    tlb.in.size = kWindowBytes;
    EXPECT_EQ(file->ioctl(abi::ALLOCATE_TLB, &tlb), 0);
    window_ = tlb.out.id;
    aim(kTile, 0);
  }
  void aim(Coord tile, u64 address) {
    abi::ConfigureTlb tlb{};
    tlb.in.id = window_;
    tlb.in.config.addr = address;
    tlb.in.config.x_end = tile.x;
    tlb.in.config.y_end = tile.y;
    configure(tlb);
  }
  void aim_at_all(Coord first, Coord last) {
    abi::ConfigureTlb tlb{};
    tlb.in.id = window_;
    tlb.in.config.x_start = first.x;
    tlb.in.config.y_start = first.y;
    tlb.in.config.x_end = last.x;
    tlb.in.config.y_end = last.y;
    tlb.in.config.mcast = 1;
    configure(tlb);
  }
  void configure(abi::ConfigureTlb& tlb) { EXPECT_EQ(file->ioctl(abi::CONFIGURE_TLB, &tlb), 0); }
  u32 get(u64 offset) {
    u32 value = 0;
    driver.read(0, place() + offset, {reinterpret_cast<u8*>(&value), 4});
    return value;
  }
  void put(u64 offset, u32 value) {
    driver.write(0, place() + offset, {reinterpret_cast<const u8*>(&value), 4});
  }
  void start(const std::vector<u32>& program) {
    driver.write(0, place(), {reinterpret_cast<const u8*>(program.data()), program.size() * 4});
    aim(kTile, kSoftReset / kWindowBytes * kWindowBytes);
    put(kSoftReset % kWindowBytes, kBriscRuns);
    aim(kTile, 0);
  }
  /// As tt-metal does before firmware boots: every tile learns that it is to begin.
  void announce() {
    for (const Coord tile : card.board().tensix()) {
      aim(tile, 0);
      put(kGoMessage, kInit);
    }
    aim(kTile, 0);
  }
  bool shows() { return driver.direct(0, place(), 4096).has_value(); }
  bool answers() { return LiveCard::Visit(card, false).answers(); }

  LiveCard card;
  Driver driver;
  std::unique_ptr<File> file;

 private:
  u64 place() const { return window_ * kWindowBytes; }
  u32 window_ = 0;
};

TEST(Hang, a_client_that_asks_in_vain_gets_all_ones_and_the_report) {
  Hang hang(host::FaultMode::Throw);
  hang.put(kGoMessage, kGo);
  hang.start(waiting(false));
  EXPECT_TRUE(eventually([&] { return hang.get(kGoMessage) == ~0u; }));
  EXPECT_FALSE(hang.answers());
  for (const char* part : {"(1, 2) is done", "BRISC of (1, 2)", "L1[0x10000] is 0x00000000"})
    EXPECT_NE(hang.driver.failure().find(part), std::string::npos) << hang.driver.failure();
}

TEST(Hang, memory_is_not_shown_while_a_kernel_seems_to_hang_and_is_again_afterwards) {
  Hang hang(host::FaultMode::Throw);
  std::atomic<unsigned> moved{0};
  hang.driver.on_window_change([&](unsigned) { ++moved; });
  hang.put(kGoMessage, kGo);
  hang.start(waiting(false));
  EXPECT_TRUE(hang.shows());
  moved = 0;
  EXPECT_TRUE(eventually([&] { return moved == card::Windows::kCount; }));
  EXPECT_FALSE(hang.shows());
  // Nobody has asked, so nothing has been decided: the client helps, and the kernel ends.
  std::this_thread::sleep_for(milliseconds(1500));
  EXPECT_TRUE(hang.answers());
  hang.put(kFlag, 1);
  EXPECT_TRUE(eventually([&] { return hang.get(kGoMessage) == 0; }));
  EXPECT_TRUE(eventually([&] { return moved == 2 * card::Windows::kCount; }));
  EXPECT_TRUE(hang.shows());
}

TEST(Hang, a_client_that_asks_while_its_software_waits_hears_of_the_kernel_that_it_started) {
  Hang hang(host::FaultMode::Throw);
  hang.announce();
  hang.start(waiting(true));
  // A look at something else now and then, as with TT_METAL_OPERATION_TIMEOUT_SECONDS.
  EXPECT_TRUE(eventually([&] {
    std::this_thread::sleep_for(milliseconds(20));
    return hang.get(0x20000) == ~0u;
  }));
  EXPECT_NE(hang.driver.failure().find("will never be done"), std::string::npos)
      << hang.driver.failure();
}

TEST(Hang, go_messages_of_a_client_that_multicasts_them_are_known) {
  Hang hang(host::FaultMode::Throw);
  hang.aim_at_all({1, 2}, {7, 11});
  hang.put(kGoMessage, kInit);
  hang.aim(kTile, 0);
  hang.start(waiting(true));
  EXPECT_TRUE(eventually([&] {
    std::this_thread::sleep_for(milliseconds(20));
    return hang.get(0x20000) == ~0u;
  }));
}

TEST(Hang, a_client_that_looks_for_ever_at_a_word_of_its_own_is_told_once_and_the_card_goes_on) {
  testing::internal::CaptureStderr();
  std::string said;
  {
    Hang hang(host::FaultMode::Report);
    hang.start(waiting(false));
    // Out of sight after a while, since nothing happens and nobody writes; so its looks are seen.
    EXPECT_TRUE(eventually([&] { return !hang.shows(); }));
    // When it has been told, it reads as fast as before.
    EXPECT_TRUE(eventually([&] {
      std::this_thread::sleep_for(milliseconds(20));
      EXPECT_EQ(hang.get(kDone), 0u);
      return hang.shows();
    }));
    EXPECT_TRUE(hang.answers());
    hang.put(kFlag, 1);
    EXPECT_TRUE(eventually([&] { return hang.get(kFlag) == 1; }));
  }
  said = testing::internal::GetCapturedStderr();
  const size_t first = said.find("the client has looked at L1[0x20000] of (1, 2)");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("the client has looked", first + 1), std::string::npos) << said;
  EXPECT_NE(said.find("First cause: BRISC of (1, 2) waits for L1[0x10000]"), std::string::npos)
      << said;
}

TEST(Hang, a_client_that_reads_data_of_a_card_at_rest_gets_its_memory_back) {
  Hang hang(host::FaultMode::Report);
  EXPECT_TRUE(eventually([&] { return !hang.shows(); }));
  for (u32 word = 0; word < 100; ++word) hang.get(4 * word);
  EXPECT_TRUE(eventually([&] { return hang.shows(); }));
}

using HangDeathTest = testing::Test;

TEST_F(HangDeathTest, a_client_that_waits_in_its_own_memory_ends_with_the_report) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        Hang hang(host::FaultMode::Report);
        Pages shared(4096);
        abi::PinPages pin = pin_wish(shared, abi::kPinNocDma);
        EXPECT_EQ(hang.file->ioctl(abi::PIN_PAGES, &pin), 0);
        // The card has been in host memory before.
        hang.aim({19, 24}, pin.out.noc_address / Hang::kWindowBytes * Hang::kWindowBytes);
        hang.get(pin.out.noc_address % Hang::kWindowBytes);
        hang.aim(kTile, 0);
        Assembler a;
        a.li(s0, 0xF0000000);
        a.sw(s0, 0, s0);
        hang.start(a.finish());
        for (;;) std::this_thread::sleep_for(milliseconds(100));
      },
      testing::ExitedWithCode(host::kExitGuest), "0xf0000000(.|\n)*the process ends here");
}

}  // namespace
}  // namespace bhemu::kmd
