#include "tensix/pieces.hpp"

#include "base/delays.hpp"
#include "tensix/context.hpp"
#include "tensix/mover/mover.hpp"
#include "tensix/pack/output.hpp"
#include "tensix/timing.hpp"
#include "tensix/unpack/transfer.hpp"

namespace bhemu::tensix {
namespace {

/// `occurrence`: of the author, so that a draw depends on no other one.
void set_clock(const Environment& env, const Author& author, u64 occurrence, Pieces& pieces,
               Cycle from, Cycle end) {
  const u32 window = static_cast<u32>(end - from);
  pieces.begin = from;
  pieces.span = env.delays == nullptr ? window
                                      : env.delays->draw(DelayKind::Pieces, author.agent, author.pc,
                                                         author.cycle, window, window);
  pieces.draw = 0;
  if (env.delays == nullptr && env.timing->placement == Placement::Drawn) {
    u64 key = Pieces::mixed(env.timing->seed + 0x9E3779B97F4A7C15u);
    key = Pieces::mixed(key ^ (u64{env.node} << 8 | static_cast<u8>(author.agent)));
    key = Pieces::mixed(key ^ author.pc);
    pieces.draw = Pieces::mixed(key ^ occurrence) | 1u << 31;
    pieces.span = pieces.draw % (pieces.span + 1);
  }
  pieces.set_next();
}

}  // namespace

bool tdma_has_room(const State& state) {
  u32 taken = state.flights.commands.count + state.late.pending_commands;
  for (u32 i = 0; i < state.effects.count; ++i) {
    const Effect& effect = state.effects.effect[i];
    taken += effect.kind == EffectKind::StoreRegister && effect.address == kTdmaCommandAddress;
  }
  return taken < TdmaQueue::kCapacity;
}

bool lands_in_pieces(const Environment& env) {
  return env.timing != nullptr &&
         (env.delays != nullptr || env.timing->placement != Placement::Issue);
}

void launch(const Context& context, Pieces& pieces, Cycle end) {
  set_clock(context.env, context.author(), context.state.frontend[context.thread].executed, pieces,
            context.now, end);
  if (pieces.next <= context.now) land_pieces(context.state, context.env, context.now);
}

void launch(const Environment& env, const Author& author, Pieces& pieces, Cycle from, Cycle end) {
  set_clock(env, author, author.cycle, pieces, from, end);
}

void land_pieces(State& state, const Environment& env, Cycle now) {
  Flights& flights = state.flights;
  for (Cycle next = flights.next(); next <= now; next = flights.next()) {
    for (u32 unpacker = 0; unpacker < flights.unpack.size(); ++unpacker)
      if (flights.unpack[unpacker].pieces.next == next)
        unpack::land_piece(state, env, unpacker, next);
    if (flights.pack.pieces.next == next) pack::land_piece(state, env, next);
    if (flights.mover.pieces.next == next) land_mover(state, env, next);
    if (flights.commands.next == next) carry_out_commands(state, env, next);
  }
}

}  // namespace bhemu::tensix
