// Where everything stands in a device that has stopped: each agent that waits, with what it wants
// beside what there is, who has given such a thing in this launch, who would give it, and which
// cores have ended. Sentences are made of it in cause.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/report/observed.hpp"
#include "host/report/probe.hpp"
#include "host/report/report.hpp"

namespace bhemu::host {

bool anybody_runs(Device& device);
/// Of a core that reads what is elsewhere over and over: it may sleep until it gets an answer that
/// is under way. `running`: time goes on.
bool is_between_reads(const Waits& waits, Cycle now, bool running);

/// What a tile's launch message says; none where no firmware that we know has one.
struct LaunchView {
  bool valid = false;
  u32 kernel_base = 0;  // kernels are from here on, firmware below
  u32 enables = 0;      // a bit per core that runs a kernel
  u8 go = 0;            // the last byte of the go message
  u32 go_address = 0;
  u32 semaphores = 0;  // their first word in L1
  u32 semaphores_end = 0;
  std::array<u32, kCores> text{};
};
/// `kernel_base`: of other tiles with the same firmware, for one that has had no launch yet.
LaunchView launch_of(tile::Tile& tile, u32 kernel_base);

enum class CoreStand : u8 {
  InReset,
  Idle,   // in firmware, and no kernel was started in this launch
  Ended,  // in firmware, behind its kernel
  Busy,   // in its kernel, or software without kernels
  Faulted,
};

enum class Want : u8 {
  Other,
  CbPages,
  CbRoom,
  Semaphore,  // of the coprocessor
  Word,       // of L1
  Answers,    // a counter of a NIU
  Register,
  Remote,  // a word of another tile, by NoC reads
  Mailbox,
  PcBuf,
  Thread,  // something of a thread: room in its FIFO, that it is done
  Source,  // SrcA or SrcB
  Mutex,
  Busy,  // a unit
  Reset,
  Nothing,  // a loop that looks at nothing
};

struct Standing {
  NodeId node = kNoNode;
  Coord tile;
  Agent agent = Agent::Host;
  u32 pc = 0;
  bool firmware = false;  // it is firmware that waits
  bool running = false;   // it does not wait at all, as far as is known
  Waits waits;            // as in Device::waiters()
  std::string what;       // the same in words
  std::string who;
  std::string where;  // call chain
  std::string user;   // the user's line in it

  Want want = Want::Other;
  u32 index = 0;    // CB, semaphore, mutex, thread, NoC; source: 0 A, 1 B
  u32 address = 0;  // Word, Register, Answers, Remote
  bool compared = false;
  Relation relation = Relation::Equal;
  u32 value = 0;
  u32 wanted = 0;
  u32 mask = ~0u;  // Word, Register: the bits that are looked at
  u32 whole = 0;   // the word that they are of
  /// Words that would do as well.
  struct Alternative {
    u32 address = 0;
    Relation relation = Relation::Equal;
    u32 value = 0;
    u32 wanted = 0;
  };
  std::vector<Alternative> alternatives;
  /// Pages that its core counts as taken or pushed already, while its thread has yet to do so.
  u32 pending = 0;
  bool impossible = false;           // nobody can ever give it
  bool by_clock = false;             // it waits for time to pass
  std::optional<ProbedCount> count;  // a loop that counts, of one that runs
  bool by_matrix = false;            // Source: it is the matrix unit that waits
  NodeId remote = kNoNode;           // Remote
  std::vector<Deed> future;          // what it would do next
  std::vector<size_t> from;          // of Situation::standing: who would give it
  std::vector<u32> from_pc;          // of each, by which instruction; 0: not known
};

struct Situation {
  Cycle cycle = 0;
  std::vector<Standing> standing;  // that wait in kernels or threads first, then firmware
  std::vector<Coord> tiles;        // that were asked about
  u32 kernel_base = 0;             // where firmware ends, if there is any that we know
  const Observed* observed = nullptr;
  Cycle launched = 0;  // when this launch began, where others came before it
};

/// Of the given tiles, or of all in use. `running`: cores that run are listed, too, as after a
/// limit of cycles.
Situation situation_of(Device& device, const CodeMap& code, std::span<const Coord> tiles,
                       bool running, const Observed* observed = nullptr);

CoreStand stand_of(tile::Tile& tile, const LaunchView& launch, CoreId core);

/// The places of such Tensix words in the kernel of the thread's core.
std::vector<std::string> places_of_words(tile::Tile& tile, const LaunchView& launch, Coord where,
                                         unsigned thread, const std::function<bool(u32)>& wanted,
                                         const CodeMap& code);
/// The places of a Tensix word in the kernel of the thread's core.
std::vector<std::string> places_of_word(tile::Tile& tile, const LaunchView& launch, Coord where,
                                        unsigned thread, u32 word, const CodeMap& code);
/// The place of a Tensix word in the kernel of the thread's core: "Acquire (pack.c:12)"; empty when
/// it is not there, or more than once.
std::string place_of_word(tile::Tile& tile, const LaunchView& launch, Coord where, unsigned thread,
                          u32 word, const CodeMap& code);

/// Places of a circular buffer, as the launch message says; 0: not known.
u32 pages_of(Device& device, Coord tile, u32 index);
/// The launch message is understood, and has no such buffer.
bool has_no_buffer(Device& device, Coord tile, u32 index);

/// Where a request writes; nothing for reads.
struct Written {
  Coord first, last;
  u64 address = 0;
  u32 bytes = 0;
};
std::optional<Written> written_by(const Deed& deed);

}  // namespace bhemu::host
