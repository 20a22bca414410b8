// A device restored from a snapshot goes on exactly as the one it was taken of.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "device/image.hpp"
#include "host/boot/machine.hpp"
#include "host/boot/mailboxes.hpp"
#include "host/program/program.hpp"
#include "trace/observer.hpp"

namespace bhemu::host {
namespace {

class Snapshot : public testing::TestWithParam<const char*> {};

/// Stopped in the middle: `cycles` after the program's start.
void run_into(Machine& machine, const Program& program, Cycle cycles) {
  ASSERT_EQ(machine.boot().status, Status::Ok);
  const PreparedProgram prepared = machine.prepare(program);
  machine.set_limit(cycles);
  machine.run(prepared, testing::TempDir());
}

TEST_P(Snapshot, a_restored_device_goes_on_as_the_first_for_any_threads_and_parking) {
  const Program program =
      load_program(std::string(BHEMU_SOURCE_DIR) + "/examples/" + GetParam() + ".yaml");
  constexpr Cycle kRest = 40'000;
  for (const Cycle cut : {700, 3000, 9000}) {
    Machine machine(DeviceOptions{}, Firmware::embedded());
    run_into(machine, program, cut);
    const std::vector<u8> snapshot = machine.device().snapshot();
    const u64 hash = machine.device().hash();
    machine.device().advance(kRest);
    const u64 end = machine.device().hash();
    EXPECT_NE(hash, end);
    for (const bool parking : {true, false}) {
      DeviceOptions options;
      options.parking = parking;
      options.threads = parking ? 2 : 1;
      Device device(options);
      device.advance(12345);  // what was there before does not matter
      ASSERT_TRUE(device.write32({1, 2}, 0x1000, 0xDEAD));
      device.restore(snapshot);
      EXPECT_EQ(device.hash(), hash) << cut;
      device.advance(kRest);
      EXPECT_EQ(device.hash(), end) << cut;
    }
  }
}

TEST_P(Snapshot, a_clone_and_its_original_do_not_disturb_each_other) {
  const Program program =
      load_program(std::string(BHEMU_SOURCE_DIR) + "/examples/" + GetParam() + ".yaml");
  Machine machine(DeviceOptions{}, Firmware::embedded());
  run_into(machine, program, 2000);
  Device clone = machine.device().clone();
  clone.advance(20'000);
  machine.device().advance(20'000);
  EXPECT_EQ(clone.hash(), machine.device().hash());
  ASSERT_TRUE(clone.write32({1, 2}, 0x1000, 0xDEAD));
  EXPECT_NE(clone.hash(), machine.device().hash());
}

// Nodes of a clone are made when they are needed: at the first cycle, by a packet, by the host.
TEST_P(Snapshot, clones_of_a_clone_go_on_as_the_original_for_any_threads_and_parking) {
  const Program program =
      load_program(std::string(BHEMU_SOURCE_DIR) + "/examples/" + GetParam() + ".yaml");
  for (const bool parking : {true, false}) {
    DeviceOptions options;
    options.parking = parking;
    options.threads = parking ? 2 : 1;
    Machine machine(options, Firmware::embedded());
    run_into(machine, program, 3000);
    Device& original = machine.device();
    Device pattern = original.clone();
    Device first = pattern.clone();
    Device second = pattern.clone();
    EXPECT_EQ(second.faults().size(), original.faults().size());
    for (const Cycle rest : {Cycle{64}, Cycle{5000}, Cycle{40'000}}) {
      original.advance(rest);
      first.advance(rest);
      EXPECT_EQ(first.cycle(), original.cycle());
    }
    EXPECT_EQ(first.hash(), original.hash());
    const Totals one = first.totals();
    const Totals other = original.totals();
    EXPECT_EQ(one.riscv_instructions, other.riscv_instructions);
    EXPECT_EQ(one.noc_packets, other.noc_packets);
    // What one clone has done is not in the next, nor in their pattern.
    second.advance(original.cycle() - second.cycle());  // steps end at edges
    EXPECT_EQ(second.hash(), original.hash());
    pattern.advance(original.cycle() - pattern.cycle());
    EXPECT_EQ(pattern.hash(), original.hash());
  }
}

TEST(Clones, differ_by_what_their_hosts_write_and_by_nothing_else) {
  Machine machine(DeviceOptions{}, Firmware::embedded());
  ASSERT_EQ(machine.boot().status, Status::Ok);
  Device& original = machine.device();
  original.advance(20'000);  // every tile waits for work
  Device pattern = original.clone();
  Device written = pattern.clone();
  Device read = pattern.clone();
  for (Device* device : {&original, &written}) {
    ASSERT_TRUE(device->write32({3, 4}, 0x100000, 0xDEAD));
    device->advance(3000);
    ASSERT_TRUE(device->write32({1, 2}, 0x100000, 0xBEEF));
  }
  u32 value = 1;
  ASSERT_TRUE(read.read32({3, 4}, 0x100000, value));
  EXPECT_EQ(value, 0u);
  read.advance(3000);
  EXPECT_NE(read.hash(), original.hash());
  EXPECT_EQ(written.hash(), original.hash());
  // A clone that was written to is cloned with what was written.
  Device again = written.clone();
  ASSERT_TRUE(again.read32({1, 2}, 0x100000, value));
  EXPECT_EQ(value, 0xBEEFu);
  EXPECT_EQ(again.hash(), original.hash());
}

TEST(Clones, a_device_in_use_takes_an_image_over_whole) {
  Machine machine(DeviceOptions{}, Firmware::embedded());
  ASSERT_EQ(machine.boot().status, Status::Ok);
  Device& original = machine.device();
  const std::shared_ptr<const DeviceImage> image = original.image();
  Device device(DeviceOptions{});
  device.advance(777);
  ASSERT_TRUE(device.write32({1, 2}, 0x100000, 0xDEAD));
  device.take_over(image);
  device.advance(9000);
  original.advance(9000);
  EXPECT_EQ(device.hash(), original.hash());

  DeviceOptions reference;
  reference.timing = TimingModel::Reference;
  Device slow(reference);
  const u64 hash = slow.hash();
  EXPECT_THROW(slow.take_over(image), ArchiveError);
  EXPECT_EQ(slow.hash(), hash);
}

// When firmware is ready its cores still run for some hundred cycles, until they wait for work. Of
// an image at rest they do that when somebody looks at them: no host may see a difference.
class AtRest : public testing::Test {
 protected:
  struct End {
    RunStatus status;
    Cycle cycle, sleeps_until;
    u64 edges, hash;
    u32 clock;
    bool operator==(const End&) const = default;
  };
  using Act = std::function<void(Device&)>;

  AtRest() {
    Machine machine(DeviceOptions{}, Firmware::embedded());
    EXPECT_EQ(machine.boot().status, Status::Ok);
    begin_ = machine.device().cycle();
    whole_ = machine.device().image();
    at_rest_ = machine.device().image_at_rest();
  }

  static End end_of(const std::shared_ptr<const DeviceImage>& image, Cycle wait, unsigned threads,
                    const Act& act) {
    DeviceOptions options;
    options.threads = threads;
    Device device(options);
    device.take_over(image);
    if (wait != 0) device.advance(wait);
    End end{};
    EXPECT_TRUE(device.read32({2, 3}, 0xFFB121F0, end.clock));
    act(device);
    end.sleeps_until = device.sleeps_until();
    const RunResult ran = device.run(1'000'000, [&end] {
      ++end.edges;
      return false;
    });
    end.status = ran.status;
    end.cycle = ran.cycle;
    end.hash = device.hash();
    return end;
  }
  void expect_no_difference(const Act& act) const {
    for (const Cycle wait : {0, 1, 300, 600, 5000})
      for (const unsigned threads : {1, 2})
        EXPECT_TRUE(end_of(whole_, wait, 1, act) == end_of(at_rest_, wait, threads, act))
            << "after " << wait << " cycles with " << threads << " threads";
  }

  Cycle begin_ = 0;
  std::shared_ptr<const DeviceImage> whole_, at_rest_;
};

TEST_F(AtRest, nodes_are_made_when_somebody_looks_at_them) {
  EXPECT_FALSE(whole_->is_at_rest());
  ASSERT_TRUE(at_rest_->is_at_rest());
  Cycle last = 0;
  for (NodeId node = 0; node < at_rest_->header().nodes; ++node)
    last = std::max(last, at_rest_->part(node).rests);
  EXPECT_GT(last, begin_);
  expect_no_difference([](Device&) {});
}

TEST_F(AtRest, a_host_may_write_before_all_wait) {
  expect_no_difference([](Device& device) {
    EXPECT_TRUE(device.write32({1, 2}, 0x100000, 0xBEEF));
  });
}

TEST_F(AtRest, a_host_may_hold_tiles_that_are_at_work) {
  expect_no_difference([](Device& device) {
    for (const Coord tile : device.board().tensix()) {
      if (tile.x % 3 == 0) continue;
      EXPECT_TRUE(device.write32(tile, kSoftReset0, kSoftResetAll));
    }
  });
}

TEST_F(AtRest, a_program_may_start_before_all_wait) {
  const Program program =
      load_program(std::string(BHEMU_SOURCE_DIR) + "/examples/matmul_multicast.yaml");
  const Firmware firmware = Firmware::embedded();
  const Device any(DeviceOptions{});
  const PreparedProgram prepared(program, any.board(), firmware, any.dram_bank_bytes());
  expect_no_difference([&](Device& device) { prepared.start(device, firmware); });
}

TEST_F(AtRest, who_looks_on_sees_all_nodes) {
  Device watched(DeviceOptions{});
  watched.take_over(at_rest_);
  unsigned nodes = 0;
  watched.observe([&nodes](NodeId) -> std::unique_ptr<trace::Observer> {
    ++nodes;
    return nullptr;
  });
  watched.run(kNever);
  EXPECT_EQ(nodes, at_rest_->header().nodes);
  Device plain(DeviceOptions{});
  plain.take_over(whole_);
  plain.run(kNever);
  EXPECT_EQ(watched.hash(), plain.hash());
}

TEST_F(AtRest, other_options_make_all_that_acts_at_once) {
  DeviceOptions unparked;
  unparked.parking = false;
  std::vector<u64> hashes;
  for (const auto& image : {whole_, at_rest_}) {
    Device device(unparked);
    device.take_over(image);
    device.advance(20'000);
    hashes.push_back(device.hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

// What a node has in its memory when it is made, and has no longer, is not there in its clone.
TEST(Clones, do_not_get_back_what_the_host_has_overwritten_with_zeros) {
  DeviceOptions options;
  options.board = BoardOptions::defaults(BoardModel::P150);
  Device original(options);
  const TileSite* ethernet = nullptr;
  for (const TileSite& site : original.board().sites())
    if (site.kind == noc::NodeKind::Ethernet && site.node != kNoNode) ethernet = &site;
  ASSERT_NE(ethernet, nullptr);
  constexpr u64 kFirmware = 0x70000;
  std::vector<u8> page(4096);
  ASSERT_TRUE(original.read(ethernet->node, kFirmware, page));
  EXPECT_TRUE(std::ranges::any_of(page, [](u8 byte) { return byte != 0; }));
  page.assign(page.size(), 0);
  ASSERT_TRUE(original.write(ethernet->node, kFirmware, page));
  Device clone = original.clone();
  std::vector<u8> copy(page.size(), 1);
  ASSERT_TRUE(clone.read(ethernet->node, kFirmware, copy));
  EXPECT_EQ(copy, page);
  EXPECT_EQ(clone.hash(), original.hash());
}

INSTANTIATE_TEST_SUITE_P(Examples, Snapshot,
                         testing::Values("add_scalar", "ring", "matmul_hifi2", "reduce_sum_all"),
                         [](const auto& info) { return std::string(info.param); });

std::string refusal(Device& device, std::span<const u8> snapshot) {
  try {
    device.restore(snapshot);
  } catch (const ArchiveError& error) {
    return error.what();
  }
  return "";
}

TEST(Snapshots, what_does_not_fit_is_refused_and_changes_nothing) {
  Device device(DeviceOptions{});
  ASSERT_TRUE(device.write32({1, 2}, 0x40, 1));
  const u64 hash = device.hash();
  Device source(DeviceOptions{});
  ASSERT_TRUE(source.write32({3, 4}, 0x80, 2));
  const std::vector<u8> good = source.snapshot();

  DeviceOptions p150;
  p150.board = BoardOptions::defaults(BoardModel::P150);
  Device other(p150);
  EXPECT_NE(refusal(other, good).find("another board"), std::string::npos);
  DeviceOptions reference;
  reference.timing = TimingModel::Reference;
  Device slow(reference);
  EXPECT_NE(refusal(slow, good).find("timing"), std::string::npos);

  EXPECT_NE(refusal(device, {}).find("cut short"), std::string::npos);
  EXPECT_NE(refusal(device, std::span(good).first(good.size() - 1)).find("cut short"),
            std::string::npos);
  std::vector<u8> bad = good;
  bad[good.size() / 2] ^= 1;
  EXPECT_NE(refusal(device, bad).find("checksum"), std::string::npos);
  bad = good;
  bad[0] = 'x';
  EXPECT_NE(refusal(device, bad).find("no snapshot"), std::string::npos);
  bad = good;
  bad[8] = 99;
  EXPECT_NE(refusal(device, bad).find("version"), std::string::npos);
  EXPECT_EQ(device.hash(), hash);
  EXPECT_EQ(refusal(device, good), "");
  EXPECT_EQ(device.hash(), source.hash());
}

}  // namespace
}  // namespace bhemu::host
