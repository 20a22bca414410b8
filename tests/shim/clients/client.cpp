// A client of tt-kmd's that knows nothing of bhemu: each command line argument names a check, and
// the exit status says whether all hold. Run by shim_test.cpp under `bhemu shim`.
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device.hpp"

namespace {

using namespace client;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  expect(file.is_open(), "reading " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// --- What the card looks like from outside.

void discovery() {
  namespace fs = std::filesystem;
  // As blackhole-py looks (clients' helpers) and as tt-umd does (pci_device.cpp).
  expect(text_of("/sys/class/tenstorrent/tenstorrent!0/tt_card_type") == "p100a\n", "card type");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator("/dev/tenstorrent/")) {
    expect(entry.is_character_file(), "the directory shows a character device");
    names.push_back(entry.path().filename().string());
  }
  expect(names == std::vector<std::string>{"0"}, "one card");
  struct stat status {};
  expect(::stat(kDevice, &status) == 0 && S_ISCHR(status.st_mode), "stat");
  Card card;
  struct stat open_status {};
  expect(::fstat(card.fd, &open_status) == 0 && S_ISCHR(open_status.st_mode) &&
             open_status.st_rdev == status.st_rdev,
         "fstat");
  DeviceInfo info{};
  info.wanted = sizeof info - 4;
  expect(::ioctl(card.fd, request(0), &info) == 0, "GET_DEVICE_INFO");
  expect(info.vendor == 0x1E52 && info.device == 0xB140, "PCI identity");
  char path[128];
  std::snprintf(path, sizeof path, "/sys/bus/pci/devices/%04x:%02x:%02x.%x", info.domain,
                info.bus_dev_fn >> 8, info.bus_dev_fn >> 3 & 31, info.bus_dev_fn & 7);
  expect(text_of(std::string(path) + "/vendor") == "0x1e52\n", "vendor in sysfs");
  expect(text_of(std::string(path) + "/device") == "0xb140\n", "device in sysfs");
  uint16_t config[2] = {};
  std::ifstream(std::string(path) + "/config", std::ios::binary)
      .read(reinterpret_cast<char*>(config), sizeof config);
  expect(config[0] == 0x1E52 && config[1] == 0xB140, "configuration space in sysfs");
  bool listed = false;
  for (const auto& entry : fs::directory_iterator("/sys/bus/pci/devices"))
    listed |= entry.path() == path;
  expect(listed, "the card is on the bus");
  expect(fs::canonical("/sys/class/tenstorrent/tenstorrent!0/device") == fs::canonical(path),
         "the class device leads to the function");
  expect(fs::canonical(path).string().starts_with("/sys/devices/"), "paths are the kernel's");
}

void other_ways_to_look() {
  glob_t found{};
  expect(::glob("/dev/tenstorrent/[0-9]*", 0, nullptr, &found) == 0 && found.gl_pathc == 1 &&
             std::string(found.gl_pathv[0]) == kDevice,
         "glob");
  ::globfree(&found);
  expect(::access(kDevice, R_OK | W_OK) == 0 && ::access("/dev/tenstorrent/1", F_OK) != 0,
         "access");
  const int directory = ::open("/dev/tenstorrent", O_RDONLY | O_DIRECTORY);
  const int card = ::openat(directory, "0", O_RDWR);
  struct stat status {};
  expect(card >= 0 && ::fstat(card, &status) == 0 && S_ISCHR(status.st_mode), "openat");
  char link[256] = {};
  expect(::readlink(("/proc/self/fd/" + std::to_string(card)).c_str(), link, sizeof link) > 0 &&
             std::string(link) == kDevice,
         "readlink of the descriptor");
  ::close(card);
  ::close(directory);
  char resolved[4096];
  expect(
      ::realpath("/dev/./tenstorrent//0", resolved) != nullptr && std::string(resolved) == kDevice,
      "realpath");
  expect(::chdir("/sys/class/tenstorrent") == 0, "chdir");
  expect(std::string(::getcwd(resolved, sizeof resolved)) == "/sys/class/tenstorrent", "getcwd");
  expect(text_of("tenstorrent!0/tt_card_type") == "p100a\n", "a relative path");
  expect(::open("tenstorrent!0/tt_card_type", O_WRONLY) < 0 && errno == EACCES, "read only");
  expect(::open("/dev/tenstorrent/7", O_RDWR) < 0 && errno == ENOENT, "no second card");
}

void descriptors() {
  Card card;
  char byte = 0;
  expect(::read(card.fd, &byte, 1) < 0 && errno == EINVAL, "read of the device");
  expect(::write(card.fd, &byte, 1) < 0 && errno == EINVAL, "write to the device");
  expect(::ioctl(card.fd, 0x1234, &byte) < 0, "an unknown request");
  DeviceInfo info{};
  info.wanted = sizeof info - 4;
  int copy = ::dup(card.fd);
  int other = ::fcntl(card.fd, F_DUPFD_CLOEXEC, 100);
  expect(other >= 100 && ::ioctl(other, request(0), &info) == 0, "fcntl's duplicate");
  ::close(other);
  expect(::ioctl(other, request(0), &info) < 0 && errno == EBADF, "a closed duplicate");
  const int null = ::open("/dev/null", O_RDWR);
  expect(::dup2(null, copy) == copy && ::ioctl(copy, request(0), &info) < 0, "replaced by dup2");
  expect(::dup2(card.fd, null) == null && ::ioctl(null, request(0), &info) == 0, "dup2");
  ::close(null);
  ::close(copy);
  FILE* stream = ::fdopen(::dup(card.fd), "r+");
  const int number = ::fileno(stream);
  std::fclose(stream);
  expect(::open("/dev/null", O_RDONLY) == number && ::ioctl(number, request(0), &info) < 0,
         "a number that fclose gave back");
}

// --- Memory.

void copies() {
  Card card;
  Window l1(card, kSmall);
  Window dram(card, kLarge);
  Window registers(card, kSmall);
  l1.point(1, 2, 0);
  dram.point(17, 12, 0);
  std::mt19937 random(1);
  std::vector<uint8_t> data(4200);
  for (uint8_t& byte : data) byte = static_cast<uint8_t>(random());
  std::vector<uint8_t> back(data.size());
  for (size_t size = 1; size <= 4097; ++size) {
    const size_t offset = 0x2000 + random() % 130;
    for (Window* window : {&l1, &dram}) {
      std::memset(window->bytes + offset - 1, 0xA5, 1);
      std::memset(window->bytes + offset + size, 0x5A, 1);
      std::memcpy(window->bytes + offset, data.data(), size);
      std::memcpy(back.data(), window->bytes + offset, size);
      expect(std::memcmp(back.data(), data.data(), size) == 0, "memcpy there and back");
      expect(window->bytes[offset - 1] == 0xA5 && window->bytes[offset + size] == 0x5A,
             "memcpy beside its bytes");
    }
  }
  std::memset(l1.bytes + 0x3001, 0x77, 3333);
  expect(l1.bytes[0x3001 + 3332] == 0x77, "memset");
  std::memmove(l1.bytes + 0x3003, l1.bytes + 0x2F00, 1000);  // within the window
  expect(std::memcmp(l1.bytes + 0x2F00, data.data(), 0) == 0, "memmove");
  registers.point(1, 2, 0xFFA00000);
  expect(registers.word(kResetRegister) == 0x47800, "a register");
  uint32_t copy = 0;
  std::memcpy(&copy, registers.bytes + kResetRegister, sizeof copy);
  expect(copy == 0x47800, "a register by memcpy");
  registers.word(kResetPc) = 0x6000;
  expect(registers.word(kResetPc) == 0x6000, "a register that was written");
  __atomic_fetch_or(reinterpret_cast<uint32_t*>(registers.bytes + kResetPc), 0x800,
                    __ATOMIC_SEQ_CST);
  expect(registers.word(kResetPc) == 0x6800, "a register that was read and written");
}

void reconfiguration() {
  Card card;
  Window window(card, kSmall);
  for (unsigned y = 2; y < 12; ++y) {
    window.point(1, y, 0);
    window.word(0x100) = 0xC0DE0000 | y;
  }
  for (unsigned turn = 0; turn < 50; ++turn)
    for (unsigned y = 2; y < 12; ++y) {
      window.point(1, y, 0);
      // Once is trapped, more often is memory's own page.
      for (unsigned look = 0; look <= turn % 5; ++look)
        expect(window.word(0x100) == (0xC0DE0000 | y), "a window that was pointed elsewhere");
    }
  window.point(17, 12, 0);
  window.word(0x100) = 7;
  expect(window.word(0x100) == 7 && window.word(0x100) == 7, "the same window on DRAM");
  window.point(1, 3, 0);
  expect(window.word(0x100) == 0xC0DE0003, "and back");
}

void two_views() {
  Card card;
  Window writer(card, kSmall);
  Window reader(card, kSmall);
  writer.point(3, 4, 0);
  reader.point(3, 4, 0);
  reader.look(0);
  reader.look(0);  // its own page from here on
  for (uint32_t i = 1; i < 2000; ++i) {
    writer.word(64) = i;
    expect(reader.word(64) == i, "a store seen through another window");
  }
}

void threads() {
  Card card;
  std::vector<std::thread> all;
  std::atomic<int> failures{0};
  for (unsigned t = 0; t < 4; ++t)
    all.emplace_back([&card, &failures, t] {
      try {
        Window window(card, kSmall);
        for (unsigned i = 0; i < 400; ++i) {
          window.point(1 + t, 2 + i % 10, 0);
          window.word(0x40) = t << 16 | i;
          expect(window.word(0x40) == (t << 16 | i), "a thread's own window");
        }
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        ++failures;
      }
    });
  for (std::thread& thread : all) thread.join();
  expect(failures == 0, "threads");
}

void blocked_signals() {
  Card card;
  Window window(card, kSmall);
  window.point(1, 2, 0xFFA00000);
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  expect(window.word(kResetRegister) == 0x47800, "with every signal blocked");
}

// --- Signals of the client's own.

sigjmp_buf jump;                         // tidy: allow global: a handler has no other way
void* volatile fault_address = nullptr;  // tidy: allow global: the same

void jump_out(int, siginfo_t* info, void*) {
  fault_address = info->si_addr;
  siglongjmp(jump, 1);
}

void own_handler() {
  Card card;
  Window window(card, kSmall);
  window.point(1, 2, 0xFFA00000);
  struct sigaction action {};
  struct sigaction old {};
  action.sa_sigaction = jump_out;
  action.sa_flags = SA_SIGINFO;
  expect(::sigaction(SIGSEGV, &action, nullptr) == 0, "sigaction");
  expect(::sigaction(SIGSEGV, nullptr, &old) == 0 && old.sa_sigaction == jump_out,
         "the handler is the client's");
  std::atomic<int> turn{0};
  while (turn++ < 3) {
    if (sigsetjmp(jump, 1) == 0) {
      *reinterpret_cast<volatile int*>(0x10) = 1;
      expect(false, "a null pointer");
    }
    expect(fault_address == reinterpret_cast<void*>(0x10), "the address of the fault");
    expect(window.word(kResetRegister) == 0x47800, "windows work after that");
  }
  // What may not be written.
  Window read_only(card, kSmall, PROT_READ);
  read_only.point(1, 2, 0);
  if (sigsetjmp(jump, 1) == 0) {
    read_only.word(0x40) = 1;
    expect(false, "a store into a mapping without PROT_WRITE");
  }
  expect(fault_address == read_only.bytes + 0x40, "the address of that fault");
}

void small_signal_stack() {
  Card card;
  Window window(card, kSmall);
  window.point(1, 2, 0xFFA00000);
  std::vector<char> memory(16384);
  stack_t stack{};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  expect(::sigaltstack(&stack, nullptr) == 0, "sigaltstack");
  for (int i = 0; i < 100; ++i) expect(window.word(kResetRegister) == 0x47800, "a register");
  stack.ss_flags = SS_DISABLE;
  ::sigaltstack(&stack, nullptr);
}

void refused_instruction() {
  Card card;
  Window window(card, kSmall);
  window.point(1, 2, 0xFFA00000);
  asm volatile("call *(%0)" ::"r"(window.bytes + kResetRegister));
}

// --- Processes.

void fork_and_exec() {
  Card card;
  Window window(card, kSmall);
  window.point(1, 2, 0);
  window.word(0x100) = 42;
  window.look(0x100);
  const pid_t child = ::fork();
  if (child == 0) {
    // The card stayed with the parent.
    DeviceInfo info{};
    const bool dead = window.word(0x100) == ~0u && window.word(0x100) == ~0u &&
                      ::ioctl(card.fd, request(0), &info) < 0 && errno == ENODEV &&
                      ::open(kDevice, O_RDWR) < 0 && errno == ENODEV;
    std::exit(dead ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the forked child sees no card");
  expect(window.word(0x100) == 42, "the parent still does");
  expect(std::system("test -c /dev/tenstorrent/0 || ls -l /dev/tenstorrent/0 | grep -q ^c") == 0,
         "a program that is executed has a card");
  expect(window.word(0x100) == 42 && ::access(kDevice, F_OK) == 0, "and leaves ours alone");
}

// --- Mappings.

void mappings() {
  Card card;
  AllocateTlb allocate{};
  allocate.size = kSmall;
  expect(::ioctl(card.fd, request(11), &allocate) == 0, "ALLOCATE_TLB");
  auto* bytes = static_cast<uint8_t*>(::mmap(nullptr, kSmall, PROT_READ | PROT_WRITE, MAP_SHARED,
                                             card.fd, static_cast<off_t>(allocate.offset_uc)));
  expect(bytes != MAP_FAILED, "mmap");
  uint32_t id = allocate.id;
  expect(::ioctl(card.fd, request(12), &id) < 0 && errno == EBUSY, "a mapped window is not freed");
  expect(::mremap(bytes, kSmall, 2 * kSmall, MREMAP_MAYMOVE) == MAP_FAILED, "mremap");
  expect(::munmap(bytes, kSmall / 2) == 0, "half of it unmapped");
  expect(::ioctl(card.fd, request(12), &id) < 0 && errno == EBUSY, "half is still mapped");
  *reinterpret_cast<volatile uint32_t*>(bytes + kSmall / 2 + 64) = 1;
  expect(::mmap(bytes + kSmall / 2, kSmall / 2, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == bytes + kSmall / 2,
         "mapped over");
  expect(bytes[kSmall / 2 + 64] == 0, "ordinary memory now");
  expect(::ioctl(card.fd, request(12), &id) == 0, "nothing is mapped");
  expect(::mmap(nullptr, kSmall, PROT_READ, MAP_SHARED, card.fd, 0x7FFF00000000) == MAP_FAILED,
         "an offset that is nothing");
}

void system_calls() {
  Card card;
  Window window(card, kSmall);
  window.point(1, 2, 0xFFA00000);
  int pipe[2];
  expect(::pipe(pipe) == 0, "pipe");
  expect(::write(pipe[1], window.bytes + kResetRegister, 4) == 4, "write from a register");
  uint32_t value = 0;
  expect(::read(pipe[0], &value, 4) == 4 && value == 0x47800, "what was written");
  value = 0x9000;
  expect(::write(pipe[1], &value, 4) == 4 && ::read(pipe[0], window.bytes + kResetPc, 4) == 4 &&
             window.word(kResetPc) == 0x9000,
         "read into a register");
}

uint64_t resident_kib() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6));
  return 0;
}

void large_mappings() {
  Card card;
  std::vector<std::unique_ptr<Window>> windows;
  for (unsigned i = 0; i < 4; ++i) {
    windows.push_back(std::make_unique<Window>(card, kLarge));
    windows.back()->point(17, 12 + 3 * i, 0);
    windows.back()->word(kLarge - 0x1000000) = i;
    windows.back()->look(kLarge - 0x1000000);
  }
  constexpr uint64_t kPinned = 1ull << 30;
  void* memory = ::mmap(nullptr, kPinned, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  expect(memory != MAP_FAILED, "a GiB");
  PinPages pin{};
  pin.output_size = 16;
  pin.flags = 2;
  pin.address = reinterpret_cast<uint64_t>(memory);
  pin.size = kPinned;
  expect(::ioctl(card.fd, request(7), &pin) == 0, "PIN_PAGES");
  expect(pin.noc_address >> 60 == 1, "an address of the PCIe tile");
  expect(resident_kib() < 512 * 1024, "17 GiB of mappings take little memory");
}

volatile uint32_t* shared_with(const Card& card, uint64_t& noc_address) {
  void* memory =
      ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  PinPages pin{};
  pin.output_size = 16;
  pin.flags = 2;
  pin.address = reinterpret_cast<uint64_t>(memory);
  pin.size = 1 << 20;
  expect(::ioctl(card.fd, request(7), &pin) == 0, "PIN_PAGES");
  noc_address = pin.noc_address;
  return static_cast<volatile uint32_t*>(memory);
}

void pinned_memory() {
  Card card;
  uint64_t noc_address = 0;
  volatile uint32_t* const words = shared_with(card, noc_address);
  // The card's own way to it: the PCIe tile, from a window.
  Window window(card, kLarge);
  window.point(19, 24, noc_address / kLarge * kLarge);
  const uint64_t offset = noc_address % kLarge;
  words[5] = 0xFEEDF00D;
  expect(window.word(offset + 20) == 0xFEEDF00D, "the card reads pinned memory");
  window.word(offset + 24) = 0x12345678;
  for (unsigned i = 0; words[6] != 0x12345678 && i < 1000000; ++i) window.look(offset + 24);
  expect(words[6] == 0x12345678, "the card writes pinned memory");
}

/// A core looks all the time for a first word that is ahead of the second: then time has passed
/// between two stores of adjacent instructions (as in memcpy of four bytes, which stores twice).
void adjacent_stores() {
  Card card;
  constexpr uint64_t kWords = 0x100000;
  // lui x5, 0x100; loop: lw x6, 0(x5); lw x7, 4(x5); bge x7, x6, loop; sw x6, 8(x5); jal loop
  constexpr uint32_t kCode[] = {0x001002B7, 0x0002A303, 0x0042A383,
                                0xFE63DCE3, 0x0062A423, 0xFF1FF06F};
  Window l1(card, kSmall);
  l1.point(2, 3, 0);
  std::memcpy(l1.bytes, kCode, sizeof kCode);
  for (unsigned i = 0; i < 3; ++i) l1.word(kWords + 4 * i) = 0;
  Window registers(card, kSmall);
  registers.point(2, 3, 0xFFA00000);
  registers.word(kResetRegister) = 0x47000;
  for (uint32_t round = 1; round <= 3000; ++round)
    asm volatile("movl %1, (%0)\n\tmovl %1, 4(%0)"
                 :
                 : "r"(l1.bytes + kWords), "r"(round)
                 : "memory");
  registers.word(kResetRegister) = 0x47800;
  expect(l1.word(kWords) == 3000 && l1.word(kWords + 4) == 3000, "both stores arrive");
  expect(l1.word(kWords + 8) == 0, "no time passes between the stores");
}

/// A core that waits for ever, and a host that asks by loads whether it is done: they see the L1
/// itself at first, and all ones in the end.
void hang() {
  Card card;
  constexpr uint64_t kGoMessage = 0x370;
  constexpr uint32_t kGo = 0x80000000;
  Window l1(card, kSmall);
  l1.point(1, 2, 0);
  l1.word(kGoMessage) = kGo;
  l1.word(0) = 0x0000006F;  // j .
  Window registers(card, kSmall);
  registers.point(1, 2, 0xFFA00000);
  registers.word(kResetRegister) = 0x47000;
  while (l1.word(kGoMessage) == kGo) {
  }
  expect(l1.word(kGoMessage) == 0xFFFFFFFF, "the card has stopped answering");
  expect(registers.word(kResetRegister) == 0xFFFFFFFF, "nothing answers");
}

/// As tt-metal with a time limit asks a counter of its dispatcher's, whatever it reads.
void asks_for_ever() {
  Card card;
  Window l1(card, kSmall);
  l1.point(1, 2, 0);
  l1.word(0) = 0xFFFFFFFF;
  Window registers(card, kSmall);
  registers.point(1, 2, 0xFFA00000);
  registers.word(kResetRegister) = 0x47000;
  for (;;) {
    l1.look(0x20000);
    ::usleep(50'000);
  }
}

/// A core that breaks a rule, and a host that waits in its own memory for what it was to write.
void waits_for_ever() {
  Card card;
  uint64_t noc_address = 0;
  volatile uint32_t* const words = shared_with(card, noc_address);
  Window window(card, kLarge);
  window.point(19, 24, noc_address / kLarge * kLarge);
  window.look(noc_address % kLarge);
  Window l1(card, kSmall);
  l1.point(1, 2, 0);
  l1.word(0) = 0xFFFFFFFF;
  Window registers(card, kSmall);
  registers.point(1, 2, 0xFFA00000);
  registers.word(kResetRegister) = 0x47000;
  while (words[0] == 0) ::usleep(1000);
}

const std::map<std::string, std::function<void()>>& checks() {
  static const std::map<std::string, std::function<void()>> all = {
      {"discovery", discovery},
      {"other_ways_to_look", other_ways_to_look},
      {"descriptors", descriptors},
      {"copies", copies},
      {"reconfiguration", reconfiguration},
      {"two_views", two_views},
      {"threads", threads},
      {"blocked_signals", blocked_signals},
      {"own_handler", own_handler},
      {"small_signal_stack", small_signal_stack},
      {"refused_instruction", refused_instruction},
      {"fork_and_exec", fork_and_exec},
      {"mappings", mappings},
      {"system_calls", system_calls},
      {"large_mappings", large_mappings},
      {"pinned_memory", pinned_memory},
      {"adjacent_stores", adjacent_stores},
      {"hang", hang},
      {"asks_for_ever", asks_for_ever},
      {"waits_for_ever", waits_for_ever},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    try {
      checks().at(argv[i])();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
      return 1;
    }
  }
  return 0;
}
