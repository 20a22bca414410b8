// What traces and observers are told of a tile's cores: each instruction of a core that is
// followed, and what happens to cores and queues between instructions. Nothing here changes what
// happens; when a followed core executes is the schedule's business (followed.cpp). The one
// exception is asked for: data caches (data_cache.hpp).
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "base/wait.hpp"
#include "mem/arena.hpp"
#include "mem/l1.hpp"
#include "noc/stream.hpp"
#include "riscv/core.hpp"
#include "riscv/effect.hpp"
#include "riscv/lines.hpp"
#include "riscv/vector.hpp"
#include "tensix/coprocessor.hpp"
#include "tile/data_cache.hpp"
#include "tile/debug_registers.hpp"
#include "tile/shape.hpp"
#include "tile/slot.hpp"
#include "trace/observer.hpp"
#include "trace/port.hpp"

namespace bhemu::tile {

class Follower {
 public:
  /// What it looks at. The pointers are those of the tile, null where there is nobody to tell, or
  /// no such part.
  struct Environment {
    NodeId node;
    const Shape& shape;
    const std::array<riscv::CoreState, kCores>& cores;
    std::array<CoreSlot, kCores>& slots;
    const DebugRegisters& registers;
    const L1& l1;
    const riscv::CodeLines& code;
    trace::Port* const& trace;
    trace::Observer* const& observer;
    const ArenaPtr<tensix::Coprocessor>& coprocessor;
    const std::unique_ptr<DataCaches>& data_caches;
  };
  explicit Follower(const Environment& environment);
  ~Follower();

  // --- Who is told
  /// An epoch begins. True: somebody is told of something in it.
  bool begin_epoch(Cycle now, Cycle until);
  /// There is another observer, or none.
  void observer_changed();
  bool follows(unsigned core) const {
    return env_.observer != nullptr || (traces_ && env_.trace->follows(core));
  }
  /// Of the core each instruction is told, not only those that reach beyond its registers.
  bool tells_all(unsigned core);
  /// Where to tell of the coprocessor's threads; null: nowhere.
  trace::Port* port_of_threads() const {
    return traces_ && env_.trace->follows_threads() ? env_.trace : nullptr;
  }
  struct Untold {
    Cycle until = 0;
    u32 told = kNowhere;  // pc of an instruction then to be told of, if that is known
    static constexpr u32 kNowhere = ~0u;
  };
  /// Up to there the core does nothing but arithmetic and loads of which nobody is told, with a
  /// jump at the end perhaps.
  Untold untold_until(unsigned core, Cycle end);
  /// The core has got there.
  void ran();

  // --- An instruction of a core that is followed
  /// Before it; `stale` is for as long as it executes.
  void begin(unsigned core, DataCaches::Stale& stale);
  void end(unsigned core, riscv::Outcome outcome);
  /// After end(), where the access had to wait: a trace wants to know for what.
  bool wants_wait(unsigned core) const;
  void blocked(unsigned core, Waits waits);

  // --- What happens between instructions
  /// A word reached the queue of a thread; `core` is kCores for the debug bus. For observers.
  void tell_push(unsigned core, const Author& author, unsigned thread, u32 word, bool by_brisc);
  void tell_core(unsigned core, bool released, const Author& by);
  void tell_stream(u32 stream, const noc::StreamState& before, const noc::StreamState& after,
                   const Author& author);
  void interrupted(unsigned core, u32 handler);
  // For traces, when there is one.
  /// `at` is when the core is held, and means nothing when it is released.
  void trace_reset(unsigned core, bool held, Cycle at);
  void trace_queue(unsigned core, trace::Queue queue, bool push, unsigned from, unsigned to,
                   u32 value, Cycle now);
  void trace_semaphore(unsigned core, u32 semaphore, u32 before, Cycle now);

 private:
  struct Step;
  struct Following;
  static constexpr unsigned index(CoreId id) { return index_of(id); }
  Agent agent(unsigned core) const { return agent_of(env_.shape.core[core]); }
  Following& following();
  bool is_memory(unsigned core, u32 address, u32 bytes) const;
  void look_into_cache(const Step& step, DataCaches::Stale& stale);
  std::optional<unsigned> thread_pushed_to(unsigned core, const riscv::Effect& effect) const;
  void open_stalls();
  // For an observer (observe.cpp)
  void begin_step(Step& step);
  void end_step(Step& step);
  void tell_queues(const Step& step);
  // For a trace (trace.cpp)
  void trace_step(const Step& step);
  void trace_vector(unsigned core, u32 pc, const riscv::VectorAccess& access);

  Environment env_;
  std::unique_ptr<Following> following_;                   // null: no core was ever followed
  trace::Instructions wanted_ = trace::Instructions::All;  // by the observer
  bool traces_ = false;                                    // in the epoch under way
  bool leaves_out_loads_ = false;  // of memory: the observer wants none, nobody has a cache
};

}  // namespace bhemu::tile
