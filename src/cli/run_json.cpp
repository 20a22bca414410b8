// What --json says of boots, runs and races.
#include "cli/run_json.hpp"

namespace bhemu::cli {
namespace {

using bhemu::json_of;

Json tiles_json(std::span<const Coord> tiles) {
  return json_list(tiles, [](Coord tile) { return json_of(tile); });
}

Json json_of(const host::FaultReport& report) {
  const Fault& fault = report.fault;
  return {{"rule", info_of(fault.rule).name},
          {"severity", fault.severity == Severity::Error ? "error" : "warn"},
          {"tile", json_of(report.tile)},
          {"agent", name_of(fault.agent)},
          {"pc", fault.pc},
          {"cycle", fault.cycle},
          {"instruction", report.instruction},
          {"where", report.where},
          {"text", fault.text},
          {"section", info_of(fault.rule).section}};
}

Json json_of(const Wait& wait) {
  Json json = Json::object();
  for (const host::WaitPart& part : host::parts_of(wait))
    std::visit([&](const auto& value) { json[part.name] = value; }, part.value);
  return json;
}

Json json_of(const host::WaiterGroup& group) {
  Json json{{"tiles", tiles_json(group.tiles)},
            {"agent", name_of(group.agent)},
            {"pc", group.pc},
            {"where", group.where},
            {"what", group.what},
            {"who", group.who}};
  if (group.compared)
    json["compared"] = {{"value", group.compared->value},
                        {"relation", name_of(group.compared->relation)},
                        {"wanted", group.compared->wanted}};
  json["waits"] = json_list(group.waits, [](const Wait& wait) { return json_of(wait); });
  json["released_by"] = group.released_by;  // which of the others
  return json;
}

Json json_of(const host::FirstCause& cause) {
  Json json{{"sentence", cause.sentence}, {"remedy", cause.remedy}};
  if (cause.rule) json["rule"] = info_of(*cause.rule).name;
  json["place"] = cause.place;
  json["agent"] = name_of(cause.agent);
  json["tile"] = json_of(cause.tile);
  return json;
}

Json json_of(const host::Check& check) {
  return {{"what", check.what},   {"passed", check.passed}, {"compared", check.compared},
          {"wrong", check.wrong}, {"close", check.close},   {"detail", check.detail}};
}

}  // namespace

Json json_of(const host::Outcome& outcome) {
  const Totals& totals = outcome.totals;
  Json json{{"status", host::name_of(outcome.status)}, {"seconds", outcome.seconds}};
  if (outcome.stopped) json["stopped"] = true;
  if (outcome.kept) json["kept"] = true;
  json["end_cycle"] = outcome.cycle;
  json["cycles"] = totals.cycles;
  json["riscv_instructions"] = totals.riscv_instructions;
  json["riscv_skipped"] = totals.riscv_skipped;
  json["tensix_instructions"] = totals.tensix_instructions;
  json["noc_packets"] = totals.noc_packets;
  json["noc_bytes"] = totals.noc_bytes;
  json["checks"] = json_list(outcome.checks, [](const auto& one) { return json_of(one); });
  json["saved"] = outcome.saved;
  json["faults"] = json_list(outcome.faults, [](const auto& one) { return json_of(one); });
  const host::Standstill& standstill = outcome.standstill;
  if (!standstill.cause.sentence.empty()) json["first_cause"] = json_of(standstill.cause);
  json["waiting"] = json_list(standstill.waiters, [](const auto& one) { return json_of(one); });
  json["unfinished"] = tiles_json(outcome.unfinished);
  return json;
}

Json json_of(const host::RaceReport& races) {
  Json texts = Json::array();
  for (const host::RaceFinding& one : races.findings)
    if (one.suppressed.empty()) texts.push_back(one.text);
  return {{"findings", races.told()},
          {"errors", races.errors()},
          {"suppressed", races.suppressed()},
          {"texts", texts}};
}

}  // namespace bhemu::cli
