// MVMULs that come one after the other: what they take of SrcA and SrcB is taken apart once, and
// what follows from the configuration is worked out once. Nothing else happens between them that
// could change either.
#pragma once

#include "tensix/context.hpp"
#include "tensix/fpu/kernels.hpp"

namespace bhemu::tensix::fpu {

class ProductRun {
 public:
  ProductRun() { drop(); }
  ProductRun(const ProductRun&) = delete;
  ProductRun& operator=(const ProductRun&) = delete;

  /// Executes the instruction if it is a product in floating point with nothing special and its
  /// banks are there. False: nothing was done.
  bool execute(Context& context, op::MVMUL insn);
  /// Sources or configuration may have changed.
  void forget() {
    if (known_) drop();
  }

 private:
  static constexpr u32 kGroups = 8;  // of eight rows
  static constexpr u8 kUnknown = 0xFF;

  void drop();
  void look(const Context& context);
  void name_a(const FpuState& fpu, u32 row);
  void name_b(const FpuState& fpu, u32 row);
  const ProductOperandA& operand_a(const FpuState& fpu, u32 row);
  const ProductOperandB& operand_b(const FpuState& fpu, u32 row);

  bool known_;
  bool usable_;
  bool wide_;
  u32 dst_offset_;
  u32 phase_;
  MatrixJob job_;
  /// Of which half of the mantissas an operand has the slices; kUnknown: it was not taken apart.
  u8 slices_a_[kGroups];
  u8 slices_b_[kGroups];
  ProductOperandA a_[kGroups];
  ProductOperandB b_[kGroups];
};

}  // namespace bhemu::tensix::fpu
