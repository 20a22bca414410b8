#include "riscv/known_loops.hpp"

#include <xxhash.h>

#include <cstring>
#include <utility>

namespace bhemu::riscv {
namespace {

/// Adds what was told, if there is room or something there was told later. The first ones stay, so
/// that nothing that is known goes while somebody may ask for it. `order(a) < order(b)`: a was told
/// first.
template <class Told, class Order>
void keep_first(std::vector<Told>& all, std::size_t most, Told fresh, Order order) {
  if (all.size() < most) return all.push_back(std::move(fresh));
  const auto last = std::max_element(
      all.begin(), all.end(), [&](const Told& a, const Told& b) { return order(a) < order(b); });
  if (order(fresh) < order(*last)) *last = std::move(fresh);
}

}  // namespace

void KnownLoops::tell(u32 head, LoopShape shape, const u8* words, Source source) {
  const u32 address = head & ~(kLineBytes - 1);
  const std::lock_guard lock(mutex_);
  std::vector<Entry>& line = lines_[address];
  const auto known = std::find_if(line.begin(), line.end(),
                                  [&](const Entry& entry) { return entry.is(head, words); });
  if (known != line.end()) {
    if (source < known->source) {
      known->source = source;
      known->shape = shape;
    }
    return;
  }
  Entry fresh{head, shape, {}, source, nullptr, {}};
  std::memcpy(fresh.words.data(), words, kLineBytes);
  keep_first(line, kMostInLine, std::move(fresh),
             [](const Entry& entry) { return std::pair(entry.source, entry.head); });
  const u32 index = address / kLineBytes;
  begins_[index / 64].fetch_or(u64{1} << index % 64, std::memory_order_relaxed);
}

void KnownLoops::tell(u32 head, const u8* words, const Round& round, Source source) {
  if (has_none_in(head)) return;
  const std::lock_guard lock(mutex_);
  for (Entry& entry : lines_[head & ~(kLineBytes - 1)])
    if (entry.is(head, words) && (entry.round == nullptr || source < entry.round_source)) {
      entry.round = round;
      entry.round_source = source;
      return;
    }
}

KnownLoops::Start KnownLoops::start_of(u32 pc, const u8* words) {
  return XXH3_64bits_withSeed(words, kLineBytes, pc);
}

void KnownLoops::tell_of_wait(Start start, Cycle after, Source source) {
  const FirstWait fresh{start, after, source};
  const std::lock_guard lock(mutex_);
  for (FirstWait& known : first_waits_)
    if (known.start == start) {
      if (source < known.source) known = fresh;
      return;
    }
  keep_first(first_waits_, kMostFirstWaits, fresh,
             [](const FirstWait& wait) { return std::pair(wait.source, wait.start); });
}

Cycle KnownLoops::first_wait(Start start, Cycle now) const {
  const std::lock_guard lock(mutex_);
  for (const FirstWait& known : first_waits_)
    if (known.start == start) return known.source.since <= now ? known.after : 0;
  return 0;
}

}  // namespace bhemu::riscv
