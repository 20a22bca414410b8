// Whole programs with delays: without any they are what `windows` makes of them, a seed is one run
// whatever the host does, and what is in order keeps its result.
#include <gtest/gtest.h>

#include "host/boot/machine.hpp"
#include "host/hunt/run_worker.hpp"
#include "host/program/program.hpp"
#include "support/narrow.hpp"

namespace bhemu::host {
namespace {

Program example(const std::string& name) {
  return load_program(std::string(BHEMU_SOURCE_DIR) + "/examples/" + name + ".yaml");
}

struct Run {
  TimingModel timing = TimingModel::Chaos;
  u64 seed = 0;
  unsigned threads = 1;
  bool parking = true;
};

/// Hash of the whole device.
u64 run_of(const Program& program, const Run& run, const DelayPlan* plan = nullptr) {
  DeviceOptions options;
  options.board = test::narrow();
  options.timing = run.timing;
  options.seed = run.seed;
  options.threads = run.threads;
  options.parking = run.parking;
  Machine machine(options, Firmware::embedded());
  EXPECT_EQ(machine.boot().status, Status::Ok);
  const PreparedProgram prepared = machine.prepare(program);
  if (plan != nullptr) machine.set_delays(std::make_shared<const DelayPlan>(*plan));
  EXPECT_EQ(machine.run_unsaved(prepared).status, Status::Ok);
  return machine.device().hash();
}

class ChaosExample : public testing::TestWithParam<const char*> {};

TEST_P(ChaosExample, without_delays_is_what_windows_makes_of_it) {
  const Program program = example(GetParam());
  const DelayPlan none;
  const u64 windows = run_of(program, {TimingModel::Windows});
  EXPECT_EQ(run_of(program, {}, &none), windows);
  EXPECT_EQ(run_of(program, {TimingModel::Chaos, 0, 2}, &none), windows);
}

TEST_P(ChaosExample, of_a_seed_is_one_run_for_every_thread_count_with_and_without_parking) {
  const Program program = example(GetParam());
  const u64 hash = run_of(program, {TimingModel::Chaos, 5});
  EXPECT_NE(hash, run_of(program, {TimingModel::Windows}));
  EXPECT_EQ(run_of(program, {TimingModel::Chaos, 5, 3, true}), hash);
  EXPECT_EQ(run_of(program, {TimingModel::Chaos, 5, 2, false}), hash);
}

INSTANTIATE_TEST_SUITE_P(Examples, ChaosExample,
                         testing::Values("ring", "copy", "races/flag_rewrite_mended",
                                         "races/unpack_base_mended"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           const std::size_t slash = name.find('/');
                           return slash == std::string::npos ? name : name.substr(slash + 1);
                         });

class RaceFree : public testing::TestWithParam<const char*> {};

TEST_P(RaceFree, program_keeps_its_result_over_seeds) {
  const Program program = example(GetParam());
  DeviceOptions options;
  options.board = test::narrow();
  options.timing = TimingModel::Chaos;
  Machine machine(options, Firmware::embedded());
  ASSERT_EQ(machine.boot().status, Status::Ok);
  const std::vector<u8> start = machine.device().snapshot();
  const PreparedProgram prepared = machine.prepare(program);
  const Verdict undisturbed = verdict_of(machine, prepared, {});
  ASSERT_EQ(undisturbed.status, Status::Ok) << undisturbed.what;
  const char* const soak = std::getenv("BHEMU_CHAOS_SEEDS");
  const u64 seeds = soak == nullptr ? 4 : std::strtoull(soak, nullptr, 10);
  const char* const from = std::getenv("BHEMU_SEED");
  const u64 first = from == nullptr ? 1 : std::strtoull(from, nullptr, 10);
  for (u64 seed = first; seed < first + seeds; ++seed) {
    machine.device().set_delays(nullptr);
    machine.device().restore(start);
    DelayPlan plan;
    plan.source = DelayPlan::Source::Seed;
    plan.seed = seed;
    const Verdict verdict = verdict_of(machine, prepared, plan);
    EXPECT_EQ(verdict.status, Status::Ok) << "seed " << seed << ": " << verdict.what;
    EXPECT_EQ(verdict.result, undisturbed.result) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Examples, RaceFree,
    testing::Values("add_scalar", "copy", "dram_copy", "ring", "softmax", "layernorm",
                    "races/flag_rewrite_mended", "races/move_into_src_mended",
                    "races/move_without_gate_mended", "races/early_release_mended",
                    "races/unpack_base_mended", "races/store_then_send_mended",
                    "races/mode_switch_mended", "races/early_push_mended"),
    [](const auto& info) {
      std::string name = info.param;
      return name.substr(name.find('/') == std::string::npos ? 0 : name.find('/') + 1);
    });

/// Restores a device to itself at one edge.
class Copier final : public Attendant {
 public:
  explicit Copier(Device& device) : device_(device) {}
  void at_edge() override {
    if (++edges_ == 6) device_.restore(device_.snapshot());
  }
  bool at_end(const RunResult&) override { return false; }
  void host_acts() override {}
  unsigned edges() const { return edges_; }

 private:
  Device& device_;
  unsigned edges_ = 0;
};

TEST(Chaos, goes_on_from_a_snapshot_in_the_midst_of_delays) {
  const Program program = example("ring");
  const auto run = [&](bool copied) {
    DeviceOptions options;
    options.timing = TimingModel::Chaos;
    options.seed = 3;
    Machine machine(options, Firmware::embedded());
    EXPECT_EQ(machine.boot().status, Status::Ok);
    const PreparedProgram prepared = machine.prepare(program);
    Copier copier(machine.device());
    if (copied) machine.device().attend(&copier);
    EXPECT_EQ(machine.run_unsaved(prepared).status, Status::Ok);
    machine.device().attend(nullptr);
    EXPECT_TRUE(!copied || copier.edges() > 6);
    return machine.device().hash();
  };
  EXPECT_EQ(run(true), run(false));
}

}  // namespace
}  // namespace bhemu::host
