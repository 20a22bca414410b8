// A card that runs by itself: a thread runs the device all the time, as silicon does, and any other
// thread reaches it at the edge of an epoch.
//
// A device on which nothing can happen costs nothing: the thread sleeps until a host's access has
// given somebody something to do; its clock goes on with the host's meanwhile. So it is where cores
// wait for their clock: a wait of seconds takes a client as long as on silicon. A device whose
// cores only read other tiles and host memory over and over is looked at from time to time: host
// memory may change without a word to us, so the words that were read are compared, at once at
// first and then every tenth of a millisecond; and now and then the device runs a little, for loops
// that give up after many turns.
//
// A card that dies of a fault also looks after its client: when a kernel hangs, or the client waits
// for a card that is dead, it says so (hang_watch.hpp).
//
// A client's user can ask by a signal where everything stands (signals.hpp).
//
// A card can also begin without its thread (libttsim's clients give it its time by their calls),
// and start() it later, once for all.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "card/function.hpp"
#include "debug/code_finder.hpp"
#include "debug/race_session.hpp"
#include "device/device.hpp"
#include "host/report/host_words.hpp"
#include "host/settings/card_settings.hpp"
#include "kmd/edge.hpp"
#include "kmd/hang_watch.hpp"
#include "kmd/signals.hpp"
#include "kmd/watched_memory.hpp"

namespace bhemu::gdb {
class Server;
}

namespace bhemu::kmd {

/// What a card's owner chooses; the rest is the user's choice (host::CardSettings).
struct LiveCardOptions {
  BoardModel board = BoardModel::P100A;  // unless the settings name one
  bool runs = true;                      // by itself from the start; otherwise from start() on
  /// A fault stops the card until a reset. Otherwise it stands still until its owner has heard of
  /// it (Visit::forgive), and then goes on without the cores that are to blame.
  bool dies = true;
  bool answers_signals = true;  // otherwise its owner does (signals.hpp)
};

class LiveCard {
 public:
  /// Throws host::InputError.
  explicit LiveCard(const host::CardSettings& settings, const LiveCardOptions& options = {});
  ~LiveCard();
  LiveCard(const LiveCard&) = delete;
  LiveCard& operator=(const LiveCard&) = delete;

  /// BHEMU_* and the file that BHEMU_CONFIG names, or bhemu.yaml in one of `beside`. Without
  /// BHEMU_FAULTS mistakes are reported: a driver's client cannot catch exceptions.
  static host::CardSettings settings_from_environment(std::span<const std::string> beside = {});

  /// While one lives, the device stands still at the edge of an epoch and is the caller's. One per
  /// thread.
  class Visit {
   public:
    /// `changes`: the device may have something to do afterwards.
    Visit(LiveCard& card, bool changes) : card_(card), changes_(changes) { card_.begin_visit(); }
    ~Visit() { card_.end_visit(changes_); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

    /// False after a fault, until a reset: the card answers nothing.
    bool answers() const { return !card_.dead_; }
    Device& device() const { return *card_.device_; }
    card::Function& function() const { return *card_.function_; }
    /// The thread has met a fault that nobody has heard of.
    bool faulted() const { return card_.rest_ == Rest::Faulted; }
    /// Nothing will ever happen unless somebody writes to the chip. Only of a card that runs by
    /// itself, which sees to it.
    bool is_still() const { return card_.is_still(); }
    /// Memory may be shown to the client without the card seeing what it reads there.
    bool may_show_l1() const { return !card_.hang_ || !card_.hang_->suspects(); }
    bool may_show_dram() const { return !card_.hang_ || !card_.hang_->looks_on(); }
    /// The faults are forgotten and all other cores go on.
    void forgive() const { card_.forgive(); }
    /// A client has written to a node past this card, as write() would.
    void note_write(NodeId node, u64 address, std::span<const u8> bytes) const {
      LiveCard::note_write(card_.words_, *card_.device_, node, address, bytes);
    }
    /// What clients have written to tiles.
    host::HostWords& words() const { return card_.words_; }

   private:
    LiveCard& card_;
    bool changes_;
  };

  /// By BAR (0, 2, 4) and offset, any size and alignment. False: no card answers; what was to be
  /// read is all ones.
  bool read(unsigned bar, u64 offset, std::span<u8> bytes);
  struct Store {
    unsigned bar = 0;
    u64 offset = 0;
    std::span<const u8> bytes;
  };
  /// All at one edge; false: one of them was not answered.
  bool write(std::span<const Store> stores);
  /// Does `body(function)` at an edge; false, and reported, when it throws card::AccessError.
  template <class Body>
  bool access(bool changes, Body body);
  /// The same with `body(function, i)` for each i below `count`, all at one edge, so that no time
  /// passes on the card in between; false when one of them throws.
  template <class Body>
  bool access_each(bool changes, size_t count, Body body);

  /// From now on the card runs by itself. Not during a visit of the caller's.
  void start();
  bool runs() const { return runs_.load(); }

  /// Among the words that clients have written: what one has written to a node.
  static void note_write(host::HostWords& words, Device& device, NodeId node, u64 address,
                         std::span<const u8> bytes);

  /// Host memory as the card reaches it. Not during a visit of the caller's.
  void set_host_memory(pcie::HostMemory* memory);
  /// Power on again: everything is as after construction. The device as it was is returned, since
  /// others may know its memory. Not during a visit of the caller's.
  std::unique_ptr<Device> reset();
  /// Called by a thread of the card's when it has stopped answering, or wants to see what the
  /// client reads, or not any more: what is shown directly is to be asked for again. Once this
  /// returns, the listener before is not called any more.
  void on_hiding(std::function<void()> listener);
  /// Called by that thread, outside of its turn, when a fault of a card that does not die has not
  /// been heard of for about a second: its owner may be waiting for something that never comes.
  void on_silence(std::function<void()> listener);

  host::FaultMode fault_mode() const { return settings_.faults; }
  /// The last guest's fault or host's mistake, as a report; empty: none.
  std::string failure() const;
  const Board& board() const { return board_; }

  /// The report of a hang, of whatever the card is doing. Only during a visit.
  std::string where_everything_stands();

 private:
  friend class Visit;
  enum class Rest : u8 {
    None,     // the device runs
    Idle,     // nothing happens without a host
    Time,     // nothing happens without a host before a cycle that is far ahead
    Watch,    // nothing happens unless host memory changes
    Faulted,  // until its owner has heard of it
    Dead,     // stopped by a fault
  };

  bool is_still() const {
    return rest_ == Rest::Idle || (rest_ == Rest::Watch && memory_.unread());
  }
  void begin_visit();
  void end_visit(bool changes);
  void make_device();
  void serve_gdb();
  void end_trace();
  void serve();
  void run();
  bool waits_for_time() const;
  void let_time_pass();
  void rest_as(Rest rest);
  Edge::Clock::duration time_to_wait() const;
  void watch();
  void burst(Cycle cycles);
  void take_fault();
  void forgive();
  void wait_to_be_heard();
  void die(const std::string& text);
  void look_after();
  bool take_verdict(HangWatch::Verdict verdict);
  std::string hang_text();
  void tell_hiding();
  void host_mistake(const std::string& text);
  void note(const std::string& text);
  void rest(Edge::Clock::duration longest);
  void wake();

  const host::CardSettings settings_;
  const bool dies_;
  const DeviceOptions options_;
  const Board board_;

  Edge edge_;
  // Whoever is at the edge:
  debug::CodeFinder code_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<gdb::Server> gdb_;  // of device_; null: nobody debugs
  std::unique_ptr<debug::RaceSession> races_;
  std::unique_ptr<card::Function> function_;
  WatchedMemory memory_;
  Rest rest_ = Rest::None;
  bool dead_ = false;
  std::unique_ptr<HangWatch> hang_;  // null: nobody is told of a hang
  host::HostWords words_;
  u64 calls_ = 0;  // that wanted something of the card
  // Of Rest::Idle and Rest::Time: when it began, by the host's clock and by the device's.
  Edge::Clock::time_point rest_since_{};
  Cycle rest_from_ = 0;

  // The runner's, in Rest::Watch:
  Edge::Clock::time_point watch_began_{};
  Edge::Clock::time_point last_burst_{};
  Cycle unproven_ = 0;  // cycles since the device was last found to spin

  std::atomic<bool> runs_{false};
  std::atomic<bool> quit_{false};
  std::mutex sleep_;
  std::condition_variable sleeper_;
  std::atomic<bool> awake_{false};

  mutable std::mutex failure_mutex_;
  std::string failure_;
  unsigned mistakes_ = 0;
  std::mutex listener_mutex_;
  std::function<void()> on_hiding_;
  std::function<void()> on_silence_;

  std::thread runner_;
  std::unique_ptr<Ticker> ticker_;
  std::unique_ptr<SignalDesk> signals_;
};

template <class Body>
bool LiveCard::access_each(bool changes, size_t count, Body body) {
  const Visit visit(*this, changes);
  ++calls_;
  bool all = visit.answers();
  for (size_t i = 0; i < count && visit.answers(); ++i) {
    try {
      body(visit.function(), i);
    } catch (const card::AccessError& error) {
      host_mistake(error.what());
      all = false;
    }
  }
  return all;
}

template <class Body>
bool LiveCard::access(bool changes, Body body) {
  return access_each(changes, 1, [&](card::Function& function, size_t) { body(function); });
}

}  // namespace bhemu::kmd
