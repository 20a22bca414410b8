#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/command.hpp"

namespace bhemu::test {
namespace {

constexpr const char* kExamples = BHEMU_SOURCE_DIR "/examples/";

bool holds(const std::string& text, const std::string& wanted) {
  return text.find(wanted) != std::string::npos;
}

class Cli : public testing::Test {
 protected:
  CommandResult run(const std::string& arguments) { return bhemu(scratch_, arguments); }
  Scratch scratch_{"bhemu_cli_test"};
};

TEST_F(Cli, version_is_the_one_of_the_build) {
  const CommandResult result = run("--version");
  EXPECT_EQ(result.status, 0);
  // What CMake has read from the sources, for packages and clients.
  const std::string package = contents(BHEMU_BINARY_DIR "/package/bhemu.pc");
  const std::string version = result.out.substr(6, result.out.find('\n') - 6);
  EXPECT_TRUE(holds(package, "Version: " + version + "\n")) << version;
}

TEST_F(Cli, help_shows_commands_examples_and_statuses) {
  const CommandResult result = run("--help");
  EXPECT_EQ(result.status, 0);
  for (const char* text : {"info", "boot", "run", "disasm", "Examples:", "Exit status"})
    EXPECT_TRUE(holds(result.out, text)) << text;
  EXPECT_TRUE(holds(run("run --help").out, "--harvest-columns"));
}

TEST_F(Cli, wrong_usage_is_one_line_and_status_2) {
  for (const char* arguments :
       {"", "fly", "run", "info --bord p150", "run a.yaml --threads 0", "info --board p300",
        "info --harvest-dram 9", "info --harvest-columns 1,", "info --harvest-columns none",
        "run a.yaml --rule nonsense=warn", "run a.yaml --timing slow"}) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_TRUE(result.out.empty()) << arguments;
    EXPECT_TRUE(result.err.starts_with("bhemu: ")) << arguments << ": " << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << arguments << ": " << result.err;
  }
}

TEST_F(Cli, errors_are_json_when_asked) {
  const std::string file = scratch_.file("p.yaml", "name: x\nkernls: {}\n");
  const CommandResult result = run("run --json " + file);
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(result.out.starts_with("{\"status\":\"bad-input\",\"error\":{")) << result.out;
  EXPECT_TRUE(holds(result.out, "\"place\":\"2:1\"")) << result.out;
  EXPECT_TRUE(holds(result.out, "did you mean 'kernels'?")) << result.out;
  EXPECT_TRUE(result.err.empty());
  EXPECT_TRUE(run("--json --nonsense").out.starts_with("{\"status\":\"bad-input\""));
}

TEST_F(Cli, mistakes_in_a_program_have_file_line_and_column) {
  const std::string file = scratch_.file("p.yaml", "name: x\nkernels: {brisc: k}\ntils: all\n");
  const CommandResult result = run("run " + file);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err,
            "bhemu: " + file + ":3:1: unknown key 'tils' in the program, did you mean 'tiles'?\n");
}

TEST_F(Cli, every_command_has_a_manual_page_with_its_options) {
  const CommandResult whole = run("man");
  EXPECT_EQ(whole.status, 0);
  EXPECT_TRUE(whole.out.starts_with(".TH bhemu 1 ")) << whole.out;
  for (const char* command : {"info", "boot", "run", "disasm", "shim", "completion"}) {
    EXPECT_TRUE(holds(whole.out, std::string("bhemu\\-") + command)) << command;
    const CommandResult page = run(std::string("man ") + command);
    EXPECT_EQ(page.status, 0) << command;
    EXPECT_TRUE(page.out.starts_with(std::string(".TH bhemu\\-") + command)) << page.out;
    EXPECT_TRUE(holds(page.out, "\\-\\-help")) << page.out;
  }
  EXPECT_TRUE(holds(run("man run").out, "\\-\\-harvest\\-columns"));
  const CommandResult missing = run("man fly");
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err, "bhemu: there is no command 'fly' (bhemu --help)\n");
}

TEST_F(Cli, completion_knows_commands_options_and_their_values) {
  const CommandResult script = run("completion bash");
  ASSERT_EQ(script.status, 0);
  const std::string file = scratch_.file(
      "complete.bash", script.out +
                           "\nCOMP_WORDS=(\"$@\")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                           "_bhemu\necho \"${COMPREPLY[@]}\"\n");
  const auto complete = [&](const std::string& words) {
    return shell(scratch_, "bash " + file + " " + words).out;
  };
  EXPECT_EQ(complete("bhemu inf"), "info\n");
  EXPECT_EQ(complete("bhemu run --harvest-c"), "--harvest-columns\n");
  EXPECT_EQ(complete("bhemu boot --board p1"), "p100a p150\n");
  EXPECT_EQ(complete("bhemu completion z"), "zsh\n");
  for (const char* other : {"zsh", "fish"})
    EXPECT_TRUE(holds(run(std::string("completion ") + other).out, "bhemu")) << other;
  EXPECT_EQ(run("completion csh").status, 2);
}

TEST_F(Cli, missing_files_are_named) {
  EXPECT_TRUE(holds(run("run /nonexistent.yaml").err, "/nonexistent.yaml: cannot open"));
  EXPECT_TRUE(holds(run("disasm /nonexistent.elf").err, "/nonexistent.elf: cannot open"));
  EXPECT_TRUE(holds(run("boot --firmware /nonexistent").err, "/nonexistent/brisc.elf"));
  const std::string file = scratch_.file("p.yaml", "name: x\nkernels: {brisc: missing.elf}\n");
  const CommandResult result = run("run " + file);
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(holds(result.err, "missing.elf: cannot open")) << result.err;
}

TEST_F(Cli, tiles_of_a_program_must_exist) {
  const std::string kernel = scratch_.file("k.bin", std::string("\x67\x80\x00\x00", 4));
  const std::string file =
      scratch_.file("p.yaml", "name: x\ntiles: [[1, 2], [8, 2]]\nkernels: {brisc: {raw: k.bin}}\n");
  const CommandResult result = run("run " + file);
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(holds(result.err, ":2:17: (8, 2) is no live Tensix tile of P100A")) << result.err;
}

TEST_F(Cli, info_counts_tiles_and_banks) {
  const CommandResult p100a = run("info");
  EXPECT_EQ(p100a.status, 0);
  EXPECT_TRUE(holds(p100a.out, "P100A: 120 Tensix tiles, 7 DRAM banks")) << p100a.out;
  EXPECT_TRUE(holds(run("info --board P150").out, "P150: 140 Tensix tiles, 8 DRAM banks"));
  const CommandResult other = run("info --harvest-dram 2 --harvest-columns +4 --json");
  EXPECT_TRUE(holds(other.out, "\"tensix_tiles\":110")) << other.out;
  EXPECT_TRUE(holds(other.out, "\"harvested_dram\":4"));
}

TEST_F(Cli, disasm_shows_functions_and_instructions) {
  const CommandResult result =
      run(std::string("disasm ") + BHEMU_SOURCE_DIR "/firmware/prebuilt/brisc.elf");
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(holds(result.out, "<_start>:")) << result.out.substr(0, 400);
  EXPECT_TRUE(holds(result.out, "lui"));
  const CommandResult math =
      run(std::string("disasm ") + BHEMU_SOURCE_DIR "/kernels/prebuilt/add_scalar/trisc1.elf");
  EXPECT_TRUE(holds(math.out, "ttinsn ")) << math.out.substr(0, 400);
}

TEST_F(Cli, disasm_reads_raw_tensix_words) {
  const std::string file = scratch_.file("words.bin", std::string("\x00\x00\x00\x02", 4));
  EXPECT_TRUE(holds(run("disasm --tensix " + file).out, "02000000  NOP"));
  const std::string odd = scratch_.file("odd.bin", "abc");
  EXPECT_EQ(run("disasm --tensix " + odd).status, 2);
}

TEST_F(Cli, boot_gets_every_tile_ready) {
  const CommandResult result = run("boot --board p100a");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(holds(result.out, "120 of 120 tiles ready")) << result.out;
  EXPECT_TRUE(holds(result.out, "READY"));
  const CommandResult quiet = run("boot --quiet");
  EXPECT_EQ(quiet.status, 0);
  EXPECT_TRUE(quiet.out.empty());
}

TEST_F(Cli, program_that_passes_is_status_0_and_saves_its_tensor) {
  const CommandResult result =
      run("run --output " + scratch_.path().string() + " " + kExamples + "add_scalar.yaml");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_TRUE(holds(result.out, "PASSED")) << result.out;
  EXPECT_TRUE(std::filesystem::exists(scratch_.path() / "add_scalar_output.npy"));
}

TEST_F(Cli, what_is_only_within_the_tolerance_is_not_called_equal) {
  const CommandResult rounded = run(std::string("run ") + kExamples + "softmax.yaml");
  EXPECT_EQ(rounded.status, 0) << rounded.err;
  EXPECT_TRUE(holds(rounded.out, "within the tolerance")) << rounded.out;
  EXPECT_FALSE(holds(rounded.out, "all equal")) << rounded.out;
  const CommandResult exact = run(std::string("run ") + kExamples + "copy.yaml");
  EXPECT_TRUE(holds(exact.out, "all equal")) << exact.out;
}

TEST_F(Cli, the_soc_descriptor_lists_the_live_tiles) {
  const CommandResult whole = run("soc-descriptor --board p150");
  EXPECT_EQ(whole.status, 0);
  EXPECT_TRUE(holds(whole.out, "arch_name: BLACKHOLE"));
  EXPECT_TRUE(holds(whole.out, "[0-0, 0-1, 0-11]"));  // NoC 0 coordinates
  EXPECT_FALSE(holds(whole.out, "11-0"));             // a PCIe tile that is not in use
  // tt-metal metal_soc_descriptor.cpp reads these two, UMD does not.
  EXPECT_TRUE(holds(whole.out, "dram_view_size: 4278190080"));
  EXPECT_TRUE(holds(whole.out,
                    "{ channel: 3, eth_endpoint: [0, 1], worker_endpoint: [0, 1], "
                    "address_offset: 0 }"));
  EXPECT_TRUE(holds(whole.out, "{ channel: 7, eth_endpoint: [2, 1]"));
  const CommandResult harvested = run("soc-descriptor --board p100a");
  EXPECT_FALSE(holds(harvested.out, "16-2"));
  EXPECT_TRUE(holds(harvested.out, "[17-12, 17-13, 17-14]"));  // translated ones
  EXPECT_FALSE(holds(harvested.out, "channel: 7"));
  EXPECT_FALSE(holds(harvested.out, "16-1"));  // Ethernet
  // tt-umd looks up the NoC 1 name of every tile, translated names included.
  EXPECT_TRUE(holds(harvested.out, "2, 1, 0, 17, 18, 19,")) << harvested.out;
}

TEST_F(Cli, the_cluster_descriptor_says_what_a_board_has_lost) {
  const CommandResult p100a = run("cluster-descriptor --board p100a");
  EXPECT_EQ(p100a.status, 0);
  EXPECT_TRUE(holds(p100a.out, "board_type: p100\n"));
  EXPECT_TRUE(holds(p100a.out, "harvest_mask: 12288\n"));  // the two columns in the east
  EXPECT_TRUE(holds(p100a.out, "dram_harvesting_mask: 128\n"));
  EXPECT_TRUE(holds(p100a.out, "eth_harvesting_mask: 16383\n"));
  EXPECT_TRUE(holds(p100a.out, "pcie_harvesting_mask: 2\n"));
  const CommandResult p150 = run("cluster-descriptor --board p150");
  EXPECT_TRUE(holds(p150.out, "    harvest_mask: 0\n"));
  EXPECT_TRUE(holds(p150.out, "eth_harvesting_mask: 288\n"));
  // x = 1 is the ARC's column 0, x = 10 its column 13.
  const CommandResult other = run("cluster-descriptor --board p100a --harvest-columns 0,13");
  EXPECT_TRUE(holds(other.out, "    harvest_mask: 129\n")) << other.out;
  // Its companion lists everything, whatever the board.
  const CommandResult complete = run("soc-descriptor --complete --board p100a");
  EXPECT_TRUE(holds(complete.out, "2-0, 11-0"));
  EXPECT_TRUE(holds(complete.out, "16-11"));
  EXPECT_TRUE(holds(complete.out, "[9-5, 9-7, 9-6]"));
}

TEST_F(Cli, wrong_expectation_is_status_1_with_the_first_difference) {
  const std::string file = scratch_.file("p.yaml", std::string(R"(name: wrong
tiles: [[1, 2]]
kernels: {brisc: )") + BHEMU_SOURCE_DIR + R"(/kernels/prebuilt/int_bench/brisc.elf}
arguments: {brisc: [1, 0x100000, 0x110000]}
expect: [{address: 0x110000, value: 1}]
)");
  const CommandResult result = run("run " + file);
  EXPECT_EQ(result.status, 1) << result.out << result.err;
  EXPECT_TRUE(holds(result.out, "expected 0x1, got 0x")) << result.out;
  const CommandResult json = run("run --json " + file);
  EXPECT_EQ(json.status, 1);
  EXPECT_TRUE(json.out.starts_with("{\"status\":\"wrong-result\"")) << json.out;
}

TEST_F(Cli, hang_is_status_3_and_explained) {
  // j . : the core never comes back
  const std::string kernel = scratch_.file("k.bin", std::string("\x6f\x00\x00\x00", 4));
  const std::string file =
      scratch_.file("p.yaml", "name: x\ntiles: [[1, 2]]\nkernels: {brisc: {raw: k.bin}}\n");
  const CommandResult result = run("run " + file);
  EXPECT_EQ(result.status, 3) << result.out << result.err;
  EXPECT_TRUE(holds(result.err, "Hung at cycle")) << result.err;
  EXPECT_TRUE(holds(result.err, "BRISC of ")) << result.err;
  EXPECT_TRUE(holds(result.err, "Not finished: (1, 2)")) << result.err;
}

TEST_F(Cli, fault_is_status_4_with_rule_and_place) {
  // lui a0, 0x90000; lw a0, 0(a0): nothing is there
  const std::string kernel =
      scratch_.file("k.bin", std::string("\x37\x05\x00\x90\x03\x25\x05\x00\x67\x80\x00\x00", 12));
  const std::string file =
      scratch_.file("p.yaml", "name: x\ntiles: [[1, 2]]\nkernels: {brisc: {raw: k.bin}}\n");
  const CommandResult result = run("run " + file);
  EXPECT_EQ(result.status, 4) << result.out << result.err;
  EXPECT_TRUE(holds(result.err, "Fault [")) << result.err;
  EXPECT_TRUE(holds(result.err, "BRISC of tile (1, 2)")) << result.err;
  EXPECT_TRUE(holds(result.err, "lw")) << result.err;
}

TEST_F(Cli, numbers_may_have_an_exponent_and_no_sign) {
  Scratch scratch("bhemu_cli_numbers");
  for (const char* wrong : {"--max-cycles -5", "--max-cycles 1.5", "--seed -1", "--max-cycles 1e30",
                            "--max-cycles ten"}) {
    const CommandResult result = bhemu(scratch, std::string("boot ") + wrong);
    EXPECT_EQ(result.status, 2) << wrong;
    EXPECT_NE(result.err.find("is no whole number from 0 on"), std::string::npos) << result.err;
  }
  const CommandResult limited = bhemu(scratch, "boot --max-cycles 1e3");
  EXPECT_EQ(limited.status, 3) << limited.err;
  EXPECT_NE(limited.err.find("the cycle limit was reached"), std::string::npos) << limited.err;
}

TEST_F(Cli, a_misspelt_command_is_answered_with_the_one_that_was_meant) {
  Scratch scratch("bhemu_cli_command");
  const CommandResult result = bhemu(scratch, "rum x.yaml");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("'rum' is no command, did you mean 'run'?"), std::string::npos)
      << result.err;
}

}  // namespace
}  // namespace bhemu::test
