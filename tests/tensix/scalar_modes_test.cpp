// Scalar unit and address counters: random words of every mode against models of the pages.
#include <gtest/gtest.h>

#include <random>

#include "harness.hpp"
#include "support/rounds.hpp"

namespace bhemu::tensix::test {
namespace {

/// A coprocessor whose counters hold random values, and their copy to which a model is applied.
class AdcModes : public testing::TestWithParam<const char*> {
 protected:
  u32 any() { return static_cast<u32>(random_()); }
  void fill() {
    for (auto& thread : harness_.state().adc.adc)
      for (Adc& adc : thread)
        for (AdcChannel& c : adc.channel)
          c = {any() & 0x3FFFF,
               any() & 0x3FFFF,
               static_cast<u16>(any() & 0x1FFF),
               static_cast<u16>(any() & 0x1FFF),
               static_cast<u16>(any() & 0x1FFF),
               static_cast<u16>(any() & 0x1FFF),
               static_cast<u16>(any() & 0x1FFF),
               static_cast<u16>(any() & 0x1FFF)};
  }

  Harness harness_;
  std::mt19937_64 random_{bhemu::test::seed(41)};
};

/// One counter with its copy, whatever its type.
struct Counter {
  u64 now, copy, modulus;
};

Counter load(const AdcChannel& c, u32 dimension) {
  switch (dimension) {
    case 0:
      return {c.x, c.x_cr, 0x40000};
    case 1:
      return {c.y, c.y_cr, 0x2000};
    case 2:
      return {c.z, c.z_cr, 0x2000};
    default:
      return {c.w, c.w_cr, 0x2000};
  }
}
void save(AdcChannel& c, u32 dimension, const Counter& counter) {
  const u64 now = counter.now % counter.modulus;
  const u64 copy = counter.copy % counter.modulus;
  if (dimension == 0) c.x = static_cast<u32>(now), c.x_cr = static_cast<u32>(copy);
  if (dimension == 1) c.y = static_cast<u16>(now), c.y_cr = static_cast<u16>(copy);
  if (dimension == 2) c.z = static_cast<u16>(now), c.z_cr = static_cast<u16>(copy);
  if (dimension == 3) c.w = static_cast<u16>(now), c.w_cr = static_cast<u16>(copy);
}

/// The instruction on the two channels of one unit (SETADC*.md, INCADC*.md, ADDRCR*.md).
void apply_to_unit(Adc& adc, const std::string& name, u32 word) {
  if (name == "SETADC") {
    const u32 dimension = word >> 18 & 3;
    AdcChannel& channel = adc.channel[word >> 20 & 1];
    Counter counter = load(channel, dimension);
    counter.now = counter.copy = word & 0x3FFFF;
    return save(channel, dimension, counter);
  }
  if (name == "SETADCXX") {
    for (u32 i = 0; i < 2; ++i) {
      const u64 value = word >> (10 * i) & 1023;
      save(adc.channel[i], 0, {value, value, 0x40000});
    }
    return;
  }
  const u32 first = name.ends_with("ZW") ? 2 : 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 value = word >> (6 + 3 * i) & 7;
    const bool named = bit(word, i);
    AdcChannel& channel = adc.channel[i / 2];
    Counter counter = load(channel, first + i % 2);
    if (name.starts_with("SETADC")) {
      if (named) counter.now = counter.copy = value;
    } else if (name.starts_with("INCADC")) {
      counter.now += value;
    } else if (named) {
      counter.now = counter.copy = counter.copy + value;
    }
    save(channel, first + i % 2, counter);
  }
}

TEST_P(AdcModes, random_words_do_what_the_model_does) {
  const std::string name = GetParam();
  const u32 opcode = find_instruction(name)->opcode;
  // Words 21 to 23 name units; two bits name another thread, where they do.
  const u32 override_low = name == "SETADC" ? 16 : 18;
  const u64 rounds = bhemu::test::rounds(3'000);
  for (u64 round = 0; round < rounds; ++round) {
    fill();
    auto expected = harness_.state().adc;
    const unsigned issuer = any() % 3;
    const u32 word = opcode << 24 | (any() & 0xFFFFFF);
    const u32 other = name == "SETADCXX" ? 0 : word >> override_low & 3;
    const unsigned thread = other == 0 ? issuer : other - 1;
    for (u32 unit = 0; unit < 3; ++unit)
      if (bit(word, 21 + unit)) apply_to_unit(expected.adc[thread][unit], name, word);
    harness_.execute(issuer, {word});
    for (u32 t = 0; t < 3; ++t)
      for (u32 unit = 0; unit < 3; ++unit)
        for (u32 i = 0; i < 2; ++i)
          for (u32 dimension = 0; dimension < 4; ++dimension) {
            const Counter is = load(harness_.state().adc.adc[t][unit].channel[i], dimension);
            const Counter should = load(expected.adc[t][unit].channel[i], dimension);
            ASSERT_EQ(is.now, should.now) << std::hex << word << " " << t << unit << i << dimension;
            ASSERT_EQ(is.copy, should.copy)
                << std::hex << word << " " << t << unit << i << dimension;
          }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, AdcModes,
                         testing::Values("SETADC", "SETADCXX", "SETADCXY", "SETADCZW", "INCADCXY",
                                         "INCADCZW", "ADDRCRXY", "ADDRCRZW"),
                         [](const auto& info) { return std::string(info.param); });

/// The arithmetic of the scalar unit on two numbers.
u32 gpr_result(const std::string& name, u32 mode, u32 a, u32 b) {
  if (name == "ADDDMAREG") return a + b;
  if (name == "SUBDMAREG") return a - b;
  if (name == "MULDMAREG") return (a % 65536) * (b % 65536);
  if (name == "BITWOPDMAREG") return mode == 0 ? (a & b) : mode == 1 ? (a | b) : (a ^ b);
  if (name == "SHIFTDMAREG") {
    for (u32 i = 0; i < b % 32; ++i) a = mode == 0 ? a * 2 : a / 2;
    return a;
  }
  return (mode == 0 ? a > b : mode == 1 ? a < b : a == b) ? 1 : 0;
}

TEST(GprModes, random_arithmetic_does_what_the_model_does_in_every_mode) {
  struct {
    const char* name;
    u32 modes;
  } const kInstructions[] = {{"ADDDMAREG", 1},    {"SUBDMAREG", 1},   {"MULDMAREG", 1},
                             {"BITWOPDMAREG", 3}, {"SHIFTDMAREG", 2}, {"CMPDMAREG", 3}};
  std::mt19937_64 random(bhemu::test::seed(42));
  const auto any = [&] { return static_cast<u32>(random()); };
  Harness harness;
  const u64 rounds = bhemu::test::rounds(5'000);
  for (u64 round = 0; round < rounds; ++round) {
    const auto& instruction = kInstructions[round % std::size(kInstructions)];
    const unsigned thread = any() % 3;
    for (u32& value : harness.state().thcon.gpr[thread])
      value = any() % 3 == 0 ? any() % 64 : any();
    auto expected = harness.state().thcon.gpr[thread];
    const u32 mode = any() % instruction.modes;
    const bool constant = any() % 2 != 0;
    const u32 a = any() % 64, b = any() % 64, result = any() % 64;
    const u32 word = u32{find_instruction(instruction.name)->opcode} << 24 | u32{constant} << 23 |
                     mode << 18 | result << 12 | b << 6 | a;
    expected[result] = gpr_result(instruction.name, mode, expected[a], constant ? b : expected[b]);
    harness.execute(thread, {word});
    ASSERT_EQ(harness.state().thcon.gpr[thread], expected) << instruction.name << std::hex << word;
  }
}

TEST(ThconModes, reg2flop_moves_every_part_of_a_register_to_every_counter) {
  std::mt19937_64 random(bhemu::test::seed(43));
  const auto any = [&] { return static_cast<u32>(random()); };
  Harness harness;
  const u64 rounds = bhemu::test::rounds(5'000);
  for (u64 round = 0; round < rounds; ++round) {
    const unsigned issuer = any() % 3;
    const u32 value = any();
    const u32 reg = any() % 64, target = any() % 128, thread = any() % 4, byte = any() % 4;
    const u32 selector = 2 + any() % 2, size = any() % 4;
    harness.gpr(issuer, reg) = value;
    auto expected = harness.state().adc;
    const unsigned named = selector == 3 ? thread : issuer;
    const u32 unit = target >> 3 & 3;
    u64 part = 0;
    if (size == 1 && byte == 0) part = value;
    if (size == 2 && byte % 2 == 0) part = value >> (8 * byte) & 0xFFFF;
    if (size == 3) part = value >> (8 * byte) & 0xFF;
    if (named < 3 && unit < 3) {
      AdcChannel& channel = expected.adc[named][unit].channel[target >> 5 & 1];
      Counter counter = load(channel, target & 3);
      (bit(target, 2) ? counter.copy : counter.now) = part;
      save(channel, target & 3, counter);
    }
    harness.execute(issuer, {encode<op::REG2FLOP>({{"reg_index", reg},
                                                   {"flop_index", target},
                                                   {"context_id_2", thread},
                                                   {"byte_offset", byte},
                                                   {"target_sel", selector},
                                                   {"size_sel", size}})});
    for (u32 t = 0; t < 3; ++t)
      for (u32 u = 0; u < 3; ++u)
        for (u32 i = 0; i < 8; ++i) {
          const Counter is = load(harness.state().adc.adc[t][u].channel[i / 4], i % 4);
          const Counter should = load(expected.adc[t][u].channel[i / 4], i % 4);
          ASSERT_EQ(is.now, should.now) << target << " size " << size << " byte " << byte;
          ASSERT_EQ(is.copy, should.copy) << target << " size " << size << " byte " << byte;
        }
  }
}

TEST(ThconModes, atcas_waits_for_its_value_in_any_word_and_stores_the_other) {
  for (u32 word = 0; word < 4; ++word) {
    Harness harness;
    harness.gpr(0, 1) = 0x300;
    for (u32 i = 0; i < 4; ++i) harness.l1.write32(0x3000 + 4 * i, 0x70 + i, {});
    harness.push(0, encode<op::ATCAS>({{"addr_reg_index", 1},
                                       {"sel32b", word},
                                       {"cmp_val", 9},
                                       {"swap_val", 13},
                                       {"mem_hier_sel", word & 1}}));
    harness.push(0, set_half(0, 1));
    harness.run(10);
    EXPECT_EQ(harness.gpr(0, 0), 0u);
    EXPECT_TRUE(harness.coprocessor.waiting(0).waiting);
    harness.push(1, set_half(0, 1));
    harness.run(3);
    EXPECT_EQ(harness.gpr(1, 0), 0u) << "the waiting instruction occupies the scalar unit";
    harness.l1.write32(0x3000 + 4 * word, 9, {});
    harness.coprocessor.rouse();
    harness.run(4);
    EXPECT_EQ(harness.gpr(0, 0), 1u);
    for (u32 i = 0; i < 4; ++i)
      EXPECT_EQ(harness.l1.read32(0x3000 + 4 * i), i == word ? 13 : 0x70 + i);
  }
}

TEST(ThconModes, setdmareg_takes_four_words_of_the_packers_histogram) {
  Harness harness;
  for (u32 i = 0; i < 32; ++i)
    harness.state().packer.exponent_histogram[i] = static_cast<u8>(100 + i);
  const auto special = [](u32 source, u32 half) {
    return encode<op::SETDMAREG>({{"reg_index_16b", half},
                                  {"set_signals_mode", 1},
                                  {"payload_sig_sel", source << 3},
                                  {"payload_sig_sel_size", 2}});
  };
  harness.execute(0, {special(6, 22), special(7, 40)});
  for (u32 i = 0; i < 16; ++i) {
    EXPECT_EQ(bits(harness.gpr(0, 8 + i / 4), 8 * (i % 4), 8), 100 + i) << "aligned down to 8";
    EXPECT_EQ(bits(harness.gpr(0, 20 + i / 4), 8 * (i % 4), 8), 116 + i);
  }
}

TEST(XmovModes, the_low_bits_and_the_block_selection_change_nothing) {
  for (const u32 low : {0u, 1u, 0x7FFFFFu, 0x800000u, 0xFFFFFFu}) {
    Harness harness;
    harness.l1.write32(0x5000, 0x1234, {});
    ConfigWords& words = harness.state().cfg.bank[0];
    words[88] = 0x500;
    words[89] = 0x600;
    words[90] = 1u | 3u << 30;
    harness.execute(0, {0x40000000u | low});
    EXPECT_EQ(harness.l1.read32(0x6000), 0x1234u) << std::hex << low;
  }
}

TEST(SyncModes, semwait_with_both_conditions_waits_while_either_holds) {
  Harness harness;
  harness.execute(0, {seminit(1, 0, 2)});
  harness.push(1, {semwait(0x1FF, 1, 3), set_half(0, 1)});
  harness.run(10);
  EXPECT_EQ(harness.gpr(1, 0), 0u) << "it is 0";
  harness.execute(0, {sempost(1), sempost(1)});
  harness.push(1, {semwait(0x1FF, 1, 3), set_half(0, 2)});
  harness.run(10);
  EXPECT_EQ(harness.gpr(1, 0), 1u) << "it was 1 for a cycle; now it is at its maximum";
  harness.execute(0, {semget(1)});
  harness.run(5);
  EXPECT_EQ(harness.gpr(1, 0), 2u);
}

// The mask has 13 bits: without one of those it is the default, C0 to C3.
TEST(SyncModes, bits_13_and_14_of_stallwait_are_no_conditions) {
  Harness harness;
  for (const BusyUnit unit : {BusyUnit::Fpu, BusyUnit::Sfpu, BusyUnit::Cfg})
    harness.state().busy_until[0][static_cast<unsigned>(unit)] = harness.now + 1000;
  harness.push(0, stallwait(0x1FF, 0x6000));
  harness.cycle();
  EXPECT_EQ(harness.state().frontend[0].wait.condition, 0x0F);
  harness.push(0, {nop(), set_half(0, 1)});
  harness.run(4);
  EXPECT_EQ(harness.gpr(0, 0), 1u);
}

}  // namespace
}  // namespace bhemu::tensix::test
