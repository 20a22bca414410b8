#include "host/hunt/delay_hunt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace bhemu::host {
namespace {

// Runs whose results are looked at together. It decides what is found first, so it is a constant
// and does not follow the number of processes.
constexpr size_t kBatch = 16;
constexpr u64 kSeeds = 128;
constexpr unsigned kGridStages = 4;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// splitmix64.
class Random {
 public:
  explicit Random(u64 seed) : state_(seed) {}
  u64 next() {
    u64 key = state_ += 0x9E3779B97F4A7C15u;
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9u;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EBu;
    return key ^ (key >> 31);
  }
  u64 below(u64 limit) { return next() % limit; }

 private:
  u64 state_;
};

void sort_by_key(std::vector<Delay>& delays) {
  std::sort(delays.begin(), delays.end(),
            [](const Delay& a, const Delay& b) { return a.key() < b.key(); });
}

DelayPlan plan_of(std::vector<Delay> delays) {
  DelayPlan plan;
  plan.list = std::move(delays);
  plan.notes = true;
  sort_by_key(plan.list);
  return plan;
}

DelayPlan with_cycles(const Delay& place, u64 cycles) {
  Delay delay = place;
  delay.cycles = static_cast<u32>(std::min<u64>(cycles, place.most));
  return plan_of({delay});
}

/// Where a word, a store or a request waits for nothing but time: the sites of a grid.
bool is_site(const Delay& place) {
  return place.most != 0 && place.kind != DelayKind::Push && place.kind != DelayKind::Answer;
}

}  // namespace

bool differs(const Verdict& verdict, const Verdict& undisturbed) {
  return verdict.status != undisturbed.status || verdict.result != undisturbed.result;
}

DelayHunt::DelayHunt(Attempts attempts, HuntLimits limits)
    : attempts_(std::move(attempts)), limits_(limits), began_(now()) {}

bool DelayHunt::is_late() const {
  return now() - began_ >= limits_.seconds;
}
bool DelayHunt::is_over() const {
  return runs_ >= limits_.runs || is_late();
}

std::vector<Verdict> DelayHunt::make(std::span<const DelayPlan> plans) {
  runs_ += plans.size();
  return attempts_(plans);
}

const Verdict& DelayHunt::undisturbed() {
  if (!undisturbed_) {
    DelayPlan plan = plan_of({});
    plan.places = true;
    undisturbed_ = make(std::span(&plan, 1)).front();
  }
  return *undisturbed_;
}

/// True: one of them did it; `found_` says which.
bool DelayHunt::tries(const std::string& strategy, std::vector<DelayPlan> plans) {
  if (progress_ && !plans.empty()) progress_(fmt::format("{} ({} runs)", strategy, plans.size()));
  for (size_t begin = 0; begin < plans.size() && !is_over(); begin += kBatch) {
    const size_t count = std::min(kBatch, plans.size() - begin);
    const std::vector<Verdict> verdicts = make(std::span(plans).subspan(begin, count));
    for (size_t i = 0; i < count; ++i) {
      if (!differs(verdicts[i], *undisturbed_)) continue;
      found_ = Found{plan_of(verdicts[i].delays), strategy};
      wanted_ = verdicts[i];
      return true;
    }
  }
  return false;
}

/// Everything as late as is usual, then the kinds one by one: whoever waits for too little has
/// nothing left to be lucky with.
std::vector<DelayPlan> DelayHunt::late_producers() const {
  std::vector<DelayPlan> plans;
  DelayPlan all;
  all.source = DelayPlan::Source::Greatest;
  all.notes = true;
  plans.push_back(all);
  for (unsigned kind = 0; kind < kDelayKinds; ++kind) {
    std::vector<Delay> delays;
    for (Delay place : undisturbed_->delays) {
      if (static_cast<unsigned>(place.kind) != kind || place.most == 0) continue;
      const u32 usual = row_of(place.kind).usual;
      place.cycles = usual == 0 ? place.most : std::min<u32>(usual, place.most);
      delays.push_back(place);
    }
    if (!delays.empty()) plans.push_back(plan_of(std::move(delays)));
  }
  return plans;
}

/// What came first in a run is held until the other has been: by one delay near it, by several, and
/// by one while what was seen late on cards (banks, slots, records) is late everywhere.
std::vector<DelayPlan> DelayHunt::flips(std::span<const Suspect> suspects) const {
  constexpr size_t kNearest = 6;
  std::vector<Delay> seen;
  for (Delay place : undisturbed_->delays) {
    if (place.kind != DelayKind::Bank && place.kind != DelayKind::MacroStore) continue;
    place.cycles = place.most;
    seen.push_back(place);
  }
  std::vector<DelayPlan> plans;
  for (const Suspect& suspect : suspects) {
    std::vector<Delay> places;
    for (const Delay& place : undisturbed_->delays) {
      if (place.node != suspect.node || place.most == 0) continue;
      const bool itself = place.agent == suspect.agent && place.where == suspect.where;
      const bool push = suspect.pushed_at != 0 && place.where == suspect.pushed_at;
      const bool start = place.kind == DelayKind::Start && place.agent == suspect.agent;
      if (itself || push || start) places.push_back(place);
    }
    const auto distance = [&suspect](const Delay& place) {
      return place.at > suspect.first ? place.at - suspect.first : suspect.first - place.at;
    };
    std::stable_sort(places.begin(), places.end(),
                     [&](const Delay& a, const Delay& b) { return distance(a) < distance(b); });
    if (places.size() > kNearest) places.resize(kNearest);
    const u64 gap = suspect.second > suspect.first ? suspect.second - suspect.first : 0;
    std::vector<Delay> together = places;
    for (Delay& place : together) place.cycles = place.most;
    if (!together.empty()) plans.push_back(plan_of(together));
    for (const u64 cycles : {gap + 4, gap + 40, u64{row_of(DelayKind::Start).most}})
      for (const Delay& place : places) {
        plans.push_back(with_cycles(place, cycles));
        if (seen.empty()) continue;
        DelayPlan both = plan_of(seen);
        both.list.push_back(plans.back().list.front());
        sort_by_key(both.list);
        plans.push_back(std::move(both));
      }
  }
  return plans;
}

std::vector<DelayPlan> DelayHunt::seeds(u64 first, u64 count) const {
  std::vector<DelayPlan> plans;
  for (u64 i = 0; i < count; ++i) {
    DelayPlan plan;
    plan.source = DelayPlan::Source::Seed;
    plan.seed = limits_.seed + first + i;
    plan.notes = true;
    plans.push_back(plan);
  }
  return plans;
}

/// One delay at one site at a time, long ones first, then ever finer, as TT-NOP does it.
std::vector<DelayPlan> DelayHunt::grid(unsigned stage) const {
  static constexpr u32 kStages[kGridStages][6] = {
      {2000, 100, 0}, {1, 2, 4, 0}, {500, 52, 28, 10, 0}, {16, 22, 40, 64, 76, 88}};
  std::vector<DelayPlan> plans;
  for (const u32 cycles : kStages[stage]) {
    if (cycles == 0) break;
    for (const Delay& place : undisturbed_->delays)
      if (is_site(place) && (cycles <= place.most || stage == 0))
        plans.push_back(with_cycles(place, cycles));
  }
  return plans;
}

/// Agents in a random order of importance, the last the latest, with one or two changes at random
/// sites (probabilistic concurrency testing).
std::vector<DelayPlan> DelayHunt::priorities(u64 round) const {
  constexpr unsigned kPlans = 64;
  Random random(limits_.seed * 1000003 + round);
  std::vector<const Delay*> starts, sites;
  for (const Delay& place : undisturbed_->delays) {
    if (place.kind == DelayKind::Start) starts.push_back(&place);
    if (is_site(place)) sites.push_back(&place);
  }
  std::vector<DelayPlan> plans;
  for (unsigned i = 0; i < kPlans && !sites.empty(); ++i) {
    std::vector<Delay> delays;
    for (const Delay* start : starts) {
      delays.push_back(*start);
      delays.back().cycles = static_cast<u32>(random.below(start->most + 1) >> random.below(6));
    }
    const u64 changes = 1 + random.below(3);
    for (u64 j = 0; j < changes; ++j) {
      Delay site = *sites[random.below(sites.size())];
      site.cycles = 1 + static_cast<u32>(random.below(site.most) >> random.below(8));
      const auto same = [&site](const Delay& one) { return one.key() == site.key(); };
      if (std::none_of(delays.begin(), delays.end(), same)) delays.push_back(site);
    }
    std::erase_if(delays, [](const Delay& one) { return one.cycles == 0; });
    plans.push_back(plan_of(std::move(delays)));
  }
  return plans;
}

std::optional<Catch> DelayHunt::search(std::span<const Suspect> suspects) {
  undisturbed();
  const auto found = [&] {
    if (tries("late producers", late_producers())) return true;
    if (tries("flips of the race detector's findings", flips(suspects))) return true;
    // What takes several delays and what takes one short one are looked for in turns.
    for (u64 round = 0; !is_over(); ++round) {
      if (tries("seeds", seeds(kSeeds * round, kSeeds))) return true;
      if (round < kGridStages && tries("grid of single delays", grid(static_cast<unsigned>(round))))
        return true;
      if (tries("priorities", priorities(round))) return true;
    }
    return false;
  };
  if (!found()) return std::nullopt;
  return shrink();
}

/// The same end; of results that are only other ones, any.
bool DelayHunt::does_it(const Verdict& verdict) const {
  return verdict.status == wanted_.status && differs(verdict, *undisturbed_);
}

/// Zeller's ddmin: leaves away as much as it can, in ever smaller portions. What it has when the
/// time is over does it, too.
std::vector<Delay> DelayHunt::smaller(std::vector<Delay> delays) {
  size_t portions = 2;
  while (delays.size() >= 2 && !is_late()) {
    portions = std::min(portions, delays.size());
    std::vector<std::vector<Delay>> choices;
    const auto bounds = [&](size_t i) { return delays.size() * i / portions; };
    for (const bool complement : {false, true})
      for (size_t i = 0; i < portions; ++i) {
        std::vector<Delay> choice;
        for (size_t at = 0; at < delays.size(); ++at)
          if ((at >= bounds(i) && at < bounds(i + 1)) != complement) choice.push_back(delays[at]);
        if (choice.size() < delays.size()) choices.push_back(std::move(choice));
      }
    bool shrunk = false;
    for (size_t begin = 0; begin < choices.size() && !shrunk && !is_late(); begin += kBatch) {
      std::vector<DelayPlan> plans;
      for (size_t i = begin; i < std::min(begin + kBatch, choices.size()); ++i)
        plans.push_back(plan_of(choices[i]));
      const std::vector<Verdict> verdicts = make(plans);
      for (size_t i = 0; i < verdicts.size() && !shrunk; ++i) {
        if (!does_it(verdicts[i])) continue;
        const bool is_portion = choices[begin + i].size() * 2 <= delays.size() + 1;
        delays = choices[begin + i];
        portions = is_portion ? 2 : std::max<size_t>(2, portions - 1);
        shrunk = true;
      }
    }
    if (shrunk) continue;
    if (portions == delays.size()) break;
    portions *= 2;
  }
  return delays;
}

/// The band of cycles around the one that was found, by halving: where it does it is taken to be
/// one stretch.
DelayBand DelayHunt::band_of(const std::vector<Delay>& delays, size_t index) {
  const auto does = [&](u32 cycles) {
    std::vector<Delay> list = delays;
    list[index].cycles = cycles;
    const DelayPlan plan = plan_of(std::move(list));
    return does_it(make(std::span(&plan, 1)).front());
  };
  DelayBand band{delays[index], delays[index].cycles, delays[index].cycles};
  for (u32 low = 0; band.least - low > 1 && !is_late();) {
    const u32 middle = low + (band.least - low) / 2;
    (does(middle) ? band.least : low) = middle;
  }
  const u32 most = delays[index].most;
  if (is_late()) return band;
  if (band.most < most && does(most)) {
    band.most = most;
  } else {
    for (u32 high = most; band.most < high && high - band.most > 1 && !is_late();) {
      const u32 middle = band.most + (high - band.most) / 2;
      (does(middle) ? band.most : high) = middle;
    }
  }
  return band;
}

Catch DelayHunt::shrink() {
  Catch result;
  result.strategy = found_->strategy;
  result.found_after = runs_;
  if (progress_) progress_(fmt::format("{} delays, to be made fewer", found_->plan.list.size()));
  std::vector<Delay> delays = smaller(found_->plan.list);
  for (size_t i = 0; i < delays.size(); ++i) {
    const DelayBand band = band_of(delays, i);
    delays[i].cycles = band.least;
    result.bands.push_back(band);
  }
  for (size_t i = 0; i < delays.size(); ++i) result.bands[i].delay.cycles = delays[i].cycles;
  result.is_smallest = !is_late();
  const DelayPlan plan = plan_of(delays);
  result.verdict = make(std::span(&plan, 1)).front();
  return result;
}

}  // namespace bhemu::host
