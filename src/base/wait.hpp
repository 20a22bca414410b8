// What an agent waits for, as data. Units make it without changing anything; sentences are made of
// it in one place (tile/wait_text.hpp), and reports, JSON and Python get the same values.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace bhemu {

enum class Awaited : u8 {
  // Of cores that poll.
  Word,           // the word of L1 at `address`, which is `value`, to change
  Stream,         // the register at `address` of stream `index`, which is `value`
  Pages,          // stream `index` counts a circular buffer: `value` received, `other` acknowledged
  Answers,        // NIU `index`: `value` answers of `packet` kind from `node`, the oldest at
                  // `address` since cycle `since`
  NiuRegister,    // a register of NIU `index`
  SemaphoreSeen,  // semaphore `index`, which is `value`, through the window
  Register,       // a register of the kind `index` (a Resource)
  Remote,         // the word at `address` of `node`, by NoC reads
  Nothing,        // a loop that reads nothing
  Time,           // cycle `since`: its loop counts, or looks at a clock, until then
  // Of cores whose access is held back.
  FifoRoom,      // room in the instruction FIFO of thread `index`
  ThreadDone,    // thread `index` to finish all its instructions (CoprocessorDoneCheck)
  MopDone,       // its MOP expander to finish
  MailboxWord,   // a word in the mailbox from core `index` (B, T0, T1, T2)
  MailboxRoom,   // room in the mailbox to core `index`
  PcBufWord,     // a word in the core's PCBuf
  PcBufRoom,     // room in the PCBuf of TRISC `index`
  PcBufDrained,  // TRISC `index` to drain its PCBuf and wait, and its thread to be idle
  TtSync,        // instructions of thread `index` that use what is accessed at `address`
  PackedTile,    // an entry in the packer's metadata FIFO
  TdmaRoom,      // room in TDMA-RISC's command queue, of cores and of stores of threads: `value`
                 // commands wait there for the mover, which is busy until cycle `since`
  Debugger,      // to be resumed: halted for `value` (reasons, as in the status register)
  // Of threads.
  Condition,        // condition C`index` of a STALLWAIT
  Lifted,           // nothing any more: the wait ends in the next cycle
  StreamPhase,      // the phase of the stream that select `index` names to reach `wanted`
  StreamMessages,   // its count of messages
  Semaphore,        // semaphore `index`, which is `value`: not 0, or less than `wanted`
  Mutex,            // mutex `index` to be free
  ComparedWord,     // the word of L1 at `address` to have the value that ATCAS names, or room
  SoftReset,        // its unit to leave soft reset
  ScalarUnit,       // the scalar unit, which an instruction of thread `index` occupies
  LastInstruction,  // the thread's own last instruction, until cycle `since`
  UnitFree,         // its unit, until cycle `since`; 0: until something that is not known
  SourceValid,      // SrcA (0) or SrcB (1) to be valid for the matrix unit
  SourceFree,       // SrcA or SrcB to be free for the unpacker
  Fault,            // nothing: a fault has stopped it
};
inline constexpr unsigned kAwaited = static_cast<unsigned>(Awaited::Fault) + 1;
/// In one word, for programs: "cb-pages", "semaphore" ...
const char* name_of(Awaited kind);

/// How `value` has to be to `wanted` for the wait to end.
enum class Until : u8 { Unknown, Changes, NotEqual, Less, AtLeast };
const char* name_of(Until until);  // "changes", "!=", "<", ">="

struct Wait {
  Awaited kind = Awaited::Nothing;
  Until until = Until::Unknown;
  u8 packet = 0;  // of Answers: a noc::PacketKind
  NodeId node = kNoNode;
  u32 index = 0;
  u64 address = 0;
  u32 value = 0;
  u32 other = 0;
  u32 wanted = 0;
  Cycle since = 0;
  /// Agents of the tile that could end it or are known to be about to: a bit each.
  u32 holders = 0;

  bool is_held_by(Agent agent) const { return (holders >> static_cast<unsigned>(agent) & 1) != 0; }
};
constexpr u32 bit_of(Agent agent) {
  return 1u << static_cast<unsigned>(agent);
}

/// Everything that holds one agent up. All of it has to end for it to go on; a core that polls
/// goes on when its loop says so.
struct Waits {
  bool waiting = false;
  bool idle = false;  // of a thread: nothing is queued
  u32 word = 0;       // of a thread: the instruction at the wait gate
  u32 by = 0;         // of a thread: the word that makes it wait: `word` itself, or a STALLWAIT,
                      // SEMWAIT or STREAMWAIT before it
  std::vector<Wait> all;
  /// Of a core that waits for a thread: what that thread waits for.
  std::vector<Waits> behind;

  const Wait* find(Awaited kind) const {
    for (const Wait& wait : all)
      if (wait.kind == kind) return &wait;
    return nullptr;
  }
};

}  // namespace bhemu
