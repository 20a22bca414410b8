// Translated code against the interpreter: random programs in slices of random lengths, everything
// compared after each.
#include <gtest/gtest.h>

#include <random>

#include "riscv/encode.hpp"
#include "riscv/flat_bus.hpp"
#include "riscv/guest.hpp"
#include "support/rounds.hpp"

namespace bhemu::riscv {
namespace {

constexpr u32 kCode = 0x1000;
constexpr u32 kCodeWords = 96;
constexpr u32 kData = 0x8000;
constexpr u32 kDevice = 0xFFB12000;
// Registers with a meaning; the programs change them seldom.
enum Base : u32 { kCounter = 19, kDataBase, kLocalBase, kCodeBase, kDeviceBase };

class RandomCode {
 public:
  explicit RandomCode(u64 seed) : random_(seed) {}
  u32 below(u32 limit) { return static_cast<u32>(random_() % limit); }
  u32 any() { return static_cast<u32>(random_()); }

  std::vector<u32> program() {
    std::vector<u32> words;
    while (words.size() < kCodeWords) words.push_back(instruction(words.size()));
    return words;
  }
  u32 instruction(std::size_t at) {
    const Row& row = kRows[below(kRowCount)];
    switch (row.format) {
      case Format::Branch:
        return encode_b(row.op, reg(), below(3) == 0 ? 0 : reg(), target(at));
      case Format::Jal:
        return encode_j(destination(), target(at));
      case Format::Jalr:
        return encode_i(row.op, destination(), kCodeBase,
                        static_cast<i32>(below(kCodeWords) * 4) - 192 + (below(64) == 0 ? 2 : 0));
      case Format::Load:
      case Format::FpLoad:
        return encode_i(row.op, destination(), base(), offset());
      case Format::Store:
      case Format::FpStore:
        return encode_s(row.op, reg(), base(), offset());
      case Format::Amo:
        return encode_r(row.op, destination(), kDataBase, reg());
      case Format::Csr:
      case Format::CsrImm:
        return encode_csr(row.op, destination(), csr(), below(32));
      case Format::System:
        return below(8) == 0 ? match_of(row.op) : encode_i(Op::addi, destination(), reg(), 1);
      case Format::Vector:
        return below(4) != 0 ? encode_i(Op::lw, destination(), kDataBase, 16)
                             : random_word(row.encoding, random_);
      case Format::Ttinsn:
        return random_word(row.encoding, random_);
      default:
        return with_destination(random_word(row.encoding, random_));
    }
  }

 private:
  u32 reg() { return below(4) == 0 ? below(32) : 5 + below(12); }
  u32 destination() { return below(16) == 0 ? 0 : 5 + below(12); }
  u32 base() {
    const u32 kind = below(16);
    if (kind < 8) return kDataBase;
    if (kind < 13) return kLocalBase;
    if (kind == 13) return kCodeBase;
    return kind == 14 ? u32{kDeviceBase} : reg();
  }
  i32 offset() {
    const u32 any = below(512) * 4;
    return static_cast<i32>(below(24) == 0 ? any + below(4) : any) - 1024;
  }
  i32 target(std::size_t at) {
    return (static_cast<i32>(below(kCodeWords)) - static_cast<i32>(at)) * 4;
  }
  u32 csr() {
    static constexpr u32 kNumbers[] = {0x003, 0x7C0, 0xB00, 0xB02, 0xC00, 0xC02, 0xBC0, 0x123};
    return kNumbers[below(std::size(kNumbers))];
  }
  u32 with_destination(u32 word) {
    // Registers of floats may be any; those of integers keep the bases as they are.
    return (word & ~0xF80u) | destination() << 7;
  }

  std::mt19937_64 random_;
};

/// One core, its memory and its bus; with translations or without.
struct Machine {
  Machine(CoreId id, const jit::Options* options)
      : Machine(id, options == nullptr ? nullptr : jit::CodeCache::create(*options)) {}
  Machine(CoreId id, const std::shared_ptr<jit::CodeCache>& cache)
      : bus(memory, ldm_size_of(id)), local_bytes(ldm_size_of(id)) {
    core.id = id;
    core.reset(kCode);
    bus.devices[kDevice] = 42;
    bus.devices[kDevice + 64] = 43;
    if (cache == nullptr) return;
    translations = std::make_unique<jit::Translations>(cache, kL1Size);
    memory.translations = translations.get();
    context = jit::context_of(core, bus);
  }
  Outcome run_to(Cycle until) {
    bus.attention = false;
    if (translations == nullptr) return riscv::run(core, bus, until);
    return jit::run<FlatBus>(context, *translations, until);
  }

  FlatMemory memory;
  FlatBus bus;
  CoreState core;
  u32 local_bytes;
  std::unique_ptr<jit::Translations> translations;
  jit::Context context;
};

bool agree(const Machine& a, const Machine& b) {
  const auto same_words = [](const auto& left, const auto& right, std::size_t count) {
    return std::equal(left.begin(), left.begin() + static_cast<long>(count), right.begin());
  };
  EXPECT_EQ(a.core.pc, b.core.pc);
  EXPECT_EQ(a.core.cycle, b.core.cycle);
  EXPECT_EQ(a.core.instret, b.core.instret);
  EXPECT_EQ(a.core.csr.fcsr, b.core.csr.fcsr);
  EXPECT_EQ(a.core.csr.cfg0, b.core.csr.cfg0);
  EXPECT_TRUE(same_words(a.core.x, b.core.x, 32));
  EXPECT_TRUE(same_words(a.core.f, b.core.f, 32));
  EXPECT_TRUE(same_words(a.core.ldm, b.core.ldm, a.local_bytes));
  EXPECT_EQ(a.bus.pushed, b.bus.pushed);
  EXPECT_EQ(a.bus.devices, b.bus.devices);
  EXPECT_EQ(a.bus.pauses, b.bus.pauses);
  EXPECT_EQ(a.bus.faults.size(), b.bus.faults.size());
  const std::size_t last = std::min(a.bus.faults.size(), b.bus.faults.size());
  if (last != 0) {
    EXPECT_EQ(a.bus.faults[last - 1].text, b.bus.faults[last - 1].text);
    EXPECT_EQ(a.bus.faults[last - 1].pc, b.bus.faults[last - 1].pc);
  }
  EXPECT_EQ(std::memcmp(a.memory.l1.data(), b.memory.l1.data(), 0x10000), 0);
  return !testing::Test::HasFailure();
}

void start(Machine& machine, const std::vector<u32>& words, u64 seed) {
  std::mt19937 values(static_cast<u32>(seed));
  machine.memory.write_words(kCode, words);
  for (u32 i = 0; i < 1024; ++i) machine.memory.write32(kData - 2048 + i * 4, values());
  for (u32 i = 0; i < 2048; ++i) machine.core.ldm[i] = static_cast<u8>(values());
  for (u32 reg = 1; reg < 32; ++reg)
    machine.core.x[reg] = values() % 4 == 0 ? values() % 64 : values();
  for (u32 reg = 0; reg < 32; ++reg) machine.core.f[reg] = values();
  machine.core.x[kDataBase] = kData;
  machine.core.x[kLocalBase] = kLdmBase + 1024;
  machine.core.x[kCodeBase] = kCode + 192;
  machine.core.x[kDeviceBase] = kDevice;
}

void compare_random_program(u64 seed, u32 threshold) {
  RandomCode code(seed);
  static constexpr CoreId kIds[] = {CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc2};
  const CoreId id = kIds[seed % std::size(kIds)];
  const jit::Options options{true, threshold, 1 << 20};
  const auto plain = std::make_unique<Machine>(id, nullptr);
  const auto translated = std::make_unique<Machine>(id, &options);
  const std::vector<u32> words = code.program();
  for (Machine* machine : {plain.get(), translated.get()}) {
    start(*machine, words, seed);
    machine->bus.tolerant = seed % 4 != 0;
    machine->bus.attention_on_device = seed % 3 == 0;
  }
  for (u32 slice = 0; slice < 120; ++slice) {
    const Cycle until = plain->core.cycle + 1 + code.below(slice % 2 == 0 ? 40 : 400);
    const Outcome expected = plain->run_to(until);
    ASSERT_EQ(translated->run_to(until), expected) << "seed " << seed << ", slice " << slice;
    ASSERT_TRUE(agree(*plain, *translated)) << "seed " << seed << ", slice " << slice;
    const Outcome device = code.below(8) == 0 ? Outcome::Blocked : Outcome::Ok;
    const u32 word = code.instruction(code.below(kCodeWords));
    const u32 at = kCode + code.below(kCodeWords) * 4;
    for (Machine* machine : {plain.get(), translated.get()}) {
      machine->bus.device_outcome = machine->bus.push_outcome = device;
      if (expected == Outcome::Stop) machine->core.pc = kCode + slice % kCodeWords * 4;
      if (expected == Outcome::Blocked) machine->core.cycle = until;
      // Somebody else writes into the code, now and then.
      if (slice % 16 == 15) machine->memory.write32(at, word);
    }
  }
}

/// Rows of `.ttinsn`, up to `longest` of them, between other instructions, for ever.
std::vector<u32> pushing_program(RandomCode& code, u32 longest) {
  std::vector<u32> words;
  while (words.size() < kCodeWords - longest - 2) {
    for (u32 left = 1 + code.below(longest); left != 0; --left)
      words.push_back(code.any() << 2 | code.below(3));
    words.push_back(encode_i(Op::addi, 5, 5, 1));
  }
  words.push_back(encode_j(0, -4 * static_cast<i32>(words.size())));
  return words;
}

TEST(TranslatedPushes, come_in_order_however_many_the_bus_takes_at_once) {
  const jit::Options options{true, 1, 1 << 20};
  for (u32 at_once = 0; at_once < 9 && !HasFailure(); ++at_once) {
    RandomCode code(at_once);
    const auto plain = std::make_unique<Machine>(CoreId::Trisc1, nullptr);
    const auto translated = std::make_unique<Machine>(CoreId::Trisc1, &options);
    const std::vector<u32> words = pushing_program(code, 1 + 3 * at_once);
    for (Machine* machine : {plain.get(), translated.get()}) start(*machine, words, at_once);
    translated->bus.at_once = at_once;
    for (u32 slice = 0; slice < 200; ++slice) {
      const Cycle until = plain->core.cycle + 1 + code.below(80);
      const Outcome expected = plain->run_to(until);
      ASSERT_EQ(translated->run_to(until), expected) << at_once << ", slice " << slice;
      ASSERT_TRUE(agree(*plain, *translated)) << at_once << ", slice " << slice;
      const Outcome outcome = code.below(8) == 0 ? Outcome::Blocked : Outcome::Ok;
      for (Machine* machine : {plain.get(), translated.get()}) {
        machine->bus.push_outcome = outcome;
        if (expected == Outcome::Blocked) machine->core.cycle = until;
      }
    }
    EXPECT_GT(plain->bus.pushed.size(), 1000u);
  }
}

class TranslatedPrograms : public testing::TestWithParam<u32> {};

TEST_P(TranslatedPrograms, do_what_interpreted_ones_do_in_slices_of_any_length) {
  for (u64 round = 0; round < test::rounds(40) && !HasFailure(); ++round)
    compare_random_program(test::seed(round), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Threshold, TranslatedPrograms, testing::Values(0u, 1u, 5u));

bool goes_straight_on(u32 word) {
  switch (row_of(static_cast<Op>(decode(word, kCode).op)).format) {
    case Format::Upper:
    case Format::UpperPc:
    case Format::Imm:
    case Format::Reg:
    case Format::Shift:
    case Format::Unary:
    case Format::Load:
    case Format::Store:
    case Format::FpLoad:
    case Format::FpStore:
      return true;
    default:
      return false;
  }
}

/// Loops of `length` and more instructions without a jump between, each gone round some times.
std::vector<u32> looping_program(RandomCode& code, u32 length) {
  std::vector<u32> words;
  while (words.size() < 80) {
    words.push_back(encode_i(Op::addi, kCounter, 0, static_cast<i32>(1 + code.below(20))));
    const std::size_t begin = words.size();
    while (words.size() < begin + length) {
      const u32 word = code.instruction(words.size());
      if (goes_straight_on(word)) words.push_back(word);
    }
    words.push_back(encode_i(Op::addi, kCounter, kCounter, -1));
    words.push_back(encode_b(Op::bne, kCounter, 0, 4 * static_cast<i32>(begin - words.size())));
  }
  words.push_back(encode_j(0, -4 * static_cast<i32>(words.size())));
  return words;
}

TEST(TranslatedLoops, do_what_interpreted_ones_do_in_slices_of_any_length) {
  for (u64 round = 0; round < test::rounds(60) && !HasFailure(); ++round) {
    const u64 seed = test::seed(round);
    RandomCode code(seed);
    const jit::Options options{true, static_cast<u32>(seed % 3), 1 << 20};
    const auto plain = std::make_unique<Machine>(CoreId::Brisc, nullptr);
    const auto translated = std::make_unique<Machine>(CoreId::Brisc, &options);
    const std::vector<u32> words = looping_program(code, static_cast<u32>(seed % 12));
    for (Machine* machine : {plain.get(), translated.get()}) {
      start(*machine, words, seed);
      machine->bus.tolerant = true;
    }
    for (u32 slice = 0; slice < 200; ++slice) {
      const Cycle until = plain->core.cycle + 1 + code.below(90);
      const Outcome expected = plain->run_to(until);
      ASSERT_EQ(translated->run_to(until), expected) << "seed " << seed << ", slice " << slice;
      ASSERT_TRUE(agree(*plain, *translated)) << "seed " << seed << ", slice " << slice;
    }
  }
}

constexpr u32 kOther = kCode + 0x40;  // beside kCode, in another line

/// Counts in x5, or in x6, for ever.
void load_loops(Machine& machine) {
  machine.memory.write_words(kCode, {encode_i(Op::addi, 5, 5, 1), encode_j(0, -4)});
  machine.memory.write_words(kOther, {encode_i(Op::addi, 6, 6, 1), encode_j(0, -4)});
}

void run_from(Machine& machine, u32 pc, Cycle cycles) {
  machine.core.pc = pc;
  machine.run_to(machine.core.cycle + cycles);
}

bool is_translated(const Machine& machine, u32 pc) {
  return (machine.translations->at(pc) & jit::kCompiled) != 0;
}

constexpr jit::Options kFifth{true, 5, 1 << 20};

TEST(Translations, a_write_drops_only_what_was_made_from_its_words) {
  if (jit::CodeCache::create(kFifth) == nullptr) GTEST_SKIP() << "nothing is translated here";
  const auto machine = std::make_unique<Machine>(CoreId::Brisc, &kFifth);
  load_loops(*machine);
  run_from(*machine, kCode, 2000);
  run_from(*machine, kOther, 2000);
  ASSERT_TRUE(is_translated(*machine, kCode));
  ASSERT_TRUE(is_translated(*machine, kOther));
  machine->memory.write32(kOther, encode_i(Op::addi, 7, 7, 1));
  EXPECT_TRUE(is_translated(*machine, kCode));
  EXPECT_FALSE(is_translated(*machine, kOther));
  run_from(*machine, kOther, 100);
  EXPECT_EQ(machine->core.x[7], 50u);
}

TEST(Translations, a_loop_is_one_block_wherever_in_it_the_core_was_found) {
  if (jit::CodeCache::create(kFifth) == nullptr) GTEST_SKIP() << "nothing is translated here";
  const auto machine = std::make_unique<Machine>(CoreId::Brisc, &kFifth);
  std::vector<u32> words(9, encode_i(Op::addi, 5, 5, 1));
  words.push_back(encode_j(0, -36));
  machine->memory.write_words(kCode, words);
  // Its turns end at the fourth instruction first.
  run_from(*machine, kCode, 3);
  for (unsigned turn = 0; turn < 20; ++turn) machine->run_to(machine->core.cycle + 64 * 10);
  EXPECT_TRUE(is_translated(*machine, kCode));
  for (u32 pc = kCode + 4; pc < kCode + 40; pc += 4)
    EXPECT_EQ(machine->translations->at(pc) & ~jit::kOffsetMask, jit::kCovered) << pc;
  EXPECT_EQ(machine->core.x[5], 3 + 20 * 64 * 9u);
}

TEST(Translations, a_long_loop_is_found_though_its_addresses_seldom_come_again) {
  const auto cache = jit::CodeCache::create(kFifth);
  if (cache == nullptr) GTEST_SKIP() << "nothing is translated here";
  const auto machine = std::make_unique<Machine>(CoreId::Brisc, cache);
  // The interpreter is asked every 64 instructions, and so comes to each of 641 once in 41 rounds.
  std::vector<u32> words(640, encode_i(Op::addi, 5, 5, 1));
  words.push_back(encode_j(0, -4 * 640));
  machine->memory.write_words(kCode, words);
  run_from(*machine, kCode, 641 * 20);
  EXPECT_GT(cache->translated(), 0u);
  EXPECT_EQ(machine->core.x[5], 640u * 20);
}

TEST(Translations, a_tile_has_what_another_has_translated_wherever_in_it_a_core_is_found) {
  const auto cache = jit::CodeCache::create(kFifth);
  if (cache == nullptr) GTEST_SKIP() << "nothing is translated here";
  const auto one = std::make_unique<Machine>(CoreId::Brisc, cache);
  const auto two = std::make_unique<Machine>(CoreId::Brisc, cache);
  for (Machine* machine : {one.get(), two.get()}) load_loops(*machine);
  run_from(*one, kCode, 2000);
  const u64 translated = cache->translated();
  ASSERT_GT(translated, 0u);
  run_from(*two, kCode + 4, 10);
  EXPECT_TRUE(is_translated(*two, kCode));
  EXPECT_EQ(cache->translated(), translated);
  EXPECT_EQ(two->core.x[5], 5u);
}

TEST(Translations, words_that_take_the_place_of_others_are_counted_from_the_beginning) {
  const auto cache = jit::CodeCache::create(kFifth);
  if (cache == nullptr) GTEST_SKIP() << "nothing is translated here";
  const auto machine = std::make_unique<Machine>(CoreId::Brisc, cache);
  load_loops(*machine);
  run_from(*machine, kCode, 2000);
  const u64 translated = cache->translated();
  ASSERT_GT(translated, 0u);
  machine->memory.write_words(kCode, {encode_i(Op::addi, 7, 7, 1), encode_j(0, -4)});
  run_from(*machine, kCode, 64 * 4);
  EXPECT_EQ(cache->translated(), translated);
  run_from(*machine, kCode, 2000);
  EXPECT_GT(cache->translated(), translated);
}

TEST(Translations, a_core_goes_on_where_its_time_was_over_unless_other_words_stand_there) {
  if (jit::CodeCache::create(kFifth) == nullptr) GTEST_SKIP() << "nothing is translated here";
  const auto machine = std::make_unique<Machine>(CoreId::Brisc, &kFifth);
  load_loops(*machine);
  run_from(*machine, kCode, 2000);
  ASSERT_TRUE(machine->translations->can_resume(machine->context, machine->core.pc));
  ASSERT_EQ(machine->core.pc, kCode);
  machine->memory.write32(kCode, encode_i(Op::addi, 5, 0, 7));
  EXPECT_FALSE(machine->translations->can_resume(machine->context, machine->core.pc));
  machine->run_to(machine->core.cycle + 1);
  EXPECT_EQ(machine->core.x[5], 7u);
}

TEST(Translations, what_one_tile_has_translated_another_has_from_its_first_visit_on) {
  const auto cache = jit::CodeCache::create(kFifth);
  if (cache == nullptr) GTEST_SKIP() << "nothing is translated here";
  const auto one = std::make_unique<Machine>(CoreId::Brisc, cache);
  const auto two = std::make_unique<Machine>(CoreId::Brisc, cache);
  for (Machine* machine : {one.get(), two.get()}) load_loops(*machine);
  run_from(*one, kCode, 2000);
  ASSERT_TRUE(is_translated(*one, kCode));
  const u64 translated = cache->translated();
  run_from(*two, kCode, 10);
  EXPECT_TRUE(is_translated(*two, kCode));
  EXPECT_EQ(two->core.x[5], 5u);
  // Not where other words stand.
  two->memory.write32(kCode, encode_i(Op::addi, 5, 5, 2));
  run_from(*two, kCode, 10);
  EXPECT_FALSE(is_translated(*two, kCode));
  EXPECT_EQ(cache->translated(), translated);
}

TEST(Translations, loops_at_round_addresses_that_take_turns_are_all_translated) {
  if (jit::CodeCache::create(kFifth) == nullptr) GTEST_SKIP() << "nothing is translated here";
  const auto machine = std::make_unique<Machine>(CoreId::Brisc, &kFifth);
  constexpr u32 kPrograms = 10;
  const auto address = [](u32 program) { return 0x4000 * (program + 1); };
  for (u32 program = 0; program < kPrograms; ++program)
    machine->memory.write_words(address(program), {encode_i(Op::addi, 5, 5, 1), encode_j(0, -4)});
  for (unsigned round = 0; round < 20; ++round)
    for (u32 program = 0; program < kPrograms; ++program) run_from(*machine, address(program), 40);
  for (u32 program = 0; program < kPrograms; ++program)
    EXPECT_TRUE(is_translated(*machine, address(program))) << program;
}

}  // namespace
}  // namespace bhemu::riscv
