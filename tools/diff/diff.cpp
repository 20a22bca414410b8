// Runs random programs on bhemu and on a peer simulator (any library with the libttsim ABI), or on
// bhemu in several ways, compares what they leave in L1, and shrinks what differs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

#include "diff/classes.hpp"
#include "diff/runner.hpp"

namespace bhemu::diff {
namespace {

struct Options {
  std::string peer;
  std::vector<std::string> classes;
  u64 count = 100;
  u64 seed = 1;
  bool shrink = false;
  bool all = false;
  u64 shown = 5;
};

enum class Verdict : u8 { Same, Differ, WeRefuse, PeerRefuses, BothRefuse };

using Runner = std::function<Outcome(const Program&)>;

struct Comparison {
  Verdict verdict = Verdict::Same;
  Outcome ours;
  Outcome theirs;
};

Comparison compare(const Program& program, const Runner& a, const Runner& b) {
  Comparison result{Verdict::Same, a(program), b(program)};
  const bool we = result.ours.end == End::Done;
  const bool they = result.theirs.end == End::Done;
  if (we && they)
    result.verdict = result.ours.dump == result.theirs.dump ? Verdict::Same : Verdict::Differ;
  else if (!we && !they)
    result.verdict = Verdict::BothRefuse;
  else
    result.verdict = we ? Verdict::PeerRefuses : Verdict::WeRefuse;
  return result;
}

/// Takes out items, ever smaller groups, as long as the verdict stays.
Program shrink(Program program, Verdict verdict, const Runner& a, const Runner& b) {
  for (size_t group = program.items.size() / 2 + 1; group > 0; group /= 2) {
    for (size_t first = 0; first < program.items.size();) {
      Program shorter = program;
      size_t removed = 0;
      for (size_t i = first; i < shorter.items.size() && removed < group;) {
        if (shorter.items[i].keep) {
          ++i;
          continue;
        }
        shorter.items.erase(shorter.items.begin() + static_cast<std::ptrdiff_t>(i));
        ++removed;
      }
      if (removed == 0) break;
      if (compare(shorter, a, b).verdict == verdict)
        program = std::move(shorter);
      else
        ++first;
    }
  }
  return program;
}

void print_difference(const Program& program, const Comparison& result, bool all) {
  fmt::print("{}", listing(program, all));
  unsigned shown = 0;
  for (u32 at = 0; at < kDumpBytes && shown < 12; at += 4) {
    u32 a = 0;
    u32 b = 0;
    std::copy_n(result.ours.dump.begin() + at, 4, reinterpret_cast<u8*>(&a));
    std::copy_n(result.theirs.dump.begin() + at, 4, reinterpret_cast<u8*>(&b));
    if (a == b) continue;
    fmt::print("    {}: {:08x}, other {:08x}\n", place_of(program, at), a, b);
    ++shown;
  }
}

struct Tally {
  std::array<u64, 5> verdicts{};
  std::map<std::string, u64> refusals;
};

void run_class(const ProgramClass& kind, const Options& options, const Runner& a, const Runner& b,
               Tally& tally) {
  u64 shown = 0;
  for (u64 i = 0; i < options.count; ++i) {
    const u64 seed = options.seed + i;
    Program program = kind.make(seed);
    Comparison result = compare(program, a, b);
    ++tally.verdicts[static_cast<size_t>(result.verdict)];
    if (result.verdict == Verdict::BothRefuse) {
      const std::string why = result.ours.end == End::Hung ? "hung" : result.ours.why;
      ++tally.refusals["both, bhemu: " + why];
    }
    if (result.verdict == Verdict::PeerRefuses)
      ++tally.refusals["other: " + (result.theirs.end == End::Hung ? "hung" : result.theirs.why)];
    if (result.verdict == Verdict::WeRefuse)
      ++tally.refusals["bhemu: " + (result.ours.end == End::Hung ? "hung" : result.ours.why)];
    const bool bad = result.verdict == Verdict::Differ || result.verdict == Verdict::WeRefuse;
    if (!bad || shown++ >= options.shown) continue;
    fmt::print("{} --seed {}: {}\n", kind.name, seed,
               result.verdict == Verdict::Differ ? "differs" : "bhemu refuses");
    if (options.shrink) {
      program = shrink(std::move(program), result.verdict, a, b);
      result = compare(program, a, b);
    }
    print_difference(program, result, options.all);
  }
}

void print_tally(const char* name, const Tally& tally) {
  fmt::print("{:9} same {:6}  differ {:5}  bhemu refuses {:5}  other refuses {:5}  both {:5}\n",
             name, tally.verdicts[0], tally.verdicts[1], tally.verdicts[2], tally.verdicts[3],
             tally.verdicts[4]);
  std::vector<std::pair<u64, std::string>> reasons;
  for (const auto& [why, times] : tally.refusals) reasons.emplace_back(times, why);
  std::sort(reasons.rbegin(), reasons.rend());
  for (size_t i = 0; i < std::min<size_t>(reasons.size(), 6); ++i)
    fmt::print("  {:6} x {}\n", reasons[i].first, reasons[i].second);
}

int run(const Options& options) {
  Ours fast(TimingModel::Fast, true);
  const Runner ours = [&](const Program& program) { return fast.run(program); };
  std::unique_ptr<Peer> peer;
  std::unique_ptr<Ours> reference;
  Runner other;
  if (options.peer.empty()) {
    // Without a peer: the other timing, and no parking.
    reference = std::make_unique<Ours>(TimingModel::Reference, false);
    other = [&](const Program& program) { return reference->run(program); };
  } else {
    peer = std::make_unique<Peer>(options.peer);
    other = [&](const Program& program) { return peer->run(program); };
  }
  u64 differences = 0;
  for (const ProgramClass& kind : classes()) {
    const auto& wanted = options.classes;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), kind.name) == wanted.end())
      continue;
    Tally tally;
    run_class(kind, options, ours, other, tally);
    print_tally(kind.name, tally);
    std::fflush(stdout);
    differences += tally.verdicts[static_cast<size_t>(Verdict::Differ)];
    if (options.peer.empty()) differences += tally.verdicts[static_cast<size_t>(Verdict::WeRefuse)];
  }
  return differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bhemu::diff

int main(int argc, char** argv) {
  bhemu::diff::Options options;
  CLI::App app{"Compares bhemu with another simulator of the same chip on random programs."};
  app.add_option("--peer", options.peer, "library with the libttsim ABI; default: bhemu itself");
  bool from_environment = false;
  app.add_flag("--peer-from-environment", from_environment,
               "the peer is BHEMU_PEER_LIBRARY; without it nothing is run (status 77)");
  app.add_option("--class", options.classes, "classes of programs; default: all");
  app.add_option("--count", options.count, "programs of each class");
  app.add_option("--seed", options.seed, "seed of the first; the others follow");
  app.add_option("--show", options.shown, "differences printed per class");
  app.add_flag("--shrink", options.shrink, "shorten what is printed");
  app.add_flag("--all", options.all, "print set-up and read-back too");
  CLI11_PARSE(app, argc, argv);
  if (from_environment) {
    const char* library = std::getenv("BHEMU_PEER_LIBRARY");
    if (library == nullptr) {
      fmt::print("skipped: BHEMU_PEER_LIBRARY names no library\n");
      return 77;
    }
    options.peer = library;
  }
  try {
    return bhemu::diff::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bhemu_diff: {}\n", error.what());
    return 2;
  }
}
