// TDMA-RISC registers. Blackhole has one packer: the registers of packers 1 to 3 do not exist.
//
// Documents: tt-isa-documentation TDMA-RISC.md (Wormhole), boopdotpng/tenstorrent-docs
// xmov-and-tdma-mover, numerics-pack-unpack section 12.2.
#include <fmt/format.h>

#include "tensix/conditions.hpp"
#include "tensix/mover/mover.hpp"

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

constexpr u32 kQueueDepth = 4;

u32 status(const State& state, Cycle now) {
  // Both parameter credits are free, and the queue is empty but for what waits behind the command
  // under way.
  constexpr u32 kQueueEmpty = 1u << 3;
  constexpr u32 kParametersFree = 1u << 5;
  const u32 queued = state.flights.mover.count == 0 ? 0 : state.flights.mover.count - 1;
  return (state.mover.busy_until > now ? 1u : 0u) | (queued == 0 ? kQueueEmpty : 0) |
         kParametersFree | (kQueueDepth - queued) << 8;
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

bool refuse(const Environment& env, Rule rule, const Author& author, std::string text) {
  return env.faults != nullptr && env.faults->raise(rule, author, std::move(text));
}

bool write_l1(State& state, const Environment& env, u32 command, const Author& author) {
  const u32 address = state.mover.parameter[0];
  const u32 bytes = bit(command, 8) ? 8 : 4;
  if (!L1::contains(address, bytes))
    return !refuse(env, Rule::TensixL1Range, author,
                   fmt::format("TDMA write command {:#010x}: L1 address {:#x}", command, address));
  const u32 words[2] = {state.mover.parameter[2], state.mover.parameter[3]};
  env.l1->write(address, words, bytes, author);
  return true;
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

bool start_mover(State& state, const Environment& env, u32 command, const Author& author) {
  if (bit(command, 31)) {  // compact: everything in the command
    const u32 source = command_base(state, author.agent) + bits(command, 8, 8);
    const MoverMode mode = bit(command, 30) ? MoverMode::L1ToL1 : MoverMode::L1ToConfig;
    return run_mover(state, env, bits(command, 16, 8) << 4, source << 4, bits(command, 24, 6) << 4,
                     mode, author);
  }
  const auto& parameter = state.mover.parameter;
  return run_mover(state, env, parameter[1] << 4, parameter[0] << 4, bits(parameter[2], 0, 16) << 4,
                   static_cast<MoverMode>(parameter[3] & 3), author);
}

/// False, here and above: a rule was broken, and the author must stop.
bool run_command(State& state, const Environment& env, u32 command, const Author& author) {
  switch (command & 0xFF) {
    case 0x40:
      return start_mover(state, env, command, author);
    case 0x46:
      return true;  // wait for the mover: it has finished
    case 0x89:
      return true;  // NOP
    case 0x66:
      if (!bit(command, 31) && (command & 0x600) == 0x600)
        return write_l1(state, env, command, author);
      break;
    default:
      break;
  }
  return !refuse(env, Rule::TensixTdmaCommand, author,
                 fmt::format("TDMA-RISC command {:#010x}", command));
}

}  // namespace

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
      return run_command(state, env, value, author) ? Done : Refused;
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
