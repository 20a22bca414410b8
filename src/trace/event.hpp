// What a trace consists of: typed events, plain data. Who produces one does not know how it is
// written, and a sink knows nothing of the device beyond the names of its nodes (sink.hpp).
//
// docs/TRACE.md says what each event means and how the two writers spell it.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/fault.hpp"
#include "base/types.hpp"
#include "base/wait.hpp"

namespace bhemu::trace {

/// What a user can ask for.
enum class What : u8 { Riscv, Tensix, Noc, Stall, Sync, Reset, Host, Fault };
inline constexpr unsigned kWhats = 8;
std::string_view name_of(What what);  // "riscv" ...

/// What an instruction did to memory or to a register beyond its core.
struct MemoryUse {
  bool load = false;
  bool store = false;  // both: an atomic
  u8 size = 0;         // bytes; 0: none
  u32 address = 0;
  u32 loaded = 0;
  u32 stored = 0;
  friend bool operator==(const MemoryUse&, const MemoryUse&) = default;
};

enum class RegisterFile : u8 { None, Integer, Float };

/// A core has executed an instruction.
struct Retired {
  u32 pc = 0;
  u32 word = 0;
  RegisterFile file = RegisterFile::None;  // of the destination
  u8 reg = 0;
  u32 value = 0;
  MemoryUse memory;
  friend bool operator==(const Retired&, const Retired&) = default;
};

/// One element of the vector load or store whose Retired event comes next before it.
struct VectorElement {
  u32 pc = 0;
  u8 index = 0;
  MemoryUse memory;
};

/// A core has gone on repeating the last `period` instructions, to the bit.
struct Repeated {
  u32 period = 0;
  u64 instructions = 0;  // that are not in the trace: whole rounds and a part of one
  Cycle first = 0;       // the cycle of the first of them; one follows each cycle
};

struct Interrupted {
  u32 from = 0;
  u32 handler = 0;
};

/// A core has pushed a word into the queue of a thread.
struct Pushed {
  u8 thread = 0;
  u32 word = 0;
};

/// Where the wait gate got an instruction from.
enum class Source : u8 { Queue, Brisc, Mop, Replay };

/// A thread's instruction has left the wait gate.
struct Executed {
  u32 word = 0;
  Source source = Source::Queue;
  Cycle end = 0;  // its unit works on it until then; the next cycle in `fast` and `reference`
};

/// What an agent waits for.
enum class Wait : u8 {
  Other,
  // A core, for
  Fifo,          // room in the instruction FIFO of thread `index`
  ThreadDone,    // thread `index` to be done (TTSync)
  AutoTtSync,    // instructions of thread `index` that use what the core accesses
  Mop,           // the MOP expander of thread `index`
  MailboxWord,   // a word in the mailbox from `index`: BRISC, TRISC0 to TRISC2
  MailboxRoom,   // room in the mailbox to `index`
  PcBufWord,     // a word in its PCBuf
  PcBufRoom,     // room in the PCBuf of TRISC `index`
  PcBufBarrier,  // TRISC `index` and its thread to be idle
  PackedTile,    // a tile in the packer's metadata FIFO
  TdmaRoom,      // room in TDMA-RISC's command queue; a thread's store, too
  Debugger,
  // A thread's instruction, for
  SrcA,           // data in it, for the matrix unit
  SrcB,           // the same
  SrcAB,          // data in both
  SrcAFree,       // the matrix unit to give it back, for the unpacker
  SrcBFree,       // the same
  Semaphore,      // semaphore `index` not to be 0
  SemaphoreRoom,  // semaphore `index` to be below its maximum
  Mutex,          // mutex `index`
  Unit,           // its unit, which another instruction has taken
  Idle,           // STALLWAIT: units to be idle; `index` has a bit per condition that is not met
  Word,           // a word of L1
  Stream,         // an overlay register
  Reset,          // a unit in soft reset
  Latch,          // nothing: a wait instruction holds back for a cycle whatever comes after it
};
inline constexpr unsigned kWaits = 27;
std::string_view name_of(Wait wait);  // "fifo" ...

struct Reason {
  Wait wait = Wait::Other;
  u16 index = 0;
  friend bool operator==(const Reason&, const Reason&) = default;
};

/// A wait begins, or goes on for another reason than before.
struct StallBegin {
  u32 at = 0;  // pc, or the instruction word of a thread
  Reason reason;
  Cycle since = kNever;  // kNever: it begins now; otherwise when it began
  Waits waits;
};
struct StallEnd {
  u32 at = 0;
  Cycle begin = kNever;  // kNever: before the trace
};

/// The order of noc::PacketKind.
enum class PacketKind : u8 { Write, Read, Atomic, ReadResponse, WriteAck, AtomicResponse };

struct Packet {
  bool arrives = false;  // otherwise it is sent
  PacketKind kind = PacketKind::Write;
  u8 noc = 0;
  u8 transaction_id = 0;
  u8 virtual_channel = 0;
  bool posted = false;
  bool linked = false;
  bool inline_data = false;
  NodeId source = kNoNode;
  NodeId target = kNoNode;
  Agent issuer = Agent::Host;  // of the request
  u32 issuer_pc = 0;
  u64 address = 0;  // in the target
  u32 length = 0;
  u32 value = 0;  // inline data, an atomic's operand
  Cycle issued = 0;
  Cycle arrival = 0;
};

struct SemaphoreChanged {
  u8 index = 0;
  u8 before = 0;
  u8 after = 0;
  u8 max = 0;
};

enum class Queue : u8 { Mailbox, PcBuf };
/// A word went into or out of a hardware queue between cores.
struct QueueMoved {
  Queue queue = Queue::Mailbox;
  bool push = false;
  CoreId from = CoreId::Brisc;
  CoreId to = CoreId::Brisc;
  u32 value = 0;
};

struct StreamChanged {
  u8 stream = 0;
  u16 index = 0;
  const char* name = "";  // of the register; lives as long as the process
  u32 before = 0;
  u32 after = 0;
};

struct ResetChanged {
  bool held = false;
  u32 pc = 0;  // where the core starts, when released
};

struct HostAccess {
  static constexpr i32 kNoWindow = -1;
  bool write = false;
  bool done = true;        // false: nothing answered
  i32 window = kNoWindow;  // the TLB window it came through
  u64 address = 0;
  u64 bytes = 0;
  std::array<u8, 16> head{};  // the first of them
};

struct Faulted {
  Rule rule = Rule::Count;
  Severity severity = Severity::Error;
  u32 pc = 0;
  std::string text;
};

using Detail = std::variant<Retired, VectorElement, Repeated, Interrupted, Pushed, Executed,
                            StallBegin, StallEnd, Packet, SemaphoreChanged, QueueMoved,
                            StreamChanged, ResetChanged, HostAccess, Faulted>;

struct Event {
  Cycle cycle = 0;
  NodeId node = kNoNode;
  Agent agent = Agent::Host;
  Detail detail;
};

What what_of(const Detail& detail);

/// The order of a trace: by cycle, then node, then agent in the order of a tile's turn.
bool comes_before(const Event& a, const Event& b);

}  // namespace bhemu::trace
