// SFPLOAD, SFPSTORE, SFPLOADI: between Dst, immediates and LRegs.
//
// Documents: tt-isa-documentation BlackholeA0 SFPLOAD.md, SFPSTORE.md, SFPLOADI.md.
#include <fmt/format.h>

#include "numeric/format_codes.hpp"
#include "numeric/sfpu_convert.hpp"
#include "numeric/sfpu_float.hpp"
#include "tensix/fpu/dst_access.hpp"
#include "tensix/fpu/rwc.hpp"
#include "tensix/sfpu/vector.hpp"

namespace bhemu::tensix {
namespace {

using namespace sfpu;

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
Mod resolve(const Context& context, u32 mod) {
  if (mod != 0) return static_cast<Mod>(mod);
  const ConfigWords& words = context.config();
  const ThreadConfigWords& thread = context.thread_config();
  if (cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled::get(words) != 0) return Mod::Fp32;
  u32 code = cfg::ALU_FORMAT_SPEC_REG_SrcB_override::get(words) != 0
                 ? cfg::ALU_FORMAT_SPEC_REG_SrcB_val::get(words)
                 : cfg::ALU_FORMAT_SPEC_REG1_SrcB::get(words);
  if (thread_cfg::SFPU_DEST_FMT_Enable::get(thread) != 0)
    code = thread_cfg::SFPU_DEST_FMT_Base::get(thread);
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
u32 address_of(const Context& context, u32 immediate, bool all) {
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

u32 converted_load(Mod mod, u32 stored, u32 old, bool has_infinity) {
  const u16 h = static_cast<u16>(stored);
  switch (mod) {
    case Mod::Fp16:
      return numeric::sfpu_load_fp16(h, has_infinity);
    case Mod::Bf16:
      return numeric::sfpu_load_bf16(h);
    case Mod::Int8:
      return numeric::sfpu_load_int8(h, 8);
    case Mod::Int8Comp:
      return numeric::sfpu_load_int8(h, 10);
    case Mod::Int16:
      return numeric::sfpu_load_int16(h);
    case Mod::Uint16:
    case Mod::Lo16:
      return h;
    case Mod::Hi16:
      return u32{h} << 16;
    case Mod::Lo16Only:
      return (old & 0xFFFF0000) | h;
    case Mod::Hi16Only:
      return (old & 0x0000FFFF) | u32{h} << 16;
    case Mod::Zero:
      return 0;
    default:
      return numeric::fp32_from_dst(stored);
  }
}

u32 converted_store(Mod mod, u32 v) {
  switch (mod) {
    case Mod::Fp16:
      return numeric::sfpu_store_fp16(v);
    case Mod::Bf16:
      return numeric::sfpu_store_bf16(v);
    case Mod::Fp32:
      return numeric::dst_from_fp32(numeric::sfpu_flush(v));
    case Mod::Int8:
    case Mod::Int8Comp:
      return numeric::sfpu_store_int8(v);
    case Mod::Int16:
      return numeric::sfpu_store_int16(v);
    case Mod::Uint16:
    case Mod::Lo16Only:
      return v & 0xFFFF;
    case Mod::Hi16Only:
      return v >> 16;
    case Mod::Hi16:
      return v;
    case Mod::Lo16:
      return v << 16 | v >> 16;
    case Mod::Zero:
      return 0;
    default:
      return numeric::dst_from_fp32(v);
  }
}

/// Where lane i lies: row `first_row` + i / 8, the even or odd column of pair i % 8.
struct LanePlace {
  u32 first_row;
  u32 odd_columns;  // bit i: column pair i uses its odd column
  u32 column(u32 lane) const { return 2 * (lane & 7) + ((odd_columns >> (lane & 7)) & 1); }
};
LanePlace place_of(const SfpuState& sfpu, u32 address, u32 exchange_bit) {
  const u32 odd = bit(address, 1) ? 0xFF : lanes_with(sfpu, exchange_bit) & 0xFF;
  return {address & 0x3FC, odd};
}

/// What the 32 places hold. Rows that ZEROACC has invalidated read as 0.
Lanes gather(const DstAccess& dst, const LanePlace& place, bool wide) {
  Lanes stored;
  for (u32 row = 0; row < 4; ++row) {
    if (wide) {
      const DstRow32 datums = dst.read_row32(place.first_row + row);
      for (u32 i = 8 * row; i < 8 * row + 8; ++i) stored[i] = datums[place.column(i)];
    } else {
      const DstRow datums = dst.read_row16(place.first_row + row);
      for (u32 i = 8 * row; i < 8 * row + 8; ++i) stored[i] = datums.datum[place.column(i)];
    }
  }
  return stored;
}

/// True: the thread stops.
bool reads_invalid_row(Context& context, const DstAccess& dst, u32 first_row, bool wide,
                       u32 active) {
  for (u32 row = 0; row < 4; ++row) {
    if (((active >> (8 * row)) & 0xFF) == 0) continue;
    const bool valid = wide ? dst.valid32(first_row + row) : dst.valid16(first_row + row);
    if (!valid && context.raise(Rule::SfpuInvalidRow, fmt::format("row {}", first_row + row)))
      return true;
  }
  return false;
}

/// LReg vd + 4 takes the position of each datum in Dst.
void capture_index(SfpuState& sfpu, u32 vd, const LanePlace& place, u32 active) {
  const u32 capture = lanes_with(sfpu, lane_config::kEnableDestIndex) &
                      lanes_with(sfpu, lane_config::kCaptureDefaultDestIndex) & active;
  if (vd >= 4 || capture == 0) return;
  Lanes index;
  for (u32 i = 0; i < kLanes; ++i) index[i] = (place.first_row + i / 8) << 4 | place.column(i);
  numeric::blend(sfpu.lreg[vd + 4], index, capture);
}

bool has_open_back_door(Context& context, const char* name, u32 vd) {
  if (vd < 12) return false;
  if (lanes_with(context.state.sfpu, lane_config::kDisableBackdoorLoad) == kAllLanes) return false;
  return context.raise(Rule::TensixUndefined,
                       fmt::format("{} with VD {} while DISABLE_BACKDOOR_LOAD is clear", name, vd));
}

}  // namespace

Completion execute(Context& context, op::SFPLOAD insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 vd = insn.lreg_ind();
  if (has_open_back_door(context, "SFPLOAD", vd)) return Completion::Done;
  const Mod mod = resolve(context, insn.instr_mod0());
  const bool all = mod == Mod::Int32All;
  Rwc& rwc = rwc_of(context);
  if (all && rwc.sp != 0)
    rwc.sp = static_cast<u16>((rwc.sp - thread_cfg::SFPU_STACK_Incr::get(context.thread_config())) &
                              0x3FF);
  const u32 address = address_of(context, insn.dest_reg_addr(), all);
  if (vd < 8) {
    const LanePlace place = place_of(sfpu, address, lane_config::kDestReadColumnExchange);
    const u32 active =
        (all ? kAllLanes : enabled_lanes(sfpu)) & ~lanes_with(sfpu, lane_config::kBlockDestRead);
    const DstAccess dst(context.state);
    const bool wide = load_is_wide(mod);
    if (mod != Mod::Zero && reads_invalid_row(context, dst, place.first_row, wide, active))
      return Completion::Done;
    const Lanes stored = gather(dst, place, wide);
    const u32 infinity = lanes_with(sfpu, lane_config::kEnableFp16aInf);
    Lanes value;
    for (u32 i = 0; i < kLanes; ++i)
      value[i] = converted_load(mod, stored[i], sfpu.lreg[vd][i], bit(infinity, i));
    numeric::blend(sfpu.lreg[vd], value, active);
    capture_index(sfpu, vd, place, active);
  }
  apply_partial_addr_mod(context, insn.sfpu_addr_mode());
  return Completion::Done;
}

Completion execute(Context& context, op::SFPSTORE insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 vd = insn.lreg_ind();
  if (has_open_back_door(context, "SFPSTORE", vd)) return Completion::Done;
  const Mod mod = resolve(context, insn.instr_mod0());
  const bool all = mod == Mod::Int32All;
  const u32 address = address_of(context, insn.dest_reg_addr(), all);
  Rwc& rwc = rwc_of(context);
  if (all)
    rwc.sp = static_cast<u16>((rwc.sp + thread_cfg::SFPU_STACK_Incr::get(context.thread_config())) &
                              0x3FF);
  u32 active =
      (all ? kAllLanes : enabled_lanes(sfpu)) & ~lanes_with(sfpu, lane_config::kBlockDestWrite);
  if (vd >= 12) active &= lanes_with(sfpu, lane_config::kDisableBackdoorLoad);
  const LanePlace place = place_of(sfpu, address, lane_config::kDestWriteColumnExchange);
  const bool wide = store_is_wide(mod);
  context.touch(Resource::Dst);
  DstAccess dst(context.state);
  for (u32 i = 0; i < kLanes; ++i) {
    if (!bit(active, i)) continue;
    const u32 value = converted_store(mod, sfpu.lreg[vd][i]);
    if (wide)
      dst.write32(place.first_row + i / 8, place.column(i), value);
    else
      dst.write16(place.first_row + i / 8, place.column(i), static_cast<u16>(value));
  }
  apply_partial_addr_mod(context, insn.sfpu_addr_mode());
  return Completion::Done;
}

Completion execute(Context& context, op::SFPLOADI insn) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 vd = insn.lreg_ind();
  if (has_open_back_door(context, "SFPLOADI", vd)) return Completion::Done;
  const u32 immediate = insn.imm16();
  u32 keep = 0;
  u32 value = 0;
  switch (insn.instr_mod0()) {
    case 0:  // BF16
      value = immediate << 16;
      break;
    case 1:  // FP16, no special cases
      value = numeric::fp32_of_immediate_fp16(immediate);
      break;
    case 2:
      value = immediate;
      break;
    case 4:
      value = static_cast<u32>(sign_extend(immediate, 16));
      break;
    case 8:
      value = immediate << 16;
      keep = 0x0000FFFF;
      break;
    case 10:
      value = immediate;
      keep = 0xFFFF0000;
      break;
    default:
      return undefined(context, "SFPLOADI", insn.instr_mod0());
  }
  if (vd >= 8) return Completion::Done;
  numeric::blend(sfpu.lreg[vd],
                 numeric::map(sfpu.lreg[vd], [=](u32 old) { return (old & keep) | value; }),
                 enabled_lanes(sfpu));
  return Completion::Done;
}

}  // namespace bhemu::tensix
