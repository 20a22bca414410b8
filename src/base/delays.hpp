// Delays that hardware may have and nobody can foresee: which there are (delays.def), which of them
// a run has (DelayPlan), and the draws of one node (Delays).
//
// A draw is a hash of seed, node, agent, kind and how many there were before of the same agent and
// kind: it depends on no other draw, so one can be taken away and the others stay; and not on host
// threads, since a node runs on one at a time.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "base/archive.hpp"
#include "base/timing_range.hpp"

namespace bhemu {

enum class DelayKind : u8 {
#define DELAY(Name, word, usual, most, evidence, what, source) Name,
#include "base/delays.def"
#undef DELAY
  Count,
};
inline constexpr unsigned kDelayKinds = static_cast<unsigned>(DelayKind::Count);

struct DelayRow {
  const char* word;
  u16 usual;
  u16 most;
  Evidence evidence;
  const char* what;
  const char* source;
};
extern const std::array<DelayRow, kDelayKinds> kDelayRows;
inline const DelayRow& row_of(DelayKind kind) {
  return kDelayRows[static_cast<unsigned>(kind)];
}
/// DelayKind::Count: there is none of that name.
DelayKind delay_kind_named(std::string_view word);

/// One delay of a run, or a place where one could have been.
struct Delay {
  NodeId node = 0;
  Agent agent = Agent::Host;
  DelayKind kind = DelayKind::Start;
  u32 occurrence = 0;  // of this agent and kind in this node, from 0
  u32 where = 0;  // program counter of a core, or instruction word; says where, decides nothing
  u32 cycles = 0;
  u32 most = 0;  // that it could have been here
  Cycle at = 0;  // the cycle in which it began

  /// What names the place; the order of lists.
  u64 key() const {
    return u64{node} << 48 | u64{static_cast<u8>(agent)} << 40 | u64{static_cast<u8>(kind)} << 32 |
           occurrence;
  }
};

/// Which delays a run has. Never changes while a device holds it.
struct DelayPlan {
  enum class Source : u8 {
    Seed,     // drawn
    List,     // these, and no others
    Greatest  // each as long as is usual at most: producers are late, so waits must be long enough
  };
  Source source = Source::List;
  u64 seed = 0;
  /// Of `List`: sorted by key.
  std::vector<Delay> list;
  /// Keep what is drawn, for `Delays::notes`: the delays, or with `places` also where none was.
  bool notes = false;
  bool places = false;
};

/// The draws of one node.
class Delays {
 public:
  Delays(NodeId node, std::shared_ptr<const DelayPlan> plan)
      : node_(node), plan_(std::move(plan)) {}

  /// Cycles, from 0 to the most of the kind's row.
  u32 draw(DelayKind kind, Agent agent, u32 where, Cycle now);
  /// The same where the limit is the caller's.
  u32 draw(DelayKind kind, Agent agent, u32 where, Cycle now, u32 usual, u32 most);
  /// Nothing of the kind was drawn for this agent so far.
  bool is_first(DelayKind kind, Agent agent) const { return count(kind, agent) == 0; }
  const std::vector<Delay>& notes() const { return notes_; }
  void archive(Archive& archive) { archive.whole(counts_); }

 private:
  u32 count(DelayKind kind, Agent agent) const {
    return counts_[static_cast<unsigned>(agent)][static_cast<unsigned>(kind)];
  }
  u32 cycles_of(const Delay& place, u32 usual, u32 most) const;

  NodeId node_;
  std::shared_ptr<const DelayPlan> plan_;
  std::array<std::array<u32, kDelayKinds>, kAgents> counts_{};
  std::vector<Delay> notes_;
};

}  // namespace bhemu
