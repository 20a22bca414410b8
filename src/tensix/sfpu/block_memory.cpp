// SFPLOAD and SFPSTORE as steps of a block.
#include <cstring>

#include "tensix/sfpu/block.hpp"
#include "tensix/sfpu/dst_rows.hpp"

namespace bhemu::tensix {
namespace {

using namespace sfpu;
using numeric::SfpuStep;
using numeric::SfpuStepKind;

SfpuStepKind step_of(numeric::SfpuDstForm form, bool store) {
  using enum numeric::SfpuDstForm;
  switch (form) {
    case Bf16:
      return store ? SfpuStepKind::StoreBf16 : SfpuStepKind::LoadBf16;
    case Fp16:
      return store ? SfpuStepKind::StoreFp16 : SfpuStepKind::LoadFp16;
    case Word:
      return store ? SfpuStepKind::StoreWord : SfpuStepKind::LoadWord;
    default:
      return SfpuStepKind::StoreSingle;
  }
}

/// The rows of a load or a store without anything special, and its registers. Gives the flags of
/// the rows; null: it is none.
u8* step_rows(const Context& context, Mod mod, bool store, u32 immediate, SfpuStep& step) {
  const auto form = form_of(mod, store);
  if (!form || mod == Mod::Int32All) return nullptr;
  const u32 address = address_of(context, immediate, false);
  const DstMapping mapping = DstAccess::mapping_of(context.state);
  const bool wide = *form == numeric::SfpuDstForm::Word || *form == numeric::SfpuDstForm::Single;
  if (store && !wide && mapping.high_halves) return nullptr;
  // The four rows lie one after the other: whole_rows.
  const u32 p = mapping.place(address & 0x3FC, wide);
  Dst& dst = context.state.fpu.dst;
  step.kind = step_of(*form, store);
  step.high = dst.row[p].datum.data();
  step.low = wide ? dst.row[p + 8].datum.data() : nullptr;
  step.odd = bit(address, 1);
  return &dst.valid[p];
}

bool are_valid(const u8* flags) {
  u32 valid;
  std::memcpy(&valid, flags, sizeof valid);
  return valid == kAllValid;
}

/// The address mode reports something.
bool toggles_bias(const Context& context, u32 addr_mod) {
  return context.thread_config()[thread_cfg::ADDR_MOD_BIAS_SEC0_BiasIncr::kWord + addr_mod] != 0;
}

}  // namespace

bool sfpu::add_load(Context& context, op::SFPLOAD insn, SfpuStep& step) {
  step.d = static_cast<u8>(insn.lreg_ind());
  if (step.d >= 8 || toggles_bias(context, insn.sfpu_addr_mode())) return false;
  u8* const flags =
      step_rows(context, resolve(context, insn.instr_mod0()), false, insn.dest_reg_addr(), step);
  if (flags == nullptr || !are_valid(flags)) return false;
  apply_partial_addr_mod(context, insn.sfpu_addr_mode());
  return true;
}

bool sfpu::add_store(Context& context, op::SFPSTORE insn, bool everywhere, SfpuStep& step) {
  step.d = static_cast<u8>(insn.lreg_ind());
  if (step.d >= 12 || toggles_bias(context, insn.sfpu_addr_mode())) return false;
  u8* const flags =
      step_rows(context, resolve(context, insn.instr_mod0()), true, insn.dest_reg_addr(), step);
  // Which rows become valid depends on the lanes that are enabled.
  if (flags == nullptr || (!everywhere && !are_valid(flags))) return false;
  std::memcpy(flags, &kAllValid, sizeof kAllValid);
  apply_partial_addr_mod(context, insn.sfpu_addr_mode());
  return true;
}

}  // namespace bhemu::tensix
