// Breakpoints and memory watchpoints of the RISC-V debug interface (DebugInterface.md).
#include "riscv/encode.hpp"
#include "tile/debugged_tile.hpp"

namespace bhemu::test {
namespace {

using riscv::encode_i;
using riscv::encode_r;
using riscv::encode_s;
using riscv::Op;

constexpr u32 kData = 0x9000;
constexpr u32 kLdm = 0xFFB00100;
constexpr u32 kNop = 0x13;

constexpr u32 reason(u32 kind, u32 watchpoints) {
  return Debugger::kPaused | kind | watchpoints * Debugger::kWatchpoint0;
}

TEST(Breakpoint, pauses_after_its_instruction_each_time_round) {
  for (const bool parking : {true, false}) {
    DebuggedTile chip(CoreId::Trisc0, 16, parking);
    Assembler a(kDebugCode);
    a.label("again");
    a.addi(s2, s2, 1);
    a.addi(s3, s3, 2);
    a.j("again");
    chip.start_program(a);
    chip.debugger.watch(5, Debugger::kAtInstruction, kDebugCode + 4);
    for (u32 round = 1; round <= 20; ++round) {
      chip.run(1000);
      EXPECT_EQ(chip.debugger.status(), reason(Debugger::kBreakpoint, 1u << 5));
      EXPECT_EQ(chip.debugger.pc(), kDebugCode + 8);
      EXPECT_EQ(chip.debugger.gpr(s2), round);
      EXPECT_EQ(chip.debugger.gpr(s3), 2 * round);
      chip.debugger.resume();
    }
    chip.debugger.watch(5, Debugger::kOff, kDebugCode + 4);
    chip.run(1000);
    EXPECT_EQ(chip.debugger.status(), 0u);
    EXPECT_GT(chip.state().x[s2], 100u);
    EXPECT_TRUE(chip.tile->faults().faults().empty());
  }
}

TEST(Breakpoint, on_an_endless_jump_hits_with_every_continue_even_if_the_core_had_been_parked) {
  for (const bool parking : {true, false}) {
    DebuggedTile chip(CoreId::Trisc2, 16, parking);
    Assembler a(kDebugCode);
    a.halt();
    chip.start_program(a);
    chip.run(2000);
    EXPECT_EQ(chip.core_status(), parking ? tile::CoreStatus::Parked : tile::CoreStatus::Running);
    chip.debugger.watch(0, Debugger::kAtInstruction, kDebugCode);
    for (u32 i = 0; i < 3; ++i) {
      chip.run(1000);
      EXPECT_EQ(chip.debugger.status(), reason(Debugger::kBreakpoint, 1));
      EXPECT_EQ(chip.debugger.pc(), kDebugCode);
      chip.debugger.resume();
    }
  }
}

TEST(Breakpoint, all_eight_watchpoints_work_at_once_and_tell_which) {
  DebuggedTile chip;
  Assembler a(kDebugCode);
  for (u32 i = 0; i < 16; ++i) a.addi(s2, s2, 1);
  a.halt();
  chip.start_program(a);
  const auto place = [](u32 watchpoint) { return kDebugCode + 4 * (2 * watchpoint % 15); };
  for (u32 i = 0; i < 8; ++i) chip.debugger.watch(i, Debugger::kAtInstruction, place(i));
  for (u32 i = 0; i < 8; ++i) {
    chip.run(300);
    EXPECT_EQ(chip.debugger.status(), reason(Debugger::kBreakpoint, 1u << i));
    EXPECT_EQ(chip.debugger.pc(), place(i) + 4);
    chip.debugger.resume();
  }
  chip.run(300);
  EXPECT_FALSE(chip.debugger.is_paused());
}

TEST(Breakpoint, two_in_one_place_are_both_told) {
  DebuggedTile chip;
  Assembler a(kDebugCode);
  a.addi(s2, s2, 1);
  a.word(0x00100073);  // ebreak
  a.halt();
  chip.start_program(a);
  for (const u32 i : {1u, 6u}) chip.debugger.watch(i, Debugger::kAtInstruction, kDebugCode + 4);
  chip.run(300);
  EXPECT_EQ(chip.debugger.status(), reason(Debugger::kBreakpoint | Debugger::kEbreak, 0x42));
  EXPECT_EQ(chip.debugger.pc(), kDebugCode + 8);
}

TEST(Breakpoint, is_hit_while_stepping_over_it) {
  DebuggedTile chip;
  Assembler a(kDebugCode);
  for (u32 i = 0; i < 3; ++i) a.addi(s2, s2, 1);
  a.halt();
  chip.start_program(a);
  chip.debugger.pause();
  chip.debugger.watch(2, Debugger::kAtInstruction, kDebugCode + 4);
  for (u32 i = 0; i < 3; ++i) {
    chip.debugger.step();
    chip.run(300);
    EXPECT_EQ(chip.debugger.status(),
              i == 1 ? reason(Debugger::kBreakpoint, 4) : u32{Debugger::kPaused});
    EXPECT_EQ(chip.debugger.gpr(s2), i + 1);
  }
}

TEST(Watchpoint, modes_without_meaning_are_off) {
  for (u32 mode = 0; mode < 16; ++mode) {
    if (mode >= 8 && mode <= 11) continue;
    DebuggedTile chip;
    Assembler a(kDebugCode);
    a.li(s0, kDebugCode);
    a.lw(a0, 0, s0);
    a.sw(a0, 0, s0);
    a.li(s1, 1);
    a.halt();
    chip.start_program(a);
    chip.debugger.watch(0, mode, kDebugCode);
    EXPECT_EQ(chip.debugger.get(Debugger::kModes), mode) << "it reads back";
    chip.run(300);
    EXPECT_FALSE(chip.debugger.is_paused()) << mode;
    EXPECT_EQ(chip.state().x[s1], 1u);
  }
}

// ---- Memory -------------------------------------------------------------------------------------

struct MemoryCase {
  const char* name;
  u32 word;  // accesses what s0 points at; loads to a0 or fa0, stores from a1 or fa1
  u32 bytes;
  bool loads, stores, is_float;
};

u32 load_of(Op op) {
  return encode_i(op, a0, s0, 0);
}
u32 store_of(Op op) {
  return encode_s(op, a1, s0, 0);
}

const MemoryCase kCases[] = {
    {"lb", load_of(Op::lb), 1, true, false, false},
    {"lbu", load_of(Op::lbu), 1, true, false, false},
    {"lh", load_of(Op::lh), 2, true, false, false},
    {"lhu", load_of(Op::lhu), 2, true, false, false},
    {"lw", load_of(Op::lw), 4, true, false, false},
    {"flh", 0x00041507, 2, true, false, true},
    {"flw", 0x00042507, 4, true, false, true},
    {"sb", store_of(Op::sb), 1, false, true, false},
    {"sh", store_of(Op::sh), 2, false, true, false},
    {"sw", store_of(Op::sw), 4, false, true, false},
    {"fsh", 0x00B41027, 2, false, true, true},
    {"fsw", 0x00B42027, 4, false, true, true},
    {"amoadd.w", encode_r(Op::amoadd_w, a0, s0, a1), 4, true, true, false},
};

/// One access at `address`, watched at `watched`; true if it paused the core, as it should then.
bool hits(const MemoryCase& one, u32 address, u32 watched, u32 mode) {
  DebuggedTile chip;
  Assembler a(kDebugCode);
  a.li(s0, address);
  while (a.here() < kDebugCode + 8) a.word(kNop);
  a.word(one.word);
  a.li(s1, 1);
  a.halt();
  const u32 at = kDebugCode + 8;
  chip.start_program(a);
  chip.debugger.pause();
  chip.debugger.set_gpr(a0, 0x55555555);
  chip.debugger.set_gpr(a1, 0x01020304);
  if (address >= kL1Size) {
    chip.debugger.set_memory(address & ~3u, 0x11111111);
  } else {
    chip.write(address & ~3u, 0x11111111);
  }
  chip.debugger.watch(4, mode, watched);
  chip.debugger.resume();
  chip.run(300);
  const u32 status = chip.debugger.status();
  if (status == 0) {
    EXPECT_EQ(chip.state().x[s1], 1u);
    return false;
  }
  EXPECT_EQ(status, reason(Debugger::kMemory, 0x10));
  EXPECT_EQ(chip.state().x[s1], 0u);
  const u32 now = chip.debugger.memory(address & ~3u);
  if (one.loads) {
    EXPECT_EQ(chip.debugger.pc(), at) << "it has not retired";
    EXPECT_EQ(chip.debugger.gpr(a0), 0x55555555u);
    EXPECT_EQ(chip.state().f[10], 0u);
    EXPECT_EQ(now, one.stores ? 0x12131415u : 0x11111111u);
  } else {
    EXPECT_EQ(chip.debugger.pc(), at + 4);
    EXPECT_EQ(now == 0x11111111, false) << "the store is done";
  }
  chip.debugger.set_memory(address & ~3u, 0);
  chip.debugger.resume();
  chip.run(300);
  EXPECT_EQ(chip.debugger.status(), 0u) << "not again";
  EXPECT_EQ(chip.state().x[s1], 1u);
  if (one.loads) {
    const u32 loaded = one.is_float ? chip.state().f[10] : chip.state().x[a0];
    const u32 low = one.bytes == 4 ? ~0u : (1u << one.bytes * 8) - 1;
    EXPECT_EQ(loaded & low, 0x11111111u & low) << "read before the pause";
  }
  return true;
}

TEST(Watchpoint, each_kind_sees_each_width_of_access_in_l1_and_local_memory) {
  for (const MemoryCase& one : kCases) {
    for (const u32 mode : {9u, 10u, 11u}) {
      const bool expected = (one.loads && mode != 10) || (one.stores && mode != 9);
      EXPECT_EQ(hits(one, kData, kData, mode), expected) << one.name << " " << mode;
      if (one.loads && one.stores) continue;  // atomics work on L1 only
      EXPECT_EQ(hits(one, kLdm, kLdm, mode), expected) << one.name << " " << mode;
    }
  }
}

TEST(Watchpoint, compares_the_address_of_the_instruction_and_nothing_near_it) {
  for (const MemoryCase& one : kCases) {
    for (u32 offset = 0; offset < 4; offset += one.bytes)
      EXPECT_TRUE(hits(one, kData + offset, kData + offset, 11)) << one.name << offset;
    for (const u32 watched : {kData - 1, kData + 1, kData + 2, kData + 3, kData + 4, kData - 4})
      EXPECT_FALSE(hits(one, kData, watched, 11)) << one.name << " " << watched;
    EXPECT_FALSE(hits(one, kData, kData, Debugger::kAtInstruction));
  }
}

TEST(Watchpoint, a_load_that_hit_is_the_one_instruction_of_the_next_step) {
  DebuggedTile chip;
  Assembler a(kDebugCode);
  a.li(s0, kData);
  a.lw(a0, 0, s0);
  a.lw(zero, 0, s0);
  a.halt();
  chip.start_program(a);
  chip.write(kData, 0x1234);
  chip.debugger.watch(0, Debugger::kOnLoad, kData);
  chip.debugger.watch(1, Debugger::kAtInstruction, kDebugCode + 4);
  chip.run(300);
  EXPECT_EQ(chip.debugger.status(), reason(Debugger::kMemory, 1));
  EXPECT_EQ(chip.debugger.gpr(a0), 0u);
  chip.debugger.step();
  EXPECT_EQ(chip.debugger.status(), reason(Debugger::kBreakpoint, 2)) << "a breakpoint, too";
  EXPECT_EQ(chip.debugger.gpr(a0), 0x1234u);
  EXPECT_EQ(chip.debugger.pc(), kDebugCode + 8);
  chip.debugger.resume();
  chip.run(300);
  EXPECT_EQ(chip.debugger.status(), reason(Debugger::kMemory, 1)) << "a load to x0";
  chip.debugger.step();
  EXPECT_EQ(chip.debugger.status(), Debugger::kPaused);
  EXPECT_EQ(chip.debugger.gpr(0), 0u);
  EXPECT_EQ(chip.debugger.pc(), kDebugCode + 12);
}

TEST(Watchpoint, a_load_that_hit_is_lost_when_the_pc_is_written) {
  DebuggedTile chip;
  Assembler a(kDebugCode);
  a.li(s0, kData);
  a.lw(a0, 0, s0);
  a.halt();
  chip.start_program(a);
  chip.write(kData, 0x1234);
  chip.debugger.watch(0, Debugger::kOnLoad, kData);
  chip.run(300);
  chip.debugger.set_pc(kDebugCode + 8);
  chip.debugger.resume();
  chip.run(300);
  EXPECT_EQ(chip.state().x[a0], 0u);
}

TEST(Watchpoint, a_load_and_continue_that_hit_a_breakpoint_stay_paused) {
  DebuggedTile chip;
  Assembler a(kDebugCode);
  a.li(s0, kData);
  a.lw(a0, 0, s0);
  a.halt();
  chip.start_program(a);
  chip.debugger.watch(0, Debugger::kOnAccess, kData);
  chip.debugger.watch(7, Debugger::kAtInstruction, kDebugCode + 4);
  chip.run(300);
  EXPECT_EQ(chip.debugger.status(), reason(Debugger::kMemory, 1));
  chip.debugger.resume();
  EXPECT_EQ(chip.debugger.status(), reason(Debugger::kBreakpoint, 0x80));
  EXPECT_EQ(chip.debugger.pc(), kDebugCode + 8);
}

TEST(Watchpoint, a_store_may_hit_a_breakpoint_as_well) {
  DebuggedTile chip;
  Assembler a(kDebugCode);
  a.li(s0, kData);
  a.sw(s0, 0, s0);
  a.halt();
  chip.start_program(a);
  chip.debugger.watch(0, Debugger::kOnStore, kData);
  chip.debugger.watch(7, Debugger::kAtInstruction, kDebugCode + 4);
  chip.run(300);
  EXPECT_EQ(chip.debugger.status(), reason(Debugger::kMemory | Debugger::kBreakpoint, 0x81));
}

TEST(Watchpoint, sees_the_elements_of_vector_accesses) {
  for (const bool store : {false, true}) {
    DebuggedTile chip(CoreId::Trisc2);
    Assembler a(kDebugCode);
    a.li(s0, kData);
    a.word(0xCD027057);                                // vsetivli zero, 4, e32, m1
    a.word(store ? 0x02046107u | 0x20 : 0x02046107u);  // vse32.v, vle32.v v2, (s0)
    a.li(s1, 1);
    a.halt();
    chip.start_program(a);
    chip.debugger.watch(3, store ? Debugger::kOnLoad : Debugger::kOnStore, kData + 8);
    chip.run(300);
    EXPECT_EQ(chip.debugger.status(), 0u);
    EXPECT_EQ(chip.state().x[s1], 1u);
    chip.start({});
    chip.start({CoreId::Trisc2});
    chip.debugger.watch(3, store ? Debugger::kOnStore : Debugger::kOnLoad, kData + 8);
    chip.run(300);
    EXPECT_EQ(chip.debugger.status(), reason(Debugger::kMemory, 8));
    EXPECT_EQ(chip.debugger.pc(), kDebugCode + 12);
    EXPECT_TRUE(chip.tile->faults().faults().empty());
  }
}

TEST(Watchpoint, sees_devices_and_pushed_tensix_instructions) {
  DebuggedTile chip;
  Assembler a(kDebugCode);
  a.ttinsn(0x02000000);  // a NOP of the coprocessor
  a.li(s0, 0xFFB12000);
  a.lw(a0, 0x1F0, s0);
  a.sw(a0, 0x21C - 0x10, s0);  // TIMESTAMP_DUMP_BUF0_END_ADDR
  a.halt();
  chip.start_program(a);
  chip.debugger.watch(0, Debugger::kOnStore, 0xFFE40000);
  chip.debugger.watch(1, Debugger::kOnLoad, 0xFFB121F0);
  chip.debugger.watch(2, Debugger::kOnStore, 0xFFB1220C);
  for (u32 i = 0; i < 3; ++i) {
    chip.run(300);
    EXPECT_EQ(chip.debugger.status(), reason(Debugger::kMemory, 1u << i));
    chip.debugger.resume();
  }
  EXPECT_NE(chip.read(0xFFB1220C), 0u);
}

/// Watchpoints that are never hit change nothing but the pace of the emulator.
TEST(Watchpoint, that_is_not_hit_changes_no_cycle_and_no_register) {
  for (const Cycle quantum : {1, 32}) {
    std::array<u64, 2> cycles{};
    std::array<u32, 2> sums{};
    for (const bool watched : {false, true}) {
      DebuggedTile chip(CoreId::Trisc1, quantum);
      Assembler a(kDebugCode);
      a.li(s0, kData);
      a.label("again");
      a.addi(s2, s2, 7);
      a.xor_(s3, s3, s2);
      a.sw(s3, 0, s0);
      a.lw(a0, 0, s0);
      a.add(s4, s4, a0);
      a.slli(a1, s2, 20);
      a.bne(a1, zero, "again");
      a.li(t0, 0xFFB121F0);
      a.lw(s5, 0, t0);
      a.label("poll");
      a.lw(a0, 4, s0);
      a.beq(a0, zero, "poll");
      a.halt();
      chip.start_program(a);
      if (watched) {
        for (u32 i = 0; i < 8; ++i) chip.debugger.watch(i, 8 + i % 4, 0x100000 + 4 * i);
      }
      EXPECT_EQ(chip.run(), sched::Stop::Idle) << "it parks all the same";
      EXPECT_EQ(chip.core_status(), tile::CoreStatus::Parked);
      chip.tile->settle(chip.engine->now());
      sums[watched] = chip.state().x[s4] ^ chip.state().x[s5];
      cycles[watched] = chip.state().cycle - chip.state().instret;
    }
    EXPECT_EQ(sums[0], sums[1]);
    EXPECT_EQ(cycles[0], cycles[1]);
  }
}

TEST(Watchpoint, in_a_parked_loop_is_hit_when_the_polled_word_changes) {
  for (const bool parking : {true, false}) {
    DebuggedTile chip(CoreId::Trisc0, 16, parking);
    Assembler a(kDebugCode);
    a.li(s0, kData);
    a.label("poll");
    a.lw(a0, 0, s0);
    a.beq(a0, zero, "poll");
    a.sw(a0, 4, s0);
    a.halt();
    chip.start_program(a);
    chip.run(3000);
    chip.debugger.watch(0, Debugger::kOnStore, kData + 4);
    chip.run(3000);
    EXPECT_FALSE(chip.debugger.is_paused());
    EXPECT_EQ(chip.core_status() == tile::CoreStatus::Parked, parking);
    chip.write(kData, 9);
    chip.run(3000);
    EXPECT_EQ(chip.debugger.status(), reason(Debugger::kMemory, 1));
    EXPECT_EQ(chip.read(kData + 4), 9u);
  }
}

}  // namespace
}  // namespace bhemu::test
