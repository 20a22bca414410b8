// Speed of the data path: unpackers and packer alone, and whole tile copies (unpack, move, pack)
// through the coprocessor. Items are tiles of 32 x 32 datums.
#include <benchmark/benchmark.h>

#include "../tests/tensix/data_bench.hpp"
#include "../tests/tensix/harness.hpp"
#include "numeric/format_codes.hpp"

namespace bhemu::tensix {
namespace {

using numeric::Format;

constexpr u32 kSource = 0x8000;
constexpr u32 kTarget = 0x20000;
constexpr u32 kFaces = 4;

struct Formats {
  Format in;       // in L1
  Format cells;    // what the unpacker makes of it
  Format between;  // Dstacc and In_data_format of the packer
  Format out;      // in L1
  bool fp32_dst;
};
constexpr Formats kFormats[] = {
    {Format::Bf16, Format::Bf16, Format::Bf16, Format::Bf16, false},
    {Format::Fp32, Format::Tf32, Format::Fp32, Format::Fp32, true},
    {Format::Fp32, Format::Tf32, Format::Bf16, Format::Bf16, true},
    {Format::Bfp8, Format::Bfp8, Format::Bf16, Format::Bfp8, false},
};
constexpr const char* kNames[] = {"bf16", "fp32", "fp32 to bf16", "bfp8"};

class Setup {
 public:
  explicit Setup(State& state) : state_(state) {}

  void apply(const Formats& f) {
    word(64, code(f.in) | 1u << 4 | 256u << 16);
    word(65, 1 | 4u << 16);
    set<cfg::THCON_SEC0_REG2_Out_data_format>(code(f.cells));
    word(73, 0x000F000F);
    word(76, kSource / 16 - 1);
    word(84, 64);
    word(86, 256);
    thread_cfg::SRCA_SET_SetOvrdWithAddr::set(state_.cfg.thread[0], 1);
    state_.adc.of(0, AdcUnit::Unpacker0).channel[1].x = 255;

    set<cfg::ALU_ACC_CTRL_Fp32_enabled>(f.fp32_dst);
    set<cfg::ALU_FORMAT_SPEC_REG2_Dstacc>(code(f.between));
    set<cfg::THCON_SEC0_REG1_In_data_format>(code(f.between));
    set<cfg::THCON_SEC0_REG1_Out_data_format>(code(f.out));
    set<cfg::THCON_SEC0_REG1_Disable_zero_compress>(1);
    set<cfg::THCON_SEC0_REG1_Exp_section_size>(4);
    set<cfg::THCON_SEC0_REG1_L1_Dest_addr>(kTarget / 16 - 1);
    set<cfg::PCK_DEST_RD_CTRL_Read_32b_data>(f.fp32_dst);
    set<cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride>(16 * numeric::address_bytes_of(f.between));
    set<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(16);
    set<cfg::PCK_EDGE_OFFSET_SEC0_mask>(0xFFFF);
    state_.adc.of(2, AdcUnit::Packer).channel[1].x = 15;
    ThreadConfigWords& pack = state_.cfg.thread[2];
    thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::set(pack, 4);
    pack[thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::kWord + 1] = 1u << 5;  // Y starts over
  }

 private:
  static constexpr u32 code(Format format) { return static_cast<u32>(format); }
  void word(u32 index, u32 value) {
    for (ConfigWords& bank : state_.cfg.bank) bank[index] = value;
  }
  template <class Field>
  void set(u32 value) {
    for (ConfigWords& bank : state_.cfg.bank) Field::set(bank, value);
  }

  State& state_;
};

void fill(L1& l1) {
  u32 value = 1;
  for (u32 address = kSource; address < kSource + 0x2000; address += 4) {
    value = value * 1664525 + 1013904223;
    const u32 datum = (value & 0xBFFFBFFF) | 0x20002000;  // normal numbers in every format
    std::memcpy(l1.data() + address, &datum, 4);
  }
}

const u32 kUnpack = encode<op::UNPACR>({{"ovrd_thread_id", 1}, {"addr_mode", 1}, {"last", 1}});
const u32 kUnpackValid = kUnpack | encode<op::UNPACR>({{"set_dat_valid", 1}});
const u32 kRewind = encode<op::SETADCZW>({{"cnt_set_mask", 1}, {"bit_mask", 0xF}});
const u32 kPack = encode<op::PACR>();
const u32 kPackLast = encode<op::PACR>({{"last", 1}, {"addr_mode", 1}});

template <class Op>
void run(DataBench& bench, Context& context, u32 word) {
  context.word = word;
  benchmark::DoNotOptimize(execute(context, Op{word}));
  if (bench.faulted()) std::abort();
}

void count_tiles(benchmark::State& run_state) {
  run_state.SetItemsProcessed(run_state.iterations());
  run_state.SetLabel(kNames[run_state.range(0)]);
}

void unpack_tile(benchmark::State& run_state) {
  DataBench bench;
  Setup(bench.state()).apply(kFormats[run_state.range(0)]);
  fill(bench.l1);
  Context context = bench.context(0);
  for (auto _ : run_state) {
    run<op::SETADCZW>(bench, context, kRewind);
    for (u32 face = 0; face < kFaces; ++face) run<op::UNPACR>(bench, context, kUnpack);
  }
  count_tiles(run_state);
}

void pack_tile(benchmark::State& run_state) {
  DataBench bench;
  Setup(bench.state()).apply(kFormats[run_state.range(0)]);
  Context context = bench.context(2);
  for (u32 row = 0; row < 64; ++row)
    for (u32 i = 0; i < 16; ++i) bench.dst().write16(row, i, static_cast<u16>(0x7F + row * 256));
  for (auto _ : run_state) {
    for (u32 i = 0; i < 15; ++i) run<op::PACR>(bench, context, kPack);
    run<op::PACR>(bench, context, kPackLast);
  }
  count_tiles(run_state);
}

/// One tile's words of each thread: thread 0 unpacks face by face, thread 1 moves eight rows at a
/// time, thread 2 packs when thread 1 has posted semaphore 1.
std::array<std::vector<u32>, kThreads> copy_program() {
  std::array<std::vector<u32>, kThreads> words;
  words[0].push_back(kRewind);
  words[1].push_back(test::semwait(1u << 6, 2, 2));
  words[2].push_back(test::semwait(1u << 2, 2, 1));
  for (u32 face = 0; face < kFaces; ++face) {
    words[0].push_back(kUnpackValid);
    for (u32 row = 0; row < 16; row += 8)
      words[1].push_back(
          encode<op::MOVA2D>({{"instr_mod", 2}, {"src", row}, {"dst", face * 16 + row}}));
    words[1].push_back(encode<op::SETRWC>({{"clear_ab_vld", 1}}));
  }
  words[1].push_back(test::sempost(2));
  words[2].insert(words[2].end(), 15, kPack);
  words[2].push_back(kPackLast);
  words[2].push_back(test::semget(2));
  return words;
}

void copy_tile(benchmark::State& run_state) {
  test::Harness harness;
  const Formats& formats = kFormats[run_state.range(0)];
  Setup(harness.state()).apply(formats);
  if (formats.fp32_dst) {
    // With 32-bit Dst the matrix unit takes its sources as TF32.
    for (ConfigWords& bank : harness.state().cfg.bank)
      cfg::ALU_FORMAT_SPEC_REG0_SrcA::set(bank, static_cast<u32>(Format::Tf32));
    thread_cfg::DISABLE_IMPLIED_SRCA_FMT_Base::set(harness.state().cfg.thread[1], 1);
  }
  fill(harness.l1);
  harness.execute(1, {test::seminit(2, 0, 1)});
  const auto program = copy_program();
  for (auto _ : run_state) {
    for (unsigned thread = 0; thread < kThreads; ++thread)
      for (const u32 word : program[thread]) harness.push(thread, word);
    while (!harness.coprocessor.drained(0) || !harness.coprocessor.drained(1) ||
           !harness.coprocessor.drained(2))
      harness.run(64);
    harness.woken.clear();
    if (!harness.faults.faults().empty()) std::abort();
  }
  if (std::memcmp(harness.l1.data() + kTarget, harness.l1.data() + kSource, 64) != 0 &&
      run_state.range(0) == 0)
    run_state.SkipWithError("the copy is not what was copied");
  count_tiles(run_state);
}

BENCHMARK(unpack_tile)->DenseRange(0, 3);
BENCHMARK(pack_tile)->DenseRange(0, 3);
BENCHMARK(copy_tile)->DenseRange(0, 3);

}  // namespace
}  // namespace bhemu::tensix
