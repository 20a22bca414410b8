// The debug daisychain and the read-backs, as a debugger uses them over the NoC.
#include <map>

#include "support/debug_client.hpp"
#include "tensix/cfg/cfg.hpp"
#include "tensix/isa.hpp"
#include "tensix/state.hpp"
#include "tile/one_tile.hpp"

namespace bhemu::test {
namespace {

using tensix::encode;
namespace op = tensix::op;

constexpr std::array<u32, kCores> kCode{0x0, 0x1000, 0x2000, 0x3000, 0x4000};
constexpr CoreId kAllCores[] = {CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc1,
                                CoreId::Trisc2};

void pass(OneTile& chip, Cycle cycles);

DebugClient client_of(OneTile& chip) {
  DebugClient client;
  client.read = [&chip](u32 address) { return chip.read(address); };
  client.write = [&chip](u32 address, u32 value) { chip.write(address, value); };
  client.poll = [&chip] { pass(chip, 64); };
  return client;
}

/// Lets `cycles` pass, whether anybody is awake or not.
void pass(OneTile& chip, Cycle cycles) {
  const Cycle end = chip.engine->now() + cycles;
  chip.engine->run(end, nullptr);
  if (chip.engine->now() < end) chip.engine->skip_to(end);
}

/// Each core polls a word of its own, in a loop that is as long as its number says.
void load_pollers(OneTile& chip) {
  for (const CoreId core : kAllCores) {
    const u32 index = static_cast<u32>(core);
    Assembler a(kCode[index]);
    a.li(t0, 0x8000 + index * 64);
    a.label("again");
    for (u32 i = 0; i < index; ++i) a.addi(zero, zero, 0);
    a.lw(a0, 0, t0);
    a.beq(a0, zero, "again");
    a.halt();
    chip.load(kCode[index], a.finish());
    chip.start_at(core, kCode[index]);
  }
  chip.start({CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc1, CoreId::Trisc2});
}

TEST(DebugBus, shows_the_program_counter_of_each_core_parked_or_not) {
  for (const Cycle quantum : {1, 16}) {
    OneTile parked(quantum, true);
    OneTile awake(quantum, false);
    load_pollers(parked);
    load_pollers(awake);
    const DebugClient see_parked = client_of(parked);
    const DebugClient see_awake = client_of(awake);
    std::map<u32, int> seen;
    for (int step = 0; step < 12; ++step) {
      pass(parked, 257 + step);
      pass(awake, 257 + step);
      for (const CoreId core : kAllCores) {
        const u32 pc = see_parked.pc(core);
        EXPECT_EQ(pc, see_awake.pc(core)) << name_of(core);
        EXPECT_EQ(pc, awake.tile->core(core).pc) << name_of(core);
        EXPECT_EQ(pc, parked.read(0xFFB13138 + 4 * static_cast<u32>(core)));
        ++seen[pc];
      }
    }
    EXPECT_EQ(parked.tile->status(CoreId::Trisc2), tile::CoreStatus::Parked);
    EXPECT_GT(seen.size(), std::size(kAllCores)) << "the loops are never seen at two places";
    EXPECT_EQ(parked.hash(), awake.hash());
  }
}

TEST(DebugBus, shows_where_a_core_was_when_it_was_held_in_reset) {
  OneTile chip;
  load_pollers(chip);
  pass(chip, 1000);
  const DebugClient client = client_of(chip);
  chip.start({});
  const u32 pc = client.pc(CoreId::Trisc1);
  EXPECT_EQ(pc, chip.tile->core(CoreId::Trisc1).pc);
  EXPECT_GE(pc, kCode[3]);
  EXPECT_EQ(client.signal({7, 15, 63, 1}), 0u) << "nothing is at decode";
  EXPECT_EQ(client.signal({7, 15, 103, 1}), 0u);
  chip.start({CoreId::Trisc1});
  EXPECT_EQ(client.signal({7, 15, 63, 1}), 1u);
  EXPECT_EQ(client.pc(CoreId::Trisc1), kCode[3]);
}

TEST(DebugBus, tells_for_what_a_core_waits) {
  for (const bool parking : {true, false}) {
    OneTile chip(16, parking);
    // TRISC0 reads its PCBuf, TRISC1 the mailbox from BRISC, TRISC2 pushes until there is no room.
    Assembler a(kCode[2]);
    a.li(t0, 0xFFE80000);
    a.lw(a0, 0, t0);
    a.halt();
    chip.load(kCode[2], a.finish());
    Assembler b(kCode[3]);
    b.li(t0, 0xFFEC0000);
    b.lw(a0, 0, t0);
    b.halt();
    chip.load(kCode[3], b.finish());
    Assembler c(kCode[4]);
    c.li(t0, 0xFFE40000);
    c.li(t1, encode<op::SEMWAIT>({{"wait_sem_cond", 1}, {"sem_sel", 1}, {"stall_res", 0x1FF}}));
    c.label("again");
    c.sw(t1, 0, t0);
    c.j("again");
    chip.load(kCode[4], c.finish());
    for (const CoreId core : {CoreId::Trisc0, CoreId::Trisc1, CoreId::Trisc2})
      chip.start_at(core, kCode[static_cast<u32>(core)]);
    chip.start({CoreId::Trisc0, CoreId::Trisc1, CoreId::Trisc2});
    pass(chip, 2000);

    const DebugClient client = client_of(chip);
    EXPECT_EQ(client.signal({7, 19, 31, 1}), 1u) << "TRISC0 waits for a word in its PCBuf";
    EXPECT_EQ(client.signal({7, 21, 31, 1}), 0u);
    EXPECT_EQ(client.signal({7, 19, 23, 2}), 1u) << "PCBuf: empty, not full";
    EXPECT_EQ(client.signal({7, 1, 115, 4}), 0b1011u) << "TRISC1 waits for BRISC's mailbox";
    EXPECT_EQ(client.signal({7, 18, 106, 4}), 0b1111u);
    EXPECT_EQ(client.signal({7, 16, 63, 1}), 1u) << "TRISC2 waits to store";
    EXPECT_EQ(client.signal({7, 16, 32, 30}), 0xFFE60000 & 0x3FFFFFFFu);
    EXPECT_EQ(client.signal({7, 23, 125, 2}), 1u) << "FIFO before the MOP expander: full";
    EXPECT_EQ(client.signal({7, 17, 63, 1}), 0u);
  }
}

TEST(DebugBus, shows_the_instruction_on_which_a_thread_hangs) {
  OneTile chip;
  const u32 held = encode<op::SFPNOP>();
  Assembler a(kCode[2]);
  a.ttinsn(encode<op::SEMINIT>({{"sem_sel", 1 << 3}, {"init_value", 0}, {"max_value", 2}}));
  a.ttinsn(encode<op::SEMWAIT>({{"wait_sem_cond", 1}, {"sem_sel", 1 << 3}, {"stall_res", 0x1FF}}));
  a.ttinsn(held);
  a.halt();
  chip.load(kCode[2], a.finish());
  chip.start_at(CoreId::Trisc0, kCode[2]);
  chip.start({CoreId::Trisc0});
  pass(chip, 2000);
  const DebugClient client = client_of(chip);
  EXPECT_EQ(client.signal({1, 12, 40, 32}), held);
  EXPECT_EQ(client.signal({1, 12, 73, 1}), 0u) << "the wait gate is not empty";
  EXPECT_EQ(client.signal({1, 12, 18, 1}), 1u) << "an instruction of the vector unit is held";
  EXPECT_EQ(client.signal({1, 12, 35, 1}), 1u);
  EXPECT_EQ(client.signal({1, 12, 19, 10}), 0u) << "of no other unit";
  EXPECT_EQ(client.signal({1, 12, 80, 1}), 1u) << "the thread is busy";
  EXPECT_EQ(client.signal({7, 19, 26, 1}), 1u);
  // The other threads are idle.
  EXPECT_EQ(client.signal({1, 8, 40, 32}), 0u);
  EXPECT_EQ(client.signal({1, 8, 72, 2}), 3u);
  EXPECT_EQ(client.signal({1, 4, 80, 1}), 0u);
  // Somebody posts the semaphore; the thread goes on.
  client.inject(encode<op::SEMPOST>({{"sem_sel", 1 << 3}}), 1);
  pass(chip, 100);
  EXPECT_EQ(client.signal({1, 12, 73, 1}), 1u);
  EXPECT_EQ(client.signal({1, 12, 80, 1}), 0u);
}

TEST(DebugBus, shows_a_mop_while_it_is_expanded) {
  OneTile chip;
  const u32 mop = encode<op::MOP>({{"mop_type", 1}});
  const u32 wait =
      encode<op::SEMWAIT>({{"wait_sem_cond", 1}, {"sem_sel", 1}, {"stall_res", 0x1FF}});
  Assembler a(kCode[3]);
  a.li(t0, 0xFFB80000);
  const u32 config[9] = {
      1,    25,  encode<op::NOP>(), encode<op::NOP>(), encode<op::NOP>(), wait, encode<op::NOP>(),
      wait, wait};
  for (i32 i = 0; i < 9; ++i) {
    a.li(t1, config[i]);
    a.sw(t1, 4 * i, t0);
  }
  a.ttinsn(mop);
  a.halt();
  chip.load(kCode[3], a.finish());
  chip.start_at(CoreId::Trisc1, kCode[3]);
  chip.start({CoreId::Trisc1});
  pass(chip, 2000);
  const DebugClient client = client_of(chip);
  EXPECT_EQ(client.signal({7, 21, 84, 2}), 2u) << "template 1";
  EXPECT_EQ(client.signal({7, 21, 86, 32}), mop);
  EXPECT_EQ(client.signal({7, 21, 118, 1}), 1u);
  EXPECT_EQ(client.signal({7, 21, 25, 1}), 1u) << "MOPs outstanding";
  EXPECT_EQ(client.signal({7, 19, 25, 1}), 0u);
  EXPECT_EQ(client.signal({7, 19, 118, 1}), 0u);
}

// tt-exalens, test_tensix_debug.py: counters set by injected SETRWC, one thread each.
TEST(DebugBus, shows_the_row_counters_of_each_thread) {
  struct Positions {
    DebugSignal a, b;
    DebugSignal dst_low, dst_high;
  };
  constexpr Positions kAt[kThreads] = {
      {{3, 2, 0, 6}, {3, 2, 60, 6}, {3, 2, 120, 8}, {3, 3, 0, 2}},
      {{3, 2, 24, 6}, {3, 2, 84, 6}, {3, 3, 12, 10}, {3, 3, 12, 1}},
      {{3, 2, 40, 6}, {3, 2, 100, 6}, {3, 3, 32, 10}, {3, 3, 32, 1}}};
  OneTile chip;
  const DebugClient client = client_of(chip);
  for (u32 round = 1; round <= 3; ++round) {
    for (u32 thread = 0; thread < kThreads; ++thread) {
      const u32 a = round * 2 + thread;
      const u32 b = round * 3 + thread;
      const u32 d = 15 - round - thread;
      client.inject(encode<op::SETRWC>({{"bit_mask", 7}, {"rwc_a", a}, {"rwc_b", b}, {"rwc_d", d}}),
                    thread);
      pass(chip, 64);
      EXPECT_EQ(client.signal(kAt[thread].a), a) << thread;
      EXPECT_EQ(client.signal(kAt[thread].b), b) << thread;
      u64 dst = client.signal(kAt[thread].dst_low);
      if (thread == 0) dst |= client.signal(kAt[thread].dst_high) << 8;
      EXPECT_EQ(dst, d) << thread;
    }
  }
  tensix::State& state = chip.tile->coprocessor().state();
  state.fpu.rwc[0] = {0x3A5, 0x15A, 0, 1, 2, 3, 4, 1, 0};
  state.fpu.rwc[1].fidelity = 2;
  state.fpu.rwc[2].fidelity = 3;
  EXPECT_EQ(client.signal({3, 2, 120, 8}) | client.signal({3, 3, 0, 2}) << 8, 0x3A5u);
  EXPECT_EQ(client.signal({3, 3, 2, 10}), 0x15Au);
  EXPECT_EQ(client.signal({3, 2, 10, 6}), 2u) << "SrcA_Cr";
  EXPECT_EQ(client.signal({3, 2, 70, 6}), 4u) << "SrcB_Cr";
  EXPECT_EQ(client.signal({3, 4, 60, 6}), 1u | 2u << 2 | 3u << 4);
}

TEST(DebugBus, shows_the_address_counters_of_unpackers_and_packer) {
  OneTile chip;
  tensix::State& state = chip.tile->coprocessor().state();
  const DebugClient client = client_of(chip);
  for (u32 select = 0; select < 6; ++select) {
    const auto unit = static_cast<tensix::AdcUnit>(select / 2);
    state.adc.of(select < 4 ? 0 : 2, unit).channel[select % 2] = {0x2ABCD + select,
                                                                  0x31234 + select,
                                                                  static_cast<u16>(0x1ABC + select),
                                                                  static_cast<u16>(0x1000 + select),
                                                                  static_cast<u8>(0xA0 + select),
                                                                  static_cast<u8>(0xB0 + select),
                                                                  static_cast<u8>(0xC0 + select),
                                                                  static_cast<u8>(0xD0 + select)};
  }
  for (u32 select = 0; select < 6; ++select) {
    EXPECT_EQ(client.signal({6, select, 0, 18}), 0x2ABCD + select);
    EXPECT_EQ(client.signal({6, select, 18, 18}), 0x31234 + select);
    EXPECT_EQ(client.signal({6, select, 64, 13}), 0x1ABC + select);
    EXPECT_EQ(client.signal({6, select, 80, 13}), 0x1000 + select);
    for (u32 i = 0; i < 4; ++i)
      EXPECT_EQ(client.signal({6, select, 96 + 8 * i, 8}), 0xA0 + 0x10 * i + select);
  }
}

TEST(DebugBus, shows_who_owns_the_source_banks) {
  OneTile chip;
  const DebugClient client = client_of(chip);
  EXPECT_EQ(client.signal({6, 9, 84, 2}), 1u) << "SrcA: the unpacker's";
  EXPECT_EQ(client.signal({6, 9, 105, 2}), 0u);
  client.inject(encode<op::SETDVALID>({{"setvalid", 3}}), 0);
  pass(chip, 64);
  EXPECT_EQ(client.signal({6, 9, 84, 2}), 3u)
      << "bank 1 is the unpacker's, bank 0 the matrix unit's";
  EXPECT_EQ(client.signal({6, 9, 90, 2}), 2u) << "bank 1, bank 0";
  EXPECT_EQ(client.signal({6, 9, 92, 1}), 0u);
  EXPECT_EQ(client.signal({6, 9, 94, 1}), 1u);
  EXPECT_EQ(client.signal({6, 9, 105, 2}), 1u) << "SrcB: bank 0 is valid";
  EXPECT_EQ(client.signal({6, 9, 101, 2}), 2u) << "SrcB: matrix unit at 0, unpacker at 1";
}

TEST(DebugBus, shows_the_enabled_lanes_four_by_eight_transposed) {
  OneTile chip;
  tensix::State& state = chip.tile->coprocessor().state();
  const DebugClient client = client_of(chip);
  EXPECT_EQ(client.signal({7, 28, 0, 32}), 0xFFFFFFFFu);
  for (u32 lane = 0; lane < 32; ++lane) {
    state.sfpu.condition.use_lane_flags = ~0u;
    state.sfpu.condition.lane_flags = 1u << lane;
    EXPECT_EQ(client.signal({7, 28, 0, 32}), 1u << (lane % 8 * 4 + lane / 8)) << lane;
  }
}

TEST(DebugBus, answers_its_self_test_and_nothing_while_disabled) {
  OneTile chip;
  const DebugClient client = client_of(chip);
  for (const u32 daisy : {1u, 3u, 6u, 7u, 8u, 14u}) {
    EXPECT_EQ(client.word(daisy, 255, 0), daisy);
    EXPECT_EQ(client.word(daisy, 255, 1), 0xA5A5A5A5u);
    EXPECT_EQ(client.word(daisy, 255, 2), 0x5A5A5A5Au);
    EXPECT_EQ(client.word(daisy, 255, 3), 0xA5A5A5A5u);
  }
  EXPECT_TRUE(chip.tile->faults().faults().empty());
  chip.write(0xFFB12054, 7 << 16 | 255);
  EXPECT_EQ(chip.read(0xFFB1205C), 0u);
  ASSERT_EQ(chip.tile->faults().faults().size(), 1u);
  EXPECT_EQ(chip.tile->faults().faults()[0].rule, Rule::TileDebugSignal);
}

TEST(DebugBus, says_once_where_it_has_no_signal_and_stops_nobody) {
  OneTile chip;
  load_pollers(chip);
  pass(chip, 500);
  const DebugClient client = client_of(chip);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.word(8, 2, 0), 0u);   // ports of L1
    EXPECT_EQ(client.word(9, 77, 1), 0u);  // nothing is known there
  }
  EXPECT_EQ(client.word(3, 3, 3), 0u);  // reserved
  const auto& faults = chip.tile->faults().faults();
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_NE(faults[0].text.find("l1_access_ports_addr_a"), std::string::npos);
  EXPECT_NE(faults[1].text.find("nothing is known"), std::string::npos);
  EXPECT_EQ(faults[0].severity, Severity::Warn);
  EXPECT_FALSE(chip.tile->faults().stopped());
  const u32 before = client.pc(CoreId::Trisc2);
  pass(chip, 1);
  EXPECT_NE(client.pc(CoreId::Trisc2), before) << "the cores go on";
}

TEST(DebugBus, writes_samples_to_l1_with_the_bits_of_direct_reads) {
  OneTile chip;
  load_pollers(chip);
  pass(chip, 777);
  const DebugClient client = client_of(chip);
  for (const u32 signal : {10u, 11u, 13u, 17u, 19u, 25u}) {
    const auto sampled = client.sample(7, signal, 0xFFFF0);
    for (u32 word = 0; word < 4; ++word)
      EXPECT_EQ(sampled[0][word], client.word(7, signal, word)) << signal << " " << word;
  }
  // Mode 1 goes on behind the last sample, mode 0 overwrites it.
  chip.write(0xFFB12054, 1u << 29 | 7 << 16 | 255);
  for (const u32 mode : {0u, 1u}) {
    chip.write(0xFFB12050, 0xF);
    chip.write(0xFFB12048, (0x9000 + mode * 0x100) / 16);
    for (int i = 0; i < 3; ++i) {
      chip.write(0xFFB12050, mode);
      chip.write(0xFFB12050, mode | 1u << 12);
      chip.write(0xFFB12050, mode | 1u << 12);  // no rising edge
    }
  }
  EXPECT_EQ(chip.read(0x9004), 0xA5A5A5A5u);
  EXPECT_EQ(chip.read(0x9014), 0u);
  EXPECT_EQ(chip.read(0x9124), 0xA5A5A5A5u);
  EXPECT_EQ(chip.read(0x9134), 0u);
}

TEST(DebugBus, takes_a_series_of_samples_at_its_interval) {
  for (const bool parking : {true, false}) {
    OneTile chip(1, parking);
    load_pollers(chip);
    pass(chip, 1000);
    const DebugClient client = client_of(chip);
    constexpr u32 kSamples = 40;
    for (const u32 interval : {2u, 5u, 50u}) {
      OneTile twin(1, false);
      load_pollers(twin);
      pass(twin, chip.engine->now());
      noc::Outbox outbox;
      Cycle due = twin.engine->now();
      const auto samples = client.sample(7, 17, 0x9000, kSamples, interval);
      for (const auto& group : samples) {
        twin.tile->run_until(due + 1, outbox);
        EXPECT_EQ(group[1] & 0x3FFFFFFF, twin.tile->core(CoreId::Trisc2).pc) << interval;
        due += interval;
        twin.tile->run_until(due, outbox);
      }
    }
  }
}

TEST(DebugBus, series_of_samples_disturbs_no_program) {
  OneTile watched;
  OneTile alone;
  for (OneTile* chip : {&watched, &alone}) {
    load_pollers(*chip);
    pass(*chip, 300);
  }
  client_of(watched).sample(7, 11, 0x9000, 100, 20);
  const Cycle now = watched.engine->now();
  pass(alone, now - alone.engine->now());
  EXPECT_EQ(alone.engine->now(), now);
  for (OneTile* chip : {&watched, &alone}) {
    chip->write(0x8000, 1);
    pass(*chip, 1000);
    chip->tile->settle(chip->engine->now());
  }
  for (const CoreId core : kAllCores) {
    EXPECT_EQ(watched.tile->core(core).pc, alone.tile->core(core).pc);
    EXPECT_EQ(watched.tile->core(core).instret, alone.tile->core(core).instret);
  }
}

TEST(DebugBus, refuses_samples_above_the_first_mebibyte_and_unknown_modes) {
  OneTile chip;
  u32 trigger = 1u << 12;
  const auto refused = [&](u32 first, u32 last, u32 mode) {
    chip.write(0xFFB12050, 0xF);
    chip.write(0xFFB12048, first / 16);
    chip.write(0xFFB1204C, last / 16);
    chip.tile->faults().clear();
    const u32 value = trigger | mode;
    return !chip.tile->host_write(0xFFB12050, {reinterpret_cast<const u8*>(&value), 4},
                                  chip.engine->now()) &&
           chip.tile->faults().faults().at(0).rule == Rule::TileDebugBus;
  };
  EXPECT_TRUE(refused(0x100000, 0, 1));
  EXPECT_TRUE(refused(0xFFFF0, 0x100010, 4));
  EXPECT_TRUE(refused(0x2000, 0x1000, 4));
  EXPECT_TRUE(refused(0x2000, 0x3000, 2));
}

TEST(ReadBack, gives_every_word_of_the_configuration) {
  OneTile chip;
  tensix::CfgState& cfg = chip.tile->coprocessor().state().cfg;
  const DebugClient client = client_of(chip);
  u32 value = 1;
  for (auto& bank : cfg.bank)
    for (u32& word : bank) word = value = value * 0x9E3779B1 + 0x7F4A7C15;
  for (auto& thread : cfg.thread)
    for (u16& word : thread) word = static_cast<u16>(value = value * 0x9E3779B1 + 0x7F4A7C15);
  u32 index = 0;
  for (const auto& bank : cfg.bank)
    for (const u32 word : bank) ASSERT_EQ(client.config(index++), word) << index;
  index = tensix::kConfigThreads;
  for (const auto& thread : cfg.thread)
    for (const u16 word : thread) ASSERT_EQ(client.config(index++), word) << index;
  EXPECT_EQ(client.config(0x800), cfg.bank[0][0]) << "eleven bits count";
  chip.write(0xFFB12058, index);
  u32 beyond = 0;
  EXPECT_FALSE(chip.tile->host_read(0xFFB12078, {reinterpret_cast<u8*>(&beyond), 4}, 0));
  EXPECT_EQ(chip.tile->faults().faults().at(0).rule, Rule::TileDebugBus);
}

TEST(ReadBack, gives_what_a_core_has_written_to_the_configuration_and_ncrisc_can_read_it) {
  OneTile chip;
  Assembler a;  // BRISC writes words of both banks
  a.li(t0, 0xFFEF0000);
  a.li(t1, 0x1234567);
  a.sw(t1, 70 * 4, t0);
  a.li(t0, 0xFFEF0000 + tensix::kConfigWords * 4);
  a.li(t1, 0x7654321);
  a.sw(t1, 70 * 4, t0);
  a.halt();
  chip.load(0, a.finish());
  Assembler b(kCode[1]);  // NCRISC, which has no window, reads them
  b.li(s0, 300);
  b.label("later");
  b.addi(s0, s0, -1);
  b.bne(s0, zero, "later");
  b.li(t0, 0xFFB12000);
  b.li(t1, 70);
  b.sw(t1, 0x58, t0);
  b.lw(a0, 0x78, t0);
  b.li(t1, tensix::kConfigWords + 70);
  b.sw(t1, 0x58, t0);
  b.lw(a1, 0x78, t0);
  b.li(t2, 0x9000);
  b.sw(a0, 0, t2);
  b.sw(a1, 4, t2);
  b.halt();
  chip.load(kCode[1], b.finish());
  chip.start_at(CoreId::Ncrisc, kCode[1]);
  chip.start({CoreId::Brisc, CoreId::Ncrisc});
  pass(chip, 5000);
  EXPECT_EQ(chip.read(0x9000), 0x1234567u);
  EXPECT_EQ(chip.read(0x9004), 0x7654321u);
}

TEST(ReadBack, gives_rows_of_dst_as_they_are_stored) {
  OneTile chip;
  tensix::Dst& dst = chip.tile->coprocessor().state().fpu.dst;
  for (u32 row = 0; row < tensix::kDstRows; ++row)
    for (u32 i = 0; i < 16; ++i) dst.row[row].datum[i] = static_cast<u16>(row * 61 + i * 977);
  const DebugClient client = client_of(chip);
  for (u32 row = 0; row < tensix::kDstRows; row += 31) {
    const auto words = client.array_row(2, row);
    for (u32 i = 0; i < 16; ++i)
      EXPECT_EQ(static_cast<u16>(words[i / 2] >> (i % 2 * 16)), dst.row[row].datum[i]);
  }
}

// As tt-exalens and LLK's dbg_get_array_row do it: a row of SrcA goes to Dst and is read there.
TEST(ReadBack, gives_rows_of_srca_by_way_of_dst) {
  OneTile chip;
  tensix::FpuState& fpu = chip.tile->coprocessor().state().fpu;
  const DebugClient client = client_of(chip);
  for (u32 row = 0; row < 16; ++row)
    for (u32 i = 0; i < 16; ++i) fpu.src_a.bank[0][row].datum[i] = (0x3F80 + row * 16 + i) << 16;
  for (u32 row = 0; row < 16; ++row) {
    client.inject(encode<op::MOVDBGA2D>({{"dst", 0}, {"src", row}}), 2);
    pass(chip, 64);
    const auto words = client.array_row(2, 0);
    for (u32 i = 0; i < 16; ++i) {
      const u32 stored = words[i / 2] >> (i % 2 * 16) & 0xFFFF;  // s m7 e8
      const u32 value = (stored & 0x8000) | (stored & 0xFF) << 7 | (stored >> 8 & 0x7F);
      EXPECT_EQ(value, 0x3F80 + row * 16 + i);
    }
  }
}

TEST(ReadBack, of_the_source_files_and_beyond_dst_is_refused_to_the_host_by_name) {
  OneTile chip;
  chip.write(0xFFB12060, 1);
  for (const u32 command : {0u << 16, 1u << 16, 3u << 16, 2u << 16 | 1024, 2u << 16 | 8u << 12}) {
    chip.write(0xFFB12064, command);
    chip.tile->faults().clear();
    u32 value = 0;
    EXPECT_FALSE(chip.tile->host_read(0xFFB1206C, {reinterpret_cast<u8*>(&value), 4}, 0));
    ASSERT_EQ(chip.tile->faults().faults().size(), 1u);
    EXPECT_EQ(chip.tile->faults().faults()[0].rule, Rule::TileDebugBus);
  }
}

TEST(DebugPush, of_a_core_is_lost_with_a_warning_while_the_debug_bus_has_the_fifo) {
  OneTile chip;
  Assembler a(kCode[2]);
  a.ttinsn(encode<op::SETRWC>({{"bit_mask", 1}, {"rwc_a", 9}}));
  a.halt();
  chip.load(kCode[2], a.finish());
  chip.write(0xFFB120A0, 1);
  chip.start_at(CoreId::Trisc0, kCode[2]);
  chip.start({CoreId::Trisc0});
  pass(chip, 500);
  EXPECT_EQ(chip.tile->coprocessor().state().fpu.rwc[0].src_a, 0u);
  ASSERT_EQ(chip.tile->faults().faults().size(), 1u);
  EXPECT_EQ(chip.tile->faults().faults()[0].rule, Rule::TilePushLost);
  EXPECT_FALSE(chip.tile->faults().stopped());
}

TEST(DebugPush, onto_a_full_fifo_is_reported) {
  OneTile chip;
  const DebugClient client = client_of(chip);
  const u32 wait =
      encode<op::SEMWAIT>({{"wait_sem_cond", 1}, {"sem_sel", 1}, {"stall_res", 0x1FF}});
  chip.write(0xFFB120A4, wait);
  for (u32 i = 0; i < tensix::kBehindMopDepth; ++i) {
    EXPECT_TRUE(bit(chip.read(0xFFB120A8), 1));
    chip.write(0xFFB120A0, 0x2);
    chip.write(0xFFB120A0, 0x22);
  }
  EXPECT_FALSE(bit(chip.read(0xFFB120A8), 1));
  EXPECT_TRUE(chip.tile->faults().faults().empty());
  chip.write(0xFFB120A0, 0x2);
  const u32 push = 0x22;
  EXPECT_FALSE(chip.tile->host_write(0xFFB120A0, {reinterpret_cast<const u8*>(&push), 4},
                                     chip.engine->now()));
  ASSERT_EQ(chip.tile->faults().faults().size(), 1u);
  EXPECT_EQ(chip.tile->faults().faults()[0].rule, Rule::TensixFifoOverflow);
  EXPECT_EQ(chip.tile->faults().faults()[0].agent, Agent::Host);
}

}  // namespace
}  // namespace bhemu::test
