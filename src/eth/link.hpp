// What a port's cable leads to. Links between chips will be further implementations; today every
// port ends in NoCable.
#pragma once

#include "base/types.hpp"

namespace bhemu::eth {

class Link {
 public:
  virtual ~Link() = default;
  /// A peer is there, and the link has trained: PCS_STATUS.
  virtual bool is_up() const = 0;
  /// Why nothing can be sent, in words, when it is not up.
  virtual const char* reason() const = 0;
};

class NoCable final : public Link {
 public:
  bool is_up() const override { return false; }
  const char* reason() const override { return "the port has no cable"; }
};

/// The SerDes of this tile serves PCIe, so no cable can ever be there.
class NoSerdes final : public Link {
 public:
  bool is_up() const override { return false; }
  const char* reason() const override { return "the tile has no port: its SerDes serves PCIe"; }
};

}  // namespace bhemu::eth
