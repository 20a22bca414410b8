// A command buffer's fields, decoded (BlackholeA0/NoC/MemoryMap.md), and sizes of packets.
#pragma once

#include "base/bits.hpp"
#include "base/types.hpp"

namespace bhemu::noc {

inline constexpr u32 kFlitBytes = 64;
inline constexpr u32 kMaxPacketBytes = 16384;
/// Counters.md: the 8-bit counters limit a split request to just under 2 MiB.
inline constexpr u64 kMaxRequestBytes = 0x1FFFFF;
/// Addresses of a Tensix or Ethernet tile from here on are registers (NOC_REG_SPACE_START_ADDR).
inline constexpr u64 kRegisterSpace = 0xFF000000;

enum class RequestType : u8 { Read, Atomic, Write, Reserved };

struct Command {
  u32 buffer = 0;
  u64 target_address = 0;
  u64 return_address = 0;
  u32 target_coordinate = 0;
  u32 return_coordinate = 0;
  u32 tag = 0;
  u32 control = 0;
  u64 length = 0;  // NOC_AT_LEN_BE with its high word
  u32 data = 0;
  u32 exclude = 0;

  RequestType type() const { return static_cast<RequestType>(control & 3); }
  bool byte_enable() const { return bit(control, 2); }
  bool inline_data() const { return bit(control, 3); }
  bool response() const { return bit(control, 4); }
  bool broadcast() const { return bit(control, 5); }
  bool linked() const { return bit(control, 6); }
  bool static_channel() const { return bit(control, 7); }
  u32 channel() const { return bits(control, 13, 3); }
  bool include_source() const { return bit(control, 17); }
  bool accumulate() const { return bit(control, 31); }
  u32 transaction_id() const { return bits(tag, 10, 4); }
  bool header_store() const { return bit(tag, 9); }
  bool to_overlay() const { return bit(tag, 6); }
};

/// Packets that a transfer of `bytes` makes (Counters.md: max(1, ceil(length / 16384))).
constexpr u32 parts_of(u64 bytes) {
  return bytes == 0 ? 1 : static_cast<u32>((bytes + kMaxPacketBytes - 1) / kMaxPacketBytes);
}
/// Data flits of a transfer to `address`. Bytes keep their place within 16-byte memory words.
constexpr u32 flits_of(u64 address, u64 bytes) {
  return bytes == 0 ? 0 : static_cast<u32>(((address & 15) + bytes + kFlitBytes - 1) / kFlitBytes);
}
constexpr bool is_register(u64 address) {
  return address >= kRegisterSpace;
}

}  // namespace bhemu::noc
