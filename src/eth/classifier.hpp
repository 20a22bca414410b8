// The tables behind the classifier of received frames: a TCAM of 64 rows and a flow table, both
// reached through a window of registers. BlackholeA0/EthernetTile/EthernetRxClassifier.md, 4 and 5.
// Looking a frame up comes with links.
#pragma once

#include <array>
#include <span>

#include "base/types.hpp"

namespace bhemu::eth {

/// Plain data.
class Classifier {
 public:
  static constexpr u32 kRows = 64;
  enum Part : u32 {  // of the pattern, in words
    kType,
    kSourceAddress,
    kDestinationAddress = 5,
    kAddressFlags = 9,
    kSourcePort,
    kDestinationPort,
    kProtocol,
    kEthertype,
    kPriority,
    kParts,
  };
  using Pattern = std::array<u32, kParts>;
  using FlowRow = std::array<u32, 4>;  // labels, actions, VLAN, metadata

  bool enabled(u32 row) const { return enabled_[row] != 0; }
  void enable(u32 row, bool on) { enabled_[row] = on; }
  const Pattern& pattern(u32 row, bool mask) const { return pattern_[row][mask]; }
  /// The parts that the bits 23:16 of a TCAM_UPDATE word name.
  void write_pattern(u32 update, const Pattern& pattern);
  FlowRow& flow(u32 row) { return flow_[row]; }
  /// TCAM_FLUSH.
  void flush();
  u64 hash(u64 seed) const;

 private:
  std::array<u8, kRows> enabled_{};
  std::array<std::array<Pattern, 2>, kRows> pattern_{};
  std::array<FlowRow, kRows> flow_{};
};

}  // namespace bhemu::eth
