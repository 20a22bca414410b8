#include "watch/way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tensix/isa.hpp"
#include "tile/tile.hpp"
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
  const std::string place = code.locate(core, pc, tile, actor.author.cycle).user();
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

const char* operation(const Actor& actor) {
  return actor.kind == Actor::Kind::Thread ? tensix::info_of_word(actor.author.pc).name : "";
}

/// " SFPSTORE acts only on the lanes that ... had left on": where a condition has not been ended.
std::string lanes_of(const Device& device, const Answer& answer, NodeId here,
                     const host::CodeMap& code) {
  const bool passed = answer.passed_over.has_value();
  const Written* latest = nullptr;
  for (const Written& mode : passed ? answer.passed_modes : answer.modes)
    if (mode.place.area == Area::ConditionCode &&
        (latest == nullptr || mode.writer.author.cycle > latest->writer.author.cycle))
      latest = &mode;
  const std::string_view own = operation(passed ? *answer.passed_over : answer.writer);
  if (latest == nullptr || (own != "SFPSTORE" && own != "SFPLOAD")) return "";
  const std::string_view by = operation(latest->writer);
  if (by.empty() || by == "SFPENCC" || by == "SFPPOPC") return "";
  const std::string which = passed ? fmt::format(" Later {} has passed over it: it",
                                                 station(device, *answer.passed_over, here, code))
                                   : fmt::format(" That {}", own);
  return fmt::format(
      "{} acts on those lanes only that {} has left on; no SFPENCC or SFPPOPC has come since.",
      which, station(device, latest->writer, here, code));
}

/// " That UNPACR had Haloize_mode 1, set by ...": of fields that still are as they were then.
std::string fields_of(const WritersOfDevice& writers, const Answer& answer, NodeId here,
                      const host::CodeMap& code) {
  const tile::Tile* const tile = writers.device().tile_of(answer.node);
  Writers* const of = writers.of(answer.node);
  if (tile == nullptr || of == nullptr || !tile->shape().is_tensix()) return "";
  std::string text;
  each_mode([&](const Mode& mode) {
    const auto seen =
        std::find_if(answer.modes.begin(), answer.modes.end(),
                     [&](const Written& one) { return one.place.overlaps(mode.place); });
    if (seen == answer.modes.end()) return;
    const std::vector<Written> now = of->last(mode.place);
    const bool same = !now.empty() && now.front().writer.author.cycle == seen->writer.author.cycle;
    const u32 value =
        bits(tile->coprocessor().state().cfg.bank[mode.bank][mode.word], mode.low, mode.width);
    if (!same || value == 0 || text.find(mode.name) != std::string::npos) return;
    text += fmt::format(" That {} had {} {}, set by {} in cycle {}.", operation(answer.writer),
                        mode.name, value, station(writers.device(), seen->writer, here, code),
                        seen->writer.author.cycle);
  });
  return text;
}

}  // namespace

std::string way_of(const WritersOfDevice& writers, const host::PreparedProgram& program,
                   const Answer& last, const host::CodeMap& code) {
  const Device& device = writers.device();
  const NodeId here = last.writer.author.tile;
  std::vector<std::string> stations;
  std::string lanes;
  std::string fields;
  const Answer* at = &last;
  for (const Answer* next = data_behind(*at); next != nullptr; next = data_behind(*at)) {
    at = next;
    if (!at->known || at->writer.kind == Actor::Kind::Host || at->writer.kind == Actor::Kind::Mover)
      break;
    const std::string text = station(device, at->writer, here, code);
    if (stations.empty() || stations.back() != text) stations.push_back(text);
    if (at->writer.kind != Actor::Kind::Thread) continue;
    if (lanes.empty()) lanes = lanes_of(device, *at, here, code);
    if (fields.empty()) fields = fields_of(writers, *at, here, code);
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
  const std::string modes = lanes + fields;
  if (!at->known)
    return fmt::format(" It came{}, from {}, where nobody has written.{}", way, from, modes);
  const bool whole = at->writer.kind == Actor::Kind::Host;
  return way.empty() && !whole ? "" : fmt::format(" It came{}, from {}.{}", way, from, modes);
}

}  // namespace bhemu::watch
