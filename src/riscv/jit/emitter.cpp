#include "riscv/jit/emitter.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <cstddef>

#include "base/check.hpp"

namespace bhemu::riscv::jit {
namespace {

using namespace Xbyak::util;

bool is_push(Decoded e) {
  return e.op >= kFirstRow && row_of(static_cast<Op>(e.op)).format == Format::Ttinsn;
}

// Which of its fields are registers of the core, of an instruction that has a template.
bool has_first(Format format) {
  switch (format) {
    case Format::Upper:
    case Format::UpperPc:
    case Format::Jal:
    case Format::Fence:
    case Format::FpToInt:
      return false;
    default:
      return true;
  }
}
bool has_second(Format format) {
  return format == Format::Store || format == Format::Reg || format == Format::Branch;
}
bool has_result(Format format) {
  switch (format) {
    case Format::Load:
    case Format::Upper:
    case Format::UpperPc:
    case Format::Imm:
    case Format::Shift:
    case Format::Reg:
    case Format::Unary:
    case Format::FpToInt:
      return true;
    default:
      return false;
  }
}

}  // namespace

Emitter::Emitter(u8* buffer, const std::vector<Block>& blocks, u32 l1_bytes,
                 const std::array<u32, 33>& x)
    : CodeGenerator(kMostCode, buffer), blocks_(blocks), l1_bytes_(l1_bytes), x_(x) {
  setDefaultJmpNEAR(true);
}

Xbyak::Reg32 Emitter::host(unsigned index) const {
  switch (index) {
    case 0:
      return esi;
    case 1:
      return edi;
    default:
      return Reg32(static_cast<int>(index) + 6);  // r8d to r11d
  }
}

Xbyak::Address Emitter::x_of(u32 reg) const {
  return dword[kState + static_cast<int>(offsetof(CoreState, x) + reg * 4)];
}
Xbyak::Address Emitter::f_of(u32 reg) const {
  return dword[kState + static_cast<int>(offsetof(CoreState, f) + reg * 4)];
}

unsigned Emitter::victim() {
  unsigned oldest = 0;
  for (unsigned i = 0; i < kHosts; ++i) {
    if (held_[i] == kNobody && used_[i] + kScratchSlots < clock_) return i;
    if (used_[i] < used_[oldest]) oldest = i;
  }
  return oldest;
}

Xbyak::Reg32 Emitter::use(u32 reg) {
  ++clock_;
  for (unsigned i = 0; i < kHosts; ++i) {
    if (held_[i] != reg) continue;
    used_[i] = clock_;
    return host(i);
  }
  const unsigned i = take(victim());
  held_[i] = static_cast<u8>(reg);
  get(i, reg);
  return host(i);
}

void Emitter::get(unsigned index, u32 reg) {
  if (reg == 0)
    xor_(host(index), host(index));
  else
    mov(host(index), x_of(reg));
}

Xbyak::Reg32 Emitter::fresh() {
  ++clock_;
  return host(take(victim()));
}

Xbyak::Reg32 Emitter::result(Decoded e, Reg32 first) {
  return e.rd == e.rs1 ? first : fresh();
}

/// The host register is free then.
unsigned Emitter::take(unsigned index) {
  if (unsaved_[index] != kNobody) mov(x_of(unsaved_[index]), host(index));
  held_[index] = unsaved_[index] = kNobody;
  used_[index] = clock_;
  return index;
}

void Emitter::save(const Held& unsaved) {
  for (unsigned i = 0; i < kHosts; ++i)
    if (unsaved[i] != kNobody) mov(x_of(unsaved[i]), host(i));
}

void Emitter::save() {
  save(unsaved_);
  unsaved_.fill(kNobody);
}

void Emitter::define(u32 reg, Reg32 value) {
  if (reg == 32) return;  // x0: the value is nobody's
  for (unsigned i = 0; i < kHosts; ++i) {
    if (held_[i] == reg) held_[i] = unsaved_[i] = kNobody;
    if (host(i) == value) held_[i] = unsaved_[i] = static_cast<u8>(reg);
  }
}

void Emitter::emit() {
  places_.resize(2 * blocks_.size());
  done_ = place();
  over_ = place();
  lookup_ = place();
  for (index_ = 0; index_ < blocks_.size(); ++index_) emit_block(blocks_[index_]);
  in_steps_ = true;
  goes_round_ = false;
  for (index_ = 0; index_ < blocks_.size(); ++index_) emit_steps(blocks_[index_]);
  emit_stubs();
  bind(over_);  // ecx: the pc, rax: the code there
  add(kBudget, 1);
  mov(dword[kState + static_cast<int>(offsetof(CoreState, pc))], ecx);
  mov(dword[kContext + static_cast<int>(offsetof(Context, resume_pc))], ecx);
  mov(ptr[kContext + static_cast<int>(offsetof(Context, resume))], rax);
  leave_with(Leave::Over);
  bind(lookup_);  // ecx: the pc
  mov(dword[kState + static_cast<int>(offsetof(CoreState, pc))], ecx);
  leave_with(Leave::Lookup);
  bind(done_);
  leave_with(Leave::Done);
  resolve();
}

void Emitter::leave_with(Leave why) {
  mov(eax, static_cast<u32>(why));
  jmp(ptr[kContext + static_cast<int>(offsetof(Context, leave))]);
}

Emitter::Place Emitter::place() {
  places_.push_back(0);
  return static_cast<Place>(places_.size() - 1);
}

void Emitter::jump(Place to) {
  db(0xE9);
  dd(0);
  refer(to);
}

void Emitter::jump(If condition, Place to) {
  db(0x0F);
  db(0x80 | static_cast<int>(condition));
  dd(0);
  refer(to);
}

void Emitter::resolve() {
  for (const Reference& at : references_)
    rewrite(at.end - sizeof(u32), places_[at.to] + at.bytes - at.end, sizeof(u32));
}

std::size_t Emitter::block_at(u32 pc) const {
  const auto at =
      std::lower_bound(blocks_.begin(), blocks_.end(), pc,
                       [](const Block& block, u32 wanted) { return block.pc < wanted; });
  return at == blocks_.end() || at->pc != pc ? kNoBlock
                                             : static_cast<std::size_t>(at - blocks_.begin());
}

/// Whether what is emitted next is the block there.
bool Emitter::falls_to(u32 pc) const {
  return !in_steps_ && index_ + 1 < blocks_.size() && blocks_[index_ + 1].pc == pc;
}

void Emitter::emit_block(const Block& block) {
  const u32 count = static_cast<u32>(block.code.size());
  forget();
  bind(head_of(index_));
  heads_.push_back(static_cast<u32>(getSize()));
  sub(kBudget, count);
  jump(If::Negative, short_of(index_));
  begin_round(block);
  for (u32 i = 0; i < count;) {
    pc_ = block.pc + i * 4;
    remaining_ = count - i;
    if (has_template(block.code[i])) {
      emit_one(block.code[i++]);
      continue;
    }
    const u32 first = i;
    if (is_push(block.code[i])) {
      while (i < count && is_push(block.code[i])) ++i;
      push_words(words_of(std::span(block.code).subspan(first, i - first)), 0, i - first);
      continue;
    }
    while (i < count && !has_template(block.code[i]) && !is_push(block.code[i])) ++i;
    step_aside(offsetof(Context, interpret), pc_, i - first);
  }
  if (ends_block(block.code.back()) && has_template(block.code.back())) return;
  save();
  jump_to(block.end());
}

/// The same instruction by instruction, each of which takes its operands from the core's state and
/// asks whether there is time left: a turn may begin and end at any of them.
void Emitter::emit_steps(const Block& block) {
  const u32 count = static_cast<u32>(block.code.size());
  bind(short_of(index_));
  add(kBudget, count);
  for (u32 i = 0; i < count;) {
    pc_ = block.pc + i * 4;
    const Decoded e = block.code[i];
    if (is_push(e)) {
      const u32 first = i;
      while (i < count && is_push(block.code[i])) ++i;
      step_through_row(std::span(block.code).subspan(first, i - first));
      continue;
    }
    ++i;
    steps_.push_back(static_cast<u32>(getSize()));
    forget();
    pay_for_step();
    if (has_template(e))
      emit_one(e);
    else
      step_aside(offsetof(Context, interpret), pc_, 1);
    save();
  }
  if (ends_block(block.code.back()) && has_template(block.code.back())) return;
  jump_to(block.end());
}

void Emitter::pay_for_step() {
  Stub stub(Stub::Kind::Over);
  stub.pc = pc_;
  stub.entry = place();
  stub.back = place();
  bind(stub.back);
  sub(kBudget, 1);
  jump(If::Negative, stub.entry);
  stubs_.push_back(stub);
  remaining_ = 1;
}

/// What is left of a row of words is pushed in one call if there is time for all of it.
void Emitter::step_through_row(std::span<const Decoded> row) {
  const Place words = words_of(row);
  const u32 count = static_cast<u32>(row.size());
  const Place behind = place();
  for (u32 i = 0; i < count; ++i, pc_ += 4) {
    const u32 left = count - i;
    steps_.push_back(static_cast<u32>(getSize()));
    if (left > 1) {
      const Place one = place();
      sub(kBudget, left);
      remaining_ = left;
      jump(If::Negative, one);
      push_words(words, i, left);
      jump(behind);
      bind(one);
      add(kBudget, left);
    }
    pay_for_step();
    push_words(words, i, 1);
  }
  bind(behind);
}

/// The way on to another block: in this region, or by a chain.
void Emitter::jump_to(u32 pc) {
  if (falls_to(pc)) return;
  if (const std::size_t block = block_at(pc); block != kNoBlock)
    jump(head_of(block));
  else
    leave_for(pc);
}

void Emitter::leave_for(u32 pc) {
  const int slot = static_cast<int>(Chain::slot_of(pc) * sizeof(Chain));
  mov(ecx, pc);
  cmp(dword[kChains + slot], Chain::key_of(pc));
  jump(If::NotEqual, lookup_);
  jmp(ptr[kChains + slot + static_cast<int>(offsetof(Chain, code))]);
}

/// What instructions push, behind the code.
Emitter::Place Emitter::words_of(std::span<const Decoded> instructions) {
  Stub stub(Stub::Kind::Words);
  stub.entry = place();
  stub.row = instructions;
  stubs_.push_back(stub);
  return stub.entry;
}

/// The instructions from `pc_` on push so many of these words.
void Emitter::push_words(Place words, u32 first, u32 count) {
  save();
  lea(rcx, ptr[rip]);
  refer(words, first * sizeof(u32));
  mov(r8d, count);
  call_aside(offsetof(Context, push), pc_);
}

/// In the middle of a block: the context's function at that offset does what stands at `pc`.
void Emitter::step_aside(std::size_t function, u32 pc, u32 argument) {
  save();
  mov(ecx, argument);
  call_aside(function, pc);
}

/// The same, with what comes after `pc` among the arguments being there.
void Emitter::call_aside(std::size_t function, u32 pc) {
  lea(rsi, ptr[kBudget + static_cast<int>(remaining_)]);
  mov(rdi, kContext);
  mov(edx, pc);
  call(ptr[kContext + static_cast<int>(function)]);
  test(eax, eax);
  jump(If::NotEqual, done_);
  forget();
}

void Emitter::jump_and_link(Decoded e) {
  save();
  if (e.rd != 32) mov(x_of(e.rd), pc_ + 4);
  jump_to(pc_ + static_cast<u32>(e.imm) * 4);
}

void Emitter::jump_register(Decoded e) {
  Stub stub(Stub::Kind::Jump);
  stub.entry = place();
  stub.pc = pc_;
  stub.refund = 1;
  stub.instruction = e;
  save();
  lea(ecx, ptr[use(e.rs1).cvt64() + e.imm]);
  and_(ecx, ~1u);
  lea(edx, ptr[rcx + 1]);
  mov(eax, ecx);
  and_(eax, (Chain::kSlots - 1) * 4);
  shl(eax, 2);
  static_assert(sizeof(Chain) == 16 && Chain::key_of(4) == 5 && Chain::slot_of(8) == 2);
  cmp(dword[kChains + rax], edx);
  jump(If::NotEqual, stub.entry);
  if (e.rd != 32) mov(x_of(e.rd), pc_ + 4);
  jmp(ptr[kChains + rax + static_cast<int>(offsetof(Chain, code))]);
  stubs_.push_back(stub);
}

void Emitter::branch(Decoded e) {
  const If condition = condition_of(static_cast<Op>(e.op));
  const Reg32 a = use(e.rs1);
  const Reg32 b = e.rs2 == 0 ? a : use(e.rs2);
  save();
  if (e.rs2 == 0)
    test(a, a);
  else
    cmp(a, b);
  const u32 target = pc_ + static_cast<u32>(e.imm) * 4;
  if (goes_round_) {
    const Place otherwise = place();
    jump(opposite(condition), otherwise);
    go_round_again();
    bind(otherwise);
  } else if (const std::size_t block = block_at(target); block != kNoBlock) {
    jump(condition, head_of(block));
  } else {
    Stub stub(Stub::Kind::Exit);
    stub.entry = place();
    stub.pc = target;
    jump(condition, stub.entry);
    stubs_.push_back(stub);
  }
  jump_to(pc_ + 4);
}

/// The host's flags are those of a comparison of both operands.
Emitter::If Emitter::condition_of(Op op) {
  switch (op) {
    case Op::beq:
      return If::Equal;
    case Op::bne:
      return If::NotEqual;
    case Op::blt:
      return If::Less;
    case Op::bge:
      return If::NotLess;
    case Op::bltu:
      return If::Below;
    default:
      return If::NotBelow;
  }
}

/// A block that ends with a branch to its beginning goes round with its operands in registers.
void Emitter::begin_round(const Block& block) {
  goes_round_ = false;
  const Decoded last = block.code.back();
  const auto stays = [&](Decoded e) { return has_template(e); };
  if (!std::all_of(block.code.begin(), block.code.end(), stays) ||
      row_of(static_cast<Op>(last.op)).format != Format::Branch ||
      block.end() - 4 + static_cast<u32>(last.imm) * 4 != block.pc)
    return;
  u64 defined = 1;  // x0 is no operand
  unsigned held = 0;
  const auto hold = [&](u8 reg) {
    if ((defined >> reg & 1) != 0 || held == kRoundHosts) return;
    use(reg);
    defined |= u64{1} << reg;
    ++held;
  };
  for (const Decoded e : block.code) {
    const Format format = row_of(static_cast<Op>(e.op)).format;
    if (has_first(format)) hold(e.rs1);
    if (has_second(format)) hold(e.rs2);
    if (has_result(format)) defined |= u64{1} << e.rd;
  }
  goes_round_ = true;
  again_ = place();
  bind(again_);
  held_again_ = held_;
}

/// To `again_`, where other registers may be held.
void Emitter::go_round_again() {
  for (unsigned i = 0; i < kHosts; ++i) {
    const u8 reg = held_again_[i];
    if (reg != kNobody && reg != held_[i]) get(i, reg);
  }
  sub(kBudget, static_cast<u32>(blocks_[index_].code.size()));
  jump(If::NotNegative, again_);
  jump(short_of(index_));
}

// ---- Ways seldom taken --------------------------------------------------------------------------

void Emitter::emit_stubs() {
  for (const Stub& stub : stubs_) {
    if (stub.kind == Stub::Kind::Words) align(sizeof(u32));
    bind(stub.entry);
    switch (stub.kind) {
      case Stub::Kind::Memory:
        if (stub.tries_both) emit_other_memory(stub);
        bind(stub.access);
        emit_access(stub);
        break;
      case Stub::Kind::Jump:
        emit_jump(stub);
        break;
      case Stub::Kind::Over:
        mov(ecx, stub.pc);
        lea(rax, ptr[rip]);
        refer(stub.back);
        jump(over_);
        break;
      case Stub::Kind::Exit:
        leave_for(stub.pc);
        break;
      case Stub::Kind::Words:
        for (const Decoded e : stub.row) dd(static_cast<u32>(e.imm));
        break;
    }
  }
}

/// A jump to where no way is known. Where it faults, or is tolerated and goes somewhere, the
/// interpreter knows where.
void Emitter::emit_jump(const Stub& stub) {
  const Place is_bad = place();
  mov(eax, ecx);
  ror(eax, 2);
  cmp(eax, l1_bytes_ / 4);
  jump(If::NotBelow, is_bad);
  if (stub.instruction.rd != 32) mov(x_of(stub.instruction.rd), stub.pc + 4);
  jump(lookup_);
  bind(is_bad);
  lea(rsi, ptr[kBudget + static_cast<int>(stub.refund)]);
  mov(rdi, kContext);
  mov(edx, stub.pc);
  mov(ecx, 1);
  call(ptr[kContext + static_cast<int>(offsetof(Context, interpret))]);
  jump(done_);
}

}  // namespace bhemu::riscv::jit

#endif
