// The arithmetic of the matrix unit through its instructions: worked vectors by rule, each read
// from tenstorrent/ttsim 1.10.0 (Blackhole) by experiment.
#include <gtest/gtest.h>

#include <vector>

#include "numeric/format_codes.hpp"
#include "tensix/unit_bench.hpp"

namespace bhemu::tensix {
namespace {

using numeric::Format;

enum class Op { ELWADD, ELWSUB, ELWMUL, MVMUL, GMPOOL };
constexpr u32 kAllPhases = 4;
constexpr u32 kAccumulate = 1;
constexpr u32 kKeep = 2;
constexpr u64 kNone = ~u64{0};
constexpr u64 kInvalid = kNone - 1;
constexpr u32 kExponentZero = 1u << 30;

struct Vector {
  const char* name;
  Op op;
  Format source;
  u32 dst_bits;
  u32 phase;
  u32 flags;
  u32 repeat;
  std::vector<u32> a;  // column 0 of SrcA, from row 0 down (element-wise: the element)
  std::vector<u32> b;  // row 0 of SrcB
  u64 dst_in;
  u32 dst_out;
};

// 8-bit formats as 32-bit words in IEEE order, FP16 as halves in IEEE order, INT8 as sign and
// magnitude.
const Vector kVectors[] = {
    // clang-format off
    {"A1: add, exact", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000},
     {0x3F800000}, kNone, 0x40000000},
    {"A2: small operand kept (11-bit window)", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000},
     {0x3B800000}, kNone, 0x3F808000},
    {"A3: 16-bit Dst tie to away", Op::ELWADD, Format::Bf16, 16, 0, 0, 1,
     {0x3F800000},
     {0x3B800000}, kNone, 0x3F81},
    {"A4: same, negative", Op::ELWADD, Format::Bf16, 16, 0, 0, 1,
     {0xBF800000},
     {0xBB800000}, kNone, 0xBF81},
    {"A5: alignment tie rounds magnitude up", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000},
     {0x3A000000}, kNone, 0x3F802000},
    {"A6: shift 12 gives 0", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000},
     {0x39F00000}, kNone, 0x3F800000},
    {"A7: opposite sign, aligned tie", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000},
     {0xBA000000}, kNone, 0x3F7FC000},
    {"A8: exact cancellation", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0xBF800000},
     {0x3F800000}, kNone, 0x00000000},
    {"A9: -0 + -0", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0x80000000},
     {0x80000000}, kNone, 0x00000000},
    {"A10: denormal A flushed", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0x007F0000},
     {0x00000000}, kNone, 0x00000000},
    {"A11: overflow to inf", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0x7F7F0000},
     {0x7F7F0000}, kNone, 0x7F800000},
    {"A12: inf is an ordinary number, inf-inf", Op::ELWSUB, Format::Bf16, 32, 0, 0, 1,
     {0x7F800000},
     {0x7F800000}, kNone, 0x00000000},
    {"A13: NaN pattern to inf", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0xFFC00000},
     {0x00000000}, kNone, 0xFF800000},
    {"A14: underflow to +0", Op::ELWSUB, Format::Bf16, 32, 0, 0, 1,
     {0x80810000},
     {0x80800000}, kNone, 0x00000000},
    {"A15: BF16 style drops 3 low cell bits", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0x3F80E000},
     {0x00000000}, kNone, 0x3F800000},
    {"A16: TF32 style keeps them", Op::ELWADD, Format::Tf32, 32, 0, 0, 1,
     {0x3F80E000},
     {0x00000000}, kNone, 0x3F80E000},
    {"A17: TF32, 16-bit Dst (BF16) rounding", Op::ELWADD, Format::Tf32, 16, 0, 0, 1,
     {0x3F808000},
     {0x00000000}, kNone, 0x3F81},
    {"A18: accumulate: Dst bit rounded twice", Op::ELWADD, Format::Bf16, 32, 0, kAccumulate, 1,
     {0x3F800000},
     {0x3F800000}, 0x33800000, 0x40000001},
    {"A19: zero sum still sets the exponent", Op::ELWADD, Format::Bf16, 32, 0, kAccumulate, 1,
     {0x3F800000},
     {0xBF800000}, 0x33800001, 0x34000000},
    {"A20: FP16 to FP32 Dst rebias +112", Op::ELWADD, Format::Fp16, 32, 0, 0, 1,
     {0x3C00},
     {0x3C00}, kNone, 0x40000000},
    {"A21: FP16 zeros put Dst at exponent 97", Op::ELWADD, Format::Fp16, 32, 0, kAccumulate, 1,
     {0x0000},
     {0x0000}, 0x21800000, 0x00000000},
    {"A22: FP16 16-bit Dst overflow 0x7FFF", Op::ELWADD, Format::Fp16, 16, 0, 0, 1,
     {0x7FFF},
     {0x7FFF}, kNone, 0x7FFF},
    {"A23: FP16 exponent 31 is a number", Op::ELWADD, Format::Fp16, 16, 0, 0, 1,
     {0x7BFF},
     {0x7BFF}, kNone, 0x7FFF},
    {"A24: FP16 denormal flushed", Op::ELWADD, Format::Fp16, 16, 0, 0, 1,
     {0x03FF},
     {0x0400}, kNone, 0x0400},
    {"A25: keep-denormals: hidden 1 at exponent 0", Op::ELWADD, Format::Bf16, 32, 0, kKeep, 1,
     {0x00800000},
     {0x00400000}, kNone, 0x00E00000},
    {"keep-denormals: +0 has the hidden 1, too", Op::ELWADD, Format::Bf16, 32, 0, kKeep, 1,
     {0x00800000},
     {0x00000000}, kNone, 0x00C00000},
    {"keep-denormals: and -0", Op::ELWADD, Format::Bf16, 32, 0, kKeep, 1,
     {0x01000000},
     {0x80000000}, kNone, 0x00C00000},
    {"A26: same with flush", Op::ELWADD, Format::Bf16, 32, 0, 0, 1,
     {0x00800000},
     {0x00400000}, kNone, 0x00800000},
    {"M1: phase 0 slices", Op::ELWMUL, Format::Bf16, 32, 0, 0, 1,
     {0x3FFF0000},
     {0x3FFF0000}, 0x00000000, 0x40761000},
    {"M2: phase 1", Op::ELWMUL, Format::Bf16, 32, 1, 0, 1,
     {0x3FFF0000},
     {0x3FFF0000}, 0x00000000, 0x3DDE4000},
    {"M3: phase 2", Op::ELWMUL, Format::Bf16, 32, 2, 0, 1,
     {0x3FFF0000},
     {0x3FFF0000}, 0x00000000, 0x3C780000},
    {"M4: phase 3", Op::ELWMUL, Format::Bf16, 32, 3, 0, 1,
     {0x3FFF0000},
     {0x3FFF0000}, 0x00000000, 0x39E00000},
    {"M5: phases 0..3 in sequence", Op::ELWMUL, Format::Bf16, 32, kAllPhases, 0, 1,
     {0x3FFF0000},
     {0x3FFF0000}, 0x00000000, 0x407E0100},
    {"M6: TF32 all ones, phases 0-3, A bit 0 lost", Op::ELWMUL, Format::Tf32, 32, kAllPhases, 0, 1,
     {0x3FFFE000},
     {0x3FFFE000}, 0x00000000, 0x407FA008},
    {"M7: positive half ulp tie to up", Op::ELWMUL, Format::Bf16, 32, 0, 0, 1,
     {0x39800000},
     {0x39800000}, 0x3F800000, 0x3F800001},
    {"M8: negative product tie to towards +inf", Op::ELWMUL, Format::Bf16, 32, 0, 0, 1,
     {0xB9800000},
     {0x39800000}, 0x3F800000, 0x3F800000},
    {"M9: negative Dst tie to away", Op::ELWMUL, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000},
     {0x3F800000}, 0xB3800000, 0x3F7FFFFE},
    {"M10: empty slice erases small Dst", Op::ELWMUL, Format::Bf16, 32, 2, 0, 1,
     {0x3F800000},
     {0x3F800000}, 0x2F800000, 0x00000000},
    {"M11: zero operand does not", Op::ELWMUL, Format::Bf16, 32, 2, 0, 1,
     {0x00000000},
     {0x3F800000}, 0x2F800000, 0x2F800000},
    {"M12: FP16/FP32 Dst: zero product, exponent 97", Op::ELWMUL, Format::Fp16, 32, 0, 0, 1,
     {0x0000},
     {0x3C00}, 0x2F800001, 0x2F800000},
    {"M13: exponent sum 0 to zero product", Op::ELWMUL, Format::Bf16, 32, 0, 0, 1,
     {0x00800000},
     {0x3F000000}, 0x00000000, 0x00000000},
    {"M14: exponent sum 1 kept", Op::ELWMUL, Format::Bf16, 32, 0, 0, 1,
     {0x00800000},
     {0x3F800000}, 0x00000000, 0x00800000},
    {"M15: overflow", Op::ELWMUL, Format::Bf16, 32, 0, 0, 1,
     {0x7F000000},
     {0x40000000}, 0x00000000, 0x7F800000},
    {"M16: 16-bit: two roundings (+)", Op::ELWMUL, Format::Bf16, 16, 0, 0, 1,
     {0x3B600000},
     {0x3F800000}, 0x3F80, 0x3F81},
    {"M17: 16-bit: two roundings (-)", Op::ELWMUL, Format::Bf16, 16, 0, 0, 1,
     {0xBB600000},
     {0x3F800000}, 0xBF80, 0xBF80},
    {"M18: FP16 result exponent 31", Op::ELWMUL, Format::Fp16, 16, 0, 0, 1,
     {0x7C00},
     {0x3C00}, 0x0000, 0x7C00},
    {"M19: FP16 saturation", Op::ELWMUL, Format::Fp16, 16, 0, 0, 1,
     {0x7C00},
     {0xC000}, 0x0000, 0xFFFF},
    {"M20: FP16 underflow", Op::ELWMUL, Format::Fp16, 16, 0, 0, 1,
     {0x0400},
     {0x3800}, 0x0000, 0x0000},
    {"M21: invalid Dst row reads 0", Op::ELWMUL, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000},
     {0x40000000}, kInvalid, 0x40000000},
    {"M22: Dst denormal reads 0", Op::ELWMUL, Format::Bf16, 32, 0, 0, 1,
     {0x00000000},
     {0x00000000}, 0x007FFFFF, 0x00000000},
    {"M23: Dst NaN with zero product to inf", Op::ELWMUL, Format::Bf16, 32, 0, 0, 1,
     {0x00000000},
     {0x00000000}, 0x7FC00001, 0x7F800000},
    {"M24: keep-denormals: even B=0 gets the hidden 1", Op::ELWMUL, Format::Bf16, 32, 0, kKeep, 1,
     {0x40800000},
     {0x00000000}, 0x00000000, 0x01000000},
    {"X1: 16 ones", Op::MVMUL, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000},
     {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000}, 0x00000000, 0x41800000},
    {"X2: lanes 1-7 at 2^-11, own group: each rounds up", Op::MVMUL, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000, 0x3A000000, 0x3A000000, 0x3A000000, 0x3A000000, 0x3A000000, 0x3A000000,
      0x3A000000},
     {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000}, 0x00000000, 0x3F80E000},
    {"X3: same lanes in the other group: summed first", Op::MVMUL, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
      0x00000000, 0x3A000000, 0x3A000000, 0x3A000000, 0x3A000000, 0x3A000000, 0x3A000000,
      0x3A000000},
     {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000}, 0x00000000, 0x3F807000},
    {"X4: negative lane tie to away", Op::MVMUL, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000, 0xBA000000},
     {0x3F800000, 0x3F800000}, 0x00000000, 0x3F7FC000},
    {"X5: groups cancel, Dst already aligned", Op::MVMUL, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
      0x00000000, 0xBF800000},
     {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000}, 0x33800000, 0x34000000},
    {"X6: lane below exponent 1 still counts", Op::MVMUL, Format::Bf16, 32, 0, 0, 1,
     {0x00800000, 0x00800000},
     {0x3F800000, 0x3D800000}, 0x00000000, 0x00880000},
    {"X7: group with maximum <= 0 vanishes", Op::MVMUL, Format::Bf16, 32, 0, 0, 1,
     {0x00800000},
     {0x3F000000}, 0x00000000, 0x00000000},
    {"X8: negative group tie to towards +inf", Op::MVMUL, Format::Bf16, 32, 0, 0, 1,
     {0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
      0x00000000, 0xB3800000},
     {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000}, 0x3F800000, 0x3F800000},
    {"X9: FP16, FP32 Dst", Op::MVMUL, Format::Fp16, 32, 0, 0, 1,
     {0x0400, 0x0400},
     {0x0400, 0x0400}, 0x00000000, 0x32000000},
    {"X10: FP16, 16-bit Dst", Op::MVMUL, Format::Fp16, 16, 0, 0, 1,
     {0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00,
      0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00},
     {0x3C01, 0x3C01, 0x3C01, 0x3C01, 0x3C01, 0x3C01, 0x3C01, 0x3C01, 0x3C01, 0x3C01,
      0x3C01, 0x3C01, 0x3C01, 0x3C01, 0x3C01, 0x3C01}, 0x3C00, 0x4C40},
    {"X11: inf lane minus inf lane", Op::MVMUL, Format::Bf16, 32, 0, 0, 1,
     {0x7F800000, 0xFF800000},
     {0x3F800000, 0x3F800000}, 0x00000000, 0x00000000},
    {"X12: phase 3 TF32", Op::MVMUL, Format::Tf32, 32, 3, 0, 1,
     {0x3F87E000},
     {0x3F81E000}, 0x00000000, 0x3A688000},
    {"I1: A=255 B=1023 phases 0..3", Op::MVMUL, Format::Int8, 32, kAllPhases, 0, 1,
     {0xFF},
     {0x3FF}, 0x00000000, 0x0003FB01},
    {"I2: A bits 8-9 ignored", Op::ELWMUL, Format::Int8, 32, kAllPhases, 0, 1,
     {0x3FF},
     {0x1}, 0x00000000, 0x000000FF},
    {"I3: saturate", Op::ELWMUL, Format::Int8, 32, 3, 0, 1,
     {0x1F},
     {0xF}, 0x7FFFFF00, 0x7FFFFFFF},
    {"I4: saturate negative", Op::ELWADD, Format::Int8, 32, 0, kAccumulate, 1,
     {0x80000003},
     {0x80000004}, 0xFFFFFFFE, 0xFFFFFFFF},
    {"I5: ELWADD uses 10 bits", Op::ELWADD, Format::Int8, 32, 0, 0, 1,
     {0x3FF},
     {0x80000001}, kNone, 0x000003FE},
    {"I6: exponent field 0 reads 0", Op::ELWADD, Format::Int8, 32, 0, 0, 1,
     {kExponentZero | 5},
     {0x7}, kNone, 0x00000007},
    {"G1: invalid row: maximum of A", Op::GMPOOL, Format::Bf16, 32, 0, 0, 1,
     {0xC0000000, 0xBF800000, 0xBF800000, 0xBF800000, 0xBF800000, 0xBF800000, 0xBF800000,
      0xBF800000, 0xBF800000, 0xBF800000, 0xBF800000, 0xBF800000, 0xBF800000, 0xBF800000,
      0xBF800000, 0xBF800000},
     {0x3F800000}, kInvalid, 0xBF800000},
    {"G2: Dst wins when larger, cut to TF32", Op::GMPOOL, Format::Bf16, 32, 0, 0, 1,
     {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
      0x3F800000, 0x3F800000},
     {0x3F800000}, 0x40003FFF, 0x40002000},
    {"G3: +0 replaces -0", Op::GMPOOL, Format::Bf16, 32, 0, 0, 1,
     {0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000,
      0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000,
      0x80000000, 0x80000000},
     {0x3F800000}, 0x80000000, 0x00000000},
    {"G4: 16-bit Dst", Op::GMPOOL, Format::Bf16, 16, 0, 0, 1,
     {0x3F800000, 0x40000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
      0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
      0x00000000, 0x00000000},
     {0x3F800000}, 0x3F80, 0x4000},
    {"X13: 13-bit rounding per group", Op::MVMUL, Format::Fp16, 16, 0, 0, 1025,
     {0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400,
      0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400},
     {0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400,
      0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400}, 0x0000, 0x4402},
    {"X14: sticks at 8.0", Op::MVMUL, Format::Fp16, 16, 0, 0, 3000,
     {0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400,
      0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400},
     {0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400,
      0x2400, 0x2400, 0x2400, 0x2400, 0x2400, 0x2400}, 0x0000, 0x4800},
    // clang-format on
};

u32 cell_of(Format format, u32 value) {
  if (format == Format::Fp16)
    return (value >> 15) << 31 | ((value >> 10) & 0x1F) << 23 | (value & 0x3FF) << 13;
  if (format == Format::Int8) {
    const u32 exponent = (value & kExponentZero) != 0 ? 0 : 16;
    return (value & 0x80000000) | exponent << 23 | (value & 0x3FF) << 13;
  }
  return value;
}

class FpuVector {
 public:
  explicit FpuVector(const Vector& v) : v_(v) {
    const u32 code = static_cast<u32>(v.source);
    bench_.set_source_formats(code, code);
    bench_.set<cfg::ALU_ACC_CTRL_Fp32_enabled>(v.dst_bits == 32 && v.source != Format::Int8);
    bench_.set<cfg::ALU_ACC_CTRL_INT8_math_enabled>(v.source == Format::Int8);
    bench_.set<cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src>((v.flags & kKeep) != 0);
    for (u32 k = 0; k < v.a.size(); ++k)
      bench_.fpu().src_a.bank[0][k].datum[0] = cell_of(v.source, v.a[k]);
    for (u32 k = 0; k < v.b.size(); ++k)
      bench_.fpu().src_b.bank[0][0].datum[k] = cell_of(v.source, v.b[k]);
    if (v.op == Op::GMPOOL) bench_.fpu().src_b.bank[0][0].datum.fill(0x3F800000);
    write_dst();
  }

  u32 result() {
    for (u32 i = 0; i < v_.repeat; ++i) {
      const u32 first = v_.phase == kAllPhases ? 0 : v_.phase;
      const u32 last = v_.phase == kAllPhases ? 3 : v_.phase;
      for (u32 phase = first; phase <= last; ++phase) {
        bench_.rwc().fidelity = static_cast<u8>(phase);
        EXPECT_EQ(execute_once(), Completion::Done);
      }
    }
    EXPECT_TRUE(bench_.faults().faults().empty());
    return read_dst();
  }

 private:
  bool wide() const { return v_.dst_bits == 32; }

  void write_dst() {
    DstAccess dst = bench_.dst();
    if (v_.dst_in == kInvalid) {
      dst.write32(0, 0, 0x12345678);
      dst.set_valid32(0, false);
      return;
    }
    if (v_.dst_in == kNone) return;
    const u32 value = static_cast<u32>(v_.dst_in);
    if (wide())
      dst.write32(0, 0, numeric::dst_from_fp32(value));
    else if (v_.source == Format::Fp16)
      dst.write16(0, 0, numeric::dst_from_fp16(static_cast<u16>(value)));
    else
      dst.write16(0, 0, numeric::dst_from_bf16(static_cast<u16>(value)));
  }

  u32 read_dst() {
    DstAccess dst = bench_.dst();
    if (wide()) return numeric::fp32_from_dst(dst.read32(0, 0));
    const u16 stored = dst.read16(0, 0);
    return v_.source == Format::Fp16 ? numeric::fp16_from_dst(stored)
                                     : numeric::bf16_from_dst(stored);
  }

  Completion execute_once() {
    const u32 accumulate = (v_.flags & kAccumulate) != 0;
    switch (v_.op) {
      case Op::ELWADD:
        return bench_.run<op::ELWADD>({{"dest_accum_en", accumulate}});
      case Op::ELWSUB:
        return bench_.run<op::ELWSUB>({{"dest_accum_en", accumulate}});
      case Op::ELWMUL:
        return bench_.run<op::ELWMUL>();
      case Op::MVMUL:
        return bench_.run<op::MVMUL>();
      default:
        return bench_.run<op::GMPOOL>({{"instr_mod19", 1}});
    }
  }

  const Vector& v_;
  UnitBench bench_;
};

class FpuArithmetic : public testing::TestWithParam<Vector> {};

TEST_P(FpuArithmetic, matches_worked_vector) {
  const Vector& v = GetParam();
  EXPECT_EQ(FpuVector(v).result(), v.dst_out) << v.name;
}

INSTANTIATE_TEST_SUITE_P(Worked, FpuArithmetic, testing::ValuesIn(kVectors),
                         [](const testing::TestParamInfo<Vector>& info) {
                           std::string name;
                           for (const char* c = info.param.name; *c != '\0'; ++c) {
                             const bool word = std::isalnum(static_cast<unsigned char>(*c)) != 0;
                             if (word) name += *c;
                             if (!word && !name.empty() && name.back() != '_') name += '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace bhemu::tensix
