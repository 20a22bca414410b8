#include "kmd/window_words.hpp"

#include <array>

namespace bhemu::kmd {
namespace {

void insert(std::array<u32, 3>& words, unsigned first, unsigned count, u64 value) {
  for (unsigned i = 0; i < count; ++i) {
    const unsigned at = first + i;
    words[at / 32] |= static_cast<u32>(value >> i & 1) << (at % 32);
  }
}

void put(card::Function& function, u64 offset, u32 value) {
  function.bar_write(0, card::Function::kWindowRegisters + offset,
                     {reinterpret_cast<const u8*>(&value), 4});
}

}  // namespace

void aim_window(card::Function& function, unsigned window, const abi::NocTlbConfig& config) {
  using card::Windows;
  card::Window wish;
  wish.local_offset = config.addr / Windows::bytes_of(window);
  wish.x_end = config.x_end;
  wish.y_end = config.y_end;
  wish.x_start = config.x_start;
  wish.y_start = config.y_start;
  wish.noc_sel = config.noc;
  // The driver's field for the NoC is two bits wide.
  wish.reserved_0 = config.noc >> 1;
  wish.mcast = config.mcast;
  wish.ordering = config.ordering;
  wish.linked = config.linked;
  wish.static_vc = config.static_vc;
  const bool small = window < Windows::kSmall;
  std::array<u32, 3> words{};
#define WINDOW_FIELD(name, bit2, bits2, bit4, bits4) \
  insert(words, small ? bit2 : bit4, small ? bits2 : bits4, wish.name);
#define STRIDED_FIELD(name, bit, bits)
#include "card/window.def"
#undef WINDOW_FIELD
#undef STRIDED_FIELD
  for (u32 i = 0; i < words.size(); ++i) put(function, (window * 3 + i) * 4, words[i]);
  if (window < Windows::kStrided) put(function, (Windows::kCount * 3 + window) * 4, 0);
}

}  // namespace bhemu::kmd
