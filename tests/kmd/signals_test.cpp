#include "kmd/signals.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <future>

namespace bhemu::kmd {
namespace {

using Handler = void (*)(int);

Handler handler_of(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

/// Whoever started the tests may ignore SIGINT: a shell does so for what it starts in the
/// background.
class Signals : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGUSR1, SIG_DFL);
    std::signal(SIGINT, SIG_DFL);
  }
};
using SignalsDeath = Signals;

TEST_F(Signals, answers_sigusr1_each_time_and_goes_on) {
  for (int round = 0; round < 3; ++round) {
    std::promise<void> answered;
    SignalDesk desk([&] { answered.set_value(); });
    raise(SIGUSR1);
    answered.get_future().wait();
  }
}

TEST_F(Signals, gives_the_signals_back) {
  {
    const SignalDesk desk([] {});
    EXPECT_NE(handler_of(SIGUSR1), SIG_DFL);
    EXPECT_NE(handler_of(SIGINT), SIG_DFL);
  }
  EXPECT_EQ(handler_of(SIGUSR1), SIG_DFL);
  EXPECT_EQ(handler_of(SIGINT), SIG_DFL);
}

TEST_F(Signals, leaves_a_signal_alone_that_the_process_handles_or_ignores) {
  const Handler mine = [](int) {};
  std::signal(SIGUSR1, mine);
  std::signal(SIGINT, SIG_IGN);
  {
    const SignalDesk desk([] {});
    EXPECT_EQ(handler_of(SIGUSR1), mine);
    EXPECT_EQ(handler_of(SIGINT), SIG_IGN);
  }
  EXPECT_EQ(handler_of(SIGUSR1), mine);
  EXPECT_EQ(handler_of(SIGINT), SIG_IGN);
  std::signal(SIGUSR1, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
}

TEST_F(Signals, of_two_the_first_answers) {
  std::promise<void> answered;
  std::atomic<bool> second{false};
  {
    const SignalDesk desk([&] { answered.set_value(); });
    {
      const SignalDesk other([&] { second = true; });
    }
    raise(SIGUSR1);
    answered.get_future().wait();
  }
  EXPECT_FALSE(second);
}

TEST_F(SignalsDeath, sigint_ends_the_process_after_the_report) {
  EXPECT_EXIT(
      {
        const SignalDesk desk([] { std::fprintf(stderr, "everything stands\n"); });
        raise(SIGINT);
        for (;;) pause();
      },
      testing::KilledBySignal(SIGINT), "everything stands");
}

TEST_F(Signals, a_child_ends_of_the_signal_and_the_parent_hears_nothing) {
  std::atomic<int> answers{0};
  const SignalDesk desk([&] { ++answers; });
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    raise(SIGUSR1);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
  EXPECT_EQ(answers, 0);
}

}  // namespace
}  // namespace bhemu::kmd
