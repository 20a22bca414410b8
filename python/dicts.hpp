// Python's words for what the product reports and names: faults, standstills, tiles and cores.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "host/report/report.hpp"
#include "host/report/standstill.hpp"

namespace bhemu::python {

pybind11::bytes bytes_of(const std::vector<u8>& data);
/// Throws InputError when there can be no such tile.
Coord coord_of(const std::pair<unsigned, unsigned>& tile);
/// "brisc", "ncrisc", "trisc0" to "trisc2", "erisc0", "erisc1". Throws InputError.
CoreId core_named(const std::string& name);
pybind11::dict fault_dict(const host::FaultReport& report);
/// `first_cause` and `waiters` of a HangError, a LimitError or a Result.
pybind11::dict standstill_dict(const host::Standstill& standstill);

}  // namespace bhemu::python
