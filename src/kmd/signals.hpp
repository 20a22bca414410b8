// Where does everything stand? Asked of a card by a signal to its client's process: SIGUSR1, after
// which all goes on, and SIGINT, after which the process ends of it as it would have ended anyway.
//
// The process is not ours. A signal that it handles or ignores stays its own; so does one that
// reaches a child of it which has not become another program.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace bhemu::kmd {

class SignalDesk {
 public:
  /// `report` is called in a thread of the desk's own. A process has one desk at a time: while
  /// there is one, another does nothing.
  explicit SignalDesk(std::function<void()> report);
  ~SignalDesk();  // the signals have their usual effect again
  SignalDesk(const SignalDesk&) = delete;
  SignalDesk& operator=(const SignalDesk&) = delete;

 private:
  void take(int signal);
  void give_back(int signal);
  void serve();

  std::function<void()> report_;
  int read_end_ = -1;  // -1: not the desk
  int write_end_ = -1;
  sigset_t taken_{};
  std::thread thread_;
};

}  // namespace bhemu::kmd
