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

Translations::Translations(std::shared_ptr<CodeCache> cache, u32 l1_bytes, bhemu::Arena* arena,
                           const LoopHeads* heads)
    : cache_(std::move(cache)),
      l1_bytes_(l1_bytes),
      table_(Mapping::in_pages_of(arena, nullptr, l1_bytes)),
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

void Translations::drop() {
  for (const Installed& installed : installed_) unmark(*installed.unit);
  installed_.clear();
  ++generation_;
}

void Translations::drop_made_from(u32 address, u32 bytes) {
  u32 begin = l1_bytes_;
  u32 end = 0;
  const auto goes = [&](const Installed& installed) {
    if (!installed.overlaps(address, address + bytes) || !installed.unit->covers(address, bytes))
      return false;
    unmark(*installed.unit);
    begin = std::min(begin, installed.begin);
    end = std::max(end, installed.end);
    return true;
  };
  std::erase_if(installed_, goes);
  // Those that stay may have had words in common with those that went.
  for (const Installed& installed : installed_)
    if (installed.overlaps(begin, end)) mark(*installed.unit);
  ++generation_;
}

void Translations::mark(const Unit& unit) {
  entrances_.forget(unit.begin(), unit.end());
  const u32* steps = unit.steps.data();
  for (const Unit::Piece& piece : unit.pieces) {
    for (u32 page = piece.pc / kCodeOfPage; page <= (piece.pc + piece.count * 4 - 1) / kCodeOfPage;
         ++page)
      marked_[page / 64] |= u64{1} << page % 64;
    for (u32 i = 0; i < piece.count; ++i) {
      u32& entry = table()[piece.pc / 4 + i];
      if (i == 0)
        entry = kCompiled | piece.offset;
      else if ((entry & (kCompiled | kCovered)) == 0)
        entry = kCovered | steps[i];
    }
    steps += piece.count;
  }
}

void Translations::unmark(const Unit& unit) {
  entrances_.forget(unit.begin(), unit.end());
  for (const Unit::Piece& piece : unit.pieces) std::fill_n(table() + piece.pc / 4, piece.count, 0);
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
    if (often) line_visits_.forget(state.pc);
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
  mark(unit);
  installed_.push_back({unit.begin(), unit.end(), &unit});
}

}  // namespace bhemu::riscv::jit
