// TDMA-RISC registers. Blackhole has one packer: the registers of packers 1 to 3 do not exist.
//
// Documents: tt-isa-documentation TDMA-RISC.md (Wormhole), boopdotpng/tenstorrent-docs
// xmov-and-tdma-mover, numerics-pack-unpack section 12.2.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "tensix/conditions.hpp"
#include "tensix/mover/mover.hpp"
#include "tensix/watch.hpp"

namespace bhemu::tensix {
namespace {

// Byte offsets.
enum : u32 {
  kXmovSource = 0x00,
  kXmovDirection = 0x0C,
  kCommand = 0x10,
  kStatus = 0x14,
  kPackedSize = 0x18,       // + 0x40 per thread
  kAccumulatedSize = 0x1C,  // + 0x40 per thread
  kZeroFlags = 0x20,
  kClockGateEnable = 0x24,
  kClockGateHysteresis = 0x28,
  kXmovL1Base = 0x2C,
  kFifoTileSize = 0x30,
  kFifoZeroMask = 0x34,
  kFifoStatus = 0x38,
  kScalers = 0x3C,
};

u32 status(const State& state, Cycle now) {
  const TdmaQueue& queue = state.flights.commands;
  const u32 credits = queue.parameter_credits();
  u32 value = (TdmaQueue::kCapacity - queue.count) << 8;
  if (!mover_is_free(state, now)) value |= 1u << 0;
  if (queue.count == TdmaQueue::kCapacity) value |= 1u << 2;
  if (queue.count == 0) value |= 1u << 3;
  if (credits == 0) value |= 1u << 4;
  if (credits == TdmaQueue::kParameterCredits) value |= 1u << 5;
  return value;
}

u32 fifo_size(const PackerState& packer) {
  return packer.closed_tail - packer.closed_head;
}

u32 fifo_status(const PackerState& packer) {
  u32 value = packer.setreg_base_raw << 8;
  // Packers 1 to 3 do not exist and have nothing in their FIFOs.
  value |= 0x54;
  if (fifo_size(packer) == 0) value |= 1;
  if (fifo_size(packer) == kPackMetadataFifo) value |= 2;
  return value;
}

u32 scalers(const State& state, Cycle now) {
  u32 value = 0;
  for (u32 i = 0; i < 3; ++i) value |= (u32{state.packer.setreg_scaler[i]} & 0x1FFu) << (9 * i);
  if (unmet_conditions(state, 2, 1u << 3, now) != 0) value |= 1u << 27;
  if (state.unpacker[0].message_count_high != 0) value |= 1u << 31;
  return value;
}

void set_scalers(PackerState& packer, u32 first, u32 values) {
  for (u32 i = first; i < 4 && i < first + 3; ++i) {
    packer.setreg_scaler[i] = static_cast<u16>(values & 0x1FF);
    values >>= 9;
  }
}

void reset_accumulated(PackerState& packer, u32 value) {
  if (!bit(value, 16)) return;
  packer.accumulated_size.fill(0);
  packer.l1_address_offset = static_cast<u16>(value);
}

[[gnu::cold]] bool refuse(const Environment& env, Rule rule, const Author& author,
                          std::string text) {
  return env.faults != nullptr && env.faults->raise(rule, author, std::move(text));
}

/// The MovCmdBase of a core.
u32& command_base(State& state, Agent core) {
  switch (core) {
    case Agent::Brisc:
      return state.mover.command_base[0];
    case Agent::Trisc1:
      return state.mover.command_base[2];
    case Agent::Trisc2:
      return state.mover.command_base[3];
    default:
      return state.mover.command_base[1];
  }
}

enum : u8 { kMoverCommand = 0x40, kMoverWait = 0x46, kL1Write = 0x66, kNop = 0x89 };

TdmaCommand move_command(State& state, u32 word, const Author& author) {
  TdmaCommand command;
  if (bit(word, 31)) {  // compact: everything in the command
    command.source = (command_base(state, author.agent) + bits(word, 8, 8)) << 4;
    command.destination = bits(word, 16, 8) << 4;
    command.size = bits(word, 24, 6) << 4;
    command.mode = static_cast<u8>(bit(word, 30) ? MoverMode::L1ToL1 : MoverMode::L1ToConfig);
    return command;
  }
  const auto& parameter = state.mover.parameter;
  command.source = parameter[0] << 4;
  command.destination = parameter[1] << 4;
  command.size = bits(parameter[2], 0, 16) << 4;
  command.mode = static_cast<u8>(parameter[3] & 3);
  return command;
}

Move move_of(const TdmaCommand& command) {
  return {command.destination, command.source, command.size, static_cast<MoverMode>(command.mode)};
}

/// False: a rule was broken, and the author must stop.
bool carry_out(State& state, const Environment& env, const TdmaCommand& command) {
  switch (command.opcode) {
    case kMoverCommand:
      return run_mover(state, env, move_of(command), command.author);
    case kL1Write:
      env.l1->write(command.destination, command.value.data(), command.size, command.author);
      if (env.watch != nullptr) [[unlikely]] {
        Touches touches;
        touches.add({Space::L1, Access::Write, command.destination, command.size});
        env.watch->landed(trace::Landing::What::Move, command.author, touches);
      }
      return true;
    default:
      return true;
  }
}

bool needs_mover(const TdmaCommand& command) {
  return command.opcode == kMoverCommand || command.opcode == kMoverWait;
}

/// The command as it is carried out, now or later. Nothing: a rule was broken. `stops`: so the
/// author must stop.
std::optional<TdmaCommand> decode(State& state, const Environment& env, u32 word,
                                  const Author& author, bool& stops) {
  TdmaCommand command;
  const bool compact = bit(word, 31);
  switch (word & 0xFF) {
    case kMoverCommand:
      command = move_command(state, word, author);
      break;
    case kMoverWait:
    case kNop:
      break;
    case kL1Write:
      if (!compact && (word & 0x600) == 0x600) {
        command.destination = state.mover.parameter[0];
        command.size = bit(word, 8) ? 8 : 4;
        command.value = {state.mover.parameter[2], state.mover.parameter[3]};
        if (L1::contains(command.destination, command.size)) break;
        stops = refuse(env, Rule::TensixL1Range, author,
                       fmt::format("TDMA write command {:#010x}: L1 address {:#x}", word,
                                   command.destination));
        return std::nullopt;
      }
      [[fallthrough]];
    default:
      stops = refuse(env, Rule::TensixTdmaCommand, author,
                     fmt::format("TDMA-RISC command {:#010x}", word));
      return std::nullopt;
  }
  command.opcode = static_cast<u8>(word);
  command.has_parameters = !compact;
  command.author = author;
  return command;
}

/// False: a rule was broken, and the author must stop.
bool give_command(State& state, const Environment& env, u32 word, const Author& author) {
  bool stops = false;
  const std::optional<TdmaCommand> command = decode(state, env, word, author, stops);
  if (!command) return !stops;
  TdmaQueue& queue = state.flights.commands;
  // What breaks a rule does so at once.
  const bool good = command->opcode != kMoverCommand || has_good_addresses(move_of(*command));
  const bool waits =
      queue.count != 0 || (needs_mover(*command) && !mover_is_free(state, author.cycle));
  if (!mover_takes_time(env) || !waits || !good) return carry_out(state, env, *command);
  // Hardware is meant to wait here, and does not (TDMA-RISC.md, EnqueueCmd).
  if (command->has_parameters && queue.parameter_credits() == 0)
    return !refuse(env, Rule::TensixUndefined, author,
                   fmt::format("TDMA-RISC command {:#010x} while both sets of parameters belong to "
                               "commands in the queue",
                               word));
  // Cores wait for room in the queue; the NoC and the host cannot.
  if (queue.count == TdmaQueue::kCapacity)
    return !refuse(env, Rule::TensixUndefined, author,
                   fmt::format("TDMA-RISC command {:#010x} to a full queue", word));
  queue.command[queue.count++] = *command;
  if (queue.count == 1) queue.next = std::max(state.mover.busy_until, author.cycle + 1);
  return true;
}

}  // namespace

void carry_out_commands(State& state, const Environment& env, Cycle now) {
  TdmaQueue& queue = state.flights.commands;
  while (queue.count != 0) {
    TdmaCommand command = queue.command[0];
    if (needs_mover(command) && !mover_is_free(state, now)) {
      queue.next = std::max(state.mover.busy_until, now + 1);
      return;
    }
    if (env.wakeup != nullptr) env.wakeup->touch(Resource::Tdma);
    std::copy(queue.command.begin() + 1, queue.command.begin() + queue.count,
              queue.command.begin());
    queue.command[--queue.count] = {};
    command.author.cycle = now;
    carry_out(state, env, command);
  }
  queue.next = kNever;
}

bool tdma_store_waits(const State& state, u32 offset) {
  return offset == kCommand && !tdma_has_room(state);
}

RegisterAccess read_tdma_register(State& state, const Environment& env, u32 offset, u32& value,
                                  const Author& author) {
  using enum RegisterAccess;
  const Cycle now = author.cycle;
  PackerState& packer = state.packer;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    if (offset == kPackedSize + 0x40 * thread) {
      value = packer.last_thread == thread ? packer.last_tile_size : 0;
      return Done;
    }
    if (offset == kAccumulatedSize + 0x40 * thread) {
      value = u32{state.unpacker[0].message_count} << 16 | packer.accumulated_size[thread];
      return Done;
    }
  }
  switch (offset) {
    case kXmovSource:
    case kXmovSource + 4:
    case kXmovSource + 8:
    case kXmovDirection:
    case kCommand:
      value = 0;
      return Done;
    case kZeroFlags:
      value = packer.compressor.zero_flags;
      return Done;
    case kStatus:
      value = status(state, now);
      return Done;
    case kClockGateEnable:
      value = state.mover.clock_gate_enable;
      return Done;
    case kClockGateHysteresis:
      value = state.mover.clock_gate_hysteresis;
      return Done;
    case kXmovL1Base:
      value = command_base(state, author.agent);
      return Done;
    case kFifoTileSize:
    case kFifoZeroMask: {
      const bool empty = fifo_size(packer) == 0;
      value = 0;
      if (empty &&
          refuse(env, Rule::TensixUnsupported, author, "read of the packer's empty metadata FIFO"))
        return Refused;
      const u32 head = packer.closed_head % kPackMetadataFifo;
      value = empty                     ? 0
              : offset == kFifoZeroMask ? packer.closed_zero_flags[head]
                                        : packer.closed_sizes[head];
      if (!empty && offset == kFifoZeroMask) {
        if (env.wakeup != nullptr) env.wakeup->touch(Resource::Tdma);
        ++packer.closed_head;
      }
      return Done;
    }
    case kFifoStatus:
      value = fifo_status(packer);
      return Done;
    case kScalers:
      value = scalers(state, now);
      return Done;
    default:
      return Absent;
  }
}

bool tdma_register_waits(const State& state, u32 offset) {
  return offset == kFifoTileSize && fifo_size(state.packer) == 0;
}

bool tdma_register_pops(u32 offset) {
  return offset == kFifoZeroMask;
}

RegisterAccess write_tdma_register(State& state, const Environment& env, u32 offset, u32 value,
                                   const Author& author) {
  using enum RegisterAccess;
  if (bit(state.soft_reset, 8)) return Done;  // SoftReset.md: writes are discarded
  if (env.wakeup != nullptr) env.wakeup->touch(Resource::Tdma);
  PackerState& packer = state.packer;
  if (offset <= kXmovDirection && offset % 4 == 0) {
    state.mover.parameter[offset / 4] = value;
    return Done;
  }
  switch (offset) {
    case kCommand:
      return give_command(state, env, value, author) ? Done : Refused;
    case kStatus:
    case kPackedSize:
    case kPackedSize + 0x40:
    case kPackedSize + 0x80:
    case kZeroFlags:
    case kFifoTileSize:
      return Done;  // no effect
    case kAccumulatedSize:
    case kAccumulatedSize + 0x40:
    case kAccumulatedSize + 0x80:
      reset_accumulated(packer, value);
      return Done;
    case kClockGateEnable:
      state.mover.clock_gate_enable = value & 0xFFFFFF7Fu;
      return Done;
    case kClockGateHysteresis:
      state.mover.clock_gate_hysteresis = value & 0x01FF007Fu;
      set_scalers(packer, 3, value >> 16);
      return Done;
    case kXmovL1Base:
      command_base(state, author.agent) = value;
      return Done;
    case kFifoZeroMask:
      if (fifo_size(packer) != 0) ++packer.closed_head;
      return Done;
    case kFifoStatus:
      packer.setreg_base_raw = value;
      return Done;
    case kScalers:
      set_scalers(packer, 0, value);
      return Done;
    default:
      return Absent;
  }
}

}  // namespace bhemu::tensix
