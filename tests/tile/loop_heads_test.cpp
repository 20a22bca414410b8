// A core that waits in a loop in which it was parked before is parked at once, in the same cycle
// however it is executed.
#include <random>
#include <string>

#include "riscv/encode.hpp"
#include "riscv/jit/cache.hpp"
#include "support/rounds.hpp"
#include "tile/one_tile.hpp"
#include "tile/onlooker.hpp"
#include "trace/observer.hpp"

namespace bhemu::test {
namespace {

using enum Reg;

constexpr Cycle kQuantum = 32;
constexpr u32 kBell = 0x8000;  // the host rings, BRISC and then NCRISC wait for it
constexpr u32 kOwnBell = 0x8040;
constexpr u32 kOut = 0x9000;
constexpr u32 kCounter = 0xFFB40020;  // STREAM_REMOTE_DEST_BUF_START of stream 0
constexpr u32 kNcriscCode = 0x4000;
constexpr u32 kBriscCode = 0x3000;  // where cores begin elsewhere
constexpr u32 kDetour = 0x3800;
constexpr Cycle kNext = 1 << 20;  // a tile begins so long after the one before

class Watcher final : public trace::Observer {
 public:
  explicit Watcher(trace::Instructions wanted) : wanted_(wanted) {}
  trace::Instructions wanted_instructions() const override { return wanted_; }

 private:
  trace::Instructions wanted_;
};

class Idler final : public tile::Onlooker {
 public:
  void before_instruction(tile::Tile&, unsigned) override {}
  void before_l1_write(tile::Tile&, u32, u32, const Author&) override {}
};

/// How the cores are executed, and who looks at them.
struct Way {
  std::string name;
  std::shared_ptr<riscv::jit::CodeCache> code = nullptr;
  std::optional<trace::Instructions> watched = std::nullopt;
  bool debugged = false;
  std::shared_ptr<riscv::LineCache> lines = nullptr;  // of this tile and another one
  unsigned before = 0;                                // so many tiles have executed the program
  u32 detour = 0;  // cores begin elsewhere with so many instructions, the last of which jumps to it
};

std::vector<Way> all_ways() {
  using trace::Instructions;
  std::vector<Way> ways{{"interpreter"}};
  for (const u32 threshold : {0u, 3u}) {
    riscv::jit::Options options;
    options.threshold = threshold;
    if (auto code = riscv::jit::CodeCache::create(options))
      ways.push_back({"translated, " + std::to_string(threshold), code});
  }
  ways.push_back({"all instructions watched", nullptr, Instructions::All});
  ways.push_back({"stretches watched", nullptr, Instructions::NotPlain});
  ways.push_back({"effects watched", nullptr, Instructions::Effects});
  ways.push_back({"debugged", nullptr, std::nullopt, true});
  return ways;
}

/// How a core waits and works.
struct Loop {
  bool calls = false;  // a function that looks at the bell
  bool two_words = false;
  bool clears = false;  // the bell, so that it waits with the same registers each time
  int before = 0;       // instructions of a round
  int behind = 0;
  int work = 0;              // rounds of work between two waits
  bool in_register = false;  // the bell

  static Loop any(std::mt19937& random) {
    const auto below = [&random](u32 most) { return static_cast<int>(random() % most); };
    Loop loop{below(3) == 0, below(2) == 0, below(2) == 0, below(6), below(6), below(120)};
    loop.in_register = !loop.two_words && below(2) == 0;
    return loop;
  }
};

/// Waits until the word at `bell` changes, or is not zero, works, hands the number on to `next`,
/// and waits again.
std::vector<u32> waiting_program(u32 bell, u32 next, const Loop& loop) {
  Assembler a;
  a.li(s0, bell);
  a.li(s1, next);
  a.li(s2, kOut + bell % 0x1000);
  a.li(t3, 0);
  a.label("wait");
  for (int i = 0; i < loop.before; ++i) a.addi(a1, t3, i);
  if (loop.calls) a.call("look");
  if (!loop.calls) a.lw(a0, 0, s0);
  if (loop.two_words) a.lbu(a2, 8, s0);
  for (int i = 0; i < loop.behind; ++i) a.addi(a3, a0, i);
  a.beq(a0, t3, "wait");
  if (!loop.clears) a.addi(t3, a0, 0);
  a.li(t1, static_cast<u32>(1 + loop.work));
  a.label("work");
  a.add(a4, a4, t1);
  a.xor_(a4, a4, a0);
  a.sw(a4, 0, s2);  // so that this is no loop in which a core could sleep
  a.addi(t1, t1, -1);
  a.bne(t1, zero, "work");
  if (loop.clears) a.sw(zero, 0, s0);
  a.sw(a0, 0, s1);
  a.j("wait");
  a.label("look");
  a.lw(a0, 0, s0);
  a.fence();
  a.ret();
  return a.finish();
}

std::vector<u32> detour(u32 count, u32 distance) {
  std::vector<u32> words(count, riscv::encode_i(riscv::Op::addi, 0, 0, 0));
  words.back() = riscv::encode_j(0, static_cast<i32>(distance - 4 * (count - 1)));
  return words;
}

struct Slept {
  std::array<Cycle, 2> first_look{};  // of BRISC and NCRISC: when loops are first looked for
  std::vector<Cycle> parked_at;       // both cores, after each ring
  u64 hash = 0;
};

/// The host rings ten times, BRISC hands on to NCRISC. `epoch`: a core that is alone runs on for so
/// long.
Slept run_cores(const Loop& brisc, const Loop& ncrisc, const Way& way, Cycle epoch,
                bool parks = true) {
  constexpr Cycle kBetween = 3072;
  OneTile chip(kQuantum, parks, nullptr, way.code, way.lines, static_cast<NodeId>(way.before));
  chip.make_engine(epoch);
  chip.engine->skip_to(way.before * kNext);
  Watcher watcher(way.watched.value_or(trace::Instructions::All));
  Idler idler;
  if (way.watched) chip.tile->set_observer(&watcher);
  if (way.debugged) chip.tile->set_onlooker(&idler);
  const u32 own_bell = ncrisc.in_register ? kCounter : kOwnBell;
  chip.load(way.detour != 0 ? kBriscCode : 0, waiting_program(kBell, own_bell, brisc));
  chip.load(kNcriscCode, waiting_program(own_bell, kOwnBell + 0x20, ncrisc));
  chip.start_at(CoreId::Ncrisc, way.detour != 0 ? kDetour : kNcriscCode);
  if (way.detour != 0) {
    chip.load(0, detour(way.detour, kBriscCode));
    chip.load(kDetour, detour(way.detour, kNcriscCode - kDetour));
  }
  chip.start({CoreId::Brisc, CoreId::Ncrisc});
  Slept slept;
  slept.first_look = {chip.tile->slot(CoreId::Brisc).next_probe,
                      chip.tile->slot(CoreId::Ncrisc).next_probe};
  const auto parked = [&] {
    return chip.tile->status(CoreId::Brisc) == tile::CoreStatus::Parked &&
           chip.tile->status(CoreId::Ncrisc) == tile::CoreStatus::Parked;
  };
  for (u32 ring = 1; ring <= 10; ++ring) {
    const Cycle from = chip.engine->now();
    Cycle at = from;
    while (at < from + kBetween && !parked()) chip.engine->run(at += epoch, nullptr);
    slept.parked_at.push_back(at - from);
    if (chip.engine->run(from + kBetween, nullptr) == sched::Stop::Idle)
      chip.engine->skip_to(from + kBetween);
    chip.write(kBell, ring);
  }
  slept.hash = chip.hash();
  chip.tile->set_observer(nullptr);
  chip.tile->set_onlooker(nullptr);
  return slept;
}

void expect_same(const Slept& slept, const Slept& expected, const Way& way, u32 drawn) {
  // A debugger keeps cores from sleeping where registers are not what they were.
  if (!way.debugged) {
    EXPECT_EQ(slept.parked_at, expected.parked_at) << drawn << ", " << way.name;
  }
  EXPECT_EQ(slept.hash, expected.hash) << drawn << ", " << way.name;
}

/// Calls `check(seed, BRISC's loop, NCRISC's loop, epoch)` for loops that are drawn.
template <class Check>
void for_drawn_programs(Check check) {
  const u64 programs = rounds(200);
  for (u64 program = 1; program <= programs; ++program) {
    const u32 drawn = static_cast<u32>(seed(program));
    std::mt19937 random(drawn);
    const Loop brisc = Loop::any(random);
    const Loop ncrisc = Loop::any(random);
    for (const Cycle epoch : {kQuantum, 8 * kQuantum}) check(drawn, brisc, ncrisc, epoch);
  }
}

TEST(LoopHeads, cores_that_wait_in_a_loop_once_more_park_within_a_few_rounds) {
  const std::vector<Cycle> parked = run_cores({}, {}, {"interpreter"}, kQuantum).parked_at;
  for (std::size_t ring = 1; ring < parked.size(); ++ring)
    EXPECT_LE(parked[ring], 2 * kQuantum) << ring;
}

TEST(LoopHeads, cores_park_in_the_same_cycle_however_they_are_executed_and_whoever_looks) {
  const std::vector<Way> ways = all_ways();
  for_drawn_programs([&](u32 drawn, const Loop& brisc, const Loop& ncrisc, Cycle epoch) {
    const Slept expected = run_cores(brisc, ncrisc, ways[0], epoch);
    for (const Way& way : ways)
      expect_same(run_cores(brisc, ncrisc, way, epoch), expected, way, drawn);
    EXPECT_EQ(run_cores(brisc, ncrisc, ways[0], epoch, false).hash, expected.hash) << drawn;
  });
}

/// The second of two tiles that execute the same program.
Way as_second(Way way, const std::shared_ptr<riscv::LineCache>& lines) {
  way.lines = lines;
  way.before = 1;
  return way;
}

TEST(LoopHeads, cores_park_in_their_first_turn_where_cores_of_another_tile_have_waited) {
  const auto lines = std::make_shared<riscv::LineCache>();
  const Way first{"first", nullptr, std::nullopt, false, lines};
  EXPECT_GT(run_cores({}, {}, first, kQuantum).parked_at[0], kQuantum);
  // It knew of no round yet, for which it needs one that is parked at the head.
  const Way second = as_second({"second"}, lines);
  EXPECT_EQ(run_cores({}, {}, second, kQuantum).parked_at[0], kQuantum);
}

/// How many instructions BRISC executes until it waits, in a tile with this number, and the state
/// some time after the bell.
struct Waited {
  u64 executed = 0;
  std::array<u32, 33> x{};
  u64 hash = 0;
};
Waited wait_once(const std::shared_ptr<riscv::LineCache>& lines, NodeId number, Cycle begin,
                 bool watched = false) {
  OneTile chip(kQuantum, true, nullptr, nullptr, lines, number);
  chip.make_engine(kQuantum);
  chip.engine->skip_to(begin);
  Watcher watcher(trace::Instructions::All);
  if (watched) chip.tile->set_observer(&watcher);
  Loop loop;
  loop.before = 3;
  loop.behind = 2;  // so that the round leaves something in registers
  chip.load(0, waiting_program(kBell, kOwnBell, loop));
  chip.start({CoreId::Brisc});
  chip.engine->run(begin + 4 * kQuantum, nullptr);
  const riscv::CoreState& core = chip.tile->core(CoreId::Brisc);
  EXPECT_EQ(chip.tile->status(CoreId::Brisc), tile::CoreStatus::Parked);
  Waited waited{core.instret - chip.tile->skipped_instructions()};
  chip.engine->skip_to(begin + 64 * kQuantum);
  chip.write(kBell, 1);
  chip.engine->run(begin + 128 * kQuantum, nullptr);
  chip.engine->skip_to(begin + 128 * kQuantum);
  waited.hash = chip.hash();
  waited.x = core.x;
  chip.tile->set_observer(nullptr);
  return waited;
}

TEST(LoopHeads, a_core_that_comes_to_a_known_loop_is_parked_before_its_first_round) {
  const auto lines = std::make_shared<riscv::LineCache>();
  constexpr Cycle kLater = 1 << 20;
  const Waited first = wait_once(lines, 0, 0);
  const Waited second = wait_once(lines, 1, kLater);     // knows the head
  const Waited third = wait_once(lines, 2, 2 * kLater);  // knows the round, too
  const Waited alone = wait_once(std::make_shared<riscv::LineCache>(), 2, 2 * kLater);
  constexpr u64 kPeriod = 7;
  EXPECT_LT(second.executed, first.executed);
  EXPECT_EQ(third.executed + 2 * kPeriod, second.executed);  // one round, and one recorded
  EXPECT_EQ(third.x, alone.x);
  EXPECT_EQ(third.hash, alone.hash);
  // Who looks on is shown the first rounds.
  const Waited seen = wait_once(lines, 3, 2 * kLater, true);
  EXPECT_EQ(seen.executed, third.executed + kPeriod);
  EXPECT_EQ(seen.x, alone.x);
}

TEST(LoopHeads, under_a_debugger_cores_are_recorded_at_heads_whatever_is_known_of_rounds) {
  const auto lines = std::make_shared<riscv::LineCache>();
  run_cores({}, {}, {"first", nullptr, std::nullopt, false, lines}, kQuantum);
  const Way debugged = as_second({"debugged", nullptr, std::nullopt, true}, lines);
  for (const Cycle parked : run_cores({}, {}, debugged, kQuantum).parked_at)
    EXPECT_EQ(parked, kQuantum);
}

TEST(LoopHeads, what_other_tiles_tell_changes_no_result_and_is_the_same_for_all_ways) {
  const std::vector<Way> ways = all_ways();
  for_drawn_programs([&](u32 drawn, const Loop& brisc, const Loop& ncrisc, Cycle epoch) {
    const auto lines = std::make_shared<riscv::LineCache>();
    run_cores(brisc, ncrisc, {"first", nullptr, std::nullopt, false, lines}, epoch);
    const Slept expected = run_cores(brisc, ncrisc, as_second(ways[0], lines), epoch);
    for (const Way& way : ways)
      expect_same(run_cores(brisc, ncrisc, as_second(way, lines), epoch), expected, way, drawn);
    const Way alone = as_second(ways[0], std::make_shared<riscv::LineCache>());
    for (const bool parks : {true, false})
      EXPECT_EQ(run_cores(brisc, ncrisc, alone, epoch, parks).hash, expected.hash) << drawn;
  });
}

TEST(LoopHeads, when_cores_of_a_third_tile_are_looked_at_depends_on_no_way_of_the_second) {
  const std::vector<Way> ways = all_ways();
  const u64 programs = rounds(40);
  for (u64 program = 1; program <= programs; ++program) {
    std::mt19937 random(static_cast<u32>(seed(program)));
    Loop brisc = Loop::any(random);
    const Loop ncrisc = Loop::any(random);
    // So that it begins with the registers that a round leaves.
    if (random() % 2 == 0) brisc.before = brisc.behind = 0;
    // From the first tile it is known where the loops of both begin, but not how long cores work
    // that begin as the second's and the third's do.
    std::array<Cycle, 2> expected{};
    for (const Way& way : ways) {
      const auto lines = std::make_shared<riscv::LineCache>();
      const auto run = [&](Way which, unsigned before, u32 detour) {
        which.lines = lines;
        which.before = before;
        which.detour = detour;
        return run_cores(brisc, ncrisc, which, kQuantum).first_look;
      };
      constexpr u32 kLong = 40;
      const Cycle unknown = run(ways[0], 0, 1)[0];
      EXPECT_EQ(run(way, 1, kLong)[0], unknown + kNext);
      const std::array<Cycle, 2> looked_at = run(ways[0], 2, kLong);
      EXPECT_NE(looked_at[0], unknown + 2 * kNext);
      if (&way == &ways[0]) expected = looked_at;
      // A debugger keeps cores from sleeping where registers are not what they were.
      if (!way.debugged) {
        EXPECT_EQ(looked_at, expected) << program << ", " << way.name;
      }
    }
  }
}

}  // namespace
}  // namespace bhemu::test
