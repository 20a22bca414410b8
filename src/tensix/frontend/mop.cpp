#include "tensix/frontend/mop.hpp"

#include "tensix/frontend/frontend.hpp"
#include "tensix/isa.hpp"

namespace bhemu::tensix::frontend {
namespace {

// Meaning of mop_config by template (MOPExpander.md, Configuration).
namespace template0 {
enum : u32 { kFlags = 1, kInsnB = 2, kInsnA0 = 3, kSkipA0 = 7, kSkipB = 8 };
enum : u32 { kHasB = 1, kHasA123 = 2 };
}  // namespace template0
namespace template1 {
enum : u32 {
  kOuterCount,
  kInnerCount,
  kStartOp,
  kEndOp0,
  kEndOp1,
  kLoopOp,
  kLoopOp1,
  kLoop0Last,
  kLoop1Last
};
static_assert(kLoopOp == kMopLoopOp);
}  // namespace template1

// Only plain NOP counts, not DMANOP or SFPNOP.
bool is_nop(u32 word) {
  return opcode_of(word) == op::NOP::kOpcode;
}

void start_template0(Frontend& frontend, op::MOP mop) {
  MopExpansion& run = frontend.mop;
  run.phase = MopPhase::Template0;
  run.mask = (frontend.mask_hi << 16) + mop.zmask_lo16_or_loop_count();
  run.outer_count = mop.loop_count() + 1;
}

void start_template1(Frontend& frontend) {
  const auto& config = frontend.mop_config;
  MopExpansion& run = frontend.mop;
  run.phase = MopPhase::Start;
  run.outer_count = config[template1::kOuterCount] & kOuterCountMask;
  run.inner_count = config[template1::kInnerCount] & kInnerCountMask;
  if (!is_nop(config[template1::kLoopOp1])) {
    run.flip = config[template1::kLoopOp] ^ config[template1::kLoopOp1];
    run.inner_count *= 2;
  }
  // A defect of the hardware that software can meet: an empty loop with only an end instruction.
  if (run.outer_count == 1 && is_nop(config[template1::kStartOp]) && run.inner_count == 0 &&
      !is_nop(config[template1::kEndOp0])) {
    run.outer_count += 128;
  }
  if (run.outer_count == 0) run.phase = MopPhase::Idle;
}

/// The word of the current step of a template-0 iteration; advances to the next step.
u32 step_template0(Frontend& frontend) {
  using namespace template0;
  const auto& config = frontend.mop_config;
  MopExpansion& run = frontend.mop;
  const bool has_b = (config[kFlags] & kHasB) != 0;
  const u32 a_steps = (run.mask & 1) == 0 && (config[kFlags] & kHasA123) != 0 ? 4 : 1;
  const bool skip = (run.mask & 1) != 0;
  const u32 step = run.step++;
  const u32 word =
      step < a_steps ? config[skip ? kSkipA0 : kInsnA0 + step] : config[skip ? kSkipB : kInsnB];
  if (run.step >= a_steps + (has_b ? 1 : 0)) {
    run.step = 0;
    run.mask >>= 1;
    if (++run.outer == run.outer_count) run.phase = MopPhase::Idle;
  }
  return word;
}

u32 loop_word(Frontend& frontend) {
  using namespace template1;
  const auto& config = frontend.mop_config;
  MopExpansion& run = frontend.mop;
  const bool last_inner = run.inner == run.inner_count - 1;
  const bool last_outer = run.outer == run.outer_count - 1;
  const u32 loop_op = config[kLoopOp] ^ (run.inner % 2 != 0 ? run.flip : 0);
  ++run.inner;
  if (!last_inner) return loop_op;
  return config[last_outer ? kLoop0Last : kLoop1Last];
}

void next_outer(MopExpansion& run) {
  run.inner = 0;
  run.phase = ++run.outer == run.outer_count ? MopPhase::Idle : MopPhase::Start;
}

/// One phase of template 1. True when it yields a word.
bool step_template1(Frontend& frontend, u32& word) {
  using namespace template1;
  const auto& config = frontend.mop_config;
  MopExpansion& run = frontend.mop;
  switch (run.phase) {
    case MopPhase::Start:
      run.phase = MopPhase::Loop;
      word = config[kStartOp];
      return !is_nop(word);
    case MopPhase::Loop:
      if (run.inner < run.inner_count) {
        word = loop_word(frontend);
        return true;
      }
      run.phase = MopPhase::End0;
      return false;
    case MopPhase::End0:
      word = config[kEndOp0];
      if (is_nop(word)) {
        next_outer(run);
        return false;
      }
      run.phase = MopPhase::End1;
      return true;
    default:
      word = config[kEndOp1];
      next_outer(run);
      return !is_nop(word);
  }
}

}  // namespace

void start_mop(Frontend& frontend, u32 word) {
  const op::MOP mop{word};
  frontend.mop = MopExpansion{};
  frontend.mop.word = word;
  if (mop.mop_type() == 0) {
    start_template0(frontend, mop);
  } else {
    start_template1(frontend);
  }
}

bool next_of_mop(Frontend& frontend, u32& word) {
  MopExpansion& run = frontend.mop;
  if (run.phase == MopPhase::Template0) {
    word = step_template0(frontend);
    return true;
  }
  while (run.phase != MopPhase::Idle) {
    if (step_template1(frontend, word)) return true;
  }
  return false;
}

}  // namespace bhemu::tensix::frontend
