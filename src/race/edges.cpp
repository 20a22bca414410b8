#include "race/edges.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.hpp"

namespace bhemu::race {
namespace {

constexpr Edge kEdges[] = {
#define EDGE(number, name, group, level, source, minimum, maximum, from, to, between, places,   \
             producer, consumer, ordered_by, not_ordered_by, document, fix)                     \
  {number,  #name,  group,    Level::level, Source::source, minimum,        maximum,  from, to, \
   between, places, producer, consumer,     ordered_by,     not_ordered_by, document, fix},
#include "race/edges.def"
#undef EDGE
};
constexpr unsigned kEdgeCount = sizeof kEdges / sizeof kEdges[0];

constexpr bool numbered_in_order() {
  for (unsigned i = 0; i < kEdgeCount; ++i)
    if (kEdges[i].number != i + 1) return false;
  return true;
}
static_assert(numbered_in_order());

constexpr bool sourced() {
  return std::all_of(std::begin(kEdges), std::end(kEdges), [](const Edge& edge) {
    return !edge.document.empty() && !edge.fix.empty() && edge.minimum <= edge.maximum;
  });
}
static_assert(sourced());

bool fits(const Edge& edge, u32 from, u32 to, u8 between, Place place) {
  return (edge.from & from) != 0 && (edge.to & to) != 0 && (edge.between & between) != 0 &&
         (edge.places & place_bit(place)) != 0;
}

/// The fewer kinds a row speaks of, the better it fits; who acts first says most.
std::pair<int, int> width_of(const Edge& edge) {
  return {std::popcount(edge.from),
          std::popcount(edge.to) * std::popcount(edge.between) * std::popcount(edge.places)};
}

void replace_all(std::string& text, std::string_view name, const std::string& value) {
  for (std::size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

}  // namespace

const char* name_of(Level level) {
  switch (level) {
    case Level::Documented:
      return "documented";
    case Level::Custom:
      return "custom";
    case Level::None:
      return "none";
    case Level::Unknown:
      return "unknown";
  }
  return "";
}

const char* name_of(Source source) {
  switch (source) {
    case Source::Measured:
      return "measured";
    case Source::Documented:
      return "documented";
    case Source::Shipped:
      return "shipped software";
    case Source::Guessed:
      return "guessed";
  }
  return "";
}

std::span<const Edge> all_edges() {
  return kEdges;
}

const Edge& info_of(EdgeId id) {
  return kEdges[static_cast<unsigned>(id) - 1];
}

const Edge& missing_edge(u32 from, u32 to, u8 between, Place place) {
  const Edge* best = nullptr;
  for (const Edge& edge : kEdges) {
    if (!fits(edge, from, to, between, place)) continue;
    if (best == nullptr || width_of(edge) < width_of(*best)) best = &edge;
  }
  CHECK(best != nullptr);  // the last row fits everything
  return *best;
}

std::string fix_text(const Edge& edge, const FixNames& names) {
  std::string text(edge.fix);
  replace_all(text, "{from}", names.from);
  replace_all(text, "{to}", names.to);
  replace_all(text, "{wait}", names.wait);
  replace_all(text, "{block}", names.block);
  return text;
}

}  // namespace bhemu::race
