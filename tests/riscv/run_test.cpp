// The engine around the instructions: budgets, invalidation, attention, recording.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../../bench/riscv_kernel.hpp"
#include "riscv/guest.hpp"
#include "support/rounds.hpp"

namespace bhemu::riscv {
namespace {

TEST(Run, stops_after_exactly_the_budget_in_any_slicing) {
  for (const u64 slice : {1u, 2u, 3u, 7u, 1000u}) {
    Guest guest;
    // Four instructions a round, with a branch, a load and a CSR access in it.
    guest.load({encode_i(Op::addi, 10, 10, 1), encode_i(Op::lw, 11, 0, 0x700),
                encode_csr(Op::csrrs, 12, 0xC00, 0), encode_b(Op::beq, 0, 0, -12)});
    u64 executed = 0;
    while (executed < 1000) {
      const u64 count = std::min<u64>(slice, 1000 - executed);
      EXPECT_EQ(guest.steps(count), Outcome::Ok);
      executed += count;
      ASSERT_EQ(guest.core.cycle, executed);
      ASSERT_EQ(guest.core.instret, executed);
    }
    EXPECT_EQ(guest.core.x[10], 250u);
    EXPECT_EQ(guest.core.pc, 0x1000u);
  }
}

TEST(Run, does_nothing_when_the_time_has_come) {
  Guest guest;
  guest.load({0xFFFFFFFF});
  guest.core.cycle = 5;
  EXPECT_EQ(run(guest.core, guest.bus, 5), Outcome::Ok);
  EXPECT_EQ(run(guest.core, guest.bus, 4), Outcome::Ok);
  EXPECT_EQ(guest.core.cycle, 5u);
}

TEST(Run, code_rewritten_by_the_core_itself_is_decoded_again) {
  Guest guest;
  // Executes addi a0, 1; overwrites it with addi a0, 16; loops once more.
  guest.core.x[11] = 0x1000;
  guest.core.x[12] = encode_i(Op::addi, 10, 10, 16);
  guest.load({encode_i(Op::addi, 10, 10, 1), encode_s(Op::sw, 12, 11, 0), encode_j(0, -8)});
  EXPECT_EQ(guest.steps(7), Outcome::Ok);
  EXPECT_EQ(guest.core.x[10], 1u + 16 + 16);
  EXPECT_GT(guest.memory.dropped_lines, 0u);
}

TEST(Run, a_byte_store_into_the_very_next_instruction_is_seen) {
  Guest guest;
  guest.load(
      {encode_i(Op::addi, 0, 0, 0), encode_s(Op::sb, 12, 11, 0), encode_i(Op::addi, 10, 0, 1)});
  guest.steps(3);  // decoded now
  EXPECT_EQ(guest.core.x[10], 1u);
  guest.core.pc = 0x1000;
  guest.core.x[11] = 0x1008 + 3;
  guest.core.x[12] = 0x7F;  // the immediate's upper bits
  EXPECT_EQ(guest.steps(3), Outcome::Ok);
  EXPECT_EQ(guest.core.x[10], 0x7F1u);
}

TEST(Run, code_rewritten_by_another_writer_is_decoded_again) {
  Guest guest;
  guest.load({encode_i(Op::addi, 10, 0, 1), encode_j(0, -4)});
  guest.steps(10);
  EXPECT_EQ(guest.core.x[10], 1u);
  guest.memory.write32(0x1000, encode_i(Op::addi, 10, 0, 2));
  guest.steps(2);
  EXPECT_EQ(guest.core.x[10], 2u);
}

TEST(Run, atomics_and_vector_stores_also_drop_code) {
  Guest guest(CoreId::Trisc2);
  const u32 target = encode_i(Op::addi, 10, 0, 1);
  guest.memory.write32(0x2000, target);
  guest.memory.write32(0x2004, encode_i(Op::jalr, 0, 1, 0));
  const auto call = [&] {
    guest.core.x[1] = 0x1000;
    guest.core.pc = 0x2000;
    guest.steps(2);
    return guest.core.x[10];
  };
  EXPECT_EQ(call(), 1u);
  guest.core.x[5] = 0x2000;
  guest.core.x[6] = 1 << 20;
  guest.execute({encode_r(Op::amoadd_w, 0, 5, 6)});
  EXPECT_EQ(call(), 2u);
  const u32 word = encode_i(Op::addi, 10, 0, 3);
  std::memcpy(guest.core.v.reg[3].data(), &word, 4);
  guest.core.pc = 0x1000;
  guest.execute({0xC100F057, 0x020281A7 | 3u << 7});  // vsetivli zero, 1, e32 ...; vse
  guest.core.pc = 0x1000;
  guest.bus.faults.clear();
  EXPECT_EQ(guest.execute({0xC100F057, 0x0202E1A7}), Outcome::Ok);
  EXPECT_EQ(call(), 3u);
}

TEST(Run, one_decoded_word_serves_different_cores) {
  FlatMemory memory;
  memory.write_words(0x1000, {ttinsn_of(0x02000000)});
  FlatBus trisc_bus(memory, 0x1000);
  FlatBus ncrisc_bus(memory, 0x2000);
  CoreState trisc, ncrisc;
  trisc.id = CoreId::Trisc2;
  ncrisc.id = CoreId::Ncrisc;
  trisc.reset(0x1000);
  ncrisc.reset(0x1000);
  EXPECT_EQ(run(trisc, trisc_bus, 1), Outcome::Ok);
  EXPECT_EQ(run(ncrisc, ncrisc_bus, 1), Outcome::Stop);
}

TEST(Run, attention_ends_the_run_after_the_instruction) {
  Guest guest;
  guest.bus.devices[0xFFB12000] = 42;
  guest.bus.attention_on_device = true;
  guest.core.x[11] = 0xFFB12000;
  guest.load({encode_i(Op::lw, 10, 11, 0), encode_i(Op::addi, 10, 10, 1)});
  EXPECT_EQ(guest.steps(2), Outcome::Ok);
  EXPECT_EQ(guest.core.x[10], 42u);
  EXPECT_EQ(guest.core.cycle, 1u);
  EXPECT_EQ(guest.core.pc, 0x1004u);
}

TEST(Run, a_blocked_load_leaves_everything_and_can_be_tried_again) {
  Guest guest;
  guest.bus.devices[0xFFEC0000] = 7;
  guest.bus.device_outcome = Outcome::Blocked;
  guest.core.x[11] = 0xFFEC0000;
  guest.load({encode_i(Op::addi, 12, 0, 1), encode_i(Op::lw, 11, 11, 0)});
  EXPECT_EQ(guest.steps(5), Outcome::Blocked);
  EXPECT_EQ(guest.core.pc, 0x1004u);
  EXPECT_EQ(guest.core.cycle, 1u);
  EXPECT_EQ(guest.core.x[11], 0xFFEC0000);
  guest.core.cycle = 50;  // the tile's clock went on
  guest.bus.device_outcome = Outcome::Ok;
  EXPECT_EQ(run(guest.core, guest.bus, 51), Outcome::Ok);
  EXPECT_EQ(guest.core.x[11], 7u);
  EXPECT_EQ(guest.core.instret, 2u);
}

/// Runs of `sw` of x0 to words that follow one another, as compilers unroll them, and others that
/// only look like it: forty instructions.
std::vector<u32> clearing_program(std::mt19937& random) {
  const auto below = [&random](u32 most) { return random() % most; };
  std::vector<u32> words;
  while (words.size() < 40) {
    const u32 base = 10 + below(4);
    i32 at = static_cast<i32>(4 * below(12)) - 24 + (below(12) == 0 ? 2 : 0);
    const i32 step = below(2) == 0 ? 4 : -4;
    const u32 count = 1 + below(7);
    for (u32 i = 0; i < count; ++i) {
      const bool odd = below(12) == 0;
      const u32 kind = below(3);
      words.push_back(encode_s(odd && kind == 0 ? Op::sh : Op::sw, odd && kind == 1 ? 14 : 0,
                               odd && kind == 2 ? 10 + below(4) : base, at));
      at += step;
    }
    if (below(3) == 0)
      words.push_back(encode_i(Op::addi, base, base, static_cast<i32>(4 * below(5)) - 8));
  }
  words.resize(40);
  return words;
}

TEST(Run, words_that_are_cleared_one_after_the_other_are_what_they_are_one_by_one) {
  const u64 draws = test::rounds(1000);
  for (u64 draw = 0; draw < draws; ++draw) {
    std::mt19937 random(static_cast<u32>(test::seed(draw)));
    Guest whole, single;
    const std::vector<u32> program = clearing_program(random);
    const std::array<u32, 4> bases{kLdmBase + 64 + 4 * static_cast<u32>(random() % 16),
                                   kLdmBase + 4 * static_cast<u32>(random() % 4),
                                   kLdmBase + 0x2000 - 4 * static_cast<u32>(random() % 8), 0x8000};
    for (Guest* guest : {&whole, &single}) {
      guest->load(program);
      guest->core.ldm.fill(0xA5);
      for (u32 i = 0; i < 64; ++i) guest->memory.l1[0x8000 - 32 + i] = 0x5A;
      for (u32 i = 0; i < 4; ++i) guest->core.x[10 + i] = bases[i];
      guest->core.x[14] = 0x12345678;
      guest->core.pc = 0x1000 + 4 * static_cast<u32>(draw % 5);
    }
    Outcome outcome = Outcome::Ok;
    for (u64 done = 0; done < 30 && outcome == Outcome::Ok;) {
      const u64 count = 1 + random() % 9;
      outcome = whole.steps(count);
      done += count;
      const u64 executed = whole.core.cycle;
      while (single.core.cycle < executed) ASSERT_EQ(single.steps(1), Outcome::Ok) << draw;
      if (outcome != Outcome::Ok) {
        EXPECT_EQ(single.steps(1), outcome) << draw;
      }
      ASSERT_EQ(whole.core.pc, single.core.pc) << draw;
      ASSERT_EQ(whole.core.instret, single.core.instret) << draw;
      ASSERT_EQ(whole.core.x, single.core.x) << draw;
      ASSERT_EQ(whole.core.ldm, single.core.ldm) << draw;
      ASSERT_TRUE(std::equal(whole.memory.l1.begin() + 0x7C00, whole.memory.l1.begin() + 0x8400,
                             single.memory.l1.begin() + 0x7C00))
          << draw;
    }
  }
}

TEST(Run, local_memory_is_private_and_as_large_as_the_core_has_it) {
  Guest guest(CoreId::Ncrisc);
  guest.core.x[10] = kLdmBase + 0x1FFC;
  guest.core.x[11] = 0x12345678;
  EXPECT_EQ(guest.execute({encode_s(Op::sw, 11, 10, 0), encode_i(Op::lhu, 12, 10, 2)}),
            Outcome::Ok);
  EXPECT_EQ(guest.core.x[12], 0x1234u);
  EXPECT_EQ(guest.core.ldm[0x1FFC], 0x78);
}

TEST(Run, reset_clears_registers_and_local_memory_and_keeps_the_time) {
  for (const CoreId id : {CoreId::Brisc, CoreId::Trisc0}) {
    CoreState core;
    core.id = id;
    core.cycle = 100;
    core.instret = 50;
    core.x[5] = 1;
    core.ldm[3] = 4;
    core.ldm_is_zero = false;
    core.reset(0x400);
    for (u32 i = 0; i < 32; ++i) EXPECT_EQ(core.x[i], 0u) << "x" << i;
    EXPECT_EQ(core.ldm[3], 0);
    EXPECT_EQ(core.pc, 0x400u);
    EXPECT_EQ(core.cycle, 100u);
  }
}

TEST(Recording, notes_loads_of_l1_and_says_what_is_impure) {
  const auto impurity = [](std::vector<u32> words) {
    RecordingGuest guest(CoreId::Trisc0);
    guest.core.x[10] = 0x2000;
    guest.core.x[11] = kLdmBase;
    guest.core.x[12] = 5;
    guest.execute(words);
    return guest.bus.impure;
  };
  EXPECT_EQ(impurity({encode_i(Op::lw, 5, 10, 0), encode_i(Op::lb, 5, 11, 0), match_of(Op::fence),
                      encode_csr(Op::csrrs, 5, 0x7C0, 0), encode_i(Op::addi, 6, 5, 1)}),
            0u);
  EXPECT_EQ(impurity({encode_s(Op::sw, 0, 11, 0)}), 0u);  // local memory, the same value
  EXPECT_EQ(impurity({encode_s(Op::sw, 12, 11, 0)}), 1u);
  EXPECT_GE(impurity({encode_s(Op::sw, 0, 10, 0)}), 1u);
  for (const u32 clock : {0xC00u, 0xB02u}) {  // told of apart
    RecordingGuest reader;
    EXPECT_EQ(reader.execute({encode_csr(Op::csrrs, 5, clock, 0)}), Outcome::Ok);
    EXPECT_EQ(reader.bus.clock_looks, 1u);
    EXPECT_EQ(reader.bus.impure, 0u);
  }
  EXPECT_GE(impurity({encode_csr(Op::csrrwi, 5, 0x7C3, 1)}), 1u);
  EXPECT_GE(impurity({ttinsn_of(0x02000000)}), 1u);
  EXPECT_EQ(impurity({encode_r(Op::amoor_w, 5, 10, 0)}), 0u);  // polling by atomic
  EXPECT_GE(impurity({encode_r(Op::amoadd_w, 5, 10, 12)}), 1u);

  RecordingGuest guest;
  guest.core.x[10] = 0x2000;
  guest.execute({encode_i(Op::lh, 5, 10, 2), encode_r(Op::amoor_w, 5, 10, 0)});
  const std::vector<std::pair<u32, u32>> expected = {{0x2002, 2}, {0x2000, 4}};
  EXPECT_EQ(guest.bus.loads, expected);
}

template <class GuestType>
void run_kernel(GuestType& guest, u64 quantum) {
  guest.memory.write(0, kIntegerKernel, sizeof kIntegerKernel);
  guest.memory.write32(kIntegerKernelReturn, match_of(Op::ebreak));
  guest.core.pc = 0;
  guest.core.x[1] = kIntegerKernelReturn;
  guest.core.x[2] = kLdmBase + 0x1FF0;
  guest.core.x[10] = 1;
  while (guest.steps(quantum) == Outcome::Ok) {
  }
}

TEST(Recording, fast_and_recording_runs_end_in_the_same_state) {
  Guest fast;
  run_kernel(fast, 1 << 30);
  EXPECT_EQ(fast.core.x[10], kIntegerKernelChecksum);
  for (const u64 quantum : {17u, 1u << 20}) {
    Guest sliced;
    RecordingGuest recording;
    run_kernel(sliced, quantum);
    run_kernel(recording, quantum);
    EXPECT_EQ(fast.core.x, sliced.core.x);
    EXPECT_EQ(fast.core.x, recording.core.x);
    EXPECT_EQ(fast.core.cycle, recording.core.cycle);
    EXPECT_EQ(fast.core.instret, sliced.core.instret);
    EXPECT_EQ(fast.core.ldm, recording.core.ldm);
    EXPECT_EQ(fast.memory.l1, recording.memory.l1);
    EXPECT_EQ(fast.memory.l1, sliced.memory.l1);
  }
}

}  // namespace
}  // namespace bhemu::riscv
