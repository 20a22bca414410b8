// Host memory: the card's own reads and writes through the callbacks, and read channel 0 of the
// controller's DMA engine.
#include <numeric>

#include "card_fixture.hpp"

namespace bhemu::test {
namespace {

class CardDma : public CardTest {
 protected:
  CardDma() { open("p150"); }

  void run(std::vector<u32> code) {
    code.push_back(kForever);
    run_brisc({1, 2}, code);
    for (int i = 0; i < 40; ++i) libttsim_clock(256);
  }
};

TEST_F(CardDma, a_core_writes_to_the_host_and_reads_from_it_through_the_iatu) {
  iatu(0, 0, 0xFFFF, kHostBase + 0x8000);
  iatu(7, u64{5} << 32, (u64{5} << 32) + 0xFFF, kHostBase);
  for (u32 i = 0; i < 256; ++i) host()[i] = static_cast<u8>(i * 3 + 1);
  std::vector<u8> words(128);
  std::iota(words.begin(), words.end(), u8{100});
  client.write(1, 2, 0x20000, words);
  std::vector<u32> code;
  request(code, {0x20000, {1, 2}}, {(u64{1} << 60) + 0x40, {19, 24}}, kWrite, 128);
  request(code, {(u64{1} << 60) + (u64{5} << 32), {19, 24}}, {0x30000, {1, 2}}, kRead, 256);
  run(code);
  EXPECT_EQ(std::memcmp(host().data() + 0x8040, words.data(), 128), 0);
  std::vector<u8> arrived(256);
  client.read(1, 2, 0x30000, arrived);
  EXPECT_EQ(std::memcmp(arrived.data(), host().data(), 256), 0);
  // What tt-kmd shows of it: two flits arrived, four were sent.
  EXPECT_EQ(CardClient::get(client.bar0 + 0x1FD04200 + 0x38 * 4), 2u);
  EXPECT_EQ(CardClient::get(client.bar0 + 0x1FD04200 + 0x33 * 4), 4u);
}

TEST_F(CardDma, without_the_iatu_an_address_goes_to_the_host_as_it_is) {
  std::vector<u32> code;
  client.write32(1, 2, 0x20000, 0xFEEDF00D);
  request(code, {0x20000, {1, 2}}, {kHostBase + 0x100, {19, 24}}, kWrite, 4);
  run(code);
  EXPECT_EQ(host_word(kHostBase + 0x100), 0xFEEDF00Du);
}

TEST_F(CardDma, what_no_callback_takes_is_a_fault_with_its_place) {
  std::vector<u32> code;
  request(code, {0x20000, {1, 2}}, {0x10, {19, 24}}, kWrite, 4);
  const std::string said = refusal([&] { run(code); });
  EXPECT_NE(said.find("pcie-address"), std::string::npos) << said;
  EXPECT_NE(said.find("issued by BRISC of Tensix (1,2)"), std::string::npos) << said;
}

TEST_F(CardDma, a_card_without_callbacks_has_no_host_memory) {
  close();
  libttsim_set_pci_dma_mem_callbacks(nullptr, nullptr);
  libttsim_init();
  client = CardClient();
  client.aim(0, {.address = u64{1} << 60, .x = 19, .y = 24});
  EXPECT_NE(refusal([&] { CardClient::get(client.bar0); }), "");
  EXPECT_NE(refusal([&] { CardClient::put(client.bar0, 1); }), "");
  EXPECT_EQ(client.read32(8, 0, 0x80030408) & 7, 5u);
  libttsim_exit();
}

TEST_F(CardDma, windows_reach_host_memory_with_any_size_and_alignment) {
  iatu(3, 0x10000, 0x1FFFF, kHostBase + 0x1000);
  std::vector<u8> data(300);
  std::iota(data.begin(), data.end(), u8{7});
  client.write(19, 24, (u64{1} << 60) + 0x10000 + 13, data);
  EXPECT_EQ(std::memcmp(host().data() + 0x100D, data.data(), data.size()), 0);
  std::vector<u8> back(data.size());
  client.read(19, 24, (u64{1} << 60) + 0x1000D, back);
  EXPECT_EQ(back, data);
  EXPECT_NE(refusal([&] { client.write(19, 24, (u64{1} << 60) + 0x1FFF0, data); }),
            "");                                                         // the edge
  EXPECT_NE(refusal([&] { client.read32(19, 24, u64{9} << 58); }), "");  // a TLB that is not set
}

class ReadChannel : public CardDma {
 protected:
  void set(u32 offset, u64 value) {
    CardClient::put(client.bar2 + offset, static_cast<u32>(value));
  }
  /// As tt-umd's blackhole_dma_transfer does.
  void prepare(u32 bytes, u64 source, u64 target) {
    set(0x188, 1 << 3 | 1 << 5);
    set(0x190, kHostBase + 0xF00);
    set(0x194, 0);
    set(0x1A8, 0xD07E);
    set(0x100, 1);
    set(0x11C, bytes);
    set(0x120, source);
    set(0x124, source >> 32);
    set(0x128, target);
    set(0x12C, target >> 32);
  }
  u32 left() { return CardClient::get(client.bar2 + 0x11C); }
};

TEST_F(ReadChannel, copies_from_the_host_to_a_window_and_writes_its_message) {
  for (u32 i = 0; i < 0x8000; ++i) host()[0x10000 + i] = static_cast<u8>(i * 7 >> 2);
  client.aim(181, {.address = 6 << 20, .x = 18, .y = 12});
  prepare(0x8000, kHostBase + 0x10000, client.window_base(181) - client.bar0 + 0x100);
  EXPECT_EQ(left(), 0x8000u);
  set(0x104, 1);
  EXPECT_EQ(left(), 0u);
  EXPECT_EQ(host_word(kHostBase + 0xF00), 0xD07Eu);
  std::vector<u8> copied(0x8000);
  libttsim_tile_rd_bytes(18, 12, (6 << 20) + 0x100, copied.data(), 0x8000);
  EXPECT_EQ(std::memcmp(copied.data(), host().data() + 0x10000, 0x8000), 0);
}

TEST_F(ReadChannel, goes_to_several_tiles_when_the_window_multicasts) {
  host().assign(kHostBytes, 0x5A);
  client.aim(4, {.x = 3, .y = 3, .start_x = 1, .start_y = 2, .multicast = true});
  prepare(64, kHostBase, client.window_base(4) - client.bar0 + 0x700);
  set(0x104, 1);
  for (const Coord tile : {Coord{1, 2}, Coord{2, 3}, Coord{3, 3}})
    EXPECT_EQ(tile_word(tile, 0x73C), 0x5A5A5A5Au);
  EXPECT_EQ(tile_word({4, 3}, 0x700), 0u);
}

TEST_F(ReadChannel, is_refused_what_no_channel_could_do_and_then_nothing_has_moved) {
  client.aim(0, {.x = 1, .y = 2});
  client.aim(1, {.x = 40, .y = 2});
  const auto said = [&](u32 bytes, u64 source, u64 target) {
    prepare(bytes, source, target);
    return refusal([&] { set(0x104, 1); });
  };
  EXPECT_NE(said(6, kHostBase, 0).find("whole words"), std::string::npos);
  EXPECT_NE(said(4, kHostBase, 2).find("whole words"), std::string::npos);
  EXPECT_NE(said(4, kHostBase - 4, 0).find("no host memory"), std::string::npos);
  EXPECT_NE(said(4, kHostBase, 0x1940'0000).find("windows of BAR 0"), std::string::npos);
  EXPECT_NE(said(4, kHostBase, u64{1} << 32).find("windows of BAR 0"), std::string::npos);
  EXPECT_NE(said(64, kHostBase, (2 << 20) - 32).find("no tile answers"), std::string::npos);
  EXPECT_EQ(left(), 64u);
  set(0x100, 0);
  EXPECT_NE(refusal([&] { set(0x104, 1); }).find("disabled"), std::string::npos);
  set(0x104, 0);  // no doorbell
}

}  // namespace
}  // namespace bhemu::test
