// A client that boots the firmware and runs a kernel, with nothing but the ABI between it and the
// card. Which bytes go where is learned from a second device that the host library prepares; it
// never runs.
#include <fmt/format.h>

#include <thread>

#include "card_fixture.hpp"
#include "device/device.hpp"
#include "gdb/client.hpp"
#include "host/boot/prepared.hpp"
#include "support/card_boot.hpp"

namespace bhemu::test {
namespace {

class CardBoot : public CardTest {
 protected:
  void boot(const char* board, Variables variables = {}) {
    open(board, variables);
    ASSERT_TRUE(boot_card(client, board_, firmware));
  }

  /// Windows of BAR 4 show a bank each.
  void copy_bank(Device& model, unsigned bank, u64 bytes, bool to_card) {
    const Coord port = board_.dram_port(bank, 0);
    client.aim(202 + bank, {.x = port.x, .y = port.y});
    std::vector<u8> data(bytes);
    const u64 at = client.window_base(202 + bank);
    if (to_card) {
      ASSERT_TRUE(model.read_dram(bank, 0, data));
      libttsim_pci_mem_wr_bytes(at, data.data(), static_cast<u32>(bytes));
    } else {
      libttsim_pci_mem_rd_bytes(at, data.data(), static_cast<u32>(bytes));
      ASSERT_TRUE(model.write_dram(bank, 0, data));
    }
  }
  void copy_l1(Device& model, Coord tile, u32 address, u32 bytes) {
    std::vector<u8> data(bytes);
    ASSERT_TRUE(model.read(tile, address, data));
    client.write(tile.x, tile.y, address, data);
  }
  void run(const std::string& example) {
    run(host::load_program(std::string(BHEMU_SOURCE_DIR) + example));
  }
  void run(const host::Program& program, unsigned most_polls = 200'000) {
    constexpr u64 kBankBytes = 4 << 20;
    DeviceOptions options;
    options.board = board_.options();
    Device model(options);
    const host::PreparedProgram prepared(program, board_, firmware, model.dram_bank_bytes());
    prepared.start(model, firmware);
    for (unsigned bank = 0; bank < board_.dram_banks(); ++bank)
      copy_bank(model, bank, kBankBytes, true);
    const host::Protocol& protocol = firmware.protocol();
    for (const Coord tile : prepared.tiles()) {
      copy_l1(model, tile, firmware.kernel_config_base(), prepared.offsets().end);
      copy_l1(model, tile, protocol.launch_ring, protocol.launch.bytes);
    }
    for (const Coord tile : prepared.tiles())
      client.write32(tile.x, tile.y, protocol.go_messages, u32{host::kGoGo} << 24);
    unsigned polls = 0;
    for (const Coord tile : prepared.tiles())
      while (client.read32(tile.x, tile.y, protocol.go_messages) >> 24 != host::kGoDone)
        ASSERT_LT(++polls, most_polls);
    for (unsigned bank = 0; bank < board_.dram_banks(); ++bank)
      copy_bank(model, bank, kBankBytes, false);
    for (const host::Check& check : prepared.check(model))
      EXPECT_TRUE(check.passed) << check.what << ": " << check.detail;
  }

  host::Firmware firmware = host::Firmware::embedded();
};

TEST_F(CardBoot, all_120_tiles_of_a_p100a_come_up_and_copy_a_tensor) {
  boot("p100a");
  run("/examples/dram_copy.yaml");
}

TEST_F(CardBoot, all_140_tiles_of_a_p150_come_up_and_add_a_scalar_on_each) {
  boot("p150", {{"BHEMU_THREADS", "2"}});
  run("/examples/add_scalar.yaml");
}

/// Reads from a tile that does not exist.
host::Program wrong_kernel() {
  return host::parse_program(std::string(BHEMU_SOURCE_DIR) + "/examples/wrong.yaml",
                             "name: wrong\n"
                             "board: p100a\n"
                             "tiles: [[1, 2]]\n"
                             "kernels: {brisc: ../kernels/prebuilt/stuck_noc/brisc.elf}\n"
                             "arguments: {brisc: [40, 40, 0x100000, 0x100000]}\n");
}

TEST_F(CardBoot, a_fault_in_a_kernel_is_reported_with_its_source_line) {
  const std::string elf = std::string(BHEMU_SOURCE_DIR) + "/kernels/prebuilt/stuck_noc/brisc.elf";
  boot("p100a", {{"BHEMU_ELF", elf.c_str()}});
  const std::string said = refusal([&] { run(wrong_kernel()); });
  // The line is that of the function which the compiler has put there, in the kernels' headers or
  // not.
  for (const char* part : {"(1, 2)", "BRISC", "noc-no-such-node", "(kernels/"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
}

/// No second run can find that out for a client: the card has kept in mind what was pushed lately.
TEST_F(CardBoot, a_word_that_a_kernel_has_computed_or_given_to_a_mop_has_the_line_that_pushed_it) {
  const std::string elves = std::string(BHEMU_SOURCE_DIR) + "/tests/hangs/prebuilt";
  for (const auto& [name, place] :
       {std::pair("word_pushed_by_a_store", "at Set (tests/hangs/word_pushed_by_a_store.c:7)"),
        std::pair("word_of_a_mop",
                  "the MOP with what was set at Expand (tests/hangs/word_of_a_mop.c:12)")}) {
    boot("p100a", {{"BHEMU_ELF", elves.c_str()}, {"BHEMU_CHECK", "buffers"}});
    const host::Program program =
        host::load_program(fmt::format("{}/tests/hangs/{}.yaml", BHEMU_SOURCE_DIR, name));
    const std::string said = refusal([&] { run(program); });
    EXPECT_NE(said.find(place), std::string::npos) << said;
    EXPECT_NE(said.find("tensix-config-index"), std::string::npos) << said;
  }
}

/// Warnings are told at the end, when the thread has long gone on to other words.
TEST_F(CardBoot, a_warning_has_the_line_of_its_push_when_the_card_is_closed) {
  const std::string elves = std::string(BHEMU_SOURCE_DIR) + "/tests/hangs/prebuilt";
  boot("p100a", {{"BHEMU_ELF", elves.c_str()},
                 {"BHEMU_RULE", "tensix-config-index=warn"},
                 {"BHEMU_CHECK", "buffers"}});
  run(host::load_program(std::string(BHEMU_SOURCE_DIR) +
                         "/tests/hangs/word_pushed_by_a_store.yaml"));
  testing::internal::CaptureStderr();
  close();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("word_pushed_by_a_store.c:7"), std::string::npos) << said;
}

TEST_F(CardBoot, elves_are_found_in_a_folder_and_in_the_cache_of_tt_metal) {
  const std::string kernels = std::string(BHEMU_SOURCE_DIR) + "/kernels/prebuilt";
  boot("p100a", {{"BHEMU_ELF", kernels.c_str()}});
  const std::string named = refusal([&] { run(wrong_kernel()); });
  EXPECT_NE(named.find("(kernels/"), std::string::npos) << named;
  unsetenv("BHEMU_ELF");
  boot("p100a", {{"TT_METAL_CACHE", kernels.c_str()}});
  const std::string cached = refusal([&] { run(wrong_kernel()); });
  EXPECT_NE(cached.find("(kernels/"), std::string::npos) << cached;
}

TEST_F(CardBoot, a_client_that_waits_for_a_hung_kernel_is_told_and_runs_the_next_one) {
  const std::string kernels = std::string(BHEMU_SOURCE_DIR) + "/kernels/prebuilt";
  boot("p100a", {{"BHEMU_ELF", kernels.c_str()}, {"BHEMU_HANG", "1"}});
  const host::Program stuck =
      host::load_program(std::string(BHEMU_SOURCE_DIR) + "/examples/stuck/semaphore.yaml");
  const std::string said = refusal([&] { run(stuck, ~0u); });
  for (const char* part :
       {"has asked", "(1, 2)", "BRISC", "waits for", "(kernels/", "BHEMU_HANG", "BHEMU_CHECK=all"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
  EXPECT_EQ(said.find("(1, 3)"), std::string::npos) << said;  // idle firmware explains nothing
  // A new start of the firmware, as clients do it.
  ASSERT_TRUE(boot_card(client, board_, firmware));
  run("/examples/dram_copy.yaml");
}

/// A client that knows nothing of it is held until the debugger has come and let it go on.
TEST_F(CardBoot, a_debugger_is_let_in_and_stops_the_card_under_its_client) {
  const std::string door = testing::TempDir() + "bhemu_capi_gdb";
  const u32 entry = firmware.elf(CoreId::Brisc).symbol("main")->value;
  std::vector<std::string> said;
  std::thread debugger([&] {
    GdbClient gdb(door);
    gdb.ask("qSupported:multiprocess+;swbreak+");
    gdb.ask("Hgp1.1");
    said.push_back(gdb.ask(fmt::format("Z0,{:x},4", entry)));
    said.push_back(gdb.ask("vCont;c"));
    said.push_back(fmt::format("{:x}", gdb.word("p20")));
    said.push_back(gdb.ask(fmt::format("z0,{:x},4", entry)));
    gdb.say("D");
  });
  boot("p100a", {{"BHEMU_GDB", door.c_str()}});
  run("/examples/dram_copy.yaml");
  debugger.join();
  ASSERT_EQ(said.size(), 4u);
  EXPECT_EQ(said[0], "OK");
  EXPECT_TRUE(said[1].starts_with("T05swbreak:;thread:p1.1")) << said[1];
  EXPECT_EQ(said[2], fmt::format("{:x}", entry));
  EXPECT_EQ(said[3], "OK");
}

}  // namespace
}  // namespace bhemu::test
