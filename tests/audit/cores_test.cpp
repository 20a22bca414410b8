// Drawn statements: the baby RISC-V cores and what only they reach
// (BlackholeA0/TensixTile/BabyRISCV/*.md and their Wormhole pages). All through a real tile.
#include <bit>

#include "audit/on_cores.hpp"

namespace bhemu::test {
namespace {

// --- README.md, memory map

TEST(AuditCores, local_memory_is_the_accessing_cores_own) {
  constexpr u32 kWindow[kCores] = {0xFFB14000, 0xFFB16000, 0xFFB18000, 0xFFB1A000, 0xFFB1C000};
  OnCores chip;
  for (const CoreId core : kAllCores) {
    chip.store(core, 0xFFB00010, 0x100 + static_cast<u32>(core));
    chip.load_result(core, static_cast<u32>(core), 0xFFB00010);
  }
  chip.go();
  for (u32 core = 0; core < kCores; ++core) {
    EXPECT_EQ(chip.result(core), 0x100 + core);
    EXPECT_EQ(chip.read(kWindow[core] + 0x10), 0x100 + core);
  }
  u32 value = 0;  // and not on the NoC
  EXPECT_FALSE(chip.tile->host_read(0xFFB00010, {reinterpret_cast<u8*>(&value), 4}, 0));
}

TEST(AuditCores, debug_registers_and_nius_are_everybodys) {
  OnCores chip;
  for (const CoreId core : kAllCores) {
    chip.load_result(core, static_cast<u32>(core), 0xFFB121B0);
    chip.load_result(core, 8 + static_cast<u32>(core), 0xFFB30044);
  }
  chip.go();
  for (u32 core = 0; core < kCores; ++core) {
    EXPECT_EQ(chip.result(core), chip.read(0xFFB121B0));
    EXPECT_EQ(chip.result(8 + core), chip.read(0xFFB30044));
  }
  EXPECT_FALSE(chip.faulted());
}

TEST(AuditCores, tt_sync_exists_for_the_triscs_and_not_for_ncrisc) {
  OnCores chip;
  for (const CoreId core : {Trisc0, Trisc1, Trisc2})
    chip.load_result(core, static_cast<u32>(core), kTtSync);
  chip.go();
  EXPECT_FALSE(chip.faulted());
  OnCores other;
  other.load_result(Ncrisc, 0, kTtSync);
  other.go();
  EXPECT_TRUE(other.faulted());
}

// --- Mailboxes.md

TEST(AuditCores, mailbox_1_leads_to_trisc0_and_reads_name_the_sender) {
  OnCores chip;
  const CoreId senders[] = {Brisc, Trisc1, Trisc2};
  for (const CoreId core : senders)
    chip.store(core, kMailbox + 0x1000, 0xA0 + static_cast<u32>(core));
  chip.load_result(Trisc0, 0, kMailbox + 0x0000);  // from BRISC
  chip.load_result(Trisc0, 1, kMailbox + 0x2000);  // from TRISC1
  chip.load_result(Trisc0, 2, kMailbox + 0x3000);  // from TRISC2
  chip.store(Trisc0, kMailbox + 0x1000, 0x77);     // T0 to T0
  chip.load_result(Trisc0, 3, kMailbox + 0x1000);
  chip.go();
  EXPECT_EQ(chip.result(0), 0xA0 + static_cast<u32>(Brisc));
  EXPECT_EQ(chip.result(1), 0xA0 + static_cast<u32>(Trisc1));
  EXPECT_EQ(chip.result(2), 0xA0 + static_cast<u32>(Trisc2));
  EXPECT_EQ(chip.result(3), 0x77u);
}

TEST(AuditCores, mailboxes_answer_at_every_address_of_their_range) {
  OnCores chip;
  chip.store(Trisc0, kMailbox + 0xFF8, 0x55);
  chip.wait_for(Trisc0, 1);
  chip.on(Brisc).label("poll");
  chip.on(Brisc).li(t6, kMailbox + 0x1FF4);
  chip.on(Brisc).lw(t5, 0, t6);
  chip.on(Brisc).beq(t5, zero, "poll");
  chip.load_result(Brisc, 0, kMailbox + 0x1230);
  chip.keep(Brisc, 1, t6);
  chip.go();
  EXPECT_EQ(chip.result(0), 0x55u);
}

TEST(AuditCores, mailboxes_are_for_four_cores_only) {
  OnCores chip;
  chip.load_result(Ncrisc, 0, kMailbox + 4);
  chip.go();
  EXPECT_TRUE(chip.faulted()) << "none to or from NCRISC";
  u32 value = 0;
  EXPECT_FALSE(chip.tile->host_read(kMailbox + 4, {reinterpret_cast<u8*>(&value), 4}, 0));
}

TEST(AuditCores, a_load_waits_for_the_other_cores_mailbox_write) {  // MemoryOrdering.md, examples
  OnCores chip;
  chip.store(Brisc, 0x3000, 0x1234);
  chip.on(Brisc).fence();
  chip.store(Brisc, kMailbox + 0x1000, 1);
  chip.on(Trisc0).li(t6, kMailbox);
  chip.on(Trisc0).lw(t5, 0, t6);
  chip.on(Trisc0).addi(t5, t5, 0);
  chip.load_result(Trisc0, 0, 0x3000);
  chip.go();
  EXPECT_EQ(chip.result(0), 0x1234u);
}

// --- PCBufs.md

TEST(AuditCores, brisc_waits_at_a_pcbuf_until_its_trisc_has_taken_all_and_waits_itself) {
  OnCores chip;
  chip.store(Brisc, 0xFFE90000, 0x89ABCDEF);
  chip.load_result(Brisc, 0, 0xFFE90000);
  chip.load_result(Brisc, 1, kResults + 8);  // what TRISC1 had done by then
  chip.load_result(Trisc1, 3, 0xFFE80000);
  chip.store(Trisc1, kResults + 8, 0x600D);
  chip.load_result(Trisc1, 4, 0xFFE80000);  // waits
  chip.go();
  EXPECT_EQ(chip.result(3), 0x89ABCDEFu) << "values have 32 bits";
  EXPECT_EQ(chip.result(1), 0x600Du);
}

TEST(AuditCores, bit_20_of_the_override_register_frees_trisc2) {
  OnCores chip;
  chip.write(0xFFB12090, 1u << 20 | 0x5Au << 22);
  chip.load_result(Trisc2, 0, 0xFFE80000);
  chip.go();
  EXPECT_EQ(chip.result(0), 0x5Au);
}

TEST(AuditCores, override_lets_done_checks_pass) {  // ManualTTSync.md, CoprocessorDoneCheck
  OnCores chip;
  chip.store(Trisc1, kInstrn, init(0));
  chip.store(Trisc1, kInstrn, hold_until_posted(0));
  chip.store(Trisc1, kInstrn, encode<op::NOP>());
  chip.store(Trisc1, kTtSync, 0xBAD);  // discarded
  chip.load_result(Trisc1, 0, kTtSync);
  chip.store(Trisc1, kResults + 4, 1);
  chip.go(4'000);
  EXPECT_EQ(chip.result(1), 0u);
  chip.write(0xFFB12090, 3u << 10);
  chip.run(4'000);
  EXPECT_EQ(chip.result(1), 1u);
}

TEST(AuditCores, triscs_see_the_semaphores) {  // ManualTTSync.md, SyncUnit.md
  OnCores chip;
  u32 index = 0;
  for (const CoreId core : {Trisc0, Trisc1, Trisc2}) {
    const u32 s = 5 + index;
    chip.store(core, kInstrn, encode<op::SEMINIT>({{"sem_sel", 1u << s}, {"init_value", 14}}));
    chip.load_result(core, 16 + index, kTtSync);
    for (int i = 0; i < 3; ++i) chip.store(core, kSemaphore + 4 * s, 0);  // saturates at 15
    chip.load_result(core, index, kSemaphore + 4 * s);
    for (int i = 0; i < 17; ++i) chip.store(core, kSemaphore + 4 * s, 1);
    chip.load_result(core, 8 + index, kSemaphore + 4 * s);
    ++index;
  }
  chip.go();
  for (u32 i = 0; i < 3; ++i) {
    EXPECT_EQ(chip.result(i), 15u);
    EXPECT_EQ(chip.result(8 + i), 0u);
  }
}

// --- PushTensixInstruction.md

TEST(AuditCores, the_store_address_and_the_core_say_which_thread_gets_the_word) {
  OnCores chip;
  const auto mark = [](u32 value) {
    return encode<op::SETDMAREG>({{"reg_index_16b", 8}, {"payload_sig_sel", value}});
  };
  for (u32 thread = 0; thread < 3; ++thread)
    chip.store(Brisc, kInstrn + 0x10000 * thread, mark(0xB0 + thread));
  chip.on(Brisc).li(t0, 200);
  chip.on(Brisc).label("delay");
  chip.on(Brisc).addi(t0, t0, -1);
  chip.on(Brisc).bne(t0, zero, "delay");
  chip.go();
  for (u32 thread = 0; thread < 3; ++thread)
    EXPECT_EQ(chip.state().thcon.gpr[thread][4] & 0xFFFF, 0xB0 + thread);
  OnCores triscs;
  for (const CoreId core : {Trisc0, Trisc1, Trisc2})
    triscs.store(core, kInstrn, mark(0xC0 + static_cast<u32>(core)));
  triscs.go();
  for (u32 thread = 0; thread < 3; ++thread)
    EXPECT_EQ(triscs.state().thcon.gpr[thread][4] & 0xFFFF, 0xC0 + 2 + thread);
  for (const u32 other : {0xFFE50000u, 0xFFE60000u}) {
    OnCores wrong;
    wrong.store(Trisc0, other, mark(1));
    wrong.go();
    EXPECT_TRUE(wrong.faulted());
  }
}

TEST(AuditCores, the_status_register_tells_a_full_fifo) {  // bit 1: not full, bit 5: empty
  OnCores chip;
  chip.store(Brisc, kInstrn + 0x10000, init(0));
  chip.store(Brisc, kInstrn + 0x10000, hold_until_posted(0));
  for (u32 i = 0; i < 80; ++i) chip.store(Brisc, kInstrn + 0x10000, encode<op::NOP>());
  EXPECT_EQ(chip.read(0xFFB120A8), 0x77u);
  chip.go(20'000);
  EXPECT_EQ(chip.read(0xFFB120A8), 0x55u);
}

// --- MemoryOrdering.md, ManualTTSync.md, ScalarUnit.md

TEST(AuditCores, an_atomic_reads_and_writes_as_one) {  // MemoryOrdering.md, atomic requests
  OnCores chip;
  for (const CoreId core : kAllCores) {
    Assembler& a = chip.on(core);
    a.li(s0, kResults);
    a.li(s1, 100);
    a.li(a0, 1);
    a.label("again");
    a.word(0u << 27 | a0 << 20 | s0 << 15 | 2u << 12 | zero << 7 | 0x2F);  // amoadd.w x0, a0, (s0)
    a.addi(s1, s1, -1);
    a.bne(s1, zero, "again");
  }
  chip.go();
  EXPECT_EQ(chip.result(0), 500u);
}

TEST(AuditCores, a_fence_orders_a_store_before_what_follows) {  // MemoryOrdering.md, Fences
  OnCores chip;
  chip.store(Brisc, 0x3000, 5);
  chip.on(Brisc).fence();
  chip.load_result(Brisc, 0, 0x3000);
  chip.go();
  EXPECT_EQ(chip.result(0), 5u);
}

// --- Dst.md, RISCV access to Dst

u32 dst_round_trip(u32 format, u32 no_swizzle, u32 stored, u32* cell = nullptr) {
  OnCores chip;
  for (const auto& bank : {0u, 1u}) {
    auto& words = chip.state().cfg.bank[bank];
    tensix::cfg::RISC_DEST_ACCESS_CTRL_SEC1_fmt::set(words, format);
    tensix::cfg::RISC_DEST_ACCESS_CTRL_SEC1_no_swizzle::set(words, no_swizzle);
  }
  Assembler& a = chip.on(Trisc1);
  a.li(t5, stored);
  a.li(t6, 0xFFBD8000);
  if (format == 5)
    a.sb(t5, 0, t6);
  else
    a.sw(t5, 0, t6);
  if (format == 5)
    a.lbu(a0, 0, t6);
  else
    a.lw(a0, 0, t6);
  chip.keep(Trisc1, 0, a0);
  chip.go();
  EXPECT_FALSE(chip.faulted());
  if (cell != nullptr) *cell = chip.state().fpu.dst.row[0].datum[0];
  return chip.result(0);
}

TEST(AuditCores, dst_shows_numbers_in_the_cores_layout) {
  u32 cell = 0;
  EXPECT_EQ(dst_round_trip(0, 0, 0xC0490FDB, &cell), 0xC0490FDBu);
  EXPECT_EQ(cell, 0x8000u | 0x49u << 8 | 0x80u) << "sign, mantissa, exponent";
  EXPECT_EQ(dst_round_trip(0, 1, 0x12345678, &cell), 0x12345678u);
  EXPECT_EQ(cell, 0x1234u);
  EXPECT_EQ(dst_round_trip(1, 0, 0xFFFFFFFB, &cell), 0xFFFFFFFBu) << "-5, as sign and magnitude";
  EXPECT_EQ(dst_round_trip(1, 0, 0x80000000), 0x80000001u) << "clamped";
}

TEST(AuditCores, bytes_stored_to_dst_become_integer_8) {  // Store8, with what it gets wrong
  u32 cell = 0;
  EXPECT_EQ(dst_round_trip(5, 0, 0x55, &cell), 0x55u);
  EXPECT_EQ(cell, 0x55u << 5 | 16);
  dst_round_trip(5, 0, 0x00, &cell);
  EXPECT_EQ(cell, 0u);
  dst_round_trip(5, 0, 0x80, &cell);
  EXPECT_EQ(cell, 0x8000u | ((0x180u - 0x80 - 1) & 0xFF) << 5 | 16);
  dst_round_trip(5, 0, 0xFB, &cell);
  EXPECT_EQ(cell, 0x8000u | ((0x180u - 0xFB) & 0xFF) << 5 | 16);
  dst_round_trip(5, 1, 0xFB, &cell);
  EXPECT_EQ(cell, 0xFBu << 5 | 16) << "as is without swizzle";
}

// --- CSRs.md

TEST(AuditCores, busy_status_is_diagnosed_while_the_thread_asks_for_the_raw_one) {
  for (const u32 raw : {0u, 1u}) {
    OnCores chip;
    chip.store(Trisc1, kInstrn, encode<op::SETC16>({{"setc16_reg", 67}, {"setc16_value", raw}}));
    chip.load_result(Trisc1, 0, kTtSync);  // until the thread is done
    chip.csr_result(Trisc1, 1, 0xBC1);
    chip.go();
    EXPECT_EQ(chip.faulted(Rule::TileRawBusyStatus), raw == 1);
    EXPECT_FALSE(chip.tile->faults().stopped());
  }
}

TEST(AuditCores, csrs_have_the_documented_values_and_aliases) {
  OnCores chip;
  chip.csr_result(Trisc2, 0, 0x301);  // misa
  chip.csr_store(Trisc2, 0x7C0, 0x00100000 | 1u << 18);
  chip.csr_result(Trisc2, 1, 0x7C0);      // cfg0: DisRegForwarding is a bit like any other
  chip.csr_store(Trisc2, 0xC80, 0x1234);  // cycleh is a writable alias of mcycleh
  chip.csr_result(Trisc2, 2, 0xB80);
  chip.csr_store(Trisc2, 0xB80, 0x4321);
  chip.csr_result(Trisc2, 3, 0xC80);
  chip.csr_result(Trisc2, 4, 0xC00);  // cycle
  chip.csr_result(Trisc2, 5, 0xC02);  // instret
  chip.go();
  EXPECT_FALSE(chip.faulted());
  EXPECT_EQ(chip.result(0), 0x40201123u);
  EXPECT_EQ(chip.result(1), 0x00100000u | 1u << 18);
  EXPECT_EQ(chip.result(2), 0x1234u);
  EXPECT_EQ(chip.result(3), 0x4321u);
  EXPECT_NE(chip.result(4), 0u);
  EXPECT_NE(chip.result(5), 0u);
  OnCores no_time;
  no_time.csr_result(Trisc2, 0, 0xC01);
  no_time.go();
  EXPECT_TRUE(no_time.faulted()) << "time is not available";
}

TEST(AuditCores, reading_an_event_counter_clears_it_on_request) {  // cfg0, PmcClrOnRd
  OnCores chip;
  chip.csr_store(Brisc, 0x320, 8);  // mcountinhibit: mhpmcounter3 stands still
  chip.csr_store(Brisc, 0xB03, 0x55);
  chip.csr_store(Brisc, 0x7C0, 1u << 8);
  chip.csr_result(Brisc, 0, 0xB03);
  chip.csr_result(Brisc, 1, 0xB03);
  chip.go();
  EXPECT_FALSE(chip.faulted());
  EXPECT_EQ(chip.result(0), 0x55u);
  EXPECT_EQ(chip.result(1), 0u);
}

TEST(AuditCores, qstatus_shows_what_a_thread_has_queued) {  // CSRs.md, tt_cfg_qstatus
  OnCores chip;
  chip.store(Trisc1, kInstrn, init(0));
  chip.store(Trisc1, kInstrn, hold_until_posted(0));
  chip.store(Trisc1, kInstrn, encode<op::ADDDMAREG>());  // scalar unit: bit 2, and 8
  chip.on(Trisc1).li(t0, 100);
  chip.on(Trisc1).label("delay");
  chip.on(Trisc1).addi(t0, t0, -1);
  chip.on(Trisc1).bne(t0, zero, "delay");
  chip.csr_result(Trisc1, 0, 0xBC0);
  chip.store(Trisc1, kResults + 4, 1);
  chip.wait_for(Trisc0, 1);
  chip.csr_result(Trisc0, 2, 0xBC0);
  chip.wait_for(Brisc, 1);
  chip.csr_result(Brisc, 3, 0xBC0);
  chip.go();
  EXPECT_EQ(chip.result(0) & 0x7FF, 0x104u);
  EXPECT_EQ(chip.result(2) & 0x7FF, 0u) << "TRISC0's own";
  EXPECT_EQ(chip.result(2) >> 13 & 0x7FF, 0x104u) << "of all";
  EXPECT_EQ(chip.result(3) & 0x7FF, 0x104u) << "elsewhere a copy";
  for (const u32 i : {0u, 2u, 3u}) {
    EXPECT_EQ(chip.result(i) >> 12 & 1, 0u) << "reserved";
    EXPECT_EQ(chip.result(i) >> 24 & 1, chip.result(i) >> 11 & 1) << "copy of sfpu_cc";
  }
}

// --- InstructionSet.md

TEST(AuditCores, division_and_root_of_floats_are_not_implemented) {
  for (const u32 word : {0x18000053u, 0x58000053u}) {  // fdiv.s, fsqrt.s
    OnCores chip;
    chip.on(Brisc).word(word);
    chip.go();
    EXPECT_TRUE(chip.faulted());
  }
}

TEST(AuditCores, interrupts_return_on_brisc_and_ncrisc_and_vectors_are_trisc2s) {
  for (const CoreId core : kAllCores) {
    OnCores chip;
    chip.on(core).word(0x30200073);  // mret outside of a handler
    chip.go();
    EXPECT_TRUE(core == Brisc || core == Ncrisc || chip.faulted());
    OnCores vector;
    vector.on(core).word(0xC1027057u);  // vsetivli x0, 4, e32, m1
    vector.go();
    EXPECT_EQ(vector.faulted(), core != Trisc2);
  }
}

TEST(AuditCores, a_trisc_stops_at_a_fifo_of_28_and_goes_on_when_it_drops) {
  OnCores chip;
  chip.store(Trisc1, kInstrn, init(0));
  chip.store(Trisc1, kInstrn, hold_until_posted(0));
  for (u32 i = 1; i <= 80; ++i) {  // counts how many words of nothing it could push
    chip.store(Trisc1, kInstrn, encode<op::NOP>());
    chip.store(Trisc1, kResults, i);
  }
  chip.go(20'000);
  const u32 pushed = chip.result(0);
  EXPECT_LT(pushed, 80u);
  // 28 in the FIFO before the MOP expander; what lies behind it adds nothing without expansion,
  // and the wait gate holds one word.
  EXPECT_GE(pushed, 28u);
  EXPECT_LE(pushed, 30u);
}

TEST(AuditCores, gprs_are_mapped_again_every_256_bytes) {  // MemoryOrdering.md, Aliasing
  OnCores chip;
  const u32 gpr = 0xFFE00000 + 4 * 7;
  chip.store(Trisc1, gpr, 0x7777);
  chip.load_result(Trisc1, 0, gpr + 0x100);
  chip.go();
  EXPECT_EQ(chip.result(0), 0x7777u);
  EXPECT_EQ(chip.state().thcon.gpr[1][7], 0x7777u);
}

// --- MemoryOrdering.md

TEST(AuditCores, a_read_of_the_cores_own_empty_mailbox_is_a_hang_that_says_so) {
  // "Mailbox read from the future": a card's core goes on behind such a load for as long as its
  // queues have room, and its own later store answers it. Here it waits at the load.
  OnCores chip;
  chip.on(Brisc).li(s0, kMailbox);
  chip.on(Brisc).li(s1, 123);
  chip.on(Brisc).lw(a0, 0, s0);
  chip.on(Brisc).sw(s1, 0, s0);
  chip.store(Brisc, kResults, 1);
  EXPECT_EQ(chip.go(), sched::Stop::Idle);
  EXPECT_EQ(chip.result(0), 0u);
  EXPECT_EQ(chip.tile->status(Brisc), tile::CoreStatus::Blocked);
  const Waits waits = chip.tile->waiting(Brisc);
  ASSERT_NE(waits.find(Awaited::MailboxWord), nullptr);
  EXPECT_EQ(waits.find(Awaited::MailboxWord)->index, 0u) << "from BRISC";
}

}  // namespace
}  // namespace bhemu::test
