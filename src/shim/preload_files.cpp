// In front of the C library: everything that takes a descriptor of the card or an address in one of
// its windows.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "shim/libc.hpp"
#include "shim/process.hpp"
#include "shim/redirect.hpp"

using namespace bhemu::shim;  // NOLINT: the functions below are global by nature
using bhemu::u64;
using bhemu::u8;

namespace {

constexpr unsigned long kResetDevice = 0xFA06;  // TENSTORRENT_IOCTL_RESET_DEVICE

/// The card's file behind a descriptor of the client's.
std::shared_ptr<OpenFile> file_of(int descriptor) {
  Process& process = Process::instance();
  Card* card = process.card_if_made();
  if (card == nullptr || !process.serves()) return nullptr;
  std::shared_ptr<OpenFile> file = process.descriptors().find(descriptor);
  if (file == nullptr) return nullptr;
  // The client may have closed the descriptor by a system call of its own.
  struct stat status {};
  const int error = errno;
  const bool same = status_of(descriptor, &status) == 0 && S_ISCHR(status.st_mode);
  errno = error;
  if (same) return file;
  process.descriptors().remove(descriptor, descriptor);
  return nullptr;
}

Windows* windows() {
  Process& process = Process::instance();
  Card* card = process.card_if_made();
  return card != nullptr && process.serves() ? &card->windows : nullptr;
}

/// Whether a system call would find nothing at these addresses that the client can use.
bool in_window(const void* address, std::size_t bytes) {
  Windows* ours = windows();
  return ours != nullptr && bytes != 0 && ours->covers(reinterpret_cast<u64>(address)) != 0;
}

void forget_descriptors(int first, int last) {
  Process& process = Process::instance();
  if (process.card_if_made() == nullptr || !process.serves()) return;
  const Process::Inside guard;  // the last one closes the driver's file
  const int error = errno;
  process.descriptors().remove(first, last);
  errno = error;
}

int duplicated(int from, int to) {
  Process& process = Process::instance();
  if (to >= 0 && process.card_if_made() != nullptr && process.serves())
    process.descriptors().duplicate(from, to);
  return to;
}

/// What lies at these addresses goes: windows of the card's, and pages that the card has pinned.
void leave(void* address, std::size_t bytes) {
  Process& process = Process::instance();
  Card* card = process.card_if_made();
  if (card == nullptr || !process.serves()) return;
  const Process::Inside guard;
  const int error = errno;
  if (!process.abandoned()) card->driver.before_unmap(reinterpret_cast<u64>(address), bytes);
  card->windows.forget(reinterpret_cast<u64>(address), bytes);
  errno = error;
}

void* map_any(void* address, std::size_t bytes, int protection, int flags, int descriptor,
              u64 offset) {
  static const auto real = next<&::mmap>("mmap");
  Windows* ours = windows();
  if (ours != nullptr && (flags & MAP_ANONYMOUS) == 0) {
    if (const auto file = file_of(descriptor)) {
      if (Process::instance().abandoned()) {
        errno = ENODEV;
        return MAP_FAILED;
      }
      if ((flags & MAP_FIXED) != 0) leave(address, bytes);
      const Process::Inside guard;
      return ours->map(file, {address, bytes, protection, flags, offset});
    }
  }
  if (ours != nullptr && (flags & MAP_FIXED) != 0) leave(address, bytes);
  return real(address, bytes, protection, flags, descriptor, static_cast<off_t>(offset));
}

/// The kernel can read and write a card's window on the client's behalf; here that is memory of
/// ours which it does the transfer with.
template <class Call>
ssize_t transfer_out(const void* from, std::size_t bytes, Call call) {
  if (!in_window(from, bytes)) return call(from);
  std::vector<u8> copy(bytes);
  windows()->read(reinterpret_cast<u64>(from), copy);
  return call(copy.data());
}

template <class Call>
ssize_t transfer_in(void* to, std::size_t bytes, Call call) {
  if (!in_window(to, bytes)) return call(to);
  std::vector<u8> copy(bytes);
  const ssize_t done = call(copy.data());
  if (done > 0)
    windows()->write(reinterpret_cast<u64>(to), {copy.data(), static_cast<std::size_t>(done)});
  return done;
}

/// tt-kmd's files can be neither read nor written.
bool is_card(int descriptor) {
  if (file_of(descriptor) == nullptr) return false;
  errno = EINVAL;
  return true;
}

ssize_t read_at(int descriptor, void* buffer, std::size_t bytes, off_t offset) {
  static const auto real = next<&::pread>("pread");
  if (is_card(descriptor)) return -1;
  return transfer_in(buffer, bytes, [&](void* to) { return real(descriptor, to, bytes, offset); });
}

ssize_t write_at(int descriptor, const void* buffer, std::size_t bytes, off_t offset) {
  static const auto real = next<&::pwrite>("pwrite");
  if (is_card(descriptor)) return -1;
  return transfer_out(buffer, bytes,
                      [&](const void* from) { return real(descriptor, from, bytes, offset); });
}

int control(int descriptor, int command, unsigned long argument) {
  static const auto real = next<&::fcntl>("fcntl");
  const int result = real(descriptor, command, argument);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) return duplicated(descriptor, result);
  return result;
}

int card_ioctl(const OpenFile& file, unsigned long request, void* argument) {
  if (Process::instance().abandoned()) {
    errno = ENODEV;
    return -1;
  }
  sigset_t old;
  sigset_t all;
  ::sigfillset(&all);
  // A reset may start threads, which must not run the client's handlers.
  const bool resets = request == kResetDevice;
  if (resets) ::pthread_sigmask(SIG_SETMASK, &all, &old);
  int result = 0;
  {
    const Process::Inside guard;
    result = file.file->ioctl(request, argument);
  }
  if (resets) ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  if (result >= 0) return result;
  errno = -result;
  return -1;
}

}  // namespace

extern "C" {

int ioctl(int descriptor, unsigned long request, ...) noexcept {
  static const auto real = next<&::ioctl>("ioctl");
  va_list more;
  va_start(more, request);
  void* argument = va_arg(more, void*);
  va_end(more);
  if (const auto file = file_of(descriptor)) return card_ioctl(*file, request, argument);
  return real(descriptor, request, argument);
}

int close(int descriptor) {
  static const auto real = next<&::close>("close");
  forget_descriptors(descriptor, descriptor);
  return real(descriptor);
}
int close_range(unsigned first, unsigned last, int flags) noexcept {
  static const auto real = next<&::close_range>("close_range");
  constexpr int kOnExec = 1 << 2;  // CLOSE_RANGE_CLOEXEC
  if ((flags & kOnExec) == 0 && first <= INT_MAX)
    forget_descriptors(static_cast<int>(first), last > INT_MAX ? INT_MAX : static_cast<int>(last));
  return real(first, last, flags);
}
void closefrom(int first) noexcept {
  static const auto real = next<&::closefrom>("closefrom");
  forget_descriptors(first, INT_MAX);
  real(first);
}
int fclose(FILE* stream) {
  static const auto real = next<&::fclose>("fclose");
  const int error = errno;
  const int descriptor = ::fileno(stream);
  errno = error;
  if (descriptor >= 0) forget_descriptors(descriptor, descriptor);
  return real(stream);
}

int dup(int descriptor) noexcept {
  static const auto real = next<&::dup>("dup");
  return duplicated(descriptor, real(descriptor));
}
int dup2(int from, int to) noexcept {
  static const auto real = next<&::dup2>("dup2");
  return duplicated(from, real(from, to));
}
int dup3(int from, int to, int flags) noexcept {
  static const auto real = next<&::dup3>("dup3");
  return duplicated(from, real(from, to, flags));
}
int fcntl(int descriptor, int command, ...) {
  va_list more;
  va_start(more, command);
  const unsigned long argument = va_arg(more, unsigned long);
  va_end(more);
  return control(descriptor, command, argument);
}
int fcntl64(int descriptor, int command, ...) {
  va_list more;
  va_start(more, command);
  const unsigned long argument = va_arg(more, unsigned long);
  va_end(more);
  return control(descriptor, command, argument);
}

void* mmap(void* address, size_t bytes, int protection, int flags, int descriptor,
           off_t offset) noexcept {
  return map_any(address, bytes, protection, flags, descriptor, static_cast<u64>(offset));
}
void* mmap64(void* address, size_t bytes, int protection, int flags, int descriptor,
             off64_t offset) noexcept {
  return map_any(address, bytes, protection, flags, descriptor, static_cast<u64>(offset));
}
int munmap(void* address, size_t bytes) noexcept {
  static const auto real = next<&::munmap>("munmap");
  leave(address, bytes);
  return real(address, bytes);
}
int mprotect(void* address, size_t bytes, int protection) noexcept {
  static const auto real = next<&::mprotect>("mprotect");
  Windows* ours = windows();
  if (ours != nullptr && ours->protect(reinterpret_cast<u64>(address), bytes, protection)) return 0;
  return real(address, bytes, protection);
}
void* mremap(void* address, size_t old_bytes, size_t bytes, int flags, ...) noexcept {
  using Function = void* (*)(void*, size_t, size_t, int, void*);
  static const auto real = reinterpret_cast<Function>(next<&::mremap>("mremap"));
  va_list more;
  va_start(more, flags);
  void* target = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  const Windows* ours = windows();
  if (ours != nullptr && ours->overlaps(reinterpret_cast<u64>(address), old_bytes)) {
    // As of a mapping of a device that is to grow (mm/mremap.c, vma_to_resize).
    errno = EFAULT;
    return MAP_FAILED;
  }
  return real(address, old_bytes, bytes, flags, target);
}

ssize_t read(int descriptor, void* buffer, size_t bytes) {
  static const auto real = next<&::read>("read");
  if (is_card(descriptor)) return -1;
  return transfer_in(buffer, bytes, [&](void* to) { return real(descriptor, to, bytes); });
}
ssize_t write(int descriptor, const void* buffer, size_t bytes) {
  static const auto real = next<&::write>("write");
  if (is_card(descriptor)) return -1;
  return transfer_out(buffer, bytes,
                      [&](const void* from) { return real(descriptor, from, bytes); });
}
ssize_t __read_chk(int descriptor, void* buffer, size_t bytes, size_t room) {
  if (room < bytes) std::abort();
  return read(descriptor, buffer, bytes);
}
ssize_t pread(int descriptor, void* buffer, size_t bytes, off_t offset) {
  return read_at(descriptor, buffer, bytes, offset);
}
ssize_t pread64(int descriptor, void* buffer, size_t bytes, off64_t offset) {
  return read_at(descriptor, buffer, bytes, offset);
}
ssize_t pwrite(int descriptor, const void* buffer, size_t bytes, off_t offset) {
  return write_at(descriptor, buffer, bytes, offset);
}
ssize_t pwrite64(int descriptor, const void* buffer, size_t bytes, off64_t offset) {
  return write_at(descriptor, buffer, bytes, offset);
}

}  // extern "C"
