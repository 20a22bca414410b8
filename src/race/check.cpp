// The check itself: an access against what is remembered of the place, and what to say of a pair
// that nothing orders.
#include <algorithm>
#include <tuple>

#include "race/detector.hpp"

namespace bhemu::race {
namespace {

u32 track_key(Epoch epoch) {
  return u32{epoch.tile} << 16 | epoch.component;
}
u64 epoch_key(Epoch epoch) {
  return u64{track_key(epoch)} << 32 | epoch.time;
}
u32 low(u32 a, u32 b) {
  return a < b ? a : b;
}

constexpr u32 kRegionKinds[kRegions] = {kind::StoreL1,    kind::StoreConfig, kind::StoreNiu,
                                        kind::StoreOther, kind::StoreOther,  kind::StoreOther,
                                        kind::Push,       kind::StoreOther,  kind::StoreOther};
constexpr u32 kPartKinds[kParts] = {kind::Gate,  kind::Expander, kind::Unpack, kind::Unpack,
                                    kind::Fpu,   kind::Sfpu,     kind::Pack,   kind::Thcon,
                                    kind::Mover, kind::Config};

}  // namespace

Detector::Detector(const Settings& settings) : settings_(settings) {
  for (const Location& where : settings.sync_words)
    for (u64 at = where.begin; at < where.end(); at += 4) mark_sync(at);
  if (settings.sites == nullptr)
    for (const Epoch epoch : settings.wanted) wanted_.insert(epoch_key(epoch));
  if (settings.without_locks || !settings.racy.empty()) {
    guard_ = std::make_unique<Guard>(settings.tile, settings.locks);
    for (const u64 key : settings.racy) guard_->make(key);
  }
  for (const auto& [address, all] : settings.changes) {
    mark_sync(address);
    words_.at(address / 4).expect(all);
  }
}

void Detector::feed(const Event& event) {
  std::visit([this](const auto& one) { on(one); }, event);
}

u32 Detector::kind_of(Epoch epoch) const {
  const Component component = epoch.component;
  if (is_core_component(component)) {
    const unsigned part = component % kCoreStride;
    return part == 0 ? kind::Load : kRegionKinds[part - 1];
  }
  if (is_thread_component(component))
    return kPartKinds[static_cast<unsigned>(part_of_component(component))];
  if (!is_noc_component(component)) return kind::Host;
  const Track* track = find_track(epoch);
  return track != nullptr ? track->kind : kind::NocWrite;
}

int Detector::core_behind(Epoch epoch) const {
  if (is_core_component(epoch.component))
    return static_cast<int>(core_of_component(epoch.component));
  if (is_noc_component(epoch.component) && epoch.tile == settings_.tile &&
      epoch.component < kFirstNoc + classes_.size())
    return classes_[epoch.component - kFirstNoc].core;
  return -1;
}

int Detector::thread_behind(Epoch epoch) const {
  if (is_thread_component(epoch.component))
    return static_cast<int>(thread_of_component(epoch.component));
  return core_behind(epoch) >= 2 ? core_behind(epoch) - 2 : -1;
}

u8 Detector::scope_of(Epoch a, Epoch b) const {
  if (a.tile != b.tile) return scope::Far;
  const bool same_core = core_behind(a) >= 0 && core_behind(a) == core_behind(b);
  const bool same_thread = thread_behind(a) >= 0 && thread_behind(a) == thread_behind(b);
  return same_core || same_thread ? scope::Own : scope::Tile;
}

Detector::Track& Detector::track_of(Epoch epoch) {
  if (epoch.tile != settings_.tile) return tracks_[track_key(epoch)];
  if (epoch.component >= own_tracks_.size()) own_tracks_.resize(epoch.component + 1u);
  Track*& track = own_tracks_[epoch.component];
  if (track == nullptr) track = &tracks_[track_key(epoch)];
  return *track;
}

const Detector::Track* Detector::find_track(Epoch epoch) const {
  if (settings_.sites != nullptr) return settings_.sites->find_track(epoch);
  if (epoch.tile == settings_.tile)
    return epoch.component < own_tracks_.size() ? own_tracks_[epoch.component] : nullptr;
  const auto found = tracks_.find(track_key(epoch));
  return found == tracks_.end() ? nullptr : &found->second;
}

void Detector::remember(Epoch epoch, const Kept& from, u32 kind) {
  if (settings_.sites != nullptr) return;
  Track& track = track_of(epoch);
  track.kind = kind;
  const unsigned newest = (track.next + kHistory - 1) % kHistory;
  if (newest >= track.last.size() || track.last[newest].time != epoch.time) {
    if (track.next >= track.last.size()) track.last.emplace_back();
    track.last[track.next] = {from.site, from.pushed_at, epoch.time};
    track.next = static_cast<u8>((track.next + 1) % kHistory);
  }
  if (!wanted_.empty() && wanted_.contains(epoch_key(epoch))) kept_.emplace(epoch_key(epoch), from);
}

Side Detector::side_of(Epoch epoch, Mode mode) const {
  Side side{{}, epoch, kind_of(epoch), mode, false};
  side.site.tile = epoch.tile;
  const auto& all_kept = sites().kept_;
  if (const auto kept = all_kept.find(epoch_key(epoch)); kept != all_kept.end()) {
    side.site = kept->second.site;
    side.pushed_at = kept->second.pushed_at;
    side.known = true;
    return side;
  }
  const Track* track = find_track(epoch);
  if (track == nullptr) return side;
  for (const Kept& one : track->last) {
    if (one.time != epoch.time) continue;
    side.site = one.site;
    side.pushed_at = one.pushed_at;
    side.known = true;
  }
  return side;
}

bool Detector::is_clear(Epoch epoch) const {
  const Side side = side_of(epoch, Mode::Write);
  const u8 opcode = tensix::opcode_of(side.site.pc);
  return side.known &&
         (opcode == tensix::op::ZEROACC::kOpcode || opcode == tensix::op::ZEROSRC::kOpcode);
}

/// Hardware holds the second until the first is far enough, whoever issued them, once the first has
/// been issued before the second: a block of Dst that the matrix unit writes (row 23). And what the
/// window checker judges by distance within a thread is not judged here (rows 24, 25).
bool Detector::interlocked(const Actor& actor, Epoch before, Place place, bool was_write) const {
  if (place == Place::Gpr) return was_written_long_ago(actor, before);
  const bool src = place == Place::SrcA || place == Place::SrcB;
  if ((place != Place::Dst && !src) || before.tile != settings_.tile || !was_write) return false;
  if (kind_of(before) != kind::Fpu) return false;
  const unsigned thread = thread_of_component(before.component);
  const Epoch issued{before.time, part_of(thread, Part::Gate), before.tile};
  // A clear takes one cycle, less than anybody needs to hear of its issue.
  if (actor.clock->knows(issued) && is_clear(before)) return true;
  if (src) return false;
  if (actor.kind == kind::Fpu || actor.kind == kind::Pack) return actor.clock->knows(issued);
  return actor.kind == kind::Sfpu && thread_behind(actor.self) == static_cast<int>(thread);
}

/// Custom (row 8): a store to a GPR that the thread's own core made long before it pushed the
/// instruction.
bool Detector::was_written_long_ago(const Actor& actor, Epoch before) const {
  const int thread = thread_behind(actor.self);
  if (thread < 0 || settings_.level == Level::Documented || before.tile != settings_.tile)
    return false;
  const unsigned core = static_cast<unsigned>(thread) + 2;
  return before.component == store_of(core, Region::Config) &&
         before.time <= threads_[static_cast<unsigned>(thread)].gprs_written;
}

/// Two packets on one channel whose effects hardware keeps in order (row 49): here, both touch the
/// same bytes.
bool Detector::on_channel(const Actor& actor, Epoch before) const {
  if (!is_noc_component(actor.self.component) || !is_noc_component(before.component)) return false;
  if (actor.self.tile != before.tile || before.time >= actor.self.time) return false;
  const Track* first = find_track(before);
  const Track* second = find_track(actor.self);
  if (first == nullptr || second == nullptr || first->channel == 0) return false;
  if (first->channel != second->channel) return false;
  const auto is_write = [](const Track& one) {
    return one.noc == NocKind::Write || one.noc == NocKind::Posted;
  };
  if (first->to_register && second->to_register) return true;
  if (first->noc == NocKind::Read) return first->linked;
  if (is_write(*first)) return is_write(*second) || second->noc == NocKind::Read;
  return first->noc == NocKind::Atomic && !is_write(*second) && second->noc != NocKind::Read;
}

bool Detector::in_order(const Actor& actor, Epoch before, bool was_write) const {
  if (actor.clock->knows(before)) return true;
  // What the host posts it does not write over before it is there.
  if (actor.kind == kind::Host && before.component == kHostPosted) return true;
  return before == actor.self || (was_write && on_channel(actor, before));
}

void Detector::note_read(const Actor& actor, Cell& cell) {
  if (!cell.read || cell.read == actor.self || actor.clock->knows(cell.read)) {
    if (cell.readers == 0) {
      cell.read = actor.self;
      return;
    }
  }
  if (cell.readers == 0) shadow_.inflate(cell);
  std::vector<Epoch>& readers = shadow_.readers_of(cell);
  std::erase_if(readers, [&](Epoch one) {
    return one == actor.self ||
           (one.component == actor.self.component && one.tile == actor.self.tile &&
            !is_noc_component(one.component)) ||
           actor.clock->knows(one);
  });
  readers.push_back(actor.self);
  cell.read = actor.self;
}

/// A write of what is there already does no harm to readers, whenever it comes. But it was made of
/// something: beside a write that changes the field it can undo that (row 39).
void Detector::check_same_writes(const Actor& actor, const Location& where) {
  for (u64 at = where.begin; at < where.end(); ++at) {
    if (actor.same) {
      if (settings_.sites == nullptr)
        same_writes_[at / kUnitsOfPage][at % kUnitsOfPage] = actor.self;
      continue;
    }
    const auto page = sites().same_writes_.find(at / kUnitsOfPage);
    if (page == sites().same_writes_.end()) continue;
    const Epoch before = page->second[at % kUnitsOfPage];
    if (before && !in_order(actor, before, true))
      report_pair(actor, before, Mode::Write, {where.place, 1, at});
  }
}

/// Whether of two plain writes of memory it is all one which comes last: both write the same.
bool Detector::leaves_the_same(const Actor& actor, const Cell& cell, const Location& piece) const {
  if (actor.mode != Mode::Write || cell.atomic || piece.place != settings_.memory_place ||
      settings_.memory == nullptr)
    return false;
  for (u64 word = piece.begin / 4; word < (piece.end() + 3) / 4; ++word) {
    const u8 bytes = bytes_of_word(word, piece.begin, piece.end());
    u32 before = 0;
    if (const auto known = words_.find(word); known != words_.end()) {
      const SyncWord& said = known->second;
      if (said.version() == 0 ||
          !said.known_at(said.version(), SyncWord::kAllBytes).knows(cell.write))
        return false;
      before = said.value_at(said.version());
    } else {
      const RecentWrite* const last = recent_write(word);
      if (last == nullptr || !last->clock.knows(cell.write)) return false;
      before = last->value;
    }
    const u32 after = word_after(word, bytes, actor.value_begin, actor.value);
    if (((before ^ after) & mask_of_bytes(bytes)) != 0) return false;
  }
  return true;
}

void Detector::access_cell(const Actor& actor, Cell& cell, const Location& piece) {
  if (piece.place == Place::Config && actor.mode != Mode::Read) {
    check_same_writes(actor, piece);
    if (actor.same) {
      if (cell.write && !in_order(actor, cell.write, true))
        report_pair(actor, cell.write, Mode::Write, piece);
      return;
    }
  }
  if (actor.kind == kind::Host && actor.same && cell.write && kind_of(cell.write) == kind::Host)
    return;
  const bool changes = actor.mode != Mode::Read;
  const bool both_atomic = actor.mode == Mode::Atomic && cell.atomic;
  // A poll of a word that agents signal by is how they synchronise, and no race.
  const bool poll = actor.sync && actor.mode == Mode::Read;
  if (cell.write && !both_atomic && !poll && !in_order(actor, cell.write, true) &&
      !interlocked(actor, cell.write, piece.place, true) && !leaves_the_same(actor, cell, piece))
    report_pair(actor, cell.write, cell.atomic ? Mode::Atomic : Mode::Write, piece);
  if (!changes) {
    if (!poll) note_read(actor, cell);
    return;
  }
  // Readers that the write knows of are done with. Others stay: had they come later, they would
  // have been met by the next write as well.
  if (cell.readers != 0) {
    std::vector<Epoch>& readers = shadow_.readers_of(cell);
    std::erase_if(readers, [&](Epoch reader) { return in_order(actor, reader, false); });
    for (const Epoch reader : readers) report_pair(actor, reader, Mode::Read, piece);
    if (readers.empty()) shadow_.forget_readers(cell);
  } else if (cell.read) {
    if (in_order(actor, cell.read, false))
      cell.read = {};
    else
      report_pair(actor, cell.read, Mode::Read, piece);
  }
  cell.write = actor.self;
  cell.atomic = actor.mode == Mode::Atomic;
}

void Detector::access(const Actor& actor, const Location& where) {
  if (where.size == 0) return;
  // Counters, mailboxes and control registers are what agents signal by.
  if (where.place == Place::Counter) return;
  // A poll is never one side of a finding, and there can be any number of them.
  const bool poll = actor.sync && actor.mode == Mode::Read;
  if (!poll) remember(actor.self, {actor.site, actor.pushed_at}, actor.kind);
  if (full_ || is_lock(where)) return;
  // A DRAM bank has no agents, and pairs of others' accesses are not reported there (report()).
  if (settings_.without_locks && settings_.memory_place == Place::Dram && !settings_.has_far_locks)
    return;
  if (where.place == Place::L1 && actor.mode != Mode::Read && !code_.empty())
    check_code(actor, where);
  if (guard_ != nullptr && guarded_access(actor, where)) return;
  shadow_.visit(where, [&](Cell& cell, u64 begin, u64 end) {
    access_cell(actor, cell, {where.place, static_cast<u32>(end - begin), begin});
  });
  if ((actor.self.time & 0xFFF) == 0) full_ = bytes() > settings_.most_bytes;
}

/// A unit's access to Dst depends on DBG_FEATURE_DISABLE until it is done. Its readers are not
/// recorded before it changes for the first time, so the last access of each unit is checked.
void Detector::check_units_at_work(const Actor& actor, const Location& where) {
  feature_written_ = true;
  for (unsigned index = 0; index < kThreads; ++index) {
    for (const Part part : kFeatureParts) {
      const u32 last = threads_[index].last_of_part[static_cast<unsigned>(part)];
      const Epoch epoch{last, part_of(index, part), settings_.tile};
      if (last != 0 && !actor.clock->knows(epoch)) report_pair(actor, epoch, Mode::Read, where);
    }
  }
}

void Detector::report_pair(const Actor& actor, Epoch before, Mode before_mode,
                           const Location& where) {
  report_sides(side_of(before, before_mode), actor, where);
}

void Detector::report_sides(const Side& first, const Actor& actor, const Location& where) {
  Finding finding;
  finding.kind = settings_.level == Level::Documented ? FindingKind::Contract : FindingKind::Race;
  finding.tile = settings_.tile;
  finding.where = where;
  finding.first = first;
  finding.second = {actor.site, actor.self, actor.kind, actor.mode, true, actor.pushed_at};
  finding.edge = edge_of(finding, actor);
  report(std::move(finding));
}

/// The rule that is missing. What a run has met first need not be what was meant to be first: a
/// packet or an instruction that is late is met behind its consumer.
EdgeId Detector::edge_of(Finding& finding, const Actor& actor) const {
  const Epoch before = finding.first.epoch;
  const u8 between = scope_of(before, actor.self);
  const Place place = finding.where.place;
  const bool both_write = finding.first.mode != Mode::Read && actor.mode != Mode::Read;
  if (place == Place::Config && both_write && between == scope::Tile) return EdgeId::SharedWord;
  // Written in one thread, used in another: neither a mutex nor a write under a mask would help.
  if (place == Place::Config && between == scope::Tile && actor.mode == Mode::Read &&
      is_thread_component(before.component) && is_thread_component(actor.self.component))
    return EdgeId::UnitAcrossThreads;
  // What the host writes is for those that come later, or for those that it knows to be done.
  if (actor.kind == kind::Host && actor.mode != Mode::Read && finding.first.kind != kind::Host) {
    finding.late = true;
    return EdgeId::HostGo;
  }
  // A start value that comes behind what it was to be the start of.
  if (place == Place::Semaphore) {
    finding.late = actor.mode == Mode::Write && finding.first.mode != Mode::Write;
    return EdgeId::SemaphoreInit;
  }
  // A move into a bank, before or behind the unpacker's clear; in one thread it is known which.
  if ((place_bit(place) & place::Src) != 0 && both_write) {
    if (between == scope::Own && finding.first.kind == kind::Fpu) return EdgeId::UnitToUnit;
    finding.late = finding.first.kind == kind::Fpu && actor.kind != kind::Fpu;
    return EdgeId::MoveIntoSrc;
  }
  const bool by_core = finding.first.kind == kind::Load ||
                       ((finding.first.kind & kind::Store) != 0 && between == scope::Own);
  const bool late_thread =
      by_core && is_thread_component(actor.self.component) && was_pushed_before(actor, before);
  const bool late_unpack = actor.kind == kind::Unpack && actor.mode == Mode::Write &&
                           place == Place::Dst && finding.first.mode == Mode::Read;
  if (is_late_packet(actor, before) || late_thread || late_unpack) {
    const Edge& edge = missing_edge(actor.kind, finding.first.kind, between, place);
    if (edge.number != static_cast<u8>(EdgeId::OtherAccess)) {
      finding.late = true;
      return static_cast<EdgeId>(edge.number);
    }
  }
  const auto edge =
      static_cast<EdgeId>(missing_edge(finding.first.kind, actor.kind, between, place).number);
  // Whoever has heard nothing of the storing core since waits for nothing that could tell; who has
  // heard of what the core did later, but not of the store, lacks the read-back before it.
  const int core = core_behind(before);
  if (edge == EdgeId::StoreOtherRegion && between != scope::Own && core >= 0 &&
      !has_heard_from(*actor.clock, static_cast<unsigned>(core), before.time))
    return EdgeId::OtherAccess;
  // Who has heard of what the core did later lacks the use of what it had loaded.
  if (edge == EdgeId::OtherAccess && finding.first.kind == kind::Load && core >= 0 &&
      has_heard_from(*actor.clock, static_cast<unsigned>(core), before.time))
    return EdgeId::LoadLater;
  // A distance in instructions is known for what the matrix unit has written only.
  if (edge == EdgeId::FpuToSfpLoad && finding.first.mode == Mode::Read) return EdgeId::UnitToUnit;
  // Of two packets on one channel the later has been waited for: by custom that orders the first.
  if (is_noc_component(before.component) && !is_noc_component(actor.self.component)) {
    const Track* later = later_on_channel(*actor.clock, before);
    const Track* first = find_track(before);
    if (later != nullptr && later->to_register && !first->to_register)
      return EdgeId::DataThenRegister;
    if (later != nullptr && settings_.level == Level::Documented) return EdgeId::SameChannel;
  }
  return edge;
}

/// A packet that arrives, or is read, after an access which should have come later: an access of
/// its sender, later in the program, or of an agent that was signalled by the sender after the
/// packet was sent.
bool Detector::is_late_packet(const Actor& actor, Epoch before) const {
  if (!is_noc_component(actor.self.component)) return false;
  if (actor.mode == Mode::Read && actor.kind != kind::NocSource) return false;
  if (is_noc_component(before.component) || before.tile != settings_.tile) return false;
  const bool own_tile = before.tile == actor.self.tile;
  if (!is_core(actor.site.agent)) return false;
  const unsigned sender = index_of(core_of(actor.site.agent));
  const u32 sent = actor.clock->at(actor.self.tile, store_of(sender, Region::Niu));
  if (is_core_component(before.component)) {
    const unsigned core = core_of_component(before.component);
    if (own_tile && core == sender) return before.time > sent;
    return cores_[core].known.at(actor.self.tile, program_of(sender)) >= sent;
  }
  if (!is_thread_component(before.component)) return false;
  const Thread& thread = threads_[thread_of_component(before.component)];
  return thread.known.at(actor.self.tile, program_of(sender)) >= sent;
}

/// Whether the clock has anything of a core that the core did after that.
bool Detector::has_heard_from(const Clock& clock, unsigned core, u32 after) const {
  for (unsigned part = 0; part < kCoreStride; ++part)
    if (clock.at(settings_.tile, static_cast<Component>(program_of(core) + part)) > after)
      return true;
  return false;
}

/// A later packet on the same channel whose arrival the owner of `clock` knows of.
const Detector::Track* Detector::later_on_channel(const Clock& clock, Epoch before) const {
  const Track* first = find_track(before);
  if (first == nullptr || first->channel == 0) return nullptr;
  const Track* found = nullptr;
  for (const auto& [key, track] : sites().tracks_) {
    const auto component = static_cast<Component>(key & 0xFFFF);
    if (key >> 16 != before.tile || !is_noc_component(component)) continue;
    if (track.channel != first->channel || clock.at(before.tile, component) <= before.time)
      continue;
    if (found == nullptr || track.to_register) found = &track;
  }
  return found;
}

/// Whether the thread's instruction had been pushed when its core made the load.
bool Detector::was_pushed_before(const Actor& actor, Epoch load) const {
  const unsigned core = core_of_component(load.component);
  return load.tile == settings_.tile &&
         actor.clock->at(load.tile, store_of(core, Region::Push)) < load.time;
}

void Detector::report(Finding finding) {
  // Of locks, a detector without their order is asked, between agents of its own tile (where locks
  // are taken from other tiles, of all); and of nothing else.
  const auto is_outside = [this](const Side& side) {
    return (side.epoch.tile != settings_.tile && !settings_.has_far_locks) ||
           side.kind == kind::Host;
  };
  if (settings_.without_locks && (finding.kind != FindingKind::Race || is_outside(finding.first) ||
                                  is_outside(finding.second)))
    return;
  // Every one is kept: they may look alike only because their places in the code are not known.
  constexpr std::size_t kMostMissing = 4096;
  for (const Side* side : {&finding.first, &finding.second})
    if (!side->known && side->epoch && missing_.size() < kMostMissing &&
        std::find(missing_.begin(), missing_.end(), side->epoch) == missing_.end())
      missing_.push_back(side->epoch);
  const u64 key = u64{low(place_in_code(finding.first), place_in_code(finding.second))} << 8 |
                  static_cast<u64>(finding.kind);
  const auto [begin, end] = index_of_.equal_range(key);
  for (auto at = begin; at != end; ++at) {
    Finding& known = findings_[at->second];
    if (!same_finding(known, finding)) continue;
    const u32 times = known.times + 1;
    // Of all that the two lines touch the first in order, whichever a run meets first.
    if (finding.where.begin < known.where.begin) known = std::move(finding);
    known.times = times;
    return;
  }
  index_of_.emplace(key, findings_.size());
  findings_.push_back(std::move(finding));
}

/// Nobody but a test tool lets one thread fill the unpackers with no-ops while another unpacks.
FindingKind Detector::judge_injected(const Finding& finding) const {
  if (finding.kind != FindingKind::Race && finding.kind != FindingKind::Contract)
    return finding.kind;
  for (const Side* side : {&finding.first, &finding.second}) {
    if (side->kind != kind::Unpack || !side->known) continue;
    if (tensix::opcode_of(side->site.pc) != tensix::op::UNPACR_NOP::kOpcode) continue;
    const unsigned unpacker = part_of_word(side->site.pc) == Part::Unpack1 ? 1 : 0;
    const int own = thread_behind(side->epoch);
    bool others = false;
    for (unsigned thread = 0; thread < kThreads; ++thread)
      others |= static_cast<int>(thread) != own && threads_[thread].unpacks[unpacker] != 0;
    if (others && threads_[static_cast<unsigned>(own)].unpacks[unpacker] == 0)
      return FindingKind::Injected;
  }
  return finding.kind;
}

std::vector<Finding> Detector::findings() const {
  std::vector<Finding> sorted = findings_;
  // A poll that was met before its word was known to be polled.
  std::erase_if(sorted, [&](const Finding& one) {
    const bool pair = one.kind == FindingKind::Race || one.kind == FindingKind::Contract;
    const auto polls = [](const Side& side) {
      return side.mode == Mode::Read &&
             (side.kind & (kind::Load | kind::NocReadSource | kind::Host)) != 0;
    };
    return pair && is_sync(one.where) && (polls(one.first) || polls(one.second));
  });
  for (Finding& one : sorted) one.kind = judge_injected(one);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.kind, a.first.site.pc, a.second.site.pc, a.where.place, a.where.begin) <
           std::tuple(b.kind, b.first.site.pc, b.second.site.pc, b.where.place, b.where.begin);
  });
  return sorted;
}

std::vector<Epoch> Detector::wanted() const {
  return missing_;
}

std::size_t Detector::bytes() const {
  std::size_t total = shadow_.bytes() + tracks_.size() * sizeof(Track) +
                      classes_.capacity() * sizeof(NocClass) + words_.size() * sizeof(SyncWord);
  total += code_lines_.size() + code_.size() * (sizeof(Fetched) + 4 * sizeof(void*));
  for (const Core& core : cores_) total += core.known.bytes();
  for (const Thread& thread : threads_)
    for (const Op& op : thread.ops) total += op.clock.bytes();
  return total;
}

}  // namespace bhemu::race
