#include "host/hunt/run_worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "base/archive.hpp"
#include "dram/bank.hpp"
#include "host/error.hpp"
#include "mem/mapping.hpp"
#include "tensix/state.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

template <class T>
u64 mixed(u64 hash, const T& object) {
  static_assert(std::is_trivially_copyable_v<T>);
  return hash_bytes(hash, &object, sizeof object);
}

u64 hash_registers(u64 hash, const tensix::State& state) {
  for (const tensix::SrcFile* file : {&state.fpu.src_a, &state.fpu.src_b}) {
    hash = mixed(hash, file->bank);
    hash = mixed(hash, file->owner);
    hash = mixed(hash, file->unpack_bank);
    hash = mixed(hash, file->matrix_bank);
  }
  hash = mixed(hash, state.fpu.dst.row);
  hash = mixed(hash, state.fpu.dst.valid);
  for (unsigned lreg = 0; lreg < 8; ++lreg) hash = mixed(hash, state.sfpu.lreg[lreg].lane);
  return hash;
}

// --- Messages: a length, and an archive.

void archive_notes(Archive& archive, std::vector<Delay>& delays) {
  archive.vector(delays);
}

void archive_plan(Archive& archive, DelayPlan& plan, Cycle& limit) {
  archive.value(plan.source);
  archive.value(plan.seed);
  archive.value(plan.notes);
  archive.value(plan.places);
  archive.value(limit);
  archive_notes(archive, plan.list);
}

void archive_verdict(Archive& archive, Verdict& verdict) {
  archive.value(verdict.status);
  archive.value(verdict.result);
  archive.value(verdict.cycles);
  archive.text(verdict.what);
  archive_notes(archive, verdict.delays);
}

bool send_bytes(int fd, const void* data, size_t bytes) {
  const u8* from = static_cast<const u8*>(data);
  while (bytes != 0) {
    const ssize_t done = ::write(fd, from, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    from += done;
    bytes -= static_cast<size_t>(done);
  }
  return true;
}

bool receive_bytes(int fd, void* data, size_t bytes) {
  u8* to = static_cast<u8*>(data);
  while (bytes != 0) {
    const ssize_t done = ::read(fd, to, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    to += done;
    bytes -= static_cast<size_t>(done);
  }
  return true;
}

bool send_message(int fd, const std::vector<u8>& bytes) {
  const u64 count = bytes.size();
  return send_bytes(fd, &count, sizeof count) && send_bytes(fd, bytes.data(), bytes.size());
}

std::optional<std::vector<u8>> receive_message(int fd) {
  u64 count = 0;
  if (!receive_bytes(fd, &count, sizeof count)) return std::nullopt;
  std::vector<u8> bytes(static_cast<size_t>(count));
  if (!receive_bytes(fd, bytes.data(), bytes.size())) return std::nullopt;
  return bytes;
}

/// The life of a process: plans in, verdicts out, until nobody asks any more.
void serve(const WorkerSettings& settings, const Program& program, int in, int out) {
  Machine machine(settings.device, settings.firmware.empty() ? Firmware::embedded()
                                                             : Firmware::load(settings.firmware));
  const PreparedProgram prepared = machine.prepare(program);
  const Outcome booted = machine.boot();
  const std::vector<u8> start = machine.device().snapshot();
  while (const auto message = receive_message(in)) {
    DelayPlan plan;
    Cycle limit = kNever;
    Archive asked = Archive::loading(*message);
    archive_plan(asked, plan, limit);
    Verdict verdict;
    if (booted.status == Status::Ok) {
      machine.device().set_delays(nullptr);
      machine.device().restore(start);
      machine.set_limit(limit);
      verdict = verdict_of(machine, prepared, plan);
    } else {
      verdict.status = booted.status;
      verdict.what = "the boot fails";
    }
    Archive answer = Archive::saving();
    archive_verdict(answer, verdict);
    if (!send_message(out, answer.take())) return;
  }
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

u64 result_of(Device& device, const PreparedProgram& program, const Firmware& firmware) {
  u64 hash = 0;
  std::vector<u8> bytes;
  for (const Coord coord : program.tiles()) {
    tile::Tile& tile = device.tile(coord);
    const u32 first = firmware.kernel_config_base();
    hash = hash_bytes(hash, tile.l1().data() + first, tile.l1().size() - first);
    hash = hash_registers(hash, tile.coprocessor().state());
  }
  for (unsigned bank = 0; bank < device.board().dram_banks(); ++bank) {
    const auto& node = static_cast<dram::Bank&>(device.node(device.board().dram_node(bank)));
    hash = mixed(hash, node.memory().hash());
  }
  return hash;
}

Verdict verdict_of(Machine& machine, const PreparedProgram& program, const DelayPlan& plan) {
  machine.set_delays(std::make_shared<const DelayPlan>(plan));
  const Outcome outcome = machine.run_unsaved(program);
  Verdict verdict;
  verdict.status = outcome.status;
  verdict.cycles = outcome.totals.cycles;
  const FirstCause& cause = outcome.standstill.cause;
  switch (outcome.status) {
    case Status::Hang:
      verdict.what = cause.sentence.empty() ? "it hangs" : "it hangs: " + cause.sentence;
      break;
    case Status::Fault:
      verdict.what = "a rule is broken";
      for (const FaultReport& report : outcome.faults)
        if (report.fault.severity == Severity::Error) {
          verdict.what = fmt::format("rule {}: {}", info_of(report.fault.rule).name,
                                     first_line(report.fault.text));
          verdict.result = static_cast<u64>(report.fault.rule);
          break;
        }
      break;
    case Status::WrongResult:
      for (const Check& check : outcome.checks)
        if (!check.passed) verdict.what = fmt::format("wrong result: {}", check.what);
      break;
    default:
      verdict.what = "it ends, with another result";
      verdict.result = result_of(machine.device(), program, machine.firmware());
  }
  if (plan.notes) verdict.delays = machine.device().delays();
  return verdict;
}

struct RunWorkers::Process {
  pid_t id = -1;
  int to = -1;
  int from = -1;
  std::optional<size_t> plan;  // that it works on

  ~Process() {
    if (to >= 0) ::close(to);
    if (from >= 0) ::close(from);
    if (id <= 0) return;
    // It ends when it is not asked any more; one in the middle of a long run is not waited for.
    ::kill(id, SIGTERM);
    int status = 0;
    while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
  }
};

RunWorkers::RunWorkers(const WorkerSettings& settings, const Program& program, unsigned jobs) {
  ::signal(SIGPIPE, SIG_IGN);
  for (unsigned i = 0; i < jobs; ++i) {
    int plans[2];
    int verdicts[2];
    if (::pipe(plans) != 0 || ::pipe(verdicts) != 0)
      throw InputError("", "", "the host has no pipes left");
    std::fflush(nullptr);
    auto process = std::make_unique<Process>();
    const pid_t id = ::fork();
    if (id < 0) throw InputError("", "", "the host has no processes left");
    if (id == 0) {
      ::signal(SIGINT, SIG_DFL);
      for (const auto& other : processes_) {
        ::close(other->to);
        ::close(other->from);
      }
      ::close(plans[1]);
      ::close(verdicts[0]);
      int status = 0;
      try {
        serve(settings, program, plans[0], verdicts[1]);
      } catch (const std::exception& error) {
        fmt::print(stderr, "bhemu: {}\n", error.what());
        status = 1;
      }
      std::fflush(nullptr);
      ::_exit(status);
    }
    process->id = id;
    process->to = plans[1];
    process->from = verdicts[0];
    ::close(plans[0]);
    ::close(verdicts[1]);
    processes_.push_back(std::move(process));
  }
}

RunWorkers::~RunWorkers() = default;

std::vector<Verdict> RunWorkers::run(std::span<const DelayPlan> plans) {
  std::vector<Verdict> verdicts(plans.size());
  size_t next = 0;
  size_t done = 0;
  const auto lost = [] { return InputError("", "", "a process that made a run has ended"); };
  const auto give = [&](Process& process) {
    process.plan.reset();
    if (next == plans.size()) return;
    Archive archive = Archive::saving();
    DelayPlan plan = plans[next];
    archive_plan(archive, plan, limit_);
    if (!send_message(process.to, archive.take())) throw lost();
    process.plan = next++;
  };
  for (const auto& process : processes_) give(*process);
  while (done < plans.size()) {
    std::vector<pollfd> waits;
    for (const auto& process : processes_)
      waits.push_back({process->plan ? process->from : -1, POLLIN, 0});
    if (::poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) throw InputError("", "", "interrupted");
      throw lost();
    }
    for (size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents == 0 || !processes_[i]->plan) continue;
      const auto message = receive_message(processes_[i]->from);
      if (!message) throw lost();
      Archive archive = Archive::loading(*message);
      archive_verdict(archive, verdicts[*processes_[i]->plan]);
      ++done;
      give(*processes_[i]);
    }
  }
  return verdicts;
}

}  // namespace bhemu::host
