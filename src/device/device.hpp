// A Blackhole chip as a value: build one for a board, write to it, run it, read from it.
// Any number live in one process.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check_groups.hpp"
#include "base/delays.hpp"
#include "base/fault.hpp"
#include "base/wait.hpp"
#include "device/board.hpp"
#include "noc/timing.hpp"
#include "riscv/jit/options.hpp"
#include "tensix/timing.hpp"
#include "tile/shortcuts.hpp"

namespace bhemu {

namespace noc {
class Node;
struct PlainMemory;
}  // namespace noc
namespace tile {
class Software;
class Tile;
}  // namespace tile
namespace pcie {
class Endpoint;
class HostMemory;
}  // namespace pcie
namespace trace {
class Observer;
struct Selection;
struct Summary;
class Sink;
}  // namespace trace
namespace sched {
class Engine;
}

class DeviceImage;

enum class TimingModel : u8 {
  Fast,       // an instruction takes a cycle; agents of a tile alternate every 64
  Reference,  // the same, alternating every cycle
  Windows,    // as Reference, but the coprocessor's units work as long as timing.def typically says
  Chaos,      // as Windows, and whatever hardware leaves open is late (base/delays.hpp)
};
const char* name_of(TimingModel timing);
/// The timing of that name, if there is one.
std::optional<TimingModel> timing_named(std::string_view name);

struct DeviceOptions {
  BoardOptions board = BoardOptions::defaults(BoardModel::P100A);
  TimingModel timing = TimingModel::Fast;
  unsigned threads = 1;  // host threads; results do not depend on it
  bool parking = true;   // off only to test parking; results do not depend on it
  // The Full build of the coprocessor also where the timing needs only the Plain one; results do
  // not depend on it (docs/ARCHITECTURE.md, "Plain and Full").
  bool full = false;
  // Off only to test them.
  tile::Shortcuts shortcuts;
  // Of `windows`: where in its window an instruction's effect lands that need not land at issue.
  tensix::Placement effects = tensix::Placement::Issue;
  /// Translation of RISC-V code; results do not depend on it.
  riscv::jit::Options jit = riscv::jit::Options::from_environment();
  u64 seed = 0;  // of Placement::Drawn and of Chaos; nothing else draws
  FaultPolicy faults;
  /// What is checked beyond what the documents forbid (docs/DEBUGGING.md, "Checks"); those of these
  /// that look on at every instruction are src/check's. `software`: null: nothing is checked.
  CheckSet checks;
  std::shared_ptr<const tile::Software> software;
};

enum class RunStatus : u8 {
  Done,      // the predicate held
  Cycles,    // the cycle limit was reached
  Idle,      // nothing can ever happen again without the host: every agent waits or is in reset
  Spinning,  // cores run, but only read other tiles over and over and get the same (livelock)
  Faulted,   // a fault of severity Error was raised
};

struct RunResult {
  RunStatus status = RunStatus::Cycles;
  Cycle cycle = 0;
};

/// One waiting agent of a hung (or idle) device: who, what for, who could release it.
struct Waiter {
  NodeId node = kNoNode;
  Agent agent = Agent::Host;
  u32 pc = 0;  // or the instruction word at a thread's wait gate
  Waits waits;
};

struct Totals {
  Cycle cycles = 0;
  u64 riscv_instructions = 0;  // retired
  u64 tensix_instructions = 0;
  u64 noc_packets = 0;
  u64 noc_bytes = 0;
  u64 riscv_skipped = 0;  // of riscv_instructions: in polling loops that the emulator slept through
};

/// Makes the observer of a node; null: it is not observed.
using ObserverMaker = std::function<std::unique_ptr<trace::Observer>(NodeId)>;
/// Somebody who may hold a device up between two epochs, and when a run is about to end: a
/// debugger. Only for devices with one host thread.
class Attendant {
 public:
  virtual ~Attendant() = default;
  /// The device stands at the edge of an epoch, in the middle of a run; it may be looked at,
  /// written to and restored.
  virtual void at_edge() = 0;
  /// The run is about to end like this. True: it goes on, since the device was restored or written
  /// to.
  virtual bool at_end(const RunResult& result) = 0;
  /// The host is about to write to the device.
  virtual void host_acts() = 0;
};

class Device {
 public:
  explicit Device(const DeviceOptions& options);
  ~Device();
  Device(Device&&) noexcept;

  const Board& board() const;
  const DeviceOptions& options() const;
  Cycle cycle() const;
  /// Before this cycle nothing happens unless the host does something: cores wait for a time. The
  /// present: something may happen now; kNever: nothing will.
  Cycle sleeps_until() const;

  // --- Host access, translated coordinates, NoC 0. False: nothing answers there.
  bool write(Coord tile, u64 address, std::span<const u8> bytes);
  bool read(Coord tile, u64 address, std::span<u8> bytes);
  /// Memory of this node that a host may read directly, and write directly while nothing can
  /// happen without the host, as long as nobody looks on (engine_without_onlookers). read() and
  /// write() do the same.
  noc::PlainMemory plain_memory(NodeId node);
  /// Null while somebody looks on (a trace, an observer, an attendant), who is to be told.
  sched::Engine* engine_without_onlookers();
  bool write32(Coord tile, u64 address, u32 value);
  bool read32(Coord tile, u64 address, u32& value);
  /// All live Tensix tiles of the inclusive rectangle.
  bool multicast(Coord first, Coord last, u64 address, std::span<const u8> bytes);
  /// The same by node, for those who resolve coordinates themselves.
  /// `posted`: the host does not wait until the bytes are there. They are at once; it matters to
  /// those who look for races.
  bool write(NodeId node, u64 address, std::span<const u8> bytes, bool posted = false);
  bool read(NodeId node, u64 address, std::span<u8> bytes);
  /// Backing memory of a software DRAM bank; `offset` + size within the bank.
  bool write_dram(unsigned bank, u64 offset, std::span<const u8> bytes);
  bool read_dram(unsigned bank, u64 offset, std::span<u8> bytes);
  u64 dram_bank_bytes() const;
  /// Host memory as the PCIe endpoint sees it (bit 60 addresses of (19, 24)).
  void set_host_memory(std::span<u8> memory, u64 base);
  /// Any other host memory; must outlive the device or be taken away with null.
  void set_host_memory(pcie::HostMemory* memory);
  pcie::Endpoint& pcie();

  // --- Time.
  /// Runs until `done()` (asked at every epoch edge and at the start), `limit` cycles from now have
  /// passed, the device is idle or spins, or a fault stops it. A null `done` never holds.
  RunResult run(Cycle limit, const std::function<bool()>& done = nullptr);

  /// What happens late from now on; null: nothing. Only with timing Chaos, which begins with the
  /// draws of its seed. `nodes`: where; none: everywhere. Between runs.
  void set_delays(std::shared_ptr<const DelayPlan> plan, std::span<const NodeId> nodes = {});
  std::shared_ptr<const DelayPlan> delay_plan() const;
  /// What the plan in force wanted noted, in the order of keys.
  std::vector<Delay> delays() const;

  /// Lets at least `cycles` pass, also when the device is idle or spins: what a host does that
  /// waits and may write later. Stops early only for a fault.
  RunResult advance(Cycle cycles);

  // --- Copies.
  /// Everything that decides what happens from here on: memory, registers, packets under way, who
  /// sleeps, faults. Host memory and options of this process (threads, parking, policy) are not in
  /// it. Between runs only.
  std::vector<u8> snapshot();
  /// Takes over a snapshot of a device with the same board and timing, bit for bit. Throws
  /// ArchiveError for any other; the device is then as it was, unless the damage is beyond the
  /// checksum.
  void restore(std::span<const u8> snapshot);
  /// A device with the same options and state, without host memory. The state is copied once, and
  /// of a device that was just cloned and not used since not at all.
  Device clone();
  /// The state as it is now, which devices may share.
  std::shared_ptr<const DeviceImage> image();
  /// The same; if the device soon only waits for the host, devices that go on from the image need
  /// not be made whole before that. Takes longer.
  std::shared_ptr<const DeviceImage> image_at_rest();
  /// Somebody looks on: a trace, an observer, an attendant.
  bool is_watched() const;
  bool has_host_memory() const;
  /// Nobody has done anything with it since it was made, after power-on.
  bool is_untouched() const;
  /// As restore(); what nobody has touched yet is copied when somebody does. Throws ArchiveError
  /// for an image of another board or timing, and nothing has changed then.
  void take_over(std::shared_ptr<const DeviceImage> image);

  // --- A debugger.
  /// Whom runs are shown to from now on; null: nobody. Must outlive that.
  void attend(Attendant* attendant);
  /// Cores of this tile that sleep in a loop run again. At an edge only.
  void rouse_parked(NodeId node);

  // --- Trace (docs/TRACE.md). It changes nothing of what happens.
  /// From now on what `selection` names goes to the sink. Ends the trace before, if any.
  void start_trace(std::unique_ptr<trace::Sink> sink, const trace::Selection& selection);
  /// The sink gets its end and is gone. Happens by itself when the device goes.
  trace::Summary stop_trace();
  /// As far as the trace has come; all zero without one.
  trace::Summary trace_summary() const;
  /// Accesses by the host come through this TLB window until the next call; -1: none.
  void set_host_window(i32 window);

  // --- Observers (trace/observer.hpp). They change nothing of what happens.
  /// From now on each node tells its observer of everything, beside those that are there. Between
  /// runs, here and below. Observers belong to the device, until it goes or stop_observing.
  unsigned observe(const ObserverMaker& make);
  /// Of these nodes alone; the others need not be made for it.
  unsigned observe(std::span<const NodeId> nodes, const ObserverMaker& make);
  void stop_observing(unsigned id);
  /// For a client that writes its programs itself: the checks of all tiles, those that are made
  /// later too, remember which core sent an instruction to the coprocessor (tile/push_log.hpp).
  void keep_pushes();

  // --- Diagnosis.
  std::vector<Fault> faults() const;  // of all nodes, by cycle, then node
  void clear_faults();
  /// From now on the rule is taken like this.
  void set_rule(Rule rule, Severity severity);
  /// Every agent that is neither running nor in reset, with what it waits for; in words:
  /// tile/wait_text.hpp. Parked cores are brought to the present first, which nobody can observe.
  std::vector<Waiter> waiters();
  /// "(1, 2)", "DRAM bank 3 (17, 21)", as reports name it.
  std::string name_of(NodeId node) const;
  Totals totals() const;
  /// Over all guest-visible state: memory, registers, counters, cycles.
  u64 hash() const;

  tile::Tile& tile(Coord translated);  // Tensix or Ethernet; CHECKs that there is one
  tile::Tile* tile_of(NodeId node);    // null when the node is neither
  noc::Node& node(NodeId id);
  Coord coord_of(NodeId node) const;  // translated

 private:
  struct Impl;
  RunResult run_engine(Cycle end, const std::function<bool()>& done, bool alone);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bhemu
