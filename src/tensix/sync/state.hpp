// Semaphores, mutexes and the PCBuf FIFOs. Owner: sync/.
#pragma once

#include <array>

#include "base/ring.hpp"
#include "base/types.hpp"

namespace bhemu::tensix {

inline constexpr u32 kSemaphores = 8;
inline constexpr u32 kMutexes = 8;  // of the indices, 0, 2, 3 and 4 exist
inline constexpr u8 kNobody = 0xFF;

struct Semaphore {
  u8 value = 0;
  u8 max = 0;
};

/// Who has posted and taken a semaphore since it was initialised last; for reports only: nobody in
/// the chip sees it, so it is not hashed.
struct SemaphoreUse {
  static constexpr unsigned kCores = kThreads;  // through the memory window, whoever it was
  std::array<u32, kThreads + 1> posted{};
  std::array<u32, kThreads + 1> taken{};
};

struct SyncState {
  std::array<Semaphore, kSemaphores> semaphore{};
  /// The thread that holds the mutex, or kNobody.
  std::array<u8, kMutexes> mutex{kNobody, kNobody, kNobody, kNobody,
                                 kNobody, kNobody, kNobody, kNobody};
  /// BRISC -> TRISCi, 16 deep.
  std::array<Ring<u32, 16>, kThreads> pcbuf{};
};

}  // namespace bhemu::tensix
