// Parking in loops whose rounds are not all the same but can be told (riscv/rounds.hpp): the core
// sleeps until somebody changes what it reads, or until the turn in which the loop may end.
#include "riscv/rounds.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tile/bus.hpp"
#include "tile/onlooker.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

constexpr Cycle kLongestRound = 48;
// After so many cycles rounds are shown to who wants to see them.
constexpr Cycle kShownTogether = 4096;

}  // namespace

/// What it is asked for is noted as read.
class Tile::View final : public riscv::RoundView {
 public:
  View(Tile& tile, unsigned core) : tile_(tile), core_(core) {}

  bool fetch(u32 pc, u32& word) override {
    if (pc % 4 != 0 || !tile_.l1_.has(pc, 4)) return false;
    word = tile_.l1_.read32(pc);
    return true;
  }
  bool load(u32 address, u32 size, u32& value) override {
    const riscv::CoreState& state = tile_.cores_[core_];
    value = 0;
    if (tile_.l1_.has(address, size)) {
      tile_.recording_buses_[core_]->note_load_l1(address, size);
      tile_.l1_.read(address, &value, size);
      return !tile_.slots_[core_].impure;
    }
    if (const u32 at = address - riscv::kLdmBase; at < riscv::ldm_size_of(state.id)) {
      std::memcpy(&value, state.ldm.data() + at, size);
      return true;
    }
    if (size == 4 && tile_.access_.load_at_once(core_, address, value, state.cycle)) return true;
    tile_.buses_[core_]->sits_out = false;  // nobody waits for this load
    return false;
  }
  Clock clock_at(u32 address) override {
    switch (address) {
      case kWallClock:
        return Clock::Low;
      case kWallClockHigh:
        return Clock::High;
      case kWallClockLatched:
        return Clock::LatchedHigh;
      default:
        return Clock::None;
    }
  }

 private:
  Tile& tile_;
  unsigned core_;
};

/// A round takes as many cycles as it has instructions, and no debugger is there.
bool Tile::may_grow(unsigned core) const {
  return onlooker_ == nullptr && !is_ever_late() && data_caches_ == nullptr &&
         !slots_[core].checked;
}

/// Somebody wants to see every round of a core that is parked in this way, since no two are alike.
bool Tile::shows_rounds(unsigned core) const {
  return slots_[core].rounds_end != kNever &&
         (observer_ != nullptr || (trace_ != nullptr && trace_->follows(core) &&
                                   trace_->wants(trace::What::Riscv) && now_ < trace_->until()));
}

/// The core, which is recorded, is at the head of a loop or has come round once without an effect.
/// Over: it is parked, or is recorded no more. EndSoon: the rounds end before anybody else acts.
Tile::InRounds Tile::park_in_rounds(unsigned core) {
  CoreSlot& slot = slots_[core];
  const riscv::CoreState& state = cores_[core];
  View view(*this, core);
  const std::optional<riscv::Rounds> rounds = riscv::find_rounds(state, view, kLongestRound);
  if (slot.impure) {
    stop_recording(core, true);
    return InRounds::Over;
  }
  if (!rounds) return InRounds::NotKnown;
  const bool ends = rounds->count <= (kNever - 1 - state.cycle) / rounds->period;
  const bool grows = rounds->step != std::array<u32, 33>{};
  // A core that counts on and on and looks at nothing is at work, for all that anybody knows.
  if (!ends && grows && slot.reads.count() == 0 && slot.reads.resources() == mask_of(Resource::Ldm))
    return InRounds::NotKnown;
  const Cycle end = ends    ? state.cycle + rounds->count * rounds->period
                    : grows ? CoreSlot::kEndless
                            : kNever;
  if (begin_of_turn(end) < turn_end_) return InRounds::EndSoon;
  slot.rounds_end = end;
  slot.period = static_cast<u32>(rounds->period);
  slot.steps = rounds->step;
  slot.anchor_cycle = state.cycle;
  slot.anchor_x = state.x;
  slot.recording = false;
  slot.status = CoreStatus::Parked;
  if (std::exchange(slot.at_head, false))
    lines_.head_was_of_use(slot.anchor_pc);
  else
    tell_of_head(core);
  note_wait(core);
  update_watched();
  return InRounds::Over;
}

/// The core, which may_grow(), has come to the head of a loop for the second time. True: it is
/// parked, for it is about to go through the round that is known of that loop.
bool Tile::park_in_known_round(unsigned core, const riscv::KnownRound& round) {
  CoreSlot& slot = slots_[core];
  const ReadSet reads = slot.reads;  // a core that is recorded may go on being recorded
  // A round that leaves other registers than there are has not been gone through yet.
  const bool same = round.is_settled(cores_[core]) && is_about_to(core, round);
  lines_.round_was_known(cores_[core].pc, same);
  if (same) {
    note_wait(core);
    park_at_head(core, round);
  } else {
    slot.reads = reads;
  }
  return same;
}

/// The core may be about to go through that round for the first time. If it is, the round is left
/// out as all others are, but for what it leaves in the registers.
void Tile::look_early(unsigned core, const riscv::KnownRound& round) {
  riscv::CoreState& state = cores_[core];
  if (!is_about_to(core, round)) {
    slots_[core].reads.clear();
    return lines_.round_was_not_known_early(state.pc);
  }
  note_wait(core);  // not behind the round, which is gone through for followers only
  if (follower_.follows(core)) {
    // Also where it leaves all as it is: it may read anew.
    CHECK(follow(core, state.cycle + round.period(), true) == riscv::Outcome::Ok);
  } else if (!round.is_settled(state)) {
    round.go_through(state);
    skipped_ += round.period();
  }
  lines_.round_was_known(state.pc, true);
  park_at_head(core, round);
}

/// is_about_to() has been asked, and it is.
void Tile::park_at_head(unsigned core, const riscv::KnownRound& round) {
  CoreSlot& slot = slots_[core];
  for (const riscv::KnownRound::Word& word : round.words()) {
    if (word.address >= l1_.size()) continue;
    slot.reads.add_word(word.address, word.mask);
    l1_.set_flag(word.address, L1::kWatched);
  }
  slot.recording = false;
  slot.at_head = true;
  slot.status = CoreStatus::Parked;
  slot.anchor_pc = cores_[core].pc;
  slot.anchor_cycle = cores_[core].cycle;
  slot.period = static_cast<u32>(round.period());
  slot.rounds_end = kNever;
  if ((slot.reads.resources() & ~wakeup_.watched) != 0) update_watched();
}

/// What is in memory and registers is what the round depends on. The resources among these, and no
/// words, are noted as read.
bool Tile::is_about_to(unsigned core, const riscv::KnownRound& round) {
  const riscv::CoreState& state = cores_[core];
  const auto words_of = [this](u32 address) {
    return l1_.has(address, riscv::kLineBytes) ? lines_.words_of(address, l1_.data()) : nullptr;
  };
  if (!round.begins(state, words_of)) return false;
  ReadSet& reads = slots_[core].reads;
  reads.clear();
  reads.add(Resource::Ldm);
  for (const riscv::KnownRound::Word& word : round.words()) {
    u32 now = 0;
    if (word.address < l1_.size())
      now = l1_.read32(word.address);
    else if (const u32 at = word.address - riscv::kLdmBase; at < riscv::ldm_size_of(state.id))
      std::memcpy(&now, state.ldm.data() + at, 4);
    else if (!View(*this, core).load(word.address, 4, now))
      return false;
    if (!word.is_in(now)) return false;
  }
  return true;
}

/// The core was parked at the head of a loop.
void Tile::learn_round(unsigned core) {
  if (!may_grow(core)) return;
  const riscv::CoreState& state = cores_[core];
  View view(*this, core);
  lines_.learn_round(state.pc, riscv::KnownRound::learn(state, view, kLongestRound), l1_.data());
}

/// Of the one in which rounds end; kNever: they do not.
Cycle Tile::begin_of_turn(Cycle rounds_end) const {
  return rounds_end >= CoreSlot::kEndless ? kNever : begin_of_quantum(rounds_end);
}

/// When something is to be done about the rounds of a parked core.
Cycle Tile::next_of_rounds(unsigned core) const {
  const Cycle end = begin_of_turn(slots_[core].rounds_end);
  if (end == kNever || !shows_rounds(core)) return end;
  const Cycle shown = cores_[core].cycle + kShownTogether;
  return std::min(end, begin_of_quantum(shown));
}

void Tile::end_rounds() {
  for (unsigned core = 0; core < kCores; ++core) {
    if (slots_[core].status != CoreStatus::Parked || next_of_rounds(core) > now_) continue;
    const Cycle end = slots_[core].rounds_end;
    if (begin_of_turn(end) > now_) {
      replay(core, now_);
      continue;
    }
    wake_core(core);
    slots_[core].head_cycle = end;  // until then it goes through the rounds that are left
  }
  update_watched();
}

}  // namespace bhemu::tile
