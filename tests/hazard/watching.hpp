// Runs a program file with the race detector, as often as it takes to know all words by which its
// agents signal each other.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/boot/machine.hpp"
#include "host/report/races.hpp"
#include "support/booted.hpp"
#include "support/narrow.hpp"

namespace bhemu::host::hazard_test {

struct Watched {
  Outcome outcome;
  RaceReport report;
  u64 hash = 0;     // if asked for
  Cycle begin = 0;  // of the program, after the boot
};

struct Way {  // of running the same program
  unsigned threads = 1;
  bool parking = true;
  TimingModel timing = TimingModel::Fast;
  u64 seed = 0;
  std::size_t most_tiles = 0;     // that are watched; 0: all
  bool hashed = false;            // the whole device at the end
  bool narrow = false;            // half of the columns, which are booted in half of the time
  test::Boots* booted = nullptr;  // go on from an unwatched boot of these
  bool restored = false;          // from a snapshot of another device, which has booted unwatched
};

inline std::string example(const std::string& name) {
  return std::string(BHEMU_SOURCE_DIR) + "/examples/" + name + ".yaml";
}

inline Watched run_once(const Program& program, const Way& way, bool contracts,
                        const RaceHints& hints, bool watched = true) {
  DeviceOptions options;
  options.threads = way.threads;
  options.parking = way.parking;
  options.timing = way.timing;
  options.seed = way.seed;
  if (way.narrow) options.board = test::narrow();
  const std::unique_ptr<Machine> owner =
      way.booted != nullptr ? way.booted->machine(options)
                            : std::make_unique<Machine>(options, Firmware::embedded());
  Machine& machine = *owner;
  machine.set_limit(20'000'000);
  if (way.restored) {
    Machine other(options, Firmware::embedded());
    EXPECT_EQ(other.boot().status, Status::Ok);
    machine.device().restore(other.device().snapshot());
  }
  const PreparedProgram prepared = machine.prepare(program);
  RaceOptions race;
  race.on = true;
  race.contracts = contracts;
  std::unique_ptr<RaceWatch> watch;
  if (watched) {
    std::vector<Coord> tiles(prepared.tiles().begin(), prepared.tiles().end());
    if (way.most_tiles != 0 && tiles.size() > way.most_tiles) tiles.resize(way.most_tiles);
    watch = std::make_unique<RaceWatch>(machine.device(), race, &machine.firmware(), tiles, hints);
    watch->know(prepared, machine.firmware());
  }
  Watched result;
  if (way.booted == nullptr && !way.restored) {
    EXPECT_EQ(machine.boot().status, Status::Ok);
  }
  result.begin = machine.device().cycle();
  result.outcome = machine.run(prepared);
  if (watched) result.report = watch->report(machine.code());
  if (way.hashed) result.hash = machine.device().hash();
  return result;
}

inline Watched watch(const std::string& name, const Way& way = {}, bool contracts = false) {
  const Program program = load_program(example(name));
  Watched result = run_once(program, way, contracts, {});
  for (unsigned pass = 1; pass < 6 && result.report.needs_more(); ++pass)
    result = run_once(program, way, contracts, result.report.hints);
  return result;
}

}  // namespace bhemu::host::hazard_test
