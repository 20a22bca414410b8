// What a thread, or the scalar unit, can wait for by STALLWAIT, STREAMWAIT and FLUSHDMA.
//
// Documents: tt-isa-documentation BlackholeA0 STALLWAIT.md, STREAMWAIT.md, FLUSHDMA.md.
#pragma once

#include "tensix/context.hpp"
#include "tensix/footprint/recorder.hpp"

namespace bhemu::tensix {

/// The condition bits of `condition` (a STALLWAIT mask) that still hold the thread back.
u32 unmet_conditions(const State& state, unsigned thread, u32 condition, Cycle now);
/// What a wait for the condition bits of `condition` looks at.
void note_conditions(const Footprint& print, u32 condition);

// Registers of the overlay's streams that STREAMWAIT compares (tt-metal,
// blackhole/noc/noc_overlay_parameters.h).
inline constexpr u32 kStreamCurrentPhase = 29;
inline constexpr u32 kStreamMessagesReceived = 259;

/// The address of a register of the stream that a thread means by `select`: stream s, register r at
/// 0xFFB40000 + s * 0x1000 + r * 4.
template <class Words>
u32 stream_register_address(const Words& thread_config, u32 select, u32 register_index) {
  const u32 stream = thread_cfg::STREAM_ID_SYNC_SEC0_BankSel::get(thread_config, select & 3);
  return 0xFFB40000 + stream * 0x1000 + register_index * 4;
}

}  // namespace bhemu::tensix
