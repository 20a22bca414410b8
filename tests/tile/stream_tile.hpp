// A tile whose overlay streams are set up and fed through their registers.
#pragma once

#include "noc/stream.hpp"
#include "tile/one_tile.hpp"

namespace bhemu::test {

inline constexpr u32 kCode = 0x6000;
inline constexpr u32 kHeaders = 0x20000;
inline constexpr u32 kBuffer = 0x30000;
inline constexpr u32 kSourceEndpoint = 1u << 4;
inline constexpr u32 kReceiverEndpoint = 1u << 6;

inline u32 stream_address(u32 stream, u32 index) {
  return 0xFFB40000 + stream * 0x1000 + index * 4;
}

struct StreamTile : OneTile {
  void set(u32 stream, u32 index, u32 value) { write(stream_address(stream, index), value); }
  u32 get(u32 stream, u32 index) { return read(stream_address(stream, index)); }
  Rule fault() const {
    const auto& faults = tile->faults().faults();
    return faults.empty() ? Rule::Count : faults.back().rule;
  }

  /// A phase of `messages` from software with a buffer of 8 * 16 bytes, begun.
  void begin(u32 stream, u32 messages, u32 config) {
    set(0, noc::stream::STREAM_MSG_HEADER_FORMAT, 16 << 7);  // the low 16 bits
    set(stream, noc::stream::STREAM_MISC_CFG, kSourceEndpoint | config);
    set(stream, noc::stream::STREAM_BUF_START, kBuffer / 16);
    set(stream, noc::stream::STREAM_BUF_SIZE, 8);
    set(stream, noc::stream::STREAM_MSG_INFO_PTR, kHeaders / 16);
    set(stream, noc::stream::STREAM_MSG_INFO_WR_PTR, kHeaders / 16);
    set(stream, noc::stream::STREAM_PHASE_AUTO_CFG_HEADER, messages << 12 | 1);
    set(stream, noc::stream::STREAM_PHASE_ADVANCE, 0);
  }
  /// Header `number` of the array, of a message of `length` * 16 bytes, then the notice.
  void send(u32 stream, u32 number, u32 length) {
    load(kHeaders + number * 16, {length, 0x100 + number, 0x200 + number, 0x300 + number});
    set(stream, noc::stream::STREAM_NUM_MSGS_RECEIVED_INC, length << 12 | 1);
  }
  /// TRISC0 pushes the words.
  void push(const std::vector<u32>& words) {
    Assembler a(kCode);
    a.li(t0, 0xFFE40000);
    for (const u32 word : words) {
      a.li(t1, word);
      a.sw(t1, 0, t0);
    }
    a.halt();
    load(kCode, a.finish());
    start_at(CoreId::Trisc0, kCode);
    start({CoreId::Trisc0});
    run();
  }
};

}  // namespace bhemu::test
