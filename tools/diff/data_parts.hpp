// What the classes of the data path share: loads of vector registers, descriptions for the
// unpackers, and ways to see all of Dst raw.
#pragma once

#include <array>

#include "diff/writer.hpp"

namespace bhemu::diff {

// Formats as configuration names them.
inline constexpr u32 kFp32 = 0;
inline constexpr u32 kFp16 = 1;
inline constexpr u32 kTf32 = 4;
inline constexpr u32 kBf16 = 5;
inline constexpr u32 kBfp8 = 6;
inline constexpr u32 kBfp4 = 7;
inline constexpr u32 kInt32 = 8;
inline constexpr u32 kInt16 = 9;
inline constexpr u32 kFp8 = 10;
inline constexpr u32 kInt8 = 14;
inline constexpr u32 kBfp2 = 15;

inline constexpr u32 kAluWord = tensix::cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kWord;

/// Word kAluWord of the configuration.
struct Alu {
  u32 src_a = kBf16;
  u32 src_b = kBf16;
  u32 dst = kBf16;
  bool fp32 = false;
  bool sfpu_fp32 = false;
  bool int8 = false;
  bool a_unsigned = false;
  bool b_unsigned = false;
  u32 word() const;
};

constexpr bool is_block_format(u32 format) {
  return format == kBfp8 || format == kBfp4 || format == kBfp2;
}
/// Bits of a datum in L1, without its share of an exponent.
u32 datum_bits(u32 format);

/// A datum of `format` for L1: mostly ordinary magnitudes, sometimes anything at all.
u32 random_datum(Writer& w, u32 format);

/// Words that lie in L1 as `count` data of `format`; block formats with their exponents in front.
/// `spread` limits how far apart exponents lie, so that sums do not lose their small terms.
std::vector<u32> random_data(Writer& w, u32 format, u32 count);

void load_register(Writer& w, u32 lreg, u32 value);

/// One unpacker, contexts 0 and 1 alike but for their addresses.
struct Unpack {
  u32 unpacker = 0;
  u32 in = kBf16;
  u32 out = kBf16;
  u32 address = kData;   // of context 0
  u32 address1 = kData;  // of context 1
  u32 x_dim = 256;
  u32 y_dim = 1;
  u32 z_dim = 4;
  u32 first_row = 0;  // of SrcA or Dst
  u32 first_row1 = 0;
  u32 row_stride = 0;  // of tileize, in units of 16 bytes
  bool haloize = false;
  bool tileize = false;
  bool to_dst = false;
  bool force_exponent = false;
  bool four_bit_exponent = false;  // of FP8
  u32 context = 0;
};

void setup_unpacker(Writer& w, const Unpack& u);
/// Counters of both unpackers at zero, and X from 0 to `last_x` (of those in `mask`).
void reset_unpack_counters(Writer& w, u32 mask, u32 last_x);
void unpack(Writer& w, u32 unpacker, bool dvalid, u32 addr_mode = 0);

/// Unpacks `rows` rows of 32-bit words from `address` to Dst row `first_row`.
void words_to_dst(Writer& w, u32 address, u32 first_row, u32 rows);

/// Rows of Dst, raw, to L1: four instructions a time, so `rows` is a multiple of four. 32-bit rows
/// take 64 bytes, 16-bit rows 32.
void dump_dst32(Writer& w, u32 first_row, u32 rows, u32 address);
void dump_dst16(Writer& w, u32 first_row, u32 rows, u32 address);

/// Both Src banks of the matrix unit (which must be valid) to Dst as raw words of 32 bits: SrcA to
/// rows 0..63, SrcB to rows 64..127.
void sources_to_dst(Writer& w);

}  // namespace bhemu::diff
