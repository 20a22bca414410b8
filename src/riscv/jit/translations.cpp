#include "riscv/jit/translations.hpp"

#include "mem/l1.hpp"

namespace bhemu::riscv::jit {

Translations::Translations(std::shared_ptr<CodeCache> cache, u32 l1_bytes)
    : cache_(std::move(cache)),
      l1_bytes_(l1_bytes),
      threshold_(cache_->options().threshold),
      table_(Mapping::anonymous(l1_bytes)) {
  change_shelf();
}

void Translations::change_shelf() {
  drop();
  // In this order: a shelf that is begun in between is noticed the next time.
  shelf_generation_ = cache_->generation();
  shelf_ = cache_->shelf();
}

void Translations::drop() {
  for (const Unit* unit : installed_)
    for (const Unit::Piece& piece : unit->pieces)
      for (u32 i = 0; i < piece.count; ++i) table()[piece.pc / 4 + i] = 0;
  installed_.clear();
  ++generation_;
}

bool Translations::visit(const CoreState& state, const u8* l1) {
  u32& entry = table()[state.pc / 4];
  if ((entry & kVisitsMask) / kVisit < threshold_) {
    entry += kVisit;
    return false;
  }
  const Extent extent = (entry & kCovered) != 0 ? Extent::Block : Extent::Region;
  const Unit* unit = cache_->find_or_translate(*shelf_, l1, l1_bytes_, state.pc, extent, state.x);
  if (unit == nullptr) {
    entry &= ~kVisitsMask;
    return false;
  }
  install(*unit);
  return true;
}

void Translations::install(const Unit& unit) {
  fresh_lines_.clear();
  for (const Unit::Piece& piece : unit.pieces) {
    for (u32 i = 0; i < piece.count; ++i) {
      u32& entry = table()[piece.pc / 4 + i];
      const u32 line = (piece.pc + i * 4) >> L1::kLineShift << L1::kLineShift;
      if (fresh_lines_.empty() || fresh_lines_.back() != line) fresh_lines_.push_back(line);
      if (i == 0)
        entry = kCompiled | piece.offset;
      else if ((entry & (kCompiled | kCovered)) == 0)
        entry = kCovered | (piece.count - i);
    }
  }
  installed_.push_back(&unit);
}

Leave Translations::enter(Context& context) {
  const u8* const code = shelf_->arena->code();
  context.table = table();
  context.code = code;
  context.leave = code + shelf_->leave;
  context.generation = &generation_;
  using Enter = u32 (*)(Context*, const void*);
  const auto enter =
      reinterpret_cast<Enter>(reinterpret_cast<std::uintptr_t>(code) + shelf_->enter);
  const u32 block = at(context.state->pc) & ~kCompiled;
  ++depth_;
  const Leave leave = static_cast<Leave>(enter(&context, code + block));
  --depth_;
  return leave;
}

}  // namespace bhemu::riscv::jit
