// MVMULs that come one after the other: what they take of SrcA and SrcB is taken apart once, and
// what follows from the configuration is worked out once. Nothing else happens between them that
// could change either; from one turn of the coprocessor to the next, in which cores act, the
// configuration is looked at again. Source registers only change by instructions.
#pragma once

#include <memory>
#include <span>

#include "tensix/context.hpp"
#include "tensix/dst/dst_access.hpp"
#include "tensix/fpu/courses.hpp"
#include "tensix/fpu/kernels.hpp"

namespace bhemu::tensix::fpu {

class ProductRun {
 public:
  ProductRun() { drop(); }
  ProductRun(const ProductRun&) = delete;
  ProductRun& operator=(const ProductRun&) = delete;

  /// Executes instructions from `word` on, one a cycle, at most `count` (at least one), as long as
  /// they are products in floating point with nothing special whose banks are there. Returns how
  /// many; the context is left at the last one's cycle.
  u32 execute(Context& context, const u32* word, u32 count);
  /// A turn of the coprocessor begins. `version`: a number that changes when anybody but an
  /// instruction may have changed the sources (DataPaths::settings).
  void begin_turn(u64 version) {
    if (version_ != version) forget();
    version_ = version;
    checked_ = false;
  }
  /// The products of this thread come next.
  void belong_to(unsigned thread) {
    if (thread_ == thread) return;
    forget();
    thread_ = thread;
  }
  /// Where the courses of this tile's products are kept: made when there are products.
  void keep_courses_in(std::unique_ptr<Courses>* home) { home_ = home; }
  /// Sources or configuration may have changed.
  void forget() {
    if (known_) drop();
  }

 private:
  static constexpr u32 kMostListed = 64;  // as many as a turn has cycles

  /// Where a product reads and writes.
  struct Place {
    u32 a_row;
    u32 b_row;
    u32 dst_row;
    u32 phase;
  };
  /// What follows from the configuration.
  struct Settings {
    bool usable = false;
    bool wide = false;
    bool straight = false;  // Dst is of bf16, eight rows lie one after the other
    DstMapping mapping;
    u32 mask_a = 0;
    u32 mask_b = 0;
    numeric::FpuMode mode;
    u32 dst_offset = 0;
    u32 phase = 0;

    bool operator==(const Settings&) const = default;
  };
  static Settings settings_of(const Context& context);

  void drop();
  /// Looks at the configuration; what is known stays if it is the same.
  void check(const Context& context);
  void name_a(const FpuState& fpu, u32 row);
  void name_b(const FpuState& fpu, u32 row);
  /// The operand, whose half for the phase is taken apart already or listed to be.
  const ProductOperandA& operand_a(const FpuState& fpu, u32 row, u32 phase);
  const ProductOperandB& operand_b(const FpuState& fpu, u32 row, u32 phase);
  /// Lists what is needed of these halves and was not taken apart.
  void need(const FpuState& fpu, const Course::Halves& halves);
  /// Takes what was listed apart.
  void prepare_listed();
  /// Lists a product for `multiply_listed`, if its rows of Dst are the usual ones.
  bool list(State& state, const Place& place);
  /// Likewise all products of a course, if all rows are.
  bool list(State& state, const Course& course);
  void list_chain(State& state, u32 dst_row, u32 first, u32 last);
  void multiply_listed(State& state);
  /// A product of any kind.
  void multiply(State& state, const Place& place);
  void add(Context& context, const Course::Step& step);
  void follow(Context& context, const Course& course, bool is_first);
  u32 go(Context& context, std::span<const u32> words, bool is_first, Course& course, bool& more);
  Courses* courses_of(const Context& context);

  bool known_;
  bool checked_;  // in this turn
  unsigned thread_ = kThreads;
  u64 version_ = 0;
  std::unique_ptr<Courses>* home_ = nullptr;
  Settings settings_;
  MatrixJob job_;
  /// The halves of which an operand has the slices, or will have them when what is listed has been
  /// taken apart.
  Course::Halves had_;
  ProductOperandA a_[kProductOperands];
  ProductOperandB b_[kProductOperands];
  ProductFields fields_[kProductOperands * kProductOperands];
  ProductSources sources_{a_, b_, fields_};
  /// Products that are executed together. Their rows of Dst count as valid already.
  u32 listed_ = 0;
  NarrowProduct products_[kMostListed + Course::kMost];  // a course is copied whole
  /// Those into the same rows are done one after the other.
  u32 chain_count_ = 0;
  ProductChain chains_[kMostListed];
  u32 dst_rows_[kMostListed];                  // of chains, before they are mapped
  u8 latest_[kDstRows / kMaxKernelRows] = {};  // by rows, one more than its place in the list
  u32 to_prepare_ = 0;
  OperandJob operands_[4 * kProductOperands];
};

}  // namespace bhemu::tensix::fpu
