// The ARC tile as clients reach it through the ABI: telemetry that agrees with the board in all its
// parts, the message queues by both doorbells, misuse.
#include <bit>
#include <map>
#include <tuple>

#include "arc/arc.hpp"
#include "card_fixture.hpp"

namespace bhemu::test {
namespace {

class CardArc : public CardTest {
 protected:
  u32 read(u64 address) { return client.read32(8, 0, address); }
  void write(u64 address, u32 value) { client.write32(8, 0, address, value); }

  std::map<u32, u32> telemetry() {
    const u32 table = read(0x80030434);
    const u32 values = read(0x80030430);
    std::map<u32, u32> result;
    EXPECT_LE(read(table) >> 16 & 0xFF, 1u);  // tt-kmd takes no newer version
    const u32 entries = read(table + 4);
    for (u32 i = 0; i < entries; ++i) {
      const u32 entry = read(table + 8 + 4 * i);
      result[entry & 0xFFFF] = read(values + 4 * (entry >> 16));
    }
    EXPECT_EQ(result.size(), entries);
    return result;
  }
  /// tt-kmd rings by its FIFO, tt-umd and blackhole-py by ARC_MISC_CNTL.
  std::array<u32, 8> message(u32 code, u32 argument, u32 queue, bool by_fifo) {
    const u32 control = read(0x8003042C);
    const u32 entries = read(control + 4) & 0xFF;
    const u32 base = read(control) + queue * (32 + 2 * entries * 32);
    const u32 put = read(base);
    std::array<u32, 8> words{code, argument};
    client.write(8, 0, base + 32 + put % entries * 32,
                 {reinterpret_cast<const u8*>(words.data()), 32});
    write(base, (put + 1) % (2 * entries));
    if (by_fifo)
      write(0x800B0000, 0);
    else
      write(0x80030100, read(0x80030100) | 1u << 16);
    const u32 get = read(base + 4);
    EXPECT_NE(read(base + 20), get);
    client.read(8, 0, base + 32 + (entries + get % entries) * 32,
                {reinterpret_cast<u8*>(words.data()), 32});
    write(base + 4, (get + 1) % (2 * entries));
    EXPECT_EQ(read(0x80030100) >> 16 & 1, 0u);  // the interrupt has been taken
    return words;
  }
};

TEST_F(CardArc, telemetry_agrees_with_what_answers_on_the_card) {
  for (const auto& [board, dram, columns] :
       {std::tuple{"p100a", "7", "1,3"}, std::tuple{"p100a", "0", "+3"},
        std::tuple{"p150", "none", "none"}, std::tuple{"p150", "2,5", "0,13"}}) {
    open(board, {{"BHEMU_HARVEST_DRAM", dram}, {"BHEMU_HARVEST_COLUMNS", columns}});
    const auto tags = telemetry();
    unsigned tensix = 0;
    for (u32 x = 1; x <= 16; ++x)
      if (x != 8 && x != 9) tensix += refusal([&] { client.read32(x, 2, 0); }).empty();
    EXPECT_EQ(tensix, static_cast<unsigned>(std::popcount(tags.at(34)))) << board;
    unsigned banks = 0;
    for (u32 y = 12; y < 24; y += 3)
      for (const u32 x : {17u, 18u}) banks += refusal([&] { client.read32(x, y, 0); }).empty();
    EXPECT_EQ(banks, static_cast<unsigned>(std::popcount(tags.at(36)))) << board << dram;
    unsigned ethernet = 0;
    for (u32 x = 20; x < 32; ++x) ethernet += refusal([&] { client.read32(x, 25, 0); }).empty();
    EXPECT_EQ(ethernet, static_cast<unsigned>(std::popcount(tags.at(35)))) << board;
    for (u32 bank = 0; bank < 8; ++bank) {  // trained, and as warm as the others, or harvested
      const u32 there = tags.at(36) >> bank & 1;
      EXPECT_EQ(tags.at(22) >> (2 * bank) & 3, there);
      EXPECT_EQ((tags.at(42 + bank / 2) >> (bank % 2 * 16) & 0xFFFF) != 0, there != 0);
    }
    // The product by board id, by PCI subsystem; the endpoint by its NIU.
    EXPECT_EQ(tags.at(1) >> 4, libttsim_pci_config_rd32(0, 0x2C) >> 16);
    const u32 x = CardClient::get(client.bar0 + 0x1FD04044) & 0x3F;
    EXPECT_EQ(tags.at(38), x == 2 ? 1u : 4u);
    EXPECT_EQ(tags.at(40), CardClient::get(client.bar0 + 0x1FD04100) >> 14 & 1);
    EXPECT_EQ(tags.at(33), tags.size());
    EXPECT_EQ(tags.at(14), 800u);
  }
}

TEST_F(CardArc, every_tag_that_the_kernel_driver_asks_for_is_there) {
  open("p100a");
  const auto tags = telemetry();
  // tt-kmd telemetry.h; 58 is left out by the firmware too.
  for (const u32 tag : {1,  2,  6,  7,  8,  9,  10, 11, 14, 15, 16, 24, 26,
                        27, 28, 29, 31, 32, 41, 55, 56, 60, 61, 62, 63, 64})
    EXPECT_EQ(tags.count(tag), 1u) << tag;
  EXPECT_EQ(tags.size(), arc::telemetry_tag_count());
}

TEST_F(CardArc, messages_of_all_clients_are_answered_in_every_queue_by_either_doorbell) {
  open("p100a");
  for (u32 queue = 0; queue < 4; ++queue) {
    for (const bool by_fifo : {false, true}) {
      for (u32 i = 0; i < 9; ++i)  // more than the pointers count
        EXPECT_EQ(message(0x90, i, queue, by_fifo)[1], i + 1);
      EXPECT_EQ(message(0xA0, 0, queue, by_fifo)[0], 0u);
      EXPECT_EQ(message(0xC1, 10'000, queue, by_fifo)[0], 0u);
      EXPECT_EQ(message(0x52, 0, queue, by_fifo)[0], 0u);
      EXPECT_EQ(telemetry().at(14), 1350u);
      EXPECT_EQ(message(0x34, 0, queue, by_fifo)[1], 1350u);
      EXPECT_EQ(message(0x54, 0, queue, by_fifo)[0], 0u);
      EXPECT_EQ(telemetry().at(14), 800u);
      EXPECT_EQ(message(0x21 | 1 << 8 | 1 << 16, 0, queue, by_fifo)[0], 0u);
      EXPECT_EQ(telemetry().at(14), 1350u);
      EXPECT_EQ(message(0x21 | 1 << 8, 0, queue, by_fifo)[0], 0u);
      EXPECT_EQ(message(0xAC, 70, queue, by_fifo)[0], 0u);
      EXPECT_EQ(telemetry().at(31), 70u);
      EXPECT_EQ(message(0xB6, 7, queue, by_fifo)[1], 2u);  // harvested on this board
      EXPECT_EQ(message(0xA3, 0, queue, by_fifo)[0], 0u);
      EXPECT_EQ(message(0x11, 0, queue, by_fifo)[0], 0xFFu);  // no handler for NOP
      EXPECT_EQ(message(0x19, 0, queue, by_fifo)[0], 0xFFu);  // no flash
    }
  }
}

TEST_F(CardArc, what_the_firmware_does_not_do_can_be_made_an_error) {
  open("p100a", {{"BHEMU_RULE", "arc-message=error"}});
  const std::string said = refusal([&] { message(0x19, 0, 0, true); });
  EXPECT_NE(said.find("arc-message"), std::string::npos) << said;
  EXPECT_NE(said.find("READ_EEPROM"), std::string::npos) << said;
  EXPECT_EQ(read(0x80030408) & 7, 5u);  // and the card goes on
}

TEST_F(CardArc, registers_are_single_words_and_memory_is_bytes) {
  open("p150");
  for (const u64 at : {0x80030060u, 0x80030404u, 0x800304FCu}) {
    write(at, 0x600D0000);
    EXPECT_EQ(read(at), 0x600D0000u);
    std::array<u8, 8> bytes{};
    EXPECT_NE(refusal([&] { client.read(8, 0, at, {bytes.data(), 2}); }), "");
    EXPECT_NE(refusal([&] { client.read(8, 0, at, bytes); }), "");
    EXPECT_NE(refusal([&] { client.write(8, 0, at + 1, {bytes.data(), 4}); }), "");
    EXPECT_EQ(read(at), 0x600D0000u);
  }
  for (const u64 at : {0x80030000u, 0x80030500u, 0x80040000u, 0x800B0004u, 0x10080000u, 0x0u}) {
    EXPECT_NE(refusal([&] { read(at); }), "") << at;
    EXPECT_NE(refusal([&] { write(at, 0); }), "") << at;
  }
  for (const u64 at :
       {0x800300E0u, 0x800300E4u, 0x80050044u, 0x80050100u, 0x80058100u, 0x800B0008u})
    EXPECT_NE(refusal([&] { write(at, 0); }), "") << at;  // read only
  EXPECT_EQ(read(0x80050100) >> 14 & 1, 1u);
  EXPECT_EQ(read(0x80058044) & 0xFFF, 8u | 11u << 6);
  const std::vector<u8> data{1, 2, 3, 4, 5, 6, 7};
  std::vector<u8> back(7);
  client.write(8, 0, 0x10040003, data);
  client.read(8, 0, 0x10040003, back);
  EXPECT_EQ(back, data);
  EXPECT_NE(refusal([&] { client.write(8, 0, 0x1007FFFC, data); }), "");  // over the end
}

}  // namespace
}  // namespace bhemu::test
