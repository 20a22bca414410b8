#include "tile/debugger.hpp"
#include "tile/core_access.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/bits.hpp"
#include "riscv/decode.hpp"
#include "riscv/vector.hpp"

namespace bhemu::tile {
namespace {

// RISCV_DEBUG_REG_DISABLE_RESET: the bit which spares a core's debug registers, in CoreId order.
constexpr std::array<unsigned, kCores> kSpareDebugBit{7, 9, 1, 3, 5};

/// A wait in which the core's instruction is a load: no pause before it has its answer. A store
/// that waits has not been executed, and the pause comes before it.
bool is_wait_of_load(BlockKind kind) {
  switch (kind) {
    case BlockKind::MailboxEmpty:
    case BlockKind::PcBufEmpty:
    case BlockKind::PcBufBarrier:
    case BlockKind::CoprocessorDone:
    case BlockKind::MopDone:
    case BlockKind::PackedTile:
    case BlockKind::TtSyncLoad:
      return true;
    case BlockKind::None:
    case BlockKind::FifoFull:
    case BlockKind::MailboxFull:
    case BlockKind::PcBufFull:
    case BlockKind::TdmaFull:
    case BlockKind::TtSyncStore:
      break;
  }
  return false;
}

enum class Needs : u8 { Paused, Running };

}  // namespace

void Debugger::misuse(Rule rule, const Author& author, std::string text) {
  env_.faults.raise(rule, author.agent, author.pc, author.cycle, std::move(text));
}

// ---- Registers ----------------------------------------------------------------------------------

bool Debugger::control(u32 value, const Author& author) {
  const std::size_t before = env_.faults.faults().size();
  write_control(value, author);
  const auto& raised = env_.faults.faults();
  // What a core does wrong for the host's debugger is its mistake, not one of the host's.
  return author.agent == Agent::Host || raised.size() == before ||
         raised.back().severity != Severity::Error;
}

void Debugger::write_control(u32 value, const Author& author) {
  using namespace debug_reg;
  using namespace debug_field;
  const bool triggers =
      RISC_DBG_CNTL_0_Trigger.of(value & ~env_.registers.get(RISC_DBG_CNTL_0)) != 0;
  const u32 which = RISC_DBG_CNTL_0_Which.of(value);
  const u32 index = RISC_DBG_CNTL_0_Index.of(value);
  const u32 is_write = RISC_DBG_CNTL_0_IsWrite.of(value);
  const u32 valid =
      triggers ? 0 : RISC_DBG_STATUS_0_Valid.of(env_.registers.get(RISC_DBG_STATUS_0));
  env_.registers.set(RISC_DBG_CNTL_0, value);
  env_.registers.set(RISC_DBG_STATUS_0,
                     RISC_DBG_STATUS_0_Index.with(index) |
                         RISC_DBG_STATUS_0_IsWrite.with(is_write << which) |
                         RISC_DBG_STATUS_0_Valid.with(valid) |
                         RISC_DBG_STATUS_0_Trigger.with(RISC_DBG_CNTL_0_Trigger.of(value)));
  if (!triggers) return;
  state_.attended = 1;
  const unsigned core = env_.shape.debugged[which];
  if (core == Shape::kNobody)
    return misuse(Rule::TileDebugCommand, author, fmt::format("core {} was selected", which));
  if (is_write != 0) {
    write_register(core, index, env_.registers.get(RISC_DBG_CNTL_1), author);
    return;
  }
  env_.registers.set(RISC_DBG_STATUS_1, read_register(core, index, author));
  env_.registers.set(RISC_DBG_STATUS_0,
                     env_.registers.get(RISC_DBG_STATUS_0) | RISC_DBG_STATUS_0_Valid.with(1));
}

u32 Debugger::read_register(unsigned core, u32 index, const Author& author) {
  if (index == dr::Status) {
    const bool paused = env_.slots[core].status == CoreStatus::Halted;
    return state_.core[core].reasons | debug_field::Status_Paused.with(paused);
  }
  if (const u32* reg = state_.register_at(core, index)) return *reg;
  misuse(Rule::TileDebugRegister, author, fmt::format("read of debug register {}", index));
  return 0;
}

void Debugger::write_register(unsigned core, u32 index, u32 value, const Author& author) {
  u32* reg = state_.register_at(core, index);
  if (reg == nullptr && index != dr::Status)
    misuse(Rule::TileDebugRegister, author,
           fmt::format("0x{:08x} written to debug register {}", value, index));
  if (!RiscvDebug::is_writable(index)) return;
  CoreSlot& slot = env_.slots[core];
  const bool spared = bit(env_.registers.get(debug_reg::DISABLE_RESET), kSpareDebugBit[core]);
  if (slot.status == CoreStatus::Reset && !spared) return;
  *reg = value;
  if (index == dr::Command) return command(core, value, author);
  // A core that sleeps through its loop must look at what it does from now on.
  if (slot.status == CoreStatus::Parked) env_.host.wake_core(core);
  if (slot.recording) env_.host.stop_recording(core, false);
  refresh_checked(core);
}

void Debugger::refresh_checked(unsigned core) {
  env_.slots[core].checked = state_.core[core].needs_checks() || env_.host.searches_tags(core);
}

void Debugger::hold(unsigned core) {
  CoreDebug& debug = state_.core[core];
  CoreDebug kept;
  if (bit(env_.registers.get(debug_reg::DISABLE_RESET), kSpareDebugBit[core])) {
    kept.command = debug.command;
    kept.argument0 = debug.argument0;
    kept.argument1 = debug.argument1;
    kept.result = debug.result;
    kept.modes = debug.modes;
    kept.address = debug.address;
  }
  debug = kept;
}

// ---- Commands -----------------------------------------------------------------------------------

u32 Debugger::refused_commands(unsigned core, u32 actions, const Author& author) {
  namespace c = debug_command;
  const CoreStatus status = env_.slots[core].status;
  const bool paused = status == CoreStatus::Halted;
  const bool off = status == CoreStatus::Reset || status == CoreStatus::Stopped;
  u32 refused = 0;
#define COMMAND(name, bit, needs, meaning)                                                    \
  if ((actions & c::name::kMask) != 0 && !paused && (Needs::needs == Needs::Paused || off)) { \
    misuse(Rule::TileDebugCommand, author,                                                    \
           fmt::format("{}, which is not {}, was told: {}", name_of(env_.shape.core[core]),   \
                       Needs::needs == Needs::Paused ? "paused" : "running", meaning));       \
    refused |= c::name::kMask;                                                                \
  }
#include "tile/riscv_debug.def"
  constexpr u32 kAccesses = c::ReadMemory::kMask | c::WriteMemory::kMask;
  const u32 exclusive = actions & (kAccesses | c::Step::kMask | c::Continue::kMask);
  if ((exclusive & kAccesses) != 0 && (exclusive & (exclusive - 1)) != 0) {
    misuse(Rule::TileDebugCommand, author,
           fmt::format("memory commands exclude each other and resumption: 0x{:x}", actions));
    refused |= exclusive;
  }
  return refused;
}

void Debugger::command(unsigned core, u32 word, const Author& author) {
  namespace c = debug_command;
  u32 actions = debug_field::Command_Actions.of(word);
  actions &= ~refused_commands(core, actions, author);
  if ((actions & c::WritePc::kMask) != 0) {
    actions &= ~c::Step::kMask;  // DebugInterface.md: it then only works around a bug
  } else if ((actions & (c::Step::kMask | c::Continue::kMask)) != 0 &&
             debug_field::Command_SlowMode.of(word) == 0) {
    misuse(Rule::TileDebugResume, author,
           fmt::format("{} resumed by 0x{:x}", name_of(env_.shape.core[core]), word));
  }
  if ((actions & c::Continue::kMask) != 0) actions &= ~c::Step::kMask;
  // What a pause does is decided by how the core was when the command came.
  if (env_.slots[core].status == CoreStatus::Halted) actions &= ~c::Pause::kMask;
#define COMMAND(name, bit, needs, meaning) \
  if ((actions & c::name::kMask) != 0) command(c::name{}, core, author);
#include "tile/riscv_debug.def"
}

void Debugger::command(debug_command::ReadRegister, unsigned core, const Author& author) {
  CoreDebug& debug = state_.core[core];
  const riscv::CoreState& state = env_.cores[core];
  if (debug.argument0 < 32) {
    debug.result = state.x[debug.argument0];
  } else if (debug.argument0 == 32) {
    debug.result = state.pc;
  } else {
    misuse(Rule::TileDebugCommand, author, fmt::format("read of register {}", debug.argument0));
  }
}

void Debugger::command(debug_command::WriteRegister, unsigned core, const Author& author) {
  const CoreDebug& debug = state_.core[core];
  if (debug.argument0 >= 1 && debug.argument0 < 32) {
    env_.cores[core].is_new = false;
    env_.cores[core].x[debug.argument0] = debug.argument1;
  } else {
    misuse(Rule::TileDebugCommand, author, fmt::format("write of register {}", debug.argument0));
  }
}

void Debugger::command(debug_command::ClearRegisters, unsigned core, const Author&) {
  env_.cores[core].x = {};
}

/// DebugInterface.md says that the new pc is taken from DR(4), the result. tt-exalens puts it into
/// DR(3) before it continues from an ebreak, and its tests pass on Blackhole cards.
void Debugger::command(debug_command::WritePc, unsigned core, const Author&) {
  CoreDebug& debug = state_.core[core];
  const bool slow = debug_field::Command_SlowMode.of(debug.command) != 0;
  env_.cores[core].pc = slow ? debug.argument1 : env_.host.start_pc(core);
  debug.held = CoreDebug::Target::None;
  debug.reasons = 0;
  debug.step_primed = 0;
}

void Debugger::command(debug_command::ReadMemory, unsigned core, const Author& author) {
  begin_access(core, CoreDebug::Access::Read, author);
}
void Debugger::command(debug_command::WriteMemory, unsigned core, const Author& author) {
  begin_access(core, CoreDebug::Access::Write, author);
}

void Debugger::command(debug_command::Continue, unsigned core, const Author&) {
  CoreDebug& debug = state_.core[core];
  debug.step_primed = 0;
  // A load that was held back may be a breakpoint, too: it is hit now that the load is done.
  if (retire_held(core) && debug.reasons != 0) return;
  debug.reasons = 0;
  env_.host.wake_core(core);
}

/// Blackhole needs two of these commands for each instruction: tt-exalens and blackhole-py give
/// two, and the tests of the former find the pc one instruction on. They read the pc at once, so
/// the instruction is executed here; only if it has to wait does the schedule try it again.
void Debugger::command(debug_command::Step, unsigned core, const Author&) {
  CoreDebug& debug = state_.core[core];
  debug.step_primed ^= 1;
  if (debug.step_primed != 0 || retire_held(core)) return;
  debug.reasons = 0;
  debug.stepping = 1;
  refresh_checked(core);
  env_.host.wake_core(core);
  env_.host.take_interrupt(core);
  run_checked(core);
}

void Debugger::command(debug_command::Pause, unsigned core, const Author&) {
  CoreDebug& debug = state_.core[core];
  if (debug.access != CoreDebug::Access::None) return;  // it is paused already, and busy
  if (!is_wait_of_load(env_.slots[core].waited_for)) return halt(core, 0);
  debug.pause_wanted = 1;
  refresh_checked(core);
}

// ---- Memory through a paused core ---------------------------------------------------------------

void Debugger::begin_access(unsigned core, CoreDebug::Access access, const Author& author) {
  CoreDebug& debug = state_.core[core];
  const u32 address = debug.argument0;
  if (!is_aligned(address, 4))
    misuse(Rule::TileDebugUnaligned, author, fmt::format("access to 0x{:08x}", address));
  debug.access = access;
  debug.access_address = address & ~3u;
  debug.access_data = debug.argument1;
  perform_access(core, author.cycle);
  CoreSlot& slot = env_.slots[core];
  if (debug.access == CoreDebug::Access::None) return;
  slot.status = CoreStatus::Blocked;
  slot.waited_for = slot.block;
  refresh_checked(core);
  env_.host.update_watched();
}

/// Leaves `access` set when it has to wait. An address rounded down to its word stands for what
/// an unaligned one does on silicon, which nobody has described.
void Debugger::perform_access(unsigned core, Cycle now) {
  CoreDebug& debug = state_.core[core];
  CoreSlot& slot = env_.slots[core];
  riscv::CoreState& state = env_.cores[core];
  const Author author{agent_of(env_.shape.core[core]), state.pc, now};
  const u32 address = debug.access_address;
  const u32 data = debug.access_data;
  const u32 local = address - riscv::kLdmBase;
  const bool is_local = local < riscv::ldm_size_of(state.id);
  const CoreDebug::Access access = debug.access;
  debug.access = CoreDebug::Access::None;
  riscv::Outcome outcome = riscv::Outcome::Ok;
  if (access == CoreDebug::Access::Read) {
    riscv::Loaded loaded;
    if (env_.l1.has(address, 4)) {
      loaded.value = env_.l1.read32(address);
    } else if (is_local && state.id == CoreId::Trisc2 && address % 16 >= 8) {
      misuse(Rule::TileDebugTrisc2Ldm, author, fmt::format("read of 0x{:08x}", address));
    } else if (is_local) {
      std::memcpy(&loaded.value, &state.ldm[local], 4);
    } else {
      loaded = env_.access.load(core, address, 4, now);
    }
    outcome = loaded.outcome;
    if (outcome == riscv::Outcome::Ok) debug.result = loaded.value;
  } else if (env_.l1.has(address, 4)) {
    env_.l1.write32(address, data, author);
  } else if (is_local) {
    env_.wakeup.touch(Resource::Ldm);
    state.ldm_is_zero = false;
    std::memcpy(&state.ldm[local], &data, 4);
  } else {
    outcome = env_.access.store(core, address, 4, data, now);
  }
  env_.host.unwatch(core);
  if (slot.status == CoreStatus::Reset) return;  // it has written to SOFT_RESET_0
  if (outcome == riscv::Outcome::Blocked) {
    debug.access = access;
    return;
  }
  slot.block = BlockKind::None;
  slot.status = outcome == riscv::Outcome::Ok ? CoreStatus::Halted : CoreStatus::Stopped;
  refresh_checked(core);
}

bool Debugger::finish_access(unsigned core) {
  const CoreDebug& debug = state_.core[core];
  if (debug.access == CoreDebug::Access::None) return false;
  perform_access(core, env_.cores[core].cycle);
  if (debug.access != CoreDebug::Access::None) env_.host.block(core);
  return true;
}

// ---- Pausing ------------------------------------------------------------------------------------

void Debugger::halt(unsigned core, u32 reasons) {
  CoreSlot& slot = env_.slots[core];
  CoreDebug& debug = state_.core[core];
  if (slot.status == CoreStatus::Parked) env_.host.leave_loop(core);
  if (slot.recording) env_.host.stop_recording(core, false);
  slot.status = CoreStatus::Halted;
  slot.block = slot.waited_for = BlockKind::None;
  slot.block_resources = 0;
  debug.reasons = reasons;
  debug.pause_wanted = debug.step_primed = debug.stepping = 0;
  refresh_checked(core);
  env_.host.update_watched();
  env_.host.end_run_of(core);
}

void Debugger::hold_back(unsigned core, const riscv::Effect& effect, u32 pc, u32 old) {
  CoreDebug& debug = state_.core[core];
  riscv::CoreState& state = env_.cores[core];
  const bool to_float = effect.destination == riscv::Destination::Float;
  u32& target = to_float ? state.f[effect.reg] : state.x[effect.reg];
  const bool has_target = to_float || effect.reg != 0;
  debug.held = !has_target ? CoreDebug::Target::Nothing
               : to_float  ? CoreDebug::Target::Float
                           : CoreDebug::Target::Integer;
  debug.held_register = effect.reg;
  debug.held_value = target;
  debug.held_next_pc = state.pc;
  target = old;
  state.pc = pc;
}

/// The instruction at the pc, if it was held back, is done. Sets the reasons for which the core
/// stays paused.
bool Debugger::retire_held(unsigned core) {
  CoreDebug& debug = state_.core[core];
  riscv::CoreState& state = env_.cores[core];
  if (debug.held == CoreDebug::Target::None) return false;
  if (debug.held == CoreDebug::Target::Integer) state.x[debug.held_register] = debug.held_value;
  if (debug.held == CoreDebug::Target::Float) state.f[debug.held_register] = debug.held_value;
  debug.held = CoreDebug::Target::None;
  debug.reasons = instruction_reason(debug.instruction_hits(state.pc));
  state.pc = debug.held_next_pc;
  return true;
}

/// For a vector load or store, that of all its elements; the documents do not speak of it.
u32 Debugger::store_hits_of(unsigned core, const riscv::Effect& effect, u32 word) const {
  const CoreDebug& debug = state_.core[core];
  if (effect.reach != riscv::Reach::Vector)
    return riscv::stores(effect) ? debug.store_hits(effect.address) : 0;
  riscv::VectorAccess plan;
  if (riscv::plan_vector_access(env_.cores[core], word, plan) != riscv::VectorResult::Ok) return 0;
  u32 hits = 0;
  for (u32 i = 0; i < plan.count; ++i) {
    const u32 address = plan.element[i].address;
    hits |= plan.store ? debug.store_hits(address) : debug.load_hits(address);
  }
  return hits;
}

void Debugger::run_checked(unsigned core) {
  CoreSlot& slot = env_.slots[core];
  CoreDebug& debug = state_.core[core];
  riscv::CoreState& state = env_.cores[core];
  const u32 pc = state.pc;
  const bool can_fetch = riscv::is_instruction_address(pc, env_.l1.size());
  const u32 word = can_fetch ? env_.l1.read32(pc) : 0;
  const riscv::Effect effect = can_fetch ? riscv::effect_of(state, word) : riscv::Effect{};
  const bool loads = riscv::loads(effect);
  if (debug.pause_wanted != 0 && !loads) return halt(core, 0);
  const u32 memory_hits =
      (loads ? debug.load_hits(effect.address) : 0) | store_hits_of(core, effect, word);
  const bool holds = loads && (memory_hits != 0 || debug.pause_wanted != 0);
  const u32 reasons =
      memory_reason(memory_hits) | (holds ? 0 : instruction_reason(debug.instruction_hits(pc)));
  const bool pauses = holds || reasons != 0 || debug.stepping != 0;
  if (slot.recording && pauses) env_.host.stop_recording(core, false);
  const u32 old =
      effect.destination == riscv::Destination::Float ? state.f[effect.reg] : state.x[effect.reg];
  const bool recorded = slot.recording;
  const std::optional<u32> found = env_.host.tag_search(core, effect, word);
  const riscv::Outcome outcome =
      slot.status == CoreStatus::Stopped ? riscv::Outcome::Stop : env_.host.execute_one(core);
  if (outcome == riscv::Outcome::Ok) {
    const bool to_float = effect.destination == riscv::Destination::Float;
    if (found) (to_float ? state.f[effect.reg] : state.x[effect.reg]) = *found;
    if (holds) hold_back(core, effect, pc, old);
    if (slot.status == CoreStatus::Halted) {
      debug.reasons |= reasons;  // it was an ebreak, or has paused itself
    } else if (slot.status == CoreStatus::Running && pauses) {
      halt(core, reasons);
    }
  }
  if (recorded) env_.host.check_recording(core);
  env_.host.after_run(core, outcome);
}

}  // namespace bhemu::tile
