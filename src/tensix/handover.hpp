// Handing the bank that an unpacker has filled to the matrix unit, and the context counters.
//
// Documents: tt-isa-documentation UNPACR_Regular.md (end), UNPACR_NOP_SETDVALID.md, SrcASrcB.md.
#pragma once

#include "tensix/context.hpp"
#include "tensix/footprint/recorder.hpp"

namespace bhemu::tensix::unpack {

inline SrcFile& src_file(State& state, u32 unpacker) {
  return unpacker == 0 ? state.fpu.src_a : state.fpu.src_b;
}

/// SRCA_SET_Base or SRCB_SET_Base of the thread, in rows.
template <class C>
u8 set_base(const C& context, u32 unpacker) {
  const auto& words = context.thread_config();
  const u32 base =
      unpacker == 0 ? thread_cfg::SRCA_SET_Base::get(words) : thread_cfg::SRCB_SET_Base::get(words);
  return static_cast<u8>(base * 16);
}

/// The bank becomes the matrix unit's, the unpacker turns to the other one. False: the bank was
/// already handed over, and the thread stops.
bool hand_over(const Context& context, u32 unpacker);
/// The same, and the implied format of the bank (Blackhole only) becomes `format`.
bool hand_over(const Context& context, u32 unpacker, u8 format);

/// The next value of an unpacker's context counter after context `context_number`.
template <class Words>
u8 next_context(const Words& words, u32 unpacker, u32 context_number) {
  const u32 section = unpacker * kThconSection;
  u32 count = 1u << cfg::THCON_SEC0_REG2_Context_count::get(words, section);
  if (cfg::THCON_SEC0_REG2_Context_count_non_log2_en::get(words, section) != 0)
    count = cfg::THCON_SEC0_REG2_Context_count_non_log2::get(words, section);
  if (count == 0) count = 8;  // a counter of three bits that never meets it
  const u32 next = context_number + 1;
  return static_cast<u8>(next >= count ? 0 : next);
}

/// SETC16 of UNPACK_MISC_CFG: the requests in its bits. Called by the configuration unit with the
/// value written, after it is stored.
void context_counter_written(const Context& context, u16 value);

// --- Footprints.
/// Whether the bank that the unpacker fills is its own.
void note_unpack_bank(const Footprint& print, u32 unpacker);
/// `with_format`: the implied format changes, too.
void note_hand_over(const Footprint& print, u32 unpacker, bool with_format);
void note_context_counter_written(const Footprint& print, u16 value);

}  // namespace bhemu::tensix::unpack
