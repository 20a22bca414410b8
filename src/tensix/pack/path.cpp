#include "tensix/pack/path.hpp"

#include <fmt/format.h>

#include "numeric/format_accumulate.hpp"

namespace bhemu::tensix::pack {

using numeric::Format;

namespace {

bool undocumented(const Context& context, bool used, const char* what) {
  return used && context.raise(Rule::PackUndocumented, what);
}

bool any_thread_counts(const State& state) {
  for (unsigned thread = 0; thread < kThreads; ++thread)
    if (thread_cfg::ENABLE_ACC_STATS_Enable::get(state.thread_config(thread)) != 0) return true;
  return false;
}

bool check_path(const Context& context, const Path& path, Format intermediate) {
  const ConfigWords& words = context.config();
  const u32 dst_bits = path.read_32b ? 32 : 16;
  if (path.early.row == nullptr || path.late == nullptr) {
    context.raise(Rule::PackFormatPath,
                  fmt::format("PACR from {}-bit Dst through {} to {}", dst_bits,
                              name_of(intermediate), name_of(path.out)));
    return false;
  }
  if (path.early.code == numeric::PackCode::Int16 && path.read_32b &&
      context.raise(Rule::PackInt16From32, "PACR of INT16 from 32-bit Dst"))
    return false;
  const bool rounds = path.early.rounds || numeric::is_bfp(path.out);
  if (cfg::ALU_ROUNDING_MODE_Packer_srnd_en::get(words) != 0 && rounds &&
      context.raise(Rule::PackStochastic, "PACR with Packer_srnd_en and a rounding conversion"))
    return false;
  if (!numeric::relu_is_defined(path.early.code, path.relu) &&
      context.raise(Rule::PackRelu,
                    fmt::format("ReLU mode {} with threshold {:#x} on {}", path.relu.mode,
                                path.relu.threshold, name_of(path.early.code))))
    return false;
  if (undocumented(context, path.threshold_on && path.early.code == numeric::PackCode::Fp16Wide,
                   "exponent threshold on FP16 that still has 8 bits of exponent"))
    return false;
  return true;
}

bool check_accumulation(const Context& context, const Path& path) {
  if (!path.accumulate) return true;
  if (!numeric::can_accumulate(path.out)) {
    context.raise(Rule::PackAccumulate, fmt::format("L1 accumulation of {}", name_of(path.out)));
    return false;
  }
  const bool no_flags = cfg::THCON_SEC0_REG1_Disable_pack_zero_flags::get(context.config()) != 0;
  return no_flags || !context.raise(Rule::PackAccumulateZeroFlags,
                                    "Pack_L1_Acc without Disable_pack_zero_flags");
}

/// False: the thread stops. Mode 1 of the integer descale takes its shift from byte z, and no
/// document says which z.
bool descale_shift(const Context& context, u32& shift) {
  const ConfigWords& words = context.config();
  shift = 0;
  if (cfg::INT_DESCALE_Enable::get(words) == 0) return true;
  if (undocumented(context, cfg::INT_DESCALE_Mode::get(words) != 0, "integer descale by plane"))
    return false;
  shift = cfg::INT_DESCALE_VALUES_SEC0_Value::get(words) & 31;
  return true;
}

}  // namespace

bool check_documented(const Context& context, op::PACR insn) {
  const ConfigWords& words = context.config();
  const u32 counters = words[cfg::PACK_COUNTERS_SEC0_pack_per_xy_plane::kWord];
  constexpr u32 kCountersUsed = 0x0080FF00;  // reads per plane, transposed
  if (undocumented(context, insn.cfg_context() != 0, "PACR with a configuration context") ||
      undocumented(context, insn.row_pad_zero() != 0, "PACR with RowPadZero") ||
      undocumented(context, insn.ctxt_ctrl() != 0, "PACR with CtxtCtrl") ||
      undocumented(context, insn.addr_cnt_context() != 0 && insn.ovrd_thread_id() == 0,
                   "PACR with AddrCntContext but without OvrdThreadId") ||
      undocumented(context, (counters & ~kCountersUsed) != 0,
                   "PACK_COUNTERS beyond reads per plane") ||
      undocumented(context, cfg::THCON_SEC0_REG1_pack_start_intf_pos::get(words) != 0,
                   "pack_start_intf_pos") ||
      undocumented(context, cfg::THCON_SEC0_REG1_pack_dis_y_pos_start_offset::get(words) != 0,
                   "pack_dis_y_pos_start_offset") ||
      undocumented(context, cfg::THCON_SEC0_REG1_Downsample_rate::get(words) != 0,
                   "Downsample_rate") ||
      undocumented(context, cfg::ALU_ROUNDING_MODE_GS_LF::get(words) != 0, "GS_LF") ||
      undocumented(context, cfg::ALU_ROUNDING_MODE_Bfp8_HF::get(words) != 0, "Bfp8_HF"))
    return false;
  const bool override_all =
      cfg::THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd::get(words) != 0;
  if (undocumented(context, override_all, "All_pack_disable_zero_compress_ovrd")) return false;
  return cfg::THCON_SEC0_REG1_Disable_zero_compress::get(words) != 0 ||
         !context.raise(Rule::PackCompression, "PACR with Disable_zero_compress = 0");
}

bool choose_path(const Context& context, bool from_l1, Path& path) {
  const ConfigWords& words = context.config();
  const Format intermediate =
      numeric::format_of(cfg::ALU_FORMAT_SPEC_REG_Dstacc_override::get(words) != 0
                             ? cfg::ALU_FORMAT_SPEC_REG_Dstacc_val::get(words)
                             : cfg::ALU_FORMAT_SPEC_REG2_Dstacc::get(words));
  const Format in = numeric::format_of(cfg::THCON_SEC0_REG1_In_data_format::get(words));
  path.out = numeric::format_of(cfg::THCON_SEC0_REG1_Out_data_format::get(words));
  if (intermediate != in &&
      context.raise(Rule::PackFormatMismatch,
                    fmt::format("PACR with intermediate {} and In_data_format {}",
                                name_of(intermediate), name_of(in))))
    return false;
  path.read_32b = cfg::PCK_DEST_RD_CTRL_Read_32b_data::get(words) != 0;
  path.relu = {cfg::STACC_RELU_ApplyRelu::get(words) & 3,
               cfg::STACC_RELU_ReluThreshold::get(words)};
  if (from_l1) {
    path.early = numeric::l1_source_conversion(intermediate);
  } else {
    numeric::EarlyMode mode;
    mode.intermediate = intermediate;
    mode.out = path.out;
    mode.read_32b = path.read_32b;
    mode.read_unsigned = cfg::PCK_DEST_RD_CTRL_Read_unsigned::get(words) != 0;
    mode.read_raw = cfg::PCK_DEST_RD_CTRL_Read_int8::get(words) != 0;
    mode.round_10b_mant = cfg::PCK_DEST_RD_CTRL_Round_10b_mant::get(words) != 0;
    path.early = numeric::early_conversion(mode);
  }
  if (path.early.row != nullptr)
    path.late = numeric::late_conversion(path.early.code, path.out,
                                         cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp::get(words) != 0);
  path.threshold_on =
      cfg::THCON_SEC0_REG1_Exp_threshold_en::get(words) != 0 && !numeric::is_integer(in);
  path.threshold = cfg::THCON_SEC0_REG1_Exp_threshold::get(words);
  const u32 mask = cfg::THCON_SEC0_REG1_Downsample_mask::get(words);
  path.downsample = mask == 0 ? 0xFFFF : mask;
  path.accumulate = cfg::THCON_SEC0_REG1_Pack_L1_Acc::get(words) != 0;
  path.histogram = any_thread_counts(context.state);
  if (!descale_shift(context, path.descale_shift)) return false;
  if (numeric::is_bfp(path.out) &&
      undocumented(context, cfg::THCON_SEC0_REG1_Dis_shared_exp_assembler::get(words) != 0,
                   "Dis_shared_exp_assembler with a block format"))
    return false;
  return check_path(context, path, intermediate) && check_accumulation(context, path);
}

}  // namespace bhemu::tensix::pack
