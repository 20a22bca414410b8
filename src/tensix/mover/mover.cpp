#include "tensix/mover/mover.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tensix/cfg/cfg.hpp"
#include "tensix/footprint/recorder.hpp"
#include "tensix/pieces.hpp"
#include "tensix/timing.hpp"
#include "tensix/watch.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kConfigRegion = 0x10000;  // destinations below are bytes of the configuration window
constexpr unsigned kMoverResetBit = 6;

/// True: the author must stop.
bool fault(const Environment& env, Rule rule, const Author& author, std::string text) {
  return env.faults != nullptr && env.faults->raise(rule, author, std::move(text));
}

/// False, here and below: a rule was broken, and the author must stop. Where it need not, the mover
/// does nothing.
bool to_l1(const Environment& env, u32 destination, u32 source, u32 size, bool copy,
           const Author& author) {
  const auto outside = [&](const char* what, u32 address) {
    return !fault(env, Rule::TensixL1Range, author,
                  fmt::format("mover: {} {:#x}, {:#x} bytes", what, address, size));
  };
  if (!L1::contains(destination, size)) return outside("destination", destination);
  if (copy && !L1::contains(source, size)) return outside("source", source);
  env.l1->before_write(destination, size, author);
  u8* memory = env.l1->data();
  // Units of 16 bytes in ascending order: overlapping copies smear as a loop does.
  for (u32 i = 0; i < size; i += 16) {
    if (copy) {
      std::memmove(memory + destination + i, memory + source + i, 16);
    } else {
      std::memset(memory + destination + i, 0, 16);
    }
  }
  return true;
}

bool to_config(State& state, const Environment& env, u32 destination, u32 source, u32 size,
               bool copy, const Author& author) {
  if (copy && !L1::contains(source, size))
    return !fault(env, Rule::TensixL1Range, author,
                  fmt::format("mover: source {:#x}, {:#x} bytes", source, size));
  if (destination >= kConfigRegion)
    return !fault(
        env, Rule::TensixMoverTarget, author,
        fmt::format("mover: destination {:#x} is neither L1 nor configuration", destination));
  if (destination + size > kConfigRegion)
    return !fault(
        env, Rule::TensixUndefined, author,
        fmt::format("mover: {:#x} bytes from configuration byte {:#x} on", size, destination));
  for (u32 i = 0; i < size; i += 4) {
    const u32 value = copy ? env.l1->read32(source + i) : 0;
    if (!write_config_window(state, env, author.agent, (destination + i) / 4, value, author.cycle))
      return !fault(
          env, Rule::TensixMoverTarget, author,
          fmt::format("mover: configuration byte {:#x} is not writable", destination + i));
  }
  return true;
}

bool is_copy(MoverMode mode) {
  return mode == MoverMode::L1ToConfig || mode == MoverMode::L1ToL1;
}
bool goes_to_l1(MoverMode mode) {
  return mode == MoverMode::ZeroToL1 || mode == MoverMode::L1ToL1;
}

/// A move, or one stretch of it, at once.
bool carry_out(State& state, const Environment& env, const Move& move, const Author& author) {
  const bool copy = is_copy(move.mode);
  return goes_to_l1(move.mode)
             ? to_l1(env, move.destination, move.source, move.size, copy, author)
             : to_config(state, env, move.destination, move.source, move.size, copy, author);
}

constexpr u32 kUnit = 16;
constexpr u32 kMostPieces = 256;

/// The move goes by later, in pieces (pieces.hpp).
void take_off(State& state, const Environment& env, const Move& move, const Author& author,
              Cycle end) {
  MoverFlight& flight = state.flights.mover;
  flight.destination = move.destination;
  flight.source = move.source;
  flight.size = move.size;
  flight.mode = static_cast<u8>(move.mode);
  flight.author = author;
  flight.pieces.count = std::clamp((move.size + kUnit - 1) / kUnit, 1u, kMostPieces);
  launch(env, author, flight.pieces, author.cycle, end);
}

void note_move(const Footprint& print, const Move& move);

/// An observer hears that it has been done.
void tell(State& state, const Environment& env, const Move& move, const Author& author,
          u32 piece = 0, u32 pieces = 1) {
  Touches touches;
  note_move(Footprint(state, env, 0, author.pc, touches), move);
  env.watch->landed(trace::Landing::What::Move, author, touches, piece, pieces);
}

}  // namespace

bool has_good_addresses(const Move& move) {
  if (is_copy(move.mode) && !L1::contains(move.source, move.size)) return false;
  if (goes_to_l1(move.mode)) return L1::contains(move.destination, move.size);
  return move.destination / 4 + move.size / 4 <= kConfigThreads;
}

bool mover_takes_time(const Environment& env) {
  if (env.timing == nullptr) return false;
  const Duration& duration = env.timing->duration[op::XMOV::kOpcode];
  return duration.latency > 1 || duration.per_kib != 0;
}

bool mover_is_free(const State& state, Cycle now) {
  return state.mover.busy_until <= now && state.flights.mover.pieces.count == 0;
}

void land_mover(State& state, const Environment& env, Cycle now) {
  MoverFlight& flight = state.flights.mover;
  const Pieces& pieces = flight.pieces;
  const bool last = pieces.landed + 1 == pieces.count;
  const u32 units = (flight.size + kUnit - 1) / kUnit;
  const u32 end = last ? flight.size
                       : static_cast<u32>(u64{units} * (pieces.landed + 1) / pieces.count) * kUnit;
  Author author = flight.author;
  author.cycle = now;
  const u32 first = flight.done;
  flight.done = end;
  const Move move{flight.destination + first, flight.source + first, end - first,
                  static_cast<MoverMode>(flight.mode)};
  carry_out(state, env, move, author);  // its addresses were good when the command was given
  if (env.watch != nullptr) [[unlikely]]
    tell(state, env, move, author, pieces.landed, pieces.count);
  if (last)
    flight = {};
  else
    flight.pieces.land();
}

bool run_mover(State& state, const Environment& env, const Move& move, const Author& author) {
  if (bit(state.soft_reset, kMoverResetBit)) return true;  // SoftReset.md: commands are discarded
  if (env.wakeup != nullptr) env.wakeup->touch(Resource::Tdma);
  const Cycle cycles =
      env.timing == nullptr ? 1 : env.timing->duration[op::XMOV::kOpcode].latency_of(move.size);
  const Cycle end = author.cycle + cycles;
  bool done = true;
  if (lands_in_pieces(env) && has_good_addresses(move))
    take_off(state, env, move, author, end);
  else
    done = carry_out(state, env, move, author);
  if (env.watch != nullptr && state.flights.mover.pieces.count == 0 &&
      (env.timing != nullptr || is_core(author.agent)))
    tell(state, env, move, author);
  state.mover.busy_until = std::max(state.mover.busy_until, end);
  return done;
}

namespace {
/// What XMOV finds in the configuration.
template <class Words>
Move move_of(const Words& words) {
  return {cfg::THCON_SEC0_REG6_Destination_address::get(words) << 4,
          cfg::THCON_SEC0_REG6_Source_address::get(words) << 4,
          bits(cfg::THCON_SEC0_REG6_Buffer_size::get(words), 0, 16) << 4,
          static_cast<MoverMode>(cfg::THCON_SEC0_REG6_Transfer_direction::get(words))};
}
}  // namespace

Completion execute(Context& context, op::XMOV) {
  if (!mover_is_free(context.state, context.now)) return Completion::Stall;
  if (!run_mover(context.state, context.env, move_of(context.config()), context.author()))
    context.stop();
  return Completion::Done;
}

// --- Footprints.

namespace {
/// A word of the configuration window: of one bank, or of both.
void note_window_write(const Footprint& print, u32 window_index) {
  if (window_index < kConfigDual)
    return note_config_write(print, window_index / kConfigWords, window_index % kConfigWords);
  note_config_write(print, 0, window_index - kConfigDual);
  note_config_write(print, 1, window_index - kConfigDual);
}

void note_move(const Footprint& print, const Move& move) {
  const bool copy = is_copy(move.mode);
  if (copy && !L1::contains(move.source, move.size)) return;
  if (goes_to_l1(move.mode)) {
    if (!L1::contains(move.destination, move.size)) return;
    if (copy) print.read(Space::L1, move.source, move.size);
    return print.write(Space::L1, move.destination, move.size);
  }
  if (move.destination + move.size > kConfigRegion) return;
  // Up to the first word that is not writable.
  const u32 first = move.destination / 4;
  const u32 end = std::min(first + move.size / 4, kConfigThreads);
  if (first >= end) return;
  if (copy) print.read(Space::L1, move.source, std::min(move.size, 4 * (end - first + 1)));
  for (u32 i = first; i < end; ++i) note_window_write(print, i);
}
}  // namespace

void footprint(const Footprint& print, op::XMOV) {
  print.read(Space::Busy, footprint_cell::kMoverBusy);
  const Move move = move_of(print.config());
  if (bit(print.state.soft_reset, kMoverResetBit)) return;
  note_move(print, move);
}

}  // namespace bhemu::tensix
