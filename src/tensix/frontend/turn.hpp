// The threads during one call of Coprocessor::run. Nothing from outside can reach them meanwhile,
// so two things need not be done cycle by cycle: a thread that waits for what only another thread
// can do is asked again when one has executed an instruction of a unit that could do it; and a
// thread that is alone with that executes in bursts. Both change nothing but the time it takes.
#pragma once

#include "tensix/fpu/product_run.hpp"
#include "tensix/frontend/gate.hpp"
#include "tensix/frontend/known_turn.hpp"
#include "tensix/frontend/upcoming.hpp"

namespace bhemu::tensix::frontend {

/// Some core sleeps until a thread or the mover is done: it has to be woken in the cycle in which
/// their windows end. Cores fall asleep only in their own turns, never during a turn of the
/// coprocessor, so an answer of false holds until that turn ends.
inline bool windows_are_watched(const Environment& env) {
  constexpr u32 kWindows = mask_of(Resource::Thread0) | mask_of(Resource::Thread1) |
                           mask_of(Resource::Thread2) | mask_of(Resource::Tdma);
  return env.wakeup != nullptr && (env.wakeup->watched & kWindows) != 0;
}

/// Sets the present to `now`, and wakes the cores that wait for windows that have ended by then.
void advance(State& state, const Environment& env, Cycle now);

class Turn {
 public:
  static constexpr bool kPlain = true;

  /// A thread that is idle now stays so until the end.
  Turn(State& state, const Environment& env);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// All cycles from `from` on and before `until`.
  void run(Cycle from, Cycle until);
  /// The same from a list: the state is what `known` was noted in. False: not to its end.
  bool run_known(const KnownTurn& known, Cycle from, Cycle until);
  /// Several threads can do something.
  bool has_several() const { return count_ >= 2; }
  /// Offers the instruction at a gate to its unit, for who keeps the turn's time himself.
  Issued issue_one(Context& context, const Decoded& decoded, BusyUnit unit);
  /// One cycle of a thread that was not idle when the turn began, likewise.
  bool step_by_itself(unsigned thread, Cycle now, u8& accepted);
  /// One cycle of all threads. True when any state changed. `accepted` as of `step`.
  bool cycle(Cycle now, u8& accepted);
  /// Executes cycles from `now` on, at most up to `until`, while only one thread can do anything
  /// and its instructions need nothing but their unit. Returns the first cycle that is not
  /// complete: `cycle` goes on there and knows what has been done of it. Where a core waits for a
  /// window to end, the present has been advanced to that cycle.
  Cycle burst(Cycle now, Cycle until) {
    if (windows_are_watched(env_)) advance(state_, env_, now);
    return asked_ == 1 ? burst_alone(now, until) : now;
  }

 private:
  struct Inlined;
  /// A thread that was not idle when the turn began.
  struct Active {
    Frontend* frontend;
    Context* context;
    unsigned thread;
    /// Units whose instructions could let it go on: it has to be asked again when one has been
    /// executed; 0: it has to be asked in every cycle.
    u32 released_by;
  };

  bool cycle_inlined(Cycle now, u8& accepted);
  /// One cycle of a thread, as `step<Plain>` has it.
  bool step(const Active& active, Cycle now, u8& accepted, StepNotes& notes);
  bool step_slowly(const Active& active, Cycle now, u8& accepted, StepNotes& notes);
  /// An instruction has been executed that those may wait for whom units of `executed` release.
  void release(u32 executed);
  /// `burst` when one thread alone has to be asked.
  Cycle burst_alone(Cycle now, Cycle until);
  /// `burst` of this thread. `held`: units whose instructions could release another thread.
  /// `next`: of its gate when it is empty.
  Cycle execute_alone(unsigned thread, NextWord next, u32 held, Cycle now, Cycle until);
  /// Executing `word` needs nothing but its unit and releases no other thread.
  static bool stays_alone(u32 word, u32 held);
  enum class Progress : u8 {
    None,   // nothing was done
    Some,   // time has gone on
    Stuck,  // the cycle `now` is not complete
  };
  /// Executes words that are known beforehand, together where they can be.
  Progress execute_known(Context& context, const NextWord& next, u32 held, Cycle& now, Cycle until);
  /// Executes the first of `count` words, which come one a cycle from the context's on, in one call
  /// if they are PACRs or MVMULs with nothing special. Returns how many; 0: none.
  u32 execute_together(Context& context, const u32* word, u32 count);
  /// An MVMUL at the gate, if it can go on with what is known of the ones before it.
  bool execute_product(Context& context);
  bool is_watched(unsigned thread, Cycle now) const;

  /// Where an instruction of a known turn has not left its gate as it did before.
  struct Departure {
    unsigned thread;
    Cycle now;
    bool issued;
  };
  /// How an instruction of a known turn has left its gate.
  enum class Left : u8 { AsNoted, Otherwise, NotAtAll };
  /// Executes the group, up to the first that has not left its gate as noted: the context of its
  /// thread is there.
  Left execute_group(const KnownTurn& known, const KnownTurn::Group& group, Cycle from);
  bool execute_several(Context& context, const u32* word, u32 count);
  bool execute_vectors(Context& context, const u32* word, u32 count);
  /// By itself, as a group of one.
  bool execute_one(Context& context, u32 word);
  void leave_frontends(const KnownTurn& known, Cycle from);
  /// Brings the frontends to where they are at the departure, and goes on from there.
  void depart(const KnownTurn& known, const Departure& departure, Cycle from, Cycle until);
  /// Returns what was accepted of the instruction, if one has left its gate.
  u8 repeat(const KnownTurn::Event& event, const Environment& quietly, Cycle now);

  State& state_;
  const Environment& env_;
  unsigned count_ = 0;
  bool changed_ = false;
  /// Threads that have to be asked in the next cycle.
  unsigned asked_ = 0;
  /// Units that could release one of the others.
  u32 held_ = 0;
  std::array<Active, kThreads> active_;
  std::array<Context, kThreads> context_;
  /// What is known of sources and configuration of the products of one thread.
  fpu::ProductRun own_products_;
  fpu::ProductRun& products_;
};

/// The same in the Full build: every thread is asked in every cycle.
class FullTurn {
 public:
  static constexpr bool kPlain = false;
  FullTurn(State& state, const Environment& env) : state_(state), env_(env) {}

  bool cycle(Cycle now, u8& accepted);
  /// Nothing is done in bursts.
  Cycle burst(Cycle now, Cycle until);

 private:
  State& state_;
  const Environment& env_;
};

}  // namespace bhemu::tensix::frontend
