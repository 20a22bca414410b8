// What the packer does to a datum between Dst and L1: early conversion to an intermediate code,
// ReLU, late conversion, assembly of block floats. Pure functions over rows of 16 datums.
//
// Documents: tt-isa-documentation WormholeB0 Packers/FormatConversion.md, ReLU.md (the Blackhole
// PACR.md refers to them). Measured on silicon: FP32 -> BF16 rounds half away from zero and -0
// becomes +0; FP8 truncates. "Flush" below means: a magnitude under the smallest normal is +0.
#pragma once

#include "base/types.hpp"
#include "numeric/format_codes.hpp"
#include "numeric/format_layout.hpp"

namespace bhemu::numeric {

/// The form of a datum between early and late conversion.
enum class PackCode : u8 {
  Undefined,
  Fp32,
  Int32,
  Tf32,      // 19 bits: s e8 m10
  Fp16Wide,  // 19 bits: s e8 m10 on its way to FP16 (Round_10b_mant)
  Bf16,      // 16 bits from here on
  E8m6,      // BF16 with bit 0 clear
  Fp16,
  E5m7,  // FP16 with the low mantissa bits clear
  E5m6,
  E5m2,
  Int16,
  Int8,   // 8 bits: sign and magnitude
  Uint8,  // 8 bits
};
const char* name_of(PackCode code);

struct EarlyMode {
  Format intermediate = Format::Fp32;  // ALU_FORMAT_SPEC Dstacc
  Format out = Format::Fp32;           // decides what Round_10b_mant means for BF16
  bool read_32b = false;               // PCK_DEST_RD_CTRL_Read_32b_data
  bool read_unsigned = false;
  bool read_raw = false;  // PCK_DEST_RD_CTRL_Read_int8
  bool round_10b_mant = false;
};

/// kRow stored datums (32 bits, or 16 bits in the low half) to codes. `shift` is the integer
/// descale amount, for INT8 only.
using EarlyRow = void (*)(const u32* stored, u32 shift, u32* code);

struct EarlyConversion {
  PackCode code = PackCode::Undefined;
  EarlyRow row = nullptr;
  bool rounds = false;  // stochastic rounding would apply here
};
/// code Undefined: the documents give the hardware no such conversion.
EarlyConversion early_conversion(const EarlyMode& mode);

/// Codes of datums fetched from L1 instead of Dst, which skip the early conversion.
EarlyConversion l1_source_conversion(Format intermediate);

/// -infinity of an edge mask. False: no document gives one for this code.
bool negative_infinity(PackCode code, u32& value);

/// Where a code keeps its raw exponent, as statistics and exponent threshold see it. Mask 0: no
/// document says (8-bit integers).
struct ExponentField {
  u32 shift = 0;
  u32 mask = 0;
  constexpr u32 of(u32 value) const { return (value >> shift) & mask; }
};
ExponentField exponent_field(PackCode code);

struct Relu {
  u32 mode = 0;       // STACC_RELU_ApplyRelu, low two bits
  u32 threshold = 0;  // STACC_RELU_ReluThreshold
};
/// False: the mode is undefined for the code (thresholds of integers, negative threshold).
bool relu_is_defined(PackCode code, const Relu& relu);
void relu_row(PackCode code, const Relu& relu, u32* value, u32 count);

/// Codes to L1 datums, right-aligned; for block floats to the 16-bit groups that `assemble_group`
/// takes.
using LateRow = void (*)(const u32* code, u32* datum);
/// Null: the documents give the hardware no such conversion. `fp8_e4m3` is Pac_LF8_4b_exp.
LateRow late_conversion(PackCode from, Format to, bool fp8_e4m3);

/// 16 values s e8 m7 that share one exponent.
struct Block {
  u8 exponent = 0;
  std::array<u8, kRow> datum{};  // sign above `bits - 1` bits of magnitude
};
/// Rounds half away from zero, saturating, to 7 bits of magnitude, then truncates to the width of
/// the format. Sign without magnitude would mean -infinity, so a zero loses its sign.
Block assemble_group(Format to, const u16* group);

// --- Scalars of the table, for rows and tests.
u32 round_fp32_to_bf16(u32 v);
u32 round_fp32_to_e8m6(u32 v);
u32 round_fp32_to_tf32(u32 v);  // 19 bits
u32 late_fp32_to_fp16(u32 v);
u32 late_fp16_to_fp32(u32 v);
u32 late_fp16_to_bf16(u32 v);
u32 late_fp16_to_fp8_e4m3(u32 v);
u32 late_fp16_to_fp8_e5m2(u32 v);

}  // namespace bhemu::numeric
