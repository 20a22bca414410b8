// Operations that last: what unpackers, packer and mover have begun and not yet carried out. In
// timings that put effects off, an operation reads and writes piece by piece over its window; each
// piece lands where the policy of effects says (docs/ARCHITECTURE.md, "Plain and Full"). What an
// operation needs from registers was read when it was issued.
#pragma once

#include <algorithm>
#include <array>

#include "tensix/mover/flight.hpp"
#include "tensix/pack/flight.hpp"
#include "tensix/unpack/flight.hpp"

namespace bhemu::tensix {

struct State;
struct Environment;
struct Context;

/// Of one coprocessor. A unit takes no instruction before its flight has landed, so one place for
/// each is enough. Commands that cores give to the mover wait for it in a queue.
struct Flights {
  std::array<UnpackFlight, 2> unpack{};
  PackFlight pack;
  MoverFlight mover;
  TdmaQueue commands;

  bool any() const {
    return (unpack[0].pieces.count | unpack[1].pieces.count | pack.pieces.count |
            mover.pieces.count | commands.count) != 0;
  }
  Cycle next() const {
    const Cycle sources = std::min(unpack[0].pieces.next, unpack[1].pieces.next);
    return std::min({sources, pack.pieces.next, mover.pieces.next, commands.next});
  }
};

/// The timing leaves open when effects land.
bool lands_in_pieces(const Environment& env);
/// The window is known: [now, end). Pieces that are due at once land at once.
void launch(const Context& context, Pieces& pieces, Cycle end);
/// The same without a Context, for a window [from, end); pieces that are due at once wait.
void launch(const Environment& env, const Author& author, Pieces& pieces, Cycle from, Cycle end);
/// There is room for one more command in TDMA-RISC's queue, beside those that are on their way to
/// it.
bool tdma_has_room(const State& state);
/// Lets the pieces land that are due up to `now`, in the order of time.
void land_pieces(State& state, const Environment& env, Cycle now);

}  // namespace bhemu::tensix
