// Writes the x86-64 code of a region; translate.hpp says what it looks like. Included by the files
// that make up the translator only.
#pragma once

#if defined(__x86_64__)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <xbyak/xbyak.h>
#pragma GCC diagnostic pop

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "riscv/isa.hpp"
#include "riscv/jit/context.hpp"
#include "riscv/jit/region.hpp"

namespace bhemu::riscv::jit {

class Emitter : private Xbyak::CodeGenerator {
 public:
  static constexpr std::size_t kMostCode = 128 * 1024;
  /// `buffer`: kMostCode bytes.
  Emitter(u8* buffer, const std::vector<Block>& blocks, u32 l1_bytes, const std::array<u32, 33>& x);
  void emit();
  std::vector<u8> code() const { return {getCode(), getCode() + getSize()}; }
  const std::vector<u32>& heads() const { return heads_; }

 private:
  using Reg32 = Xbyak::Reg32;
  static constexpr unsigned kHosts = 6;
  static constexpr u8 kNobody = 0xFF;
  static constexpr u32 kScratchSlots = 3;
  /// Which register of the core each host register holds.
  using Held = std::array<u8, kHosts>;

  /// What stands behind the region's blocks: ways that are seldom taken.
  struct Stub {
    enum class Kind : u8 { OtherMemory, Access, Interpret, Short, Exit, Words } kind;
    Xbyak::Label entry;
    Xbyak::Label back;
    Stub* slow = nullptr;  // OtherMemory: where it goes when that is neither
    Decoded instruction;   // OtherMemory, Access
    Reg32 value;           // OtherMemory: loaded to or stored from
    bool l1_first = true;
    u32 pc = 0;
    u32 refund = 0;  // cycles that the block has paid and not used
    std::vector<u32> words;
    Held held;
    Stub() { held.fill(kNobody); }
  };

  void emit_block(std::size_t index);
  void emit_one(Decoded e);
  bool has_template(Decoded e) const;
  void step_aside(std::size_t function, u32 pc, u32 argument);
  void call_aside(std::size_t function, u32 pc);
  void push_words(std::span<const Decoded> instructions);
  void leave_for(u32 pc);
  void jump_to(u32 pc, bool may_fall);
  void chain_through_eax();

  void jump_and_link(Decoded e);
  void jump_register(Decoded e);
  void branch(Decoded e);
  void load(Decoded e);
  void store(Decoded e);
  void load_from(Decoded e, Reg32 to, const Xbyak::Reg64& base, const Xbyak::RegExp& index);
  void store_to(Decoded e, Reg32 from, const Xbyak::Reg64& base, const Xbyak::RegExp& index);
  void check_l1(unsigned shift, Xbyak::Label& otherwise);
  void check_flags(Xbyak::Label& slow);
  void check_local(unsigned shift, Xbyak::Label& otherwise);
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
  void emit_other_memory(Stub& stub);
  void emit_access(Stub& stub);
  void emit_interpret(Stub& stub);
  void come_back(Stub& stub);

  Reg32 host(unsigned index) const;
  unsigned victim();
  /// A host register with the value of x[reg].
  Reg32 use(u32 reg);
  /// A host register for a new value of x[reg]; no operand of the instruction at hand is in it.
  Reg32 fresh();
  /// `value`, which `fresh` gave, is x[reg] from now on.
  void define(u32 reg, Reg32 value);
  void forget() { held_.fill(kNobody); }
  Xbyak::Address x_of(u32 reg) const;
  Xbyak::Address f_of(u32 reg) const;

  const std::vector<Block>& blocks_;
  u32 l1_bytes_;
  const std::array<u32, 33>& x_;
  std::vector<u32> heads_;
  std::map<u32, Xbyak::Label> labels_;  // of blocks, by pc
  Xbyak::Label done_;
  std::vector<std::unique_ptr<Stub>> stubs_;
  Held held_{};
  std::array<u32, kHosts> used_{};  // when, for the choice of a victim
  u32 clock_ = 0;
  u32 pc_ = 0;         // of the instruction at hand
  u32 remaining_ = 0;  // instructions of the block from it on
};

}  // namespace bhemu::riscv::jit

#endif
