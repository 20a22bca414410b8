#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <regex>
#include <set>
#include <stdexcept>

#include "diff/runner.hpp"

namespace bhemu::diff {
namespace {

// What the ABI fixes: docs of the peer, and tt-umd's use of it.
constexpr u64 kBar0 = 0x1'0000'0000;
constexpr u64 kTlbRegisters = kBar0 + 0x1FC00000;
constexpr u64 kWindowBytes = 2 << 20;
constexpr u32 kClocksPerPoll = 200;
constexpr u32 kPolls = 1000;
constexpr unsigned kSeconds = 20;
constexpr u64 kSharedBytes = u64{kDumpBytes} * (1 + kMaxTiles);

void no_dma_read(u64, void*, u32) {}
void no_dma_write(u64, const void*, u32) {}

/// Start and end of the private anonymous mappings that nobody has touched, from `bytes` on.
std::set<std::pair<u64, u64>> untouched_mappings(u64 bytes) {
  std::set<std::pair<u64, u64>> found;
  std::ifstream maps("/proc/self/smaps");
  u64 first = 0;
  u64 last = 0;
  bool plain = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long from = 0;
    unsigned long to = 0;
    unsigned long inode = 0;
    unsigned long resident = 1;
    std::array<char, 5> access{};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %*s %*s %lu", &from, &to, access.data(), &inode) ==
        4) {
      first = from;
      last = to;
      plain = inode == 0 && std::strcmp(access.data(), "rw-p") == 0;
    } else if (std::sscanf(line.c_str(), "Rss: %lu", &resident) == 1) {
      if (plain && resident == 0 && last - first >= bytes) found.emplace(first, last);
    }
  }
  return found;
}

}  // namespace

struct PeerAbi {
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

  /// Each tile has two windows: its first 2 MiB (L1), and the registers around 0xFFB00000.
  void aim(u32 tile, u64 address) const {
    const u64 page = address >> 21;
    const u32 window = tile * 2 + (address < kWindowBytes ? 0 : 1);
    const Coord to = coord_of(kFirstTile, tile);
    const u64 low = page | u64{to.x} << 43 | u64{to.y} << 49;
    const std::array<u32, 3> words{static_cast<u32>(low), static_cast<u32>(low >> 32), 0};
    for (u32 i = 0; i < 3; ++i) write(kTlbRegisters + window * 12 + i * 4, &words[i], 4);
  }
  static u64 at(u32 tile, u32 address) {
    return kBar0 + (tile * 2 + (address < kWindowBytes ? 0 : 1)) * kWindowBytes +
           address % kWindowBytes;
  }

  bool done(const Program& program) const {
    for (u32 tile = 0; tile < program.tiles; ++tile) {
      const u32 cores = cores_of(program, tile);
      for (u32 core = 0; core < kCores; ++core) {
        u32 flag = 1;
        if ((cores >> core & 1) != 0) read(at(tile, flag_of(core)), &flag, 4);
        if (flag == 0) return false;
      }
    }
    return true;
  }
};

PeerLibrary::PeerLibrary(const std::string& path) : abi_(std::make_unique<PeerAbi>()) {
  if (access(path.c_str(), R_OK) != 0) throw std::runtime_error("no such peer: " + path);
  // Such libraries reserve more memory than the system lets a process duplicate, unless the
  // mapping says that it wants no reserve.
  constexpr u64 kLarge = 1 << 30;
  const auto before = untouched_mappings(kLarge);
  abi_->load(path);
  for (const auto& [first, last] : untouched_mappings(kLarge)) {
    if (before.contains({first, last})) continue;
    void* place = reinterpret_cast<void*>(first);
    if (mmap(place, last - first, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != place)
      throw std::runtime_error("the memory of the peer cannot be mapped");
  }
}

PeerLibrary::~PeerLibrary() = default;

Peer::Peer(const PeerLibrary& library) : library_(library) {
  shared_ = static_cast<u8*>(
      mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared_ == MAP_FAILED) throw std::runtime_error("no shared memory");
  log_ = memfd_create("peer", 0);
  if (log_ < 0) throw std::runtime_error("no file in memory");
}

Peer::~Peer() {
  close(log_);
  munmap(shared_, kSharedBytes);
}

void Peer::child(const Program& program) {
  const PeerAbi& library = library_.abi();
  for (u32 tile = 0; tile < program.tiles; ++tile) {
    library.aim(tile, 0);
    library.aim(tile, kSoftReset);
    for (const auto& [address, words] : image_of(program, tile))
      library.write(library.at(tile, address), words.data(), static_cast<u32>(words.size() * 4));
  }
  for (u32 tile = 0; tile < program.tiles; ++tile) {
    const u32 release = release_of(cores_of(program, tile));
    library.write(library.at(tile, kSoftReset), &release, 4);
  }
  bool done = false;
  for (u32 poll = 0; poll < kPolls && !done; ++poll) {
    library.clock(kClocksPerPoll);
    done = library.done(program);
  }
  for (u32 tile = 0; tile < program.tiles; ++tile)
    library.read(library.at(tile, kData), shared_ + (1 + tile) * kDumpBytes, kDumpBytes);
  shared_[0] = static_cast<u8>(done ? 1 : 2);
}

Outcome Peer::run(const Program& program) {
  shared_[0] = 0;
  if (ftruncate(log_, 0) != 0) throw std::runtime_error("no file in memory");
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("no process");
  if (pid == 0) {
    lseek(log_, 0, SEEK_SET);
    dup2(log_, 1);
    dup2(log_, 2);
    alarm(kSeconds);
    child(program);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  Outcome outcome;
  outcome.dump.assign(shared_ + kDumpBytes, shared_ + (1 + program.tiles) * kDumpBytes);
  if (shared_[0] != 0) {
    outcome.end = shared_[0] == 1 ? End::Done : End::Hung;
    return outcome;
  }
  outcome.end = End::Refused;
  std::array<char, 4096> said;
  const ssize_t got = pread(log_, said.data(), said.size(), 0);
  std::string words(said.data(), got > 0 ? static_cast<size_t>(got) : 0);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  outcome.why = words.substr(words.rfind('\n') + 1);
  // "[cycle] reason": the same reason at another cycle is the same reason, and with another address
  // or word.
  if (outcome.why.starts_with('[')) outcome.why.erase(0, outcome.why.find(']') + 2);
  outcome.why = std::regex_replace(outcome.why, std::regex("0x[0-9a-f]+"), "#");
  if (outcome.why.empty()) outcome.why = "ended without a word";
  return outcome;
}

}  // namespace bhemu::diff
