#include "host/boot/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "host/error.hpp"
#include "host/report/check_watch.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

/// Between two calls of the progress function; far below a second at any speed of ours.
constexpr Cycle kSlice = 100'000;

Totals difference(const Totals& now, const Totals& before) {
  Totals result;
  result.cycles = now.cycles - before.cycles;
  result.riscv_instructions = now.riscv_instructions - before.riscv_instructions;
  result.tensix_instructions = now.tensix_instructions - before.tensix_instructions;
  result.noc_packets = now.noc_packets - before.noc_packets;
  result.noc_bytes = now.noc_bytes - before.noc_bytes;
  result.riscv_skipped = now.riscv_skipped - before.riscv_skipped;
  return result;
}

bool has_error(const std::vector<FaultReport>& faults) {
  return std::any_of(faults.begin(), faults.end(), [](const FaultReport& report) {
    return report.fault.severity == Severity::Error;
  });
}

}  // namespace

const char* name_of(Status status) {
  static constexpr const char* kNames[] = {"ok", "wrong-result", "bad-input", "hang", "fault"};
  return kNames[static_cast<unsigned>(status)];
}

std::string Outcome::explanation(size_t all_tiles) const {
  std::string text;
  // Of a hang, the graph of waits knows more than a warning on the way.
  if (status == Status::Hang) text += text_of(standstill);
  const FirstCause& cause = standstill.cause;
  const bool begun = status == Status::Hang || !cause.sentence.empty();
  if (status != Status::Hang && begun) {
    text += fmt::format("First cause: {}\n", cause.sentence);
    if (!cause.remedy.empty()) text += fmt::format("Remedy: {}.\n", cause.remedy);
  }
  text += fault_text(faults, all_tiles, !begun);
  if (!unfinished.empty())
    text += fmt::format("Not finished: {}.\n", tiles_text(unfinished, all_tiles));
  return text;
}

Machine::Machine(const DeviceOptions& options, Firmware firmware)
    : device_(options), firmware_(std::move(firmware)), delays_(device_.delay_plan()) {
  device_.set_delays(nullptr);
  for (unsigned core = 0; core < kCores; ++core) {
    const auto id = static_cast<CoreId>(core);
    for (const Segment& segment : firmware_.elf(id).segments())
      if (segment.executable)
        code_.add(id, firmware_.elf(id), segment.virtual_address, segment.virtual_address,
                  segment.memory_size);
  }
}

Outcome Machine::run_until_done(std::vector<Coord> tiles, bool go) {
  GoWatcher watcher(device_, firmware_, tiles);
  // Tiles that were never told to go show the done of before.
  const auto done = [&watcher, go, this] {
    return (go && watcher.all_done()) || (stop_ && stop_());
  };
  const auto begin = std::chrono::steady_clock::now();
  const Totals before = device_.totals();
  Outcome outcome;
  RunResult result;
  Cycle left = limit_;
  do {
    const Cycle slice = std::min(kSlice, left);
    result = device_.run(slice, done);
    if (left != kNever) left -= slice;
    if (watches_ != nullptr)
      for (const auto& watch : *watches_) watch->flush();
    outcome.interrupted = progress_ && !progress_(difference(device_.totals(), before)) &&
                          result.status == RunStatus::Cycles;
  } while (result.status == RunStatus::Cycles && left != 0 && !outcome.interrupted);
  outcome.stopped = result.status == RunStatus::Done && stop_ && stop_();
  if (result.status == RunStatus::Done && !outcome.stopped) finish_checks();
  outcome.cycle = result.cycle;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.totals = difference(device_.totals(), before);
  outcome.faults = fault_reports(device_, code_);
  outcome.unfinished = go ? watcher.pending() : std::move(tiles);
  if (outcome.stopped) outcome.unfinished.clear();  // nobody has waited for them
  if (result.status == RunStatus::Faulted || has_error(outcome.faults)) {
    outcome.status = Status::Fault;
  } else if (result.status != RunStatus::Done) {
    outcome.status = Status::Hang;
    outcome.cycle_limit = result.status == RunStatus::Cycles;
    const auto reason = outcome.interrupted                    ? Standstill::Reason::Asked
                        : outcome.cycle_limit                  ? Standstill::Reason::Limit
                        : result.status == RunStatus::Spinning ? Standstill::Reason::Spinning
                                                               : Standstill::Reason::Idle;
    outcome.standstill = where_everything_stands(reason, outcome.unfinished);
  }
  if (outcome.status != Status::Hang)
    if (const FaultReport* first = first_of(outcome.faults))
      outcome.standstill.cause = cause_of(*first, outcome.faults);
  return outcome;
}

/// What only shows when everybody is done.
void Machine::finish_checks() {
  for (const Coord coord : device_.board().tensix())
    if (tile::Checks* checks = device_.tile(coord).checks()) checks->finish(device_.cycle());
}

Standstill Machine::where_everything_stands(Standstill::Reason reason,
                                            std::span<const Coord> tiles) {
  return standstill_of(device_, code_, tiles, reason, known_words_, launched_, observed_);
}

Outcome Machine::boot() {
  const auto begin = std::chrono::steady_clock::now();
  // Who wants to end a boot early, or sets it a limit, may see less than the whole of it.
  const bool whole = !stop_ && limit_ == kNever;
  if (whole && boots_.resume(device_, firmware_)) {
    Outcome outcome;
    outcome.kept = true;
    outcome.cycle = device_.cycle();
    outcome.totals = device_.totals();
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return outcome;
  }
  device_.clear_faults();
  upload(device_, firmware_);
  Outcome outcome = run_until_done(device_.board().tensix(), true);
  if (whole && outcome.status == Status::Ok) boots_.keep(device_);
  return outcome;
}

PreparedProgram Machine::prepare(const Program& program) {
  return PreparedProgram(program, device_.board(), firmware_, device_.dram_bank_bytes());
}

void Machine::know_words(const PreparedProgram& program) {
  const Protocol& protocol = firmware_.protocol();
  known_words_ = {
      {protocol.subordinate_sync, "work, in its byte of subordinate_sync", "BRISC of its tile"},
      {protocol.go_messages, "the go message", "the host, or the dispatch core over the NoC"}};
  const u32 semaphores = firmware_.kernel_config_base() + program.offsets().semaphores;
  for (u32 i = 0; i < program.launch().semaphores.size(); ++i)
    known_words_.push_back({semaphores + i * kSemaphoreStride, fmt::format("semaphore {}", i),
                            "a core of this tile, or a NoC write or atomic of another"});
}

void Machine::know_code(const PreparedProgram& program, const PreparedPart& part) {
  const bool everywhere = part.tiles.size() == program.tiles().size();
  for (unsigned core = 0; core < kCores; ++core) {
    if (!part.launch.kernels[core] || !part.launch.kernels[core]->elf) continue;
    const KernelImage& kernel = *part.launch.kernels[core];
    kernels_.push_back(kernel.elf);
    const auto add = [&](std::optional<Coord> tile) {
      code_.add(static_cast<CoreId>(core), *kernel.elf,
                firmware_.kernel_config_base() + part.offsets.text[core], kernel.link_base,
                static_cast<u32>(kernel.bytes.size()), tile,
                part.launch_index == 0 ? 0 : device_.cycle(), true);
    };
    if (everywhere)
      add(std::nullopt);
    else
      for (const Coord tile : part.tiles) add(tile);
  }
}

Outcome Machine::run_launch(const PreparedProgram& program, unsigned index,
                            std::span<const u8> snapshot) {
  std::vector<std::unique_ptr<NoteWatch>> notes;
  std::vector<Coord> tiles;
  for (const PreparedPart& part : program.parts()) {
    if (part.launch_index != index) continue;
    know_code(program, part);
    tiles.insert(tiles.end(), part.tiles.begin(), part.tiles.end());
    notes.push_back(std::make_unique<NoteWatch>(device_, part, firmware_, printer_));
  }
  launched_ = index == 0 ? 0 : device_.cycle();
  if (!snapshot.empty())
    device_.restore(snapshot);
  else if (index == 0)
    program.start(device_, firmware_);
  else
    program.start_launch(device_, firmware_, index);
  if (index == 0 && started_) started_();
  watches_ = &notes;
  Outcome outcome = run_until_done(std::move(tiles), program.launch().go);
  watches_ = nullptr;
  return outcome;
}

namespace {

/// One outcome of launches one after another.
void join(Outcome& whole, Outcome&& last) {
  Totals totals = whole.totals;
  totals.cycles += last.totals.cycles;
  totals.riscv_instructions += last.totals.riscv_instructions;
  totals.tensix_instructions += last.totals.tensix_instructions;
  totals.noc_packets += last.totals.noc_packets;
  totals.noc_bytes += last.totals.noc_bytes;
  totals.riscv_skipped += last.totals.riscv_skipped;
  last.totals = totals;
  last.seconds += whole.seconds;
  whole = std::move(last);
}

}  // namespace

Outcome Machine::run_unsaved(const PreparedProgram& program, std::span<const u8> snapshot) {
  if (!snapshot.empty() && program.launches() != 1)
    throw InputError(program.program().file, "",
                     "a program with several launches has to be repeated from its beginning");
  know_words(program);
  device_.clear_faults();
  CheckWatch checks(device_, device_.options().checks, program, firmware_);
  if (device_.options().timing == TimingModel::Chaos) {
    // The firmware of other tiles only waits.
    std::vector<NodeId> nodes;
    for (const Coord tile : program.tiles())
      nodes.push_back(device_.board().node_at_translated(tile));
    device_.set_delays(delays_, nodes);
  }
  Outcome outcome;
  for (unsigned index = 0; index < program.launches(); ++index) {
    checks.begin(index);
    join(outcome, run_launch(program, index, snapshot));
    if (outcome.status != Status::Ok || outcome.stopped) return outcome;
  }
  outcome.checks = program.check(device_);
  for (const Check& check : outcome.checks)
    if (!check.passed) outcome.status = Status::WrongResult;
  return outcome;
}

Outcome Machine::run(const PreparedProgram& program, const std::string& directory,
                     std::span<const u8> snapshot) {
  Outcome outcome = run_unsaved(program, snapshot);
  // A wrong tensor is worth looking at as well.
  if (outcome.status == Status::Ok || outcome.status == Status::WrongResult)
    outcome.saved = program.save(device_, directory);
  return outcome;
}

}  // namespace bhemu::host
