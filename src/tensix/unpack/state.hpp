// What the two unpackers keep between instructions. Owner: src/tensix/unpack.
// Which bank an unpacker writes is in its SrcFile (fpu/state.hpp).
#pragma once

#include <array>
#include <type_traits>

#include "base/types.hpp"

namespace bhemu::tensix {

struct UnpackerState {
  /// Configuration context counter of each thread, 3 bits (UNPACR with automatic contexts; cleared
  /// by SETC16 UNPACK_MISC_CFG CfgContextCntReset).
  std::array<u8, kThreads> context{};
  /// SrcRow: row of the bank at which each thread's next unpack starts, 6 bits.
  std::array<u8, kThreads> src_row{};
  /// SetRegAcc: messages that UNPACR_NOP has counted, 17 bits.
  u16 message_count = 0;
  u16 message_count_high = 0;
};
// The state hash reads the bytes.
static_assert(std::has_unique_object_representations_v<UnpackerState>);

}  // namespace bhemu::tensix
