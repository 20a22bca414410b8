// BHEMU_RACE for a client of the libttsim ABI, and of the C API.
#include <bhemu/bhemu.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

extern "C" {
void libttsim_init();
void libttsim_exit();
void libttsim_tile_wr_bytes(uint32_t, uint32_t, uint64_t, const void*, uint32_t);
void libttsim_clock(uint32_t);
}

namespace {

namespace fs = std::filesystem;

class RaceSettings : public testing::Test {
 protected:
  ~RaceSettings() override {
    for (const char* name : {"BHEMU_RACE", "BHEMU_RACE_JSON", "BHEMU_RACE_SUPPRESS"})
      unsetenv(name);
    fs::remove(json_);
    fs::remove(judged_);
  }
  static void write32(uint64_t address, uint32_t value) {
    libttsim_tile_wr_bytes(1, 2, address, &value, 4);
  }
  /// BRISC and TRISC0 store to the same word, not the same value, or each to its own.
  static void use_a_card(bool same) {
    libttsim_init();
    for (const uint32_t start : {0u, 0x6000u}) {
      write32(start, same || start == 0 ? 0x00020537 : 0x00030537);  // lui a0, 0x20 or 0x30
      write32(start + 4, start == 0 ? 0x00A52023 : 0x00052023);      // sw a0 or zero, 0(a0)
      write32(start + 8, 0x0000006F);                                // j .
    }
    write32(0xFFB121B0, 0x46000);
    libttsim_clock(1000);
    libttsim_exit();
  }
  std::string findings() const {
    std::ifstream file(json_);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::string name_ = "bhemu_race." + std::to_string(::getpid());
  fs::path json_ = fs::temp_directory_path() / (name_ + ".json");
  fs::path judged_ = fs::temp_directory_path() / (name_ + ".txt");
};

TEST_F(RaceSettings, come_from_the_environment_and_findings_are_told_at_the_end) {
  setenv("BHEMU_RACE", "custom", 1);
  setenv("BHEMU_RACE_JSON", json_.c_str(), 1);
  testing::internal::CaptureStderr();
  use_a_card(true);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("1 race found"), std::string::npos) << said;
  EXPECT_NE(said.find("race: L1[0x20000, +4] of (1, 2)"), std::string::npos) << said;
  const std::string text = findings();
  EXPECT_NE(text.find("\"kind\": \"race\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"agent\": \"BRISC\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"agent\": \"TRISC0\""), std::string::npos) << text;
}

TEST_F(RaceSettings, say_nothing_of_a_client_without_races) {
  setenv("BHEMU_RACE", "custom", 1);
  setenv("BHEMU_RACE_JSON", json_.c_str(), 1);
  testing::internal::CaptureStderr();
  use_a_card(false);
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("race"), std::string::npos);
  EXPECT_EQ(findings().find("\"kind\""), std::string::npos);
}

TEST_F(RaceSettings, take_a_file_of_findings_that_somebody_has_judged) {
  std::ofstream(judged_) << "race 0x4 0x6004 both write the same value\n";
  setenv("BHEMU_RACE", "custom", 1);
  setenv("BHEMU_RACE_SUPPRESS", judged_.c_str(), 1);
  testing::internal::CaptureStderr();
  use_a_card(true);
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("race: "), std::string::npos);
}

TEST_F(RaceSettings, hold_for_devices_of_the_c_api_too) {
  setenv("BHEMU_RACE", "custom", 1);
  setenv("BHEMU_RACE_JSON", json_.c_str(), 1);
  testing::internal::CaptureStderr();
  const bhemu_options options = bhemu_default_options(BHEMU_P100A);
  bhemu_device* const device = bhemu_create(&options);
  const auto write = [device](uint64_t address, uint32_t value) {
    ASSERT_EQ(bhemu_write(device, 1, 2, address, &value, sizeof value), BHEMU_OK);
  };
  for (const uint32_t start : {0u, 0x6000u}) {
    write(start, 0x00020537);                                // lui a0, 0x20
    write(start + 4, start == 0 ? 0x00A52023 : 0x00052023);  // sw a0 or zero, 0(a0)
    write(start + 8, 0x0000006F);                            // j .
  }
  write(0xFFB121B0, 0x46000);
  EXPECT_EQ(bhemu_advance(device, 1000), BHEMU_OK);
  bhemu_destroy(device);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("race: L1[0x20000, +4] of (1, 2)"), std::string::npos) << said;
  EXPECT_NE(findings().find("\"kind\": \"race\""), std::string::npos) << findings();
}

}  // namespace
