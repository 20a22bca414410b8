#include "tensix/cfg/cfg.hpp"

#include <bit>

#include <fmt/format.h>

#include "tensix/conditions.hpp"
#include "tensix/data_paths.hpp"
#include "tensix/gpr.hpp"
#include "tensix/handover.hpp"
#include "tensix/prng.hpp"

namespace bhemu::tensix {
namespace {

/// Words that change how the cores behave: instruction cache, prefetchers, branch predictors, what
/// BRISC reads at certain places of L1.
bool concerns_cores(u32 index) {
  return index == cfg::RISCV_IC_INVALIDATE_InvalidateAll::kWord ||
         index == cfg::DISABLE_RISC_BP_Disable_main::kWord ||
         (index >= cfg::TRISC_END_PC_SEC0_PC::kWord &&
          index <= cfg::RISC_PREFETCH_CTRL_Enable_Trisc::kWord) ||
         (index >= cfg::L1_CACHE_TAG_SEARCH_ACCEL_Search_Enable::kWord &&
          index <= cfg::L1_CACHE_TAG_SEARCH_ACCEL_Tag_inv::kWord);
}

/// SoftReset.md, bit 9: writes to THCON configuration are discarded.
bool discarded_by_reset(const State& state, u32 index) {
  return bit(state.soft_reset, 9) && index >= kThconConfigBase && index < kGlobalConfigBase;
}

/// Fields of without_effect.def.
struct WithoutEffect {
  const char* name;
  u16 word;
  u32 mask;
};
template <class Field>
constexpr WithoutEffect without_effect(const char* name) {
  return {name, Field::kWord, static_cast<u32>(((u64{1} << Field::kWidth) - 1) << Field::kLow)};
}
constexpr WithoutEffect kWithoutEffect[] = {
#define WITHOUT_EFFECT(field) without_effect<cfg::field>(#field),
#include "tensix/cfg/without_effect.def"
};
constexpr WithoutEffect kThreadWithoutEffect[] = {
#define THREAD_WITHOUT_EFFECT(field) without_effect<thread_cfg::field>(#field),
#include "tensix/cfg/without_effect.def"
};

template <std::size_t kWords, std::size_t kRows>
constexpr std::array<bool, kWords> words_of(const WithoutEffect (&rows)[kRows]) {
  std::array<bool, kWords> found{};
  for (const WithoutEffect& row : rows) found[row.word] = true;
  return found;
}
constexpr auto kWordsWithoutEffect = words_of<kConfigWords>(kWithoutEffect);
constexpr auto kThreadWordsWithoutEffect = words_of<kThreadConfigWords>(kThreadWithoutEffect);

template <class Field>
constexpr void add_bits(std::array<u32, kConfigWords>& words) {
  words[Field::kWord] |= static_cast<u32>(((u64{1} << Field::kWidth) - 1) << Field::kLow);
}
template <class... Fields>
constexpr std::array<u32, kConfigWords> bits_of_fields() {
  std::array<u32, kConfigWords> words{};
  (add_bits<Fields>(words), ...);
  return words;
}
/// Bits of configuration words that packer and unpackers read for each instruction, whatever they
/// have worked out before (pack/whole_rows.cpp, unpack/faces.cpp): what kernels change from tile to
/// tile. One that is missing here costs time, and nothing else.
constexpr auto kReadAnew =
    bits_of_fields<cfg::THCON_SEC0_REG3_Base_address, cfg::THCON_SEC0_REG3_Base_cntx1_address,
                   cfg::THCON_SEC0_REG3_Base_cntx2_address, cfg::THCON_SEC0_REG3_Base_cntx3_address,
                   cfg::THCON_SEC1_REG3_Base_address, cfg::THCON_SEC1_REG3_Base_cntx1_address,
                   cfg::THCON_SEC0_REG1_L1_Dest_addr, cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset>();

/// One bank of a word gets a value. True: it differs in what is not read anew.
bool put(ConfigWords& bank, u32 index, u32 value) {
  const u32 changed = bank[index] ^ value;
  bank[index] = value;
  return (changed & ~kReadAnew[index]) != 0;
}

/// A warning for each word, the first time that an agent sets such a field in it.
template <std::size_t kRows>
void warn(const WithoutEffect (&rows)[kRows], const Environment& env, Agent agent, u32 index,
          u32 value, Cycle now) {
  for (const WithoutEffect& row : rows) {
    if (row.word != index || (value & row.mask) == 0) continue;
    if (env.faults != nullptr)
      env.faults->raise(Rule::ConfigWithoutEffect, agent, index, now,
                        fmt::format("{}, in word {}", row.name, index));
    return;
  }
}

template <class C>
unsigned bank_of(const C& context) {
  return thread_cfg::CFG_STATE_ID_StateID::get(context.thread_config());
}

/// True: the index is outside, and the thread has been told so.
bool outside(Context& context, u32 index) {
  if (index < kConfigWords) return false;
  context.raise(Rule::TensixConfigIndex,
                fmt::format("{} of configuration word {}; there are {}",
                            info_of_word(context.word).name, index, kConfigWords));
  return true;
}

void write(Context& context, u32 index, u32 value, u32 mask = ~0u) {
  const u32 whole = (value & mask) | (context.config()[index] & ~mask);
  warn_without_effect(context.env, agent_of_thread(context.thread), index, whole, context.now);
  put_config(context, bank_of(context), index, value, mask);
}

Completion rmwcib(Context& context, u32 index, u32 byte, u32 data, u32 mask) {
  if (outside(context, index)) return Completion::Done;
  write(context, index, data << (8 * byte), mask << (8 * byte));
  return Completion::Done;
}

/// The scratch register that CFGSHIFTMASK means, rotated, under its mask.
template <class C>
u32 scratch_operand(const C& context, op::CFGSHIFTMASK insn, u32 mask) {
  const u32 section = insn.scratch_sel() < 3 ? insn.scratch_sel() : context.thread;
  return std::rotr(cfg::SCRATCH_SEC0_val::get(context.config(), section) & mask,
                   static_cast<int>(insn.right_cshift_amt()));
}

u32 shift_mask_result(u32 mode, u32 value, u32 scratch) {
  switch (mode) {
    case 0:
      return value | scratch;
    case 1:
      return value & scratch;
    case 2:
      return value ^ scratch;
    case 3:
      return value + scratch;
    case 4:
      return value | ~scratch;
    case 5:
      return value & ~scratch;
    case 6:
      return value ^ ~scratch;
    default:
      return value - scratch;
  }
}

}  // namespace

void warn_without_effect(const Environment& env, Agent agent, u32 index, u32 value, Cycle now) {
  if (kWordsWithoutEffect[index]) warn(kWithoutEffect, env, agent, index, value, now);
}

void write_config_word(State& state, const Environment& env, unsigned bank, u32 index, u32 value,
                       Cycle now, bool resets) {
  if (discarded_by_reset(state, index)) return;
  if (env.wakeup != nullptr) env.wakeup->touch(Resource::Config);
  CfgState& cfg = state.cfg;
  bool changed = put(cfg.bank[bank], index, value);
  if (index >= kGlobalConfigBase) changed |= put(cfg.bank[bank ^ 1], index, value);
  if (resets && index == cfg::STATE_RESET_EN::kWord) {
    for (u32 i = 0; i < kGlobalConfigBase; ++i) cfg.bank[bank][i] = 0;
    changed = true;
  }
  if (env.paths != nullptr) {
    if (changed)
      env.paths->settings_changed();
    else
      env.paths->distrust();
  }
  if (index == cfg::PRNG_SEED_Seed_Val::kWord) seed_generators(state, value);
  if (concerns_cores(index) && env.registers != nullptr)
    env.registers->config_written(index, value, now);
}

void put_config(const Context& context, unsigned bank, u32 index, u32 value, u32 mask) {
  if (context.env.timing == nullptr) {
    const u32 whole = (value & mask) | (context.state.cfg.bank[bank][index] & ~mask);
    return write_config_word(context.state, context.env, bank, index, whole, context.now,
                             mask == ~0u);
  }
  Effect effect;
  effect.kind = EffectKind::Config;
  effect.bank = static_cast<u8>(bank);
  effect.address = index;
  effect.value[0] = value;
  effect.mask = mask;
  put(context, effect);
}

bool write_config_window(State& state, const Environment& env, Agent agent, u32 window_index,
                         u32 value, Cycle now) {
  if (window_index >= kConfigThreads) return false;
  warn_without_effect(env, agent, window_index % kConfigWords, value, now);
  if (window_index >= kConfigDual) {
    const u32 index = window_index - kConfigDual;
    write_config_word(state, env, 0, index, value, now);
    if (index < kGlobalConfigBase) write_config_word(state, env, 1, index, value, now);
    return true;
  }
  write_config_word(state, env, window_index / kConfigWords, window_index % kConfigWords, value,
                    now);
  return true;
}

u32 read_config_window(const State& state, u32 window_index) {
  if (window_index < kConfigDual)
    return state.cfg.bank[window_index / kConfigWords][window_index % kConfigWords];
  // Reading the dual window is unsupported; in practice it gives bank 0.
  if (window_index < kConfigThreads) return state.cfg.bank[0][window_index - kConfigDual];
  const u32 index = window_index - kConfigThreads;
  return state.cfg.thread[index / kThreadConfigWords][index % kThreadConfigWords];
}

Completion execute(Context& context, op::WRCFG insn) {
  const auto& gpr = context.state.thcon.gpr[context.thread];
  const u32 index = insn.cfg_reg();
  if (insn.wr128b() == 0) {
    if (outside(context, index)) return Completion::Done;
    write(context, index, gpr[insn.gpr_address()]);
    return Completion::Done;
  }
  if (outside(context, index | 3)) return Completion::Done;
  if (((index | insn.gpr_address()) & 3) != 0 &&
      context.raise(Rule::TensixWideConfig,
                    fmt::format("WRCFG of 128 bits from GPR {} to word {} writes GPR {} to {} into "
                                "words {} to {}",
                                insn.gpr_address(), index, insn.gpr_address() & ~3u,
                                insn.gpr_address() | 3, index & ~3u, index | 3)))
    return Completion::Done;
  for (u32 i = 0; i < 4; ++i)
    write(context, (index & ~3u) + i, gpr[(insn.gpr_address() & ~3u) + i]);
  return Completion::Done;
}

Completion execute(Context& context, op::RDCFG insn) {
  if (outside(context, insn.cfg_reg())) return Completion::Done;
  put_gpr(context, insn.gpr_address(), context.config()[insn.cfg_reg()]);
  return Completion::Done;
}

Completion execute(Context& context, op::SETC16 insn) {
  const u32 index = insn.setc16_reg();
  if (index >= kThreadConfigWords) {
    context.raise(Rule::TensixConfigIndex,
                  fmt::format("SETC16 of thread configuration word {}; there are {}", index,
                              kThreadConfigWords));
    return Completion::Done;
  }
  context.touch(Resource::Config);
  if (kThreadWordsWithoutEffect[index])
    warn(kThreadWithoutEffect, context.env, agent_of_thread(context.thread), index,
         insn.setc16_value(), context.now);
  if (context.env.paths != nullptr) context.env.paths->distrust();
  context.state.cfg.thread[context.thread][index] = static_cast<u16>(insn.setc16_value());
  if (index == thread_cfg::UNPACK_MISC_CFG_CfgContextCntReset_0::kWord)
    unpack::context_counter_written(context, static_cast<u16>(insn.setc16_value()));
  return Completion::Done;
}

Completion execute(Context& context, op::RMWCIB0 insn) {
  return rmwcib(context, insn.cfg_reg_addr(), 0, insn.data(), insn.mask());
}
Completion execute(Context& context, op::RMWCIB1 insn) {
  return rmwcib(context, insn.cfg_reg_addr(), 1, insn.data(), insn.mask());
}
Completion execute(Context& context, op::RMWCIB2 insn) {
  return rmwcib(context, insn.cfg_reg_addr(), 2, insn.data(), insn.mask());
}
Completion execute(Context& context, op::RMWCIB3 insn) {
  return rmwcib(context, insn.cfg_reg_addr(), 3, insn.data(), insn.mask());
}

Completion execute(Context& context, op::CFGSHIFTMASK insn) {
  const u32 index = insn.cfg_reg();
  if (outside(context, index)) return Completion::Done;
  const u32 amount = insn.right_cshift_amt();
  const u32 mask = (2u << insn.mask_width()) - 1u;
  const u32 scratch = scratch_operand(context, insn, mask);
  u32 value = context.config()[index];
  if (insn.disable_mask_on_old_val() == 0) value &= ~std::rotr(mask, static_cast<int>(amount));
  write(context, index, shift_mask_result(insn.operation(), value, scratch));
  return Completion::Done;
}

Completion execute(Context& context, op::STREAMWRCFG insn) {
  if (outside(context, insn.cfg_reg())) return Completion::Done;
  if (context.env.registers == nullptr) {
    context.raise(Rule::TensixUnsupported, "STREAMWRCFG without stream registers");
    return Completion::Done;
  }
  const u32 address = stream_register_address(context.thread_config(), insn.stream_id_sel(),
                                              insn.stream_reg_addr());
  u32 value = 0;
  if (context.load_register(address, value)) write(context, insn.cfg_reg(), value);
  return Completion::Done;
}

// --- Footprints.

void note_config_write(const Footprint& print, unsigned bank, u32 index, u32 mask, bool resets) {
  if (discarded_by_reset(print.state, index)) return;
  const bool global = index >= kGlobalConfigBase;
  if (mask != 0) print.write(Space::Config, (global ? 0 : bank * kConfigWords) + index, 1, mask);
  if (resets && mask == ~0u && index == cfg::STATE_RESET_EN::kWord)
    print.write(Space::Config, bank * kConfigWords, kGlobalConfigBase);
  if (index != cfg::PRNG_SEED_Seed_Val::kWord) return;
  // The generators are seeded by the whole word, whichever bits of it are new.
  if (mask != ~0u) print.read(Space::Config, index, 1, ~mask);
  print.write(Space::Random, 0, 2);
}

void footprint(const Footprint& print, op::WRCFG insn) {
  const bool wide = insn.wr128b() != 0;
  const u32 count = wide ? 4 : 1;
  const u32 index = wide ? insn.cfg_reg() & ~3u : insn.cfg_reg();
  if (index + count > kConfigWords) return;
  print.note_gprs(Access::Read, wide ? insn.gpr_address() & ~3u : insn.gpr_address(), count);
  for (u32 i = 0; i < count; ++i) note_config_write(print, bank_of(print), index + i);
}

void footprint(const Footprint& print, op::RDCFG insn) {
  if (insn.cfg_reg() >= kConfigWords) return;
  print.config()[insn.cfg_reg()];
  print.note_gprs(Access::Write, insn.gpr_address());
}

void footprint(const Footprint& print, op::SETC16 insn) {
  const u32 index = insn.setc16_reg();
  if (index >= kThreadConfigWords) return;
  print.write(Space::ThreadConfig, print.thread * kThreadConfigWords + index, 1, 0xFFFF);
  if (index == thread_cfg::UNPACK_MISC_CFG_CfgContextCntReset_0::kWord)
    unpack::note_context_counter_written(print, static_cast<u16>(insn.setc16_value()));
}

namespace {
/// The bits of the mask, and no others. Without any, it is still a write to the word of the seed.
void note_rmwcib(const Footprint& print, u32 index, u32 byte, u32 mask) {
  if (index < kConfigWords) note_config_write(print, bank_of(print), index, mask << (8 * byte));
}
}  // namespace

void footprint(const Footprint& print, op::RMWCIB0 insn) {
  note_rmwcib(print, insn.cfg_reg_addr(), 0, insn.mask());
}
void footprint(const Footprint& print, op::RMWCIB1 insn) {
  note_rmwcib(print, insn.cfg_reg_addr(), 1, insn.mask());
}
void footprint(const Footprint& print, op::RMWCIB2 insn) {
  note_rmwcib(print, insn.cfg_reg_addr(), 2, insn.mask());
}
void footprint(const Footprint& print, op::RMWCIB3 insn) {
  note_rmwcib(print, insn.cfg_reg_addr(), 3, insn.mask());
}

void footprint(const Footprint& print, op::CFGSHIFTMASK insn) {
  const u32 index = insn.cfg_reg();
  if (index >= kConfigWords) return;
  scratch_operand(print, insn, (2u << insn.mask_width()) - 1u);
  print.config()[index];
  note_config_write(print, bank_of(print), index);
}

void footprint(const Footprint& print, op::STREAMWRCFG insn) {
  if (insn.cfg_reg() >= kConfigWords) return;
  print.note_register(
      Access::Read,
      stream_register_address(print.thread_config(), insn.stream_id_sel(), insn.stream_reg_addr()));
  note_config_write(print, bank_of(print), insn.cfg_reg());
}

}  // namespace bhemu::tensix
