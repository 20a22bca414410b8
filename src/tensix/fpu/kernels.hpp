// The row loops of the matrix unit as vectors: Google Highway, compiled for every target of the
// host's kind and chosen at run time. The scalar functions in numeric/fpu_arithmetic.hpp are their
// specification; tests compare the two.
#pragma once

#include "numeric/fpu_arithmetic.hpp"
#include "tensix/fpu/state.hpp"

namespace bhemu::tensix {

inline constexpr u32 kMaxKernelRows = 8;

// The arrays of pointers below have no initial values: clearing them took a fifth of the time of
// an instruction. Kernels look at the first `dst.count` only.

/// Rows of Dst that one instruction reads and writes, in storage order. `low` is the low half of
/// a 32-bit row; not used by 16-bit kinds.
struct DstRows {
  u32 count = 0;
  const u16* old_high[kMaxKernelRows];
  const u16* old_low[kMaxKernelRows];
  u16* high[kMaxKernelRows];
  u16* low[kMaxKernelRows];
};

struct MatrixJob {
  const u32* a[kRowDatums];
  const u32* b[kMaxKernelRows];  // one per row of Dst
  u32 mask_a = 0;
  u32 mask_b = 0;
  u32 phase = 0;
  numeric::FpuMode mode;
  DstRows dst;
};

enum class Elementwise : u8 { Add, Sub, Mul };

struct ElementwiseJob {
  const u32* a[kMaxKernelRows];
  const u32* b[kMaxKernelRows];
  u32 mask_a = 0;
  u32 mask_b = 0;
  u32 phase = 0;
  numeric::FpuMode mode;
  Elementwise kind = Elementwise::Add;
  bool keep = false;
  bool broadcast_column = false;
  DstRows dst;
};

/// Cells to Dst without regard to what was there.
struct MoveJob {
  const u32* cells[kMaxKernelRows];
  u32 mask = 0;
  bool flush = false;
  bool five_bit = false;
  bool wide = false;  // the 32-bit view, 19 bits of the cell
  bool broadcast_column = false;
  DstRows dst;
};

/// Dst += B A. False: the exponents are so large that the vector form would not be exact, nothing
/// was done.
bool run_matrix_kernel(const MatrixJob& job);
void run_integer_matrix_kernel(const MatrixJob& job);
void run_elementwise_kernel(const ElementwiseJob& job);
void run_integer_elementwise_kernel(const ElementwiseJob& job);
void run_move_kernel(const MoveJob& job);

}  // namespace bhemu::tensix
