// The two cores of an Ethernet tile: memory, resets, debugger. BlackholeA0/EthernetTile/BabyRISCV.
#include "eth/ethernet_chip.hpp"

namespace bhemu::test {
namespace {

constexpr u32 kCode = EthernetChip::kCode;
constexpr u32 kResult = EthernetChip::kResult;

/// Writes `value` to the word at `offset` of local memory, reads it back, stores it at `result`.
Assembler local_memory_program(u32 base, u32 offset, u32 value, u32 result) {
  Assembler a(base);
  a.li(s0, 0xFFB00000 + offset);
  a.li(s1, result);
  a.lw(t1, 0, s0);
  a.sw(t1, 4, s1);
  a.li(t0, value);
  a.sw(t0, 0, s0);
  a.lw(t2, 0, s0);
  a.sw(t2, 0, s1);
  a.halt();
  return a;
}

TEST(Ethernet, both_cores_run_and_have_8_kib_of_local_memory_each) {
  EthernetChip chip;
  chip.hold();
  Assembler first = local_memory_program(kCode, 0x1FFC, 0x1111, kResult);
  Assembler second = local_memory_program(kCode + 0x1000, 0x1FFC, 0x2222, kResult + 0x100);
  chip.load(first, kCode);
  chip.load(second, kCode + 0x1000);
  chip.start(CoreId::Erisc0, kCode);
  chip.start(CoreId::Erisc1, kCode + 0x1000);
  EXPECT_EQ(chip.run().status, RunStatus::Idle);
  EXPECT_EQ(chip.read(kResult), 0x1111u);
  EXPECT_EQ(chip.read(kResult + 0x100), 0x2222u);
}

TEST(Ethernet, a_core_reset_clears_local_memory) {
  EthernetChip chip;
  chip.hold();
  Assembler a = local_memory_program(kCode, 0x700, 0xABCD, kResult);
  chip.load(a, kCode);
  for (const u32 before : {0u, 0u}) {
    chip.write(kResult + 4, 1);
    chip.start(CoreId::Erisc1, kCode);
    EXPECT_EQ(chip.run().status, RunStatus::Idle);
    EXPECT_EQ(chip.read(kResult), 0xABCDu);
    EXPECT_EQ(chip.read(kResult + 4), before);
  }
}

TEST(Ethernet, nobody_outside_reaches_local_memory_or_sees_a_program_counter) {
  EthernetChip chip;
  u32 value = 0;
  for (const u32 address : {0xFFB00000u, 0xFFB13138u, 0xFFB14064u, 0xFFB16000u}) {
    EXPECT_FALSE(chip.device.read32(EthernetChip::kFirst, address, value)) << std::hex << address;
    EXPECT_FALSE(chip.device.write32(EthernetChip::kFirst, address, 1)) << std::hex << address;
  }
}

TEST(Ethernet, l1_has_512_kib_and_its_end_is_a_fault_that_names_the_core) {
  EthernetChip chip;
  chip.hold();
  chip.write(0x7FFFC, 5);
  u32 value = 0;
  EXPECT_FALSE(chip.device.read32(EthernetChip::kFirst, 0x80000, value));
  Assembler a(kCode);
  a.li(s0, 0x80000);
  a.lw(t0, -4, s0);
  a.lw(t1, 0, s0);
  chip.load(a, kCode);
  chip.start(CoreId::Erisc1, kCode);
  EXPECT_EQ(chip.run().status, RunStatus::Faulted);
  ASSERT_EQ(chip.device.faults().size(), 1u);
  const Fault fault = chip.device.faults()[0];
  EXPECT_EQ(fault.rule, Rule::TileUnmappedAddress);
  EXPECT_EQ(fault.agent, Agent::Erisc1);
  EXPECT_STREQ(name_of(fault.agent), "ERISC1");
  EXPECT_EQ(chip.device.coord_of(fault.node), EthernetChip::kFirst);
  EXPECT_EQ(chip.tile().core(CoreId::Erisc1).x[t0], 5u);
}

TEST(Ethernet, a_jump_beyond_l1_is_a_fault) {
  for (const u32 target : {0x80000u, 0x90000u}) {
    EthernetChip chip;
    chip.hold();
    Assembler a(kCode);
    a.li(t0, target);
    a.word(t0 << 15 | 0x67);  // jr t0
    chip.load(a, kCode);
    chip.start(CoreId::Erisc0, kCode);
    EXPECT_EQ(chip.run().status, RunStatus::Faulted);
    EXPECT_EQ(chip.rules(), std::vector<Rule>{Rule::RiscvBadPc});
  }
}

TEST(Ethernet, cores_start_where_their_registers_say_and_soft_reset_holds_each) {
  EthernetChip chip;
  EXPECT_EQ(chip.read(kSoftReset), kHeld1 | kOthersHeld) << "ERISC0 runs, ERISC1 does not";
  EXPECT_EQ(chip.read(kResetPc0), 0x70000u);
  EXPECT_EQ(chip.read(kResetPc0 + 4), 0x7BFFCu);
  EXPECT_EQ(chip.tile().status(CoreId::Erisc1), tile::CoreStatus::Reset);
  chip.hold();
  EXPECT_EQ(chip.tile().status(CoreId::Erisc0), tile::CoreStatus::Reset);
  Assembler a(kCode);
  a.halt();
  chip.load(a, kCode);
  chip.start(CoreId::Erisc1, kCode);
  chip.run();
  EXPECT_EQ(chip.tile().core(CoreId::Erisc1).pc, kCode);
  EXPECT_EQ(chip.tile().status(CoreId::Erisc0), tile::CoreStatus::Reset);
}

TEST(Ethernet, a_tensix_instruction_is_a_fault) {
  EthernetChip chip;
  chip.hold();
  Assembler a(kCode);
  a.ttinsn(0x02000000);
  chip.load(a, kCode);
  chip.start(CoreId::Erisc0, kCode);
  EXPECT_EQ(chip.run().status, RunStatus::Faulted);
  EXPECT_EQ(chip.rules(), std::vector<Rule>{Rule::RiscvTtinsn});
}

TEST(Ethernet, regions_of_a_tensix_tile_are_not_there) {
  for (const u32 address : {0xFFB11000u, 0xFFB80000u, 0xFFBD8000u, 0xFFE00000u, 0xFFEF0000u}) {
    EthernetChip chip;
    chip.hold();
    Assembler a(kCode);
    a.li(t0, address);
    a.sw(t0, 0, t0);
    chip.load(a, kCode);
    chip.start(CoreId::Erisc0, kCode);
    EXPECT_EQ(chip.run().status, RunStatus::Faulted) << std::hex << address;
    EXPECT_EQ(chip.rules(), std::vector<Rule>{Rule::TileUnmappedAddress}) << std::hex << address;
  }
}

TEST(Ethernet, the_wall_clock_counts) {
  EthernetChip chip;
  chip.device.advance(1000);
  const u32 low = chip.read(0xFFB121F0);
  EXPECT_GE(low, 1000u);
  EXPECT_EQ(chip.read(0xFFB121F8), 0u);
}

/// Counts in t0, storing each number at kResult.
Assembler counter() {
  Assembler a(kCode);
  a.li(s0, kResult);
  a.li(t0, 0);
  a.label("again");
  a.addi(t0, t0, 1);
  a.sw(t0, 0, s0);
  a.j("again");
  return a;
}

TEST(Ethernet, a_debugger_halts_steps_and_sets_eight_watchpoints_on_both_cores) {
  for (const u32 which : {0u, 1u}) {
    EthernetChip chip;
    chip.hold();
    Assembler a = counter();
    chip.load(a, kCode);
    const CoreId core = which == 0 ? CoreId::Erisc0 : CoreId::Erisc1;
    chip.start(core, kCode);
    chip.run(1000);
    const Debugger debugger = chip.debugger(which);
    debugger.pause();
    ASSERT_TRUE(debugger.is_paused());
    const u32 pc = debugger.pc();
    debugger.step();
    EXPECT_NE(debugger.pc(), pc);
    EXPECT_EQ(debugger.gpr(t0) - chip.read(kResult) <= 1, true);
    debugger.set(Debugger::kAddresses + 7, kResult);
    debugger.set(Debugger::kModes, Debugger::kOnStore << 28);
    debugger.resume();
    chip.run(1000);
    EXPECT_TRUE(debugger.is_paused());
    EXPECT_EQ(debugger.status() & 0xFF00, Debugger::kWatchpoint0 << 7);
  }
}

TEST(Ethernet, a_debugger_finds_no_third_core) {
  EthernetChip chip;
  chip.debugger(2).set(Debugger::kCommand, Debugger::kPause);
  EXPECT_EQ(chip.rules(), std::vector<Rule>{Rule::TileDebugCommand});
}

TEST(Ethernet, the_daisychain_shows_the_program_counters) {
  EthernetChip chip;
  chip.hold();
  Assembler a(kCode);
  a.halt();
  chip.load(a, kCode);
  chip.start(CoreId::Erisc1, kCode);
  chip.run(1000);
  const auto signal = [&](u32 select, u32 word) {
    chip.write(0xFFB12054, select | 7u << 16 | word << 25 | 1u << 29);
    return chip.read(0xFFB1205C);
  };
  EXPECT_EQ(signal(21, 1) & 0x3FFFFFFF, kCode);
  EXPECT_EQ(signal(20, 2) & 0x3FFFFFFF, kCode);
  EXPECT_EQ(signal(255, 1), 0xA5A5A5A5u);
}

TEST(Ethernet, registers_of_the_coprocessor_read_as_zero_with_a_warning) {
  EthernetChip chip;
  for (const u32 address : {0xFFB12078u, 0xFFB1206Cu, 0xFFB120A8u})
    EXPECT_EQ(chip.read(address), 0u);
  EXPECT_EQ(chip.rules(), (std::vector<Rule>{Rule::TileNoCoprocessor, Rule::TileNoCoprocessor,
                                             Rule::TileNoCoprocessor}));
}

TEST(Ethernet, a_core_that_polls_is_parked_and_wakes_when_the_word_changes) {
  EthernetChip chip;
  chip.hold();
  Assembler a(kCode);
  a.li(s0, kResult);
  a.label("poll");
  a.lw(t0, 0, s0);
  a.beq(t0, zero, "poll");
  a.sw(t0, 4, s0);
  a.halt();
  chip.load(a, kCode);
  chip.start(CoreId::Erisc1, kCode);
  EXPECT_EQ(chip.run().status, RunStatus::Idle);
  EXPECT_EQ(chip.tile().status(CoreId::Erisc1), tile::CoreStatus::Parked);
  const auto waiters = chip.device.waiters();
  ASSERT_EQ(waiters.size(), 1u) << "the base firmware's own waiting is nobody's business";
  EXPECT_EQ(waiters[0].agent, Agent::Erisc1);
  chip.write(kResult, 7);
  chip.run();
  EXPECT_EQ(chip.read(kResult + 4), 7u);
}

TEST(Ethernet, programs_give_the_same_hash_with_and_without_parking_and_after_a_copy) {
  std::vector<u64> hashes;
  for (const bool parking : {true, false}) {
    EthernetChip chip(p150_options(parking));
    Assembler a = counter();
    chip.load(a, kCode);
    chip.start(CoreId::Erisc1, kCode);
    chip.device.advance(10'240);
    Device copy = chip.device.clone();
    copy.advance(10'240);
    chip.device.advance(10'240);
    EXPECT_EQ(copy.hash(), chip.device.hash());
    hashes.push_back(chip.device.hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace bhemu::test
