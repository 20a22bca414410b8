// Whole programs on a whole device, through the host side only.
#include "host/boot/machine.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "host/expect_input_error.hpp"
#include "host/file.hpp"

namespace bhemu::host {
namespace {

// lui a0, 0x100; lui a2, imm; lw a1, 0(a2) (first argument); sw a1, 0(a0); li a0, 0; ret
constexpr u32 kStoreArgument[] = {0x00100537, 0x00009637, 0x00062583,
                                  0x00B52023, 0x00000513, 0x00008067};

class MachineTest : public testing::Test {
 protected:
  MachineTest() {
    std::filesystem::create_directories(directory_);
    std::vector<u8> bytes(sizeof kStoreArgument);
    std::memcpy(bytes.data(), kStoreArgument, bytes.size());
    write_file(directory_ + "/store.bin", bytes);
  }
  ~MachineTest() override { std::filesystem::remove_all(directory_); }

  /// BRISC stores its first argument to 0x100000. The kernel's load address of the argument depends
  /// on the firmware's kernel configuration base.
  Program program(const Firmware& firmware, const std::string& rest) {
    u32 code[std::size(kStoreArgument)];
    std::memcpy(code, kStoreArgument, sizeof code);
    const u32 base = firmware.kernel_config_base();
    code[1] = ((base + 0x800) & 0xFFFFF000) | 0x637;
    code[2] = (base & 0xFFF) << 20 | 0x00062583;
    std::vector<u8> bytes(sizeof code);
    std::memcpy(bytes.data(), code, sizeof code);
    write_file(directory_ + "/store.bin", bytes);
    return parse_program(directory_ + "/p.yaml",
                         "name: store\nkernels: {brisc: {raw: store.bin}}\n" + rest);
  }

  void launch_on_every_tile(BoardModel model, Firmware firmware, size_t tiles) {
    DeviceOptions options;
    options.board = BoardOptions::defaults(model);
    const Program store = program(firmware,
                                  "arguments: {brisc: [1000 + tile.index]}\n"
                                  "expect: [{address: 0x100000, value: 1000 + tile.index}]\n");
    Machine machine(options, std::move(firmware));
    const Outcome booted = machine.boot();
    ASSERT_EQ(booted.status, Status::Ok) << booted.explanation(tiles);
    const PreparedProgram prepared = machine.prepare(store);
    for (int launch = 0; launch < 3; ++launch) {
      const Outcome ran = machine.run(prepared);
      ASSERT_EQ(ran.status, Status::Ok) << ran.explanation(tiles);
      ASSERT_EQ(ran.checks.size(), 1u);
      EXPECT_EQ(ran.checks[0].compared, tiles);
    }
  }

  std::string directory_ = testing::TempDir() + "/bhemu_machine_test." + std::to_string(::getpid());
};

TEST_F(MachineTest, our_firmware_boots_and_launches_again_and_again_on_p100a_and_p150) {
  launch_on_every_tile(BoardModel::P100A, Firmware::embedded(), 120);
  launch_on_every_tile(BoardModel::P150, Firmware::embedded(), 140);
}

/// A program with a tensor that is saved to `path`.
std::string saving(const std::string& path) {
  return "tensors:\n  out:\n    generate: {shape: [32, 32], pattern: constant, value: 0}\n"
         "    dtype: fp32\n    save: " +
         path + "\n";
}

TEST_F(MachineTest, outputs_go_to_regular_or_new_files_only_and_never_over_the_inputs) {
  const Firmware firmware = Firmware::embedded();
  const Board board(BoardOptions::defaults(BoardModel::P100A));
  const auto check = [&](const std::string& path, const std::string& directory = "") {
    const Program saves = program(firmware, saving(path));
    PreparedProgram(saves, board, firmware, u64{1} << 32).check_outputs(directory);
  };
  check("new/folder/out.npy");
  ASSERT_EQ(::mkfifo((directory_ + "/fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("fifo", directory_ + "/link");
  EXPECT_THROW(check("fifo"), InputError);
  EXPECT_THROW(check("link"), InputError);
  EXPECT_THROW(check("."), InputError);
  EXPECT_THROW(check("store.bin"), InputError);
  std::filesystem::create_symlink("store.bin", directory_ + "/kernel");
  EXPECT_THROW(check("kernel"), InputError);
  EXPECT_THROW(check("elsewhere/store.bin", directory_), InputError);
}

TEST_F(MachineTest, a_link_is_followed_when_a_file_is_written) {
  const std::vector<u8> bytes{1, 2, 3};
  std::filesystem::create_symlink("target", directory_ + "/link");
  write_file(directory_ + "/link", bytes);
  EXPECT_TRUE(std::filesystem::is_symlink(directory_ + "/link"));
  EXPECT_EQ(read_file(directory_ + "/target"), bytes);
  ASSERT_EQ(::mkfifo((directory_ + "/fifo").c_str(), 0600), 0);
  EXPECT_THROW(write_file(directory_ + "/fifo", bytes), InputError);
  EXPECT_TRUE(std::filesystem::is_fifo(directory_ + "/fifo"));
}

TEST_F(MachineTest, real_firmware_boots_and_launches_on_p100a_and_p150) {
  const char* directory = std::getenv("BHEMU_FIRMWARE_DIR");
  if (directory == nullptr) GTEST_SKIP() << "BHEMU_FIRMWARE_DIR is not set";
  launch_on_every_tile(BoardModel::P100A, Firmware::load(directory), 120);
  launch_on_every_tile(BoardModel::P150, Firmware::load(directory), 140);
}

TEST_F(MachineTest, tensors_in_dram_and_l1_come_back_as_they_went_in) {
  Firmware firmware = Firmware::embedded();
  const Program copy = program(firmware, R"(tiles: {from: [1, 2], to: [3, 3]}
tensors:
  banked: {generate: {shape: [3, 70, 33], pattern: random, seed: 3}, dtype: bf16,
           expect: {expression: banked}}
  l1: {generate: {shape: [11, 24], pattern: ramp}, dtype: int32, layout: row_major, memory: l1,
       expect: {expression: l1}}
  all: {generate: {shape: [40], pattern: constant, value: 7}, dtype: uint8, memory: l1_replicated,
        expect: {expression: all}}
arguments: {brisc: [1]}
)");
  Machine machine(DeviceOptions{}, std::move(firmware));
  ASSERT_EQ(machine.boot().status, Status::Ok);
  const PreparedProgram prepared = machine.prepare(copy);
  const Outcome ran = machine.run(prepared);
  EXPECT_EQ(ran.status, Status::Ok);
  ASSERT_EQ(ran.checks.size(), 3u);
  for (const Check& check : ran.checks) EXPECT_TRUE(check.passed) << check.what << check.detail;
  // Page 7 of the interleaved tensor: bank 0 again, one stride on.
  const Placement& placement = prepared.tensors()[0].placement;
  u8 page[2048];
  ASSERT_TRUE(machine.device().read_dram(0, placement.address + placement.stride, page));
  const std::vector<u8> pages =
      to_pages(prepared.tensors()[0].initial, Layout::Tile, placement.grid);
  EXPECT_EQ(std::memcmp(page, pages.data() + 7 * 2048, 2048), 0);
}

TEST_F(MachineTest, wrong_result_names_the_first_difference) {
  Firmware firmware = Firmware::embedded();
  const Program wrong = program(firmware, R"(tiles: [[2, 3]]
tensors: {a: {generate: {shape: [32, 32], pattern: ramp}, dtype: bf16, expect: {expression: a + 1}}}
arguments: {brisc: [5]}
expect: [{address: 0x100000, value: 6}]
)");
  Machine machine(DeviceOptions{}, std::move(firmware));
  ASSERT_EQ(machine.boot().status, Status::Ok);
  const PreparedProgram prepared = machine.prepare(wrong);
  const Outcome ran = machine.run(prepared);
  EXPECT_EQ(ran.status, Status::WrongResult);
  ASSERT_EQ(ran.checks.size(), 2u);
  EXPECT_EQ(ran.checks[0].detail, "at [0, 0]: expected 1 (0x3f80), got 0 (0x0000)");
  EXPECT_NE(ran.checks[1].detail.find("tile (2, 3): expected 0x6, got 0x5"), std::string::npos);
}

TEST_F(MachineTest, cycle_limit_stops_a_run) {
  Machine machine(DeviceOptions{}, Firmware::embedded());
  machine.set_limit(1000);
  const Outcome booted = machine.boot();
  EXPECT_EQ(booted.status, Status::Hang);
  EXPECT_TRUE(booted.cycle_limit);
  EXPECT_EQ(booted.unfinished.size(), 120u);
}

TEST_F(MachineTest, mistakes_that_need_the_board_have_a_place) {
  Firmware firmware = Firmware::embedded();
  const auto refuses = [&](const std::string& rest, const std::string& message,
                           const std::string& place) {
    const Program bad = program(firmware, rest);
    const Board board(BoardOptions::defaults(BoardModel::P100A));
    test::expect_input_error([&] { PreparedProgram(bad, board, firmware, u64{1} << 30); }, message,
                             place);
  };
  refuses("tiles: [[16, 2]]\n", "no live Tensix tile", "3:9");
  refuses("arguments: {brisc: [1 + tensor.x.address]}\n", "unknown name 'tensor.x.address'",
          "3:25");
  refuses("arguments: {brisc: [semaphore(1)]}\n", "no semaphore 1", "3:21");
  refuses("arguments: {brisc: [cb(0)]}\n", "no circular buffer 0", "3:21");
  refuses("arguments: {brisc: [splt.start(3)]}\n", "did you mean 'split.start'?", "3:21");
  refuses("arguments: {brisc: [1.5]}\n", "write float(1.5)", "3:21");
  refuses("circular_buffers: [{index: 0, page_size: 65536, pages: 100}]\n", "do not fit L1",
          "3:20");
  refuses("tensors: {a: {file: missing.npy, dtype: bf16}}\n", "cannot open", "");
  refuses("expect: [{tile: [20, 2], address: 0, value: 1}]\n", "none of the program's tiles",
          "3:10");
  refuses(
      "tensors: {a: {generate: {shape: [4], pattern: ramp}, dtype: int8, "
      "expect: {expression: b}}}\n",
      "no tensor is called 'b'", "3:88");
}

}  // namespace
}  // namespace bhemu::host
