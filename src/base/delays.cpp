#include "base/delays.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace bhemu {
namespace {

/// splitmix64's finalizer: every bit of the key decides about every bit of the draw.
u64 mixed(u64 key) {
  key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9u;
  key = (key ^ (key >> 27)) * 0x94D049BB133111EBu;
  return key ^ (key >> 31);
}

/// How often, of 256 times, an agent has a delay of a kind under a seed. Seeds under which some are
/// always late and others never find more than such as disturb everybody a little.
u64 frequency(u64 character) {
  constexpr std::array<u64, 8> kOften = {0, 0, 0, 8, 32, 96, 192, 256};
  return kOften[character % kOften.size()];
}

/// Small delays are as likely as great ones: the bands in which a race shows may be narrow.
u32 length(u64 random, u32 most) {
  const u32 limit = std::max<u32>(1, most >> (random % 8));
  return 1 + static_cast<u32>((random >> 8) % limit);
}

}  // namespace

const std::array<DelayRow, kDelayKinds> kDelayRows = {{
#define DELAY(Name, word, usual, most, evidence, what, source) \
  {word, usual, most, Evidence::evidence, what, source},
#include "base/delays.def"
#undef DELAY
}};

DelayKind delay_kind_named(std::string_view word) {
  for (unsigned i = 0; i < kDelayKinds; ++i)
    if (word == kDelayRows[i].word) return static_cast<DelayKind>(i);
  return DelayKind::Count;
}

u32 Delays::cycles_of(const Delay& place, u32 usual, u32 most) const {
  switch (plan_->source) {
    case DelayPlan::Source::List: {
      const auto found =
          std::lower_bound(plan_->list.begin(), plan_->list.end(), place.key(),
                           [](const Delay& one, u64 key) { return one.key() < key; });
      const bool there = found != plan_->list.end() && found->key() == place.key();
      return there ? std::min(found->cycles, most) : 0;
    }
    case DelayPlan::Source::Greatest:
      return usual;
    case DelayPlan::Source::Seed:
      break;
  }
  if (most == 0) return 0;
  const u64 seed = mixed(plan_->seed + 0x9E3779B97F4A7C15u);
  const u64 occurrence = place.occurrence;
  if (mixed(mixed(seed ^ place.key()) + 1) % 256 >=
      frequency(mixed(seed ^ (place.key() - occurrence))))
    return 0;
  const u64 random = mixed(mixed(seed ^ place.key()) + 2);
  constexpr u64 kBurst = 16;  // one in so many
  return length(random >> 8, random % kBurst == 0 ? most : usual);
}

u32 Delays::draw(DelayKind kind, Agent agent, u32 where, Cycle now) {
  return draw(kind, agent, where, now, row_of(kind).usual, row_of(kind).most);
}

u32 Delays::draw(DelayKind kind, Agent agent, u32 where, Cycle now, u32 usual, u32 most) {
  Delay place;
  place.node = node_;
  place.agent = agent;
  place.kind = kind;
  place.occurrence = counts_[static_cast<unsigned>(agent)][static_cast<unsigned>(kind)]++;
  place.where = where;
  place.at = now;
  place.most = most;
  place.cycles = cycles_of(place, usual, most);
  CHECK(place.cycles <= most);
  if (plan_->notes && (place.cycles != 0 || plan_->places)) notes_.push_back(place);
  return place.cycles;
}

}  // namespace bhemu
