#include "tensix/timing.hpp"
#include "tile/one_tile.hpp"
#include "tile/wait_text.hpp"

namespace bhemu::test {
namespace {

constexpr u32 kResult = 0x10000;

/// Ends a program: stores `value` to kResult and spins.
void finish(Assembler& a, Reg value, u32 at = kResult) {
  a.li(t6, at);
  a.sw(value, 0, t6);
  a.halt();
}

TEST(Tile, brisc_starts_at_zero_and_its_store_reaches_l1) {
  OneTile chip;
  Assembler a;
  a.li(a0, 0x12345678);
  finish(a, a0);
  chip.load(0, a.finish());
  chip.start({CoreId::Brisc});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.read(kResult), 0x12345678u);
}

TEST(Tile, reset_pc_override_decides_where_ncrisc_and_triscs_start) {
  for (const CoreId core : {CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc1, CoreId::Trisc2}) {
    for (const bool overridden : {false, true}) {
      OneTile chip;
      constexpr std::array<u32, kCores> kDefault{0, 0x12000, 0x6000, 0xA000, 0xE000};
      const u32 pc = overridden ? 0x3000 : kDefault[static_cast<unsigned>(core)];
      Assembler a(pc);
      a.li(a0, 77);
      finish(a, a0);
      chip.load(pc, a.finish());
      if (overridden) chip.start_at(core, pc);
      chip.start({core});
      EXPECT_EQ(chip.run(), sched::Stop::Idle);
      EXPECT_EQ(chip.read(kResult), 77u) << name_of(core) << overridden;
    }
  }
}

TEST(Tile, each_core_has_its_own_local_memory_and_others_see_it_through_its_window) {
  OneTile chip;
  const auto program = [](u32 base, u32 value) {
    Assembler a(base);
    a.li(t0, 0xFFB00100);
    a.li(a0, value);
    a.sw(a0, 0, t0);
    a.halt();
    return a.finish();
  };
  chip.load(0, program(0, 11));
  chip.load(0x3000, program(0x3000, 22));
  chip.start_at(CoreId::Trisc0, 0x3000);
  chip.start({CoreId::Brisc, CoreId::Trisc0});
  chip.run();
  EXPECT_EQ(chip.read(0xFFB14100), 11u);
  EXPECT_EQ(chip.read(0xFFB18100), 22u);
}

TEST(Tile, the_local_memory_of_a_trisc_shows_twice_in_its_window) {
  OneTile chip;
  for (const u32 base : {0xFFB18000u, 0xFFB1A000u, 0xFFB1C000u}) {
    chip.write(base + 0x1000 + 0x24, base);
    EXPECT_EQ(chip.read(base + 0x24), base);
    chip.write(base + 0xFFC, 7);
    EXPECT_EQ(chip.read(base + 0x1FFC), 7u);
  }
  chip.write(0xFFB15024, 5);  // BRISC's and NCRISC's are 8 KiB
  EXPECT_EQ(chip.read(0xFFB14024), 0u);
  EXPECT_TRUE(chip.tile->faults().faults().empty());
}

TEST(Tile, a_trisc_sees_its_gprs_again_every_256_bytes) {
  OneTile chip;
  Assembler a(0x6000);
  a.li(t0, 0xFFE00000 + 4 * 7);
  a.li(t1, 0x7777);
  a.sw(t1, 0x300, t0);
  a.li(t2, 0xFFE00E00 + 4 * 7);
  a.lw(a0, 0, t2);
  finish(a, a0);
  chip.load(0x6000, a.finish());
  chip.start({CoreId::Trisc0});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.read(kResult), 0x7777u);
  EXPECT_TRUE(chip.tile->faults().faults().empty());
}

TEST(Tile, wall_clock_high_half_is_latched_by_reading_the_low_half) {
  OneTile chip;
  Assembler a;
  a.li(t0, 0xFFB121F0);
  a.lw(a0, 0, t0);
  a.lw(a1, 0, t0);
  a.lw(a2, 8, t0);
  a.li(t6, kResult);
  a.sw(a0, 0, t6);
  a.sw(a1, 4, t6);
  a.sw(a2, 8, t6);
  a.halt();
  chip.load(0, a.finish());
  chip.start({CoreId::Brisc});
  chip.run();
  EXPECT_EQ(chip.read(kResult + 4), chip.read(kResult) + 1);
  EXPECT_EQ(chip.read(kResult + 8), 0u);
}

TEST(Tile, access_to_nothing_stops_the_core_with_a_fault_that_names_it) {
  OneTile chip;
  Assembler a;
  a.li(t0, 0x00200000);
  a.lw(a0, 0, t0);
  finish(a, a0);
  chip.load(0, a.finish());
  chip.start({CoreId::Brisc});
  EXPECT_EQ(chip.run(), sched::Stop::Faulted);
  ASSERT_EQ(chip.tile->faults().faults().size(), 1u);
  const Fault& fault = chip.tile->faults().faults()[0];
  EXPECT_EQ(fault.rule, Rule::TileUnmappedAddress);
  EXPECT_EQ(fault.agent, Agent::Brisc);
  EXPECT_EQ(fault.pc, 4u);
  EXPECT_NE(fault.text.find("0x00200000"), std::string::npos);
}

TEST(Tile, a_core_stops_at_a_store_that_a_window_of_the_coprocessor_refuses) {
  // A thread configuration is not writable through the configuration window; a Dst window of
  // format 0 takes words only.
  struct {
    CoreId core;
    u32 address;
    bool byte;
    Rule rule;
  } const kCases[] = {{CoreId::Brisc, 0xFFEF0000 + 4 * 672, false, Rule::TensixThreadConfigWrite},
                      {CoreId::Trisc1, 0xFFBD8000, true, Rule::TensixUndefined}};
  for (const auto& c : kCases) {
    OneTile chip;
    Assembler a;
    a.li(t0, c.address);
    const u32 store = a.here();
    if (c.byte) {
      a.sb(zero, 0, t0);
    } else {
      a.sw(zero, 0, t0);
    }
    a.li(a0, 1);
    finish(a, a0);
    chip.load(0, a.finish());
    if (c.core != CoreId::Brisc) chip.start_at(c.core, 0);
    chip.start({c.core});
    EXPECT_EQ(chip.run(), sched::Stop::Faulted);
    EXPECT_EQ(chip.read(kResult), 0u) << "it did not run on";
    EXPECT_EQ(chip.tile->core(c.core).pc, store);
    ASSERT_EQ(chip.tile->faults().faults().size(), 1u);
    const Fault& fault = chip.tile->faults().faults()[0];
    EXPECT_EQ(fault.rule, c.rule);
    EXPECT_EQ(fault.agent, agent_of(c.core));
    EXPECT_EQ(fault.pc, store);
  }
}

TEST(Tile, a_thread_is_the_author_of_its_storereg_and_stops_when_it_is_refused) {
  OneTile chip;
  Assembler t(0x3000);
  t.li(t0, 0xFFE40000);
  const u32 storereg = 0x67u << 24 | 0x11FFCu >> 2;  // to 0xFFB11FFC, which is no register
  t.li(a0, storereg);
  t.sw(a0, 0, t0);
  t.halt();
  chip.load(0x3000, t.finish());
  chip.start_at(CoreId::Trisc1, 0x3000);
  chip.start({CoreId::Trisc1});
  EXPECT_EQ(chip.run(), sched::Stop::Faulted);
  ASSERT_EQ(chip.tile->faults().faults().size(), 1u);
  const Fault& fault = chip.tile->faults().faults()[0];
  EXPECT_EQ(fault.rule, Rule::TileUnmappedAddress);
  EXPECT_EQ(fault.agent, Agent::Thread1);
  EXPECT_EQ(fault.pc, storereg);
  EXPECT_TRUE(chip.tile->coprocessor().state().frontend[1].stopped);
}

TEST(Tile, ncrisc_may_not_push_tensix_instructions) {
  OneTile chip;
  Assembler a(0x3000);
  a.li(t0, 0xFFE40000);
  a.sw(zero, 0, t0);
  a.halt();
  chip.load(0x3000, a.finish());
  chip.start_at(CoreId::Ncrisc, 0x3000);
  chip.start({CoreId::Ncrisc});
  EXPECT_EQ(chip.run(), sched::Stop::Faulted);
  EXPECT_EQ(chip.tile->faults().faults()[0].rule, Rule::TileWrongThreadPush);
}

// BRISC sends eight words to TRISC1 through a mailbox of four; TRISC1 adds them up.
void load_mailbox_programs(OneTile& chip) {
  Assembler b;
  b.li(t0, 0xFFEC2000);  // to TRISC1
  b.li(a0, 1);
  b.li(a1, 9);
  b.label("next");
  b.sw(a0, 0, t0);
  b.addi(a0, a0, 1);
  b.bne(a0, a1, "next");
  b.halt();
  chip.load(0, b.finish());
  Assembler t(0x3000);
  t.li(t0, 0xFFEC0000);  // from BRISC
  t.li(a1, 8);
  t.li(a2, 0);
  t.label("next");
  t.lw(a0, 0, t0);
  t.add(a2, a2, a0);
  t.addi(a1, a1, -1);
  t.bne(a1, zero, "next");
  finish(t, a2);
  chip.load(0x3000, t.finish());
  chip.start_at(CoreId::Trisc1, 0x3000);
}

TEST(Tile, mailbox_blocks_the_writer_when_full_and_the_reader_when_empty) {
  OneTile chip;
  load_mailbox_programs(chip);
  chip.start({CoreId::Brisc});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.tile->status(CoreId::Brisc), tile::CoreStatus::Blocked);
  EXPECT_NE(tile::what_of(chip.tile->waiting(CoreId::Brisc)).find("mailbox to TRISC1"),
            std::string::npos);
  chip.start({CoreId::Brisc, CoreId::Trisc1});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.read(kResult), 36u);
}

TEST(Tile, reading_the_size_of_a_packed_tile_waits_until_there_is_one) {
  OneTile chip;
  Assembler b;
  b.li(t0, 0xFFB11000);
  b.lw(a0, 0x30, t0);
  finish(b, a0);
  chip.load(0, b.finish());
  // TRISC2 packs one zero of FP32 after a while: configuration words 18, 69, 70, then PACR.
  Assembler t(0x3000);
  t.li(a1, 200);
  t.label("later");
  t.addi(a1, a1, -1);
  t.bne(a1, zero, "later");
  t.li(t0, 0xFFEF0000);
  t.li(a0, 1);
  t.sw(a0, 18 * 4, t0);
  t.li(a0, 0x1000);
  t.sw(a0, 69 * 4, t0);
  t.li(a0, 1 | 1u << 14);
  t.sw(a0, 70 * 4, t0);
  t.li(t0, 0xFFE40000);
  t.li(a0, 0x41u << 24 | 1u << 12 | 1u << 8 | 1u);
  t.sw(a0, 0, t0);
  t.halt();
  chip.load(0x3000, t.finish());
  chip.start_at(CoreId::Trisc2, 0x3000);
  chip.start({CoreId::Brisc});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.tile->status(CoreId::Brisc), tile::CoreStatus::Blocked);
  EXPECT_NE(tile::what_of(chip.tile->waiting(CoreId::Brisc)).find("metadata FIFO"),
            std::string::npos);
  chip.start({CoreId::Brisc, CoreId::Trisc2});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_TRUE(chip.tile->faults().faults().empty());
  EXPECT_EQ(chip.read(kResult), 1u) << "one unit of 16 bytes";
}

TEST(Tile, a_request_that_wraps_at_the_end_of_the_address_space_reaches_no_register) {
  OneTile chip;
  std::vector<u8> bytes(0x500000);  // 0xFFB12000 + 0x500000 is 0x12000
  EXPECT_FALSE(chip.tile->host_read(0xFFB12000, bytes, 0));
  EXPECT_FALSE(chip.tile->host_write(0xFFB12000, bytes, 0));
}

TEST(Tile, a_core_waits_for_room_in_the_queue_of_the_mover) {
  constexpr u32 kCommands = 8;
  for (const bool parking : {false, true}) {
    const tensix::Timing timing = tensix::Timing::typical();
    OneTile chip(1, parking, &timing);
    Assembler b;
    b.li(t0, 0xFFB11000);
    b.li(a0, 0x400);
    b.sw(a0, 0x2C, t0);                    // where the sources of compact commands are counted from
    for (u32 i = 0; i < kCommands; ++i) {  // 1,008 bytes from 0x4000 on to 0x400, 0x500 ...
      b.li(a0, 0xC0000040u | 63u << 24 | (0x40u + 0x10 * i) << 16);
      b.sw(a0, 0x10, t0);
    }
    b.halt();
    chip.load(0, b.finish());
    chip.write(0x4000, 77);
    chip.start({CoreId::Brisc});
    chip.run(256);
    // Two commands are done, the third is the mover's, four wait, and the core is at the eighth.
    if (parking) {
      EXPECT_EQ(chip.tile->status(CoreId::Brisc), tile::CoreStatus::Blocked);
      const Waits waits = chip.tile->waiting(CoreId::Brisc);
      ASSERT_EQ(waits.all.size(), 1u);
      EXPECT_EQ(waits.all[0].kind, Awaited::TdmaRoom);
      EXPECT_EQ(waits.all[0].address, 0xFFB11010u);
      EXPECT_EQ(waits.all[0].value, 4u);
      EXPECT_NE(tile::what_of(waits).find("TDMA-RISC's command queue"), std::string::npos);
      EXPECT_NE(tile::who_of(waits).find("the mover"), std::string::npos);
    }
    EXPECT_EQ(chip.read(0x400 + 0x100 * (kCommands - 1)), 0u);
    EXPECT_EQ(chip.run(1024), parking ? sched::Stop::Idle : sched::Stop::Limit);
    EXPECT_TRUE(chip.tile->faults().faults().empty());
    for (u32 i = 0; i < kCommands; ++i) EXPECT_EQ(chip.read(0x400 + 0x100 * i), 77u) << i;
  }
}

TEST(Tile, a_core_that_rewrites_code_executes_the_new_code) {
  OneTile chip;
  Assembler patch;
  patch.addi(a0, a0, 16);
  Assembler a;
  a.li(a0, 0);
  a.li(t0, 0);
  a.li(t1, patch.finish()[0]);
  a.li(t2, 0x20);  // address of the instruction below
  while (a.here() < 0x20) a.addi(zero, zero, 0);
  a.label("patched");
  a.addi(a0, a0, 1);
  a.sw(t1, 0, t2);
  a.addi(t0, t0, 1);
  a.li(t3, 3);
  a.bne(t0, t3, "patched");
  finish(a, a0);
  chip.load(0, a.finish());
  chip.start({CoreId::Brisc});
  chip.run();
  EXPECT_EQ(chip.read(kResult), 33u);
}

// Two cores hand a counter to and fro through L1 by polling; a third keeps busy beside them.
void load_ping_pong(OneTile& chip, u32 rounds) {
  const auto player = [rounds](u32 base, u32 mine, u32 step) {
    Assembler a(base);
    a.li(t0, 0x8000);
    a.li(s0, rounds);
    a.label("wait");
    a.fence();
    a.lw(a0, 0, t0);
    a.andi(a1, a0, 1);
    a.li(a2, mine);
    a.bne(a1, a2, "wait");
    a.add(s1, s1, a0);
    a.addi(a0, a0, static_cast<i32>(step));
    a.sw(a0, 0, t0);
    a.addi(s0, s0, -1);
    a.bne(s0, zero, "wait");
    a.li(t6, kResult + mine * 4);
    a.sw(s1, 0, t6);
    a.halt();
    return a.finish();
  };
  chip.load(0, player(0, 0, 1));
  chip.load(0x3000, player(0x3000, 1, 3));
  Assembler busy(0x4000);
  busy.li(s0, 3001);
  busy.li(t0, 0x9000);
  busy.label("again");
  busy.mul(a0, a0, s0);
  busy.addi(a0, a0, 7);
  busy.sw(a0, 0, t0);
  busy.addi(s0, s0, -1);
  busy.bne(s0, zero, "again");
  busy.halt();
  chip.load(0x4000, busy.finish());
  chip.start_at(CoreId::Trisc0, 0x3000);
  chip.start_at(CoreId::Ncrisc, 0x4000);
  chip.start({CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0});
}

TEST(Tile, a_tile_after_reset_is_a_new_one) {
  OneTile fresh;
  OneTile used;
  load_ping_pong(used, 20);
  used.start({CoreId::Brisc, CoreId::Ncrisc});
  used.run(2000);
  const u32 itself = 1 | 2 << 6;
  for (const auto& [offset, value] : std::initializer_list<std::pair<u32, u32>>{{0x00, 0x8000},
                                                                                {0x08, itself},
                                                                                {0x0C, 0x9000},
                                                                                {0x14, itself},
                                                                                {0x20, 64},
                                                                                {0x1C, 0x2092},
                                                                                {0x40, 1}})
    used.write(0xFFB20000 + offset, value);
  EXPECT_NE(used.tile->next_cycle(), kNever) << "a packet is under way";
  used.tile->reset(used.engine->now());
  fresh.tile->reset(0);
  EXPECT_EQ(used.tile->hash(0), fresh.tile->hash(0));
  EXPECT_EQ(used.tile->next_cycle(), kNever);
}

TEST(Tile, parking_changes_no_result_and_no_cycle_count) {
  for (const Cycle quantum : {Cycle{1}, Cycle{4}, Cycle{16}, Cycle{64}}) {
    std::vector<u64> hashes;
    for (const bool parking : {false, true}) {
      OneTile chip(quantum, parking);
      load_ping_pong(chip, 100);
      chip.engine->run(20'480, [&] { return chip.engine->now() >= 20'480; });
      chip.tile->settle(20'480);
      hashes.push_back(chip.tile->hash(0));
      EXPECT_EQ(chip.read(kResult), 100u * 99 * 2) << quantum << parking;
    }
    EXPECT_EQ(hashes[0], hashes[1]) << "quantum " << quantum;
  }
}

TEST(Tile, a_tile_whose_cores_only_poll_sleeps) {
  OneTile chip;
  load_ping_pong(chip, 50);
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.tile->next_cycle(), kNever);
  chip.write(0x8000, 1);  // nobody polls any more: both players are done
  EXPECT_EQ(chip.tile->next_cycle(), kNever);
}

TEST(Tile, a_core_that_polls_ten_words_in_turn_is_parked_too) {
  OneTile chip;
  Assembler a;
  a.li(t1, 0x8000 + 10 * 4);
  a.label("round");
  a.li(t0, 0x8000);
  a.label("word");
  a.lw(a0, 0, t0);
  a.bne(a0, zero, "found");
  a.addi(t0, t0, 4);
  a.bne(t0, t1, "word");
  a.j("round");
  a.label("found");
  finish(a, a0);
  chip.load(0, a.finish());
  chip.start({CoreId::Brisc});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.tile->status(CoreId::Brisc), tile::CoreStatus::Parked);
  chip.write(0x8000 + 7 * 4, 5);
  chip.run();
  EXPECT_EQ(chip.read(kResult), 5u);
}

TEST(Tile, a_host_write_wakes_the_core_that_polls_the_word) {
  OneTile chip;
  Assembler a;
  a.li(t0, 0x8000);
  a.label("wait");
  a.fence();
  a.lw(a0, 0, t0);
  a.beq(a0, zero, "wait");
  finish(a, a0);
  chip.load(0, a.finish());
  chip.start({CoreId::Brisc});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.tile->status(CoreId::Brisc), tile::CoreStatus::Parked);
  EXPECT_NE(tile::what_of(chip.tile->waiting(CoreId::Brisc)).find("L1[0x08000]"),
            std::string::npos);
  chip.write(0x8000, 5);
  chip.run();
  EXPECT_EQ(chip.read(kResult), 5u);
}

TEST(Tile, a_core_that_polls_a_byte_sleeps_on_while_the_others_of_its_word_change) {
  OneTile chip;
  Assembler a;
  a.li(t0, 0x8000);
  a.label("wait");
  a.lbu(a0, 1, t0);
  a.beq(a0, zero, "wait");
  finish(a, a0);
  chip.load(0, a.finish());
  chip.start({CoreId::Brisc});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  const auto write = [&](u32 address, std::vector<u8> bytes) {
    EXPECT_TRUE(chip.tile->host_write(address, bytes, chip.engine->now()));
    chip.engine->touch(0);
  };
  write(0x8000, {7});
  write(0x8002, {8, 9});
  EXPECT_EQ(chip.tile->status(CoreId::Brisc), tile::CoreStatus::Parked);
  write(0x8000, {1, 5});
  EXPECT_EQ(chip.tile->status(CoreId::Brisc), tile::CoreStatus::Running);
  chip.run();
  EXPECT_EQ(chip.read(kResult), 5u);
}

TEST(Tile, a_store_wakes_the_tensix_thread_that_waits_for_the_word) {
  OneTile chip;
  Assembler a;
  a.li(t0, 0xFFE40000);
  a.li(t1, 0x64000000u | 5u << 14 | 3u << 18);  // ATCAS: when L1[16 * GPR0] is 5, make it 3
  a.sw(t1, 0, t0);
  a.li(t0, 0x8000);
  a.label("wait");
  a.lw(a0, 0, t0);
  a.beq(a0, zero, "wait");
  a.sw(a0, 0, zero);
  a.halt();
  chip.load(0x100, a.finish());
  Assembler jump;
  jump.j("there");
  while (jump.here() < 0x100) jump.word(0);
  jump.label("there");
  const std::vector<u32> start{jump.finish()[0]};
  chip.load(0, start);
  chip.start({CoreId::Brisc});
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_TRUE(chip.tile->coprocessor().waiting(0).waiting);
  EXPECT_TRUE(chip.tile->coprocessor().asleep());
  chip.write(0x8000, 5);
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_FALSE(chip.tile->coprocessor().waiting(0).waiting);
  EXPECT_EQ(chip.read(0), 3u);
}

// A wait whose condition is met is gone a cycle after it was latched, sooner than a core that has
// seen its thread done can raise the semaphore; wherever in a turn of the cores that happens.
TEST(Tile, a_met_wait_is_forgotten_before_the_core_that_synced_with_it_acts) {
  constexpr u32 kSync = 0xFFE80004;
  constexpr u32 kSemaphore = 0xFFE80020;
  for (const bool parking : {false, true}) {
    for (u32 lead = 0; lead < 80; ++lead) {
      OneTile chip(32, parking);
      Assembler a(0x6000);
      a.li(s0, kSync);
      a.li(s1, kSemaphore);
      a.ttinsn(0xA3100004);  // SEMINIT: semaphore 0, at 0 of 1
      a.lw(t0, 0, s0);
      a.add(t0, t0, t0);
      for (u32 i = 0; i < lead; ++i) a.addi(zero, zero, 0);
      a.ttinsn(0xA6010006);  // SEMWAIT: sync instructions wait while it is at 1; it is at 0
      a.lw(t0, 0, s0);
      a.add(t0, t0, t0);
      a.sw(zero, 0, s1);     // now it is
      a.ttinsn(0xA5000004);  // SEMGET
      a.lw(t0, 0, s0);
      a.li(a0, 1);
      finish(a, a0);
      chip.load(0x6000, a.finish());
      chip.start({CoreId::Trisc0});
      chip.run();
      ASSERT_EQ(chip.read(kResult), 1u) << lead;
    }
  }
}

TEST(Tile, soft_reset_of_a_parked_core_holds_it_and_release_starts_it_anew) {
  OneTile chip;
  Assembler a;
  a.li(t0, 0x8000);
  a.lw(a0, 4, t0);
  a.addi(a0, a0, 1);
  a.sw(a0, 4, t0);
  a.label("wait");
  a.lw(a1, 0, t0);
  a.beq(a1, zero, "wait");
  a.halt();
  chip.load(0, a.finish());
  for (u32 round = 1; round <= 3; ++round) {
    chip.start({CoreId::Brisc});
    EXPECT_EQ(chip.run(), sched::Stop::Idle);
    EXPECT_EQ(chip.read(0x8004), round);
    chip.start({});
    EXPECT_EQ(chip.tile->status(CoreId::Brisc), tile::CoreStatus::Reset);
  }
}

TEST(Tile, host_access_of_no_bytes_does_nothing) {
  OneTile chip;  // a segment of an ELF may be empty; the sanitizers watch what becomes of it
  EXPECT_TRUE(chip.tile->host_write(0x1000, {}, 0));
  EXPECT_TRUE(chip.tile->host_read(0x1000, {}, 0));
}

TEST(Tile, host_reads_and_writes_registers_bytewise) {
  OneTile chip;
  chip.write(0xFFB12228, 0x11223344);
  const u8 byte = 0xAB;
  EXPECT_TRUE(chip.tile->host_write(0xFFB12229, {&byte, 1}, 0));
  EXPECT_EQ(chip.read(0xFFB12228), 0x1122AB44u);
  u8 read[3];
  EXPECT_TRUE(chip.tile->host_read(0xFFB12229, {read, 3}, 0));
  EXPECT_EQ(read[0], 0xAB);
  EXPECT_EQ(read[2], 0x11);
  u32 word;
  EXPECT_FALSE(chip.tile->host_read(0xFFE00000, {reinterpret_cast<u8*>(&word), 4}, 0))
      << "GPRs are not reachable over the NoC";
}

}  // namespace
}  // namespace bhemu::test
