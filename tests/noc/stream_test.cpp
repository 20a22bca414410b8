// Overlay stream registers as general-use registers (WormholeB0/NoC/Overlay/AsGeneralUse.md).
#include "noc/stream.hpp"

#include <gtest/gtest.h>

#include <span>

namespace bhemu::noc {
namespace {

using namespace stream;

constexpr u32 address(u32 stream_id, u32 index) {
  return stream_id * 0x1000 + index * 4;
}

class Streams : public testing::Test, private Waker {
 protected:
  Streams() {
    wakeup.watched = ~0u;
    wakeup.waker = this;
  }
  void wake(Resource resource) override {
    EXPECT_EQ(resource, Resource::Stream);
    ++touches;
  }
  u32 read(u32 stream_id, u32 index) {
    u32 value = 0xDEADBEEF;
    EXPECT_TRUE(file.read(address(stream_id, index), value)) << index;
    return value;
  }
  void write(u32 stream_id, u32 index, u32 value) {
    EXPECT_TRUE(file.write(address(stream_id, index), value)) << index;
  }
  Wakeup wakeup;
  u32 touches = 0;
  StreamFile file{&wakeup};
};

TEST_F(Streams, circular_buffer_counters_are_two_independent_registers_per_stream) {
  for (u32 id = 0; id < 64; ++id) {
    write(id, 8, 100 + id);
    write(id, 10, 200 + id);
  }
  for (u32 id = 0; id < 64; ++id) {
    EXPECT_EQ(read(id, 8), 100 + id);
    EXPECT_EQ(read(id, 10), 200 + id);
  }
  EXPECT_EQ(touches, 128u);
}

TEST_F(Streams, size_sets_space_available_and_update_adds_to_it) {
  write(48, STREAM_REMOTE_DEST_BUF_SIZE, 0);
  EXPECT_EQ(read(48, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE), 0u);
  EXPECT_EQ(read(48, STREAM_DEBUG_STATUS_2), 1u);
  for (u32 i = 1; i <= 5; ++i) {
    write(48, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE, 1u << 6);
    EXPECT_EQ(read(48, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE), i);
  }
  EXPECT_EQ(read(48, STREAM_DEBUG_STATUS_2), 9u);
  write(48, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE, 0x1FFFFu << 6);  // minus one
  EXPECT_EQ(read(48, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE), 4u);
  write(48, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE, 1u << 6 | 1);  // no destination 1 here
  EXPECT_EQ(read(48, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE), 4u);
  write(48, STREAM_REMOTE_DEST_BUF_SIZE, 0x12345);
  EXPECT_EQ(read(48, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE), 0x12345u);
}

TEST_F(Streams, multicast_streams_track_32_destinations) {
  write(3, STREAM_REMOTE_DEST_BUF_SIZE, 10);
  for (u32 i = 0; i < 32; ++i) write(3, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE, i << 6 | i);
  for (u32 i = 0; i < 32; ++i)
    EXPECT_EQ(read(3, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE + i), 10 + i);
  EXPECT_EQ(read(4, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE + 1), 0u);
}

TEST_F(Streams, every_readable_and_writable_row_keeps_its_width) {
  for (unsigned row = 0; row < stream_register_count(); ++row) {
    const StreamRegisterInfo& info = stream_registers()[row];
    if (!info.readable || !info.writable || info.is_flow) continue;
    if (info.index == STREAM_PHASE_AUTO_CFG_HEADER) continue;  // of its own, below
    for (u32 id = 0; id < 64; id += 7) {
      file.reset();
      const bool there = (info.streams >> id & 1) != 0;
      const u32 pattern = 0xFFFFFFFEu;  // bit 0 of STREAM_ONETIME_MISC_CFG would start the stream
      const u32 mask = info.width >= 32 ? ~0u : (1u << info.width) - 1;
      for (u32 i = 0; i < info.count; ++i) {
        write(id, info.index + i, pattern);
        EXPECT_EQ(read(id, info.index + i), there ? pattern & mask : 0) << info.name;
      }
    }
  }
}

TEST_F(Streams, writes_have_the_documented_side_effects) {
  write(9, STREAM_REMOTE_DEST_WR_PTR, 5);
  write(9, STREAM_REMOTE_DEST_BUF_START, 1);
  EXPECT_EQ(read(9, STREAM_REMOTE_DEST_WR_PTR), 0u);

  write(9, STREAM_RD_PTR, 3);
  write(9, STREAM_WR_PTR, 4);
  write(9, STREAM_BUF_START, 0x100);
  EXPECT_EQ(read(9, STREAM_RD_PTR), 0u);
  EXPECT_EQ(read(9, STREAM_WR_PTR), 0u);
  write(9, STREAM_RD_PTR, 7);
  EXPECT_EQ(read(9, STREAM_NEXT_RECEIVED_MSG_ADDR), 0x107u);
  EXPECT_EQ(read(9, STREAM_NEXT_RECEIVED_MSG_SIZE), 0u);

  write(9, STREAM_CURR_PHASE, 10);
  write(9, STREAM_PHASE_AUTO_CFG_HEADER, 7u << 12 | 5);
  EXPECT_EQ(read(9, STREAM_CURR_PHASE), 15u);
  EXPECT_EQ(read(9, STREAM_PHASE_AUTO_CFG_HEADER), 7u << 12 | 7) << "messages left, twice";
  write(9, STREAM_CURR_PHASE_BASE, 4);
  EXPECT_EQ(read(9, STREAM_CURR_PHASE), 11u);
  write(9, STREAM_PHASE_AUTO_CFG_PTR, 0x40);
  write(9, STREAM_PHASE_AUTO_CFG_PTR_BASE, 0x10);
  EXPECT_EQ(read(9, STREAM_PHASE_AUTO_CFG_PTR), 0x30u);

  EXPECT_EQ(read(9, STREAM_MSG_INFO_CAN_PUSH_NEW_MSG), 1u);
  write(9, STREAM_MSG_INFO_WR_PTR, 1);
  EXPECT_EQ(read(9, STREAM_MSG_INFO_CAN_PUSH_NEW_MSG), 0u);

  write(9, STREAM_GLOBAL_OFFSET_TABLE, 6u << 17 | 0x1234);
  EXPECT_EQ(read(9, STREAM_GLOBAL_OFFSET_TABLE_RD + 6), 0x1234u);
  write(9, STREAM_GLOBAL_OFFSET_TABLE, 1u << 20);
  EXPECT_EQ(read(9, STREAM_GLOBAL_OFFSET_TABLE_RD + 6), 0u);
}

TEST_F(Streams, what_is_not_modelled_is_refused_with_the_reason) {
  u32 value;
  EXPECT_FALSE(file.write(address(5, STREAM_ONETIME_MISC_CFG), 1));
  EXPECT_STREQ(file.refusal(), "configuration from L1 without an L1");
  EXPECT_FALSE(file.write(address(5, STREAM_NUM_MSGS_RECEIVED_INC), 1));
  EXPECT_STREQ(file.refusal(), "messages for a stream whose phase is not under way");
  EXPECT_FALSE(file.read(address(5, STREAM_SRC_READY_UPDATE), value));
  EXPECT_STREQ(file.refusal(), "handshakes between streams");
  EXPECT_FALSE(file.write(address(5, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE), 1));
  EXPECT_FALSE(file.read(address(5, STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE), value));
  EXPECT_FALSE(file.read(64 * 0x1000, value));
  EXPECT_FALSE(file.read(0x800, value));
  EXPECT_EQ(file.refusal(), nullptr);
  EXPECT_EQ(read(5, STREAM_WAIT_STATUS), 1u);  // idle
}

TEST_F(Streams, every_register_that_the_header_names_has_a_row) {
  for (u32 index = 0; index < 42; ++index) EXPECT_NE(stream_register_at(index), nullptr) << index;
  for (const u32 index : {206u, 207u, 208u, 224u, 226u, 254u, 255u, 499u, 500u, 501u, 510u, 511u})
    EXPECT_NE(stream_register_at(index), nullptr) << index;
  for (u32 index = 256; index < 280; ++index)
    EXPECT_NE(stream_register_at(index), nullptr) << index;
  for (const u32 index : {286u, 288u, 289u, 290u, 291u, 294u, 297u, 328u, 329u, 424u})
    EXPECT_NE(stream_register_at(index), nullptr) << index;
}

TEST_F(Streams, hash_tells_states_apart) {
  const u64 fresh = file.hash(3);
  write(63, STREAM_REMOTE_DEST_BUF_SIZE, 1);
  EXPECT_NE(file.hash(3), fresh);
  file.reset();
  EXPECT_EQ(file.hash(3), fresh);
}

TEST_F(Streams, a_look_at_a_stream_shows_what_reads_of_its_registers_give) {
  const std::span rows(stream_registers(), stream_register_count());
  u32 random = 1;
  const auto draw = [&] { return (random = random * 1664525 + 1013904223) >> 8; };
  for (int step = 0; step < 20000; ++step) {
    const u32 id = draw() % 64;
    const StreamRegisterInfo& written = rows[draw() % rows.size()];
    const u32 index = written.index + draw() % written.count;
    if (index != STREAM_ONETIME_MISC_CFG) file.write(address(id, index), draw() << 8 ^ draw());
    StreamState values;
    file.look(id, values);
    for (const StreamRegisterInfo& row : rows) {
      if (!StreamFile::shows(id, row)) continue;
      for (u32 i = 0; i < row.count; ++i)
        ASSERT_EQ(values[row.slot + i], read(id, row.index + i)) << row.name << " " << id;
    }
  }
}

}  // namespace
}  // namespace bhemu::noc
