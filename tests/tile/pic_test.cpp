// Interrupts: jasondavies/tt-isa-documentation BlackholeA0/TensixTile/PIC.md.
#include "tile/one_tile.hpp"

namespace bhemu::test {
namespace {

constexpr u32 kPic = 0xFFB13000;
constexpr u32 kSwInt0 = kPic + 0x18;
constexpr u32 kSwPc0 = kPic + 0xA8;
constexpr u32 kHandler = 0x400;
constexpr u32 kLog = 0x10000;
constexpr u32 kMret = 0x30200073;

TEST(Pic, software_irq_reads_back_its_value_once) {
  OneTile chip;
  chip.write(kSwInt0 + 4 * 5, 0xABCD);
  EXPECT_EQ(chip.read(kSwInt0 + 4 * 5), 0xABCDu);
  EXPECT_EQ(chip.read(kSwInt0 + 4 * 5), 0u);
}

/// BRISC (or NCRISC) polls a word for ever; its handler appends INT_NO and the IRQ's value to a
/// log and returns.
void load_poller_with_handler(OneTile& chip, CoreId core, u32 source) {
  const bool ncrisc = core == CoreId::Ncrisc;
  const u32 base = ncrisc ? 0x3000 : 0;
  Assembler main(base);
  main.li(s0, 0x8000);
  main.li(s2, kLog);
  main.label("poll");
  main.lw(a0, 0, s0);
  main.beq(a0, zero, "poll");
  main.li(t6, 0xF000);
  main.sw(a0, 0, t6);
  main.halt();
  chip.load(base, main.finish());
  Assembler handler(kHandler);
  handler.li(t0, kPic + (ncrisc ? 0x14 : 0x08));
  handler.lw(t1, 0, t0);
  handler.sw(t1, 0, s2);
  handler.li(t0, kSwInt0 + 4 * source);
  handler.lw(t1, 0, t0);
  handler.sw(t1, 4, s2);
  handler.addi(s2, s2, 8);
  handler.word(kMret);
  chip.load(kHandler, handler.finish());
  chip.write(kSwPc0 + 4 * source, kHandler);
  chip.write(kPic + (ncrisc ? 0x0C : 0x00), 1u << source);
  if (ncrisc) chip.start_at(core, base);
  chip.start({core});
}

TEST(Pic, an_enabled_irq_interrupts_even_a_parked_core_and_mret_returns_to_it) {
  for (const CoreId core : {CoreId::Brisc, CoreId::Ncrisc}) {
    OneTile chip;
    load_poller_with_handler(chip, core, 7);
    EXPECT_EQ(chip.run(), sched::Stop::Idle);
    for (u32 round = 0; round < 3; ++round) {
      chip.write(kSwInt0 + 4 * 7, 100 + round);
      EXPECT_EQ(chip.run(), sched::Stop::Idle);
      EXPECT_EQ(chip.read(kLog + 8 * round), 7u);
      EXPECT_EQ(chip.read(kLog + 8 * round + 4), 100 + round);
    }
    chip.write(0x8000, 1);
    chip.run();
    EXPECT_EQ(chip.read(0xF000), 1u) << "the interrupted loop went on";
  }
}

TEST(Pic, an_irq_that_is_not_enabled_interrupts_nobody) {
  OneTile chip;
  load_poller_with_handler(chip, CoreId::Brisc, 7);
  chip.write(kSwInt0 + 4 * 8, 1);
  EXPECT_EQ(chip.run(), sched::Stop::Idle);
  EXPECT_EQ(chip.read(kLog + 4), 0u);
}

TEST(Pic, interrupts_come_at_the_same_cycle_with_and_without_parking) {
  std::vector<u64> hashes;
  for (const bool parking : {false, true}) {
    OneTile chip(32, parking);
    load_poller_with_handler(chip, CoreId::Brisc, 3);
    // NCRISC raises the IRQ now and then.
    Assembler raiser(0x3000);
    raiser.li(s0, kSwInt0 + 4 * 3);
    raiser.li(s1, 20);
    raiser.label("again");
    raiser.li(t0, 77);
    raiser.label("delay");
    raiser.addi(t0, t0, -1);
    raiser.bne(t0, zero, "delay");
    raiser.sw(s1, 0, s0);
    raiser.addi(s1, s1, -1);
    raiser.bne(s1, zero, "again");
    raiser.halt();
    chip.load(0x3000, raiser.finish());
    chip.start_at(CoreId::Ncrisc, 0x3000);
    chip.start({CoreId::Brisc, CoreId::Ncrisc});
    chip.engine->run(10'240, nullptr);
    chip.tile->settle(10'240);
    EXPECT_EQ(chip.read(kLog + 8 * 19 + 4), 1u);
    hashes.push_back(chip.tile->hash(0));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(Pic, the_number_of_the_interrupt_is_read_only) {
  OneTile chip;
  u32 value = 1;
  chip.tile->host_write(kPic + 8, {reinterpret_cast<const u8*>(&value), 4}, 0);
  ASSERT_EQ(chip.tile->faults().faults().size(), 1u);
  EXPECT_EQ(chip.tile->faults().faults()[0].rule, Rule::TileReadOnlyRegister);
}

}  // namespace
}  // namespace bhemu::test
