#include "diff/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include "diff/shrink.hpp"

namespace bhemu::diff {
namespace {

constexpr unsigned kMaxPlaces = 12;
constexpr u64 kBatch = 100;  // programs that one simulator runs before the other does

std::vector<std::string> differing_places(const Program& program, const Comparison& result) {
  std::vector<std::string> places;
  for (u32 at = 0; at < result.ours.dump.size() && places.size() < kMaxPlaces; at += 4) {
    u32 a = 0;
    u32 b = 0;
    std::memcpy(&a, result.ours.dump.data() + at, 4);
    std::memcpy(&b, result.other.dump.data() + at, 4);
    if (a != b)
      places.push_back(fmt::format("{}: {:08x}, other {:08x}", place_of(program, at), a, b));
  }
  if (places.empty() && result.ours.hash != result.other.hash)
    places.push_back("state of a tile outside of what the program stores");
  return places;
}

Finding describe(u64 seed, Program program, Comparison result, const CampaignOptions& options,
                 const Pair& pair) {
  if (options.shrink) {
    program = shrink(std::move(program), [&](const Program& candidate) {
      const Comparison again = compare(candidate, pair);
      return again.verdict == result.verdict && again.ours.rule == result.ours.rule;
    });
    result = compare(program, pair);
  }
  Finding finding{seed, result.verdict, listing(program, options.whole_listing), {}};
  if (result.verdict != Verdict::Differ)
    finding.places.push_back(result.ours.end == End::Hung ? "hung" : result.ours.why);
  else
    finding.places = differing_places(program, result);
  return finding;
}

void count(Tally& tally, const Comparison& result) {
  ++tally.verdicts[static_cast<size_t>(result.verdict)];
  if (result.ours.end != End::Done)
    ++tally.rules[result.ours.end == End::Hung ? "hung" : result.ours.rule];
  if (result.verdict == Verdict::PeerRefuses)
    ++tally.peer_reasons[result.other.end == End::Hung ? "hung" : result.other.why];
}

void merge(Tally& into, Tally&& from) {
  for (size_t i = 0; i < kVerdicts; ++i) into.verdicts[i] += from.verdicts[i];
  for (const auto& [why, times] : from.peer_reasons) into.peer_reasons[why] += times;
  for (const auto& [rule, times] : from.rules) into.rules[rule] += times;
  std::move(from.findings.begin(), from.findings.end(), std::back_inserter(into.findings));
}

/// What the jobs share: the next program, and who has failed.
struct Shared {
  std::atomic<u64> next{0};
  std::atomic<u64> shown{0};
  std::mutex mutex;
  Tally tally;
  std::exception_ptr failure;
};

Comparison judge(Outcome ours, Outcome other) {
  const bool we = ours.end == End::Done;
  const bool they = other.end == End::Done;
  Verdict verdict = we ? Verdict::PeerRefuses : Verdict::WeRefuse;
  const bool same = ours.dump == other.dump && ours.hash == other.hash;
  if (we && they) verdict = same ? Verdict::Same : Verdict::Differ;
  if (!we && !they) verdict = Verdict::BothRefuse;
  return {verdict, std::move(ours), std::move(other)};
}

void work(const ProgramClass& kind, const CampaignOptions& options, const Pair& pair,
          Shared& shared) {
  Tally tally;
  std::vector<Program> programs;
  std::vector<Outcome> others;
  for (u64 first; (first = shared.next.fetch_add(kBatch)) < options.count;) {
    const u64 last = std::min(first + kBatch, options.count);
    programs.clear();
    others.clear();
    // A copy of this process (Peer) makes every page that our device writes afterwards cost a
    // fault, so they do not take turns with every program.
    for (u64 i = first; i < last; ++i) {
      programs.push_back(kind.make(options.first_seed + i));
      others.push_back(pair.other(programs.back()));
    }
    for (u64 i = first; i < last; ++i) {
      const Program& program = programs[i - first];
      Comparison result = judge(pair.ours(program), std::move(others[i - first]));
      count(tally, result);
      const bool described = result.verdict == Verdict::Differ ||
                             result.verdict == Verdict::WeRefuse ||
                             (options.both_refused && result.verdict == Verdict::BothRefuse);
      if (described && shared.shown++ < options.shown)
        tally.findings.push_back(
            describe(options.first_seed + i, program, std::move(result), options, pair));
    }
  }
  const std::lock_guard lock(shared.mutex);
  merge(shared.tally, std::move(tally));
}

}  // namespace

Comparison compare(const Program& program, const Pair& pair) {
  return judge(pair.ours(program), pair.other(program));
}

Tally run_campaign(const ProgramClass& kind, const CampaignOptions& options,
                   const std::function<Pair()>& make_pair) {
  Shared shared;
  std::vector<std::thread> workers;
  for (unsigned job = 0; job < std::max(options.jobs, 1u); ++job)
    workers.emplace_back([&] {
      try {
        work(kind, options, make_pair(), shared);
      } catch (...) {
        const std::lock_guard lock(shared.mutex);
        shared.failure = std::current_exception();
      }
    });
  for (std::thread& worker : workers) worker.join();
  if (shared.failure) std::rethrow_exception(shared.failure);
  std::sort(shared.tally.findings.begin(), shared.tally.findings.end(),
            [](const Finding& a, const Finding& b) { return a.seed < b.seed; });
  return std::move(shared.tally);
}

}  // namespace bhemu::diff
