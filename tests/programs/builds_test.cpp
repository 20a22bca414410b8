// The two builds of the coprocessor: with a cycle for everything, Full does what Plain does, to the
// last bit of state; with typical windows it still computes what the examples say. And with all
// checks: none of them finds anything in an example, or changes anything.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "host/boot/machine.hpp"
#include "host/program/program.hpp"
#include "host/settings/software.hpp"
#include "support/booted.hpp"
#include "support/narrow.hpp"
#include "tensix/timing.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  const std::filesystem::path folder = std::string(BHEMU_SOURCE_DIR) + "/examples";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Every tile takes the other build of its coprocessor at the edge of each epoch, half of them Full
/// while the others are Plain.
class Switching final : public Attendant {
 public:
  explicit Switching(Device& device) : device_(device) {}
  void at_edge() override {
    ++edges_;
    for (NodeId node = 0; node < device_.board().node_count(); ++node)
      if (tile::Tile* tile = device_.tile_of(node); tile != nullptr && tile->shape().is_tensix())
        tile->set_units((edges_ + node) % 2 == 0 ? &single_cycle_ : nullptr);
  }
  bool at_end(const RunResult&) override { return false; }
  void host_acts() override {}
  u64 edges() const { return edges_; }

 private:
  Device& device_;
  const tensix::Timing single_cycle_ = tensix::Timing::single_cycle();
  u64 edges_ = 0;
};

/// `hash_of(options, switching)`: of the device at the end. `switching`: tiles change their build.
template <class HashOf>
void expect_one_hash(DeviceOptions options, HashOf&& hash_of) {
  const u64 plain = hash_of(options, false);
  EXPECT_EQ(hash_of(options, true), plain) << "tiles change their build";
  options.full = true;
  EXPECT_EQ(hash_of(options, false), plain) << "everything takes a cycle";
  options.full = false;
  for (bool tile::Shortcuts::*shortcut :
       {&tile::Shortcuts::bursts, &tile::Shortcuts::long_turns, &tile::Shortcuts::whole_rows,
        &tile::Shortcuts::known_turns}) {
    options.shortcuts = {};
    options.shortcuts.*shortcut = false;
    EXPECT_EQ(hash_of(options, false), plain);
  }
}

DeviceOptions on_narrow_board() {
  DeviceOptions options;
  options.board = test::narrow();
  return options;
}

class Builds : public testing::TestWithParam<std::string> {
 protected:
  /// The hash of the device at the end. With `boots` it is not booted anew each time.
  u64 run(const DeviceOptions& options, test::Boots* boots = nullptr, bool silently = false,
          bool switching = false) {
    test::Boots own;
    const std::unique_ptr<Machine> machine = (boots != nullptr ? boots : &own)->machine(options);
    Switching builds(machine->device());
    if (switching) machine->device().attend(&builds);
    const Outcome outcome = machine->run_unsaved(prepared_);
    machine->device().attend(nullptr);
    EXPECT_EQ(outcome.status, Status::Ok) << outcome.explanation(120);
    EXPECT_EQ(builds.edges() > 1, switching);
    if (silently) {
      EXPECT_TRUE(outcome.faults.empty()) << outcome.explanation(120);
    }
    return machine->device().hash();
  }

 private:
  const Program program_ =
      load_program(std::string(BHEMU_SOURCE_DIR) + "/examples/" + GetParam() + ".yaml");
  const PreparedProgram prepared_ =
      Machine(on_narrow_board(), Firmware::embedded()).prepare(program_);
};

TEST_P(Builds, give_one_hash_in_either_build_between_them_and_without_each_shortcut) {
  // What a boot leaves to the program in tables of the host: with one example in six.
  const auto names = example_names();
  const auto index = std::find(names.begin(), names.end(), GetParam()) - names.begin();
  test::Boots shared;
  test::Boots* const boots = index % 6 == 0 ? nullptr : &shared;
  expect_one_hash(on_narrow_board(), [&](const DeviceOptions& options, bool switching) {
    return run(options, boots, false, switching);
  });
}

/// What all examples begin with.
TEST(BuildsBoot, gives_one_hash_in_either_build_between_them_and_without_each_shortcut) {
  expect_one_hash({}, [](const DeviceOptions& options, bool switching) {
    Machine machine(options, Firmware::embedded());
    Switching builds(machine.device());
    if (switching) machine.device().attend(&builds);
    EXPECT_EQ(machine.boot().status, Status::Ok);
    machine.device().attend(nullptr);
    EXPECT_EQ(builds.edges() > 1, switching);
    return machine.device().hash();
  });
}

TEST_P(Builds, compute_the_same_with_typical_windows) {
  DeviceOptions windows = on_narrow_board();
  windows.timing = TimingModel::Windows;
  run(windows);
}

TEST_P(Builds, compute_the_same_wherever_in_their_windows_effects_land) {
  DeviceOptions windows = on_narrow_board();
  windows.timing = TimingModel::Windows;
  windows.effects = tensix::Placement::End;
  run(windows);
  windows.effects = tensix::Placement::Drawn;
  windows.seed = 1;
  run(windows);
}

TEST_P(Builds, give_one_hash_with_all_checks_and_nothing_to_tell) {
  DeviceOptions checked = on_narrow_board();
  checked.checks = CheckSet::all();
  checked.software = launched_software();
  EXPECT_EQ(run(on_narrow_board()), run(checked, nullptr, true));
}

INSTANTIATE_TEST_SUITE_P(Examples, Builds, testing::ValuesIn(example_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace bhemu::host
