// Writes the x86-64 code of a region; translate.hpp says what it looks like. Included by the files
// that make up the translator only.
#pragma once

#if defined(__x86_64__)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <xbyak/xbyak.h>
#pragma GCC diagnostic pop

#include <span>
#include <vector>

#include "riscv/isa.hpp"
#include "riscv/jit/context.hpp"
#include "riscv/jit/region.hpp"

namespace bhemu::riscv::jit {

class Emitter : private Xbyak::CodeGenerator {
 public:
  static constexpr std::size_t kMostCode = 256 * 1024;
  /// `buffer`: kMostCode bytes.
  Emitter(u8* buffer, const std::vector<Block>& blocks, u32 l1_bytes, const std::array<u32, 33>& x);
  void emit();
  std::span<const u8> code() const { return {getCode(), getSize()}; }
  const std::vector<u32>& heads() const { return heads_; }
  const std::vector<u32>& steps() const { return steps_; }

 private:
  using Reg32 = Xbyak::Reg32;
  // eax, ecx and edx are scratch, the others hold values of registers.
  static inline const Xbyak::Reg64 kState{Xbyak::Operand::RBX};  // the core's
  static inline const Xbyak::Reg64 kContext{Xbyak::Operand::RBP};
  static inline const Xbyak::Reg64 kL1{Xbyak::Operand::R12};
  static inline const Xbyak::Reg64 kFlags{Xbyak::Operand::R13};   // of L1
  static inline const Xbyak::Reg64 kBudget{Xbyak::Operand::R14};  // cycles that are left
  static inline const Xbyak::Reg64 kChains{Xbyak::Operand::R15};
  static constexpr unsigned kHosts = 6;
  static constexpr u8 kNobody = 0xFF;
  static constexpr std::size_t kNoBlock = ~std::size_t{0};
  static constexpr u32 kScratchSlots = 3;
  static constexpr unsigned kRoundHosts = 4;  // held when a round begins
  /// Which register of the core each host register holds.
  using Held = std::array<u8, kHosts>;

  /// A place in the code that is jumped to, perhaps before it is known. Xbyak's labels can do that,
  /// too; a load would need eight of them, and half of all the time went into their tables.
  using Place = u32;
  /// Conditions of jumps, as the host encodes them.
  enum class If : u8 {
    Below = 2,
    NotBelow,
    Equal,
    NotEqual,
    Negative = 8,
    NotNegative,
    Less = 12,
    NotLess,
  };

  /// What stands behind the region's blocks: ways that are seldom taken.
  struct Stub {
    enum class Kind : u8 { Memory, Jump, Over, Exit, Words };
    explicit Stub(Kind kind) : kind(kind) {}

    Kind kind;
    bool l1_first = true;     // Memory: the guess at the base that was wrong
    bool tries_both = false;  // and the other memory is tried at once, not by the access
    Place entry = 0;
    Place back = 0;
    Place access = 0;  // Memory: where it goes when it is in neither memory
    Place behind = 0;  // and the way back from there
    u32 pc = 0;
    u32 refund = 0;                  // cycles that are paid and not used
    Decoded instruction{};           // Memory, Jump
    Reg32 value;                     // loaded to or stored from
    Held held{};                     // what the way back expects
    Held unsaved{};                  // what the core's state has not got yet
    std::span<const Decoded> row{};  // Words
  };

  void emit_block(const Block& block);
  void emit_steps(const Block& block);
  void pay_for_step();
  void step_through_row(std::span<const Decoded> row);
  void emit_one(Decoded e);
  bool has_template(Decoded e) const;
  void step_aside(std::size_t function, u32 pc, u32 argument);
  void call_aside(std::size_t function, u32 pc);
  Place words_of(std::span<const Decoded> instructions);
  void push_words(Place words, u32 first, u32 count);
  void leave_with(Leave why);
  void leave_for(u32 pc);
  void jump_to(u32 pc);

  void begin_round(const Block& block);
  void go_round_again();
  void jump_and_link(Decoded e);
  void jump_register(Decoded e);
  void branch(Decoded e);
  void load(Decoded e);
  void store(Decoded e);
  void load_from(Decoded e, Reg32 to, const Xbyak::Reg64& base, const Xbyak::RegExp& index);
  void store_to(Decoded e, Reg32 from, const Xbyak::Reg64& base, const Xbyak::RegExp& index);
  void address(Reg32 base, int offset);
  void check_alignment(unsigned shift, Place otherwise);
  void check_l1(unsigned shift, Place otherwise);
  void check_flags(Place slow);
  void check_local(unsigned shift, Place otherwise);
  void move_memory(const Stub& stub, bool local);
  void arithmetic(Decoded e);
  void immediate(Decoded e);
  void shifts(Decoded e);
  void three_registers(Decoded e);
  void multiply(Decoded e, Reg32 to, Reg32 a, Reg32 b);
  void divide(Decoded e, Reg32 to, Reg32 a, Reg32 b);
  void compare(Decoded e, Reg32 to, Reg32 a, Reg32 b);
  void one_register(Decoded e);

  void emit_stubs();
  Stub memory_stub(Decoded e, bool local);
  void emit_other_memory(const Stub& stub);
  void emit_access(const Stub& stub);
  void emit_jump(const Stub& stub);

  Place place();
  void bind(Place place) { places_[place] = static_cast<u32>(getSize()); }
  void jump(Place to);
  void jump(If condition, Place to);
  /// rip + 0 at the end of the instruction before means that place, and so many bytes.
  void refer(Place to, u32 bytes = 0) {
    references_.push_back({static_cast<u32>(getSize()), to, bytes});
  }
  void resolve();
  static If condition_of(Op op);
  static If opposite(If condition) { return static_cast<If>(static_cast<u8>(condition) ^ 1); }
  /// kNoBlock: none begins there.
  std::size_t block_at(u32 pc) const;
  bool falls_to(u32 pc) const;
  Place head_of(std::size_t block) const { return static_cast<Place>(block); }
  Place short_of(std::size_t block) const { return static_cast<Place>(blocks_.size() + block); }

  Reg32 host(unsigned index) const;
  unsigned victim();
  unsigned take(unsigned index);
  /// x[reg] from the core's state into a host register.
  void get(unsigned index, u32 reg);
  /// A host register with the value of x[reg].
  Reg32 use(u32 reg);
  /// A host register for a new value of x[reg]; no operand of the instruction at hand is in it.
  Reg32 fresh();
  /// `value`, which `fresh` or `result` gave, is x[reg] from now on.
  void define(u32 reg, Reg32 value);
  /// As `fresh`, or, when the instruction's result takes the place of its first operand, `first`.
  Reg32 result(Decoded e, Reg32 first);
  void move(Reg32 to, Reg32 from) {
    if (to != from) mov(to, from);
  }
  /// Writes to the core's state what it has not got yet.
  void save();
  void save(const Held& unsaved);
  void forget() {
    held_.fill(kNobody);
    unsaved_.fill(kNobody);
  }
  Xbyak::Address x_of(u32 reg) const;
  Xbyak::Address f_of(u32 reg) const;

  const std::vector<Block>& blocks_;
  u32 l1_bytes_;
  const std::array<u32, 33>& x_;
  std::vector<u32> heads_;
  std::vector<u32> steps_;
  // Of heads of blocks, then of where they go when the time is too short, then of others.
  std::vector<u32> places_;
  struct Reference {
    u32 end;  // of the four bytes, and of the instruction
    Place to;
    u32 bytes;
  };
  std::vector<Reference> references_;
  Place done_ = 0;
  Place over_ = 0;
  Place lookup_ = 0;
  std::vector<Stub> stubs_;
  Held held_{};
  Held unsaved_{};                  // kNobody, or as held_: the core's state has another value
  std::array<u32, kHosts> used_{};  // when, for the choice of a victim
  u32 clock_ = 0;
  u32 pc_ = 0;             // of the instruction at hand
  u32 remaining_ = 0;      // instructions that are paid for, from it on
  std::size_t index_ = 0;  // of the block
  bool in_steps_ = false;
  // Of a block that may come back to its beginning at once: the way in for who holds that.
  bool goes_round_ = false;
  Place again_ = 0;
  Held held_again_{};
};

}  // namespace bhemu::riscv::jit

#endif
