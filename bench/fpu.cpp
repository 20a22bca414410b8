// Speed of the matrix unit: instructions executed directly by it, one entry per class.
#include <benchmark/benchmark.h>

#include <random>

#include "numeric/format_codes.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

using numeric::Format;

/// Sources and Dst as a network has them: exponents around 1.0, a few zeros.
void fill(UnitBench& bench, Format format) {
  std::mt19937 random(7);
  const bool five_bit = format == Format::Fp16;
  const bool integer = format == Format::Int8;
  auto cell = [&] {
    const u32 bits = random();
    if (bits % 32 == 0) return 0u;
    const u32 exponent = integer ? 16 : (five_bit ? 10 : 122) + (bits >> 5) % 8;
    const u32 mantissa = (bits >> 8) & (format == Format::Bf16 ? 0x3F8 : 0x3FF);
    return (bits & 0x80000000) | exponent << 23 | mantissa << 13;
  };
  for (SrcFile* file : {&bench.fpu().src_a, &bench.fpu().src_b})
    for (auto& bank : file->bank)
      for (SrcRow& row : bank)
        for (u32& datum : row.datum) datum = cell();
}

struct Case {
  const char* name;
  u32 word;
  Format format;
  bool fp32;
  u32 phase;
  bool huge = false;  // exponents that floats cannot hold
};

const Case kCases[] = {
    {"MVMUL bf16 to bf16", encode<op::MVMUL>({}), Format::Bf16, false, 0},
    {"MVMUL bf16 to fp32", encode<op::MVMUL>({}), Format::Bf16, true, 0},
    {"MVMUL tf32 to fp32, phase 3", encode<op::MVMUL>({}), Format::Tf32, true, 3},
    {"MVMUL fp16 to fp16", encode<op::MVMUL>({}), Format::Fp16, false, 0},
    {"MVMUL bf16 to fp32, huge exponents", encode<op::MVMUL>({}), Format::Bf16, true, 0, true},
    {"MVMUL int8", encode<op::MVMUL>({}), Format::Int8, false, 0},
    {"GAPOOL bf16 to bf16", encode<op::GAPOOL>({}), Format::Bf16, false, 0},
    {"GMPOOL bf16 to bf16", encode<op::GMPOOL>({{"instr_mod19", 1}}), Format::Bf16, false, 0},
    {"ELWADD bf16 to bf16", encode<op::ELWADD>({}), Format::Bf16, false, 0},
    {"ELWADD bf16 to fp32", encode<op::ELWADD>({{"dest_accum_en", 1}}), Format::Bf16, true, 0},
    {"ELWSUB bf16 to bf16", encode<op::ELWSUB>({}), Format::Bf16, false, 0},
    {"ELWMUL bf16 to bf16", encode<op::ELWMUL>({}), Format::Bf16, false, 0},
    {"ELWMUL tf32 to fp32, phase 3", encode<op::ELWMUL>({}), Format::Tf32, true, 3},
    {"ELWADD int8", encode<op::ELWADD>({}), Format::Int8, false, 0},
    {"MOVA2D bf16", encode<op::MOVA2D>({{"instr_mod", 2}}), Format::Bf16, false, 0},
    {"MOVA2D tf32", encode<op::MOVA2D>({{"instr_mod", 2}}), Format::Tf32, true, 0},
    {"MOVB2D bf16", encode<op::MOVB2D>({{"movb2d_instr_mod", 4}}), Format::Bf16, false, 0},
    {"MOVB2D bf16, one row", encode<op::MOVB2D>({{"movb2d_instr_mod", 2}}), Format::Bf16, false, 0},
    {"MOVD2A bf16", encode<op::MOVD2A>({{"instr_mod", 2}}), Format::Bf16, false, 0},
    {"MOVD2B bf16", encode<op::MOVD2B>({{"instr_mod", 2}}), Format::Bf16, false, 0},
    {"MOVB2A bf16", encode<op::MOVB2A>({{"instr_mod", 2}}), Format::Bf16, false, 0},
    {"ZEROACC 16 rows", encode<op::ZEROACC>({{"clear_mode", 1}}), Format::Bf16, false, 0},
    {"GMPOOL bf16 to fp32, index",
     encode<op::GMPOOL>({{"instr_mod19", 1}, {"max_pool_index_en", 1}}), Format::Bf16, true, 0},
    {"TRNSPSRCB", encode<op::TRNSPSRCB>({}), Format::Bf16, false, 0},
};

void instruction(benchmark::State& run_state, const Case& which) {
  UnitBench bench;
  bench.set_source_formats(static_cast<u32>(which.format), static_cast<u32>(which.format));
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(which.fp32);
  bench.set<cfg::ALU_ACC_CTRL_INT8_math_enabled>(which.format == Format::Int8);
  bench.rwc().fidelity = static_cast<u8>(which.phase);
  fill(bench, which.format);
  if (which.huge) bench.fpu().src_a.bank[0][0].datum[0] = 250u << 23;
  for (auto _ : run_state) bench.run(which.word);
  if (!bench.faults().faults().empty()) run_state.SkipWithError("the instruction faults");
  run_state.SetItemsProcessed(static_cast<i64>(run_state.iterations()));
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Case& which : kCases) benchmark::RegisterBenchmark(which.name, instruction, which);
  return true;
}();

}  // namespace
}  // namespace bhemu::tensix
