// How the RISC-V debug interface acts on the cores: pausing, resuming, and accesses in their name.
// WormholeB0/TensixTile/BabyRISCV/DebugInterface.md; DISABLE_RESET: BlackholeA0 SoftReset.md.
//
// The documents' core is a pipeline, which pauses an instruction just before it would retire. Ours
// executes one instruction at a time, so the pause comes before an instruction at all, with two
// exceptions that the documents make visible: a load that hit a watchpoint, or that was under way
// when the pause was asked for, has read already and keeps its register waiting (CoreDebug::held).
#include <fmt/format.h>

#include <cstring>

#include "base/bits.hpp"
#include "riscv/decode.hpp"
#include "riscv/effect.hpp"
#include "riscv/vector.hpp"
#include "tile/bus.hpp"
#include "tile/tile.hpp"

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
    case BlockKind::TtSyncStore:
      break;
  }
  return false;
}

enum class Needs : u8 { Paused, Running };

}  // namespace

void Tile::misuse(Rule rule, const Author& author, std::string text) {
  faults().raise(rule, author.agent, author.pc, author.cycle, std::move(text));
}

// ---- Registers ----------------------------------------------------------------------------------

bool Tile::debug_control(u32 value, const Author& author) {
  const std::size_t before = faults().faults().size();
  write_debug_control(value, author);
  const auto& raised = faults().faults();
  // What a core does wrong for the host's debugger is its mistake, not one of the host's.
  return author.agent == Agent::Host || raised.size() == before ||
         raised.back().severity != Severity::Error;
}

void Tile::write_debug_control(u32 value, const Author& author) {
  using namespace debug_reg;
  using namespace debug_field;
  const bool triggers = RISC_DBG_CNTL_0_Trigger.of(value & ~debug_.get(RISC_DBG_CNTL_0)) != 0;
  const u32 which = RISC_DBG_CNTL_0_Which.of(value);
  const u32 index = RISC_DBG_CNTL_0_Index.of(value);
  const u32 is_write = RISC_DBG_CNTL_0_IsWrite.of(value);
  const u32 valid = triggers ? 0 : RISC_DBG_STATUS_0_Valid.of(debug_.get(RISC_DBG_STATUS_0));
  debug_.set(RISC_DBG_CNTL_0, value);
  debug_.set(RISC_DBG_STATUS_0,
             RISC_DBG_STATUS_0_Index.with(index) |
                 RISC_DBG_STATUS_0_IsWrite.with(is_write << which) |
                 RISC_DBG_STATUS_0_Valid.with(valid) |
                 RISC_DBG_STATUS_0_Trigger.with(RISC_DBG_CNTL_0_Trigger.of(value)));
  if (!triggers) return;
  riscv_debug_.attended = 1;
  const unsigned core = shape_.debugged[which];
  if (core == Shape::kNobody)
    return misuse(Rule::TileDebugCommand, author, fmt::format("core {} was selected", which));
  if (is_write != 0) {
    write_debug_register(core, index, debug_.get(RISC_DBG_CNTL_1), author);
    return;
  }
  debug_.set(RISC_DBG_STATUS_1, read_debug_register(core, index, author));
  debug_.set(RISC_DBG_STATUS_0, debug_.get(RISC_DBG_STATUS_0) | RISC_DBG_STATUS_0_Valid.with(1));
}

u32 Tile::read_debug_register(unsigned core, u32 index, const Author& author) {
  if (index == dr::Status) {
    const bool paused = slots_[core].status == CoreStatus::Halted;
    return riscv_debug_.core[core].reasons | debug_field::Status_Paused.with(paused);
  }
  if (const u32* reg = riscv_debug_.register_at(core, index)) return *reg;
  misuse(Rule::TileDebugRegister, author, fmt::format("read of debug register {}", index));
  return 0;
}

void Tile::write_debug_register(unsigned core, u32 index, u32 value, const Author& author) {
  u32* reg = riscv_debug_.register_at(core, index);
  if (reg == nullptr && index != dr::Status)
    misuse(Rule::TileDebugRegister, author,
           fmt::format("0x{:08x} written to debug register {}", value, index));
  if (!RiscvDebug::is_writable(index)) return;
  CoreSlot& slot = slots_[core];
  const bool spared = bit(debug_.get(debug_reg::DISABLE_RESET), kSpareDebugBit[core]);
  if (slot.status == CoreStatus::Reset && !spared) return;
  *reg = value;
  if (index == dr::Command) return command(core, value, author);
  // A core that sleeps through its loop must look at what it does from now on.
  if (slot.status == CoreStatus::Parked) wake_core(core);
  if (slot.recording) stop_recording(core, false);
  refresh_checked(core);
}

void Tile::refresh_checked(unsigned core) {
  const bool searches = core == index(CoreId::Brisc) && tag_search_.armed();
  slots_[core].checked = riscv_debug_.core[core].needs_checks() || searches;
}

void Tile::reset_debug(unsigned core) {
  CoreDebug& debug = riscv_debug_.core[core];
  CoreDebug kept;
  if (bit(debug_.get(debug_reg::DISABLE_RESET), kSpareDebugBit[core])) {
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

u32 Tile::refused_commands(unsigned core, u32 actions, const Author& author) {
  namespace c = debug_command;
  const CoreStatus status = slots_[core].status;
  const bool paused = status == CoreStatus::Halted;
  const bool off = status == CoreStatus::Reset || status == CoreStatus::Stopped;
  u32 refused = 0;
#define COMMAND(name, bit, needs, meaning)                                                    \
  if ((actions & c::name::kMask) != 0 && !paused && (Needs::needs == Needs::Paused || off)) { \
    misuse(Rule::TileDebugCommand, author,                                                    \
           fmt::format("{}, which is not {}, was told: {}", name_of(shape_.core[core]),       \
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

void Tile::command(unsigned core, u32 word, const Author& author) {
  namespace c = debug_command;
  u32 actions = debug_field::Command_Actions.of(word);
  actions &= ~refused_commands(core, actions, author);
  if ((actions & c::WritePc::kMask) != 0) {
    actions &= ~c::Step::kMask;  // DebugInterface.md: it then only works around a bug
  } else if ((actions & (c::Step::kMask | c::Continue::kMask)) != 0 &&
             debug_field::Command_SlowMode.of(word) == 0) {
    misuse(Rule::TileDebugResume, author,
           fmt::format("{} resumed by 0x{:x}", name_of(shape_.core[core]), word));
  }
  if ((actions & c::Continue::kMask) != 0) actions &= ~c::Step::kMask;
  // What a pause does is decided by how the core was when the command came.
  if (slots_[core].status == CoreStatus::Halted) actions &= ~c::Pause::kMask;
#define COMMAND(name, bit, needs, meaning) \
  if ((actions & c::name::kMask) != 0) command(c::name{}, core, author);
#include "tile/riscv_debug.def"
}

void Tile::command(debug_command::ReadRegister, unsigned core, const Author& author) {
  CoreDebug& debug = riscv_debug_.core[core];
  const riscv::CoreState& state = cores_[core];
  if (debug.argument0 < 32) {
    debug.result = state.x[debug.argument0];
  } else if (debug.argument0 == 32) {
    debug.result = state.pc;
  } else {
    misuse(Rule::TileDebugCommand, author, fmt::format("read of register {}", debug.argument0));
  }
}

void Tile::command(debug_command::WriteRegister, unsigned core, const Author& author) {
  const CoreDebug& debug = riscv_debug_.core[core];
  if (debug.argument0 >= 1 && debug.argument0 < 32) {
    cores_[core].x[debug.argument0] = debug.argument1;
  } else {
    misuse(Rule::TileDebugCommand, author, fmt::format("write of register {}", debug.argument0));
  }
}

void Tile::command(debug_command::ClearRegisters, unsigned core, const Author&) {
  cores_[core].x = {};
}

/// DebugInterface.md says that the new pc is taken from DR(4), the result. tt-exalens puts it into
/// DR(3) before it continues from an ebreak, and its tests pass on Blackhole cards.
void Tile::command(debug_command::WritePc, unsigned core, const Author&) {
  CoreDebug& debug = riscv_debug_.core[core];
  const bool slow = debug_field::Command_SlowMode.of(debug.command) != 0;
  cores_[core].pc = slow ? debug.argument1 : start_pc(core);
  debug.held = CoreDebug::Target::None;
  debug.reasons = 0;
  debug.step_primed = 0;
}

void Tile::command(debug_command::ReadMemory, unsigned core, const Author& author) {
  access_for_debugger(core, CoreDebug::Access::Read, author);
}
void Tile::command(debug_command::WriteMemory, unsigned core, const Author& author) {
  access_for_debugger(core, CoreDebug::Access::Write, author);
}

void Tile::command(debug_command::Continue, unsigned core, const Author&) {
  CoreDebug& debug = riscv_debug_.core[core];
  debug.step_primed = 0;
  // A load that was held back may be a breakpoint, too: it is hit now that the load is done.
  if (retire_held(core) && debug.reasons != 0) return;
  debug.reasons = 0;
  wake_core(core);
}

/// Blackhole needs two of these commands for each instruction: tt-exalens and blackhole-py give
/// two, and the tests of the former find the pc one instruction on. They look at once: the
/// instruction is executed here, and only if it has to wait does the schedule come back to it.
void Tile::command(debug_command::Step, unsigned core, const Author&) {
  CoreDebug& debug = riscv_debug_.core[core];
  debug.step_primed ^= 1;
  if (debug.step_primed != 0 || retire_held(core)) return;
  debug.reasons = 0;
  debug.stepping = 1;
  refresh_checked(core);
  wake_core(core);
  take_interrupt(core);
  run_checked(core);
}

void Tile::command(debug_command::Pause, unsigned core, const Author&) {
  CoreDebug& debug = riscv_debug_.core[core];
  if (debug.access != CoreDebug::Access::None) return;  // it is paused already, and busy
  if (!is_wait_of_load(slots_[core].waited_for)) return halt_core(core, 0);
  debug.pause_wanted = 1;
  refresh_checked(core);
}

// ---- Memory through a paused core ---------------------------------------------------------------

void Tile::access_for_debugger(unsigned core, CoreDebug::Access access, const Author& author) {
  CoreDebug& debug = riscv_debug_.core[core];
  const u32 address = debug.argument0;
  if (!is_aligned(address, 4))
    misuse(Rule::TileDebugUnaligned, author, fmt::format("access to 0x{:08x}", address));
  debug.access = access;
  debug.access_address = address & ~3u;
  debug.access_data = debug.argument1;
  perform_debug_access(core, author.cycle);
  CoreSlot& slot = slots_[core];
  if (debug.access == CoreDebug::Access::None) return;
  slot.status = CoreStatus::Blocked;
  slot.waited_for = slot.block;
  refresh_checked(core);
  update_watched();
}

/// Leaves `access` set when it has to wait. An address rounded down to its word stands for what
/// an unaligned one does on silicon, which nobody has described.
void Tile::perform_debug_access(unsigned core, Cycle now) {
  CoreDebug& debug = riscv_debug_.core[core];
  CoreSlot& slot = slots_[core];
  riscv::CoreState& state = cores_[core];
  const Author author{agent(core), state.pc, now};
  const u32 address = debug.access_address;
  const u32 data = debug.access_data;
  const u32 local = address - riscv::kLdmBase;
  const bool is_local = local < riscv::ldm_size_of(state.id);
  const CoreDebug::Access access = debug.access;
  debug.access = CoreDebug::Access::None;
  riscv::Outcome outcome = riscv::Outcome::Ok;
  if (access == CoreDebug::Access::Read) {
    riscv::Loaded loaded;
    if (l1_.has(address, 4)) {
      loaded.value = l1_.read32(address);
    } else if (is_local && state.id == CoreId::Trisc2 && address % 16 >= 8) {
      misuse(Rule::TileDebugTrisc2Ldm, author, fmt::format("read of 0x{:08x}", address));
    } else if (is_local) {
      std::memcpy(&loaded.value, &state.ldm[local], 4);
    } else {
      loaded = load(core, address, 4, now);
    }
    outcome = loaded.outcome;
    if (outcome == riscv::Outcome::Ok) debug.result = loaded.value;
  } else if (l1_.has(address, 4)) {
    l1_.write32(address, data, author);
  } else if (is_local) {
    wakeup_.touch(Resource::Ldm);
    std::memcpy(&state.ldm[local], &data, 4);
  } else {
    outcome = store(core, address, 4, data, now);
  }
  unwatch(core);
  if (slot.status == CoreStatus::Reset) return;  // it has written to SOFT_RESET_0
  if (outcome == riscv::Outcome::Blocked) {
    debug.access = access;
    return;
  }
  slot.block = BlockKind::None;
  slot.status = outcome == riscv::Outcome::Ok ? CoreStatus::Halted : CoreStatus::Stopped;
  refresh_checked(core);
}

/// What waited may go on. True: there was such an access, and the core itself does nothing.
bool Tile::finish_debug_access(unsigned core) {
  const CoreDebug& debug = riscv_debug_.core[core];
  if (debug.access == CoreDebug::Access::None) return false;
  perform_debug_access(core, cores_[core].cycle);
  if (debug.access != CoreDebug::Access::None) block(core);
  return true;
}

// ---- Pausing ------------------------------------------------------------------------------------

void Tile::halt_core(unsigned core, u32 reasons) {
  CoreSlot& slot = slots_[core];
  CoreDebug& debug = riscv_debug_.core[core];
  if (slot.status == CoreStatus::Parked) {
    replay(core, std::max(wake_cycle(core), cores_[core].cycle));
    unwatch(core);
  }
  if (slot.recording) stop_recording(core, false);
  slot.status = CoreStatus::Halted;
  slot.block = slot.waited_for = BlockKind::None;
  slot.block_resources = 0;
  debug.reasons = reasons;
  debug.pause_wanted = debug.step_primed = debug.stepping = 0;
  refresh_checked(core);
  update_watched();
  if (core == position_) buses_[core]->attention = true;
}

void Tile::hold_back(unsigned core, const riscv::Effect& effect, u32 pc, u32 old) {
  CoreDebug& debug = riscv_debug_.core[core];
  riscv::CoreState& state = cores_[core];
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
bool Tile::retire_held(unsigned core) {
  CoreDebug& debug = riscv_debug_.core[core];
  riscv::CoreState& state = cores_[core];
  if (debug.held == CoreDebug::Target::None) return false;
  if (debug.held == CoreDebug::Target::Integer) state.x[debug.held_register] = debug.held_value;
  if (debug.held == CoreDebug::Target::Float) state.f[debug.held_register] = debug.held_value;
  debug.held = CoreDebug::Target::None;
  debug.reasons = instruction_reason(debug.instruction_hits(state.pc));
  state.pc = debug.held_next_pc;
  return true;
}

/// For a vector load or store, that of all its elements; the documents do not speak of it.
u32 Tile::store_hits_of(unsigned core, const riscv::Effect& effect, u32 word) const {
  const CoreDebug& debug = riscv_debug_.core[core];
  if (effect.reach != riscv::Reach::Vector)
    return riscv::stores(effect) ? debug.store_hits(effect.address) : 0;
  riscv::VectorAccess plan;
  if (riscv::plan_vector_access(cores_[core], word, plan) != riscv::VectorResult::Ok) return 0;
  u32 hits = 0;
  for (u32 i = 0; i < plan.count; ++i) {
    const u32 address = plan.element[i].address;
    hits |= plan.store ? debug.store_hits(address) : debug.load_hits(address);
  }
  return hits;
}

riscv::Outcome Tile::execute_one(unsigned core) {
  riscv::CoreState& state = cores_[core];
  const Cycle end = state.cycle + 1;
  const bool traced =
      trace_ != nullptr && trace_->covers(state.cycle, end) && trace_->follows(core);
  const bool followed = traced || observer_ != nullptr || late_ != nullptr;
  const riscv::Outcome outcome = followed                 ? step_followed(core)
                                 : slots_[core].recording ? execute_recorded(core, end)
                                                          : execute(core, end);
  recording_buses_[core]->attention = buses_[core]->attention = false;
  return outcome;
}

/// One instruction of a core that a debugger watches, or whose reads may set off a tag search.
void Tile::run_checked(unsigned core) {
  CoreSlot& slot = slots_[core];
  CoreDebug& debug = riscv_debug_.core[core];
  riscv::CoreState& state = cores_[core];
  const u32 pc = state.pc;
  const bool can_fetch = riscv::is_instruction_address(pc, l1_.size());
  const u32 word = can_fetch ? l1_.read32(pc) : 0;
  const riscv::Effect effect = can_fetch ? riscv::effect_of(state, word) : riscv::Effect{};
  const bool loads = riscv::loads(effect);
  if (debug.pause_wanted != 0 && !loads) return halt_core(core, 0);
  const u32 memory_hits =
      (loads ? debug.load_hits(effect.address) : 0) | store_hits_of(core, effect, word);
  const bool holds = loads && (memory_hits != 0 || debug.pause_wanted != 0);
  const u32 reasons =
      memory_reason(memory_hits) | (holds ? 0 : instruction_reason(debug.instruction_hits(pc)));
  const bool pauses = holds || reasons != 0 || debug.stepping != 0;
  if (slot.recording && pauses) stop_recording(core, false);
  const u32 old =
      effect.destination == riscv::Destination::Float ? state.f[effect.reg] : state.x[effect.reg];
  const bool recorded = slot.recording;
  const std::optional<u32> found = tag_search(core, effect, word);
  const riscv::Outcome outcome =
      slot.status == CoreStatus::Stopped ? riscv::Outcome::Stop : execute_one(core);
  if (outcome == riscv::Outcome::Ok) {
    const bool to_float = effect.destination == riscv::Destination::Float;
    if (found) (to_float ? state.f[effect.reg] : state.x[effect.reg]) = *found;
    if (holds) hold_back(core, effect, pc, old);
    if (slot.status == CoreStatus::Halted) {
      debug.reasons |= reasons;  // it was an ebreak, or has paused itself
    } else if (slot.status == CoreStatus::Running && pauses) {
      halt_core(core, reasons);
    }
  }
  if (recorded) check_recording(core);
  after_run(core, outcome);
}

}  // namespace bhemu::tile
