// From the coordinates in a command buffer to the nodes that receive (BlackholeA0/NoC/
// Coordinates.md; MemoryMap.md, NOC_TARG_ADDR and NOC_RET_ADDR).
#include <fmt/format.h>

#include "noc/command.hpp"
#include "noc/niu.hpp"
#include "noc/niu_state.hpp"
#include "noc/targets.hpp"

namespace bhemu::noc {
namespace {

Coord coord_of(u32 packed) {
  return {static_cast<u8>(bits(packed, 0, 6)), static_cast<u8>(bits(packed, 6, 6))};
}

/// start > end wraps around the torus.
bool in_span(u32 value, u32 start, u32 end) {
  return start <= end ? start <= value && value <= end : value <= end || start <= value;
}

// NOC_BRCST_EXCLUDE leaves out the quadrant that begins at a tile and extends along both axes
// (tt-metal dataflow_api.h: enable 22, directions 21 and 20 with 1 = rising, start 19:14 and 13:8).
// Its coordinates are raw: Coordinates.md translates TARG_ADDR_HI and RET_ADDR_HI only.
bool excluded(u32 exclude, u32 x, u32 y) {
  if (!bit(exclude, 22)) return false;
  const u32 start_x = bits(exclude, 8, 6);
  const u32 start_y = bits(exclude, 14, 6);
  const bool in_x = bit(exclude, 20) ? x >= start_x : x <= start_x;
  const bool in_y = bit(exclude, 21) ? y >= start_y : y <= start_y;
  return in_x && in_y;
}

}  // namespace

Coord Niu::translated(Coord coord) const {
  if (!bit(word(niu::NIU_CFG_0), 14)) return coord;
  return translate(&state_->words[niu::NOC_X_ID_TRANSLATE_TABLE / 4],
                   &state_->words[niu::NOC_Y_ID_TRANSLATE_TABLE / 4],
                   word(niu::NOC_ID_TRANSLATE_COL_MASK), word(niu::NOC_ID_TRANSLATE_ROW_MASK),
                   coord);
}

NodeId Niu::resolve(u32 coordinate, Coord* physical, const Author& issuer, bool* stop) {
  const Routing& routing = *environment_.routing;
  const Coord raw = coord_of(coordinate);
  NodeId node;
  if (!routing.has_translation()) {
    *physical = raw;
    node = routing.at(noc_, raw);
  } else {
    *physical = translated(raw);
    node = routing.physical(noc_, *physical);
    if (node != kNoNode && bit(word(niu::NIU_CFG_0), 14) && routing.at(noc_, raw) == kNoNode)
      *stop |= refuse(Rule::NocAliasCoordinate, issuer,
                      fmt::format("({},{}) on NoC {} is an alias of {}", raw.x, raw.y, noc_,
                                  routing.name(node)));
  }
  if (node == kNoNode) {
    refuse(Rule::NocNoSuchNode, issuer, fmt::format("({},{}) on NoC {}", raw.x, raw.y, noc_));
    *stop = true;  // whatever the severity: there is nobody to send to
  }
  return node;
}

bool Niu::find_reply(u32 coordinate, const Author& issuer, NodeId& reply) {
  bool stop = false;
  Coord physical;
  reply = resolve(coordinate, &physical, issuer, &stop);
  if (!stop && reply != environment_.node)
    stop = refuse(Rule::NocForeignResponse, issuer,
                  fmt::format("the response goes to {}", environment_.routing->name(reply)));
  return !stop;
}

bool Niu::find_targets(const Command& command, u32 coordinate, const Author& issuer,
                       Targets& targets) {
  if (command.broadcast() && command.type() != RequestType::Read)
    return find_broadcast(command, coordinate, issuer, targets);
  bool stop = false;
  targets.single.node = resolve(coordinate, &targets.single.coord, issuer, &stop);
  return !stop;
}

/// A rectangle may span columns that are fused off or no Tensix tiles; one that begins or ends
/// there has more tiles in its author's mind than on the board. One with a corner at (0,0) is meant
/// for the whole chip.
bool Niu::check_corners(u32 coordinate, const Author& issuer) {
  const Routing& routing = *environment_.routing;
  if (!is_core(issuer.agent) || !routing.has_translation() || !bit(word(niu::NIU_CFG_0), 14))
    return true;
  constexpr Coord kCorner{0, 0};
  if (coord_of(coordinate) == kCorner || coord_of(coordinate >> 12) == kCorner) return true;
  for (const u32 packed : {coordinate >> 12, coordinate}) {
    const Coord corner = coord_of(packed);
    const NodeId node = routing.at(noc_, corner);
    if (node != kNoNode && routing.kind(node) == NodeKind::Tensix) continue;
    if (refuse(
            Rule::NocMulticastOntoGap, issuer,
            fmt::format("the rectangle from ({},{}) to ({},{}) on NoC {} has a corner at ({},{}), "
                        "where {}: whoever counts it waits for an answer too many",
                        coord_of(coordinate >> 12).x, coord_of(coordinate >> 12).y,
                        coord_of(coordinate).x, coord_of(coordinate).y, noc_, corner.x, corner.y,
                        node == kNoNode ? "the board has no tile" : "no Tensix tile is")))
      return false;
  }
  return true;
}

bool Niu::find_broadcast(const Command& command, u32 coordinate, const Author& issuer,
                         Targets& targets) {
  targets.broadcast = true;
  const Broadcast wanted{nullptr, coordinate, command.exclude, command.include_source(),
                         is_core(issuer.agent)};
  const bool known = broadcast_.receivers != nullptr && broadcast_.coordinate == coordinate &&
                     broadcast_.exclude == wanted.exclude &&
                     broadcast_.include_source == wanted.include_source &&
                     broadcast_.by_core == wanted.by_core;
  if (known) {
    targets.many = broadcast_.receivers;
    return true;
  }
  refused_ = false;
  auto receivers = std::make_shared<Receivers>();
  if (!find_receivers(command, coordinate, issuer, *receivers)) return false;
  targets.many = receivers;
  // What is to be warned of is warned of each time.
  if (refused_) return true;
  broadcast_ = wanted;
  broadcast_.receivers = std::move(receivers);
  return true;
}

bool Niu::find_receivers(const Command& command, u32 coordinate, const Author& issuer,
                         Receivers& receivers) {
  const Routing& routing = *environment_.routing;
  const bool tables = routing.has_translation();
  const Coord end = tables ? translated(coord_of(coordinate)) : coord_of(coordinate);
  const Coord start = tables ? translated(coord_of(coordinate >> 12)) : coord_of(coordinate >> 12);
  if (!check_corners(coordinate, issuer)) return false;
  const u32 width = tables ? Routing::kWidth : Routing::kSpan;
  const u32 height = tables ? Routing::kHeight : Routing::kSpan;
  for (u32 x = 0; x < width; ++x) {
    if (!in_span(x, start.x, end.x) || (x < 32 && bit(word(niu::ROUTER_CFG_1), x))) continue;
    for (u32 y = 0; y < height; ++y) {
      if (!in_span(y, start.y, end.y) || (y < 32 && bit(word(niu::ROUTER_CFG_3), y))) continue;
      if (excluded(command.exclude, x, y)) continue;
      const Coord coord{static_cast<u8>(x), static_cast<u8>(y)};
      const NodeId node = tables ? routing.physical(noc_, coord) : routing.at(noc_, coord);
      if (node == kNoNode) continue;  // fused off
      if (node == environment_.node && !command.include_source()) continue;
      if (routing.kind(node) != NodeKind::Tensix &&
          refuse(Rule::NocBroadcastTarget, issuer,
                 fmt::format("{} at ({},{}) of NoC {}", routing.name(node), x, y, noc_)))
        return false;
      receivers.push_back({node, coord});
    }
  }
  if (!receivers.empty()) return true;
  refuse(Rule::NocBroadcastEmpty, issuer,
         fmt::format("rectangle ({},{})-({},{}) of NoC {}", start.x, start.y, end.x, end.y, noc_));
  return false;
}

}  // namespace bhemu::noc
