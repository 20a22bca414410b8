#include "capi/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "debug/trace/trace_file.hpp"
#include "device/livelock.hpp"
#include "device/refusal.hpp"
#include "host/error.hpp"
#include "host/report/hints.hpp"
#include "host/report/standstill.hpp"

namespace bhemu::capi {

using host::ClockMode;
using host::SettingStyle;

namespace {

// Milliseconds without a call after which a card that has work is run.
constexpr unsigned kSoon = 100;
constexpr unsigned kLate = 3000;

constexpr const char* kHowToHear =
    "with fast dispatch tt-metal waits in its own memory, where nothing can reach it. With "
    "TT_METAL_OPERATION_TIMEOUT_SECONDS set (100000, say) it asks the card now and then, and this "
    "is an exception in the call that waits.";

/// Outside of the NoC's span: nowhere.
Coord tile_at(u32 x, u32 y) {
  const auto within = [](u32 value) { return static_cast<u8>(std::min<u32>(value, 0xFF)); };
  return {within(x), within(y)};
}

void check_buffer(std::span<const u8> bytes) {
  if (bytes.data() == nullptr && !bytes.empty())
    throw card::AccessError(fmt::format("the buffer for {} bytes is null", bytes.size()));
}

/// The card's trace is this session's own, which goes on anew after a reset, and so are reports.
SessionSettings for_card(SessionSettings settings) {
  settings.device.trace = {};
  settings.device.race = {};
  settings.elves.clear();
  settings.caches.clear();
  return settings;
}

}  // namespace

// A callback that throws must not end a worker thread: what it could not do is not there.
bool CallbackMemory::read(u64 address, void* target, u32 bytes) {
  uses_.fetch_add(1, std::memory_order_relaxed);
  if (read_ == nullptr) return false;
  if (bytes == 0) return true;
  try {
    read_(address, target, bytes);
  } catch (...) {
    return false;
  }
  return true;
}

bool CallbackMemory::write(u64 address, const void* source, u32 bytes) {
  uses_.fetch_add(1, std::memory_order_relaxed);
  if (write_ == nullptr) return false;
  if (bytes == 0) return true;
  try {
    write_(address, source, bytes);
  } catch (...) {
    return false;
  }
  return true;
}

Session::Session(const SessionSettings& settings, CallbackMemory::Read read,
                 CallbackMemory::Write write)
    : mode_(settings.faults),
      waits_in_memory_(settings.polls_memory && !settings.asks_while_waiting),
      code_(settings.elves, settings.caches),
      memory_(read, write),
      has_memory_(read != nullptr && write != nullptr),
      trace_(settings.device.trace),
      race_(settings.device.race),
      polls_(settings.hang_seconds),
      words_(settings.looks_at_leisure ? 0 : settings.hang_seconds),
      standstill_(settings.hang_seconds * Ticker::kTicksPerSecond),
      card_(for_card(settings), {BoardModel::P150, false, false, false}) {
  if (has_memory_) card_.set_host_memory(&memory_);
  start_trace();
  card_.on_silence([this] { speak(); });
  signals_ = std::make_unique<kmd::SignalDesk>([this] { say_where_everything_stands(); });
  if (settings.clock == ClockMode::Free) card_.start();
  if (settings.clock == ClockMode::Calls || !has_memory_) return;
  if (settings.polls_memory && settings.hang_seconds != 0)
    ticker_ = std::make_unique<Ticker>([this] { look_after(); });
  if (settings.clock != ClockMode::Auto) return;
  silence_ = std::make_unique<SilenceWatch>(
      SilenceWatch::Client{
          [this] {
            const std::lock_guard lock(mutex_);
            return Visit(card_, false).device().run(0).status != RunStatus::Idle;
          },
          [this] { return memory_.uses() != 0; }, [this] { return run_a_little(); },
          [this] {
            const std::lock_guard lock(mutex_);
            quiet_ = {};  // from now on nothing can be done beside the card's thread
            card_.start();
          }},
      settings.polls_memory ? kSoon : kLate);
}

Session::~Session() {
  signals_.reset();
  ticker_.reset();
  silence_.reset();
  end_trace();
}

void Session::start_trace() {
  const Visit visit(card_, false);
  debug::start_trace(visit.device(), trace_, SettingStyle::Environment);
  races_ = std::make_unique<debug::RaceSession>(visit.device(), race_);
}

void Session::end_trace() {
  const Visit visit(card_, false);
  const trace::Summary trace = visit.device().stop_trace();
  if (!trace.error.empty()) report_trace(trace.error);
  if (const std::string text = warnings(visit, true); !text.empty() && !latched_) report(text);
  try {
    const std::string races = races_->finish(
        [&](std::span<const Author> sites) { return code_.of_sites(visit.device(), sites); });
    if (!races.empty()) report(races);
  } catch (const host::InputError& error) {
    report(error.what());
  }
  races_.reset();
}

/// What a reset of the ASIC leaves: nothing of what was. A trace begins anew, too.
void Session::reset() {
  quiet_ = {};
  end_trace();
  card_.reset();
  start_trace();
}

void Session::report(const std::string& text) {
  std::fprintf(stderr, "bhemu: %s\n", text.c_str());
}

/// It is neither the client's mistake nor the guest's, so the session goes on without.
void Session::report_trace(const std::string& error) {
  if (trace_.file.empty()) return;
  report(fmt::format("{}: the trace ends here: {}", trace_.file, error));
  trace_.file.clear();
}

/// From now on the card is dead, for short cuts as well.
void Session::latch(const std::string& text) {
  if (!latched_) report(text);
  latched_ = true;
  quiet_ = {};
}

void Session::host_mistake(const std::string& text) {
  switch (mode_) {
    case FaultMode::Throw:
      throw std::runtime_error("bhemu: " + text);
    case FaultMode::Exit:
      report(text);
      std::_Exit(host::kExitHost);
    case FaultMode::Report:
      latch(text);
  }
}

/// What is to be said about the faults so far, which are forgotten then.
std::string Session::take_faults(const Visit& visit) {
  Device& device = visit.device();
  const auto reports = host::fault_reports(device, code_.of_faults(device));
  visit.forgive();
  return reports.empty() ? "" : host::fault_text(reports);
}

/// Broken rules that are warnings stop nobody, so no call has told of them.
std::string Session::warnings(const Visit& visit, bool first_cause) {
  Device& device = visit.device();
  auto reports = host::fault_reports(device, code_.of_faults(device));
  std::erase_if(reports,
                [](const host::FaultReport& one) { return one.fault.severity == Severity::Error; });
  return reports.empty() ? "" : host::fault_text(reports, 0, first_cause);
}

/// In the thread of the watch: false when nothing more will happen by itself.
bool Session::run_a_little() {
  constexpr Cycle kStretch = 16384;
  const std::lock_guard lock(mutex_);
  const Visit visit(card_, false);
  const RunStatus status = visit.device().run(kStretch).status;
  has_faulted_ |= status == RunStatus::Faulted;
  return status == RunStatus::Cycles;
}

/// In the card's thread: the client has not called since the card met a fault, and perhaps never
/// will, because it waits for something that the card was to write.
void Session::speak() {
  const std::lock_guard lock(mutex_);
  std::string text;
  {
    const Visit visit(card_, false);
    if (!visit.faulted()) return;
    text = host::fault_text(host::fault_reports(visit.device(), code_.of_faults(visit.device())));
  }
  if (mode_ != FaultMode::Throw) return guest_mistake(text);
  report("the card stands still, and the client has not called for a second:\n" + text);
  if (waits_in_memory_ && ticker_) report(kHowToHear);
}

/// In the ticker's thread.
void Session::look_after() {
  const std::lock_guard lock(mutex_);
  if (latched_ || !card_.runs()) return;
  std::string text;
  Standstill::Verdict verdict{};
  {
    const Visit visit(card_, false);
    Standstill::Look look{visit.faulted(), false, calls_, writes_};
    look.hung = !look.faulted && visit.is_still() &&
                !go_messages_.started_by_the_chip(visit.device()).empty();
    verdict = standstill_.tick(look);
    if (verdict == Standstill::Verdict::Say) text = standstill(visit);
  }
  if (verdict == Standstill::Verdict::Tell) tells_hang_ = true;
  if (verdict == Standstill::Verdict::End) end_process();
  if (text.empty()) return;
  if (mode_ != FaultMode::Throw) return guest_mistake(text);
  report(text);
  if (waits_in_memory_) report(kHowToHear);
}

/// The client looks at its own memory and would do so for ever.
void Session::end_process() {
  if (!waits_in_memory_ || mode_ != FaultMode::Throw) return;
  report("the client has not called since, so the process ends here (BHEMU_HANG=0: never).");
  std::_Exit(host::kExitGuest);
}

void Session::guest_mistake(const std::string& text) {
  switch (mode_) {
    case FaultMode::Throw:
      // Said once: the core that broke the rule stays where it is, and whoever wants to know more
      // can look at it and at the rest of the chip.
      throw std::runtime_error("bhemu: " + text);
    case FaultMode::Exit:
      report(text);
      std::_Exit(host::kExitGuest);
    case FaultMode::Report:
      latch(text);
  }
}

template <class Body>
void Session::guarded(bool changes, Body body) {
  const std::lock_guard lock(mutex_);
  if (latched_) return;
  std::string mistake;
  std::string guest;
  std::string in_vain;
  {
    const Visit visit(card_, changes);
    ++calls_;
    // What a card that runs by itself has met, the next call hears of, whatever it wants.
    if (visit.faulted() || (has_faulted_ && card_.runs())) {
      has_faulted_ = false;
      guest = take_faults(visit);
    }
    if (!changes && guest.empty() && std::exchange(tells_hang_, false)) guest = standstill(visit);
    if (guest.empty()) {
      try {
        body(visit);
        if (polls_.hangs())
          guest = hang(visit);
        else if (words_.hangs())
          in_vain = waits_in_vain(visit);
      } catch (const card::AccessError& error) {
        mistake = error.what();
        // A rule that the access broke says more than that nothing answered.
        if (const std::string text = take_faults(visit); !text.empty()) mistake += "\n" + text;
      }
    }
    note_quiet(visit);
  }
  if (silence_) silence_->called();
  if (!in_vain.empty()) report(in_vain);
  if (!guest.empty()) guest_mistake(guest);
  if (!mistake.empty()) host_mistake(mistake);
}

/// The client has read from a tile.
void Session::observe(const Visit& visit, NodeId node, u64 address, std::span<const u8> bytes) {
  go_messages_.was_read(visit.device(), node, address, bytes);
  polls_.saw(node, address, bytes, [&] { return is_still(visit); });
  // A word of the management core's counts, or tells of the card's health, by itself.
  const noc::NodeKind kind = visit.device().node(node).kind();
  const bool by_kernels =
      kind == noc::NodeKind::Dram || (kind == noc::NodeKind::Tensix && address < kL1Size);
  if (by_kernels && !PollWatch::is_go(address, bytes))
    words_.saw(node, address, bytes, [&] { return is_still(visit); });
}

/// Whether anything can happen on the chip unless the client writes. What is known of a device that
/// repeats itself holds for a while.
bool Session::is_still(const Visit& visit) {
  if (card_.runs()) return visit.is_still();
  Device& device = visit.device();
  const u64 uses = memory_.uses();
  if (uses != std::exchange(uses_, uses)) {
    spun_.reset();
    return false;
  }
  const RunStatus status = device.run(0).status;
  if (status == RunStatus::Spinning) spun_ = device.cycle();
  return status == RunStatus::Idle ||
         (spun_ && device.cycle() - *spun_ <= 2 * LivelockCheck::kWindow);
}

/// What is to be said of a chip that will never be done.
std::string Session::hang(const Visit& visit) {
  std::vector<Coord> tiles;
  for (const NodeId node : polls_.asked()) tiles.push_back(visit.device().coord_of(node));
  std::string text = fmt::format(
      "the client has asked {} times in {} s whether the program on {} is done, and nothing on the "
      "chip can change the answer (BHEMU_HANG sets the seconds; 0: wait for ever).\n",
      polls_.times(), polls_.patience().count(),
      host::tiles_text(tiles, visit.device().board().tensix().size()));
  text += hang(visit, tiles);
  polls_.restart();
  return text;
}

/// What is to be said, once, to a client that looks for ever where nobody will write.
std::string Session::waits_in_vain(const Visit& visit) {
  Device& device = visit.device();
  return kmd::told_of_looks(words_, device, code_.of_waiters(device), visit.words()) +
         warnings(visit, false) + host::hint_for_clients(device.options().checks);
}

/// The same of kernels that the client's software on the chip has started.
std::string Session::standstill(const Visit& visit) {
  const std::vector<Coord> tiles = go_messages_.started_by_the_chip(visit.device());
  if (tiles.empty()) return "";
  return fmt::format(
             "the program on {} will never be done: for {} s nothing on the chip has been able to "
             "happen, and the client has written nothing (BHEMU_HANG sets the seconds; 0: wait for "
             "ever).\n",
             host::tiles_text(tiles, visit.device().board().tensix().size()),
             polls_.patience().count()) +
         hang(visit, tiles);
}

/// In the signals' thread.
void Session::say_where_everything_stands() {
  const std::lock_guard lock(mutex_);
  const Visit visit(card_, false);
  host::Standstill standstill = host::standstill_of(
      visit.device(), code_.of_waiters(visit.device()), {}, host::Standstill::Reason::Asked);
  visit.words().tell(standstill, visit.device());
  report(host::text_of(standstill));
}

/// Who waits there, for what, and who could help.
std::string Session::hang(const Visit& visit, const std::vector<Coord>& tiles) {
  Device& device = visit.device();
  const bool idle = device.run(0).status == RunStatus::Idle;
  const auto reason = idle ? host::Standstill::Reason::Idle : host::Standstill::Reason::Spinning;
  host::Standstill standstill =
      host::standstill_of(device, code_.of_waiters(device), tiles, reason);
  visit.words().tell(standstill, device);
  return host::text_of(standstill) + warnings(visit, false) +
         host::hint_for_clients(device.options().checks);
}

u32 Session::config_read(u32 bus_device_function, u32 offset) {
  u32 value = ~0u;
  // Nobody else is on this bus: an empty slot reads all ones.
  if (bus_device_function == 0)
    guarded(false, [&](const Visit& visit) { value = visit.function().config_read(offset); });
  return value;
}

void Session::config_write(u32 bus_device_function, u32 offset, u32 value) {
  bool wants_reset = false;
  guarded(true, [&](const Visit& visit) {
    if (bus_device_function != 0)
      throw card::AccessError(
          fmt::format("no PCI function {:#x}: the card is function 0", bus_device_function));
    visit.function().config_write(offset, value);
    wants_reset = visit.function().wants_reset();
  });
  if (!wants_reset) return;
  const std::lock_guard lock(mutex_);
  reset();
}

/// Time passes on a bus after each write of the host's: a tenth of a microsecond or two until the
/// next write, a round trip over PCI Express until the answer to a read. Clients that clock after
/// their reads only (tt-umd) rely on it: they release a core, or send a debugger's commands, and
/// look at once. What faults meanwhile is said at the next clock.
void Session::let_writes_work(Device& device, bool reads) {
  if (!has_written_) return;
  has_written_ = false;
  has_faulted_ |= device.advance(reads ? kRoundTrip : kNextWrite).status == RunStatus::Faulted;
}

void Session::read(u64 address, std::span<u8> bytes) {
  if (bytes.data() != nullptr) std::fill(bytes.begin(), bytes.end(), u8{0xFF});
  guarded(false, [&](const Visit& visit) {
    check_buffer(bytes);
    if (bytes.empty()) return;  // nothing goes out on the bus
    let_writes_work(visit.device(), true);
    visit.function().read(address, bytes);
    const auto behind = visit.function().behind(address);
    if (behind && behind->node != kNoNode) observe(visit, behind->node, behind->address, bytes);
  });
}

void Session::write(u64 address, std::span<const u8> bytes) {
  guarded(true, [&](const Visit& visit) {
    check_buffer(bytes);
    if (bytes.empty()) return;
    let_writes_work(visit.device(), false);
    has_written_ = true;
    if (!visit.function().is_window_register(address)) note_write();
    visit.function().write(address, bytes);
    if (const auto behind = visit.function().behind(address)) {
      go_messages_.was_written(visit.device(), behind->node, behind->address, bytes);
      visit.note_write(behind->node, behind->address, bytes);
    }
  });
}

/// An access of the client's was a mistake of his.
void Session::refuse(const std::string& mistake) {
  guarded(true, [&](const Visit&) { throw card::AccessError(mistake); });
}

void Session::tile_read(u32 x, u32 y, u64 address, std::span<u8> bytes) {
  if (bytes.data() != nullptr) std::fill(bytes.begin(), bytes.end(), u8{0xFF});
  guarded(false, [&](const Visit& visit) {
    check_buffer(bytes);
    if (bytes.empty()) return;
    Device& device = visit.device();
    let_writes_work(device, true);
    const bool there = x < noc::Routing::kSpan && y < noc::Routing::kSpan;
    if (!there || !device.read({static_cast<u8>(x), static_cast<u8>(y)}, address, bytes))
      throw card::AccessError(
          fmt::format("nothing can be read at ({}, {}) address {:#x}, {} bytes: {}", x, y, address,
                      bytes.size(), why_refused(device, tile_at(x, y), address, bytes.size())));
    observe(visit, device.board().node_at_translated({static_cast<u8>(x), static_cast<u8>(y)}),
            address, bytes);
  });
}

void Session::tile_write(u32 x, u32 y, u64 address, std::span<const u8> bytes) {
  guarded(true, [&](const Visit& visit) {
    check_buffer(bytes);
    if (bytes.empty()) return;
    Device& device = visit.device();
    let_writes_work(device, false);
    has_written_ = true;
    note_write();
    const bool there = x < noc::Routing::kSpan && y < noc::Routing::kSpan;
    const NodeId node =
        there ? device.board().node_at_translated({static_cast<u8>(x), static_cast<u8>(y)})
              : kNoNode;
    if (node != kNoNode) go_messages_.was_written(device, node, address, bytes);
    visit.note_write(node, address, bytes);
    const bool stopped = node != kNoNode && device.node(node).faults().stopped();
    if (!device.write(node, address, bytes))
      throw card::AccessError(fmt::format(
          "nothing can be written at ({}, {}) address {:#x}, {} bytes: {}", x, y, address,
          bytes.size(), why_refused(device, tile_at(x, y), address, bytes.size())));
    if (!stopped && device.node(node).faults().stopped())
      throw card::AccessError(
          fmt::format("the write to ({}, {}) address {:#x} has broken a rule", x, y, address));
  });
}

void Session::clock(u32 cycles) {
  const std::lock_guard lock(mutex_);
  if (latched_ || cycles == 0) return;
  std::string guest;
  {
    const Visit visit(card_, false);
    ++calls_;
    has_written_ = false;
    const RunStatus status = visit.device().advance(cycles).status;
    if (!trace_.file.empty()) {
      if (const trace::Summary trace = visit.device().trace_summary(); !trace.error.empty())
        report_trace(trace.error);
    }
    if (status == RunStatus::Faulted || has_faulted_ || visit.faulted()) {
      has_faulted_ = false;
      guest = take_faults(visit);
    }
    note_quiet(visit);
  }
  if (silence_) silence_->called();
  if (!guest.empty()) guest_mistake(guest);
}

}  // namespace bhemu::capi
