// The threads during one call of Coprocessor::run_followed: what Turn does, cycle by cycle, with
// every instruction and every wait told to a trace, and everything to an observer.
#pragma once

#include "tensix/frontend/gate.hpp"
#include "trace/port.hpp"

namespace bhemu::tensix::frontend {

class TracedTurn {
 public:
  static constexpr bool kPlain = false;  // it is what Environment::timing says
  /// Without `port` there is no trace; without Environment::watch there is no observer.
  TracedTurn(State& state, const Environment& env, trace::Port* port)
      : state_(state), env_(env), port_(port) {}

  /// As Turn's.
  bool cycle(Cycle now, u8& accepted);
  /// Nothing is done in bursts.
  Cycle burst(Cycle now, Cycle until);

 private:
  bool step(unsigned thread, Cycle now, u8& accepted);
  bool step_in_build(unsigned thread, Cycle now, u8& accepted);
  bool step_watched(unsigned thread, Cycle now, u8& accepted);
  bool step_traced(unsigned thread, Cycle now, u8& accepted);
  void tell_stall(unsigned thread, Cycle now, bool taken, bool lifted);

  State& state_;
  const Environment& env_;
  trace::Port* port_;
};

}  // namespace bhemu::tensix::frontend
