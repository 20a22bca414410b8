// Where the words of the coprocessor's threads were pushed from, the semaphores that threads wait
// for and post, and who has given the banks of SrcA and SrcB away, for the reports of hangs.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "device/device.hpp"
#include "host/report/observed.hpp"
#include "tensix/state.hpp"
#include "trace/observer.hpp"

namespace bhemu::watch {

/// An instruction that a thread has issued, as a fault names it, and the push that it came from.
struct Traced {
  unsigned thread = 0;
  u32 word = 0;
  Cycle cycle = 0;
  Origin origin = Origin::Queue;
  std::optional<u32> pushed_from;  // of the thread's core
};

class Pushes final : public trace::Observer {
 public:
  /// `wanted`: of which instructions of this tile to remember the push.
  explicit Pushes(std::vector<Traced> wanted = {}) : wanted_(std::move(wanted)) {}
  trace::Instructions wanted_instructions() const override { return trace::Instructions::Effects; }
  void pushed(const trace::Push& one) override;
  void issued(const trace::Issue& one) override;
  void moved(const trace::BankMove& one) override;
  u32 wanted_spaces() const override { return 0; }
  bool wants_changes() const override { return false; }
  void forget() override;

  std::optional<u32> source_of_gate(const tensix::Frontend& frontend, unsigned thread) const;
  const host::UnpostedWaits& unposted(unsigned thread, u32 semaphore) const {
    return unposted_[thread][semaphore];
  }
  const host::HandOver& hand_over(unsigned src, unsigned bank) const {
    return hand_overs_[src][bank];
  }
  const std::vector<Traced>& wanted() const { return wanted_; }

 private:
  struct Pushed {
    u64 number = 0;
    u32 pc = 0;
    u32 word = 0;
  };
  static constexpr u32 kKept = 128;  // more than can wait for their gate
  const Pushed* find(unsigned thread, u64 number) const;

  std::array<std::array<Pushed, kKept>, kThreads> kept_{};
  std::array<u64, kThreads> last_{};
  std::array<std::array<host::UnpostedWaits, tensix::kSemaphores>, kThreads> unposted_{};
  std::array<std::array<host::HandOver, tensix::kSrcBanks>, 2> hand_overs_{};
  std::vector<host::HandOver*> moves_;  // of the instruction that is told of next
  std::vector<Traced> wanted_;
};

/// Those of all tiles of a device, from now on.
class PushesOfDevice final : public host::Observed {
 public:
  /// `wanted` by node: see Pushes.
  explicit PushesOfDevice(Device& device, std::map<NodeId, std::vector<Traced>> wanted = {});
  ~PushesOfDevice() override;

  std::optional<u32> pushed_from(NodeId node, unsigned thread) const override;
  host::UnpostedWaits unposted_waits(NodeId node, unsigned thread, u32 semaphore) const override;
  host::HandOver hand_over(NodeId node, unsigned src, unsigned bank) const override;
  /// The same with its push, if it was issued, or the thread has stopped at it, and the push was
  /// seen.
  std::optional<Traced> traced(NodeId node, const Traced& wanted) const;

 private:
  const Pushes* of(NodeId node) const { return node < pushes_.size() ? pushes_[node] : nullptr; }

  Device& device_;
  unsigned id_ = 0;
  std::vector<const Pushes*> pushes_;  // they belong to the device
};

}  // namespace bhemu::watch
