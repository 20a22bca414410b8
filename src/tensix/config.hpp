// Backend configuration as types: cfg::FIELD::get(words) and thread_cfg::FIELD::get(words).
//
// Documents: tt-isa-documentation BlackholeA0 BackendConfiguration.md; names as in cfg_defines.h.
#pragma once

#include <array>
#include <string_view>

#include "base/bits.hpp"
#include "base/types.hpp"

namespace bhemu::tensix {

/// CFG_STATE_SIZE (56) x 4: words of one state bank, as laid out in the MMIO window.
inline constexpr u32 kConfigWords = 224;
/// GLOBAL_CFGREG_BASE_ADDR32: from here on a word exists once; a write goes to both banks.
inline constexpr u32 kGlobalConfigBase = 180;
/// THD_STATE_SIZE: 16-bit words that each thread has for itself.
inline constexpr u32 kThreadConfigWords = 68;

/// One state bank, global words included (they hold the same value in both banks).
using ConfigWords = std::array<u32, kConfigWords>;
using ThreadConfigWords = std::array<u16, kThreadConfigWords>;

/// Words that note what is read of them (footprint/recorder.hpp).
template <class Words>
concept NotesReads = requires(const Words& words) {
  words.field(0u, 0u, 0u);
};

/// `width` bits of a word from `low` on.
template <class Words>
constexpr u32 word_bits(const Words& words, u32 word, u32 low, u32 width) {
  if constexpr (NotesReads<Words>)
    return words.field(word, low, width);
  else
    return bits(words[word], low, width);
}

namespace cfg {
/// `offset` steps to the same field of a later section (THCON_SEC1 is kThconSection words on).
#define CFG(name, word_, low_, width_)                                               \
  struct name {                                                                      \
    static constexpr u32 kWord = word_;                                              \
    static constexpr u32 kLow = low_;                                                \
    static constexpr u32 kWidth = width_;                                            \
    static constexpr u32 get(const ConfigWords& words, u32 offset = 0) {             \
      return bits(words[kWord + offset], kLow, kWidth);                              \
    }                                                                                \
    static u32 get(const NotesReads auto& words, u32 offset = 0) {                   \
      return words.field(kWord + offset, kLow, kWidth);                              \
    }                                                                                \
    static constexpr void set(ConfigWords& words, u32 value, u32 offset = 0) {       \
      words[kWord + offset] = with_bits(words[kWord + offset], kLow, kWidth, value); \
    }                                                                                \
  };
#include "tensix/config.def"
}  // namespace cfg

/// Words from THCON_SEC0_x to THCON_SEC1_x.
inline constexpr u32 kThconSection = 48;

namespace thread_cfg {
#define THREAD_CFG(name, word_, low_, width_)                                        \
  struct name {                                                                      \
    static constexpr u32 kWord = word_;                                              \
    static constexpr u32 kLow = low_;                                                \
    static constexpr u32 kWidth = width_;                                            \
    static constexpr u32 get(const ThreadConfigWords& words, u32 offset = 0) {       \
      return bits(words[kWord + offset], kLow, kWidth);                              \
    }                                                                                \
    static u32 get(const NotesReads auto& words, u32 offset = 0) {                   \
      return words.field(kWord + offset, kLow, kWidth);                              \
    }                                                                                \
    static constexpr void set(ThreadConfigWords& words, u32 value, u32 offset = 0) { \
      words[kWord + offset] =                                                        \
          static_cast<u16>(with_bits(words[kWord + offset], kLow, kWidth, value));   \
    }                                                                                \
  };
#include "tensix/config.def"
}  // namespace thread_cfg

struct ConfigFieldInfo {
  const char* name = nullptr;
  u16 word = 0;
  u8 low = 0;
  u8 width = 0;
};

inline constexpr ConfigFieldInfo kConfigFields[] = {
#define CFG(name, word, low, width) {#name, word, low, width},
#include "tensix/config.def"
};
inline constexpr ConfigFieldInfo kThreadConfigFields[] = {
#define THREAD_CFG(name, word, low, width) {#name, word, low, width},
#include "tensix/config.def"
};

}  // namespace bhemu::tensix
