// One instruction of a core that is followed, for those who tell a trace or an observer about it.
#pragma once

#include <bit>
#include <optional>

#include "riscv/effect.hpp"
#include "riscv/vector.hpp"
#include "tensix/state.hpp"
#include "tile/follower.hpp"

namespace bhemu::tile {

struct Follower::Step {
  unsigned core = 0;
  Cycle cycle = 0;
  u32 pc = 0;
  u32 word = 0;
  const riscv::Kind* kind = nullptr;
  riscv::Effect effect;
  std::optional<riscv::VectorAccess> vector;
  std::size_t mark = 0;  // in the trace
  bool tells = false;    // an observer of it
  // For an observer only.
  trace::Instruction told;
  std::vector<trace::CoreAccess> elements;
  trace::CoreAccess access;
  std::array<tensix::Semaphore, tensix::kSemaphores> semaphores{};
  bool pcbuf_empty = false;  // of the core's thread
};

/// What there is once a core was followed.
struct Follower::Following {
  template <bool tells>
  Untold look_ahead(Follower& follower, unsigned core, Cycle end);

  riscv::Kinds kinds;
  trace::Stretch stretch;          // under way
  std::array<Step, kCores> steps;  // under way: one can lead to a step of another core
};

/// The word that a store to a FIFO, or a `.ttinsn`, pushes.
inline u32 pushed_word(u32 word, const riscv::Effect& effect) {
  return effect.reach == riscv::Reach::Tensix ? std::rotr(word, 2) : effect.stored;
}

}  // namespace bhemu::tile
