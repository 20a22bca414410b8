#include "riscv/lines.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "mem/pages.hpp"
#include "riscv/decode.hpp"
#include "riscv/isa.hpp"

namespace bhemu::riscv {
namespace {

constexpr u32 kPlaces = kL1Size / kLineBytes;
// Of the contents that have stood at an address one after the other, so many may come back.
constexpr unsigned kLookedAt = 32;
constexpr u32 kMostPlaces = 1u << 16;  // a place has 16 bits
static_assert(kPlaces + 1 <= kMostPlaces && LineCache::kLines <= kMostPlaces);
constexpr Decoded kNextLine{static_cast<u8>(Op::next_line), 0, 0, 0, 0};

// Pages are made for so many lines at a time.
constexpr u32 kMadeAtOnce = 64 * 1024 / sizeof(DecodedLine);

}  // namespace

LineShelf::LineShelf(u32 capacity)
    : memory_(Mapping::anonymous(u64{capacity} * sizeof(DecodedLine))),
      latest_(Mapping::anonymous(u64{kPlaces} * sizeof(std::atomic<u32>))),
      capacity_(capacity) {}

u32 LineShelf::find(u32 address, Contents contents) const {
  u32 place = latest(address).load(std::memory_order_acquire);
  for (unsigned i = 0; place != 0 && i < kLookedAt; ++i) {
    const DecodedLine& known = line(place);
    if (known.heads == contents.heads &&
        std::memcmp(known.words.data(), contents.words, kLineBytes) == 0)
      return place;
    place = known.earlier;
  }
  return 0;
}

u32 LineShelf::add(u32 address, Contents contents) {
  if (count_ == capacity_) return kFull;
  if (count_ % kMadeAtOnce == 0 || count_ == 1)
    make_pages(&line(count_), std::min(kMadeAtOnce, capacity_ - count_) * sizeof(DecodedLine));
  const u32 place = count_++;
  DecodedLine& made = line(place);
  std::memcpy(made.words.data(), contents.words, kLineBytes);
  made.heads = contents.heads;
  for (u32 i = 0; i < kLineWords; ++i) {
    Decoded& entry = made.entries[i];
    entry = decode(made.words[i], address + 4 * i);
    made.own_ops[i] = entry.op;
    if (bit(u32{contents.heads}, i)) entry.op = static_cast<u8>(Op::loop_head);
  }
  made.entries[kLineWords] = kNextLine;
  made.earlier = latest(address).load(std::memory_order_relaxed);
  latest(address).store(place, std::memory_order_release);
  return place;
}

LineCache::LineCache(u32 lines) : lines_(lines), shelf_(std::make_shared<LineShelf>(lines)) {
  CHECK(lines >= 2 && lines <= kMostPlaces);  // a shelf holds at least the line that is asked for
}

std::shared_ptr<LineShelf> LineCache::shelf() {
  const std::lock_guard lock(mutex_);
  return shelf_;
}

u32 LineCache::place(LineShelf& shelf, u32 address, LineShelf::Contents contents) {
  if (const u32 known = shelf.find(address, contents); known != 0) return known;
  const std::lock_guard lock(mutex_);
  if (shelf_.get() != &shelf) return LineShelf::kFull;  // another tile has begun a new one
  // It may have been added since.
  if (const u32 known = shelf.find(address, contents); known != 0) return known;
  const u32 place = shelf.add(address, contents);
  if (place == LineShelf::kFull) shelf_ = std::make_shared<LineShelf>(lines_);
  return place;
}

CodeLines::CodeLines(std::shared_ptr<LineCache> cache, NodeId tile, Arena* arena)
    : cache_(std::move(cache)),
      tile_(tile),
      places_(Mapping::in_pages_of(arena, nullptr, u64{kPlaces} * sizeof(u16))) {
  // The first page is that of the first 128 KiB; a look at it before would make it twice.
  make_pages(places_.data(), 1);
  table_.places = places();
  take_shelf();
}

void CodeLines::take_shelf() {
  shelf_ = cache_->shelf();
  table_.blocks = shelf_->blocks();
}

void CodeLines::decode(u32 pc, const u8* l1) {
  const u32 address = pc & ~(kLineBytes - 1);
  // What follows is decoded next, and of a tile that starts it is in no cache.
  __builtin_prefetch(l1 + address + kLineBytes);
  adopt_heads(address, l1);
  const LineShelf::Contents contents{l1 + address, heads_.in_line(address, l1)};
  u32 place;
  while ((place = cache_->place(*shelf_, address, contents)) == LineShelf::kFull) {
    forget_all();
    take_shelf();
  }
  places()[address / kLineBytes] = static_cast<u16>(place);
}

bool CodeLines::adopt_known_heads(u32 address, const u8* l1) {
  bool any = false;
  cache_->loops().each_in(address, l1 + address, {epoch_begin_, tile_},
                          [&](u32 head, Cycle period, KnownLoops::Round round) {
                            any |= heads_.adopt(head, period, std::move(round), l1);
                          });
  if (any) forget(address);
  return any;
}

void CodeLines::tell_of_head(u32 pc, Cycle period, const u8* l1) {
  cache_->loops().tell(pc, period, l1 + (pc & ~(kLineBytes - 1)), {epoch_end_, tile_});
}

void CodeLines::learn_round(u32 head, const std::optional<KnownRound>& round, const u8* l1) {
  const auto shared = round ? std::make_shared<const KnownRound>(*round) : nullptr;
  if (shared != nullptr)
    cache_->loops().tell(head, l1 + (head & ~(kLineBytes - 1)), shared, {epoch_end_, tile_});
  heads_.learn(head, shared);
}

OwnLines::OwnLines()
    : places_(Mapping::anonymous(u64{kPlaces} * sizeof(u16))),
      blocks_(Mapping::anonymous(u64{kPlaces + 1} * kLineStride * sizeof(Decoded))) {
  table_.places = reinterpret_cast<const u16*>(places_.data());
  table_.blocks = reinterpret_cast<const Decoded*>(blocks_.data());
}

Decoded* OwnLines::block(u32 pc) const {
  return reinterpret_cast<Decoded*>(blocks_.data()) + (pc / kLineBytes + 1) * kLineStride;
}

void OwnLines::decode(u32 pc, const u8* l1) {
  u32 word;
  std::memcpy(&word, l1 + pc, sizeof word);
  Decoded* const entries = block(pc);
  entries[pc % kLineBytes / 4] = riscv::decode(word, pc);
  entries[kLineWords] = kNextLine;
  reinterpret_cast<u16*>(places_.data())[pc / kLineBytes] = static_cast<u16>(pc / kLineBytes + 1);
}

void OwnLines::forget(u32 pc) {
  block(pc)[pc % kLineBytes / 4] = {};
}

}  // namespace bhemu::riscv
