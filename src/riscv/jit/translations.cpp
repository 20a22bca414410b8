#include "riscv/jit/translations.hpp"

#include <algorithm>
#include <vector>

#include "mem/l1.hpp"

namespace bhemu::riscv::jit {

Entrances::Entrance& Entrances::replace(std::array<Entrance, kWays>& set, u32 pc) {
  Entrance* const rarest =
      std::min_element(set.begin(), set.end(),
                       [](const Entrance& a, const Entrance& b) { return a.times() < b.times(); });
  *rarest = {key_of(pc), kUnknown};
  return *rarest;
}

void Entrances::forget(u32 begin, u32 end) {
  for (std::array<Entrance, kWays>& set : sets_)
    for (Entrance& entrance : set) {
      const u32 word = entrance.key / (kMost + 1) - 1;  // none: beyond all
      if (word < begin / 4 || word >= end / 4) continue;
      // What is written there next is asked about at once.
      if ((entrance.entry & kUnknown) == kCompiled) entrance.set_times(0);
      entrance.entry = kUnknown;
    }
}

Leave go_through(const void* gate, Context* context, const void* code) {
  using Enter = u32 (*)(Context*, const void*);
  const auto enter = reinterpret_cast<Enter>(reinterpret_cast<std::uintptr_t>(gate));
  return static_cast<Leave>(enter(context, code));
}

Translations::Translations(std::shared_ptr<CodeCache> cache, u32 l1_bytes, const LoopHeads* heads)
    : cache_(std::move(cache)),
      l1_bytes_(l1_bytes),
      heads_(heads),
      threshold_(std::min(cache_->options().threshold, Entrances::kMost)) {
  change_shelf();
}

void Translations::change_shelf() {
  drop();
  // In this order: a shelf that is begun in between is noticed the next time.
  shelf_generation_ = cache_->generation();
  shelf_ = cache_->shelf();
  code_ = shelf_->arena->code();
  gate_ = code_ + shelf_->enter;
  leave_ = code_ + shelf_->leave;
}

/// Several units may have words in common: where one of them has the head of a block, it is that.
u32 Translations::entry_of(u32 pc) const {
  u32 entry = 0;
  for (const Installed& installed : installed_) {
    if (!installed.overlaps(pc, pc + 4)) continue;
    const u32 found = installed.unit->entry_of(pc);
    if ((found & kCompiled) != 0) return found;
    if (entry == 0) entry = found;
  }
  return entry;
}

void Translations::drop() {
  for (const Installed& installed : installed_) forget(*installed.unit);
  installed_.clear();
  ++generation_;
}

/// What is left of a unit in which there is a head of a loop is worth translating again at once.
void Translations::drop_made_from(u32 address, u32 bytes, Why why) {
  const auto goes = [&](const Installed& installed) {
    if (!installed.overlaps(address, address + bytes) || !installed.unit->covers(address, bytes))
      return false;
    forget(*installed.unit);
    if (why == Why::OtherWords)
      for (const Unit::Piece& piece : installed.unit->pieces)
        line_visits_.forget(piece.pc, piece.pc + piece.count * 4);
    return true;
  };
  if (std::erase_if(installed_, goes) != 0) ++generation_;
}

/// What was known of its addresses is asked again.
void Translations::forget(const Unit& unit) {
  entrances_.forget(unit.begin(), unit.end());
  for (const Unit::Piece& piece : unit.pieces) {
    Chain& chain = chains_[Chain::slot_of(piece.pc)];
    if (chain.key == Chain::key_of(piece.pc)) chain = {};
  }
}

bool Translations::visit(const CoreState& state, const u8* l1) {
  Entrances::Entrance& entrance = entrance_at(state.pc);
  const u32 before = entrance.times();
  const bool is_inside = (entrance.entry & kCovered) != 0;
  const bool often =
      before >= threshold_ || (!is_inside && line_visits_.count(state.pc) > threshold_);
  entrance.rise();
  if (before != 0 && !often) return false;
  const Extent extent = is_inside ? Extent::Block : Extent::Region;
  const CodeCache::Query query{l1, l1_bytes_, state.pc, extent, state.x, heads_};
  const Unit* unit =
      often ? cache_->find_or_translate(*shelf_, query) : cache_->find(*shelf_, query);
  if (unit == nullptr) {
    // Once more from the second visit on.
    entrance.set_times(1);
    if (often) line_visits_.forget(state.pc, state.pc + 4);
    return false;
  }
  entrance.set_times(0);  // what is written there next is asked about at once
  install(*unit);
  return true;
}

void Translations::install(const Unit& unit) {
  fresh_lines_.clear();
  for (const Unit::Piece& piece : unit.pieces)
    for (u32 at = piece.pc >> L1::kLineShift << L1::kLineShift; at < piece.pc + piece.count * 4;
         at += 1u << L1::kLineShift)
      if (fresh_lines_.empty() || fresh_lines_.back() != at) fresh_lines_.push_back(at);
  forget(unit);
  installed_.push_back({unit.begin(), unit.end(), &unit});
}

}  // namespace bhemu::riscv::jit
