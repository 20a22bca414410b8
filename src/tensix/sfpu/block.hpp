// Instructions of the vector unit that come one after the other, executed together where they are
// of the kinds that numeric/sfpu_block.hpp knows. The others are for their own `execute`.
//
// Nothing may look on between the instructions of a block: neither an observer nor a core that
// waits for Dst, and SFPLOADMACRO's schedule is empty.
#pragma once

#include <algorithm>
#include <array>

#include "numeric/sfpu_block.hpp"
#include "tensix/context.hpp"

namespace bhemu::tensix::sfpu {

/// Steps of instructions that work on registers alone, by their words. No state: what a word means
/// never changes.
struct StepCache {
  enum class Known : u8 { Nothing, NoStep, NoEffect, Step, StepChangesFlags };
  struct Entry {
    u32 word = 0;
    Known known = Known::Nothing;
    numeric::SfpuStep step{};
  };
  std::array<Entry, 64> entry{};

  Entry& of(u32 word) { return entry[(word * 0x9E3779B1u) >> 26]; }
};

class Block {
 public:
  explicit Block(Context& context);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Takes the word in. What it does to counters is done, what to registers only after `finish`.
  /// False: nothing was done; the instruction has to be executed by itself, after `finish`.
  bool add(u32 word);
  /// The same for words that come one after the other, as long as they are known to be steps that
  /// work on registers alone. Returns how many were taken in.
  u32 add_known(const u32* words, u32 count) {
    if (cache_ == nullptr || !usable_ || !looked_) return 0;
    const u32 most = std::min(count, kSteps - count_);
    u32 taken = 0;
    for (; taken < most; ++taken) {
      StepCache::Entry& entry = cache_->of(words[taken]);
      if (entry.word != words[taken] || entry.known != StepCache::Known::Step) break;
      step_[count_ + taken] = &entry.step;
    }
    count_ += taken;
    return taken;
  }
  /// Executes what was taken in.
  void finish();
  /// An instruction was executed by itself: configuration and flags may have changed.
  void forget() { looked_ = false; }

 private:
  void look();

  static constexpr u32 kSteps = 32;

  Context& context_;
  StepCache* cache_;  // null: steps are made each time
  bool looked_ = false;
  bool usable_ = false;
  /// All lanes are certainly enabled when the next step is executed.
  bool everywhere_ = false;
  u32 count_ = 0;
  std::array<const numeric::SfpuStep*, kSteps> step_;
  std::array<numeric::SfpuStep, kSteps> own_;  // of those that the cache does not have
};

/// The steps of SFPLOAD and SFPSTORE of whole rows; the counters move on. `everywhere`: all lanes
/// are enabled. False: it is no such case, nothing was done.
bool add_load(Context& context, op::SFPLOAD insn, numeric::SfpuStep& step);
bool add_store(Context& context, op::SFPSTORE insn, bool everywhere, numeric::SfpuStep& step);

}  // namespace bhemu::tensix::sfpu
