#include "riscv/jit/arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace bhemu::riscv::jit {
namespace {

constexpr u32 kAlignment = 16;

}  // namespace

std::unique_ptr<Arena> Arena::create(u32 bytes) {
  const int fd = memfd_create("bhemu-jit", MFD_CLOEXEC);
  if (fd < 0) return nullptr;
  void* writable = MAP_FAILED;
  void* executable = MAP_FAILED;
  if (ftruncate(fd, static_cast<off_t>(bytes)) == 0) {
    writable = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    executable = mmap(nullptr, bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_NORESERVE, fd, 0);
  }
  close(fd);
  if (writable == MAP_FAILED || executable == MAP_FAILED) {
    if (writable != MAP_FAILED) munmap(writable, bytes);
    if (executable != MAP_FAILED) munmap(executable, bytes);
    return nullptr;
  }
  std::unique_ptr<Arena> arena(new Arena);
  arena->writable_ = static_cast<u8*>(writable);
  arena->executable_ = static_cast<const u8*>(executable);
  arena->size_ = bytes;
  return arena;
}

Arena::~Arena() {
  if (writable_ != nullptr) munmap(writable_, size_);
  if (executable_ != nullptr) munmap(const_cast<u8*>(executable_), size_);
}

u32 Arena::append(std::span<const u8> bytes) {
  const u32 at = (used_ + kAlignment - 1) / kAlignment * kAlignment;
  if (at > size_ || bytes.size() > size_ - at) return kFull;
  std::memcpy(writable_ + at, bytes.data(), bytes.size());
  used_ = at + static_cast<u32>(bytes.size());
  return at;
}

}  // namespace bhemu::riscv::jit
