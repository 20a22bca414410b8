#include "tensix/mover/mover.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tensix/cfg/cfg.hpp"
#include "tensix/footprint/recorder.hpp"
#include "tensix/pieces.hpp"
#include "tensix/timing.hpp"

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

}  // namespace

namespace {

bool is_copy(MoverMode mode) {
  return mode == MoverMode::L1ToConfig || mode == MoverMode::L1ToL1;
}
bool goes_to_l1(MoverMode mode) {
  return mode == MoverMode::ZeroToL1 || mode == MoverMode::L1ToL1;
}

/// One stretch of a command, at once.
bool move(State& state, const Environment& env, u32 destination, u32 source, u32 size,
          MoverMode mode, const Author& author) {
  return goes_to_l1(mode) ? to_l1(env, destination, source, size, is_copy(mode), author)
                          : to_config(state, env, destination, source, size, is_copy(mode), author);
}

/// No address of the command breaks a rule.
bool has_good_addresses(u32 destination, u32 source, u32 size, MoverMode mode) {
  if (is_copy(mode) && !L1::contains(source, size)) return false;
  if (goes_to_l1(mode)) return L1::contains(destination, size);
  return destination / 4 + size / 4 <= kConfigThreads;
}

constexpr u32 kUnit = 16;
constexpr u32 kMostPieces = 256;

/// The command waits for those in front of it, and goes by later (pieces.hpp).
void take_off(State& state, const Environment& env, const MoverFlight& command, Cycle cycles) {
  MoverQueue& queue = state.flights.mover;
  if (queue.count == MoverQueue::kCapacity) {
    // A fifth one: what is first is carried out now, as if it had been fast.
    while (queue.count == MoverQueue::kCapacity) land_mover(state, env, command.author.cycle);
  }
  const Cycle from = queue.count == 0 ? command.author.cycle
                                      : std::max(command.author.cycle, state.mover.busy_until);
  MoverFlight& flight = queue.flight[queue.count++];
  flight = command;
  flight.pieces.count = std::clamp((command.size + kUnit - 1) / kUnit, 1u, kMostPieces);
  state.mover.busy_until = std::max(state.mover.busy_until, from + cycles);
  launch(env, command.author, flight.pieces, from, from + cycles);
}

}  // namespace

void land_mover(State& state, const Environment& env, Cycle now) {
  MoverQueue& queue = state.flights.mover;
  MoverFlight& flight = queue.flight[0];
  const Pieces& pieces = flight.pieces;
  const bool last = pieces.landed + 1 == pieces.count;
  const u32 units = (flight.size + kUnit - 1) / kUnit;
  const u32 end = last ? flight.size
                       : static_cast<u32>(u64{units} * (pieces.landed + 1) / pieces.count) * kUnit;
  Author author = flight.author;
  author.cycle = now;
  const u32 first = flight.done;
  flight.done = end;
  // The addresses were good when the command was given.
  move(state, env, flight.destination + first, flight.source + first, end - first,
       static_cast<MoverMode>(flight.mode), author);
  if (!last) return flight.pieces.land();
  std::copy(queue.flight.begin() + 1, queue.flight.begin() + queue.count, queue.flight.begin());
  queue.flight[--queue.count] = {};
}

bool run_mover(State& state, const Environment& env, u32 destination, u32 source, u32 size,
               MoverMode mode, const Author& author) {
  if (bit(state.soft_reset, kMoverResetBit)) return true;  // SoftReset.md: commands are discarded
  if (env.wakeup != nullptr) env.wakeup->touch(Resource::Tdma);
  const Cycle cycles =
      env.timing == nullptr ? 1 : env.timing->duration[op::XMOV::kOpcode].latency_of(size);
  if (lands_in_pieces(env) && has_good_addresses(destination, source, size, mode)) {
    MoverFlight flight;
    flight.destination = destination;
    flight.source = source;
    flight.size = size;
    flight.mode = static_cast<u8>(mode);
    flight.author = author;
    take_off(state, env, flight, cycles);
    return true;
  }
  const bool done = move(state, env, destination, source, size, mode, author);
  state.mover.busy_until = std::max(state.mover.busy_until, author.cycle + cycles);
  return done;
}

namespace {
/// What XMOV finds in the configuration. Addresses and size in bytes.
struct Command {
  u32 destination;
  u32 source;
  u32 size;
  MoverMode mode;
};
template <class Words>
Command command_of(const Words& words) {
  return {cfg::THCON_SEC0_REG6_Destination_address::get(words) << 4,
          cfg::THCON_SEC0_REG6_Source_address::get(words) << 4,
          bits(cfg::THCON_SEC0_REG6_Buffer_size::get(words), 0, 16) << 4,
          static_cast<MoverMode>(cfg::THCON_SEC0_REG6_Transfer_direction::get(words))};
}
}  // namespace

Completion execute(Context& context, op::XMOV) {
  if (context.state.mover.busy_until > context.now) return Completion::Stall;
  const Command command = command_of(context.config());
  if (!run_mover(context.state, context.env, command.destination, command.source, command.size,
                 command.mode, context.author()))
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
}  // namespace

void footprint(const Footprint& print, op::XMOV) {
  print.read(Space::Busy, footprint_cell::kMoverBusy);
  const Command command = command_of(print.config());
  if (bit(print.state.soft_reset, kMoverResetBit)) return;
  const bool copy = command.mode == MoverMode::L1ToConfig || command.mode == MoverMode::L1ToL1;
  if (copy && !L1::contains(command.source, command.size)) return;
  if (command.mode == MoverMode::ZeroToL1 || command.mode == MoverMode::L1ToL1) {
    if (!L1::contains(command.destination, command.size)) return;
    if (copy) print.read(Space::L1, command.source, command.size);
    return print.write(Space::L1, command.destination, command.size);
  }
  if (command.destination + command.size > kConfigRegion) return;
  // Up to the first word that is not writable.
  const u32 first = command.destination / 4;
  const u32 end = std::min(first + command.size / 4, kConfigThreads);
  if (first >= end) return;
  if (copy) print.read(Space::L1, command.source, std::min(command.size, 4 * (end - first + 1)));
  for (u32 i = first; i < end; ++i) note_window_write(print, i);
}

}  // namespace bhemu::tensix
