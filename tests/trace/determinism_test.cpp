// A trace is the same bytes whatever the number of host threads, with parking on or off, and it
// changes nothing of what it watches.
#include <gtest/gtest.h>

#include "trace/traced_chip.hpp"

namespace bhemu::test {
namespace {

struct Traced {
  RunStatus status = RunStatus::Cycles;
  u64 hash = 0;
  Cycle cycle = 0;
  std::string text;
  std::vector<trace::Event> events;
  std::vector<u64> instructions;  // by tile and core
};

DeviceOptions options_of(unsigned threads, bool parking, TimingModel timing = TimingModel::Fast) {
  DeviceOptions options;
  options.threads = threads;
  options.parking = parking;
  options.timing = timing;
  return options;
}

Traced run_ring(const DeviceOptions& options, const trace::Selection* selection) {
  Device device(options);
  std::shared_ptr<Kept> kept;
  if (selection != nullptr) kept = start_trace(device, *selection);
  ring::prepare(device);
  const RunResult result = device.run(100'000, [&] { return ring::is_done(device); });
  Traced run;
  run.status = result.status;
  run.cycle = result.cycle;
  device.stop_trace();  // before anything else looks at the device
  run.hash = device.hash();
  for (const Coord tile : device.board().tensix())
    for (unsigned core = 0; core < kCores; ++core)
      run.instructions.push_back(device.tile(tile).core(static_cast<CoreId>(core)).instret);
  for (const Fault& fault : device.faults())
    ADD_FAILURE() << info_of(fault.rule).name << ": " << fault.text;
  if (kept) {
    run.text = kept->text;
    run.events = kept->events;
  }
  return run;
}

void expect_same_text(const std::string& a, const std::string& b, const std::string& what) {
  if (a == b) return;
  size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const size_t line = a.rfind('\n', at == 0 ? 0 : at - 1) + 1;
  ADD_FAILURE() << what << " differs at byte " << at << ":\n"
                << a.substr(line, 400) << "\n--- instead of\n"
                << b.substr(line, 400);
}

class TraceDeterminism : public testing::TestWithParam<TimingModel> {};

TEST_P(TraceDeterminism, one_text_for_every_thread_count_with_and_without_parking) {
  const trace::Selection everything;
  const Traced plain = run_ring(options_of(1, true, GetParam()), nullptr);
  ASSERT_EQ(plain.status, RunStatus::Done);
  const Traced first = run_ring(options_of(1, true, GetParam()), &everything);
  EXPECT_GT(first.events.size(), 5000u);
  for (const bool parking : {true, false}) {
    for (const unsigned threads : {1u, 2u, 4u}) {
      const Traced run = run_ring(options_of(threads, parking, GetParam()), &everything);
      const std::string what =
          std::to_string(threads) + " threads, parking " + (parking ? "on" : "off");
      EXPECT_EQ(run.hash, plain.hash) << what;
      EXPECT_EQ(run.cycle, plain.cycle) << what;
      EXPECT_EQ(run.instructions, plain.instructions) << what;
      expect_same_text(run.text, first.text, what);
    }
  }
}

TEST_P(TraceDeterminism, of_a_range_of_cycles_and_some_kinds_too) {
  for (const u32 what : {trace::Selection::kAll, bit_of(trace::What::Riscv),
                         bit_of(trace::What::Stall), bit_of(trace::What::Tensix)}) {
    for (const auto& [from, until] :
         {std::pair<Cycle, Cycle>{137, 900}, {500, 501}, {1200, 1900}, {700, kNever}}) {
      trace::Selection selection;
      selection.what = what;
      selection.from = from;
      selection.until = until;
      const Traced on = run_ring(options_of(1, true, GetParam()), &selection);
      const Traced off = run_ring(options_of(2, false, GetParam()), &selection);
      EXPECT_EQ(on.hash, off.hash);
      expect_same_text(on.text, off.text, "cycles from " + std::to_string(from));
      for (const trace::Event& event : on.events)
        EXPECT_TRUE(event.cycle >= from && event.cycle <= until) << event.cycle;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Timings, TraceDeterminism,
                         testing::Values(TimingModel::Fast, TimingModel::Reference),
                         [](const auto& info) {
                           return info.param == TimingModel::Fast ? "fast" : "reference";
                         });

/// Counts several times, each core to a number of its own, then waits for what nobody writes.
std::vector<u32> counts_and_waits(u32 count) {
  Assembler a;
  a.li(Reg::s0, 0x30000);
  for (u32 loop = 0; loop < 4; ++loop) {
    a.li(Reg::t0, count + loop * 5);
    const std::string label = "count" + std::to_string(loop);
    a.label(label);
    for (u32 i = 0; i < loop; ++i) a.addi(Reg::t1, Reg::t1, 1);
    a.addi(Reg::t0, Reg::t0, -1);
    a.bne(Reg::t0, Reg::zero, label);
  }
  a.label("wait");
  a.lw(Reg::t0, 0, Reg::s0);
  a.addi(Reg::t1, Reg::t0, 7);
  a.bne(Reg::t1, Reg::zero, "wait");
  return a.finish();
}

/// Each core of a tile looks for its loop when it does without a trace, so all sleep when they do.
TEST(Trace, does_not_change_when_a_hang_is_found) {
  const auto cycle_of_hang = [](u32 count, bool traced) {
    Device device(options_of(1, true));
    std::shared_ptr<Kept> kept;
    if (traced) kept = start_trace(device, trace::Selection{});
    constexpr Coord kTile{1, 2};
    load(device, kTile, 0, counts_and_waits(count));
    for (unsigned thread = 0; thread < kThreads; ++thread)
      load(device, kTile, kTriscStart[thread], counts_and_waits(count * 2 + thread * 3));
    device.write32(kTile, kSoftReset, kBriscAndTriscsRun);
    const RunResult result = device.run(1'000'000);
    EXPECT_EQ(result.status, RunStatus::Idle);
    return result.cycle;
  };
  for (u32 count = 3; count < 200; count += 13)
    EXPECT_EQ(cycle_of_hang(count, true), cycle_of_hang(count, false)) << count;
}

TEST(Trace, is_sorted_by_cycle_then_node) {
  const trace::Selection everything;
  const Traced run = run_ring(options_of(2, true), &everything);
  for (size_t i = 1; i < run.events.size(); ++i) {
    const trace::Event& before = run.events[i - 1];
    const trace::Event& event = run.events[i];
    ASSERT_LE(before.cycle, event.cycle) << i;
    const bool host = before.agent == Agent::Host || event.agent == Agent::Host;
    // The host's accesses are in the order in which it made them.
    if (before.cycle == event.cycle && !host && event.cycle != 0) {
      ASSERT_LE(before.node, event.node) << i;
    }
  }
}

TEST(Trace, has_every_instruction_that_a_core_has_retired) {
  const trace::Selection everything;
  const Traced run = run_ring(options_of(1, true), &everything);
  Device board(options_of(1, true));
  std::map<std::pair<NodeId, Agent>, u64> counted;
  for (const trace::Event& event : run.events) {
    if (std::holds_alternative<trace::Retired>(event.detail)) ++counted[{event.node, event.agent}];
    if (const auto* repeated = std::get_if<trace::Repeated>(&event.detail))
      counted[{event.node, event.agent}] += repeated->instructions;
  }
  const auto& tiles = board.board().tensix();
  for (u32 i = 0; i < tiles.size(); ++i) {
    const NodeId node = board.board().node_at_translated(tiles[i]);
    for (unsigned core = 0; core < kCores; ++core) {
      const u64 expected = run.instructions[i * kCores + core];
      EXPECT_EQ((counted[{node, static_cast<Agent>(core)}]), expected) << i << " " << core;
    }
  }
}

TEST(Trace, of_a_hang_does_not_keep_it_from_being_found) {
  const auto run = [](bool traced) {
    Device device(options_of(1, true));
    const Coord tile = device.board().tensix()[0];
    std::shared_ptr<Kept> kept;
    if (traced) kept = start_trace(device, {});
    load(device, tile, 0, ring::trisc2());  // position independent
    device.write32(tile, kSoftReset, kBriscRuns);
    const RunResult result = device.run(10'000'000);
    EXPECT_EQ(result.status, RunStatus::Idle);
    device.advance(1'000'000);
    device.write32(tile, kFlag, 1);
    device.run(1000);
    const u64 hash = device.hash();
    device.stop_trace();
    if (traced) {
      // Two rounds, the rest in one line, and then what the flag led to.
      EXPECT_NE(kept->text.find("repeat     period=3 instructions=1"), std::string::npos);
      EXPECT_LT(kept->events.size(), 30u);
    }
    return std::pair(hash, result.cycle);
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(Trace, goes_on_after_a_snapshot_was_restored) {
  Device device(options_of(1, true));
  ring::prepare(device);
  device.run(600);
  const std::vector<u8> snapshot = device.snapshot();
  const auto rest = [&] {
    device.restore(snapshot);
    const auto kept = start_trace(device, {});
    device.run(1500);
    device.stop_trace();
    return kept->text;
  };
  const std::string first = rest();
  EXPECT_GT(first.size(), 1000u);
  expect_same_text(rest(), first, "the second time");
}

}  // namespace
}  // namespace bhemu::test
