#include "host/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "host/error.hpp"
#include "mem/mapping.hpp"

namespace bhemu::host {
namespace {

/// Closes what it was given.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

[[noreturn]] void fail(const std::string& path, const char* verb) {
  throw InputError(path, "", std::string("cannot ") + verb + ": " + std::strerror(errno));
}

bool write_all(int fd, std::span<const u8> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

/// What a new file of this process would get, from the umask, without a file to ask.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::vector<u8> read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) fail(path, "open");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, "examine");
  if (!S_ISREG(status.st_mode)) throw InputError(path, "", "not a regular file");
  std::vector<u8> bytes(static_cast<size_t>(status.st_size));
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, "read");
    if (count == 0) break;
    filled += static_cast<size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

std::string output_target(const std::string& path) {
  // A link is followed, also one to a file that is still to be made.
  constexpr unsigned kMostLinks = 40;
  std::filesystem::path target(path);
  std::error_code error;
  for (unsigned i = 0; std::filesystem::is_symlink(target, error); ++i) {
    if (i == kMostLinks) throw InputError(path, "", "too many links");
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) throw InputError(path, "", "cannot follow the link: " + error.message());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(path, "write");
    // What is missing of the folders is made; the first that is there must be ours to write.
    std::filesystem::path folder = target.parent_path();
    while (!folder.empty() && !std::filesystem::exists(folder, error))
      folder = folder.parent_path();
    if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) fail(path, "write");
    if (!folder.empty() && !std::filesystem::is_directory(folder, error))
      throw InputError(path, "", folder.string() + " is not a directory");
    return target.string();
  }
  if (S_ISDIR(status.st_mode)) throw InputError(path, "", "is a directory");
  if (!S_ISREG(status.st_mode))
    throw InputError(path, "", "is neither a regular file nor a new one, and is left alone");
  if (::access(target.c_str(), W_OK) != 0) fail(path, "write");
  return target.string();
}

void write_file(const std::string& path, std::span<const u8> bytes) {
  const std::string target = output_target(path);
  struct stat before {};
  const mode_t mode =
      ::stat(target.c_str(), &before) == 0 ? before.st_mode & 07777 : default_mode();
  std::string temporary = target + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) fail(path, "create");
  const bool written = write_all(file.get(), bytes) && ::fchmod(file.get(), mode) == 0 &&
                       file.close() && ::rename(temporary.c_str(), target.c_str()) == 0;
  if (written) return;
  const int error = errno;
  ::unlink(temporary.c_str());
  errno = error;
  fail(path, "write");
}

std::string content_name(std::span<const u8> bytes) {
  return fmt::format("{:016x}{:016x}", hash_bytes(1, bytes.data(), bytes.size()),
                     hash_bytes(2, bytes.data(), bytes.size()));
}

std::string relative_to(const std::string& from, const std::string& path) {
  const std::filesystem::path target(path);
  if (target.is_absolute()) return path;
  return (std::filesystem::path(from).parent_path() / target).lexically_normal().string();
}

}  // namespace bhemu::host
