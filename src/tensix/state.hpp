// All state of the coprocessor of one tile, as plain data. A part is written by the folder that
// its header names; others read it. Snapshots copy it, so it holds no pointer.
#pragma once

#include <array>
#include <type_traits>

#include "tensix/adc_state.hpp"
#include "tensix/cfg/state.hpp"
#include "tensix/effects.hpp"
#include "tensix/fpu/state.hpp"
#include "tensix/frontend/state.hpp"
#include "tensix/mover/state.hpp"
#include "tensix/operation.hpp"
#include "tensix/pack/state.hpp"
#include "tensix/perf/state.hpp"
#include "tensix/pieces.hpp"
#include "tensix/sfpu/state.hpp"
#include "tensix/sync/state.hpp"
#include "tensix/thcon/state.hpp"
#include "tensix/unpack/state.hpp"

namespace bhemu::tensix {

struct State {
  std::array<Frontend, kThreads> frontend{};
  SyncState sync;
  CfgState cfg;
  ThconState thcon;
  AdcState adc;
  MoverState mover;
  std::array<UnpackerState, 2> unpacker{};
  PackerState packer;
  FpuState fpu;
  SfpuState sfpu;
  PerfState perf;

  /// First cycle in which the unit has finished everything that the thread gave it.
  std::array<std::array<Cycle, kBusyUnits>, kThreads> busy_until{};
  /// The latest of a thread's busy_until.
  std::array<Cycle, kThreads> quiet_from{};
  /// Full build only (in Plain these cycles lie in the past): the first cycle in which a unit takes
  /// an instruction of any thread again, and in which a thread may start its next instruction.
  std::array<Cycle, kBusyUnits> taken_until{};
  std::array<Cycle, kThreads> held_until{};
  /// What instructions have still to change: of the Full build.
  EffectQueue effects;
  Flights flights;
  /// Of the Full build, when there are delays. Not part of the hash.
  Late late;
  std::array<SemaphoreUse, kSemaphores> semaphore_use{};
  /// First cycle not yet executed. Not part of the hash: it says how far we were run, not what is.
  Cycle now = 0;
  /// Bits of SOFT_RESET_0 that hold units of the coprocessor.
  u32 soft_reset = 0;
  /// No cycle can change anything until an input arrives (derived; not part of the hash).
  bool asleep = true;

  /// The configuration that `thread` sees: CFG_STATE_ID_StateID selects the bank.
  const ConfigWords& config(unsigned thread) const { return cfg.bank[cfg.thread[thread][0] & 1u]; }
  const ThreadConfigWords& thread_config(unsigned thread) const { return cfg.thread[thread]; }
};

static_assert(std::is_trivially_copyable_v<State>);

}  // namespace bhemu::tensix
