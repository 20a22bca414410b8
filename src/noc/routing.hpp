// Which node answers a NoC coordinate. Built once by the device from its Board; immutable after.
//
// Documents: BlackholeA0/NoC/Coordinates.md (translation), seed 002 (device grid), specs
// logical-to-virtual-coordinates.md.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "noc/packet.hpp"

namespace bhemu::noc {

/// The configuration registers by which the NIUs of one NoC translate coordinates, and the masks by
/// which they stay out of broadcasts; the same in every NIU of that NoC. The ARC firmware writes
/// them before any other core runs.
struct Translation {
  std::array<u32, 6> x_table{};  // NOC_X_ID_TRANSLATE_TABLE_0..5: 32 entries of 5 bits, 6 a word
  std::array<u32, 6> y_table{};
  u32 column_mask = 0;        // NOC_ID_TRANSLATE_COL_MASK
  u32 row_mask = 0;           // NOC_ID_TRANSLATE_ROW_MASK
  u32 broadcast_columns = 0;  // ROUTER_CFG_1: columns that take no broadcasts
  u32 broadcast_rows = 0;     // ROUTER_CFG_3
};

/// One word's worth of a translation table, as the registers hold it.
constexpr u32 table_entry(const u32* table, unsigned index) {
  return (table[index / 6] >> (index % 6 * 5)) & 31;
}

/// Coordinates.md, "Translation Algorithm", without the DDR tables, which firmware leaves off.
constexpr Coord translate(const u32* x_table, const u32* y_table, u32 column_mask, u32 row_mask,
                          Coord coord) {
  const unsigned x = coord.x & 31;
  const unsigned y = coord.y & 31;
  Coord result = coord;
  if (((row_mask >> y) & 1) == 0) result.x = static_cast<u8>(table_entry(x_table, x));
  if (((column_mask >> x) & 1) == 0) result.y = static_cast<u8>(table_entry(y_table, y));
  return result;
}

/// What messages call a node.
struct NodeInfo {
  NodeKind kind = NodeKind::Tensix;
  Coord translated;
  u8 bank = 0;  // DRAM
};

class Routing {
 public:
  static constexpr unsigned kSpan = 64;
  static constexpr unsigned kWidth = 17;
  static constexpr unsigned kHeight = 12;

  Routing() {
    for (auto& map : map_) map.fill(kNoNode);
    for (auto& map : physical_) map.fill(kNoNode);
  }

  /// A coordinate as software writes it, with translation on.
  void place(unsigned noc, Coord coord, NodeId node) { map_[noc][index(coord)] = node; }
  /// kNoNode where nothing answers.
  NodeId at(unsigned noc, Coord coord) const {
    return inside(coord) ? map_[noc][index(coord)] : kNoNode;
  }

  /// A coordinate of the NoC itself, as it is after translation.
  void place_physical(unsigned noc, Coord coord, NodeId node) {
    physical_[noc][index(coord)] = node;
  }
  NodeId physical(unsigned noc, Coord coord) const {
    return inside(coord) ? physical_[noc][index(coord)] : kNoNode;
  }

  /// Until this is called there is no translation: `at` answers for every NIU.
  void set_translation(unsigned noc, const Translation& translation) {
    translation_[noc] = translation;
    has_translation_ = true;
  }
  bool has_translation() const { return has_translation_; }
  const Translation& translation(unsigned noc) const { return translation_[noc]; }

  void describe(NodeId node, const NodeInfo& info) {
    if (node >= infos_.size()) infos_.resize(node + 1u);
    infos_[node] = info;
  }
  NodeInfo info(NodeId node) const { return node < infos_.size() ? infos_[node] : NodeInfo{}; }
  NodeKind kind(NodeId node) const {
    return node < infos_.size() ? infos_[node].kind : NodeKind::Tensix;
  }
  /// "Tensix (1,2)", "DRAM bank 3 (17,21)".
  std::string name(NodeId node) const;

 private:
  using Map = std::array<NodeId, kSpan * kSpan>;
  static constexpr bool inside(Coord coord) { return coord.x < kSpan && coord.y < kSpan; }
  static constexpr unsigned index(Coord coord) { return coord.y * kSpan + coord.x; }

  std::array<Map, kNocs> map_;
  std::array<Map, kNocs> physical_;
  std::array<Translation, kNocs> translation_{};
  std::vector<NodeInfo> infos_;
  bool has_translation_ = false;
};

}  // namespace bhemu::noc
