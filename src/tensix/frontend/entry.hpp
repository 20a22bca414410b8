// How a word of a TRISC gets in front of its thread's MOP expander.
#pragma once

#include "base/check.hpp"
#include "tensix/coprocessor.hpp"
#include "tensix/state.hpp"

namespace bhemu::tensix::frontend {

/// Who pushes has asked for room.
inline void push_word(State& state, Wakeup* wakeup, unsigned thread, u32 word, Cycle now) {
  auto& fifo = state.frontend[thread].fifo;
  CHECK(!fifo.full());
  if (wakeup != nullptr) wakeup->touch(thread_of(thread));
  fifo.push({now, word, 0});
  state.asleep = false;
}

}  // namespace bhemu::tensix::frontend
