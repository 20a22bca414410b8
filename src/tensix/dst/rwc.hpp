// Row counters: what an address modifier does to them, and the rows they name.
//
// Documents: tt-isa-documentation RWCs.md; Blackhole has 3-bit address modes, so the eight sections
// ADDR_MOD_*_SEC0..7 are named directly and no bias is added (tenstorrent/tt-llk
// tt_llk_blackhole uses ADDR_MOD_4..7 without one).
#pragma once

#include "tensix/context.hpp"
#include "tensix/footprint/recorder.hpp"

namespace bhemu::tensix {

inline Rwc& rwc_of(const Context& context) {
  return context.state.fpu.rwc[context.thread];
}
/// apply_addr_mod, whatever the section asks for.
void apply_whole_addr_mod(Context& context, u32 addr_mode, bool update_fidelity);

/// What follows from section `addr_mode` after an instruction. `update_fidelity` is false for
/// SFPLOAD, SFPSTORE and SFPLOADMACRO.
inline void apply_addr_mod(Context& context, u32 addr_mode, bool update_fidelity = true) {
  const ThreadConfigWords& words = context.thread_config();
  const u32 ab = words[thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord + addr_mode];
  const u32 dst = words[thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + addr_mode];
  const u32 bias = words[thread_cfg::ADDR_MOD_BIAS_SEC0_BiasIncr::kWord + addr_mode];
  if ((ab | dst | bias) == 0) return;  // nothing moves: what most instructions ask for
  // Increments alone are done here: neither carriage returns nor clears, nor copies.
  constexpr u32 kMoreOfAb = 0xC0C0;
  constexpr u32 kMoreOfDst = 0x9C00;
  if (((ab & kMoreOfAb) | (dst & kMoreOfDst) | bias) != 0)
    return apply_whole_addr_mod(context, addr_mode, update_fidelity);
  Rwc& rwc = rwc_of(context);
  rwc.src_a = static_cast<u8>((rwc.src_a + ab) & (kSrcRows - 1));
  rwc.src_b = static_cast<u8>((rwc.src_b + (ab >> 8)) & (kSrcRows - 1));
  rwc.dst = static_cast<u16>((rwc.dst + dst) & (kDstRows - 1));
  if (update_fidelity) rwc.fidelity = static_cast<u8>((rwc.fidelity + (dst >> 13)) & 3);
}
inline void apply_partial_addr_mod(Context& context, u32 addr_mode) {
  apply_addr_mod(context, addr_mode, false);
}

inline const Rwc& rwc_of(const Footprint& print) {
  return print.state.fpu.rwc[print.thread];
}
/// Counter `cell` (footprint_cell::RwcCell) of the thread is read here.
template <class C>
void note_rwc(const C& context, u32 cell) {
  note_read(context, Space::Rwc, context.thread * footprint_cell::kRwcCells + cell);
}

/// What is added to a Dst field of an FPU instruction: thread offset, counter, DEST_REGW_BASE.
template <class C>
u32 dst_offset(const C& context) {
  note_rwc(context, footprint_cell::DstCounter);
  return thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset::get(context.thread_config()) +
         rwc_of(context).dst + cfg::DEST_REGW_BASE_Base::get(context.config());
}

/// The fidelity phase that a multiplication of this thread uses now.
template <class C>
u32 fidelity_phase(const C& context) {
  note_rwc(context, footprint_cell::Fidelity);
  return (rwc_of(context).fidelity +
          thread_cfg::FIDELITY_BASE_Phase::get(context.thread_config())) &
         3;
}

/// The clear bits of an instruction: the matrix unit turns to its other bank and, unless
/// CLR_DVALID_Src*_Disable says otherwise, gives the one it leaves to the unpacker.
void flip_src_banks(Context& context, bool flip_a, bool flip_b);

// --- Footprints of the above, and of `last_src_a_row` being written.
void note_addr_mod(const Footprint& print, u32 addr_mode, bool update_fidelity = true);
void note_flips(const Footprint& print, bool flip_a, bool flip_b);
void note_last_src_a_row(const Footprint& print);

}  // namespace bhemu::tensix
