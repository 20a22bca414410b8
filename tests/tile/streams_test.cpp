// Overlay streams in a tile: what the coprocessor and the cores see of them, and messages from
// software to software (WormholeB0/NoC/Overlay/, BlackholeA0 STREAMWAIT.md, STREAMWRCFG.md,
// CSRs.md).
#include "tensix/isa.hpp"
#include "tensix/state.hpp"
#include "tile/stream_tile.hpp"

namespace bhemu::test {
namespace {

using namespace noc::stream;
using tensix::encode;
namespace op = tensix::op;

constexpr u32 kResult = 0x9000;

u32 setc16(u32 index, u32 value) {
  return encode<op::SETC16>({{"setc16_reg", index}, {"setc16_value", value}});
}
u32 mark(u32 value) {
  return encode<op::SETDMAREG>({{"reg_index_16b", 100}, {"payload_sig_sel", value}});
}

TEST(StreamsOfATile, streamwait_waits_for_a_phase_and_for_messages) {
  StreamTile chip;
  const auto wait = [](u32 condition, u32 target) {
    return encode<op::STREAMWAIT>({{"stall_res", 0x1FF},
                                   {"target_sel", condition},
                                   {"target_value", target},
                                   {"wait_stream_sel", 2}});
  };
  const auto marked = [&] { return chip.tile->coprocessor().state().thcon.gpr[0][50]; };
  chip.push({setc16(59 + 2, 17), wait(0, 1), mark(1), wait(1, 2), mark(2)});
  EXPECT_EQ(marked(), 0u);
  chip.begin(17, 3, kReceiverEndpoint);  // adds 1 to the phase
  chip.run();
  EXPECT_EQ(marked(), 1u);
  chip.send(17, 0, 2);
  chip.run();
  EXPECT_EQ(marked(), 1u);
  chip.send(17, 1, 2);
  chip.run();
  EXPECT_EQ(marked(), 2u);
  EXPECT_EQ(chip.fault(), Rule::Count);
}

TEST(StreamsOfATile, streamwrcfg_reads_the_registers_of_messages) {
  StreamTile chip;
  chip.begin(5, 3, kReceiverEndpoint);
  chip.send(5, 0, 3);
  chip.send(5, 1, 1);
  std::vector<u32> words{setc16(60, 5)};
  const u32 registers[] = {STREAM_NUM_MSGS_RECEIVED_IN_BUF_AND_MEM, STREAM_NUM_MSGS_RECEIVED,
                           STREAM_BUF_SPACE_AVAILABLE, STREAM_PHASE_ADVANCE};
  for (u32 i = 0; i < 4; ++i)
    words.push_back(encode<op::STREAMWRCFG>(
        {{"stream_id_sel", 1}, {"stream_reg_addr", registers[i]}, {"cfg_reg", 88 + i}}));
  chip.push(words);
  const auto& bank = chip.tile->coprocessor().state().cfg.bank[0];
  EXPECT_EQ(bank[88], 2u);
  EXPECT_EQ(bank[89], 2u);
  EXPECT_EQ(bank[90], 4u);
  EXPECT_EQ(bank[91], 0u);
  EXPECT_EQ(chip.fault(), Rule::Count);
}

TEST(StreamsOfATile, status_csrs_of_a_trisc_show_the_streams_that_its_thread_selects) {
  StreamTile chip;
  chip.begin(33, 3, kReceiverEndpoint);
  chip.send(33, 0, 1);
  Assembler a(kCode);
  a.li(t0, 0xFFE40000);
  a.li(t1, setc16(59 + 3, 33));
  a.sw(t1, 0, t0);
  a.li(t0, 0xFFE80004);
  a.lw(t1, 0, t0);  // until the thread is done
  a.li(t2, kResult);
  for (u32 i = 0; i < 8; ++i) {
    a.word((0xBC2 + i) << 20 | 2 << 12 | a0 << 7 | 0x73);  // csrr a0
    a.sw(a0, static_cast<i32>(4 * i), t2);
  }
  a.halt();
  chip.load(kCode, a.finish());
  chip.start_at(CoreId::Trisc0, kCode);
  chip.start({CoreId::Trisc0});
  chip.run();
  for (u32 i = 0; i < 8; ++i)
    EXPECT_EQ(chip.read(kResult + 4 * i), i == 3 || i == 7 ? 1u : 0u) << i;
  EXPECT_EQ(chip.fault(), Rule::TileStreamStatusCsr);
  EXPECT_FALSE(chip.tile->faults().stopped());
}

TEST(StreamMessages, go_from_software_to_software_through_buffer_and_headers) {
  StreamTile chip;
  chip.begin(20, 3, kReceiverEndpoint);
  EXPECT_EQ(chip.get(20, STREAM_WAIT_STATUS), 5u << 3 | 4u);
  EXPECT_EQ(chip.get(20, STREAM_BUF_SPACE_AVAILABLE), 8u);
  chip.send(20, 0, 3);
  chip.send(20, 1, 4);
  EXPECT_EQ(chip.get(20, STREAM_BUF_SPACE_AVAILABLE), 1u);
  EXPECT_EQ(chip.get(20, STREAM_NUM_MSGS_RECEIVED), 2u);
  EXPECT_EQ(chip.get(20, STREAM_MSG_INFO_FULL), 1u) << "stream 20 remembers two";
  EXPECT_EQ(chip.get(20, STREAM_NEXT_RECEIVED_MSG_ADDR), kBuffer / 16);
  EXPECT_EQ(chip.get(20, STREAM_NEXT_RECEIVED_MSG_SIZE), 3u);
  EXPECT_EQ(chip.get(20, STREAM_RECEIVER_MSG_INFO + 2), kBuffer / 16 + 3);
  EXPECT_EQ(chip.get(20, STREAM_RECEIVER_MSG_INFO + 3), 4u);
  chip.set(20, STREAM_MSG_INFO_CLEAR, 1);
  EXPECT_EQ(chip.get(20, STREAM_BUF_SPACE_AVAILABLE), 1u) << "the data is still in use";
  EXPECT_EQ(chip.get(20, STREAM_PHASE_AUTO_CFG_HEADER), 2u << 12 | 2u);
  chip.set(20, STREAM_MSG_DATA_CLEAR, 1);
  EXPECT_EQ(chip.get(20, STREAM_BUF_SPACE_AVAILABLE), 4u);
  chip.send(20, 2, 2);  // its second half is at the beginning of the buffer
  EXPECT_EQ(chip.get(20, STREAM_WR_PTR), 1u << 17 | 1u);
  EXPECT_EQ(chip.get(20, STREAM_PHASE_ALL_MSGS_PUSHED), 1u);
  chip.set(20, STREAM_MULTI_MSG_CLEAR, 2);
  EXPECT_EQ(chip.get(20, STREAM_RD_PTR), 1u << 17 | 1u);
  EXPECT_EQ(chip.get(20, STREAM_BUF_SPACE_AVAILABLE), 8u);
  EXPECT_EQ(chip.get(20, STREAM_WAIT_STATUS), 1u) << "the phase is over";
  EXPECT_EQ(chip.get(0, STREAM_BLOB_AUTO_CFG_DONE), 1u << 20);
  constexpr u32 kHwInt0 = 0xFFB13098;  // PIC.md, "Hardware IRQs"
  EXPECT_EQ(chip.read(kHwInt0), 1u);
  EXPECT_EQ(chip.get(0, STREAM_BLOB_NEXT_AUTO_CFG_DONE), 0x10000u | 20);
  EXPECT_EQ(chip.read(kHwInt0), 0u);
  EXPECT_EQ(chip.get(0, STREAM_BLOB_NEXT_AUTO_CFG_DONE), 0u);
  EXPECT_EQ(chip.fault(), Rule::Count);
}

TEST(StreamMessages, of_streams_4_and_5_keep_their_headers) {
  StreamTile chip;
  chip.begin(4, 20, kReceiverEndpoint);
  for (u32 i = 0; i < 3; ++i) chip.send(4, i, 1);
  for (u32 i = 0; i < 3; ++i) {
    EXPECT_EQ(chip.get(4, STREAM_RECEIVER_MSG_INFO + 6 * i), kBuffer / 16 + i);
    EXPECT_EQ(chip.get(4, STREAM_RECEIVER_MSG_INFO + 6 * i + 2), 1u);
    EXPECT_EQ(chip.get(4, STREAM_RECEIVER_MSG_INFO + 6 * i + 5), 0x300 + i);
  }
  EXPECT_EQ(chip.get(4, STREAM_MSG_GROUP_ZERO_MASK_AND), 0u) << "the fourth is not there";
  chip.send(4, 3, 1);
  EXPECT_EQ(chip.get(4, STREAM_MSG_GROUP_ZERO_MASK_AND), 0x200u);
  // A message of which only the registers know.
  for (u32 i = 0; i < 4; ++i) chip.set(4, STREAM_RECEIVER_ENDPOINT_SET_MSG_HEADER + i, 0x1000 + i);
  chip.set(4, STREAM_SOURCE_ENDPOINT_NEW_MSG_INFO, 2u << 17 | 0x1234);
  EXPECT_EQ(chip.get(4, STREAM_RECEIVER_MSG_INFO + 24), 0x1234u);
  EXPECT_EQ(chip.get(4, STREAM_RECEIVER_MSG_INFO + 25), 2u);
  EXPECT_EQ(chip.get(4, STREAM_RECEIVER_MSG_INFO + 29), 0x1003u);
  EXPECT_EQ(chip.get(4, STREAM_NUM_MSGS_RECEIVED), 5u);
  EXPECT_EQ(chip.fault(), Rule::Count);
}

TEST(StreamMessages, to_nowhere_are_taken_away_at_once) {
  StreamTile chip;
  chip.begin(30, 3, 0);
  chip.send(30, 0, 5);
  chip.send(30, 1, 5);
  EXPECT_EQ(chip.get(30, STREAM_BUF_SPACE_AVAILABLE), 8u);
  EXPECT_EQ(chip.get(30, STREAM_WAIT_STATUS), 5u << 3 | 4u);
  chip.send(30, 2, 5);
  EXPECT_EQ(chip.get(30, STREAM_WAIT_STATUS), 1u);
  EXPECT_EQ(chip.fault(), Rule::Count);
}

TEST(StreamMessages, phases_are_configured_from_l1_one_after_the_other) {
  StreamTile chip;
  chip.begin(12, 0, 0);  // a phase without messages is over at once
  EXPECT_EQ(chip.get(12, STREAM_WAIT_STATUS), 1u);
  // Two phases: the first to software, the second to nowhere and then idle.
  const auto entry = [](u32 index, u32 value) { return index << 24 | value; };
  chip.load(0x1000, {2u << 24 | 1u << 12 | 1,  // two words for what comes next, one message
                     entry(STREAM_MISC_CFG, kSourceEndpoint | kReceiverEndpoint), 2u << 12 | 1,
                     entry(STREAM_MISC_CFG, kSourceEndpoint), entry(STREAM_ONETIME_MISC_CFG, 2)});
  chip.set(12, STREAM_PHASE_AUTO_CFG_HEADER, 1u << 24);
  chip.set(12, STREAM_PHASE_AUTO_CFG_PTR, 0x1000);
  chip.set(12, STREAM_ONETIME_MISC_CFG, 3);
  EXPECT_EQ(chip.get(12, STREAM_WAIT_STATUS), 5u << 3 | 4u);
  EXPECT_EQ(chip.get(12, STREAM_CURR_PHASE), 2u);
  chip.send(12, 0, 2);
  chip.set(12, STREAM_MSG_INFO_CLEAR, 1);
  EXPECT_EQ(chip.get(12, STREAM_CURR_PHASE), 3u) << "the next phase is configured";
  EXPECT_EQ(chip.get(12, STREAM_WAIT_STATUS), 4u << 3 | 2u) << "and waits for the first's reads";
  chip.set(12, STREAM_MSG_DATA_CLEAR, 1);
  EXPECT_EQ(chip.get(12, STREAM_WAIT_STATUS), 5u << 3 | 4u);
  chip.send(12, 1, 2);
  chip.send(12, 2, 2);
  EXPECT_EQ(chip.get(12, STREAM_WAIT_STATUS), 1u);
  EXPECT_EQ(chip.fault(), Rule::Count);
}

TEST(StreamMessages, that_nobody_has_described_are_refused_by_name) {
  struct Row {
    u32 index, value;
    const char* text;
  };
  for (const Row& row : {Row{STREAM_DEST_PHASE_READY_UPDATE, 1, "handshakes"},
                         Row{STREAM_RELOAD_PHASE_BLOB, 1, "how large"},
                         Row{STREAM_MSG_DATA_CLEAR, 1, "without STREAM_MSG_INFO_CLEAR"},
                         Row{STREAM_SOURCE_ENDPOINT_NEW_MSG_INFO, 1, "not under way"}}) {
    StreamTile chip;
    const u32 value = row.value;
    EXPECT_FALSE(chip.tile->host_write(stream_address(7, row.index),
                                       {reinterpret_cast<const u8*>(&value), 4}, 0));
    EXPECT_EQ(chip.fault(), Rule::NocStream);
    EXPECT_NE(chip.tile->faults().faults().back().text.find(row.text), std::string::npos);
  }
  StreamTile chip;
  chip.set(7, STREAM_MISC_CFG, 1u << 5);  // from another stream
  chip.set(7, STREAM_PHASE_AUTO_CFG_HEADER, 1u << 12);
  const u32 value = 1;
  EXPECT_FALSE(chip.tile->host_write(stream_address(7, STREAM_PHASE_ADVANCE),
                                     {reinterpret_cast<const u8*>(&value), 4}, 0));
  EXPECT_EQ(chip.fault(), Rule::NocStream);
}

}  // namespace
}  // namespace bhemu::test
