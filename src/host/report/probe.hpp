// What a core is after, found by executing a copy of it: nothing of the device changes.
//
// A core that waits in a loop is followed once round it. Each register carries along which words
// from outside of the core (L1, registers) it was made of, so the branch that would leave the loop
// says what the core looks at, what it has found and what it wants, whatever the code around it
// looks like. Then the copy is let out of the loop, and out of those that follow, to see what the
// core would do for others once it had what it waits for.
#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "host/report/report.hpp"
#include "noc/command.hpp"

namespace bhemu::host {

/// Something outside of the core that it has read: `bytes` of L1 or of a register.
struct ProbedWord {
  u32 address = 0;
  u32 bytes = 4;
  u32 value = 0;
};

/// A branch out of the loop: taken when `value` stands in `leaves_when` to `wanted`.
struct ProbedExit {
  u32 pc = 0;
  Relation leaves_when = Relation::Equal;
  u32 value = 0;         // what was made of the words
  u32 wanted = 0;        // what it is compared with
  u64 words = 0;         // of ProbedLoop::words, by bit: those in `value`
  u64 wanted_words = 0;  // those in `wanted`, if that is no constant either
};

/// A branch out of a loop that counts: it looks at nothing but what the core itself makes.
struct ProbedCount {
  u32 pc = 0;
  Relation leaves_when = Relation::Equal;
  u32 value = 0;
  u32 wanted = 0;
  i32 step = 0;         // what a round adds to `value`
  i32 wanted_step = 0;  // and to `wanted`
  u32 rounds = 0;       // that were compared
  bool steady = true;   // each has added the same; else it is no count
};

struct ProbedLoop {
  bool found = false;
  bool reads_clock = false;
  u32 own_memory = 0;             // an address in local memory that it reads
  std::vector<ProbedWord> words;  // at most 64
  std::vector<ProbedExit> exits;  // those that depend on a word
  std::vector<ProbedCount> counts;
  std::vector<u32> pcs;  // of its instructions, ascending
};

/// The exit that the loop is there for: the last one, but of a loop with a limit of time what is
/// waited for until then. There must be one.
size_t awaited_exit(const ProbedLoop& loop);

/// Something that a core would do, or did in its loop.
struct Deed {
  enum class Kind : u8 { Store, Push, Request };
  Kind kind = Kind::Store;
  u32 pc = 0;
  u32 address = 0;  // Store
  u32 value = 0;    // Store; Push: the Tensix word
  u32 thread = 0;   // Push
  u32 noc = 0;      // Request
  noc::Command command{};
};

/// Where the tile's L1 is copied to: of one probe after the other, since a report takes many.
class ProbeMemory {
 public:
  ProbeMemory();

 private:
  friend class Probe;
  std::unique_ptr<u8[]> l1_;
  std::vector<u8> flags_;  // of its lines
};

class Probe {
 public:
  /// The device must stand still and be settled (Device::waiters() does that). `answered`: NoC
  /// requests that are under way count as answered, as they will be where time goes on. `memory`
  /// is this probe's as long as it lives.
  Probe(tile::Tile& tile, CoreId core, bool answered, ProbeMemory& memory);
  ~Probe();

  /// The loop that the core is in.
  ProbedLoop loop();
  /// What would happen at an exit if a word had another value.
  struct Otherwise {
    u32 value = 0;  // as ProbedExit::value
    bool leaves = false;
  };
  /// The bits of a word on which the comparison at an exit depends.
  u32 bits_of(const ProbedLoop& loop, size_t exit, u32 address, u32 value);
  Otherwise otherwise(const ProbedLoop& loop, size_t exit, u32 address, u32 value);
  /// What the core would do if every wait from here on were over at once, until its kernel ends,
  /// which is when it comes to below `kernel_base` (0: never).
  std::vector<Deed> future(u32 kernel_base);

 private:
  struct Copy;
  std::unique_ptr<Copy> copy_;
};

/// A register of the tile as the core would read it, without the effects of reading it. False: it
/// cannot be known without them.
bool peek_register(tile::Tile& tile, CoreId core, u32 address, u32& value);

}  // namespace bhemu::host
