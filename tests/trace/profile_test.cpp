// Where the time of small guest programs goes, counted by hand, and what the command says.
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "debug/profile/profile.hpp"
#include "debug/trace/tee.hpp"
#include "trace/traced_chip.hpp"

namespace bhemu::test {
namespace {

using enum Reg;
using debug::Awaited;
using debug::Lane;
using debug::Spent;
using tensix::encode;
namespace op = tensix::op;

constexpr u32 kReceived = 0xFFB40000 + 3 * 0x1000 + 40;  // of circular buffer 3
constexpr u32 kRounds = 200;

/// BRISC waits for a page in buffer 3, which TRISC1 gives after a while; thread 0 waits for SrcA.
std::shared_ptr<debug::Profile> profile_of_a_small_chip(bool park, Cycle cycles = 512) {
  DeviceOptions options;
  options.parking = park;
  Device device(options);
  const Coord tile = device.board().tensix()[0];
  Assembler brisc;
  brisc.li(s0, kReceived);
  brisc.label("poll");
  brisc.lw(a0, 0, s0);
  brisc.beq(a0, zero, "poll");
  brisc.label("end");
  brisc.halt();
  Assembler trisc0(kTriscStart[0]);
  trisc0.ttinsn(encode<op::ZEROACC>({{"clear_mode", 3}}));
  trisc0.ttinsn(encode<op::MOVA2D>());
  trisc0.halt();
  Assembler trisc1(kTriscStart[1]);
  trisc1.li(s0, kReceived);
  trisc1.li(a0, kRounds);
  trisc1.label("count");
  trisc1.addi(a0, a0, -1);
  trisc1.bne(a0, zero, "count");
  trisc1.li(a1, 1);
  trisc1.sw(a1, 0, s0);
  trisc1.halt();
  load(device, tile, 0, brisc.finish());
  load(device, tile, kTriscStart[0], trisc0.finish());
  load(device, tile, kTriscStart[1], trisc1.finish());
  auto profile = std::make_shared<debug::Profile>();
  device.start_trace(debug::profile_sink(profile), {});
  device.write32(tile, kSoftReset, 0x44000);  // BRISC, TRISC0 and TRISC1 run
  device.run(cycles);
  device.stop_trace();
  return profile;
}

const debug::TileUse& tile_of(const debug::Profile& profile) {
  for (const debug::TileUse& tile : profile.tiles)
    if (!tile.lanes.empty()) return tile;
  return profile.tiles.front();
}

u64 waited(const Lane& lane, const debug::WaitOf& wait) {
  u64 sum = 0;
  for (const auto& [at, cycles] : lane.waits)
    if (at.wait == wait) sum += cycles;
  return sum;
}

TEST(Profile, counts_a_poll_as_a_wait_for_what_it_reads) {
  const auto profile = profile_of_a_small_chip(true);
  const Lane& brisc = tile_of(*profile).lanes.at(Agent::Brisc);
  // TRISC1 counts down 200 rounds of two instructions; agents alternate every 64 cycles.
  const u64 pages = waited(brisc, {Awaited::Pages, {}, 3, 0});
  EXPECT_GE(pages, 2 * kRounds - 64u);
  EXPECT_LE(pages, 2 * kRounds + 128u);
  EXPECT_EQ(waited(brisc, {Awaited::Nothing, {}, 0, 0}), 512 - pages - 4)
      << "the endless loop at its end";
}

TEST(Profile, counts_every_cycle_of_a_lane_once) {
  const auto profile = profile_of_a_small_chip(true);
  for (const auto& [agent, lane] : tile_of(*profile).lanes) {
    u64 sum = 0;
    for (const u64 part : lane.cycles) sum += part;
    EXPECT_EQ(sum, profile->span()) << name_of(agent);
    u64 waits = 0;
    for (const auto& [at, cycles] : lane.waits) waits += cycles;
    EXPECT_EQ(waits, lane.waited()) << name_of(agent);
    u64 drawn = 0;
    for (const auto& stretch : lane.timeline.stretches())
      for (unsigned s = 1; s < debug::kSpents; ++s) drawn += stretch[s];
    EXPECT_EQ(drawn, sum - lane.cycles[0]) << name_of(agent);
  }
}

TEST(Profile, does_not_depend_on_parking) {
  const auto parked = profile_of_a_small_chip(true);
  const auto running = profile_of_a_small_chip(false);
  const debug::TileUse& a = tile_of(*parked);
  const debug::TileUse& b = tile_of(*running);
  ASSERT_EQ(a.lanes.size(), b.lanes.size());
  for (const auto& [agent, lane] : a.lanes) {
    EXPECT_EQ(lane.cycles, b.lanes.at(agent).cycles) << name_of(agent);
    EXPECT_EQ(lane.waits, b.lanes.at(agent).waits) << name_of(agent);
    EXPECT_EQ(lane.instructions, b.lanes.at(agent).instructions) << name_of(agent);
  }
}

TEST(Profile, knows_what_threads_and_units_do) {
  const auto profile = profile_of_a_small_chip(true);
  const debug::TileUse& tile = tile_of(*profile);
  const Lane& thread = tile.lanes.at(Agent::Thread0);
  EXPECT_EQ(thread.instructions, 1u);
  EXPECT_EQ(thread.cycles[static_cast<unsigned>(Spent::Busy)], 1u);
  EXPECT_GT(waited(thread, {Awaited::Event, trace::Wait::SrcA, 0, 0}), 500u);
  const debug::UnitUse& matrix = tile.units[static_cast<unsigned>(tensix::BusyUnit::Fpu)];
  EXPECT_EQ(matrix.instructions, 1u);
  EXPECT_EQ(matrix.cycles, 1u);
}

TEST(Profile, follows_the_pages_of_a_buffer) {
  const auto profile = profile_of_a_small_chip(true);
  const debug::BufferUse& buffer = tile_of(*profile).buffers.at(3);
  EXPECT_EQ(buffer.pushed, 1u);
  EXPECT_EQ(buffer.popped, 0u);
  EXPECT_EQ(buffer.most, 1u);
  EXPECT_EQ(buffer.pushes.at(Agent::Trisc1), 1u);
  EXPECT_EQ(buffer.at_level.at(0) + buffer.at_level.at(1), profile->span());
}

TEST(Timelines, keep_their_sums_when_their_stretches_grow) {
  debug::Timeline line(100);
  for (Cycle at = 100; at < 100'000; at += 10) line.add(at, at + 7, Spent::Busy);
  EXPECT_LE(line.stretches().size(), debug::Timeline::kMost);
  u64 busy = 0;
  for (const auto& stretch : line.stretches()) busy += stretch[1];
  EXPECT_EQ(busy, 9'990u * 7);
  line.add(100, 130, Spent::WaitNoc, Spent::Busy);
  u64 moved = 0;
  for (const auto& stretch : line.stretches()) moved += stretch[4];
  EXPECT_EQ(moved, 30u);
}

class ProfileCommand : public testing::Test {
 protected:
  CommandResult run(const std::string& arguments) {
    return bhemu(scratch_, std::string("run ") +
                               BHEMU_SOURCE_DIR "/examples/matmul_multicast.yaml " + arguments);
  }
  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }
  static u64 number(const std::string& text, const std::string& key, size_t from = 0) {
    const std::string wanted = "\"" + key + "\":";
    const size_t at = text.find(wanted, from);
    return at == std::string::npos ? ~u64{0} : std::stoull(text.substr(at + wanted.size()));
  }
  Scratch scratch_{"bhemu_profile_test"};
};

TEST_F(ProfileCommand, says_in_one_sentence_what_holds_a_run_up) {
  const CommandResult result = run("--profile");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("Profile: MVMUL is at work "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("thread 1 waits "), std::string::npos);
  EXPECT_NE(result.out.find("for SrcA and SrcB to be valid at MultiplyTiles"), std::string::npos);
  EXPECT_NE(result.out.find("TRISC0 waits "), std::string::npos);
  EXPECT_NE(result.out.find("(read barrier) at "), std::string::npos);
  EXPECT_NE(result.out.find("not silicon's time"), std::string::npos);
}

TEST_F(ProfileCommand, agrees_with_the_counters_of_the_run) {
  const CommandResult result = run("--json --profile=" + path("p.json"));
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string file = contents(path("p.json"));
  const size_t ran = result.out.find("\"run\":{");
  ASSERT_NE(ran, std::string::npos);
  u64 tensix = 0;
  const size_t units = file.find("\"units\":[");
  const size_t units_end = file.find(']', units);
  for (size_t at = file.find("\"instructions\":", units); at < units_end;
       at = file.find("\"instructions\":", at + 1))
    tensix += number(file, "instructions", at);
  EXPECT_EQ(tensix, number(result.out, "tensix_instructions", ran));
  u64 packets = 0;
  const size_t noc = file.find("\"noc\":[");
  const size_t noc_end = file.find(']', noc);
  for (size_t at = file.find("\"packets\":", noc); at < noc_end;
       at = file.find("\"packets\":", at + 1))
    packets += number(file, "packets", at);
  EXPECT_EQ(packets, number(result.out, "noc_packets", ran));
  u64 riscv = 0;
  const size_t agents_end = file.find("\"units\":[");
  for (size_t at = file.find("\"agent\":\""); at < agents_end;
       at = file.find("\"agent\":\"", at + 1))
    if (file.compare(at, 15, "\"agent\":\"thread") != 0) riscv += number(file, "instructions", at);
  EXPECT_EQ(riscv, number(result.out, "riscv_instructions", ran));
}

TEST_F(ProfileCommand, writes_what_tt_metals_tools_read) {
  const CommandResult result = run("--quiet --profile=" + path("profile_log_device.csv"));
  EXPECT_EQ(result.status, 0) << result.err;
  std::istringstream file(contents(path("profile_log_device.csv")));
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 120");
  std::getline(file, line);
  EXPECT_TRUE(line.starts_with("PCIe slot, core_x, core_y, RISC processor type, timer_id, "));
  size_t rows = 0;
  while (std::getline(file, line)) {
    ++rows;
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 14) << line;
  }
  EXPECT_EQ(rows, 120u * 5 * 4) << "a zone of firmware and one of the kernel of each core";
}

TEST_F(ProfileCommand, can_go_with_a_trace_of_its_own_selection) {
  const CommandResult alone =
      run("--quiet --trace " + path("a.txt") + " --trace-tiles 1-2 --trace-what noc,tensix");
  EXPECT_EQ(alone.status, 0) << alone.err;
  const CommandResult both =
      run("--profile --trace " + path("b.txt") + " --trace-tiles 1-2 --trace-what noc,tensix");
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_EQ(contents(path("a.txt")), contents(path("b.txt")));
  EXPECT_NE(both.out.find("120 tiles with kernels"), std::string::npos) << both.out;
}

TEST_F(ProfileCommand, refuses_a_file_that_cannot_be_written_before_it_runs) {
  const CommandResult result = run("--profile=/dev/null/p.json");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out.find("boot"), std::string::npos) << result.out;
}

TEST_F(ProfileCommand, traces_of_the_launch_begin_with_it) {
  const CommandResult result =
      run("--trace " + path("t.txt") + " --trace-cycles run --trace-what noc --quiet");
  EXPECT_EQ(result.status, 0) << result.err;
  std::istringstream file(contents(path("t.txt")));
  std::string line;
  while (std::getline(file, line) && line[0] == '#') {
  }
  EXPECT_GE(std::stoull(line), 19'968u) << "the boot takes so long";
  const CommandResult boot =
      bhemu(scratch_, "boot --trace " + path("t.txt") + " --trace-cycles run");
  EXPECT_EQ(boot.status, 2);
  EXPECT_NE(boot.err.find("bhemu run"), std::string::npos) << boot.err;
}

}  // namespace
}  // namespace bhemu::test
