#include "kmd/go_messages.hpp"

#include <algorithm>
#include <array>

namespace bhemu::kmd {
namespace {

bool is_tensix(const Device& device, NodeId node) {
  const TileSite* const site = node == kNoNode ? nullptr : device.board().site_of(node);
  return site != nullptr && site->kind == noc::NodeKind::Tensix;
}

}  // namespace

void GoMessages::was_read(const Device& device, NodeId node, u64 address,
                          std::span<const u8> bytes) {
  if (sure_ || !is_tensix(device, node)) return;
  if (!is(address, bytes, kInit) && !is(address, bytes, kGo)) {
    times_ = 0;
    return;
  }
  times_ = address == asked_ ? times_ + 1 : 1;
  asked_ = address;
  if (times_ < kEnough) return;
  known_ = sure_ = true;
  address_ = address;
}

void GoMessages::was_written(const Device& device, NodeId node, u64 address,
                             std::span<const u8> bytes) {
  if (node == kNoNode) return was_multicast(address, bytes);
  if (bytes.size() != 4 || (sure_ && address != address_) || !is_tensix(device, node)) return;
  if (!sure_ && is(address, bytes, kInit)) {
    if (node != last_.node || address != last_.address)
      tiles_ = address == last_.address ? tiles_ + 1 : 1;
    last_ = {node, address};
    if (tiles_ >= kEnough) {
      known_ = true;
      address_ = address;
    }
  }
  const auto same = [&](const Start& one) { return one.node == node && one.address == address; };
  const auto found = std::find_if(own_.begin(), own_.end(), same);
  if (is(address, bytes, kGo)) {
    if (found == own_.end()) own_.push_back({node, address});
  } else if (found != own_.end()) {
    own_.erase(found);
  }
}

void GoMessages::was_multicast(u64 address, std::span<const u8> bytes) {
  // The word at 0 is the jump that BRISC begins with, and may look like one.
  if (sure_ || address == 0 || !is(address, bytes, kInit)) return;
  known_ = true;
  address_ = address;
}

bool GoMessages::any_started_by_the_client(Device& device) const {
  return std::any_of(own_.begin(), own_.end(), [&](const Start& one) {
    std::array<u8, 4> word{};
    return device.read(one.node, one.address, word) && is(one.address, word, kGo);
  });
}

std::vector<Coord> GoMessages::started_by_the_chip(Device& device) const {
  std::vector<Coord> tiles;
  if (!known_) return tiles;
  for (const Coord tile : device.board().tensix()) {
    const NodeId node = device.board().node_at_translated(tile);
    const auto same = [&](const Start& one) { return one.node == node && one.address == address_; };
    if (std::any_of(own_.begin(), own_.end(), same)) continue;
    std::array<u8, 4> word{};
    if (device.read(node, address_, word) && is(address_, word, kGo)) tiles.push_back(tile);
  }
  return tiles;
}

}  // namespace bhemu::kmd
