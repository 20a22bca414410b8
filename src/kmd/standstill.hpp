// Notices a client that waits in its own memory for a card that stands still: after a fault, or
// because no kernel on it can ever go on. Such a client never hears of it by itself, since it makes
// no call, or only looks now and then whether anything has moved (tt-metal's fast dispatch, without
// and with TT_METAL_OPERATION_TIMEOUT_SECONDS).
//
// Time is counted in ticks of a thread of its own, so a process that is stopped adds nothing.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/types.hpp"

namespace bhemu::kmd {

/// What is to be done about a card and its client, tick by tick.
class Standstill {
 public:
  /// Since the beginning of the session, but for the first two.
  struct Look {
    bool faulted = false;  // the card has broken a rule and nobody has heard of it
    bool hung = false;     // a kernel runs and nothing can happen unless the client writes
    u64 calls = 0;
    u64 writes = 0;
  };
  enum class Verdict : u8 {
    None,
    Tell,  // the client asks and asks: its next call is to say that the card hangs
    Say,   // the same of a client that makes no call
    End,   // nothing else reaches the client
  };

  /// `patience` in ticks.
  explicit Standstill(unsigned patience) : patience_(patience) {}
  Verdict tick(const Look& look);

  /// A client without a call may just be busy. So it is given this many times the patience.
  static constexpr unsigned kLongFault = 4;
  static constexpr unsigned kLongHang = 12;
  /// The card's own thread tries a loop again from time to time, and for as long nothing is known.
  static constexpr unsigned kMostMoving = 5;

 private:
  Verdict of_hang(unsigned silence);

  const unsigned patience_;
  Look last_;
  // In ticks:
  unsigned faulted_ = 0;
  unsigned hung_ = 0;
  unsigned moving_ = 0;  // in a row without a proof that the card hangs
  unsigned silent_ = 0;  // in a row without a call
  unsigned asking_ = 0;  // with a call, while the card hangs
  bool told_ = false;
};

/// Calls `tick` ten times a second, until it is gone.
class Ticker {
 public:
  static constexpr unsigned kTicksPerSecond = 10;

  explicit Ticker(std::function<void()> tick);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void serve();

  const std::function<void()> tick_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool quit_ = false;
  std::thread thread_;
};

}  // namespace bhemu::kmd
