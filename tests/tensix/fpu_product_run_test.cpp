// Products that come one after the other, against the same one by one: cycle for cycle each takes
// its operands apart by itself.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>

#include "support/rounds.hpp"
#include "tensix/dst/dst_access.hpp"
#include "tensix/fpu/product_run.hpp"
#include "tensix/pair.hpp"

namespace bhemu::tensix {
namespace {

using test::Pair;

constexpr unsigned kThread = 1;
constexpr u32 kFp32 = 0, kFp16 = 1, kBf16 = 5, kTf32 = 4, kInt8 = 14;

class Random {
 public:
  u32 any() { return static_cast<u32>(random_()); }
  bool once_in(u32 n) { return any() % n == 0; }
  /// Rows that are added to all of Dst: nearly always a multiple of eight.
  u32 math_offset() { return any() % 8 * 64 + (once_in(6) ? any() % 8 : 0); }

  /// Products, and now and then something that changes sources, Dst, banks or counters.
  u32 word() {
    const u32 mode = any() % 8;
    if (!once_in(5))
      return encode<op::MVMUL>({{"addr_mode", mode},
                                {"dst", once_in(3) ? any() % 64 * 8 : 0},
                                {"clear_dvalid", once_in(24) ? 1 + any() % 3 : 0},
                                {"instr_mod19", once_in(32)}});
    switch (any() % 9) {
      case 0:
        return encode<op::ELWADD>({{"addr_mode", mode}, {"dest_accum_en", any() % 2}});
      case 1:
        return encode<op::MOVD2A>({{"instr_mod", 2}, {"src", any() % 8 * 8}});
      case 2:
        return encode<op::MOVD2B>({{"instr_mod", 2}, {"src", any() % 8 * 8}});
      case 3:
        return encode<op::MOVB2A>({{"instr_mod", 2}});
      case 4:
        return encode<op::TRNSPSRCB>({});
      case 5:
        return encode<op::SETRWC>({{"bit_mask", any() % 16}, {"rwc_d", any() % 16}});
      case 6:
        return encode<op::ZEROACC>({{"clear_mode", 1}, {"addr_mode", mode}});
      case 7:
        return encode<op::SFPLOAD>({{"lreg_ind", 1}, {"instr_mod0", 2}, {"sfpu_addr_mode", mode}});
      default:
        return encode<op::INCRWC>({{"rwc_d", 8}, {"rwc_b", any() % 16}});
    }
  }

  /// What another thread, or the same one, may do to sources, banks and configuration meanwhile.
  u32 word_between() {
    switch (any() % 16) {
      case 0:
        return encode<op::MOVD2A>({{"instr_mod", 2}, {"src", any() % 8 * 8}});
      case 1:
        return encode<op::TRNSPSRCB>({});
      case 2:
        return encode<op::ZEROSRC>({{"src_mask", any() % 4}, {"bank_mask", any() % 2}});
      case 3:
        return encode<op::CLEARDVALID>({{"cleardvalid", 1 + any() % 3}});
      case 4:
        return encode<op::SETDVALID>({{"setvalid", 1 + any() % 3}});
      case 5:
        return encode<op::UNPACR_NOP>({{"unpack_pop", 1},
                                       {"bank_clr_ctrl", any() % 2},
                                       {"set_dvalid", any() % 2},
                                       {"unpacker_select", any() % 2}});
      case 6: {  // the width of Dst
        const u32 other = any() % 2;
        return encode<op::RMWCIB3>({{"cfg_reg_addr", cfg::ALU_ACC_CTRL_Fp32_enabled::kWord},
                                    {"mask", 1u << 5},
                                    {"data", other << 5}});
      }
      case 7:
        return encode<op::SETC16>(
            {{"setc16_reg", thread_cfg::FIDELITY_BASE_Phase::kWord}, {"setc16_value", any() % 4}});
      case 8:
        return encode<op::SETC16>(
            {{"setc16_reg", thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset::kWord},
             {"setc16_value", math_offset()}});
      case 9:
        return encode<op::MVMUL>({{"addr_mode", any() % 8}});
      case 10:
        return encode<op::SEMPOST>({{"sem_sel", 1}});
      case 11:
        return encode<op::SETADCXX>({{"cnt_set_mask", 7}, {"x_end2", 15}});
      case 12:
        return encode<op::STALLWAIT>({{"stall_res", 0x1FF}, {"wait_res", 0x10}});
      case 13:
        return encode<op::SFPLOADI>({{"lreg_ind", 1}, {"imm16", any() % 65536}});
      default:
        return test::nop();
    }
  }

  void fill(State& state) {
    const u32 format = std::array{kBf16, kBf16, kTf32, kFp16, kFp32, kInt8}[any() % 6];
    const bool five_bit = format == kFp16 || format == kInt8;
    const bool extreme = once_in(6);
    for (SrcFile* file : {&state.fpu.src_a, &state.fpu.src_b}) {
      file->format.fill(static_cast<u8>(format));
      file->owner.fill(SrcOwner::Matrix);
      for (auto& bank : file->bank) {
        for (SrcRow& row : bank) {
          for (u32& datum : row.datum) {
            const u32 exponent = extreme    ? any() & 0xFF
                                 : five_bit ? 10 + any() % 8
                                            : 118 + any() % 18;
            datum = once_in(20) ? 0 : (any() & 0x807FE000) | exponent << 23;
          }
        }
      }
    }
    // Some rows hold numbers that are beyond what the usual form of products can hold.
    const bool far = once_in(3);
    for (DstRow& row : state.fpu.dst.row) {
      const u32 exponents = far && once_in(12) ? 0xFF : 0x0F;
      for (u16& datum : row.datum)
        datum = static_cast<u16>((any() & (0xFF00 | exponents)) | (0x60 & ~exponents));
    }
    if (once_in(3))
      for (u32 i = 0; i < 256; ++i) state.fpu.dst.valid[i] = !once_in(4);
    const bool fp32 = once_in(2);
    const bool swizzle = once_in(4);
    const bool remap = once_in(4);
    const bool keep = once_in(16);
    for (ConfigWords& words : state.cfg.bank) {
      cfg::ALU_ACC_CTRL_Fp32_enabled::set(words, fp32);
      cfg::ALU_ACC_CTRL_INT8_math_enabled::set(words, format == kInt8);
      cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src::set(words, keep);
      cfg::DEST_ACCESS_CFG_swizzle_32b::set(words, swizzle);
      cfg::DEST_ACCESS_CFG_remap_addrs::set(words, remap);
      cfg::DEST_REGW_BASE_Base::set(words, 0);
    }
    state.cfg.debug_feature_disable = once_in(8) ? 1u << 11 : 0;
    ThreadConfigWords& words = state.cfg.thread[kThread];
    for (u32 mode = 0; mode < 8; ++mode) {
      words[thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord + mode] =
          static_cast<u16>(once_in(3) ? 0 : any() & 0xF8F8);
      words[thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + mode] =
          static_cast<u16>(any() & (once_in(3) ? 0xFFF8 : 0x0008));
      words[thread_cfg::ADDR_MOD_BIAS_SEC0_BiasIncr::kWord + mode] =
          static_cast<u16>(once_in(24) ? any() & 0x1F : 0);
    }
    thread_cfg::FIDELITY_BASE_Phase::set(words, any() % 4);
    thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset::set(words, math_offset());
    Rwc& rwc = state.fpu.rwc[kThread];
    rwc.src_a = static_cast<u8>(any() % 64);
    rwc.src_b = static_cast<u8>(any() % 64);
  }

 private:
  std::mt19937_64 random_{bhemu::test::seed(777)};
};

class FpuProductRun : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  /// The same sources, Dst and configuration on both sides.
  void fill(Pair& pair) {
    Random copy = random_;
    random_.fill(pair.together.state());
    copy.fill(pair.alone.state());
  }
  /// `act`s so often on a fresh pair of which one is lent what is known of products, as a tile does
  /// it for many turns. Returns how many instructions were executed.
  template <class Act>
  u64 with_lent(u64 rounds, Act act) {
    u64 executed = 0;
    for (u64 round = 0; round < rounds; ++round) {
      fpu::ProductRun lent;
      Pair pair;
      pair.together.coprocessor.lend(&lent);
      fill(pair);
      act(pair);
      pair.run(64);
      pair.together.coprocessor.lend(nullptr);
      executed += pair.together.coprocessor.instructions_executed(kThread);
      if (pair.same()) continue;
      ADD_FAILURE() << "round " << round;
      break;
    }
    return executed;
  }
  Random random_;
};

TEST_P(FpuProductRun, playback_of_products_does_what_they_do_one_by_one) {
  const u64 rounds = bhemu::test::rounds(200);
  u64 executed = 0;
  for (u64 round = 0; round < rounds; ++round) {
    fpu::ProductRun lent;
    Pair pair;
    // Lent, as a tile does: what counters go through is kept from one playback to the next.
    if (!random_.once_in(3)) pair.together.coprocessor.lend(&lent);
    fill(pair);
    std::vector<u32> words(1 + random_.any() % kReplaySlots);
    for (u32& word : words) word = random_.word();
    const u32 length = static_cast<u32>(words.size());
    // Another thread may wait for the banks that products hand over.
    const u32 waiting = random_.once_in(2) ? random_.any() % 5 : 0;
    const Severity bias = random_.once_in(2) ? Severity::Error : Severity::Warn;
    pair.both([&](test::Harness& harness) {
      harness.policy.severity[static_cast<u32>(Rule::FpuAddrModBias)] = bias;
      for (u32 i = 0; i < waiting; ++i)
        harness.push(0, encode<op::UNPACR_NOP>(
                            {{"unpack_pop", 1}, {"set_dvalid", 1}, {"unpacker_select", i % 2}}));
      Frontend& frontend = harness.state().frontend[kThread];
      for (u32 i = 0; i < length; ++i) frontend.replay[i] = words[i];
      const u32 play = encode<op::REPLAY>({{"len", length}});
      frontend.mop_config = {2,    3,           test::nop(), test::nop(), test::nop(),
                             play, test::nop(), play,        play};
      harness.push(kThread, {play, encode<op::MOP>({{"mop_type", 1}})});
    });
    for (u32 i = 0; i < 6; ++i) pair.run(1 + random_.any() % 48);
    ASSERT_TRUE(pair.same()) << "round " << round;
    executed += pair.together.coprocessor.instructions_executed(kThread);
    pair.together.coprocessor.lend(nullptr);
  }
  EXPECT_GT(executed, rounds * 8) << "most of the time everything stands still";
}

TEST_P(FpuProductRun, what_other_threads_do_between_products_is_seen_by_the_next_one) {
  const u64 rounds = bhemu::test::rounds(400);
  u64 executed = 0;
  for (u64 round = 0; round < rounds; ++round) {
    Pair pair;
    fill(pair);
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      for (u32 i = 0; i < 24; ++i) {
        const bool product = thread == kThread && !random_.once_in(6);
        const u32 word = product ? encode<op::MVMUL>({{"addr_mode", random_.any() % 8}})
                                 : random_.word_between();
        pair.both([&](test::Harness& harness) { harness.push(thread, word); });
      }
    }
    for (u32 i = 0; i < 4; ++i) pair.run(1 + random_.any() % 32);
    ASSERT_TRUE(pair.same()) << "round " << round;
    executed += pair.together.coprocessor.instructions_executed(kThread);
  }
  EXPECT_GT(executed, rounds * 6) << "most of the time everything stands still";
}

/// Cores act between turns.
TEST_P(FpuProductRun, what_cores_and_the_host_do_between_turns_is_seen_by_the_next_product) {
  const u64 rounds = bhemu::test::rounds(300);
  const u64 executed = with_lent(rounds, [&](Pair& pair) {
    for (u32 i = 0; i < 10; ++i) {
      for (u32 j = 0; j < 3; ++j) {
        const u32 word = encode<op::MVMUL>({{"addr_mode", random_.any() % 8}});
        pair.both([&](test::Harness& harness) { harness.push(kThread, word); });
      }
      pair.run(1 + random_.any() % 8);
      const u32 kind = random_.any() % 8;
      const u32 value = random_.any();
      pair.both([&](test::Harness& harness) {
        Coprocessor& coprocessor = harness.coprocessor;
        const auto store = [&](u32 word, u32 what) {
          coprocessor.write_config(word, what, {Agent::Brisc, 0, 0});
        };
        if (kind == 0) store(cfg::ALU_ACC_CTRL_Fp32_enabled::kWord, value % 2 << 29);
        if (kind == 1) store(cfg::DEST_REGW_BASE_Base::kWord, value % 4 * 8);
        if (kind == 2) coprocessor.set_debug_feature_disable(value % 2 << 11);
        if (kind == 3) coprocessor.write_dst(kThread, value % 64 * 32, 2, value >> 16, {});
        if (kind == 4) harness.state().fpu.src_a.bank[value % 2][value / 2 % 64].datum.fill(0);
        if (kind == 5) harness.state().fpu.src_b.bank[value % 2][value / 2 % 64].datum.fill(0);
      });
    }
  });
  EXPECT_GT(executed, rounds * 10) << "most of the time everything stands still";
}

/// The same products again and again, from the same counters, while address modifiers, the rows
/// that are added to all of Dst and the phase change now and then, and turns end anywhere among
/// them.
TEST_P(FpuProductRun, products_that_are_gone_through_again_do_what_they_did_the_first_time) {
  const u64 rounds = bhemu::test::rounds(100);
  const u64 executed = with_lent(rounds, [&](Pair& pair) {
    const u32 length = 1 + random_.any() % kReplaySlots;
    std::vector<u32> words(length);
    const u32 within = random_.once_in(6) ? 8 : 1;  // of eight rows
    for (u32& word : words)
      word = encode<op::MVMUL>({{"addr_mode", random_.any() % 8},
                                {"dst", random_.any() % 8 * 8 + random_.any() % within}});
    pair.both([&](test::Harness& harness) {
      std::copy(words.begin(), words.end(), harness.state().frontend[kThread].replay.begin());
    });
    const u32 play = encode<op::REPLAY>({{"len", length}});
    const u32 restart = encode<op::SETRWC>({{"bit_mask", 15}});
    for (u32 i = 0; i < 12; ++i) {
      std::vector<u32> pushed{restart, play};
      const u32 section = random_.any() % 8;
      if (random_.once_in(4))
        pushed.push_back(encode<op::SETC16>(
            {{"setc16_reg", thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + section},
             {"setc16_value", random_.any() & 0xFFF8}}));
      if (random_.once_in(4))
        pushed.push_back(encode<op::SETC16>(
            {{"setc16_reg", thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord + section},
             {"setc16_value", random_.any() & 0xF8F8}}));
      if (random_.once_in(3)) pushed.push_back(random_.word_between());
      for (const u32 word : pushed) {
        // Products may wait for a bank for ever.
        if (!pair.together.coprocessor.can_push(kThread)) break;
        pair.both([&](test::Harness& harness) { harness.push(kThread, word); });
      }
      pair.run(1 + random_.any() % (2 * length + 4));
      if (random_.once_in(2)) pair.run(64);
    }
  });
  EXPECT_GT(executed, rounds * 50) << "most of the time everything stands still";
}

INSTANTIATE_TEST_SUITE_P(Hosts, FpuProductRun,
                         testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& info) { return hwy::TargetName(info.param); });

}  // namespace
}  // namespace bhemu::tensix
