#include "host/program/elf.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "host/elf_builder.hpp"
#include "host/expect_input_error.hpp"

namespace bhemu::host {
namespace {

using test::ElfBuilder;
using test::expect_input_error;

Elf parse(const ElfBuilder& builder) {
  return Elf::parse("x.elf", builder.build());
}

TEST(Elf, segments_keep_run_and_load_addresses) {
  ElfBuilder builder;
  builder.code(0x3840, {0x13, 0x6F}).entry(0x3844);
  builder.segment(0xFFB00000, 0x82B0, {1, 2, 3, 4}, 0x828);
  const Elf elf = parse(builder);
  EXPECT_EQ(elf.entry(), 0x3844u);
  ASSERT_EQ(elf.segments().size(), 2u);
  EXPECT_EQ(elf.segments()[0].load_address, 0x3840u);
  EXPECT_EQ(elf.segments()[0].data.size(), 8u);
  EXPECT_EQ(elf.segments()[1].virtual_address, 0xFFB00000u);
  EXPECT_EQ(elf.segments()[1].load_address, 0x82B0u);
  EXPECT_EQ(elf.segments()[1].memory_size, 0x828u);
  EXPECT_EQ(elf.segments()[1].data, (std::vector<u8>{1, 2, 3, 4}));
}

TEST(Elf, flat_image_starts_at_the_lowest_address_and_fills_gaps_with_zero) {
  ElfBuilder builder;
  builder.segment(0x108, 0x108, {9}, 4).segment(0x100, 0x100, {7, 8}).entry(0x100);
  const Elf::Flat flat = parse(builder).flatten();
  EXPECT_EQ(flat.base, 0x100u);
  EXPECT_EQ(flat.bytes, (std::vector<u8>{7, 8, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0}));
}

TEST(Elf, kernel_with_initialised_local_memory_is_refused) {
  ElfBuilder builder;
  builder.code(0, {0x13}).segment(0xFFB00000, 0xFFB00000, {1});
  const Elf elf = parse(builder);
  expect_input_error([&] { elf.flatten(); }, "initialised local memory");
}

TEST(Elf, something_else_is_not_an_elf_file) {
  expect_input_error([] { Elf::parse("x", {'h', 'i'}); }, "not an ELF file");
  expect_input_error([] { Elf::parse("x", {}); }, "not an ELF file");
  expect_input_error([] { Elf::parse("x", {0x7F, 'E', 'L', 'F', 1, 1}); }, "truncated");
}

TEST(Elf, foreign_class_byte_order_machine_and_type_are_named) {
  ElfBuilder builder;
  builder.code(0, {0x13});
  ElfBuilder wrong = builder;
  wrong.header.e_ident[EI_CLASS] = ELFCLASS64;
  expect_input_error([&] { parse(wrong); }, "64-bit");
  wrong = builder;
  wrong.header.e_ident[EI_DATA] = ELFDATA2MSB;
  expect_input_error([&] { parse(wrong); }, "big-endian");
  wrong = builder;
  wrong.header.e_machine = EM_386;
  expect_input_error([&] { parse(wrong); }, "machine 3, not for RISC-V");
  wrong = builder;
  wrong.header.e_type = ET_REL;
  expect_input_error([&] { parse(wrong); }, "not linked");
}

TEST(Elf, every_truncation_is_an_input_error) {
  ElfBuilder builder;
  builder.code(0x100, {1, 2, 3}).segment(0x200, 0x200, {1, 2, 3});
  const std::vector<u8> whole = builder.build();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(Elf::parse("x", {whole.begin(), whole.begin() + static_cast<long>(size)}),
                 InputError)
        << size;
}

TEST(Elf, segment_outside_memory_names_the_segment) {
  ElfBuilder builder;
  builder.code(0, {0x13}).segment(0x17FFFE, 0x17FFFE, {1, 2, 3});
  expect_input_error([&] { parse(builder); }, "neither in L1", "segment 1");
  ElfBuilder high;
  high.segment(0xFFB01FFF, 0xFFB01FFF, {1, 2});
  expect_input_error([&] { parse(high); }, "neither in L1", "segment 0");
  ElfBuilder wrapping;
  wrapping.segment(0xFFFFFFF0, 0xFFFFFFF0, {1}, 0x20);
  expect_input_error([&] { parse(wrapping); }, "neither in L1");
}

TEST(Elf, segments_that_overlap_are_refused) {
  ElfBuilder builder;
  builder.segment(0x100, 0x100, {1, 2, 3, 4}).segment(0x103, 0x103, {1});
  expect_input_error([&] { parse(builder); }, "overlaps segment 0 at 0x103", "segment 1");
  ElfBuilder load;
  load.segment(0x100, 0x100, {1, 2, 3, 4}).segment(0xFFB00000, 0x102, {1});
  expect_input_error([&] { parse(load); }, "overlaps segment 0 at 0x102");
}

TEST(Elf, segment_larger_in_the_file_than_in_memory_is_refused) {
  ElfBuilder builder;
  builder.segment(0x100, 0x100, {1, 2, 3, 4}, 2);
  expect_input_error([&] { parse(builder); }, "larger in the file");
}

TEST(Elf, file_without_anything_to_load_is_refused) {
  ElfBuilder builder;
  expect_input_error([&] { parse(builder); }, "nothing to load");
}

TEST(Elf, missing_file_and_directory_are_input_errors) {
  expect_input_error([] { Elf::load("/nonexistent/x.elf"); }, "cannot open: No such file");
  expect_input_error([] { Elf::load("/"); }, "not a regular file");
}

TEST(Elf, our_firmware_has_symbols) {
  const Elf elf = Elf::load(BHEMU_SOURCE_DIR "/firmware/prebuilt/brisc.elf");
  ASSERT_NE(elf.symbol("__bank_to_noc_scratch"), nullptr);
  const Symbol* function = elf.function_at(elf.entry());
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->name, "_start");
}

TEST(Elf, source_lines_come_from_dwarf) {
  const char* directory = std::getenv("BHEMU_FIRMWARE_DIR");
  if (directory == nullptr) GTEST_SKIP() << "BHEMU_FIRMWARE_DIR is not set";
  const Elf elf = Elf::load(std::string(directory) + "/brisc.elf");
  const Symbol* main = elf.symbol("main");
  ASSERT_NE(main, nullptr);
  const auto line = elf.line_at(main->value + 0x78);
  ASSERT_TRUE(line.has_value());
  EXPECT_GT(line->line, 0u);
  EXPECT_FALSE(line->file.empty());
  EXPECT_FALSE(elf.line_at(0x170000).has_value());
}

}  // namespace
}  // namespace bhemu::host
