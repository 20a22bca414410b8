// A client that is a process of its own, asked by signals where everything stands.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "support/libttsim.hpp"

namespace bhemu::test {
namespace {

/// Where the library is that this test is linked with.
std::string library_path() {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&libttsim_init), &info);
  return info.dli_fname;
}

class Client {
 public:
  Client() {
    int out[2];
    int err[2];
    if (pipe(out) != 0 || pipe(err) != 0) return;
    const std::string library = library_path();
    process_ = fork();
    if (process_ == 0) {
      setenv("BHEMU_HANG", "0", 1);  // nothing is printed unless it is asked for
      dup2(out[1], STDOUT_FILENO);
      dup2(err[1], STDERR_FILENO);
      for (const int end : {out[0], out[1], err[0], err[1]}) ::close(end);
      const char* const client = BHEMU_BINARY_DIR "/tests/bhemu_ttsim_poller";
      execl(client, client, library.c_str(), nullptr);
      _exit(127);
    }
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  ~Client() {
    if (!ended_) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    ::close(out_);
    ::close(err_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void signal(int number) const { kill(process_, number); }
  /// What it prints until that is there, or until it ends.
  std::string said_until(const std::string& part) { return read_until(out_, part); }
  std::string told_until(const std::string& part) { return read_until(err_, part); }
  int end() {
    int status = 0;
    waitpid(process_, &status, 0);
    ended_ = true;
    return status;
  }

 private:
  static std::string read_until(int from, const std::string& part) {
    std::string text;
    char c;
    while (text.find(part) == std::string::npos && ::read(from, &c, 1) == 1) text += c;
    return text;
  }

  pid_t process_ = -1;
  int out_ = -1;
  int err_ = -1;
  bool ended_ = false;
};

constexpr const char* kWaits = "L1[0x10000]";

TEST(OwnProcess, says_on_sigusr1_where_everything_stands_and_goes_on_and_ends_of_sigint_likewise) {
  Client client;
  ASSERT_EQ(client.said_until("polling\n"), "polling\n");
  for (int times = 0; times < 2; ++times) {
    client.signal(SIGUSR1);
    const std::string told = client.told_until(kWaits);
    EXPECT_NE(told.find("BRISC of (1, 2)"), std::string::npos) << told;
    EXPECT_NE(told.find(kWaits), std::string::npos) << told;
    client.told_until("\n");
  }
  client.signal(SIGINT);
  const std::string told = client.told_until("only the end of the process ends this");
  EXPECT_NE(told.find("BRISC of (1, 2)"), std::string::npos) << told;
  EXPECT_NE(told.find(kWaits), std::string::npos) << told;
  const int status = client.end();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
}

}  // namespace
}  // namespace bhemu::test
