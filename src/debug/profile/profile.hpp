// Where the time of a launch went: how cores, threads and units of each tile spent it, what they
// waited for and where, how full the circular buffers were and who moved what over the NoC. Made of
// the events of a trace (docs/TRACE.md), so it costs nothing where nobody asks for it.
//
// A core that polls is told from one that works by its own doing: when a trace counts repetitions
// to the bit (trace/repeats.hpp) of a loop that stores nothing, the core waits for what the loop
// reads. Polls that end within two rounds count as work.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "debug/profile/timeline.hpp"
#include "tensix/operation.hpp"
#include "trace/sink.hpp"

namespace bhemu::debug {

/// What is waited for.
enum class Awaited : u8 {
  Event,          // trace::Wait, as a trace says
  Pages,          // in circular buffer `index`
  Room,           // in circular buffer `index`
  Reads,          // their data, on NoC `index`
  Writes,         // their acknowledgements
  Departures,     // of writes
  Atomics,        // their answers
  Transactions,   // of a transaction id
  CommandBuffer,  // a free one
  Niu,            // another register of it, at `address`
  SemaphoreWord,  // semaphore `index` of the launch, in L1 at `address`
  Word,           // of L1, at `address`
  Semaphore,      // of the coprocessor, by its window: `index`
  Local,          // the core's own memory
  Register,       // at `address`
  Nothing,        // a loop that reads nothing
};

struct WaitOf {
  Awaited awaited = Awaited::Event;
  trace::Wait event = trace::Wait::Other;  // of Event
  u32 index = 0;
  u32 address = 0;
  friend auto operator<=>(const WaitOf&, const WaitOf&) = default;
};
/// "pages in CB 0", "read data, NoC 0", "SrcA to be valid".
std::string text_of(const WaitOf& wait);
Spent spent_of(const WaitOf& wait);

/// A wait and where: the pc of a core, the instruction word of a thread.
struct WaitAt {
  WaitOf wait;
  u32 at = 0;
  friend auto operator<=>(const WaitAt&, const WaitAt&) = default;
};

/// A core or a thread.
struct Lane {
  std::array<u64, kSpents> cycles{};  // by Spent; Idle is what is left of the span
  std::map<WaitAt, u64> waits;        // cycles
  u64 instructions = 0;
  u64 repeated = 0;      // of them, in repetitions
  Cycle first = kNever;  // of the kernel: its first and last instruction
  Cycle last = 0;
  Cycle awake = 0;   // of a core: when its firmware took up the work for the kernel
  Cycle asleep = 0;  // and when it waited for work again
  Timeline timeline;
  u64 waited() const;
};

struct UnitUse {
  u64 cycles = 0;  // with an instruction at work
  u64 instructions = 0;
  Cycle until = 0;
};

/// A circular buffer, by the counters of its stream.
struct BufferUse {
  u32 received = 0;
  u32 acked = 0;
  Cycle since = 0;
  u64 pushed = 0;  // pages
  u64 popped = 0;
  u32 most = 0;                 // pages in it at once
  std::map<u32, u64> at_level;  // cycles with so many pages
  std::map<Agent, u64> pushes;  // pages, by who moved the counter
  std::map<Agent, u64> pops;
  std::vector<std::pair<Cycle, u32>> levels;  // the first few thousand changes
  /// None while the two counters are being set back, one after the other.
  u32 filled() const {
    const u32 pages = (received - acked) & 0xFFFF;
    return pages < 0x8000 ? pages : 0;
  }
};

/// Packets of one kind on one NoC.
struct Traffic {
  u64 packets = 0;
  u64 bytes = 0;
};

struct TileUse {
  NodeId node = kNoNode;
  Coord tile;
  bool cores = false;  // it has some; otherwise only traffic is counted
  std::map<Agent, Lane> lanes;
  std::array<UnitUse, tensix::kBusyUnits> units{};
  std::map<u32, BufferUse> buffers;
  std::array<std::array<Traffic, 6>, kNocs> sent{};  // by NoC and trace::PacketKind
  std::array<Traffic, kNocs> received{};
  std::map<u8, std::map<Agent, u64>> posts;  // of semaphores: who raised them how often
  std::map<u8, std::map<Agent, u64>> gets;
};

struct OpcodeUse {
  u64 instructions = 0;
  u64 cycles = 0;
};

struct Profile {
  Cycle begin = 0;
  Cycle end = 0;
  u32 kernel_base = 0;  // code below is firmware; 0: all is kernel
  u32 semaphores = 0;   // their first word in L1
  u32 semaphores_end = 0;
  bool windows = false;  // units have windows as on silicon, not a cycle for everything
  bool fast = false;
  std::vector<TileUse> tiles;  // by node
  std::array<OpcodeUse, 256> opcodes{};
  std::map<std::pair<NodeId, NodeId>, Traffic> flows;

  Cycle span() const { return end - begin; }
};

/// The sink of a trace that makes a profile. Nothing counts before `profile->begin` (kNever:
/// nothing counts yet), which may be set while the trace runs.
std::unique_ptr<trace::Sink> profile_sink(std::shared_ptr<Profile> profile);

}  // namespace bhemu::debug
