// What a parked or blocked agent of a tile can wait for, and the one call by which whoever changes
// such a thing lets the waiters go first.
//
// Parking is exact only if a waiter is woken *before* the change: a core parked in a polling loop
// is then replayed to the present against the old values. So every unit calls `touch(resource)`
// immediately before it changes anything that a core or a coprocessor thread can read.
// A needless touch is harmless; a missing one is a hang.
#pragma once

#include "base/types.hpp"

namespace bhemu {

enum class Resource : u8 {
  L1,    // a watched line of L1
  Ldm,   // a core's local memory, written through the cross-core window
  Niu0,  // any readable register of NIU 0 (counters, command buffers)
  Niu1,
  Stream,  // overlay stream registers
  Fifo0,   // room in the instruction FIFO of thread 0 (MOP side and BRISC side)
  Fifo1,
  Fifo2,
  Thread0,  // thread 0 drained: TTSync, PCBuf, queue status CSRs
  Thread1,
  Thread2,
  Semaphore,  // Tensix semaphores, through the window
  Mailbox,    // hardware mailboxes
  Config,     // backend configuration words, thread configuration
  Gpr,        // ThCon general purpose registers
  Dst,        // Dst window
  Tdma,       // TDMA / mover registers
  Debug,      // debug and control registers
  Pic,        // interrupt controller
  Ethernet,   // registers of an Ethernet port
  Count,
};
inline constexpr unsigned kResources = static_cast<unsigned>(Resource::Count);
const char* name_of(Resource resource);

constexpr u32 mask_of(Resource resource) {
  return 1u << static_cast<unsigned>(resource);
}
constexpr Resource fifo_of(unsigned thread) {
  return static_cast<Resource>(static_cast<unsigned>(Resource::Fifo0) + thread);
}
constexpr Resource thread_of(unsigned thread) {
  return static_cast<Resource>(static_cast<unsigned>(Resource::Thread0) + thread);
}
constexpr Resource niu_of(unsigned noc) {
  return static_cast<Resource>(static_cast<unsigned>(Resource::Niu0) + noc);
}

/// Who lets the waiters of a tile go first.
class Waker {
 public:
  virtual void wake(Resource resource) = 0;

 protected:
  ~Waker() = default;
};

/// One per tile. `watched` has a bit per resource that at least one parked agent waits for.
struct Wakeup {
  u32 watched = 0;
  Waker* waker = nullptr;

  /// Call just before changing state that `resource` covers. Costs a test when nobody waits.
  void touch(Resource resource) {
    if ((watched & mask_of(resource)) != 0) waker->wake(resource);
  }
};

}  // namespace bhemu
