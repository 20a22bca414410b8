// One emulated card behind the libttsim ABI: device, PCI function, host memory, what happens when
// something goes wrong, and when time passes.
//
// Time passes in the client's calls (ClockMode::Calls), so that a run is repeatable, or all the
// time in a thread of the card's own (ClockMode::Free). ClockMode::Auto begins with the first and
// goes over to the second, for good, with clients that have given DMA callbacks and then wait
// without calling (silence.hpp). Calls let time pass in both. The callbacks are called by whichever
// thread runs the device, never by two at once: a client's, within a call, or the card's.
//
// Settings: host/settings/card_settings.hpp; bhemu.yaml is looked for beside the library (which
// clients may have copied elsewhere: then beside what TT_METAL_SIMULATOR, TT_UMD_SIMULATOR or
// TTEXALENS_SIMULATOR names).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arc/arc.hpp"
#include "capi/biased_mutex.hpp"
#include "capi/silence.hpp"
#include "debug/code_finder.hpp"
#include "debug/race_session.hpp"
#include "host/settings/card_settings.hpp"
#include "kmd/go_messages.hpp"
#include "kmd/live_card.hpp"
#include "kmd/poll_watch.hpp"
#include "kmd/standstill.hpp"
#include "kmd/word_watch.hpp"
#include "pcie/host_memory.hpp"

namespace bhemu::capi {

using host::FaultMode;
using kmd::GoMessages;
using kmd::PollWatch;
using kmd::Standstill;
using kmd::Ticker;

using SessionSettings = host::CardSettings;

/// Host memory by the functions that a client has given.
class CallbackMemory final : public pcie::HostMemory {
 public:
  using Read = void (*)(u64 address, void* target, u32 bytes);
  using Write = void (*)(u64 address, const void* source, u32 bytes);

  CallbackMemory(Read read, Write write) : read_(read), write_(write) {}
  bool read(u64 address, void* target, u32 bytes) override;
  bool write(u64 address, const void* source, u32 bytes) override;
  /// How often the card has come here.
  u64 uses() const { return uses_.load(std::memory_order_relaxed); }

 private:
  std::atomic<u64> uses_{0};
  Read read_;
  Write write_;
};

class Session {
 public:
  Session(const SessionSettings& settings, CallbackMemory::Read read, CallbackMemory::Write write);
  ~Session();

  u32 config_read(u32 bus_device_function, u32 offset);
  void config_write(u32 bus_device_function, u32 offset, u32 value);
  void read(u64 address, std::span<u8> bytes);
  void write(u64 address, std::span<const u8> bytes);
  void tile_read(u32 x, u32 y, u64 address, std::span<u8> bytes);
  void tile_write(u32 x, u32 y, u64 address, std::span<const u8> bytes);
  void clock(u32 cycles);

  // The same for what clients do most, in a few nanoseconds (at_once.cpp). False: nothing has been
  // done, and the call above is needed.
  bool read_at_once(u64 address, void* target, u32 bytes);
  bool write_at_once(u64 address, const void* source, u32 bytes);
  bool clock_at_once(u32 cycles);

 private:
  using Visit = kmd::LiveCard::Visit;

  /// What can be done at once goes past the card, with these. Nothing, unless everything is quiet.
  struct Quiet {
    card::Function* function = nullptr;
    sched::Engine* engine = nullptr;
    pcie::Endpoint* pcie = nullptr;
    host::HostWords* words = nullptr;
    Device* device = nullptr;
    u64 bar0 = 0;
  };
  // What time takes on the bus (let_writes_work).
  static constexpr Cycle kRoundTrip = arc::kAiclkBusy;  // MHz: a microsecond's cycles
  static constexpr Cycle kNextWrite = 1;                // the rest of an epoch
  void note_quiet(const Visit& visit);
  void pass_until_next_write();
  bool aim_at_once(u64 address, const void* source, u32 bytes);
  const card::Function::View* view_of(u64 address, u32 bytes, u64& offset);
  void write_plain(const card::Function::View& view, u64 offset, const void* source, u32 bytes);
  std::string write_told(unsigned window, u64 offset, std::span<const u8> bytes);
  [[gnu::noinline]] bool write_otherwise(bool to_memory, u64 address, const void* source,
                                         u32 bytes);
  void refuse(const std::string& mistake);

  void start_trace();
  void end_trace();
  void reset();
  template <class Body>
  void guarded(bool changes, Body body);
  void let_writes_work(Device& device, bool reads);
  std::string take_faults(const Visit& visit);
  std::string warnings(const Visit& visit, bool first_cause);
  void host_mistake(const std::string& text);
  void guest_mistake(const std::string& text);
  void speak();
  bool run_a_little();
  void observe(const Visit& visit, NodeId node, u64 address, std::span<const u8> bytes);
  /// What was seen so far says nothing about what comes.
  void note_write() {
    ++writes_;
    polls_.restart();
    words_.restart();
    looks_.restart();
  }
  bool is_still(const Visit& visit);
  std::string hang(const Visit& visit);
  std::string waits_in_vain(const Visit& visit);
  std::string hang(const Visit& visit, const std::vector<Coord>& tiles);
  std::string standstill(const Visit& visit);
  void say_where_everything_stands();
  void look_after();
  void end_process();
  void report(const std::string& text);
  void latch(const std::string& text);
  void report_trace(const std::string& error);

  FaultMode mode_;
  bool waits_in_memory_;  // the client would wait for a fault or a hang without ever asking
  debug::CodeFinder code_;
  CallbackMemory memory_;
  bool has_memory_;
  host::TraceSettings trace_;  // without a file once that cannot be written
  host::RaceSettings race_;
  std::unique_ptr<debug::RaceSession> races_;
  BiasedMutex mutex_;  // clients lock around us; those that do not are still served one by one
  Quiet quiet_;
  bool latched_ = false;
  bool has_written_ = false;  // since the last read or clock
  bool has_faulted_ = false;  // between a write and a read; not said yet
  PollWatch polls_;
  kmd::WordWatch words_;
  kmd::LookSampler looks_;  // of those that are done at once, which are told to words_
  GoMessages go_messages_;
  Standstill standstill_;
  u64 calls_ = 0;
  u64 writes_ = 0;
  bool tells_hang_ = false;    // the next call says that the card hangs
  std::optional<Cycle> spun_;  // when the device was last seen to repeat itself
  u64 uses_ = 0;               // of host memory, at the last look
  kmd::LiveCard card_;         // may call us until it is gone
  std::unique_ptr<SilenceWatch> silence_;
  std::unique_ptr<Ticker> ticker_;
  std::unique_ptr<kmd::SignalDesk> signals_;
};

}  // namespace bhemu::capi
