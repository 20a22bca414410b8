// What a MOP expands to, written as nested loops from the text (MOPExpander.md) without looking at
// the expander: the whole sequence at once.
#pragma once

#include <array>
#include <vector>

#include "base/types.hpp"

namespace bhemu::tensix::test::model {

inline bool is_nop(u32 word) {
  return word >> 24 == 0x02;
}

/// `word` is the MOP; `next` the word that follows it in the FIFO.
inline std::vector<u32> expand(const std::array<u32, 9>& config, u32 mask_hi, u32 word, u32 next) {
  std::vector<u32> out;
  if ((word >> 23 & 1) == 0) {
    u32 mask = (mask_hi << 16) + (word & 0xFFFF);
    for (u32 i = 0; i < (word >> 16 & 127) + 1; ++i, mask >>= 1) {
      if ((mask & 1) == 0) {
        out.push_back(config[3]);
        if ((config[1] & 2) != 0) out.insert(out.end(), {config[4], config[5], config[6]});
        if ((config[1] & 1) != 0) out.push_back(config[2]);
      } else {
        out.push_back(config[7]);
        if ((config[1] & 1) != 0) out.push_back(config[8]);
      }
    }
  } else {
    u32 outer_count = config[0] & 127;
    u32 inner_count = config[1] & 1023;
    u32 loop_op = config[5];
    u32 flip = 0;
    if (!is_nop(config[6])) {
      flip = config[5] ^ config[6];
      inner_count *= 2;
    }
    if (outer_count == 1 && is_nop(config[2]) && inner_count == 0 && !is_nop(config[3]))
      outer_count += 128;
    for (u32 j = 0; j < outer_count; ++j) {
      if (!is_nop(config[2])) out.push_back(config[2]);
      for (u32 i = 0; i < inner_count; ++i) {
        if (i + 1 != inner_count) {
          out.push_back(loop_op);
        } else {
          out.push_back(j + 1 != outer_count ? config[8] : config[7]);
        }
        loop_op ^= flip;
      }
      if (!is_nop(config[3])) {
        out.push_back(config[3]);
        if (!is_nop(config[4])) out.push_back(config[4]);
      }
    }
  }
  out.push_back(next);
  return out;
}

}  // namespace bhemu::tensix::test::model
