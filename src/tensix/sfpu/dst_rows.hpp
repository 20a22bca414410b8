// What SFPLOAD and SFPSTORE share, executed by themselves or as steps of a block: formats,
// addresses, and the rows of Dst that they mean.
#pragma once

#include <optional>

#include "numeric/format_codes.hpp"
#include "tensix/dst/dst_access.hpp"
#include "tensix/dst/formats.hpp"
#include "tensix/dst/rwc.hpp"
#include "tensix/sfpu/vector.hpp"

namespace bhemu::tensix::sfpu {

/// MOD0_FMT_* of SFPLOAD and SFPSTORE.
enum class Mod : u8 {
  Srcb,
  Fp16,
  Bf16,
  Fp32,
  Int32,
  Int8,
  Uint16,
  Hi16,
  Int16,
  Lo16,
  Int32All,
  Zero,
  Int32Sm,
  Int8Comp,
  Lo16Only,
  Hi16Only,
};

/// Mode 0 follows the configured format.
template <class C>
Mod resolve(const C& context, u32 mod) {
  if (mod != 0) return static_cast<Mod>(mod);
  const auto& words = context.config();
  const auto& thread = context.thread_config();
  if (cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled::get(words) != 0) return Mod::Fp32;
  const u32 code = thread_cfg::SFPU_DEST_FMT_Enable::get(thread) != 0
                       ? thread_cfg::SFPU_DEST_FMT_Base::get(thread)
                       : configured_src_b_format(words);
  using enum numeric::Format;
  switch (numeric::format_of(code)) {
    case Fp32:
    case Tf32:
    case Bf16:
    case Bfp8:
    case Bfp4:
    case Bfp2:
    case Int32:
    case Int16:
      return Mod::Bf16;
    default:
      return Mod::Fp16;
  }
}

/// Bits 9:2 name four rows, bit 1 the odd columns, bit 0 nothing.
template <class C>
u32 address_of(const C& context, u32 immediate, bool all) {
  note_rwc(context, footprint_cell::DstCounter);
  note_rwc(context, footprint_cell::StackPointer);
  const Rwc& rwc = rwc_of(context);
  const u32 dst = rwc.dst + cfg::DEST_REGW_BASE_Base::get(context.config());
  const u32 sp = rwc.sp + cfg::DEST_SP_BASE_Base::get(context.config());
  const u32 base =
      immediate + thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset::get(context.thread_config());
  return (base + (all ? sp + (dst & 3) : dst + (sp & 3))) & 0x3FF;
}

constexpr bool load_is_wide(Mod mod) {
  return mod == Mod::Fp32 || mod == Mod::Int32 || mod == Mod::Int32All || mod == Mod::Int32Sm;
}
constexpr bool store_is_wide(Mod mod) {
  return load_is_wide(mod) || mod == Mod::Hi16 || mod == Mod::Lo16;
}

/// Where lane i lies: row `first_row` + i / 8, the even or odd column of pair i % 8.
struct LanePlace {
  u32 first_row;
  u32 odd_columns;  // bit i: column pair i uses its odd column
  u32 column(u32 lane) const { return 2 * (lane & 7) + ((odd_columns >> (lane & 7)) & 1); }
};
inline LanePlace place_of(const SfpuState& sfpu, u32 address, u32 exchange_bit) {
  const u32 odd = bit(address, 1) ? 0xFF : lanes_with(sfpu, exchange_bit) & 0xFF;
  return {address & 0x3FC, odd};
}

/// The form that the kernels for whole rows know, if they know it.
inline std::optional<numeric::SfpuDstForm> form_of(Mod mod, bool store) {
  using numeric::SfpuDstForm;
  switch (mod) {
    case Mod::Bf16:
      return SfpuDstForm::Bf16;
    case Mod::Fp16:
      return SfpuDstForm::Fp16;
    case Mod::Fp32:
      return store ? SfpuDstForm::Single : SfpuDstForm::Word;
    case Mod::Int32:
    case Mod::Int32All:
    case Mod::Int32Sm:
      return SfpuDstForm::Word;
    default:
      return std::nullopt;
  }
}

/// The four rows one after the other, which they are wherever the mapping puts them: it leaves
/// bits 0 and 1 alone. Nothing when columns are mixed.
inline std::optional<numeric::SfpuDstRows> whole_rows(State& state, const LanePlace& place,
                                                      numeric::SfpuDstForm form) {
  if (place.odd_columns != 0 && place.odd_columns != 0xFF) return std::nullopt;
  const DstAccess dst(state);
  const bool wide = form == numeric::SfpuDstForm::Word || form == numeric::SfpuDstForm::Single;
  const u32 p = wide ? dst.physical32(place.first_row) : dst.physical16(place.first_row);
  Dst& file = state.fpu.dst;
  numeric::SfpuDstRows rows{form, place.odd_columns != 0, file.row[p].datum.data(), nullptr};
  if (wide) rows.low = file.row[p + 8].datum.data();
  return rows;
}

/// DstRowValid of the four rows.
inline u8* valid_flags(State& state, const numeric::SfpuDstRows& rows) {
  const auto first = reinterpret_cast<const DstRow*>(rows.high) - state.fpu.dst.row.data();
  return &state.fpu.dst.valid[static_cast<u32>(first)];
}
inline constexpr u32 kAllValid = 0x01010101;

}  // namespace bhemu::tensix::sfpu
