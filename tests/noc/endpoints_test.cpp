// DRAM banks, the PCIe tile.
#include <gtest/gtest.h>

#include <thread>

#include "dram/bank.hpp"
#include "noc/fabric.hpp"
#include "pcie/endpoint.hpp"

namespace bhemu::noc {
namespace {

constexpr Coord kA{1, 2};

TEST(DramBank, all_three_ports_and_both_nocs_show_the_same_memory) {
  Fabric fabric;
  TestTile& a = fabric.tile(kA);
  dram::Bank bank(fabric.endpoint(NodeKind::Dram, {17, 12}));
  fabric.add_endpoint(bank);
  for (u8 y = 13; y <= 14; ++y)
    for (unsigned noc = 0; noc < kNocs; ++noc) fabric.routing.place(noc, {17, y}, bank.id());
  u32 value = 100;
  for (u8 port = 12; port <= 14; ++port) {
    for (unsigned noc = 0; noc < kNocs; ++noc) {
      a.set_l1_word(0x1000, ++value);
      issue(a, noc,
            {.control = kWrite | kResponse,
             .target = 0x1000,
             .target_at = at(kA),
             .home = 0xFFFF'FFC0,
             .home_at = at({17, port}),
             .length = 64});
      fabric.run();
      for (u8 other = 12; other <= 14; ++other) {
        issue(a, 1 - noc,
              {.target = 0xFFFF'FFC0,
               .target_at = at({17, other}),
               .home = 0x2000,
               .home_at = at(kA),
               .length = 64});
        fabric.run();
        EXPECT_EQ(a.l1_word(0x2000), value);
      }
    }
  }
  EXPECT_TRUE(a.faults.faults().empty());
  EXPECT_TRUE(bank.faults().faults().empty());
  EXPECT_EQ(bank.next_cycle(), kNever);
}

TEST(DramBank, a_request_beyond_4_gib_is_a_fault_that_names_its_issuer) {
  Fabric fabric;
  TestTile& a = fabric.tile(kA);
  dram::Bank bank(fabric.endpoint(NodeKind::Dram, {17, 12}));
  fabric.add_endpoint(bank);
  issue(a, 0,
        {.target = 0xFFFF'FFC0,
         .target_at = at({17, 12}),
         .home = 0x2000,
         .home_at = at(kA),
         .length = 128});
  fabric.run();
  ASSERT_EQ(bank.faults().faults().size(), 1u);
  EXPECT_EQ(bank.faults().faults()[0].rule, Rule::DramAddress);
  EXPECT_EQ(bank.faults().faults()[0].text,
            "read of 128 bytes at 0xffffffc0, issued by BRISC of Tensix (1,2) at pc 0x200");
}

TEST(DramBank, host_reads_what_guests_wrote_and_reset_forgets_it) {
  Fabric fabric;
  fabric.tile(kA);
  dram::Bank bank(fabric.endpoint(NodeKind::Dram, {17, 12}));
  const u8 bytes[3] = {1, 2, 3};
  const u64 fresh = bank.hash(0);
  EXPECT_TRUE(bank.host_write(0x12345, bytes, 0));
  EXPECT_NE(bank.hash(0), fresh);
  u8 back[3] = {};
  EXPECT_TRUE(bank.host_read(0x12345, back, 0));
  EXPECT_EQ(std::memcmp(bytes, back, 3), 0);
  EXPECT_FALSE(bank.host_read(u64{4} << 30, std::span(back, 1), 0));
  bank.reset(0);
  EXPECT_EQ(bank.hash(0), fresh);
}

TEST(DramBank, a_stray_response_is_reported) {
  Fabric fabric;
  TestTile& a = fabric.tile(kA);
  dram::Bank bank(fabric.endpoint(NodeKind::Dram, {17, 12}));
  fabric.add_endpoint(bank);
  // TARG_ADDR_HI of a write names the DRAM tile: it gets the acknowledgement.
  issue(a, 0,
        {.control = kWrite | kResponse,
         .target = 0x1000,
         .target_at = at({17, 12}),
         .home = 0x2000,
         .home_at = at(kA),
         .length = 16});
  fabric.run();
  ASSERT_EQ(bank.faults().faults().size(), 1u);
  EXPECT_EQ(bank.faults().faults()[0].rule, Rule::NocStrayResponse);
}

class PcieTile : public testing::Test {
 protected:
  PcieTile() { fabric.add_endpoint(pcie); }
  Fabric fabric;
  TestTile& a = fabric.tile(kA);
  pcie::Endpoint pcie{fabric.endpoint(NodeKind::Pcie, {19, 24})};
  pcie::SpanMemory host;
  alignas(64) std::array<u8, 4096> memory{};

  void give(u64 base) {
    host = pcie::SpanMemory(memory, base);
    pcie.set_host_memory(&host);
  }

  void write(u64 address, u32 bytes) {
    issue(a, 0,
          {.control = kWrite | kResponse,
           .target = 0x1000 + (address & 63),
           .target_at = at(kA),
           .home = address,
           .home_at = at({19, 24}),
           .length = bytes});
    fabric.run();
  }
};

TEST_F(PcieTile, bit_60_addresses_are_host_memory) {
  give(0x4000'0100);
  for (u32 i = 0; i < 256; ++i) a.l1[0x1000 + i] = static_cast<u8>(i + 1);
  write(pcie::kHostWindow | 0x4000'0103, 77);
  EXPECT_EQ(std::memcmp(memory.data() + 3, a.l1.data() + 0x1003, 77), 0);
  EXPECT_EQ(memory[2], 0);
  EXPECT_EQ(memory[80], 0);
  issue(a, 0,
        {.target = pcie::kHostWindow | 0x4000'0100,
         .target_at = at({19, 24}),
         .home = 0x8000,
         .home_at = at(kA),
         .length = 128});
  fabric.run();
  EXPECT_EQ(std::memcmp(memory.data(), a.l1.data() + 0x8000, 128), 0);
  EXPECT_TRUE(pcie.faults().faults().empty());
}

TEST_F(PcieTile, addresses_outside_the_hosts_memory_are_faults) {
  write(pcie::kHostWindow | 0x4000'0000, 64);
  EXPECT_EQ(pcie.faults().faults().back().rule, Rule::PcieNoHostMemory);
  give(0x4000'0000);
  const u64 outside[] = {pcie::kHostWindow | 0x3FFF'FFC0, pcie::kHostWindow | 0x4000'0FF0,
                         8 * pcie::kWindowBytes | 0x4000'0000, pcie::kHostWindow | 0x4000'1000};
  for (const u64 address : outside) {
    pcie.faults().clear();
    write(address, 64);
    ASSERT_FALSE(pcie.faults().faults().empty()) << address;
    EXPECT_EQ(pcie.faults().faults().back().rule, Rule::PcieAddress) << address;
  }
}

TEST_F(PcieTile, a_host_thread_that_sees_the_flag_sees_the_data) {
  give(0);
  auto& flag = *reinterpret_cast<u64*>(memory.data() + 2048);
  constexpr u32 kRounds = 200;
  std::thread host([&] {
    for (u64 round = 1; round <= kRounds; ++round) {
      while (std::atomic_ref<u64>(flag).load(std::memory_order_acquire) < round)
        std::this_thread::yield();
      auto& data = *reinterpret_cast<u64*>(memory.data() + 512);
      EXPECT_GE(std::atomic_ref<u64>(data).load(std::memory_order_relaxed), round);
    }
  });
  for (u64 round = 1; round <= kRounds; ++round) {
    for (const u32 at_offset : {512u, 2048u}) {
      std::memcpy(a.l1.data() + 0x1000, &round, 8);
      write(pcie::kHostWindow | at_offset, 8);
    }
  }
  host.join();
}

}  // namespace
}  // namespace bhemu::noc
