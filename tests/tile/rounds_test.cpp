// Cores that wait for a time or count sleep meanwhile, and wake in the state in which they would
// have been.
#include <random>
#include <string_view>

#include "riscv/rounds.hpp"
#include "support/rounds.hpp"
#include "support/waiting.hpp"
#include "tile/one_tile.hpp"
#include "tile/wait_text.hpp"

namespace bhemu::test {
namespace {

using enum Reg;

constexpr i32 kClockLow = 0x1F0;
constexpr i32 kClockHigh = 0x1F4;
constexpr i32 kClockLatched = 0x1F8;
constexpr u32 kDebug = 0xFFB12000;
constexpr u32 kResult = 0x9000;
constexpr u32 kFlag = 0x9100;

void begin(Assembler& a) {
  a.li(s0, kDebug);
  a.li(s1, kResult);
}
void finish(Assembler& a, Reg result) {
  a.sw(result, 0, s1);
  a.halt();
}

/// What tt-metal's riscv_wait does: 64 bits of the wall clock.
std::vector<u32> wait_program(u32 cycles, i32 upper = kClockHigh) {
  Assembler a;
  begin(a);
  a.li(t2, cycles);
  a.lw(a0, kClockLow, s0);
  a.lw(a1, upper, s0);
  a.add(a2, a0, t2);
  a.label("again");
  a.lw(t0, kClockLow, s0);
  a.lw(t1, upper, s0);
  a.bltu(t1, a1, "again");
  a.bne(t1, a1, "over");
  a.bltu(t0, a2, "again");
  a.label("over");
  finish(a, t0);
  return a.finish();
}

/// The difference of two looks at the clock, in a loop with other work.
std::vector<u32> difference_program(u32 cycles) {
  Assembler a;
  begin(a);
  a.li(t2, cycles);
  a.li(a4, 3);
  a.lw(a0, kClockLow, s0);
  a.label("again");
  a.lw(t0, kClockLow, s0);
  a.mul(a5, a4, a4);
  a.sub(t1, t0, a0);
  a.addi(a6, a6, 5);
  a.bltu(t1, t2, "again");
  a.add(a6, a6, a5);
  finish(a, a6);
  return a.finish();
}

std::vector<u32> csr_program(u32 csr, u32 count) {
  Assembler a;
  begin(a);
  a.li(t2, count);
  a.label("again");
  a.csrr(t0, csr);
  a.bltu(t0, t2, "again");
  finish(a, t0);
  return a.finish();
}

std::vector<u32> counting_program(u32 rounds) {
  Assembler a;
  begin(a);
  a.li(t0, rounds);
  a.li(a0, 7);
  a.label("again");
  a.addi(zero, zero, 0);
  a.addi(a0, a0, 3);
  a.addi(t0, t0, -1);
  a.bne(t0, zero, "again");
  finish(a, a0);
  return a.finish();
}

/// The clock when the word is there, or after so long, and the word.
std::vector<u32> timeout_program(u32 cycles) {
  Assembler a;
  begin(a);
  wait_for_word(a, kFlag, cycles);
  a.add(t0, t0, a4);
  finish(a, t0);
  return a.finish();
}

struct Waiting {
  std::vector<u32> program;
  const char* name;
};
std::vector<Waiting> waiting_programs() {
  return {{wait_program(30'000), "wall clock"},
          {wait_program(30'000, kClockLatched), "wall clock, latched"},
          {difference_program(30'000), "difference"},
          {csr_program(0xC00, 30'000), "cycle"},
          {csr_program(0xB02, 30'000), "minstret"},
          {counting_program(8'000), "counting"},
          {timeout_program(30'000), "timeout"}};
}

TEST(Rounds, cores_that_wait_for_a_time_sleep_and_nothing_else_changes) {
  for (const Waiting& waiting : waiting_programs())
    for (const Cycle quantum : {Cycle{1}, Cycle{16}, Cycle{64}}) {
      std::vector<std::vector<u64>> hashes(2);
      for (const bool parking : {false, true}) {
        OneTile chip(quantum, parking);
        chip.load(0, waiting.program);
        chip.start({CoreId::Brisc});
        Cycle until = 0;
        for (unsigned i = 0; i < 12; ++i) {
          until += 768 * (i * i + 1);
          chip.engine->run(until, [&] { return chip.engine->now() >= until; });
          chip.tile->settle(until);
          hashes[parking].push_back(chip.tile->hash(until));
        }
        EXPECT_NE(chip.read(kResult), 0u) << waiting.name << parking;
        if (parking) {
          EXPECT_GT(chip.tile->skipped_instructions(), 28'000u) << waiting.name;
        }
      }
      EXPECT_EQ(hashes[0], hashes[1]) << waiting.name << ", quantum " << quantum;
    }
}

TEST(Rounds, a_core_that_waits_with_a_time_limit_hears_of_what_it_waits_for) {
  std::vector<u64> hashes;
  for (const bool parking : {false, true}) {
    OneTile chip(16, parking);
    chip.load(0, timeout_program(1'000'000));
    chip.start({CoreId::Brisc});
    chip.run(64'000);
    chip.write(kFlag, 0x70000000);
    chip.run(640);
    const u32 result = chip.read(kResult);
    EXPECT_GT(result, 0x70000000u + 60'000);
    EXPECT_LT(result, 0x70000000u + 64'100);
    hashes.push_back(result);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(Rounds, five_cores_that_wait_for_different_times_beside_one_another) {
  constexpr std::array<CoreId, kCores> kAll = {CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0,
                                               CoreId::Trisc1, CoreId::Trisc2};
  for (const Cycle quantum : {Cycle{4}, Cycle{64}}) {
    std::vector<u64> hashes;
    for (const bool parking : {false, true}) {
      OneTile chip(quantum, parking);
      for (u32 i = 0; i < kCores; ++i) {
        Assembler a(0x1000 * i);
        a.li(s0, kDebug);
        a.li(s1, kResult + 4 * i);
        a.li(s2, 7);  // so many waits
        a.label("wait");
        a.li(t2, 700 + 937 * i);
        a.lw(a0, kClockLow, s0);
        a.label("again");
        a.lw(t0, kClockLow, s0);
        a.sub(t1, t0, a0);
        a.bltu(t1, t2, "again");
        a.add(s3, s3, t0);
        a.sw(s3, 0, s1);
        a.addi(s2, s2, -1);
        a.bne(s2, zero, "wait");
        a.halt();
        chip.load(0x1000 * i, a.finish());
        chip.start_at(kAll[i], 0x1000 * i);
      }
      chip.start({CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc1, CoreId::Trisc2});
      Cycle until = 0;
      for (unsigned i = 0; i < 40; ++i) {
        until += 1024;
        chip.engine->run(until, [&] { return chip.engine->now() >= until; });
        chip.tile->settle(until);
        hashes.push_back(chip.tile->hash(until));
      }
    }
    const std::size_t half = hashes.size() / 2;
    for (std::size_t i = 0; i < half; ++i)
      EXPECT_EQ(hashes[i], hashes[half + i]) << quantum << ", " << i;
  }
}

TEST(Rounds, a_wait_of_seconds_takes_no_time_and_ends_on_its_cycle) {
  OneTile chip(64);
  chip.load(0, wait_program(4'000'000'000));
  chip.start({CoreId::Brisc});
  chip.run(1'000'000);
  EXPECT_EQ(chip.tile->status(CoreId::Brisc), tile::CoreStatus::Parked);
  const Waits waits = chip.tile->waiting(CoreId::Brisc);
  const Wait* const time = waits.find(Awaited::Time);
  ASSERT_NE(time, nullptr);
  EXPECT_NEAR(static_cast<double>(time->since), 4e9, 100.);
  EXPECT_NE(tile::what_of(waits).find("looks at a clock"), std::string::npos);
  EXPECT_EQ(chip.run(10'000'000'000), sched::Stop::Idle);
  EXPECT_NEAR(chip.read(kResult), 4e9, 100.);
}

TEST(Rounds, the_upper_half_of_the_clock_is_seen_to_change) {
  OneTile chip(64);
  Assembler a;
  begin(a);
  a.li(a0, 3);
  a.label("again");
  a.lw(t0, kClockLow, s0);
  a.lw(t1, kClockHigh, s0);
  a.bltu(t1, a0, "again");
  a.sw(t0, 4, s1);
  finish(a, t1);
  chip.load(0, a.finish());
  chip.start({CoreId::Brisc});
  EXPECT_EQ(chip.run(4ull << 32), sched::Stop::Idle);
  EXPECT_EQ(chip.read(kResult), 3u);
  const u32 low = chip.read(kResult + 4);
  EXPECT_TRUE(low < 64 || low > ~u32{0} - 4) << low;
}

TEST(Rounds, a_core_that_counts_while_it_polls_waits_and_one_that_only_counts_works) {
  for (const bool polls : {false, true}) {
    OneTile chip(16);
    Assembler a;
    begin(a);
    a.li(a3, kFlag);
    a.label("again");
    if (polls) {
      a.lw(t0, 0, a3);
      a.bne(t0, zero, "over");
    }
    a.addi(a0, a0, 1);
    a.j("again");
    a.label("over");
    finish(a, a0);
    chip.load(0, a.finish());
    chip.start({CoreId::Brisc});
    EXPECT_EQ(chip.run(), polls ? sched::Stop::Idle : sched::Stop::Limit);
    if (!polls) continue;
    EXPECT_NE(chip.tile->waiting(CoreId::Brisc).find(Awaited::Word), nullptr);
    chip.write(kFlag, 1);
    chip.run(256);
    EXPECT_NE(chip.read(kResult), 0u);
  }
}

/// How many instructions BRISC executes of a program that waits for a time.
u64 executed_in(NodeId tile, const std::shared_ptr<riscv::LineCache>& lines,
                const std::vector<u32>& program) {
  OneTile chip(64, true, nullptr, nullptr, lines, tile);
  chip.load(0, program);
  chip.engine->skip_to(tile * (Cycle{1} << 20));
  chip.start({CoreId::Brisc});
  chip.run(64'000);
  EXPECT_NE(chip.read(kResult), 0u);
  EXPECT_GT(chip.tile->skipped_instructions(), 25'000u);
  return chip.tile->core(CoreId::Brisc).instret - chip.tile->skipped_instructions();
}

TEST(Rounds, a_core_sleeps_from_the_second_round_on_where_another_tiles_has_waited_for_a_time) {
  for (const Waiting& waiting : waiting_programs()) {
    if (std::string_view(waiting.name) == "cycle") continue;  // it is over before the second begins
    const auto lines = std::make_shared<riscv::LineCache>();
    const u64 first = executed_in(0, lines, waiting.program);
    const u64 second = executed_in(1, lines, waiting.program);
    EXPECT_LT(second, first) << waiting.name;
    // A few instructions before the loop, two rounds, and at most two turns at its end.
    EXPECT_LT(second, 64u + 2 * 64u) << waiting.name;
  }
}

TEST(Rounds, a_core_that_begins_as_others_did_is_looked_at_when_those_began_to_wait) {
  Assembler a;
  begin(a);
  a.li(t0, kFlag);
  a.li(t1, 500);
  a.label("work");
  a.sw(t1, 0, s1);
  a.addi(t1, t1, -1);
  a.bne(t1, zero, "work");
  a.label("wait");
  a.lw(t2, 0, t0);
  a.beq(t2, zero, "wait");
  a.halt();
  const std::vector<u32> program = a.finish();
  const auto lines = std::make_shared<riscv::LineCache>();
  for (const NodeId tile : {NodeId{0}, NodeId{1}}) {
    const Cycle start = tile * (Cycle{1} << 20);
    OneTile chip(64, true, nullptr, nullptr, lines, tile);
    chip.load(0, program);
    chip.engine->skip_to(start);
    chip.start({CoreId::Brisc});
    chip.engine->run(start + 64, nullptr);
    EXPECT_EQ(chip.tile->slot(CoreId::Brisc).backoff == 0, tile == 1) << "looked for a loop";
    chip.engine->run(start + 8192, nullptr);
    EXPECT_EQ(chip.tile->status(CoreId::Brisc), tile::CoreStatus::Parked);
  }
}

/// A few instructions that grow registers, or do not go well with that.
template <class Any>
void random_round(Assembler& a, const Any& any) {
  const auto reg = [&] { return static_cast<Reg>(a0 + any(6)); };
  const u32 length = 1 + any(7);
  for (u32 i = 0; i < length; ++i) {
    const Reg rd = reg();
    const Reg first = reg();
    const Reg second = reg();
    const std::string skip = "skip" + std::to_string(i);
    switch (any(14)) {
      case 0:
      case 1:
        a.addi(rd, any(2) == 0 ? rd : first, static_cast<i32>(any(64)) - 32);
        break;
      case 2:
        a.add(rd, first, second);
        break;
      case 3:
        a.sub(rd, first, second);
        break;
      case 4:
        a.slli(rd, first, any(3));
        break;
      case 5:
        a.lw(rd, kClockLow, s0);
        break;
      case 6:
        a.lw(rd, kClockHigh, s0);
        break;
      case 7:
        a.csrr(rd, any(2) == 0 ? 0xC00 : 0xB82);
        break;
      case 8:
        a.xor_(rd, first, second);
        break;
      case 9:
        a.andi(rd, first, static_cast<i32>(any(2048)));
        break;
      case 10:
        a.bltu(first, second, skip);
        break;
      case 11:
        a.blt(first, second, skip);
        break;
      case 12:
        a.beq(first, second, skip);
        break;
      default:
        a.li(rd, any(1 << 20));
        break;
    }
    a.addi(t3, t3, 1);
    a.label(skip);
  }
}

/// Loops of random instructions, some of which grow registers and some of which do not go well with
/// that: what comes of them must not depend on whether their rounds are executed.
TEST(Rounds, random_loops_give_the_same_whether_their_rounds_are_executed_or_not) {
  std::mt19937 random(static_cast<u32>(seed(41)));
  std::array<u64, 2> skipped{};
  const u64 draws = rounds(300);
  for (u64 draw = 0; draw < draws; ++draw) {
    const auto any = [&](u32 below) { return random() % below; };
    Assembler a;
    begin(a);
    for (u32 i = 0; i < 6; ++i) a.li(static_cast<Reg>(a0 + i), any(4) == 0 ? random() : any(4096));
    a.li(t2, 200 + any(20'000));
    a.lw(s2, kClockLow, s0);
    a.li(s3, any(3000));
    a.label("again");
    random_round(a, any);
    if (any(2) == 0) {
      a.addi(s3, s3, -1);
      a.bge(s3, zero, "again");
    } else {
      a.lw(t0, kClockLow, s0);
      a.sub(t1, t0, s2);
      a.bltu(t1, t2, "again");
    }
    finish(a, t3);
    const std::vector<u32> program = a.finish();
    const auto hashes = [&](NodeId tile, bool parks, const auto& lines) {
      OneTile chip(16, parks, nullptr, nullptr, lines, tile);
      chip.load(0, program);
      Cycle until = tile * (Cycle{1} << 20);  // the second one when the first one is done
      chip.engine->skip_to(until);
      chip.start({CoreId::Brisc});
      std::vector<u64> all;
      for (unsigned i = 0; i < 10; ++i) {
        until += 256 * (1 + (draw * 37 + i * 101) % 19);
        chip.engine->run(until, [&] { return chip.engine->now() >= until; });
        chip.tile->settle(until);
        all.push_back(chip.tile->hash(until));
      }
      skipped[tile] += chip.tile->skipped_instructions();
      return all;
    };
    const auto shared = std::make_shared<riscv::LineCache>();
    for (const NodeId tile : {NodeId{0}, NodeId{1}})
      ASSERT_EQ(hashes(tile, false, std::make_shared<riscv::LineCache>()),
                hashes(tile, true, shared))
          << "draw " << draw << ", tile " << tile;
  }
  EXPECT_GT(skipped[1], skipped[0]);     // it knows where it will wait
  EXPECT_GT(skipped[0], draws * 1000u);  // they are no idle test
}

}  // namespace
}  // namespace bhemu::test
