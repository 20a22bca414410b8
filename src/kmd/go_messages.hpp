// Which tiles run a kernel that the client's software on the chip has started, and not the client
// itself: those that tt-metal's fast dispatch waits for. The kernels of its command queue run for
// as long as the queue lives, and are started by the client.
//
// Known by go messages (go_msg_t in tt_metal/hw/inc/hostdev/dev_msgs.h): a word of L1 whose last
// byte says how far a tile has come. Where that word lies differs from version to version; it is
// learned from the client, which reads it again and again while firmware boots or a kernel runs, or
// which writes it before firmware boots, to one tile after the other or to many at once. Writes
// alone may be something else that looks the same, so reads overrule them, and so do later writes.
// Ethernet tiles have theirs elsewhere, so what is read from or written to them tells nothing.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "device/device.hpp"

namespace bhemu::kmd {

class GoMessages {
 public:
  static constexpr u8 kInit = 0x40;  // RUN_MSG_INIT: firmware boots
  static constexpr u8 kGo = 0x80;    // RUN_MSG_GO: a kernel runs

  /// Whether what was read or written can be a go message with this last byte.
  static bool is(u64 address, std::span<const u8> bytes, u8 signal) {
    return bytes.size() == 4 && address % 4 == 0 && address < kL1Size && bytes[3] == signal;
  }

  /// The client has read from, or written to, a tile.
  void was_read(const Device& device, NodeId node, u64 address, std::span<const u8> bytes);
  /// kNoNode: to all tiles of a rectangle.
  void was_written(const Device& device, NodeId node, u64 address, std::span<const u8> bytes);
  /// Whether a kernel that the client has started itself runs.
  bool any_started_by_the_client(Device& device) const;
  /// The same of bytes that tell nothing: no word, or one that is no go message.
  void was_read_something_else() { times_ = 0; }
  bool may_ignore(std::span<const u8> bytes) const {
    return bytes.size() != 4 || (own_.empty() && bytes[3] != kGo && bytes[3] != kInit);
  }
  /// The Tensix tiles with a kernel that the client has not started itself; none until it is known
  /// where to look.
  std::vector<Coord> started_by_the_chip(Device& device) const;

 private:
  void was_multicast(u64 address, std::span<const u8> bytes);

  static constexpr unsigned kEnough = 8;  // reads or tiles in a row that settle where it lies

  struct Start {
    NodeId node;
    u64 address;
  };

  bool known_ = false;
  bool sure_ = false;  // by reads; what only writes have said gives way to what they say later
  u64 address_ = 0;
  u64 asked_ = 0;  // where the client has read a go message last
  unsigned times_ = 0;
  Start last_{kNoNode, 0};  // where the client has written kInit
  unsigned tiles_ = 0;      // with that at one address
  std::vector<Start> own_;  // by the client; at any address while it is not sure which is right
};

}  // namespace bhemu::kmd
