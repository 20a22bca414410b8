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
#include <unordered_map>
#include <vector>

#include "hazard/copy.hpp"
#include "race/detector.hpp"

namespace bhemu::hazard {

/// What is looked at with a detector of its own: race::Level::Custom, ::Documented, and the first
/// once more without the order of critical sections (race/guard.hpp).
inline constexpr unsigned kLevels = 3;

/// A word that a read has fetched from another tile, or an atomic.
struct RemoteWord {
  NodeId node = kNoNode;
  u64 address = 0;
  std::array<race::Ticket, kLevels> tickets;  // of the request
  bool by_atomic = false;
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
  bool settled = false;  // nothing more can be learned of it
  u32 guarded = 0;       // Word: 1 + version, when it was looked at under a lock; else 0
  struct Worth {
    std::array<race::Clock, kLevels> knowledge;  // Atomic, Counter, Initiator: of a proof
    std::array<race::Detector::Certain, kLevels> semaphore;  // what is certain whatever it says
    RemoteWord remote;
  };
  std::unique_ptr<Worth> worth;  // of all kinds but Word and Pages
};

class Follower {
 public:
  explicit Follower(Copy& copy) : copy_(copy) {}

  /// The core has loaded `look` into a register.
  void loaded(unsigned reg, Look&& look);
  /// Any other instruction has been executed, with these operands. Returns the look that it was a
  /// branch on, if any; valid until the next call of loaded().
  Look* executed(u32 pc, u32 word, u32 a, u32 b, u32 next_pc);
  /// The register says where the core goes for data, or how much it asks for: with another value it
  /// would have done something else. Returns the look that this was made of, as executed() does.
  Look* chosen_by(unsigned reg, u32 value);
  /// Whether the register holds something made of a look of which there is something left to prove.
  bool is_open(unsigned reg) const;
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
  void forget(unsigned reg) { registers_[reg] = {}; }
  /// A register (0: something else) is stored to a word of the core's own memory, and loaded from
  /// there again.
  void put_away(u32 address, unsigned bytes, unsigned reg);
  void fetch(unsigned reg, u32 address, unsigned bytes, bool is_signed);

 private:
  static constexpr unsigned kLooks = 24;
  static constexpr std::size_t kMostBranches = 8;
  static constexpr std::size_t kMostSteps = 256;
  static constexpr std::size_t kMostSlots = 256;
  static constexpr u16 kConstant = 0xFFFF;  // not made of the look
  static constexpr u16 kLoaded = 0xFFFE;    // what the look has found, itself

  /// An instruction on the way from a look to a branch. An operand is another step's result, what
  /// was loaded, or a number that the look had no part in.
  struct Step {
    u32 word = 0;
    u32 look = 0;
    std::array<u32, 2> number{};
    std::array<u16, 2> from{kConstant, kConstant};
    u32 asked = 0;  // the question that `result` answers
    u32 result = 0;
  };
  struct Value {         // of a register, or of a word of memory
    u32 look = 0;        // the number of the look that it is made of; 0: none
    u32 drawn = 0;       // address of the atomic that it is made of, if any
    u16 from = kLoaded;  // by which step
  };
  struct Slot {
    Value value;
    u8 bytes = 4;
  };
  struct Branch {
    Step compare;  // no word: the first operand is to be equal to the second
    bool taken = false;
  };
  struct Known {
    u32 number = 0;
    bool held = false;  // by a word of memory, as far as is known
    Look look;
    std::vector<Branch> branches;
  };

  const Known* known_of(const Value& value) const;
  Known* known_of(const Value& value) {
    return const_cast<Known*>(static_cast<const Follower*>(this)->known_of(value));
  }
  Known& free_entry();
  bool is_held(u32 look) const;
  bool is_in_register(u32 look) const;
  bool is_wanted(Known& known);
  void overwrite(u32 address, unsigned bytes);
  void make_room();
  void take_turn(const Value& word, const Value& number);
  const Value* pick(const Value& a, const Value& b);
  Step step_of(u32 word, const Value& source, const Value& a, const Value& b, u32 number_a,
               u32 number_b) const;
  void compute(u32 word, unsigned rd, unsigned rs1, unsigned rs2, u32 a, u32 b);
  Look* note(const Branch& branch);
  void collect();
  void keep(u16& from, std::vector<u16>& place);
  u32 operand(const Step& step, unsigned which, u32 loaded);
  u32 value_of(u16 from, u32 loaded);
  static u32 narrowed(const Look& look, u32 value);

  Copy& copy_;
  std::array<Value, 32> registers_;
  std::unordered_map<u32, Slot> slots_;  // of memory, by address
  std::array<Known, kLooks> looks_;
  std::vector<Step> steps_;  // operands come before what is made of them
  u32 number_ = 0;
  u32 asked_ = 0;
  unsigned next_ = 0;  // of looks_
  Turn turn_;
};

}  // namespace bhemu::hazard
