// A tile with cores: L1, the cores, the coprocessor of a Tensix tile or the port of an Ethernet
// tile, two NIUs, overlay registers, and the order in which they take their turns. What tells the
// two kinds apart is in shape.hpp.
//
// Documents: seed 000 (address space), BlackholeA0/TensixTile/BabyRISCV/README.md (memory map),
// SoftReset.md; the schedule: docs/ARCHITECTURE.md, "Inside a tile".
//
// Time inside a tile is cut into turns. A turn ends at the next multiple of the quantum, at the
// next packet arrival or at the end of the epoch, whichever is first; these points do not depend
// on who sleeps, so a parked run and an unparked one cut time alike. In a turn the agents go in
// a fixed order: arrivals, BRISC, NCRISC, TRISC0, TRISC1, TRISC2, coprocessor.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fault.hpp"
#include "base/wait.hpp"
#include "base/wakeup.hpp"
#include "eth/base_firmware.hpp"
#include "eth/port.hpp"
#include "mem/arena.hpp"
#include "mem/l1.hpp"
#include "noc/niu.hpp"
#include "noc/node.hpp"
#include "noc/stream.hpp"
#include "riscv/core.hpp"
#include "riscv/effect.hpp"
#include "riscv/lines.hpp"
#include "riscv/vector.hpp"
#include "tensix/coprocessor.hpp"
#include "tile/activity.hpp"
#include "tile/checks.hpp"
#include "tile/core_access.hpp"
#include "tile/data_cache.hpp"
#include "tile/debug_bus.hpp"
#include "tile/debug_registers.hpp"
#include "tile/debug_unit.hpp"
#include "tile/debugger.hpp"
#include "tile/follower.hpp"
#include "tile/late.hpp"
#include "tile/ledger.hpp"
#include "tile/mailboxes.hpp"
#include "tile/pic.hpp"
#include "tile/regions.hpp"
#include "tile/shape.hpp"
#include "tile/shortcuts.hpp"
#include "tile/slot.hpp"
#include "tile/tag_search.hpp"
#include "tile/timestamper.hpp"
#include "trace/observer.hpp"
#include "trace/port.hpp"

namespace bhemu::riscv::jit {
class CodeCache;
struct Context;
}  // namespace bhemu::riscv::jit

namespace bhemu::tile {

class Onlooker;
struct DelayedBus;
struct Translated;

struct TileConfig {
  const Shape* shape = &tensix_shape();
  NodeId node = kNoNode;
  Coord noc0;  // physical
  const noc::Routing* routing = nullptr;
  const noc::Timing* timing = nullptr;
  const FaultPolicy* policy = nullptr;
  Cycle quantum = 32;  // a power of two
  bool parking = true;
  Shortcuts shortcuts;
  std::optional<eth::BootFacts> ethernet;  // of an Ethernet tile, which starts by itself
  /// The windows of the coprocessor's Full build; null: the Plain build. See Tile::set_units.
  const tensix::Timing* units = nullptr;
  Arena* arena = nullptr;  // where the parts lie; null: anywhere
  /// Where translations of RISC-V code come from; null: the interpreter does everything.
  std::shared_ptr<riscv::jit::CodeCache> code;
  /// What code decodes to; null: the tile keeps that for itself.
  std::shared_ptr<riscv::LineCache> lines;
  /// Turns of coprocessors that have been executed before; null: each is executed by itself.
  std::shared_ptr<tensix::frontend::TurnCache> turns;
  /// What is checked all the time, with what is known of the software; null: nothing.
  CheckSet checks;
  std::shared_ptr<const Software> software;
};

template <bool Record>
struct CoreBus;
class Tile final : public noc::Node,
                   private Waker,
                   private WriteListener,
                   private tensix::TileRegisters,
                   private DebuggerHost,
                   private LateHost,
                   private DebugUnitHost,
                   private AccessHost,
                   private noc::NiuHost {
 public:
  explicit Tile(const TileConfig& config);
  ~Tile() override;

  // --- noc::Node
  Cycle next_cycle() const override;
  void run_until(Cycle until, noc::Outbox& outbox) override;
  void deliver(noc::Packet&& packet) override;
  void deliver_all(noc::Acknowledgements&& all) override { arrivals_.push(std::move(all)); }
  bool receive_at_rest(const noc::Packet& request, noc::Acknowledgements& answers) override;
  bool host_read(u64 address, std::span<u8> bytes, Cycle now) override;
  bool host_write(u64 address, std::span<const u8> bytes, Cycle now) override;
  noc::PlainMemory plain_memory() override;
  u64 hash(u64 seed) const override;
  /// Only after settle().
  void archive(Archive& archive) override;
  void reset(Cycle now) override;
  void catch_up_trace(Cycle now) override;
  void set_observer(trace::Observer* observer) override;
  void set_delays(std::shared_ptr<const DelayPlan> plan) override;

  /// Brings cores that wait to cycle `now` (an epoch edge), as if they had been run: before
  /// anything looks at cycle counts or hashes.
  void settle(Cycle now);

  /// From now on, the edge of an epoch, the coprocessor of a Tensix tile is the Full build with
  /// these windows, or, with null, the Plain one. Must outlive that.
  void set_units(const tensix::Timing* units) { coprocessor_->set_timing(units); }

  // --- Inspection
  const Shape& shape() const { return shape_; }
  L1& l1() { return l1_; }
  const riscv::CoreState& core(CoreId id) const { return cores_[index(id)]; }
  CoreStatus status(CoreId id) const { return slots_[index(id)].status; }
  /// Of a Tensix tile.
  tensix::Coprocessor& coprocessor() { return *coprocessor_; }
  const tensix::Coprocessor& coprocessor() const { return *coprocessor_; }
  /// Null in a Tensix tile.
  const eth::Port* port() const { return port_.get(); }
  /// ERISC0 is where an Ethernet tile that nobody uses spends its time: in the waiting loop of the
  /// base firmware.
  bool is_waiting_for_work(unsigned core) const;
  noc::Niu& niu(unsigned noc) { return *nius_[noc]; }
  const noc::Niu& niu(unsigned noc) const { return *nius_[noc]; }
  /// What a core waits for that is Blocked, Parked or Halted.
  Waits waiting(CoreId id) const;
  /// True when a core of the tile is out of reset or the coprocessor has work. What the base
  /// firmware of an Ethernet tile does while it waits does not count.
  bool in_use() const;
  u64 instructions() const;  // RISC-V, all cores
  /// Those of them that parked cores retired without anybody executing them.
  u64 skipped_instructions() const { return skipped_; }
  u64 tensix_instructions() const;
  u64 bytes_sent() const { return bytes_sent_; }
  const Activity& activity() const { return activity_; }
  const CoreSlot& slot(CoreId id) const { return slots_[index(id)]; }
  const Ledger& ledger() const { return ledger_; }
  /// Null when nothing is checked all the time.
  Checks* checks() { return checks_.get(); }
  /// Of the software that runs; null: nothing is known.
  const Software* software() const { return software_.get(); }

  // --- For a debugger that stops time (onlooker.hpp). It changes nothing of what happens, except
  // where it writes.
  /// From now on `onlooker` sees each instruction of the cores; null: nobody. Must outlive that.
  void set_onlooker(Onlooker* onlooker) { onlooker_ = onlooker; }
  /// Writes to the lines of L1 that hold these bytes are announced to the onlooker.
  void observe(u32 address, u32 bytes, bool observed);
  /// What a core sees there, if reading has no effect. False: nothing, or not without an effect.
  bool look(CoreId core, u32 address, std::span<u8> bytes);
  /// Into L1 or the core's own local memory only.
  bool poke(CoreId core, u32 address, std::span<const u8> bytes);
  /// To be changed: the core is awake, and its loop no longer one that may be slept through.
  riscv::CoreState& state_for_debugger(unsigned core);
  /// Parked cores run again, from `now`, an epoch edge; they park again as soon as they may.
  void rouse_parked(Cycle now);
  /// The loop under way is not one to park in: it is to be looked at round by round.
  void keep_awake(unsigned core);
  /// A core sleeps until it has counted, or waited for a clock, long enough.
  bool waits_for_time() const { return next_rounds_ != kNever; }
  /// The place in the turn under way, for who lets others look at a tile in the middle of it.
  struct Standing {
    Cycle now, turn_begin, turn_limit;
    unsigned position;
  };
  Standing standing() const { return {now_, turn_begin_, turn_limit_, position_}; }
  void stand(const Standing& at) {
    now_ = at.now;
    turn_begin_ = at.turn_begin;
    turn_limit_ = at.turn_limit;
    position_ = at.position;
  }

 private:
  template <bool Record>
  friend struct CoreBus;
  friend class DebugProbe;
  static constexpr unsigned kOutside = kCores + 1;  // arrivals and the host: between turns
  static constexpr unsigned index(CoreId id) { return index_of(id); }
  Agent agent(unsigned core) const { return agent_of(shape_.core[core]); }
  const RegionInfo& region_info(Region region) const { return (*shape_.regions)[region]; }

  // Schedule (schedule.cpp)
  template <bool Followed>
  void run_turns(Cycle until);
  template <bool Followed>
  void run_turn(Cycle limit);
  template <bool Followed>
  void run_core(unsigned core);
  bool run_plainly(unsigned core, riscv::jit::Context& context);
  void after_run(unsigned core, riscv::Outcome outcome) override;
  void serve_arrivals();
  void serve_acknowledgements();
  riscv::Outcome execute(unsigned core, Cycle until);
  riscv::Outcome execute_recorded(unsigned core, Cycle until);
  riscv::Outcome execute_alone(unsigned core);
  riscv::Outcome glance(unsigned core);
  bool coprocessor_asleep() const { return coprocessor_ == nullptr || coprocessor_->asleep(); }
  bool anyone_awake() const;
  Cycle begin_of_quantum(Cycle at) const { return at & ~(quantum_ - 1); }
  Cycle nominal_begin(Cycle at) const override {
    return std::max(turn_begin_, begin_of_quantum(at));
  }
  Cycle nominal_end(Cycle at) const;
  void end_long_turn(Cycle at) override;
  void rouse_coprocessor() override;
  /// If there is one for the core, and it is not in a handler already.
  void take_interrupt(unsigned core) override;
  void rouse_for_interrupts() override;
  Cycle wake_cycle(unsigned core) const;
  void wake_core(unsigned core) override;

  // Parking (parking.cpp)
  void wake(Resource resource) override;
  void before_write(u32 address, u32 bytes, const Author& author) override;
  void wake_readers(u32 address, u32 bytes);
  void forget_words(u32 address, u32 bytes);
  void start_recording(unsigned core);
  void stop_recording(unsigned core, bool failed) override;
  void check_recording(unsigned core) override;
  bool back_at_anchor(unsigned core) const;
  bool comes_round(unsigned core, u32 pc, Cycle now);
  bool stops_before_step(unsigned core);
  void look_at_head(unsigned core);
  void add_head(u32 anchor, Cycle period);
  void tell_of_head(unsigned core);
  void mark_translated(u32 address);
  void drop_translated(u32 pc);
  void replay(unsigned core, Cycle until);
  void unwatch(unsigned core) override;
  void skip_rounds(unsigned core, Cycle until);
  // Loops in which registers grow (rounds.cpp)
  class View;
  bool may_grow(unsigned core) const;
  bool shows_rounds(unsigned core) const;
  enum class InRounds : u8 { NotKnown, EndSoon, Over };
  InRounds park_in_rounds(unsigned core);
  bool park_in_known_round(unsigned core, const riscv::KnownRound& round);
  void look_early(unsigned core, const riscv::KnownRound& round);
  void park_at_head(unsigned core, const riscv::KnownRound& round);
  bool is_about_to(unsigned core, const riscv::KnownRound& round);
  void learn_round(unsigned core);
  Cycle next_of_rounds(unsigned core) const;
  void end_rounds();
  Cycle begin_of_turn(Cycle rounds_end) const;
  void update_watched() override;
  void block(unsigned core) override;

  // For the debugger (debug_host.cpp)
  void leave_loop(unsigned core) override;
  void end_run_of(unsigned core) override;
  riscv::Outcome execute_one(unsigned core) override;
  bool searches_tags(unsigned core) const override {
    return core == index(CoreId::Brisc) && tag_search_.armed();
  }
  // For the coprocessor (requests.cpp)
  bool load_register(u32 address, u32& value, const Author& author) override;
  bool store_register(u32 address, u32 value, const Author& author) override;
  void config_written(u32 word, u32 value, Cycle now) override;
  // L1 cache tag search accelerator (tag_read.cpp)
  std::optional<u32> tag_search(unsigned core, const riscv::Effect& effect, u32 word) override;
  // Of cores that are followed (followed.cpp)
  riscv::Outcome run_followed(unsigned core);
  riscv::Outcome follow(unsigned core, Cycle end, bool is_round);
  riscv::Outcome step_followed(unsigned core);
  void run_coprocessor_followed(Cycle begin);
  void replay_traced(unsigned core, Cycle until);
  // For a debugger (onlooker.cpp)
  riscv::Outcome run_looked_at(unsigned core, bool followed);
  bool look_at_register(unsigned core, u32 address, u32& value);

  // While things happen late (delayed.cpp)
  void make_late();
  bool is_ever_late() const { return late_ != nullptr || departs_; }
  Cycle next_late() const;
  void serve_late();
  bool was_held_up();
  riscv::Outcome execute_late(unsigned core);
  void archive_late(Archive& archive);
  void forget_late();

  riscv::Loaded read_status_csr(unsigned core, u32 csr);

  // For the debug unit (debug_host.cpp)
  DaisyGroup look_at_daisy(const DaisySelection& select, Cycle now) override;
  Cycle counted_until(Cycle now) const override;
  Cycle counted_from(Cycle now) const override;
  u32 pc_of(unsigned core) override;
  // Reset (reset.cpp)
  void set_soft_reset(u32 value, const Author& author) override;
  void hold_core(unsigned core);
  void release_core(unsigned core);
  void begin_work(unsigned core);
  void note_wait(unsigned core);
  u32 start_pc(unsigned core) const override;
  // What comes over the NoC (requests.cpp)
  bool are_registers(u64 address, u32 bytes) const;
  bool noc_read(u64 address, void* target, u32 bytes, Cycle now, Agent agent = Agent::Niu0);
  bool noc_write(u64 address, const void* source, u32 bytes, const Author& author);
  void show_heartbeat(u32 address, void* target, u32 bytes, Cycle now) const;
  void boot_ethernet();
  bool read(u64 address, void* target, u32 bytes, Cycle now) override {
    return noc_read(address, target, bytes, now);
  }
  bool write(u64 address, const void* source, u32 bytes, const Author& author) override {
    return noc_write(address, source, bytes, author);
  }
  void send(noc::Packet&& packet) override;
  bool send_to_all(noc::Packet& packet, const std::shared_ptr<const noc::Receivers>& receivers,
                   Cycle home) override;
  void make_coprocessor(Arena* arena);
  void make_port(const TileConfig& config);
  /// Asks the host for what letting these cores loose will need, a bit for each (fetch.cpp).
  void fetch_cores(u32 cores) const;
  void fetch_waiting() const;
  void note_written(u32 address, u64 bytes);
  void fetch_run() const;
  void make_nius(const TileConfig& config);
  void make_checks(const TileConfig& config);
  void make_translated(const std::shared_ptr<riscv::jit::CodeCache>& code, Arena* arena);
  void begin_host_access(Cycle now);
  // Saving, hashing, resetting (parts.cpp)
  struct Parts;
  void forget_code();
  void find_block(CoreId id, const CoreSlot& slot, Waits& waits) const;
  void find_in_loop(const CoreSlot& slot, std::vector<Wait>& waits) const;
  Wait stream_wait(const CoreSlot& slot) const;

  const Shape& shape_;

  // Hot.
  std::array<riscv::CoreState, kCores> cores_;
  std::array<CoreSlot, kCores> slots_;
  Cycle now_ = 0;
  Cycle turn_begin_ = 0;
  Cycle turn_end_ = 0;
  Cycle turn_limit_ = 0;          // no turn goes beyond: next arrival, end of the epoch
  unsigned position_ = kOutside;  // whose turn it is: 0..4 a core, kCores the coprocessor
  bool long_turn_ = false;        // the turn was stretched because one agent is alone
  Cycle quantum_;                 // a power of two
  bool parking_;
  bool long_turns_;
  Wakeup wakeup_;
  // What a multicast asks of each of its receivers lies here, too (receive_at_rest).
  bool departs_ = false;              // requests may wait for their way out
  std::unique_ptr<LateStores> late_;  // null: no store has ever been late here
  std::unique_ptr<eth::Port> port_;
  Onlooker* onlooker_ = nullptr;
  u64 sequence_ = 0;
  Activity activity_;
  // When a parked core whose rounds have an end is woken, so that it sees the end, or shown.
  Cycle next_rounds_ = kNever;
  // When a core that is alone is next looked at for a loop, and how long after that if in vain.
  struct Glance {
    Cycle next = 0;
    Cycle backoff = 0;
  };
  std::array<Glance, kCores> glances_;

  L1 l1_;
  riscv::CodeLines lines_;
  std::array<ArenaPtr<EthernetCoreBus<false>>, kCores> buses_;  // as CoreBus in most tiles
  std::array<ArenaPtr<EthernetCoreBus<true>>, kCores> recording_buses_;
  std::array<std::unique_ptr<DelayedBus>, kCores> delayed_buses_;
  ArenaPtr<Translated> translated_;  // null: the interpreter does everything
  ArenaPtr<tensix::Coprocessor> coprocessor_;
  std::optional<eth::BootFacts> boot_;
  std::array<ArenaPtr<noc::Niu>, kNocs> nius_;
  ArenaPtr<noc::StreamFile> streams_;
  Mailboxes mailboxes_;
  DebugRegisters debug_;
  DaisyDump dump_;
  Debugger debugger_;
  Follower follower_;
  Timestamper timestamper_;
  DebugUnit debug_unit_;
  Pic pic_;
  TagSearch tag_search_;
  RegisterSpace registers_;
  CoreAccess access_;

  noc::ArrivalQueue arrivals_;
  noc::Outbox* outbox_ = nullptr;
  std::vector<noc::Packet> early_;  // sent while no epoch runs (host writes to an NIU)
  u64 bytes_sent_ = 0;
  u64 skipped_ = 0;
  // Where the host has written a program or a message last, for fetch_run().
  struct Written {
    u32 address = 0;
    u32 bytes = 0;
  };
  std::array<Written, 2> written_{};
  Ledger ledger_;
  std::unique_ptr<Checks> checks_;
  std::unique_ptr<DataCaches> data_caches_;  // null: loads get what L1 holds
  std::shared_ptr<const Software> software_;
};

}  // namespace bhemu::tile
