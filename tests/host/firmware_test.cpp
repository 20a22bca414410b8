#include "host/boot/firmware.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "host/boot/firmware_scan.hpp"
#include "host/boot/launch.hpp"
#include "host/elf_builder.hpp"
#include "host/expect_input_error.hpp"

namespace bhemu::host {
namespace {

using test::ElfBuilder;
using test::expect_input_error;

u32 word_at(const std::vector<u8>& bytes, u32 offset, u32 size) {
  u32 value = 0;
  std::memcpy(&value, bytes.data() + offset, size);
  return value;
}

TEST(FirmwareScan, staging_address_is_found_in_the_comparison_of_do_crt1) {
  ElfBuilder builder;
  builder.code(0x3840, {
                           0xFFB001B7,  // lui gp, 0xffb00
                           0x7F018193,  // addi gp, gp, 2032
                           0x000085B7,  // lui a1, 0x8
                           0x81018513,  // addi a0, gp, -2032
                           0x2B058593,  // addi a1, a1, 688
                           0x00B50C63,  // beq a0, a1, +24
                       });
  const FirmwareScan scan = scan_firmware(Elf::parse("x", builder.build()));
  EXPECT_EQ(scan.staging, 0x82B0u);
}

TEST(FirmwareScan, copies_and_bytes_are_found_and_calls_forget_arguments) {
  ElfBuilder builder;
  builder.code(0x3840, {
                           0xFFB00937,  // lui s2, 0xffb00
                           0x00011437,  // lui s0, 0x11
                           0x2B040593,  // addi a1, s0, 688
                           0x04890513,  // addi a0, s2, 72
                           0x078010EF,  // jal ra, ...
                           0x078010EF,  // jal ra, ...: a0, a1 are gone
                           0x00001437,  // lui s0, 0x1
                           0x9A044703,  // lbu a4, -1632(s0)
                           0x04E902A3,  // sb a4, 69(s2)
                           0x3A002783,  // lw a5, 928(zero)
                       });
  const FirmwareScan scan = scan_firmware(Elf::parse("x", builder.build()));
  ASSERT_EQ(scan.copies.size(), 1u);
  EXPECT_EQ(scan.source_of(0xFFB00048), 0x112B0u);
  EXPECT_EQ(scan.byte_source_of(0xFFB00045), 0x9A0u);
  EXPECT_TRUE(scan.touches(0x3A0));
  EXPECT_FALSE(scan.staging.has_value());
}

TEST(Firmware, ours_is_built_in_and_names_its_addresses) {
  const Firmware firmware = Firmware::embedded();
  EXPECT_EQ(firmware.bank_table(), 0x116B0u);
  EXPECT_EQ(firmware.kernel_config_base(), 0x86B0u);
  EXPECT_EQ(firmware.data_buffer_base(), 0x37000u);
  EXPECT_EQ(firmware.dram_entries(), 8u);
  EXPECT_EQ(firmware.l1_entries(), 140u);
  EXPECT_EQ(firmware.circular_buffers(), 64u);
}

TEST(Firmware, built_in_set_is_the_one_in_the_tree) {
  const Firmware built_in = Firmware::embedded();
  const Firmware tree = Firmware::load(BHEMU_SOURCE_DIR "/firmware/prebuilt");
  for (unsigned core = 0; core < kCores; ++core) {
    const auto id = static_cast<CoreId>(core);
    ASSERT_EQ(built_in.elf(id).segments().size(), tree.elf(id).segments().size());
    for (size_t i = 0; i < tree.elf(id).segments().size(); ++i)
      EXPECT_EQ(built_in.elf(id).segments()[i].data, tree.elf(id).segments()[i].data) << core;
  }
}

TEST(Firmware, image_has_jump_go_message_and_tables) {
  const Firmware firmware = Firmware::embedded();
  const Board board(BoardOptions::defaults(BoardModel::P150));
  bool jump = false;
  bool go = false;
  bool table = false;
  for (const Firmware::Piece& piece : firmware.image(board)) {
    if (piece.address == 0) {
      const u32 word = word_at(piece.bytes, 0, 4);
      const u32 target = (word & 0xFF000) | ((word >> 9) & 0x800) | ((word >> 20) & 0x7FE);
      EXPECT_EQ(word & 0xFFF, 0x6Fu);
      EXPECT_EQ(target, firmware.elf(CoreId::Brisc).entry());
      jump = true;
    }
    if (piece.address == 0x370) go = word_at(piece.bytes, 0, 4) == 0x40000000;
    if (piece.address == firmware.bank_table())
      table = piece.bytes == board.bank_table(firmware.dram_entries(), firmware.l1_entries());
  }
  EXPECT_TRUE(jump);
  EXPECT_TRUE(go);
  EXPECT_TRUE(table);
}

TEST(Firmware, real_set_gives_all_addresses_from_its_elfs) {
  const char* directory = std::getenv("BHEMU_FIRMWARE_DIR");
  if (directory == nullptr) GTEST_SKIP() << "BHEMU_FIRMWARE_DIR is not set";
  const Firmware firmware = Firmware::load(directory);
  // facts of the January 2026 set
  EXPECT_EQ(firmware.kernel_config_base(), 0x82B0u);
  EXPECT_EQ(firmware.bank_table(), 0x112B0u);
  EXPECT_EQ(firmware.dram_entries(), 7u);
  EXPECT_EQ(firmware.l1_entries(), 110u);
  EXPECT_EQ(firmware.circular_buffers(), 32u);
  ASSERT_TRUE(firmware.logical_coordinates().has_value());
  EXPECT_EQ((*firmware.logical_coordinates())[0], 0x9A0u);
  const u32 staging[] = {0x82B0, 0xA2B0};
  const Board board(BoardOptions::defaults(BoardModel::P100A));
  for (const u32 address : staging) {
    bool found = false;
    for (const auto& piece : firmware.image(board)) found |= piece.address == address;
    EXPECT_TRUE(found) << std::hex << address;
  }
}

TEST(Firmware, foreign_elfs_are_refused) {
  const auto set = [](const ElfBuilder& brisc) {
    std::vector<Elf> elfs;
    elfs.push_back(Elf::parse("brisc.elf", brisc.build()));
    for (u32 i = 1; i < kCores; ++i) {
      ElfBuilder other;
      other.code(0x8000 + i * 0x100, {0x13});
      elfs.push_back(Elf::parse("other.elf", other.build()));
    }
    return Firmware::from_elfs("x", std::move(elfs));
  };
  ElfBuilder plain;
  plain.code(0x3840, {0x13});
  expect_input_error([&] { set(plain); }, "does not say where kernels go");
  ElfBuilder local = plain;
  local.segment(0xFFB00000, 0xFFB00000, {1});
  expect_input_error([&] { set(local); }, "neither a load address in L1");
  ElfBuilder newer;
  newer.code(0x3840, {0x42002783});  // lw a5, 0x420(zero)
  expect_input_error([&] { set(newer); }, "newer launch message");
  ElfBuilder far = plain;
  far.entry(0x100000);
  expect_input_error([&] { set(far); }, "out of reach");
  expect_input_error([] { Firmware::load("/nonexistent"); }, "cannot open");
}

class LaunchTest : public testing::Test {
 protected:
  LaunchTest() {
    launch_.kernels[0] = KernelImage{{1, 2, 3, 4, 5}, 4, nullptr, 0};
    launch_.kernels[3] = KernelImage{{9}, 0, nullptr, 0};
    launch_.circular_buffers = {{2, 0x37000, 4096, 2, 2048}};
    launch_.semaphores = {5, 6};
    launch_.argument_counts = {3, 0, 0, 1, 0};
    launch_.common_arguments[3] = {0x3FC00000};
  }
  Firmware firmware_ = Firmware::embedded();
  Launch launch_;
};

TEST_F(LaunchTest, parts_of_the_region_are_aligned_and_do_not_overlap) {
  const LaunchOffsets offsets = layout_of(launch_, firmware_);
  EXPECT_EQ(offsets.arguments[0], 0u);
  EXPECT_EQ(offsets.arguments[3], 16u);
  EXPECT_EQ(offsets.common_arguments[3], 32u);
  EXPECT_EQ(offsets.semaphores, 48u);
  EXPECT_EQ(offsets.circular_buffers, 80u);
  EXPECT_EQ(offsets.text[0], 128u);
  EXPECT_EQ(offsets.text[3], 144u);
  EXPECT_EQ(offsets.end, 160u);
}

TEST_F(LaunchTest, message_has_every_field_where_the_firmware_looks) {
  const LaunchOffsets offsets = layout_of(launch_, firmware_);
  const std::vector<u8> message = launch_message(firmware_, launch_, offsets);
  ASSERT_EQ(message.size(), 96u);
  EXPECT_EQ(word_at(message, 0x00, 4), 0x86B0u);
  EXPECT_EQ(word_at(message, 0x0C, 2), 48u);
  EXPECT_EQ(word_at(message, 0x12, 2), 80u);
  EXPECT_EQ(word_at(message, 0x14, 2), 128u);
  EXPECT_EQ(word_at(message, 0x16 + 12, 2), 16u);  // TRISC1: own arguments
  EXPECT_EQ(word_at(message, 0x16 + 14, 2), 32u);  // TRISC1: common arguments
  EXPECT_EQ(message[0x2A], 1);                     // host mode
  EXPECT_EQ(word_at(message, 0x2C, 4), 132u);      // BRISC's text and entry
  EXPECT_EQ(word_at(message, 0x40, 4), 4u);        // circular buffer 2
  EXPECT_EQ(message[0x44], 1);
  EXPECT_EQ(message[0x46], 64);
  EXPECT_EQ(word_at(message, 0x4C, 4), 0b01001u);  // BRISC and TRISC1
}

TEST_F(LaunchTest, kernels_that_do_not_fit_are_refused) {
  launch_.kernels[1] = KernelImage{std::vector<u8>(0x30000), 0, nullptr, 0};
  expect_input_error([&] { layout_of(launch_, firmware_); }, "L1 has");
}

TEST(Kernel, entry_must_lie_inside) {
  ElfBuilder builder;
  builder.code(0x100, {0x13}).entry(0x104);
  expect_input_error(
      [&] { kernel_from_elf(std::make_shared<const Elf>(Elf::parse("k", builder.build()))); },
      "entry point 0x104 lies outside");
}

}  // namespace
}  // namespace bhemu::host
