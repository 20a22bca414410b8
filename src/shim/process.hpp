// The emulated card of this process: made at the first look at one of its paths, and what the
// functions in front of the C library's (preload_*.cpp) share.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "kmd/driver.hpp"
#include "kmd/live_card.hpp"
#include "shim/native.hpp"
#include "shim/signals.hpp"
#include "shim/tree.hpp"
#include "shim/windows.hpp"

namespace bhemu::shim {

struct Card {
  explicit Card(const host::CardSettings& settings, const std::atomic<bool>& abandoned)
      : live(settings), driver(live), windows(driver, abandoned), tree(driver) {}

  kmd::LiveCard live;
  kmd::Driver driver;
  Windows windows;
  Native native;
  Tree tree;
};

/// The client's descriptors of the card.
class Descriptors {
 public:
  std::shared_ptr<OpenFile> find(int descriptor) const;
  void add(int descriptor, std::shared_ptr<OpenFile> file);
  /// From `first` to `last`. The files close, outside of the lock, with the last reference.
  void remove(int first, int last);
  /// After dup(2) and the like; whatever `to` was is gone.
  void duplicate(int from, int to);
  // Around fork(2).
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  void unlock_in_child() { std::construct_at(&mutex_); }  // see Windows::abandon

 private:
  mutable std::shared_mutex mutex_;
  std::map<int, std::shared_ptr<OpenFile>> files_;
};

class Process {
 public:
  /// There is one per process, since there is one C library; it is never destroyed.
  static Process& instance();

  /// Makes the card; null: it cannot be made, which was said, or the card stayed in the parent.
  Card* card();
  /// Null: nobody has asked for one.
  Card* card_if_made() { return card_.load(); }
  Descriptors& descriptors() { return descriptors_; }
  Signals& signals() { return signals_; }

  /// False in a child of vfork(2), which shares our memory and must leave everything alone, and
  /// while the emulator itself calls.
  bool serves() const;
  /// This process was forked from the one that has the card.
  bool abandoned() const { return abandoned_.load(); }
  const std::atomic<bool>& abandoned_flag() const { return abandoned_; }

  void before_fork();
  void after_fork(bool child);
  /// At exit.
  void clean_up();

  /// While one lives, this thread's calls go to the C library as they are.
  class Inside {
   public:
    Inside();
    ~Inside();

   private:
    bool was_;
  };

 private:
  Process();
  Card* make();

  std::mutex making_;
  std::atomic<Card*> card_{nullptr};
  std::atomic<bool> failed_{false};
  std::atomic<bool> abandoned_{false};
  std::atomic<pid_t> owner_;
  Descriptors descriptors_;
  Signals signals_;
};

/// The handler of SIGSEGV.
void on_fault(int signal, siginfo_t* info, void* context);

}  // namespace bhemu::shim
