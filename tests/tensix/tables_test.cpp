// The tables themselves: isa.def and config.def.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "tensix/config.hpp"
#include "tensix/context.hpp"
#include "tensix/disasm.hpp"
#include "tensix/isa.hpp"
#include "tensix/timing.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 mask_of(const FieldInfo& field) {
  return with_bits(0, field.low, field.width, ~0u);
}

TEST(Tables, every_instruction_of_blackhole_has_one_row) {
  unsigned rows = 0;
  std::set<std::string> names;
  for (u32 opcode = 0; opcode < 256; ++opcode) {
    const Info& info = kInfo[opcode];
    if (info.name == nullptr) continue;
    ++rows;
    EXPECT_EQ(info.opcode, opcode);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(find_instruction(info.name), &info);
  }
  // assembly.yaml of tt_llk_blackhole lists 137 mnemonics.
  EXPECT_EQ(rows, 137u);
  EXPECT_EQ(find_instruction("SFPNOSUCH"), nullptr);
}

TEST(Tables, fields_of_a_row_do_not_overlap_and_stay_below_the_opcode) {
  for (const Info& info : kInfo) {
    u32 used = 0;
    for (unsigned i = 0; i < info.fields_used; ++i) {
      const u32 mask = mask_of(info.fields[i]);
      EXPECT_EQ(used & mask, 0u) << info.name << "." << info.fields[i].name;
      EXPECT_EQ(mask & 0xFF000000u, 0u) << info.name << "." << info.fields[i].name;
      EXPECT_GT(info.fields[i].width, 0) << info.name << "." << info.fields[i].name;
      used |= mask;
    }
  }
}

TEST(Tables, fields_encoded_one_by_one_decode_to_the_same_values) {
  std::mt19937 random(1);
  for (const Info& info : kInfo) {
    if (info.name == nullptr) continue;
    for (int round = 0; round < 50; ++round) {
      u32 word = u32{info.opcode} << 24;
      std::vector<u32> values;
      for (unsigned i = 0; i < info.fields_used; ++i) {
        const FieldInfo& field = info.fields[i];
        values.push_back(bits(random(), 0, field.width));
        word |= encode_fields(info, {{field.name, values.back()}});
      }
      EXPECT_EQ(opcode_of(word), info.opcode);
      for (unsigned i = 0; i < info.fields_used; ++i)
        EXPECT_EQ(bits(word, info.fields[i].low, info.fields[i].width), values[i]) << info.name;
    }
  }
}

TEST(Tables, every_row_is_executed_or_raises_the_rule_that_says_what_is_missing) {
  unsigned rows = 0;
  std::string undocumented;
  for (u32 opcode = 0; opcode < 256; ++opcode) {
    ASSERT_NE(kDecoded[opcode].execute, nullptr);
    if (kInfo[opcode].name == nullptr) continue;
    ++rows;
    if (!kInfo[opcode].implemented) undocumented += std::string(" ") + kInfo[opcode].name;
  }
  EXPECT_EQ(rows, 137u);
  EXPECT_EQ(undocumented, " SETASHRMH0 SETASHRMH1 SETASHRMV SETPKEDGOF SETASHRMH RSTDMA");
  // The rows of this part are all there.
  for (const char* name :
       {"NOP",       "STALLWAIT", "SEMWAIT",      "STREAMWAIT",  "SEMINIT",     "SEMPOST",
        "SEMGET",    "ATGETM",    "ATRELM",       "WRCFG",       "RDCFG",       "SETC16",
        "RMWCIB0",   "RMWCIB3",   "CFGSHIFTMASK", "STREAMWRCFG", "SETDMAREG",   "ADDDMAREG",
        "SUBDMAREG", "MULDMAREG", "BITWOPDMAREG", "SHIFTDMAREG", "CMPDMAREG",   "LOADIND",
        "STOREIND",  "LOADREG",   "STOREREG",     "ATINCGET",    "ATINCGETPTR", "ATSWAP",
        "ATCAS",     "REG2FLOP",  "FLUSHDMA",     "DMANOP",      "XMOV",        "SETADC",
        "SETADCXX",  "SETADCXY",  "SETADCZW",     "INCADCXY",    "INCADCZW",    "ADDRCRXY",
        "ADDRCRZW"})
    EXPECT_TRUE(find_instruction(name)->implemented) << name;
}

TEST(Tables, every_instruction_has_a_timing_whose_figures_are_in_order) {
  for (const Info& info : kInfo) {
    if (info.name == nullptr) continue;
    const TimingRow& row = kTimingRows[info.opcode];
    ASSERT_NE(row.name, nullptr) << info.name;
    EXPECT_STREQ(row.name, info.name);
    for (const TimingRange& range : {row.latency, row.occupancy, row.per_kib})
      EXPECT_TRUE(range.in_order()) << info.name;
    EXPECT_GE(row.latency.minimum, 1u) << info.name;
    EXPECT_GE(row.occupancy.minimum, 1u) << info.name;
    EXPECT_LE(row.occupancy.typical, row.latency.typical) << info.name;
    EXPECT_STRNE(row.source, "") << info.name;
    // Only units that are given time to move data take more of it for more data.
    const bool moves =
        info.unit == Unit::Unpack || info.unit == Unit::Pack || info.unit == Unit::Xmov;
    EXPECT_TRUE(moves || row.per_kib.maximum == 0) << info.name;
    EXPECT_TRUE(moves || row.effect != EffectPoint::Pieces) << info.name;
  }
}

// Words as they stand in listings of real Blackhole kernels and in the specification's own examples
// (stallwait-conditions "Annotated Disassembly Examples", gpr-and-dma "Examples",
// mop-and-replay "Assembly Encoding", semaphores, encoded by .ttinsn: rotated left by two).
TEST(Tables, words_of_real_listings_re_encode) {
  const auto rotate_right_2 = [](u32 word) { return word >> 2 | word << 30; };
  EXPECT_EQ(encode<op::MOP>({{"mop_type", 1}}), rotate_right_2(0x06000000));
  EXPECT_EQ(encode<op::REPLAY>({{"start_idx", 16}, {"len", 16}, {"load_mode", 1}}),
            rotate_right_2(0x10100404));
  EXPECT_EQ(encode<op::REPLAY>({{"len", 5}, {"execute_while_loading", 1}, {"load_mode", 1}}),
            rotate_right_2(0x1000014C));
  EXPECT_EQ(encode<op::REPLAY>({{"len", 5}}), rotate_right_2(0x10000140));
  // ttstallwait 128, 1 and 2, 2064; the listing's operand is the word without its opcode.
  EXPECT_EQ(encode<op::STALLWAIT>({{"stall_res", 128}, {"wait_res", 1}}), 0xA2400001u);
  EXPECT_EQ(encode<op::STALLWAIT>({{"stall_res", 2}, {"wait_res", 2064}}), 0xA2010810u);
  // ttsemwait 322, 2, 2 and 1, 2, 1.
  EXPECT_EQ(encode<op::SEMWAIT>({{"stall_res", 322}, {"sem_sel", 2}, {"wait_sem_cond", 2}}),
            0xA6A1000Au);
  EXPECT_EQ(encode<op::SEMWAIT>({{"stall_res", 1}, {"sem_sel", 2}, {"wait_sem_cond", 1}}),
            rotate_right_2(0x98020026));
  EXPECT_EQ(encode<op::SEMINIT>({{"sem_sel", 2}, {"max_value", 2}}), rotate_right_2(0x8C800022));
  EXPECT_EQ(encode<op::SEMPOST>({{"sem_sel", 2}}), rotate_right_2(0x90000022));
  EXPECT_EQ(encode<op::SEMGET>({{"sem_sel", 2}}), rotate_right_2(0x94000022));
  // The firmware's own SEMINIT: 0xA3100000 | 1 << (semaphore + 2).
  EXPECT_EQ(encode<op::SEMINIT>({{"sem_sel", 1u << 7}, {"max_value", 1}}), 0xA3100000u | 1u << 9);
  // SETDMAREG(0, 0x0002, 0, HI_16(28)) built by lui + addi, WRCFG 0x1c000c.
  EXPECT_EQ(encode<op::SETDMAREG>({{"payload_sig_sel", 2}, {"reg_index_16b", 57}}), 0x45000239u);
  EXPECT_EQ(encode<op::WRCFG>({{"gpr_address", 28}, {"cfg_reg", 12}}), 0xB01C000Cu);
  EXPECT_EQ(encode<op::SETC16>({{"setc16_reg", 41}, {"setc16_value", 0x104}}), 0xB2290104u);
  EXPECT_EQ(encode<op::RMWCIB2>({{"mask", 0x1E}, {"data", 0x0A}, {"cfg_reg_addr", 1}}),
            0xB51E0A01u);
  EXPECT_EQ(encode<op::ATGETM>(), 0xA0000000u);
}

TEST(Tables, disassembly_names_every_field_and_shows_stray_bits) {
  EXPECT_EQ(disassemble(0xA4000008), "SEMPOST sem_sel=2");
  EXPECT_EQ(disassemble(0x02000000), "NOP");
  EXPECT_EQ(disassemble(0x02000010), "NOP +0x10");
  EXPECT_EQ(disassemble(0xFF000001), ".word 0xff000001");
  EXPECT_EQ(disassemble(0xA2400001), "STALLWAIT wait_res=1, stall_res=0x80");
}

TEST(Tables, configuration_fields_do_not_overlap_and_lie_inside_the_space) {
  const auto check = [](const auto& fields, u32 words, u32 word_width) {
    std::map<u32, u32> used;
    std::set<std::string> names;
    for (const ConfigFieldInfo& field : fields) {
      EXPECT_LT(field.word, words) << field.name;
      EXPECT_LE(field.low + field.width, word_width) << field.name;
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
      const u32 mask = with_bits(0, field.low, field.width, ~0u);
      EXPECT_EQ(used[field.word] & mask, 0u) << field.name;
      used[field.word] |= mask;
    }
  };
  check(kConfigFields, kConfigWords, 32);
  check(kThreadConfigFields, kThreadConfigWords, 16);
}

TEST(Tables, configuration_accessors_read_what_they_wrote_and_nothing_else) {
  ConfigWords words{};
  words.fill(0xFFFFFFFF);
  cfg::ALU_FORMAT_SPEC_REG2_Dstacc::set(words, 5);
  EXPECT_EQ(cfg::ALU_FORMAT_SPEC_REG2_Dstacc::get(words), 5u);
  EXPECT_EQ(words[1], 0xEBFFFFFFu);
  cfg::THCON_SEC0_REG3_Base_address::set(words, 0x1234, kThconSection);
  EXPECT_EQ(cfg::THCON_SEC1_REG3_Base_address::get(words), 0x1234u);
  ThreadConfigWords thread{};
  thread_cfg::STREAM_ID_SYNC_SEC0_BankSel::set(thread, 9, 2);
  EXPECT_EQ(thread_cfg::STREAM_ID_SYNC_SEC2_BankSel::get(thread), 9u);
}

}  // namespace
}  // namespace bhemu::tensix
