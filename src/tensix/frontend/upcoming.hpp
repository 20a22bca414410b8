// Words of a thread that come to its gate one a cycle whatever they do, so that they are known
// beforehand: of a playback, of the inner loops of a MOP, of the queue.
#pragma once

#include "tensix/frontend/state.hpp"

namespace bhemu::tensix {
struct Environment;
struct State;
}  // namespace bhemu::tensix

namespace bhemu::tensix::frontend {

/// The word that comes to the empty gate in cycle `now`, as a quick look tells.
struct NextWord {
  bool known = false;    // false: whoever wants to know has to let the expanders work
  bool several = false;  // and at least one after it, a cycle later, whatever this one does
  u32 word = 0;
};
NextWord next_word(const Frontend& frontend, Cycle now);

class Upcoming {
 public:
  /// What comes to the empty gate from cycle `now` on, at most `most` words (up to kReplaySlots). A
  /// playback or MOP that would begin in this cycle is begun by this. Only while no agent waits for
  /// the thread or its queue.
  Upcoming(State& state, const Environment& env, unsigned thread, Cycle now, u32 most);

  u32 count() const { return count_; }
  u32 operator[](u32 index) const { return first_[index]; }
  /// Word `index` and the next ones.
  const u32* from(u32 index) const { return first_ + index; }
  Origin origin() const { return origin_; }
  /// The first `count` (at least one) have come to the gate. The last is there, or has left it.
  void take(u32 count, bool at_gate);

 private:
  bool begins_mop(const Environment& env, unsigned thread, Cycle now);
  void look_at_mop(const Environment& env, unsigned thread, u32 most);
  void look_at_queue(const Environment& env, unsigned thread, Cycle now, u32 most);

  Frontend& frontend_;
  Origin origin_ = Origin::None;
  const u32* first_ = nullptr;
  u32 count_ = 0;
  std::array<u32, kReplaySlots> listed_;
};

}  // namespace bhemu::tensix::frontend
