// The row loops of the matrix unit as vectors: Google Highway, compiled for every target of the
// host's kind and chosen at run time. The scalar functions in numeric/fpu_arithmetic.hpp and
// numeric/fpu_pool.hpp are their specification; tests compare the two.
#pragma once

#include "numeric/fpu_arithmetic.hpp"
#include "numeric/fpu_pool.hpp"
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
  bool keep = false;  // denormals of SrcB take part
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
  bool flush = false;
  bool five_bit = false;
  bool wide = false;  // the 32-bit view, 19 bits of the cell
  bool broadcast_column = false;
  DstRows dst;
};

/// The same for rows that lie one after the other in the source and in Dst.
struct StraightMove {
  const u32* cells;
  u16* high;
  u16* low;  // with `wide`
  u32 rows;
  bool flush;
  bool five_bit;
  bool wide;
};

/// Dst to cells. Only the old rows of `dst` count.
struct MoveFromDstJob {
  u32* cells[kMaxKernelRows];
  bool five_bit = false;
  bool tf32 = false;  // 19 bits of a 32-bit row; with `low`, its lowest 13 as they are
  bool low = false;   // the low half takes the place of the high one
  u32 blocked = 0;    // columns that stay as they are
  DstRows dst;
};

/// GMPOOL: the first of four rows is read and written, the others are emptied.
struct PoolJob {
  const u32* a[kRowDatums];
  const u32* scale;
  numeric::PoolMode mode;
  bool wide = false;
  DstRows dst;
};

/// SrcA of a product in floating point, taken apart once for all products that use it. No initial
/// values: it is large.
struct ProductOperandA {
  alignas(64) float slice[2][kRowDatums][kRowDatums];     // by the lower bit of the phase
  alignas(64) u32 exponents[kRowDatums / 4][kRowDatums];  // of four rows, the first one below
  alignas(64) u32 narrow[kRowDatums][kRowDatums];         // in all bytes; only if `is_narrow`
  i32 largest;                                            // exponent
  i32 moved[2];                                           // what was added to exponents of slices
  bool is_narrow;  // exponents of what is not zero lie within 44 of each other
};
/// Likewise eight rows of SrcB.
struct ProductOperandB {
  alignas(64) float slice[2][kMaxKernelRows][kRowDatums];  // by the upper bit of the phase
  alignas(64) u32 exponents[kMaxKernelRows / 4][kRowDatums];
  alignas(64) u32 narrow[kMaxKernelRows / 4][kRowDatums];  // in the same order
  i32 largest;
  i32 moved[2];
  bool is_narrow;
};
/// The largest exponents of two narrow operands' products, whatever the phase, by group of lanes
/// and of four rows, as running sums begin there: rows 0 and 2, rows 1 and 3, the later one's in
/// the upper halves. No initial values.
struct ProductFields {
  alignas(64) u32 even[2][kMaxKernelRows / 4][kRowDatums];
  alignas(64) u32 odd[2][kMaxKernelRows / 4][kRowDatums];
};
/// How many operands of a kind there are: eight rows, or twice eight, from these on.
inline constexpr u32 kProductOperands = kSrcRows / kMaxKernelRows;
/// Operands of products, and what is known of pairs of them.
struct ProductSources {
  const ProductOperandA* a;  // kProductOperands of each
  const ProductOperandB* b;
  ProductFields* fields;  // of pairs: kProductOperands for the first operand of SrcA, and so on
  u64 known = 0;          // bits of pairs whose fields are known, in the same order
};
/// One of the products into eight rows of a Dst of bf16.
struct NarrowProduct {
  u8 a;
  u8 b;
  u8 phase;
  u8 skip;  // how far behind it in the list the next one into the same rows is; 0: there is none
};
/// All those in a list that go into the same rows, which lie one after the other.
struct ProductChain {
  static constexpr u32 kNone = ~0u;
  const u16* old;  // null: rows of zeros
  u16* rows;
  u32 first;  // in the list, or kNone
};
/// One of them that is to be taken apart.
struct OperandJob {
  const u32* rows[2];   // eight each, one after the other; of SrcB the first eight only
  ProductOperandA* a;   // what becomes of it: this
  ProductOperandB* b;   // or, if that is null, this
  u32 half;             // of the mantissas: of SrcA the lower bit of the phase, of SrcB the upper
  bool with_exponents;  // they are not known yet
};
struct OperandSettings {
  u32 mask_a = 0;
  u32 mask_b = 0;
  numeric::FpuMode mode;
};
void prepare_operands(const OperandJob* jobs, u32 count, const OperandSettings& settings);
/// Those of a job, for its phase.
void prepare_operands(const MatrixJob& job, ProductOperandA& a, ProductOperandB& b);
/// run_matrix_kernel with operands that were prepared for its phase, formats and rows. False: an
/// exponent is too large for floats, nothing was done.
bool run_prepared_product(const MatrixJob& job, const ProductOperandA& a, const ProductOperandB& b);
/// The usual products, with operands that were prepared for their phases and formats. Returns how
/// many chains were done. If that is not all of them, `first` of the next one is a product whose
/// operands are not narrow, or beside which something lies outside of what this form can hold:
/// those before it are done, and what they gave is what it reads.
u32 run_narrow_products(ProductSources& sources, const NarrowProduct* list, ProductChain* chains,
                        u32 count);

/// Dst += B A. Says whether the fast form, in floats, was exact and could be taken.
bool run_matrix_kernel(const MatrixJob& job);
void run_integer_matrix_kernel(const MatrixJob& job);
void run_elementwise_kernel(const ElementwiseJob& job);
void run_integer_elementwise_kernel(const ElementwiseJob& job);
void run_move_kernel(const MoveJob& job);
void run_straight_move(const StraightMove& job);
void run_move_from_dst_kernel(const MoveFromDstJob& job);
void run_pool_kernel(const PoolJob& job);

}  // namespace bhemu::tensix
