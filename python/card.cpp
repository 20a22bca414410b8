// The native half of bhemu.blackhole_py: a card that runs by itself in a thread of its own, and
// the driver's requests over it. No call holds Python's lock while it waits for the card, and the
// card's thread never takes it.
#include <pybind11/stl.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "host/settings/card_settings.hpp"
#include "kmd/driver.hpp"
#include "kmd/live_card.hpp"
#include "native.hpp"

namespace bhemu::python {
namespace {

namespace py = pybind11;
using host::CardSettings;
using host::FaultMode;
using host::InputError;

constexpr std::pair<const char*, FaultMode> kFaultModes[] = {
    {"throw", FaultMode::Throw}, {"report", FaultMode::Report}, {"exit", FaultMode::Exit}};

std::string fault_mode_name(const CardSettings& settings) {
  for (const auto& [name, mode] : kFaultModes)
    if (mode == settings.faults) return name;
  return "";
}

void set_fault_mode(CardSettings& settings, const std::string& text) {
  for (const auto& [name, mode] : kFaultModes)
    if (text == name) {
      settings.faults = mode;
      return;
    }
  throw InputError("faults", "", "'" + text + "' is none of throw, report and exit");
}

/// BHEMU_* and the file they name. Unlike other clients of a driver, Python takes exceptions.
CardSettings settings_from_environment() {
  const auto get = [](const char* name) -> const char* { return std::getenv(name); };
  return host::card_settings(get, {}, FaultMode::Throw);
}

[[noreturn]] void os_error(int number) {
  errno = number;
  PyErr_SetFromErrno(PyExc_OSError);
  throw py::error_already_set();
}

class NativeCard : public std::enable_shared_from_this<NativeCard> {
 public:
  NativeCard(const CardSettings& settings, unsigned ordinal)
      : faults_(settings.faults), card_(settings), driver_(card_, ordinal) {
    driver_.on_window_change([this](unsigned) { maybe_dead(); });
  }
  ~NativeCard() { driver_.on_window_change(nullptr); }

  kmd::Driver& driver() { return driver_; }
  std::string board() const { return card_.board().name(); }
  u64 cycle() {
    py::gil_scoped_release free;
    return kmd::LiveCard::Visit(card_, false).device().cycle();
  }

  std::string where_everything_stands() {
    py::gil_scoped_release free;
    const kmd::LiveCard::Visit visit(card_, false);
    return card_.where_everything_stands();
  }

  void read(unsigned bar, u64 offset, const py::buffer& target) {
    const py::buffer_info info = target.request(true);
    const std::span<u8> bytes = writable_span_of(info);
    py::gil_scoped_release free;
    if (!driver_.read(bar, offset, bytes)) refused();
  }
  void write(unsigned bar, u64 offset, const py::buffer& source) {
    const py::buffer_info info = source.request();
    const std::span<const u8> bytes = span_of(info);
    py::gil_scoped_release free;
    if (!driver_.write(bar, offset, bytes)) refused();
  }

  bool answers() { return kmd::LiveCard::Visit(card_, false).answers(); }

  /// Somebody has been told why the card stopped.
  bool reported() const { return reported_.load(); }

  /// A call was refused because of what its answer says, if the card has stopped answering.
  void refused() {
    if (faults_ != FaultMode::Throw) return;
    const std::string text = driver_.failure();
    if (!answers()) {
      reported_.store(true);
      throw RunError("fault", text);
    }
    throw InputError("", "", text);
  }

 private:
  /// From the thread that runs the card, when it has stopped answering: a host that only looks at
  /// its own memory would never hear of it, so Python's main thread is interrupted.
  void maybe_dead() {
    if (faults_ != FaultMode::Throw || PyGILState_GetThisThreadState() != nullptr) return;
    if (interrupting_.exchange(true)) return;
    // Until 3.12 the main thread notices a pending call only when it is made to give up Python's
    // lock (CPython, ceval_gil.c, COMPUTE_EVAL_BREAKER), so somebody must ask for the lock: not the
    // card's thread, which others may wait for with the lock held.
    std::thread([self = weak_from_this()] {
      if (Py_IsInitialized() == 0) return;
      const py::gil_scoped_acquire hold;
      auto argument = std::make_unique<std::weak_ptr<NativeCard>>(self);
      if (Py_AddPendingCall(&NativeCard::interrupt, argument.get()) == 0)
        static_cast<void>(argument.release());
    }).detach();
  }

  /// Python's main thread, between two of its instructions.
  static int interrupt(void* argument) {
    const std::unique_ptr<std::weak_ptr<NativeCard>> self(
        static_cast<std::weak_ptr<NativeCard>*>(argument));
    const std::shared_ptr<NativeCard> card = self->lock();
    if (!card) return 0;
    card->interrupting_.store(false);
    std::string text;
    bool dead = false;
    {
      py::gil_scoped_release free;
      dead = !card->answers();
      text = card->driver_.failure();
    }
    if (!dead || card->reported_.exchange(true)) return 0;
    const py::object type = py::module_::import("bhemu.errors").attr("FaultError");
    PyErr_SetString(type.ptr(), text.c_str());
    return -1;
  }

  FaultMode faults_;
  std::atomic<bool> reported_{false};
  std::atomic<bool> interrupting_{false};
  kmd::LiveCard card_;
  kmd::Driver driver_;
};

/// An open file of a card. Keeps the card alive.
class NativeFile {
 public:
  NativeFile(std::shared_ptr<NativeCard> card, int flags) : card_(std::move(card)) {
    int error = 0;
    {
      py::gil_scoped_release free;
      file_ = card_->driver().open(flags, &error);
    }
    if (!file_) os_error(-error);
  }
  ~NativeFile() { close(); }
  NativeFile(const NativeFile&) = delete;
  NativeFile& operator=(const NativeFile&) = delete;

  /// The structure lies in `argument` and is changed there.
  void ioctl(u64 request, const py::buffer& argument) {
    kmd::File& file = open_file();
    const py::buffer_info info = argument.request(true);
    void* structure = writable_span_of(info).data();
    int result = 0;
    {
      py::gil_scoped_release free;
      result = file.ioctl(request, structure);
      if (result == -EIO) card_->refused();
    }
    if (result != 0) os_error(-result);
  }
  /// (bar, offset, bytes) that mmap would show.
  std::tuple<unsigned, u64, u64> map(u64 offset, u64 bytes) {
    kmd::Region region;
    const int result = open_file().map(offset, bytes, region);
    if (result != 0) os_error(-result);
    if (region.fd < 0) return {region.bar, region.offset, region.bytes};
    open_file().unmap(offset, bytes);
    throw InputError("", "", "DMA buffers of the driver are not mapped here: pin memory instead");
  }
  void unmap(u64 offset, u64 bytes) {
    if (file_) file_->unmap(offset, bytes);
  }
  void close() {
    py::gil_scoped_release free;
    file_.reset();
  }

 private:
  kmd::File& open_file() {
    if (!file_) os_error(EBADF);
    return *file_;
  }

  std::shared_ptr<NativeCard> card_;
  std::unique_ptr<kmd::File> file_;
};

std::shared_ptr<NativeCard> make_card(const CardSettings& settings, unsigned ordinal) {
  py::gil_scoped_release free;
  // The last reference may be dropped with Python's lock held; the card's thread never takes it.
  return std::make_shared<NativeCard>(settings, ordinal);
}

}  // namespace

void bind_card(py::module_& module) {
  py::class_<CardSettings>(module, "CardSettings")
      .def(py::init<>())
      .def_static("from_environment", &settings_from_environment)
      .def_property("faults", &fault_mode_name, &set_fault_mode)
      .def_readwrite("device", &CardSettings::device);

  py::class_<NativeCard, std::shared_ptr<NativeCard>>(module, "Card")
      .def(py::init(&make_card))
      .def("board", &NativeCard::board)
      .def("cycle", &NativeCard::cycle)
      .def("where_everything_stands", &NativeCard::where_everything_stands)
      .def("read", &NativeCard::read)
      .def("write", &NativeCard::write)
      .def("answers", &NativeCard::answers, py::call_guard<py::gil_scoped_release>())
      .def("reported", &NativeCard::reported)
      .def("failure", [](NativeCard& card) { return card.driver().failure(); })
      .def("device_path", [](NativeCard& card) { return card.driver().device_path(); })
      .def("attributes",
           [](NativeCard& card) {
             std::vector<std::tuple<std::string, std::string, bool>> all;
             for (kmd::Attribute& attribute : card.driver().attributes())
               all.emplace_back(std::move(attribute.path), std::move(attribute.text),
                                attribute.link);
             return all;
           })
      .def("attribute", [](NativeCard& card, const std::string& path) {
        const auto attribute = card.driver().attribute(path);
        return attribute && !attribute->link ? std::optional(attribute->text) : std::nullopt;
      });

  py::class_<NativeFile>(module, "File")
      .def(py::init<std::shared_ptr<NativeCard>, int>())
      .def("ioctl", &NativeFile::ioctl)
      .def("map", &NativeFile::map)
      .def("unmap", &NativeFile::unmap)
      .def("close", &NativeFile::close);
}

}  // namespace bhemu::python
