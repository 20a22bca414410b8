// What answers at the client's addresses that are no memory: the windows of the card.
#pragma once

#include <span>

#include "base/types.hpp"

namespace bhemu::shim {

class Bus {
 public:
  virtual ~Bus() = default;

  /// How many bytes from `address` on are this bus's; 0: none.
  virtual u64 covers(u64 address) const = 0;
  /// How many bytes from `address` on are plain memory, so that nobody can tell whether they were
  /// moved one by one or at once.
  virtual u64 plain(u64 address) const = 0;
  /// One access of exactly these bytes; all of them are covered.
  virtual void read(u64 address, std::span<u8> bytes) = 0;
  virtual void write(u64 address, std::span<const u8> bytes) = 0;
};

}  // namespace bhemu::shim
