// Pausing a core that waits. A store that waits has not been executed, so the pause comes before
// it. A load that waits cannot be paused before it has its answer (DebugInterface.md, "FIFOs"):
// the request stays, and the core pauses with the load done and its register not yet written.
#include "tensix/isa.hpp"
#include "tile/debugged_tile.hpp"

namespace bhemu::test {
namespace {

using tensix::encode;
namespace op = tensix::op;

constexpr u32 kResult = 0x9000;
constexpr u32 kWord = 0x8000;

struct Modes {
  Cycle quantum;
  bool parking;
};
constexpr Modes kModes[] = {{1, true}, {1, false}, {32, true}, {32, false}};

/// 16 * GPR 1 is kWord; then the thread waits until the word there is 5.
std::array<u32, 2> wait_for_5() {
  return {encode<op::SETDMAREG>({{"reg_index_16b", 2}, {"payload_sig_sel", kWord / 16}}),
          encode<op::ATCAS>({{"addr_reg_index", 1}, {"cmp_val", 5}, {"swap_val", 3}})};
}

void push(Assembler& a, u32 word) {
  a.li(t1, word);
  a.sw(t1, 0, t0);
}

/// Loads from `address` to a0 after `before`, then stores a0 + 1.
struct LoadThatWaits {
  CoreId core;
  u32 address;
  std::function<void(Assembler&)> before;
  std::function<void(DebuggedTile&)> release;
  u32 value;  // that the load gets
};

void store_from_brisc(DebuggedTile& chip, u32 address, u32 value) {
  Assembler b(0);
  b.li(t0, address);
  b.li(t1, value);
  b.sw(t1, 0, t0);
  b.halt();
  chip.load(0, b.finish());
  chip.start({CoreId::Brisc, chip.core});
}

std::vector<LoadThatWaits> loads_that_wait() {
  const auto nothing = [](Assembler&) {};
  const auto thread_waits = [](Assembler& a) {
    a.li(t0, 0xFFE40000);
    for (const u32 word : wait_for_5()) push(a, word);
  };
  // A MOP of the second template: an outer and an inner count of 1, the loop's word waits.
  const auto mop_waits = [](Assembler& a) {
    a.li(t0, 0xFFE40000);
    push(a, wait_for_5()[0]);
    a.li(t2, 0xFFB80000);
    const u32 nop = encode<op::NOP>({});
    const u32 words[] = {1, 64, nop, nop, nop, wait_for_5()[1], nop, nop, nop};
    for (u32 i = 0; i < 9; ++i) {
      a.li(t1, words[i]);
      a.sw(t1, static_cast<i32>(i * 4), t2);
    }
    push(a, 0x01000000 | 1u << 23);
  };
  const auto five = [](DebuggedTile& chip) { chip.write(kWord, 5); };
  return {
      {CoreId::Trisc1, 0xFFEC0000, nothing,
       [](DebuggedTile& chip) { store_from_brisc(chip, 0xFFEC2000, 0x42); }, 0x42},
      {CoreId::Trisc2, 0xFFE80000, nothing,
       [](DebuggedTile& chip) { store_from_brisc(chip, 0xFFEA0000, 0x43); }, 0x43},
      {CoreId::Trisc0, 0xFFE80004, thread_waits, five, 0},
      {CoreId::Trisc0, 0xFFE80008, mop_waits,
       [](DebuggedTile& chip) {
         for (u32 i = 0; i < 70; ++i) {
           chip.write(kWord, 5);
           chip.advance(600);
         }
       },
       0},
      // BRISC's read of a PCBuf waits until the TRISC waits for the next word.
      {CoreId::Brisc, 0xFFE80000, nothing,
       [](DebuggedTile& chip) {
         Assembler t(0x7000);
         t.li(t0, 0xFFE80000);
         t.lw(a0, 0, t0);
         t.halt();
         chip.load(0x7000, t.finish());
         chip.start_at(CoreId::Trisc0, 0x7000);
         chip.start({CoreId::Brisc, CoreId::Trisc0});
       },
       0},
      // The size of a packed tile: TRISC2 packs one (tile_test.cpp).
      {CoreId::Brisc, 0xFFB11030, nothing,
       [](DebuggedTile& chip) {
         Assembler t(0x7000);
         t.li(t0, 0xFFEF0000);
         for (const auto& [word, value] :
              {std::pair{18, 1u}, std::pair{69, 0x1000u}, std::pair{70, 1 | 1u << 14}}) {
           t.li(a0, value);
           t.sw(a0, word * 4, t0);
         }
         t.li(t0, 0xFFE40000);
         push(t, 0x41u << 24 | 1u << 12 | 1u << 8 | 1u);
         t.halt();
         chip.load(0x7000, t.finish());
         chip.start_at(CoreId::Trisc2, 0x7000);
         chip.start({CoreId::Brisc, CoreId::Trisc2});
       },
       1},
  };
}

TEST(PauseOfAWaitingCore, comes_once_its_load_has_its_answer) {
  for (const LoadThatWaits& one : loads_that_wait()) {
    for (const Modes mode : kModes) {
      DebuggedTile chip(one.core, mode.quantum, mode.parking);
      Assembler a(kDebugCode);
      one.before(a);
      a.li(s0, kResult);
      a.li(s1, one.address);
      a.li(a0, 0xAAAA);
      const u32 at = a.here();
      a.lw(a0, 0, s1);
      a.addi(a0, a0, 1);
      a.sw(a0, 0, s0);
      a.halt();
      chip.start_program(a);
      chip.run(5000);
      EXPECT_EQ(chip.state().pc, at);
      EXPECT_EQ(chip.core_status(), tile::CoreStatus::Blocked);
      chip.debugger.pause();
      EXPECT_EQ(chip.debugger.status(), 0u);
      chip.run(5000);
      EXPECT_EQ(chip.debugger.status(), 0u) << "still waiting at " << std::hex << one.address;
      one.release(chip);
      chip.run(20'000);
      EXPECT_EQ(chip.debugger.status(), Debugger::kPaused) << std::hex << one.address;
      EXPECT_EQ(chip.debugger.pc(), at);
      EXPECT_EQ(chip.debugger.gpr(a0), 0xAAAAu);
      chip.debugger.resume();
      chip.run(20'000);
      EXPECT_EQ(chip.read(kResult), one.value + 1) << std::hex << one.address;
      EXPECT_TRUE(chip.tile->faults().faults().empty());
    }
  }
}

/// The same cycles and hash with parking and without, whoever asks and whenever.
TEST(PauseOfAWaitingCore, is_the_same_with_parking_and_without) {
  for (const LoadThatWaits& one : loads_that_wait()) {
    for (const Cycle quantum : {1, 32}) {
      std::array<u64, 2> hashes{};
      for (const bool parking : {false, true}) {
        DebuggedTile chip(one.core, quantum, parking);
        Assembler a(kDebugCode);
        one.before(a);
        a.li(s1, one.address);
        a.lw(a0, 0, s1);
        a.label("on");
        a.addi(a1, a1, 1);
        a.j("on");
        chip.start_program(a);
        chip.advance(2048);
        chip.debugger.pause();
        one.release(chip);
        chip.advance(2048);
        hashes[parking] = chip.hash();
      }
      EXPECT_EQ(hashes[0], hashes[1]) << std::hex << one.address;
    }
  }
}

struct StoreThatWaits {
  CoreId core;
  u32 address;
  u32 count;  // of stores until one waits: at most
  std::function<void(Assembler&)> before;
  std::function<void(DebuggedTile&)> release;
};

std::vector<StoreThatWaits> stores_that_wait() {
  const auto nothing = [](Assembler&) {};
  return {
      {CoreId::Trisc0, 0xFFE40000, 200,
       [](Assembler& a) {
         a.li(t0, 0xFFE40000);
         for (const u32 word : wait_for_5()) push(a, word);
       },
       [](DebuggedTile& chip) { chip.write(kWord, 5); }},
      {CoreId::Trisc1, 0xFFEC0000, 5, nothing,
       [](DebuggedTile& chip) {
         const Debugger brisc = chip.debugger_of(CoreId::Brisc);
         chip.load(0, {0x6F});
         chip.start({CoreId::Brisc, CoreId::Trisc1});
         brisc.pause();
         for (u32 i = 0; i < 4; ++i) brisc.memory(0xFFEC2000);
       }},
      {CoreId::Brisc, 0xFFE90000, 200, nothing,
       [](DebuggedTile& chip) {
         Assembler t(0x7000);
         t.li(t0, 0xFFE80000);
         t.label("more");
         t.lw(a0, 0, t0);
         t.j("more");
         chip.load(0x7000, t.finish());
         chip.start_at(CoreId::Trisc1, 0x7000);
         chip.start({CoreId::Brisc, CoreId::Trisc1});
       }},
  };
}

TEST(PauseOfAWaitingCore, comes_before_a_store_that_waits) {
  for (const StoreThatWaits& one : stores_that_wait()) {
    for (const Modes mode : kModes) {
      DebuggedTile chip(one.core, mode.quantum, mode.parking);
      Assembler a(kDebugCode);
      one.before(a);
      a.li(s1, one.address);
      a.li(s2, one.count);
      a.li(a1, encode<op::NOP>({}));
      a.label("more");
      const u32 at = a.here();
      a.sw(a1, 0, s1);
      a.addi(s2, s2, -1);
      a.bne(s2, zero, "more");
      a.li(s0, kResult);
      a.li(s3, 1);
      a.sw(s3, 0, s0);
      a.halt();
      chip.start_program(a);
      chip.run(5000);
      EXPECT_EQ(chip.state().pc, at);
      const u32 left = chip.state().x[s2];
      EXPECT_GT(left, 0u);
      chip.debugger.pause();
      EXPECT_EQ(chip.debugger.status(), Debugger::kPaused) << std::hex << one.address;
      EXPECT_EQ(chip.debugger.pc(), at);
      one.release(chip);
      chip.run(5000);
      EXPECT_EQ(chip.debugger.gpr(s2), left);
      chip.debugger.step();
      chip.run(5000);
      EXPECT_EQ(chip.debugger.status(), Debugger::kPaused);
      EXPECT_EQ(chip.debugger.pc(), at + 4);
      chip.debugger.resume();
      chip.run(20'000);
      EXPECT_EQ(chip.read(kResult), 1u) << std::hex << one.address;
    }
  }
}

TEST(PauseOfAWaitingCore, after_a_step_that_waits_comes_when_the_step_is_done) {
  for (const Modes mode : kModes) {
    DebuggedTile chip(CoreId::Trisc1, mode.quantum, mode.parking);
    Assembler a(kDebugCode);
    a.li(s1, 0xFFEC0000);
    a.lw(a0, 0, s1);
    a.halt();
    chip.start_program(a);
    chip.debugger.pause();
    chip.debugger.step();
    chip.run(300);
    chip.debugger.step();
    chip.run(3000);
    EXPECT_EQ(chip.debugger.status(), 0u);
    store_from_brisc(chip, 0xFFEC2000, 0x42);
    chip.run(3000);
    EXPECT_EQ(chip.debugger.status(), Debugger::kPaused);
    EXPECT_EQ(chip.debugger.pc(), kDebugCode + 8);
    EXPECT_EQ(chip.debugger.gpr(a0), 0x42u);
  }
}

TEST(PauseOfAWaitingCore, is_forgotten_by_a_soft_reset) {
  DebuggedTile chip(CoreId::Trisc1);
  Assembler a(kDebugCode);
  a.li(s1, 0xFFEC0000);
  a.lw(a0, 0, s1);
  a.halt();
  chip.start_program(a);
  chip.run(3000);
  chip.debugger.pause();
  chip.start({});
  chip.start({CoreId::Trisc1});
  chip.run(3000);
  store_from_brisc(chip, 0xFFEC2000, 0x42);
  chip.run(3000);
  EXPECT_EQ(chip.debugger.status(), 0u);
  EXPECT_EQ(chip.state().x[a0], 0x42u);
}

/// Polling loops of several lengths, of L1 and of a register, paused at many moments.
TEST(PauseOfAParkedCore, finds_the_registers_that_an_unparked_one_has) {
  for (const u32 polled : {kResult, 0xFFB12068u}) {
    for (const u32 padding : {0u, 3u, 8u}) {
      for (u32 moment = 1; moment < 12; ++moment) {
        std::array<std::vector<u32>, 2> seen;
        for (const bool parking : {false, true}) {
          DebuggedTile chip(CoreId::Trisc0, 32, parking);
          Assembler a(kDebugCode);
          a.li(s0, polled);
          for (u32 i = 0; i < moment; ++i) a.addi(s1, s1, 1);
          a.label("poll");
          a.lw(a0, 0, s0);
          a.xor_(a2, a2, a2);
          for (u32 i = 0; i < padding; ++i) a.addi(a2, a2, 5);
          a.beq(a0, zero, "poll");
          a.halt();
          chip.start_program(a);
          chip.advance(2560);
          chip.debugger.pause();
          EXPECT_EQ(chip.debugger.status(), Debugger::kPaused);
          for (u32 reg = 0; reg <= 32; ++reg) seen[parking].push_back(chip.debugger.gpr(reg));
          chip.debugger.resume();
          chip.advance(512);
          chip.write(polled, 1);
          chip.advance(512);
          seen[parking].push_back(static_cast<u32>(chip.state().pc));
          seen[parking].push_back(static_cast<u32>(chip.hash()));
        }
        EXPECT_EQ(seen[0], seen[1]) << polled << " " << padding << " " << moment;
      }
    }
  }
}

}  // namespace
}  // namespace bhemu::test
