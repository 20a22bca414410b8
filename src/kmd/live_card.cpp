#include "kmd/live_card.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "arc/arc.hpp"
#include "base/check.hpp"
#include "debug/trace/trace_file.hpp"
#include "device/livelock.hpp"
#include "gdb/server.hpp"
#include "host/boot/mailboxes.hpp"
#include "host/error.hpp"
#include "host/report/hints.hpp"
#include "host/report/report.hpp"
#include "host/report/standstill.hpp"
#include "host/settings/card_checks.hpp"

namespace bhemu::kmd {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// How a device that spins is looked after (rest()).
constexpr microseconds kBeforeSleep = microseconds(10);
constexpr microseconds kRestless = microseconds(200);  // looks all the time
constexpr microseconds kLongestRest = microseconds(100);
constexpr milliseconds kBetweenBursts = milliseconds(1);
constexpr Cycle kFirstBurst = 4096;  // several turns of a loop over the NoC
constexpr Cycle kBurst = 16384;
constexpr microseconds kShortWait = microseconds(200);  // a wait of cores is not worth a rest
constexpr milliseconds kPatience = milliseconds(1000);
constexpr unsigned kMostMistakes = 20;  // that are printed
constexpr const char* kWaits =
    "the client has not looked at the card since, so the process ends here (BHEMU_HANG=0: never).";
constexpr const char* kAsks =
    "the client goes on asking the card, which answers nothing, so the process ends here "
    "(BHEMU_HANG=0: never).";

/// Without the destructors, which would wait for this very thread.
[[noreturn]] void end_process(int status) {
  std::fflush(stdout);
  std::quick_exit(status);
}

}  // namespace

host::CardSettings LiveCard::settings_from_environment(std::span<const std::string> beside) {
  const auto get = [](const char* name) -> const char* { return std::getenv(name); };
  for (const std::string& line : host::misspelt_variables(environ))
    std::fprintf(stderr, "bhemu: %s\n", line.c_str());
  return host::card_settings(get, beside, host::FaultMode::Report);
}

LiveCard::LiveCard(const host::CardSettings& settings, const LiveCardOptions& options)
    : settings_(settings),
      dies_(options.dies),
      options_(
          host::device_options(settings.device, options.board, host::SettingStyle::Environment)),
      board_(options_.board),
      code_(settings.elves, settings.caches) {
  if (dies_ && settings.hang_seconds != 0)
    hang_ = std::make_unique<HangWatch>(settings.hang_seconds, settings.looks_at_leisure);
  make_device();
  serve_gdb();
  debug::start_trace(*device_, settings.device.trace, host::SettingStyle::Environment);
  if (options.runs) start();
  if (!options.answers_signals) return;
  signals_ = std::make_unique<SignalDesk>([this] {
    const Visit visit(*this, false);
    std::fprintf(stderr, "bhemu: %s", where_everything_stands().c_str());
  });
}

std::string LiveCard::where_everything_stands() {
  host::Standstill standstill = host::standstill_of(*device_, code_.of_waiters(*device_), {},
                                                    host::Standstill::Reason::Asked);
  words_.tell(standstill, *device_);
  return text_of(standstill);
}

void LiveCard::start() {
  CHECK(!runs());
  runs_.store(true);
  runner_ = std::thread([this] { serve(); });
  if (hang_) ticker_ = std::make_unique<Ticker>([this] { look_after(); });
}

LiveCard::~LiveCard() {
  signals_.reset();
  ticker_.reset();
  quit_.store(true);
  wake();
  if (runner_.joinable()) runner_.join();
  end_trace();
  gdb_.reset();
  device_->set_host_memory(nullptr);
}

void LiveCard::end_trace() {
  const trace::Summary trace = device_->stop_trace();
  if (!trace.error.empty())
    std::fprintf(stderr, "bhemu: %s: the trace is not complete: %s\n",
                 settings_.device.trace.file.c_str(), trace.error.c_str());
  try {
    const std::string races = races_->finish(
        [&](std::span<const Author> sites) { return code_.of_sites(*device_, sites); });
    if (!races.empty()) std::fprintf(stderr, "bhemu: %s", races.c_str());
  } catch (const host::InputError& error) {
    std::fprintf(stderr, "bhemu: %s\n", error.what());
  }
  races_.reset();
}

void LiveCard::make_device() {
  device_ = std::make_unique<Device>(options_);
  host::watch_launches(*device_, options_.checks);
  races_ = std::make_unique<debug::RaceSession>(*device_, settings_.device.race);
  function_ = std::make_unique<card::Function>(*device_);
  device_->set_host_memory(&memory_);
}

/// gdb's door, when the client's user wants one: at the first tiles of the board, where programs
/// that use few tiles are.
void LiveCard::serve_gdb() {
  constexpr std::size_t kFirstTiles = 4;
  if (settings_.device.gdb.where.empty()) return;
  gdb::ServerOptions options;
  options.settings = settings_.device.gdb;
  options.style = host::SettingStyle::Environment;
  options.tiles = device_->board().tensix();
  options.tiles.resize(std::min(options.tiles.size(), kFirstTiles));
  options.stops_at_standstill = false;
  options.code = [this] { return code_.of_waiters(*device_); };
  options.standstill = [this] { return where_everything_stands(); };
  gdb_ = std::make_unique<gdb::Server>(*device_, std::move(options));
}

void LiveCard::set_host_memory(pcie::HostMemory* memory) {
  const Visit visit(*this, true);
  memory_.set(memory);
}

std::unique_ptr<Device> LiveCard::reset() {
  const Visit visit(*this, true);
  device_->set_host_memory(nullptr);
  // One trace tells of one life of the chip.
  end_trace();
  std::unique_ptr<Device> old = std::move(device_);
  old->attend(nullptr);
  make_device();
  if (gdb_) gdb_->move_to(*device_);
  dead_ = false;
  rest_ = Rest::None;
  if (hang_)
    hang_ = std::make_unique<HangWatch>(settings_.hang_seconds, settings_.looks_at_leisure);
  words_ = {};
  wake();
  return old;
}

void LiveCard::on_hiding(std::function<void()> listener) {
  const std::lock_guard<std::mutex> lock(listener_mutex_);
  on_hiding_ = std::move(listener);
}

void LiveCard::on_silence(std::function<void()> listener) {
  const std::lock_guard<std::mutex> lock(listener_mutex_);
  on_silence_ = std::move(listener);
}

// --- Hosts.

void LiveCard::begin_visit() {
  edge_.enter();
  if (rest_ == Rest::Idle || rest_ == Rest::Time) let_time_pass();
}

/// Nothing happened, but the clock went on. Counted from the begin of the rest: each advance ends
/// at the edge of an epoch, and visits are many.
void LiveCard::let_time_pass() {
  const auto passed = std::chrono::duration_cast<microseconds>(Edge::Clock::now() - rest_since_);
  Cycle until = rest_from_ + static_cast<Cycle>(passed.count()) * arc::kAiclkBusy;
  if (rest_ == Rest::Time) until = std::min(until, device_->sleeps_until());
  if (until > device_->cycle()) device_->advance(until - device_->cycle());
}

void LiveCard::rest_as(Rest rest) {
  rest_ = rest;
  rest_since_ = Edge::Clock::now();
  rest_from_ = device_->cycle();
}

/// For longer than it takes to do anything about it.
bool LiveCard::waits_for_time() const {
  const Cycle until = device_->sleeps_until();
  return until != kNever && until - device_->cycle() > Cycle{kShortWait.count()} * arc::kAiclkBusy;
}

Edge::Clock::duration LiveCard::time_to_wait() const {
  return microseconds((device_->sleeps_until() - device_->cycle()) / arc::kAiclkBusy);
}

void LiveCard::end_visit(bool changes) {
  const bool wakes = (rest_ == Rest::Idle && device_->run(0).status != RunStatus::Idle) ||
                     (rest_ == Rest::Time && !waits_for_time()) ||
                     (rest_ == Rest::Watch && changes);
  if (wakes) rest_ = Rest::None;
  edge_.leave();
  if (wakes) wake();
}

bool LiveCard::read(unsigned bar, u64 offset, std::span<u8> bytes) {
  const bool done = access(false, [&](card::Function& function) {
    function.bar_read(bar, offset, bytes);
    if (hang_)
      hang_->was_read(*device_, function.behind(function.bar_base(bar) + offset), bytes,
                      is_still());
  });
  if (!done) std::fill(bytes.begin(), bytes.end(), u8{0xFF});  // perhaps of no bytes
  return done;
}

bool LiveCard::write(std::span<const Store> stores) {
  return access_each(true, stores.size(), [&](card::Function& function, size_t i) {
    const Store& store = stores[i];
    function.bar_write(store.bar, store.offset, store.bytes);
    const u64 address = function.bar_base(store.bar) + store.offset;
    if (function.is_window_register(address)) return;
    const auto behind = function.behind(address);
    if (hang_) hang_->was_written(*device_, behind, store.bytes);
    if (behind) note_write(words_, *device_, behind->node, behind->address, store.bytes);
  });
}

void LiveCard::note_write(host::HostWords& words, Device& device, NodeId node, u64 address,
                          std::span<const u8> bytes) {
  if (node == kNoNode || device.tile_of(node) == nullptr) return;
  if (address == host::kSoftReset0 || GoMessages::is(address, bytes, GoMessages::kGo))
    words.started();
  words.wrote(device.coord_of(node), address, bytes, device.cycle());
}

// --- The runner.

void LiveCard::wake() {
  const std::lock_guard<std::mutex> lock(sleep_);
  awake_.store(true);
  sleeper_.notify_one();
}

void LiveCard::rest(Edge::Clock::duration longest) {
  const auto ready = [this] { return awake_.load() || quit_.load(); };
  // A client that has just written often writes again soon.
  const Edge::Clock::time_point began = Edge::Clock::now();
  while (!ready() && Edge::Clock::now() - began < kBeforeSleep) {
  }
  std::unique_lock<std::mutex> lock(sleep_);
  if (longest == Edge::Clock::duration::max())
    sleeper_.wait(lock, ready);
  else
    sleeper_.wait_for(lock, longest, ready);
  awake_.store(false);
}

void LiveCard::serve() {
  while (!quit_.load()) {
    edge_.begin_run();
    const bool was_dead = dead_;  // a reset may come between two runs, not within one
    if (rest_ == Rest::Time) {
      let_time_pass();
      if (!waits_for_time()) rest_ = Rest::None;
    }
    if (rest_ == Rest::Watch)
      watch();
    else if (rest_ == Rest::None)
      run();
    const Rest now = rest_;
    const auto watched = Edge::Clock::now() - watch_began_;
    const bool died = dead_ && !was_dead;
    const auto longest = now == Rest::Time ? time_to_wait() : Edge::Clock::duration::max();
    edge_.end_run();
    if (died) tell_hiding();
    if (now == Rest::Faulted) {
      wait_to_be_heard();
    } else if (now == Rest::Idle || now == Rest::Dead || now == Rest::Time) {
      rest(longest);
    } else if (now == Rest::Watch) {
      if (watched >= kRestless) rest(std::min<Edge::Clock::duration>(kLongestRest, watched / 16));
    }
  }
}

void LiveCard::run() {
  const RunResult result = device_->run(kNever, [this] {
    return edge_.wanted() || quit_.load(std::memory_order_relaxed) || waits_for_time();
  });
  switch (result.status) {
    case RunStatus::Done:
    case RunStatus::Cycles:
      if (!waits_for_time()) return;
      return rest_as(Rest::Time);
    case RunStatus::Idle:
      return rest_as(Rest::Idle);
    case RunStatus::Spinning:
      rest_ = Rest::Watch;
      watch_began_ = last_burst_ = Edge::Clock::now();
      unproven_ = 0;
      memory_.start();
      return burst(kFirstBurst);
    case RunStatus::Faulted:
      return take_fault();
  }
}

/// The device was found to spin: it goes on as soon as it would read something new.
void LiveCard::watch() {
  const Edge::Clock::time_point now = Edge::Clock::now();
  if (!memory_.changed()) {
    if (now - last_burst_ < kBetweenBursts && !memory_.overflowed()) return;
    last_burst_ = now;
    burst(kBurst);
    if (rest_ != Rest::Watch || !memory_.changed()) return;
  }
  memory_.stop();
  rest_ = Rest::None;
}

void LiveCard::burst(Cycle cycles) {
  const Cycle before = device_->cycle();
  const RunResult result = device_->run(
      cycles, [this] { return edge_.wanted() || quit_.load(std::memory_order_relaxed); });
  unproven_ = result.status == RunStatus::Spinning ? 0 : unproven_ + result.cycle - before;
  if (result.status == RunStatus::Faulted) return take_fault();
  // Idle: parked while answers are awaited cannot be, for then packets are under way.
  if (result.status == RunStatus::Idle || unproven_ > 2 * LivelockCheck::kWindow) {
    memory_.stop();
    rest_ = Rest::None;
  }
}

// --- What goes wrong.

void LiveCard::tell_hiding() {
  const std::lock_guard<std::mutex> lock(listener_mutex_);
  if (on_hiding_) on_hiding_();
}

void LiveCard::note(const std::string& text) {
  const std::lock_guard<std::mutex> lock(failure_mutex_);
  failure_ = text;
}

std::string LiveCard::failure() const {
  const std::lock_guard<std::mutex> lock(failure_mutex_);
  return failure_;
}

void LiveCard::forgive() {
  device_->clear_faults();
  if (rest_ != Rest::Faulted) return;
  rest_ = Rest::None;
  wake();
}

void LiveCard::wait_to_be_heard() {
  rest(kPatience);
  {
    const Visit visit(*this, false);
    if (!visit.faulted() || quit_.load()) return;
  }
  {
    const std::lock_guard<std::mutex> lock(listener_mutex_);
    if (on_silence_) on_silence_();
  }
  rest(Edge::Clock::duration::max());
}

void LiveCard::take_fault() {
  if (!dies_) {
    rest_ = Rest::Faulted;
    return;
  }
  die(host::fault_text(host::fault_reports(*device_, code_.of_faults(*device_))));
}

/// From now on the card answers nothing.
void LiveCard::die(const std::string& text) {
  note(text);
  dead_ = true;
  rest_ = Rest::Dead;
  if (settings_.faults == host::FaultMode::Throw) return;
  std::fprintf(stderr, "bhemu: %s\n", text.c_str());
  if (settings_.faults == host::FaultMode::Exit) end_process(host::kExitGuest);
}

/// In the ticker's thread.
void LiveCard::look_after() {
  bool hides = false;
  {
    const Visit visit(*this, false);
    const auto shows = [&] { return std::pair(visit.may_show_l1(), visit.may_show_dram()); };
    const auto before = shows();
    const HangWatch::Verdict verdict = hang_->tick(*device_, {dead_, is_still(), calls_});
    hides = take_verdict(verdict) || shows() != before;
  }
  if (hides) tell_hiding();
}

/// True: the card has died.
bool LiveCard::take_verdict(HangWatch::Verdict verdict) {
  using Verdict = HangWatch::Verdict;
  const bool reports = settings_.faults == host::FaultMode::Report;
  if (verdict == Verdict::None) return false;
  if (verdict == Verdict::Looks) {
    std::fprintf(stderr, "bhemu: %s",
                 (told_of_looks(hang_->words(), *device_, code_.of_waiters(*device_), words_) +
                  host::hint_for_clients(device_->options().checks))
                     .c_str());
    return false;
  }
  if (verdict == Verdict::Says) {
    if (reports) std::fprintf(stderr, "bhemu: %s\n", hang_text().c_str());
    return false;
  }
  const bool dies = !dead_;
  if (dies) die(hang_text());
  // Only a client that the card shares memory with can be waiting there.
  const bool waits = verdict == Verdict::Ends && memory_.used();
  if (reports && (waits || verdict == Verdict::Stops)) {
    std::fprintf(stderr, "bhemu: %s\n", waits ? kWaits : kAsks);
    end_process(host::kExitGuest);
  }
  return dies;
}

std::string LiveCard::hang_text() {
  const std::vector<Coord> tiles = hang_->tiles(*device_);
  const auto reason = device_->run(0).status == RunStatus::Idle
                          ? host::Standstill::Reason::Idle
                          : host::Standstill::Reason::Spinning;
  host::Standstill standstill =
      host::standstill_of(*device_, code_.of_waiters(*device_), tiles, reason);
  words_.tell(standstill, *device_);
  return hang_->sentence(*device_) + host::text_of(standstill) +
         host::hint_for_clients(device_->options().checks);
}

/// Called at the edge, for an access of the client that was refused. It has changed nothing, so the
/// card goes on.
void LiveCard::host_mistake(const std::string& mistake) {
  std::string text = mistake;
  // A rule that the access broke says more than that nothing answered.
  const auto reports = host::fault_reports(*device_, code_.of_faults(*device_));
  if (!reports.empty()) text += "\n" + host::fault_text(reports);
  device_->clear_faults();
  note(text);
  if (settings_.faults == host::FaultMode::Throw) return;
  if (settings_.faults == host::FaultMode::Exit || ++mistakes_ <= kMostMistakes)
    std::fprintf(stderr, "bhemu: %s\n", text.c_str());
  if (mistakes_ == kMostMistakes)
    std::fprintf(stderr, "bhemu: more mistakes of this kind are not printed\n");
  if (settings_.faults == host::FaultMode::Exit) end_process(host::kExitHost);
}

}  // namespace bhemu::kmd
