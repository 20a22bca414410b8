// The vector unit: loops of instructions as a thread executes them, frontend included. The replay
// buffer supplies the words, so that pushing is not what is measured.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "tensix/harness.hpp"

namespace bhemu::tensix {
namespace {

constexpr unsigned kThread = 1;
constexpr u32 kSlots = 32;

u32 mad() {
  return encode<op::SFPMAD>(
      {{"lreg_src_a", 0}, {"lreg_src_b", 1}, {"lreg_src_c", 2}, {"lreg_dest", 3}});
}
u32 load(u32 mod) {
  return encode<op::SFPLOAD>({{"lreg_ind", 4}, {"instr_mod0", mod}});
}
u32 store(u32 mod) {
  return encode<op::SFPSTORE>({{"lreg_ind", 0}, {"instr_mod0", mod}, {"dest_reg_addr", 4}});
}

/// Runs `loop` (repeated to fill the replay buffer) over and over.
void run_loop(benchmark::State& bench, const std::vector<u32>& loop, u32 operand_mask) {
  auto harness = std::make_unique<test::Harness>();
  std::mt19937 random(1);
  for (u32 r = 0; r < 3; ++r) {
    for (u32& lane : harness->state().sfpu.lreg[r].lane)
      lane = ((random() & 0x807FFFFF) | (120 + random() % 16) << 23) & operand_mask;
  }
  std::vector<u32> words = {
      encode<op::REPLAY>({{"start_idx", 0}, {"len", kSlots}, {"load_mode", 1}})};
  for (u32 i = 0; i < kSlots; ++i) words.push_back(loop[i % loop.size()]);
  harness->execute(kThread, words);
  const u32 play = encode<op::REPLAY>({{"start_idx", 0}, {"len", kSlots}});
  const u64 before = harness->coprocessor.instructions_executed(kThread);
  for (auto _ : bench) {
    for (u32 i = 0; i < 16; ++i) harness->push(kThread, play);
    harness->run(16 * kSlots);
  }
  harness->run(64);
  const u64 executed = harness->coprocessor.instructions_executed(kThread) - before;
  bench.counters["instructions"] =
      benchmark::Counter(static_cast<double>(executed) / 1e6, benchmark::Counter::kIsRate);
}

void sfpu_mul_add_fp32(benchmark::State& bench) {
  run_loop(bench, {mad()}, 0xFFFFFFFF);
}
BENCHMARK(sfpu_mul_add_fp32);

void sfpu_mul_add_bf16(benchmark::State& bench) {
  run_loop(bench, {mad()}, 0xFFFF0000);
}
BENCHMARK(sfpu_mul_add_bf16);

/// Special operands in every lane: the slow path.
void sfpu_mul_add_infinite(benchmark::State& bench) {
  auto words = std::vector<u32>{
      encode<op::SFPLOADI>({{"lreg_ind", 0}, {"instr_mod0", 0}, {"imm16", 0x7F80}}), mad()};
  run_loop(bench, words, 0xFFFFFFFF);
}
BENCHMARK(sfpu_mul_add_infinite);

void sfpu_load(benchmark::State& bench) {
  run_loop(bench, {load(static_cast<u32>(bench.range(0)))}, 0xFFFFFFFF);
}
BENCHMARK(sfpu_load)->Arg(2)->Arg(3)->Arg(4);

void sfpu_store(benchmark::State& bench) {
  run_loop(bench, {store(static_cast<u32>(bench.range(0)))}, 0xFFFFFFFF);
}
BENCHMARK(sfpu_store)->Arg(2)->Arg(3)->Arg(4);

void sfpu_integer_add(benchmark::State& bench) {
  run_loop(bench, {encode<op::SFPIADD>({{"lreg_c", 1}, {"lreg_dest", 2}, {"instr_mod1", 4}})},
           0xFFFFFFFF);
}
BENCHMARK(sfpu_integer_add);

void sfpu_swap(benchmark::State& bench) {
  run_loop(bench, {encode<op::SFPSWAP>({{"lreg_src_c", 1}, {"lreg_dest", 2}, {"instr_mod1", 1}})},
           0xFFFFFFFF);
}
BENCHMARK(sfpu_swap);

void sfpu_set_condition(benchmark::State& bench) {
  run_loop(bench, {encode<op::SFPSETCC>({{"lreg_c", 1}})}, 0xFFFFFFFF);
}
BENCHMARK(sfpu_set_condition);

/// Load, multiply, add, store: an activation on a bf16 tile.
void sfpu_load_mul_add_store(benchmark::State& bench) {
  const u32 loop_load = encode<op::SFPLOAD>({{"lreg_ind", 0}, {"instr_mod0", 2}});
  const u32 loop_store = encode<op::SFPSTORE>({{"lreg_ind", 3}, {"instr_mod0", 2}});
  run_loop(bench, {loop_load, mad(), mad(), loop_store}, 0xFFFF0000);
}
BENCHMARK(sfpu_load_mul_add_store);

}  // namespace
}  // namespace bhemu::tensix
