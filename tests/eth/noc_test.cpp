// An Ethernet tile on the NoC: its NIUs, its stream registers, and that broadcasts pass it by.
#include <set>

#include "eth/ethernet_chip.hpp"

namespace bhemu::test {
namespace {

constexpr u32 kCode = EthernetChip::kCode;
constexpr u32 kResult = EthernetChip::kResult;
constexpr Coord kEth = EthernetChip::kFirst;
constexpr Coord kOther{31, 25};
constexpr Coord kTensix = EthernetChip::kTensix;
constexpr u32 kNiu[] = {0xFFB20000, 0xFFB30000};

// Command buffer registers and the words of NOC_CTRL (BlackholeA0/NoC/MemoryMap.md).
constexpr u32 kTargetLow = 0x00, kTargetHigh = 0x08, kReturnLow = 0x0C, kReturnHigh = 0x14;
constexpr u32 kControl = 0x1C, kLength = 0x20, kData = 0x28, kGo = 0x40;
constexpr u32 kRead = 0x2090, kWrite = 0x2092, kAtomic = 0x2091;
constexpr u32 kInline = 0x2092 | 1 << 3;
constexpr u32 kStride = 0x800;

struct Request {
  u32 noc = 0;
  u32 buffer = 0;
  u32 control = 0;
  Coord target;
  u32 target_address = 0;
  Coord reply;
  u32 reply_address = 0;
  u32 length = 0;
  u32 data = 0;
};

u32 packed(Coord at) {
  return at.x | u32{at.y} << 6;
}

/// The core writes a request and waits until its buffer is free.
void append(Assembler& a, const Request& r) {
  const u32 base = kNiu[r.noc] + r.buffer * kStride;
  const auto set = [&](u32 offset, u32 value) {
    a.li(t0, base + offset);
    a.li(t1, value);
    a.sw(t1, 0, t0);
  };
  set(kTargetLow, r.target_address);
  set(kTargetHigh, packed(r.target));
  set(kReturnLow, r.reply_address);
  set(kReturnHigh, packed(r.reply));
  set(kControl, r.control);
  set(kLength, r.length);
  set(kData, r.data);
  set(kGo, 1);
  const std::string label = "busy" + std::to_string(a.here());
  a.li(t0, base + kGo);
  a.label(label);
  a.lw(t1, 0, t0);
  a.bne(t1, zero, label);
}

void run_program(EthernetChip& chip, Assembler& a, Coord at = kEth) {
  a.halt();
  chip.load(a, kCode, at);
  chip.start(CoreId::Erisc1, kCode, at);
  EXPECT_EQ(chip.run().status, RunStatus::Idle);
  EXPECT_TRUE(chip.device.faults().empty()) << chip.device.faults()[0].text;
}

TEST(EthernetNoc, every_command_buffer_of_both_nius_reads_and_writes_other_tiles) {
  for (u32 noc = 0; noc < 2; ++noc) {
    for (u32 buffer = 0; buffer < 4; ++buffer) {
      EthernetChip chip;
      chip.write(0x4000, 0x1234 + buffer, kTensix);
      chip.write(0x5000, 0x5678);
      Assembler a(kCode);
      append(a, {noc, buffer, kRead, kTensix, 0x4000, kEth, kResult, 16, 0});
      append(a, {noc, buffer, kWrite, kEth, 0x5000, kTensix, 0x6000, 16, 0});
      append(a, {noc, buffer, kWrite, kEth, 0x5000, kOther, 0x6000, 16, 0});
      run_program(chip, a);
      EXPECT_EQ(chip.read(kResult), 0x1234 + buffer);
      EXPECT_EQ(chip.read(0x6000, kTensix), 0x5678u);
      EXPECT_EQ(chip.read(0x6000, kOther), 0x5678u);
    }
  }
}

TEST(EthernetNoc, reaches_dram_and_comes_back) {
  EthernetChip chip;
  const Coord bank = chip.device.board().dram_port(2, 0);
  chip.write(0x5000, 0xBEEF);
  Assembler a(kCode);
  append(a, {0, 0, kWrite, kEth, 0x5000, bank, 0x100000, 64, 0});
  a.li(t2, 2000);
  a.label("settle");
  a.addi(t2, t2, -1);
  a.bne(t2, zero, "settle");
  append(a, {0, 1, kRead, bank, 0x100000, kEth, kResult, 64, 0});
  run_program(chip, a);
  EXPECT_EQ(chip.read(kResult), 0xBEEFu);
}

/// The core changes the first and the last word of a write's source right after it has asked for
/// the write. What has arrived at the target of them.
std::pair<u32, u32> written_beside_its_core(tensix::Placement effects) {
  constexpr u32 kSource = 0x30000;
  constexpr u32 kBytes = 4096;  // 64 cycles
  DeviceOptions options = p150_options();
  options.timing = TimingModel::Windows;
  options.effects = effects;
  EthernetChip chip(options);
  chip.write(kSource, 1);
  chip.write(kSource + kBytes - 4, 1);
  Assembler a(kCode);
  append(a, {0, 0, kWrite, kEth, kSource, kTensix, 0x6000, kBytes, 0});
  for (const u32 offset : {0u, kBytes - 4}) {
    a.li(t0, kSource + offset);
    a.li(t1, 2);
    a.sw(t1, 0, t0);
  }
  run_program(chip, a);
  return {chip.read(0x6000, kTensix), chip.read(0x6000 + kBytes - 4, kTensix)};
}

TEST(EthernetNoc, requests_are_read_piece_by_piece_where_effects_are_put_off) {
  EXPECT_EQ(written_beside_its_core(tensix::Placement::Issue), (std::pair{1u, 1u}));
  EXPECT_EQ(written_beside_its_core(tensix::Placement::End), (std::pair{1u, 2u}));
}

TEST(EthernetNoc, requests_are_as_late_under_every_number_of_threads_as_a_seed_says) {
  for (const u64 seed : {1u, 2u}) {
    std::set<u64> of_seed;
    for (const u32 threads : {1u, 4u}) {
      DeviceOptions options = p150_options();
      options.timing = TimingModel::Chaos;
      options.seed = seed;
      options.threads = threads;
      EthernetChip chip(options);
      for (u32 i = 0; i < 1024; ++i) chip.write(0x30000 + 4 * i, i);
      Assembler a(kCode);
      append(a, {0, 0, kWrite, kEth, 0x30000, kTensix, 0x6000, 4096, 0});
      append(a, {1, 1, kWrite, kEth, 0x30000, kOther, 0x6000, 4096, 0});
      run_program(chip, a);
      EXPECT_EQ(chip.read(0x6000 + 4092, kTensix), 1023u);
      EXPECT_EQ(chip.read(0x6000 + 4092, kOther), 1023u);
      of_seed.insert(chip.device.cycle() ^ chip.device.hash());
    }
    EXPECT_EQ(of_seed.size(), 1u);
  }
}

TEST(EthernetNoc, tensix_and_ethernet_tiles_perform_atomics_for_each_other) {
  EthernetChip chip;
  constexpr u32 kIncrement = 0x107C;  // wraps at 2^32
  chip.write(0x4000, 10, kTensix);
  Assembler a(kCode);
  append(a, {0, 0, kAtomic, kTensix, 0x4000, kEth, kResult, kIncrement, 5});
  append(a, {0, 0, kAtomic, kOther, 0x4000, kEth, kResult + 16, kIncrement, 7});
  run_program(chip, a);
  EXPECT_EQ(chip.read(0x4000, kTensix), 15u);
  EXPECT_EQ(chip.read(0x4000, kOther), 7u);
}

TEST(EthernetNoc, an_inline_write_to_a_stream_register_adds) {
  EthernetChip chip;
  constexpr u32 kStream = kStreamRegisters + 21 * 0x1000;
  constexpr u32 kUpdate = 270 * 4;
  constexpr u32 kSpace = 297 * 4;
  Assembler a(kCode);
  append(a, {0, 0, kInline, kOther, kStream + kUpdate, kEth, 0, 0xF, 3 << 6});
  append(a, {1, 0, kInline, kOther, kStream + kUpdate, kEth, 0, 0xF, 4 << 6});
  run_program(chip, a);
  EXPECT_EQ(chip.read(kStream + kSpace, kOther), 7u);
}

TEST(EthernetNoc, a_core_adds_to_its_own_stream_registers_which_wrap_at_17_bits) {
  EthernetChip chip;
  constexpr u32 kStream = kStreamRegisters + 31 * 0x1000;
  constexpr u32 kUpdate = 270 * 4;
  constexpr u32 kSpace = 297 * 4;
  Assembler a(kCode);
  for (const u32 amount : {1u, 0x1FFFFu}) {
    a.li(t0, kStream + kUpdate);
    a.li(t1, amount << 6);
    a.sw(t1, 0, t0);
  }
  a.li(t0, kStream + kSpace);
  a.lw(t1, 0, t0);
  a.li(t0, kResult);
  a.sw(t1, 0, t0);
  run_program(chip, a);
  EXPECT_EQ(chip.read(kResult), 0u);
}

TEST(EthernetNoc, there_are_32_streams) {
  EthernetChip chip;
  u32 value = 0;
  EXPECT_TRUE(chip.device.read32(kEth, kStreamRegisters + 31 * 0x1000 + 297 * 4, value));
  EXPECT_FALSE(chip.device.read32(kEth, kStreamRegisters + 32 * 0x1000 + 297 * 4, value));
}

TEST(EthernetNoc, a_broadcast_from_an_ethernet_tile_reaches_tensix_tiles_only) {
  EthernetChip chip;
  chip.write(0x5000, 0x600D);
  constexpr u32 kBroadcast = 0x80B2;
  // From the upper left corner of the chip to the lower right: the row of Ethernet tiles included.
  const u32 rectangle = 16 | 11 << 6 | 0 << 12 | 0 << 18;
  Assembler b(kCode);
  const u32 base = kNiu[0];
  for (const auto& [offset, value] : std::vector<std::pair<u32, u32>>{{kTargetLow, 0x5000},
                                                                      {kTargetHigh, packed(kEth)},
                                                                      {kReturnLow, 0x6000},
                                                                      {kReturnHigh, rectangle},
                                                                      {kControl, kBroadcast},
                                                                      {kLength, 16},
                                                                      {kGo, 1}}) {
    b.li(t0, base + offset);
    b.li(t1, value);
    b.sw(t1, 0, t0);
  }
  run_program(chip, b);
  for (const Coord tensix : chip.device.board().tensix())
    EXPECT_EQ(chip.read(0x6000, tensix), 0x600Du) << +tensix.x << ", " << +tensix.y;
  for (u8 x = 20; x < 32; ++x) EXPECT_EQ(chip.read(0x6000, {x, 25}), 0u) << "channel " << x - 20;
}

TEST(EthernetNoc, a_request_that_breaks_a_rule_names_the_core_that_made_it) {
  EthernetChip chip;
  Assembler a(kCode);
  append(a, {0, 0, kWrite, kEth, 0x5004, kTensix, 0x6000, 16, 0});
  a.halt();
  chip.load(a, kCode);
  chip.start(CoreId::Erisc1, kCode);
  EXPECT_EQ(chip.run().status, RunStatus::Faulted);
  ASSERT_EQ(chip.device.faults().size(), 1u);
  EXPECT_EQ(chip.device.faults()[0].rule, Rule::NocAlignment);
  EXPECT_EQ(chip.device.faults()[0].agent, Agent::Erisc1);
}

}  // namespace
}  // namespace bhemu::test
