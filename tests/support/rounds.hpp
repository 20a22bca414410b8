// How long a test that draws its inputs goes on, and from which seed: a few rounds in the suite,
// millions in `./dev soak`, which sets BHEMU_ROUNDS and another BHEMU_SEED each time.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace bhemu::test {

inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 0);
}

/// `quick` in the suite.
inline std::uint64_t rounds(std::uint64_t quick) {
  return number_from_environment("BHEMU_ROUNDS", quick);
}

/// `own` in the suite; a run with a seed mixes it in, so that tests differ from each other.
inline std::uint64_t seed(std::uint64_t own) {
  return number_from_environment("BHEMU_SEED", 0) * 0x9E3779B97F4A7C15u ^ own;
}

}  // namespace bhemu::test
