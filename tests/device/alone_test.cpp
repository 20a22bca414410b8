// A core that is alone in its tile has long turns, in which rounds of its waiting loops are left
// out. Nothing that anybody can look at may tell: every cycle at which the host looks in is the
// same as in a run that executes everything.
#include <gtest/gtest.h>

#include <vector>

#include "device/looks.hpp"
#include "support/assembler.hpp"

namespace bhemu {
namespace {

using test::Assembler;
using enum test::Reg;

constexpr Coord kTile{1, 2};

enum class Loop { Pure, OfWords, Counting, Storing, WithClock };

/// Reads from DRAM again and again; between asking and looking, a loop with `padding` more
/// instructions.
std::vector<u32> program(Loop loop, u32 padding) {
  constexpr u32 kMcycle = 0xB0002573;  // csrr a0, mcycle
  Assembler a;
  a.li(s0, 0xFFB20000);
  a.li(s4, 0x30000);
  const auto set = [&](i32 offset, u32 value) {
    a.li(t0, value);
    a.sw(t0, offset, s0);
  };
  set(0x00, 0);
  set(0x04, 0);
  set(0x08, 17 | 12 << 6);
  set(0x0C, 0x20000);
  set(0x10, 0);
  set(0x14, kTile.x | u32{kTile.y} << 6);
  set(0x1C, 0x2090);
  set(0x20, 64);
  a.li(s1, 0);
  a.label("again");
  set(0x40, 1);
  a.addi(s2, s2, 1);
  a.label("answer");
  for (u32 i = 0; i < padding; ++i) a.addi(t1, s2, static_cast<i32>(i));
  if (loop == Loop::OfWords) a.lw(t2, 0, s4);
  if (loop == Loop::Counting) a.addi(s5, s5, 1);
  if (loop == Loop::Storing) a.sw(s2, 0, s4);
  if (loop == Loop::WithClock) a.word(kMcycle);
  a.lw(a1, 0x208, s0);
  a.bne(a1, s2, "answer");
  a.addi(s1, s1, 1);
  a.sw(s1, 4, s4);
  a.j("again");
  return a.finish();
}

std::vector<test::Look> run(Loop loop, u32 padding, bool parking, riscv::jit::Options jit) {
  DeviceOptions options;
  options.parking = parking;
  options.jit = jit;
  Device device(options);
  const std::vector<u32> words = program(loop, padding);
  device.write(kTile, 0, {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
  device.write32(kTile, 0xFFB121B0, 0x47000);
  return test::looks_at(device, kTile, CoreId::Brisc, 40);
}

TEST(CoreAlone, is_where_it_would_be_at_every_edge_though_rounds_of_its_loops_are_left_out) {
  for (const Loop loop :
       {Loop::Pure, Loop::OfWords, Loop::Counting, Loop::Storing, Loop::WithClock})
    for (const u32 padding : {0u, 1u, 4u, 11u, 29u, 50u}) {
      const auto expected = run(loop, padding, false, riscv::jit::Options{});
      EXPECT_EQ(run(loop, padding, true, riscv::jit::Options{}), expected)
          << static_cast<int>(loop) << " " << padding;
    }
}

}  // namespace
}  // namespace bhemu
