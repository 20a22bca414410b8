// What cores do.
#include "base/bits.hpp"
#include "hazard/observer.hpp"
#include "riscv/data_cache.hpp"
#include "tile/regions.hpp"

namespace bhemu::hazard {
namespace {

using race::Place;
using race::Region;
namespace event = race::event;

constexpr u32 kOpcode = 0x7F;
constexpr u32 kLoad = 0x03;
constexpr u32 kMiscMem = 0x0F;
constexpr u32 kStore = 0x23;
constexpr u32 kFloatStore = 0x27;  // or one of the vector unit's
constexpr u32 kAtomic = 0x2F;
constexpr u32 kSystem = 0x73;
constexpr u32 kBranch = 0x63;
constexpr u32 kFirstFloat = 32;              // register numbers of the detector
constexpr u32 kFeatureDisable = 0xFFB12068;  // DBG_FEATURE_DISABLE (tile/debug.def)
constexpr unsigned kBrisc = 0;
constexpr unsigned kTrisc0 = 2;

u8 register_loaded(const trace::Instruction& one) {
  const u32 rd = bits(one.word, 7, 5);
  return static_cast<u8>((one.writes >> kFirstFloat) != 0 ? kFirstFloat + rd : rd);
}

/// Words of which a write does something, whatever was there.
bool has_side_effect(u32 word) {
  const u32 in_bank = word % tensix::kConfigWords;
  return in_bank == tensix::cfg::STATE_RESET_EN::kWord;
}

/// What an atomic makes of any value.
race::SyncWord::How change_of(u32 word) {
  using How = race::SyncWord::How;
  switch (bits(word, 27, 5)) {
    case 0x00:
      return How::Add;
    case 0x04:
      return How::Xor;
    case 0x08:
      return How::Or;
    case 0x0C:
      return How::And;
    default:
      return How::Set;
  }
}

/// Not of the vector unit, which has no width of 32 bits under this opcode.
bool is_plain_store(u32 word) {
  const u32 opcode = word & kOpcode;
  return opcode == kStore || (opcode == kFloatStore && bits(word, 12, 3) == 2);
}

/// Of the registers of a request, the addresses and the length.
bool is_part_of_request(const race::Location& where) {
  constexpr u32 kTarget = 0, kReturn = 3, kLength = 8;  // by word of the command buffer
  const u64 word = where.begin & 31;
  return where.place == Place::Initiator && (word == kTarget || word == kReturn || word == kLength);
}

u32 offset_of(const trace::CoreAccess& access) {
  return access.address - tile::tensix_regions()[access.region].first;
}

}  // namespace

void TileObserver::executes(const trace::Instruction& one) {
  CoreView& core = cores_[one.core];
  core.step = one.step;
  core.word = one.word;
  core.a = one.state->x[bits(one.word, 15, 5)];
  core.b = one.state->x[bits(one.word, 20, 5)];
  core.has_sent = false;
  if (is_plain_store(one.word)) {
    const u32 offset = bits(one.word, 25, 7) << 5 | bits(one.word, 7, 5);
    const u32 address = core.a + static_cast<u32>(sign_extend(offset, 12));
    core.old_words = {{tile_.l1().data(), tile_.l1().size()}, address, 4 - address % 4};
  }
  for (u64 left = one.reads & core.under_way; left != 0; left &= left - 1)
    detectors_.feed(event::Use{one.author, static_cast<u8>(std::countr_zero(left)), one.step});
  // The value of a load whose register is written over is never waited for.
  core.under_way &= ~(one.reads | one.writes);
}

void TileObserver::retired(const trace::Instruction& one) {
  CoreView& core = cores_[one.core];
  check_fetch(core, one);
  check_return(core, one);
  for (const trace::CoreAccess& access : one.accesses) touch_memory(core, one, access);
  const u32 opcode = one.word & kOpcode;
  if (opcode == kMiscMem && bits(one.word, 12, 3) == 0) {
    detectors_.feed(event::Fence{one.author, one.step});
    core.under_way = 0;
  } else if (opcode == kSystem) {
    core.cfg0 = one.state->csr.cfg0;
    if (riscv::has_data_cache(one.state->csr) != core.has_cache) {
      core.has_cache = !core.has_cache;
      detectors_.feed(event::DataCache{one.author, core.has_cache});
    }
  }
  if ((opcode == kLoad || opcode == kAtomic) && !one.accesses.empty()) return;
  Look* look = core.follower.executed(one.author.pc, one.word, core.a, core.b, one.state->pc);
  if (look != nullptr) prove(core, one, *look);
  if (opcode != kBranch) return;
  const Follower::Turn turn = core.follower.turn();
  if (turn.drawn_from == 0 || detectors_.first().sync_word(turn.word) == nullptr) return;
  for (unsigned level = 0; level < detectors_.count(); ++level)
    detectors_.at(level).note_turn(one.core, turn.word, turn.drawn_from);
}

void TileObserver::released(unsigned index, u32, const Author& by) {
  CoreView& core = cores_[index];
  for (unsigned level = 0; level < detectors_.count(); ++level)
    detectors_.at(level).host() = shared_.host[level];
  detectors_.feed(event::Start{by, index});
  const riscv::CsrState& csr = tile_.core(static_cast<CoreId>(index)).csr;
  core.cfg0 = csr.cfg0;
  core.has_cache = riscv::has_data_cache(csr);
  Author author = by;
  author.agent = static_cast<Agent>(index);
  detectors_.feed(event::DataCache{author, core.has_cache});
  core.under_way = 0;
  core.in_kernel = core.returned = false;
  core.follower.forget_all();
}

// --- Memory and registers

void TileObserver::touch_memory(CoreView& core, const trace::Instruction& one,
                                const trace::CoreAccess& access) {
  const bool integer = (one.writes >> kFirstFloat) == 0;
  if (access.region == tile::Region::L1)
    prove_choice(core, one.core, bits(one.word, 15, 5), core.a);
  if (access.load && integer) core.forget(bits(one.word, 7, 5));
  if (access.region == tile::Region::OwnLdm) return spill(core, one, access);
  CorePlace place;
  if (!place_of(access, one.core, place)) return;
  switch (access.region) {
    case tile::Region::InstrnBuf0:
    case tile::Region::InstrnBuf1:
    case tile::Region::InstrnBuf2:
    case tile::Region::Mailbox:
      return;  // told as pushes, and as changes of queues
    case tile::Region::Config:
      return touch_config(core, one, access);
    case tile::Region::PcBuf0:
    case tile::Region::PcBuf1:
    case tile::Region::PcBuf2:
      return touch_pcbuf(core, one, access);
    default:
      break;
  }
  if (access.load && access.store) return touch_atomic(core, one, access, place);
  if (access.load) {
    feed_load(core, one, access, place);
    look_at(core, one, access, place);
    return;
  }
  const bool starts_request =
      place.where.place == Place::Initiator && (place.where.begin & 31) == 16;
  if (starts_request) return send(core, one, access, place.where);
  if (access.address == kFeatureDisable) {
    if (access.stored == feature_disable_) return;  // nothing changes for anybody
    feature_disable_ = access.stored;
    place.where = {Place::Config, 1, race::kFeatureDisable};
  }
  if (is_part_of_request(place.where)) prove_choice(core, one.core, bits(one.word, 20, 5), core.b);
  if (access.region == tile::Region::L1) check_done(core, access);
  const race::OldWords old = is_plain_store(one.word) ? core.old_words : race::OldWords();
  detectors_.feed(event::Store{one.author, place.where, place.region, one.step, false, false, false,
                               access.stored, old});
  if (access.region != tile::Region::L1) return;
  written(access.address, access.size);
  core.has_seen_own(access.address, detectors_.first());
}

/// A request is told of when it is sent; where that was not with the store, so is the store.
void TileObserver::send(CoreView& core, const trace::Instruction& one,
                        const trace::CoreAccess& access, const race::Location& where) {
  if (core.has_sent || !bit(access.stored, 0)) return;
  const auto initiator = static_cast<u32>(where.begin / 32);
  core.late_sends.push_back(initiator);
  detectors_.feed(
      event::Send{one.author, initiator / 4, static_cast<u16>(initiator % 4), one.step});
}

/// From now on the core does not see what was there before its own store or atomic.
void TileObserver::CoreView::has_seen_own(u32 address, const race::Detector& detector) {
  if (const race::SyncWord* word = detector.sync_word(address); word != nullptr)
    versions[address / 4].version = word->version();
}

/// What its old value tells is known to who looks at it; atomics of a word are in one order, so of
/// the writers before this one, whatever others there could have been.
void TileObserver::touch_atomic(CoreView& core, const trace::Instruction& one,
                                const trace::CoreAccess& access, const CorePlace& place) {
  const u8 reg = register_loaded(one);
  Look look;
  look.kind = Look::Kind::Atomic;
  look.latest = 1;
  look.pc = one.author.pc;
  look.address = access.address;
  look.value = access.loaded;
  look.worth = std::make_unique<Look::Worth>();
  for (unsigned level = 0; level < detectors_.count(); ++level)
    if (const race::SyncWord* word = detectors_.at(level).sync_word(access.address))
      look.worth->knowledge[level] = word->known_at(word->version(), race::SyncWord::kAllBytes);
  event::Amo amo{one.author,    place.where, reg, one.step, access.loaded == access.stored,
                 access.stored, true};
  amo.before = access.loaded;
  amo.change = {change_of(one.word), core.b};
  detectors_.feed(amo);
  core.under_way |= u64{1} << reg;
  written(access.address, access.size);
  // What it looks at afterwards comes behind its own change.
  if (access.loaded != access.stored) core.has_seen_own(access.address, detectors_.first());
  core.follower.loaded(reg, std::move(look));
}

void TileObserver::feed_load(CoreView& core, const trace::Instruction& one,
                             const trace::CoreAccess& access, const CorePlace& place, bool more) {
  const u8 reg = register_loaded(one);
  detectors_.feed(event::Load{one.author, place.where, place.region, reg, one.step, false,
                              access.loaded, true, more});
  if (reg != 0) core.under_way |= u64{1} << reg;
}

/// What a core has loaded can lie on its stack until it looks at it.
void TileObserver::spill(CoreView& core, const trace::Instruction& one,
                         const trace::CoreAccess& access) {
  const u32 opcode = one.word & kOpcode;
  if (access.store) {
    core.follower.put_away(access.address, access.size,
                           opcode == kStore ? bits(one.word, 20, 5) : 0);
  } else if (opcode == kLoad) {
    const bool is_signed = bits(one.word, 12, 3) < 2;
    core.follower.fetch(bits(one.word, 7, 5), access.address, access.size, is_signed);
  }
}

void TileObserver::touch_config(CoreView& core, const trace::Instruction& one,
                                const trace::CoreAccess& access) {
  const u32 word = offset_of(access) / 4;
  if (word >= 2 * tensix::kConfigWords) return;
  constexpr u32 kInvalidate = tensix::cfg::RISCV_IC_INVALIDATE_InvalidateAll::kWord;
  if (access.store && word % tensix::kConfigWords == kInvalidate) {
    detectors_.feed(event::InvalidateCode{one.author, access.stored & 0x1F, one.step});
    return;
  }
  const u32 before = config_[config_place(word)];
  const u32 after = access.store ? access.stored : before;
  bool more = false;
  // Stores field by field: some of them change, some do not.
  const std::vector<race::Location> runs = config_fields(word, ~0u);
  for (const race::Location& where : access.load ? runs : single_fields(runs)) {
    if (access.load) {
      feed_load(core, one, access, {Region::Config, where, true}, more);
    } else {
      const bool same = (mask_of_fields(where) & (before ^ after)) == 0 && !has_side_effect(word);
      detectors_.feed(event::Store{one.author, where, Region::Config, one.step, false, same, more});
    }
    more = true;
  }
  if (access.store) config_[config_place(word)] = after;
}

void TileObserver::touch_pcbuf(CoreView& core, const trace::Instruction& one,
                               const trace::CoreAccess& access) {
  constexpr u32 kDone = 4;
  constexpr u32 kMopDone = 8;
  constexpr u32 kSemaphores = 0x20;
  const u32 offset = offset_of(access);
  const u8 reg = register_loaded(one);
  if (one.core == kBrisc) {
    if (!access.load) return;  // told as a change of the queue
    const unsigned thread =
        static_cast<unsigned>(access.region) - static_cast<unsigned>(tile::Region::PcBuf0);
    detectors_.feed(event::AwaitThread{one.author, thread, reg, one.step});
  } else if (offset >= kSemaphores) {
    const u16 index = static_cast<u16>((offset - kSemaphores) / 4 % 8);
    if (access.store) {
      detectors_.feed(event::Signal{one.author, race::Object::Semaphore, index, 1, one.step,
                                    bit(access.stored, 0)});
      return;
    }
    const CorePlace place{Region::PcBuf, race::place_of(race::Object::Semaphore, index), false};
    feed_load(core, one, access, place);
    return look_at(core, one, access, place);
  } else if (offset == kDone || offset == kMopDone) {
    detectors_.feed(event::DoneCheck{one.author, offset == kMopDone, access.load, reg, one.step});
  }
  if (access.load && reg != 0) core.under_way |= u64{1} << reg;
}

// --- Code

/// The first time that a core fetches a word, since it was last written.
void TileObserver::check_fetch(CoreView& core, const trace::Instruction& one) {
  const u32 line = one.author.pc >> 6;
  const u16 word = static_cast<u16>(1u << (one.author.pc >> 2 & 15));
  CoreView::Fetched& recent = core.recent[line % core.recent.size()];
  if (recent.line != line) recent = {line, &core.fetched[line]};
  if ((*recent.words & word) != 0) return;
  *recent.words |= word;
  code_[line] |= word;
  detectors_.feed(event::Fetch{one.author, {Place::L1, 4, one.author.pc}});
}

/// L1 was written: code there is new.
void TileObserver::written(u64 address, u64 bytes) {
  if (bytes == 0) return;
  if (!remote_.empty())
    remote_.erase(remote_.lower_bound(static_cast<u32>(address / 4)),
                  remote_.lower_bound(static_cast<u32>((address + bytes + 3) / 4)));
  if (code_.empty()) return;
  for (u64 line = address >> 6; line <= (address + bytes - 1) >> 6; ++line) {
    const auto found = code_.find(static_cast<u32>(line));
    if (found == code_.end()) continue;
    u16 words = 0;
    for (unsigned i = 0; i < 16; ++i) {
      const u64 at = line * 64 + i * 4;
      if (at + 4 > address && at < address + bytes) words |= static_cast<u16>(1u << i);
    }
    if ((found->second & words) == 0) continue;
    found->second &= static_cast<u16>(~words);
    for (CoreView& core : cores_) {
      core.polls.clear();
      core.remote_polls.clear();
      if (const auto own = core.fetched.find(static_cast<u32>(line)); own != core.fetched.end())
        own->second &= static_cast<u16>(~words);
    }
  }
}

/// Software that only writes bytes says where its kernels begin in its launch message, tile by
/// tile.
u32 TileObserver::kernel_base(CoreView& core, u32 pc) {
  if (shared_.options.kernel_base != 0) return shared_.options.kernel_base;
  if (shared_.options.software == nullptr) return 0;
  constexpr u32 kFar = 1024;  // firmware and kernels lie further apart
  const u32 by = pc - core.last_pc + kFar;
  core.last_pc = pc;
  if (by > 2 * kFar) core.kernel_base = shared_.options.software->kernel_base(tile_);
  return core.kernel_base;
}

/// A data-movement core returns to its firmware: what it sent must be done. The firmware of a TRISC
/// waits for the thread before it says that it is done, so there it is asked later.
void TileObserver::check_return(CoreView& core, const trace::Instruction& one) {
  const u32 base = kernel_base(core, one.author.pc);
  if (base == 0) return;
  if (one.author.pc >= base) {
    core.in_kernel = true;
    core.left_kernel_at = one.author;
    return;
  }
  if (!core.in_kernel) return;
  core.in_kernel = false;
  if (one.core >= kTrisc0) {
    core.returned = true;
  } else {
    detectors_.feed(event::Return{core.left_kernel_at});
  }
}

/// The first word that agents signal by which a TRISC writes behind its kernel says that it is
/// done.
void TileObserver::check_done(CoreView& core, const trace::CoreAccess& access) {
  if (!core.returned || !detectors_.first().is_sync({Place::L1, access.size, access.address}))
    return;
  core.returned = false;
  detectors_.feed(event::Return{core.left_kernel_at});
}

}  // namespace bhemu::hazard
