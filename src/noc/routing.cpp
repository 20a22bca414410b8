#include "noc/routing.hpp"

#include "noc/multicast.hpp"

#include <fmt/format.h>

namespace bhemu::noc {

const char* name_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::Tensix:
      return "Tensix";
    case NodeKind::Dram:
      return "DRAM";
    case NodeKind::Pcie:
      return "PCIe";
    case NodeKind::Arc:
      return "ARC";
    case NodeKind::Ethernet:
      return "Ethernet";
    case NodeKind::Router:
      return "router";
    case NodeKind::L2cpu:
      return "L2CPU";
    case NodeKind::Security:
      return "security";
  }
  return "?";
}

const char* name_of(PacketKind kind) {
  switch (kind) {
    case PacketKind::WriteRequest:
      return "write";
    case PacketKind::ReadRequest:
      return "read";
    case PacketKind::AtomicRequest:
      return "atomic";
    case PacketKind::ReadResponse:
      return "read response";
    case PacketKind::WriteAck:
      return "write acknowledgement";
    case PacketKind::AtomicResponse:
      return "atomic response";
  }
  return "?";
}

Coord target_coord_of(unsigned noc, Coord coord) {
  if (noc == 0) return coord;
  return {static_cast<u8>(Routing::kWidth - 1 - coord.x),
          static_cast<u8>(Routing::kHeight - 1 - coord.y)};
}

std::string Routing::name(NodeId node) const {
  if (node >= infos_.size()) return fmt::format("node {}", node);
  const NodeInfo& info = infos_[node];
  if (info.kind == NodeKind::Dram)
    return fmt::format("DRAM bank {} ({},{})", info.bank, info.translated.x, info.translated.y);
  return fmt::format("{} ({},{})", name_of(info.kind), info.translated.x, info.translated.y);
}

}  // namespace bhemu::noc
