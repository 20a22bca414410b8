// BHEMU_TRACE for a client of the libttsim ABI.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

extern "C" {
void libttsim_init();
void libttsim_exit();
void libttsim_tile_rd_bytes(uint32_t, uint32_t, uint64_t, void*, uint32_t);
void libttsim_tile_wr_bytes(uint32_t, uint32_t, uint64_t, const void*, uint32_t);
void libttsim_clock(uint32_t);
}

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class TraceSettings : public testing::Test {
 protected:
  TraceSettings() { fs::create_directories(directory_); }
  ~TraceSettings() override {
    for (const char* name :
         {"BHEMU_TRACE", "BHEMU_TRACE_WHAT", "BHEMU_TRACE_TILES", "BHEMU_TRACE_CORES",
          "BHEMU_TRACE_CYCLES", "BHEMU_TRACE_LIMIT", "BHEMU_TRACE_FORMAT", "BHEMU_CONFIG"})
      unsetenv(name);
    fs::remove_all(directory_);
  }
  static void write32(uint32_t x, uint32_t y, uint64_t address, uint32_t value) {
    libttsim_tile_wr_bytes(x, y, address, &value, 4);
  }
  /// A core that runs in a circle for a while.
  static void use_a_card() {
    libttsim_init();
    write32(1, 2, 0x100, 77);
    write32(2, 2, 0x100, 78);
    write32(1, 2, 0, 0x6F);
    write32(1, 2, 0xFFB121B0, 0x47000);
    libttsim_clock(1000);
    libttsim_exit();
  }

  fs::path directory_ = fs::temp_directory_path() / ("bhemu_trace." + std::to_string(::getpid()));
  fs::path file_ = directory_ / "t.txt";
};

TEST_F(TraceSettings, come_from_the_environment) {
  setenv("BHEMU_TRACE", file_.c_str(), 1);
  setenv("BHEMU_TRACE_TILES", "1-2", 1);
  setenv("BHEMU_TRACE_WHAT", "host,riscv", 1);
  use_a_card();
  const std::string text = contents(file_);
  EXPECT_NE(text.find("1-2    host     host-write addr=0x00100 size=4 data=4d000000\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1-2    brisc    repeat     period=1 instructions="), std::string::npos);
  EXPECT_EQ(text.find("2-2    host"), std::string::npos);
  EXPECT_NE(text.find("# end: "), std::string::npos);
}

TEST_F(TraceSettings, come_from_a_file_and_the_environment_is_stronger) {
  const fs::path config = directory_ / "bhemu.yaml";
  std::ofstream(config) << "trace: " << file_.string()
                        << "\ntrace-what: [host, reset]\ntrace-tiles: [1-2, 2-2]\n"
                           "trace-limit: 3\n";
  setenv("BHEMU_CONFIG", config.c_str(), 1);
  use_a_card();
  const std::string text = contents(file_);
  EXPECT_NE(text.find("2-2    host     host-write"), std::string::npos) << text;
  EXPECT_NE(text.find("# end: 3 events"), std::string::npos) << text;
  setenv("BHEMU_TRACE_LIMIT", "1", 1);
  use_a_card();
  EXPECT_NE(contents(file_).find("# end: 1 events"), std::string::npos);
}

TEST_F(TraceSettings, that_are_wrong_are_said_before_anything_is_written) {
  setenv("BHEMU_TRACE", file_.c_str(), 1);
  setenv("BHEMU_TRACE_CORES", "brisk", 1);
  try {
    libttsim_init();
    FAIL() << "no error";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what())
                  .find("BHEMU_TRACE_CORES: 'brisk' is no core of a trace, "
                        "did you mean 'brisc'?"),
              std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(TraceSettings, a_disk_that_is_full_ends_the_trace_and_not_the_session) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  setenv("BHEMU_TRACE", "/dev/full", 1);
  testing::internal::CaptureStderr();
  use_a_card();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said, "bhemu: /dev/full: the trace ends here: No space left on device\n");
}

}  // namespace
