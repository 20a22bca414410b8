// Turns results of Google Benchmark into a page that a person reads, and holds them against
// bench/targets.yaml: bench_report TARGETS.yaml RESULT.json... Prints Markdown.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

/// Benchmark name -> figure -> median of the repetitions. `seconds` is the time of an iteration.
using Medians = std::map<std::string, std::map<std::string, double>>;

double seconds_per(const std::string& unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  return 1;
}

/// Google Benchmark puts its own fields and the counters side by side; these are its own numbers.
bool is_bookkeeping(const std::string& key) {
  return key.find("_index") != std::string::npos || key == "repetitions" || key == "threads" ||
         key == "iterations" || key == "cpu_time" || key == "real_time";
}

std::string without_suffix(std::string name) {
  for (const std::string suffix : {"/real_time", "/process_time"})
    if (const auto at = name.find(suffix); at != std::string::npos) name.erase(at, suffix.size());
  return name;
}

/// JSON is YAML as far as these files go.
void read_results(const std::string& path, Medians& medians, std::string& machine) {
  const YAML::Node root = YAML::LoadFile(path);
  if (machine.empty())
    machine = fmt::format("{} cores of {} MHz", root["context"]["num_cpus"].as<std::string>("?"),
                          root["context"]["mhz_per_cpu"].as<std::string>("?"));
  for (const YAML::Node& one : root["benchmarks"]) {
    if (one["aggregate_name"].as<std::string>("") != "median") continue;
    auto& figures = medians[without_suffix(one["run_name"].as<std::string>())];
    figures["seconds"] =
        one["real_time"].as<double>() * seconds_per(one["time_unit"].as<std::string>("ns"));
    for (const auto& field : one) {
      const std::string key = field.first.as<std::string>();
      double value = 0;
      if (is_bookkeeping(key) || !YAML::convert<double>::decode(field.second, value)) continue;
      figures[key] = value;
    }
  }
}

std::optional<double> figure(const Medians& medians, const std::string& name,
                             const std::string& counter) {
  const auto found = medians.find(name);
  if (found == medians.end()) return std::nullopt;
  const auto value = found->second.find(counter);
  if (value == found->second.end()) return std::nullopt;
  return value->second;
}

/// Prints one line of the table of targets; false when the target was missed or not measured.
bool print_target(const YAML::Node& target, const Medians& medians) {
  const auto counter = target["counter"].as<std::string>();
  auto value = figure(medians, target["name"].as<std::string>(), counter);
  if (value && target["over"]) {
    const auto base = figure(medians, target["over"].as<std::string>(), counter);
    value = base && *base != 0 ? std::optional(*value / *base) : std::nullopt;
  }
  const bool floor = static_cast<bool>(target["at_least"]);
  const double limit = target[floor ? "at_least" : "at_most"].as<double>();
  const bool met = value && (floor ? *value >= limit : *value <= limit);
  fmt::print("| {} | {} | {} {:g} | {} |\n", target["what"].as<std::string>(),
             value ? fmt::format("{:.4g}", *value) : "not measured", floor ? "at least" : "at most",
             limit, met ? "met" : "**missed**");
  return met;
}

void print_all(const Medians& medians) {
  fmt::print("\n| benchmark | figure | median |\n|---|---|---|\n");
  for (const auto& [name, figures] : medians)
    for (const auto& [figure, value] : figures)
      fmt::print("| {} | {} | {:.4g} |\n", name, figure, value);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: {} TARGETS.yaml RESULT.json...\n", argv[0]);
    return 2;
  }
  try {
    Medians medians;
    std::string machine;
    for (int i = 2; i < argc; ++i) read_results(argv[i], medians, machine);
    fmt::print("# Benchmark results\n\nMedians of five repetitions; {}.\n\n", machine);
    fmt::print("| what | measured | wanted | |\n|---|---|---|---|\n");
    unsigned missed = 0;
    for (const YAML::Node& target : YAML::LoadFile(argv[1]))
      missed += print_target(target, medians) ? 0 : 1;
    print_all(medians);
    fmt::print("\n{} targets missed or not measured\n", missed);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 2;
  }
  return 0;
}
