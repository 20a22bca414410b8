// What a core has proved by looking at something that others change: a word of L1, a page counter,
// a semaphore, a counter of an NIU.
//
// The value that it loaded is followed through its registers to each branch that depends on it, and
// the way from the load to the branch is gone again with other values (copy.hpp). What would have
// let the core go the same way has not been ruled out; so a loop that waits for one page proves one
// page, whatever the counter said when it ended.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "hazard/copy.hpp"
#include "race/detector.hpp"

namespace bhemu::hazard {

/// What is looked at with a detector of its own: race::Level::Custom, ::Documented, and the first
/// once more without the order of critical sections (race/guard.hpp).
inline constexpr unsigned kLevels = 3;

/// A word that a read has fetched from another tile.
struct RemoteWord {
  NodeId node = kNoNode;
  u64 address = 0;
  std::array<race::Ticket, kLevels> tickets;  // of the read
};

struct Look {
  enum class Kind : u8 { Word, Atomic, Remote, Pages, Semaphore, Counter, Initiator };
  Kind kind = Kind::Word;
  u8 size = 4;  // bytes that the load took, from `shift` bits on
  u8 shift = 0;
  bool is_signed = false;
  u32 index =
      0;  // Word: address; Pages: register; Counter: NIU * 64 + index; Initiator: NIU * 4 + buffer
  u32 value = 0;    // of the whole register or word
  u32 certain = 0;  // Word: version; Pages: count, as it was certain before
  u32 latest = 0;   // likewise, as it was when the core looked
  u32 pc = 0;       // of the load
  u32 address = 0;
  std::array<race::Clock, kLevels> knowledge;  // Atomic, Counter, Initiator: what a proof is worth
  std::array<race::Detector::Certain, kLevels> semaphore;  // what is certain whatever it says
  RemoteWord remote;                                       // Remote
  bool settled = false;                                    // nothing more can be learned of it
  u32 guarded = 0;  // Word: 1 + version, when it was looked at under a lock; else 0
};

class Follower {
 public:
  explicit Follower(Copy& copy) : copy_(copy) {}

  /// The core has loaded `look` into a register.
  void loaded(unsigned reg, Look&& look);
  /// Any other instruction has been executed, with these operands. Returns the look that it was a
  /// branch on, if any; valid until the next call of loaded().
  Look* executed(u32 pc, u32 word, u32 a, u32 b, u32 next_pc);
  /// Of the branch just executed: a word was found equal to a number that an atomic on another has
  /// drawn.
  struct Turn {
    u32 word = 0;        // their addresses
    u32 drawn_from = 0;  // 0: nothing of the kind
  };
  Turn turn() const { return turn_; }
  /// Would the core have come to where it is if the value (of the whole register) had been this?
  bool would_have_come(const Look& look, u32 value);
  void forget_all();
  void forget(unsigned reg) { registers_[reg].look = registers_[reg].drawn = 0; }
  /// A register (0: something else) is stored to a word of the core's own memory, and loaded from
  /// there again.
  void put_away(u32 address, unsigned reg);
  void fetch(unsigned reg, u32 address);

 private:
  static constexpr unsigned kLooks = 16;
  static constexpr unsigned kMostSteps = 8;
  static constexpr unsigned kMostBranches = 8;
  static constexpr unsigned kSlots = 16;
  struct Step {
    u32 word = 0;
    u32 other = 0;
    bool first = true;  // the value is operand a; else b
  };
  struct Chain {    // a register that holds something made of a look
    u32 look = 0;   // its number; 0: none
    u32 drawn = 0;  // address of the atomic that the value was made of, if any
    u8 steps = 0;
    std::array<Step, kMostSteps> step{};
  };
  struct Slot {  // a word of memory that holds the same
    u32 word = 0;
    Chain chain;
  };
  struct Branch {
    Chain chain;
    Step compare;
    bool taken = false;
  };
  struct Known {
    u32 number = 0;
    Look look;
    std::vector<Branch> branches;
  };

  Known* known_of(const Chain& chain);
  void take_turn(const Chain& word, const Chain& number);
  const Chain* pick(const Chain& a, const Chain& b);
  void compute(u32 word, unsigned rd, unsigned rs1, unsigned rs2, u32 a, u32 b);
  u32 value_through(const Chain& chain, u32 loaded);
  static u32 narrowed(const Look& look, u32 value);

  Copy& copy_;
  std::array<Chain, 32> registers_;
  std::array<Slot, kSlots> slots_;  // by address
  std::array<Known, kLooks> looks_;
  u32 number_ = 0;
  Turn turn_;
};

}  // namespace bhemu::hazard
