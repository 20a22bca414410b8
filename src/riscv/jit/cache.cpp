#include "riscv/jit/cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "riscv/jit/context.hpp"

namespace bhemu::riscv::jit {
namespace {

// Of the programs that have stood at an address one after the other, so many of the latest may come
// back.
constexpr std::size_t kLookedAt = 32;
// Of those that merely have words in the same line.
constexpr std::size_t kWalkedOver = 256;

const Unit* known_of(const Shelf& shelf, const CodeCache::Query& query) {
  const bool in_block = query.extent == Extent::Block;
  const auto& units_at = in_block ? shelf.blocks : shelf.regions;
  const auto at = units_at.find(in_block ? query.pc : Shelf::line_of(query.pc));
  if (at == units_at.end()) return nullptr;
  const std::vector<const Unit*>& units = at->second;
  std::size_t looked_at = 0;
  const std::size_t last = units.size() - std::min(kWalkedOver, units.size());
  for (std::size_t i = units.size(); i-- > last && looked_at < kLookedAt;) {
    const Unit& unit = *units[i];
    if (unit.l1_bytes != query.l1_bytes || !unit.covers(query.pc, 4)) continue;
    ++looked_at;
    if (unit.matches(query.l1) &&
        (query.heads == nullptr || !unit.has_any_of(*query.heads, query.l1)))
      return &unit;
  }
  return nullptr;
}

}  // namespace

bool Unit::covers(u32 address, u32 bytes) const {
  for (const Piece& piece : pieces)
    if (piece.pc < address + bytes && address < piece.pc + piece.count * 4) return true;
  return false;
}

u32 Unit::entry_of(u32 pc) const {
  const auto behind =
      std::upper_bound(pieces.begin(), pieces.end(), pc,
                       [](u32 wanted, const Piece& piece) { return wanted < piece.pc; });
  if (behind == pieces.begin()) return 0;
  const Piece& piece = *std::prev(behind);
  if (pc == piece.pc) return kCompiled | piece.offset;
  return pc < piece.pc + piece.count * 4 ? kCovered | steps[piece.first + (pc - piece.pc) / 4] : 0;
}

bool Unit::matches(const u8* l1) const {
  const u32* word = words.data();
  for (const Piece& piece : pieces) {
    if (std::memcmp(l1 + piece.pc, word, piece.count * 4) != 0) return false;
    word += piece.count;
  }
  return true;
}

bool Unit::has_any_of(const LoopHeads& heads, const u8* l1) const {
  return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
    return heads.has_any_in(piece.pc, piece.count * 4, l1);
  });
}

void Shelf::add(std::unique_ptr<Unit> unit, Extent extent) {
  const Unit* const added = units.emplace_back(std::move(unit)).get();
  if (extent == Extent::Block) {
    blocks[added->begin()].push_back(added);
    return;
  }
  for (const Unit::Piece& piece : added->pieces)
    for (u32 line = line_of(piece.pc); line <= line_of(piece.pc + piece.count * 4 - 4); ++line) {
      std::vector<const Unit*>& in_line = regions[line];
      if (in_line.empty() || in_line.back() != added) in_line.push_back(added);
      const u32 bit = scatter(line, kLineBits);
      lines[bit / 64].fetch_or(u64{1} << bit % 64, std::memory_order_relaxed);
    }
}

Options Options::from_environment() {
  Options options;
  const char* value = std::getenv("BHEMU_JIT");
  const std::string_view wanted = value == nullptr ? "" : value;
  if (wanted == "off" || wanted == "0") options.enabled = false;
  if (wanted == "hot") options.threshold = 0;
  return options;
}

std::shared_ptr<CodeCache> CodeCache::create(const Options& options) {
  if (!options.enabled || !can_translate()) return nullptr;
  std::shared_ptr<CodeCache> cache(new CodeCache(options));
  cache->shelf_ = cache->make_shelf();
  return cache->shelf_ == nullptr ? nullptr : cache;
}

std::shared_ptr<Shelf> CodeCache::make_shelf() const {
  auto shelf = std::make_shared<Shelf>();
  shelf->arena = Arena::create(options_.arena_bytes);
  if (shelf->arena == nullptr) return nullptr;
  const Gate gate = make_gate();
  const u32 at = shelf->arena->append(gate.code);
  if (at == Arena::kFull) return nullptr;
  shelf->enter = at + gate.enter;
  shelf->leave = at + gate.leave;
  return shelf;
}

std::shared_ptr<Shelf> CodeCache::shelf() {
  const std::lock_guard lock(mutex_);
  return shelf_;
}

const Unit* CodeCache::find(const Shelf& shelf, const Query& query) {
  if (query.extent == Extent::Region && shelf.has_none_near(query.pc)) return nullptr;
  const std::lock_guard lock(mutex_);
  return known_of(shelf, query);
}

const Unit* CodeCache::find_or_translate(Shelf& shelf, const Query& query) {
  const std::lock_guard lock(mutex_);
  if (const Unit* known = known_of(shelf, query)) return known;
  const std::vector<Block> blocks =
      find_blocks(query.l1, query.l1_bytes, query.pc, query.extent, query.heads);
  if (blocks.empty()) return nullptr;
  const Translated translated = translator_.translate(blocks, query.l1_bytes, query.x);
  const u32 at = shelf.arena->append(translated.code);
  if (at == Arena::kFull) {
    if (shelf_.get() != &shelf) return nullptr;  // another tile has begun the new one
    auto fresh = make_shelf();
    if (fresh == nullptr) return nullptr;
    shelf_ = std::move(fresh);
    generation_.fetch_add(1, std::memory_order_release);
    return nullptr;
  }
  auto unit = std::make_unique<Unit>();
  unit->l1_bytes = query.l1_bytes;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const u32 count = static_cast<u32>(blocks[i].code.size());
    const u32 first = static_cast<u32>(unit->words.size());
    unit->pieces.push_back({blocks[i].pc, count, at + translated.heads[i], first});
    unit->words.resize(first + count);
    std::memcpy(&unit->words[first], query.l1 + blocks[i].pc, count * 4);
  }
  for (const u32 step : translated.steps) unit->steps.push_back(at + step);
  translated_.fetch_add(1, std::memory_order_relaxed);
  const Unit* const made = unit.get();
  shelf.add(std::move(unit), query.extent);
  return made;
}

}  // namespace bhemu::riscv::jit
