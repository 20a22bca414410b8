#include "dicts.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <variant>

#include "host/boot/firmware.hpp"
#include "host/error.hpp"
#include "noc/routing.hpp"

namespace bhemu::python {
namespace {

namespace py = pybind11;
using host::InputError;

void add_waits(py::dict& waiter, const host::WaiterGroup& group) {
  py::object compared = py::none();
  if (group.compared)
    compared = py::dict(py::arg("value") = group.compared->value,
                        py::arg("relation") = name_of(group.compared->relation),
                        py::arg("wanted") = group.compared->wanted);
  waiter["compared"] = compared;
  py::list waits;
  for (const Wait& wait : group.waits) {
    py::dict dict;
    for (const host::WaitPart& part : host::parts_of(wait))
      std::visit([&](const auto& value) { dict[part.name] = py::cast(value); }, part.value);
    waits.append(dict);
  }
  waiter["waits"] = waits;
  waiter["released_by"] = py::cast(group.released_by);
}

}  // namespace

py::bytes bytes_of(const std::vector<u8>& data) {
  return py::bytes(reinterpret_cast<const char*>(data.data()), data.size());
}

Coord coord_of(const std::pair<unsigned, unsigned>& tile) {
  if (tile.first >= noc::Routing::kSpan || tile.second >= noc::Routing::kSpan)
    throw InputError("", "",
                     fmt::format("({}, {}) is no coordinate of the NoC", tile.first, tile.second));
  return {static_cast<u8>(tile.first), static_cast<u8>(tile.second)};
}

CoreId core_named(const std::string& name) {
  for (unsigned core = 0; core < kCores; ++core)
    if (name == host::kCoreFileNames[core]) return static_cast<CoreId>(core);
  if (name == "erisc0") return CoreId::Erisc0;
  if (name == "erisc1") return CoreId::Erisc1;
  throw InputError("", "",
                   fmt::format("there is no core '{}': brisc, ncrisc, trisc0, trisc1, "
                               "trisc2, erisc0, erisc1",
                               name));
}

py::dict fault_dict(const host::FaultReport& report) {
  py::dict dict;
  dict["rule"] = info_of(report.fault.rule).name;
  dict["is_error"] = report.fault.severity == Severity::Error;
  dict["tile"] = py::make_tuple(report.tile.x, report.tile.y);
  dict["agent"] = name_of(report.fault.agent);
  dict["pc"] = report.fault.pc;
  dict["cycle"] = report.fault.cycle;
  dict["text"] = report.fault.text;
  dict["where"] = report.where;
  dict["instruction"] = report.instruction;
  return dict;
}

py::dict standstill_dict(const host::Standstill& standstill) {
  const host::FirstCause& first = standstill.cause;
  py::dict cause;
  cause["sentence"] = first.sentence;
  cause["remedy"] = first.remedy;
  cause["rule"] = first.rule ? py::cast(info_of(*first.rule).name) : py::none();
  cause["place"] = first.place;
  cause["tile"] = py::make_tuple(first.tile.x, first.tile.y);
  cause["agent"] = name_of(first.agent);
  py::list waiters;
  for (const host::WaiterGroup& group : standstill.waiters) {
    py::dict waiter;
    py::list tiles;
    for (const Coord tile : group.tiles) tiles.append(py::make_tuple(tile.x, tile.y));
    waiter["tiles"] = tiles;
    waiter["agent"] = name_of(group.agent);
    waiter["pc"] = group.pc;
    waiter["where"] = group.where;
    waiter["what"] = group.what;
    waiter["who"] = group.who;
    add_waits(waiter, group);
    waiters.append(waiter);
  }
  py::dict dict;
  dict["first_cause"] = first.sentence.empty() ? py::object(py::none()) : py::object(cause);
  dict["waiters"] = waiters;
  return dict;
}

}  // namespace bhemu::python
