// Every register that a host can reach, row by row of the tables: what it reads, what of it can be
// written, and that anything else is refused.
#include <random>

#include "card/config_space.hpp"
#include "card_fixture.hpp"
#include "noc/registers.hpp"
#include "pcie/controller.hpp"

namespace bhemu::test {
namespace {

struct Row {
  const char* name;
  u32 offset;
  u32 stride;
  u32 count;
  u32 reset;
  u32 writable;
};
constexpr Row kController[] = {
#define PCIE_REGISTER(name, offset, stride, count, reset, writable, meaning) \
  {#name, offset, stride, count, reset, writable},
#include "pcie/controller.def"
#undef PCIE_REGISTER
};
constexpr Row kConfig[] = {
#define CONFIG_REGISTER(name, offset, reset, writable, meaning) \
  {#name, offset, 0, 1, reset, writable},
#include "card/config_space.def"
#undef CONFIG_REGISTER
};

class CardRegisters : public CardTest {
 protected:
  CardRegisters() { open("p150"); }

  /// Any other width or alignment than a whole word's is refused and changes nothing.
  void expect_words_only(u64 address) {
    std::array<u8, 16> bytes{};
    bytes.fill(0xA5);
    for (const u32 size : {1u, 2u, 3u, 5u, 6u})
      EXPECT_NE(refusal([&] { libttsim_pci_mem_wr_bytes(address, bytes.data(), size); }), "");
    for (const u32 skew : {1u, 2u, 3u}) {
      EXPECT_NE(refusal([&] { libttsim_pci_mem_wr_bytes(address + skew, bytes.data(), 4); }), "");
      EXPECT_NE(refusal([&] { libttsim_pci_mem_rd_bytes(address + skew, bytes.data(), 4); }), "");
    }
    for (const u32 size : {1u, 2u, 7u})
      EXPECT_NE(refusal([&] { libttsim_pci_mem_rd_bytes(address, bytes.data(), size); }), "");
  }
};

TEST_F(CardRegisters, configuration_space_reads_its_resets_and_keeps_what_can_be_written) {
  for (const Row& row : kConfig) {
    if (row.offset == card::kConfig_PCIE_DEVICE_CONTROL) continue;
    const u32 board = row.offset == card::kConfig_SUBSYSTEM ? 0x40u << 16 : 0;
    EXPECT_EQ(libttsim_pci_config_rd32(0, row.offset), row.reset | board) << row.name;
    if (row.offset == card::kConfig_INTERFACE_TIMER_CONTROL) continue;  // below
    libttsim_pci_config_wr32(0, row.offset, ~0u);
    EXPECT_EQ(libttsim_pci_config_rd32(0, row.offset), row.reset | board | row.writable)
        << row.name;
    libttsim_pci_config_wr32(0, row.offset, 0);
    EXPECT_EQ(libttsim_pci_config_rd32(0, row.offset), (row.reset | board) & ~row.writable)
        << row.name;
  }
  for (const u32 offset : {0x40u, 0x6Cu, 0x84u, 0x938u, 0xFFCu}) {  // no such registers
    libttsim_pci_config_wr32(0, offset, ~0u);
    EXPECT_EQ(libttsim_pci_config_rd32(0, offset), 0u) << offset;
  }
  for (const u32 offset : {1u, 2u, 3u, 0x11u, 0x1000u, ~3u}) {
    EXPECT_NE(refusal([&] { libttsim_pci_config_rd32(0, offset); }), "") << offset;
    EXPECT_NE(refusal([&] { libttsim_pci_config_wr32(0, offset, 0); }), "") << offset;
  }
}

TEST_F(CardRegisters, nobody_else_is_on_the_bus) {
  for (u32 function = 1; function < 256; ++function)
    EXPECT_EQ(libttsim_pci_config_rd32(function << 8, 0), ~0u);
  EXPECT_EQ(libttsim_pci_config_rd32(1 << 3, 0), ~0u);
  EXPECT_NE(refusal([] { libttsim_pci_config_wr32(1 << 3, 4, 0); }), "");
}

TEST_F(CardRegisters, bars_can_be_sized_and_moved_and_the_card_answers_where_they_are) {
  for (const auto& [offset, size] :
       {std::pair{0x10u, u64{512} << 20}, {0x18u, u64{1} << 20}, {0x20u, u64{32} << 30}}) {
    const u32 low = libttsim_pci_config_rd32(0, offset);
    const u32 high = libttsim_pci_config_rd32(0, offset + 4);
    EXPECT_EQ(low & 15, 4u);  // 64 bits, memory
    libttsim_pci_config_wr32(0, offset, ~0u);
    libttsim_pci_config_wr32(0, offset + 4, ~0u);
    EXPECT_EQ(~CardClient::bar(offset) + 1, size);
    libttsim_pci_config_wr32(0, offset, low);
    libttsim_pci_config_wr32(0, offset + 4, high);
  }
  client.write32(1, 2, 0x100, 77);
  libttsim_pci_config_wr32(0, 0x14, 0x55);
  EXPECT_NE(refusal([&] { CardClient::get(client.bar0 + 0x100); }).find("in no BAR"),
            std::string::npos);
  client = CardClient();
  EXPECT_EQ(client.bar0, 0x55'0000'0000u);
  EXPECT_EQ(client.read32(1, 2, 0x100), 77u);
}

TEST_F(CardRegisters, the_reset_of_the_asic_leaves_nothing_of_what_was) {
  constexpr u32 kParity = 1 << 6;  // tt-kmd's reset marker
  client.write32(1, 2, 0x100, 77);
  libttsim_pci_config_wr32(0, 4, libttsim_pci_config_rd32(0, 4) | kParity);
  libttsim_pci_config_wr32(0, 0x934, 1);
  libttsim_pci_config_wr32(0, 0x930, 0x01);
  EXPECT_NE(libttsim_pci_config_rd32(0, 4) & kParity, 0u);
  libttsim_pci_config_wr32(0, 0x930, 0x11);
  EXPECT_EQ(libttsim_pci_config_rd32(0, 4) & kParity, 0u);
  EXPECT_EQ(CardClient::get(client.bar0 + CardClient::kRegisters), 0u);
  EXPECT_EQ(client.read32(1, 2, 0x100), 0u);
  EXPECT_EQ(client.read32(8, 0, 0x80030408) & 7, 5u);
  iatu(0, 0, 0xFFFF, kHostBase);
  client.write32(19, 24, u64{1} << 60, 5);  // host memory is still there
  EXPECT_EQ(host_word(kHostBase), 5u);
}

TEST_F(CardRegisters, window_registers_keep_every_bit_and_take_whole_words) {
  std::mt19937 random(21);
  std::vector<u32> model;
  constexpr u32 kBytes = 210 * 12 + 32 * 4;
  for (u32 at = 0; at < kBytes; at += 4) {
    model.push_back(static_cast<u32>(random()));
    CardClient::put(client.bar0 + CardClient::kRegisters + at, model.back());
  }
  for (u32 at = 0; at < kBytes; at += 4)
    EXPECT_EQ(CardClient::get(client.bar0 + CardClient::kRegisters + at), model[at / 4]);
  std::vector<u32> all(model.size());
  libttsim_pci_mem_rd_bytes(client.bar0 + CardClient::kRegisters, all.data(), kBytes);
  EXPECT_EQ(all, model);
  for (const u32 at : {0u, 4u, 8u, 201u * 12, 209u * 12 + 8, 210u * 12, kBytes - 4})
    expect_words_only(client.bar0 + CardClient::kRegisters + at);
  libttsim_pci_mem_rd_bytes(client.bar0 + CardClient::kRegisters, all.data(), kBytes);
  EXPECT_EQ(all, model);
  EXPECT_NE(refusal([&] { CardClient::get(client.bar0 + CardClient::kRegisters + kBytes); }), "");
  EXPECT_NE(refusal([&] { CardClient::put(client.bar0 + CardClient::kRegisters - 4, 0); }), "");
}

TEST_F(CardRegisters, each_register_of_the_controller_keeps_what_can_be_written) {
  for (const Row& row : kController) {
    for (u32 i = 0; i < row.count; ++i) {
      const u64 at = client.bar2 + row.offset + u64{i} * row.stride;
      EXPECT_EQ(CardClient::get(at), row.reset) << row.name;
      expect_words_only(at);
      EXPECT_EQ(CardClient::get(at), row.reset) << row.name;
      if (row.offset == pcie::DMA_READ_DOORBELL) continue;
      CardClient::put(at, ~0u);
      EXPECT_EQ(CardClient::get(at), row.reset | row.writable) << row.name;
      CardClient::put(at, 0);
      EXPECT_EQ(CardClient::get(at), row.reset & ~row.writable) << row.name;
    }
  }
  for (const u64 hole : {0x0u, 0x74u, 0x108u, 0x1100u, 0x1024u, 0x2F00u, 0x3000u, 0xFFFFCu}) {
    EXPECT_NE(refusal([&] { CardClient::get(client.bar2 + hole); }), "") << hole;
    EXPECT_NE(refusal([&] { CardClient::put(client.bar2 + hole, 0); }), "") << hole;
  }
}

TEST_F(CardRegisters, device_control_is_one_register_by_three_ways) {
  // tt-kmd saves and restores the payload size through its window 201 at NoC address 62 * 2^58.
  constexpr u64 kDbi = u64{0xF8} << 56;
  client.aim(201, {.address = kDbi, .x = 2, .y = 0, .ordering = 1});
  const u64 window = client.window_base(201) + 0x78;
  CardClient::put(window, 0x5030);
  EXPECT_EQ(libttsim_pci_config_rd32(0, 0x78), 0x5030u);
  EXPECT_EQ(CardClient::get(client.bar2 + 0x78), 0x5030u);
  libttsim_pci_config_wr32(0, 0x78, 0x2810);
  EXPECT_EQ(CardClient::get(window), 0x2810u);
}

TEST_F(CardRegisters, the_nius_of_the_host_read_only_and_say_where_the_card_is) {
  for (unsigned noc = 0; noc < 2; ++noc) {
    const u64 niu = client.bar0 + 0x1FD04000 + noc * 0x10000;
    EXPECT_EQ(CardClient::get(niu + 0x44) & 0xFFF, noc == 0 ? 2u : 14u | 11u << 6);
    EXPECT_EQ(CardClient::get(niu + 0x148), 19u | 24u << 6);
    EXPECT_EQ(CardClient::get(niu + 0x100) >> 14 & 1, 1u);
    expect_words_only(niu + 0x44);
    unsigned readable = 0;
    for (u32 at = 0; at < 0x2000; at += 4) {
      EXPECT_NE(refusal([&] { CardClient::put(niu + at, 0); }), "") << at;
      if (refusal([&] { CardClient::get(niu + at); }).empty()) {
        ++readable;
        EXPECT_NE(noc::niu_register_at(at), nullptr) << at;
      }
    }
    EXPECT_GT(readable, 70u);
    EXPECT_NE(refusal([&] { CardClient::get(niu + 0x2000); }), "");
    EXPECT_NE(refusal([&] { CardClient::get(niu - 4); }), "");
  }
  // The translation tables lead from a translated coordinate to the physical one.
  const auto entry = [&](u32 table, u32 index) {
    return CardClient::get(client.bar0 + 0x1FD04000 + table + index / 6 * 4) >> (index % 6 * 5) &
           31;
  };
  EXPECT_EQ(entry(0x118, 19), 2u);
  EXPECT_EQ(entry(0x130, 24), 0u);
}

TEST_F(CardRegisters, the_hosts_niu_counts_what_the_host_and_the_chip_send) {
  const auto counter = [&](u32 index) {
    return CardClient::get(client.bar0 + 0x1FD04200 + index * 4);
  };
  // tt-kmd's names: mst nonposted and posted write words, read words, slv read and write words.
  const u32 nonposted = counter(8);
  const u32 posted = counter(9);
  const u32 read = counter(3);
  std::vector<u8> data(640);
  client.aim(3, {.x = 1, .y = 2});
  libttsim_pci_mem_wr_bytes(client.window_base(3) + 0x1000, data.data(), 640);
  EXPECT_EQ(counter(8), nonposted + 10);
  libttsim_pci_mem_rd_bytes(client.window_base(3) + 0x1000, data.data(), 320);
  EXPECT_EQ(counter(3), read + 5);
  client.aim(3, {.x = 1, .y = 2, .ordering = 2});
  libttsim_pci_mem_wr_bytes(client.window_base(3) + 0x1000, data.data(), 128);
  EXPECT_EQ(counter(9), posted + 2);
  EXPECT_EQ(counter(8), nonposted + 10);
  EXPECT_EQ(counter(0x39), 0u);
}

TEST_F(CardRegisters, gaps_of_bar_0_and_the_aperture_that_these_cards_lack_are_refused) {
  for (const u64 offset : {0x19400000u, 0x1FBFFFFCu, 0x1FC00A58u, 0x1FD00000u, 0x1FD06000u,
                           0x1FD13FFCu, 0x1FD16000u}) {
    EXPECT_NE(refusal([&] { CardClient::get(client.bar0 + offset); }), "") << offset;
    EXPECT_NE(refusal([&] { CardClient::put(client.bar0 + offset, 0); }), "") << offset;
  }
  for (const u64 offset : {0x1FE00000u, 0x1FF30408u, 0x1FFFFFFCu})
    EXPECT_NE(refusal([&] { CardClient::get(client.bar0 + offset); }).find("aperture"),
              std::string::npos);
}

}  // namespace
}  // namespace bhemu::test
