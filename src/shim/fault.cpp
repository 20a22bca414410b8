// What happens when the client touches an address that traps.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "shim/execute.hpp"
#include "shim/process.hpp"

namespace bhemu::shim {
namespace {

constexpr u64 kStore = 1u << 1;  // of the page fault's error code
constexpr u64 kFetch = 1u << 4;
// memcpy and its kind do several moves in a row: each one done here saves a signal.
constexpr unsigned kMostAtOnce = 32;

void say(const std::string& text) {
  std::fprintf(stderr, "bhemu shim: %s\n", text.c_str());
}

/// The windows as adjacent instructions use them. Stores wait until something is read or all is
/// done: glibc's memcpy of four bytes stores them twice, which a card sees within nanoseconds. With
/// a turn of the device in between, a core that the first one lets go would be far on its way.
class AtOnce final : public Bus {
 public:
  explicit AtOnce(Windows& windows) : windows_(windows) {}
  ~AtOnce() override { flush(); }
  AtOnce(const AtOnce&) = delete;
  AtOnce& operator=(const AtOnce&) = delete;

  u64 covers(u64 address) const override { return windows_.covers(address); }
  u64 plain(u64 address) const override { return windows_.plain(address); }
  void read(u64 address, std::span<u8> bytes) override { windows_.read(address, bytes); }
  void write(u64 address, std::span<const u8> bytes) override {
    stores_.push_back({address, {bytes.begin(), bytes.end()}});
  }

 private:
  void flush() {
    windows_.write(stores_);
    stores_.clear();
  }

  Windows& windows_;
  std::vector<Windows::Store> stores_;
};

void perform(siginfo_t& info, ucontext_t& context) {
  Process& process = Process::instance();
  Card& card = *process.card_if_made();
  Frame frame(context);
  std::optional<Process::Inside> guard(std::in_place);
  AtOnce bus(card.windows);
  Executor executor(bus, card.native);
  const bool more = card.windows.free_to_use(reinterpret_cast<u64>(info.si_addr));
  for (unsigned done = 0; done < (more ? kMostAtOnce : 1); ++done) {
    const Outcome outcome = executor.step(frame);
    if (outcome.result == Result::Done) continue;
    if (done != 0) return;  // the next one is for the processor, or traps on its own account
    if (outcome.result == Result::WrongAddress) {
      info.si_addr = reinterpret_cast<void*>(outcome.address);
      info.si_code = SEGV_MAPERR;
      guard.reset();  // the client's handler is the client
      process.signals().deliver(&info, &context);
      return;
    }
    say(outcome.result == Result::Refused
            ? outcome.text
            : fmt::format("the access at {:#x} to {} is by no operand of the instruction",
                          frame.rip(), info.si_addr));
    process.signals().end();
    return;
  }
}

void handle(siginfo_t* info, ucontext_t* context) {
  Process& process = Process::instance();
  Card* card = process.card_if_made();
  const u64 address = reinterpret_cast<u64>(info->si_addr);
  const u64 error = static_cast<u64>(context->uc_mcontext.gregs[REG_ERR]);
  const bool page_fault = info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR;
  Windows::Fault fault = Windows::Fault::Foreign;
  if (card != nullptr && page_fault && (error & kFetch) == 0)
    fault = card->windows.fault(address, (error & kStore) != 0);
  switch (fault) {
    case Windows::Fault::Retry:
      return;
    case Windows::Fault::Perform:
      perform(*info, *context);
      return;
    case Windows::Fault::Lost:
      // Sent to ourselves it is taken when this handler returns.
      ::syscall(SYS_tgkill, ::getpid(), static_cast<pid_t>(::syscall(SYS_gettid)), SIGBUS);
      return;
    case Windows::Fault::Foreign:
      process.signals().deliver(info, context);
      return;
  }
}

/// A client's signal stack may be small; ours is large enough for the emulator.
class Stack {
 public:
  Stack() {
    base_ = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (base_ != MAP_FAILED) ::mprotect(base_, kGuard, PROT_NONE);
  }
  ~Stack() {
    if (base_ != MAP_FAILED) ::munmap(base_, kBytes);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  static Stack& of_thread() {
    static thread_local Stack stack;  // tidy: allow global: belongs to the thread
    return stack;
  }
  /// Null: there is none.
  u8* top() const { return base_ == MAP_FAILED ? nullptr : static_cast<u8*>(base_) + kBytes; }

 private:
  static constexpr std::size_t kBytes = 512u << 10;
  static constexpr std::size_t kGuard = 4096;
  void* base_ = MAP_FAILED;
};

bool on_signal_stack(const ucontext_t& context) {
  const u64 here = reinterpret_cast<u64>(__builtin_frame_address(0));
  const u64 first = reinterpret_cast<u64>(context.uc_stack.ss_sp);
  return context.uc_stack.ss_size != 0 && here - first < context.uc_stack.ss_size;
}

/// handle(info, context) with the stack pointer at `top`.
void handle_on(u8* top, siginfo_t* info, ucontext_t* context) {
  asm volatile(
      "mov %%rsp, %%rbx\n\t"
      "mov %[top], %%rsp\n\t"
      "call *%[function]\n\t"
      "mov %%rbx, %%rsp"
      : "+D"(info), "+S"(context)
      : [top] "r"(top), [function] "r"(&handle)
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15");
}

}  // namespace

void on_fault(int, siginfo_t* info, void* context) {
  const int error = errno;
  auto* machine = static_cast<ucontext_t*>(context);
  u8* top = on_signal_stack(*machine) ? Stack::of_thread().top() : nullptr;
  if (top != nullptr)
    handle_on(top, info, machine);
  else
    handle(info, machine);
  errno = error;
}

}  // namespace bhemu::shim
