// Host memory that the card polls while the host changes it.
#include <atomic>
#include <thread>

#include "bench.hpp"
#include "support/assembler.hpp"

namespace bhemu::kmd {
namespace {

using test::Assembler;
using enum test::Reg;

// BlackholeA0/NoC/MemoryMap.md.
enum Niu : i32 {
  kTargLo = 0x00,
  kTargMid = 0x04,
  kTargHi = 0x08,
  kRetLo = 0x0C,
  kRetMid = 0x10,
  kRetHi = 0x14,
  kCtrl = 0x1C,
  kLength = 0x20,
  kCommand = 0x40,
  kReadsAnswered = 0x208,
};
constexpr u32 kRead = 0x2090;
constexpr u32 kWrite = 0x2092;
constexpr u32 kIn = 0x9000;
constexpr u32 kOut = 0x8000;
constexpr Coord kPcie{19, 24};
constexpr Coord kTile{1, 2};

u32 word_of(Coord coord) {
  return coord.x | coord.y << 6u;
}

void set(Assembler& a, i32 reg, u32 value) {
  a.li(t0, value);
  a.sw(t0, reg, s0);
}

/// Polls the word at `noc_address`; each new value n is answered 64 bytes further on by 3 n + 1.
std::vector<u32> echo(u64 noc_address) {
  Assembler a;
  a.li(s0, 0xFFB20000);
  a.li(s4, 0);  // last value seen
  a.li(s5, 0);  // reads made
  a.label("poll");
  set(a, kTargLo, static_cast<u32>(noc_address));
  set(a, kTargMid, static_cast<u32>(noc_address >> 32));
  set(a, kTargHi, word_of(kPcie));
  set(a, kRetLo, kIn);
  set(a, kRetMid, 0);
  set(a, kRetHi, word_of(kTile));
  set(a, kLength, 64);
  set(a, kCtrl, kRead);
  set(a, kCommand, 1);
  a.addi(s5, s5, 1);
  a.label("answer");
  a.lw(a0, kReadsAnswered, s0);
  a.bne(a0, s5, "answer");
  a.li(t1, kIn);
  a.lw(a1, 0, t1);
  a.beq(a1, s4, "poll");
  a.addi(s4, a1, 0);
  a.li(t2, 3);
  a.mul(a2, a1, t2);
  a.addi(a2, a2, 1);
  a.li(t1, kOut);
  a.sw(a2, 0, t1);
  a.fence();
  set(a, kTargLo, kOut);
  set(a, kTargMid, 0);
  set(a, kTargHi, word_of(kTile));
  set(a, kRetLo, static_cast<u32>(noc_address) + 64);
  set(a, kRetMid, static_cast<u32>(noc_address >> 32));
  set(a, kRetHi, word_of(kPcie));
  set(a, kLength, 4);
  set(a, kCtrl, kWrite);
  set(a, kCommand, 1);
  a.j("poll");
  return a.finish();
}

class PinnedRing : public Bench {
 protected:
  u64 pin(const Pages& pages) {
    abi::PinPages pin{};
    pin.in = {sizeof pin.out, abi::kPinNocDma, pages.address(), pages.size()};
    EXPECT_EQ(call(abi::PIN_PAGES, pin), 0);
    return pin.out.noc_address;
  }
  void ask(const Pages& pages, u32 value) {
    auto* words = reinterpret_cast<u32*>(pages.data());
    std::atomic_ref<u32>(words[0]).store(value);
    ASSERT_TRUE(
        eventually([&] { return std::atomic_ref<u32>(words[16]).load() == 3 * value + 1; }));
  }
};

TEST_F(PinnedRing, a_core_that_polls_host_memory_answers_every_change) {
  const Pages& ring = pages(u64{1} << 20);
  start(kTile, echo(pin(ring)));
  for (u32 value = 1; value <= 300; ++value) ask(ring, value);
}

TEST_F(PinnedRing, a_card_that_has_been_left_polling_wakes_within_a_blink) {
  const Pages& ring = pages(u64{1} << 20);
  start(kTile, echo(pin(ring)));
  for (u32 value = 1; value <= 5; ++value) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ask(ring, value);
  }
}

}  // namespace
}  // namespace bhemu::kmd
