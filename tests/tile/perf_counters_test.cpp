// Performance counters, by the sequences of tt-exalens and tt-metal's profiler.
#include <random>

#include "support/debug_client.hpp"
#include "tensix/isa.hpp"
#include "tensix/perf/perf.hpp"
#include "tensix/state.hpp"
#include "tile/one_tile.hpp"

namespace bhemu::test {
namespace {

using tensix::encode;
using tensix::PerfBank;
namespace op = tensix::op;
using Bank = DebugClient::Bank;

constexpr u32 kCode = 0x3000;

void pass(OneTile& chip, Cycle cycles) {
  const Cycle end = chip.engine->now() + cycles;
  chip.engine->run(end, nullptr);
  if (chip.engine->now() < end) chip.engine->skip_to(end);
}

DebugClient client_of(OneTile& chip) {
  DebugClient client;
  client.read = [&chip](u32 address) { return chip.read(address); };
  client.write = [&chip](u32 address, u32 value) { chip.write(address, value); };
  client.poll = [&chip] { pass(chip, 256); };
  return client;
}

u32 semwait(u32 condition, u32 semaphore) {
  return encode<op::SEMWAIT>(
      {{"wait_sem_cond", condition}, {"sem_sel", 1u << semaphore}, {"stall_res", 0x1FF}});
}
u32 seminit(u32 semaphore, u32 value, u32 max) {
  return encode<op::SEMINIT>(
      {{"sem_sel", 1u << semaphore}, {"init_value", value}, {"max_value", max}});
}
u32 setrwc() {
  return encode<op::SETRWC>({{"bit_mask", 1}, {"rwc_a", 3}});
}

void load_trisc(OneTile& chip, unsigned thread, const std::vector<u32>& words) {
  const u32 base = kCode + 0x2000 * thread;
  Assembler a(base);
  for (const u32 word : words) a.ttinsn(word);
  a.halt();
  chip.load(base, a.finish());
  chip.start_at(static_cast<CoreId>(static_cast<u32>(CoreId::Trisc0) + thread), base);
}

TEST(PerfCounters, count_the_instructions_of_a_known_program_by_unit) {
  OneTile chip;
  std::vector<u32> words;
  const auto add = [&](u32 word, int times) { words.insert(words.end(), times, word); };
  add(encode<op::SFPNOP>(), 10);
  add(setrwc(), 7);
  add(encode<op::SETDMAREG>({{"reg_index_16b", 4}, {"payload_sig_sel", 1}}), 5);
  add(seminit(2, 1, 2), 3);
  add(encode<op::SETC16>({{"setc16_reg", 0}}), 4);
  load_trisc(chip, 1, words);
  const DebugClient client = client_of(chip);
  for (const Bank bank :
       {DebugClient::kInstrnThread, DebugClient::kFpu, DebugClient::kUnpack, DebugClient::kPack})
    client.start(bank);
  const Cycle begin = chip.engine->now();
  chip.start({CoreId::Trisc1});
  pass(chip, 4096);
  const Cycle length = chip.engine->now() - begin;
  EXPECT_EQ(client.cycles(DebugClient::kFpu), length) << "while it runs";
  for (const Bank bank :
       {DebugClient::kInstrnThread, DebugClient::kFpu, DebugClient::kUnpack, DebugClient::kPack})
    client.stop(bank);
  pass(chip, 1024);
  for (const Bank bank :
       {DebugClient::kInstrnThread, DebugClient::kFpu, DebugClient::kUnpack, DebugClient::kPack})
    EXPECT_EQ(client.cycles(bank), length);
  EXPECT_EQ(client.count(DebugClient::kInstrnThread, 264), 29u) << "instructions of thread 1";
  EXPECT_EQ(client.count(DebugClient::kInstrnThread, 256), 0u);
  EXPECT_EQ(client.count(DebugClient::kInstrnThread, 272), 0u);
  EXPECT_EQ(client.count(DebugClient::kInstrnThread, 16), 17u) << "matrix and vector unit";
  EXPECT_EQ(client.count(DebugClient::kInstrnThread, 7), 5u) << "ThCon";
  EXPECT_EQ(client.count(DebugClient::kInstrnThread, 4), 3u) << "sync unit";
  EXPECT_EQ(client.count(DebugClient::kInstrnThread, 1), 4u) << "configuration unit";
  EXPECT_EQ(client.count(DebugClient::kInstrnThread, 25), 0u) << "nothing was held";
  EXPECT_EQ(client.count(DebugClient::kFpu, 0), 7u);
  EXPECT_EQ(client.count(DebugClient::kFpu, 1), 10u);
  EXPECT_EQ(client.count(DebugClient::kFpu, 257), 17u);
  EXPECT_EQ(client.count(DebugClient::kUnpack, 3), 17u);
  EXPECT_EQ(client.count(DebugClient::kUnpack, 4), 17u);
  EXPECT_EQ(client.count(DebugClient::kUnpack, 5), static_cast<u32>(length)) << "SrcB is free";
  EXPECT_EQ(client.count(DebugClient::kPack, 18), 0u);
}

TEST(PerfCounters, of_a_waiting_thread_count_every_cycle_of_its_sleep) {
  OneTile chip;
  load_trisc(chip, 0, {seminit(3, 0, 2), semwait(1, 3), encode<op::SFPNOP>()});
  load_trisc(chip, 2, {seminit(4, 2, 2), semwait(2, 4), setrwc()});
  chip.start({CoreId::Trisc0, CoreId::Trisc2});
  pass(chip, 1024);
  const DebugClient client = client_of(chip);
  const Bank bank = DebugClient::kInstrnThread;
  client.start(bank);
  pass(chip, 100 * 256);
  EXPECT_TRUE(chip.tile->coprocessor().asleep());
  constexpr u32 kCycles = 100 * 256;
  EXPECT_EQ(client.cycles(bank), kCycles);
  EXPECT_EQ(client.count(bank, 35), kCycles) << "thread 0 waits for a semaphore that is not 0";
  EXPECT_EQ(client.count(bank, 54), kCycles) << "thread 2 for one below its maximum";
  EXPECT_EQ(client.count(bank, 36), 0u);
  EXPECT_EQ(client.count(bank, 53), 0u);
  EXPECT_EQ(client.count(bank, 24), kCycles) << "stalls";
  EXPECT_EQ(client.count(bank, 25), 0u);
  EXPECT_EQ(client.count(bank, 26), kCycles);
  EXPECT_EQ(client.count(bank, 283), kCycles) << "not the sum";
  EXPECT_EQ(client.count(bank, 15), kCycles) << "an instruction of the vector unit is available";
  EXPECT_EQ(client.count(bank, 256), 0u);
  client.inject(encode<op::SEMPOST>({{"sem_sel", 1u << 3}}), 1);
  pass(chip, 1024);
  EXPECT_EQ(client.count(bank, 256), 1u) << "thread 0 went on";
  EXPECT_EQ(client.count(bank, 264), 1u) << "SEMPOST";
  const u32 waited = client.count(bank, 35);
  EXPECT_GE(waited, kCycles);
  EXPECT_LT(waited, client.cycles(bank));
  EXPECT_EQ(client.count(bank, 54), client.cycles(bank));
}

TEST(PerfCounters, name_the_bank_for_which_stallwait_holds_a_thread) {
  OneTile chip;
  const auto stallwait = [](u32 condition) {
    return encode<op::STALLWAIT>({{"wait_res", 1u << condition}, {"stall_res", 0x1FF}});
  };
  const DebugClient client = client_of(chip);
  const Bank bank = DebugClient::kInstrnThread;
  for (const u32 condition : {7u, 8u}) {  // SrcA valid, SrcB valid: nobody unpacks
    OneTile one;
    load_trisc(one, 1, {stallwait(condition), setrwc()});
    const DebugClient look = client_of(one);
    one.start({CoreId::Trisc1});
    pass(one, 512);
    look.start(bank);
    pass(one, 512);
    EXPECT_EQ(look.count(bank, 29), condition == 7 ? 512u : 0u);
    EXPECT_EQ(look.count(bank, 30), condition == 8 ? 512u : 0u);
    EXPECT_EQ(look.count(bank, 25), 512u);
  }
}

TEST(PerfCounters, stop_by_themselves_at_the_end_of_the_reference_period) {
  OneTile chip;
  load_trisc(chip, 0, {seminit(3, 0, 2), semwait(1, 3), encode<op::SFPNOP>()});
  chip.start({CoreId::Trisc0});
  pass(chip, 512);
  const DebugClient client = client_of(chip);
  const Bank bank = DebugClient::kInstrnThread;
  client.start(bank, 1, 1000);
  pass(chip, 512);
  EXPECT_EQ(client.cycles(bank), 512u);
  pass(chip, 2048);
  EXPECT_EQ(client.cycles(bank), 1000u);
  EXPECT_EQ(client.count(bank, 35), 1000u);
  client.start(bank, 2);
  pass(chip, 512);
  EXPECT_EQ(client.cycles(bank), 0u) << "mode 2 keeps no cycles";
  EXPECT_EQ(client.count(bank, 35), 512u);
}

TEST(PerfCounters, of_two_banks_start_and_stop_by_one_store) {
  OneTile chip;
  load_trisc(chip, 1, std::vector<u32>(12, setrwc()));
  chip.write(0xFFB1203C, 1);
  chip.start({CoreId::Trisc1});
  pass(chip, 1024);
  chip.write(0xFFB1203C, 2);
  pass(chip, 1024);
  const DebugClient client = client_of(chip);
  EXPECT_EQ(client.cycles(DebugClient::kFpu), 1024u);
  EXPECT_EQ(client.cycles(DebugClient::kInstrnThread), 1024u);
  EXPECT_EQ(client.count(DebugClient::kFpu, 0), 12u);
  EXPECT_EQ(client.count(DebugClient::kInstrnThread, 264), 12u);
  EXPECT_EQ(client.cycles(DebugClient::kUnpack), 0u);
}

TEST(PerfCounters, start_again_from_zero) {
  OneTile chip;
  load_trisc(chip, 1, std::vector<u32>(12, setrwc()));
  const DebugClient client = client_of(chip);
  client.start(DebugClient::kFpu);
  chip.start({CoreId::Trisc1});
  pass(chip, 1024);
  EXPECT_EQ(client.count(DebugClient::kFpu, 0), 12u);
  client.start(DebugClient::kFpu);
  pass(chip, 256);
  EXPECT_EQ(client.count(DebugClient::kFpu, 0), 0u);
  EXPECT_EQ(client.cycles(DebugClient::kFpu), 256u);
}

struct Unmodelled {
  Bank bank;
  u32 select;
  const char* text;
};
constexpr Unmodelled kUnmodelled[] = {{DebugClient::kL1, 3, "ports of L1"},
                                      {DebugClient::kUnpack, 262, "SRCA_WRITE_ACTUAL"},
                                      {DebugClient::kPack, 11, "PACKER_DEST_READ"},
                                      {DebugClient::kFpu, 77, "nothing is known"}};

TEST(PerfCounters, that_are_not_modelled_read_zero_to_the_host_with_a_warning_each) {
  OneTile chip;
  const DebugClient client = client_of(chip);
  client.start(DebugClient::kL1);
  pass(chip, 256);
  EXPECT_EQ(client.cycles(DebugClient::kL1), 256u) << "its reference cycles are modelled";
  for (int i = 0; i < 2; ++i)
    for (const Unmodelled& one : kUnmodelled) EXPECT_EQ(client.count(one.bank, one.select), 0u);
  const auto& faults = chip.tile->faults().faults();
  ASSERT_EQ(faults.size(), std::size(kUnmodelled));
  for (u32 i = 0; i < faults.size(); ++i) {
    EXPECT_EQ(faults[i].rule, Rule::TileDebugSignal);
    EXPECT_NE(faults[i].text.find(kUnmodelled[i].text), std::string::npos) << faults[i].text;
  }
  EXPECT_FALSE(chip.tile->faults().stopped());
}

TEST(PerfCounters, that_are_not_modelled_are_refused_to_a_program_by_name) {
  for (const Unmodelled& one : kUnmodelled) {
    OneTile chip;
    Assembler a(kCode);
    a.li(s0, 0xFFB12000);
    a.li(t1, one.select << 8);
    a.sw(t1, static_cast<i32>(one.bank.control + 4), s0);
    a.lw(t2, static_cast<i32>(one.bank.out), s0);
    a.lw(t2, static_cast<i32>(one.bank.out + 4), s0);
    a.halt();
    chip.load(kCode, a.finish());
    chip.start_at(CoreId::Trisc1, kCode);
    chip.start({CoreId::Trisc1});
    EXPECT_EQ(chip.run(), sched::Stop::Faulted);
    const auto& faults = chip.tile->faults().faults();
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].rule, Rule::TilePerfCounter);
    EXPECT_NE(faults[0].text.find(one.text), std::string::npos) << faults[0].text;
  }
}

TEST(PerfCounters, in_a_mode_that_nobody_documents_do_not_start) {
  OneTile chip;
  const DebugClient client = client_of(chip);
  client.write(DebugClient::reg(0x01C), 3);
  const u32 start = 1;
  EXPECT_FALSE(
      chip.tile->host_write(DebugClient::reg(0x020), {reinterpret_cast<const u8*>(&start), 4}, 0));
  EXPECT_EQ(chip.tile->faults().faults().at(0).rule, Rule::TilePerfCounter);
  EXPECT_EQ(client.cycles(DebugClient::kFpu), 0u);
}

/// Words of which some hold a thread until another one acts. Semaphore 1 is the only one posted.
std::vector<u32> random_words(std::mt19937& random, unsigned thread, u32 count) {
  std::vector<u32> words;
  const u32 free[] = {encode<op::SFPNOP>(),
                      setrwc(),
                      encode<op::NOP>(),
                      encode<op::SETDMAREG>({{"reg_index_16b", 8}, {"payload_sig_sel", 3}}),
                      encode<op::STALLWAIT>({{"wait_res", 0x1F}, {"stall_res", 0x1FF}}),
                      encode<op::SETC16>({{"setc16_reg", 1}})};
  for (u32 i = 0; i < count; ++i) {
    const u32 kind = random() % 8;
    if (kind >= 6) {
      words.push_back(thread == 0 ? encode<op::SEMPOST>({{"sem_sel", 2}}) : semwait(1, 1));
      if (thread != 0) words.push_back(encode<op::SEMGET>({{"sem_sel", 2}}));
    } else {
      words.push_back(free[kind]);
    }
  }
  return words;
}

/// What the counters are by definition, from a chip that is run one cycle at a time.
struct Expected {
  std::array<u32, kThreads> executed{}, stalls{}, nonzero{};
  u32 fpu = 0;
  u32 math_available = 0;
};
Expected expected_of(OneTile& chip, Cycle from, Cycle until) {
  Expected sum;
  noc::Outbox outbox;
  const tensix::State& state = chip.tile->coprocessor().state();
  const auto is_math = [](u32 word) {
    const tensix::Unit unit = tensix::info_of_word(word).unit;
    return unit == tensix::Unit::Fpu || unit == tensix::Unit::Sfpu;
  };
  for (Cycle now = chip.engine->now(); now < until; ++now) {
    std::array<u64, kThreads> before{};
    for (unsigned t = 0; t < kThreads; ++t) before[t] = state.frontend[t].executed;
    chip.tile->run_until(now + 1, outbox);
    if (now < from) continue;
    bool fpu = false;
    bool math = false;
    for (unsigned t = 0; t < kThreads; ++t) {
      const tensix::Frontend& front = state.frontend[t];
      const bool went = front.executed != before[t];
      sum.executed[t] += went;
      sum.stalls[t] += front.gate_full;
      const bool semwait = front.wait.kind == tensix::WaitKind::Semwait;
      sum.nonzero[t] += front.gate_full && semwait && state.sync.semaphore[1].value == 0;
      math |= (went || front.gate_full) && is_math(front.gate_word);
      fpu |= state.busy_until[t][static_cast<u32>(tensix::BusyUnit::Fpu)] > now;
    }
    sum.fpu += fpu;
    sum.math_available += math;
  }
  return sum;
}

TEST(PerfCounters, are_what_stepping_cycle_by_cycle_shows) {
  for (u32 seed = 0; seed < 20; ++seed) {
    const auto prepare = [seed](OneTile& chip) {
      std::mt19937 random(seed);
      for (unsigned thread = 0; thread < kThreads; ++thread)
        load_trisc(chip, thread, random_words(random, thread, 60));
      chip.start({CoreId::Trisc0, CoreId::Trisc1, CoreId::Trisc2});
    };
    OneTile stepped(1, false);
    prepare(stepped);
    const Expected expected = expected_of(stepped, 0, 1024);
    for (const bool parking : {true, false}) {
      OneTile chip(1, parking);
      const DebugClient client = client_of(chip);
      for (const Bank bank : {DebugClient::kInstrnThread, DebugClient::kFpu, DebugClient::kUnpack})
        client.start(bank);
      prepare(chip);
      pass(chip, 1024);
      for (unsigned t = 0; t < kThreads; ++t) {
        EXPECT_EQ(client.count(DebugClient::kInstrnThread, 256 + 8 * t), expected.executed[t]);
        EXPECT_EQ(client.count(DebugClient::kInstrnThread, 24 + t), expected.stalls[t]);
        EXPECT_EQ(client.count(DebugClient::kInstrnThread, 35 + 9 * t), expected.nonzero[t]);
      }
      EXPECT_EQ(client.count(DebugClient::kFpu, 0), expected.fpu);
      EXPECT_EQ(client.count(DebugClient::kUnpack, 4), expected.math_available);
    }
  }
}

TEST(PerfCounters, change_nothing_that_they_count) {
  for (u32 seed = 100; seed < 110; ++seed) {
    OneTile counted(16);
    OneTile plain(16);
    for (OneTile* chip : {&counted, &plain}) {
      std::mt19937 random(seed);
      if (chip == &counted) client_of(*chip).start(DebugClient::kInstrnThread);
      for (unsigned thread = 0; thread < kThreads; ++thread)
        load_trisc(*chip, thread, random_words(random, thread, 60));
      chip->start({CoreId::Trisc0, CoreId::Trisc1, CoreId::Trisc2});
      pass(*chip, 2048);
      chip->tile->settle(chip->engine->now());
    }
    EXPECT_NE(client_of(counted).count(DebugClient::kInstrnThread, 256), 0u);
    counted.tile->coprocessor().state().perf = {};
    EXPECT_EQ(counted.tile->coprocessor().hash(0), plain.tile->coprocessor().hash(0));
    for (const CoreId core : {CoreId::Trisc0, CoreId::Trisc1, CoreId::Trisc2}) {
      EXPECT_EQ(counted.tile->core(core).cycle, plain.tile->core(core).cycle);
      EXPECT_EQ(counted.tile->core(core).instret, plain.tile->core(core).instret);
    }
  }
}

/// TRISC1 as tt-metal's profiler: starts two banks, works, stops, selects and reads.
std::vector<u32> profiling_program(u32 base) {
  Assembler a(base);
  a.li(s0, 0xFFB12000);
  for (const u32 control : {0x018u, 0x000u}) {
    a.li(t1, 0xFFFFFFFF);
    a.sw(t1, static_cast<i32>(control), s0);
    a.sw(zero, static_cast<i32>(control + 4), s0);
    a.sw(zero, static_cast<i32>(control + 8), s0);
    a.li(t1, 1);
    a.sw(t1, static_cast<i32>(control + 8), s0);
  }
  for (int i = 0; i < 9; ++i) a.ttinsn(setrwc());
  a.ttinsn(semwait(1, 1));
  for (int i = 0; i < 4; ++i) a.ttinsn(encode<op::SFPNOP>());
  a.li(t2, 0xFFE80004);
  a.lw(t3, 0, t2);  // tensix_sync
  for (const u32 control : {0x018u, 0x000u}) {
    a.sw(zero, static_cast<i32>(control + 8), s0);
    a.li(t1, 2);
    a.sw(t1, static_cast<i32>(control + 8), s0);
  }
  a.li(s1, 0x9000);
  struct Read {
    u32 control, out, select;
  };
  i32 at = 0;
  for (const Read& read : {Read{0x018, 0x120, 0}, Read{0x018, 0x120, 1}, Read{0x000, 0x100, 264},
                           Read{0x000, 0x100, 44}, Read{0x000, 0x100, 25}}) {
    const std::string label = "mode" + std::to_string(at);
    a.li(t1, read.select << 8);
    a.sw(t1, static_cast<i32>(read.control + 4), s0);
    a.label(label);
    a.lw(t3, static_cast<i32>(read.control + 4), s0);
    a.bne(t3, t1, label);
    a.lw(t3, static_cast<i32>(read.out), s0);
    a.sw(t3, at, s1);
    a.lw(t3, static_cast<i32>(read.out + 4), s0);
    a.sw(t3, at + 4, s1);
    at += 8;
  }
  a.halt();
  return a.finish();
}

TEST(PerfCounters, read_by_the_program_itself_are_the_same_parked_or_not) {
  for (const Cycle quantum : {1, 16, 32}) {
    std::array<std::vector<u32>, 2> results;
    for (const bool parking : {true, false}) {
      OneTile chip(quantum, parking);
      chip.load(kCode, profiling_program(kCode));
      chip.start_at(CoreId::Trisc1, kCode);
      chip.start({CoreId::Trisc1});
      // BRISC lets it wait, and then posts the semaphore by an instruction of thread 0.
      Assembler b;
      b.li(s0, 5000);
      b.label("later");
      b.addi(s0, s0, -1);
      b.bne(s0, zero, "later");
      b.ttinsn(encode<op::SEMPOST>({{"sem_sel", 2}}));
      b.halt();
      chip.load(0, b.finish());
      chip.start({CoreId::Brisc, CoreId::Trisc1});
      pass(chip, 30'000);
      std::vector<u32>& words = results[parking];
      for (u32 i = 0; i < 10; ++i) words.push_back(chip.read(0x9000 + 4 * i));
      words.push_back(static_cast<u32>(chip.hash()));
      EXPECT_EQ(words[1], 9u) << "matrix unit";
      EXPECT_EQ(words[3], 4u) << "vector unit";
      EXPECT_EQ(words[5], 14u) << "instructions of thread 1";
      EXPECT_GT(words[7], 9'000u) << "cycles for the semaphore";
      EXPECT_LT(words[7], words[6]) << "less than it ran";
      EXPECT_GE(words[9], words[7]) << "stalls";
    }
    EXPECT_EQ(results[0], results[1]) << "quantum " << quantum;
  }
}

TEST(PerfCounters, are_part_of_a_snapshot_and_of_the_hash) {
  OneTile chip;
  load_trisc(chip, 1, std::vector<u32>(12, setrwc()));
  chip.start({CoreId::Trisc1});
  pass(chip, 512);
  const u64 before = chip.tile->coprocessor().hash(0);
  const DebugClient client = client_of(chip);
  client.start(DebugClient::kFpu);
  EXPECT_NE(chip.tile->coprocessor().hash(0), before);
}

}  // namespace
}  // namespace bhemu::test
