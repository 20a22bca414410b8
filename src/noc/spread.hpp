// Data that go by in pieces: how many there are, and when each is over.
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace bhemu::noc {

/// A link carries 64 bytes a cycle (BlackholeA0/NoC/README.md).
inline constexpr u32 kBytesPerCycle = 64;
inline constexpr u32 kPieceBytes = 256;
inline constexpr u32 kMostPieces = 64;

/// All pieces have this size but the last.
constexpr u32 piece_bytes_of(u32 bytes) {
  const u32 share = (bytes + kMostPieces - 1) / kMostPieces;
  return std::max(kPieceBytes, (share + kPieceBytes - 1) / kPieceBytes * kPieceBytes);
}
constexpr u32 pieces_of(u32 bytes) {
  return std::max(1u, (bytes + piece_bytes_of(bytes) - 1) / piece_bytes_of(bytes));
}
/// How long `bytes` take to go by; 0: they are one piece.
constexpr u32 cycles_of(u32 bytes) {
  return bytes <= kPieceBytes ? 0 : (bytes + kBytesPerCycle - 1) / kBytesPerCycle;
}

/// Whether data go by in pieces in timings without delays, and how late each transfer's are.
struct Spread {
  enum class Kind : u8 { None, Whole, Drawn };
  Kind kind = Kind::None;
  u64 seed = 0;

  /// Over how many cycles `bytes` go by: all that they need, or drawn from none to that.
  u32 of(u32 bytes, u64 place) const {
    const u32 cycles = cycles_of(bytes);
    if (kind != Kind::Drawn) return kind == Kind::None ? 0 : cycles;
    return static_cast<u32>(mixed(mixed(seed + 0x9E3779B97F4A7C15u) ^ place) % (cycles + 1));
  }

 private:
  /// splitmix64's finalizer: every bit of the key decides about every bit of the draw.
  static constexpr u64 mixed(u64 key) {
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9u;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EBu;
    return key ^ (key >> 31);
  }
};

}  // namespace bhemu::noc
