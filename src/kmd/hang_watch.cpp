#include "kmd/hang_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/report/report.hpp"

namespace bhemu::kmd {
namespace {

constexpr unsigned kBeforeSuspicion = Ticker::kTicksPerSecond / 2;
// Memory that a client reads data from should not stay slow for it.
constexpr unsigned kBeforeLooking = Ticker::kTicksPerSecond;
constexpr unsigned kLongestBeforeLooking = 60 * Ticker::kTicksPerSecond;

}  // namespace

void HangWatch::was_read(const Device& device, const Behind& place, std::span<const u8> bytes,
                         bool still) {
  if (!place || place->node == kNoNode) return;
  if (bytes.size() == sizeof(u32)) {
    go_messages_.was_read(device, place->node, place->address, bytes);
    polls_.saw(place->node, place->address, bytes, [&] { return still; });
  }
  const noc::NodeKind kind = device.board().site_of(place->node)->kind;
  const bool memory =
      kind == noc::NodeKind::Dram || (kind == noc::NodeKind::Tensix && place->address < kL1Size);
  if (memory && !PollWatch::is_go(place->address, bytes))
    words_.saw(place->node, place->address, bytes, [&] { return still; });
}

void HangWatch::was_written(const Device& device, const Behind& place, std::span<const u8> bytes) {
  ++writes_;
  polls_.restart();
  words_.restart();
  quiet_ = 0;
  if (place) go_messages_.was_written(device, place->node, place->address, bytes);
}

HangWatch::Verdict HangWatch::tick(Device& device, const Look& look) {
  const bool still = !look.dead && look.still;
  const bool by_the_chip = still && !go_messages_.started_by_the_chip(device).empty();
  const bool runs = by_the_chip || (still && go_messages_.any_started_by_the_client(device));
  if (runs) {
    ++still_;
    moving_ = 0;
  } else if (++moving_ > Standstill::kMostMoving || look.dead) {
    still_ = 0;
  }
  suspects_ = still_ >= kBeforeSuspicion;
  look_on(still && !runs);
  const Standstill::Verdict verdict =
      standstill_.tick({look.dead, by_the_chip, look.calls, writes_});
  if (asks_a_dead_card(look)) return Verdict::Stops;
  if (verdict == Standstill::Verdict::End) return Verdict::Ends;
  if (look.dead) return Verdict::None;
  if (polls_.hangs() || verdict == Standstill::Verdict::Tell) return Verdict::Hangs;
  if (verdict == Standstill::Verdict::Say) return Verdict::Says;
  return words_.hangs() ? Verdict::Looks : Verdict::None;
}

/// A client that has just written, or whose kernels have just computed, will read results and is
/// not told of a hang. That a kernel was let go is seen by the client's write.
void HangWatch::look_on(bool still) {
  if (!still || !words_.wants_to_see()) {
    quiet_ = 0;
    looks_on_ = false;
    return;
  }
  before_looking_ = std::max(before_looking_, kBeforeLooking);
  if (looks_on_ && words_.has_read_data()) {
    quiet_ = 0;
    before_looking_ = std::min(2 * before_looking_, kLongestBeforeLooking);
  }
  looks_on_ = ++quiet_ > before_looking_;
}

/// More often than not since the card died, and that was long ago.
bool HangWatch::asks_a_dead_card(const Look& look) {
  const bool called = look.calls != std::exchange(calls_, look.calls);
  if (!look.dead) return false;
  ++dead_;
  if (called) ++asked_;
  return dead_ >= longest_ && asked_ > dead_ / 2;
}

std::vector<Coord> HangWatch::tiles(Device& device) const {
  if (!polls_.hangs()) return go_messages_.started_by_the_chip(device);
  std::vector<Coord> tiles;
  for (const NodeId node : polls_.asked()) tiles.push_back(device.coord_of(node));
  return tiles;
}

std::string HangWatch::sentence(Device& device) const {
  const std::string who = host::tiles_text(tiles(device), device.board().tensix().size());
  const auto seconds = polls_.patience().count();
  if (polls_.hangs())
    return fmt::format(
        "the client has asked {} times in {} s whether the program on {} is done, and nothing on "
        "the chip can change the answer (BHEMU_HANG sets the seconds; 0: wait for ever).\n",
        polls_.times(), seconds, who);
  return fmt::format(
      "the program on {} will never be done: for {} s nothing on the chip has been able to happen, "
      "and the client has written nothing (BHEMU_HANG sets the seconds; 0: wait for ever).\n",
      who, seconds);
}

}  // namespace bhemu::kmd
