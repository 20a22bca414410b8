// The native half of the Python package: bhemu._native, its exceptions and its names.
#include <pybind11/functional.h>

#include "base/archive.hpp"
#include "device.hpp"
#include "dicts.hpp"
#include "host/error.hpp"
#include "host/version.hpp"
#include "native.hpp"
#include "riscv/disasm.hpp"
#include "tensix/disasm.hpp"

namespace bhemu::python {
namespace {

using host::InputError;

void register_exceptions() {
  py::register_exception_translator([](std::exception_ptr pointer) {
    if (!pointer) return;
    const auto raise = [](const char* name, const char* text) {
      const py::object type = py::module_::import("bhemu.errors").attr(name);
      PyErr_SetString(type.ptr(), text);
    };
    try {
      std::rethrow_exception(pointer);
    } catch (const RunError& error) {
      const char* name = error.kind == "fault"  ? "FaultError"
                         : error.kind == "hang" ? "HangError"
                                                : "LimitError";
      const py::object raised = py::module_::import("bhemu.errors").attr(name)(error.what());
      if (error.standstill) {
        const py::dict dict = standstill_dict(*error.standstill);
        for (const char* key : {"first_cause", "waiters"}) raised.attr(key) = dict[key];
      }
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
    } catch (const InputError& error) {
      raise("InputError", error.what());
    } catch (const ArchiveError& error) {
      raise("InputError", error.what());
    }
  });
}

}  // namespace
}  // namespace bhemu::python

PYBIND11_MODULE(_native, module) {
  using namespace bhemu::python;  // NOLINT: the macro makes a function
  using bhemu::host::DeviceSettings;
  module.attr("__version__") = bhemu::host::kVersion;
  register_exceptions();

  py::class_<DeviceSettings>(module, "Settings")
      .def(py::init<>())
      .def_readwrite("board", &DeviceSettings::board)
      .def_readwrite("harvest_dram", &DeviceSettings::harvest_dram)
      .def_readwrite("harvest_columns", &DeviceSettings::harvest_columns)
      .def_readwrite("timing", &DeviceSettings::timing)
      .def_readwrite("rules", &DeviceSettings::rules)
      .def_readwrite("check", &DeviceSettings::check)
      .def_readwrite("threads", &DeviceSettings::threads)
      .def_readwrite("seed", &DeviceSettings::seed);

  py::class_<NativeDevice>(module, "Device")
      .def(py::init<const DeviceSettings&>())
      .def("board", &NativeDevice::board)
      .def("tensix_tiles", &NativeDevice::tensix_tiles)
      .def("dram_banks", &NativeDevice::dram_banks)
      .def("dram_tile", &NativeDevice::dram_tile)
      .def("soc_descriptor", &NativeDevice::soc_descriptor)
      .def("read", &NativeDevice::read)
      .def("write", &NativeDevice::write)
      .def("multicast", &NativeDevice::multicast)
      .def("read_dram", &NativeDevice::read_dram)
      .def("write_dram", &NativeDevice::write_dram)
      .def("set_host_memory", &NativeDevice::set_host_memory)
      .def("boot", &NativeDevice::boot)
      .def("load_elf", &NativeDevice::load_elf)
      .def("register_elf", &NativeDevice::register_elf)
      .def("start_core", &NativeDevice::start_core)
      .def("hold_core", &NativeDevice::hold_core)
      .def("run", &NativeDevice::run)
      .def("advance", &NativeDevice::advance)
      .def("cycle", &NativeDevice::cycle)
      .def("doubts", &NativeDevice::doubts)
      .def("has_not_run", &NativeDevice::has_not_run)
      .def("hash", &NativeDevice::hash)
      .def("registers", &NativeDevice::registers)
      .def("source_format", &NativeDevice::source_format)
      .def("core", &NativeDevice::core)
      .def("circular_buffers", &NativeDevice::circular_buffers)
      .def("faults", &NativeDevice::faults)
      .def("clear_faults", &NativeDevice::clear_faults)
      .def("waiters", &NativeDevice::waiters)
      .def("remember_writers", &NativeDevice::remember_writers)
      .def("why", &NativeDevice::why)
      .def("watch", &NativeDevice::watch)
      .def("watched", &NativeDevice::watched)
      .def("grid", &NativeDevice::grid)
      .def("snapshot", &NativeDevice::snapshot)
      .def("restore", &NativeDevice::restore)
      .def("clone", &NativeDevice::clone)
      .def("load_program", &NativeDevice::load_program)
      .def("program_done", &NativeDevice::program_done)
      .def("save_tensors", &NativeDevice::save_tensors)
      .def("check_program", &NativeDevice::check_program)
      .def("symbol", &NativeDevice::symbol)
      .def("run_program", &NativeDevice::run_program_on)
      .def("sync", &NativeDevice::sync);

  bind_card(module);

  module.def("run_program", &run_program);
  module.def("disassemble_riscv", &bhemu::riscv::disassemble);
  module.def("disassemble_tensix", &bhemu::tensix::disassemble);
}
