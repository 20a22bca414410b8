// What cores prove by waiting (follow.hpp).
#include <algorithm>

#include "base/bits.hpp"
#include "hazard/observer.hpp"
#include "tile/regions.hpp"

namespace bhemu::hazard {
namespace {

using race::Object;
using race::Place;

constexpr u32 kMostAhead = 1024;  // posts that are gone through
constexpr unsigned kSemaphoreValues = 16;
constexpr u32 kFirstOfIds = 16;  // counters of NIU that count down, one for each id

bool is_signed_load(u32 word) {
  return bits(word, 12, 3) < 2;
}

/// A counter may be narrower than its register: what it shows of a count.
std::optional<u32> mask_for(u32 shown, u32 count) {
  for (const u32 mask : {~0u, 0x1FFFFu, 0xFFFFu})
    if ((count & mask) == shown) return mask;
  return std::nullopt;
}

/// Which ways from a branch on what a look has found lead back to the look.
unsigned ways_back(Copy& copy, const trace::Instruction& one, const Look& look,
                   Copy::Between between) {
  const u32 next = one.state->pc;
  const u32 target = branch_target(one.author.pc, one.word);
  const u32 other = next == target ? one.author.pc + 4 : target;
  return static_cast<unsigned>(copy.comes_back(*one.state, next, look.pc, look.address, between)) +
         static_cast<unsigned>(copy.comes_back(*one.state, other, look.pc, look.address, between));
}

/// Whether a loop waits for what the look has found. Of one that stores something in each round it
/// is only known when the branch decides whether there is another round: a loop that works on data
/// looks at it again whatever it finds.
bool closes_a_poll(Copy& copy, const trace::Instruction& one, const Look& look) {
  return ways_back(copy, one, look, Copy::Between::Nothing) != 0 ||
         ways_back(copy, one, look, Copy::Between::Stores) == 1;
}

}  // namespace

/// What has come from another tile: what a read has brought, or what an atomic has found.
void TileObserver::look_elsewhere(Look& look, const RemoteWord& word) {
  look.kind = word.by_atomic ? Look::Kind::Atomic : Look::Kind::Remote;
  look.latest = 1;
  look.worth = std::make_unique<Look::Worth>();
  look.worth->remote = word;
  for (unsigned level = 0; word.by_atomic && level < detectors_.count(); ++level)
    if (const race::Ticket& ticket = word.tickets[level]; ticket != nullptr)
      look.worth->knowledge[level] = ticket->reply->known;
}

/// Remembers what a load has found, if it is something that others change.
void TileObserver::look_at(CoreView& core, const trace::Instruction& one,
                           const trace::CoreAccess& access, const CorePlace& place) {
  if ((one.writes >> 32) != 0 || access.size > 4 || (one.word & 0x7F) != 0x03) return;
  const unsigned reg = bits(one.word, 7, 5);
  Look look;
  look.size = access.size;
  look.shift = static_cast<u8>(access.address % 4 * 8);
  look.is_signed = is_signed_load(one.word);
  look.value = access.loaded << look.shift;
  look.pc = one.author.pc;
  look.address = access.address;
  if (access.region == tile::Region::L1) {
    look.kind = Look::Kind::Word;
    const race::SyncWord* word = detectors_.first().sync_word(access.address);
    const auto remote = word == nullptr ? remote_.find(access.address / 4) : remote_.end();
    if (remote != remote_.end()) {
      look_elsewhere(look, remote->second);
      return core.follower.loaded(reg, std::move(look));
    }
    look.guarded = detectors_.without_locks().guarded_version(one.core, access.address);
    if (word == nullptr && look.guarded == 0 && core.plain_loads.contains(one.author.pc))
      return core.forget(reg);
    const auto seen = core.versions.find(access.address / 4);
    look.certain = std::max(seen != core.versions.end() ? seen->second.version : 0,
                            certain_version(one.core, access.address));
    look.latest = word != nullptr ? word->version() : ~0u;
  } else if (access.region == tile::Region::Overlay) {
    look.kind = Look::Kind::Pages;
    look.index = stream_register(access.address);
    const u16 index = static_cast<u16>(look.index);
    look.certain = core.pages[look.index];
    look.latest = detectors_.first().posts_of(Object::Pages, index);
  } else if (place.region == race::Region::PcBuf) {
    look.kind = Look::Kind::Semaphore;
    look.worth = std::make_unique<Look::Worth>();
    look.index = static_cast<u32>(place.where.begin & 7);
    const u16 index = static_cast<u16>(look.index);
    look.certain = detectors_.first().posts_of(Object::Semaphore, index);
    look.latest = detectors_.first().posts_of(Object::Semaphore, index, true);
    for (unsigned level = 0; level < detectors_.count(); ++level)
      look.worth->semaphore[level] = detectors_.at(level).certain_of_semaphore(one.core, index);
  } else if (place.where.place == Place::Initiator && (place.where.begin & 31) == 16) {
    look.kind = Look::Kind::Initiator;
    look.worth = std::make_unique<Look::Worth>();
    look.latest = 1;
    const unsigned niu = static_cast<unsigned>(place.where.begin >> 7);
    const unsigned buffer = static_cast<unsigned>(place.where.begin >> 5 & 3);
    for (unsigned level = 0; level < detectors_.count(); ++level)
      look.worth->knowledge[level] = detectors_.at(level).known_by_free_initiator(niu, buffer);
  } else if (place.region == race::Region::Niu && place.where.place == Place::Counter &&
             place.where.begin < 2 * 64) {
    look.kind = Look::Kind::Counter;
    look.worth = std::make_unique<Look::Worth>();
    look.latest = 1;
    look.index = static_cast<u32>(place.where.begin);
    const race::event::Counter counter{
        one.author, look.index / 64,      static_cast<u8>(look.index % 64),
        look.value, static_cast<u8>(reg), one.step};
    for (unsigned level = 0; level < detectors_.count(); ++level)
      look.worth->knowledge[level] = detectors_.at(level).known_by_counter(counter);
  } else {
    return core.forget(reg);
  }
  core.follower.loaded(reg, std::move(look));
}

/// Of a word, the oldest version that a core can see, whichever level knows least.
u32 TileObserver::certain_version(unsigned core, u32 address) const {
  u32 certain = ~0u;
  for (unsigned level = 0; level < detectors_.count(); ++level) {
    const race::SyncWord* word = detectors_.at(level).sync_word(address);
    if (word == nullptr) return 0;
    certain = std::min(certain, detectors_.at(level).version_known(core, *word));
  }
  return certain;
}

void TileObserver::prove(CoreView& core, const trace::Instruction& one, Look& look) {
  switch (look.kind) {
    case Look::Kind::Word:
      if (look.guarded != 0) prove_guarded(core, one.core, look);
      if (is_polled(core, one, look)) prove_word(core, one.core, look);
      break;
    case Look::Kind::Atomic:
      prove_atomic(core, one.core, look);
      break;
    case Look::Kind::Remote:
      if (is_polled_remotely(core, one, look)) prove_remote_word(core, one.core, look);
      break;
    case Look::Kind::Pages:
      prove_pages(core, one.core, look);
      break;
    case Look::Kind::Semaphore:
      prove_semaphore(core, one.core, look);
      break;
    case Look::Kind::Counter:
      prove_counter(core, one.core, look);
      break;
    case Look::Kind::Initiator:
      if (look.value == 0 && !core.follower.would_have_come(look, 1)) learn(one.core, look);
      break;
  }
}

/// An address, or a length that is asked for, is made of what the core has looked at: with another
/// value it would have gone elsewhere, or asked for less.
void TileObserver::prove_choice(CoreView& core, unsigned index, unsigned reg, u32 value) {
  if (!core.follower.is_open(reg)) return;
  Look* look = core.follower.chosen_by(reg, value);
  if (look == nullptr) return;
  if (look->kind == Look::Kind::Pages) {
    prove_pages(core, index, *look);
  } else if (look->kind == Look::Kind::Word &&
             detectors_.first().sync_word(look->address) != nullptr && look->latest != ~0u) {
    prove_word(core, index, *look);
  }
}

void TileObserver::learn(unsigned core, const Look& look) {
  for (unsigned level = 0; level < detectors_.count(); ++level)
    detectors_.at(level).learn(core, look.worth->knowledge[level]);
}

/// Whether the word is one that agents signal by; it is when a loop waits for it.
bool TileObserver::is_polled(CoreView& core, const trace::Instruction& one, Look& look) {
  if (const race::SyncWord* word = detectors_.first().sync_word(look.address); word != nullptr) {
    if (look.latest == ~0u) look.latest = word->version();  // it was found to be one in between
    return true;
  }
  const auto [known, is_new] = core.polls.try_emplace(one.author.pc, false);
  if (is_new) {
    known->second = closes_a_poll(copy_, one, look);
    if (known->second)
      core.plain_loads.erase(look.pc);
    else
      core.plain_loads.insert(look.pc);
  }
  if (!known->second) return false;
  detectors_.mark_sync(look.address);
  look.latest = detectors_.first().sync_word(look.address)->version();
  return true;
}

/// The loop also sends the read that fetches the word anew.
bool TileObserver::is_polled_remotely(CoreView& core, const trace::Instruction& one,
                                      const Look& look) {
  const std::pair word{look.worth->remote.node, look.worth->remote.address};
  if (polled_remotely_.contains(word)) return true;
  const auto [known, is_new] = core.remote_polls.try_emplace(one.author.pc, false);
  if (is_new) known->second = ways_back(copy_, one, look, Copy::Between::Requests) != 0;
  if (known->second) polled_remotely_.insert(word);
  return known->second;
}

/// As with a word of the own tile, of what the read has found there.
void TileObserver::prove_remote_word(CoreView& core, unsigned index, Look& look) {
  const auto said = [&](unsigned level) -> const race::SyncWord* {
    const race::Ticket& ticket = look.worth->remote.tickets[level];
    return ticket == nullptr ? nullptr : ticket->reply->at(look.worth->remote.address);
  };
  const race::SyncWord* first = said(0);
  if (first == nullptr) return;
  u32& seen = core.remote_versions[{look.worth->remote.node, look.worth->remote.address}];
  u32 certain = ~0u;  // what was known when the read was sent, the reader sees
  for (unsigned level = 0; level < detectors_.count(); ++level)
    if (const race::SyncWord* word = said(level); word != nullptr)
      certain = std::min(certain, word->latest_known(look.worth->remote.tickets[level]->clock));
  if (certain != ~0u) seen = std::max(seen, certain);
  for (u32 version = std::max(seen, first->oldest()); version <= first->version(); ++version) {
    if (!core.follower.would_have_come(look, first->value_at(version))) continue;
    const u8 bytes =
        race::bytes_of_word(look.address / 4, look.address, u64{look.address} + look.size);
    const auto passes = [&](u32 value) { return core.follower.would_have_come(look, value); };
    for (unsigned level = 0; level < detectors_.count(); ++level)
      if (const race::SyncWord* word = said(level); word != nullptr)
        detectors_.at(level).learn(
            index, detectors_.at(level).known_by_word(index, *word, version, bytes, passes));
    seen = version;
    return;
  }
}

/// What a word of the own tile has proved.
void TileObserver::learn_word(CoreView& core, unsigned index, const Look& look, u32 version) {
  const u8 bytes =
      race::bytes_of_word(look.address / 4, look.address, u64{look.address} + look.size);
  const auto passes = [&](u32 value) { return core.follower.would_have_come(look, value); };
  for (unsigned level = 0; level < detectors_.count(); ++level) {
    race::Detector& detector = detectors_.at(level);
    const race::SyncWord* word = detector.sync_word(look.address);
    if (word == nullptr) continue;
    detector.note_proof(index, look.address, version, bytes);
    detector.learn(index, detector.known_by_word(index, *word, version, bytes, passes));
  }
}

/// A word that is read under its lock orders its reader without a poll: it cannot change meanwhile.
void TileObserver::prove_guarded(CoreView& core, unsigned index, const Look& look) {
  race::Detector& detector = detectors_.without_locks();
  const race::Guard::Word* word = detector.guarded_word(look.address);
  if (word == nullptr) return;
  for (u32 version = std::max(word->first, word->said.oldest()); version < look.guarded;
       ++version) {
    if (!core.follower.would_have_come(look, word->said.value_at(version))) continue;
    return detector.learn(index, word->said.known_at(version, race::SyncWord::kAllBytes));
  }
}

/// The oldest version that would have let the core come here.
void TileObserver::prove_word(CoreView& core, unsigned index, Look& look) {
  const race::SyncWord& first = *detectors_.first().sync_word(look.address);
  CoreView::Seen& seen = core.versions[look.address / 4];  // by its own store, or proved before
  const u32 begin = std::max({seen.version, look.certain, first.oldest()});
  for (u32 version = begin; version <= look.latest; ++version) {
    if (!core.follower.would_have_come(look, first.value_at(version))) continue;
    const u8 bytes =
        race::bytes_of_word(look.address / 4, look.address, u64{look.address} + look.size);
    if (version != seen.learned || (bytes & ~seen.bytes) != 0)
      learn_word(core, index, look, version);
    seen = {version, version,
            version == seen.learned ? static_cast<u8>(seen.bytes | bytes) : bytes};
    look.settled = version == look.latest && look.guarded == 0;
    return;
  }
}

void TileObserver::prove_pages(CoreView& core, unsigned index, Look& look) {
  const u16 object = static_cast<u16>(look.index);
  const u32 base = page_bases_[look.index];
  const auto mask = mask_for(look.value, base + look.latest);
  if (!mask) return;
  u32& certain = core.pages[look.index];
  for (u32 count = certain; count <= look.latest && count - certain <= kMostAhead; ++count) {
    if (!core.follower.would_have_come(look, (base + count) & *mask)) continue;
    if (count == certain) return;
    certain = count;
    for (unsigned level = 0; level < detectors_.count(); ++level)
      if (const race::Clock* post =
              detectors_.at(level).known_by_post(Object::Pages, object, count))
        detectors_.at(level).learn(index, *post);
    return;
  }
}

/// The values that would have let the core come here bound the posts from below by the takes, and
/// the takes from below by the posts.
void TileObserver::prove_semaphore(CoreView& core, unsigned index, Look& look) {
  unsigned least = kSemaphoreValues;
  unsigned most = 0;
  for (unsigned value = 0; value < kSemaphoreValues; ++value) {
    if (!core.follower.would_have_come(look, value)) continue;
    least = std::min(least, value);
    most = value;
  }
  if (least == kSemaphoreValues) return;
  const u16 object = static_cast<u16>(look.index);
  for (unsigned level = 0; level < detectors_.count(); ++level) {
    race::Detector& detector = detectors_.at(level);
    const auto [posts, gets] = look.worth->semaphore[level];
    const race::Clock* known = nullptr;
    if (least != 0) known = detector.known_by_post(Object::Semaphore, object, gets + least);
    if (known != nullptr) detector.learn(index, *known);
    known = nullptr;
    if (posts > most) known = detector.known_by_post(Object::Semaphore, object, posts - most, true);
    if (known != nullptr) detector.learn(index, *known);
  }
}

/// The old value of an atomic is proof of something when another one would have led elsewhere.
void TileObserver::prove_atomic(CoreView& core, unsigned index, Look& look) {
  u32 bits = 0;  // those on which the way depends
  for (unsigned bit = 0; bit < 32; ++bit)
    if (!core.follower.would_have_come(look, look.value ^ 1u << bit)) bits |= 1u << bit;
  bool any = bits != 0;
  for (u32 away = 1; away <= 4 && !any; ++away)
    any = !core.follower.would_have_come(look, look.value - away) ||
          !core.follower.would_have_come(look, look.value + away);
  if (!any) return;
  if (const RemoteWord& there = look.worth->remote; there.node != kNoNode)
    take_elsewhere(index, there, look.value, bits);
  else
    detectors_.first().note_taken(index, look.address, bits != 0 ? bits : ~0u);
  learn(index, look);
}

/// An atomic of this tile's NIU has found a word of another tile, or of this one, as it is when
/// nobody holds the lock that the word is.
void TileObserver::take_elsewhere(unsigned index, const RemoteWord& there, u32 found, u32 bits) {
  there.tickets[0]->reply->looked_at.store(true, std::memory_order_release);
  const auto locks = shared_.locks.find({there.node, there.address});
  if (locks == shared_.locks.end()) return;
  for (const race::LockWord& one : locks->second)
    if ((found & one.mask) == one.free && (bits & one.mask) != 0)
      detectors_.without_locks().take_far(index,
                                          race::lock_id(there.node, there.address, one.mask));
}

/// A counter proves that everything is done when no value before this one would have done.
void TileObserver::prove_counter(CoreView& core, unsigned index, Look& look) {
  const bool counts_down = look.index % 64 >= kFirstOfIds;
  for (u32 away = 1; away <= 4; ++away)
    if (core.follower.would_have_come(look, counts_down ? away : look.value - away)) return;
  learn(index, look);
}

}  // namespace bhemu::hazard
