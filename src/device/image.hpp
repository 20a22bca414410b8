// The state of a device, frozen: any number of devices go on from it, each node when it is needed.
// Of a node it has what differs from the node just made (base/archive.hpp). It is a row of bytes,
// in this process's memory or in a file that is mapped.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/types.hpp"
#include "device/state_header.hpp"

namespace bhemu {

class DeviceImage {
 public:
  struct Part {
    std::span<const u8> changes;  // the node's archive
    bool acts = false;            // by itself, once time goes on
    bool has_faults = false;
    /// Not kNever: as long as nobody reaches it, the node acts in every epoch up to this edge, then
    /// waits to be reached, and it reaches no other.
    Cycle rests = kNever;
  };

  /// `bytes`: a header, then the archive of a Writer. `owner` keeps them. The caller answers for
  /// their checksum; throws ArchiveError when they are no image of as many nodes as the header
  /// says.
  DeviceImage(std::span<const u8> bytes, std::shared_ptr<const void> owner);

  /// Made of the parts in the order of their nodes.
  class Writer {
   public:
    explicit Writer(std::vector<u8> engine);
    void add(const Part& part);
    std::shared_ptr<const DeviceImage> finish(StateHeader header);

   private:
    Archive whole_ = Archive::saving();
  };

  const StateHeader& header() const { return header_; }
  std::span<const u8> bytes() const { return bytes_; }
  std::span<const u8> engine() const { return engine_; }
  const Part& part(NodeId node) const { return parts_[node]; }
  /// Part::rests is known of all nodes: a device that goes on from here need not make a node before
  /// somebody looks at it, not even one that acts.
  bool is_at_rest() const;

 private:
  std::span<const u8> bytes_;
  std::shared_ptr<const void> owner_;
  StateHeader header_;
  std::span<const u8> engine_;
  std::vector<Part> parts_;  // of every node
};

}  // namespace bhemu
