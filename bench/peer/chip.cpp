// bhemu_compare_chip: a whole chip beside another simulator. Both sides are libraries with the
// libttsim ABI, each row runs in a process of its own, and the sides take turns.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "peer/card.hpp"

namespace bhemu::peer {
namespace {

struct Options {
  std::string ours;
  std::string peer;
  std::string firmware;
  std::string json;
  std::vector<std::string> only;
  unsigned rounds = 5;
  std::string direct;  // run a row in this process, for profilers
};

std::vector<Row> rows_of(const Options& options) {
  std::vector<Row> rows;
  for (const std::span<const Row> part : {chip_rows(), grid_rows()})
    for (const Row& row : part)
      if (options.only.empty() ||
          std::any_of(options.only.begin(), options.only.end(), [&](const std::string& one) {
            return std::string(row.name).find(one) != std::string::npos;
          }))
        rows.push_back(row);
  return rows;
}

struct Answer {
  double seconds = -1;
  u64 results = 0;
};

/// In a process of its own; nothing: it failed.
std::optional<Answer> run_row(const Row& row, const Setup& setup) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    Answer answer;
    try {
      const Measured measured = row.run(setup);
      answer = {measured.seconds, measured.results};
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}: {}\n", setup.library, row.name, error.what());
    }
    if (write(ends[1], &answer, sizeof answer) != sizeof answer) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  Answer answer;
  const bool told = read(ends[0], &answer, sizeof answer) == sizeof answer;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!told || answer.seconds < 0) return std::nullopt;
  return answer;
}

/// The best of a side's rounds.
class Best {
 public:
  void add(const std::optional<Answer>& answer) {
    if (answer && (!best_ || answer->seconds < best_->seconds)) best_ = answer;
  }
  const std::optional<Answer>& get() const { return best_; }
  std::string text(double scale) const {
    return best_ ? fmt::format("{:.4g}", best_->seconds * scale) : "-";
  }
  std::string json() const { return best_ ? fmt::format("{:.6g}", best_->seconds) : "null"; }

 private:
  std::optional<Answer> best_;
};

/// 1: results differ, or a row of ours has failed.
int compare(const Options& options) {
  fmt::print("| row | unit | bhemu | peer | times as fast | |\n|---|---|---|---|---|---|\n");
  std::string json;
  int status = 0;
  for (const Row& row : rows_of(options)) {
    Best ours, theirs;
    for (unsigned round = 0; round < options.rounds; ++round) {
      ours.add(run_row(row, {options.ours, options.firmware, row.threads}));
      if (!options.peer.empty())
        theirs.add(run_row(row, {options.peer, options.firmware, row.threads}));
    }
    const bool both = ours.get() && theirs.get();
    const bool differ = both && ours.get()->results != theirs.get()->results;
    if (differ || !ours.get()) status = 1;
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", row.name, row.unit, ours.text(row.scale),
               theirs.text(row.scale),
               both ? fmt::format("{:.2f}", theirs.get()->seconds / ours.get()->seconds) : "-",
               differ ? "THE RESULTS DIFFER" : "");
    std::fflush(stdout);
    json += fmt::format(
        "{}    {{\"name\": \"{}\", \"threads\": {}, \"bhemu_seconds\": {}, \"peer_seconds\": {}}}",
        json.empty() ? "" : ",\n", row.name, row.threads, ours.json(), theirs.json());
  }
  if (!options.json.empty()) {
    std::FILE* const file = std::fopen(options.json.c_str(), "w");
    if (file == nullptr) throw std::runtime_error("cannot write " + options.json);
    fmt::print(file, "{{\n  \"rounds\": {},\n  \"rows\": [\n{}\n  ]\n}}\n", options.rounds, json);
    std::fclose(file);
  }
  return status;
}

}  // namespace
}  // namespace bhemu::peer

int main(int argc, char** argv) {
  bhemu::peer::Options options;
  CLI::App app(
      "A whole chip of bhemu beside another simulator: start, boot, launch, host, NoC, "
      "cores, coprocessors.");
  app.add_option("ours", options.ours, "bhemu's library")->required();
  app.add_option("--peer", options.peer, "another library with the libttsim ABI");
  app.add_option("--firmware", options.firmware,
                 "directory with the ELFs of the firmware to boot; bhemu's own without it");
  app.add_option("--json", options.json, "write the results here as well");
  app.add_option("--only", options.only, "rows whose names contain one of these");
  app.add_option("--rounds", options.rounds, "rounds of both sides in turn")
      ->check(CLI::Range(1, 99));
  app.add_option("--direct", options.direct, "runs this row here, once, for a profiler");
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.direct.empty()) return bhemu::peer::compare(options);
    for (const auto& row : bhemu::peer::rows_of(options))
      if (options.direct == row.name) {
        fmt::print("{:.4g} {}\n",
                   row.run({options.ours, options.firmware, row.threads}).seconds * row.scale,
                   row.unit);
      }
  } catch (const std::exception& error) {
    fmt::print(stderr, "bhemu_compare_chip: {}\n", error.what());
    return 2;
  }
  return 0;
}
