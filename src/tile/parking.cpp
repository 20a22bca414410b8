// Parking: a core whose loop came back to the same state, having changed nothing and read no
// clock, can only repeat until one of the things it read changes. It leaves the schedule; the
// change finds it, and it is replayed to the present before the change takes place.
#include <algorithm>
#include <cstring>
#include <utility>

#include "riscv/core.hpp"
#include "tile/bus.hpp"
#include "tile/onlooker.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {

bool Tile::back_at_anchor(unsigned core) const {
  const CoreSlot& slot = slots_[core];
  const riscv::CoreState& state = cores_[core];
  // Register 32 swallows writes to x0 and means nothing.
  return std::equal(slot.anchor_x.begin(), slot.anchor_x.begin() + 32, state.x.begin()) &&
         slot.anchor_f == state.f &&
         std::memcmp(slot.anchor_csr.data(), &state.csr, sizeof state.csr) == 0;
}

/// The core, which is not recorded, comes to the head of a loop. True: for the second time within
/// the time of a short loop, or it may be about to go through the round that is known of it. (The
/// first time there may be in other registers what was there before.)
bool Tile::comes_round(unsigned core, u32 pc, Cycle now) {
  CoreSlot& slot = slots_[core];
  if (slot.head_cycle > now) return false;
  // It has been looked at here, and goes on.
  if (slot.head_pc == pc && slot.head_cycle == now) return false;
  const bool again = slot.head_pc == pc && now - slot.head_cycle <= kProbeLength;
  slot.head_pc = pc;
  slot.head_cycle = now;
  slot.early = false;
  if (again) return true;
  const riscv::LoopHeads::Round round = lines_.heads().round_at(pc);
  slot.early = round.known != nullptr && round.early && may_grow(core) && !pic_.armed() &&
               now + round.known->period() <= turn_end_ &&
               round.known->may_begin(cores_[core], l1_.data(), l1_.size());
  return slot.early;
}

/// For who executes instruction by instruction: whether execute() would stop before this one.
bool Tile::stops_before_step(unsigned core) {
  const u32 pc = cores_[core].pc;
  if (!riscv::is_instruction_address(pc, l1_.size())) return false;
  if (!lines_.has_decoded(pc)) buses_[core]->decode(pc);
  if (!lines_.is_head(pc, l1_.data())) return false;
  return buses_[core]->at_head = comes_round(core, pc, cores_[core].cycle);
}

void Tile::look_at_head(unsigned core) {
  const riscv::LoopHeads::Round round = lines_.heads().round_at(cores_[core].pc);
  CoreSlot& slot = slots_[core];
  if (std::exchange(slot.early, false)) return look_early(core, *round.known);
  if (round.known != nullptr && may_grow(core)) {
    if (park_in_known_round(core, *round.known)) return;
    // Most often registers still hold what was there before the first round: it comes by once more.
    if (lines_.heads().round_at(cores_[core].pc).known != nullptr) return;
  }
  start_recording(core);
  slot.at_head = true;
  const riscv::LoopShape shape = round.shape;
  if (shape.period != 0) slot.longest = static_cast<u8>(std::min(shape.period, kProbeLength));
  if (!shape.grows || !may_grow(core)) return;
  const InRounds rounds = park_in_rounds(core);
  if (rounds == InRounds::Over) return;
  stop_recording(core, rounds == InRounds::NotKnown);
  slot.head_cycle = std::min(turn_end_, cores_[core].cycle + kProbeLength);
}

/// A core has been parked that was not looked for at the head of a loop.
void Tile::tell_of_head(unsigned core) {
  const CoreSlot& slot = slots_[core];
  const u32 pc = riscv::top_of_loop(slot.anchor_pc, l1_.data(), l1_.size());
  if (lines_.heads().has(pc, l1_.data())) return;
  lines_.tell_of_head(pc, {slot.period, slot.rounds_end != kNever}, l1_.data());
}

/// Translated code has been made, or taken over from other tiles, of words of a line.
void Tile::mark_translated(u32 address) {
  l1_.set_flag(address, L1::kCode);
  if (lines_.adopt_heads(address, l1_.data())) drop_translated(address);
}

/// What has been translated of the line of `pc`, where a head of a loop has become known.
void Tile::drop_translated(u32 pc) {
  if (translated_ == nullptr) return;
  translated_->translations.before_head(pc & ~(riscv::kLineBytes - 1), riscv::kLineBytes);
}

/// A core was parked that had come back to `anchor` after so many cycles.
void Tile::add_head(u32 anchor, Cycle period) {
  const u32 pc = riscv::top_of_loop(anchor, l1_.data(), l1_.size());
  if (lines_.heads().has(pc, l1_.data())) return;
  lines_.add_head(pc, period, l1_.data());
  if (translated_ != nullptr) translated_->translations.before_head(pc, 4);
}

void Tile::replay(unsigned core, Cycle until) {
  if (trace_ != nullptr && trace_->follows(core)) [[unlikely]]
    return replay_traced(core, until);
  skip_rounds(core, until);
}

void Tile::skip_rounds(unsigned core, Cycle until) {
  riscv::CoreState& state = cores_[core];
  const CoreSlot& slot = slots_[core];
  Cycle left_out = (until - state.cycle) / slot.period * slot.period;
  if (slot.rounds_end != kNever) {
    // What a register has grown by is known where a round begins.
    const Cycle rounds = (until - slot.anchor_cycle) / slot.period;
    const Cycle begin = slot.anchor_cycle + rounds * slot.period;
    left_out = begin > state.cycle && observer_ == nullptr ? begin - state.cycle : 0;
    if (left_out != 0) {
      state.pc = slot.anchor_pc;
      for (unsigned i = 1; i < 32; ++i)
        state.x[i] = slot.anchor_x[i] + static_cast<u32>(rounds) * slot.steps[i];
    }
  }
  state.cycle += left_out;
  state.instret += left_out;
  skipped_ += left_out;
  if (observer_ != nullptr && left_out != 0) [[unlikely]]
    observer_->slept(core, left_out);
  if (state.cycle == until) return;
  if (observer_ != nullptr) [[unlikely]] {
    while (state.cycle < until) CHECK(step_followed(core) == riscv::Outcome::Ok);
    return;
  }
  const riscv::Outcome outcome = execute(core, until);
  CHECK(outcome == riscv::Outcome::Ok && state.cycle == until);
}

void Tile::wake(Resource resource) {
  for (unsigned core = 0; core < kCores; ++core) {
    CoreSlot& slot = slots_[core];
    const bool reads = (slot.reads.resources() & mask_of(resource)) != 0;
    if (slot.status == CoreStatus::Parked && reads) {
      wake_core(core);
    } else if (slot.status == CoreStatus::Blocked &&
               (slot.block_resources & mask_of(resource)) != 0) {
      wake_core(core);
    } else if (slot.recording && reads && core != position_) {
      stop_recording(core, false);
    }
  }
}

void Tile::before_write(u32 address, u32 bytes, const Author& author) {
  if (observer_ != nullptr && observer_->wants_l1_writes())
    observer_->writes_l1(address, bytes, author);
  if (onlooker_ != nullptr) [[unlikely]]
    onlooker_->before_l1_write(*this, address, bytes, author);
  if (checks_ != nullptr) checks_->before_write(address, bytes, author);
  u8 any = l1_.flags_in(address, bytes);
  if ((any & L1::kWatched) != 0) {
    wake_readers(address, bytes);
    any = l1_.flags_in(address, bytes);  // a replay may have decoded the old words again
  }
  if ((any & (L1::kPolled | L1::kCode)) != 0) [[unlikely]]
    forget_words(address, bytes);
}

void Tile::wake_readers(u32 address, u32 bytes) {
  for (unsigned core = 0; core < kCores; ++core) {
    CoreSlot& slot = slots_[core];
    if (!slot.reads.overlaps(address, bytes)) continue;
    if (slot.status == CoreStatus::Parked)
      wake_core(core);
    else if (slot.recording)  // a loop that writes what it reads is no polling loop
      stop_recording(core, core == position_);
  }
  // Lines in which nobody reads any more.
  for (u32 line = address >> L1::kLineShift; line <= (address + bytes - 1) >> L1::kLineShift;
       ++line) {
    const u32 at = line << L1::kLineShift;
    if ((l1_.flags_at(at) & L1::kWatched) == 0) continue;
    bool is_read = false;
    for (const CoreSlot& slot : slots_) is_read |= slot.reads.may_be_in_line(at);
    if (!is_read) l1_.clear_flag(at, L1::kWatched);
  }
}

/// Before words change of which some are code, or of which a thread waits for one.
void Tile::forget_words(u32 address, u32 bytes) {
  const u32 end = address + bytes;
  u32 code_begin = end;
  u32 code_end = address;
  for (u32 at = address; at < end;) {
    const u32 next = std::min(end, (at | ((1u << L1::kLineShift) - 1)) + 1);
    const u8 flags = l1_.flags_at(at);
    if ((flags & L1::kPolled) != 0) {
      l1_.clear_flag(at, L1::kPolled);
      rouse_coprocessor();
    }
    if ((flags & L1::kCode) != 0) {
      static_assert(riscv::kLineBytes == 1u << L1::kLineShift);
      lines_.forget(at);
      code_begin = std::min(code_begin, at);
      code_end = next;
    }
    at = next;
  }
  if (code_begin < code_end && translated_ != nullptr)
    translated_->translations.before_write(code_begin, code_end - code_begin);
}

void Tile::rouse_coprocessor() {
  if (position_ < kCores) end_long_turn(cores_[position_].cycle);
  if (coprocessor_ != nullptr) coprocessor_->rouse();
}

/// The flags of the lines stay: most are watched again soon, and the next write to one finds out
/// whether somebody still does.
void Tile::unwatch(unsigned core) {
  slots_[core].reads.clear();
}

void Tile::update_watched() {
  u32 watched = 0;
  next_rounds_ = kNever;
  for (unsigned core = 0; core < kCores; ++core) {
    const CoreSlot& slot = slots_[core];
    if (slot.status == CoreStatus::Blocked) watched |= slot.block_resources;
    watched |= slot.reads.resources();  // empty unless parked or recording
    if (slot.status == CoreStatus::Parked && slot.rounds_end != kNever)
      next_rounds_ = std::min(next_rounds_, next_of_rounds(core));
  }
  wakeup_.watched = watched;
}

}  // namespace bhemu::tile
