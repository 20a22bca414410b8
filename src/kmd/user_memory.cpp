#include "kmd/user_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace bhemu::kmd {
namespace {

using Transfer = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                             unsigned long);

void* pointer_to(u64 address) {
  return reinterpret_cast<void*>(address);  // NOLINT: what a client gave
}

/// The kernel copies between us and us, and notices what is not mapped. `refused`: it does not do
/// that here (a sandbox, qemu-user).
bool transfer(Transfer call, void* ours, u64 theirs, u64 bytes, bool& refused) {
  const iovec local{ours, bytes};
  const iovec remote{pointer_to(theirs), bytes};
  const ssize_t done = call(getpid(), &local, 1, &remote, 1, 0);
  refused = done < 0 && (errno == EPERM || errno == ENOSYS);
  return done >= 0 && static_cast<u64>(done) == bytes;
}

}  // namespace

bool copy_from_user(void* target, u64 source, u64 bytes) {
  if (bytes == 0) return true;
  if (source == 0) return false;
  bool refused = false;
  if (transfer(process_vm_readv, target, source, bytes, refused)) return true;
  if (!refused || !is_mapped(source, bytes, false)) return false;
  std::memcpy(target, pointer_to(source), bytes);
  return true;
}

bool copy_to_user(u64 target, const void* source, u64 bytes) {
  if (bytes == 0) return true;
  if (target == 0) return false;
  bool refused = false;
  if (transfer(process_vm_writev, const_cast<void*>(source), target, bytes, refused)) return true;
  if (!refused || !is_mapped(target, bytes, true)) return false;
  std::memcpy(pointer_to(target), source, bytes);
  return true;
}

bool clear_user(u64 target, u64 bytes) {
  static constexpr std::array<u8, 4096> kZero{};
  for (u64 at = 0; at < bytes;) {
    const u64 part = std::min<u64>(bytes - at, kZero.size());
    if (!copy_to_user(target + at, kZero.data(), part)) return false;
    at += part;
  }
  return true;
}

namespace {

struct MappedArea {
  u64 first;
  u64 end;
  bool readable;
  bool writable;
};

/// This process's mappings that touch [first, end), lowest first; nullopt without /proc.
std::optional<std::vector<MappedArea>> areas_in(u64 first, u64 end) {
  const std::unique_ptr<FILE, int (*)(FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                   &std::fclose);
  if (!maps) return std::nullopt;
  std::vector<MappedArea> areas;
  std::array<char, 8192> line;  // a path may be long, and only the beginning counts
  while (std::fgets(line.data(), line.size(), maps.get()) != nullptr) {
    unsigned long from = 0;
    unsigned long to = 0;
    char rights[5] = {};
    if (std::sscanf(line.data(), "%lx-%lx %4s", &from, &to, rights) != 3) continue;
    if (to > first && from < end) areas.push_back({from, to, rights[0] == 'r', rights[1] == 'w'});
  }
  return areas;
}

}  // namespace

void each_mapping(u64 address, u64 bytes, const std::function<void(u64, u64)>& visit) {
  const u64 end = address + bytes;
  for (const MappedArea& area : areas_in(address, end).value_or(std::vector<MappedArea>{})) {
    const u64 from = std::max(address, area.first);
    visit(from, std::min(end, area.end) - from);
  }
}

bool is_mapped(u64 address, u64 bytes, bool writable) {
  const u64 end = address + bytes;
  if (end < address) return false;
  const auto areas = areas_in(address, end);
  if (!areas) return true;
  u64 covered = address;
  for (const MappedArea& area : *areas) {
    if (area.first > covered || !area.readable || (writable && !area.writable)) return false;
    covered = area.end;
  }
  return covered >= end;
}

}  // namespace bhemu::kmd
