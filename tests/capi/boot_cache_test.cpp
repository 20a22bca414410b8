// BHEMU_BOOT_CACHE, as programs that use the library set it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "../include/bhemu/bhemu.h"
#include "support/resident.hpp"

namespace {

namespace fs = std::filesystem;

class BootCacheOfC : public testing::Test {
 protected:
  BootCacheOfC() {
    fs::remove_all(folder_);
    setenv("BHEMU_BOOT_CACHE", folder_.c_str(), 1);
  }
  ~BootCacheOfC() override {
    unsetenv("BHEMU_BOOT_CACHE");
    fs::remove_all(folder_);
  }

  /// Boots, uses one tile, lets time pass. The hash of the device.
  static uint64_t use_one_tile() {
    const bhemu_options options = bhemu_default_options(BHEMU_P100A);
    bhemu_device* device = bhemu_create(&options);
    EXPECT_EQ(bhemu_boot(device, nullptr), BHEMU_OK) << bhemu_last_error();
    const uint32_t word = 0x1234;
    EXPECT_EQ(bhemu_write(device, 3, 4, 0x100000, &word, sizeof word), BHEMU_OK);
    EXPECT_EQ(bhemu_advance(device, 5000), BHEMU_OK);
    const uint64_t hash = bhemu_hash(device);
    bhemu_destroy(device);
    return hash;
  }

  const std::string folder_ =
      (fs::temp_directory_path() / ("bhemu-boots-of-c-" + std::to_string(::getpid()))).string();
};

TEST_F(BootCacheOfC, is_filled_by_the_first_boot_and_changes_nothing) {
  unsetenv("BHEMU_BOOT_CACHE");
  const uint64_t plain = use_one_tile();
  EXPECT_FALSE(fs::exists(folder_));
  setenv("BHEMU_BOOT_CACHE", folder_.c_str(), 1);
  EXPECT_EQ(use_one_tile(), plain);
  ASSERT_TRUE(fs::exists(folder_));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_EQ(use_one_tile(), plain);
  EXPECT_EQ(use_one_tile(), plain);
}

TEST_F(BootCacheOfC, tiles_that_nobody_uses_take_no_memory) {
  use_one_tile();
  const bhemu_options options = bhemu_default_options(BHEMU_P100A);
  const double before = bhemu::test::resident_megabytes();
  std::vector<bhemu_device*> devices;
  for (int i = 0; i < 8; ++i) {
    devices.push_back(bhemu_create(&options));
    EXPECT_EQ(bhemu_boot(devices.back(), nullptr), BHEMU_OK);
    uint32_t word = 0;
    EXPECT_EQ(bhemu_read(devices.back(), 3, 4, 0x40, &word, sizeof word), BHEMU_OK);
    EXPECT_EQ(bhemu_advance(devices.back(), 5000), BHEMU_OK);
  }
  // A board that has booted takes some 35 MB; each maps the file, of 6 MB, which all share.
  EXPECT_LT((bhemu::test::resident_megabytes() - before) / 8, 12.0);
  for (bhemu_device* device : devices) bhemu_destroy(device);
}

TEST_F(BootCacheOfC, a_folder_that_cannot_be_made_is_bad_input) {
  setenv("BHEMU_BOOT_CACHE", "/dev/null/boots", 1);
  const bhemu_options options = bhemu_default_options(BHEMU_P100A);
  bhemu_device* device = bhemu_create(&options);
  EXPECT_EQ(bhemu_boot(device, nullptr), BHEMU_BAD_INPUT);
  EXPECT_NE(std::string(bhemu_last_error()).find("/dev/null/boots"), std::string::npos);
  EXPECT_EQ(bhemu_cycle(device), 0u);
  bhemu_destroy(device);
}

}  // namespace
