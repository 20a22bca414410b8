// What --json says of boots, runs and races.
#include "cli/run_json.hpp"

namespace bhemu::cli {
namespace {

using host::Check;
using host::JsonWriter;
using host::Outcome;

void write_tiles(JsonWriter& json, std::span<const Coord> tiles) {
  json.begin_array();
  for (const Coord tile : tiles) {
    json.begin_array();
    json.value(u32{tile.x});
    json.value(u32{tile.y});
    json.end_array();
  }
  json.end_array();
}

void write_faults(JsonWriter& json, const Outcome& outcome) {
  json.key("faults");
  json.begin_array();
  for (const host::FaultReport& report : outcome.faults) {
    const Fault& fault = report.fault;
    json.begin_object();
    json.member("rule", info_of(fault.rule).name);
    json.member("severity", fault.severity == Severity::Error ? "error" : "warn");
    json.key("tile");
    json.begin_array();
    json.value(u32{report.tile.x});
    json.value(u32{report.tile.y});
    json.end_array();
    json.member("agent", name_of(fault.agent));
    json.member("pc", fault.pc);
    json.member("cycle", fault.cycle);
    json.member("instruction", report.instruction);
    json.member("where", report.where);
    json.member("text", fault.text);
    json.member("section", info_of(fault.rule).section);
    json.end_object();
  }
  json.end_array();
}

void write_waits(JsonWriter& json, const host::WaiterGroup& group) {
  if (group.compared) {
    json.key("compared");
    json.begin_object();
    json.member("value", group.compared->value);
    json.member("relation", name_of(group.compared->relation));
    json.member("wanted", group.compared->wanted);
    json.end_object();
  }
  json.key("waits");
  json.begin_array();
  for (const Wait& wait : group.waits) {
    json.begin_object();
    for (const host::WaitPart& part : host::parts_of(wait)) {
      json.key(part.name);
      if (const auto* number = std::get_if<u64>(&part.value)) {
        json.value(*number);
      } else if (const auto* text = std::get_if<std::string>(&part.value)) {
        json.value(*text);
      } else {
        json.begin_array();
        for (const std::string& item : std::get<std::vector<std::string>>(part.value))
          json.value(item);
        json.end_array();
      }
    }
    json.end_object();
  }
  json.end_array();
  json.key("released_by");  // which of the others
  json.begin_array();
  for (const size_t index : group.released_by) json.value(u64{index});
  json.end_array();
}

void write_waiters(JsonWriter& json, const Outcome& outcome) {
  const host::FirstCause& cause = outcome.standstill.cause;
  if (!cause.sentence.empty()) {
    json.key("first_cause");
    json.begin_object();
    json.member("sentence", cause.sentence);
    json.member("remedy", cause.remedy);
    if (cause.rule) json.member("rule", info_of(*cause.rule).name);
    json.member("place", cause.place);
    json.member("agent", name_of(cause.agent));
    json.key("tile");
    json.begin_array();
    json.value(u32{cause.tile.x});
    json.value(u32{cause.tile.y});
    json.end_array();
    json.end_object();
  }
  json.key("waiting");
  json.begin_array();
  for (const host::WaiterGroup& group : outcome.standstill.waiters) {
    json.begin_object();
    json.key("tiles");
    write_tiles(json, group.tiles);
    json.member("agent", name_of(group.agent));
    json.member("pc", group.pc);
    json.member("where", group.where);
    json.member("what", group.what);
    json.member("who", group.who);
    write_waits(json, group);
    json.end_object();
  }
  json.end_array();
  json.key("unfinished");
  write_tiles(json, outcome.unfinished);
}

}  // namespace

void write_phase(JsonWriter& json, const char* name, const Outcome& outcome) {
  const Totals& totals = outcome.totals;
  json.key(name);
  json.begin_object();
  json.member("status", host::name_of(outcome.status));
  json.member("seconds", outcome.seconds);
  if (outcome.stopped) json.member("stopped", true);
  json.member("end_cycle", outcome.cycle);
  json.member("cycles", totals.cycles);
  json.member("riscv_instructions", totals.riscv_instructions);
  json.member("riscv_skipped", totals.riscv_skipped);
  json.member("tensix_instructions", totals.tensix_instructions);
  json.member("noc_packets", totals.noc_packets);
  json.member("noc_bytes", totals.noc_bytes);
  json.key("checks");
  json.begin_array();
  for (const Check& check : outcome.checks) {
    json.begin_object();
    json.member("what", check.what);
    json.member("passed", check.passed);
    json.member("compared", check.compared);
    json.member("wrong", check.wrong);
    json.member("close", check.close);
    json.member("detail", check.detail);
    json.end_object();
  }
  json.end_array();
  json.key("saved");
  json.begin_array();
  for (const std::string& path : outcome.saved) json.value(path);
  json.end_array();
  write_faults(json, outcome);
  write_waiters(json, outcome);
  json.end_object();
}

void write_races(JsonWriter& json, const host::RaceReport& races) {
  json.key("races");
  json.begin_object();
  json.member("findings", u64{races.told()});
  json.member("errors", u64{races.errors()});
  json.member("suppressed", u64{races.suppressed()});
  json.key("texts");
  json.begin_array();
  for (const host::RaceFinding& one : races.findings)
    if (one.suppressed.empty()) json.value(one.text);
  json.end_array();
  json.end_object();
}

}  // namespace bhemu::cli
