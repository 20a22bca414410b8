// The RISC-V debug interface as a host uses it: handshake, pausing, registers, steps, memory,
// ebreak, reset, misuse (DebugInterface.md; what tt-exalens does on Blackhole cards).
#include "riscv/encode.hpp"
#include "tile/debugged_tile.hpp"
#include "tile/wait_text.hpp"

namespace bhemu::test {
namespace {

constexpr u32 kData = 0x9000;
constexpr u32 kEbreakWord = 0x00100073;
constexpr u32 kEcallWord = 0x00000073;

/// Counts in s2 for ever, and stores it.
Assembler counting_program() {
  Assembler a(kDebugCode);
  a.li(s0, kData);
  a.label("again");
  a.addi(s2, s2, 1);
  a.sw(s2, 0, s0);
  a.j("again");
  return a;
}

std::size_t faults_of(OneTile& chip, Rule rule) {
  const auto& faults = chip.tile->faults().faults();
  return static_cast<std::size_t>(std::count_if(
      faults.begin(), faults.end(), [rule](const Fault& fault) { return fault.rule == rule; }));
}

TEST(RiscvDebug, echoes_the_control_register_and_acts_on_the_rising_trigger_only) {
  OneTile chip;
  for (u32 which = 0; which < 4; ++which) {
    chip.write(0xFFB12084, 0x1000 + which);
    chip.write(0xFFB12080, 0);
    EXPECT_EQ(chip.read(0xFFB12088) & ~(1u << 30), 0u);
    // The core must be out of reset, or the write is discarded.
    chip.write(kSoftReset, 0);
    const u32 write = 0x80010000 | which << 17 | 10;
    chip.write(0xFFB12080, write | 0x7FF80000 | 0xF800);  // the ignored fields
    EXPECT_EQ(chip.read(0xFFB12088), 0x80000000 | (1u << which) << 13 | 10) << which;
    chip.write(0xFFB12084, 0x2000);
    chip.write(0xFFB12080, write);  // no edge
    chip.write(0xFFB12080, 0x80000000 | which << 17 | 10);
    EXPECT_EQ(chip.read(0xFFB12088), 0x80000000u | 10) << "neither is a read";
    chip.write(0xFFB12080, 0);
    chip.write(0xFFB12080, 0x80000000 | which << 17 | 10);
    EXPECT_EQ(chip.read(0xFFB12088), 0xC0000000u | 10);
    EXPECT_EQ(chip.read(0xFFB1208C), 0x1000 + which);
    chip.write(0xFFB12088, 0xFFFFFFFF);
    chip.write(0xFFB1208C, 0xFFFFFFFF);
    EXPECT_EQ(chip.read(0xFFB12088), 0xC0000000u | 10) << "writes are discarded";
    EXPECT_EQ(chip.read(0xFFB1208C), 0x1000 + which);
    chip.write(0xFFB12080, 0);
    EXPECT_EQ(chip.read(0xFFB12088), 0x40000000u) << "the value stays valid";
  }
}

TEST(RiscvDebug, every_core_has_registers_of_its_own) {
  DebuggedTile chip;
  chip.write(kSoftReset, 0);
  for (const CoreId core : kDebuggable) {
    const Debugger debugger = chip.debugger_of(core);
    for (const u32 index : {2u, 3u, 10u, 11u, 12u, 13u, 14u, 15u, 16u, 17u})
      debugger.set(index, index * 0x01010101 + static_cast<u32>(core));
  }
  for (const CoreId core : kDebuggable) {
    const Debugger debugger = chip.debugger_of(core);
    for (const u32 index : {2u, 3u, 10u, 11u, 12u, 13u, 14u, 15u, 16u, 17u})
      EXPECT_EQ(debugger.get(index), index * 0x01010101 + static_cast<u32>(core));
    debugger.set(Debugger::kStatus, 0xFFFFFFFF);
    debugger.set(Debugger::kResult, 0xFFFFFFFF);
    EXPECT_EQ(debugger.get(Debugger::kStatus), 0u);
    EXPECT_EQ(debugger.get(Debugger::kResult), 0u);
    debugger.set(Debugger::kCommand, 0x80000000);
    EXPECT_EQ(debugger.get(Debugger::kCommand), 0x80000000u);
  }
  EXPECT_TRUE(chip.tile->faults().faults().empty());
}

TEST(RiscvDebug, a_paused_core_keeps_its_registers_and_takes_no_cycles) {
  for (const CoreId core : kDebuggable) {
    DebuggedTile chip(core);
    Assembler a = counting_program();
    chip.start_program(a);
    chip.run(1000);
    chip.debugger.pause();
    EXPECT_EQ(chip.debugger.status(), Debugger::kPaused);
    const riscv::CoreState before = chip.state();
    EXPECT_GT(before.x[s2], 100u);
    for (u32 reg = 0; reg < 32; ++reg) EXPECT_EQ(chip.debugger.gpr(reg), before.x[reg]) << reg;
    EXPECT_EQ(chip.debugger.pc(), before.pc);
    EXPECT_EQ(chip.run(100'000), sched::Stop::Idle);
    EXPECT_EQ(chip.state().instret, before.instret);
    EXPECT_EQ(chip.debugger.pc(), before.pc);
    chip.debugger.pause();  // no effect
    chip.debugger.set_gpr(s2, 0x12345678);
    EXPECT_EQ(chip.debugger.gpr(s2), 0x12345678u);
    chip.debugger.resume();
    EXPECT_EQ(chip.debugger.status(), 0u);
    chip.run(1000);
    EXPECT_GT(chip.read(kData), 0x12345678u);
    EXPECT_LT(chip.read(kData), 0x12345678u + 1000);
    EXPECT_TRUE(chip.tile->faults().faults().empty());
  }
}

TEST(RiscvDebug, registers_can_be_written_one_by_one_or_cleared_together) {
  DebuggedTile chip;
  Assembler a = counting_program();
  chip.start_program(a);
  chip.debugger.pause();
  EXPECT_EQ(chip.debugger.pc(), kDebugCode) << "it has not run yet";
  for (u32 reg = 1; reg < 32; ++reg) chip.debugger.set_gpr(reg, 0x87654321 + reg);
  for (u32 reg = 1; reg < 32; ++reg) EXPECT_EQ(chip.debugger.gpr(reg), 0x87654321 + reg);
  EXPECT_EQ(chip.debugger.gpr(0), 0u);
  chip.debugger.set_gpr(0, 1);
  chip.debugger.set_gpr(32, 1);
  EXPECT_GE(faults_of(chip, Rule::TileDebugCommand), 1u);
  EXPECT_EQ(chip.debugger.gpr(0), 0u);
  EXPECT_EQ(chip.debugger.pc(), kDebugCode);
  chip.debugger.command(Debugger::kClearGprs);
  for (u32 reg = 0; reg < 32; ++reg) EXPECT_EQ(chip.debugger.gpr(reg), 0u);
}

/// A loop of additions, a store, a load and a branch, against what it computes.
TEST(RiscvDebug, two_step_commands_execute_one_instruction) {
  DebuggedTile chip;
  Assembler a(kDebugCode);
  a.li(s0, kData);           // one word: the low half is zero
  a.label("again");          // +4
  a.addi(s2, s2, 3);         // +4
  a.xor_(s3, s3, s2);        // +8
  a.sw(s3, 0, s0);           // +12
  a.lw(a0, 0, s0);           // +16
  a.bne(s2, zero, "again");  // +20
  chip.start_program(a);
  chip.debugger.pause();
  chip.debugger.step();
  chip.run(300);
  u32 pc = kDebugCode + 4, count = 0, mixed = 0, memory = 0, loaded = 0;
  for (u32 i = 0; i < 60; ++i) {
    EXPECT_EQ(chip.debugger.pc(), pc);
    EXPECT_EQ(chip.debugger.gpr(s2), count);
    EXPECT_EQ(chip.debugger.gpr(s3), mixed);
    EXPECT_EQ(chip.debugger.gpr(a0), loaded);
    EXPECT_EQ(chip.read(kData), memory);
    chip.debugger.command(Debugger::kStep);
    chip.run(300);
    EXPECT_EQ(chip.debugger.pc(), pc) << "the first of two";
    EXPECT_TRUE(chip.debugger.is_paused());
    chip.debugger.command(Debugger::kStep);
    EXPECT_EQ(chip.debugger.status(), Debugger::kPaused) << "at once";
    if (pc == kDebugCode + 4) count += 3;
    if (pc == kDebugCode + 8) mixed ^= count;
    if (pc == kDebugCode + 12) memory = mixed;
    if (pc == kDebugCode + 16) loaded = memory;
    pc = pc == kDebugCode + 20 ? kDebugCode + 4 : pc + 4;
  }
}

TEST(RiscvDebug, stepping_on_the_spot_and_over_jumps) {
  DebuggedTile chip;
  Assembler a(kDebugCode);
  a.j("there");
  a.halt();
  a.label("there");
  a.halt();
  chip.start_program(a);
  chip.debugger.pause();
  for (u32 i = 0; i < 5; ++i) {
    chip.debugger.step();
    chip.run(300);
    EXPECT_EQ(chip.debugger.pc(), kDebugCode + 8);
  }
}

TEST(RiscvDebug, the_pc_is_written_from_the_data_argument_in_slow_mode_and_else_from_reset) {
  DebuggedTile chip;
  Assembler a = counting_program();
  chip.start_program(a);
  chip.run(500);
  chip.debugger.pause();
  chip.load(0x7000, {0x00700913, 0x6F});  // li s2, 7; j .
  chip.debugger.set_pc(0x7000);
  EXPECT_EQ(chip.debugger.pc(), 0x7000u);
  EXPECT_TRUE(chip.debugger.is_paused());
  chip.debugger.resume();
  chip.run(500);
  chip.debugger.pause();
  EXPECT_EQ(chip.debugger.gpr(s2), 7u);
  EXPECT_EQ(chip.debugger.pc(), 0x7004u);
  // With Continue in the same write; bit 1 only works around a bug.
  chip.debugger.set(Debugger::kArgument1, 0x7000);
  chip.debugger.set_gpr(s2, 0);
  chip.debugger.set(Debugger::kArgument1, 0x7000);
  chip.debugger.command(Debugger::kWritePc | Debugger::kStep | Debugger::kContinue);
  EXPECT_FALSE(chip.debugger.is_paused());
  chip.run(500);
  chip.debugger.pause();
  EXPECT_EQ(chip.debugger.gpr(s2), 7u);
  chip.debugger.set(Debugger::kCommand, Debugger::kWritePc | Debugger::kStep);
  EXPECT_EQ(chip.debugger.pc(), kDebugCode) << "the start address";
  EXPECT_TRUE(chip.debugger.is_paused());
}

// ---- ebreak -------------------------------------------------------------------------------------

Assembler breaking_program(u32 instruction) {
  Assembler a(kDebugCode);
  a.li(s0, kData);
  a.word(instruction);
  a.li(s1, 0x77);
  a.sw(s1, 0, s0);
  a.halt();
  return a;
}

TEST(RiscvDebug, ebreak_and_ecall_pause_a_core_after_them_once_a_debugger_is_there) {
  for (const u32 instruction : {kEbreakWord, kEcallWord}) {
    for (const bool parking : {true, false}) {
      DebuggedTile chip(CoreId::Trisc1, 16, parking);
      EXPECT_EQ(chip.debugger.status(), 0u);  // shows itself
      Assembler a = breaking_program(instruction);
      chip.start_program(a);
      chip.run(1000);
      EXPECT_TRUE(chip.tile->faults().faults().empty());
      EXPECT_EQ(chip.debugger.status(), Debugger::kPaused | Debugger::kEbreak);
      EXPECT_EQ(chip.debugger.pc(), kDebugCode + 8);
      EXPECT_EQ(chip.read(kData), 0u);
      chip.debugger.resume();
      EXPECT_EQ(chip.debugger.status(), 0u);
      chip.run(1000);
      EXPECT_EQ(chip.read(kData), 0x77u);
      chip.debugger.pause();
      EXPECT_EQ(chip.debugger.status(), Debugger::kPaused) << "not by ebreak this time";
    }
  }
}

/// tt-exalens on Blackhole: writes the pc it is at, then continues.
TEST(RiscvDebug, flushing_to_the_own_pc_forgets_the_ebreak_and_stays_paused) {
  DebuggedTile chip;
  EXPECT_FALSE(chip.debugger.is_paused());
  Assembler a = breaking_program(kEbreakWord);
  chip.start_program(a);
  chip.run(1000);
  chip.debugger.set_pc(chip.debugger.pc());
  EXPECT_EQ(chip.debugger.status(), Debugger::kPaused);
  chip.debugger.resume();
  chip.run(1000);
  EXPECT_EQ(chip.read(kData), 0x77u);
}

TEST(RiscvDebug, ebreak_is_a_fault_when_nobody_debugs_and_a_pause_when_the_run_tolerates_it) {
  DebuggedTile chip;
  Assembler a = breaking_program(kEbreakWord);
  chip.start_program(a);
  EXPECT_EQ(chip.run(1000), sched::Stop::Faulted);
  EXPECT_EQ(faults_of(chip, Rule::RiscvEbreak), 1u);
  EXPECT_EQ(chip.state().pc, kDebugCode + 4);

  DebuggedTile tolerant;
  tolerant.policy.severity[static_cast<unsigned>(Rule::RiscvEbreak)] = Severity::Silicon;
  Assembler b = breaking_program(kEbreakWord);
  tolerant.start_program(b);
  EXPECT_EQ(tolerant.run(), sched::Stop::Idle);
  EXPECT_EQ(tolerant.core_status(), tile::CoreStatus::Halted);
  EXPECT_EQ(tile::what_of(tolerant.tile->waiting(CoreId::Trisc0)),
            "to be resumed: halted by ebreak or ecall");
  EXPECT_EQ(tolerant.debugger.status(), Debugger::kPaused | Debugger::kEbreak);
  tolerant.debugger.resume();
  tolerant.run(1000);
  EXPECT_EQ(tolerant.read(kData), 0x77u);
}

TEST(RiscvDebug, ncrisc_has_no_interface_so_its_ebreak_is_for_nobody) {
  for (const Severity severity : {Severity::Error, Severity::Silicon}) {
    OneTile chip;
    chip.policy.severity[static_cast<unsigned>(Rule::RiscvEbreak)] = severity;
    chip.write(0xFFB12080, 0x80000000);  // a debugger of another core
    Assembler a = breaking_program(kEbreakWord);
    chip.load(kDebugCode, a.finish());
    chip.start_at(CoreId::Ncrisc, kDebugCode);
    chip.start({CoreId::Ncrisc});
    chip.run(1000);
    EXPECT_EQ(faults_of(chip, Rule::RiscvEbreak), severity == Severity::Error ? 1u : 0u);
    if (severity == Severity::Error) continue;
    EXPECT_EQ(chip.tile->status(CoreId::Ncrisc), tile::CoreStatus::Halted);
    EXPECT_NE(tile::who_of(chip.tile->waiting(CoreId::Ncrisc)).find("soft reset"),
              std::string::npos);
    chip.start({});
    chip.write(kDebugCode + 4, 0x13);  // a nop
    chip.start({CoreId::Ncrisc});
    chip.run(1000);
    EXPECT_EQ(chip.read(kData), 0x77u);
  }
}

// ---- Memory -------------------------------------------------------------------------------------

TEST(RiscvDebug, memory_is_read_and_written_as_the_core_would) {
  for (const CoreId core : kDebuggable) {
    DebuggedTile chip(core);
    Assembler a = counting_program();
    chip.start_program(a);
    chip.run(500);
    chip.debugger.pause();
    const Debugger& debugger = chip.debugger;
    // L1, with the code among it.
    debugger.set_memory(0x20000, 0xDEADBEEF);
    EXPECT_EQ(chip.read(0x20000), 0xDEADBEEFu);
    chip.write(0x20004, 0xCAFE0001);
    EXPECT_EQ(debugger.memory(0x20004), 0xCAFE0001u);
    // The core's own local memory, which answers at this address to nobody else.
    u32 word = 0;
    EXPECT_FALSE(chip.tile->host_read(0xFFB00000, {reinterpret_cast<u8*>(&word), 4}, 0));
    const u32 last = riscv::ldm_size_of(core) - 16;
    for (const u32 offset : {0u, 4u, 0x100u, last}) {
      debugger.set_memory(0xFFB00000 + offset, 0x5A000000 + offset);
      EXPECT_EQ(debugger.memory(0xFFB00000 + offset), 0x5A000000 + offset);
      std::memcpy(&word, &chip.state().ldm[offset], 4);
      EXPECT_EQ(word, 0x5A000000 + offset);
    }
    // What only a core sees: the GPRs and the configuration of the coprocessor.
    debugger.set_memory(0xFFE00010, 0x1234);
    EXPECT_EQ(debugger.memory(0xFFE00010), 0x1234u);
    const unsigned thread = core == CoreId::Brisc ? 0 : static_cast<unsigned>(core) - 2;
    EXPECT_EQ(chip.tile->coprocessor().read_gpr(thread, 4), 0x1234u);
    debugger.set_memory(0xFFEF0000 + 4 * 70, 0x33);
    EXPECT_EQ(debugger.memory(0xFFEF0000 + 4 * 70), 0x33u);
    // And what all see.
    EXPECT_EQ(debugger.memory(0xFFB121B0), chip.read(kSoftReset));
    EXPECT_TRUE(debugger.is_paused());
    EXPECT_TRUE(chip.tile->faults().faults().empty());
  }
}

TEST(RiscvDebug, code_written_through_a_core_is_what_it_then_executes) {
  DebuggedTile chip;
  Assembler a = counting_program();
  chip.start_program(a);
  chip.run(500);
  chip.debugger.pause();
  const u32 count = chip.debugger.gpr(s2);
  for (u32 at = kDebugCode; at < kDebugCode + 16; at += 4) chip.debugger.set_memory(at, 0x6F);
  chip.debugger.resume();
  chip.run(500);
  EXPECT_LE(chip.state().x[s2], count + 1);
}

TEST(RiscvDebug, reads_of_the_upper_half_of_16_bytes_of_trisc2s_local_memory_fail_as_on_silicon) {
  DebuggedTile chip(CoreId::Trisc2);
  Assembler a = counting_program();
  chip.start_program(a);
  chip.debugger.pause();
  for (u32 offset = 0; offset < 64; offset += 4) {
    chip.debugger.set_memory(0xFFB00000 + offset, 0x12345678);
    EXPECT_EQ(chip.read(0xFFB1C000 + offset), 0x12345678u) << "writes work";
    EXPECT_EQ(chip.debugger.memory(0xFFB00000 + offset), offset % 16 < 8 ? 0x12345678u : 0u);
    chip.debugger.set_memory(0x20000 + offset, 0x12345678);
    EXPECT_EQ(chip.debugger.memory(0x20000 + offset), 0x12345678u) << "and so does L1";
    EXPECT_EQ(offset < 8 ? faults_of(chip, Rule::TileDebugTrisc2Ldm) : 0u, 0u) << "not yet";
  }
  EXPECT_GE(faults_of(chip, Rule::TileDebugTrisc2Ldm), 1u);
}

TEST(RiscvDebug, an_access_that_waits_keeps_the_core_busy) {
  for (const bool parking : {true, false}) {
    DebuggedTile chip(CoreId::Trisc0, 16, parking);
    Assembler a = counting_program();
    chip.start_program(a);
    chip.run(500);
    chip.debugger.pause();
    const u32 pc = chip.debugger.pc();
    const u64 instructions = chip.state().instret;
    chip.debugger.set(Debugger::kArgument0, 0xFFEC0000);  // the mailbox from BRISC, empty
    chip.debugger.command(Debugger::kReadMemory);
    EXPECT_FALSE(chip.debugger.is_paused());
    chip.run(1000);
    EXPECT_FALSE(chip.debugger.is_paused());
    // BRISC, too, in the hands of a debugger: it writes to the mailbox of TRISC0.
    const Debugger brisc = chip.debugger_of(CoreId::Brisc);
    chip.load(0, {0x6F});
    chip.start({CoreId::Brisc, CoreId::Trisc0});
    brisc.pause();
    brisc.set_memory(0xFFEC1000, 0xABCD);
    chip.run(1000);
    EXPECT_EQ(chip.debugger.status(), Debugger::kPaused);
    EXPECT_EQ(chip.debugger.get(Debugger::kResult), 0xABCDu);
    EXPECT_EQ(chip.debugger.pc(), pc);
    EXPECT_EQ(chip.state().instret, instructions);
  }
}

// ---- Reset --------------------------------------------------------------------------------------

TEST(RiscvDebug, soft_reset_clears_the_registers_unless_they_are_spared) {
  for (const CoreId core : kDebuggable) {
    constexpr std::array<u32, kCores> kSpare{7, 9, 1, 3, 5};  // SoftReset.md
    for (const bool spared : {false, true}) {
      DebuggedTile chip(core);
      chip.write(0xFFB12224, spared ? 1u << kSpare[static_cast<unsigned>(core)] : 0);
      Assembler a = counting_program();
      chip.start_program(a);
      chip.run(200);
      chip.debugger.pause();
      chip.debugger.watch(3, Debugger::kAtInstruction, kDebugCode + 4);
      chip.start({});
      EXPECT_EQ(chip.debugger.status(), 0u);
      EXPECT_EQ(chip.debugger.get(Debugger::kModes), spared ? 0x8000u : 0u);
      chip.debugger.set(Debugger::kAddresses, 0x55);
      EXPECT_EQ(chip.debugger.get(Debugger::kAddresses), spared ? 0x55u : 0u);
      chip.start({core});
      chip.run(500);
      EXPECT_EQ(
          chip.debugger.status(),
          spared ? Debugger::kPaused | Debugger::kBreakpoint | Debugger::kWatchpoint0 << 3 : 0u);
    }
  }
}

TEST(RiscvDebug, the_tiles_reset_forgets_that_there_was_a_debugger) {
  DebuggedTile chip;
  EXPECT_EQ(chip.debugger.status(), 0u);
  chip.tile->reset(chip.engine->now());
  Assembler a = breaking_program(kEbreakWord);
  chip.start_program(a);
  EXPECT_EQ(chip.run(1000), sched::Stop::Faulted);
}

// ---- Misuse -------------------------------------------------------------------------------------

TEST(RiscvDebug, commands_that_the_core_cannot_take_have_no_effect_but_a_warning) {
  DebuggedTile chip;
  Assembler a = counting_program();
  chip.start_program(a);
  chip.run(300);
  const Debugger& debugger = chip.debugger;
  const auto refused = [&](u32 actions) {
    chip.tile->faults().clear();
    debugger.command(actions);
    return faults_of(chip, Rule::TileDebugCommand);
  };
  debugger.set(Debugger::kArgument0, s2);
  debugger.set(Debugger::kArgument1, 0);
  for (u32 bit = 1; bit < 9; ++bit) EXPECT_EQ(refused(1u << bit), 1u) << bit;
  EXPECT_EQ(debugger.get(Debugger::kResult), 0u);
  EXPECT_GT(chip.state().x[s2], 50u);
  EXPECT_FALSE(debugger.is_paused());
  debugger.pause();
  for (const u32 with : {Debugger::kStep, Debugger::kContinue, Debugger::kWriteMemory})
    EXPECT_EQ(refused(Debugger::kReadMemory | with), 1u);
  EXPECT_EQ(refused(Debugger::kWriteMemory | Debugger::kContinue), 1u);
  EXPECT_TRUE(debugger.is_paused());
  debugger.set(Debugger::kArgument0, 33);
  EXPECT_EQ(refused(Debugger::kReadGpr), 1u);
  chip.start({});
  EXPECT_EQ(refused(Debugger::kPause), 0u) << "writes are discarded in reset";
  chip.write(0xFFB12224, 1u << 1);
  EXPECT_EQ(refused(Debugger::kPause), 1u) << "unless they are spared";
}

TEST(RiscvDebug, registers_that_do_not_exist_read_as_zero_with_a_warning) {
  DebuggedTile chip;
  chip.start({CoreId::Trisc0});
  for (const u32 index : {6u, 7u, 8u, 9u, 18u, 0x7FFu}) {
    chip.tile->faults().clear();
    chip.debugger.set(index, 1);
    EXPECT_EQ(chip.debugger.get(index), 0u);
    EXPECT_EQ(faults_of(chip, Rule::TileDebugRegister), 1u) << "repeated warnings are one";
  }
}

TEST(RiscvDebug, resuming_outside_slow_mode_works_and_is_warned_of) {
  DebuggedTile chip;
  Assembler a = counting_program();
  chip.start_program(a);
  chip.debugger.set(Debugger::kCommand, Debugger::kPause);
  EXPECT_TRUE(chip.debugger.is_paused());
  chip.debugger.set(Debugger::kCommand, Debugger::kContinue);
  EXPECT_FALSE(chip.debugger.is_paused());
  EXPECT_EQ(faults_of(chip, Rule::TileDebugResume), 1u);
}

TEST(RiscvDebug, unaligned_and_unmapped_addresses) {
  DebuggedTile chip;
  Assembler a = counting_program();
  chip.start_program(a);
  chip.debugger.pause();
  chip.write(0x20000, 0x11223344);
  EXPECT_EQ(chip.debugger.memory(0x20002), 0x11223344u);
  EXPECT_EQ(faults_of(chip, Rule::TileDebugUnaligned), 1u);
  chip.debugger.set(Debugger::kArgument0, 0x40000000);
  chip.debugger.command(Debugger::kReadMemory);
  EXPECT_EQ(faults_of(chip, Rule::TileUnmappedAddress), 1u);
  EXPECT_EQ(chip.core_status(), tile::CoreStatus::Stopped) << "silicon waits for ever";
  EXPECT_FALSE(chip.debugger.is_paused());
}

// ---- Others -------------------------------------------------------------------------------------

/// Guest code as the debugger: BRISC pauses TRISC0, and itself.
TEST(RiscvDebug, a_core_may_pause_others_and_itself) {
  for (const bool parking : {true, false}) {
    DebuggedTile chip(CoreId::Trisc0, 16, parking);
    Assembler a = counting_program();
    Assembler b(0);
    b.li(t0, 0xFFB12000);
    b.li(t1, 0x80000001);
    b.sw(t1, 0x84, t0);
    b.sw(zero, 0x80, t0);
    b.li(t2, 0x80030001);  // TRISC0
    b.sw(t2, 0x80, t0);
    b.li(a0, 1);
    b.sw(zero, 0x80, t0);
    b.li(t2, 0x80010001);  // BRISC
    b.sw(t2, 0x80, t0);
    const u32 after = b.here();
    b.li(a0, 2);
    b.halt();
    chip.load(0, b.finish());
    chip.start_program(a);
    chip.start({CoreId::Brisc, CoreId::Trisc0});
    EXPECT_EQ(chip.run(), sched::Stop::Idle);
    const Debugger brisc = chip.debugger_of(CoreId::Brisc);
    EXPECT_EQ(chip.debugger.status(), Debugger::kPaused);
    EXPECT_EQ(brisc.status(), Debugger::kPaused);
    EXPECT_EQ(brisc.gpr(a0), 1u);
    EXPECT_EQ(brisc.pc(), after);
    EXPECT_LT(chip.debugger.gpr(s2), 20u);
  }
}

TEST(RiscvDebug, a_paused_core_is_named_in_the_report_of_a_hang) {
  DebuggedTile chip;
  Assembler a = counting_program();
  chip.start_program(a);
  chip.debugger.pause();
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(tile::what_of(chip.tile->waiting(CoreId::Trisc0)),
            "to be resumed: halted by the debugger");
}

TEST(RiscvDebug, interrupts_wait_for_a_paused_core) {
  DebuggedTile chip(CoreId::Brisc);
  Assembler a = counting_program();
  chip.start_program(a);
  chip.run(200);
  chip.debugger.pause();
  const u32 pc = chip.debugger.pc();
  chip.load(0x7000, {0x00700993, 0x30200073});  // li s3, 7; mret
  chip.write(0xFFB130A8, 0x7000);
  chip.write(0xFFB13000, 1);
  chip.write(0xFFB13018, 1);
  EXPECT_EQ(chip.run(1000), sched::Stop::Idle);
  EXPECT_EQ(chip.debugger.pc(), pc);
  chip.debugger.step();  // into the handler, and its first instruction
  chip.run(300);
  EXPECT_EQ(chip.debugger.pc(), 0x7004u);
  EXPECT_EQ(chip.debugger.gpr(s3), 7u);
  chip.debugger.step();
  chip.run(300);
  EXPECT_EQ(chip.debugger.pc(), pc) << "mret";
}

}  // namespace
}  // namespace bhemu::test
