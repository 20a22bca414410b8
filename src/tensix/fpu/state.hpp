// Register files of the matrix unit: SrcA, SrcB, Dst and the counters that index them.
// Owner: src/tensix/fpu. No padding inside arrays: the state hash reads their bytes.
//
// Documents: tt-isa-documentation SrcASrcB.md, Dst.md (BlackholeA0), RWCs.md.
#pragma once

#include <array>

#include "base/types.hpp"

namespace bhemu::tensix {

inline constexpr u32 kSrcRows = 64;
inline constexpr u32 kSrcBanks = 2;
inline constexpr u32 kDstRows = 1024;
inline constexpr u32 kRowDatums = 16;

/// A row of a Src file. A datum of 19 bits is kept as the 32-bit word that has the same sign,
/// exponent and mantissa in IEEE order: s << 31 | e(8) << 23 | m(10) << 13; low 13 bits zero.
/// Thus a TF32 or BF16 row is a vector of FP32 numbers.
struct alignas(64) SrcRow {
  std::array<u32, kRowDatums> datum{};
};

/// AllowedClient of a bank. Matrix is what LLK calls "data valid".
enum class SrcOwner : u8 { Unpacker, Matrix };

/// SrcA or SrcB: two banks; the unpacker fills one while the matrix unit reads the other.
struct SrcFile {
  std::array<std::array<SrcRow, kSrcRows>, kSrcBanks> bank{};
  std::array<SrcOwner, kSrcBanks> owner{};
  /// Output format code of the unpack that handed the bank over (implied formats).
  std::array<u8, kSrcBanks> format{};
  u8 unpack_bank = 0;  // the bank that the unpacker writes
  u8 matrix_bank = 0;  // the bank that the matrix unit reads

  bool matrix_may_read() const { return owner[matrix_bank] == SrcOwner::Matrix; }
  bool unpacker_may_write() const { return owner[unpack_bank] == SrcOwner::Unpacker; }
  std::array<SrcRow, kSrcRows>& matrix_rows() { return bank[matrix_bank]; }
  const std::array<SrcRow, kSrcRows>& matrix_rows() const { return bank[matrix_bank]; }

  /// The unpacker has filled its bank with datums of `output_format` (UNPACR and UNPACR_NOP with
  /// set-data-valid): the matrix unit may read it, the unpacker goes on in the other bank.
  void hand_to_matrix(u8 output_format) {
    format[unpack_bank] = output_format;
    hand_to_matrix();
  }
  /// SETDVALID: as above, the implied format of the bank stays what it was.
  void hand_to_matrix() {
    owner[unpack_bank] = SrcOwner::Matrix;
    unpack_bank ^= 1;
  }
  /// The matrix unit is done with its bank. `release` is false under CLR_DVALID_Src*_Disable.
  void flip_matrix_bank(bool release) {
    if (release) owner[matrix_bank] = SrcOwner::Unpacker;
    matrix_bank ^= 1;
  }
};

struct alignas(32) DstRow {
  std::array<u16, kRowDatums> datum{};
};

/// Dst, in the bit order of the hardware's storage (Dst.md, "Data type bit layout"): BF16 is
/// s m7 e8, FP16 is s m10 e5; a 32-bit datum is the high half in row Adj32(r), the low in
/// row Adj32(r) + 8. Use DstAccess (dst_access.hpp) to find rows.
struct Dst {
  std::array<DstRow, kDstRows> row{};
  /// DstRowValid by physical row; 0: readers see the identity. All 1 after power-on.
  std::array<u8, kDstRows> valid = all_valid();

 private:
  static constexpr std::array<u8, kDstRows> all_valid() {
    std::array<u8, kDstRows> flags{};
    flags.fill(1);
    return flags;
  }
};

/// Row counters of one thread. `_cr` are the carriage-return copies.
struct Rwc {
  u16 dst = 0;  // 10 bits
  u16 dst_cr = 0;
  u16 sp = 0;    // 10 bits: stack pointer of SFPLOAD/SFPSTORE INT32_ALL
  u8 src_a = 0;  // 6 bits
  u8 src_a_cr = 0;
  u8 src_b = 0;
  u8 src_b_cr = 0;
  u8 fidelity = 0;  // 2 bits
  u8 bias = 0;      // 1 bit
};

struct FpuState {
  SrcFile src_a;
  SrcFile src_b;
  Dst dst;
  std::array<Rwc, kThreads> rwc{};
  /// Starting SrcA row of the latest instruction that formed one: what SHIFTXA reads from
  /// (a hardware bug, SHIFTXA.md).
  u32 last_src_a_row = 0;
};

}  // namespace bhemu::tensix
