#include "tensix/fpu/product_run.hpp"

#include <algorithm>
#include <bit>
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
  had_ = {};
  sources_.known = 0;
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
  const u32* const second = rows[(row + kMaxKernelRows) % kSrcRows].datum.data();
  for (u32 k = 0; k < kMaxKernelRows; ++k) job_.a[k] = first + k * kRowDatums;
  for (u32 k = 0; k < kMaxKernelRows; ++k) job_.a[kMaxKernelRows + k] = second + k * kRowDatums;
}

void ProductRun::name_b(const FpuState& fpu, u32 row) {
  const u32* const first = fpu.src_b.matrix_rows()[row].datum.data();
  for (u32 i = 0; i < kMaxKernelRows; ++i) job_.b[i] = first + i * kRowDatums;
}

void ProductRun::need(const FpuState& fpu, const Course::Halves& halves) {
  const auto each = [](u32 needed, u32& had, auto list) {
    for (u32 missing = needed & ~had; missing != 0; missing &= missing - 1) {
      const u32 bit = static_cast<u32>(std::countr_zero(missing));
      const u32 group = bit % kProductOperands;
      const bool with_exponents = ((had | had >> kProductOperands) >> group & 1) == 0;
      list(group, bit / kProductOperands, with_exponents);
      had |= 1u << bit;
    }
  };
  each(halves.a, had_.a, [&](u32 group, u32 half, bool with_exponents) {
    const SrcRow* const rows = fpu.src_a.matrix_rows().data();
    const u32 row = group * kMaxKernelRows;
    const u32 second = (row + kMaxKernelRows) % kSrcRows;
    operands_[to_prepare_++] = {{rows[row].datum.data(), rows[second].datum.data()},
                                &a_[group],
                                nullptr,
                                half,
                                with_exponents};
  });
  each(halves.b, had_.b, [&](u32 group, u32 half, bool with_exponents) {
    const SrcRow* const rows = fpu.src_b.matrix_rows().data();
    operands_[to_prepare_++] = {{rows[group * kMaxKernelRows].datum.data(), nullptr},
                                nullptr,
                                &b_[group],
                                half,
                                with_exponents};
  });
}

inline void ProductRun::prepare_listed() {
  if (to_prepare_ == 0) return;
  prepare_operands(operands_, std::exchange(to_prepare_, 0),
                   {settings_.mask_a, settings_.mask_b, settings_.mode});
}

namespace {

u64 valid_of(const FpuState& fpu, u32 row) {
  u64 flags;
  std::memcpy(&flags, &fpu.dst.valid[row], sizeof flags);
  return flags;
}
void set_valid(FpuState& fpu, u32 row, u64 flags) {
  std::memcpy(&fpu.dst.valid[row], &flags, sizeof flags);
}
/// All eight rows are valid, or none.
bool are_usual(u64 flags) {
  return flags == kEightRowsValid || flags == 0;
}

}  // namespace

/// Products that were just listed, from `first` on to `last`, into rows that are usual.
inline void ProductRun::list_chain(State& state, u32 dst_row, u32 first, u32 last) {
  const u32 row = settings_.mapping.adj16(dst_row);
  u8& latest = latest_[row / kMaxKernelRows];
  if (latest != 0) {
    products_[latest - 1].skip = static_cast<u8>(first - (latest - 1u));
  } else {
    u16* const rows = state.fpu.dst.row[row].datum.data();
    chains_[chain_count_] = {valid_of(state.fpu, row) != 0 ? rows : nullptr, rows, first};
    dst_rows_[chain_count_++] = dst_row;
    set_valid(state.fpu, row, kEightRowsValid);
  }
  latest = static_cast<u8>(last + 1);
}

inline bool ProductRun::list(State& state, const Place& place) {
  const u32 row = settings_.mapping.adj16(place.dst_row);
  if (!settings_.straight || !are_usual(valid_of(state.fpu, row))) return false;
  if (listed_ == kMostListed) multiply_listed(state);
  const NarrowProduct product{static_cast<u8>(place.a_row / kMaxKernelRows),
                              static_cast<u8>(place.b_row / kMaxKernelRows),
                              static_cast<u8>(place.phase), 0};
  const Course::Halves halves = Course::halves_of(product);
  if ((halves.a & ~had_.a) != 0 || (halves.b & ~had_.b) != 0) need(state.fpu, halves);
  products_[listed_] = product;
  list_chain(state, place.dst_row, listed_, listed_);
  ++listed_;
  return true;
}

bool ProductRun::list(State& state, const Course& course) {
  if (!settings_.straight || course.phase != settings_.phase || settings_.dst_offset % 8 != 0)
    return false;
  const auto dst_row = [&](const Course::Rows& rows) {
    return (rows.dst + settings_.dst_offset) & 0x3F8;
  };
  for (u32 i = 0; i < course.rows_count; ++i)
    if (!are_usual(valid_of(state.fpu, settings_.mapping.adj16(dst_row(course.rows[i])))))
      return false;
  if (listed_ + course.count > kMostListed) multiply_listed(state);
  need(state.fpu, course.halves);
  std::memcpy(products_ + listed_, course.products.data(), sizeof course.products);
  for (u32 i = 0; i < course.rows_count; ++i)
    list_chain(state, dst_row(course.rows[i]), listed_ + course.rows[i].first,
               listed_ + course.rows[i].last);
  listed_ += course.count;
  return true;
}

void ProductRun::multiply_listed(State& state) {
  if (listed_ == 0) return;
  listed_ = 0;
  std::memset(latest_, 0, sizeof latest_);
  prepare_listed();
  const u32 count = std::exchange(chain_count_, 0);
  for (u32 done = 0;;) {
    done += run_narrow_products(sources_, products_, chains_ + done, count - done);
    if (done == count) return;
    ProductChain& chain = chains_[done];
    const NarrowProduct& product = products_[chain.first];
    if (chain.old == nullptr) set_valid(state.fpu, settings_.mapping.adj16(dst_rows_[done]), 0);
    multiply(state, {product.a * kMaxKernelRows, product.b * kMaxKernelRows, dst_rows_[done],
                     product.phase});
    const u32 next = product.skip == 0 ? ProductChain::kNone : chain.first + product.skip;
    chain = {chain.rows, chain.rows, next};
  }
}

void ProductRun::multiply(State& state, const Place& place) {
  const FpuState& fpu = state.fpu;
  job_.phase = place.phase;
  const KernelRows rows(state, settings_.wide, place.dst_row, kMaxKernelRows);
  rows.describe(job_.dst);
  const u32 a = place.a_row / kMaxKernelRows;
  const u32 b = place.b_row / kMaxKernelRows;
  need(fpu, Course::halves_of(
                {static_cast<u8>(a), static_cast<u8>(b), static_cast<u8>(place.phase), 0}));
  prepare_listed();
  if (!run_prepared_product(job_, a_[a], b_[b])) {
    name_a(fpu, place.a_row);
    name_b(fpu, place.b_row);
    run_matrix_kernel(job_);
  }
  rows.written();
}

/// A product that reads and writes rows which are known.
[[gnu::always_inline]] inline void ProductRun::add(Context& context, const Course::Step& step) {
  const Place place{step.a_row, step.b_row, (step.dst + settings_.dst_offset) & 0x3F8,
                    (step.fidelity + settings_.phase) & 3};
  if (list(context.state, place)) return;
  multiply_listed(context.state);
  multiply(context.state, place);
}

/// As `go`, of products that are known.
void ProductRun::follow(Context& context, const Course& course, bool is_first) {
  if (!list(context.state, course))
    for (u32 i = 0; i < course.count; ++i) add(context, course.steps[i]);
  context.now += course.count - (is_first ? 1 : 0);
  context.word = course.words[course.count - 1];
  context.state.fpu.last_src_a_row = course.steps[course.count - 1].a_row;
  rwc_of(context) = course.end;
}

/// Executes words one after the other, at most as many as a course has, and writes down those that
/// hand over no bank. `more`: nothing keeps the next one from being executed.
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
    // What comes then begins alike, wherever this began.
    if (rwc.fidelity != step.fidelity) {
      more = true;
      return done + 1;
    }
  }
  course.is_cut = most < Course::kMost;
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
    Course* const course = courses != nullptr && next.clear_dvalid() == 0
                               ? &courses->at(rwc_of(context), next.word)
                               : nullptr;
    const bool known = course != nullptr && courses->is_known(*course, rwc_of(context), ahead);
    if (known && course->count <= ahead.size()) {
      follow(context, *course, done == 0);
      done += course->count;
      continue;
    }
    Course own;
    own.begin = rwc_of(context);
    own.is_cut = false;
    own.count = go(context, ahead, done == 0, own, more);
    done += own.count;
    if (course == nullptr || known || own.count == 0) continue;
    own.end = rwc_of(context);
    courses->keep(*course, own, settings_.phase);
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
