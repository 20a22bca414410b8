// Drawn statements: registers of a Tensix tile: soft reset, timestamps, interrupts, TDMA-RISC, the
// debug daisychain and the debug interface. All through a real tile.
#include "audit/on_cores.hpp"
#include "tile/debugged_tile.hpp"

namespace bhemu::test {
namespace {

constexpr u32 kHeld = 0x47800;

// --- DebugTimestamper.md

void set_up_stream(OneTile& chip, u32 start, u32 end) {
  chip.write(0xFFB12208, start / 16);
  chip.write(0xFFB1220C, end / 16);
  chip.write(0xFFB12200, 1);
}

TEST(AuditTimestamper, events_of_each_size_have_their_layout) {
  struct Case {
    u32 code, count;
  };
  for (const Case& c : {Case{0, 1}, Case{1, 2}, Case{2, 4}}) {
    OneTile chip;
    set_up_stream(chip, 0x4000, 0x4FF0);
    for (u32 i = 0; i < c.count; ++i) chip.write(0xFFB121FC, 0xABCD0000 + 8 * i + c.code);
    EXPECT_EQ(chip.read(0xFFB121FC), 0u) << "reads as 0";
    for (u32 i = 0; i < c.count; ++i) {
      const u32 word = chip.read(0x4000 + 16 / c.count * i);
      EXPECT_EQ(c.code == 2 ? word & 0xFFFF : word,
                (c.code == 2 ? 0 : 0xABCD0000) + 8 * i + c.code);
    }
    EXPECT_TRUE(c.code != 0 || chip.read(0x400C) == 0);
  }
  OneTile chip;  // 96 bits are flushed by code 7, 64 bits by code 3
  set_up_stream(chip, 0x4000, 0x4FF0);
  chip.write(0xFFB121FC, 0x1234 << 3 | 4);
  EXPECT_EQ(chip.read(0x4000), 0u);
  chip.write(0xFFB121FC, 7);
  EXPECT_EQ(chip.read(0x4000), 0x1234u << 3 | 4);
  chip.write(0xFFB121FC, 0x77u << 3 | 1);
  chip.write(0xFFB121FC, 3);
  EXPECT_EQ(chip.read(0x4010), 0x77u << 3 | 1);
}

TEST(AuditTimestamper, sizes_may_change_where_a_flush_lies_between) {
  OnCores chip;
  set_up_stream(chip, 0x4000, 0x4FF0);
  chip.store(Brisc, 0xFFB121FC, 1);
  chip.store(Brisc, 0xFFB121FC, 3);
  chip.store(Brisc, 0xFFB121FC, 2);
  chip.go();
  EXPECT_FALSE(chip.faulted());
}

TEST(AuditTimestamper, mixing_sizes_is_undefined_and_said_so) {
  OnCores chip;
  set_up_stream(chip, 0x4000, 0x4FF0);
  chip.store(Brisc, 0xFFB121FC, 1);
  chip.store(Brisc, 0xFFB121FC, 2);
  chip.go();
  EXPECT_TRUE(chip.faulted(Rule::TileTimestampEvent));
}

TEST(AuditTimestamper, every_core_can_append) {
  OnCores chip;
  set_up_stream(chip, 0x4000, 0x4FF0);
  for (const CoreId core : kAllCores) chip.store(core, 0xFFB121FC, static_cast<u32>(core) << 3);
  chip.go();
  std::array<bool, kCores> seen{};
  for (u32 i = 0; i < kCores; ++i) seen[chip.read(0x4000 + 16 * i) >> 3] = true;
  for (const bool one : seen) EXPECT_TRUE(one);
}

// --- PIC.md

TEST(AuditPic, the_number_of_the_interrupt_is_read_only) {
  OnCores chip;
  chip.write(0xFFB130A8 + 4 * 9, 0x500);
  chip.write(0xFFB130A8 + 4 * 3, 0x500);
  chip.write(0xFFB13000, 1u << 9 | 1u << 3);
  Assembler handler(0x500);  // one handler for both: INT_NO tells which
  handler.li(t0, 0xFFB13008);
  handler.lw(t1, 0, t0);
  handler.lw(t2, 0, t0);  // constant while the handler runs
  handler.slli(t3, t1, 2);
  handler.li(t4, kResults);
  handler.add(t4, t4, t3);
  handler.sw(t2, 0, t4);
  handler.li(t4, 0xFFB13018);
  handler.add(t4, t4, t3);
  handler.lw(t4, 0, t4);
  handler.word(0x30200073);
  chip.load(0x500, handler.finish());
  chip.on(Brisc).label("loop");
  chip.on(Brisc).j("loop");
  chip.go(1'000);
  for (const u32 irq : {9u, 3u}) {
    chip.write(0xFFB13018 + 4 * irq, 1);
    chip.run(2'000);
    EXPECT_EQ(chip.result(irq), irq);
  }
  OnCores writer;
  writer.store(Brisc, 0xFFB13008, 1);
  writer.go();
  EXPECT_TRUE(writer.faulted(Rule::TileReadOnlyRegister));
}

TEST(AuditPic, the_watchdog_is_refused_and_not_silent) {  // hardware IRQ 3
  OnCores chip;
  chip.store(Brisc, 0xFFB121E0, 100);
  chip.store(Brisc, 0xFFB121E4, 1);
  chip.go();
  EXPECT_TRUE(chip.faulted(Rule::TileWatchdog));
}

// --- SoftReset.md

TEST(AuditSoftReset, overrides_choose_the_start_addresses) {
  for (const bool chosen : {false, true}) {
    for (const CoreId core : {Trisc0, Trisc1, Ncrisc}) {
      const u32 fixed = core == Trisc0 ? 0x6000 : core == Trisc1 ? 0xA000 : 0x12000;
      OneTile chip;
      for (const u32 place : {fixed, 0x20000u}) {
        Assembler a(place);
        a.li(t0, place);
        a.li(t1, kResults);
        a.sw(t0, 0, t1);
        a.halt();
        chip.load(place, a.finish());
      }
      if (core == Ncrisc) {
        chip.write(0xFFB12238, 0x20000);
        chip.write(0xFFB1223C, chosen ? 0xFFFFFFFF : 0xFFFFFFFE);  // bits above 0: no effect
      } else {
        chip.write(core == Trisc0 ? 0xFFB12228 : 0xFFB1222C, 0x20000);
        chip.write(0xFFB12234, chosen ? 7 : 0);
      }
      chip.start({core});
      chip.run();
      EXPECT_EQ(chip.read(kResults), chosen ? 0x20000 : fixed);
    }
  }
}

TEST(AuditSoftReset, the_mover_discards_commands_while_held) {  // bit 6
  OnCores chip;
  chip.write(0x2000, 0x1111);
  chip.write(kSoftReset, kHeld | 1u << 6);
  chip.write(0xFFB121B0, kHeld | 1u << 6);
  Assembler& a = chip.on(Trisc0);
  a.fence();
  for (const auto& [offset, value] :
       {std::pair{0u, 0x200u}, {4u, 0x300u}, {8u, 1u}, {12u, 3u}, {16u, 0x40u}})
    chip.store(Trisc0, 0xFFB11000 + offset, value);
  chip.load_result(Trisc0, 0, 0xFFB11014);
  // go() writes the reset register itself; keep bit 6 set by hand.
  a.halt();
  chip.load(0xC000, a.finish());
  chip.start_at(Trisc0, 0xC000);
  chip.write(kSoftReset, (kHeld & ~(1u << 12)) | 1u << 6);
  chip.run();
  EXPECT_EQ(chip.read(0x3000), 0u);
  EXPECT_EQ(chip.result(0) & 1, 0u) << "not busy";
  EXPECT_FALSE(chip.faulted());
}

TEST(AuditSoftReset, thcon_configuration_is_zeroed) {  // bit 9
  OnCores chip;
  auto& bank = chip.state().cfg.bank;
  const u32 first = tensix::cfg::THCON_SEC0_REG0_TileDescriptor::kWord;
  bank[0][first] = bank[1][first] = bank[0][179] = 5;
  bank[0][first - 1] = 7;
  chip.write(kSoftReset, kHeld | 1u << 9);
  EXPECT_EQ(bank[0][first], 0u);
  EXPECT_EQ(bank[1][first], 0u);
  EXPECT_EQ(bank[0][179], 0u);
  EXPECT_EQ(bank[0][first - 1], 7u);
}

TEST(AuditSoftReset, columns_8_to_11_of_srca_are_zeroed) {  // bit 21
  OnCores chip;
  for (auto& bank : chip.state().fpu.src_a.bank)
    for (auto& row : bank) row.datum.fill(0x3F800000);
  chip.write(kSoftReset, kHeld | 1u << 21);
  for (const auto& bank : chip.state().fpu.src_a.bank)
    for (const auto& row : bank)
      for (u32 column = 0; column < 16; ++column)
        ASSERT_EQ(row.datum[column], column / 4 == 2 ? 0u : 0x3F800000u);
}

TEST(AuditSoftReset, srcb_goes_back_to_its_unpacker) {  // bit 16
  OnCores chip;
  auto& b = chip.state().fpu.src_b;
  b.owner.fill(tensix::SrcOwner::Matrix);
  b.matrix_bank = b.unpack_bank = 1;
  chip.write(kSoftReset, kHeld | 1u << 16);
  EXPECT_EQ(b.matrix_bank, 0);
  EXPECT_EQ(b.unpack_bank, 0);
  EXPECT_EQ(b.owner[0], tensix::SrcOwner::Unpacker);
  EXPECT_EQ(b.owner[1], tensix::SrcOwner::Unpacker);
}

TEST(AuditSoftReset, undefined_rows_of_dst_come_back) {  // bit 17, ZEROACC
  OnCores chip;
  auto& dst = chip.state().fpu.dst;
  dst.row[3].datum.fill(0x1234);
  dst.valid.fill(0);
  chip.write(kSoftReset, kHeld | 1u << 17);
  EXPECT_EQ(dst.valid[3], 1);
  EXPECT_EQ(dst.row[3].datum[0], 0x1234);
}

TEST(AuditSoftReset, new_code_is_fetched_after_a_reset) {  // the instruction cache is invalidated
  OneTile chip;
  for (const u32 value : {0x11u, 0x22u}) {
    chip.write(kSoftReset, kHeld);
    Assembler a;
    a.li(t0, value);
    a.li(t1, kResults);
    a.sw(t0, 0, t1);
    a.halt();
    chip.load(0, a.finish());
    chip.start({Brisc});
    chip.run();
    EXPECT_EQ(chip.read(kResults), value);
  }
}

TEST(AuditSoftReset, tdma_forgets_its_parameters_and_discards_writes) {  // bit 8
  OnCores chip;
  chip.write(0x2000, 0x1111);
  for (const auto& [offset, value] : {std::pair{0u, 0x200u}, {4u, 0x300u}, {8u, 1u}, {12u, 3u}})
    chip.store(Trisc0, 0xFFB11000 + offset, value);
  chip.store(Trisc0, kResults, 1);
  chip.wait_for(Trisc0, 1);
  chip.store(Trisc0, 0xFFB11010, 0x40);  // mover command with parameters: all zero by now
  chip.store(Trisc0, kResults, 2);
  chip.go(3'000);
  ASSERT_EQ(chip.result(0), 1u);
  const u32 running = kHeld & ~(1u << 12);
  chip.write(kSoftReset, running | 1u << 8);
  chip.write(kSoftReset, running);
  chip.write(kResults + 4, 1);
  chip.run(3'000);
  EXPECT_EQ(chip.result(0), 2u);
  EXPECT_EQ(chip.read(0x3000), 0u);
}

TEST(AuditSoftReset, resets_of_the_vector_unit_load_its_constants) {  // bit 10
  OnCores chip;
  for (auto& reg : chip.state().sfpu.lreg) reg.lane.fill(0x77);
  chip.write(kSoftReset, kHeld | 1u << 10);
  chip.write(kSoftReset, kHeld);
  for (u32 r = 0; r < 8; ++r) EXPECT_EQ(chip.state().sfpu.lreg[r][0], 0u);
  EXPECT_EQ(chip.state().sfpu.lreg[11][0], 0xBF800000u);
  // The page says 1/65536; seeds, LLK and the card say 1/512: docs/DISAGREEMENTS.md.
  EXPECT_EQ(chip.state().sfpu.lreg[12][0], 0x3B000000u);
}

// --- TDMA-RISC.md

TEST(AuditTdma, parameters_and_flags_read_as_documented) {
  OnCores chip;
  chip.store(Trisc0, 0xFFB11004, 0x123);
  chip.load_result(Trisc0, 0, 0xFFB11004);
  chip.load_result(Trisc0, 1, 0xFFB11020);  // AllZeroFlags of packer 0
  chip.store(Trisc0, 0xFFB11020, 7);        // no effect
  chip.load_result(Trisc0, 2, 0xFFB11014);  // queues empty, capacity 4
  chip.go();
  EXPECT_FALSE(chip.faulted());
  EXPECT_EQ(chip.result(0), 0u);
  EXPECT_EQ(chip.result(1), 0u);
  EXPECT_EQ(chip.result(2), 1u << 3 | 1u << 5 | 4u << 8);
}

// --- DebugDaisychain.md

u32 shown(OneTile& chip, u32 daisy, u32 select, u32 word) {
  chip.write(0xFFB12054, 1u << 29 | word << 25 | daisy << 16 | select);
  chip.engine->skip_to(chip.engine->now() + 16);
  return chip.read(0xFFB1205C);
}

TEST(AuditDaisychain, the_self_test_words_are_shown) {  // Self-test
  OneTile chip;
  constexpr u32 kWords[] = {6, 0xA5A5A5A5, 0x5A5A5A5A, 0xA5A5A5A5};
  for (u32 word = 0; word < 4; ++word) EXPECT_EQ(shown(chip, 6, 255, word), kWords[word]);
}

TEST(AuditDaisychain, reserved_bits_of_its_control_do_nothing) {
  OnCores chip;
  chip.state().fpu.rwc[0].dst = 0x155;
  const u32 plain = shown(chip, 3, 3, 0);
  chip.write(0xFFB12054, 1u << 29 | 3u << 27 | 3u << 16 | 3);
  EXPECT_EQ(chip.read(0xFFB1205C), plain);
}

TEST(AuditDaisychain, enabled_lanes_are_transposed_four_by_eight) {
  constexpr u32 kLane[][2] = {{3, 24}, {11, 26}, {18, 20}, {19, 28}, {23, 29}};  // bit, lane
  for (const auto& [bit, lane] : kLane) {
    OnCores chip;
    chip.state().sfpu.condition = {0xFFFFFFFF, 1u << lane};
    EXPECT_EQ(shown(chip, 7, 28, 0), 1u << bit);
  }
}

TEST(AuditDaisychain, counters_of_addresses_have_their_bits) {
  OnCores chip;
  auto& unit = chip.state().adc.of(0, tensix::AdcUnit::Unpacker0);
  unit.channel[1].z_cr = 0x5A;
  unit.channel[1].w = 0xA5;
  EXPECT_EQ(shown(chip, 6, 1, 3) >> 8 & 0xFF, 0x5Au) << "Z_Cr at 104, 8 bits";
  EXPECT_EQ(shown(chip, 6, 1, 3) >> 16 & 0xFF, 0xA5u) << "W at 112, 8 bits";
}

TEST(AuditDaisychain, cores_show_their_state_by_group) {
  OnCores chip;
  chip.on(Ncrisc).label("loop");
  chip.on(Ncrisc).j("loop");
  chip.go(1'000);
  const u32 pc = chip.read(0xFFB1313C);
  EXPECT_NE(pc, 0u);
  EXPECT_EQ(shown(chip, 7, 24, 0) & 0x7FFFFFFF, pc) << "group A of NCRISC at select 24";
  EXPECT_EQ(shown(chip, 7, 25, 1) & 0x3FFFFFFF, pc) << "group B at 25";
  EXPECT_EQ(shown(chip, 7, 25, 1) >> 30 & 1, 0u) << "bit 62 of group B is reserved";
  EXPECT_EQ(shown(chip, 7, 24, 1) >> 31, 0u) << "bit 63: no store waits";
}

TEST(AuditDaisychain, a_mop_in_flight_shows_at_bit_25_of_group_d) {
  OnCores chip;
  chip.store(Trisc0, kInstrn, encode<op::SEMINIT>({{"sem_sel", 1}}));
  chip.store(Trisc0, kInstrn,
             encode<op::SEMWAIT>({{"stall_res", 0x1FF}, {"sem_sel", 1}, {"wait_sem_cond", 1}}));
  for (u32 i = 0; i < 9; ++i) chip.store(Trisc0, 0xFFB80000 + 4 * i, i < 2 ? 1 : 0x02000000);
  chip.store(Trisc0, kInstrn, encode<op::MOP>({{"mop_type", 1}}));
  chip.store(Trisc0, kInstrn, encode<op::MOP>({{"mop_type", 1}}));
  for (u32 i = 0; i < 20; ++i) chip.store(Trisc0, kInstrn, encode<op::MOP>({{"mop_type", 1}}));
  chip.go(2'000);
  bool seen = false;  // which select shows thread 0's group D is the emulator's table's business
  for (u32 select = 8; select < 24; ++select)
    seen = seen || (shown(chip, 7, select, 0) >> 25 & 1) != 0;
  EXPECT_TRUE(seen);
}

TEST(AuditDaisychain, a_sample_goes_to_l1_when_its_trigger_falls_or_rises) {
  OneTile chip;
  chip.write(0xFFB12054, 1u << 29 | 6u << 16 | 255);
  chip.write(0xFFB12048, 0x4000 / 16);
  chip.write(0xFFB12050, 0xF);  // write mode 15, nothing else: prepares
  chip.write(0xFFB12050, 0);
  chip.write(0xFFB12050, 1u << 12);  // WriteTrigger true
  chip.engine->run(chip.engine->now() + 600, nullptr);
  chip.write(0xFFB12050, 0);
  EXPECT_EQ(chip.read(0x4000), 6u);
  EXPECT_EQ(chip.read(0x4004), 0xA5A5A5A5u);
}

TEST(AuditDaisychain, ports_of_l1_are_named_and_not_silent) {  // L1 access ports: daisy 8
  OneTile chip;
  for (const u32 select : {2u, 3u, 5u}) {
    OneTile fresh;
    shown(fresh, 8, select, 0);
    bool warned = false;
    for (const Fault& fault : fresh.tile->faults().faults())
      warned = warned || fault.rule == Rule::TileDebugSignal || fault.rule == Rule::TileDebugBus;
    EXPECT_TRUE(warned) << select;
  }
}

// --- DebugInterface.md

TEST(AuditDebug, commands_act_when_paused_and_status_tells) {
  DebuggedTile chip(Trisc0);
  Assembler a(kDebugCode);
  a.li(s0, 0x1234);
  a.label("loop");
  a.addi(s1, s1, 1);
  a.j("loop");
  chip.start_program(a);
  chip.advance(500);
  auto& d = chip.debugger;
  d.set(1, 0x80000000);
  d.set(1, 0x80000001);  // pause
  chip.advance(200);
  EXPECT_EQ(d.get(0) & 1, 1u);
  d.set(2, 8);  // GPR 8, s0
  d.set(1, 0x80000008);
  EXPECT_EQ(d.get(4), 0x1234u);
  d.set(2, 0x2000);  // memory read
  chip.write(0x2000, 0xCAFE);
  d.set(1, 0x80000020);
  chip.advance(100);
  EXPECT_EQ(d.get(0) & 1, 1u);
  EXPECT_EQ(d.get(4), 0xCAFEu);
  d.set(1, 0x80000080);  // bulk write of GPRs: all zero
  d.set(2, 8);
  d.set(1, 0x80000008);
  EXPECT_EQ(d.get(4), 0u);
  d.set(1, 0x80000004);  // resume
  chip.advance(100);
  EXPECT_EQ(d.get(0) & 1, 0u);
}

TEST(AuditDebug, a_watchpoint_on_reads_pauses_at_a_load) {  // mode 9
  DebuggedTile chip(Trisc0);
  Assembler a(kDebugCode);
  a.li(s0, 0x2000);
  a.li(s2, 0x3000);
  a.label("loop");
  a.lw(s1, 0, s2);
  a.sw(zero, 0, s0);
  a.lw(s1, 4, s2);
  a.j("loop");
  chip.start_program(a);
  auto& d = chip.debugger;
  d.set(1, 0x80000000);
  d.set(11, 0x2000);  // watchpoint 1: only stored to, a read watch never hits
  d.set(5, 9u << 4);
  chip.advance(500);
  EXPECT_EQ(d.get(0) & 1, 0u);
  d.set(11, 0x3004);
  chip.advance(500);
  EXPECT_EQ(d.get(0) & 5, 5u) << "paused, by a watchpoint on memory";
  EXPECT_EQ(d.get(0) >> 8 & 0xFF, 2u) << "the second";
}

}  // namespace
}  // namespace bhemu::test
