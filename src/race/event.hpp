// What the detector is told: everything that happens in a tile, as small values. Whoever stands
// behind the doors of the Full build makes them; tests write them by hand.
//
// Two rules for whoever makes them. First: events of one tile come in some order in which they
// could have happened (the order of the emulation will do); findings do not depend on which.
// Second: an event says what was *asked for*, not when it took effect; the detector never looks at
// the cycle except to print it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "base/author.hpp"
#include "race/clock.hpp"
#include "race/location.hpp"
#include "race/section.hpp"
#include "race/sync_word.hpp"

namespace bhemu::race {

/// Who did it, from where, and when. The tile is always said.
using Site = Author;

enum class Mode : u8 {
  Read,
  Write,
  Atomic,  // read, changed and written by hardware in one piece
};

/// Kinds of NoC requests that have counters of their own.
enum class NocKind : u8 { Read, Write, Posted, Atomic, PostedAtomic };
inline constexpr unsigned kNocKinds = 5;
const char* name_of(NocKind kind);

/// What the words of a small access held in front of it; none: nobody has looked.
class OldWords {
 public:
  static constexpr u32 kMostBytes = 16;
  OldWords() = default;
  OldWords(u64 begin, std::span<const u32> words)
      : first_(begin / 4), count_(static_cast<u32>(words.size())) {
    std::copy(words.begin(), words.end(), words_.begin());
  }
  OldWords(std::span<const u8> memory, u64 begin, u64 bytes) : first_(begin / 4) {
    const u64 end = (begin + bytes + 3) / 4;
    if (bytes > kMostBytes || end * 4 > memory.size()) return;
    count_ = static_cast<u32>(end - first_);
    std::memcpy(words_.data(), memory.data() + first_ * 4, count_ * 4);
  }
  /// By address / 4; null: not one of them.
  const u32* at(u64 word) const {
    return word >= first_ && word - first_ < count_ ? &words_[word - first_] : nullptr;
  }

 private:
  u64 first_ = 0;
  u32 count_ = 0;
  std::array<u32, kMostBytes / 4 + 1> words_{};
};

/// What an atomic does to its word, whatever that holds.
struct AtomicChange {
  SyncWord::How how = SyncWord::How::Set;
  u32 operand = 0;
  bool compares = false;  // it sets a word that is as it wants it, and leaves any other

  /// Whether one that has made `before` to `after` would have changed the word at this value, too.
  bool would_change(u32 value, u32 before, u32 after) const {
    if (compares) return value == before;
    switch (how) {
      case SyncWord::How::Set:
        return value != after;
      case SyncWord::How::Or:
        return (value | operand) != value;
      case SyncWord::How::And:
        return (value & operand) != value;
      default:
        return true;
    }
  }
};

/// What a short read has found of words by which agents of the other tile signal each other: it is
/// how a core polls a word that is not in its own tile. Of an atomic, what those knew who had
/// written the word before it.
struct Reply {
  struct Word {
    u64 address = 0;
    SyncWord said;
  };
  std::vector<Word> words;
  u64 address = 0;  // of the atomic's word
  Clock known;
  std::atomic<bool> looked_at = false;  // the sender has gone on because of what it found

  const SyncWord* at(u64 address) const {
    for (const Word& one : words)
      if (one.address == address) return &one.said;
    return nullptr;
  }
};

/// What a request takes with it to wherever it has an effect, made by the sender's detector.
struct Packet {
  static constexpr u64 kNoWord = ~u64{0};
  NocKind kind = NocKind::Write;
  Site site;
  Epoch commit;     // of its effect at the target
  Epoch source;     // of the reading of its source
  Clock clock;      // what its sender knew
  u64 channel = 0;  // same source, destination, NoC and static virtual channel; 0: none
  u32 number = 0;   // in the order of the NIU
  u16 target = 0;   // of one to one node
  bool linked = false;
  bool to_register = false;
  AtomicChange change{};         // of an atomic
  u64 polled = kNoWord;          // of a read: its sender waits for this word of the target
  std::shared_ptr<Reply> reply;  // of a short read or an atomic, filled where it is carried out
  std::vector<Held> held;        // locks that its sender held
};
inline constexpr u32 kShortRead = 64;  // bytes
using Ticket = std::shared_ptr<const Packet>;

/// Objects by which agents signal each other, each a queue of clocks.
enum class Object : u8 {
  Semaphore,  // of the tile's sync unit: 0..7
  Mailbox,    // from * 4 + to, in the order of the hardware (B, T0, T1, T2)
  PcBuf,      // 0..2
  Pages,      // pages received in a circular buffer: its stream
  Acks,       // pages acknowledged
  Mutex,      // 0, 2, 3, 4
};

/// Where a core finds such an object: what it stores there and loads afterwards is a read-back.
constexpr Location place_of(Object object, u32 index) {
  return {Place::Counter, 1, (u64{2} + static_cast<u64>(object)) << 16 | index};
}

namespace event {

// Of cores. `step` counts the instructions that the core has executed.

/// A core leaves reset, let go by `site` (another core, or the host).
struct Start {
  Site site;
  unsigned core = 0;
};
/// A core is put in reset by `site`, and does nothing more.
struct Hold {
  Site site;
  unsigned core = 0;
};
/// A load. `reg` is the register that receives it; sync says that the word is known to be one that
/// agents signal by (an atomic's, a semaphore of the launch message, an annotation).
struct Load {
  Site site;
  Location where;
  Region region = Region::L1;
  u8 reg = 0;
  u64 step = 0;
  bool sync = false;
  u32 value = 0;          // of NOC_CMD_CTRL: 0 says that the initiator is free
  bool followed = false;  // what the value proves comes by Detector::learn
  bool more = false;      // the same load as the event before: it touches this, too
};
struct Store {
  Site site;
  Location where;
  Region region = Region::L1;
  u64 step = 0;
  bool sync = false;
  bool same = false;  // of a configuration field: it holds that value already
  bool more = false;  // the same store as the event before: it touches this, too
  u32 value = 0;      // of a store to memory: it can be there later than the event
  OldWords old{};     // likewise
};
/// An atomic of a core, on a word of L1.
struct Amo {
  Site site;
  Location where;
  u8 reg = 0;
  u64 step = 0;
  bool same = false;  // the word held that value already (a lock that is taken): nothing is lost
  u32 value = 0;
  bool followed = false;  // what the old value proves comes by Detector::learn
  u32 before = 0;         // what the word held
  AtomicChange change{};
};
/// The core uses what a register holds, so all that was loaded into it has arrived.
struct Use {
  Site site;
  u8 reg = 0;
  u64 step = 0;
};
struct Fence {
  Site site;
  u64 step = 0;
};
/// A word goes to a thread. `id` names the push until words made of it are issued: it rises with
/// every push of this core to this thread.
struct Push {
  Site site;
  unsigned thread = 0;
  u32 word = 0;
  u32 id = 0;
  u64 step = 0;
};
/// A store to, or a load from, CoprocessorDoneCheck or MOPExpanderDoneCheck.
struct DoneCheck {
  Site site;
  bool mop = false;
  bool load = false;
  u8 reg = 0;
  u64 step = 0;
};
/// A core posts to a semaphore, mailbox, page counter (`amount` of them) through a store.
struct Signal {
  Site site;
  Object object = Object::Semaphore;
  u16 index = 0;
  u16 amount = 1;
  u64 step = 0;
  bool get = false;  // of a semaphore: take instead of post
};
/// A core's load of such an object. `guaranteed` is how many posts the condition that the program
/// goes on under proves, counted from the first of all (for a mailbox: the pop's own number);
/// 0 proves nothing.
struct Observe {
  Site site;
  Object object = Object::Semaphore;
  u16 index = 0;
  u32 guaranteed = 0;
  u8 reg = 0;
  u64 step = 0;
  bool gets = false;  // of a semaphore: that many have been taken
};
/// A load from PCBuf i by BRISC: TRISC i and its thread are idle.
struct AwaitThread {
  Site site;
  unsigned thread = 0;
  u8 reg = 0;
  u64 step = 0;
};
/// The core's L0 cache: on or off (cfg0).
struct DataCache {
  Site site;
  bool enabled = false;
};
struct InvalidateCode {
  Site site;
  u32 cores = 0;  // mask by core
  u64 step = 0;
};
/// A core fetches code that it has not fetched since somebody wrote it.
struct Fetch {
  Site site;
  Location where;
};
/// The kernel of a core returns to the firmware.
struct Return {
  Site site;
};

// Of threads. `op` counts the instructions that the thread has issued, from 1.

/// A MOP is expanded: it reads its configuration.
struct Expand {
  Site site;
  unsigned thread = 0;
  u32 push = 0;
  unsigned core = 0;  // that pushed it
  Location where;
  u32 pushed_at = 0;  // as of Issue
};
/// An instruction leaves the wait gate. Waits and semaphores are read off the word.
struct Issue {
  Site site;  // pc is the word
  unsigned thread = 0;
  u32 push = 0;
  unsigned core = 0;
  u32 op = 0;
  u32 pushed_at = 0;  // program counter of the core that pushed what it came from; 0: not known
};
/// What the STREAMWAIT just issued waits for: so many posts to a register of a stream, counted from
/// the first of all.
struct StreamTest {
  unsigned thread = 0;
  u16 index = 0;
  u32 count = 0;
};
/// What an issued instruction touches.
struct Access {
  Site site;
  unsigned thread = 0;
  u32 op = 0;
  Location where;
  Mode mode = Mode::Read;
  bool sampled = false;  // taken when the instruction is issued, by custom (row 68 of edges.def)
  bool same = false;     // as Store::same
  OldWords old{};        // of a write to memory
};
/// An instruction waited for its bank of SrcA (0) or SrcB (1), as the hardware makes it.
struct SrcTake {
  Site site;
  unsigned thread = 0;
  u32 op = 0;
  u8 src = 0;
  u8 bank = 0;
  bool matrix = false;  // the matrix unit takes it from the unpacker, or the other way round
  bool other = false;   // an unpacker's no-op that tests the matrix unit's bank instead of its own
};
/// An instruction hands a bank to the other side.
struct SrcGive {
  Site site;
  unsigned thread = 0;
  u32 op = 0;
  u8 src = 0;
  u8 bank = 0;
  bool matrix = false;  // the matrix unit gives it away
};
/// Which banks the four pointers name: what C5 to C8 of a STALLWAIT that comes next will test.
struct SrcPointers {
  u8 unpack_a = 0, unpack_b = 0, matrix_a = 0, matrix_b = 0;
};

// Of NIUs.

/// A core's store that starts a request when it comes to the NIU, which it has not yet
/// (`--timing chaos`). The request is told of then.
struct Send {
  Site site;
  unsigned niu = 0;
  u16 buffer = 0;
  u64 step = 0;
};
/// A core writes CMD_CTRL. `ticket` names the request to whoever carries out its effects.
struct Request {
  Site site;
  unsigned niu = 0;
  NocKind kind = NocKind::Write;
  u8 tid = 0;
  u16 buffer = 0;
  u32 packets = 1;  // after splitting
  u32 answers = 1;  // acknowledgements or responses that will come for it
  u64 channel = 0;
  bool linked = false;
  bool to_register = false;
  bool asks = false;                 // a short read, or an atomic that is answered
  u16 target = 0;                    // of a request to one node
  Location remote{Place::L1, 0, 0};  // what it changes there; size 0: nothing
  AtomicChange change{};             // of an atomic
  u64 polled = Packet::kNoWord;      // as Packet::polled
  Location source{Place::L1, 0, 0};  // in this tile; size 0: none (a read, an atomic, inline)
  u64 step = 0;
  bool was_late = false;     // event::Send has told of its store
  Ticket* ticket = nullptr;  // out
};
/// The effect of a request of any tile in this one: its data written, read or changed here.
struct Arrive {
  Ticket ticket;
  Location where;
  Mode mode = Mode::Write;
  Cycle cycle = 0;
  bool at_source = false;  // a read request: the reading, not the arrival of its data
  bool answer = false;     // of an atomic: what the word held, back at the sender
  OldWords old{};          // of a write or an atomic
};
/// A core reads a counter of an NIU.
struct Counter {
  Site site;
  unsigned niu = 0;
  u8 index = 0;  // as in BlackholeA0/NoC/Counters.md
  u32 value = 0;
  u8 reg = 0;
  u64 step = 0;
};

// Of the host.

struct HostWrite {
  Site site;
  Location where;
  bool posted = false;
  // Ascending stretches of what the host has written there last as well: unless somebody else has
  // since then, nothing changes.
  std::vector<Location> same;
};
/// A read by the host, which posted writes do not pass.
struct HostRead {
  Site site;
  Location where;
};

}  // namespace event

using Event =
    std::variant<event::Start, event::Hold, event::Load, event::Store, event::Amo, event::Use,
                 event::Fence, event::Push, event::DoneCheck, event::Signal, event::Observe,
                 event::AwaitThread, event::DataCache, event::InvalidateCode, event::Fetch,
                 event::Return, event::Expand, event::Issue, event::StreamTest, event::Access,
                 event::SrcTake, event::SrcGive, event::SrcPointers, event::Send, event::Request,
                 event::Arrive, event::Counter, event::HostWrite, event::HostRead>;

}  // namespace bhemu::race
