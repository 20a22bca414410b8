#include "trace/repeats.hpp"

#include <algorithm>

namespace bhemu::trace {
namespace {

/// Of all that makes two instructions the same. 64 bits: two that differ and look the same would
/// be the first ones ever met.
u64 hash_of(const Retired& retired) {
  constexpr u64 kPrime = 0x9E3779B97F4A7C15;
  u64 hash = kPrime;
  const auto mix = [&hash](u64 value) {
    hash = (hash ^ value) * kPrime;
    hash ^= hash >> 29;
  };
  const MemoryUse& memory = retired.memory;
  mix(u64{retired.pc} << 32 | retired.word);
  mix(u64{retired.value} << 32 | u64{retired.reg} << 8 | static_cast<u64>(retired.file));
  mix(u64{memory.address} << 32 | u64{memory.size} << 8 | u64{memory.load} << 1 | memory.store);
  mix(u64{memory.loaded} << 32 | memory.stored);
  return hash;
}

// Beyond what any question needs, a count stands still: a core that was skipped over a million
// rounds has the same counts as one that ran them.
constexpr u8 kMostEqual = Repeats::kLongest + 1;

}  // namespace

Repeats::Verdict Repeats::next(const Retired& retired, Cycle cycle) {
  Verdict verdict;
  if (cycle != last_ + 1) {
    verdict.ended = end();
    forget();
  }
  last_ = cycle;
  const u64 hash = hash_of(retired);
  for (unsigned p = 1; p <= kLongest; ++p) {
    const bool same = p <= known_ && recent_[p - 1] == hash;
    equal_[p] = same ? static_cast<u8>(std::min<unsigned>(equal_[p] + 1u, kMostEqual)) : u8{0};
  }
  std::copy_backward(recent_.begin(), recent_.end() - 1, recent_.end());
  recent_[0] = hash;
  known_ = std::min(known_ + 1, kLongest);
  if (period_ != 0 && equal_[period_] != 0) {
    ++left_out_;
    verdict.left_out = true;
    return verdict;
  }
  if (period_ != 0) verdict.ended = end();
  for (unsigned p = 1; p <= kLongest; ++p) {
    if (equal_[p] < p + 1) continue;
    period_ = p;
    left_out_ = 1;
    first_ = cycle;
    verdict.left_out = true;
    break;
  }
  return verdict;
}

std::optional<Repeated> Repeats::end() {
  if (period_ == 0) return std::nullopt;
  const Repeated repeated{period_, left_out_, first_};
  period_ = 0;
  return repeated;
}

void Repeats::forget() {
  known_ = 0;
  equal_.fill(0);
}

}  // namespace bhemu::trace
