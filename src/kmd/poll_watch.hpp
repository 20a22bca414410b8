// Notices a client that asks for ever whether a program is done, although nothing on the chip can
// change the answer any more: on silicon it would wait until somebody loses patience.
//
// Asking is reading the word by which tt-metal's firmware is started and by which it says that it
// is done (go_msg_t in tt_metal/hw/inc/hostdev/dev_msgs.h: RUN_MSG_GO in the last byte means that
// the kernel runs). That nothing can change is known from the device: it is idle, or repeats itself
// without looking at host memory, and the client has written nothing meanwhile. Clients that ask by
// other words have limits of their own.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace bhemu::kmd {

class PollWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Seconds of asking until a verdict; 0: there is none.
  explicit PollWatch(unsigned patience) : patience_(patience) {}

  /// `still` is asked only when it matters.
  template <class Still>
  void saw(NodeId node, u64 address, std::span<const u8> bytes, Still still) {
    if (patience_.count() == 0 || !is_go(address, bytes)) return;
    if (still())
      count(node);
    else
      restart();
  }
  /// A go message that says that a program runs.
  static bool is_go(u64 address, std::span<const u8> bytes) {
    constexpr u8 kRunMsgGo = 0x80;
    return bytes.size() == 4 && address % 4 == 0 && address < kL1Size && bytes[3] == kRunMsgGo;
  }
  /// Something has happened: what was seen so far proves nothing.
  void restart() {
    asked_.clear();
    times_ = 0;
  }
  /// The verdict. restart() takes it back.
  bool hangs() const { return times_ >= kLeast && Clock::now() - began_ >= patience_; }
  /// Whom the client waits for.
  const std::vector<NodeId>& asked() const { return asked_; }
  u64 times() const { return times_; }
  std::chrono::seconds patience() const { return patience_; }

 private:
  static constexpr u64 kLeast = 1000;

  void count(NodeId node);

  const std::chrono::seconds patience_;
  std::vector<NodeId> asked_;
  u64 times_ = 0;
  Clock::time_point began_{};
};

}  // namespace bhemu::kmd
