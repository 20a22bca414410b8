// Runs of instructions of the vector unit that are executed together, against the same one by one:
// cycle for cycle the words leave the gate alone. And against the model of a lane.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <random>

#include "support/rounds.hpp"
#include "tensix/dst/dst_access.hpp"
#include "tensix/pair.hpp"
#include "tensix/sfpu/vector.hpp"
#include "tensix/sfpu_lane_model.hpp"

namespace bhemu::tensix {
namespace {

constexpr unsigned kThread = 1;

/// Whatever the vector unit does but SFPLOADMACRO.
constexpr u8 kOpcodes[] = {
    op::SFPLOAD::kOpcode,   op::SFPLOAD::kOpcode,    op::SFPLOADI::kOpcode,
    op::SFPSTORE::kOpcode,  op::SFPSTORE::kOpcode,   op::SFPLUT::kOpcode,
    op::SFPMULI::kOpcode,   op::SFPADDI::kOpcode,    op::SFPDIVP2::kOpcode,
    op::SFPEXEXP::kOpcode,  op::SFPEXMAN::kOpcode,   op::SFPIADD::kOpcode,
    op::SFPSHFT::kOpcode,   op::SFPSETCC::kOpcode,   op::SFPMOV::kOpcode,
    op::SFPABS::kOpcode,    op::SFPAND::kOpcode,     op::SFPOR::kOpcode,
    op::SFPNOT::kOpcode,    op::SFPLZ::kOpcode,      op::SFPSETEXP::kOpcode,
    op::SFPSETMAN::kOpcode, op::SFPMAD::kOpcode,     op::SFPADD::kOpcode,
    op::SFPMUL::kOpcode,    op::SFPPUSHC::kOpcode,   op::SFPPOPC::kOpcode,
    op::SFPSETSGN::kOpcode, op::SFPENCC::kOpcode,    op::SFPCOMPC::kOpcode,
    op::SFPTRANSP::kOpcode, op::SFPXOR::kOpcode,     op::SFP_STOCH_RND::kOpcode,
    op::SFPNOP::kOpcode,    op::SFPCAST::kOpcode,    op::SFPSWAP::kOpcode,
    op::SFPSHFT2::kOpcode,  op::SFPLUTFP32::kOpcode, op::SFPLE::kOpcode,
    op::SFPGT::kOpcode,     op::SFPMUL24::kOpcode,   op::SFPARECIP::kOpcode,
    op::SFPMAD::kOpcode,    op::SFPCONFIG::kOpcode};

class Random {
 public:
  u32 any() { return static_cast<u32>(random_()); }
  bool once_in(u32 n) { return any() % n == 0; }

  u32 number() {
    constexpr u32 kSpecial[] = {0,          0x80000000, 1,          0x00800000, 0x3F800000,
                                0xBF800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
                                0xFFC00001, 0xFFFFFFFF, 0x807FFFFF, 0x7FFFFFFF};
    switch (any() % 6) {
      case 0:
        return kSpecial[any() % std::size(kSpecial)];
      case 1:
        return any();
      case 2:
        return any() % 64 - 32;
      case 3:
        return any() & 0xBFFF0000;
      default:
        return (any() & 0x807FFFFF) | (110 + any() % 36) << 23;
    }
  }

  u32 word() {
    const u8 opcode = kOpcodes[any() % std::size(kOpcodes)];
    u32 result = u32{opcode} << 24 | (any() & 0xFFFFFF);
    const bool high = opcode <= op::SFPLUT::kOpcode && opcode >= op::SFPLOAD::kOpcode;
    // Mostly registers that can be written.
    if (!once_in(12)) result = with_bits(result, high ? 20 : 4, 4, any() % 8);
    if (opcode == op::SFPCONFIG::kOpcode) {
      // LaneConfig, with or without what makes loads and stores special.
      result = with_bits(result, 8, 16, once_in(2) ? 2 : any() & 0xFFFF);
      return with_bits(with_bits(result, 4, 4, 15), 0, 4, 1);
    }
    if (high && opcode != op::SFPLUT::kOpcode) {
      // Rows near each other, in all formats.
      constexpr u32 kFormats[] = {0, 1, 2, 2, 3, 3, 4, 4, 5, 6, 8, 12};
      const u32 mode = kFormats[any() % std::size(kFormats)];
      if (opcode != op::SFPLOADI::kOpcode) {
        result = with_bits(result, 16, 4, mode);
        result = with_bits(result, 0, 10, (any() % 64) & ~1u);
      } else {
        constexpr u32 kModes[] = {0, 1, 2, 4, 8, 10};
        result = with_bits(result, 16, 4, kModes[any() % std::size(kModes)]);
      }
    }
    const bool multiplies = opcode >= op::SFPMAD::kOpcode && opcode <= op::SFPMUL::kOpcode;
    // Without indirection, most of the time.
    if ((multiplies || opcode == op::SFPADDI::kOpcode || opcode == op::SFPMULI::kOpcode) &&
        !once_in(8))
      result = with_bits(result, 2, 2, 0);
    if (opcode == op::SFPSHFT2::kOpcode) result = with_bits(result, 0, 4, any() % 7);
    return result;
  }

  void fill(State& state) {
    SfpuState& sfpu = state.sfpu;
    for (u32 r = 0; r < 8; ++r)
      for (u32& lane : sfpu.lreg[r].lane) lane = number();
    for (u32& lane : sfpu.prng) lane = any();
    if (once_in(2)) sfpu.condition = {any() | any(), any() | any()};
    if (once_in(8)) {
      for (u32& column : sfpu.lane_config) column = any() & (once_in(2) ? 0xF002 : 0x3FFFF);
      sfpu::follow_lane_config(sfpu);
    }
    for (DstRow& row : state.fpu.dst.row)
      for (u16& datum : row.datum) datum = static_cast<u16>(number() >> (any() % 17));
    if (once_in(4))
      for (u32 i = 0; i < 128; ++i) state.fpu.dst.valid[i] = !once_in(16);
    for (ConfigWords& words : state.cfg.bank) {
      words[cfg::DEST_ACCESS_CFG_swizzle_32b::kWord] = 0;
      cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled::set(words, 0);
    }
    const bool swizzle = once_in(4);
    const bool remap = once_in(4);
    const bool fp32 = once_in(3);
    for (ConfigWords& words : state.cfg.bank) {
      cfg::DEST_ACCESS_CFG_swizzle_32b::set(words, swizzle);
      cfg::DEST_ACCESS_CFG_remap_addrs::set(words, remap);
      cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled::set(words, fp32);
    }
    state.cfg.debug_feature_disable = once_in(8) ? 1u << 11 : 0;
    ThreadConfigWords& words = state.cfg.thread[kThread];
    for (u32 mode = 0; mode < 8; ++mode) {
      const u32 step = mode < 3 ? 0 : any() & 0x1FFF;
      words[thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + mode] = static_cast<u16>(step);
      words[thread_cfg::ADDR_MOD_BIAS_SEC0_BiasIncr::kWord + mode] = once_in(64) ? 1 : 0;
    }
    state.fpu.rwc[kThread].dst = static_cast<u16>(any() & 0x3FE);
  }

 private:
  std::mt19937_64 random_{bhemu::test::seed(4096)};
};

using test::LaneModel;
using test::LaneState;
using test::Pair;

class SfpuBlock : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  /// A state at random, the same in both.
  void fill(Pair& pair) {
    Random copy = random_;
    random_.fill(pair.together.state());
    copy.fill(pair.alone.state());
  }

  Random random_;
};

std::string listing(const std::vector<u32>& words) {
  std::string text;
  for (const u32 word : words) text += std::string(kInfo[opcode_of(word)].name) + " ";
  return text;
}

TEST_P(SfpuBlock, playback_does_what_its_words_do_one_by_one) {
  const u64 rounds = bhemu::test::rounds(300);
  for (u64 round = 0; round < rounds; ++round) {
    Pair pair;
    fill(pair);
    std::vector<u32> words(1 + random_.any() % kReplaySlots);
    for (u32& word : words) word = random_.word();
    const u32 start = random_.any() % kReplaySlots;
    const u32 length = static_cast<u32>(words.size());
    pair.both([&](test::Harness& harness) {
      Frontend& frontend = harness.state().frontend[kThread];
      for (u32 i = 0; i < length; ++i) frontend.replay[(start + i) % kReplaySlots] = words[i];
      const u32 play = encode<op::REPLAY>({{"start_idx", start}, {"len", length}});
      harness.push(kThread, {play, words[0], play});
    });
    for (u32 i = 0; i < 6; ++i) pair.run(1 + random_.any() % 40);
    ASSERT_TRUE(pair.same()) << "round " << round << ": " << listing(words);
  }
}

TEST_P(SfpuBlock, queue_and_mop_do_what_their_words_do_one_by_one) {
  const u64 rounds = bhemu::test::rounds(200);
  for (u64 round = 0; round < rounds; ++round) {
    Pair pair;
    fill(pair);
    std::vector<u32> words(9);
    for (u32& word : words) word = random_.word();
    const bool one_word = random_.once_in(2);
    const u32 inner = 1 + random_.any() % 12;
    std::array<u32, 10> late{};
    if (random_.once_in(2))
      for (u32& cycles : late) cycles = random_.any() % 4;
    const u32 others[] = {random_.any() % 3, 0, random_.any() % 8};
    const u32 watched = random_.once_in(2) ? random_.any() % (1u << kResources) : 0;
    pair.both([&](test::Harness& harness) {
      auto& config = harness.state().frontend[kThread].mop_config;
      config = {2, inner, words[0], words[1], words[2], words[3], words[4], words[5], words[6]};
      if (one_word) config[6] = test::nop();
      harness.wakeup.watched = watched;
      // Windows of other threads, which somebody may wait for, end while this one goes on.
      for (const unsigned other : {0, 2})
        for (u32 i = 0; i < others[other]; ++i)
          harness.push(other, i % 2 == 0 ? encode<op::INCRWC>() : test::nop());
      // Some words come later than they could be taken.
      Cycle at = harness.now - 1;
      for (u32 i = 0; i < 9; ++i, at += late[i]) {
        const u32 mop = encode<op::MOP>({{"mop_type", 1}});
        harness.coprocessor.push(kThread, i == 4 ? mop : words[(i + 4) % 9], at);
      }
    });
    for (u32 i = 0; i < 4; ++i) pair.run(1 + random_.any() % 40);
    ASSERT_TRUE(pair.same()) << "round " << round << ": " << listing(words);
    ASSERT_EQ(pair.together.woken, pair.alone.woken);
  }
}

/// Registers and flags only: what the model of a lane knows.
TEST_P(SfpuBlock, playback_does_what_the_model_of_a_lane_does) {
  const u64 rounds = bhemu::test::rounds(150);
  for (u64 round = 0; round < rounds; ++round) {
    Pair pair;
    fill(pair);
    test::Harness& harness = pair.together;
    SfpuState& sfpu = harness.state().sfpu;
    sfpu.lane_config = {};
    sfpu::follow_lane_config(sfpu);
    std::vector<LaneState> lanes(kLanes);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      for (u32 r = 0; r < 16; ++r) lanes[lane].reg[r] = sfpu.lreg[r][lane];
      lanes[lane].use_flag = bit(sfpu.condition.use_lane_flags, lane);
      lanes[lane].flag = bit(sfpu.condition.lane_flags, lane);
      lanes[lane].random = sfpu.prng[lane];
    }
    std::vector<u32> words;
    while (words.size() < 24) {
      u32 word = random_.word();
      const u8 opcode = opcode_of(word);
      const bool high = opcode == op::SFPLUT::kOpcode || opcode == op::SFPLOADI::kOpcode;
      const bool flags_only = opcode == op::SFPLE::kOpcode || opcode == op::SFPGT::kOpcode;
      if (opcode == op::SFPMOV::kOpcode) word = with_bits(word, 0, 4, random_.any() % 2);
      if (flags_only) word = with_bits(word, 1, 1, 0);
      // The model wants modes that exist.
      if (opcode == op::SFPCAST::kOpcode || opcode == op::SFPARECIP::kOpcode ||
          opcode == op::SFP_STOCH_RND::kOpcode || opcode == op::SFPCONFIG::kOpcode)
        continue;
      if (bits(word, high ? 20 : 4, 4) >= 8) continue;
      if (!LaneModel(LaneState{}).execute(word)) continue;
      for (LaneState& lane : lanes) {
        if (lane.use_flag && !lane.flag) continue;
        LaneModel model(lane);
        model.execute(word);
        lane = model.state();
      }
      words.push_back(word);
    }
    for (u32 i = 0; i < words.size(); ++i) harness.state().frontend[kThread].replay[i] = words[i];
    harness.push(kThread, encode<op::REPLAY>({{"start_idx", 0}, {"len", 24}}));
    harness.run(40);
    ASSERT_TRUE(harness.faults.faults().empty()) << listing(words);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      for (u32 r = 0; r < 8; ++r)
        ASSERT_EQ(sfpu.lreg[r][lane], lanes[lane].reg[r]) << listing(words) << " L" << r;
      ASSERT_EQ(bit(sfpu.condition.lane_flags, lane), lanes[lane].flag) << listing(words);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, SfpuBlock, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& info) { return hwy::TargetName(info.param); });

}  // namespace
}  // namespace bhemu::tensix
