// In front of the C library: everything that takes a path.
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "shim/libc.hpp"
#include "shim/process.hpp"
#include "shim/redirect.hpp"

using namespace bhemu::shim;  // NOLINT: the functions below are global by nature

namespace {

constexpr bool makes_file(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

static_assert(sizeof(struct stat) == sizeof(struct stat64));
struct stat* plain(struct stat64* status) {
  return reinterpret_cast<struct stat*>(status);
}

/// Of /dev/tenstorrent: the device file is listed as what it is.
template <class Entry>
Entry* shown(DIR* directory, Entry* entry) {
  Card* card = Process::instance().card_if_made();
  if (entry == nullptr || card == nullptr || entry->d_type != DT_REG) return entry;
  const std::string_view path = card->tree.device_path();
  if (path.substr(path.rfind('/') + 1) != entry->d_name) return entry;
  struct stat status {};
  if (status_of(::dirfd(directory), &status) == 0 && card->tree.is_device_directory(status))
    entry->d_type = DT_CHR;
  return entry;
}

char* restored(char* path) {
  if (path != nullptr) path[restore_path(path, std::strlen(path))] = '\0';
  return path;
}

FILE* open_file(const char* path, const char* mode) {
  static const auto real = next<&::fopen>("fopen");
  const auto copy = fresh_copy_for(AT_FDCWD, path);
  if (!copy) return real(path, mode);
  struct stat status {};
  if (status_at(AT_FDCWD, path, &status, 0) != 0 || !S_ISCHR(status.st_mode))
    return real(copy->c_str(), mode);
  const bool both = std::strchr(mode, '+') != nullptr;
  int flags = both ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
  if (mode[0] == 'a') flags |= O_APPEND;
  if (std::strchr(mode, 'e') != nullptr) flags |= O_CLOEXEC;
  const int descriptor = open_at(AT_FDCWD, path, flags, 0);
  return descriptor < 0 ? nullptr : ::fdopen(descriptor, mode);
}

}  // namespace

extern "C" {

// --- open.

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = makes_file(flags) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = makes_file(flags) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = makes_file(flags) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_at(directory, path, flags, mode);
}

int openat64(int directory, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = makes_file(flags) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_at(directory, path, flags, mode);
}

int creat(const char* path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char* path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int __open_2(const char* path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
int __open64_2(const char* path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}
int __openat_2(int directory, const char* path, int flags) {
  return open_at(directory, path, flags, 0);
}
int __openat64_2(int directory, const char* path, int flags) {
  return open_at(directory, path, flags, 0);
}
FILE* fopen(const char* path, const char* mode) {
  return open_file(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return open_file(path, mode);
}

// --- stat.

int stat(const char* path, struct stat* status) noexcept {
  return status_at(AT_FDCWD, path, status, 0);
}
int stat64(const char* path, struct stat64* status) noexcept {
  return status_at(AT_FDCWD, path, plain(status), 0);
}
int lstat(const char* path, struct stat* status) noexcept {
  return status_at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int lstat64(const char* path, struct stat64* status) noexcept {
  return status_at(AT_FDCWD, path, plain(status), AT_SYMLINK_NOFOLLOW);
}
int fstat(int descriptor, struct stat* status) noexcept {
  return status_of(descriptor, status);
}
int fstat64(int descriptor, struct stat64* status) noexcept {
  return status_of(descriptor, plain(status));
}
int fstatat(int directory, const char* path, struct stat* status, int flags) noexcept {
  return status_at(directory, path, status, flags);
}
int fstatat64(int directory, const char* path, struct stat64* status, int flags) noexcept {
  return status_at(directory, path, plain(status), flags);
}

// As programs call them that were linked before glibc 2.33.
int __xstat(int, const char* path, struct stat* status) noexcept {
  return status_at(AT_FDCWD, path, status, 0);
}
int __xstat64(int, const char* path, struct stat64* status) noexcept {
  return status_at(AT_FDCWD, path, plain(status), 0);
}
int __lxstat(int, const char* path, struct stat* status) noexcept {
  return status_at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int __lxstat64(int, const char* path, struct stat64* status) noexcept {
  return status_at(AT_FDCWD, path, plain(status), AT_SYMLINK_NOFOLLOW);
}
int __fxstat(int, int descriptor, struct stat* status) noexcept {
  return status_of(descriptor, status);
}
int __fxstat64(int, int descriptor, struct stat64* status) noexcept {
  return status_of(descriptor, plain(status));
}
int __fxstatat(int, int directory, const char* path, struct stat* status, int flags) noexcept {
  return status_at(directory, path, status, flags);
}
int __fxstatat64(int, int directory, const char* path, struct stat64* status, int flags) noexcept {
  return status_at(directory, path, plain(status), flags);
}

int statx(int directory, const char* path, int flags, unsigned mask,
          struct statx* status) noexcept {
  static const auto real = next<&::statx>("statx");
  const auto copy = copy_for(directory, path);
  const int result = copy ? real(AT_FDCWD, copy->c_str(), flags, mask | STATX_INO, status)
                          : real(directory, path, flags, mask, status);
  Card* card = Process::instance().card_if_made();
  if (result != 0 || card == nullptr ||
      !card->tree.is_device(status->stx_dev_major, status->stx_dev_minor, status->stx_ino))
    return result;
  status->stx_mode = static_cast<__u16>((status->stx_mode & ~S_IFMT) | S_IFCHR);
  status->stx_rdev_major = major(card->tree.device_number());
  status->stx_rdev_minor = minor(card->tree.device_number());
  return result;
}

// --- access, links, directories.

int access(const char* path, int mode) noexcept {
  return access_at(AT_FDCWD, path, mode, 0);
}
int faccessat(int directory, const char* path, int mode, int flags) noexcept {
  return access_at(directory, path, mode, flags);
}
int eaccess(const char* path, int mode) noexcept {
  return access_at(AT_FDCWD, path, mode, AT_EACCESS);
}
int euidaccess(const char* path, int mode) noexcept {
  return access_at(AT_FDCWD, path, mode, AT_EACCESS);
}

ssize_t readlinkat(int directory, const char* path, char* buffer, size_t bytes) noexcept {
  static const auto real = next<&::readlinkat>("readlinkat");
  const auto copy = copy_for(directory, path);
  // Room for what the path is longer by in the copy.
  char whole[PATH_MAX];
  ssize_t length = copy ? real(AT_FDCWD, copy->c_str(), whole, sizeof whole)
                        : real(directory, path, whole, sizeof whole);
  // A link to an entry of the host's (Tree::merge) stands for that entry.
  if (length > 0 && copy && whole[0] == '/') {
    const std::string host(whole, static_cast<size_t>(length));
    const ssize_t again = real(AT_FDCWD, host.c_str(), whole, sizeof whole);
    if (again < 0) std::memcpy(whole, host.data(), host.size());
    length = again < 0 ? length : again;
  }
  if (length < 0) return length;
  const size_t restored_length = restore_path(whole, static_cast<size_t>(length));
  const size_t taken = restored_length < bytes ? restored_length : bytes;
  std::memcpy(buffer, whole, taken);
  return static_cast<ssize_t>(taken);
}
ssize_t readlink(const char* path, char* buffer, size_t bytes) noexcept {
  return readlinkat(AT_FDCWD, path, buffer, bytes);
}
ssize_t __readlink_chk(const char* path, char* buffer, size_t bytes, size_t room) noexcept {
  if (room < bytes) std::abort();
  return readlinkat(AT_FDCWD, path, buffer, bytes);
}
ssize_t __readlinkat_chk(int directory, const char* path, char* buffer, size_t bytes,
                         size_t room) noexcept {
  if (room < bytes) std::abort();
  return readlinkat(directory, path, buffer, bytes);
}

char* realpath(const char* path, char* resolved) noexcept {
  static const auto real = next<&::realpath>("realpath");
  const auto copy = copy_for(AT_FDCWD, path);
  if (!copy) return restored(real(path, resolved));
  char whole[PATH_MAX];
  if (real(copy->c_str(), whole) == nullptr) return nullptr;
  restored(whole);
  return resolved == nullptr ? ::strdup(whole) : std::strcpy(resolved, whole);
}
char* __realpath_chk(const char* path, char* resolved, size_t room) noexcept {
  if (room < PATH_MAX) std::abort();
  return realpath(path, resolved);
}
char* canonicalize_file_name(const char* path) noexcept {
  return realpath(path, nullptr);
}

int chdir(const char* path) noexcept {
  static const auto real = next<&::chdir>("chdir");
  const auto copy = copy_for(AT_FDCWD, path);
  return real(copy ? copy->c_str() : path);
}
char* getcwd(char* buffer, size_t bytes) noexcept {
  static const auto real = next<&::getcwd>("getcwd");
  return restored(real(buffer, bytes));
}

DIR* opendir(const char* path) {
  static const auto real = next<&::opendir>("opendir");
  const auto copy = copy_for(AT_FDCWD, path);
  return real(copy ? copy->c_str() : path);
}
struct dirent* readdir(DIR* directory) {
  static const auto real = next<&::readdir>("readdir");
  return shown(directory, real(directory));
}
struct dirent64* readdir64(DIR* directory) {
  static const auto real = next<&::readdir64>("readdir64");
  return shown(directory, real(directory));
}

int scandir(const char* path, struct dirent*** names, int (*filter)(const struct dirent*),
            int (*order)(const struct dirent**, const struct dirent**)) {
  static const auto real = next<&::scandir>("scandir");
  const auto copy = copy_for(AT_FDCWD, path);
  return real(copy ? copy->c_str() : path, names, filter, order);
}
int scandir64(const char* path, struct dirent64*** names, int (*filter)(const struct dirent64*),
              int (*order)(const struct dirent64**, const struct dirent64**)) {
  static const auto real = next<&::scandir64>("scandir64");
  const auto copy = copy_for(AT_FDCWD, path);
  return real(copy ? copy->c_str() : path, names, filter, order);
}

// The C library's own walk would not come by here.
int glob(const char* pattern, int flags, int (*failed)(const char*, int), glob_t* found) noexcept {
  static const auto real = next<&::glob>("glob");
  if ((flags & GLOB_ALTDIRFUNC) == 0) {
    flags |= GLOB_ALTDIRFUNC;
    found->gl_opendir = [](const char* path) -> void* { return opendir(path); };
    found->gl_readdir = [](void* directory) { return readdir(static_cast<DIR*>(directory)); };
    found->gl_closedir = [](void* directory) { ::closedir(static_cast<DIR*>(directory)); };
    found->gl_lstat = [](const char* path, struct stat* status) { return lstat(path, status); };
    found->gl_stat = [](const char* path, struct stat* status) { return stat(path, status); };
  }
  return real(pattern, flags, failed, found);
}
int glob64(const char* pattern, int flags, int (*failed)(const char*, int),
           glob64_t* found) noexcept {
  static_assert(sizeof(glob_t) == sizeof(glob64_t));
  return glob(pattern, flags, failed, reinterpret_cast<glob_t*>(found));
}

// --- Extended attributes: ls(1) asks for them.

ssize_t getxattr(const char* path, const char* name, void* value, size_t bytes) noexcept {
  static const auto real = next<&::getxattr>("getxattr");
  const auto copy = copy_for(AT_FDCWD, path);
  return real(copy ? copy->c_str() : path, name, value, bytes);
}
ssize_t lgetxattr(const char* path, const char* name, void* value, size_t bytes) noexcept {
  static const auto real = next<&::lgetxattr>("lgetxattr");
  const auto copy = copy_for(AT_FDCWD, path);
  return real(copy ? copy->c_str() : path, name, value, bytes);
}
ssize_t listxattr(const char* path, char* list, size_t bytes) noexcept {
  static const auto real = next<&::listxattr>("listxattr");
  const auto copy = copy_for(AT_FDCWD, path);
  return real(copy ? copy->c_str() : path, list, bytes);
}
ssize_t llistxattr(const char* path, char* list, size_t bytes) noexcept {
  static const auto real = next<&::llistxattr>("llistxattr");
  const auto copy = copy_for(AT_FDCWD, path);
  return real(copy ? copy->c_str() : path, list, bytes);
}

}  // extern "C"
