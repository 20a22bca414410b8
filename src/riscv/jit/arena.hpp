// Memory for translated code. The pages are mapped twice, once writable and once executable, so
// nothing is ever both; code is only added, so it may be written while other threads run in it.
#pragma once

#include <memory>
#include <span>

#include "base/types.hpp"

namespace bhemu::riscv::jit {

class Arena {
 public:
  static constexpr u32 kFull = ~u32{0};

  /// Null when the host gives no executable memory.
  static std::unique_ptr<Arena> create(u32 bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// The offset of the copy in `code()`, or kFull.
  u32 append(std::span<const u8> bytes);
  const u8* code() const { return executable_; }
  u32 used() const { return used_; }

 private:
  Arena() = default;

  u8* writable_ = nullptr;
  const u8* executable_ = nullptr;
  u32 size_ = 0;
  u32 used_ = 0;
};

}  // namespace bhemu::riscv::jit
