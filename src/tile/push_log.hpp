// Where the latest words of the coprocessor's threads were pushed from, for the report of a broken
// rule whose word stands in no kernel's code: a kernel has computed and stored it (LLK's TT_
// macros), or a MOP or replay buffer gave it. For cards with a client, which cannot run their
// program a second time to find out (watch/pushed_lines.hpp). No state of the chip.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/fault.hpp"
#include "tensix/frontend/state.hpp"
#include "tensix/isa.hpp"

namespace bhemu::tile {

class PushLog {
 public:
  struct From {
    Agent core = Agent::Host;
    u32 pc = 0;
    bool by_mop = false;  // the core stored the word in the MOP expander's configuration there
    friend bool operator==(const From&, const From&) = default;
  };

  /// `core` at `pc` has pushed the word.
  void pushed(unsigned thread, u32 word, Agent core, u32 pc, Cycle now, const FaultPort& faults) {
    if (faults.faults().size() != seen_) [[unlikely]]
      look(faults.faults());
    Thread& of = thread_of(thread);
    of.last[of.count++ % kKept] = {word, pc, now, core};
    using tensix::op::REPLAY;
    const bool loads = tensix::opcode_of(word) == REPLAY::kOpcode && REPLAY{word}.load_mode() != 0;
    if (loads || of.left != 0) [[unlikely]]
      record(of, word, core, pc);
  }
  /// The core has written a word of the MOP expander's configuration.
  void configured(unsigned thread, u32 index, u32 word, Agent core, u32 pc);

  /// Where the word of a thread's fault may have come from; more than one place if the same word
  /// was pushed at several.
  std::vector<From> origins_of(const Fault& fault) const;
  void forget();

 private:
  static constexpr u32 kKept = 128;  // more than can wait for their gate
  struct Push {
    u32 word = 0;
    u32 pc = 0;
    Cycle cycle = 0;
    Agent core = Agent::Host;
  };
  struct Thread {
    std::array<Push, kKept> last{};
    std::array<Push, tensix::kReplaySlots> slots{};  // of the replay buffer
    std::array<Push, tensix::kMopConfigWords> mop{};
    u64 count = 0;
    u32 left = 0;  // words that REPLAY has still to record, and where
    u32 slot = 0;
  };
  struct Found {
    Agent agent = Agent::Host;
    u32 word = 0;
    Cycle cycle = 0;
    std::vector<From> origins;
  };

  Thread& thread_of(unsigned thread) {
    if (threads_[thread] == nullptr) threads_[thread] = std::make_unique<Thread>();
    return *threads_[thread];
  }
  /// Rules were broken since the last push: what has led to them is still remembered.
  void look(const std::vector<Fault>& faults);
  void record(Thread& of, u32 word, Agent core, u32 pc);
  std::vector<From> search(const Fault& fault) const;

  std::array<std::unique_ptr<Thread>, kThreads> threads_;
  std::size_t seen_ = 0;  // faults of the tile
  std::vector<Found> found_;
};

}  // namespace bhemu::tile
