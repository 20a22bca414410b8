// The Tensix coprocessor of one tile: three threads with their frontends, and the units behind
// them.
//
// Documents: BlackholeA0/TensixTile/TensixCoprocessor/, boopdotpng/tenstorrent-docs
// hardware/blackhole-emulator-specs/ (tensix-coprocessor-pipeline, instruction-push, pcbufs ...).
// This header is the seam to the tile: what cores reach through MMIO, and how time passes.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/archive.hpp"
#include "base/delays.hpp"
#include "base/fault.hpp"
#include "base/types.hpp"
#include "base/wait.hpp"
#include "base/wakeup.hpp"
#include "mem/arena.hpp"
#include "mem/l1.hpp"
#include "trace/event.hpp"

namespace bhemu::trace {
class Observer;
class Port;
}  // namespace bhemu::trace

namespace bhemu::tensix {

struct State;      // plain data, tensix/state.hpp
struct DataPaths;  // derived from it, tensix/data_paths.hpp
struct Timing;     // how long instructions take, tensix/timing.hpp
class Watch;       // what it takes to tell an observer, tensix/watch.hpp

/// The tile's registers, as its coprocessor reaches them.
class TileRegisters {
 public:
  /// Overlay stream registers (STREAMWAIT, STREAMWRCFG) and other tile registers that ThCon
  /// reaches (LOADREG, STOREREG): full MMIO addresses, done with the rights of a TRISC. False: a
  /// rule was broken, and the author must stop.
  virtual bool load_register(u32 address, u32& value, const Author& author) = 0;
  virtual bool store_register(u32 address, u32 value, const Author& author) = 0;
  /// CFG word 185 (RISCV_IC_INVALIDATE) and its like, written by any agent: the tile's side
  /// effects.
  virtual void config_written(u32 word_index, u32 value, Cycle now) = 0;

 protected:
  ~TileRegisters() = default;
};

/// Of turns in which several threads can do something.
struct TurnCounts {
  u64 executed = 0;
  u64 known = 0;     // of these, begun from a list (remember_turns)
  u64 departed = 0;  // of these, not ended from it
};

/// What the tile lends to its coprocessor. `wakeup.touch()` is called before anything that a core
/// can read or wait for changes.
struct Environment {
  L1* l1 = nullptr;
  Wakeup* wakeup = nullptr;
  FaultPort* faults = nullptr;
  TileRegisters* registers = nullptr;  // null: there are none, for tests of units
  NodeId node = 0;                     // of the tile: tells its draws from those of others
  /// Null: the Plain build, in which every instruction takes a cycle. Else the Full build, with
  /// these windows.
  const Timing* timing = nullptr;
  /// What happens late, of the Full build; null: nothing.
  Delays* delays = nullptr;
  /// Lent by the coprocessor to its followed turns and to the vector unit; null: nobody looks on.
  Watch* watch = nullptr;
  Arena* arena = nullptr;  // where the state lies; null: anywhere
  /// Lent by the coprocessor to its own units; without it they are slower and do the same.
  DataPaths* paths = nullptr;
};

/// What came of an access to a register file in which not every address is a register.
enum class RegisterAccess : u8 {
  Done,
  Absent,   // no such register; nothing was reported
  Refused,  // a rule was broken, and the author must stop
};

namespace fpu {
class Courses;
class ProductRun;
}  // namespace fpu
namespace frontend {
class TurnCache;
class TurnMemory;
}  // namespace frontend

class Coprocessor {
 public:
  explicit Coprocessor(const Environment& environment);
  ~Coprocessor();
  Coprocessor(const Coprocessor&) = delete;
  Coprocessor& operator=(const Coprocessor&) = delete;

  // --- Instruction entry. `now` is the pusher's cycle; the word may be taken from now + 1 on.
  /// Room for one more word in front of the MOP expander, pushed by itself.
  bool can_push(unsigned thread) const;
  /// Room for one more word of a group of fused `.ttinsn` whose first word had room.
  bool can_push_fused(unsigned thread) const;
  void push(unsigned thread, u32 word, Cycle now) { push(thread, {&word, 1}, now); }
  /// One a cycle from `now` on.
  void push(unsigned thread, std::span<const u32> words, Cycle now);
  /// BRISC enters behind the MOP expander (instruction-push), in front of ten places.
  bool can_push_from_brisc(unsigned thread) const;
  void push_from_brisc(unsigned thread, u32 word, Cycle now);
  /// DBG_INSTRN_BUF_STATUS: nothing in the FIFO behind the MOP expander.
  bool brisc_fifo_empty(unsigned thread) const;
  /// A TRISC enters reset: what is queued before and in its MOP expander is lost (SoftReset.md).
  void discard_queued(unsigned thread);

  // --- Time.
  /// True when no cycle can change anything until an input changes (all threads empty or blocked,
  /// no unit inside its window). Every entry point that could change this ends the sleep by itself.
  bool asleep() const;
  /// Something outside that a thread may wait for has changed (stream registers): look again.
  void rouse();
  /// Executes the cycles [from, until). May return early when it falls asleep.
  void run(Cycle from, Cycle until);
  /// From now on the Full build with these windows, or, with null, the Plain one. Between runs.
  void set_timing(const Timing* timing);
  /// Of the Plain build: a thread that is alone executes in bursts, and data paths keep what they
  /// have worked out. Neither changes a result.
  void set_shortcuts(bool bursts, bool whole_rows);
  /// What products of matrices have in common is kept there from now on, from one call of `run` to
  /// the next; null: it is worked out anew in each.
  void lend(fpu::ProductRun* products);
  /// Turns that are known there are executed from a list, and others added: what several
  /// coprocessors share. Changes no result. Before the first run; null: every turn by itself.
  void remember_turns(std::shared_ptr<frontend::TurnCache> turns);
  TurnCounts turn_counts() const;
  /// What is late from now on (with a timing only); null: nothing. Between runs.
  void set_delays(Delays* delays) { environment_.delays = delays; }
  /// The word that was pushed last came in a bundle behind others, and is there from `ready` on.
  void put_off_push(unsigned thread, Cycle ready, bool fused, bool by_brisc);
  /// Stores of the thread's core to configuration, GPRs and TDMA registers that are under way.
  void count_pending_stores(unsigned thread, i32 change);
  /// Commands to TDMA-RISC that are under way: each has a place in the queue.
  void count_pending_commands(i32 change);
  /// Told of everything by run_followed, and by run in the Full build; null: nobody. Between runs.
  void set_observer(trace::Observer* observer);
  /// As run, and tells the trace, if there is one, and the observer, if there is one.
  void run_followed(Cycle from, Cycle until, trace::Port* port);
  /// Of the word that was pushed last, when there is an observer: its number (trace/observer.hpp).
  u64 push_number(unsigned thread, bool by_brisc);

  // --- MMIO seen by cores. Word indices, not byte offsets, unless said.
  u32 read_gpr(unsigned thread, u32 index) const;
  void write_gpr(unsigned thread, u32 index, u32 value, Cycle now, u32 byte_mask = 0xF);
  /// Backend configuration at 0xFFEF0000, the same for every core. Which of the two state banks an
  /// address means is decided inside; `index` is the byte offset / 4.
  /// False, here and below: a rule was broken, and the author must stop.
  bool read_config(u32 index, u32& value, const Author& author) const;
  bool write_config(u32 index, u32 value, const Author& author);
  /// The semaphore window of PCBuf (0xFFE80020 ...): read gives the value, a write posts (even
  /// value) or gets (odd value). `semaphore` 0..7.
  u32 read_semaphore(u32 semaphore) const;
  u32 semaphore_max(u32 semaphore) const;
  void write_semaphore(u32 semaphore, u32 value, Cycle now);
  /// PCBuf word 0: 16-entry FIFO from BRISC to `thread`'s TRISC (pcbufs).
  bool pcbuf_empty(unsigned thread) const;
  bool pcbuf_full(unsigned thread) const;
  void pcbuf_push(unsigned thread, u32 value, Cycle now);
  u32 pcbuf_pop(unsigned thread, Cycle now);
  /// TTSync: everything pushed has left the thread and the units it used are quiet.
  bool drained(unsigned thread) const;
  /// The MOP expander of the thread is idle and its FIFO empty (PCBuf + 8).
  bool mop_drained(unsigned thread, Cycle now = kNever) const;
  /// Auto TTSync: an access of the thread's core has to wait for instructions pushed before.
  /// `index` of the configuration as in read_config.
  bool holds_config(unsigned thread, u32 index, bool is_store) const;
  bool holds_gprs(unsigned thread, bool is_store) const;
  bool holds_tdma(unsigned thread, bool is_store) const;
  bool write_mop_config(unsigned thread, u32 index, u32 value, const Author& author);
  /// Dst window at 0xFFBD8000, byte offset, size 1, 2 or 4, conversions by RISC_DEST_ACCESS_CTRL.
  bool read_dst(unsigned thread, u32 offset, u32 size, u32& value, const Author& author);
  bool write_dst(unsigned thread, u32 offset, u32 size, u32 value, const Author& author);
  /// TDMA-RISC registers at 0xFFB11000, byte offset. Each core has its own base of mover commands.
  RegisterAccess read_tdma(u32 offset, u32& value, const Author& author);
  RegisterAccess write_tdma(u32 offset, u32 value, const Author& author);
  /// The read has to wait until the packer has closed a tile.
  bool tdma_read_waits(u32 offset) const;
  /// The write has to wait until there is room in the command queue.
  bool tdma_write_waits(u32 offset) const;
  Wait wait_for_tdma_room() const;
  static bool tdma_read_has_effect(u32 offset);
  /// tt_cfg_qstatus, tt_cfg_bstatus (CSRs.md). `thread` kThreads: a core without a thread (B, NC),
  /// which sees the union.
  u32 queue_status(unsigned thread) const;
  u32 backend_status(unsigned thread) const;
  /// Somebody whose status `thread` sees has set TENSIX_CSR_CONFIG_RawBusyStatus.
  bool raw_busy_status(unsigned thread) const;
  /// The overlay stream that a thread's STREAMWAIT means by `select`.
  u32 selected_stream(unsigned thread, u32 select) const;
  /// DBG_FEATURE_DISABLE (0xFFB12068) and the like: the tile owns the register, we obey it.
  void set_debug_feature_disable(u32 value);

  /// Bits 0..10 and 15..23 of SOFT_RESET_0: units held in reset (SoftReset.md).
  void set_soft_reset(u32 bits, Cycle now);
  /// Power-on state.
  void reset();

  Waits waiting(unsigned thread) const;
  u64 instructions_executed(unsigned thread) const;
  u64 hash(u64 seed) const;
  void archive(Archive& archive);

  /// To change it: what was worked out of the configuration is forgotten with each call.
  State& state();
  const State& state() const { return *state_; }
  /// Asks the host for what says whether there is anything to do.
  void fetch() const;

 private:
  /// Instructions are executed that do not tell what is lent of them.
  void forget_products();
  /// run() without bursts: in the Full build, or while a bank of performance counters runs (nothing
  /// else can tell that from a run in which none does).
  void run_each_cycle(Cycle from, Cycle until, bool counts);
  void lend_paths();

  ArenaPtr<State> state_;
  ArenaPtr<DataPaths> paths_;
  std::unique_ptr<Watch> watch_;  // null: nobody looks on
  Environment environment_;
  std::unique_ptr<frontend::TurnMemory> turns_;  // null: every turn is executed by itself
  std::unique_ptr<fpu::Courses> courses_;        // of products; null until there are any
  bool bursts_ = true;
  bool keeps_paths_ = true;
};

}  // namespace bhemu::tensix
