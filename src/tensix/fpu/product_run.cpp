#include "tensix/fpu/product_run.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tensix/dst/formats.hpp"
#include "tensix/dst/rwc.hpp"
#include "tensix/fpu/kernel_rows.hpp"

namespace bhemu::tensix::fpu {

static_assert(sizeof(SrcRow) == kRowDatums * sizeof(u32));

void ProductRun::drop() {
  known_ = checked_ = false;
  to_prepare_ = 0;
  std::memset(slices_a_, 0, sizeof slices_a_);
  std::memset(slices_b_, 0, sizeof slices_b_);
  known_fields_ = 0;
}

ProductRun::Settings ProductRun::settings_of(const Context& context) {
  Settings result;
  const FpuFormats formats = fpu_formats(context, FormatsFor::Both);
  result.usable = !formats.integer() && !formats.keep_denormals &&
                  cfg::ALU_ROUNDING_MODE_Fpu_srnd_en::get(context.config()) == 0;
  if (!result.usable) return result;
  result.wide = formats.dst_is_32_bit();
  result.mask_a = formats.mask_a();
  result.mask_b = formats.mask_b();
  result.mode = formats.mode();
  result.mapping = DstAccess::mapping_of(context.state);
  result.straight = result.mode.dst == numeric::DstKind::Bf16 && !result.mapping.swizzle &&
                    !result.mapping.high_halves;
  result.dst_offset = dst_offset(context) - rwc_of(context).dst;
  result.phase = thread_cfg::FIDELITY_BASE_Phase::get(context.thread_config());
  return result;
}

void ProductRun::check(const Context& context) {
  checked_ = true;
  const Settings settings = settings_of(context);
  if (known_ && settings == settings_) return;
  drop();
  known_ = checked_ = true;
  settings_ = settings;
  job_.mask_a = settings.mask_a;
  job_.mask_b = settings.mask_b;
  job_.mode = settings.mode;
  job_.keep = false;
  job_.dst.count = kMaxKernelRows;
}

// In groups of eight rows, which lie one after the other.
void ProductRun::name_a(const FpuState& fpu, u32 row) {
  const SrcRow* const rows = fpu.src_a.matrix_rows().data();
  const u32* const first = rows[row].datum.data();
  const u32* const second = rows[(row + kGroups) % kSrcRows].datum.data();
  for (u32 k = 0; k < kGroups; ++k) job_.a[k] = first + k * kRowDatums;
  for (u32 k = 0; k < kGroups; ++k) job_.a[kGroups + k] = second + k * kRowDatums;
}

void ProductRun::name_b(const FpuState& fpu, u32 row) {
  const u32* const first = fpu.src_b.matrix_rows()[row].datum.data();
  for (u32 i = 0; i < kMaxKernelRows; ++i) job_.b[i] = first + i * kRowDatums;
}

inline const ProductOperandA& ProductRun::operand_a(const FpuState& fpu, u32 row, u32 phase) {
  const u32 group = row / kGroups;
  const u32 half = phase & 1;
  ProductOperandA& operand = a_[group];
  if ((slices_a_[group] >> half & 1) == 0) {
    const SrcRow* const rows = fpu.src_a.matrix_rows().data();
    operands_[to_prepare_++] = {
        {rows[row].datum.data(), rows[(row + kGroups) % kSrcRows].datum.data()},
        &operand,
        nullptr,
        half,
        slices_a_[group] == 0};
    slices_a_[group] |= static_cast<u8>(1u << half);
  }
  return operand;
}

inline const ProductOperandB& ProductRun::operand_b(const FpuState& fpu, u32 row, u32 phase) {
  const u32 group = row / kGroups;
  const u32 half = phase >> 1;
  ProductOperandB& operand = b_[group];
  if ((slices_b_[group] >> half & 1) == 0) {
    operands_[to_prepare_++] = {{fpu.src_b.matrix_rows()[row].datum.data(), nullptr},
                                nullptr,
                                &operand,
                                half,
                                slices_b_[group] == 0};
    slices_b_[group] |= static_cast<u8>(1u << half);
  }
  return operand;
}

inline void ProductRun::prepare_listed() {
  if (to_prepare_ == 0) return;
  prepare_operands(operands_, std::exchange(to_prepare_, 0),
                   {settings_.mask_a, settings_.mask_b, settings_.mode});
}

[[gnu::always_inline]] inline bool ProductRun::list(State& state, u32 a_row, u32 b_row, u32 dst_row,
                                                    u32 phase) {
  static constexpr DstRow kEmpty[kMaxKernelRows] = {};
  FpuState& fpu = state.fpu;
  const u32 first = settings_.mapping.adj16(dst_row);
  u8* const valid = &fpu.dst.valid[first];
  u64 flags;
  std::memcpy(&flags, valid, sizeof flags);
  if (!settings_.straight || (flags != kEightRowsValid && flags != 0)) return false;
  std::memcpy(valid, &kEightRowsValid, sizeof kEightRowsValid);
  if (listed_ == kMostListed) multiply_listed(state);
  const u32 group_a = a_row / kGroups;
  const u32 group_b = b_row / kGroups;
  NarrowProduct& product = products_[listed_];
  product.a = &operand_a(fpu, a_row, phase);
  product.b = &operand_b(fpu, b_row, phase);
  product.fields = &fields_[group_a][group_b];
  product.pair = u64{1} << (group_a * kGroups + group_b);
  product.phase = phase;
  product.next = NarrowProduct::kNone;
  places_[listed_] = {a_row, b_row, dst_row, phase, flags};
  u8& latest = latest_[first / kMaxKernelRows];
  if (latest != 0) {
    products_[latest - 1].next = listed_;
  } else {
    u16* const rows = fpu.dst.row[first].datum.data();
    chains_[chain_count_++] = {flags != 0 ? rows : kEmpty[0].datum.data(), rows, listed_};
  }
  latest = static_cast<u8>(++listed_);
  return true;
}

void ProductRun::multiply_listed(State& state) {
  if (listed_ == 0) return;
  listed_ = 0;
  std::memset(latest_, 0, sizeof latest_);
  prepare_listed();
  ProductChain* chain = chains_;
  ProductChain* const end = chain + std::exchange(chain_count_, 0);
  for (;;) {
    chain += run_narrow_products(products_, chain, static_cast<u32>(end - chain), known_fields_);
    if (chain == end) return;
    const Place& place = places_[chain->first];
    std::memcpy(&state.fpu.dst.valid[settings_.mapping.adj16(place.dst_row)], &place.valid,
                sizeof place.valid);
    multiply(state, place);
    *chain = {chain->rows, chain->rows, products_[chain->first].next};
  }
}

void ProductRun::multiply(State& state, const Place& place) {
  const FpuState& fpu = state.fpu;
  job_.phase = place.phase;
  const KernelRows rows(state, settings_.wide, place.dst_row, kMaxKernelRows);
  rows.describe(job_.dst);
  const ProductOperandA& a = operand_a(fpu, place.a_row, place.phase);
  const ProductOperandB& b = operand_b(fpu, place.b_row, place.phase);
  prepare_listed();
  if (!run_prepared_product(job_, a, b)) {
    name_a(fpu, place.a_row);
    name_b(fpu, place.b_row);
    run_matrix_kernel(job_);
  }
  rows.written();
}

/// A product that reads and writes rows which are known.
[[gnu::always_inline]] inline void ProductRun::add(Context& context, const Course::Step& step) {
  const u32 dst_row = (step.dst + settings_.dst_offset) & 0x3F8;
  const u32 phase = (step.fidelity + settings_.phase) & 3;
  if (list(context.state, step.a_row, step.b_row, dst_row, phase)) return;
  multiply_listed(context.state);
  multiply(context.state, {step.a_row, step.b_row, dst_row, phase, 0});
}

/// As `go`, of products that are known.
void ProductRun::follow(Context& context, const Course& course, bool is_first) {
  for (u32 i = 0; i < course.count; ++i) add(context, course.steps[i]);
  context.now += course.count - (is_first ? 1 : 0);
  context.word = course.words[course.count - 1];
  context.state.fpu.last_src_a_row = course.steps[course.count - 1].a_row;
  rwc_of(context) = course.end;
}

/// Executes words one after the other, at most as many as a course has, and writes down those that
/// hand over no bank. Returns how many; `more`: nothing keeps the next one from being executed.
u32 ProductRun::go(Context& context, std::span<const u32> words, bool is_first, Course& course,
                   bool& more) {
  const Rwc& rwc = rwc_of(context);
  const u32 most = std::min(static_cast<u32>(words.size()), Course::kMost);
  more = false;
  for (u32 done = 0; done < most; ++done) {
    const op::MVMUL insn{words[done]};
    if (opcode_of(insn.word) != op::MVMUL::kOpcode || insn.instr_mod19() != 0) return done;
    const u32 flips = insn.clear_dvalid();
    // One that hands over a bank may release another thread: the caller has to know before.
    if (!is_first && flips != 0) return done;
    // The rule of the bias bit may stop the thread.
    if (context.thread_config()[thread_cfg::ADDR_MOD_BIAS_SEC0_BiasIncr::kWord +
                                insn.addr_mode()] != 0)
      return done;
    context.now += is_first ? 0 : 1;
    is_first = false;
    context.word = insn.word;
    const Course::Step step{static_cast<u16>(insn.dst() + rwc.dst),
                            static_cast<u8>(rwc.src_a & 0x38), static_cast<u8>(rwc.src_b & 0x38),
                            rwc.fidelity};
    context.state.fpu.last_src_a_row = step.a_row;
    add(context, step);
    apply_addr_mod(context, insn.addr_mode());
    if (flips != 0) {
      multiply_listed(context.state);
      flip_src_banks(context, bit(flips, 0), bit(flips, 1));
      forget();
      return done + 1;
    }
    course.words[done] = insn.word;
    course.steps[done] = step;
  }
  more = true;
  return most;
}

u32 ProductRun::execute(Context& context, const u32* word, u32 count) {
  State& state = context.state;
  FpuState& fpu = state.fpu;
  if (!fpu.src_a.matrix_may_read() || !fpu.src_b.matrix_may_read()) return 0;
  if (!checked_) check(context);
  if (!settings_.usable) return 0;
  Courses* const courses = courses_of(context);
  u32 done = 0;
  bool more = true;
  while (more && done < count) {
    const std::span<const u32> ahead(word + done, count - done);
    const op::MVMUL next{ahead[0]};
    if (opcode_of(next.word) != op::MVMUL::kOpcode) break;
    const Rwc begin = rwc_of(context);
    const bool keeps = courses != nullptr && next.clear_dvalid() == 0;
    if (const Course* known = keeps ? courses->find(begin, ahead) : nullptr; known != nullptr) {
      follow(context, *known, done == 0);
      done += known->count;
      continue;
    }
    Course unkept;
    Course& course = keeps ? courses->place_for(begin, ahead) : unkept;
    const u32 executed = go(context, ahead, done == 0, course, more);
    if (keeps) courses->keep(course, executed, rwc_of(context));
    done += executed;
  }
  multiply_listed(state);
  if (done != 0) context.touch(Resource::Dst);
  return done;
}

/// Null: nobody keeps any.
Courses* ProductRun::courses_of(const Context& context) {
  if (home_ == nullptr) return nullptr;
  if (*home_ == nullptr) *home_ = std::make_unique<Courses>();
  (*home_)->expect(context.thread_config());
  return home_->get();
}

}  // namespace bhemu::tensix::fpu
