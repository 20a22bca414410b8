// Drawn statements: the NoC (BlackholeA0/NoC/*.md, WormholeB0/NoC/Alignment.md, Ordering.md and
// Overlay/*.md). Requests go between two tiles of a small NoC, stream registers through a real one.
#include "audit/on_cores.hpp"
#include "device/board.hpp"
#include "noc/fabric.hpp"

namespace bhemu::noc {
namespace {

constexpr Coord kA{1, 2};
constexpr Coord kB{2, 3};
constexpr u32 kRtzCfg = 0x178, kRtzClr = 0x17C, kRtzNum = 0x378, kRtzSource = 0x37C;

struct Pair {
  Fabric fabric;
  TestTile& a = fabric.tile(kA);
  TestTile& b = fabric.tile(kB);

  void atomic(u64 address, u64 operation, u32 data, u32 id = 0) {
    issue(a, 0,
          {.control = kAtomic | kResponse,
           .target = address,
           .target_at = at(kB),
           .home = 0x40,
           .home_at = at(kA),
           .length = operation,
           .data = data,
           .id = id});
    fabric.run();
  }
  void read(u64 from, u64 to, u64 length, u32 id = 0) {
    issue(a, 0,
          {.target = from,
           .target_at = at(kB),
           .home = to,
           .home_at = at(kA),
           .length = length,
           .id = id});
  }
  void write(u64 from, u64 to, u64 length, u32 control = kWrite | kResponse, u32 id = 0) {
    issue(a, 0,
          {.control = control,
           .target = from,
           .target_at = at(kA),
           .home = to,
           .home_at = at(kB),
           .length = length,
           .id = id});
  }
  u32 counter(u32 offset) { return a.read(0, offset); }
};
constexpr u32 kOutstanding = 0x240;  // NIU_MST_REQS_OUTSTANDING_ID
constexpr u32 kOutgoing = 0x280;     // NIU_MST_WRITE_REQS_OUTGOING_ID
constexpr u32 kAtomicResponses = 0x200;
constexpr u32 kPostedWritesSent = 0x22C;
constexpr u32 kReadsSent = 0x214;

// --- Atomics.md

TEST(AuditAtomics, compare_and_swap_returns_the_old_value_and_counts) {
  Pair p;
  p.b.set_l1_word(0x104, 3);
  p.atomic(0x104, 4u << 12 | 9u << 6 | 3u << 2 | 1u, 0, 5);
  EXPECT_EQ(p.b.l1_word(0x104), 9u);
  EXPECT_EQ(p.a.l1_word(0x40), 3u) << "so software can tell that the comparison succeeded";
  EXPECT_EQ(p.counter(kAtomicResponses), 1u);
  EXPECT_EQ(p.counter(kOutstanding + 4 * 5), 0u);
  p.atomic(0x104, 4u << 12 | 7u << 6 | 3u << 2 | 1u, 0, 5);
  EXPECT_EQ(p.b.l1_word(0x104), 9u);
  EXPECT_EQ(p.a.l1_word(0x40), 9u);
}

TEST(AuditAtomics, swap_by_mask_writes_halves) {
  Pair p;
  p.b.set_l1_word(0x108, 0x12345678);
  p.atomic(0x108, 3u << 12 | 0b10'0101u << 2, 0xBBBBAAAA);  // halves 0, 2 and 5
  EXPECT_EQ(p.a.l1_word(0x40), 0x12345678u);
  EXPECT_EQ(p.b.l1_word(0x100), 0x0000AAAAu);
  EXPECT_EQ(p.b.l1_word(0x104), 0x0000AAAAu);
  EXPECT_EQ(p.b.l1_word(0x108), 0xBBBB5678u);
}

TEST(AuditAtomics, swap_by_index_6_writes_the_word_at_ofs) {  // bit 2 set, code 6
  Pair p;
  p.b.set_l1_word(0x10C, 0x11);
  p.atomic(0x100, 6u << 12 | 1u << 2 | 3u, 0x99);
  EXPECT_EQ(p.b.l1_word(0x10C), 0x99u);
  EXPECT_EQ(p.a.l1_word(0x40), 0u) << "the word at the address itself, not at Ofs";
}

TEST(AuditAtomics, all_operations_of_zaamo_are_available) {
  struct Case {
    u32 op, before, data, after;
  };
  constexpr u32 kMinus = 0xFFFFFFF0;
  for (const Case& c : {Case{0, 5, 7, 12}, Case{1, 6, 3, 5}, Case{2, 6, 3, 7}, Case{3, 6, 3, 2},
                        Case{4, kMinus, 3, kMinus}, Case{5, kMinus, 3, 3}, Case{6, kMinus, 3, 3},
                        Case{7, kMinus, 3, kMinus}}) {
    Pair p;
    p.b.set_l1_word(0x100, c.before);
    p.atomic(0x100, 10u << 12 | 1u << 11 | c.op << 8 | 1u << 2, c.data);
    EXPECT_EQ(p.b.l1_word(0x100), c.after) << c.op;
  }
}

TEST(AuditAtomics, addition_of_bytes_in_format_15_wraps) {
  Pair p;
  p.b.set_l1_word(0x100, 0xFF01F005);
  p.atomic(0x100, 9u << 12 | 15u << 2, 0x02030420);
  EXPECT_EQ(p.b.l1_word(0x100), 0x0104F425u);
  EXPECT_EQ(p.b.l1_word(0x104), 0x02030420u);
}

// --- Counters.md

TEST(AuditCounters, posted_writes_and_reads_are_counted_as_sent) {
  Pair p;
  p.write(0x1000, 0x2000, 64, kWrite);
  p.write(0x1000, 0x2000, 64, kWrite);
  EXPECT_EQ(p.counter(kPostedWritesSent), 2u);
  p.read(0x1000, 0x2000, 64);
  EXPECT_EQ(p.counter(kReadsSent), 1u);
  EXPECT_EQ(p.a.read(0, niu::NOC_CMD_CTRL), 0u) << "taken";
}

TEST(AuditCounters, a_receiver_counts_posted_requests_apart) {
  Pair p;
  issue(p.a, 0,
        {.control = kAtomic, .target = 0x100, .target_at = at(kB), .length = 0x107C, .data = 1});
  p.fabric.run();
  EXPECT_EQ(p.b.read(0, 0x2DC), 1u) << "NIU_SLV_POSTED_ATOMIC_RECEIVED";
  EXPECT_EQ(p.b.read(0, 0x2D8), 0u) << "NIU_SLV_NONPOSTED_ATOMIC_RECEIVED";
  p.b.registers[0xFFB12000] = 0;
  issue(p.a, 0,
        {.control = kWrite | kInline, .target = 0xFFB12000, .target_at = at(kB), .length = 0xF});
  p.fabric.run();
  for (const u32 posted : {0x2F4u, 0x2ECu, 0x2E4u}) EXPECT_EQ(p.b.read(0, posted), 1u) << posted;
}

TEST(AuditCounters, long_reads_are_split_and_outstanding_at_once) {
  Pair p;
  p.read(0x10000, 0x40000, 3 * 16384 + 64, 2);
  EXPECT_EQ(p.counter(kOutstanding + 8), 4u) << "all at the start";
  EXPECT_EQ(p.counter(kReadsSent), 4u);
  p.fabric.run();
  EXPECT_EQ(p.counter(kOutstanding + 8), 0u);
  Pair q;
  q.read(0x10020, 0x40020, 3 * 16384);
  EXPECT_TRUE(q.a.faulted(Rule::NocSplitAlignment)) << "64-byte boundaries";
}

TEST(AuditCounters, writes_raise_the_outgoing_counter_by_packets) {
  Pair p;
  p.write(0x10000, 0x40000, 2 * 16384 + 64, kWrite | kResponse, 3);
  EXPECT_EQ(p.counter(kOutstanding + 12), 3u);
  EXPECT_EQ(p.counter(kOutgoing + 12), 0u) << "sources are read at once here";
  p.fabric.run();
  EXPECT_EQ(p.counter(kOutstanding + 12), 0u);
}

// --- Interrupts.md, MemoryMap.md

TEST(AuditNiu, a_counter_back_at_zero_sets_its_source_bit_until_read) {
  Pair p;
  p.a.write(0, kRtzCfg, 1u << 5);
  p.read(0x1000, 0x2000, 64, 5);
  p.fabric.run();
  EXPECT_EQ(p.counter(kRtzSource), 1u << 5);
  EXPECT_EQ(p.counter(kRtzNum), 5u);
  EXPECT_EQ(p.counter(kRtzSource), 0u) << "reading the number clears";
  EXPECT_EQ(p.counter(kRtzNum), 0u);
  p.a.write(0, kRtzCfg, 1u << 5 | 1u << 28);
  p.read(0x1000, 0x2000, 64, 5);
  p.fabric.run();
  EXPECT_EQ(p.counter(kRtzNum), 5u);
  EXPECT_EQ(p.counter(kRtzSource), 1u << 5) << "RC_DISABLE keeps it";
  p.a.write(0, kRtzClr, 1u << 5);
  EXPECT_EQ(p.counter(kRtzSource), 0u);
}

TEST(AuditNiu, identification_is_read_only_and_its_reserved_bits_zero) {
  Pair p;
  const u32 id = p.counter(0x44);
  EXPECT_EQ(id & 0x3F, kA.x);
  EXPECT_EQ(id >> 6 & 0x3F, kA.y);
  EXPECT_EQ(id >> 29, 0u);
  p.a.write(0, 0x44, 0xFFFFFFFF);
  EXPECT_EQ(p.counter(0x44), id);
  EXPECT_TRUE(p.a.faulted(Rule::NocReadOnlyRegister));
  EXPECT_EQ(p.counter(0x48), p.counter(0x848));
  EXPECT_EQ(p.counter(0x64), p.counter(0x864)) << "FIFO status, again";
  EXPECT_EQ(p.counter(0x68), p.counter(0x868));
}

TEST(AuditNiu, fields_of_an_initiator_can_be_read_and_written) {  // 0x00 to 0x43
  Pair p;
  for (u32 offset = 0; offset < 0x38; offset += 4) {
    p.a.write(0, offset, 0xA0 + offset);
    EXPECT_EQ(p.counter(offset), 0xA0 + offset);
  }
  EXPECT_EQ(p.counter(0x40), 0u);
}

TEST(AuditNiu, configuration_words_keep_their_general_use_bits) {  // NIU_CFG_0: high 15 bits
  Pair p;
  const u32 before = p.counter(0x100);
  p.a.write(0, 0x100, before | 0xFFFE0000);
  EXPECT_EQ(p.counter(0x100), before | 0xFFFE0000);
}

TEST(AuditNiu, ddr_translation_is_refused_and_not_silent) {
  Pair p;
  p.a.write(0, 0x170, 0);
  EXPECT_FALSE(p.a.faulted(Rule::NocDdrTranslation));
  p.a.write(0, 0x170, 1);
  EXPECT_TRUE(p.a.faulted(Rule::NocDdrTranslation));
}

TEST(AuditNiu, rows_can_opt_out_of_broadcasts) {  // ROUTER_CFG_3
  for (const bool out : {false, true}) {
    Pair p;
    if (out)
      for (TestTile* tile : {&p.a, &p.b}) tile->write(0, 0x110, 1u << kB.y);
    p.a.set_l1_word(0x1000, 0x77);
    issue(p.a, 0,
          {.control = kWrite | kBroadcast,
           .target = 0x1000,
           .target_at = at(kA),
           .home = 0x2000,
           .home_at = rectangle(kA, kB),
           .length = 16});
    p.fabric.run();
    EXPECT_EQ(p.b.l1_word(0x2000), out ? 0u : 0x77u);
  }
}

TEST(AuditNiu, broadcasts_of_either_major_axis_reach_the_rectangle) {  // NOC_CMD_BRCST_XY
  for (const u32 axis : {0u, 1u << 16}) {
    Pair p;
    p.a.set_l1_word(0x1000, 0x77);
    issue(p.a, 0,
          {.control = kWrite | kBroadcast | axis,
           .target = 0x1000,
           .target_at = at(kA),
           .home = 0x2000,
           .home_at = rectangle(kA, kB),
           .length = 16});
    p.fabric.run();
    EXPECT_EQ(p.b.l1_word(0x2000), 0x77u);
  }
}

TEST(AuditNiu, a_byte_enable_write_has_at_most_32_bytes) {  // NOC_CMD_WR_BE
  Pair p;
  for (u32 i = 0; i < 16; ++i) p.a.set_l1_word(0x1000 + 4 * i, 0x11111111 * (i & 7));
  p.write(0x1000, 0x2000, 0x80000001, kWrite | kByteEnable | kResponse);
  p.fabric.run();
  EXPECT_EQ(p.b.l1_word(0x2000) & 0xFF, 0x00u);
  EXPECT_EQ(p.b.l1_word(0x201C) >> 24, 0x77u);
  EXPECT_EQ(p.b.l1_word(0x201C) & 0xFFFFFF, 0u);
  EXPECT_EQ(p.b.l1_word(0x2020), 0u);
}

TEST(AuditNiu, an_atomic_names_where_it_happens_and_where_its_result_goes) {  // the table
  Pair p;
  p.b.set_l1_word(0x100, 41);
  p.atomic(0x100, 1u << 12 | 31u << 2, 1);
  EXPECT_EQ(p.b.l1_word(0x100), 42u);
  EXPECT_EQ(p.a.l1_word(0x40), 41u);
}

TEST(AuditNiu, the_acknowledgement_of_a_write_goes_where_targ_addr_hi_says) {
  Pair p;
  TestTile& c = p.fabric.tile({3, 4});
  p.a.set_l1_word(0x1000, 0x55);
  issue(p.a, 0,
        {.control = kWrite | kResponse,
         .target = 0x1000,
         .target_at = at({3, 4}),
         .home = 0x2000,
         .home_at = at(kB),
         .length = 16});
  p.fabric.run();
  EXPECT_EQ(p.b.l1_word(0x2000), 0x55u);
  EXPECT_EQ(p.counter(0x204), 0u);
  EXPECT_EQ(c.read(0, 0x204), 1u) << "NIU_MST_WR_ACK_RECEIVED";
}

TEST(AuditNiu, delivery_to_an_overlay_is_refused) {  // DeliverToReceiverOverlay
  Pair p;
  issue(p.a, 0,
        {.control = kWrite,
         .target = 0x1000,
         .target_at = at(kA),
         .home = 0x2000,
         .home_at = at(kB),
         .length = 16,
         .tag = 1u << 6});
  EXPECT_TRUE(p.a.faulted(Rule::NocOverlayDelivery));
}

TEST(AuditNiu, reserved_bits_of_the_control_word_are_reported) {  // NOC_CMD_CTRL, what not to do
  Pair p;
  p.write(0x1000, 0x2000, 16, kWrite | 1u << 20);
  EXPECT_TRUE(p.a.faulted(Rule::NocReservedBits));
}

// --- Alignment.md

TEST(AuditAlignment, registers_take_four_bytes) {  // AL=4, and AL<=4 for reads of registers
  Pair p;
  p.b.registers[0xFFB12000] = 0x12345678;
  p.write(0x1000, 0xFFB12000, 8);
  EXPECT_TRUE(p.a.faulted(Rule::NocRegisterLength));
  Pair q;
  q.b.registers[0xFFB12000] = 0x12345678;
  q.read(0xFFB12000, 0x2000, 4);
  q.fabric.run();
  EXPECT_EQ(q.a.l1_word(0x2000), 0x12345678u);
  Pair r;  // crosses a word
  r.b.registers[0xFFB12000] = 0x12345678;
  r.read(0xFFB12002, 0x2002, 4);
  EXPECT_FALSE(r.a.faults.faults().empty());
}

// --- Ordering.md

TEST(AuditOrdering, requests_to_one_device_keep_their_order) {
  Pair p;
  p.b.registers[0xFFB12000] = 0;
  for (u32 i = 1; i <= 5; ++i) {
    p.a.set_l1_word(0x1000 + 16 * i, i);
    p.write(0x1000 + 16 * i, 0xFFB12000, 4);
  }
  p.fabric.run();
  ASSERT_EQ(p.b.register_writes.size(), 5u);
  for (u32 i = 0; i < 5; ++i) EXPECT_EQ(p.b.register_writes[i].second, i + 1);
}

// --- Coordinates.md, README.md: the board

TEST(AuditCoordinates, translated_columns_and_rows_are_those_of_the_table) {
  const Board p100(BoardOptions::defaults(BoardModel::P100A));
  const Board p150(BoardOptions::defaults(BoardModel::P150));
  EXPECT_EQ(p150.tensix().size(), 140u);
  EXPECT_EQ(p100.tensix().size(), 120u);
  for (const Coord coord : p150.tensix()) {
    EXPECT_TRUE((coord.x >= 1 && coord.x <= 7) || (coord.x >= 10 && coord.x <= 16));
    EXPECT_TRUE(coord.y >= 2 && coord.y <= 11);
  }
  for (const Coord coord : p100.tensix()) EXPECT_LE(coord.x, 14);
}

// --- Overlay/AsGeneralUse.md

class AuditStreams : public ::testing::Test {
 protected:
  static constexpr u32 address(u32 stream, u32 index) {
    return 0xFFB40000 + stream * 0x1000 + index * 4;
  }
  u32 kept(u32 stream, u32 index) {
    chip.write(address(stream, index), 0xFFFFFFFF);
    return chip.read(address(stream, index));
  }
  test::OneTile chip;
};

TEST_F(AuditStreams, registers_keep_as_many_bits_as_the_table_says) {
  EXPECT_EQ(kept(20, 36), 0u) << "STREAM_SCRATCH needs a stream that transmits to DRAM";
  EXPECT_EQ(kept(8, 36), 0xFFFFFFu);
  EXPECT_EQ(kept(1, 226), 0xFFFFu) << "STREAM_LOCAL_SRC_MASK + 2, gather";
  EXPECT_EQ(kept(20, 226), 0u);
  EXPECT_EQ(kept(1, 25), 0x3Fu) << "STREAM_MCAST_DEST_NUM, multicast";
  EXPECT_EQ(kept(20, 25), 0u);
  EXPECT_EQ(kept(1, 24), 0x7FFFFu) << "STREAM_MCAST_DEST";
  EXPECT_EQ(kept(20, 24), 0u);
}

TEST_F(AuditStreams, the_write_pointer_has_17_bits_and_a_wrap_bit) {  // 17 on the Wormhole page
  EXPECT_EQ(kept(20, 20) & 0x1FFFF, 0x1FFFFu);
}

TEST_F(AuditStreams, a_write_can_be_followed_by_a_load_of_the_same_register) {  // Memory ordering
  chip.write(address(9, 8), 0x1234);
  EXPECT_EQ(chip.read(address(9, 8)), 0x1234u);
}

}  // namespace
}  // namespace bhemu::noc
