// The order model as a table: one row of edges.def for everything that puts two actions of the chip
// in order, or that one might wrongly think does.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "race/component.hpp"
#include "race/location.hpp"

namespace bhemu::race {

/// Who vouches for an edge. A run takes edges up to a level: at Documented, what only Custom rows
/// order is reported as a contract; at Custom it is taken as order.
enum class Level : u8 {
  Documented,  // a document of the vendor's says so, or it was measured
  Custom,      // shipped software relies on it, and no document says so
  None,        // nothing orders these two; the fix says what would
  Unknown,     // the documents are silent or contradict each other
};
const char* name_of(Level level);

enum class Source : u8 {
  Measured,    // on silicon
  Documented,  // by the vendor
  Shipped,     // relied on by the vendor's software
  Guessed,     // by us, from something like it
};
const char* name_of(Source source);

/// How two agents stand to each other, as a mask.
namespace scope {
inline constexpr u8 Own = 1;   // same core, same thread, or a core and its own thread or request
inline constexpr u8 Tile = 2;  // others of the same tile
inline constexpr u8 Far = 4;   // of two tiles
inline constexpr u8 Any = Own | Tile | Far;
}  // namespace scope

inline constexpr u16 kNoCycles = 0xFFFF;  // not known, or without bound

enum class EdgeId : u8 {
#define EDGE(number, name, ...) name = number,
#include "race/edges.def"
#undef EDGE
};

struct Edge {
  u8 number = 0;
  std::string_view name;
  std::string_view group;
  Level level = Level::None;
  Source source = Source::Guessed;
  u16 minimum = kNoCycles;  // cycles from the first action to its effect
  u16 maximum = kNoCycles;
  // For which pairs the detector names this row: kinds of components, how they stand to each other,
  // kinds of places (bits of Place). All zero: the row is not a pair of accesses.
  u32 from = 0;
  u32 to = 0;
  u8 between = 0;
  u32 places = 0;
  std::string_view producer;
  std::string_view consumer;
  std::string_view ordered_by;
  std::string_view not_ordered_by;
  std::string_view document;
  std::string_view fix;  // {wait}, {block}, {from}, {to} are filled in
};

/// By the order of the table.
std::span<const Edge> all_edges();
const Edge& info_of(EdgeId id);

/// The row that says what would order two accesses: of those that fit, the narrowest.
const Edge& missing_edge(u32 from, u32 to, u8 between, Place place);

/// Its fix with names filled in.
struct FixNames {
  std::string from;   // who acts first, and its instruction
  std::string to;     // who acts second
  std::string wait;   // STALLWAIT's condition that drains the first
  std::string block;  // STALLWAIT's block that holds the second
};
std::string fix_text(const Edge& edge, const FixNames& names);

}  // namespace bhemu::race
