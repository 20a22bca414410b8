// Atomic operations against a second implementation, written from Atomics.md with 64-bit arithmetic
// and doubles.
#include "noc/atomics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace bhemu::noc {
namespace {

struct Model {
  std::array<u32, 4> words{};
  u32 result = 0;

  explicit Model(const AtomicLine& line) { std::memcpy(words.data(), line.data(), 16); }
  AtomicLine line() const {
    AtomicLine bytes;
    std::memcpy(bytes.data(), words.data(), 16);
    return bytes;
  }
  void run(u32 op, u32 data, u32 address) {
    result = words[address / 4 % 4];
    u32& word = words[op % 4];
    switch (op >> 12 & 15) {
      case 1: {
        const u64 modulus = u64{2} << (op >> 2 & 31);
        word = static_cast<u32>(word - word % modulus + (word + u64{data}) % modulus);
        break;
      }
      case 3:
        for (u32 i = 0; i < 8; ++i) {
          if ((op >> (2 + i) & 1) == 0) continue;
          const u32 shift = i % 2 * 16;
          words[i / 2] = (words[i / 2] & ~(0xFFFFu << shift)) | (data & (0xFFFFu << shift));
        }
        break;
      case 4:
        if (word == (op >> 2 & 15)) word = op >> 6 & 15;
        break;
      case 6:
        word = data;
        break;
      case 7:
        words[op >> 2 & 3] = data;
        break;
      case 10: {
        const i64 a = static_cast<i32>(word), b = static_cast<i32>(data);
        const u64 ua = word, ub = data;
        if ((op >> 11 & 1) == 0) {
          word = data;
        } else {
          const u64 results[] = {ua + ub,
                                 ua ^ ub,
                                 ua | ub,
                                 ua & ub,
                                 static_cast<u64>(a < b ? a : b),
                                 static_cast<u64>(a > b ? a : b),
                                 ua < ub ? ua : ub,
                                 ua > ub ? ua : ub};
          word = static_cast<u32>(results[op >> 8 & 7]);
        }
        break;
      }
      default:
        break;
    }
  }
};

AtomicLine random_line(std::mt19937& random) {
  AtomicLine line;
  for (u8& byte : line) byte = static_cast<u8>(random());
  return line;
}

TEST(Atomics, integer_operations_agree_with_the_model) {
  std::mt19937 random(1);
  std::vector<u32> operations = {0};
  for (u32 i = 0; i < 128; ++i) operations.push_back(0x1000 | i);
  for (u32 i = 0; i < 1024; ++i) operations.push_back(0x3000 | i);
  for (u32 i = 0; i < 1024; ++i) operations.push_back(0x4000 | i);
  for (u32 i = 0; i < 4; ++i) {
    operations.push_back(0x6004 | i);
    operations.push_back(0x7000 | i << 2);
    operations.push_back(0xA300 | i);
    for (u32 op = 0; op < 8; ++op) operations.push_back(0xA800 | op << 8 | i);
  }
  for (const u32 operation : operations) {
    ASSERT_TRUE(atomic_is_documented(operation)) << operation;
    for (u32 round = 0; round < 20; ++round) {
      AtomicLine line = random_line(random);
      // Small values too, so that compares succeed and minima differ.
      if (round % 4 == 0)
        for (u32 word = 0; word < 4; ++word) {
          const u32 small = random() % 16;
          std::memcpy(line.data() + 4 * word, &small, 4);
        }
      const u32 data = round % 3 == 0 ? random() % 3 - 1 : random();
      const u32 address = 0x1230 + random() % 4 * 4;
      Model model(line);
      const AtomicLine before = line;
      model.run(operation, data, address);
      const AtomicEffect effect = apply_atomic(operation, data, address, line);
      ASSERT_EQ(line, model.line()) << std::hex << operation << " " << data;
      ASSERT_EQ(effect.result, model.result) << std::hex << operation;
      for (u32 i = 0; i < 16; ++i)
        if (line[i] != before[i]) {
          ASSERT_TRUE(i >= effect.first && i < effect.first + effect.bytes);
        }
    }
  }
}

TEST(Atomics, increment_with_wrapping_pointer) {
  AtomicLine line{};
  const auto step = [&](u32 increment, u32 wrap, u32 start) {
    std::memcpy(line.data() + 8, &start, 4);
    const AtomicEffect effect = apply_atomic(0x2000 | increment << 6 | wrap << 2, 0, 0x108, line);
    EXPECT_EQ(effect.result, start);
    u32 value;
    std::memcpy(&value, line.data() + 8, 4);
    return value;
  };
  EXPECT_EQ(step(0, 0, 5), 6u);
  EXPECT_EQ(step(3, 0, 5), 8u);
  EXPECT_EQ(step(3, 9, 5), 8u);
  EXPECT_EQ(step(3, 8, 5), 0u);
  EXPECT_EQ(step(1, 15, 15), 0u);
}

TEST(Atomics, exactly_the_documented_encodings_are_accepted) {
  u32 accepted = 0;
  for (u32 operation = 0; operation < 0x10000; ++operation)
    accepted += atomic_is_documented(operation) ? 1 : 0;
  // NOP, increment, wrapping increment, masked swap, compare and swap, index 7: all encodings;
  // index 6: half; accumulate: 11 of 16 formats; 0xA: bit 11, or [11:8] = 3.
  EXPECT_EQ(accepted, 6u * 4096 + 2048 + 11 * 256 + 2048 + 256);
}

u32 word_of(float value) {
  u32 bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

TEST(Atomics, parallel_addition_of_fp32_flushes_denormals) {
  for (const u32 format : {0u, 8u}) {
    const u32 old[4] = {word_of(1.5f), 0x00000001, 0x80000000, 0x7F800000};
    AtomicLine line;
    std::memcpy(line.data(), old, 16);
    apply_atomic(0x9000 | format, word_of(0.25f), 0, line);
    u32 now[4];
    std::memcpy(now, line.data(), 16);
    EXPECT_EQ(now[0], word_of(1.75f));
    EXPECT_EQ(now[1], word_of(0.25f));
    EXPECT_EQ(now[2], word_of(0.25f));
    EXPECT_EQ(now[3], 0x7F800000u);
  }
  AtomicLine line;
  const u32 tiny[4] = {0x00800000, 0x80800000, 0x7F800000, 0x7FFFFFFF};
  std::memcpy(line.data(), tiny, 16);
  apply_atomic(0x9000, 0x80C00000, 0, line);
  u32 now[4];
  std::memcpy(now, line.data(), 16);
  EXPECT_EQ(now[0], 0x80000000u);  // a denormal difference becomes a signed zero
  EXPECT_EQ(now[1], 0x81200000u);
  EXPECT_EQ(now[2], 0x7F800000u);
  EXPECT_EQ(now[3], 0x7FC00000u);
}

TEST(Atomics, parallel_addition_of_16_bit_floats_agrees_with_doubles_in_the_normal_range) {
  std::mt19937 random(2);
  for (const bool is_bf16 : {false, true}) {
    const u32 mantissa = is_bf16 ? 7 : 10;
    const int bias = is_bf16 ? 127 : 15;
    const auto value = [&](u32 half) {
      const int exponent = static_cast<int>(half >> mantissa & (is_bf16 ? 0xFF : 0x1F));
      const double m = 1.0 + (half & ((1u << mantissa) - 1)) / std::exp2(mantissa);
      return (half >> 15 != 0 ? -1 : 1) * std::ldexp(m, exponent - bias);
    };
    for (u32 round = 0; round < 20000; ++round) {
      // Exponents near each other and away from both ends.
      const auto draw = [&] {
        const u32 exponent = static_cast<u32>(bias) - 4 + random() % 8;
        return static_cast<u32>((random() & 1) << 15 | exponent << mantissa |
                                (random() & ((1u << mantissa) - 1)));
      };
      const u32 a = draw(), b = draw();
      const double sum = value(a) + value(b);
      if (std::fabs(sum) < std::ldexp(1.0, 2 - bias + 2)) continue;
      AtomicLine line{};
      std::memcpy(line.data() + 6, &a, 2);
      apply_atomic(is_bf16 ? 0x9002 : 0x9001, b << 16, 0, line);
      u32 got = 0;
      std::memcpy(&got, line.data() + 6, 2);
      // Correct rounding: nothing representable lies closer, and ties go to even.
      const double error = std::fabs(value(got) - sum);
      const double ulp = std::ldexp(1.0, std::ilogb(value(got)) - static_cast<int>(mantissa));
      ASSERT_LE(error, ulp / 2) << a << " " << b;
      if (error == ulp / 2) {
        ASSERT_EQ(got & 1, 0u) << a << " " << b;
      }
    }
  }
}

TEST(Atomics, parallel_addition_of_integers_wraps_or_saturates) {
  for (const u32 format : {4u, 12u, 13u}) {
    AtomicLine line;
    line.fill(0xFF);
    apply_atomic(0x9000 | format, 3, 0, line);
    u32 word;
    std::memcpy(&word, line.data() + 12, 4);
    EXPECT_EQ(word, 2u);
  }
  for (const bool saturate : {true, false}) {
    AtomicLine line;
    for (u32 i = 0; i < 16; ++i) line[i] = static_cast<u8>(i * 16);
    apply_atomic(0x9000 | (saturate ? 7 : 15), 0xFF804020, 0, line);
    const u32 add[4] = {0x20, 0x40, 0x80, 0xFF};
    for (u32 i = 0; i < 16; ++i) {
      const u32 sum = i * 16 + add[i % 4];
      EXPECT_EQ(line[i], saturate ? std::min(sum, 255u) : sum & 255) << i;
    }
  }
}

}  // namespace
}  // namespace bhemu::noc
