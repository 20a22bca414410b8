#include "tensix/frontend/mop.hpp"

#include <algorithm>

#include "tensix/footprint/recorder.hpp"
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
static_assert(kStartOp == kMopStartOp && kEndOp0 == kMopEndOp0 && kLoopOp == kMopLoopOp &&
              kLoop0Last == kMopLoop0Last && kLoop1Last == kMopLoop1Last);
}  // namespace template1

void start_template0(const Frontend& frontend, op::MOP mop, MopExpansion& run) {
  run.phase = MopPhase::Template0;
  run.mask = (frontend.mask_hi << 16) + mop.zmask_lo16_or_loop_count();
  run.outer_count = mop.loop_count() + 1;
}

void start_template1(const Frontend& frontend, MopExpansion& run) {
  const auto& config = frontend.mop_config;
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
        word = loop_word(frontend, run);
        ++run.inner;
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

MopExpansion begin_mop(const Frontend& frontend, u32 word) {
  const op::MOP mop{word};
  MopExpansion run;
  run.word = word;
  if (mop.mop_type() == 0)
    start_template0(frontend, mop, run);
  else
    start_template1(frontend, run);
  return run;
}

void start_mop(Frontend& frontend, u32 word) {
  frontend.mop = begin_mop(frontend, word);
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

void list_loop_words(const Frontend& frontend, const MopExpansion& run, u32* words, u32 count) {
  const auto& config = frontend.mop_config;
  const u32 word = config[kMopLoopOp];
  u32 outer = run.outer;
  u32 inner = run.inner;
  for (u32 i = 0; i < count;) {
    if (inner == run.inner_count) {
      inner = 0;
      ++outer;
    }
    const u32 end = std::min(count, i + run.inner_count - 1 - inner);
    if (run.flip == 0)
      std::fill(words + i, words + end, word);
    else
      for (u32 j = i; j < end; ++j) words[j] = word ^ ((inner + j - i) % 2 != 0 ? run.flip : 0);
    i = end;
    if (i == count) return;
    words[i++] = config[outer + 1 == run.outer_count ? kMopLoop0Last : kMopLoop1Last];
    inner = run.inner_count;
  }
}

void skip_loop_words(MopExpansion& run, u32 count) {
  run.phase = MopPhase::Loop;
  run.inner += count;
  for (; run.inner > run.inner_count; ++run.outer) run.inner -= run.inner_count;
}

}  // namespace bhemu::tensix::frontend

// --- Footprints: of the words that expanders take out of the stream.

namespace bhemu::tensix {
namespace {

using namespace footprint_cell;

void note_template0(const Footprint& print, u32 first, op::MOP mop) {
  using namespace frontend::template0;
  const Frontend& state = print.state.frontend[print.thread];
  MopExpansion run;
  frontend::start_template0(state, mop, run);
  const u32 flags = state.mop_config[kFlags];
  if (run.outer_count > 16) print.read(Space::MopConfig, first + 9);  // the high half of the mask
  print.read(Space::MopConfig, first + kFlags);
  const u32 used = run.outer_count >= 32 ? ~0u : (1u << run.outer_count) - 1;
  const bool skips = (run.mask & used) != 0;
  // Beyond the 32 bits of the mask nothing is skipped.
  const bool plays = (~run.mask & used) != 0 || run.outer_count > 32;
  if (plays) {
    print.read(Space::MopConfig, first + kInsnA0, (flags & kHasA123) != 0 ? 4 : 1);
    if ((flags & kHasB) != 0) print.read(Space::MopConfig, first + kInsnB);
  }
  if (skips) {
    print.read(Space::MopConfig, first + kSkipA0);
    if ((flags & kHasB) != 0) print.read(Space::MopConfig, first + kSkipB);
  }
}

void note_template1(const Footprint& print, u32 first) {
  using namespace frontend::template1;
  const Frontend& state = print.state.frontend[print.thread];
  MopExpansion run;
  frontend::start_template1(state, run);
  print.read(Space::MopConfig, first + kOuterCount, 2);
  print.read(Space::MopConfig, first + kLoopOp1);
  // Whether a loop that is otherwise empty is, by the hardware's defect, run 128 times more.
  if (run.outer_count == 0) return;
  print.read(Space::MopConfig, first + kStartOp, 2);
  if (!frontend::is_nop(state.mop_config[kEndOp0])) print.read(Space::MopConfig, first + kEndOp1);
  if (run.flip != 0 || run.inner_count > 1) print.read(Space::MopConfig, first + kLoopOp);
  if (run.inner_count == 0) return;
  print.read(Space::MopConfig, first + kLoop0Last);
  if (run.outer_count > 1) print.read(Space::MopConfig, first + kLoop1Last);
}

}  // namespace

void footprint(const Footprint& print, op::MOP insn) {
  const u32 first = print.thread * kMopCells;
  if (insn.mop_type() == 0)
    note_template0(print, first, insn);
  else
    note_template1(print, first);
}

void footprint(const Footprint& print, op::MOP_CFG) {
  print.write(Space::MopConfig, print.thread * kMopCells + 9);
}

void footprint(const Footprint& print, op::REPLAY insn) {
  const Access access = insn.load_mode() != 0 ? Access::Write : Access::Read;
  const u32 count = std::min(frontend::replayed_words(insn), kReplaySlots);
  for (u32 i = 0; i < count; ++i)
    print.note(access, Space::Replay,
               print.thread * kReplaySlots + (insn.start_idx() + i) % kReplaySlots);
}

void footprint(const Footprint& print, op::RESOURCEDECL insn) {
  print.write(Space::ResourceClass, print.thread * 16 + insn.op_class());
}

void footprint(const Footprint&, op::NOP) {}

}  // namespace bhemu::tensix
