// What all instructions of the vector unit share: lane enabling, the back-door through which
// instructions become templates, and writes to LRegs.
//
// Documents: tt-isa-documentation BlackholeA0 VectorUnit.md (lane predication), SFPCONFIG.md
// (LaneConfig). Not modelled: the blind spots of the automatic stalling (every result of an issued
// instruction is visible to the next one; for those of SFPLOADMACRO see schedule.hpp).
#pragma once

#include "numeric/sfpu_kernels.hpp"
#include "tensix/context.hpp"

namespace bhemu::tensix::sfpu {

using numeric::kAllLanes;
using numeric::Lanes;

/// Bits of LaneConfig.
namespace lane_config {
inline constexpr u32 kEnableFp16aInf = 0;
inline constexpr u32 kDisableBackdoorLoad = 1;
inline constexpr u32 kEnableDestIndex = 2;
inline constexpr u32 kCaptureDefaultDestIndex = 3;
inline constexpr u32 kBlockDestWrite = 4;
inline constexpr u32 kBlockDestRead = 5;
inline constexpr u32 kDestReadColumnExchange = 6;
inline constexpr u32 kDestWriteColumnExchange = 7;
inline constexpr u32 kExchangeSrcbSrcc = 8;
inline constexpr u32 kRowMask = 12;  // 4 bits
inline constexpr u32 kMask = 0x3FFFF;
}  // namespace lane_config

/// Whoever has written lane_config calls this: what is derived from it follows.
void follow_lane_config(SfpuState& sfpu);

/// The lanes whose column has `bit_index` of LaneConfig set.
inline u32 lanes_with(const SfpuState& sfpu, u32 bit_index) {
  return sfpu.lanes_with[bit_index];
}

inline u32 enabled_lanes(const SfpuState& sfpu) {
  return (~sfpu.condition.use_lane_flags | sfpu.condition.lane_flags) & ~sfpu.masked_lanes;
}

/// In which lanes an instruction executes at all, and in which of them it is enabled.
struct Execution {
  u32 lanes = kAllLanes;
  u32 active = kAllLanes;
};

/// The back door: columns without DISABLE_BACKDOOR_LOAD keep the word as a template. Gives the
/// lanes of the others.
inline u32 keep_as_template(Context& context, u32 vd) {
  SfpuState& sfpu = context.state.sfpu;
  for (u32 i = 0; i < kLaneColumns; ++i) {
    if (!bit(sfpu.lane_config[i], lane_config::kDisableBackdoorLoad))
      sfpu.macro_instruction[vd - 12][i] = context.word;
  }
  return lanes_with(sfpu, lane_config::kDisableBackdoorLoad);
}

/// Every instruction but SFPLOAD, SFPLOADI, SFPSTORE, SFPLUT, SFPCONFIG and SFPLOADMACRO starts
/// here. With `vd` of 12 or more, columns without DISABLE_BACKDOOR_LOAD do not execute the
/// instruction but keep its word as template vd - 12.
inline Execution begin(Context& context, u32 vd) {
  SfpuState& sfpu = context.state.sfpu;
  if (context.scheduled != nullptr) [[unlikely]] {
    const u32 lanes = context.scheduled->lanes;  // DISABLE_BACKDOOR_LOAD counts as set
    return {lanes, enabled_lanes(sfpu) & lanes};
  }
  if (vd < 12) return {kAllLanes, enabled_lanes(sfpu)};
  const u32 lanes = keep_as_template(context, vd);
  return {lanes, enabled_lanes(sfpu) & lanes};
}

/// Registers that an instruction can write; 8 to 15 silently keep their value.
constexpr bool is_writable(u32 vd) {
  return vd < 8 || vd == 16;
}

/// A result of a scheduled instruction, visible `latency` cycles later.
void write_back(Context& context, u32 vd, const Lanes& value, u32 mask);

/// The registers change at once, or when a scheduled instruction's time has come.
inline void set_lreg(Context& context, u32 vd, const Lanes& value, u32 mask) {
  if (context.scheduled != nullptr) [[unlikely]]
    return write_back(context, vd, value, mask);
  if (mask == kAllLanes)
    context.state.sfpu.lreg[vd] = value;
  else
    numeric::sfpu_blend_lanes(context.state.sfpu.lreg[vd], value, mask);
}

inline void write_lreg(Context& context, u32 vd, const Lanes& value, u32 active) {
  if (!is_writable(vd)) return;
  SfpuState& sfpu = context.state.sfpu;
  if (vd >= 4 && vd < 8 && lanes_with(sfpu, lane_config::kEnableDestIndex) != 0 &&
      context.raise(Rule::SfpuDestIndex, "LReg 4 to 7 written with ENABLE_DEST_INDEX set"))
    return;
  set_lreg(context, vd, value, active);
}

/// Register operands. A scheduled instruction has its own instead of those of its word.
template <class C>
u32 vd_of(const C& context, u32 field) {
  return context.scheduled != nullptr ? context.scheduled->vd : field;
}
template <class C>
u32 vc_of(const C& context, u32 field) {
  return context.scheduled != nullptr ? context.scheduled->vc : field;
}
/// `field` is VD where the instruction has no VB of its own.
template <class C>
u32 vb_of(const C& context, u32 field) {
  return context.scheduled != nullptr ? context.scheduled->vb : field;
}

/// Lane flags of `lanes` become those of `value`.
inline void set_flags(SfpuState& sfpu, u32 value, u32 lanes) {
  u32& flags = sfpu.condition.lane_flags;
  flags = (flags & ~lanes) | (value & lanes);
}

inline const Lanes& lreg(const Context& context, u32 index) {
  return context.state.sfpu.lreg[index];
}

/// The work of SFPLOAD, which SFPLOADMACRO shares. Gives the address in Dst.
struct DstOperand {
  u32 vd, mod, immediate, addr_mod;
};
u32 load_from_dst(Context& context, const DstOperand& operand);

/// An instruction used in a way that no document defines. It has no effect.
Completion undefined(Context& context, const char* name, u32 mod);

}  // namespace bhemu::tensix::sfpu
