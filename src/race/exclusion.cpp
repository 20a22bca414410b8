// A detector that does not take the order of critical sections for order (guard.hpp).
#include <algorithm>

#include "race/detector.hpp"

namespace bhemu::race {
namespace {

using AllHeld = std::vector<Guard::Held>;

bool is_change(Mode mode) {
  return mode != Mode::Read;
}

Location overlap_of(Place place, u64 line, const Guard::Past& a, const Guard::Past& b) {
  const u64 begin = std::max(a.begin, b.begin);
  const u64 end = std::min(a.end, b.end);
  return {place, static_cast<u32>(end - begin), line * Guard::kUnits + begin};
}

/// Two that can be made in either order without harm, whoever makes them.
bool harmless(Place place, const Guard::Past& a, const Guard::Past& b) {
  if (a.begin >= b.end || b.begin >= a.end) return true;
  if (!is_change(a.side.mode) && !is_change(b.side.mode)) return true;
  if (a.side.mode == Mode::Atomic && b.side.mode == Mode::Atomic) return true;
  if (place == Place::Config) {
    if (a.same && (b.same || !is_change(b.side.mode))) return true;
    return b.same && !is_change(a.side.mode);
  }
  return a.side.mode == Mode::Write && b.side.mode == Mode::Write && a.has_value && b.has_value &&
         a.begin == b.begin && a.end == b.end && a.value == b.value;
}

}  // namespace

bool Detector::is_lock(const Location& where) const {
  return settings_.without_locks && where.place == Place::L1 &&
         settings_.memory_place == Place::L1 && !guard_->locks_of(where.begin / 4 * 4).empty();
}

bool Detector::holds_any(u64 address, Taker by) const {
  const auto locks = guard_->locks_of(address);
  return std::any_of(locks.begin(), locks.end(), [&](const LockWord& one) {
    return guard_->is_held(lock_id(settings_.tile, address, one.mask), by);
  });
}

/// An atomic has changed words that are locks: it takes a lock if the word was free before, and
/// releases it if the word is free afterwards. An atomic that found it held has not taken it.
void Detector::use_locks(u64 address, Taker by, Epoch self, const Clock& clock, u32 before,
                         u32 after) {
  for (const LockWord& one : guard_->locks_of(address)) {
    if (((before ^ after) & one.mask) == 0) continue;
    const LockId lock = lock_id(settings_.tile, address, one.mask);
    if (guard_->is_held(lock, by))
      leave_section(lock, clock);
    else if ((before & one.mask) == one.free)
      guard_->take(lock, by, self);
  }
}

/// A store to a word lets all its locks go that the storing agent holds.
void Detector::leave_locks(u64 address, Taker by, const Clock& clock) {
  for (const LockWord& one : guard_->locks_of(address))
    if (const LockId lock = lock_id(settings_.tile, address, one.mask); guard_->is_held(lock, by))
      leave_section(lock, clock);
}

void Detector::take_far(unsigned core, LockId lock) {
  if (!settings_.without_locks || guard_->is_held(lock, core)) return;
  guard_->take(lock, core,
               {loads_done(cores_[core], Region::L1), program_of(core), settings_.tile});
}

/// Whoever holds a lock of another tile lets it go by whatever changes its word.
void Detector::let_go_far(const event::Request& one, unsigned core, const Clock& clock) {
  if (!settings_.without_locks || one.remote.size == 0) return;
  for (const Guard::Held& held : guard_->held(clock)) {
    const u64 address = (held.lock & ((u64{1} << 38) - 1)) * 4;
    const bool is_word = (held.lock >> 62) == 0 && (held.lock >> 44 & 0xFFFF) == one.target;
    if (is_word && guard_->is_held(held.lock, core) && address >= one.remote.begin &&
        address < one.remote.end())
      leave_section(held.lock, clock);
  }
}

void Detector::note_turn(unsigned core, u64 address, u64 drawn_from) {
  const u64 word = address / 4 * 4;
  book_.waited(word, core, drawn_from);
  if (!settings_.without_locks || guard_->locks_of(word).empty()) return;
  const LockId lock = lock_id(settings_.tile, word, ~u32{0});
  if (guard_->is_held(lock, core)) return;
  guard_->take(lock, core,
               {loads_done(cores_[core], Region::L1), program_of(core), settings_.tile});
}

/// By those that act in this tile, and by the senders of packets.
std::vector<Guard::Held> Detector::held_by(const Actor& actor) const {
  std::vector<Guard::Held> all = guard_->held(*actor.clock);
  if (actor.held == nullptr) return all;
  for (const Guard::Held& one : *actor.held) {
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const Guard::Held& other) {
      return other.section == one.section;
    });
    if (!is_known && one.end->may_cover(actor.self)) all.push_back(one);
  }
  return all;
}

/// Looks at a line under locks, or at one that others have been at under locks.
void Detector::check_guarded(const Actor& actor, const AllHeld& held, const Location& piece) {
  const u64 line = piece.begin / Guard::kUnits;
  const u64 key = Guard::key_of(piece.place, line);
  if (guard_->find(key) == nullptr) remember_line(piece.place, line);
  Guard::Past past;
  past.begin = static_cast<u8>(piece.begin % Guard::kUnits);
  past.end = static_cast<u8>(past.begin + piece.size);
  past.same = actor.same;
  past.has_value = actor.value != nullptr && piece.begin == actor.value_begin;
  past.value = past.has_value ? *actor.value : 0;
  past.side = {actor.site, actor.self, actor.kind, actor.mode, true, actor.pushed_at};
  past.clock = *actor.clock;
  past.held = held;
  past.is_far = actor.held != nullptr && !held.empty();
  if (const Guard::Past* const before = guard_->same_place(key, past);
      before != nullptr && before->is_far)
    check_again(*guard_->find(key), *before, piece.place, line);
  for (const Guard::Past& one : *guard_->find(key)) {
    const Epoch before = one.side.epoch;
    const bool was_write = is_change(one.side.mode);
    if (harmless(piece.place, one, past) || in_order(actor, before, was_write) ||
        interlocked(actor, before, piece.place, was_write) || Guard::share(one, held))
      continue;
    const Location where = overlap_of(piece.place, line, one, past);
    Cell written;
    written.write = before;
    if (one.side.mode == Mode::Write && leaves_the_same(actor, written, where)) continue;
    report_sides(one.side, actor, where);
  }
  guard_->add(key, std::move(past));
}

/// What was done to a line before anybody was there under a lock.
void Detector::remember_line(Place place, u64 line) {
  Guard::Line& pasts = guard_->make(Guard::key_of(place, line));
  const u64 base = line * Guard::kUnits;
  shadow_.look({place, Guard::kUnits, base}, [&](const Cell& cell, u64 begin, u64 end) {
    const auto add = [&](Epoch epoch, Mode mode) {
      if (!epoch) return;
      Guard::Past past;
      past.begin = static_cast<u8>(begin - base);
      past.end = static_cast<u8>(end - base);
      past.side = side_of(epoch, mode);
      pasts.push_back(std::move(past));
    };
    add(cell.write, cell.atomic ? Mode::Atomic : Mode::Write);
    if (cell.readers == 0) return add(cell.read, Mode::Read);
    for (const Epoch reader : shadow_.readers_of(cell)) add(reader, Mode::Read);
  });
}

/// False: no lock has to do with it.
bool Detector::guarded_access(const Actor& actor, const Location& where) {
  const AllHeld held = held_by(actor);
  const auto line_end = [](u64 at) { return (at / Guard::kUnits + 1) * Guard::kUnits; };
  const auto is_guarded = [&](u64 at) {
    return guard_->find(Guard::key_of(where.place, at / Guard::kUnits)) != nullptr;
  };
  bool any = !held.empty();
  for (u64 at = where.begin; at < where.end() && !any; at = line_end(at)) any = is_guarded(at);
  if (!any) return false;
  if (actor.sync && actor.mode == Mode::Read) return true;  // a poll
  if (actor.kind == kind::Host && actor.same) return true;
  for (u64 at = where.begin; at < where.end(); at = line_end(at)) {
    const u64 end = std::min(where.end(), line_end(at));
    const Location piece{where.place, static_cast<u32>(end - at), at};
    if (!held.empty() || is_guarded(at)) {
      check_guarded(actor, held, piece);
    } else {
      shadow_.visit(piece, [&](Cell& cell, u64 begin, u64 stop) {
        access_cell(actor, cell, {where.place, static_cast<u32>(stop - begin), begin});
      });
    }
  }
  return true;
}

/// What was taken to be done under a lock against what else was done to its line.
void Detector::check_again(Guard::Line& line, const Guard::Past& one, Place place, u64 number) {
  Actor actor{one.side.epoch, &one.clock, one.side.site, one.side.mode, one.side.kind};
  actor.pushed_at = one.side.pushed_at;
  for (const Guard::Past& other : line) {
    const Epoch before = other.side.epoch;
    const bool was_write = is_change(other.side.mode);
    if (&other == &one || harmless(place, other, one) || in_order(actor, before, was_write) ||
        other.clock.knows(one.side.epoch) || interlocked(actor, before, place, was_write) ||
        Guard::share(other, one))
      continue;
    report_sides(other.side, actor, overlap_of(place, number, other, one));
  }
}

/// What was not done when the lock was let go was not made under it.
void Detector::leave_section(LockId lock, const Clock& clock) {
  const Guard::Section ended = guard_->let_go(lock, clock);
  for (const u64 key : ended.lines) {
    Guard::Line& line = *guard_->find(key);
    for (Guard::Past& one : line) {
      if (clock.knows(one.side.epoch)) continue;
      const auto in_it = [&](const Guard::Held& held) {
        return held.section == ended.held.section;
      };
      if (std::erase_if(one.held, in_it) != 0)
        check_again(line, one, Guard::place_of(key), Guard::line_of(key));
    }
  }
}

/// What packets have done for holders of locks in other tiles.
void Detector::finish() {
  if (!settings_.without_locks || !settings_.has_far_locks) return;
  guard_->each_line([&](u64 key, Guard::Line& line) {
    for (const Guard::Past& one : line)
      if (one.is_far) check_again(line, one, Guard::place_of(key), Guard::line_of(key));
  });
}

/// A store of at most four bytes under a lock may be a flag that is read under the same lock. Its
/// reader then also knows what the earlier writers of the word under that lock knew.
void Detector::note_guarded(const Location& where, const Clock& clock, const u32* value) {
  if (where.place != settings_.memory_place || where.size > 4 || guard_->held(clock).empty())
    return;
  const u64 word = where.begin / 4;
  const u32 after =
      word_after(word, bytes_of_word(word, where.begin, where.end()), where.begin, value);
  // The first access to the word: its value before is not known.
  guard_->words()
      .try_emplace(word, Guard::Word{SyncWord(), 1})
      .first->second.said.change(after, clock);
}

u32 Detector::guarded_version(unsigned core, u64 address) {
  if (guard_ == nullptr || guard_->held(cores_[core].known).empty()) return 0;
  const u32 value = value_of_word(address / 4);
  return guard_->words()
             .try_emplace(address / 4, Guard::Word{SyncWord(value), 0})
             .first->second.said.version() +
         1;
}

const Guard::Word* Detector::guarded_word(u64 address) const {
  if (guard_ == nullptr) return nullptr;
  const auto found = guard_->words().find(address / 4);
  return found == guard_->words().end() ? nullptr : &found->second;
}

}  // namespace bhemu::race
