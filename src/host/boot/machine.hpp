// A device with firmware: boots, runs programs, and says in one structure what came of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/boot/boot_cache.hpp"
#include "host/boot/firmware.hpp"
#include "host/boot/notes.hpp"
#include "host/boot/prepared.hpp"
#include "host/report/report.hpp"
#include "host/report/standstill.hpp"

namespace bhemu::host {

/// The process's exit status too.
enum class Status : u8 { Ok = 0, WrongResult = 1, BadInput = 2, Hang = 3, Fault = 4 };
const char* name_of(Status status);  // "ok", "wrong-result", ...

/// One phase (boot or program) of a machine.
struct Outcome {
  Status status = Status::Ok;
  Cycle cycle = 0;                  // at the end
  Totals totals;                    // of this phase
  double seconds = 0;               // host time
  std::vector<FaultReport> faults;  // warnings too
  Standstill standstill;            // of a hang
  std::vector<Coord> unfinished;    // tiles whose go message does not say done
  std::vector<Check> checks;
  std::vector<std::string> saved;
  bool cycle_limit = false;  // Hang because the limit was reached
  bool interrupted = false;  // Hang because the progress function said so
  bool stopped = false;      // Ok because set_stop's function said so
  bool kept = false;         // a boot that was done before (BootCache)

  /// The explanation of a status that is not Ok, several lines; empty for Ok without warnings.
  std::string explanation(size_t all_tiles) const;
};

class Machine {
 public:
  /// Called now and then during a run, with what it has come to. False: stop.
  using Progress = std::function<bool(const Totals&)>;

  Machine(const DeviceOptions& options, Firmware firmware);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Device& device() { return device_; }
  /// Where everything stands, as for a hang, in the middle of a run.
  Standstill where_everything_stands(Standstill::Reason reason, std::span<const Coord> tiles = {});
  const Firmware& firmware() const { return firmware_; }
  /// Of the firmware and of the programs that were run.
  const CodeMap& code() const { return code_; }
  void set_progress(Progress progress) { progress_ = std::move(progress); }
  /// Asked at the edge of each epoch: end the run here? Its status is Ok, and nothing is checked.
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }
  /// Called when a program was written to the device, before its first cycle.
  void set_started(std::function<void()> started) { started_ = std::move(started); }
  /// Who looks on at the run, for the report of a hang.
  void set_observed(const Observed* observed) { observed_ = observed; }
  /// Gets what kernels PRINT, in the order of cycles; without one it is dropped.
  void set_printer(Printer printer) { printer_ = std::move(printer); }
  /// What is late while programs run (timing Chaos only; without this what the seed draws). The
  /// boot is never late: it is the same for all.
  void set_delays(std::shared_ptr<const DelayPlan> plan) { delays_ = std::move(plan); }
  /// Cycles that one phase may take; kNever: no limit.
  void set_limit(Cycle limit) { limit_ = limit; }

  /// Where boots are kept and looked for; at first nowhere.
  void set_boot_cache(BootCache cache) { boots_ = std::move(cache); }

  /// Uploads the firmware and runs until every tile is ready, or takes over a boot like it that was
  /// kept, with the same outcome. Throws InputError when the folder for boots cannot be written to.
  Outcome boot();
  /// Files read and arguments computed; boot() need not have happened. `program` must outlive it.
  PreparedProgram prepare(const Program& program);
  PreparedProgram prepare(const Program&&) = delete;
  /// After boot(). Saves tensors to `directory` (empty: where the program says) when all is well.
  /// With a `snapshot` of the same program under way, goes on from there, and needs no boot.
  /// Throws ArchiveError for a snapshot of another version.
  Outcome run(const PreparedProgram& program, const std::string& directory = "",
              std::span<const u8> snapshot = {});
  /// The same, and nothing is saved.
  Outcome run_unsaved(const PreparedProgram& program, std::span<const u8> snapshot = {});

 private:
  void know_words(const PreparedProgram& program);
  void know_code(const PreparedProgram& program, const PreparedPart& part);
  Outcome run_launch(const PreparedProgram& program, unsigned index, std::span<const u8> snapshot);
  void finish_checks();
  Outcome run_until_done(std::vector<Coord> tiles, bool go);

  Device device_;
  Firmware firmware_;
  BootCache boots_;
  std::vector<std::shared_ptr<const Elf>> kernels_;  // code_ refers to them
  CodeMap code_;
  std::vector<KnownWord> known_words_;  // of the program that runs
  Progress progress_;
  std::function<bool()> stop_;
  std::function<void()> started_;
  Printer printer_;
  const Observed* observed_ = nullptr;
  std::vector<std::unique_ptr<NoteWatch>>* watches_ = nullptr;  // of the launch under way
  Cycle limit_ = kNever;
  Cycle launched_ = 0;  // when the launch under way began; 0: the first
  std::shared_ptr<const DelayPlan> delays_;
};

}  // namespace bhemu::host
