// Backend configuration: the one door through which all writers pass.
//
// Documents: tt-isa-documentation BlackholeA0 BackendConfiguration.md, ConfigurationUnit.md.
#pragma once

#include "tensix/context.hpp"
#include "tensix/footprint/recorder.hpp"

namespace bhemu::tensix {

/// The window at 0xFFEF0000 in words: bank 0, bank 1, both banks at once, thread configurations.
inline constexpr u32 kConfigBank1 = kConfigWords;
inline constexpr u32 kConfigDual = 2 * kConfigWords;
inline constexpr u32 kConfigThreads = 3 * kConfigWords;
inline constexpr u32 kConfigWindow = kConfigThreads + kThreads * kThreadConfigWords;

/// Where the fields named THCON_ begin (THCON_CFGREG_BASE_ADDR32).
inline constexpr u32 kThconConfigBase = 64;

/// Writes a word of bank `bank`; a global word is written in both. Carries out the immediate
/// effects (STATE_RESET_EN, PRNG seed, what the tile must know). `index` < kConfigWords.
/// RMWCIB does not trigger STATE_RESET_EN: `resets` false.
void write_config_word(State& state, const Environment& env, unsigned bank, u32 index, u32 value,
                       Cycle now, bool resets = true);
/// Says so when `value` sets a field of the word that is only stored (without_effect.def).
void warn_without_effect(const Environment& env, Agent agent, u32 index, u32 value, Cycle now);
/// The bits of `mask` of a word get a new value, in the window of the instruction. A part of a word
/// does not trigger STATE_RESET_EN.
void put_config(const Context& context, unsigned bank, u32 index, u32 value, u32 mask = ~0u);
/// A footprint's twin of put_config and write_config_word; `resets` as there.
void note_config_write(const Footprint& print, unsigned bank, u32 index, u32 mask = ~0u,
                       bool resets = true);
/// The same through the window, as a core or the mover does it.
/// False: `window_index` is not writable.
bool write_config_window(State& state, const Environment& env, Agent agent, u32 window_index,
                         u32 value, Cycle now);
u32 read_config_window(const State& state, u32 window_index);

}  // namespace bhemu::tensix
