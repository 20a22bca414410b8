// A request that goes to many nodes is kept as one packet, and its acknowledgements as another, as
// long as no node could see a difference to one packet for each receiver.
#pragma once

#include <memory>
#include <vector>

#include "noc/packet.hpp"

namespace bhemu::noc {

/// A receiver of a broadcast, and where it is on the NoC in question after translation.
struct Receiver {
  NodeId node = kNoNode;
  Coord coord;
};
using Receivers = std::vector<Receiver>;

/// The way that packets name a place: in NoC 0's numbering.
Coord target_coord_of(unsigned noc, Coord coord);

struct Multicast {
  Packet packet;  // that of the first receiver, whose target is still to be set
  std::shared_ptr<const Receivers> receivers;
  NodeId except = kNoNode;  // has got its packet already

  /// What the receiver with this place in the list gets.
  Packet packet_for(std::size_t index) const {
    Packet copy = packet;
    copy.target = (*receivers)[index].node;
    copy.target_coord = target_coord_of(packet.noc, (*receivers)[index].coord);
    copy.sequence = packet.sequence + index;
    return copy;
  }
};

/// Acknowledgements that arrive at one node in one cycle and differ in who sends them only.
struct Acknowledgements {
  struct Sender {
    NodeId node;
    u64 sequence;
  };
  Packet packet;  // source and sequence are those of each sender
  std::vector<Sender> senders;

  Packet packet_of(const Sender& sender) const {
    Packet copy = packet;
    copy.source = sender.node;
    copy.sequence = sender.sequence;
    return copy;
  }
};

}  // namespace bhemu::noc
