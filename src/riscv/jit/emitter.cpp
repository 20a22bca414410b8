#include "riscv/jit/emitter.hpp"

#if defined(__x86_64__)

#include <bit>
#include <cstddef>

#include "base/check.hpp"

namespace bhemu::riscv::jit {
namespace {

using namespace Xbyak::util;

constexpr int kLocal = static_cast<int>(offsetof(CoreState, ldm));
constexpr int kToLocal = static_cast<int>(0u - kLdmBase);  // address to offset in local memory

// rbx the core's state, rbp the context, r12 L1, r13 its flags, r14 cycles left, r15 the table;
// eax, ecx and edx are scratch, the others hold values of registers.
const Xbyak::Reg64& kState = rbx;
const Xbyak::Reg64& kContext = rbp;
const Xbyak::Reg64& kL1 = r12;
const Xbyak::Reg64& kFlags = r13;
const Xbyak::Reg64& kBudget = r14;
const Xbyak::Reg64& kTable = r15;

unsigned shift_of(Op op) {
  switch (op) {
    case Op::lw:
    case Op::sw:
    case Op::flw:
    case Op::fsw:
      return 2;
    case Op::lh:
    case Op::lhu:
    case Op::sh:
    case Op::flh:
    case Op::fsh:
      return 1;
    default:
      return 0;
  }
}

bool is_float(Op op) {
  return op == Op::flw || op == Op::flh || op == Op::fsw || op == Op::fsh;
}

bool is_store(Decoded e) {
  const Format format = row_of(static_cast<Op>(e.op)).format;
  return format == Format::Store || format == Format::FpStore;
}

bool is_push(Decoded e) {
  return e.op >= kFirstRow && row_of(static_cast<Op>(e.op)).format == Format::Ttinsn;
}

bool is_local(u32 address) {
  return address - kLdmBase < 0x2000;
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
  const unsigned i = victim();
  held_[i] = static_cast<u8>(reg);
  used_[i] = clock_;
  if (reg == 0)
    xor_(host(i), host(i));
  else
    mov(host(i), x_of(reg));
  return host(i);
}

Xbyak::Reg32 Emitter::fresh() {
  ++clock_;
  const unsigned i = victim();
  held_[i] = kNobody;
  used_[i] = clock_;
  return host(i);
}

void Emitter::define(u32 reg, Reg32 value) {
  if (reg == 32) return;  // x0: the value is nobody's
  for (unsigned i = 0; i < kHosts; ++i) {
    if (held_[i] == reg) held_[i] = kNobody;
    if (host(i) == value) held_[i] = static_cast<u8>(reg);
  }
  mov(x_of(reg), value);
}

void Emitter::emit() {
  for (const Block& block : blocks_) labels_[block.pc];
  for (std::size_t i = 0; i < blocks_.size(); ++i) emit_block(i);
  emit_stubs();
  L(done_);
  mov(eax, static_cast<u32>(Leave::Done));
  jmp(ptr[kContext + static_cast<int>(offsetof(Context, leave))]);
}

void Emitter::emit_block(std::size_t index) {
  const Block& block = blocks_[index];
  const u32 count = static_cast<u32>(block.code.size());
  forget();
  L(labels_[block.pc]);
  heads_.push_back(static_cast<u32>(getSize()));
  auto stub = std::make_unique<Stub>();
  stub->kind = Stub::Kind::Short;
  stub->pc = block.pc;
  stub->refund = count;
  sub(kBudget, count);
  js(stub->entry);
  stubs_.push_back(std::move(stub));
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
      push_words(std::span(block.code).subspan(first, i - first));
      continue;
    }
    while (i < count && !has_template(block.code[i]) && !is_push(block.code[i])) ++i;
    step_aside(offsetof(Context, interpret), pc_, i - first);
  }
  if (ends_block(block.code.back()) && has_template(block.code.back())) return;
  const bool falls = index + 1 < blocks_.size() && blocks_[index + 1].pc == block.end();
  jump_to(block.end(), falls);
}

/// The way on to another block: into this region, or through the table.
void Emitter::jump_to(u32 pc, bool may_fall) {
  if (const auto label = labels_.find(pc); label != labels_.end()) {
    if (!may_fall) jmp(label->second);
    return;
  }
  leave_for(pc);
}

void Emitter::leave_for(u32 pc) {
  if (pc >= l1_bytes_) {  // the table has no such word
    mov(dword[kState + static_cast<int>(offsetof(CoreState, pc))], pc);
    mov(eax, static_cast<u32>(Leave::Lookup));
    jmp(ptr[kContext + static_cast<int>(offsetof(Context, leave))]);
    return;
  }
  mov(eax, dword[kTable + static_cast<int>(pc)]);
  mov(ecx, pc);
  chain_through_eax();
}

/// eax: what the table says of the block, ecx: its pc.
void Emitter::chain_through_eax() {
  Xbyak::Label unknown;
  btr(eax, 31);
  jnc(unknown);
  add(rax, ptr[kContext + static_cast<int>(offsetof(Context, code))]);
  jmp(rax);
  L(unknown);
  mov(dword[kState + static_cast<int>(offsetof(CoreState, pc))], ecx);
  mov(eax, static_cast<u32>(Leave::Lookup));
  jmp(ptr[kContext + static_cast<int>(offsetof(Context, leave))]);
}

/// Instructions from `pc_` on that push words, which lie behind the code.
void Emitter::push_words(std::span<const Decoded> instructions) {
  auto stub = std::make_unique<Stub>();
  stub->kind = Stub::Kind::Words;
  for (const Decoded e : instructions) stub->words.push_back(static_cast<u32>(e.imm));
  lea(rcx, ptr[rip + stub->entry]);
  mov(r8d, static_cast<u32>(instructions.size()));
  call_aside(offsetof(Context, push), pc_);
  stubs_.push_back(std::move(stub));
}

/// In the middle of a block: the context's function at that offset does what stands at `pc`.
void Emitter::step_aside(std::size_t function, u32 pc, u32 argument) {
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
  jnz(done_);
  forget();
}

void Emitter::jump_and_link(Decoded e) {
  if (e.rd != 32) mov(x_of(e.rd), pc_ + 4);
  jump_to(pc_ + static_cast<u32>(e.imm) * 4, false);
}

void Emitter::jump_register(Decoded e) {
  auto stub = std::make_unique<Stub>();
  stub->kind = Stub::Kind::Interpret;
  stub->pc = pc_;
  stub->refund = 1;
  lea(ecx, ptr[use(e.rs1).cvt64() + e.imm]);
  and_(ecx, ~1u);
  mov(eax, ecx);
  ror(eax, 2);
  cmp(eax, l1_bytes_ / 4);
  jae(stub->entry);
  if (e.rd != 32) mov(x_of(e.rd), pc_ + 4);
  mov(eax, dword[kTable + rcx]);
  chain_through_eax();
  // It faults, or it is tolerated and goes somewhere: the interpreter knows where.
  L(stub->back);
  jmp(done_);
  stubs_.push_back(std::move(stub));
}

void Emitter::branch(Decoded e) {
  const Reg32 a = use(e.rs1);
  if (e.rs2 == 0)
    test(a, a);
  else
    cmp(a, use(e.rs2));
  const u32 target = pc_ + static_cast<u32>(e.imm) * 4;
  Xbyak::Label* to = nullptr;
  if (const auto label = labels_.find(target); label != labels_.end()) {
    to = &label->second;
  } else {
    auto stub = std::make_unique<Stub>();
    stub->kind = Stub::Kind::Exit;
    stub->pc = target;
    to = &stub->entry;
    stubs_.push_back(std::move(stub));
  }
  switch (static_cast<Op>(e.op)) {
    case Op::beq:
      je(*to);
      break;
    case Op::bne:
      jne(*to);
      break;
    case Op::blt:
      jl(*to);
      break;
    case Op::bge:
      jge(*to);
      break;
    case Op::bltu:
      jb(*to);
      break;
    default:
      jae(*to);
      break;
  }
  const auto next = labels_.upper_bound(pc_);
  const bool falls = next != labels_.end() && next->first == pc_ + 4;
  jump_to(pc_ + 4, falls);
}

// ---- Loads and stores ---------------------------------------------------------------------------

// A comparison tests alignment and range together, as in the interpreter.
void Emitter::check_l1(unsigned shift, Xbyak::Label& otherwise) {
  if (shift == 0) {
    cmp(eax, l1_bytes_);
  } else {
    mov(ecx, eax);
    ror(ecx, shift);
    cmp(ecx, l1_bytes_ >> shift);
  }
  jae(otherwise);
}

void Emitter::check_flags(Xbyak::Label& slow) {
  mov(ecx, eax);
  shr(ecx, 6);
  cmp(byte[kFlags + rcx], 0);
  jne(slow);
}

/// eax: the offset in local memory.
void Emitter::check_local(unsigned shift, Xbyak::Label& otherwise) {
  mov(ecx, eax);
  if (shift != 0) ror(ecx, shift);
  cmp(ecx, dword[kContext + static_cast<int>(offsetof(Context, ldm_limit) + shift * 4)]);
  jae(otherwise);
}

void Emitter::load_from(Decoded e, Reg32 to, const Xbyak::Reg64& base, const Xbyak::RegExp& index) {
  switch (static_cast<Op>(e.op)) {
    case Op::lb:
      movsx(to, byte[base + index]);
      break;
    case Op::lh:
      movsx(to, word[base + index]);
      break;
    case Op::lbu:
      movzx(to, byte[base + index]);
      break;
    case Op::lhu:
    case Op::flh:
      movzx(to, word[base + index]);
      break;
    default:
      mov(to, dword[base + index]);
      break;
  }
}

void Emitter::store_to(Decoded e, Reg32 from, const Xbyak::Reg64& base,
                       const Xbyak::RegExp& index) {
  switch (shift_of(static_cast<Op>(e.op))) {
    case 0:
      mov(byte[base + index], from.cvt8());
      break;
    case 1:
      mov(word[base + index], from.cvt16());
      break;
    default:
      mov(dword[base + index], from);
      break;
  }
}

/// The access itself, after the checks.
void Emitter::move_memory(const Stub& stub, bool local) {
  const Xbyak::Reg64& base = local ? kState : kL1;
  const Xbyak::RegExp index = local ? rax + kLocal : Xbyak::RegExp(rax);
  if (is_store(stub.instruction))
    store_to(stub.instruction, stub.value, base, index);
  else
    load_from(stub.instruction, stub.value, base, index);
}

void Emitter::load(Decoded e) {
  const Op op = static_cast<Op>(e.op);
  const unsigned shift = shift_of(op);
  auto stub = std::make_unique<Stub>();
  auto slow = std::make_unique<Stub>();
  const bool local = is_local(x_[e.rs1] + static_cast<u32>(e.imm));
  lea(eax, ptr[use(e.rs1).cvt64() + (local ? e.imm + kToLocal : e.imm)]);
  const Reg32 to = fresh();
  stub->kind = Stub::Kind::OtherMemory;
  stub->instruction = e;
  stub->value = to;
  stub->l1_first = !local;
  if (local)
    check_local(shift, stub->entry);
  else
    check_l1(shift, stub->entry);
  move_memory(*stub, local);
  L(stub->back);
  if (is_float(op)) {
    if (op == Op::flh) or_(to, 0xFFFF0000);
    mov(f_of(e.rd), to);
  } else {
    define(e.rd, to);
  }
  slow->kind = Stub::Kind::Access;
  slow->instruction = e;
  slow->pc = pc_;
  slow->refund = remaining_;
  slow->held = held_;
  L(slow->back);
  stub->slow = slow.get();
  stubs_.push_back(std::move(stub));
  stubs_.push_back(std::move(slow));
}

void Emitter::store(Decoded e) {
  const Op op = static_cast<Op>(e.op);
  const unsigned shift = shift_of(op);
  auto stub = std::make_unique<Stub>();
  auto slow = std::make_unique<Stub>();
  const bool local = is_local(x_[e.rs1] + static_cast<u32>(e.imm));
  Reg32 from = edx;
  if (is_float(op))
    mov(edx, f_of(e.rs2));
  else
    from = use(e.rs2);
  lea(eax, ptr[use(e.rs1).cvt64() + (local ? e.imm + kToLocal : e.imm)]);
  stub->kind = Stub::Kind::OtherMemory;
  stub->instruction = e;
  stub->value = from;
  stub->l1_first = !local;
  slow->kind = Stub::Kind::Access;
  slow->instruction = e;
  slow->pc = pc_;
  slow->refund = remaining_;
  slow->held = held_;
  if (local) {
    check_local(shift, stub->entry);
  } else {
    check_l1(shift, stub->entry);
    check_flags(slow->entry);
  }
  move_memory(*stub, local);
  L(stub->back);
  L(slow->back);
  stub->slow = slow.get();
  stubs_.push_back(std::move(stub));
  stubs_.push_back(std::move(slow));
}

// ---- Ways seldom taken --------------------------------------------------------------------------

void Emitter::emit_stubs() {
  for (std::size_t i = 0; i < stubs_.size(); ++i) {
    Stub& stub = *stubs_[i];
    if (stub.kind == Stub::Kind::Words) align(sizeof(u32));
    L(stub.entry);
    switch (stub.kind) {
      case Stub::Kind::OtherMemory:
        emit_other_memory(stub);
        break;
      case Stub::Kind::Access:
        emit_access(stub);
        break;
      case Stub::Kind::Interpret:
        emit_interpret(stub);
        break;
      case Stub::Kind::Short:
        add(kBudget, stub.refund);
        mov(dword[kState + static_cast<int>(offsetof(CoreState, pc))], stub.pc);
        mov(eax, static_cast<u32>(Leave::Short));
        jmp(ptr[kContext + static_cast<int>(offsetof(Context, leave))]);
        break;
      case Stub::Kind::Exit:
        leave_for(stub.pc);
        break;
      case Stub::Kind::Words:
        for (const u32 word : stub.words) dd(word);
        break;
    }
  }
}

/// The guess at the base was wrong: the same access in the other memory.
void Emitter::emit_other_memory(Stub& stub) {
  const unsigned shift = shift_of(static_cast<Op>(stub.instruction.op));
  if (stub.l1_first) {
    add(eax, kToLocal);
    check_local(shift, stub.slow->entry);
  } else {
    sub(eax, kToLocal);
    check_l1(shift, stub.slow->entry);
    if (is_store(stub.instruction)) check_flags(stub.slow->entry);
  }
  move_memory(stub, stub.l1_first);
  jmp(stub.back);
}

void Emitter::emit_access(Stub& stub) {
  lea(rsi, ptr[kBudget + static_cast<int>(stub.refund)]);
  mov(rdi, kContext);
  mov(edx, stub.pc);
  mov(rcx, std::bit_cast<u64>(stub.instruction));
  call(ptr[kContext + static_cast<int>(offsetof(Context, access))]);
  come_back(stub);
}

void Emitter::emit_interpret(Stub& stub) {
  lea(rsi, ptr[kBudget + static_cast<int>(stub.refund)]);
  mov(rdi, kContext);
  mov(edx, stub.pc);
  mov(ecx, 1);
  call(ptr[kContext + static_cast<int>(offsetof(Context, interpret))]);
  come_back(stub);
}

/// From a function of the host, which says in eax whether to leave.
void Emitter::come_back(Stub& stub) {
  test(eax, eax);
  jnz(done_);
  for (unsigned i = 0; i < kHosts; ++i) {
    if (stub.held[i] == kNobody) continue;
    if (stub.held[i] == 0)
      xor_(host(i), host(i));
    else
      mov(host(i), x_of(stub.held[i]));
  }
  jmp(stub.back);
}

}  // namespace bhemu::riscv::jit

#endif
