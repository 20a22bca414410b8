#include "peer/sides.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <span>
#include <stdexcept>

namespace bhemu::peer {
namespace {

/// Time of the processor in this process: waiting for a processor that others use does not count.
double seconds_of_work() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Batches of turns until `seconds` have passed.
template <class Batch>
Stretch stretch(double seconds, const GuestProgram& program, Batch batch) {
  const double begin = seconds_of_work();
  Stretch result;
  do {
    batch();
    result.turns += program.batch;
    result.seconds = seconds_of_work() - begin;
  } while (result.seconds < seconds);
  return result;
}

class Here : public Side {
 public:
  explicit Here(const GuestProgram& program) : program_(program), device_(DeviceOptions{}) {
    for (const auto& [address, words] : program.image)
      device_.write(kTile, address, {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
    device_.write32(kTile, kSoftReset, program.reset);
  }

  Stretch run(double seconds) override {
    return stretch(seconds, program_, [&] { batch(); });
  }

  std::vector<u8> tile() override {
    std::vector<u8> bytes(kTileBytes);
    device_.read(kTile, kOut, bytes);
    return bytes;
  }

 private:
  static constexpr Coord kTile{kTileX, kTileY};

  void batch() {
    constexpr Cycle kLimit = 1'000'000'000;
    wanted_ += program_.batch;
    device_.write32(kTile, kWanted, wanted_);
    const auto done = [&] {
      u32 count = 0;
      device_.read32(kTile, kCount, count);
      return count == wanted_;
    };
    if (device_.run(kLimit, done).status == RunStatus::Done) return;
    const std::vector<Fault> faults = device_.faults();
    throw std::runtime_error(faults.empty() ? "the program stands still" : faults[0].text);
  }

  GuestProgram program_;
  Device device_;
  u32 wanted_ = 0;
};

void no_dma_read(u64, void*, u32) {}
void no_dma_write(u64, const void*, u32) {}

/// The library, in the child process.
class Library {
 public:
  explicit Library(const std::string& path) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    void (*init)() = nullptr;
    void (*set_dma)(void (*)(u64, void*, u32), void (*)(u64, const void*, u32)) = nullptr;
    find("libttsim_init", init);
    find("libttsim_clock", clock);
    find("libttsim_pci_mem_rd_bytes", read_);
    find("libttsim_pci_mem_wr_bytes", write_);
    find("libttsim_set_pci_dma_mem_callbacks", set_dma);
    set_dma(no_dma_read, no_dma_write);
    init();
    aim(0, 0);
    aim(1, kSoftReset);
  }

  void (*clock)(u32) = nullptr;
  void read(u32 address, void* bytes, u32 count) { read_(at(address), bytes, count); }
  void write(u32 address, const void* bytes, u32 count) { write_(at(address), bytes, count); }

 private:
  static constexpr u64 kBar0 = 0x1'0000'0000;
  static constexpr u64 kTlbRegisters = kBar0 + 0x1FC00000;
  static constexpr u64 kWindowBytes = 2 << 20;

  template <class Function>
  void find(const char* name, Function& function) {
    void* symbol = dlsym(handle_, name);
    if (symbol == nullptr) throw std::runtime_error(std::string("the library lacks ") + name);
    std::memcpy(&function, &symbol, sizeof function);
  }
  /// Window 0 covers the tile's L1, window 1 its registers.
  void aim(u32 window, u64 address) {
    const u64 low = address >> 21 | u64{kTileX} << 43 | u64{kTileY} << 49;
    const std::array<u32, 3> words{static_cast<u32>(low), static_cast<u32>(low >> 32), 0};
    for (u32 i = 0; i < 3; ++i) write_(kTlbRegisters + window * 12 + i * 4, &words[i], 4);
  }
  static u64 at(u32 address) {
    return kBar0 + (address < kWindowBytes ? 0 : kWindowBytes) + address % kWindowBytes;
  }

  void* handle_ = nullptr;
  void (*read_)(u64, void*, u32) = nullptr;
  void (*write_)(u64, const void*, u32) = nullptr;
};

struct Answer {
  Stretch stretch;
  std::array<u8, kTileBytes> tile;
};

void send(int end, const void* bytes, size_t count) {
  if (write(end, bytes, count) != static_cast<ssize_t>(count))
    throw std::runtime_error("the peer has ended");
}
/// False: the other process has ended.
bool receive(int end, void* bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    const ssize_t got = read(end, static_cast<u8*>(bytes) + done, count - done);
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

/// Life of the child: load the program, then a stretch for every request.
void serve(const std::string& path, const GuestProgram& program, int requests, int answers) {
  Library library(path);
  for (const auto& [address, words] : program.image)
    library.write(address, words.data(), static_cast<u32>(words.size() * 4));
  library.write(kSoftReset, &program.reset, 4);
  // While Tensix instructions execute, a clock of such a library may contain any number of them.
  constexpr u32 kClocks = 20;
  u32 wanted = 0;
  const auto batch = [&] {
    wanted += program.batch;
    library.write(kWanted, &wanted, 4);
    for (u32 count = 0; count != wanted; library.read(kCount, &count, 4)) library.clock(kClocks);
  };
  for (;;) {
    double seconds = 0;
    if (!receive(requests, &seconds, sizeof seconds)) return;
    Answer answer{};
    answer.stretch = stretch(seconds, program, batch);
    library.read(kOut, answer.tile.data(), kTileBytes);
    send(answers, &answer, sizeof answer);
  }
}

class There : public Side {
 public:
  There(const std::string& path, const GuestProgram& program) {
    std::array<int, 2> to_child{};
    std::array<int, 2> to_us{};
    if (pipe(to_child.data()) != 0 || pipe(to_us.data()) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("no process");
    if (child_ == 0) {
      close(to_child[1]);
      close(to_us[0]);
      try {
        serve(path, program, to_child[0], to_us[1]);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "peer: %s\n", error.what());
      }
      _exit(0);
    }
    close(to_child[0]);
    close(to_us[1]);
    requests_ = to_child[1];
    answers_ = to_us[0];
  }
  ~There() override {
    close(requests_);
    close(answers_);
    waitpid(child_, nullptr, 0);
  }
  There(const There&) = delete;
  There& operator=(const There&) = delete;

  Stretch run(double seconds) override {
    send(requests_, &seconds, sizeof seconds);
    if (!receive(answers_, &latest_, sizeof latest_))
      throw std::runtime_error("the peer has ended");
    return latest_.stretch;
  }
  std::vector<u8> tile() override { return {latest_.tile.begin(), latest_.tile.end()}; }

 private:
  pid_t child_ = -1;
  int requests_ = -1;
  int answers_ = -1;
  Answer latest_{};
};

}  // namespace

std::unique_ptr<Side> run_here(const GuestProgram& program) {
  return std::make_unique<Here>(program);
}

std::unique_ptr<Side> run_in_peer(const std::string& library, const GuestProgram& program) {
  return std::make_unique<There>(library, program);
}

}  // namespace bhemu::peer
