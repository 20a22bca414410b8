// Runs one instruction of the client's on the processor itself, with the client's registers, where
// its memory operand is a scratch buffer: a page of code with room for the instruction, before it
// what loads the registers, behind it what takes them back.
//
// This is how all but the string instructions are performed, so that results and flags are the
// processor's own.
#pragma once

#include <mutex>
#include <span>

#include "shim/frame.hpp"

namespace bhemu::shim {

class Native {
 public:
  /// Throws std::system_error when the host refuses executable memory.
  Native();
  ~Native();
  Native(const Native&) = delete;
  Native& operator=(const Native&) = delete;

  static constexpr std::size_t kLongest = 15;

  /// Takes all registers from the frame and, unless `dry`, puts them back; register `base` holds
  /// `address` meanwhile and keeps its value. The lock is held by the caller.
  struct Run {
    std::span<const u8> code;
    unsigned base = 0;
    u64 address = 0;
    bool vectors = false;  // the instruction uses more than general registers
    bool dry = false;
  };
  void run(Frame& frame, const Run& run);

  /// One at a time; who reads, changes and writes holds it all the while (LOCK).
  std::mutex& mutex() { return mutex_; }

 private:
  struct Data;
  std::mutex mutex_;
  u8* code_ = nullptr;   // executable, and behind it the data
  u8* alias_ = nullptr;  // the code's page once more, writable
};

}  // namespace bhemu::shim
