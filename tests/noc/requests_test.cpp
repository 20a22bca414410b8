// Every kind of request: its effect, its window, its counters.
#include <gtest/gtest.h>

#include "dram/bank.hpp"
#include "noc/fabric.hpp"

namespace bhemu::noc {
namespace {

constexpr Coord kA{1, 2};
constexpr Coord kB{2, 3};
constexpr u64 kRegister = 0xFFB12000;

class Requests : public testing::Test {
 protected:
  Fabric fabric;
  TestTile& a = fabric.tile(kA);
  TestTile& b = fabric.tile(kB);

  void fill(TestTile& tile, u32 address, u32 bytes) {
    for (u32 i = 0; i < bytes; ++i) tile.l1[address + i] = static_cast<u8>(i * 7 + i / 256 + 1);
  }
  void expect_equal(u32 in_a, u32 in_b, u32 bytes) {
    EXPECT_EQ(std::memcmp(a.l1.data() + in_a, b.l1.data() + in_b, bytes), 0);
  }
  u32 outstanding(unsigned noc, u32 id) { return a.read(noc, 0x240 + 4 * id); }
  TestRequest write_to_b(u32 from, u32 to, u32 bytes, u32 flags) {
    return {.control = kWrite | flags,
            .target = from,
            .target_at = at(kA),
            .home = to,
            .home_at = at(kB),
            .length = bytes};
  }
};

TEST_F(Requests, read_has_its_effect_when_the_response_is_back) {
  fill(b, 0x4000, 100);
  a.now = 1000;
  issue(a, 0,
        {.control = 0,
         .target = 0x4000,
         .target_at = at(kB),
         .home = 0x8000,
         .home_at = at(kA),
         .length = 100,
         .id = 5});
  EXPECT_EQ(a.read(0, 0x40), 0u);
  EXPECT_EQ(outstanding(0, 5), 1u);
  EXPECT_EQ(a.read(0, 0x210), 1u);  // CMD_ACCEPTED
  EXPECT_EQ(a.read(0, 0x214), 1u);  // RD_REQ_SENT
  EXPECT_EQ(a.read(0, 0x238), 1u);  // RD_REQ_STARTED
  EXPECT_EQ(a.read(0, 0x208), 0u);  // RD_RESP_RECEIVED
  const Cycle way = fabric.timing.one_way;
  fabric.run(1000 + way);
  EXPECT_EQ(b.read(0, 0x2D4), 0u);  // SLV_RD_REQ_RECEIVED
  fabric.run(1000 + way + 1);
  EXPECT_EQ(b.read(0, 0x2D4), 1u);
  EXPECT_EQ(b.read(0, 0x2D0), 1u);  // SLV_REQ_ACCEPTED
  EXPECT_EQ(b.read(0, 0x2C8), 1u);  // SLV_RD_RESP_SENT
  EXPECT_EQ(b.read(0, 0x2CC), 2u);  // data flits of 100 bytes
  EXPECT_NE(a.l1[0x8000], b.l1[0x4000]);
  b.l1[0x4000] ^= 0xFF;  // too late to be seen
  fabric.run(1000 + 2 * way);
  EXPECT_EQ(outstanding(0, 5), 1u);
  fabric.run(1000 + 2 * way + 1);
  EXPECT_EQ(outstanding(0, 5), 0u);
  EXPECT_EQ(a.read(0, 0x208), 1u);
  EXPECT_EQ(a.read(0, 0x20C), 2u);  // RD_DATA_WORD_RECEIVED
  b.l1[0x4000] ^= 0xFF;
  expect_equal(0x8000, 0x4000, 100);
  EXPECT_FALSE(a.niu[0]->has_outstanding());
}

TEST_F(Requests, write_reads_its_source_when_issued_and_lands_one_way_later) {
  fill(a, 0x1000, 64);
  const std::vector<u8> sent(a.l1.begin() + 0x1000, a.l1.begin() + 0x1040);
  issue(a, 1, write_to_b(0x1000, 0x2000, 64, kResponse));
  fill(a, 0x1001, 64);              // after the issue: has no influence
  EXPECT_EQ(a.read(1, 0x280), 0u);  // WRITE_REQS_OUTGOING_ID(0): departed
  EXPECT_EQ(outstanding(1, 0), 1u);
  EXPECT_EQ(a.read(1, 0x228), 1u);  // NONPOSTED_WR_REQ_SENT
  EXPECT_EQ(a.read(1, 0x230), 1u);  // NONPOSTED_WR_REQ_STARTED
  EXPECT_EQ(a.read(1, 0x220), 1u);  // NONPOSTED_WR_DATA_WORD_SENT
  EXPECT_EQ(a.read(1, 0x204), 0u);  // WR_ACK_RECEIVED
  fabric.run(fabric.timing.one_way + 1);
  EXPECT_EQ(std::memcmp(sent.data(), b.l1.data() + 0x2000, 64), 0);
  EXPECT_EQ(b.read(1, 0x2E8), 1u);  // SLV_NONPOSTED_WR_REQ_RECEIVED
  EXPECT_EQ(b.read(1, 0x2F0), 1u);  // SLV_NONPOSTED_WR_REQ_STARTED
  EXPECT_EQ(b.read(1, 0x2E0), 1u);  // SLV_NONPOSTED_WR_DATA_WORD_RECEIVED
  EXPECT_EQ(b.read(1, 0x2C4), 1u);  // SLV_WR_ACK_SENT
  EXPECT_EQ(b.read(0, 0x2C4), 0u);  // not on the other NoC
  fabric.run();
  EXPECT_EQ(a.read(1, 0x204), 1u);
  EXPECT_EQ(outstanding(1, 0), 0u);
}

TEST_F(Requests, posted_write_is_never_acknowledged) {
  fill(a, 0x1000, 48);
  issue(a, 0, write_to_b(0x1000, 0x2000, 48, 0));
  fabric.run();
  expect_equal(0x1000, 0x2000, 48);
  EXPECT_EQ(outstanding(0, 0), 0u);
  EXPECT_EQ(a.read(0, 0x22C), 1u);  // POSTED_WR_REQ_SENT
  EXPECT_EQ(a.read(0, 0x234), 1u);
  EXPECT_EQ(a.read(0, 0x224), 1u);
  EXPECT_EQ(a.read(0, 0x228), 0u);
  EXPECT_EQ(a.read(0, 0x204), 0u);
  EXPECT_EQ(b.read(0, 0x2EC), 1u);
  EXPECT_EQ(b.read(0, 0x2F4), 1u);
  EXPECT_EQ(b.read(0, 0x2E4), 1u);
  EXPECT_EQ(b.read(0, 0x2C4), 0u);
  EXPECT_EQ(fabric.log.size(), 1u);
}

TEST_F(Requests, header_store_puts_the_first_16_bytes_to_a_second_address) {
  fill(a, 0x1000, 64);
  TestRequest request = write_to_b(0x1000, 0x2000, 64, 0);
  request.tag = 1u << 9;
  request.data = 0x9000 >> 4;
  issue(a, 0, request);
  fabric.run();
  expect_equal(0x1000, 0x2000, 64);
  expect_equal(0x1000, 0x9000, 16);
  EXPECT_EQ(b.l1[0x9010], 0);
}

TEST_F(Requests, inline_write_goes_to_a_register_and_needs_no_return_address) {
  b.registers[kRegister] = 0;
  issue(a, 0,
        {.control = kWrite | kInline | kResponse,
         .target = kRegister,
         .target_at = at(kB),
         .home_at = 0xFFF,
         .data = 0x12345678,
         .id = 3});
  EXPECT_EQ(outstanding(0, 3), 1u);
  EXPECT_EQ(a.read(0, 0x220), 0u);  // no data flit
  fabric.run();
  EXPECT_EQ(b.registers[kRegister], 0x12345678u);
  EXPECT_EQ(outstanding(0, 3), 0u);
  EXPECT_EQ(a.read(0, 0x204), 1u);
  EXPECT_EQ(b.read(0, 0x2E0), 1u);
  EXPECT_TRUE(a.faults.faults().empty());
}

TEST_F(Requests, byte_enables_choose_bytes_of_the_16_byte_aligned_window) {
  fill(a, 0x1000, 64);
  const u64 mask = 0x8000'0000'00F0'0005;
  TestRequest request = write_to_b(0x1004, 0x2008, 0, kByteEnable | kResponse);
  request.length = mask;
  issue(a, 0, request);
  fabric.run();
  for (u32 i = 0; i < 64; ++i)
    EXPECT_EQ(b.l1[0x2000 + i], (mask >> i & 1) != 0 ? a.l1[0x1000 + i] : 0) << i;
  EXPECT_EQ(a.read(0, 0x204), 1u);
  EXPECT_TRUE(a.faults.faults().empty());
}

TEST_F(Requests, byte_enables_repeat_a_word_of_a_register) {
  a.registers[kRegister] = 0x04030201;
  const u64 mask = 0x00F0'0000'0000'0306;
  TestRequest request = write_to_b(kRegister, 0x2008, 0, kByteEnable | kResponse);
  request.length = mask;
  issue(a, 0, request);
  fabric.run();
  for (u32 i = 0; i < 64; ++i)
    EXPECT_EQ(b.l1[0x2000 + i], (mask >> i & 1) != 0 ? 1 + i % 4 : 0) << i;
  EXPECT_TRUE(a.faults.faults().empty());
}

TEST_F(Requests, a_word_goes_from_a_register_to_any_word_of_l1) {
  a.registers[kRegister] = 0x04030201;
  issue(a, 0, write_to_b(kRegister, 0x2008, 4, kResponse));
  fabric.run();
  EXPECT_EQ(b.l1[0x2008], 1);
  EXPECT_EQ(b.l1[0x200B], 4);
  EXPECT_TRUE(a.faults.faults().empty());
}

TEST_F(Requests, long_requests_count_as_packets_of_16_kib) {
  constexpr u32 kBytes = 3 * 16384 + 100;
  fill(b, 0x10000, kBytes);
  issue(a, 0,
        {.target = 0x10000,
         .target_at = at(kB),
         .home = 0x40000,
         .home_at = at(kA),
         .length = kBytes,
         .id = 9},
        1);
  EXPECT_EQ(outstanding(0, 9), 4u);
  EXPECT_EQ(a.read(0, 0x214), 4u);
  EXPECT_EQ(a.read(0, 0x800 + 0x20), 100u);  // what hardware leaves in the buffer
  EXPECT_EQ(a.read(0, 0x800 + 0x00), 0x10000u + 3 * 16384);
  EXPECT_EQ(a.read(0, 0x800 + 0x0C), 0x40000u + 3 * 16384);
  fabric.run();
  EXPECT_EQ(outstanding(0, 9), 0u);
  EXPECT_EQ(a.read(0, 0x208), 4u);
  EXPECT_EQ(a.read(0, 0x20C), 3u * 256 + 2);
  EXPECT_EQ(b.read(0, 0x2C8), 4u);
  expect_equal(0x40000, 0x10000, kBytes);

  issue(a, 0, write_to_b(0x40000, 0x80000, 2 * 16384, kResponse));
  EXPECT_EQ(outstanding(0, 0), 2u);
  fabric.run();
  EXPECT_EQ(a.read(0, 0x204), 2u);
  EXPECT_EQ(a.read(0, 0x220), 512u);
  expect_equal(0x40000, 0x80000, 2 * 16384);
}

TEST_F(Requests, a_request_of_length_zero_is_one_packet_without_data) {
  issue(a, 0, write_to_b(0x1000, 0x2000, 0, kResponse));
  issue(a, 0, {.target = 0x1000, .target_at = at(kB), .home = 0x8000, .home_at = at(kA)}, 1);
  EXPECT_EQ(outstanding(0, 0), 2u);
  fabric.run();
  EXPECT_EQ(outstanding(0, 0), 0u);
  EXPECT_EQ(a.read(0, 0x204), 1u);
  EXPECT_EQ(a.read(0, 0x208), 1u);
  EXPECT_EQ(a.read(0, 0x20C), 0u);
}

TEST_F(Requests, a_request_to_the_own_tile_takes_the_loopback_time) {
  fill(a, 0x1000, 32);
  a.now = 50;
  issue(a, 0,
        {.control = kWrite | kResponse,
         .target = 0x1000,
         .target_at = at(kA),
         .home = 0x2000,
         .home_at = at(kA),
         .length = 32});
  fabric.run(50 + fabric.timing.loopback);
  EXPECT_EQ(a.l1[0x2000], 0);
  fabric.run(50 + fabric.timing.loopback + 1);
  EXPECT_EQ(std::memcmp(a.l1.data() + 0x1000, a.l1.data() + 0x2000, 32), 0);
  EXPECT_EQ(outstanding(0, 0), 1u);
  fabric.run(50 + 2 * fabric.timing.loopback + 1);
  EXPECT_EQ(outstanding(0, 0), 0u);
}

TEST_F(Requests, atomic_increment_returns_the_old_value_and_counts) {
  b.set_l1_word(0x60050, 41);
  const TestRequest request{.control = kAtomic | kResponse,
                            .target = 0x60050,
                            .target_at = at(kB),
                            .home = 4,
                            .home_at = at(kA),
                            .length = 0x107C,
                            .data = 1,
                            .id = 2};
  issue(a, 1, request, 3);
  EXPECT_EQ(outstanding(1, 2), 1u);
  EXPECT_EQ(a.read(1, 0x218), 1u);  // NONPOSTED_ATOMIC_SENT
  EXPECT_EQ(a.read(1, 0x23C), 1u);  // NONPOSTED_ATOMIC_STARTED
  EXPECT_EQ(b.l1_word(0x60050), 41u);
  fabric.run();
  EXPECT_EQ(b.l1_word(0x60050), 42u);
  EXPECT_EQ(a.l1_word(4), 41u);
  EXPECT_EQ(outstanding(1, 2), 0u);
  EXPECT_EQ(a.read(1, 0x200), 1u);  // ATOMIC_RESP_RECEIVED
  EXPECT_EQ(b.read(1, 0x2D0), 1u);
  EXPECT_EQ(b.read(1, 0x2D8), 1u);  // SLV_NONPOSTED_ATOMIC_RECEIVED
  EXPECT_EQ(b.read(1, 0x2C0), 1u);  // SLV_ATOMIC_RESP_SENT

  TestRequest posted = request;
  posted.control = kAtomic;
  issue(a, 1, posted, 3);
  fabric.run();
  EXPECT_EQ(b.l1_word(0x60050), 43u);
  EXPECT_EQ(a.read(1, 0x21C), 1u);
  EXPECT_EQ(b.read(1, 0x2DC), 1u);
  EXPECT_EQ(a.read(1, 0x200), 1u);
}

TEST_F(Requests, the_four_command_buffers_are_independent) {
  for (u32 buffer = 0; buffer < 4; ++buffer) {
    a.set_l1_word(0x100 + 16 * buffer, 0xC0DE0000 + buffer);
    TestRequest request = write_to_b(0x100 + 16 * buffer, 0x300 + 16 * buffer, 4, kResponse);
    request.id = 12 + buffer;
    issue(a, 0, request, buffer);
  }
  for (u32 id = 12; id < 16; ++id) EXPECT_EQ(outstanding(0, id), 1u);
  fabric.run();
  for (u32 buffer = 0; buffer < 4; ++buffer)
    EXPECT_EQ(b.l1_word(0x300 + 16 * buffer), 0xC0DE0000 + buffer);
}

TEST_F(Requests, a_response_can_go_to_a_third_tile_which_then_counts_it) {
  TestTile& c = fabric.tile({3, 4});
  fill(b, 0x4000, 64);
  issue(a, 0,
        {.target = 0x4000,
         .target_at = at(kB),
         .home = 0x8000,
         .home_at = at({3, 4}),
         .length = 64,
         .id = 1});
  EXPECT_TRUE(a.faulted(Rule::NocForeignResponse));
  EXPECT_FALSE(a.faults.stopped());
  fabric.run();
  EXPECT_EQ(std::memcmp(c.l1.data() + 0x8000, b.l1.data() + 0x4000, 64), 0);
  EXPECT_EQ(outstanding(0, 1), 1u);
  EXPECT_EQ(c.read(0, 0x244), 255u);  // 8 bits, counted down from 0
  EXPECT_EQ(c.read(0, 0x208), 1u);
  a.write(0, 0x60, 1u << 1);
  EXPECT_EQ(outstanding(0, 1), 0u);
}

TEST_F(Requests, return_to_zero_is_kept_until_cleared) {
  a.write(0, niu::NIU_TRANS_COUNT_RTZ_CFG, 1u << 6 | 1u << 4);
  for (const u32 id : {4u, 6u}) {
    TestRequest request = write_to_b(0x1000, 0x2000, 16, kResponse);
    request.id = id;
    issue(a, 0, request);
  }
  EXPECT_FALSE(a.niu[0]->interrupt());
  fabric.run();
  EXPECT_TRUE(a.niu[0]->interrupt());
  EXPECT_EQ(a.read(0, 0x37C), 0x50u);
  EXPECT_EQ(a.read(0, 0x378), 4u);  // reading the number takes it
  EXPECT_EQ(a.read(0, 0x37C), 0x40u);
  a.write(0, niu::NIU_TRANS_COUNT_RTZ_CFG, 1u << 6 | 1u << 28);
  EXPECT_EQ(a.read(0, 0x378), 6u);
  EXPECT_EQ(a.read(0, 0x37C), 0x40u);  // bit 28: it stays
  a.write(0, niu::NIU_TRANS_COUNT_RTZ_CLR, 0x40);
  EXPECT_EQ(a.read(0, 0x17C), 0u);
  EXPECT_FALSE(a.niu[0]->interrupt());
  EXPECT_EQ(a.read(0, 0x378), 0u);
}

TEST_F(Requests, what_is_outstanding_can_be_told) {
  dram::Bank bank(fabric.endpoint(NodeKind::Dram, {17, 14}));
  fabric.add_endpoint(bank);
  EXPECT_EQ(a.niu[0]->outstanding(), "");
  a.now = 77;
  for (u32 i = 0; i < 2; ++i)
    issue(a, 0,
          {.target = 0x40000 + 64 * i,
           .target_at = at({17, 14}),
           .home = 0x8000,
           .home_at = at(kA),
           .length = 64});
  EXPECT_EQ(a.niu[0]->outstanding(),
            "2 reads from DRAM bank 0 (17,14) at 0x40000 (first issued in cycle 77)");
  fabric.run();
  EXPECT_EQ(a.niu[0]->outstanding(), "");
}

TEST_F(Requests, packets_carry_their_author_and_rise_in_sequence_over_both_nocs) {
  for (u32 i = 0; i < 6; ++i) issue(a, i & 1, write_to_b(0x1000, 0x2000, 16, 0));
  for (u32 i = 0; i < 6; ++i) {
    EXPECT_EQ(fabric.log[i].sequence, i);
    EXPECT_EQ(fabric.log[i].noc, i & 1);
    EXPECT_EQ(fabric.log[i].issuer, Agent::Brisc);
    EXPECT_EQ(fabric.log[i].issuer_pc, 0x200u);
  }
}

TEST_F(Requests, equal_programs_give_equal_hashes_and_packet_orders) {
  const auto play = [](std::vector<std::pair<Cycle, u64>>& order) {
    Fabric other;
    TestTile& one = other.tile(kA);
    TestTile& two = other.tile(kB);
    for (u32 i = 0; i < 40; ++i) {
      TestTile& from = i % 3 == 0 ? two : one;
      from.now = i / 4;
      issue(from, i & 1,
            {.control = kWrite | kResponse,
             .target = 64 * i,
             .target_at = at(i % 3 == 0 ? kB : kA),
             .home = 0x1000 + 64 * i,
             .home_at = at(i % 3 == 0 ? kA : kB),
             .length = 64,
             .id = i % 16});
    }
    other.run();
    for (const Packet& packet : other.log) order.emplace_back(packet.arrival, packet.sequence);
    return one.niu[0]->hash(1) ^ two.niu[1]->hash(2);
  };
  std::vector<std::pair<Cycle, u64>> first, second;
  EXPECT_EQ(play(first), play(second));
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.size(), 80u);
}

TEST_F(Requests, reset_forgets_counters_and_restores_configuration) {
  const u64 fresh = a.niu[0]->hash(0);
  issue(a, 0, write_to_b(0x1000, 0x2000, 16, kResponse));
  EXPECT_NE(a.niu[0]->hash(0), fresh);
  a.niu[0]->reset();
  EXPECT_EQ(a.niu[0]->hash(0), fresh);
}

}  // namespace
}  // namespace bhemu::noc
