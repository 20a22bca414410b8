// A client of the libttsim interface as a process of its own: loads the library by its path, starts
// a kernel that waits for a word that nobody writes, and asks for ever whether it is done.
#include <dlfcn.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>

namespace {

struct Library {
  void* handle = nullptr;
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle, name));
  }
};

constexpr std::uint32_t kX = 1;
constexpr std::uint32_t kY = 2;
constexpr std::uint64_t kSoftReset = 0xFFB121B0;
constexpr std::uint64_t kDone = 0x20000;

/// lui x8, 0x10; lw x9, 0(x8); beq x9, x0, -4; jal x0, 0: waits for L1[0x10000].
constexpr std::array<std::uint32_t, 4> kKernel{0x00010437, 0x00042483, 0xFE048EE3, 0x0000006F};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::signal(SIGUSR1, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);  // a shell may have had it ignored
  const Library library{dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL)};
  if (library.handle == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  const auto init = library.find<void()>("libttsim_init");
  const auto write =
      library.find<void(std::uint32_t, std::uint32_t, std::uint64_t, const void*, std::uint32_t)>(
          "libttsim_tile_wr_bytes");
  const auto read =
      library.find<void(std::uint32_t, std::uint32_t, std::uint64_t, void*, std::uint32_t)>(
          "libttsim_tile_rd_bytes");
  const auto clock = library.find<void(std::uint32_t)>("libttsim_clock");
  if (init == nullptr || write == nullptr || read == nullptr || clock == nullptr) return 2;
  const auto write32 = [&](std::uint64_t address, std::uint32_t value) {
    write(kX, kY, address, &value, 4);
  };
  init();
  write32(kSoftReset, 0x47800);
  write(kX, kY, 0, kKernel.data(), sizeof kKernel);
  write32(0x10000, 0);
  write32(kDone, 0);
  write32(kSoftReset, 0x47000);
  clock(1000);
  std::puts("polling");
  std::fflush(stdout);
  for (std::uint32_t done = 0; done == 0;) {
    read(kX, kY, kDone, &done, 4);
    clock(1);
  }
  return 0;
}
