// The C++ API, and through it the C API: programs on cores, register files, faults, copies.
#include <gtest/gtest.h>

#include <bhemu/bhemu.hpp>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using bhemu_api::Device;
using bhemu_api::Error;
using bhemu_api::Tile;

constexpr Tile kTile{3, 4};
constexpr std::uint32_t kForever = 0x6F;  // jal x0, 0

std::string firmware(const char* name) {
  return std::string(BHEMU_SOURCE_DIR) + "/firmware/prebuilt/" + name;
}

TEST(CppApi, every_core_starts_where_it_is_told) {
  Device device(BHEMU_P100A);
  for (unsigned core = 0; core < 5; ++core) {
    const std::uint32_t base = 0x8000 + core * 0x400;
    // lui x5, 0x20; addi x6, x0, core + 1; sw x6, core * 4(x5)
    const std::vector<std::uint32_t> code{0x000202B7, (core + 1) << 20 | 0x313,
                                          6u << 20 | 5u << 15 | 2u << 12 | (core * 4) << 7 | 0x23,
                                          kForever};
    device.write(kTile, base, code);
    device.start_core(kTile, static_cast<bhemu_core>(core), base);
  }
  device.run([&] {
    for (unsigned core = 0; core < 5; ++core)
      if (device.read32(kTile, 0x20000 + core * 4) != core + 1) return false;
    return true;
  });
  for (unsigned core = 0; core < 5; ++core) {
    const bhemu_core_state state = device.core(kTile, static_cast<bhemu_core>(core));
    EXPECT_EQ(state.x[6], core + 1);
    EXPECT_EQ(state.pc, 0x8000 + core * 0x400 + 12);
    EXPECT_TRUE(state.status == BHEMU_CORE_RUNNING || state.status == BHEMU_CORE_PARKED);
    EXPECT_GE(state.instructions, 3u);
    device.hold_core(kTile, static_cast<bhemu_core>(core));
    EXPECT_EQ(device.core(kTile, static_cast<bhemu_core>(core)).status, BHEMU_CORE_RESET);
  }
}

TEST(CppApi, an_elf_is_loaded_with_its_local_memory) {
  Device device(BHEMU_P150);
  const std::uint32_t entry = device.load_elf(kTile, BHEMU_BRISC, firmware("brisc.elf"));
  EXPECT_NE(device.read32(kTile, entry), 0u);
  EXPECT_THROW(device.load_elf(kTile, BHEMU_BRISC, "/nowhere.elf"), Error);
  EXPECT_THROW(device.load_elf({8, 0}, BHEMU_BRISC, firmware("brisc.elf")), Error);
}

/// What a device says of a kernel that waits for ever, when its code was written as bytes.
std::string report_of_bytes(const std::string& registered) {
  const std::string kernel =
      std::string(BHEMU_SOURCE_DIR) + "/kernels/prebuilt/stuck_semaphore/brisc.elf";
  constexpr std::uint32_t kBytes = 0x1000;
  Device known(BHEMU_P100A);
  const std::uint32_t entry = known.load_elf(kTile, BHEMU_BRISC, kernel);
  const auto code = known.read<std::uint8_t>(kTile, entry, kBytes);
  Device device(BHEMU_P100A);
  device.write(kTile, entry, code);
  if (!registered.empty()) device.register_elf(registered);
  device.start_core(kTile, BHEMU_BRISC, entry);
  try {
    device.run([] { return false; });
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), BHEMU_HANG);
    return error.what();
  }
  return "it does not hang";
}

TEST(CppApi, code_that_was_written_as_bytes_is_found_in_registered_elfs) {
  const std::string folder = std::string(BHEMU_SOURCE_DIR) + "/kernels/prebuilt";
  const std::string source = "launch.h:";
  EXPECT_EQ(report_of_bytes("").find(source), std::string::npos);
  EXPECT_NE(report_of_bytes(folder).find(source), std::string::npos);
  EXPECT_NE(report_of_bytes(folder + "/stuck_semaphore/brisc.elf").find(source), std::string::npos);
  EXPECT_EQ(report_of_bytes(firmware("trisc1.elf")).find(source), std::string::npos);
  setenv("BHEMU_ELF", folder.c_str(), 1);
  EXPECT_NE(report_of_bytes("").find(source), std::string::npos);
  setenv("BHEMU_ELF", "/nowhere.elf", 1);
  EXPECT_THROW(Device{BHEMU_P100A}, Error);
  unsetenv("BHEMU_ELF");
  Device device(BHEMU_P100A);
  EXPECT_THROW(device.register_elf("/nowhere.elf"), Error);
  EXPECT_EQ(bhemu_register_elf(device.handle(), nullptr), BHEMU_BAD_INPUT);
}

TEST(CppApi, registers_of_the_coprocessor_can_be_read) {
  Device device(BHEMU_P100A);
  // BRISC writes GPR 5 of thread 1: lui x5, 0xffe00; addi x6, x0, 77; sw x6, 0x114(x5)
  device.write(kTile, 0,
               std::vector<std::uint32_t>{
                   0xFFE002B7, 77u << 20 | 0x313,
                   8u << 25 | 6u << 20 | 5u << 15 | 2u << 12 | 0x14u << 7 | 0x23, kForever});
  device.start_core(kTile, BHEMU_BRISC, 0);
  device.advance(2000);
  EXPECT_EQ(device.registers(kTile, BHEMU_GPR).at(64 + 5), 77u);
  EXPECT_EQ(device.registers(kTile, BHEMU_LREG).at(10 * 32), 0x3F800000u);  // constant 1.0
  EXPECT_EQ(device.registers(kTile, BHEMU_DST16).size(), 1024u * 16);
  EXPECT_EQ(bhemu_register_words(99), 0u);
  std::uint32_t word = 0;
  EXPECT_EQ(bhemu_read_registers(device.handle(), 3, 4, BHEMU_GPR, 191, 2, &word), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_read_registers(device.handle(), 0, 0, BHEMU_GPR, 0, 1, &word), BHEMU_BAD_INPUT);
}

TEST(CppApi, circular_buffers_are_read_from_the_launch_message) {
  Device device(BHEMU_P100A);
  EXPECT_TRUE(device.circular_buffers(kTile).empty());
  device.write32(kTile, 0x70, 0x9000);          // kernel configuration
  device.write32(kTile, 0x70 + 0x40, 1u << 2);  // buffer 2
  device.write(kTile, 0x9020, std::vector<std::uint32_t>{0x40000, 4096, 2, 2048});
  device.write32(kTile, 0xFFB40000 + 2 * 0x1000 + 0x28, 7);
  device.write32(kTile, 0xFFB40000 + 2 * 0x1000 + 0x20, 6);
  const auto buffers = device.circular_buffers(kTile);
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_EQ(buffers[0].index, 2u);
  EXPECT_EQ(buffers[0].address, 0x40000u);
  EXPECT_EQ(buffers[0].page_size, 2048u);
  EXPECT_EQ(buffers[0].received, 7u);
  EXPECT_EQ(buffers[0].acked, 6u);
  device.write32(kTile, 0x9020 + 8, 3);  // three pages of 2048 bytes in 4096
  EXPECT_THROW(device.circular_buffers(kTile), Error);
  std::size_t count = 0;
  EXPECT_EQ(bhemu_circular_buffers(device.handle(), 8, 0, nullptr, 0, &count), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_circular_buffers(device.handle(), 3, 4, nullptr, 0, nullptr), BHEMU_BAD_INPUT);
}

TEST(CppApi, faults_are_values_and_runs_throw_their_report) {
  Device device(BHEMU_P100A);
  device.write32(kTile, 0, 0xFFFFFFFF);
  device.start_core(kTile, BHEMU_BRISC, 0);
  try {
    device.run([] { return false; });
    FAIL() << "an illegal instruction went by";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), BHEMU_FAULT);
    EXPECT_NE(std::string(error.what()).find("(3, 4)"), std::string::npos) << error.what();
  }
  const auto faults = device.faults();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_TRUE(faults[0].is_error);
  EXPECT_EQ(faults[0].tile.x, 3u);
  EXPECT_EQ(faults[0].pc, 0u);
  EXPECT_FALSE(faults[0].rule.empty());
  bhemu_fault fault{};
  EXPECT_EQ(bhemu_get_fault(device.handle(), 1, &fault), BHEMU_BAD_INPUT);
  device.clear_faults();
  EXPECT_TRUE(device.faults().empty());
}

TEST(CppApi, a_rule_is_taken_as_its_level_says) {
  Device device(BHEMU_P100A);
  // lui x5, 0xffe40; lui x6, 0x1a000 (SETASHRMH0); sw x6, 0(x5)
  device.write(kTile, 0, std::vector<std::uint32_t>{0xFFE402B7, 0x1A000337, 0x0062A023, kForever});
  device.set_rule("fpu-shift-mask", BHEMU_RULE_WARN);
  device.start_core(kTile, BHEMU_BRISC, 0);
  device.advance(1000);
  const auto faults = device.faults();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].rule, "fpu-shift-mask");
  EXPECT_FALSE(faults[0].is_error);
  EXPECT_THROW(device.set_rule("no-such-rule", BHEMU_RULE_ERROR), Error);
  EXPECT_EQ(bhemu_set_rule(device.handle(), "fpu-shift-mask", 7), BHEMU_BAD_INPUT);
}

TEST(CppApi, what_the_predicate_throws_comes_out_of_run) {
  Device device(BHEMU_P100A);
  EXPECT_THROW(device.run([]() -> bool { throw std::out_of_range("x"); }), std::out_of_range);
}

TEST(CppApi, snapshots_and_clones_go_on_as_the_original) {
  Device device(BHEMU_P100A);
  // Counts in L1 for ever.
  device.write(kTile, 0,
               std::vector<std::uint32_t>{0x00020337, 0x00128293, 0x00532023, 0xFF9FF06F});
  device.start_core(kTile, BHEMU_BRISC, 0);
  device.advance(5000);
  const auto snapshot = device.snapshot();
  Device clone = device.clone();
  Device restored(BHEMU_P100A);
  restored.restore(snapshot);
  for (Device* each : {&device, &clone, &restored}) each->advance(5000);
  EXPECT_EQ(device.hash(), clone.hash());
  EXPECT_EQ(device.hash(), restored.hash());
  EXPECT_GT(device.read32(kTile, 0x20000), 1000u);
  Device other(BHEMU_P150);
  EXPECT_THROW(other.restore(snapshot), Error);
}

TEST(CppApi, instructions_have_a_text) {
  char text[64];
  EXPECT_GT(bhemu_disassemble_riscv(0x00128293, 0, text, sizeof text), 0u);
  EXPECT_NE(std::string(text).find("addi"), std::string::npos);
  EXPECT_GT(bhemu_disassemble_tensix(0x02000000, text, sizeof text), 0u);
  EXPECT_EQ(std::string(text).find("NOP"), 0u) << text;
  EXPECT_EQ(bhemu_disassemble_tensix(0x02000000, text, 3), std::strlen("NOP"));
  EXPECT_EQ(std::string(text), "NO");
}

TEST(CApiMisuse, null_pointers_and_bad_cores_are_refused) {
  EXPECT_EQ(bhemu_advance(nullptr, 1), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_start_core(nullptr, 1, 2, BHEMU_BRISC, 0), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_fault_count(nullptr), 0u);
  EXPECT_EQ(bhemu_clone(nullptr), nullptr);
  Device device(BHEMU_P100A);
  EXPECT_EQ(bhemu_start_core(device.handle(), 1, 2, 9, 0), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_start_core(device.handle(), 1, 2, BHEMU_BRISC, 2), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_start_core(device.handle(), 1, 2, BHEMU_BRISC, 1 << 20), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_snapshot(device.handle(), nullptr, nullptr), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_read_core(device.handle(), 1, 2, BHEMU_BRISC, nullptr), BHEMU_BAD_INPUT);
}

}  // namespace
