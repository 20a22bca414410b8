// What the ABI does when something goes wrong, by policy; calls out of order; the library as tt-umd
// loads it.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "card_fixture.hpp"

namespace bhemu::test {
namespace {

class CardFaults : public CardTest {
 protected:
  static void clock_on(int calls = 10) {
    for (int i = 0; i < calls; ++i) libttsim_clock(256);
  }
  /// Counts in L1 for ever.
  std::vector<u32> counter() { return {lui(6, 0x10000), addi(5, 5, 1), sw(5, 6, 0), 0xFF9FF06F}; }
  const std::vector<u32> illegal{0xFFFFFFFF};
};

TEST_F(CardFaults, a_fault_is_thrown_once_and_all_other_cores_go_on) {
  open("p150");
  run_brisc({3, 3}, counter());
  run_brisc({2, 3}, illegal);
  const std::string said = refusal([] { clock_on(); });
  for (const char* part : {"riscv-illegal-instruction", "(2, 3)", "BRISC", "pc 0x0"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
  EXPECT_EQ(said.find("(3, 3)"), std::string::npos) << said;
  const u32 before = client.read32(3, 3, 0x10000);
  EXPECT_EQ(refusal([] { clock_on(); }), "");
  EXPECT_GT(client.read32(3, 3, 0x10000), before);
  run_brisc({2, 3}, counter());  // a reset brings the core back
  EXPECT_EQ(refusal([] { clock_on(); }), "");
  EXPECT_GT(client.read32(2, 3, 0x10000), 0u);
}

TEST_F(CardFaults, a_host_that_makes_a_mistake_can_go_on_too) {
  open("p150");
  run_brisc({3, 3}, counter());
  clock_on();
  std::vector<u8> target(16);
  EXPECT_NE(refusal([&] { libttsim_pci_mem_rd_bytes(0x10, target.data(), 16); }), "");
  EXPECT_EQ(target, std::vector<u8>(16, 0xFF));
  EXPECT_NE(refusal([&] { libttsim_tile_wr_bytes(50, 50, 0, target.data(), 16); }), "");
  EXPECT_NE(refusal([&] { libttsim_tile_rd_bytes(~0u, 1, 0, target.data(), 16); }), "");
  EXPECT_NE(refusal([&] { libttsim_pci_mem_wr_bytes(client.bar0, nullptr, 16); }).find("null"),
            std::string::npos);
  EXPECT_NE(refusal([&] { libttsim_tile_rd_bytes(1, 2, 0, nullptr, 4); }).find("null"),
            std::string::npos);
  libttsim_pci_mem_rd_bytes(0, nullptr, 0);
}

TEST_F(CardFaults, reports_are_printed_once_and_then_the_card_is_dead) {
  open("p150", {{"BHEMU_FAULTS", "report"}});
  client.aim(2, {.x = 1, .y = 2});
  run_brisc({2, 3}, illegal);
  testing::internal::CaptureStderr();
  clock_on();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("riscv-illegal-instruction"), std::string::npos) << said;
  EXPECT_EQ(said.find("Fault ["), said.rfind("Fault [")) << said;
  EXPECT_EQ(CardClient::get(client.window_base(2)), ~0u);
  EXPECT_EQ(client.read32(1, 2, 0), ~0u);
  EXPECT_EQ(libttsim_pci_config_rd32(0, 0), ~0u);
  u32 value = 0;
  libttsim_tile_rd_bytes(1, 2, 0, &value, 4);
  EXPECT_EQ(value, ~0u);
  libttsim_tile_wr_bytes(9, 9, 0, &value, 4);  // nobody is there to object
  open("p150", {{"BHEMU_FAULTS", "throw"}});   // a new card lives
  EXPECT_EQ(libttsim_pci_config_rd32(0, 0), 0xB1401E52u);
}

using CardFaultsDeathTest = CardFaults;

TEST_F(CardFaults, a_rule_that_is_a_warning_is_told_when_the_client_closes_the_card) {
  open("p150", {{"BHEMU_RULE", "tile-unmapped-address=warn"}});
  // No register of a Blackhole (a Wormhole has one).
  run_brisc({2, 3}, {lui(6, 0xFFB12000), sw(0, 6, 0x278), kForever});
  testing::internal::CaptureStderr();
  EXPECT_EQ(refusal([] { clock_on(); }), "");
  close();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("Warning [tile-unmapped-address]"), std::string::npos) << said;
}

TEST_F(CardFaultsDeathTest, the_process_ends_with_the_status_of_whoever_was_wrong) {
  set("BHEMU_FAULTS", "exit");
  EXPECT_EXIT(
      {
        open("p150");
        run_brisc({2, 3}, illegal);
        clock_on();
      },
      testing::ExitedWithCode(4), "riscv-illegal-instruction");
  EXPECT_EXIT(
      {
        open("p150");
        client.read32(50, 50, 0);
      },
      testing::ExitedWithCode(2), "\\(50, 50\\)");
}

TEST_F(CardFaults, calls_out_of_order_are_refused_and_cost_nothing) {
  u32 value = 0;
  const auto before_init = [&] {
    EXPECT_NE(refusal([] { libttsim_clock(1); }), "");
    EXPECT_NE(refusal([] { libttsim_exit(); }), "");
    EXPECT_NE(refusal([] { libttsim_pci_config_rd32(0, 0); }), "");
    EXPECT_NE(refusal([] { libttsim_pci_config_wr32(0, 4, 0); }), "");
    EXPECT_NE(refusal([&] { libttsim_pci_mem_rd_bytes(0, &value, 4); }), "");
    EXPECT_NE(refusal([&] { libttsim_pci_mem_wr_bytes(0, &value, 4); }), "");
    EXPECT_NE(refusal([&] { libttsim_tile_rd_bytes(1, 2, 0, &value, 4); }), "");
    EXPECT_NE(refusal([&] { libttsim_tile_wr_bytes(1, 2, 0, &value, 4); }), "");
  };
  before_init();
  open("p150");
  client.write32(1, 2, 0x40, 5);
  EXPECT_NE(refusal([] { libttsim_init(); }).find("twice"), std::string::npos);
  EXPECT_EQ(client.read32(1, 2, 0x40), 5u);
  close();
  before_init();
  open("p100a");  // again, and another board
  EXPECT_EQ(client.read32(1, 2, 0x40), 0u);
  EXPECT_NE(refusal([&] { client.read32(16, 11, 0); }), "");
}

TEST_F(CardFaults, wrong_settings_leave_no_card_behind) {
  const std::pair<const char*, const char*> wrong[] = {
      {"BHEMU_BOARD", "p300"},          {"BHEMU_HARVEST_DRAM", "9"},
      {"BHEMU_HARVEST_COLUMNS", "14"},  {"BHEMU_TIMING", "slow"},
      {"BHEMU_THREADS", "0"},           {"BHEMU_SEED", "x"},
      {"BHEMU_RULE", "no-rule=warn"},   {"BHEMU_FAULTS", "loud"},
      {"BHEMU_CLOCK", "quartz"},        {"BHEMU_ELF", "/no/such.elf"},
      {"BHEMU_CONFIG", "/no/such.yaml"}};
  for (const auto& [name, value] : wrong) {
    setenv(name, value, 1);
    const std::string said = refusal([] { libttsim_init(); });
    EXPECT_NE(said, "") << name;
    EXPECT_NE(refusal([] { libttsim_clock(1); }), "") << name;
    unsetenv(name);
  }
  open("p150");
}

TEST_F(CardFaults, a_copy_of_the_library_in_memory_serves_as_well) {
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&libttsim_init), &info), 0);
  std::ifstream file(info.dli_fname, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(bytes.empty());
  const int fd = memfd_create("library", MFD_ALLOW_SEALING);
  ASSERT_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  void* const library =
      dlopen(("/proc/self/fd/" + std::to_string(fd)).c_str(), RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const char* name : {"libttsim_init", "libttsim_exit", "libttsim_set_pci_dma_mem_callbacks",
                           "libttsim_pci_config_rd32", "libttsim_pci_config_wr32",
                           "libttsim_pci_mem_rd_bytes", "libttsim_pci_mem_wr_bytes",
                           "libttsim_tile_rd_bytes", "libttsim_tile_wr_bytes", "libttsim_clock"})
    EXPECT_NE(dlsym(library, name), nullptr) << name;
  // tt-umd takes these as a promise of several chips.
  for (const char* name : {"libttsim_create_device_by_id", "libttsim_select_device_by_id"})
    EXPECT_EQ(dlsym(library, name), nullptr) << name;
  const auto init = reinterpret_cast<void (*)()>(dlsym(library, "libttsim_init"));
  const auto exit = reinterpret_cast<void (*)()>(dlsym(library, "libttsim_exit"));
  const auto config =
      reinterpret_cast<u32 (*)(u32, u32)>(dlsym(library, "libttsim_pci_config_rd32"));
  open("p150");  // the other copy has its own card
  init();
  EXPECT_EQ(config(0, 0), 0xB1401E52u);
  EXPECT_NE(refusal([&] { config(0, 1); }), "");  // exceptions pass from there too
  exit();
  EXPECT_EQ(libttsim_pci_config_rd32(0, 0), 0xB1401E52u);
  dlclose(library);
  ::close(fd);
}

}  // namespace
}  // namespace bhemu::test
