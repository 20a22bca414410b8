// What a host pays for the card behind the libttsim ABI: polling an idle chip that has booted, and
// uploading to DRAM through windows, beside plain copies of the same memory.
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "support/card_boot.hpp"

namespace bhemu {
namespace {

constexpr size_t kUpload = size_t{1} << 30;
constexpr size_t kSource = size_t{64} << 20;  // copied over and over
constexpr size_t kWindow = size_t{2} << 20;

/// The process's one card.
class Session {
 public:
  Session() {
    setenv("BHEMU_BOARD", "p100a", 1);
    libttsim_init();
  }
  ~Session() { libttsim_exit(); }
};

std::vector<u8> source() {
  std::vector<u8> bytes(kSource);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<u8>(i * 31 >> 7);
  return bytes;
}

/// One item: a word of L1 read through a window, then clock(1), as tt-umd does it.
void rd32_then_clock_1_idle_p100a(benchmark::State& state) {
  const Session session;
  test::CardClient client;
  const Board board(BoardOptions::defaults(BoardModel::P100A));
  const host::Firmware firmware = host::Firmware::embedded();
  if (!test::boot_card(client, board, firmware)) {
    state.SkipWithError("the firmware does not come up");
    return;
  }
  const u32 go = firmware.protocol().go_messages;
  client.aim(0, {.x = 1, .y = 2});
  u32 value = 0;
  for (auto _ : state) {
    libttsim_pci_mem_rd_bytes(client.bar0 + go, &value, 4);
    libttsim_clock(1);
    benchmark::DoNotOptimize(value);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(rd32_then_clock_1_idle_p100a)->Unit(benchmark::kNanosecond);

/// To bank 0 of DRAM; window 202 is the first of BAR 4.
void upload_bar4(test::CardClient& client, const std::vector<u8>& bytes) {
  client.aim(202, {.x = 17, .y = 12});
  for (size_t at = 0; at < kUpload; at += kSource)
    libttsim_pci_mem_wr_bytes(client.bar4 + at, bytes.data(), static_cast<u32>(kSource));
}
/// One window of 2 MiB moves over the bank.
void upload_bar0(test::CardClient& client, const std::vector<u8>& bytes) {
  for (size_t at = 0; at < kUpload; at += kWindow) {
    client.aim(5, {.address = at, .x = 17, .y = 12});
    libttsim_pci_mem_wr_bytes(client.window_base(5), bytes.data() + at % kSource,
                              static_cast<u32>(kWindow));
  }
}

/// `fresh`: to memory that nobody has touched, so that the host's page faults are in it.
template <void (*upload)(test::CardClient&, const std::vector<u8>&), bool fresh>
void upload_1GB(benchmark::State& state) {
  const std::vector<u8> bytes = source();
  for (auto _ : state) {
    state.PauseTiming();
    std::optional<Session> session(std::in_place);
    test::CardClient client;
    if (!fresh) upload(client, bytes);
    state.ResumeTiming();
    upload(client, bytes);
    state.PauseTiming();
    u8 last = 0;
    client.read(17, 12, kUpload - 1, {&last, 1});
    if (last != bytes.back()) state.SkipWithError("the bytes did not arrive");
    session.reset();
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * kUpload));
}

/// The same copies without a card, so many bytes at a time.
template <size_t piece, bool fresh>
void memcpy_1GB(benchmark::State& state) {
  const std::vector<u8> bytes = source();
  for (auto _ : state) {
    state.PauseTiming();
    void* const target = mmap(nullptr, kUpload, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (target == MAP_FAILED) {
      state.SkipWithError("no memory");
      return;
    }
    const auto copy = [&] {
      for (size_t at = 0; at < kUpload; at += piece)
        std::memcpy(static_cast<u8*>(target) + at, bytes.data() + at % kSource, piece);
    };
    if (!fresh) copy();
    state.ResumeTiming();
    copy();
    benchmark::ClobberMemory();
    state.PauseTiming();
    munmap(target, kUpload);
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * kUpload));
}

void once(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->Iterations(1);
}
BENCHMARK(memcpy_1GB<kSource, false>)->Name("memcpy_1GB_again")->Apply(once);
BENCHMARK(upload_1GB<upload_bar4, false>)->Name("upload_1GB_bar4_again")->Apply(once);
BENCHMARK(memcpy_1GB<kWindow, false>)->Name("memcpy_1GB_by_2MB_again")->Apply(once);
BENCHMARK(upload_1GB<upload_bar0, false>)->Name("upload_1GB_bar0_again")->Apply(once);
BENCHMARK(memcpy_1GB<kSource, true>)->Name("memcpy_1GB_fresh")->Apply(once);
BENCHMARK(upload_1GB<upload_bar4, true>)->Name("upload_1GB_bar4_fresh")->Apply(once);
BENCHMARK(memcpy_1GB<kWindow, true>)->Name("memcpy_1GB_by_2MB_fresh")->Apply(once);
BENCHMARK(upload_1GB<upload_bar0, true>)->Name("upload_1GB_bar0_fresh")->Apply(once);

}  // namespace
}  // namespace bhemu
