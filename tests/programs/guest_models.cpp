// What the example kernels must compute, worked out on the host, held against the expectations that
// are written in the program files.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace bhemu {
namespace {

extern "C" {
#include "../../kernels/int_bench/int_bench.h"
}

std::string example(const std::string& name) {
  std::ifstream in(std::string(BHEMU_SOURCE_DIR) + "/examples/" + name + ".yaml");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The values of a program file's `expect` rows.
std::vector<u32> expected_words(const std::string& text) {
  std::vector<u32> words;
  const std::regex row("address: *0x[0-9A-Fa-f]+, *value: *(0x[0-9A-Fa-f]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it) {
    words.push_back(static_cast<u32>(std::stoul((*it)[1], nullptr, 16)));
  }
  return words;
}

u32 ring_checksum(u32 tiles, u32 rounds) {
  std::array<u32, 64> block{};
  for (u32 i = 0; i < block.size(); ++i) block[i] = i;
  for (u32 round = 0; round < rounds; ++round) {
    for (u32 tile = 0; tile < tiles; ++tile) {
      for (u32 i = 0; i < block.size(); ++i) block[i] = block[i] * 0x01000193u + (tile << 8 | i);
    }
  }
  u32 checksum = 0;
  for (const u32 word : block) checksum = checksum * 31 + word;
  return checksum;
}

TEST(GuestModels, integer_benchmark_example_expects_what_a_native_run_gives) {
  const std::string text = example("int_bench");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(text, match, std::regex("brisc: *\\[([0-9]+),")));
  const u32 iterations = static_cast<u32>(std::stoul(match[1]));
  std::array<u32, BENCH_SCRATCH_WORDS> scratch{};
  const u32 checksum = BenchRun(scratch.data(), iterations);
  const std::vector<u32> expected = expected_words(text);
  ASSERT_EQ(expected.size(), 5u);
  for (const u32 word : expected) EXPECT_EQ(word, checksum);
}

TEST(GuestModels, ring_example_expects_what_its_model_gives) {
  const std::string text = example("ring");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(
      text, match, std::regex("brisc: *\\[([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+),")));
  const auto number = [&](size_t i) { return static_cast<u32>(std::stoul(match[i])); };
  const u32 tiles = (number(3) - number(1) + 1) * (number(4) - number(2) + 1);
  const std::vector<u32> expected = expected_words(text);
  ASSERT_EQ(expected.size(), 1u);
  EXPECT_EQ(expected[0], ring_checksum(tiles, number(5)));
}

}  // namespace
}  // namespace bhemu
