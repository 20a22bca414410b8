// Watchpoints on any place of any node: every access that reads or changes it, with its author and
// what was there before and after.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "watch/why.hpp"

namespace bhemu::watch {

struct Watch {
  Question what;
  bool reads = false;
  bool writes = true;
};

/// "1-2:l1:0x1000+16", "1-2:dst:0-3:rw", "1-2:cfg:NAME:w", ...: a tile and a place (place.hpp),
/// and which accesses: r, w (the usual) or rw. Throws InputError that names `setting`.
Watch parse_watch(const std::string& setting, const std::string& text, const Board& board);

/// An access to a watched place.
struct Hit {
  std::size_t watch = 0;
  Access access;  // the part of it that is watched
  Actor actor;
  Cycle cycle = 0;
  bool has_values = false;
  bool changed = false;
  u64 cell = 0;  // the first that has changed: an address, or a row
  u32 before = 0;
  u32 after = 0;
};

class Watchpoints {
 public:
  /// Hits of one watchpoint that are kept; later ones are counted.
  static constexpr std::size_t kMostHits = 1000;

  Watchpoints(Device& device, std::vector<Watch> watches);
  ~Watchpoints();
  Watchpoints(const Watchpoints&) = delete;
  Watchpoints& operator=(const Watchpoints&) = delete;

  /// Between runs: what has come since the last call, in the order of time.
  std::vector<Hit> take();
  /// Somebody has hit something since the last call of take(). Between epochs.
  bool has_hits() const;
  /// Hits that were not kept.
  u64 left_out() const;
  const std::vector<Watch>& watches() const { return watches_; }

 private:
  class Node;

  Device& device_;
  std::vector<Watch> watches_;
  unsigned id_ = 0;
  std::vector<Node*> nodes_;  // they belong to the device
};

/// "watch 1-2:l1:0x1000: write of memory [0x01000, +4], 0x00000000 -> 0x00000001, by BRISC at ...".
std::string text_of(const Device& device, const Watchpoints& watchpoints, const Hit& hit,
                    const host::CodeMap& code);

}  // namespace bhemu::watch
