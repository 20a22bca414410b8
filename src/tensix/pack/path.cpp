#include "tensix/pack/path.hpp"

#include <fmt/format.h>

#include "numeric/format_accumulate.hpp"
#include "tensix/data_paths.hpp"

namespace bhemu::tensix::pack {

using numeric::Format;

namespace {

/// Raises faults, and remembers that there was one.
template <class C>
struct Check {
  const C& context;
  const BasicSection<ConfigOf<C>>& section;
  bool clean = true;

  const ConfigOf<C>& config() const { return section.words; }
  bool raise(Rule rule, std::string text) {
    clean = false;
    return context.raise(rule, std::move(text));
  }
};

template <class C>
bool undocumented(Check<C>& check, bool used, const char* what) {
  return used && check.raise(Rule::PackUndocumented, what);
}

const ThreadConfigWords& words_of_thread(const Context& context, unsigned thread) {
  return context.state.thread_config(thread);
}
Noted<ThreadConfigWords> words_of_thread(const Footprint& print, unsigned thread) {
  return print.thread_config(thread);
}
template <class C>
bool any_thread_counts(const C& context) {
  for (unsigned thread = 0; thread < kThreads; ++thread)
    if (thread_cfg::ENABLE_ACC_STATS_Enable::get(words_of_thread(context, thread)) != 0)
      return true;
  return false;
}

template <class C>
bool check_path(Check<C>& check, const Path& path, Format intermediate) {
  const u32 dst_bits = path.read_32b ? 32 : 16;
  if (path.early.row == nullptr || path.late == nullptr) {
    check.raise(Rule::PackFormatPath, fmt::format("PACR from {}-bit Dst through {} to {}", dst_bits,
                                                  name_of(intermediate), name_of(path.out)));
    return false;
  }
  if (path.early.code == numeric::PackCode::Int16 && path.read_32b &&
      check.raise(Rule::PackInt16From32, "PACR of INT16 from 32-bit Dst"))
    return false;
  if ((path.stochastic != nullptr || path.stochastic_group) &&
      check.raise(Rule::PackStochastic,
                  fmt::format("Gasket_srnd_en {}, Packer_srnd_en {}", path.stochastic != nullptr,
                              path.stochastic_group)))
    return false;
  if (!numeric::relu_is_defined(path.early.code, path.relu) &&
      check.raise(Rule::PackRelu,
                  fmt::format("ReLU mode {} with threshold {:#x} on {}", path.relu.mode,
                              path.relu.threshold, name_of(path.early.code))))
    return false;
  if (undocumented(check, path.threshold_on && path.early.code == numeric::PackCode::Fp16Wide,
                   "exponent threshold on FP16 that still has 8 bits of exponent"))
    return false;
  return true;
}

template <class C>
bool check_accumulation(Check<C>& check, const Path& path) {
  if (!path.accumulate) return true;
  if (numeric::can_accumulate(path.out)) return true;
  check.raise(Rule::PackAccumulate, fmt::format("L1 accumulation of {}", name_of(path.out)));
  return false;
}

template <class C>
bool check_compression(Check<C>& check, const Path& path) {
  if (!path.compress) return true;
  const bool sparse = numeric::bits_of(path.out) == 2;
  return !undocumented(check, sparse, "compression of a 2-bit format") &&
         !undocumented(check, path.accumulate, "compression with L1 accumulation") &&
         !check.raise(Rule::PackCompression, "PACR with Disable_zero_compress = 0");
}

/// All 64 bytes of INT_DESCALE_VALUES give the same shift.
template <class Words>
bool same_descale_everywhere(const Words& words) {
  constexpr u32 kFirst = cfg::INT_DESCALE_VALUES_SEC0_Value::kWord;
  const u32 wanted = (words[kFirst] & 31) * 0x01010101u;
  for (u32 i = 0; i < 16; ++i)
    if ((words[kFirst + i] & 0x1F1F1F1Fu) != wanted) return false;
  return true;
}

/// False: the thread stops. Mode 1 of the integer descale takes its shift from byte z of 64, and
/// no document says which z. The plane of the tile position with its offset of six bits is the one
/// number in the packer that counts so far.
template <class C>
bool descale_shift(Check<C>& check, Path& path) {
  const auto& words = check.config();
  if (cfg::INT_DESCALE_Enable::get(words) == 0) return true;
  if (cfg::INT_DESCALE_Mode::get(words) != 0) {
    check.clean = false;  // follows from words that the cache does not compare
    path.descale_by_plane = !same_descale_everywhere(words);
    if (path.descale_by_plane &&
        check.raise(Rule::PackDescalePlane, "INT_DESCALE_Mode 1 with different shifts"))
      return false;
  }
  path.descale_shift = cfg::INT_DESCALE_VALUES_SEC0_Value::get(words) & 31;
  return true;
}

/// False: the instruction ends in a fault.
template <class C>
bool check_documented(Check<C>& check) {
  const auto& section = check.section;
  const bool counted = section.template counter<cfg::PACK_COUNTERS_SEC0_pack_per_xy_plane>() != 0 ||
                       section.template counter<cfg::PACK_COUNTERS_SEC0_pack_xys_per_tile>() != 0;
  return !undocumented(check, counted, "pack_per_xy_plane or pack_xys_per_tile") &&
         !undocumented(check, section.start_interface() != 0, "pack_start_intf_pos") &&
         !undocumented(check, section.template get<cfg::THCON_SEC0_REG1_Downsample_rate>() != 0,
                       "Downsample_rate");
}

/// Formats of the early conversion that FormatConversion.md lists for a late one from another: with
/// Round_10b_mant FP32 becomes TF32, and BF16 does on the way to FP16; a raw TF32 is all of FP32.
template <class C>
bool reaches_by_rounding(const Check<C>& check, Format intermediate, Format in, Format out) {
  const auto& words = check.config();
  const bool raw = cfg::PCK_DEST_RD_CTRL_Read_int8::get(words) != 0;
  const bool rounds = cfg::PCK_DEST_RD_CTRL_Round_10b_mant::get(words) != 0 && !raw;
  if (intermediate == Format::Tf32) return raw && in == Format::Fp32;
  if (in != Format::Tf32 || !rounds) return false;
  return intermediate == Format::Fp32 || (intermediate == Format::Bf16 && out == Format::Fp16);
}

template <class C>
bool choose_path(Check<C>& check, bool from_l1, Path& path) {
  const auto& words = check.config();
  Format intermediate = numeric::format_of(cfg::ALU_FORMAT_SPEC_REG_Dstacc_override::get(words) != 0
                                               ? cfg::ALU_FORMAT_SPEC_REG_Dstacc_val::get(words)
                                               : cfg::ALU_FORMAT_SPEC_REG2_Dstacc::get(words));
  const auto& section = check.section;
  const Format in = numeric::format_of(section.template get<cfg::THCON_SEC0_REG1_In_data_format>());
  path.out = numeric::format_of(section.template get<cfg::THCON_SEC0_REG1_Out_data_format>());
  // With mantissas rounded to ten bits, Dst holds BF16 or FP32 for either code, and LLK sets BF16
  // here when it packs FP8 (tt-llk, cpack_common.h, reconfig_packer_data_format).
  if (intermediate == Format::Bf16 && in == Format::Fp16 &&
      cfg::PCK_DEST_RD_CTRL_Round_10b_mant::get(words) != 0)
    intermediate = in;
  if (intermediate != in && !reaches_by_rounding(check, intermediate, in, path.out) &&
      check.raise(Rule::PackFormatMismatch,
                  fmt::format("PACR with intermediate {} and In_data_format {}",
                              name_of(intermediate), name_of(in))))
    return false;
  path.read_32b = cfg::PCK_DEST_RD_CTRL_Read_32b_data::get(words) != 0;
  path.relu = {cfg::STACC_RELU_ApplyRelu::get(words) & 3,
               cfg::STACC_RELU_ReluThreshold::get(words)};
  numeric::EarlyMode mode;
  if (from_l1) {
    path.early = numeric::l1_source_conversion(intermediate);
  } else {
    mode.intermediate = intermediate;
    mode.out = path.out;
    mode.read_32b = path.read_32b;
    mode.read_unsigned = cfg::PCK_DEST_RD_CTRL_Read_unsigned::get(words) != 0;
    mode.read_raw = cfg::PCK_DEST_RD_CTRL_Read_int8::get(words) != 0;
    mode.round_10b_mant = cfg::PCK_DEST_RD_CTRL_Round_10b_mant::get(words) != 0;
    path.early = numeric::early_conversion(mode);
    if (cfg::ALU_ROUNDING_MODE_Gasket_srnd_en::get(words) != 0)
      path.stochastic = numeric::stochastic_conversion(mode);
  }
  const bool fp8_e4m3 = section.template shared<cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp>() != 0;
  if (path.early.row != nullptr)
    path.late = numeric::late_conversion(path.early.code, path.out, fp8_e4m3);
  path.threshold_on = section.template get<cfg::THCON_SEC0_REG1_Exp_threshold_en>() != 0 &&
                      !numeric::is_integer(in);
  path.threshold = section.template get<cfg::THCON_SEC0_REG1_Exp_threshold>();
  const u32 mask = section.template get<cfg::THCON_SEC0_REG1_Downsample_mask>();
  path.downsample = mask == 0 ? 0xFFFF : mask;
  path.accumulate = section.template get<cfg::THCON_SEC0_REG1_Pack_L1_Acc>() != 0;
  path.compress = section.template get<cfg::THCON_SEC0_REG1_Disable_zero_compress>() == 0;
  path.stochastic_group =
      numeric::is_bfp(path.out) && cfg::ALU_ROUNDING_MODE_Packer_srnd_en::get(words) != 0;
  path.histogram = any_thread_counts(check.context);
  if (!descale_shift(check, path)) return false;
  if (numeric::is_bfp(path.out) &&
      undocumented(check,
                   section.template get<cfg::THCON_SEC0_REG1_Dis_shared_exp_assembler>() != 0,
                   "Dis_shared_exp_assembler with a block format"))
    return false;
  if (!check_path(check, path, intermediate) || !check_accumulation(check, path) ||
      !check_compression(check, path))
    return false;
  const bool plain = !path.compress && !path.descale_by_plane && path.stochastic == nullptr &&
                     !path.stochastic_group && !path.threshold_on && path.downsample == 0xFFFF &&
                     !path.accumulate && !path.histogram && path.relu.mode < 2 && !from_l1;
  if (plain) path.rows = numeric::pack_rows(mode, fp8_e4m3);
  return true;
}

/// Every word that check_documented and choose_path look at.
constexpr std::array<u32, PathCache::kWords> kPathWords = {
    cfg::ALU_FORMAT_SPEC_REG_Dstacc_override::kWord,
    cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kWord,  // and the rounding modes
    cfg::STACC_RELU_ApplyRelu::kWord,
    cfg::INT_DESCALE_Enable::kWord,
    cfg::PCK_DEST_RD_CTRL_Read_32b_data::kWord,
    cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane::kWord,
    cfg::THCON_SEC0_REG1_Disable_zero_compress::kWord,
    cfg::THCON_SEC0_REG1_Downsample_mask::kWord,
    cfg::INT_DESCALE_VALUES_SEC0_Value::kWord,
};

bool same_words(const ConfigWords& words, const PathCache& cache) {
  u32 changed = 0;
  for (u32 i = 0; i < PathCache::kWords; ++i) changed |= words[kPathWords[i]] ^ cache.words[i];
  return changed == 0;
}

}  // namespace

namespace {
template <class C>
bool work_out(Check<C>& check, bool from_l1, Path& path) {
  return check_documented(check) && choose_path(check, from_l1, path);
}
}  // namespace

template <>
const Path* find_path(const Context& context, const Section& section, bool from_l1,
                      std::optional<Path>& own) {
  const ConfigWords& words = section.words;
  const bool histogram = any_thread_counts(context);
  PathCache* cache = context.env.paths != nullptr ? &context.env.paths->pack : nullptr;
  if (from_l1 || section.context != 0) cache = nullptr;
  if (cache != nullptr && cache->valid && cache->histogram == histogram &&
      same_words(words, *cache))
    return &cache->path;

  Check<Context> check{context, section};
  if (!work_out(check, from_l1, own.emplace())) return nullptr;
  if (cache == nullptr || !check.clean) return &*own;
  for (u32 i = 0; i < PathCache::kWords; ++i) cache->words[i] = words[kPathWords[i]];
  cache->histogram = histogram;
  cache->path = *own;
  cache->valid = true;
  return &cache->path;
}

template <>
const Path* find_path(const LateContext& context, const Section& section, bool from_l1,
                      std::optional<Path>& own) {
  Check<LateContext> check{context, section};
  return work_out(check, from_l1, own.emplace()) ? &*own : nullptr;
}

/// Without the cache: everything that it follows from is read.
template <>
const Path* find_path(const Footprint& print, const BasicSection<Noted<ConfigWords>>& section,
                      bool from_l1, std::optional<Path>& own) {
  Check<Footprint> check{print, section};
  return work_out(check, from_l1, own.emplace()) ? &*own : nullptr;
}

}  // namespace bhemu::tensix::pack
