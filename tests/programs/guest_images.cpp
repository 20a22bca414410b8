// The checked-in firmware and kernel images, held against the documents: local memory layouts of
// seed 001 (as corrected by what tt-metal's binaries do), the L1 map of seed 000 section 2.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/program/elf.hpp"

namespace bhemu::host {
namespace {

const std::string kFirmware = std::string(BHEMU_SOURCE_DIR) + "/firmware/prebuilt/";
const std::string kKernels = std::string(BHEMU_SOURCE_DIR) + "/kernels/prebuilt";

struct Row {
  const char* symbol;
  u32 offset;
  u32 size;
};

void expect_layout(const std::string& core, const std::vector<Row>& rows) {
  const Elf elf = Elf::load(kFirmware + core + ".elf");
  for (const Row& row : rows) {
    const Symbol* symbol = elf.symbol(row.symbol);
    ASSERT_NE(symbol, nullptr) << core << " " << row.symbol;
    EXPECT_EQ(symbol->value, kLdmStart + row.offset) << core << " " << row.symbol;
    EXPECT_EQ(symbol->size, row.size) << core << " " << row.symbol;
  }
}

u32 value_of(const Elf& elf, const char* name) {
  const Symbol* symbol = elf.symbol(name);
  EXPECT_NE(symbol, nullptr) << name;
  return symbol != nullptr ? symbol->value : 0;
}

TEST(GuestImages, brisc_local_memory_is_laid_out_as_documented) {
  expect_layout("brisc", {{"subordinate_sync", 0x0, 4},
                          {"my_y", 0x4, 2},
                          {"my_x", 0x8, 2},
                          {"prev_noc_mode", 0xA, 1},
                          {"noc_mode", 0xD, 1},
                          {"crta_l1_base", 0x10, 4},
                          {"rta_l1_base", 0x14, 4},
                          {"noc_posted_writes_num_issued", 0x18, 8},
                          {"noc_nonposted_atomics_acked", 0x20, 8},
                          {"noc_nonposted_writes_acked", 0x28, 8},
                          {"noc_nonposted_writes_num_issued", 0x30, 8},
                          {"noc_reads_num_issued", 0x38, 8},
                          {"my_logical_y_", 0x40, 1},
                          {"my_logical_x_", 0x41, 1},
                          {"noc_index", 0x42, 1},
                          {"active_noc_instance", 0x44, 4},
                          {"dram_bank_to_noc_xy", 0x48, 32},
                          {"l1_bank_to_noc_xy", 0x68, 560},
                          {"bank_to_dram_offset", 0x298, 32},
                          {"bank_to_l1_offset", 0x2B8, 560},
                          {"worker_logical_col_to_virtual_col", 0x4E8, 20},
                          {"worker_logical_row_to_virtual_row", 0x4FC, 12},
                          {"instrn_buf", 0x508, 12},
                          {"sem_l1_base", 0x514, 12},
                          {"cb_interface", 0x520, 2048}});
}

TEST(GuestImages, ncrisc_local_memory_is_laid_out_as_documented) {
  expect_layout("ncrisc", {{"ncrisc_run", 0x0, 4},
                           {"noc_reads_num_issued", 0x4, 8},
                           {"noc_nonposted_writes_num_issued", 0xC, 8},
                           {"noc_nonposted_writes_acked", 0x14, 8},
                           {"noc_nonposted_atomics_acked", 0x1C, 8},
                           {"noc_posted_writes_num_issued", 0x24, 8},
                           {"my_y", 0x2C, 2},
                           {"my_x", 0x30, 2},
                           {"crta_l1_base", 0x34, 4},
                           {"rta_l1_base", 0x38, 4},
                           {"dram_bank_to_noc_xy", 0x40, 32},
                           {"l1_bank_to_noc_xy", 0x60, 560},
                           {"bank_to_dram_offset", 0x290, 32},
                           {"bank_to_l1_offset", 0x2B0, 560},
                           {"worker_logical_col_to_virtual_col", 0x4E0, 20},
                           {"worker_logical_row_to_virtual_row", 0x4F4, 12},
                           {"sem_l1_base", 0x500, 12},
                           {"cb_interface", 0x50C, 2048}});
}

TEST(GuestImages, unpack_and_pack_local_memory_is_laid_out_as_documented) {
  for (const char* core : {"trisc0", "trisc2"}) {
    expect_layout(core, {{"dest_offset_id", 0x0, 4},
                         {"op_info_offset", 0x4, 4},
                         {"cb_l1_base", 0x8, 4},
                         {"crta_l1_base", 0x10, 4},
                         {"rta_l1_base", 0x14, 4},
                         {"my_logical_y_", 0x18, 1},
                         {"my_logical_x_", 0x19, 1},
                         {"cfg_state_id", 0x1C, 4},
                         {"cb_interface", 0x20, 2048}});
  }
}

TEST(GuestImages, math_local_memory_has_no_circular_buffers) {
  expect_layout("trisc1", {{"dest_offset_id", 0x0, 4},
                           {"op_info_offset", 0x4, 4},
                           {"crta_l1_base", 0xC, 4},
                           {"rta_l1_base", 0x10, 4},
                           {"my_logical_y_", 0x14, 1},
                           {"my_logical_x_", 0x15, 1},
                           {"cfg_state_id", 0x18, 4}});
  EXPECT_EQ(Elf::load(kFirmware + "trisc1.elf").symbol("cb_interface"), nullptr);
}

TEST(GuestImages, firmware_lies_in_its_slots_and_stages_local_memory_in_l1) {
  struct Slot {
    const char* core;
    u32 base, size, staging;
  };
  for (const Slot& slot :
       {Slot{"brisc", 0x3840, 7168, 0x86B0}, Slot{"ncrisc", 0x5440, 1536, 0xA6B0},
        Slot{"trisc0", 0x5A40, 1536, 0xC6B0}, Slot{"trisc1", 0x6040, 2560, 0xD6B0},
        Slot{"trisc2", 0x6A40, 1536, 0xE6B0}}) {
    const Elf elf = Elf::load(kFirmware + slot.core + ".elf");
    EXPECT_EQ(elf.entry(), slot.base) << slot.core;
    EXPECT_EQ(value_of(elf, "__ldm_init_base"), slot.staging) << slot.core;
    for (const Segment& segment : elf.segments()) {
      if (segment.virtual_address >= kLdmStart) {
        EXPECT_EQ(segment.load_address, slot.staging) << slot.core;
      } else {
        EXPECT_EQ(segment.load_address, slot.base) << slot.core;
        EXPECT_LE(segment.memory_size, slot.size) << slot.core;
      }
    }
  }
}

TEST(GuestImages, firmware_says_what_a_host_must_know) {
  const Elf elf = Elf::load(kFirmware + "brisc.elf");
  EXPECT_EQ(value_of(elf, "__bhemu_mailboxes"), 0x60u);
  EXPECT_EQ(value_of(elf, "__bank_to_noc_scratch"), 0x116B0u);
  EXPECT_EQ(value_of(elf, "__logical_to_virtual_scratch"), 0x11EB0u);
  EXPECT_EQ(value_of(elf, "__kernel_config_base"), 0x86B0u);
  EXPECT_EQ(value_of(elf, "__data_buffer_base"), 0x37000u);
}

TEST(GuestImages, every_kernel_is_one_segment_of_code_entered_at_its_start) {
  unsigned kernels = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kKernels)) {
    if (entry.path().extension() != ".elf") continue;
    ++kernels;
    const Elf elf = Elf::load(entry.path().string());
    ASSERT_EQ(elf.segments().size(), 1u) << entry.path();
    EXPECT_EQ(elf.segments()[0].virtual_address, 0u) << entry.path();
    EXPECT_EQ(elf.segments()[0].memory_size, elf.segments()[0].data.size()) << entry.path();
    EXPECT_EQ(elf.entry(), 0u) << entry.path();
  }
  EXPECT_GE(kernels, 22u);
}

TEST(GuestImages, source_lines_name_files_of_the_tree_by_relative_paths) {
  for (const std::string& file : {kFirmware + "brisc.elf", kKernels + "/add_scalar/ncrisc.elf"}) {
    const Elf elf = Elf::load(file);
    unsigned lines = 0;
    for (u32 offset = 0; offset < elf.segments()[0].memory_size; offset += 4) {
      const auto line = elf.line_at(elf.segments()[0].virtual_address + offset);
      if (!line) continue;
      ++lines;
      EXPECT_FALSE(line->file.starts_with("/")) << line->file;
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(BHEMU_SOURCE_DIR) / line->file))
          << line->file;
    }
    EXPECT_GT(lines, 50u) << file;
  }
}

}  // namespace
}  // namespace bhemu::host
