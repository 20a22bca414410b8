// A device's time: until something is done, with what stops it, and signals that are heard
// meanwhile.
#include <chrono>

#include "device.hpp"
#include "host/boot/boot_cache.hpp"
#include "native.hpp"

namespace bhemu::python {

void NativeDevice::boot(const std::string& directory) {
  firmware_ = std::make_shared<host::Firmware>(directory.empty() ? host::Firmware::embedded()
                                                                 : host::Firmware::load(directory));
  code_.booted(firmware_);
  py::gil_scoped_release free;
  const std::lock_guard<std::mutex> lock(mutex_);
  host::BootCache boots = host::BootCache::from_environment();
  const bool resumed = boots.resume(device_, *firmware_);
  desk_.booted(device());
  if (resumed) return finish({RunStatus::Done, device().cycle()});
  host::upload(device(), *firmware_);
  host::GoWatcher watcher(device(), *firmware_, device().board().tensix());
  finish(device().run(kNever, [&] { return watcher.all_done(); }));
  boots.keep(device());
}

void NativeDevice::run(const py::object& done, u64 max_cycles, const std::string& place) {
  std::function<bool()> predicate;
  std::exception_ptr thrown;
  if (!done.is_none())
    predicate = [&] {
      py::gil_scoped_acquire hold;
      desk_.asks(place);
      mutex_.unlock();
      bool result = true;
      try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        result = py::cast<bool>(done());
      } catch (...) {
        thrown = std::current_exception();
      }
      py::gil_scoped_release free;
      mutex_.lock();
      desk_.asked();
      return result;
    };
  RunResult result;
  {
    py::gil_scoped_release free;
    const std::lock_guard<std::mutex> lock(mutex_);
    result = predicate ? device().run(max_cycles, predicate) : run_on(max_cycles);
    if (!thrown) finish(result);
  }
  if (thrown) {
    std::string where;
    {
      py::gil_scoped_release free;
      const std::lock_guard<std::mutex> lock(mutex_);
      where = host::text_of(standstill(host::Standstill::Reason::Asked));
    }
    say_where(thrown, where);
    std::rethrow_exception(thrown);
  }
}

void NativeDevice::advance(u64 cycles) {
  py::gil_scoped_release free;
  const std::lock_guard<std::mutex> lock(mutex_);
  // In stretches between which signals are heard, of about a tenth of a second.
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLong{100};
  for (u64 stretch = 1 << 16; cycles != 0;) {
    const auto begin = Clock::now();
    const u64 now = std::min(cycles, stretch);
    const RunResult result = device().advance(now);
    if (result.status == RunStatus::Faulted) return finish(result);
    cycles -= now;
    if (Clock::now() - begin < kLong / 4) stretch *= 2;
    if (Clock::now() - begin > kLong && stretch > 1 << 12) stretch /= 2;
    if (cycles != 0) look_for_signals();
  }
}

RunResult NativeDevice::run_on(u64 cycles, const std::function<bool()>& done) {
  constexpr u64 kStretch = 100'000;
  RunResult result;
  do {
    const u64 stretch = std::min(cycles, kStretch);
    result = device().run(stretch, done);
    if (cycles != kNever) cycles -= stretch;
    look_for_signals();
  } while (result.status == RunStatus::Cycles && cycles != 0);
  return result;
}

host::CodeMap NativeDevice::code_map() {
  host::CodeMap code = code_.map(device());
  if (program_) program_->add_code(code);
  if (machine_) code.add(machine_->code());
  return code;
}

host::Standstill NativeDevice::standstill(host::Standstill::Reason reason) {
  return host::standstill_of(device(), code_map(), {}, reason);
}

void NativeDevice::fail(const char* kind, host::Standstill::Reason reason) {
  host::Standstill found = standstill(reason);
  desk_.tell(device(), found);
  auto where = std::make_shared<const host::Standstill>(std::move(found));
  throw RunError(kind, host::text_of(*where), where);
}

void NativeDevice::look_for_signals() {
  std::exception_ptr thrown;
  mutex_.unlock();
  {
    py::gil_scoped_acquire hold;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  mutex_.lock();
  if (!thrown) return;
  const std::string where = host::text_of(standstill(host::Standstill::Reason::Asked));
  mutex_.unlock();
  {
    py::gil_scoped_acquire hold;
    say_where(thrown, where);
  }
  mutex_.lock();
  std::rethrow_exception(thrown);
}

void NativeDevice::say_where(const std::exception_ptr& thrown, const std::string& where) {
  try {
    std::rethrow_exception(thrown);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) return;
    const py::object value = error.value();
    if (py::hasattr(value, "add_note")) value.attr("add_note")(where);
  } catch (...) {
  }
}

void NativeDevice::finish(const RunResult& result) {
  switch (result.status) {
    case RunStatus::Done:
      return;
    case RunStatus::Cycles:
      fail("limit", host::Standstill::Reason::Limit);
    case RunStatus::Faulted:
      throw RunError("fault", host::fault_text(host::fault_reports(device(), code_map())));
    case RunStatus::Idle:
      fail("hang", host::Standstill::Reason::Idle);
    case RunStatus::Spinning:
      fail("hang", host::Standstill::Reason::Spinning);
  }
}

}  // namespace bhemu::python
