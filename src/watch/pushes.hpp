// Where the words of the coprocessor's threads were pushed from, and the semaphores that threads
// wait for and post, for the reports of hangs.
#pragma once

#include <array>
#include <vector>

#include "device/device.hpp"
#include "host/report/observed.hpp"
#include "tensix/state.hpp"
#include "trace/observer.hpp"

namespace bhemu::watch {

class Pushes final : public trace::Observer {
 public:
  bool wants_all_instructions() const override { return false; }
  bool wants_memory_loads() const override { return false; }
  void pushed(const trace::Push& one) override;
  void issued(const trace::Issue& one) override;
  void forget() override;

  std::optional<u32> source_of_gate(const tensix::Frontend& frontend, unsigned thread) const;
  const host::UnpostedWaits& unposted(unsigned thread, u32 semaphore) const {
    return unposted_[thread][semaphore];
  }

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
};

/// Those of all tiles of a device, from now on.
class PushesOfDevice final : public host::Observed {
 public:
  explicit PushesOfDevice(Device& device);
  ~PushesOfDevice() override;

  std::optional<u32> pushed_from(NodeId node, unsigned thread) const override;
  host::UnpostedWaits unposted_waits(NodeId node, unsigned thread, u32 semaphore) const override;

 private:
  const Pushes* of(NodeId node) const { return node < pushes_.size() ? pushes_[node] : nullptr; }

  Device& device_;
  unsigned id_ = 0;
  std::vector<const Pushes*> pushes_;  // they belong to the device
};

}  // namespace bhemu::watch
