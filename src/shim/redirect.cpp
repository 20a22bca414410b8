#include "shim/redirect.hpp"

#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "shim/libc.hpp"
#include "shim/process.hpp"

namespace bhemu::shim {
namespace {

int real_openat(int directory, const char* path, int flags, mode_t mode) {
  static const auto real = next<&::openat>("openat");
  return real(directory, path, flags, mode);
}

int real_fstatat(int directory, const char* path, struct stat* status, int flags) {
  static const auto real = next<&::fstatat>("fstatat");
  return real(directory, path, status, flags);
}

/// Absolute, as the client sees it; empty: that cannot be told.
std::string absolute(int directory, const char* path) {
  if (path[0] == '/') return tidied(path);
  char base[PATH_MAX];
  long length = 0;
  if (directory == AT_FDCWD) {
    length = ::syscall(SYS_getcwd, base, sizeof base) - 1;  // with its end
  } else {
    const std::string link = "/proc/self/fd/" + std::to_string(directory);
    length = ::syscall(SYS_readlinkat, AT_FDCWD, link.c_str(), base, sizeof base);
  }
  if (length <= 0 || base[0] != '/') return "";
  std::string whole = std::string(base, static_cast<std::size_t>(length)) + "/" + path;
  if (Card* card = Process::instance().card_if_made()) whole = card->tree.original_of(whole);
  return tidied(whole);
}

/// A device file is opened by the driver; the descriptor is one of the copy.
int open_device(Card& card, const std::string& copy, int flags) {
  if (Process::instance().abandoned()) {
    Process::instance().card();  // says so
    errno = ENODEV;
    return -1;
  }
  int error = 0;
  auto file = std::make_shared<OpenFile>();
  file->abandoned = &Process::instance().abandoned_flag();
  file->file = card.driver.open(flags, &error);
  if (file->file == nullptr) {
    errno = error < 0 ? -error : EIO;
    return -1;
  }
  constexpr int kNotForFiles = O_EXCL | O_CREAT | O_TRUNC;
  const int descriptor = real_openat(AT_FDCWD, copy.c_str(), flags & ~kNotForFiles, 0);
  if (descriptor >= 0) Process::instance().descriptors().add(descriptor, std::move(file));
  return descriptor;
}

}  // namespace

std::optional<std::string> copy_for(int directory, const char* path) {
  Process& process = Process::instance();
  if (path == nullptr || path[0] == '\0' || !process.serves()) return std::nullopt;
  const int error = errno;
  std::optional<std::string> copy;
  const std::string whole = absolute(directory, path);
  if (Tree::may_have(whole)) {
    // A forked child still sees the files, as they were.
    if (Card* card = process.abandoned() ? process.card_if_made() : process.card()) {
      const Process::Inside guard;
      copy = card->tree.copy_of(whole);
      // With it a link at the end is followed.
      if (copy && path[std::strlen(path) - 1] == '/') *copy += '/';
    }
  }
  errno = error;
  return copy;
}

std::optional<std::string> fresh_copy_for(int directory, const char* path) {
  std::optional<std::string> copy = copy_for(directory, path);
  if (!copy) return copy;
  if (Process::instance().abandoned()) return copy;
  const int error = errno;
  const Process::Inside guard;
  Process::instance().card_if_made()->tree.refresh(*copy);
  errno = error;
  return copy;
}

int open_at(int directory, const char* path, int flags, mode_t mode) {
  const std::optional<std::string> copy = fresh_copy_for(directory, path);
  if (!copy) return real_openat(directory, path, flags, mode);
  Card& card = *Process::instance().card_if_made();
  const Process::Inside guard;
  struct stat status {};
  const bool there = real_fstatat(AT_FDCWD, copy->c_str(), &status, 0) == 0;
  if (there && card.tree.is_device(status) && (flags & (O_PATH | O_DIRECTORY)) == 0)
    return open_device(card, *copy, flags);
  if (there && S_ISREG(status.st_mode) && (flags & O_ACCMODE) != O_RDONLY) {
    errno = EACCES;
    return -1;
  }
  return real_openat(AT_FDCWD, copy->c_str(), flags, mode);
}

namespace {

void show_device(struct stat& status) {
  Card* card = Process::instance().card_if_made();
  if (card == nullptr || !card->tree.is_device(status)) return;
  status.st_mode = (status.st_mode & ~static_cast<mode_t>(S_IFMT)) | S_IFCHR;
  status.st_rdev = card->tree.device_number();
}

}  // namespace

int status_at(int directory, const char* path, struct stat* status, int flags) {
  const std::optional<std::string> copy = copy_for(directory, path);
  const int result = copy ? real_fstatat(AT_FDCWD, copy->c_str(), status, flags)
                          : real_fstatat(directory, path, status, flags);
  if (result == 0) show_device(*status);
  return result;
}

int status_of(int descriptor, struct stat* status) {
  const int result = real_fstatat(descriptor, "", status, AT_EMPTY_PATH);
  if (result == 0) show_device(*status);
  return result;
}

int access_at(int directory, const char* path, int mode, int flags) {
  static const auto real = next<&::faccessat>("faccessat");
  const std::optional<std::string> copy = copy_for(directory, path);
  return copy ? real(AT_FDCWD, copy->c_str(), mode, flags) : real(directory, path, mode, flags);
}

std::size_t restore_path(char* path, std::size_t length) {
  Process& process = Process::instance();
  Card* card = process.card_if_made();
  if (card == nullptr || !process.serves()) return length;
  const std::string whole(path, length);
  const std::string original = card->tree.original_of(whole);
  if (original.size() < length) std::memcpy(path, original.data(), original.size());
  return original.size();
}

}  // namespace bhemu::shim
