// The whole chip's speed on RISC-V work: one busy core, all cores polling, sixty busy of seven
// hundred, on one and two host threads. Guest programs are assembled here.
#include <benchmark/benchmark.h>

#include "device/device.hpp"
#include "support/assembler.hpp"
#include "tile/tile.hpp"

namespace bhemu {
namespace {

using test::Assembler;
using enum test::Reg;

constexpr u32 kSoftReset = 0xFFB121B0;
constexpr u32 kMailbox = 0x60;

/// Integer work as kernels have it: hash a buffer of 1 KiB word by word, write the words back
/// changed, keep a sum; then again, for ever. `base` is the code's address, `data` the buffer's.
std::vector<u32> busy_program(u32 base, u32 data) {
  Assembler a(base);
  a.li(s0, data);
  a.li(s2, 0x9E3779B9);
  a.label("round");
  a.add(t0, s0, zero);
  a.addi(t1, s0, 1024);
  a.label("word");
  a.lw(a0, 0, t0);
  a.mul(a1, a0, s2);
  a.xor_(s3, s3, a1);
  a.slli(a2, s3, 5);
  a.add(s3, s3, a2);
  a.andi(a3, s3, 7);
  a.beq(a3, zero, "skip");
  a.addi(s4, s4, 1);
  a.label("skip");
  a.add(a0, a0, s3);
  a.sw(a0, 0, t0);
  a.addi(t0, t0, 4);
  a.blt(t0, t1, "word");
  a.j("round");
  return a.finish();
}

/// Firmware waiting for work: poll a mailbox byte, count what arrives.
std::vector<u32> polling_program(u32 base, u32 mailbox) {
  Assembler a(base);
  a.li(s0, mailbox);
  a.lw(s1, 0, s0);
  a.label("wait");
  a.fence();
  a.lw(a0, 0, s0);
  a.beq(a0, s1, "wait");
  a.add(s1, a0, zero);
  a.addi(s2, s2, 1);
  a.j("wait");
  return a.finish();
}

void load(Device& device, Coord tile, u32 address, const std::vector<u32>& words) {
  device.write(tile, address, {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
}

/// Puts one program per core at 0, 0x1000, 0x2000 ... and releases the tile's five cores.
template <class Program>
void start_tile(Device& device, Coord tile, Program program) {
  for (u32 core = 0; core < kCores; ++core) load(device, tile, core * 0x1000, program(core));
  device.write32(tile, 0xFFB12238, 0x1000);
  device.write32(tile, 0xFFB1223C, 1);
  for (u32 i = 0; i < 3; ++i) device.write32(tile, 0xFFB12228 + i * 4, 0x2000 + i * 0x1000);
  device.write32(tile, 0xFFB12234, 7);
  device.write32(tile, kSoftReset, 0);
}

DeviceOptions options(BoardModel model, unsigned threads = 1) {
  DeviceOptions wanted;
  wanted.board = BoardOptions::defaults(model);
  wanted.threads = threads;
  return wanted;
}

std::vector<u32> poller(u32 core) {
  return polling_program(core * 0x1000, kMailbox + core * 4);
}
std::vector<u32> worker(u32 core) {
  return busy_program(core * 0x1000, 0x20000 + core * 0x1000);
}

void report(benchmark::State& state, const Totals& before, const Totals& after) {
  const Cycle cycles = after.cycles - before.cycles;
  // Executed ones only: what parked cores repeat costs nothing and counts for nothing.
  const u64 instructions = after.riscv_instructions - after.riscv_skipped -
                           (before.riscv_instructions - before.riscv_skipped);
  state.counters["chip_MHz"] =
      benchmark::Counter(static_cast<double>(cycles) * 1e-6, benchmark::Counter::kIsRate);
  state.counters["MIPS"] =
      benchmark::Counter(static_cast<double>(instructions) * 1e-6, benchmark::Counter::kIsRate);
}

void one_busy_core(benchmark::State& state) {
  Device device(options(BoardModel::P100A));
  const Coord tile = device.board().tensix()[0];
  load(device, tile, 0, busy_program(0, 0x20000));
  device.write32(tile, kSoftReset, 0x47000);
  device.run(100'000);
  const Totals before = device.totals();
  for (auto _ : state) device.run(10'000'000);
  report(state, before, device.totals());
}
BENCHMARK(one_busy_core)->Unit(benchmark::kMillisecond)->UseRealTime();

/// 700 cores poll; once in 1,000 cycles (argument) the host changes one of their mailbox words.
void polling_700_cores(benchmark::State& state) {
  Device device(options(BoardModel::P150));
  const auto& tiles = device.board().tensix();
  for (const Coord tile : tiles) start_tile(device, tile, poller);
  device.run(100'000);
  const Totals before = device.totals();
  u32 turn = 0;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i, ++turn) {
      device.write32(tiles[turn % tiles.size()], kMailbox + turn % kCores * 4, turn + 1);
      device.advance(static_cast<Cycle>(state.range(0)));
    }
  }
  report(state, before, device.totals());
}
BENCHMARK(polling_700_cores)->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Twelve tiles with five busy cores each; the other 640 cores poll. Argument: host threads.
void busy_60_of_700_cores(benchmark::State& state) {
  Device device(options(BoardModel::P150, static_cast<unsigned>(state.range(0))));
  const auto& tiles = device.board().tensix();
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (i % 12 == 0) {
      start_tile(device, tiles[i], worker);
    } else {
      start_tile(device, tiles[i], poller);
    }
  }
  device.run(100'000);
  const Totals before = device.totals();
  for (auto _ : state) device.run(256 * 1024);
  report(state, before, device.totals());
}
BENCHMARK(busy_60_of_700_cores)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace bhemu
