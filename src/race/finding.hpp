// What the detector and the window checker have found, as data, and as text for people, programs
// (JSON) and editors (SARIF 2.1).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "race/edges.hpp"
#include "race/event.hpp"

namespace bhemu::race {

enum class FindingKind : u8 {
  Race,          // nothing orders the two accesses
  Contract,      // only what shipped software relies on does (rows of level custom)
  Window,        // too few instructions between two of a thread
  LostSync,      // a post or a take that the semaphore dropped
  StaleCache,    // a load or fetch that a cache can answer with what was there before
  ExitInFlight,  // a kernel returns while its requests are under way
  Injected,      // one side is a filler that somebody put where the hardware does not expect it
};
inline constexpr unsigned kFindingKinds = 7;
const char* name_of(FindingKind kind);

struct Side {
  Site site;
  Epoch epoch;
  u32 kind = 0;  // mask of kind::
  Mode mode = Mode::Read;
  bool known = true;  // false: the site was not kept; run again with the epoch in Settings::wanted
  u32 pushed_at = 0;  // of a thread's instruction: where its core pushed what it came from; 0: not
                      // known
};

struct Finding {
  FindingKind kind = FindingKind::Race;
  EdgeId edge = EdgeId::OtherAccess;
  u16 tile = 0;
  Location where;
  Side first;  // in the order of this run
  Side second;
  bool late = false;   // the second is what should have come first: the run met it too late
  std::string detail;  // what the kind has to say beyond: needed and found gap, counts
  u64 times = 1;       // how often, counting what was recognised as the same
};

/// Of a core's access its program counter; of a thread's instruction that of the push it came from,
/// so that all PACRs of a MOP, say, are one place. The word, when the push is not known.
u32 place_in_code(const Side& side);
/// Two findings are the same when kind, sites (program counters or words, agents) and place are.
bool same_finding(const Finding& a, const Finding& b);

/// What a run at level Custom and one at level Documented found together: what only the second
/// found is a contract.
std::vector<Finding> merge_levels(std::span<const Finding> custom,
                                  std::span<const Finding> documented);

/// Names for what a finding speaks of. The default knows words and numbers only.
class Names {
 public:
  virtual ~Names() = default;
  /// Who and where: agent, instruction, source line, function.
  virtual std::string side(const Side& side) const;
  /// The same in a few words, for the middle of a sentence.
  virtual std::string short_side(const Side& side) const { return this->side(side); }
  virtual std::string tile(u16 node) const;
  virtual std::string place(u16 node, const Location& where) const;
  /// File and line of a side, for editors; line 0: not known.
  struct Line {
    std::string file;
    u32 line = 0;
  };
  virtual Line line(const Side& side) const;
};

/// One line, "kind PC PC REASON", per pair that its author has judged; the order of the two program
/// counters (or words, both in hexadecimal) does not matter. `#` begins a comment.
class Suppressions {
 public:
  /// What is wrong with the text, "" when nothing is: a line without a reason is refused.
  std::string parse(std::string_view text);
  /// The reason, null when nothing silences the finding.
  const std::string* reason_for(const Finding& finding) const;
  std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    FindingKind kind;
    u32 low;
    u32 high;
    std::string reason;
  };
  std::vector<Row> rows_;
};

/// What would have put the two in order, with names filled in.
std::string missing_edge_of(const Finding& finding, const Names& names);
/// A delay that shows the race: "hold ... for at least N cycles"; "" where none would.
std::string witness_of(const Finding& finding, const Names& names);

std::string text_of(const Finding& finding, const Names& names);
std::string json_of(std::span<const Finding> findings, const Names& names);
std::string sarif_of(std::span<const Finding> findings, const Names& names);

}  // namespace bhemu::race
