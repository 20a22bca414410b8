// What a core finds in its local memory (BabyRISCV/README.md, Local Data RAM) and its registers
// (SoftReset.md) when it leaves reset.
#include "tile/one_tile.hpp"

namespace bhemu::test {
namespace {

using enum Reg;

constexpr u32 kResult = 0x9000;
constexpr u32 kOwn = 0xFFB00000;     // local memory, as its core sees it
constexpr u32 kWindow = 0xFFB16000;  // NCRISC's, as others see it
constexpr u32 kDisableReset = 0xFFB12224;
constexpr u32 kNcrisc = 0x12000;

/// NCRISC: leaves what it finds at `offset` of its local memory, and writes there.
std::vector<u32> look_and_write(u32 offset) {
  Assembler a(kNcrisc);
  a.li(t0, kOwn + offset);
  a.lw(a0, 0, t0);
  a.sw(t0, 0, t0);
  a.li(t1, kResult);
  a.sw(a0, 0, t1);
  a.halt();
  return a.finish();
}

/// BRISC: writes into NCRISC's local memory.
std::vector<u32> write_beside(u32 offset) {
  Assembler a;
  a.li(t0, kWindow + offset);
  a.li(t1, 77);
  a.sw(t1, 0, t0);
  a.halt();
  return a.finish();
}

/// What NCRISC finds after `prepare`.
template <class Prepare>
u32 found_after(u32 offset, Prepare prepare) {
  OneTile chip;
  chip.load(kNcrisc, look_and_write(offset));
  chip.write(kResult, 1);
  prepare(chip);
  chip.start({CoreId::Ncrisc});
  chip.run();
  EXPECT_EQ(chip.read(kWindow + offset), kOwn + offset);
  return chip.read(kResult);
}

TEST(Reset, leaves_zeros_where_the_host_has_written_before_the_first_release) {
  for (const u32 offset : {0u, 0x100u, 0x1FFCu})
    EXPECT_EQ(found_after(offset, [&](OneTile& chip) { chip.write(kWindow + offset, 5); }), 0u);
}

TEST(Reset, leaves_zeros_where_another_core_has_written_before_the_first_release) {
  EXPECT_EQ(found_after(0x40,
                        [&](OneTile& chip) {
                          chip.load(0, write_beside(0x40));
                          chip.start({CoreId::Brisc});
                          chip.run();
                          EXPECT_EQ(chip.read(kWindow + 0x40), 77u);
                        }),
            0u);
}

TEST(Reset, leaves_zeros_where_a_debugger_has_written_before_the_first_release) {
  EXPECT_EQ(
      found_after(
          0x80,
          [&](OneTile& chip) {
            const u32 value = 9;
            chip.tile->poke(CoreId::Ncrisc, kOwn + 0x80, {reinterpret_cast<const u8*>(&value), 4});
          }),
      0u);
}

TEST(Reset, leaves_zeros_where_the_core_itself_has_written_before) {
  EXPECT_EQ(found_after(0x20,
                        [&](OneTile& chip) {
                          chip.start({CoreId::Ncrisc});
                          chip.run();
                          EXPECT_EQ(chip.read(kWindow + 0x20), kOwn + 0x20);
                          chip.start({});
                        }),
            0u);
}

TEST(Reset, keeps_local_memory_that_a_register_spares) {
  EXPECT_EQ(found_after(0x100,
                        [&](OneTile& chip) {
                          chip.write(kDisableReset, 1u << 8);
                          chip.write(kWindow + 0x100, 5);
                        }),
            5u);
}

/// NCRISC: leaves what it finds in a register, and writes there.
std::vector<u32> look_at_register() {
  Assembler a(kNcrisc);
  a.li(t1, kResult);
  a.sw(s4, 0, t1);
  a.li(s4, 7);
  a.halt();
  return a.finish();
}

TEST(Reset, clears_a_register_that_a_debugger_has_written_before_the_first_release) {
  OneTile chip;
  chip.load(kNcrisc, look_at_register());
  chip.write(kResult, 1);
  chip.tile->state_for_debugger(static_cast<unsigned>(CoreId::Ncrisc)).x[20] = 5;  // s4
  chip.start({CoreId::Ncrisc});
  chip.run();
  EXPECT_EQ(chip.read(kResult), 0u);
}

TEST(Reset, clears_a_register_that_the_core_itself_has_written_before) {
  OneTile chip;
  chip.load(kNcrisc, look_at_register());
  for (int round = 0; round < 3; ++round) {
    chip.write(kResult, 1);
    chip.start({CoreId::Ncrisc});
    chip.run();
    EXPECT_EQ(chip.read(kResult), 0u);
    EXPECT_EQ(chip.tile->core(CoreId::Ncrisc).x[20], 7u);
    chip.start({});
  }
}

}  // namespace
}  // namespace bhemu::test
