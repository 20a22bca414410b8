// Who causes an effect, from where, and when.
#pragma once

#include "base/types.hpp"

namespace bhemu {

/// Where a word of a coprocessor thread came from.
enum class Origin : u8 {
  None,    // not a thread's word
  Queue,   // the thread's own core, one by one
  Brisc,   // BRISC, or the debug bus, behind the MOP expander
  Mop,     // an expansion
  Replay,  // a replay buffer
};

/// Of a write, a read, a request or a fault. What arrives over the NoC has the NIU that carries it
/// out as its agent, and the tile and program counter of the core that asked for it.
struct Author {
  Agent agent = Agent::Host;
  Origin origin = Origin::None;
  NodeId tile = kNoNode;  // kNoNode: the tile in which it happens
  u32 pc = 0;             // program counter of a core; instruction word of a coprocessor thread
  Cycle cycle = 0;

  constexpr Author() = default;
  constexpr Author(Agent agent, u32 pc, Cycle cycle, NodeId tile = kNoNode,
                   Origin origin = Origin::None)
      : agent(agent), origin(origin), tile(tile), pc(pc), cycle(cycle) {}
};

}  // namespace bhemu
