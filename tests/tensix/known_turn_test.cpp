// Turns that are executed from a list, since they have been executed before, against the same turns
// cycle by cycle.
#include "tensix/frontend/known_turn.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "support/footprint_check.hpp"
#include "support/rounds.hpp"
#include "tensix/pair.hpp"
#include "tensix/three_threads.hpp"

namespace bhemu::tensix::frontend {
namespace {

using test::Harness;
using test::Kernel;
using test::Pair;

/// What is pushed and how long it runs then.
struct Step {
  std::vector<std::pair<unsigned, u32>> words;
  u32 cycles;
};

std::vector<Step> script_of(Kernel& kernel) {
  std::vector<Step> script(24);
  for (Step& step : script) {
    for (unsigned thread = 0; thread < kThreads; ++thread)
      for (u32 left = kernel.any() % 4; left != 0; --left)
        step.words.emplace_back(thread, kernel.word(thread));
    step.cycles = 1 + kernel.any() % 48;
  }
  return script;
}

/// What makes instructions leave their gates in other ways than before.
void disturb(Kernel& kernel, Pair& pair) {
  if (kernel.once_in(4)) {
    // The end of L1 lies within the tile: a rule stops the unpacker's thread.
    const u32 base = kL1Size / 16 - 2 - kernel.any() % 64;
    pair.both([&](Harness& harness) {
      for (ConfigWords& words : harness.state().cfg.bank)
        words[cfg::THCON_SEC0_REG3_Base_address::kWord] = base;
    });
  }
  if (kernel.once_in(4)) {
    const u32 thread = kernel.any() % kThreads;
    const u32 keeps = 1 + kernel.any() % 3;  // a bank that is done with stays where it is
    pair.both([&](Harness& harness) {
      thread_cfg::CLR_DVALID_SrcA_Disable::set(harness.state().cfg.thread[thread], keeps & 1);
      thread_cfg::CLR_DVALID_SrcB_Disable::set(harness.state().cfg.thread[thread], keeps >> 1);
    });
  }
}

void play(const std::vector<Step>& script, Pair& pair) {
  for (const Step& step : script) {
    for (const auto& [thread, word] : step.words)
      if (pair.together.coprocessor.can_push(thread))
        pair.both([thread = thread, word = word](Harness& harness) { harness.push(thread, word); });
    pair.run(step.cycles);
    ASSERT_TRUE(pair.same());
    ASSERT_EQ(pair.together.coprocessor.asleep(), pair.alone.coprocessor.asleep());
    ASSERT_EQ(pair.together.registers, pair.alone.registers);
    ASSERT_EQ(std::memcmp(pair.together.l1.data() + Kernel::kOut * 16,
                          pair.alone.l1.data() + Kernel::kOut * 16, 0x8000),
              0);
  }
}

TEST(KnownTurns, do_what_they_do_cycle_by_cycle_with_other_data_and_configuration) {
  const u64 rounds = bhemu::test::rounds(400);
  Kernel kernel(bhemu::test::seed(777));
  TurnCounts all;
  for (u64 round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    kernel.choose();
    const std::vector<Step> script = script_of(kernel);
    const auto cache = std::make_shared<TurnCache>();
    const u32 undisturbed = kernel.once_in(2) ? 2 : 0;
    for (u32 visit = 0; visit < 6; ++visit) {
      Pair pair;
      pair.together.coprocessor.remember_turns(cache);
      pair.both([&](Harness& harness) { kernel.set_up(harness); });
      if (visit >= undisturbed) disturb(kernel, pair);
      play(script, pair);
      if (testing::Test::HasFatalFailure()) return;
      const TurnCounts counts = pair.together.coprocessor.turn_counts();
      all.executed += counts.executed;
      all.known += counts.known;
      all.departed += counts.departed;
      kernel.vary();
    }
  }
  EXPECT_GT(all.known * 3, all.executed) << "few turns are executed from a list";
  EXPECT_GT(all.departed, rounds / 2) << "they hardly ever depart from it";
  EXPECT_LT(all.departed * 2, all.known);
}

/// Any words for three threads, and any state to begin with.
class Anything {
 public:
  explicit Anything(u64 seed) { draw_.seed(seed); }

  /// Chooses anew what decides when instructions leave their gates, and what is pushed.
  void choose() {
    for (Frontend& frontend : frontends_) {
      for (u32& word : frontend.mop_config) word = draw_.one_in(2) ? test::nop() : any_word();
      frontend.mop_config[0] = draw_.below(4);
      frontend.mop_config[1] = draw_.below(4);
      for (u32& word : frontend.replay) word = any_word();
    }
    draw_.randomise_all();
    control_ = draw_.state();
    stops_ = draw_.one_in(2);
    plain_ = draw_.one_in(2);
    script_.assign(8, {});
    for (Step& step : script_) {
      for (unsigned thread = 0; thread < kThreads; ++thread)
        for (u32 left = draw_.below(5); left != 0; --left)
          step.words.emplace_back(thread, any_word());
      step.cycles = 1 + draw_.below(48);
    }
  }
  const std::vector<Step>& script() const { return script_; }
  /// Chooses anew what does not.
  void set_up(Pair& pair) {
    draw_.randomise_all();
    State state = draw_.state();
    state.frontend = frontends_;
    state.sync = control_.sync;
    take_banks(state.fpu.src_a, control_.fpu.src_a);
    take_banks(state.fpu.src_b, control_.fpu.src_b);
    const u32 first = draw_.random();
    const bool unconfigured = plain_ && !draw_.one_in(4);
    pair.both([&](Harness& harness) {
      if (!stops_) harness.policy.severity.fill(Severity::Warn);
      const State fresh = harness.state();
      state.busy_until = fresh.busy_until;
      state.quiet_from = fresh.quiet_from;
      state.taken_until = fresh.taken_until;
      state.held_until = fresh.held_until;
      state.effects = fresh.effects;
      state.flights = fresh.flights;
      state.late = fresh.late;
      state.mover = fresh.mover;
      state.thcon.occupied_by = 0;
      state.soft_reset = 0;
      state.sfpu.schedule = fresh.sfpu.schedule;
      state.perf = fresh.perf;
      state.semaphore_use = fresh.semaphore_use;
      state.now = fresh.now;
      if (unconfigured) state.cfg = fresh.cfg;
      state.asleep = false;
      harness.state() = state;
      for (u32 i = 0; i < 0x4000; ++i) {
        const u32 value = (first + i) * 0x9E3779B1u;
        std::memcpy(harness.l1.data() + 4 * i, &value, sizeof value);
      }
    });
  }

 private:
  static void take_banks(SrcFile& file, const SrcFile& from) {
    file.owner = from.owner;
    file.unpack_bank = from.unpack_bank;
    file.matrix_bank = from.matrix_bank;
  }
  u32 any_word() {
    for (;;) {
      const Info& info = kInfo[draw_.below(256)];
      if (info.name == nullptr || !info.implemented) continue;
      // Those that reach far, or many cycles, are met now and then.
      const bool far = info.unit == Unit::Thcon || info.unit == Unit::Xmov ||
                       info.unit == Unit::Frontend || info.unit == Unit::Sync;
      if (far && !draw_.one_in(6)) continue;
      return draw_.random_word(info);
    }
  }

  test::FootprintCheck draw_;
  std::array<Frontend, kThreads> frontends_;
  State control_;
  bool stops_ = false;
  bool plain_ = false;
  std::vector<Step> script_;
};

TEST(KnownTurns, may_have_any_instruction_in_any_state) {
  const u64 rounds = bhemu::test::rounds(400);
  const auto anything = std::make_unique<Anything>(bhemu::test::seed(779));
  TurnCounts all;
  for (u64 round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    anything->choose();
    const auto cache = std::make_shared<TurnCache>();
    for (u32 visit = 0; visit < 8; ++visit) {
      Pair pair;
      pair.together.coprocessor.remember_turns(cache);
      anything->set_up(pair);
      play(anything->script(), pair);
      if (testing::Test::HasFatalFailure()) return;
      const TurnCounts counts = pair.together.coprocessor.turn_counts();
      all.executed += counts.executed;
      all.known += counts.known;
      all.departed += counts.departed;
    }
  }
  EXPECT_GT(all.known * 8, all.executed) << all.known;
  EXPECT_GT(all.departed, rounds / 8);
}

/// A script of one step, several times over. `prepare`: each time, with its number.
void repeat(const Step& step, const std::function<void(Pair&, u32)>& prepare) {
  const auto cache = std::make_shared<TurnCache>();
  for (u32 visit = 0; visit < 6; ++visit) {
    Pair pair;
    pair.together.coprocessor.remember_turns(cache);
    prepare(pair, visit);
    play({step}, pair);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(KnownTurns, take_sources_of_products_apart_again_when_they_have_changed) {
  std::mt19937 random(static_cast<u32>(bhemu::test::seed(780)));
  const auto below = [&random](u32 count) { return static_cast<u32>(random()) % count; };
  const auto word = [&below]() -> u32 {
    const u32 dst = below(8) * 8;
    switch (below(8)) {
      case 0:
        return encode<op::MOVD2A>({{"instr_mod", 2}, {"dst", dst}, {"src", below(16) * 4}});
      case 1:
        return encode<op::MOVD2B>({{"instr_mod", 2}, {"dst", dst}, {"src", below(16) * 4}});
      case 2:
        return encode<op::SETC16>(
            {{"setc16_reg", thread_cfg::FIDELITY_BASE_Phase::kWord}, {"setc16_value", below(4)}});
      default:
        return encode<op::MVMUL>({{"dst", dst}, {"clear_dvalid", below(6) == 0 ? 3u : 0u}});
    }
  };
  for (u64 round = 0; round < bhemu::test::rounds(40); ++round) {
    Step step{{}, 30};
    for (u32 i = 0; i < 24; ++i) step.words.emplace_back(1, word());
    step.words.emplace_back(2, test::nop());
    const u32 odd = below(6);
    repeat(step, [&](Pair& pair, u32 visit) {
      const u32 first = below(~0u);
      pair.both([&](Harness& harness) {
        State& state = harness.state();
        for (SrcFile* file : {&state.fpu.src_a, &state.fpu.src_b}) {
          file->owner.fill(SrcOwner::Matrix);
          file->format.fill(5);  // bf16
        }
        u32 number = first;
        for (SrcFile* file : {&state.fpu.src_a, &state.fpu.src_b})
          for (auto& bank : file->bank)
            for (SrcRow& row : bank)
              for (u32& cell : row.datum)
                cell = ((number = number * 1664525 + 1013904223) & 0x807F0000) | 0x3F800000;
        for (DstRow& row : state.fpu.dst.row)
          for (u16& datum : row.datum)
            datum =
                static_cast<u16>(((number = number * 1664525 + 1013904223) >> 16 & 0xFF00) | 127);
        thread_cfg::CLR_DVALID_SrcB_Disable::set(state.cfg.thread[1], visit >= 3 && visit == odd);
      });
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Who waits for a bank goes on in the cycle after it was given back, or not at all: that is a bit
// of the configuration.
TEST(KnownTurns, end_where_a_product_keeps_or_gives_back_a_bank_other_than_before) {
  Step step;
  for (u32 i = 0; i < 3; ++i)
    for (const u32 unpacker : {0u, 1u}) step.words.emplace_back(0, Kernel::face(unpacker));
  for (u32 i = 0; i < 9; ++i)
    step.words.emplace_back(1, encode<op::MVMUL>({{"clear_dvalid", i % 3 == 1 ? 3u : 0u}}));
  Kernel kernel(bhemu::test::seed(781));
  kernel.choose();
  for (u32 i = 0; i < 48; ++i) {
    const bool keeps_at_first = i % 2 != 0;
    step.cycles = 3 + i / 2;  // sooner or later both ways come to the same
    repeat(step, [&](Pair& pair, u32 visit) {
      pair.both([&](Harness& harness) {
        kernel.set_up(harness);
        const bool keeps = (visit < 2) == keeps_at_first;
        thread_cfg::CLR_DVALID_SrcA_Disable::set(harness.state().cfg.thread[1], keeps);
        thread_cfg::CLR_DVALID_SrcB_Disable::set(harness.state().cfg.thread[1], keeps);
      });
    });
  }
}

TEST(KnownTurns, are_none_of_those_in_which_expanders_report_or_declare) {
  const u32 words[] = {encode<op::REPLAY>({{"len", kReplaySlots + 8}}),
                       encode<op::RESOURCEDECL>({{"op_class", 3}, {"resources", 0x55}})};
  for (const u32 word : words)
    repeat({{{0, word}, {0, test::nop()}, {1, test::nop()}}, 8}, [](Pair& pair, u32) {
      pair.both([](Harness& harness) {
        harness.policy.severity.fill(Severity::Warn);
        for (Frontend& frontend : harness.state().frontend) frontend.replay.fill(test::nop());
      });
    });
}

/// A harness in the middle of the work of three threads.
struct AtWork {
  AtWork() : kernel(bhemu::test::seed(778)) {
    kernel.choose();
    kernel.set_up(harness);
    harness.push(0, encode<op::MOP>({{"mop_type", 1}}));
    harness.push(1, encode<op::MOP>({{"mop_type", 1}}));
    harness.push(2, test::semwait(4, 4, 1));
    harness.push(2, {encode<op::MOP>({{"mop_type", 1}}), test::nop(), test::nop()});
    harness.push(1, test::sempost(4));
    harness.run(3);
  }
  bool describe(TurnKey& key, Cycle cycles = 64) {
    const Environment env;
    return key.describe(harness.state(), env, harness.now, harness.now + cycles);
  }

  Kernel kernel;
  Harness harness;
};

struct Change {
  const char* name;
  std::function<void(Harness&)> make;
};

TEST(KnownTurns, are_told_apart_by_all_that_decides_when_an_instruction_leaves_its_gate) {
  const Change kChanges[] = {
      {"a word of a MOP", [](Harness& h) { h.state().frontend[2].mop_config[8] ^= 1; }},
      {"the mask of MOPs", [](Harness& h) { h.state().frontend[0].mask_hi ^= 1; }},
      {"a MOP under way", [](Harness& h) { h.state().frontend[0].mop.inner ^= 1; }},
      {"a word of a replay buffer", [](Harness& h) { h.state().frontend[1].replay[31] ^= 1; }},
      {"a playback", [](Harness& h) { h.state().frontend[1].replay_mode = ReplayMode::Play; }},
      {"its place", [](Harness& h) { h.state().frontend[1].replay_index ^= 1; }},
      {"its rest", [](Harness& h) { h.state().frontend[1].replay_left ^= 1; }},
      {"the word at a gate", [](Harness& h) { h.state().frontend[1].gate_word ^= 1; }},
      {"a gate", [](Harness& h) { h.state().frontend[0].gate_full ^= true; }},
      {"where the word came from",
       [](Harness& h) { h.state().frontend[0].gate_origin = Origin::Replay; }},
      {"who pushed it", [](Harness& h) { h.state().frontend[0].gate_from_brisc ^= true; }},
      {"a wait", [](Harness& h) { h.state().frontend[2].wait.condition ^= 2; }},
      {"what it blocks", [](Harness& h) { h.state().frontend[2].wait.block ^= 1; }},
      {"a queued word", [](Harness& h) { h.state().frontend[2].fifo.front().word ^= 1; }},
      {"one word more", [](Harness& h) { h.push(2, test::nop()); }},
      {"a word behind the MOP expander",
       [](Harness& h) {
         h.state().frontend[0].behind_mop.push({0, test::nop(), 0});
       }},
      {"a last word behind it",
       [](Harness& h) {
         h.state().frontend[0].behind_mop.push({0, test::nop(), 1});
       }},
      {"when it is pushed",
       [](Harness& h) { h.state().frontend[2].fifo.back().pushed = h.now + 5; }},
      {"a semaphore", [](Harness& h) { ++h.semaphore(7).value; }},
      {"its maximum", [](Harness& h) { ++h.semaphore(0).max; }},
      {"a mutex", [](Harness& h) { h.state().sync.mutex[4] = 1; }},
      {"the owner of a bank", [](Harness& h) { h.state().fpu.src_b.owner[1] = SrcOwner::Matrix; }},
      {"whose turn a bank is", [](Harness& h) { h.state().fpu.src_a.matrix_bank ^= 1; }},
      {"the unpacker's bank", [](Harness& h) { h.state().fpu.src_a.unpack_bank ^= 1; }},
  };
  AtWork plain;
  TurnKey key;
  ASSERT_TRUE(plain.describe(key));
  const auto same = [&key](const TurnKey& other) {
    return key.size() == other.size() && std::memcmp(key.data(), other.data(), key.size()) == 0;
  };
  {
    AtWork again;
    TurnKey other;
    ASSERT_TRUE(again.describe(other));
    EXPECT_TRUE(same(other));
    EXPECT_EQ(key.hash(), other.hash());
    ASSERT_TRUE(again.describe(other, 63));
    EXPECT_FALSE(same(other)) << "the length of the turn";
  }
  for (const Change& change : kChanges) {
    AtWork changed;
    change.make(changed.harness);
    TurnKey other;
    ASSERT_TRUE(changed.describe(other)) << change.name;
    EXPECT_FALSE(same(other)) << change.name;
  }
}

TEST(KnownTurns, are_none_of_those_that_something_else_decides_about) {
  const Change kChanges[] = {
      {"a soft reset", [](Harness& h) { h.state().soft_reset = 1; }},
      {"a thread that has stopped", [](Harness& h) { h.state().frontend[0].stopped = true; }},
      {"a wait for a stream",
       [](Harness& h) { h.state().frontend[1].wait.kind = WaitKind::Streamwait; }},
      {"a word of BRISC",
       [](Harness& h) { h.coprocessor.push_from_brisc(0, test::nop(), h.now - 1); }},
      {"the mover at work", [](Harness& h) { h.state().mover.busy_until = h.now + 1; }},
      {"a unit at work", [](Harness& h) { h.state().quiet_from[2] = h.now + 1; }},
      {"the scalar unit at work", [](Harness& h) { h.state().thcon.occupied_by = 2; }},
      {"a schedule of the vector unit", [](Harness& h) { h.state().sfpu.schedule.idle_next = 1; }},
  };
  TurnKey key;
  for (const Change& change : kChanges) {
    AtWork changed;
    change.make(changed.harness);
    EXPECT_FALSE(changed.describe(key)) << change.name;
  }
  AtWork plain;
  EXPECT_FALSE(plain.describe(key, TurnKey::kLongest + 1)) << "a long turn";
  Wakeup wakeup;
  wakeup.watched = mask_of(Resource::Dst);
  Environment env;
  env.wakeup = &wakeup;
  EXPECT_FALSE(key.describe(plain.harness.state(), env, plain.harness.now, plain.harness.now + 8))
      << "a core that waits for Dst";
}

TEST(KnownTurns, wake_who_waits_for_the_queues_and_threads_that_move_on) {
  const auto woken_in_a_turn = [](const std::shared_ptr<TurnCache>& cache, u32 watched, u64 known) {
    AtWork at_work;
    Harness& harness = at_work.harness;
    harness.coprocessor.remember_turns(cache);
    harness.wakeup.watched = watched;
    harness.run(64);
    EXPECT_EQ(harness.coprocessor.turn_counts().known, known);
    return std::set<Resource>(harness.woken.begin(), harness.woken.end());
  };
  const auto cache = std::make_shared<TurnCache>();
  for (u32 visit = 0; visit < 2; ++visit) woken_in_a_turn(cache, 0, 0);
  std::set<Resource> all;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    for (const Resource resource : {fifo_of(thread), thread_of(thread)}) {
      const std::set<Resource> woken = woken_in_a_turn(nullptr, mask_of(resource), 0);
      EXPECT_EQ(woken_in_a_turn(cache, mask_of(resource), 1), woken);
      all.insert(woken.begin(), woken.end());
    }
  }
  EXPECT_GE(all.size(), 3u);
  EXPECT_LT(all.size(), 6u) << "somebody stands still";
}

TEST(KnownTurns, begin_a_new_shelf_when_one_is_full) {
  TurnCache cache;
  const std::shared_ptr<TurnShelf> shelf = cache.shelf();
  EXPECT_EQ(cache.shelf(), shelf);
  for (u32 i = 0; i < TurnShelf::kTurns; ++i) {
    auto turn = std::make_unique<KnownTurn>();
    turn->hash = u64{i} << 40;
    ASSERT_TRUE(shelf->add(std::move(turn)));
  }
  EXPECT_FALSE(shelf->add(std::make_unique<KnownTurn>()));
  cache.replace(shelf);
  const std::shared_ptr<TurnShelf> next = cache.shelf();
  EXPECT_NE(next, shelf);
  cache.replace(shelf);
  EXPECT_EQ(cache.shelf(), next) << "somebody has done so already";
}

}  // namespace
}  // namespace bhemu::tensix::frontend
