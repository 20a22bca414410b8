// Drawn statements: overlay streams (WormholeB0/NoC/Overlay/*.md). All through a real tile.
#include <gtest/gtest.h>

#include "tile/stream_tile.hpp"

namespace bhemu::test {
namespace {

using namespace noc::stream;

/// Whether a store is taken.
bool takes(StreamTile& chip, u32 stream, u32 index, u32 value) {
  return chip.tile->host_write(stream_address(stream, index),
                               {reinterpret_cast<const u8*>(&value), 4}, 0);
}

// --- ReceiveFromSoftware.md, TransmitToSoftware.md

TEST(AuditMessages, a_message_without_a_header_array_needs_equal_pointers_and_one_store) {
  StreamTile chip;
  chip.set(20, STREAM_MISC_CFG, kSourceEndpoint | kReceiverEndpoint);
  chip.set(20, STREAM_BUF_START, kBuffer / 16);
  chip.set(20, STREAM_BUF_SIZE, 8);
  chip.set(20, STREAM_MSG_INFO_PTR, 0);  // 0 is as good as any other address
  chip.set(20, STREAM_MSG_INFO_WR_PTR, 0);
  chip.set(20, STREAM_PHASE_AUTO_CFG_HEADER, 9u << 12 | 1);
  chip.set(20, STREAM_PHASE_ADVANCE, 0);
  chip.set(20, STREAM_SOURCE_ENDPOINT_NEW_MSG_INFO, 3u << 17 | kBuffer / 16);
  EXPECT_EQ(chip.get(20, STREAM_MSG_INFO_PTR), 1u);
  EXPECT_EQ(chip.get(20, STREAM_MSG_INFO_WR_PTR), 1u);
  EXPECT_EQ(chip.get(20, STREAM_WR_PTR), 3u);
  EXPECT_EQ(chip.get(20, STREAM_NUM_MSGS_RECEIVED), 1u);
  EXPECT_EQ(chip.get(20, STREAM_NEXT_RECEIVED_MSG_ADDR), kBuffer / 16);
  EXPECT_EQ(chip.get(20, STREAM_NEXT_RECEIVED_MSG_SIZE), 3u);
  EXPECT_EQ(chip.fault(), Rule::Count);
}

TEST(AuditMessages, two_messages_are_popped_together_and_their_data_freed_by_one_store) {
  StreamTile chip;
  chip.begin(20, 9, kReceiverEndpoint);
  chip.send(20, 0, 3);
  chip.send(20, 1, 2);
  chip.set(20, STREAM_MSG_INFO_CLEAR, 2);
  EXPECT_EQ(chip.get(20, STREAM_NUM_MSGS_RECEIVED), 0u);
  EXPECT_EQ(chip.get(20, STREAM_BUF_SPACE_AVAILABLE), 3u);
  EXPECT_EQ(chip.get(20, STREAM_RD_PTR), 0u);
  chip.set(20, STREAM_MSG_DATA_CLEAR, 0xABCD);  // any value
  EXPECT_EQ(chip.get(20, STREAM_RD_PTR), 5u);
  EXPECT_EQ(chip.get(20, STREAM_BUF_SPACE_AVAILABLE), 8u);
  EXPECT_EQ(chip.fault(), Rule::Count);
}

TEST(AuditMessages, places_behind_the_received_messages_read_as_zero) {
  for (const u32 stream : {4u, 20u}) {
    StreamTile chip;
    chip.begin(stream, 9, kReceiverEndpoint);
    chip.send(stream, 0, 1);
    const u32 words = stream == 4 ? 6 : 2;
    EXPECT_EQ(chip.get(stream, STREAM_RECEIVER_MSG_INFO + 1), 1u);
    for (u32 i = 2 * words; i < 16 * words; ++i)
      EXPECT_EQ(chip.get(stream, STREAM_RECEIVER_MSG_INFO + i), 0u) << i;
    EXPECT_EQ(chip.get(stream, STREAM_RECEIVER_MSG_INFO),
              chip.get(stream, STREAM_NEXT_RECEIVED_MSG_ADDR));
  }
}

// --- LoadConfigurationFromL1.md

TEST(AuditMessages, the_header_of_a_phase_adds_to_its_number_and_counts_messages_down) {
  StreamTile chip;
  chip.set(20, STREAM_CURR_PHASE, 0x10);
  chip.set(20, STREAM_PHASE_AUTO_CFG_HEADER, 7u << 24 | 5u << 12 | 0x203);
  EXPECT_EQ(chip.get(20, STREAM_CURR_PHASE), 0x213u);
  EXPECT_EQ(chip.get(20, STREAM_PHASE_AUTO_CFG_HEADER), 7u << 24 | 5u << 12 | 5u)
      << "both fields show the messages that are left";
}

// --- Gather.md, TransferBetweenTiles.md, TransmitToDRAMBuffer.md

TEST(AuditMessages, scratch_of_a_stream_that_cannot_reach_dram_ignores_writes) {
  StreamTile chip;
  for (const u32 stream : {0u, 3u, 8u, 11u, 20u, 63u}) {
    chip.set(stream, STREAM_SCRATCH, 0b101);
    const bool dram = stream < 4 || (stream >= 8 && stream < 12);
    EXPECT_EQ(chip.get(stream, STREAM_SCRATCH), dram ? 0b101u : 0u) << stream;
  }
}

TEST(AuditMessages, multicast_flags_are_kept_by_the_streams_that_have_them) {
  StreamTile chip;
  chip.set(3, STREAM_MCAST_DEST, 1u << 15 | 1u << 16);
  EXPECT_EQ(chip.get(3, STREAM_MCAST_DEST), 1u << 15 | 1u << 16);
  chip.set(4, STREAM_MCAST_DEST, 1u << 15 | 1u << 16);
  EXPECT_EQ(chip.get(4, STREAM_MCAST_DEST), 0u);
}

TEST(AuditMessages, phases_that_gather_or_move_between_streams_are_refused_by_name) {
  constexpr u32 kLocalSources = 1u << 3, kRemoteSource = 1u << 5, kLocalReceiver = 1u << 7,
                kRemoteReceiver = 1u << 8;
  for (const u32 config : {kLocalSources | kReceiverEndpoint, kRemoteSource | kReceiverEndpoint,
                           kSourceEndpoint | kLocalReceiver, kSourceEndpoint | kRemoteReceiver}) {
    StreamTile chip;
    chip.set(2, STREAM_MISC_CFG, config);
    chip.set(2, STREAM_PHASE_AUTO_CFG_HEADER, 1u << 12);
    EXPECT_FALSE(takes(chip, 2, STREAM_PHASE_ADVANCE, 0)) << std::hex << config;
    EXPECT_EQ(chip.fault(), Rule::NocStream);
  }
}

}  // namespace
}  // namespace bhemu::test
