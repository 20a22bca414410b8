#include "riscv/jit/cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "riscv/jit/translate.hpp"

namespace bhemu::riscv::jit {
namespace {

// Of the programs that have stood at an address one after the other, so many of the latest may come
// back.
constexpr std::size_t kLookedAt = 32;

u64 key_of(u32 l1_bytes, u32 pc, Extent extent) {
  return u64{l1_bytes} << 32 | pc | static_cast<u64>(extent);
}

const Unit* known_of(const Shelf& shelf, const CodeCache::Query& query) {
  const auto at = shelf.units.find(key_of(query.l1_bytes, query.pc, query.extent));
  if (at == shelf.units.end()) return nullptr;
  const auto& units = at->second;
  for (std::size_t i = units.size(); i-- > units.size() - std::min(kLookedAt, units.size());)
    if (units[i]->matches(query.l1) &&
        (query.heads == nullptr || !units[i]->has_any_of(*query.heads, query.l1)))
      return units[i].get();
  return nullptr;
}

}  // namespace

bool Unit::covers(u32 address, u32 bytes) const {
  for (const Piece& piece : pieces)
    if (piece.pc < address + bytes && address < piece.pc + piece.count * 4) return true;
  return false;
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
  if (shelf.has_none_at(query.pc)) return nullptr;
  const std::lock_guard lock(mutex_);
  return known_of(shelf, query);
}

const Unit* CodeCache::find_or_translate(Shelf& shelf, const Query& query) {
  const std::lock_guard lock(mutex_);
  if (const Unit* known = known_of(shelf, query)) return known;
  const std::vector<Block> blocks =
      find_blocks(query.l1, query.l1_bytes, query.pc, query.extent, query.heads);
  if (blocks.empty()) return nullptr;
  const Translated translated = translate(blocks, query.l1_bytes, query.x);
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
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const u32 count = static_cast<u32>(blocks[i].code.size());
    unit->pieces.push_back({blocks[i].pc, count, at + translated.heads[i]});
    const std::size_t first = unit->words.size();
    unit->words.resize(first + count);
    std::memcpy(&unit->words[first], query.l1 + blocks[i].pc, count * 4);
  }
  translated_.fetch_add(1, std::memory_order_relaxed);
  auto& units = shelf.units[key_of(query.l1_bytes, query.pc, query.extent)];
  units.push_back(std::move(unit));
  shelf.note_begin(query.pc);
  return units.back().get();
}

}  // namespace bhemu::riscv::jit
