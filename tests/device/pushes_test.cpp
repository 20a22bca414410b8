// Words for the coprocessor that translated code pushes arrive in the same cycle, and stop at the
// same full queue, as those of the interpreter: single ones, bundles and stores, of a thread that
// waits for long, and with MOPs that run ahead.
#include <gtest/gtest.h>

#include <vector>

#include "device/looks.hpp"
#include "support/assembler.hpp"
#include "tensix/isa.hpp"

namespace bhemu {
namespace {

using tensix::encode;
using test::Assembler;
namespace op = tensix::op;
using enum test::Reg;

constexpr Coord kTile{1, 2};
constexpr u32 kCode = 0x6000;
constexpr u32 kOtherCode = 0xA000;
constexpr u32 kRounds = 0x9000;
constexpr u32 kInstrnBuf = 0xFFE40000;
constexpr u32 kSemaphores = 0xFFE80020;
constexpr u32 kMopConfig = 0xFFB80000;

u32 wait_for_semaphore() {
  return encode<op::SEMWAIT>({{"stall_res", 0x1FF}, {"wait_sem_cond", 1}, {"sem_sel", 1}});
}

/// Rounds of `bundle` pushed words in a row, `apart` stores of others, a wait that another core
/// ends, and a MOP of SETRWCs.
std::vector<u32> pusher(u32 bundle, u32 apart) {
  Assembler a(kCode);
  a.li(s0, kInstrnBuf);
  a.li(s1, kRounds);
  a.li(s3, kMopConfig);
  const u32 setrwc = encode<op::SETRWC>({{"bit_mask", 1}, {"rwc_a", 3}});
  const std::array<u32, 9> mop{2,
                               5,
                               encode<op::NOP>(),
                               encode<op::NOP>(),
                               encode<op::NOP>(),
                               setrwc,
                               encode<op::NOP>(),
                               setrwc,
                               setrwc};
  for (u32 i = 0; i < mop.size(); ++i) {
    a.li(t0, mop[i]);
    a.sw(t0, static_cast<i32>(4 * i), s3);
  }
  a.label("round");
  a.ttinsn(wait_for_semaphore());
  for (u32 i = 0; i < bundle; ++i) a.ttinsn(encode<op::DMANOP>());
  a.ttinsn(encode<op::MOP>({{"mop_type", 1}}));
  a.ttinsn(encode<op::SEMGET>({{"sem_sel", 1}}));
  for (u32 i = 0; i < apart; ++i) {
    a.li(t1, setrwc + i);
    a.sw(t1, 0, s0);
  }
  a.addi(s2, s2, 1);
  a.sw(s2, 0, s1);
  a.j("round");
  return a.finish();
}

/// Posts the semaphore now and then.
std::vector<u32> poster() {
  Assembler a(kOtherCode);
  a.li(s0, kSemaphores);
  a.label("post");
  a.sw(zero, 0, s0);
  a.li(t0, 90);
  a.label("wait");
  a.addi(t0, t0, -1);
  a.bne(t0, zero, "wait");
  a.j("post");
  return a.finish();
}

std::vector<test::Look> run(u32 bundle, u32 apart, bool parking, riscv::jit::Options jit) {
  DeviceOptions options;
  options.parking = parking;
  options.jit = jit;
  Device device(options);
  const auto load = [&](u32 at, const std::vector<u32>& words) {
    device.write(kTile, at, {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
  };
  load(kCode, pusher(bundle, apart));
  load(kOtherCode, poster());
  constexpr u32 kAll = 0x47800;  // SOFT_RESET_0: every core
  device.write32(kTile, 0xFFB121B0, kAll & ~(3u << 12));
  const std::vector<test::Look> looks = test::looks_at(device, kTile, CoreId::Trisc0, 60);
  u32 rounds = 0;
  EXPECT_TRUE(device.read32(kTile, kRounds, rounds));
  EXPECT_GT(rounds, 5u) << "it does go on";
  EXPECT_GT(device.totals().tensix_instructions, 100u);
  return looks;
}

TEST(Pushes, of_translated_code_come_when_the_interpreters_do) {
  for (const u32 bundle : {1u, 3u, 4u, 9u, 30u})
    for (const u32 apart : {0u, 1u, 7u, 29u}) {
      const auto expected = run(bundle, apart, false, riscv::jit::Options{.enabled = false});
      for (const u32 threshold : {0u, 3u})
        EXPECT_EQ(run(bundle, apart, true, riscv::jit::Options{.threshold = threshold}), expected)
            << bundle << " " << apart << " " << threshold;
    }
}

}  // namespace
}  // namespace bhemu
