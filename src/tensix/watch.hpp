// Between the coprocessor and whoever observes it (trace/observer.hpp): knows which push each word
// at a wait gate came from, and notes what an instruction touches and which banks it waits for
// while the instruction is at its gate. Nothing here is state of the chip.
//
// Queued words carry no numbers (they would be state). Words leave a queue in the order in which
// they entered, so the word at the gate has the number of the last push less the words behind it.
#pragma once

#include <array>
#include <optional>

#include "tensix/context.hpp"
#include "tensix/footprint/footprint.hpp"
#include "tensix/operation.hpp"
#include "trace/observer.hpp"

namespace bhemu::tensix {

/// Banks that an instruction cannot start without, on the matrix unit's side or the unpackers'.
struct BankWait {
  u8 src = 0;
  u8 bank = 0;
  bool matrix = false;
};
struct BankWaits {
  u32 count = 0;
  std::array<BankWait, 2> bank{};
};
BankWaits banks_waited_for(const State& state, u32 word);

class Watch {
 public:
  Watch(trace::Observer& observer, NodeId tile)
      : observer_(observer), tile_(tile), wants_changes_(observer.wants_changes()) {
    touches_.want(observer.wanted_spaces());
    scheduled_.want(observer.wanted_spaces());
    touches_.flows.want(observer.wants_flows());
    scheduled_.flows.want(observer.wants_flows());
  }

  /// A word has been pushed to the thread: its number.
  u64 pushed(unsigned thread, bool by_brisc) { return ++last_[thread][by_brisc]; }

  // --- Around one cycle of one thread.
  void before_step(const State& state, unsigned thread, Cycle now);
  void after_step(const State& state, unsigned thread);

  // --- Within it.
  /// The instruction at the gate is offered to its unit, which may refuse it.
  void offered(const Context& context);
  /// The latched condition has come true, and is about to be forgotten.
  void lifts(const Frontend& frontend, unsigned thread, Cycle now);
  /// The unit has taken it, and is at work until `end`.
  void taken(const Context& context, BusyUnit unit, Cycle end, bool discarded);
  /// SFPLOADMACRO has executed one of the instructions that it had scheduled.
  void before_scheduled(const Context& context);
  void after_scheduled(const Context& context, Cycle end);

  // --- When something takes effect (trace::Landing).
  /// The author's cycle is that of the landing.
  void landed(trace::Landing::What what, Author author, const Touches& touches, u32 piece = 0,
              u32 pieces = 1);

  // --- Around frontend::run_ahead.
  void runs_ahead(const State& state, unsigned thread, Cycle now);
  void ran_ahead(const State& state, unsigned thread);

 private:
  /// What is compared with what is found after a step.
  struct Before {
    Cycle now = 0;
    u32 queued = 0;     // words in front of the MOP expander
    u32 ahead = 0;      // words behind it
    bool ends = false;  // the first of them is the last of its push
    bool gate_full = false;
    bool plays = false;
    u64 executed = 0;
    std::array<Semaphore, kSemaphores> semaphores{};
    std::array<u8, kMutexes> mutexes{};
  };
  trace::PushId source_of_gate(const Frontend& frontend, unsigned thread) const;
  void tell_expansions(const Frontend& frontend, unsigned thread, u32 left_before);
  void note_old_words(const L1& l1);
  void tell_objects(const State& state, unsigned thread);
  Author author_of(unsigned thread, u32 word, Cycle now, Origin origin) const {
    return {agent_of_thread(thread), word, now, tile_, origin};
  }

  trace::Observer& observer_;
  NodeId tile_;
  bool wants_changes_;
  std::array<std::array<u64, 2>, kThreads> last_{};  // pushes so far, by thread and entry
  std::array<trace::PushId, kThreads> at_gate_{};    // where the word there came from
  std::array<trace::PushId, kThreads> of_replay_{};  // likewise of the playback under way
  std::array<u32, kFifoDepth> words_{};              // in front of the MOP expander, before
  Before before_;
  std::array<std::array<SrcOwner, kSrcBanks>, 2> owners_{};
  BankWaits waits_;
  Touches touches_;
  Touches scheduled_;
  std::array<u32, 5> old_words_{};  // trace::Issue::old_words
  u32 old_count_ = 0;
  std::optional<Operation> operation_;
  bool discarded_ = false;
};

}  // namespace bhemu::tensix
