// What `bhemu run FILE` does, from Python.
#include "device.hpp"
#include "dicts.hpp"
#include "host/program/compile.hpp"
#include "host/program/program.hpp"
#include "host/report/races.hpp"
#include "watch/second_look.hpp"

namespace bhemu::python {

// tidy: allow function-length: one step after the other
py::dict run_program(const std::string& path, const host::DeviceSettings& settings,
                     const std::string& firmware, const std::string& output, u64 max_cycles,
                     const std::vector<std::string>& questions, const std::string& race) {
  host::RaceReport races;
  host::Outcome boot;
  host::Outcome run;
  std::string board;
  size_t tiles = 0;
  std::vector<std::string> answers;
  std::vector<host::Printed> printed;
  std::unique_ptr<NativeDevice> left;
  {
    py::gil_scoped_release free;
    host::Program program = host::load_program(path);
    host::compile_sources(program);
    host::DeviceSettings with_check = settings;
    if (with_check.check.empty()) with_check.check = program.check;
    const DeviceOptions options = host::device_options(
        with_check, program.board.value_or(BoardModel::P100A), host::SettingStyle::File);
    const auto firmware_of = [&firmware] {
      return firmware.empty() ? host::Firmware::embedded() : host::Firmware::load(firmware);
    };
    const auto owned = std::make_shared<host::Machine>(options, firmware_of());
    host::Machine& machine = *owned;
    if (max_cycles != 0) machine.set_limit(max_cycles);
    machine.set_printer([&printed](const host::Printed& one) { printed.push_back(one); });
    const host::PreparedProgram prepared = machine.prepare(program);
    std::vector<watch::Question> asked;
    for (const std::string& text : questions)
      asked.push_back(watch::parse_question("why", text, machine.device().board()));
    std::unique_ptr<watch::WritersOfDevice> writers;
    if (!asked.empty()) writers = std::make_unique<watch::WritersOfDevice>(machine.device());
    board = machine.device().board().name();
    tiles = machine.device().board().tensix().size();
    machine.set_progress([](const Totals&) {
      py::gil_scoped_acquire hold;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      return true;
    });
    host::RaceSettings race_settings;
    race_settings.level = race;
    const host::RaceOptions race_options = host::race_options(race_settings);
    std::unique_ptr<host::RaceWatch> watch;
    if (race_options.on) {
      watch = std::make_unique<host::RaceWatch>(machine.device(), race_options, &machine.firmware(),
                                                prepared.tiles());
      watch->know(prepared, machine.firmware());
    }
    machine.set_boot_cache(host::BootCache::from_environment());
    boot = machine.boot();
    if (boot.status == host::Status::Ok) run = machine.run(prepared, output);
    if (with_check.check.empty())
      watch::look_for_cause(options, firmware_of, max_cycles != 0 ? max_cycles : kNever, prepared,
                            run);
    for (const watch::Question& question : asked)
      answers.push_back(
          text_of(machine.device(), question, watch::why(*writers, question), machine.code()));
    if (watch != nullptr) {
      races = watch->report(machine.code());
      watch.reset();
      races = host::with_hints(program, options, firmware, max_cycles != 0 ? max_cycles : kNever,
                               race_options, std::move(races));
    }
    writers.reset();
    if (run.status == host::Status::Hang || run.status == host::Status::Fault)
      left = std::make_unique<NativeDevice>(owned);
    machine.set_printer({});
    machine.set_progress({});
  }
  const bool booted = boot.status == host::Status::Ok;
  const host::Outcome& last = booted ? run : boot;
  py::dict result;
  result["status"] = host::name_of(last.status);
  result["board"] = board;
  result["boot_cycles"] = boot.totals.cycles;
  result["cycles"] = booted ? run.totals.cycles : 0;
  result["riscv_instructions"] = last.totals.riscv_instructions;
  result["tensix_instructions"] = last.totals.tensix_instructions;
  result["noc_bytes"] = last.totals.noc_bytes;
  result["explanation"] = last.explanation(tiles);
  result["saved"] = last.saved;
  const py::dict standstill = standstill_dict(last.standstill);
  for (const char* key : {"first_cause", "waiters"}) result[key] = standstill[key];
  std::vector<py::dict> faults;
  for (const host::FaultReport& report : last.faults) faults.push_back(fault_dict(report));
  result["faults"] = faults;
  result["why"] = answers;
  py::list lines;
  for (const host::Printed& one : printed)
    lines.append(py::make_tuple(py::make_tuple(one.tile.x, one.tile.y), name_of(one.core),
                                one.cycle, one.text));
  result["printed"] = lines;
  std::vector<py::dict> found;
  for (const host::RaceFinding& one : races.findings) {
    py::dict finding;
    finding["kind"] = one.kind;
    finding["row"] = static_cast<unsigned>(one.finding.edge);
    finding["text"] = one.text;
    finding["suppressed"] = one.suppressed;
    std::vector<std::pair<unsigned, unsigned>> at;
    for (const Coord tile : one.tiles) at.emplace_back(tile.x, tile.y);
    finding["tiles"] = at;
    found.push_back(std::move(finding));
  }
  result["races"] = found;
  result["device"] = left == nullptr ? py::object(py::none()) : py::cast(std::move(left));
  return result;
}

}  // namespace bhemu::python
