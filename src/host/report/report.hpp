// What went wrong, in words: faults and hangs, with source lines from the ELFs that were loaded.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "device/device.hpp"
#include "host/program/elf.hpp"
#include "tile/wait_text.hpp"

namespace bhemu::host {

using tile::KnownWord;

/// Which ELF's code is where, per core. ELFs must outlive this.
class CodeMap {
 public:
  /// `bytes` of `elf`'s code linked at `link_base` run from `run_base`, on one tile or, without
  /// one, on all; from a cycle on. `as_linked`: they are the ELF's, which no loader has changed for
  /// where they lie.
  void add(CoreId core, const Elf& elf, u32 run_base, u32 link_base, u32 bytes,
           std::optional<Coord> tile = std::nullopt, Cycle since = 0, bool as_linked = false);
  /// All that `other` has, after what is here: of several the first counts.
  void add(const CodeMap& other);
  struct Location {
    std::string function;             // "main"; empty when no symbol is known
    std::string source;               // "kernel.c:12"; empty without DWARF
    std::string image;                // the ELF's name
    std::vector<SourceFrame> frames;  // innermost first
    u32 linked = 0;                   // the address in the ELF
    const Elf* elf = nullptr;
    /// "CbWaitFront (cb.h:31) < WritePages (writer.c:11)", or as much as is known; empty when
    /// nothing is.
    std::string text() const;
    /// The innermost place outside of libraries and firmware: "WritePages (writer.c:11)"; where
    /// that is a header, up to the source file that calls it.
    std::string user() const;
    /// The same with those who call it, at most three: "Wait (writer.c:4) < WritePages
    /// (writer.c:11)".
    std::string users() const;
  };
  /// What lies there, or what did so in a cycle before.
  Location locate(Agent agent, u32 pc, std::optional<Coord> tile = std::nullopt,
                  Cycle when = ~Cycle{0}) const;

  struct Entry {
    CoreId core;
    const Elf* elf;
    u32 run_base;
    u32 link_base;
    u32 bytes;
    std::optional<Coord> tile;
    Cycle since = 0;
    bool as_linked = false;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// How a value that is waited for has to be to what is wanted.
enum class Relation : u8 { Equal, NotEqual, Less, AtLeast };
const char* name_of(Relation relation);  // "==", "!=", "<", ">="

/// What the comparison that a core goes round has, and what would end it.
struct Comparison {
  Relation relation = Relation::Equal;
  u32 value = 0;
  u32 wanted = 0;
};

/// Agents of several tiles that wait for the same thing at the same place.
struct WaiterGroup {
  std::vector<Coord> tiles;
  Agent agent = Agent::Host;
  u32 pc = 0;
  std::string where;  // function and source line
  std::string what;
  std::string who;
  std::vector<Wait> waits;  // of the first tile; empty for a core that runs
  std::optional<Comparison> compared;
  /// The other groups that would release it, in the order of the report: the wait-for graph.
  std::vector<size_t> released_by;
};

/// A Wait for programs: what the report's JSON and Python call its parts, in this order. Parts
/// that a kind does not have are left out.
struct WaitPart {
  const char* name;
  std::variant<u64, std::string, std::vector<std::string>> value;
};
std::vector<WaitPart> parts_of(const Wait& wait);

/// An entry of a hang report.
std::string group_text(const WaiterGroup& group, size_t all_tiles);

/// A fault with everything that there is to say about it.
struct FaultReport {
  Fault fault;
  Coord tile;
  std::string where;        // call chain, for a core
  std::string user;         // the user's line in it
  std::string instruction;  // disassembled
  std::string remedy = {};  // an order without a full stop
  /// Of what came over the NoC: the core that asked for it.
  struct Issuer {
    Agent agent = Agent::Host;
    Coord tile;
  };
  std::optional<Issuer> issuer = {};
  std::string behind = {};  // what the host has done wrong before (launch_mistakes.hpp)
};
FaultReport report_of(const Fault& fault, Coord tile, std::string instruction, const CodeMap& code);
std::vector<FaultReport> fault_reports(Device& device, const CodeMap& code);

/// "(1, 2)", "(1, 2), (1, 3)", "all 120 tiles", "36 tiles from (1, 2) to (4, 11)".
std::string tiles_text(std::span<const Coord> tiles, size_t all);

/// The one that a report begins with: the first error, else the first warning of a check; null:
/// none.
const FaultReport* first_of(std::span<const FaultReport> reports);
/// "BRISC of (1, 2) (and of 3 more tiles) at DrainPages (reader.c:23) broke the rule ...: ...".
std::string sentence_of(const FaultReport& report, std::span<const FaultReport> all);

struct FirstCause;  // cause.hpp
FirstCause cause_of(const FaultReport& report, std::span<const FaultReport> all);

/// Faults of one rule at one place are told once, with their tiles. `first_cause`: begin with the
/// one that counts, and what to do about it.
std::string fault_text(std::span<const FaultReport> reports, size_t all_tiles = 0,
                       bool first_cause = true);

}  // namespace bhemu::host
