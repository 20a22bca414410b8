// The one place where what an agent waits for (base/wait.hpp) is put into words.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/wait.hpp"

namespace bhemu::tile {

/// A word of L1 that has a meaning to the software that runs.
struct KnownWord {
  u32 address = 0;
  std::string name;
  std::string who;  // who writes it
};
struct WaitNames {
  std::function<std::string(NodeId)> node;  // empty: by number
  std::span<const KnownWord> words;
};

/// "STALLWAIT until SrcA is valid, before MVMUL ...", "room in the instruction FIFO of thread 0".
/// Empty for an agent that waits for nothing.
std::string what_of(const Waits& waits, const WaitNames& names = {});
/// Who could end it: "BRISC", "thread 0 holds it and releases it by ATRELM".
std::string who_of(const Waits& waits, const WaitNames& names = {});

}  // namespace bhemu::tile
