// What silicon demands of a transfer's addresses and length, as pure functions.
//
// Congruence: the NIU moves bytes without shifting them within a memory word, so source and
// destination must agree in their low address bits: 4 bits for L1, 6 for reads from DRAM and PCIe,
// 2 for reads of registers (tt-metal noc_parameters.h NOC_*_ALIGNMENT_BYTES; ttsim tile.cpp).
#pragma once

#include <string>

#include "base/fault.hpp"
#include "noc/packet.hpp"

namespace bhemu::noc {

struct Transfer {
  bool read = false;
  bool inline_data = false;
  NodeKind remote = NodeKind::Tensix;
  u64 remote_address = 0;
  u64 local_address = 0;  // in the tile of the NIU; a Tensix (or Ethernet) tile
  u64 length = 0;
};

struct Objection {
  Rule rule = Rule::Count;  // Count: none
  std::string text;
};

Objection check_transfer(const Transfer& transfer);
/// `return_address` 0 when no response is wanted.
Objection check_atomic(NodeKind target, u64 address, u64 return_address);

}  // namespace bhemu::noc
