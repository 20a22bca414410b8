#include "card/windows.hpp"

#include "base/bits.hpp"

namespace bhemu::card {
namespace {

/// `count` bits from bit `first` of a window's 96.
u64 field(const u32* words, unsigned first, unsigned count) {
  constexpr unsigned kWords = 3;
  const unsigned at = first / 32;
  const unsigned shift = first % 32;
  const auto word = [&](unsigned index) { return index < kWords ? u64{words[index]} : 0; };
  u64 value = (word(at) | word(at + 1) << 32) >> shift;
  if (shift != 0) value |= word(at + 2) << (64 - shift);
  return count >= 64 ? value : value & ((u64{1} << count) - 1);
}

Coord coord_of(u64 x, u64 y) {
  return {static_cast<u8>(x), static_cast<u8>(y)};
}

/// start > end wraps around the torus.
bool in_span(u32 value, u32 start, u32 end) {
  return start <= end ? start <= value && value <= end : value <= end || start <= value;
}

/// `keep` tiles get it, then `skip` do not, and so on from `start`.
bool kept(u32 value, u32 start, u32 span, u32 keep, u32 skip) {
  if (keep == 0 || skip == 0) return true;
  const u32 distance = value >= start ? value - start : value + span - start;
  return distance % (keep + skip) < keep;
}

bool excluded(const Strided& strided, u32 x, u32 y) {
  if (strided.apply_exclusion == 0) return false;
  const bool in_x = strided.x_exclude_direction != 0 ? x >= strided.x_exclude_coord
                                                     : x <= strided.x_exclude_coord;
  const bool in_y = strided.y_exclude_direction != 0 ? y >= strided.y_exclude_coord
                                                     : y <= strided.y_exclude_coord;
  return in_x && in_y;
}

}  // namespace

void Windows::write(u32 offset, u32 value) {
  // Whoever aims a window writes all of its words, and changes one or two.
  if (words_[offset / 4] == value) return;
  words_[offset / 4] = value;
  const unsigned index = offset / 12;
  if (index < kCount) decode(index);
}

void Windows::decode(unsigned index) {
  const u32* words = &words_[index * 3];
  const bool small = index < kSmall;
  Window& window = windows_[index];
#define WINDOW_FIELD(name, bit2, bits2, bit4, bits4) \
  window.name = field(words, small ? bit2 : bit4, small ? bits2 : bits4);
#define STRIDED_FIELD(name, bit, bits)
#include "card/window.def"
#undef WINDOW_FIELD
#undef STRIDED_FIELD
}

Strided Windows::strided(unsigned index) const {
  Strided strided;
  if (index >= kStrided) return strided;
  const u32 word = words_[kCount * 3 + index];
#define WINDOW_FIELD(name, bit2, bits2, bit4, bits4)
#define STRIDED_FIELD(name, bit, count) strided.name = bits(word, bit, count);
#include "card/window.def"
#undef WINDOW_FIELD
#undef STRIDED_FIELD
  return strided;
}

const char* Windows::objection(unsigned index) const {
  const Window& window = windows_[index];
  if ((window.reserved_0 | window.reserved_1 | window.reserved_2) != 0)
    return "reserved bits are set";
  if (window.linked != 0)
    return "`linked` is set, which is never safe: the kernel driver's window is not linked";
  if (window.static_vc != 0 && (window.mcast != 0) != (window.static_vc_class == 2))
    return "the class of the static virtual channel must be 0 or 1, and 2 for multicasts";
  if (window.static_vc != 0 && window.static_vc_class == 3)
    return "there is no class 3 of static virtual channels for requests";
  return nullptr;
}

std::vector<NodeId> Windows::targets(unsigned index, const Board& board) const {
  const Window& window = windows_[index];
  const Strided strided = this->strided(index);
  const auto noc = static_cast<unsigned>(window.noc_sel);
  const noc::Routing& routing = board.routing();
  const noc::Translation& tables = routing.translation(noc);
  const auto raw = [&](u64 x, u64 y) {
    return noc::translate(tables.x_table.data(), tables.y_table.data(), tables.column_mask,
                          tables.row_mask, coord_of(x, y));
  };
  const Coord start = raw(window.x_start, window.y_start);
  const Coord end = raw(window.x_end, window.y_end);
  constexpr u32 kWidth = noc::Routing::kWidth;
  constexpr u32 kHeight = noc::Routing::kHeight;
  std::vector<NodeId> nodes;
  for (u32 x = 0; x < kWidth; ++x) {
    if (!in_span(x, start.x, end.x) || bit(tables.broadcast_columns, x)) continue;
    if (!kept(x, start.x, kWidth, strided.x_keep, strided.x_skip)) continue;
    for (u32 y = 0; y < kHeight; ++y) {
      if (!in_span(y, start.y, end.y) || bit(tables.broadcast_rows, y)) continue;
      if (!kept(y, start.y, kHeight, strided.y_keep, strided.y_skip)) continue;
      if (excluded(strided, x, y)) continue;
      const NodeId node = routing.physical(noc, coord_of(x, y));
      if (node != kNoNode && routing.kind(node) == noc::NodeKind::Tensix) nodes.push_back(node);
    }
  }
  return nodes;
}

}  // namespace bhemu::card
