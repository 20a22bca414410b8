// Executes a turn cycle by cycle and notes what it takes to execute it again from a list.
#pragma once

#include "tensix/frontend/turn.hpp"

namespace bhemu::tensix::frontend {

class TurnRecorder {
 public:
  static constexpr bool kPlain = true;

  /// `turn` has just begun.
  TurnRecorder(Turn& turn, State& state, const Environment& env, const TurnKey& key, Cycle from);

  void run(Cycle until);
  /// What was noted, after the turn.
  std::unique_ptr<KnownTurn> take(Cycle until);

  // For run_cycles.
  bool cycle(Cycle now, u8& accepted);
  Cycle burst(Cycle now, Cycle until);

 private:
  bool step(unsigned thread, Cycle now, u8& accepted);
  void note(KnownTurn::Event::Kind kind, unsigned thread, Cycle now, u32 word = 0);
  void note_instruction(const Context& context, const Decoded& decoded, u64 banks_before);
  void note_after(unsigned thread, Cycle until);

  Turn& executes_;
  State& state_;
  const Environment& env_;
  Cycle from_;
  std::unique_ptr<KnownTurn> turn_;
  bool notes_ = true;  // false: something has happened that is not noted
  std::array<Frontend, kThreads> before_;
};

}  // namespace bhemu::tensix::frontend
