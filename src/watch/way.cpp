#include "watch/way.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tensix/isa.hpp"
#include "watch/unwritten.hpp"

namespace bhemu::watch {
namespace {

constexpr std::size_t kMostStations = 6;

bool is_data(Area area) {
  return area == Area::Memory || area == Area::Ldm || area == Area::Dst || area == Area::SrcA ||
         area == Area::SrcB || area == Area::LReg;
}

const Answer* data_behind(const Answer& answer) {
  const auto found = std::find_if(answer.from.begin(), answer.from.end(),
                                  [](const Answer& from) { return is_data(from.place.area); });
  return found == answer.from.end() ? nullptr : &*found;
}

/// "thread 2 at PackAll (pack.c:7)", "NCRISC of (2, 2) at ReadPages (reader.c:10)".
std::string station(const Device& device, const Actor& actor, NodeId here,
                    const host::CodeMap& code) {
  const bool thread = actor.kind == Actor::Kind::Thread;
  const Agent core = thread                           ? actor.pusher
                     : actor.kind == Actor::Kind::Noc ? actor.issuer
                                                      : actor.author.agent;
  std::string text = name_of(thread ? actor.author.agent : core);
  // Which operation made the value is half of the answer.
  if (thread) text += fmt::format("'s {}", tensix::info_of_word(actor.author.pc).name);
  const Coord tile = device.coord_of(actor.author.tile);
  if (actor.author.tile != here) text += fmt::format(" of ({}, {})", tile.x, tile.y);
  const u32 pc = thread ? actor.pushed_from : actor.author.pc;
  if (!is_core(core) || pc == Actor::kNoPc) return text;
  const std::string place = code.locate(core, pc, tile).user();
  return place.empty() ? text : text + " at " + place;
}

/// "page 3 of tensor input, byte 1024 on", or what else lies there.
std::string origin(const Device& device, const host::PreparedProgram& program, NodeId node,
                   const Place& place) {
  const Coord tile = device.coord_of(node);
  const std::string plain = fmt::format("{} of ({}, {})", describe(place), tile.x, tile.y);
  if (place.area != Area::Memory) return plain;
  const std::optional<TensorPage> at = page_at(device.board(), program, node, place.begin);
  if (!at) return plain;
  return fmt::format("page {} of tensor {}{}", at->page, at->tensor->spec->name,
                     at->within == 0 ? "" : fmt::format(", byte {} on", at->within));
}

}  // namespace

std::string way_of(const Device& device, const host::PreparedProgram& program, const Answer& last,
                   const host::CodeMap& code) {
  std::vector<std::string> stations;
  const Answer* at = &last;
  for (const Answer* next = data_behind(*at); next != nullptr; next = data_behind(*at)) {
    at = next;
    if (!at->known || at->writer.kind == Actor::Kind::Host || at->writer.kind == Actor::Kind::Mover)
      break;
    const std::string text = station(device, at->writer, last.writer.author.tile, code);
    if (stations.empty() || stations.back() != text) stations.push_back(text);
  }
  if (at == &last) return "";
  std::string way;
  const std::size_t shown = std::min(stations.size(), kMostStations);
  for (std::size_t i = 0; i < shown; ++i)
    way += fmt::format("{}{}",
                       i == 0           ? " by way of "
                       : i + 1 == shown ? " and "
                                        : ", ",
                       stations[stations.size() - shown + i]);
  const std::string from = origin(device, program, at->node, at->place);
  if (!at->known) return fmt::format(" It came{}, from {}, where nobody has written.", way, from);
  const bool whole = at->writer.kind == Actor::Kind::Host;
  return way.empty() && !whole ? "" : fmt::format(" It came{}, from {}.", way, from);
}

}  // namespace bhemu::watch
