// Boots that are kept in files: what goes on from one is what booted, to the bit, and what is not
// of this boot is not taken.
#include "host/boot/boot_cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/build_id.hpp"
#include "host/boot/machine.hpp"
#include "host/error.hpp"
#include "host/file.hpp"
#include "host/program/program.hpp"
#include "support/narrow.hpp"

namespace bhemu::host {
namespace {

namespace fs = std::filesystem;

DeviceOptions half_board() {
  DeviceOptions options;
  options.board = test::narrow();
  return options;
}

class BootCaches : public testing::Test {
 protected:
  BootCaches() { fs::remove_all(folder_); }
  ~BootCaches() override { fs::remove_all(folder_); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    if (fs::exists(folder_))
      for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
        all.push_back(entry.path());
    return all;
  }

  struct Booted {
    std::unique_ptr<Machine> machine;
    Outcome outcome;
  };
  Booted boot(const DeviceOptions& options) const {
    Booted booted;
    booted.machine = std::make_unique<Machine>(options, Firmware::embedded());
    booted.machine->set_boot_cache(BootCache(folder_));
    // Asked in each slice of a boot that is done; of one that is taken over nobody asks.
    bool asked = false;
    booted.machine->set_progress([&asked](const Totals&) { return asked = true; });
    booted.outcome = booted.machine->boot();
    booted.machine->set_progress(nullptr);
    EXPECT_EQ(booted.outcome.kept, !asked);
    return booted;
  }

  const std::string folder_ =
      (fs::temp_directory_path() / ("bhemu-boots-" + std::to_string(::getpid()))).string();
};

void expect_alike(const Outcome& one, const Outcome& other) {
  EXPECT_EQ(one.status, other.status);
  EXPECT_EQ(one.cycle, other.cycle);
  EXPECT_EQ(one.totals.riscv_instructions, other.totals.riscv_instructions);
  EXPECT_EQ(one.totals.tensix_instructions, other.totals.tensix_instructions);
  EXPECT_EQ(one.totals.noc_packets, other.totals.noc_packets);
  EXPECT_EQ(one.totals.noc_bytes, other.totals.noc_bytes);
}

TEST_F(BootCaches, a_kept_boot_is_the_boot_and_runs_programs_as_it) {
  const Program program =
      load_program(std::string(BHEMU_SOURCE_DIR) + "/examples/matmul_hifi2.yaml");
  const DeviceOptions options;
  Booted first = boot(options);
  ASSERT_EQ(first.outcome.status, Status::Ok);
  EXPECT_FALSE(first.outcome.kept);
  ASSERT_EQ(files().size(), 1u);
  Booted second = boot(options);
  EXPECT_TRUE(second.outcome.kept);
  Machine plain(options, Firmware::embedded());
  expect_alike(plain.boot(), first.outcome);
  expect_alike(second.outcome, first.outcome);
  EXPECT_EQ(second.machine->device().hash(), plain.device().hash());

  Booted third = boot(options);
  std::vector<u64> hashes;
  for (Machine* machine : {first.machine.get(), third.machine.get(), &plain}) {
    const Outcome ran = machine->run_unsaved(machine->prepare(program));
    EXPECT_EQ(ran.status, Status::Ok);
    hashes.push_back(machine->device().hash());
  }
  EXPECT_EQ(hashes[0], hashes[2]);
  EXPECT_EQ(hashes[1], hashes[2]);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(BootCaches, are_found_by_board_and_timing_and_not_by_threads) {
  DeviceOptions narrow = half_board();
  boot(narrow);
  narrow.threads = 2;
  EXPECT_TRUE(boot(narrow).outcome.kept);
  narrow.timing = TimingModel::Reference;
  EXPECT_FALSE(boot(narrow).outcome.kept);
  EXPECT_TRUE(boot(narrow).outcome.kept);
  narrow.shortcuts.bursts = false;
  EXPECT_FALSE(boot(narrow).outcome.kept);
  EXPECT_FALSE(boot(DeviceOptions{}).outcome.kept);
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(BootCaches, are_found_by_severity_and_checks) {
  const DeviceOptions options = half_board();
  boot(options);
  DeviceOptions other = options;
  other.faults.severity[0] =
      other.faults.severity[0] == Severity::Warn ? Severity::Error : Severity::Warn;
  EXPECT_FALSE(boot(other).outcome.kept);
  other = options;
  other.checks = CheckSet::usual();
  EXPECT_FALSE(boot(other).outcome.kept);
  Device device(options);
  EXPECT_TRUE(BootCache(folder_).resume(device, Firmware::embedded()));
  EXPECT_EQ(files().size(), 3u);
}

// As a library's user boots, who counts nothing: no tile is made but the one that is looked at.
TEST_F(BootCaches, a_device_that_only_some_tiles_are_used_of_is_the_same) {
  const DeviceOptions options = half_board();
  const Firmware firmware = Firmware::embedded();
  std::vector<u64> hashes;
  for (int round = 0; round < 3; ++round) {
    Device device(options);
    BootCache cache(folder_);
    if (!cache.resume(device, firmware)) {
      EXPECT_EQ(round, 0);
      upload(device, firmware);
      GoWatcher watcher(device, firmware, device.board().tensix());
      device.run(kNever, [&] { return watcher.all_done(); });
      cache.keep(device);
    }
    device.write32(device.board().tensix()[7], 0x100000, 0x55);
    device.advance(3000);
    hashes.push_back(device.hash());
  }
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
}

TEST_F(BootCaches, a_boot_that_may_have_written_to_the_host_is_not_kept) {
  Machine machine(half_board(), Firmware::embedded());
  std::vector<u8> memory(4096);
  machine.device().set_host_memory(memory, 0);
  machine.set_boot_cache(BootCache(folder_));
  EXPECT_EQ(machine.boot().status, Status::Ok);
  EXPECT_TRUE(files().empty());
  machine.device().set_host_memory(nullptr);
}

TEST_F(BootCaches, a_damaged_file_counts_as_none_and_is_replaced) {
  const DeviceOptions options = half_board();
  const Outcome first = boot(options).outcome;
  const fs::path file = files().at(0);
  const std::vector<u8> good = read_file(file.string());
  std::vector<u8> flipped = good;
  flipped[good.size() / 2] ^= 0x10;
  const std::vector<u8> cut(good.begin(), good.begin() + static_cast<long>(good.size() / 3));
  const std::vector<u8> other(100, 7);
  for (const std::vector<u8>& bad : {flipped, cut, other, std::vector<u8>{}}) {
    write_file(file.string(), bad);
    const Booted again = boot(options);
    EXPECT_FALSE(again.outcome.kept);
    expect_alike(again.outcome, first);
    EXPECT_EQ(read_file(file.string()).size(), good.size());
  }
  EXPECT_TRUE(boot(options).outcome.kept);
}

TEST_F(BootCaches, who_looks_on_sees_the_boot_itself) {
  const DeviceOptions options = half_board();
  boot(options);
  struct Onlooker final : Attendant {
    void at_edge() override { ++edges; }
    bool at_end(const RunResult&) override { return false; }
    void host_acts() override {}
    unsigned edges = 0;
  } onlooker;
  Machine machine(options, Firmware::embedded());
  machine.set_boot_cache(BootCache(folder_));
  machine.device().attend(&onlooker);
  EXPECT_EQ(machine.boot().status, Status::Ok);
  EXPECT_GT(onlooker.edges, 0u);
}

TEST_F(BootCaches, a_device_to_which_something_was_done_boots_itself_and_is_not_kept) {
  const DeviceOptions options = half_board();
  Machine machine(options, Firmware::embedded());
  machine.set_boot_cache(BootCache(folder_));
  const Coord tile = machine.device().board().tensix()[0];
  ASSERT_TRUE(machine.device().write32(tile, 0x100000, 0x1234));
  EXPECT_EQ(machine.boot().status, Status::Ok);
  EXPECT_TRUE(files().empty());
  u32 value = 0;
  ASSERT_TRUE(machine.device().read32(tile, 0x100000, value));
  EXPECT_EQ(value, 0x1234u);
}

TEST_F(BootCaches, a_boot_that_may_end_early_is_neither_kept_nor_taken) {
  const DeviceOptions options = half_board();
  Machine machine(options, Firmware::embedded());
  machine.set_boot_cache(BootCache(folder_));
  machine.set_limit(100);
  EXPECT_EQ(machine.boot().status, Status::Hang);
  EXPECT_TRUE(files().empty());
  boot(options);
  Machine limited(options, Firmware::embedded());
  limited.set_boot_cache(BootCache(folder_));
  limited.set_limit(100);
  EXPECT_EQ(limited.boot().status, Status::Hang);
}

TEST_F(BootCaches, the_ones_that_nobody_has_used_for_longest_go) {
  const DeviceOptions options = half_board();
  boot(options);
  const fs::path kept = files().at(0);
  const auto before = fs::last_write_time(kept);
  for (unsigned i = 0; i < BootCache::kMostKept + 3; ++i) {
    const fs::path old = fs::path(folder_) / ("boot-" + std::to_string(i) + ".image");
    write_file(old.string(), std::vector<u8>{1});
    fs::last_write_time(old, before - std::chrono::hours(i + 1));
  }
  const fs::path foreign = fs::path(folder_) / "notes.txt";
  write_file(foreign.string(), std::vector<u8>{1});
  fs::last_write_time(foreign, before - std::chrono::hours(1000));
  DeviceOptions other = options;
  other.timing = TimingModel::Reference;
  boot(other);
  EXPECT_EQ(files().size(), BootCache::kMostKept + 1);
  EXPECT_TRUE(fs::exists(kept));
  EXPECT_TRUE(fs::exists(foreign));
  EXPECT_TRUE(fs::exists(fs::path(folder_) / "boot-0.image"));
  EXPECT_FALSE(fs::exists(fs::path(folder_) / "boot-34.image"));
}

TEST_F(BootCaches, a_folder_that_cannot_be_made_is_named) {
  const std::string file = folder_ + "-file";
  write_file(file, std::vector<u8>{1});
  Machine machine(half_board(), Firmware::embedded());
  machine.set_boot_cache(BootCache(file + "/boots"));
  try {
    machine.boot();
    ADD_FAILURE() << "the boot was kept where nothing can be";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(file), std::string::npos);
  }
  EXPECT_EQ(machine.device().cycle(), 0u);  // said before the boot
  fs::remove(file);
}

TEST(BuildIds, are_what_the_linker_has_given_this_program) {
  const std::string id = build_id();
  EXPECT_EQ(id.size(), 40u);  // sha1
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(id, build_id());
}

}  // namespace
}  // namespace bhemu::host
