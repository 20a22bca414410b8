#include "riscv/lines.hpp"

#include <algorithm>
#include <bit>
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

// The interpreter writes two words at either end.
constexpr u32 kMostCleared = 4;

// Pages are made for so many lines at a time.
constexpr u32 kMadeAtOnce = 64 * 1024 / sizeof(DecodedLine);

/// How many of at most `most` stores of zero go to words that follow one another, in either
/// direction: compilers clear memory in loops that they unroll. 1: no two do.
u32 cleared_words(const Decoded* entries, u32 most) {
  const auto clears = [](const Decoded& e) {
    return static_cast<Op>(e.op) == Op::sw && e.rs2 == 0;
  };
  if (most < 2 || !clears(entries[0]) || !clears(entries[1])) return 1;
  const i32 step = entries[1].imm - entries[0].imm;
  if (step != 4 && step != -4) return 1;
  u32 count = 1;
  while (count < most && clears(entries[count]) && entries[count].rs1 == entries[0].rs1 &&
         entries[count].imm == entries[count - 1].imm + step)
    ++count;
  return count;
}

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
  for (u32 i = 0; i < kLineWords; ++i) made.entries[i] = decode(made.words[i], address + 4 * i);
  for (u32 i = 0; i < kLineWords;) {
    Decoded& entry = made.entries[i];
    // Up to the next head of a loop.
    const u32 most =
        static_cast<u32>(std::countr_zero((contents.heads | 1u << kLineWords) >> (i + 1)));
    const u32 count = cleared_words(&entry, std::min(most + 1, kMostCleared));
    if (count > 1) {
      entry.op = static_cast<u8>(Op::clear_words);
      entry.rd = static_cast<u8>(count);
    }
    i += count;
  }
  for (u32 i = 0; i < kLineWords; ++i) {
    Decoded& entry = made.entries[i];
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

bool CodeLines::decode(u32 pc, const u8* l1) {
  const u32 address = pc & ~(kLineBytes - 1);
  // What follows is decoded next, and of a tile that starts it is in no cache.
  __builtin_prefetch(l1 + address + kLineBytes);
  const bool adopted = adopt_heads(address, l1);
  const LineShelf::Contents contents{l1 + address, heads_.in_line(address, l1)};
  u32 place;
  while ((place = cache_->place(*shelf_, address, contents)) == LineShelf::kFull) {
    forget_all();
    take_shelf();
  }
  places()[address / kLineBytes] = static_cast<u16>(place);
  return adopted;
}

bool CodeLines::adopt_known_heads(u32 address, const u8* l1) {
  bool any = false;
  cache_->loops().each_in(address, l1 + address, {epoch_end_ - 1, tile_},
                          [&](u32 head, LoopShape shape, KnownLoops::Round round) {
                            any |= heads_.adopt(head, shape, std::move(round), l1);
                          });
  if (any) forget(address);
  return any;
}

void CodeLines::tell_of_head(u32 pc, LoopShape shape, const u8* l1) {
  cache_->loops().tell(pc, shape, l1 + (pc & ~(kLineBytes - 1)), {epoch_end_, tile_});
}

void CodeLines::tell_of_wait(KnownLoops::Start start, Cycle after) {
  cache_->loops().tell_of_wait(start, after, {epoch_end_, tile_});
}

Cycle CodeLines::first_wait(KnownLoops::Start start, std::optional<Cycle> until) const {
  return cache_->loops().first_wait(start, until.value_or(epoch_end_ - 1));
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
