// Runs random programs on bhemu and on a peer simulator (any library with the libttsim ABI), or on
// bhemu in several ways, compares what they leave in L1, and shrinks what differs.
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "base/json.hpp"
#include "diff/campaign.hpp"

namespace bhemu::diff {
namespace {

struct Options {
  std::string peer;
  std::string against = "reference";
  std::string json;
  std::vector<std::string> classes;
  CampaignOptions campaign;
};

struct ClassResult {
  std::string name;
  Tally tally;
};

constexpr size_t kReasonsShown = 8;

void print_findings(const char* name, const Tally& tally) {
  for (const Finding& finding : tally.findings) {
    fmt::print("{} --seed {}: {}\n{}", name, finding.seed,
               finding.verdict == Verdict::Differ ? "differs" : "bhemu refuses", finding.listing);
    for (const std::string& place : finding.places) fmt::print("    {}\n", place);
  }
}

void print_reasons(const char* who, const std::map<std::string, u64>& reasons) {
  std::vector<std::pair<u64, std::string>> sorted;
  for (const auto& [why, times] : reasons) sorted.emplace_back(times, why);
  std::sort(sorted.rbegin(), sorted.rend());
  for (size_t i = 0; i < sorted.size() && i < kReasonsShown; ++i)
    fmt::print("  {} {:6} x {}\n", who, sorted[i].first, sorted[i].second);
  if (sorted.size() > kReasonsShown)
    fmt::print("  {} and {} more reasons\n", who, sorted.size() - kReasonsShown);
}

void print_table(const std::vector<ClassResult>& results) {
  fmt::print("{:10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "class", "programs", "equal", "differ",
             "bhemu", "peer", "both");
  fmt::print("{:10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "", "", "", "", "refuses", "refuses",
             "refuse");
  for (const ClassResult& result : results) {
    const Tally& tally = result.tally;
    u64 programs = 0;
    for (const u64 count : tally.verdicts) programs += count;
    fmt::print("{:10} {:9} {:9} {:9} {:9} {:9} {:9}\n", result.name, programs,
               tally.of(Verdict::Same), tally.of(Verdict::Differ), tally.of(Verdict::WeRefuse),
               tally.of(Verdict::PeerRefuses), tally.of(Verdict::BothRefuse));
  }
}

Json json_of(const ClassResult& result) {
  return {{"class", result.name},
          {"equal", result.tally.of(Verdict::Same)},
          {"differ", result.tally.of(Verdict::Differ)},
          {"bhemu_refuses", result.tally.of(Verdict::WeRefuse)},
          {"peer_refuses", result.tally.of(Verdict::PeerRefuses)},
          {"both_refuse", result.tally.of(Verdict::BothRefuse)},
          {"peer_reasons", result.tally.peer_reasons},
          {"rules", result.tally.rules},
          {"findings", json_list(result.tally.findings, [](const Finding& finding) {
             return Json{
                 {"seed", finding.seed}, {"listing", finding.listing}, {"places", finding.places}};
           })}};
}

void write_json(const std::string& path, const std::vector<ClassResult>& results) {
  std::ofstream file(path);
  file << dump(json_list(results, [](const ClassResult& result) { return json_of(result); }))
       << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

Runner on_bhemu(TimingModel timing, bool parking) {
  return [device = std::make_shared<Ours>(timing, parking)](const Program& program) {
    return device->run(program);
  };
}

/// Two ways in which bhemu itself must give the same.
Pair own_pair(const std::string& against) {
  if (against == "full") {
    const auto on_units = [](Ours::Units units) -> Runner {
      return [device = std::make_shared<Ours>(TimingModel::Fast, units)](const Program& program) {
        return device->run(program);
      };
    };
    return {on_units(Ours::Units::Plain), on_units(Ours::Units::Full)};
  }
  if (against == "windows")
    return {on_bhemu(TimingModel::Fast, true), on_bhemu(TimingModel::Windows, true)};
  if (against == "late" || against == "drawn") {
    const auto effects = against == "late" ? tensix::Placement::End : tensix::Placement::Drawn;
    return {on_bhemu(TimingModel::Fast, true),
            [device = std::make_shared<Ours>(effects, 1)](const Program& program) {
              return device->run(program);
            }};
  }
  return {on_bhemu(TimingModel::Fast, true), on_bhemu(TimingModel::Reference, false)};
}

int run(const Options& options) {
  for (const std::string& name : options.classes)
    if (find_class(name) == nullptr) throw std::runtime_error("no class " + name);
  // Devices come and go; giving their memory back each time would cost more than they do.
  constexpr int kMuch = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
  mallopt(M_TRIM_THRESHOLD, kMuch);
  // Before any device: the fewer mappings, the quicker a copy of the process.
  std::unique_ptr<PeerLibrary> library;
  if (!options.peer.empty()) library = std::make_unique<PeerLibrary>(options.peer);
  const auto make_pair = [&]() -> Pair {
    if (library == nullptr) return own_pair(options.against);
    return {on_bhemu(TimingModel::Fast, true),
            [peer = std::make_shared<Peer>(*library)](const Program& program) {
              return peer->run(program);
            }};
  };
  std::vector<ClassResult> results;
  u64 unexplained = 0;
  for (const ProgramClass& kind : classes()) {
    const auto& wanted = options.classes;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), kind.name) == wanted.end())
      continue;
    results.push_back({kind.name, run_campaign(kind, options.campaign, make_pair)});
    const Tally& tally = results.back().tally;
    print_findings(kind.name, tally);
    fmt::print("{}: {} equal\n", kind.name, tally.of(Verdict::Same));
    print_reasons("peer: ", tally.peer_reasons);
    print_reasons("bhemu:", tally.rules);
    std::fflush(stdout);
    unexplained += tally.of(Verdict::Differ) + tally.of(Verdict::WeRefuse);
  }
  print_table(results);
  if (!options.json.empty()) write_json(options.json, results);
  return unexplained == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bhemu::diff

int main(int argc, char** argv) {
  bhemu::diff::Options options;
  auto& campaign = options.campaign;
  CLI::App app{"Compares bhemu with another simulator of the same chip on random programs."};
  app.add_option("--peer", options.peer, "library with the libttsim ABI; default: bhemu itself");
  bool from_environment = false;
  app.add_flag("--peer-from-environment", from_environment,
               "the peer is BHEMU_PEER_LIBRARY; without it nothing is run (status 77)");
  app.add_option(
         "--against", options.against,
         "without a peer: reference (default; and no parking), full (the Full build, all of "
         "the state), windows, or windows with effects at their end (late) or drawn")
      ->check(CLI::IsMember({"reference", "full", "windows", "late", "drawn"}));
  app.add_option("--class", options.classes, "classes of programs; default: all");
  app.add_option("--count", campaign.count, "programs of each class");
  app.add_option("--seed", campaign.first_seed, "seed of the first; the others follow");
  app.add_option("--jobs", campaign.jobs, "programs at a time")->check(CLI::Range(1, 256));
  app.add_option("--show", campaign.shown, "differences printed per class");
  app.add_flag("--shrink", campaign.shrink, "shorten what is printed");
  app.add_flag("--refused", campaign.both_refused, "print also programs that both refuse");
  app.add_flag("--all", campaign.whole_listing, "print set-up and read-back too");
  app.add_option("--json", options.json, "file for the results");
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
