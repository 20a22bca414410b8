// The table of durations of the cores' instructions.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "base/timing_range.hpp"
#include "riscv/isa.hpp"

namespace bhemu::riscv {
namespace {

#define RANGE(minimum, typical, maximum) \
  TimingRange {                          \
    minimum, typical, maximum            \
  }

TEST(RiscvTiming, every_instruction_has_a_row_by_its_format_and_the_figures_are_in_order) {
  std::map<Format, TimingRange> formats;
#define FORMAT(name, range, evidence, source) \
  EXPECT_TRUE(formats.emplace(Format::name, range).second);
#define INSN(name, range, evidence, source)
#define REGION(what, range, evidence, source) EXPECT_TRUE((range).in_order()) << what;
#include "riscv/timing.def"
#undef FORMAT
#undef INSN
#undef REGION
  for (const auto& [format, range] : formats) {
    EXPECT_TRUE(range.in_order()) << static_cast<int>(format);
    EXPECT_GE(range.minimum, 1u);
  }
  for (const Row& row : kRows) EXPECT_TRUE(formats.contains(row.format)) << row.name;
}

TEST(RiscvTiming, rows_of_single_instructions_name_instructions) {
  const auto exists = [](std::string_view name) {
    std::array<char, 24> buffer;
    for (const Row& row : kRows)
      if (spell(row.name, buffer) == name) return true;
    return false;
  };
#define FORMAT(name, range, evidence, source)
#define INSN(name, range, evidence, source) \
  EXPECT_TRUE(exists(#name)) << #name;      \
  EXPECT_TRUE((range).in_order()) << #name;
#define REGION(what, range, evidence, source)
#include "riscv/timing.def"
#undef FORMAT
#undef INSN
#undef REGION
}

}  // namespace
}  // namespace bhemu::riscv
