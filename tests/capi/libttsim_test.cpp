// A client of the libttsim ABI, written from the sequence that tt-umd's simulation chip goes
// through (tt-umd device/tt_device/tt_sim_tt_device.cpp).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/libttsim.hpp"

namespace {

constexpr uint64_t kHostBase = 0x4000'0000;

std::vector<uint8_t>& host_memory() {
  // The ABI hands its callbacks no handle.
  static std::vector<uint8_t> memory(1 << 20);  // tidy: allow global: see above
  return memory;
}

void host_read(uint64_t address, void* target, uint32_t bytes) {
  std::memcpy(target, host_memory().data() + (address - kHostBase), bytes);
}

void host_write(uint64_t address, const void* source, uint32_t bytes) {
  std::memcpy(host_memory().data() + (address - kHostBase), source, bytes);
}

class Client : public testing::Test {
 protected:
  Client() {
    setenv("BHEMU_BOARD", "p150", 1);
    libttsim_set_pci_dma_mem_callbacks(host_read, host_write);
    libttsim_init();
    bar0 = bar(0x10);
    bar2 = bar(0x18);
    bar4 = bar(0x20);
  }
  ~Client() override { libttsim_exit(); }

  static uint64_t bar(uint32_t offset) {
    return (uint64_t{libttsim_pci_config_rd32(0, offset + 4)} << 32 |
            libttsim_pci_config_rd32(0, offset)) &
           ~uint64_t{15};
  }
  void aim(uint32_t window, uint64_t address, uint64_t x, uint64_t y) {
    const uint64_t low = address >> 21 | x << 43 | y << 49;
    const std::array<uint32_t, 3> words{static_cast<uint32_t>(low),
                                        static_cast<uint32_t>(low >> 32), 0};
    for (uint32_t i = 0; i < 3; ++i)
      libttsim_pci_mem_wr_bytes(bar0 + 0x1FC00000 + window * 12 + i * 4, &words[i], 4);
  }
  void write32(uint64_t x, uint64_t y, uint64_t address, uint32_t value) {
    aim(0, address, x, y);
    libttsim_pci_mem_wr_bytes(bar0 + address % (2 << 20), &value, 4);
  }
  uint32_t read32(uint64_t x, uint64_t y, uint64_t address) {
    aim(0, address, x, y);
    uint32_t value = 0;
    libttsim_pci_mem_rd_bytes(bar0 + address % (2 << 20), &value, 4);
    libttsim_clock(1);
    return value;
  }
  /// BRISC of one tile runs `code` from address 0.
  void run(uint64_t x, uint64_t y, const std::vector<uint32_t>& code) {
    constexpr uint64_t kSoftReset = 0xFFB121B0;
    write32(x, y, kSoftReset, 0x47800);
    aim(1, 0, x, y);
    libttsim_pci_mem_wr_bytes(bar0 + (2 << 20), code.data(),
                              static_cast<uint32_t>(code.size() * 4));
    write32(x, y, kSoftReset, 0x47000);
  }

  uint64_t bar0 = 0;
  uint64_t bar2 = 0;
  uint64_t bar4 = 0;
};

// RISC-V by hand: this folder tests the library from outside.
constexpr uint32_t lui(uint32_t rd, uint32_t value) {
  return (value & 0xFFFFF000) | rd << 7 | 0x37;
}
constexpr uint32_t addi(uint32_t rd, uint32_t rs, uint32_t value) {
  return value << 20 | rs << 15 | rd << 7 | 0x13;
}
constexpr uint32_t sw(uint32_t source, uint32_t base, uint32_t offset) {
  return (offset >> 5) << 25 | source << 20 | base << 15 | 2 << 12 | (offset & 31) << 7 | 0x23;
}
constexpr uint32_t kForever = 0x6F;  // jal x0, 0

TEST_F(Client, the_card_is_found_by_its_ids_and_its_bars) {
  EXPECT_EQ(libttsim_pci_config_rd32(0, 0), 0xB1401E52u);
  EXPECT_EQ(bar0, 0x1'0000'0000u);
  EXPECT_EQ(bar2, 0x1'2000'0000u);
  EXPECT_EQ(bar4, 0x8'0000'0000u);
  EXPECT_EQ(libttsim_pci_config_rd32(1 << 3, 0), 0xFFFFFFFFu);  // no second card
}

TEST_F(Client, a_core_runs_what_was_uploaded_and_polling_sees_its_result) {
  run(3, 4, {lui(5, 0x12345000), addi(5, 5, 0x678), lui(6, 0x10000), sw(5, 6, 0x20), kForever});
  uint32_t value = 0;
  for (int poll = 0; poll < 100 && value == 0; ++poll) value = read32(3, 4, 0x10020);
  EXPECT_EQ(value, 0x12345678u);
  EXPECT_EQ(read32(3, 5, 0x10020), 0u);
}

TEST_F(Client, how_often_the_host_polls_does_not_matter) {
  // Counts in L1 for ever; what it has reached depends on cycles only.
  const std::vector<uint32_t> code{lui(6, 0x10000), addi(5, 5, 1), sw(5, 6, 0), 0xFF9FF06F};
  run(1, 2, code);
  libttsim_clock(256 * 40);
  const uint32_t once = read32(1, 2, 0x10000);
  libttsim_exit();
  libttsim_init();
  run(1, 2, code);
  for (int i = 0; i < 40; ++i) libttsim_clock(1 + i * 6);
  EXPECT_EQ(read32(1, 2, 0x10000), once);
}

TEST_F(Client, host_memory_is_reached_through_the_iatu) {
  const std::pair<uint64_t, uint32_t> region[] = {
      {0x04, 0}, {0x00, 0},       {0x08, 0}, {0x0C, 0}, {0x10, 0xFFFF}, {0x14, kHostBase + 0x8000},
      {0x18, 0}, {0x04, 1u << 31}};
  for (const auto& [offset, value] : region)
    libttsim_pci_mem_wr_bytes(bar2 + 0x1000 + offset, &value, 4);
  write32(19, 24, (uint64_t{1} << 60) + 0x10, 0xFEEDBEEF);
  uint32_t stored = 0;
  std::memcpy(&stored, host_memory().data() + 0x8010, 4);
  EXPECT_EQ(stored, 0xFEEDBEEFu);
  EXPECT_EQ(read32(19, 24, (uint64_t{1} << 60) + 0x10), 0xFEEDBEEFu);
}

TEST_F(Client, windows_of_bar_4_show_whole_dram_banks) {
  const std::array<uint32_t, 3> words{0, 17 | 12 << 6, 0};
  for (uint32_t i = 0; i < 3; ++i)
    libttsim_pci_mem_wr_bytes(bar0 + 0x1FC00000 + 202 * 12 + i * 4, &words[i], 4);
  std::vector<uint8_t> data(3 << 20);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 31 >> 3);
  libttsim_pci_mem_wr_bytes(bar4 + 0x1234567, data.data(), static_cast<uint32_t>(data.size()));
  std::vector<uint8_t> back(data.size());
  libttsim_tile_rd_bytes(17, 12, 0x1234567, back.data(), static_cast<uint32_t>(back.size()));
  EXPECT_EQ(back, data);
}

TEST_F(Client, telemetry_and_arc_messages_answer) {
  EXPECT_EQ(read32(8, 0, 0x80030408) & 7, 5u);  // boot status: ready
  const uint32_t table = read32(8, 0, 0x80030434);
  const uint32_t values = read32(8, 0, 0x80030430);
  const uint32_t entries = read32(8, 0, table + 4);
  bool found = false;
  for (uint32_t i = 0; i < entries; ++i) {
    const uint32_t entry = read32(8, 0, table + 8 + i * 4);
    if ((entry & 0xFFFF) != 36) continue;
    found = true;
    EXPECT_EQ(read32(8, 0, values + (entry >> 16) * 4), 0xFFu);  // all GDDR
  }
  EXPECT_TRUE(found);
}

TEST_F(Client, a_mistake_of_the_host_is_an_exception_that_says_where) {
  aim(0, 0, 50, 50);
  uint32_t value = 0;
  try {
    libttsim_pci_mem_rd_bytes(bar0, &value, 4);
    FAIL() << "nothing was said";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("(50, 50)"), std::string::npos) << error.what();
  }
  EXPECT_EQ(value, 0xFFFFFFFFu);
  write32(1, 2, 0x40, 7);  // and the card still works
  EXPECT_EQ(read32(1, 2, 0x40), 7u);
}

TEST_F(Client, a_debugger_sees_program_counters_and_survives_what_is_not_modelled) {
  run(3, 4, {addi(5, 0, 1), addi(5, 5, 1), kForever});
  libttsim_clock(1000);
  const auto pc_of_brisc = [&] {
    write32(3, 4, 0xFFB12054, 1u << 29 | 1u << 25 | 7u << 16 | 11);
    return read32(3, 4, 0xFFB1205C) & 0x3FFFFFFF;
  };
  EXPECT_EQ(pc_of_brisc(), 8u);
  write32(3, 4, 0xFFB12054, 1u << 29 | 8u << 16 | 2);  // ports of L1: a warning
  EXPECT_EQ(read32(3, 4, 0xFFB1205C), 0u);
  write32(3, 4, 0xFFB1201C, 77 << 8);  // there is no such counter: a warning
  EXPECT_EQ(read32(3, 4, 0xFFB12124), 0u);
  write32(3, 4, 0xFFB12060, 1);
  write32(3, 4, 0xFFB12064, 0);  // SrcA, which cannot be read like this
  try {
    read32(3, 4, 0xFFB1206C);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("tile-debug-bus"), std::string::npos) << error.what();
  }
  libttsim_clock(1000);
  EXPECT_EQ(pc_of_brisc(), 8u);
}

TEST_F(Client, a_mistake_of_the_guest_is_an_exception_with_its_report) {
  run(2, 3, {0xFFFFFFFF});
  try {
    for (int i = 0; i < 10; ++i) libttsim_clock(1);
    FAIL() << "nothing was said";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("(2, 3)"), std::string::npos) << text;
    EXPECT_NE(text.find("BRISC"), std::string::npos) << text;
  }
}

TEST_F(Client, a_mistake_of_the_guest_is_said_once_and_the_chip_can_be_looked_at) {
  constexpr uint32_t kBackTwo = 0xFF9FF06F;  // jal x0, -8
  run(3, 3, {lui(10, 0x2000), addi(11, 11, 1), sw(11, 10, 0), kBackTwo});
  run(2, 3, {0xFFFFFFFF});
  const auto clock = [] {
    for (int i = 0; i < 10; ++i) libttsim_clock(1);
  };
  EXPECT_THROW(clock(), std::runtime_error);
  const uint32_t before = read32(3, 3, 0x2000);
  EXPECT_NO_THROW(clock());
  EXPECT_GT(read32(3, 3, 0x2000), before);
  EXPECT_EQ(read32(2, 3, 0), 0xFFFFFFFFu);
}

TEST(Reporting, reads_give_all_ones_after_the_first_report) {
  setenv("BHEMU_FAULTS", "report", 1);
  libttsim_init();
  uint32_t value = 0;
  testing::internal::CaptureStderr();
  libttsim_pci_mem_rd_bytes(0x10, &value, 4);
  libttsim_pci_mem_rd_bytes(0x10, &value, 4);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("BAR"), std::string::npos);
  EXPECT_EQ(said.find("BAR 0 at"), said.rfind("BAR 0 at")) << "said twice: " << said;
  EXPECT_EQ(value, 0xFFFFFFFFu);
  EXPECT_EQ(libttsim_pci_config_rd32(0, 0), 0xFFFFFFFFu);
  libttsim_exit();
  unsetenv("BHEMU_FAULTS");
}

TEST(ReportingDeathTest, the_process_ends_when_asked_to) {
  setenv("BHEMU_FAULTS", "exit", 1);
  uint32_t value = 0;
  EXPECT_EXIT(
      {
        libttsim_init();
        libttsim_pci_mem_rd_bytes(0x10, &value, 4);
      },
      testing::ExitedWithCode(2), "in no BAR");
  unsetenv("BHEMU_FAULTS");
}

TEST(Settings, a_file_and_the_environment_choose_the_board) {
  const std::string path = testing::TempDir() + "bhemu_settings.yaml";
  std::ofstream(path) << "board: p100a\nharvest-dram: +2\nthreads: 2\n";
  setenv("BHEMU_CONFIG", path.c_str(), 1);
  unsetenv("BHEMU_BOARD");
  libttsim_init();
  EXPECT_EQ(libttsim_pci_config_rd32(0, 0x2C) >> 16, 0x43u);  // P100A
  libttsim_exit();
  setenv("BHEMU_BOARD", "p150", 1);
  setenv("BHEMU_HARVEST_DRAM", "none", 1);
  libttsim_init();
  EXPECT_EQ(libttsim_pci_config_rd32(0, 0x2C) >> 16, 0x40u);
  libttsim_exit();
  std::ofstream(path) << "bord: p100a\n";
  EXPECT_THROW(libttsim_init(), std::runtime_error);
  std::ofstream(path) << "board: p100a\nthreads: many\n";
  try {
    libttsim_init();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("2:1"), std::string::npos) << error.what();
  }
  for (const char* name : {"BHEMU_CONFIG", "BHEMU_BOARD", "BHEMU_HARVEST_DRAM"}) unsetenv(name);
  std::remove(path.c_str());
}

TEST(Order, calls_before_init_and_twice_are_refused) {
  uint32_t value = 0;
  EXPECT_THROW(libttsim_clock(1), std::runtime_error);
  EXPECT_THROW(libttsim_pci_mem_rd_bytes(0, &value, 4), std::runtime_error);
  EXPECT_THROW(libttsim_exit(), std::runtime_error);
  libttsim_init();
  EXPECT_THROW(libttsim_init(), std::runtime_error);
  libttsim_exit();
}

// As tt-metal's tests do when an exception has thrown one of them out of its card.
TEST(Order, a_client_that_has_not_called_exit_begins_anew_with_a_fresh_card) {
  const uint32_t written = 7;
  uint32_t value = 0;
  libttsim_init();
  libttsim_tile_wr_bytes(1, 2, 0x8000, &written, 4);
  libttsim_set_pci_dma_mem_callbacks(host_read, host_write);
  EXPECT_THROW(libttsim_clock(1), std::runtime_error) << "the old card has the old functions";
  EXPECT_THROW(libttsim_tile_rd_bytes(1, 2, 0x8000, &value, 4), std::runtime_error);
  libttsim_init();
  libttsim_tile_rd_bytes(1, 2, 0x8000, &value, 4);
  EXPECT_EQ(value, 0u);
  libttsim_set_pci_dma_mem_callbacks(nullptr, nullptr);
  libttsim_exit();
  EXPECT_THROW(libttsim_clock(1), std::runtime_error);
}

}  // namespace
