// Coverage of the support matrix, as an observer: it names what a program has used and nothing
// else, and changes nothing.
#include <gtest/gtest.h>

#include "host/boot/machine.hpp"
#include "host/program/program.hpp"
#include "support_coverage.hpp"
#include "tensix/isa.hpp"

namespace bhemu {
namespace {

using host::Machine;
using support::RowCoverage;
using support::Use;

u64 run_copy(RowCoverage* coverage) {
  Machine machine(DeviceOptions{}, host::Firmware::embedded());
  EXPECT_EQ(machine.boot().status, host::Status::Ok);
  if (coverage != nullptr) {
    machine.device().observe([&](NodeId) { return coverage->observer(); });
  }
  const host::Program program =
      host::load_program(std::string(BHEMU_SOURCE_DIR) + "/examples/copy.yaml");
  const host::PreparedProgram prepared = machine.prepare(program);
  EXPECT_EQ(machine.run_unsaved(prepared).status, host::Status::Ok);
  return machine.device().hash();
}

const Use* row_of(const std::vector<Use>& uses, std::string_view name, std::string_view modes) {
  for (const Use& use : uses)
    if (name == use.row.instruction && modes == use.row.modes) return &use;
  return nullptr;
}

TEST(SupportCoverage, of_a_value_is_what_words_have_had) {
  RowCoverage coverage;
  coverage.count(tensix::encode<tensix::op::UNPACR>({{"srcb_bcast", 1}}));
  coverage.count(tensix::encode<tensix::op::UNPACR>({{"unpack_block_selection", 1}}));
  const std::vector<Use> uses = coverage.uses();
  const Use* const broadcast = row_of(uses, "UNPACR", "srcb_bcast=1");
  ASSERT_NE(broadcast, nullptr);
  EXPECT_EQ(broadcast->instructions, 1u);
  EXPECT_EQ(broadcast->seen, 1u);
  const Use* const either = row_of(uses, "UNPACR", "unpack_block_selection=0-1");
  ASSERT_NE(either, nullptr);
  EXPECT_EQ(either->instructions, 2u);
  EXPECT_EQ(either->values, 2u);
  EXPECT_EQ(either->seen, 2u);
}

TEST(SupportCoverage, of_a_program_names_its_instructions_and_changes_nothing) {
  RowCoverage coverage;
  EXPECT_EQ(run_copy(&coverage), run_copy(nullptr));
  u32 unpacked = 0;
  u32 packed = 0;
  for (const Use& use : coverage.uses()) {
    const std::string_view name = use.row.instruction;
    EXPECT_TRUE(use.instructions == 0 || name != "MVMUL") << "copy multiplies nothing";
    unpacked += name == "UNPACR" && use.instructions != 0 ? 1 : 0;
    packed += name == "PACR" && use.instructions != 0 ? 1 : 0;
  }
  EXPECT_GT(unpacked, 0u);
  EXPECT_GT(packed, 0u);
}

}  // namespace
}  // namespace bhemu
