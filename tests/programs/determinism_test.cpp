// Whole programs, firmware and coprocessor included: one hash of the device for every number of
// host threads, with parking on and off. The constants change only when what is modelled changes.
#include <gtest/gtest.h>

#include "host/boot/machine.hpp"
#include "host/program/program.hpp"

namespace bhemu::host {
namespace {

struct Case {
  const char* example;
  TimingModel timing;
  u64 hash;
};

class ProgramDeterminism : public testing::TestWithParam<Case> {};

u64 run_example(const Case& run, unsigned threads, bool parking) {
  const Program program =
      load_program(std::string(BHEMU_SOURCE_DIR) + "/examples/" + run.example + ".yaml");
  DeviceOptions options;
  options.timing = run.timing;
  options.threads = threads;
  options.parking = parking;
  Machine machine(options, Firmware::embedded());
  EXPECT_EQ(machine.boot().status, Status::Ok);
  const PreparedProgram prepared = machine.prepare(program);
  EXPECT_EQ(machine.run(prepared, testing::TempDir()).status, Status::Ok);
  return machine.device().hash();
}

TEST_P(ProgramDeterminism, one_hash_for_every_thread_count_with_and_without_parking) {
  const Case& expected = GetParam();
  for (const bool parking : {true, false})
    for (const unsigned threads : {1u, 2u, 4u})
      EXPECT_EQ(run_example(expected, threads, parking), expected.hash)
          << threads << " threads, parking " << parking;
}

INSTANTIATE_TEST_SUITE_P(
    Examples, ProgramDeterminism,
    testing::Values(Case{"add_scalar", TimingModel::Fast, 1676397196296402952u},
                    Case{"add_scalar", TimingModel::Reference, 9142965457826929869u},
                    Case{"copy", TimingModel::Fast, 12631464578054894240u},
                    Case{"dram_copy", TimingModel::Fast, 14330438476595779294u},
                    Case{"ring", TimingModel::Fast, 16743553573514854983u},
                    Case{"ring", TimingModel::Reference, 11528913653763295878u}),
    [](const auto& info) {
      return std::string(info.param.example) +
             (info.param.timing == TimingModel::Fast ? "_fast" : "_reference");
    });

}  // namespace
}  // namespace bhemu::host
