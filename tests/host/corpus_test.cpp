// The fuzzers' corpus, and a few thousand deterministic mutations of it, in the normal suite.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "fuzz/entry.hpp"
#include "host/file.hpp"

namespace bhemu::host {
namespace {

using Entry = bool (*)(std::span<const u8>);
struct Input {
  std::string name;
  std::vector<u8> bytes;
};

/// Files called good_* must load, files called bad_* must not.
std::vector<Input> corpus(const std::string& kind) {
  std::vector<Input> inputs;
  for (const auto& file :
       std::filesystem::directory_iterator(BHEMU_SOURCE_DIR "/tests/corpus/" + kind))
    inputs.push_back({file.path().filename().string(), read_file(file.path().string())});
  std::sort(inputs.begin(), inputs.end(),
            [](const Input& a, const Input& b) { return a.name < b.name; });
  return inputs;
}

void check_corpus(const std::string& kind, Entry entry) {
  const std::vector<Input> inputs = corpus(kind);
  ASSERT_GE(inputs.size(), 5u);
  for (const Input& input : inputs)
    EXPECT_EQ(entry(input.bytes), input.name.starts_with("good_")) << kind << "/" << input.name;
}

void mutate(std::vector<u8>& bytes, std::mt19937& random) {
  const auto below = [&](size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (size_t edits = 1 + below(4); edits-- > 0;) {
    const size_t at = below(bytes.size());
    const auto position = bytes.begin() + static_cast<long>(at);
    switch (bytes.empty() ? 2 : below(6)) {
      case 0:
        bytes[at] ^= static_cast<u8>(1u << below(8));
        break;
      case 1:
        bytes[at] = static_cast<u8>(random());
        break;
      case 2:
        bytes.insert(position, static_cast<u8>(random()));
        break;
      case 3:
        bytes.erase(position);
        break;
      case 4:
        bytes.resize(at);
        break;
      default: {
        static constexpr u8 kEdges[] = {0x00, 0xFF, 0x7F, 0x80, '{', '[', '\'', '\n', '-', ':'};
        bytes[at] = kEdges[below(std::size(kEdges))];
      }
    }
  }
}

void check_mutations(const std::string& kind, Entry entry) {
  constexpr unsigned kMutations = 4000;
  const std::vector<Input> inputs = corpus(kind);
  std::mt19937 random(20260101);
  unsigned accepted = 0;
  for (unsigned i = 0; i < kMutations; ++i) {
    std::vector<u8> bytes = inputs[i % inputs.size()].bytes;
    mutate(bytes, random);
    accepted += entry(bytes) ? 1 : 0;
  }
  // Some edits are harmless and most are not; if not, the loop does not test what it should.
  EXPECT_GT(accepted, 0u);
  EXPECT_LT(accepted, kMutations);
}

TEST(Corpus, elf_files_load_or_are_refused) {
  check_corpus("elf", test::fuzz_elf);
}
TEST(Corpus, npy_files_load_or_are_refused) {
  check_corpus("npy", test::fuzz_npy);
}
TEST(Corpus, yaml_files_load_or_are_refused) {
  check_corpus("yaml", test::fuzz_yaml);
}
TEST(Corpus, mutated_elf_files_do_no_harm) {
  check_mutations("elf", test::fuzz_elf);
}
TEST(Corpus, mutated_npy_files_do_no_harm) {
  check_mutations("npy", test::fuzz_npy);
}
TEST(Corpus, mutated_yaml_files_do_no_harm) {
  check_mutations("yaml", test::fuzz_yaml);
}

}  // namespace
}  // namespace bhemu::host
