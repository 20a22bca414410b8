#include "kmd/user_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace bhemu::kmd {
namespace {

using Transfer = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                             unsigned long);

/// The kernel copies between us and us, and notices what is not mapped. Where it is not allowed to
/// (a sandbox), only a null pointer is noticed.
bool transfer(Transfer call, void* ours, void* theirs, u64 bytes, bool& refused) {
  const iovec local{ours, bytes};
  const iovec remote{theirs, bytes};
  const ssize_t done = call(getpid(), &local, 1, &remote, 1, 0);
  refused = done < 0 && (errno == EPERM || errno == ENOSYS);
  return done >= 0 && static_cast<u64>(done) == bytes;
}

}  // namespace

bool copy_from_user(void* target, const void* source, u64 bytes) {
  if (bytes == 0) return true;
  if (source == nullptr) return false;
  bool refused = false;
  if (transfer(process_vm_readv, target, const_cast<void*>(source), bytes, refused)) return true;
  if (refused) std::memcpy(target, source, bytes);
  return refused;
}

bool copy_to_user(void* target, const void* source, u64 bytes) {
  if (bytes == 0) return true;
  if (target == nullptr) return false;
  bool refused = false;
  if (transfer(process_vm_writev, const_cast<void*>(source), target, bytes, refused)) return true;
  if (refused) std::memcpy(target, source, bytes);
  return refused;
}

bool clear_user(void* target, u64 bytes) {
  static constexpr std::array<u8, 4096> kZero{};
  for (u64 at = 0; at < bytes;) {
    const u64 part = std::min<u64>(bytes - at, kZero.size());
    if (!copy_to_user(static_cast<u8*>(target) + at, kZero.data(), part)) return false;
    at += part;
  }
  return true;
}

bool is_mapped(u64 address, u64 bytes, bool writable) {
  const std::unique_ptr<FILE, int (*)(FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                   &std::fclose);
  if (!maps) return true;  // nobody to ask
  const u64 end = address + bytes;
  if (end < address) return false;
  char* line = nullptr;
  size_t capacity = 0;
  u64 covered = address;
  while (covered < end && getline(&line, &capacity, maps.get()) > 0) {
    unsigned long first = 0;
    unsigned long last = 0;
    char rights[5] = {};
    if (std::sscanf(line, "%lx-%lx %4s", &first, &last, rights) != 3 || last <= covered) continue;
    if (first > covered || rights[0] != 'r' || (writable && rights[1] != 'w')) break;
    covered = last;
  }
  std::free(line);
  return covered >= end;
}

}  // namespace bhemu::kmd
