// bhemu_compare_peer: the speed of bhemu beside that of another simulator, a library with the
// libttsim ABI. Both run the same guest programs on one tile, in turns, so that a change of the
// machine's mood meets both; medians and their ratio are printed and written as JSON.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>

#include "peer/sides.hpp"

namespace bhemu::peer {
namespace {

constexpr int kNothingToCompare = 77;

struct Options {
  std::string library;
  std::string json;
  unsigned rounds = 5;
  double seconds = 0.8;
  std::vector<std::string> only;
};

/// Work per second.
struct Result {
  std::string name;
  std::string unit;
  double ours = 0;
  std::optional<double> theirs;
  std::string remark;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double rate(Side& side, const GuestProgram& program, double seconds) {
  const Stretch stretch = side.run(seconds);
  return stretch.turns * program.per_turn / stretch.seconds;
}

Result measure(const GuestProgram& program, const Options& options) {
  Result result{program.name, program.unit, 0, std::nullopt, ""};
  std::vector<double> ours;
  std::vector<double> theirs;
  std::unique_ptr<Side> peer;
  // The peer first: its process must not inherit a device.
  if (!options.library.empty()) peer = run_in_peer(options.library, program);
  const std::unique_ptr<Side> here = run_here(program);
  rate(*here, program, options.seconds / 8);
  for (unsigned round = 0; round < options.rounds; ++round) {
    ours.push_back(rate(*here, program, options.seconds));
    if (peer == nullptr) continue;
    try {
      if (round == 0) rate(*peer, program, options.seconds / 8);
      theirs.push_back(rate(*peer, program, options.seconds));
    } catch (const std::exception& error) {
      result.remark = "the peer refuses the program";
      peer = nullptr;
    }
  }
  result.ours = median(ours);
  if (peer == nullptr) return result;
  result.theirs = median(theirs);
  if (program.has_tile && peer->tile() != here->tile()) result.remark = "THE TILES DIFFER";
  return result;
}

void print(const Result& result) {
  const std::string theirs = result.theirs ? fmt::format("{:.4g}", *result.theirs) : "-";
  const std::string ratio = result.theirs && *result.theirs > 0
                                ? fmt::format("{:.2f}", result.ours / *result.theirs)
                                : "-";
  fmt::print("| {} | {} | {:.4g} | {} | {} | {} |\n", result.name, result.unit, result.ours, theirs,
             ratio, result.remark);
  std::fflush(stdout);
}

void write_json(const std::string& path, const std::vector<Result>& results,
                const Options& options) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  fmt::print(file, "{{\n  \"rounds\": {},\n  \"seconds\": {},\n  \"programs\": [\n", options.rounds,
             options.seconds);
  for (size_t i = 0; i < results.size(); ++i) {
    const Result& r = results[i];
    fmt::print(file,
               "    {{\"name\": \"{}\", \"unit\": \"{}\", \"bhemu_per_second\": {:.6g}, "
               "\"peer_per_second\": {}, \"remark\": \"{}\"}}{}\n",
               r.name, r.unit, r.ours, r.theirs ? fmt::format("{:.6g}", *r.theirs) : "null",
               r.remark, i + 1 < results.size() ? "," : "");
  }
  fmt::print(file, "  ]\n}}\n");
  std::fclose(file);
}

int compare(const Options& options) {
  if (options.library.empty())
    fmt::print("no peer given (--peer LIBRARY): only bhemu is measured\n\n");
  else if (access(options.library.c_str(), R_OK) != 0)
    throw std::runtime_error("there is no library " + options.library);
  fmt::print("| program | unit | bhemu, per second | peer, per second | ratio | |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  std::vector<Result> results;
  bool differ = false;
  for (const GuestProgram& program : guest_programs()) {
    const auto& only = options.only;
    if (!only.empty() && std::find(only.begin(), only.end(), program.name) == only.end()) continue;
    results.push_back(measure(program, options));
    print(results.back());
    differ = differ || results.back().remark == "THE TILES DIFFER";
  }
  if (!options.json.empty()) write_json(options.json, results, options);
  if (differ) return 1;
  return options.library.empty() ? kNothingToCompare : 0;
}

}  // namespace
}  // namespace bhemu::peer

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  bhemu::peer::Options options;
  CLI::App app("Speed of bhemu beside another simulator, on the same guest programs.");
  app.add_option("--peer", options.library, "library with the libttsim ABI");
  app.add_option("--json", options.json, "write the results here as well");
  app.add_option("--rounds", options.rounds, "rounds of both sides in turn")
      ->check(CLI::Range(1, 99));
  app.add_option("--seconds", options.seconds, "length of a stretch")
      ->check(CLI::Range(0.01, 60.0));
  app.add_option("--only", options.only, "these programs only");
  CLI11_PARSE(app, argc, argv);
  try {
    return bhemu::peer::compare(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bhemu_compare_peer: {}\n", error.what());
    return 2;
  }
}
