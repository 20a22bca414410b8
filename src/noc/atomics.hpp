// NoC atomic operations on a 16-byte line of L1: pure functions.
// BlackholeA0/NoC/Atomics.md; INCR_GET_PTR and NOP from spec noc-atomics.md.
#pragma once

#include <array>

#include "base/types.hpp"

namespace bhemu::noc {

using AtomicLine = std::array<u8, 16>;

struct AtomicEffect {
  u32 result = 0;  // returned to the requester: the word at the target address before
  u32 first = 0;   // the bytes of the line that were written
  u32 bytes = 0;
};

/// Whether NOC_AT_LEN_BE names an operation that the documents describe.
bool atomic_is_documented(u32 operation);
/// `address`: NOC_TARG_ADDR_LO, 4-byte aligned; `line`: the 16 bytes at address & ~15.
AtomicEffect apply_atomic(u32 operation, u32 data, u32 address, AtomicLine& line);

}  // namespace bhemu::noc
