// The wait gate: holds an instruction until the latched wait lets it pass and its unit takes it.
//
// Documents: tt-isa-documentation BlackholeA0 STALLWAIT.md, SEMWAIT.md, STREAMWAIT.md, SyncUnit.md,
// ConfigurationUnit.md, SoftReset.md.
#pragma once

#include <initializer_list>

#include "tensix/footprint/recorder.hpp"
#include "tensix/frontend/issue.hpp"
#include "tensix/properties.hpp"

namespace bhemu::tensix::frontend {

/// Units that accept a limited number of instructions a cycle, from all threads together.
enum : u8 {
  kAcceptThcon = 1u << 0,
  kAcceptFpu = 1u << 1,
  kAcceptSfpu = 1u << 2,
  kAcceptPack = 1u << 3,
  kAcceptUnpack0 = 1u << 4,
  kAcceptUnpack1 = 1u << 5,
  kAcceptConfig = 1u << 6,  // the configuration unit, SETC16 excepted
  kAcceptSync = 1u << 7,    // the sync unit, mutexes excepted
};

/// What a step knows of an instruction by its opcode (Decoded::step).
enum : u8 {
  kStepSlowly = 1u << 0,    // its unit has more to be asked than whether it is free
  kStepTwoUnits = 1u << 1,  // bit 23 says which of two like units it is for
  /// It stalls for a bank of SrcA or SrcB and for nothing else.
  kStepWaitsForSource = 1u << 2,
  /// It leaves these banks to whom they belong unless bits 22 and 23 say otherwise.
  kStepKeepsBanks = 1u << 3,
  /// Another thread's: it changes neither what the matrix unit reads nor any configuration. An
  /// UNPACR fills and hands over a bank that the matrix unit could not read before, so nothing of
  /// it is known.
  kStepKeepsProducts = 1u << 4,
  kStepIsProduct = 1u << 5,
  kStepReleasesNobody = 1u << 6,  // from what `StepNotes::released_by` can say
};

/// What an instruction takes in its cycle. Of two like units bit 23 says which.
struct Claim {
  u8 accept;  // kAccept bits
  BusyUnit unit;
};
inline Claim claim_of(const Decoded& decoded, u32 word) {
  const u32 second = decoded.unit == Unit::Unpack ? bits(word, 23, 1) : 0;
  return {static_cast<u8>(decoded.accept << second),
          static_cast<BusyUnit>(static_cast<u32>(decoded.busy) + second)};
}

/// The unit that has executed the instruction, by bit, as far as anybody may have waited for it.
inline u32 released_units(const Decoded& decoded, u32 word) {
  const bool nobody = (decoded.step & kStepReleasesNobody) != 0 ||
                      ((decoded.step & kStepKeepsBanks) != 0 && bits(word, 22, 2) == 0);
  return nobody ? 0 : decoded.unit_mask();
}

constexpr u32 units(std::initializer_list<Unit> list) {
  u32 mask = 0;
  for (const Unit unit : list) mask |= 1u << static_cast<unsigned>(unit);
  return mask;
}
/// Those that certainly never change to whom a bank belongs are left out.
inline constexpr u32 kReleaseSource =
    units({Unit::Cfg, Unit::Thcon, Unit::Misc, Unit::Xmov, Unit::Unpack, Unit::Fpu});

/// What a SEMWAIT waits for: those that never touch a semaphore are left out; what writes
/// configuration or registers may do anything.
inline constexpr u32 kReleaseSemaphore =
    units({Unit::Cfg, Unit::Thcon, Unit::Misc, Unit::Xmov, Unit::Sync});

/// What a step says beside whether it changed any state.
struct StepNotes {
  u32 executed = 0;  // released_units of the instruction that was executed
  /// When nothing will change after this cycle until an instruction of certain units is executed:
  /// those units, by bit. 0 otherwise.
  u32 released_by = 0;
};
/// One cycle of one thread: refill, gate, issue. `accepted` collects the units taken in this cycle.
/// True when any state changed. `notes` are set to 0 by the caller. `Build`: Plain or Full.
template <class Build>
bool step(State& state, const Environment& env, unsigned thread, Cycle now, u8& accepted,
          StepNotes& notes);

/// The latched wait in this cycle, after the refill. True: the instruction at the gate may not
/// pass. `changed` is set when the wait ends.
template <class Build>
bool hold(State& state, const Environment& env, unsigned thread, Cycle now, bool& changed);

/// The thread has nothing to do, and only an input can change that.
inline bool idle(const Frontend& frontend) {
  return frontend.stopped ||
         (!frontend.gate_full && frontend.wait.kind == WaitKind::None && frontend.fifo.empty() &&
          frontend.brisc_fifo.empty() && frontend.behind_mop.empty() &&
          frontend.mop.phase == MopPhase::Idle && frontend.replay_mode != ReplayMode::Play);
}

/// The latched wait still says "keep waiting" in cycle `now`.
bool keep_waiting(const State& state, const Environment& env, unsigned thread, Cycle now);
/// The latched wait's block mask covers the instruction.
bool blocks(const LatchedWait& wait, u32 word);
/// A unit that the instruction needs is held in soft reset, so it does not start.
bool held_by_reset(const State& state, u32 word);

}  // namespace bhemu::tensix::frontend
