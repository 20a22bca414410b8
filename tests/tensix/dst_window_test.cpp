// The window of the RISC-V cores onto Dst, in every format: every 16-bit pattern, and random ones
// of 32 bits, against formulas in the values that the formats stand for (BlackholeA0 Dst.md,
// "RISCV access to Dst").
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "support/rounds.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

constexpr unsigned kThread = 1;

struct Control {
  u32 format;
  bool plain;        // no_swizzle
  bool is_unsigned;  // unsigned_int
};

std::string name_of(const Control& c) {
  return "format " + std::to_string(c.format) + (c.plain ? " plain" : "") +
         (c.is_unsigned ? " unsigned" : "");
}

class DstWindow : public testing::TestWithParam<Control> {
 protected:
  DstWindow() { set_control(kThread, GetParam()); }
  void set_control(unsigned thread, const Control& c) {
    const u32 section =
        static_cast<u32>(c.plain) | static_cast<u32>(c.is_unsigned) << 1 | c.format << 2;
    for (ConfigWords& words : bench_.state().cfg.bank) {
      u32& word = words[cfg::RISC_DEST_ACCESS_CTRL_SEC0_fmt::kWord];
      word = with_bits(word, cfg::RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle::kLow + 5 * thread, 5,
                       section);
    }
  }
  u32 element() const {
    constexpr u32 kBytes[6] = {4, 4, 2, 2, 2, 1};
    return kBytes[GetParam().format];
  }
  u32 offset(u32 row, u32 column) const { return (row * 16 + column) * element(); }

  u32 load(u32 row, u32 column) {
    const auto result = read_dst_window(bench_.state(), kThread, offset(row, column), element());
    EXPECT_TRUE(result.defined);
    return result.value;
  }
  void store(u32 row, u32 column, u32 value) {
    EXPECT_TRUE(write_dst_window(bench_.state(), kThread, offset(row, column), element(), value));
  }

  UnitBench bench_;
};

/// Sign and magnitude as a number of `size` bits in two's complement.
u32 twos_complement(bool negative, u32 magnitude, u32 size) {
  const u64 modulus = u64{1} << size;
  return static_cast<u32>(negative ? (modulus - magnitude) % modulus : magnitude);
}

/// What a core reads of 16 stored bits.
u32 loaded16(const Control& c, u32 stored) {
  const bool negative = stored >= 0x8000;
  const u32 low = stored % 0x8000;
  switch (c.format) {
    case 2:  // storage: sign, ten of mantissa, five of exponent
      return c.plain ? stored : stored / 0x8000 * 0x8000 + low % 32 * 1024 + low / 32;
    case 3:  // storage: sign, seven of mantissa, eight of exponent
      return c.plain ? stored : stored / 0x8000 * 0x8000 + low % 256 * 128 + low / 256;
    case 4:
      return c.plain || c.is_unsigned ? stored : twos_complement(negative, low, 16);
    default: {  // sign, ten of magnitude, a fixed exponent
      const u32 magnitude = stored / 32 % 1024;
      if (c.plain || c.is_unsigned) return magnitude % 256;
      return twos_complement(negative, magnitude % 128, 8);
    }
  }
}

/// What a core's store leaves; the negative bytes are a mistake of the hardware.
u32 stored16(const Control& c, u32 value) {
  const u32 top = value / 0x8000 * 0x8000;
  switch (c.format) {
    case 2:
      return c.plain ? value : top + value % 1024 * 32 + value / 1024 % 32;
    case 3:
      return c.plain ? value : top + value % 128 * 256 + value / 128 % 256;
    case 4:
      if (c.plain || c.is_unsigned || value < 0x8000) return value;
      return 0x8000 + std::min(0x10000 - value, 0x7FFFu);
    default:
      if (c.plain || c.is_unsigned || value < 0x80) return value * 32 + (value != 0 ? 16 : 0);
      return 0x8000 + (value == 0x80 ? 255u : (0x180 - value) % 256) * 32 + 16;
  }
}

TEST_P(DstWindow, gives_what_the_formulas_give_for_every_pattern_of_16_bits) {
  if (element() == 4) return;
  for (u32 pattern = 0; pattern < 0x10000; ++pattern) {
    bench_.dst().write16(700, 3, static_cast<u16>(pattern));
    ASSERT_EQ(load(700, 3), loaded16(GetParam(), pattern)) << std::hex << pattern;
    if (element() == 1 && pattern >= 256) continue;
    store(701, 15, pattern);
    ASSERT_EQ(bench_.dst().read16(701, 15), stored16(GetParam(), pattern)) << std::hex << pattern;
  }
}

TEST_P(DstWindow, gives_what_the_formulas_give_for_random_patterns_of_32_bits) {
  if (element() != 4) return;
  const Control& c = GetParam();
  // Storage: sign, mantissa 22:16, exponent, mantissa 15:0.
  const auto to_storage = [&](u32 v) {
    if (c.plain) return v;
    return v / 0x80000000 * 0x80000000 + v / 0x10000 % 128 * 0x1000000 +
           v / 0x800000 % 256 * 65536 + v % 65536;
  };
  std::mt19937_64 random(bhemu::test::seed(61));
  const u64 rounds = bhemu::test::rounds(50'000);
  for (u64 i = 0; i < rounds; ++i) {
    const u32 v = i < 8 ? 0x7FFFFFFE + static_cast<u32>(i) : static_cast<u32>(random());
    const u32 row = static_cast<u32>(random() % 512), column = static_cast<u32>(random() % 16);
    const bool converts = c.format == 1 && !c.plain && v >= 0x80000000;
    bench_.dst().write32(row, column, to_storage(v));
    ASSERT_EQ(load(row, column), converts ? twos_complement(true, v % 0x80000000, 32) : v);
    store(row, column, v);
    const u32 magnitude = std::min(0u - v, 0x7FFFFFFFu);
    ASSERT_EQ(bench_.dst().read32(row, column), to_storage(converts ? 0x80000000 + magnitude : v));
  }
}

TEST_P(DstWindow, covers_dst_once_and_nothing_beyond) {
  const u32 rows = element() == 4 ? 512 : 1024;
  store(rows - 1, 15, 1);
  EXPECT_NE(load(rows - 1, 15), 0u);
  EXPECT_FALSE(read_dst_window(bench_.state(), kThread, rows * 16 * element(), element()).defined);
  EXPECT_FALSE(write_dst_window(bench_.state(), kThread, rows * 16 * element(), element(), 0));
}

TEST_P(DstWindow, a_store_makes_its_row_valid_and_a_load_does_not_ask) {
  store(6, 2, 5);
  bench_.fpu().dst.valid.fill(0);
  const u32 before = load(6, 2);
  EXPECT_NE(before, 0u);
  EXPECT_EQ(bench_.dst().valid16(6), false);
  store(6, 2, 5);
  EXPECT_TRUE(element() == 4 ? bench_.dst().valid32(6) : bench_.dst().valid16(6));
  EXPECT_EQ(load(6, 2), before);
}

TEST_P(DstWindow, other_sizes_are_undefined_but_for_t2) {
  const Control& c = GetParam();
  set_control(2, c);
  for (const u32 size : {1u, 2u, 4u}) {
    const bool own = size == element();
    EXPECT_EQ(read_dst_window(bench_.state(), kThread, 64, size).defined, own);
    EXPECT_EQ(read_dst_window(bench_.state(), 2, 64, size).defined, size >= element());
    EXPECT_FALSE(read_dst_window(bench_.state(), 2, 65, 4).defined) << "misaligned";
  }
  // T2's wide accesses are those of its elements, one by one.
  for (u32 i = 0; i < 4 / element(); ++i) store(4, i, 0x11 * (i + 1));
  u32 expected = 0;
  for (u32 i = 0; i < 4 / element(); ++i) expected |= load(4, i) << (8 * element() * i);
  EXPECT_EQ(read_dst_window(bench_.state(), 2, offset(4, 0), 4).value, expected);
  EXPECT_TRUE(write_dst_window(bench_.state(), 2, offset(8, 0), 4, expected));
  for (u32 i = 0; i < 4 / element(); ++i) EXPECT_EQ(load(8, i), load(4, i));
}

std::vector<Control> every_control() {
  std::vector<Control> controls;
  for (u32 format = 0; format < 6; ++format)
    for (const bool plain : {false, true})
      for (const bool is_unsigned : {false, true}) controls.push_back({format, plain, is_unsigned});
  return controls;
}
INSTANTIATE_TEST_SUITE_P(Every, DstWindow, testing::ValuesIn(every_control()),
                         [](const auto& info) {
                           std::string name = name_of(info.param);
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

/// Each core has a section of its own, in the bank that its thread has selected.
TEST(DstWindowControl, each_thread_has_its_own_format_in_its_own_bank) {
  UnitBench bench;
  const auto set = [&](u32 bank, unsigned thread, u32 format) {
    u32& word = bench.state().cfg.bank[bank][cfg::RISC_DEST_ACCESS_CTRL_SEC0_fmt::kWord];
    word = with_bits(word, cfg::RISC_DEST_ACCESS_CTRL_SEC0_fmt::kLow + 5 * thread, 3, format);
  };
  set(0, 0, 2);
  set(0, 1, 3);
  set(0, 2, 4);
  set(1, 1, 2);
  bench.dst().write16(0, 0, 0x8101);
  const auto load = [&](unsigned thread) {
    return read_dst_window(bench.state(), thread, 0, 2).value;
  };
  EXPECT_EQ(load(0), 0x8000u | 1u << 10 | 0x101u >> 5);
  EXPECT_EQ(load(1), 0x8000u | 1u << 7 | 1u);
  EXPECT_EQ(load(2), 0x10000u - 0x0101u);
  thread_cfg::CFG_STATE_ID_StateID::set(bench.state().cfg.thread[1], 1);
  EXPECT_EQ(load(1), load(0));
}

}  // namespace
}  // namespace bhemu::tensix
