// Who wants to see what a node does. An observer is told of everything, in an order in which it can
// have happened, and can change nothing; nothing of it is saved, hashed or seen by the guest.
//
// There is one observer object per node. A node runs on one host thread at a time, so an observer
// of one node needs no locks; observers that share anything do.
//
// A node with an observer runs the followed schedule, as one with a trace does: cores instruction
// by instruction, the coprocessor cycle by cycle, with the same effects in the same cycles. Nodes
// without one pay nothing.
//
// What an instruction leads to (a request, a changed semaphore) is told before the instruction
// itself, as it happens while the instruction executes.
#pragma once

#include <span>

#include "base/author.hpp"
#include "base/types.hpp"

namespace bhemu::riscv {
struct CoreState;
}
namespace bhemu::tensix {
struct Operation;
struct State;
class Touches;
}  // namespace bhemu::tensix
namespace bhemu::tile {
enum class Region : u8;
}

namespace bhemu::trace {

// --- Cores

/// A load or store of a core, or one element of a vector load or store.
struct CoreAccess {
  bool load = false;
  bool store = false;  // both: an atomic
  u8 size = 0;         // bytes
  u8 element = 0;      // of a vector
  tile::Region region{};
  u32 address = 0;
  u32 loaded = 0;  // known once the instruction has retired
  u32 stored = 0;  // of an atomic: what the word is afterwards
};

/// An instruction of a core.
struct Instruction {
  unsigned core = 0;  // index in the tile
  Author author;      // the core, its pc, the cycle and the tile
  u32 word = 0;
  u64 step = 0;    // how many the core has executed before (minstret)
  u64 reads = 0;   // a bit per integer register, and from bit 32 on per floating point register
  u64 writes = 0;  // likewise; x0 never
  u32 value = 0;   // of the register written; known once it has retired
  std::span<const CoreAccess> accesses;
  const riscv::CoreState* state = nullptr;  // before or after the instruction, by callback
};

/// Instructions of a core that stand one behind the other and do nothing but write integer
/// registers; the last of them may go elsewhere.
struct Stretch {
  unsigned core = 0;
  Author author;                            // the first of them
  u32 last = 0;                             // pc
  const riscv::CoreState* state = nullptr;  // in front of them or behind, by callback
};

/// A word goes into the queue of a thread.
struct Push {
  Author author;
  unsigned core = 0;
  unsigned thread = 0;
  u32 word = 0;
  bool by_brisc = false;  // through the entry behind the MOP expander
  u64 number = 0;         // rises with every push to this thread through this entry
};

// --- The coprocessor

/// The push that a word at the wait gate came from. A thread has two entries: that of its TRISC,
/// and that of BRISC and the debug bus behind the MOP expander; each counts for itself.
struct PushId {
  bool by_brisc = false;
  u64 number = 0;  // numbers of words that were pushed before anybody observed have no Push
};

/// A MOP begins to be expanded: it has read its configuration.
struct Expansion {
  Author author;  // the thread, with the MOP as its word
  unsigned thread = 0;
  PushId push;
};

/// An instruction has left the wait gate, and what it does has been done.
struct Issue {
  explicit Issue(const tensix::Operation& operation) : operation(operation) {}

  const tensix::Operation& operation;
  unsigned thread = 0;
  u64 op = 0;  // how many the thread has issued, this one included; SFPLOADMACRO's do not count
  PushId push;
  /// What it has read and written (tensix/footprint).
  const tensix::Touches* touches = nullptr;
  const tensix::State* state = nullptr;  // after it
  /// What the words of L1 held that it writes, in front of it, if those are few: the first of them
  /// is that of its first such touch.
  std::span<const u32> old_words;
  bool scheduled = false;  // by SFPLOADMACRO, which does not pass the gate
  bool discarded = false;  // the vector unit has taken it and done nothing
};

/// A condition that STALLWAIT, SEMWAIT or STREAMWAIT had latched at the wait gate has come true.
/// What the gate has held back may pass from the next cycle on.
struct Lift {
  Author author;  // the thread, with the instruction that latched the condition as its word
  unsigned thread = 0;
  u64 op =
      0;  // of the latest instruction that the thread has issued: the wait was in force till then
};

/// A bank of SrcA (0) or SrcB (1) is waited for, or goes to the other side.
struct BankMove {
  Author author;
  unsigned thread = 0;
  u64 op = 0;
  u8 src = 0;
  u8 bank = 0;
  bool matrix = false;  // the side that has waited, or that gives it away; else the unpacker
  bool gives = false;   // else: the instruction waited for it
};

// --- Objects that are like registers

enum class Object : u8 {
  Semaphore,  // index 0..7; the value
  Mutex,      // the thread that holds it, or kNobody
  Mailbox,    // from * 4 + to, in the order of the hardware; the word
  PcBuf,      // the thread; the word
  Stream,     // stream * 1024 + register
};
inline constexpr u32 kNobodyHolds = 0xFF;

struct ObjectChange {
  enum class How : u8 { Set, Push, Pop };
  Author author;
  Object object = Object::Semaphore;
  How how = How::Set;  // queues: a word goes in or comes out
  u32 index = 0;
  u32 before = 0;  // of queues: 0
  u32 after = 0;
};

/// A request, wherever it has an effect. Number 0: it was sent before anybody observed its tile.
struct RequestId {
  NodeId tile = kNoNode;
  u32 number = 0;
  friend bool operator==(const RequestId&, const RequestId&) = default;
};

/// Something takes effect that was, or could have been, put off: in timings with windows an
/// instruction's effect has its own time (tensix/effects.hpp), and what unpackers, packer, mover
/// and NIUs move goes by in pieces (tensix/pieces.hpp, noc/spread.hpp).
struct Landing {
  enum class What : u8 {
    Effect,  // of an instruction of the scalar or the configuration unit
    Unpack,  // rows of an UNPACR
    Pack,    // a row of a PACR
    Move,    // a stretch of what XMOV or a core told the mover to do
    Source,  // data of a write request were read in the tile that sends it
    Write,   // data of a write request were written here
    Read,    // data were read here for a requester
    Data,    // what was read elsewhere was written here
  };
  What what = What::Effect;
  Author author;  // of the operation; the cycle is that of the landing
  u32 piece = 0;  // of what goes by in pieces: which, and of how many
  u32 pieces = 1;
  /// Of the coprocessor: what is read and written now.
  const tensix::Touches* touches = nullptr;
  /// Of a NoC request: which, and what memory of this node.
  RequestId request;
  u64 address = 0;
  u32 length = 0;
};

// --- NoC

enum class RequestKind : u8 { Write, Read, Atomic };

/// A core has made its NIU send a request.
struct Request {
  RequestId id;
  Author author;  // who wrote CMD_CTRL
  RequestKind kind = RequestKind::Write;
  u8 noc = 0;
  u8 buffer = 0;  // command buffer
  u8 transaction_id = 0;
  u8 virtual_channel = 0;
  bool static_channel = false;
  bool posted = false;
  bool linked = false;
  bool inline_data = false;
  bool broadcast = false;
  u32 packets = 1;  // that silicon makes of it
  u32 answers = 0;  // acknowledgements or responses that will come
  u64 local = 0;    // in this tile: a write's source, where the data of a read or an atomic goes
  u64 remote = 0;   // in the targets
  u32 length = 0;   // bytes that are moved
  u64 byte_enable = ~u64{0};
  NodeId reply_to = kNoNode;  // where the answer goes; normally this tile
  std::span<const NodeId> targets;
  u32 value = 0;             // inline data, an atomic's operand
  u32 atomic_operation = 0;  // NOC_AT_LEN_BE of an atomic
};

/// A packet has had its effect in this node.
struct Arrival {
  enum class Phase : u8 {
    Write,     // data of a write request was written here
    Read,      // data was read here for the requester
    Atomic,    // a word was changed here
    Data,      // what was read elsewhere was written here
    Result,    // likewise of an atomic
    Answered,  // an acknowledgement has come
  };
  RequestId id;
  Phase phase = Phase::Write;
  Author author;  // the NIU, for the core with this pc in tile `author.tile`; the cycle
  Agent issuer = Agent::Host;
  NodeId from = kNoNode;  // that sent the packet
  u8 noc = 0;
  bool posted = false;
  bool inline_data = false;
  u64 address = 0;
  u32 length = 0;
  u64 byte_enable = ~u64{0};
};

/// Of which instructions of cores an observer is told one by one.
enum class Instructions : u8 {
  Effects,   // those that store or push a word, or load what is not L1 or the core's own memory
  Accesses,  // these, and all other loads
  NotPlain,  // these, and whatever does more than go elsewhere or write an integer register, the
             // stack pointer excepted; of the others in stretches
  All,
};

class Observer {
 public:
  Observer() = default;
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // --- Cores
  /// Of a tile: of which instructions to be told. The fewer, the faster.
  virtual Instructions wanted_instructions() const { return Instructions::All; }
  /// The instruction is about to execute. One whose access has to wait is told of again each time
  /// it is tried.
  virtual void executes(const Instruction&) {}
  virtual void retired(const Instruction&) {}
  /// Plain instructions are about to be executed, or were. For Instructions::NotPlain; where the
  /// core is followed step by step for another reason, they are told of one by one all the same.
  virtual void runs(const Stretch&) {}
  virtual void ran(const Stretch&) {}
  /// A core that sleeps in a polling loop has gone round it, with nothing new in any round.
  virtual void slept(unsigned /*core*/, u64 /*instructions*/) {}
  /// A core leaves reset and starts at `pc`.
  virtual void released(unsigned /*core*/, u32 /*pc*/, const Author& /*by*/) {}
  virtual void held(unsigned /*core*/, const Author& /*by*/) {}
  virtual void interrupted(unsigned /*core*/, u32 /*handler*/, const Author& /*at*/) {}

  // --- Coprocessor
  virtual void pushed(const Push&) {}
  virtual void expanded(const Expansion&) {}
  virtual void issued(const Issue&) {}
  /// The kinds of places, a bit per tensix::Space, of which Issue::touches is to tell: the fewer,
  /// the faster. What is left out is as if no instruction touched it.
  virtual u32 wanted_spaces() const { return ~0u; }
  /// Whether Issue::touches is to say which of the results come from which of the operands, too.
  virtual bool wants_flows() const { return false; }
  /// Whether `changed` is to be called of semaphores and mutexes that instructions change.
  virtual bool wants_changes() const { return true; }
  virtual void lifted(const Lift&) {}
  virtual void moved(const BankMove&) {}
  virtual void changed(const ObjectChange&) {}

  // --- NoC
  virtual void requested(const Request&) {}
  /// A packet is about to have its effect.
  virtual void arrives(const Arrival&) {}
  virtual void arrived(const Arrival&) {}

  // --- Coprocessor and NoC
  /// Where there are windows only: elsewhere everything takes effect when it is issued or arrives.
  /// An effect that lands at issue is told of before `issued`. What the mover does for a core is
  /// told of in every timing, since no instruction is issued for it.
  virtual void landed(const Landing&) {}

  // --- Memory and host
  /// Of a tile: whether to call `writes_l1`, which makes every store of a core slower.
  virtual bool wants_l1_writes() const { return false; }
  /// Whoever it is, before the bytes change.
  virtual void writes_l1(u32 /*address*/, u32 /*bytes*/, const Author&) {}
  /// Between two epochs. Before the bytes change.
  virtual void host_writes(u64 /*address*/, u64 /*bytes*/, Cycle) {}
  /// Likewise. `bytes` is what was written or read.
  virtual void host_wrote(u64 /*address*/, std::span<const u8> /*bytes*/, Cycle) {}
  virtual void host_read(u64 /*address*/, std::span<const u8> /*bytes*/, Cycle) {}
  /// The same by way of a window that is set to posted writes: the host does not wait for their
  /// end.
  virtual void host_posted(u64 address, std::span<const u8> bytes, Cycle now) {
    host_wrote(address, bytes, now);
  }

  /// A snapshot was restored or the node was reset: what is known of the past means nothing.
  virtual void forget() {}
};

}  // namespace bhemu::trace
