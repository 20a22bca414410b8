// The stand-in for the base firmware: what tt-umd, tt-metal and tt-exalens find.
#include "eth/ethernet_chip.hpp"

namespace bhemu::test {
namespace {

constexpr u32 kCode = EthernetChip::kCode;
constexpr u32 kResult = EthernetChip::kResult;
constexpr u32 kCall = 0xCA110000;
constexpr u32 kDone = 0xD0E50000;
constexpr u32 kReleaseCore = 2;
constexpr u32 kMessageHost = eth::kMailboxes;
constexpr u32 kApiTable = eth::kBootResults + 0x300;

u32 telemetry(Device& device, u32 tag) {
  const Coord arc{8, 0};
  u32 table = 0;
  u32 values = 0;
  u32 count = 0;
  device.read32(arc, 0x80030434, table);
  device.read32(arc, 0x80030430, values);
  device.read32(arc, table + 4, count);
  for (u32 i = 0; i < count; ++i) {
    u32 entry = 0;
    u32 value = 0;
    device.read32(arc, table + 8 + 4 * i, entry);
    device.read32(arc, values + 4 * (entry >> 16), value);
    if ((entry & 0xFFFF) == tag) return value;
  }
  ADD_FAILURE() << "no tag " << tag;
  return 0;
}

TEST(BaseFirmware, says_which_tile_it_is_on_and_that_nothing_is_connected) {
  EthernetChip chip;
  const u32 ports[] = {3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2};
  const u32 instances[] = {0, 1, 2, 3, 4, 6, 7, 9, 10, 11, 12, 13};
  for (u8 channel = 0; channel < 12; ++channel) {
    const Coord at{static_cast<u8>(20 + channel), 25};
    const u32 base = eth::kBootResults;
    EXPECT_EQ(chip.read(base + 4, at), ports[channel]) << "port_status of channel " << +channel;
    EXPECT_EQ(chip.read(base, at), ports[channel] == 3 ? 0xC0DE0000 : 0xC0DEB000);
    EXPECT_EQ(chip.read(base + 8, at), ports[channel] == 3 ? 1u : 6u);
    EXPECT_EQ(chip.read(base + 0x3C0, at) >> 16, instances[channel] | u32{channel} << 8);
    EXPECT_EQ(chip.read(0xFFB20048, at), instances[channel] | 0x0200u << 8);
    EXPECT_EQ(chip.read(kPcsStatus, at), 0u);
  }
}

TEST(BaseFirmware, has_the_version_of_its_bundle_and_telemetry_agrees) {
  const struct {
    FirmwareBundle bundle;
    u32 version, bundle_version;
  } cases[] = {{FirmwareBundle::V18_12, 0x00010600, 0x120C0000},
               {FirmwareBundle::V19_3, 0x00010701, 0x13030000}};
  for (const auto& wanted : cases) {
    EthernetChip chip(p150_options(true, wanted.bundle));
    EXPECT_EQ(chip.read(eth::kBootResults + 0x3BC), wanted.version);
    EXPECT_EQ(chip.read(0x70188), wanted.version);
    EXPECT_EQ(telemetry(chip.device, 24), wanted.version);
    EXPECT_EQ(telemetry(chip.device, 28), wanted.bundle_version);
    EXPECT_EQ(telemetry(chip.device, 35), 0x3EDFu);
  }
}

TEST(BaseFirmware, is_nowhere_on_a_p100a) {
  DeviceOptions options;
  options.board = BoardOptions::defaults(BoardModel::P100A);
  Device device(options);
  EXPECT_EQ(telemetry(device, 24), 0u);
  EXPECT_EQ(telemetry(device, 35), 0u);
  EXPECT_EQ(telemetry(device, 21), 0u);
  u32 value = 0;
  EXPECT_FALSE(device.read32(EthernetChip::kFirst, 0, value));
}

TEST(BaseFirmware, its_heartbeat_moves_while_it_waits_and_stops_with_the_core) {
  EthernetChip chip;
  chip.device.advance(1'000'000);
  const u32 first = chip.read(eth::kHeartbeat);
  EXPECT_EQ(first >> 16, 0xABCDu);
  chip.device.advance(1'000'000);
  EXPECT_NE(chip.read(eth::kHeartbeat), first);
  u8 byte = 0;
  EXPECT_TRUE(chip.device.read(EthernetChip::kFirst, eth::kHeartbeat + 3, {&byte, 1}));
  EXPECT_EQ(byte, 0xAB);
  chip.hold();
  const u32 held = chip.read(eth::kHeartbeat);
  chip.device.advance(1'000'000);
  EXPECT_EQ(chip.read(eth::kHeartbeat), held);
}

TEST(BaseFirmware, telemetry_tells_whose_heartbeat_moves) {
  EthernetChip chip;
  EXPECT_EQ(telemetry(chip.device, 21), 0x3EDFu);
  chip.hold();
  constexpr Cycle kUpdate = 135'000'000;
  for (int look = 0; look < 2; ++look) {
    chip.device.advance(kUpdate);
    telemetry(chip.device, 21);
  }
  EXPECT_EQ(telemetry(chip.device, 21), 0x3EDEu);
}

TEST(BaseFirmware, answers_calls_in_all_four_mailboxes) {
  EthernetChip chip;
  chip.run();
  const u32 types[] = {1, 6, 9, 0xF};
  for (u32 box = 0; box < 4; ++box) {
    chip.write(kMessageHost + 16 * box + 4, 0xFFFFFFFF);
    chip.write(kMessageHost + 16 * box, kCall | types[box]);
  }
  chip.run();
  for (u32 box = 0; box < 4; ++box)
    EXPECT_EQ(chip.read(kMessageHost + 16 * box), kDone | types[box]);
}

TEST(BaseFirmware, copies_the_live_status_where_a_link_check_wants_it) {
  EthernetChip chip;
  chip.run();
  chip.write(eth::kBootResults + 0x200, 77);  // retrains
  chip.write(eth::kBootResults + 0x204, 1);   // a link that nobody has
  chip.write(kMessageHost + 4, kResult);
  chip.write(kMessageHost, kCall | 1);
  chip.run();
  EXPECT_EQ(chip.read(kResult), 77u);
  EXPECT_EQ(chip.read(kResult + 4), 0u);
}

TEST(BaseFirmware, release_core_calls_the_program_and_goes_on_when_it_returns) {
  EthernetChip chip;
  chip.run();
  Assembler a(kCode);
  a.li(t0, kResult);
  a.li(t1, 0x5A5A);
  a.sw(t1, 0, t0);
  a.label("wait");
  a.lw(t1, 4, t0);
  a.beq(t1, zero, "wait");
  a.word(ra << 15 | 0x67);  // ret
  chip.load(a, kCode);
  chip.write(kMessageHost + 4, kCode);
  chip.write(kMessageHost, kCall | kReleaseCore);
  chip.run();
  EXPECT_EQ(chip.read(kResult), 0x5A5Au);
  EXPECT_EQ(chip.read(kMessageHost), kCall | kReleaseCore) << "not done before it returns";
  EXPECT_FALSE(chip.tile().is_waiting_for_work(0));
  chip.write(kResult + 4, 1);
  chip.run();
  EXPECT_EQ(chip.read(kMessageHost), kDone | kReleaseCore);
  EXPECT_TRUE(chip.tile().is_waiting_for_work(0));
}

/// Calls the function in the table's entry `index` with `argument` in a0.
void call_entry(Assembler& a, u32 index, u32 argument) {
  a.li(a0, argument);
  a.li(t0, kApiTable + 4 * index);
  a.lw(t0, 0, t0);
  a.word(t0 << 15 | ra << 7 | 0x67);  // jalr t0
}

TEST(BaseFirmware, the_released_program_can_call_every_function_of_the_table) {
  EthernetChip chip;
  chip.run();
  Assembler a(kCode);
  a.addi(sp, sp, -16);
  a.sw(ra, 0, sp);
  call_entry(a, 1, 0);           // service: answers mailbox 1, leaves its own call alone
  call_entry(a, 2, 0xFFFFFFFF);  // link check
  call_entry(a, 3, 0);           // dynamic NoC
  call_entry(a, 4, 0);           // recovery
  a.li(a1, kCall | 0x77);
  call_entry(a, 0, 3);  // a message to mailbox 3
  a.li(t0, kResult);
  a.li(t1, 1);
  a.sw(t1, 0, t0);
  a.lw(ra, 0, sp);
  a.addi(sp, sp, 16);
  a.word(ra << 15 | 0x67);
  chip.load(a, kCode);
  chip.write(kMessageHost + 4, kCode);
  chip.write(kMessageHost + 16, kCall | 0xF);
  chip.write(kMessageHost, kCall | kReleaseCore);
  chip.run();
  EXPECT_EQ(chip.read(kResult), 1u);
  EXPECT_EQ(chip.read(kMessageHost), kDone | kReleaseCore);
  EXPECT_EQ(chip.read(kMessageHost + 16), kDone | 0xFu);
  EXPECT_EQ(chip.read(kMessageHost + 48), kDone | 0x77u) << "an unknown type is answered, too";
}

TEST(BaseFirmware, a_core_reset_by_its_neighbour_resumes_at_its_start_register) {
  EthernetChip chip;
  chip.run();
  // ERISC0 waits for ever; ERISC1 sets its start address, resets it and lets it go.
  Assembler waits(kCode);
  waits.halt();
  chip.load(waits, kCode);
  Assembler resumes(kCode + 0x100);
  resumes.li(t0, kResult);
  resumes.li(t1, 0xD0);
  resumes.sw(t1, 0, t0);
  resumes.halt();
  chip.load(resumes, kCode + 0x100);
  Assembler resets(kCode + 0x200);
  resets.li(t0, kResetPc0);
  resets.li(t1, kCode + 0x100);
  resets.sw(t1, 0, t0);
  resets.li(t0, kSoftReset);
  resets.li(t1, kHeld0);
  resets.sw(t1, 0, t0);
  resets.li(t2, 100);
  resets.label("delay");
  resets.addi(t2, t2, -1);
  resets.bne(t2, zero, "delay");
  resets.sw(zero, 0, t0);
  resets.halt();
  chip.load(resets, kCode + 0x200);
  chip.write(kMessageHost + 4, kCode);
  chip.write(kMessageHost, kCall | kReleaseCore);
  chip.run();
  EXPECT_EQ(chip.read(kResult), 0u);
  chip.start(CoreId::Erisc1, kCode + 0x200);
  chip.run();
  EXPECT_EQ(chip.read(kResult), 0xD0u);
  EXPECT_GE(chip.tile().core(CoreId::Erisc0).pc, kCode + 0x100);
}

TEST(BaseFirmware, comes_back_with_a_reset_of_the_chip) {
  EthernetChip chip;
  chip.hold();
  chip.write(0x70000, 0);
  chip.write(eth::kBootResults + 0x3BC, 0);
  chip.device.node(chip.device.board().node_at_translated(EthernetChip::kFirst))
      .reset(chip.device.cycle());
  EXPECT_EQ(chip.read(eth::kBootResults + 0x3BC), 0x00010600u);
  EXPECT_EQ(chip.tile().status(CoreId::Erisc0), tile::CoreStatus::Running);
}

TEST(BaseFirmware, costs_nothing_while_nobody_wants_anything) {
  EthernetChip chip;
  const RunResult start = chip.run(1'000'000);
  EXPECT_EQ(start.status, RunStatus::Idle);
  EXPECT_LT(start.cycle, 4096u) << "all twelve sleep after their first look around";
  for (u8 channel = 0; channel < 12; ++channel) {
    tile::Tile& tile = chip.tile({static_cast<u8>(20 + channel), 25});
    EXPECT_EQ(tile.status(CoreId::Erisc0), tile::CoreStatus::Parked);
    EXPECT_FALSE(tile.in_use());
  }
  EXPECT_TRUE(chip.device.waiters().empty());
  EXPECT_EQ(chip.run(1'000'000'000).status, RunStatus::Idle);
}

}  // namespace
}  // namespace bhemu::test
