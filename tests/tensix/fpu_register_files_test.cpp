// The register files as each instruction sees them, against models written from the documents: who
// waits for which bank, how banks change hands, where counters go, what an invalid row reads as.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "numeric/format_codes.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kBf16 = 5;
constexpr u32 kTf32 = 4;

class Random {
 public:
  u32 below(u32 n) { return static_cast<u32>(random_()) % n; }
  bool one_in(u32 n) { return below(n) == 0; }

 private:
  std::mt19937 random_{2026};
};

// --- Which instruction waits for which bank (the pages' "Wait Gate" paragraphs; src_mask of
// assembly.yaml).

struct Waits {
  bool a;
  bool b;
};
const std::map<std::string, Waits> kWaits = {
    {"MOVD2A", {false, false}},    {"MOVDBGA2D", {false, false}},  {"MOVD2B", {false, false}},
    {"MOVB2A", {false, true}},     {"MOVDBGB2D", {false, false}},  {"ZEROACC", {false, false}},
    {"ZEROSRC", {false, false}},   {"MOVA2D", {true, false}},      {"MOVB2D", {false, true}},
    {"TRNSPSRCA", {true, false}},  {"RAREB", {false, true}},       {"TRNSPSRCB", {false, true}},
    {"SHIFTXA", {true, false}},    {"SHIFTXB", {false, true}},     {"CLREXPHIST", {false, false}},
    {"CONV3S1", {true, true}},     {"CONV3S2", {true, true}},      {"MPOOL3S1", {true, true}},
    {"APOOL3S1", {true, true}},    {"MVMUL", {true, true}},        {"ELWMUL", {true, true}},
    {"ELWADD", {true, true}},      {"DOTPV", {true, true}},        {"ELWSUB", {true, true}},
    {"MPOOL3S2", {true, true}},    {"APOOL3S2", {true, true}},     {"GMPOOL", {true, true}},
    {"GAPOOL", {true, true}},      {"GATESRCRST", {false, false}}, {"CLEARDVALID", {false, false}},
    {"SETRWC", {false, false}},    {"INCRWC", {false, false}},     {"SETIBRWC", {false, false}},
    {"MFCONV3S1", {true, true}},   {"SETASHRMH0", {false, false}}, {"SETASHRMH1", {false, false}},
    {"SETASHRMV", {false, false}}, {"SETPKEDGOF", {false, false}}, {"SETASHRMH", {false, false}},
};

TEST(FpuRegisterFiles, every_instruction_waits_for_exactly_the_banks_it_reads) {
  unsigned seen = 0;
  for (const Info& info : kInfo) {
    if (info.name == nullptr || info.unit != Unit::Fpu) continue;
    ASSERT_TRUE(kWaits.contains(info.name)) << info.name;
    ++seen;
    const Waits& waits = kWaits.at(info.name);
    for (u32 owners = 0; owners < 4; ++owners) {
      UnitBench bench;
      const bool a = (owners & 1) != 0;
      const bool b = (owners & 2) != 0;
      bench.fpu().src_a.owner[0] = a ? SrcOwner::Matrix : SrcOwner::Unpacker;
      bench.fpu().src_b.owner[0] = b ? SrcOwner::Matrix : SrcOwner::Unpacker;
      // The banks that the unit does not read do not matter.
      bench.fpu().src_a.owner[1] = a ? SrcOwner::Unpacker : SrcOwner::Matrix;
      bench.fpu().src_b.owner[1] = b ? SrcOwner::Unpacker : SrcOwner::Matrix;
      const bool free = (a || !waits.a) && (b || !waits.b);
      EXPECT_EQ(bench.run(u32{info.opcode} << 24), free ? Completion::Done : Completion::Stall)
          << info.name << " with A " << a << ", B " << b;
    }
  }
  EXPECT_EQ(seen, kWaits.size());
}

// --- Banks changing hands.

struct BankModel {
  bool valid[2] = {};  // "data valid": the matrix unit may read it
  u32 unpack = 0;
  u32 matrix = 0;
  u8 format[2] = {};

  void hand_over() {
    valid[unpack] = true;
    unpack ^= 1;
  }
  void clear(bool disabled) {
    if (!disabled) valid[matrix] = false;
    matrix ^= 1;
  }
  void expect(const SrcFile& file, u32 step) const {
    for (u32 bank = 0; bank < 2; ++bank) {
      ASSERT_EQ(file.owner[bank] == SrcOwner::Matrix, valid[bank]) << step;
      ASSERT_EQ(file.format[bank], format[bank]) << step;
    }
    ASSERT_EQ(file.unpack_bank, unpack) << step;
    ASSERT_EQ(file.matrix_bank, matrix) << step;
  }
};

class BankWalk {
 public:
  BankWalk() {
    for (SrcFile* file : {&bench_.fpu().src_a, &bench_.fpu().src_b}) *file = SrcFile{};
  }

  void step() {
    const u32 mask = random_.below(4);
    switch (random_.below(6)) {
      case 0:
        return hand_over();
      case 1:
        disabled_ = random_.below(4);
        bench_.set_thread<thread_cfg::CLR_DVALID_SrcA_Disable>(disabled_ & 1);
        bench_.set_thread<thread_cfg::CLR_DVALID_SrcB_Disable>(disabled_ >> 1);
        return;
      case 2:
        bench_.run<op::SETRWC>({{"clear_ab_vld", mask}});
        return clear(mask);
      case 3:
        bench_.run<op::ZEROACC>({{"clear_mode", 2}, {"clear_dvalid", mask}});
        return clear(mask);
      case 4:
        return clear_data_valid(mask);
      default:
        return arithmetic(mask);
    }
  }
  void check(u32 step) const {
    for (u32 i = 0; i < 2; ++i)
      model_[i].expect(i == 0 ? bench_.fpu().src_a : bench_.fpu().src_b, step);
  }
  u32 stalls() const { return stalls_; }

 private:
  void hand_over() {
    const u32 i = random_.below(2);
    SrcFile& file = i == 0 ? bench_.fpu().src_a : bench_.fpu().src_b;
    const u8 format = static_cast<u8>(random_.one_in(2) ? kBf16 : kTf32);
    file.hand_to_matrix(format);
    model_[i].format[model_[i].unpack] = format;
    model_[i].hand_over();
  }
  void clear(u32 mask) {
    for (u32 i = 0; i < 2; ++i)
      if ((mask >> i & 1) != 0) model_[i].clear((disabled_ >> i & 1) != 0);
  }
  /// The disable bits do not matter to this one.
  void clear_data_valid(u32 mask) {
    const u32 reset = random_.one_in(8) ? 1 : random_.below(2) * 2;
    bench_.run<op::CLEARDVALID>({{"cleardvalid", mask}, {"reset", reset}});
    for (u32 i = 0; i < 2; ++i) {
      BankModel& model = model_[i];
      if (reset == 1) {
        model.valid[0] = model.valid[1] = false;
        model.unpack = model.matrix = 0;
        model.format[0] = model.format[1] = 0;
      } else if ((mask >> i & 1) != 0) {
        model.valid[model.matrix] = false;
        if (reset == 0) model.matrix ^= 1;
      }
    }
  }
  void arithmetic(u32 mask) {
    const u32 words[] = {encode<op::MVMUL>({{"clear_dvalid", mask}}),
                         encode<op::ELWADD>({{"clear_dvalid", mask}}),
                         encode<op::ELWSUB>({{"clear_dvalid", mask}}),
                         encode<op::ELWMUL>({{"clear_dvalid", mask}}),
                         encode<op::DOTPV>({{"clear_dvalid", mask}}),
                         encode<op::GAPOOL>({{"clear_dvalid", mask}}),
                         encode<op::GMPOOL>({{"clear_dvalid", mask}, {"instr_mod19", 1}}),
                         encode<op::CONV3S1>({{"clear_dvalid", mask}}),
                         encode<op::MPOOL3S1>({{"clear_dvalid", mask}})};
    const bool ready = model_[0].valid[model_[0].matrix] && model_[1].valid[model_[1].matrix];
    const Completion completion = bench_.run(words[random_.below(std::size(words))]);
    ASSERT_EQ(completion, ready ? Completion::Done : Completion::Stall);
    if (ready)
      clear(mask);
    else
      ++stalls_;
  }

  mutable UnitBench bench_;
  BankModel model_[2];
  Random random_;
  u32 disabled_ = 0;
  u32 stalls_ = 0;
};

TEST(FpuRegisterFiles, banks_change_hands_as_the_data_valid_protocol_says) {
  constexpr u32 kSteps = 5000;
  BankWalk walk;
  for (u32 i = 0; i < kSteps; ++i) {
    walk.step();
    walk.check(i);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(walk.stalls(), 100u);
}

// --- Counters.

struct CounterModel {
  u32 now = 0;
  u32 copy = 0;

  void set(u32 both, u32 size) { now = copy = both % size; }
  void step(u32 by, bool clear, bool to_copy, bool return_to_copy, u32 size) {
    if (clear)
      set(0, size);
    else if (to_copy)
      set(now + by, size);
    else if (return_to_copy)
      set(copy + by, size);
    else
      now = (now + by) % size;
  }
};

struct RwcModel {
  CounterModel a, b, dst;
  u32 phase = 0;

  void address_mode(u32 ab, u32 d) {
    const auto bit = [](u32 word, u32 i) { return (word >> i & 1) != 0; };
    a.step(ab % 64, bit(ab, 7), false, bit(ab, 6), 64);
    b.step(ab / 256 % 64, bit(ab, 15), false, bit(ab, 14), 64);
    dst.step(d % 1024, bit(d, 11), bit(d, 12), bit(d, 10), 1024);
    phase = bit(d, 15) ? 0 : (phase + d / 8192 % 4) % 4;
  }
  void expect(const Rwc& rwc, u32 step) const {
    ASSERT_EQ(rwc.src_a, a.now) << step;
    ASSERT_EQ(rwc.src_a_cr, a.copy) << step;
    ASSERT_EQ(rwc.src_b, b.now) << step;
    ASSERT_EQ(rwc.src_b_cr, b.copy) << step;
    ASSERT_EQ(rwc.dst, dst.now) << step;
    ASSERT_EQ(rwc.dst_cr, dst.copy) << step;
    ASSERT_EQ(rwc.fidelity, phase) << step;
  }
};

TEST(FpuRegisterFiles, counters_walk_as_the_documents_say) {
  UnitBench bench;
  Random random;
  RwcModel model;
  for (u32 i = 0; i < 20'000; ++i) {
    const u32 a = random.below(16), b = random.below(16), d = random.below(16);
    const u32 cr = random.below(16), mask = random.below(16);
    if (random.one_in(3)) {
      bench.run<op::SETRWC>(
          {{"rwc_a", a}, {"rwc_b", b}, {"rwc_d", d}, {"rwc_cr", cr}, {"bit_mask", mask}});
      if ((mask & 1) != 0) model.a.set(a + ((cr & 1) != 0 ? model.a.copy : 0), 64);
      if ((mask & 2) != 0) model.b.set(b + ((cr & 2) != 0 ? model.b.copy : 0), 64);
      if ((cr & 8) != 0)
        model.dst.set(d + model.dst.now, 1024);
      else if ((mask & 4) != 0)
        model.dst.set(d + ((cr & 4) != 0 ? model.dst.copy : 0), 1024);
      if ((mask & 8) != 0) model.phase = 0;
    } else if (random.one_in(2)) {
      bench.run<op::INCRWC>({{"rwc_a", a}, {"rwc_b", b}, {"rwc_d", d}, {"rwc_cr", cr & 7}});
      model.a.step(a, false, false, (cr & 1) != 0, 64);
      model.b.step(b, false, false, (cr & 2) != 0, 64);
      model.dst.step(d, false, false, (cr & 4) != 0, 1024);
    } else {
      const u32 section = random.below(8);
      const u32 ab = random.below(0x10000), dst = random.below(0x10000);
      bench.set_addr_mod(section, ab, dst);
      bench.run<op::ZEROACC>({{"clear_mode", 1}, {"where", 0xFF}, {"addr_mode", section}});
      model.address_mode(ab, dst);
    }
    model.expect(bench.rwc(), i);
    if (HasFatalFailure()) return;
  }
}

// --- Rows of Dst.

TEST(FpuRegisterFiles, rows_512_and_up_of_the_32_bit_view_are_those_from_256_on) {
  UnitBench bench;
  for (u32 k = 0; k < 512; ++k) {
    bench.dst().write32(512 + k, k % 16, 0xABCD0000 + k);
    EXPECT_EQ(bench.dst().read32(256 + k % 256, k % 16), 0xABCD0000 + k);
  }
}

/// Runs a word on an empty Dst that held threes, and says what column 0 of row 0 holds then.
u32 result_on_invalid_row(u32 word, bool sources_are_one, bool fp32 = true) {
  UnitBench bench;
  bench.set_source_formats(kBf16, kBf16);
  bench.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(fp32);
  for (u32 row = 0; row < 8; ++row) bench.dst().write32(row, 0, numeric::dst_from_fp32(0x40400000));
  for (SrcRow& row : bench.fpu().src_a.bank[0])
    row.datum.fill(sources_are_one ? 0x3F800000 : 0xBF800000);
  for (SrcRow& row : bench.fpu().src_b.bank[0]) row.datum.fill(0x3F800000);
  bench.run<op::ZEROACC>({{"clear_mode", 3}});
  EXPECT_EQ(bench.run(word), Completion::Done);
  EXPECT_TRUE(bench.dst().valid32(0));
  return numeric::fp32_from_dst(bench.dst().read32(0, 0));
}

TEST(FpuRegisterFiles, an_invalid_row_is_zero_to_what_adds_and_minus_infinity_to_what_compares) {
  constexpr u32 kSixteen = 0x41800000, kTwo = 0x40000000, kOne = 0x3F800000;
  EXPECT_EQ(result_on_invalid_row(encode<op::MVMUL>(), true), kSixteen);
  EXPECT_EQ(result_on_invalid_row(encode<op::MVMUL>({{"instr_mod19", 1}}), true), kSixteen);
  EXPECT_EQ(result_on_invalid_row(encode<op::DOTPV>(), true), kSixteen);
  EXPECT_EQ(result_on_invalid_row(encode<op::GAPOOL>(), true), kSixteen);
  EXPECT_EQ(result_on_invalid_row(encode<op::ELWADD>({{"dest_accum_en", 1}}), true), kTwo);
  EXPECT_EQ(result_on_invalid_row(encode<op::ELWSUB>({{"dest_accum_en", 1}}), true), 0u);
  EXPECT_EQ(result_on_invalid_row(encode<op::ELWMUL>(), true), kOne);
  EXPECT_EQ(result_on_invalid_row(encode<op::CONV3S1>(), true), 0u);
  EXPECT_EQ(result_on_invalid_row(encode<op::GMPOOL>({{"instr_mod19", 1}}), false), 0xBF800000);
  EXPECT_EQ(result_on_invalid_row(encode<op::MPOOL3S1>(), false), 0u);
  // The low half is written, the high one becomes zero.
  const u32 one = numeric::dst_from_bf16(0x3F80);
  for (const u32 word : {encode<op::MOVA2D>({{"instr_mod", 2}, {"dest_32b_lo", 1}}),
                         encode<op::MOVB2D>({{"movb2d_instr_mod", 2}, {"dest_32b_lo", 1}})})
    EXPECT_EQ(result_on_invalid_row(word, true, false), one);
}

TEST(FpuRegisterFiles, moves_from_an_invalid_row_give_zeros) {
  for (const u32 word :
       {encode<op::MOVD2A>({{"instr_mod", 2}}), encode<op::MOVD2B>({{"instr_mod", 2}})}) {
    UnitBench bench;
    bench.set_source_formats(kBf16, kBf16);
    bench.dst().write16(1, 0, 0x007F);
    bench.run<op::ZEROACC>({{"clear_mode", 0}, {"where", 1}});
    for (SrcFile* file : {&bench.fpu().src_a, &bench.fpu().src_b})
      for (SrcRow& row : file->bank[0]) row.datum.fill(0x3F800000);
    bench.run(word);
    const SrcFile& file =
        opcode_of(word) == op::MOVD2A::kOpcode ? bench.fpu().src_a : bench.fpu().src_b;
    for (u32 j = 0; j < 16; ++j) EXPECT_EQ(file.bank[0][1].datum[j], 0u);
    EXPECT_FALSE(bench.dst().valid16(1));
  }
}

TEST(FpuRegisterFiles, shiftxa_reads_the_block_that_the_latest_instruction_had_in_srca) {
  struct Case {
    u32 word;
    u32 block;
  };
  // SrcA's counter is 32; fields of the instruction move on from there.
  for (const Case& one :
       {Case{encode<op::MVMUL>(), 2}, Case{encode<op::MOVA2D>({{"src", 16}}), 3},
        Case{encode<op::MOVD2A>({{"src", 16}}), 3}, Case{encode<op::MOVD2B>({{"src", 16}}), 2},
        Case{encode<op::MOVB2A>({{"srca", 16}}), 3}, Case{encode<op::MOVB2D>(), 2},
        Case{encode<op::CONV3S1>(), 2}, Case{encode<op::GMPOOL>({{"instr_mod19", 1}}), 2}}) {
    UnitBench bench;
    bench.set_source_formats(kBf16, kBf16);
    bench.rwc().src_a = 32;
    bench.run(one.word);
    auto& rows = bench.fpu().src_a.bank[0];
    for (u32 row = 0; row < 64; ++row) rows[row].datum.fill((row / 16 + 1) << 23);
    bench.run<op::SHIFTXA>({{"shift_mode", 3}});
    EXPECT_EQ(rows[0].datum[0], (one.block + 1) << 23) << info_of_word(one.word).name;
    EXPECT_EQ(rows[0].datum[15], 0u);
  }
}

}  // namespace
}  // namespace bhemu::tensix
