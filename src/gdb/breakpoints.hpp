// Where gdb wants to be told of a core's coming by, and of which memory. Per tile: addresses mean
// something else on every tile.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "base/types.hpp"

namespace bhemu::gdb {

enum class WatchKind : u8 { Write = 2, Read = 3, Access = 4 };  // as in Z2, Z3, Z4

struct Watch {
  WatchKind kind = WatchKind::Write;
  u32 address = 0;
  u32 bytes = 0;
  unsigned core = 0;  // whose local memory, if it is there
  bool overlaps(u32 from, u32 count) const {
    return address < u64{from} + count && from < u64{address} + bytes;
  }
  friend bool operator==(const Watch&, const Watch&) = default;
};

class Breakpoints {
 public:
  void insert(u32 pc) {
    inserted_.insert(pc);
    lifted_.erase(pc);
  }
  /// gdb takes breakpoints out when it has stopped, and puts them in when it goes on; not so when
  /// it steps one core over one of them, for which the others should stand still. Here they run,
  /// so for them what was taken out holds until `settle()`.
  void remove(u32 pc) {
    if (inserted_.erase(pc) != 0) lifted_.insert(pc);
  }
  void insert(const Watch& watch) { watches_.push_back(watch); }
  void remove(const Watch& watch) { std::erase(watches_, watch); }
  void settle() { lifted_.clear(); }
  void clear() {
    inserted_.clear();
    lifted_.clear();
    watches_.clear();
  }
  bool at(u32 pc) const { return inserted_.contains(pc); }
  bool was_at(u32 pc) const { return lifted_.contains(pc); }
  const std::vector<Watch>& watches() const { return watches_; }
  bool empty() const { return inserted_.empty() && watches_.empty(); }

 private:
  std::set<u32> inserted_;
  std::set<u32> lifted_;
  std::vector<Watch> watches_;
};

}  // namespace bhemu::gdb
