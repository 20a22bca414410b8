#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "diff/runner.hpp"

namespace bhemu::diff {
namespace {

// What the ABI fixes: docs of the peer, and tt-umd's use of it.
constexpr u64 kBar0 = 0x1'0000'0000;
constexpr u64 kTlbRegisters = kBar0 + 0x1FC00000;
constexpr u64 kWindowBytes = 2 << 20;
constexpr u32 kClocksPerPoll = 200;
constexpr u32 kPolls = 2000;
constexpr unsigned kSeconds = 20;

void no_dma_read(u64, void*, u32) {}
void no_dma_write(u64, const void*, u32) {}

}  // namespace

struct Peer::Abi {
  void (*init)() = nullptr;
  void (*clock)(u32) = nullptr;
  void (*read)(u64, void*, u32) = nullptr;
  void (*write)(u64, const void*, u32) = nullptr;
  void (*set_dma)(void (*)(u64, void*, u32), void (*)(u64, const void*, u32)) = nullptr;

  template <class Function>
  static void find(void* library, const char* name, Function& function) {
    void* symbol = dlsym(library, name);
    if (symbol == nullptr) throw std::runtime_error(std::string("the peer lacks ") + name);
    std::memcpy(&function, &symbol, sizeof function);
  }

  void load(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    find(library, "libttsim_init", init);
    find(library, "libttsim_clock", clock);
    find(library, "libttsim_pci_mem_rd_bytes", read);
    find(library, "libttsim_pci_mem_wr_bytes", write);
    find(library, "libttsim_set_pci_dma_mem_callbacks", set_dma);
    set_dma(no_dma_read, no_dma_write);
    init();
  }

  /// Window 0 covers the first 2 MiB of the tile (L1), window 1 the registers around 0xFFB00000.
  void aim(u32 window, u64 address) {
    const u64 page = address >> 21;
    const u64 low = page | u64{kTileX} << 43 | u64{kTileY} << 49;
    const std::array<u32, 3> words{static_cast<u32>(low), static_cast<u32>(low >> 32), 0};
    for (u32 i = 0; i < 3; ++i) write(kTlbRegisters + window * 12 + i * 4, &words[i], 4);
  }
  u64 at(u32 window, u32 address) const {
    return kBar0 + window * kWindowBytes + address % kWindowBytes;
  }
};

Peer::Peer(const std::string& path) : path_(path) {
  shared_ = static_cast<u8*>(
      mmap(nullptr, 2 * kDumpBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared_ == MAP_FAILED) throw std::runtime_error("no shared memory");
  if (access(path.c_str(), R_OK) != 0) throw std::runtime_error("no such peer: " + path);
}

Peer::~Peer() {
  munmap(shared_, 2 * kDumpBytes);
}

void Peer::child(const Program& program, u8* shared) {
  Abi library;
  library.load(path_);
  library.aim(0, 0);
  library.aim(1, kSoftReset);
  for (const auto& [address, words] : image_of(program))
    library.write(library.at(0, address), words.data(), static_cast<u32>(words.size() * 4));
  const u32 release = kTrisc0Runs;
  library.write(library.at(1, kSoftReset), &release, 4);
  u32 flag = 0;
  for (u32 poll = 0; poll < kPolls && flag == 0; ++poll) {
    library.clock(kClocksPerPoll);
    library.read(library.at(0, kFlag), &flag, 4);
  }
  library.read(library.at(0, kData), shared + kDumpBytes, kDumpBytes);
  shared[0] = static_cast<u8>(flag != 0 ? 1 : 2);
}

Outcome Peer::run(const Program& program) {
  shared_[0] = 0;
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("no process");
  if (pid == 0) {
    dup2(pipe_ends[1], 1);
    dup2(pipe_ends[1], 2);
    alarm(kSeconds);
    try {
      child(program, shared_);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(0);
  }
  close(pipe_ends[1]);
  std::string words;
  std::array<char, 4096> buffer;
  for (ssize_t got; (got = ::read(pipe_ends[0], buffer.data(), buffer.size())) > 0;)
    words.append(buffer.data(), static_cast<size_t>(got));
  close(pipe_ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  Outcome outcome;
  outcome.dump.assign(shared_ + kDumpBytes, shared_ + 2 * kDumpBytes);
  if (shared_[0] == 1)
    outcome.end = End::Done;
  else if (shared_[0] == 2)
    outcome.end = End::Hung;
  else
    outcome.end = End::Refused;
  while (!words.empty() && words.back() == '\n') words.pop_back();
  if (outcome.end != End::Refused) return outcome;
  outcome.why = words.substr(words.rfind('\n') + 1);
  // "[cycle] reason": the same reason at another cycle is the same reason.
  if (outcome.why.starts_with('[')) outcome.why.erase(0, outcome.why.find(']') + 2);
  return outcome;
}

}  // namespace bhemu::diff
