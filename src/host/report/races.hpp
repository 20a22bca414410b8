// The race detector on a device: watches a run, and says what it has found with source lines, names
// of places and tiles (docs/RACES.md).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "hazard/found.hpp"
#include "host/boot/firmware.hpp"
#include "host/boot/prepared.hpp"
#include "host/report/report.hpp"
#include "host/settings/race_settings.hpp"

namespace bhemu::hazard {
struct Shared;
class MemoryObserver;
class TileObserver;
}  // namespace bhemu::hazard

namespace bhemu::host {

/// What a user has set, checked.
struct RaceOptions {
  bool on = false;
  bool contracts = false;
  race::Suppressions suppressions;
};
/// Throws InputError.
RaceOptions race_options(const RaceSettings& settings);

/// What a first pass has found out about a run that a second pass of the same run needs from the
/// start, by node.
using RaceHints = std::map<NodeId, hazard::Hints>;

/// A stretch of L1 that has a meaning to the software that runs, the same in every tile.
struct NamedBytes {
  u32 address = 0;
  u32 bytes = 0;
  std::string name;
  u32 stride = 0;  // of pages or entries within it; 0: it is one thing
};

/// One finding, on all tiles that have it.
struct RaceFinding {
  race::Finding finding;
  std::vector<Coord> tiles;
  std::string kind;
  std::string text;        // several lines
  std::string suppressed;  // the reason; empty: it is told
};

struct RaceReport {
  std::vector<RaceFinding> findings;
  RaceHints hints;
  bool needs_another_pass = false;  // `hints` say more than those that the run was given
  bool has_more_pairs = false;      // another pass shows all that meets where something was found
  bool is_full = false;             // memory ran out: later accesses were not looked at
  std::string json;
  std::string sarif;

  bool needs_more() const { return needs_another_pass || has_more_pairs; }
  /// Told and neither a contract nor injected.
  unsigned errors() const;
  unsigned told() const;
  unsigned suppressed() const;
  std::string text() const;
};

/// The files that the settings ask for. Throws InputError.
void write_races(const RaceSettings& settings, const RaceReport& report);

class RaceWatch {
 public:
  /// From now on the tiles (none: all) and the DRAM banks are watched. `firmware`: null when it is
  /// not known.
  RaceWatch(Device& device, const RaceOptions& options, const Firmware* firmware,
            std::span<const Coord> tiles = {}, const RaceHints& hints = {});
  ~RaceWatch();
  RaceWatch(const RaceWatch&) = delete;
  RaceWatch& operator=(const RaceWatch&) = delete;

  /// Names for circular buffers, semaphores and arguments.
  void know(const PreparedProgram& program, const Firmware& firmware);
  /// Where the findings' cores stand in their code. With this the run is over: what is read to find
  /// that code is no access of the host.
  std::vector<Author> sites() const;
  RaceReport report(const CodeMap& code);

 private:
  void finish() const;

  Device& device_;
  RaceOptions options_;
  RaceHints given_;
  std::vector<NamedBytes> named_;
  std::unique_ptr<hazard::Shared> shared_;
  std::map<NodeId, hazard::TileObserver*> tiles_;
  std::map<NodeId, hazard::MemoryObserver*> memories_;
  unsigned observation_ = 0;
};

/// The run that gave `first` once more, knowing what it has shown, until nothing new shows. A run
/// is a function of its inputs, so it is the same run. `firmware`: its directory; empty: our own.
RaceReport with_hints(const Program& program, const DeviceOptions& options,
                      const std::string& firmware, Cycle limit, const RaceOptions& race,
                      RaceReport first);

}  // namespace bhemu::host
