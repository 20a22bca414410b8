#include "watch/writers.hpp"

#include <algorithm>

#include "tile/tile.hpp"

namespace bhemu::watch {
namespace {

bool is_object(Area area) {
  return area >= Area::Semaphore;
}

/// What an instruction reads from here is where its results come from; the rest says how it works.
bool is_data(Area area) {
  switch (area) {
    case Area::Memory:
    case Area::Dst:
    case Area::SrcA:
    case Area::SrcB:
    case Area::LReg:
    case Area::Gpr:
      return true;
    default:
      return false;
  }
}

/// Units that are mostly written together.
u32 group_shift_of(Area area) {
  switch (area) {
    case Area::Memory:
    case Area::Ldm:
    case Area::Register:
      return 2;  // bytes of a word
    case Area::Gpr:
    case Area::Config:
    case Area::ThreadConfig:
      return 5;  // bits of a word
    default:
      return 0;
  }
}

// Words of both banks that hold a mode.
constexpr auto kModeWords = [] {
  std::array<bool, 2 * tensix::kConfigWords> words{};
  each_mode([&](const Mode& mode) { words[mode.bank * tensix::kConfigWords + mode.word] = true; });
  return words;
}();

bool has_modes(const Place& config) {
  constexpr u32 kBits = 32;
  for (u64 word = config.begin / kBits; word * kBits < config.end; ++word)
    if (word < kModeWords.size() && kModeWords[word]) return true;
  return false;
}

}  // namespace

/// What cores load is nobody's source: their registers are not followed.
Writers::Writers(NodeId node, u32 l1_bytes) : Accesses(node, l1_bytes, false) {
  maps_.reserve(kAreas);
  for (unsigned area = 0; area < kAreas; ++area)
    maps_.emplace_back(group_shift_of(static_cast<Area>(area)));
}

void Writers::find(const Place& place, std::size_t most, std::vector<Written>& found) const {
  maps_[static_cast<unsigned>(place.area)].each(
      place.begin, place.end, [&](u64 begin, u64 end, const Actor& writer) {
        if (found.size() < most) found.push_back({{place.area, begin, end}, writer});
      });
}

std::vector<Written> Writers::last(const Place& place) {
  flush_writes();
  std::vector<Written> found;
  find(place, ~std::size_t{0}, found);
  return found;
}

std::vector<Change> Writers::changes(const Place& object) const {
  const auto found = changes_.find({object.area, object.begin});
  if (found == changes_.end()) return {};
  return {found->second.rbegin(), found->second.rend()};
}

const Record* Writers::record(u64 number) const {
  if (number < first_record_ || number >= first_record_ + records_.size()) return nullptr;
  return &records_[number - first_record_];
}

const Sent* Writers::sent(u32 request) const {
  const auto found = sent_.find(request);
  return found == sent_.end() ? nullptr : &found->second;
}

const std::vector<Written>* Writers::served(const trace::RequestId& id) const {
  const auto found = served_.find({id.tile, id.number});
  return found == served_.end() ? nullptr : &found->second;
}

void Writers::accessed(const Access& access, const Actor& actor) {
  const Place& place = access.place;
  if (is_object(place.area)) {
    std::deque<Change>& known = changes_[{place.area, place.begin}];
    known.push_back({actor, !access.writes, access.before, access.after});
    if (known.size() > kChanges) known.pop_front();
    return;
  }
  if (access.writes) maps_[static_cast<unsigned>(place.area)].assign(place.begin, place.end, actor);
}

/// Of what an instruction reads beside its data: the modes that are on, and the condition that
/// keeps lanes from being on.
void Writers::note_modes(const trace::Issue& one, const Place& place,
                         std::vector<Written>& found) const {
  const auto add = [&](const Place& part) {
    std::vector<Written> last;
    find(part, 1, last);
    found.insert(found.end(), last.begin(), last.end());
  };
  if (one.state == nullptr) return;
  const tensix::SfpuCondition& lanes = one.state->sfpu.condition;
  constexpr Place kFlags{Area::ConditionCode, tensix::footprint_cell::LaneFlags,
                         tensix::footprint_cell::LaneFlags + 1};
  if (place.overlaps(kFlags) && (lanes.use_lane_flags & ~lanes.lane_flags) != 0) add(kFlags);
  if (place.area != Area::Config || !has_modes(place)) return;
  each_mode([&](const Mode& mode) {
    const Place part{Area::Config, std::max(place.begin, mode.place.begin),
                     std::min(place.end, mode.place.end)};
    const u32 value = bits(one.state->cfg.bank[mode.bank][mode.word], mode.low, mode.width);
    if (part.begin < part.end && value != 0) add(part);
  });
}

void Writers::issuing(const trace::Issue& one, Actor& actor) {
  if (one.touches == nullptr || one.discarded) return;
  bool writes_data = false;
  for (const tensix::Touch& touch : *one.touches) {
    const std::optional<Place> place = place_of(touch);
    writes_data |= place && is_data(place->area) && tensix::writes(touch.access);
  }
  if (!writes_data) return;
  Record record;
  for (const tensix::Touch& touch : *one.touches) {
    if (!tensix::reads(touch.access)) continue;
    each_place(touch, [&](const Place& place) {
      if (is_data(place.area)) find(place, kSources, record.sources);
      note_modes(one, place, record.modes);
    });
  }
  records_.push_back(std::move(record));
  actor.record = first_record_ + records_.size() - 1;
  if (records_.size() <= kRecords) return;
  records_.pop_front();
  ++first_record_;
}

void Writers::requested(const trace::Request& one) {
  Sent sent{one, one.targets.empty() ? kNoNode : one.targets.front(), {}};
  sent.request.targets = {};
  if (one.kind == trace::RequestKind::Write && !one.inline_data)
    find({Area::Memory, one.local, one.local + one.length}, kParts, sent.source);
  sent_[one.id.number] = std::move(sent);
  sent_order_.push_back(one.id.number);
  if (sent_order_.size() <= kRequests) return;
  sent_.erase(sent_order_.front());
  sent_order_.pop_front();
}

void Writers::arrived(const trace::Arrival& one) {
  if (one.phase == trace::Arrival::Phase::Read && one.id.number != 0) {
    const std::pair<NodeId, u32> id{one.id.tile, one.id.number};
    std::vector<Written> found;
    find({Area::Memory, one.address, one.address + one.length}, kParts, found);
    served_[id] = std::move(found);
    served_order_.push_back(id);
    if (served_order_.size() > kRequests) {
      served_.erase(served_order_.front());
      served_order_.pop_front();
    }
  }
  Accesses::arrived(one);
}

void Writers::forget() {
  Accesses::forget();
  for (RangeMap<Actor>& map : maps_) map.clear();
  changes_.clear();
  sent_.clear();
  sent_order_.clear();
  served_.clear();
  served_order_.clear();
}

WritersOfDevice::WritersOfDevice(Device& device) : device_(device) {
  id_ = device.observe([&](NodeId node) -> std::unique_ptr<trace::Observer> {
    tile::Tile* tile = device.tile_of(node);
    writers_.resize(std::max<std::size_t>(writers_.size(), node + 1u));
    if (tile == nullptr && device.node(node).kind() != noc::NodeKind::Dram) return nullptr;
    auto writers = std::make_unique<Writers>(node, tile == nullptr ? 0 : tile->l1().size());
    writers_[node] = writers.get();
    return writers;
  });
}

WritersOfDevice::~WritersOfDevice() {
  device_.stop_observing(id_);
}

}  // namespace bhemu::watch
