// The units that move no data: scalar unit, configuration, synchronisation, address counters, front
// end, mover. Loops of instructions as a thread executes them, from the replay buffer.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "tensix/harness.hpp"
#include "tensix/mover/mover.hpp"

namespace bhemu::tensix {
namespace {

constexpr unsigned kThread = 0;
constexpr u32 kSlots = 32;
constexpr u32 kRounds = 16;
constexpr u32 kCyclesEach = 4;

struct Case {
  const char* name;
  std::vector<u32> loop;
};

std::vector<Case> cases() {
  return {
      {"front end: NOP", {encode<op::NOP>({})}},
      {"scalar unit: ADDDMAREG",
       {encode<op::ADDDMAREG>({{"op_a_reg_index", 1}, {"op_b_reg_index", 2}})}},
      {"scalar unit: SETDMAREG", {encode<op::SETDMAREG>({{"payload_sig_sel", 7}})}},
      {"configuration: WRCFG", {encode<op::WRCFG>({{"gpr_address", 4}, {"cfg_reg", 100}})}},
      {"configuration: RMWCIB0",
       {encode<op::RMWCIB0>({{"mask", 0xF}, {"data", 5}, {"cfg_reg_addr", 100}})}},
      {"synchronisation: SEMPOST, SEMGET",
       {encode<op::SEMPOST>({{"sem_sel", 1}}), encode<op::SEMGET>({{"sem_sel", 1}})}},
      {"address counters: INCADCXY", {encode<op::INCADCXY>({{"cnt_set_mask", 1}})}},
      {"mover: XMOV, 1 KiB", {encode<op::XMOV>({})}},
  };
}

void run_loop(benchmark::State& bench, const std::vector<u32>& loop) {
  auto harness = std::make_unique<test::Harness>();
  ConfigWords& config = harness->state().cfg.bank[0];
  cfg::THCON_SEC0_REG6_Source_address::set(config, 0x1000 >> 4);
  cfg::THCON_SEC0_REG6_Destination_address::set(config, 0x2000 >> 4);
  cfg::THCON_SEC0_REG6_Buffer_size::set(config, 1024 >> 4);
  cfg::THCON_SEC0_REG6_Transfer_direction::set(config, static_cast<u32>(MoverMode::L1ToL1));
  std::vector<u32> words = {
      encode<op::REPLAY>({{"start_idx", 0}, {"len", kSlots}, {"load_mode", 1}})};
  for (u32 i = 0; i < kSlots; ++i) words.push_back(loop[i % loop.size()]);
  harness->execute(kThread, words);
  const u32 play = encode<op::REPLAY>({{"start_idx", 0}, {"len", kSlots}});
  const u64 before = harness->coprocessor.instructions_executed(kThread);
  for (auto _ : bench) {
    for (u32 i = 0; i < kRounds; ++i) harness->push(kThread, play);
    harness->run(kRounds * kSlots * kCyclesEach);
  }
  const u64 executed = harness->coprocessor.instructions_executed(kThread) - before;
  if (executed == 0) bench.SkipWithError("nothing was executed");
  bench.SetItemsProcessed(static_cast<i64>(executed));
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Case& which : cases()) benchmark::RegisterBenchmark(which.name, run_loop, which.loop);
  return true;
}();

}  // namespace
}  // namespace bhemu::tensix
