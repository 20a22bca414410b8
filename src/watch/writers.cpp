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
    case Area::Dst:
      return 3;  // every other datum of a row
    case Area::SrcA:
    case Area::SrcB:
      return 4;  // datums of a row
    case Area::LReg:
      return 5;  // lanes
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

/// An instruction of the vector unit that computes each lane from the same lane of its operands.
bool by_lane(u32 word) {
  using namespace tensix;
  switch (opcode_of(word)) {
    case op::SFPTRANSP::kOpcode:
    case op::SFPSHFT2::kOpcode:
    case op::SFPCONFIG::kOpcode:
    case op::SFPLOADMACRO::kOpcode:
      return false;
    default:
      return info_of_word(word).unit == Unit::Sfpu;
  }
}

std::optional<Area> area_of(tensix::Space space) {
  const std::optional<Place> place = place_of(tensix::Touch{space, tensix::Access::Read, 0});
  return place ? std::optional(place->area) : std::nullopt;
}

u64 cell_of(Area area, u64 unit) {
  return area == Area::Dst ? dst_cell_of(unit) : unit;
}
u64 unit_of(Area area, u64 cell) {
  return area == Area::Dst ? unit_of_dst(cell) : cell;
}

/// Units of an area, one after the other or not.
class Units {
 public:
  explicit Units(Area area) : area_(area) {}
  void add_cells(u64 first, u64 count) {
    for (u64 i = 0; i < count; ++i) units_.push_back(unit_of(area_, first + i));
  }
  bool empty() const { return units_.empty(); }
  /// The first of them, and those that follow it without a gap.
  Place first() const {
    std::size_t count = 1;
    while (count < units_.size() && units_[count] == units_[0] + count) ++count;
    return {area_, units_[0], units_[0] + count};
  }
  /// What of the sources lies in them, in the order of the sources. False: nothing.
  bool pick(const std::vector<Written>& sources, std::vector<Written>& found) {
    const std::size_t before = found.size();
    std::sort(units_.begin(), units_.end());
    units_.erase(std::unique(units_.begin(), units_.end()), units_.end());
    for (const Written& source : sources) {
      if (source.place.area != area_) continue;
      auto at = std::lower_bound(units_.begin(), units_.end(), source.place.begin);
      while (at != units_.end() && *at < source.place.end) {
        Written part = source;
        part.place.begin = *at;
        part.place.end = *at + 1;
        for (++at; at != units_.end() && *at == part.place.end && *at < source.place.end; ++at)
          ++part.place.end;
        found.push_back(std::move(part));
      }
    }
    return found.size() != before;
  }

 private:
  Area area_;
  std::vector<u64> units_;
};

/// Calls visit(from) for what each cell of the place comes from.
template <class Visit>
void each_origin(const tensix::Flow& flow, const Place& place, Visit visit) {
  for (u64 unit = place.begin; unit < place.end; ++unit) {
    const u64 cell = cell_of(place.area, unit);
    if (cell < flow.to_begin || (cell - flow.to_begin) % flow.stride != 0) continue;
    const u64 i = (cell - flow.to_begin) / flow.stride;
    if (i < flow.count) visit(flow.from_begin + i / flow.group * flow.step);
  }
}

bool is_pacr(u32 word) {
  return tensix::opcode_of(word) == tensix::op::PACR::kOpcode;
}
bool ends_tile(u32 pacr) {
  return tensix::op::PACR{pacr}.last() != 0 || tensix::op::PACR{pacr}.flush() != 0;
}

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

bool Writers::add_origins(const Record& record, const Place& place,
                          std::vector<Written>& found) const {
  std::vector<std::pair<const tensix::Flow*, Units>> origins;
  bool says = false;
  for (const tensix::Flow& flow : record.flows) {
    if (area_of(flow.to) != place.area) continue;
    says = true;
    Units units(*area_of(flow.from));
    each_origin(flow, place, [&](u64 from) { units.add_cells(from, flow.size); });
    if (!units.empty()) origins.emplace_back(&flow, std::move(units));
  }
  std::vector<Written> nobodys;
  for (auto& [flow, units] : origins)
    if (!units.pick(record.sources, found)) nobodys.push_back({units.first(), {}, false});
  found.insert(found.end(), nobodys.begin(), nobodys.end());
  return says && (!origins.empty() || !is_pacr(record.word));
}

std::vector<Written> Writers::sources_of(u64 number, const Place& place) const {
  const Record* const writer = record(number);
  if (writer == nullptr) return {};
  std::vector<Written> found;
  if (add_origins(*writer, place, found)) return found;
  if (place.area == Area::Memory && is_pacr(writer->word)) {
    // Of a tile that is compressed nothing is known. What pads the last block comes from nothing.
    bool knows = !writer->flows.empty();
    for (u64 before = number; before-- > first_record_;) {
      const Record& one = records_[before - first_record_];
      if (!is_pacr(one.word)) continue;
      if (ends_tile(one.word)) break;
      knows |= !one.flows.empty();
      if (add_origins(one, place, found)) return found;
    }
    return knows ? found : writer->sources;
  }
  if (place.area != Area::LReg || !by_lane(writer->word)) return writer->sources;
  Units lanes(Area::LReg);
  for (u64 own = place.begin; own < place.end; ++own)
    for (u64 lreg = 0; lreg < tensix::kLRegs; ++lreg)
      lanes.add_cells(lreg * kLaneUnits + own % kLaneUnits, 1);
  lanes.pick(writer->sources, found);
  for (const Written& source : writer->sources)
    if (source.place.area != Area::LReg) found.push_back(source);
  return found;
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
  const std::span<const tensix::Flow> flows = one.touches->flows.all();
  record.flows.assign(flows.begin(), flows.end());
  record.word = one.operation.author.pc;
  const std::size_t most = flows.empty() && !by_lane(record.word) ? kSources : kParted;
  for (const tensix::Touch& touch : *one.touches) {
    if (!tensix::reads(touch.access)) continue;
    each_place(touch, [&](const Place& place) {
      if (is_data(place.area)) find(place, most, record.sources);
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
