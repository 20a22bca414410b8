#include "../include/bhemu/bhemu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/resident.hpp"

namespace {

class Capi : public testing::Test {
 protected:
  Capi() {
    const bhemu_options options = bhemu_default_options(BHEMU_P100A);
    device_ = bhemu_create(&options);
  }
  ~Capi() override { bhemu_destroy(device_); }
  bhemu_device* device_ = nullptr;
};

TEST_F(Capi, device_has_the_boards_tiles_and_banks) {
  ASSERT_NE(device_, nullptr) << bhemu_last_error();
  EXPECT_EQ(bhemu_tensix_tiles(device_, nullptr, nullptr, 0), 120u);
  EXPECT_EQ(bhemu_dram_banks(device_), 7u);
  uint8_t x[2];
  uint8_t y[2];
  bhemu_tensix_tiles(device_, x, y, 2);
  EXPECT_EQ(x[1], 1);
  EXPECT_EQ(y[1], 3);
}

TEST(CapiMemory, a_device_whose_checks_look_for_launches_has_no_tile_until_one_is_touched) {
  const double before = bhemu::test::resident_megabytes();
  const bhemu_options options = bhemu_default_options(BHEMU_P150);
  bhemu_device* device = bhemu_create(&options);
  ASSERT_NE(device, nullptr) << bhemu_last_error();
  EXPECT_LT(bhemu::test::resident_megabytes() - before, 10.0);
  bhemu_destroy(device);
}

TEST_F(Capi, memory_keeps_what_is_written) {
  const char text[] = "hello";
  char back[sizeof text] = {};
  EXPECT_EQ(bhemu_write(device_, 1, 2, 0x100003, text, sizeof text), BHEMU_OK);
  EXPECT_EQ(bhemu_read(device_, 1, 2, 0x100003, back, sizeof back), BHEMU_OK);
  EXPECT_STREQ(back, text);
  EXPECT_EQ(bhemu_write_dram(device_, 6, 0x1000, text, sizeof text), BHEMU_OK);
  std::memset(back, 0, sizeof back);
  EXPECT_EQ(bhemu_read_dram(device_, 6, 0x1000, back, sizeof back), BHEMU_OK);
  EXPECT_STREQ(back, text);
  EXPECT_EQ(bhemu_multicast(device_, 1, 2, 4, 5, 0x2000, text, sizeof text), BHEMU_OK);
  std::memset(back, 0, sizeof back);
  EXPECT_EQ(bhemu_read(device_, 4, 5, 0x2000, back, sizeof back), BHEMU_OK);
  EXPECT_STREQ(back, text);
}

TEST_F(Capi, devices_do_not_share_memory) {
  const bhemu_options options = bhemu_default_options(BHEMU_P150);
  bhemu_device* other = bhemu_create(&options);
  ASSERT_NE(other, nullptr);
  const uint32_t one = 1;
  uint32_t value = 0;
  EXPECT_EQ(bhemu_write(device_, 1, 2, 0x1000, &one, 4), BHEMU_OK);
  EXPECT_EQ(bhemu_read(other, 1, 2, 0x1000, &value, 4), BHEMU_OK);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(bhemu_tensix_tiles(other, nullptr, nullptr, 0), 140u);
  bhemu_destroy(other);
}

TEST_F(Capi, both_builds_of_the_coprocessor_boot_to_one_hash_and_others_are_refused) {
  ASSERT_EQ(bhemu_boot(device_, nullptr), BHEMU_OK) << bhemu_last_error();
  const bhemu_options options = bhemu_default_options(BHEMU_P100A);
  setenv("BHEMU_UNITS", "full", 1);
  bhemu_device* full = bhemu_create(&options);
  setenv("BHEMU_UNITS", "half", 1);
  EXPECT_EQ(bhemu_create(&options), nullptr);
  EXPECT_NE(std::string(bhemu_last_error()).find("'half'"), std::string::npos);
  unsetenv("BHEMU_UNITS");
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(bhemu_boot(full, nullptr), BHEMU_OK);
  EXPECT_EQ(bhemu_hash(full), bhemu_hash(device_));
  bhemu_destroy(full);
}

TEST_F(Capi, misuse_returns_an_error_and_a_reason) {
  uint32_t value = 0;
  EXPECT_EQ(bhemu_read(device_, 200, 2, 0, &value, 4), BHEMU_BAD_INPUT);
  EXPECT_NE(std::string(bhemu_last_error()).find("no coordinate"), std::string::npos);
  EXPECT_EQ(bhemu_read(device_, 1, 2, 0, nullptr, 4), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_read(nullptr, 1, 2, 0, &value, 4), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_read_dram(device_, 7, 0, &value, 4), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_read_dram(device_, 0, ~uint64_t{0}, &value, 4), BHEMU_BAD_INPUT);
  EXPECT_EQ(bhemu_boot(device_, "/nonexistent"), BHEMU_BAD_INPUT);
  EXPECT_NE(std::string(bhemu_last_error()).find("cannot open"), std::string::npos);
  bhemu_options wrong = bhemu_default_options(BHEMU_P100A);
  wrong.harvested_dram = 0xFF;
  EXPECT_EQ(bhemu_create(&wrong), nullptr);
  EXPECT_EQ(bhemu_create(nullptr), nullptr);
  bhemu_destroy(nullptr);
}

TEST_F(Capi, device_in_reset_has_nothing_to_do) {
  EXPECT_EQ(bhemu_run(device_, 1000, nullptr, nullptr), BHEMU_HANG);
  EXPECT_NE(std::string(bhemu_last_error()).find("Hung"), std::string::npos);
}

TEST_F(Capi, firmware_boots_and_then_waits_for_work) {
  ASSERT_EQ(bhemu_boot(device_, nullptr), BHEMU_OK) << bhemu_last_error();
  EXPECT_GT(bhemu_cycle(device_), 0u);
  uint8_t signal = 0x40;
  EXPECT_EQ(bhemu_read(device_, 14, 11, 0x373, &signal, 1), BHEMU_OK);
  EXPECT_EQ(signal, 0);
}

TEST_F(Capi, predicate_ends_a_run) {
  int asked = 0;
  const auto done = [](bhemu_device*, void* user) {
    return ++*static_cast<int*>(user) >= 1 ? 1 : 0;
  };
  EXPECT_EQ(bhemu_run(device_, 1000, done, &asked), BHEMU_OK);
  EXPECT_GE(asked, 1);
}

TEST(CapiVersion, has_three_numbers) {
  EXPECT_EQ(std::string(bhemu_version()).find_first_not_of("0123456789."), std::string::npos);
}

}  // namespace
