// SFPLOAD, SFPSTORE, SFPLOADI: between Dst, immediates and LRegs.
//
// Documents: tt-isa-documentation BlackholeA0 SFPLOAD.md, SFPSTORE.md, SFPLOADI.md.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>

#include "numeric/format_codes.hpp"
#include "numeric/sfpu_convert.hpp"
#include "numeric/sfpu_float.hpp"
#include "numeric/sfpu_kernels.hpp"
#include "tensix/dst/dst_access.hpp"
#include "tensix/dst/formats.hpp"
#include "tensix/dst/notes.hpp"
#include "tensix/dst/rwc.hpp"
#include "tensix/sfpu/dst_rows.hpp"
#include "tensix/sfpu/notes.hpp"
#include "tensix/sfpu/vector.hpp"

namespace bhemu::tensix {
namespace {

using namespace sfpu;

Lanes converted_load(Mod mod, const Lanes& stored, const Lanes& old, u32 has_infinity) {
  using numeric::map;
  switch (mod) {
    case Mod::Fp16:
      if (has_infinity != 0) {
        Lanes value;
        for (u32 i = 0; i < kLanes; ++i)
          value[i] = numeric::sfpu_load_fp16(static_cast<u16>(stored[i]), bit(has_infinity, i));
        return value;
      }
      return map(stored, [](u32 h) { return numeric::sfpu_load_fp16(static_cast<u16>(h), false); });
    case Mod::Bf16:
      return map(stored, [](u32 h) { return numeric::sfpu_load_bf16(static_cast<u16>(h)); });
    case Mod::Int8:
      return map(stored, [](u32 h) { return numeric::sfpu_load_int8(static_cast<u16>(h), 8); });
    case Mod::Int8Comp:
      return map(stored, [](u32 h) { return numeric::sfpu_load_int8(static_cast<u16>(h), 10); });
    case Mod::Int16:
      return map(stored, [](u32 h) { return numeric::sfpu_load_int16(static_cast<u16>(h)); });
    case Mod::Uint16:
    case Mod::Lo16:
      return stored;
    case Mod::Hi16:
      return map(stored, [](u32 h) { return h << 16; });
    case Mod::Lo16Only:
      return map(stored, old, [](u32 h, u32 v) { return (v & 0xFFFF0000) | h; });
    case Mod::Hi16Only:
      return map(stored, old, [](u32 h, u32 v) { return (v & 0x0000FFFF) | h << 16; });
    case Mod::Zero:
      return Lanes{};
    default:
      return map(stored, numeric::fp32_from_dst);
  }
}

Lanes converted_store(Mod mod, const Lanes& value) {
  using numeric::map;
  switch (mod) {
    case Mod::Fp16:
      return map(value, [](u32 v) { return u32{numeric::sfpu_store_fp16(v)}; });
    case Mod::Bf16:
      return map(value, [](u32 v) { return u32{numeric::sfpu_store_bf16(v)}; });
    case Mod::Fp32:
      return map(value, [](u32 v) { return numeric::dst_from_fp32(numeric::sfpu_flush(v)); });
    case Mod::Int8:
    case Mod::Int8Comp:
      return map(value, [](u32 v) { return u32{numeric::sfpu_store_int8(v)}; });
    case Mod::Int16:
      return map(value, [](u32 v) { return u32{numeric::sfpu_store_int16(v)}; });
    case Mod::Uint16:
    case Mod::Lo16Only:
      return map(value, [](u32 v) { return v & 0xFFFF; });
    case Mod::Hi16Only:
      return map(value, [](u32 v) { return v >> 16; });
    case Mod::Hi16:
      return value;
    case Mod::Lo16:
      return map(value, [](u32 v) { return v << 16 | v >> 16; });
    case Mod::Zero:
      return Lanes{};
    default:
      return map(value, numeric::dst_from_fp32);
  }
}

/// A row as eight pairs of columns; the even one is the low half.
using Pairs = std::array<u32, 8>;
static_assert(sizeof(Pairs) == sizeof(DstRow) && std::endian::native == std::endian::little);

Pairs pairs_of(const DstRow& row) {
  return std::bit_cast<Pairs>(row);
}

/// What the 32 places hold. Rows that ZEROACC has invalidated read as 0.
Lanes gather(const State& state, const DstAccess& dst, const LanePlace& place, bool wide) {
  Lanes stored;
  const Dst& file = state.fpu.dst;
  Pairs shift;
  for (u32 i = 0; i < 8; ++i) shift[i] = 16 * ((place.odd_columns >> i) & 1);
  const bool even = place.odd_columns == 0;
  const bool odd = place.odd_columns == 0xFF;
  for (u32 row = 0; row < 4; ++row) {
    const u32 p =
        wide ? dst.physical32(place.first_row + row) : dst.physical16(place.first_row + row);
    if (file.valid[p] == 0) continue;
    Pairs high = pairs_of(file.row[p]);
    Pairs low = wide ? pairs_of(file.row[p + 8]) : Pairs{};
    if (even) {
      for (u32 i = 0; i < 8; ++i) high[i] &= 0xFFFF;
      for (u32 i = 0; i < 8; ++i) low[i] &= 0xFFFF;
    } else if (odd) {
      for (u32 i = 0; i < 8; ++i) high[i] >>= 16;
      for (u32 i = 0; i < 8; ++i) low[i] >>= 16;
    } else {
      for (u32 i = 0; i < 8; ++i) high[i] = (high[i] >> shift[i]) & 0xFFFF;
      for (u32 i = 0; i < 8; ++i) low[i] = (low[i] >> shift[i]) & 0xFFFF;
    }
    for (u32 i = 0; i < 8; ++i) stored[8 * row + i] = wide ? high[i] << 16 | low[i] : high[i];
  }
  return stored;
}

/// Puts the low halves of `value` into the even or odd columns of a row.
void merge(DstRow& row, const u32* value, bool odd) {
  Pairs pairs = pairs_of(row);
  if (odd) {
    for (u32 i = 0; i < 8; ++i) pairs[i] = (pairs[i] & 0xFFFF) | value[i] << 16;
  } else {
    for (u32 i = 0; i < 8; ++i) pairs[i] = (pairs[i] & 0xFFFF0000) | (value[i] & 0xFFFF);
  }
  row = std::bit_cast<DstRow>(pairs);
}

void scatter(State& state, const LanePlace& place, bool wide, const Lanes& value, u32 active) {
  DstAccess dst(state);
  const bool uniform = place.odd_columns == 0 || place.odd_columns == 0xFF;
  const bool odd = place.odd_columns != 0;
  for (u32 row = 0; row < 4; ++row) {
    const u32 lanes = (active >> (8 * row)) & 0xFF;
    const u32 number = place.first_row + row;
    const u32* values = &value.lane[8 * row];
    if (lanes == 0xFF && uniform && (wide || !dst.mapping().high_halves)) {
      const u32 p = wide ? dst.physical32(number) : dst.physical16(number);
      state.fpu.dst.valid[p] = 1;
      if (wide) {
        merge(state.fpu.dst.row[p + 8], values, odd);
        Pairs high;
        for (u32 i = 0; i < 8; ++i) high[i] = values[i] >> 16;
        merge(state.fpu.dst.row[p], high.data(), odd);
      } else {
        merge(state.fpu.dst.row[p], values, odd);
      }
      continue;
    }
    for (u32 i = 0; i < 8; ++i) {
      if (!bit(lanes, i)) continue;
      if (wide)
        dst.write32(number, place.column(i), values[i]);
      else
        dst.write16(number, place.column(i), static_cast<u16>(values[i]));
    }
  }
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

/// False: this is no case for it, nothing was done.
bool load_whole_rows(State& state, Mod mod, const LanePlace& place, u32 vd, u32 active) {
  SfpuState& sfpu = state.sfpu;
  const auto form = form_of(mod, false);
  if (!form ||
      (*form == numeric::SfpuDstForm::Fp16 && lanes_with(sfpu, lane_config::kEnableFp16aInf) != 0))
    return false;
  const auto rows = whole_rows(state, place, *form);
  if (!rows) return false;
  u32 valid = 0;
  std::memcpy(&valid, valid_flags(state, *rows), sizeof valid);
  if (valid != kAllValid) return false;
  numeric::sfpu_load_rows(*rows, active, sfpu.lreg[vd]);
  return true;
}

bool store_whole_rows(State& state, Mod mod, const LanePlace& place, u32 vd, u32 active) {
  const auto form = form_of(mod, true);
  if (!form || active != kAllLanes) return false;
  const auto rows = whole_rows(state, place, *form);
  if (!rows || (rows->low == nullptr && DstAccess::mapping_of(state).high_halves)) return false;
  numeric::sfpu_store_rows(*rows, state.sfpu.lreg[vd]);
  std::memcpy(valid_flags(state, *rows), &kAllValid, sizeof kAllValid);
  return true;
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

u32 sfpu::load_from_dst(Context& context, const DstOperand& operand) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 vd = operand.vd;
  const Mod mod = resolve(context, operand.mod);
  const bool all = mod == Mod::Int32All;
  Rwc& rwc = rwc_of(context);
  if (all && rwc.sp != 0)
    rwc.sp = static_cast<u16>((rwc.sp - thread_cfg::SFPU_STACK_Incr::get(context.thread_config())) &
                              0x3FF);
  const u32 address = address_of(context, operand.immediate, all);
  if (vd < 8) {
    const LanePlace place = place_of(sfpu, address, lane_config::kDestReadColumnExchange);
    const u32 active =
        (all ? kAllLanes : enabled_lanes(sfpu)) & ~lanes_with(sfpu, lane_config::kBlockDestRead);
    if (!load_whole_rows(context.state, mod, place, vd, active)) {
      const DstAccess dst(context.state);
      const bool wide = load_is_wide(mod);
      if (mod != Mod::Zero && reads_invalid_row(context, dst, place.first_row, wide, active))
        return address;
      const Lanes stored = gather(context.state, dst, place, wide);
      const u32 infinity = lanes_with(sfpu, lane_config::kEnableFp16aInf);
      const Lanes value = converted_load(mod, stored, sfpu.lreg[vd], infinity);
      numeric::blend(sfpu.lreg[vd], value, active);
    }
    capture_index(sfpu, vd, place, active);
  }
  apply_partial_addr_mod(context, operand.addr_mod);
  return address;
}

Completion execute(Context& context, op::SFPLOAD insn) {
  const u32 vd = insn.lreg_ind();
  if (has_open_back_door(context, "SFPLOAD", vd)) return Completion::Done;
  load_from_dst(context, {vd, insn.instr_mod0(), insn.dest_reg_addr(), insn.sfpu_addr_mode()});
  return Completion::Done;
}

namespace {

void store_to_dst(Context& context, Mod mod, u32 vd, u32 address, u32 lanes) {
  SfpuState& sfpu = context.state.sfpu;
  const u32 active = (mod == Mod::Int32All ? kAllLanes : enabled_lanes(sfpu)) &
                     ~lanes_with(sfpu, lane_config::kBlockDestWrite) & lanes;
  const LanePlace place = place_of(sfpu, address, lane_config::kDestWriteColumnExchange);
  context.touch(Resource::Dst);
  if (store_whole_rows(context.state, mod, place, vd, active)) return;
  scatter(context.state, place, store_is_wide(mod), converted_store(mod, sfpu.lreg[vd]), active);
}

}  // namespace

Completion execute(Context& context, op::SFPSTORE insn) {
  if (context.scheduled != nullptr) {
    // The address is the macro's; counters stay.
    const SfpuScheduled& entry = *context.scheduled;
    store_to_dst(context, resolve(context, insn.instr_mod0()), entry.vd, entry.address,
                 entry.lanes);
    return Completion::Done;
  }
  const u32 vd = insn.lreg_ind();
  // By the page only the lanes' work depends on the back door: counters advance all the same.
  const u32 lanes = vd < 12 ? kAllLanes : keep_as_template(context, vd);
  const Mod mod = resolve(context, insn.instr_mod0());
  const bool all = mod == Mod::Int32All;
  const u32 address = address_of(context, insn.dest_reg_addr(), all);
  Rwc& rwc = rwc_of(context);
  if (all)
    rwc.sp = static_cast<u16>((rwc.sp + thread_cfg::SFPU_STACK_Incr::get(context.thread_config())) &
                              0x3FF);
  if (lanes != 0) store_to_dst(context, mod, vd, address, lanes);
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

// --- Footprints.

namespace {

/// The columns of one of the four rows that the enabled lanes lie in.
u32 columns_of(const LanePlace& place, u32 row, u32 lanes) {
  u32 columns = 0;
  for (u32 lane = 8 * row; lane < 8 * row + 8; ++lane)
    if (bit(lanes, lane)) columns |= 1u << place.column(lane);
  return columns;
}
void note_places(const Footprint& print, Access access, const LanePlace& place, bool wide,
                 u32 lanes) {
  for (u32 row = 0; row < 4; ++row) {
    const u32 columns = columns_of(place, row, lanes);
    if (columns != 0) note_dst(print, access, {wide, place.first_row + row, 1, 1, columns});
  }
}
/// Lane by lane, between an LReg and Dst.
void note_lane_flow(const Footprint& print, bool load, u32 lreg, const LanePlace& place, bool wide,
                    u32 lanes) {
  if (!print.wants_flows()) return;
  const DstMapping mapping = DstAccess::mapping_of(print.state);
  for (u32 half = 0; half < (wide ? 2 : 1); ++half)
    for (u32 lane = 0; lane < numeric::kLanes; ++lane) {
      if (!bit(lanes, lane)) continue;
      const u32 row = mapping.place(place.first_row + lane / 8, wide) + 8 * half;
      const u32 cell = row % kDstRows * kRowDatums + place.column(lane);
      const u32 own = lreg * numeric::kLanes + lane;
      Flow flow{load ? Space::LReg : Space::Dst, load ? Space::Dst : Space::LReg};
      flow.to_begin = load ? own : cell;
      flow.from_begin = load ? cell : own;
      (load ? flow.step : flow.stride) = 2;
      print.flow(flow);
    }
}
/// The stack pointer steps with INT32_ALL.
void note_stack_step(const Footprint& print) {
  thread_cfg::SFPU_STACK_Incr::get(print.thread_config());
  print.update(Space::Rwc, print.thread * footprint_cell::kRwcCells + footprint_cell::StackPointer);
}

void note_store(const Footprint& print, Mod mod, u32 vd, u32 address, u32 lanes) {
  const SfpuState& sfpu = print.state.sfpu;
  const u32 enabled = note_enabled(print);
  const u32 active = (mod == Mod::Int32All ? kAllLanes : enabled) &
                     ~lanes_with(sfpu, lane_config::kBlockDestWrite) & lanes;
  const LanePlace place = place_of(sfpu, address, lane_config::kDestWriteColumnExchange);
  if (mod != Mod::Zero) note_lreg(print, vd, active);
  note_places(print, Access::Write, place, store_is_wide(mod), active);
  if (mod != Mod::Zero) note_lane_flow(print, false, vd, place, store_is_wide(mod), active);
}

}  // namespace

void sfpu::note_load_from_dst(const Footprint& print, const DstOperand& operand) {
  const SfpuState& sfpu = print.state.sfpu;
  const u32 vd = operand.vd;
  const Mod mod = resolve(print, operand.mod);
  const bool all = mod == Mod::Int32All;
  u32 address = address_of(print, operand.immediate, all);
  if (all && rwc_of(print).sp != 0) {
    note_stack_step(print);
    // The pointer steps first; what it adds to the address is what it has become.
    const u32 step = thread_cfg::SFPU_STACK_Incr::get(print.thread_config());
    const u32 sp = rwc_of(print).sp;
    address = (address + ((sp - step) & 0x3FF) - sp) & 0x3FF;
  }
  if (vd < 8) {
    const u32 enabled = note_enabled(print);
    const u32 active = (all ? kAllLanes : enabled) & ~lanes_with(sfpu, lane_config::kBlockDestRead);
    const LanePlace place = place_of(sfpu, address, lane_config::kDestReadColumnExchange);
    if (mod != Mod::Zero) {
      note_places(print, Access::Read, place, load_is_wide(mod), active);
      note_lane_flow(print, true, vd, place, load_is_wide(mod), active);
    }
    const bool keeps_half = mod == Mod::Lo16Only || mod == Mod::Hi16Only;
    print.note(keeps_half ? Access::ReadWrite : Access::Write, Space::LReg, vd, 1, active);
    const u32 own = vd * numeric::kLanes;
    if (keeps_half) print.flow({Space::LReg, Space::LReg, own, numeric::kLanes, own});
    if (vd < 4)
      print.write(Space::LReg, vd + 4, 1,
                  lanes_with(sfpu, lane_config::kEnableDestIndex) &
                      lanes_with(sfpu, lane_config::kCaptureDefaultDestIndex) & active);
  }
  note_addr_mod(print, operand.addr_mod, false);
}

void footprint(const Footprint& print, op::SFPLOAD insn) {
  note_back_door(print, insn.lreg_ind());
  note_load_from_dst(
      print, {insn.lreg_ind(), insn.instr_mod0(), insn.dest_reg_addr(), insn.sfpu_addr_mode()});
}

void footprint(const Footprint& print, op::SFPSTORE insn) {
  const Mod mod = resolve(print, insn.instr_mod0());
  if (print.scheduled != nullptr)
    return note_store(print, mod, print.scheduled->vd, print.scheduled->address,
                      print.scheduled->lanes);
  const u32 vd = insn.lreg_ind();
  const u32 lanes = note_lanes(print, vd);
  const bool all = mod == Mod::Int32All;
  const u32 address = address_of(print, insn.dest_reg_addr(), all);
  if (all) note_stack_step(print);
  if (lanes != 0) note_store(print, mod, vd, address, lanes);
  note_addr_mod(print, insn.sfpu_addr_mode(), false);
}

void footprint(const Footprint& print, op::SFPLOADI insn) {
  const u32 mod = insn.instr_mod0();
  const bool known = mod <= 2 || mod == 4 || mod == 8 || mod == 10;
  if (!known || insn.lreg_ind() >= 8) return;
  print.note(mod >= 8 ? Access::ReadWrite : Access::Write, Space::LReg, insn.lreg_ind(), 1,
             note_enabled(print));
}

}  // namespace bhemu::tensix
