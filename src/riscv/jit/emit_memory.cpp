// The templates of loads and stores.
#include "riscv/jit/emitter.hpp"

#if defined(__x86_64__)

#include <bit>
#include <cstddef>

namespace bhemu::riscv::jit {
namespace {

using namespace Xbyak::util;

constexpr int kLocal = static_cast<int>(offsetof(CoreState, ldm));
constexpr int kToLocal = static_cast<int>(0u - kLdmBase);  // address to offset in local memory

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

bool is_local(u32 address) {
  return address - kLdmBase < 0x2000;
}

}  // namespace

void Emitter::check_l1(unsigned shift, Place otherwise) {
  check_alignment(shift, otherwise);
  cmp(eax, l1_bytes_);
  jump(If::NotBelow, otherwise);
}

/// The host takes a test and its jump as one.
void Emitter::check_alignment(unsigned shift, Place otherwise) {
  if (shift == 0) return;
  test(al, (1 << shift) - 1);
  jump(If::NotEqual, otherwise);
}

void Emitter::check_flags(Place slow) {
  mov(ecx, eax);
  shr(ecx, 6);
  cmp(byte[kFlags + rcx], 0);
  jump(If::NotEqual, slow);
}

/// eax: the offset in local memory.
void Emitter::check_local(unsigned shift, Place otherwise) {
  check_alignment(shift, otherwise);
  cmp(eax, dword[kContext + static_cast<int>(offsetof(Context, ldm_bytes))]);
  jump(If::NotBelow, otherwise);
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

void Emitter::address(Reg32 base, int offset) {
  if (offset == 0)
    mov(eax, base);
  else
    lea(eax, ptr[base.cvt64() + offset]);
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

Emitter::Stub Emitter::memory_stub(Decoded e, bool local) {
  Stub stub(Stub::Kind::Memory);
  stub.instruction = e;
  stub.l1_first = !local;
  // A step is taken once in a turn.
  stub.tries_both = !in_steps_;
  stub.entry = place();
  stub.access = stub.tries_both ? place() : stub.entry;
  stub.back = place();
  stub.behind = place();
  stub.pc = pc_;
  stub.refund = remaining_;
  return stub;
}

void Emitter::load(Decoded e) {
  const Op op = static_cast<Op>(e.op);
  const unsigned shift = shift_of(op);
  const bool local = is_local(x_[e.rs1] + static_cast<u32>(e.imm));
  address(use(e.rs1), local ? e.imm + kToLocal : e.imm);
  const Reg32 to = fresh();
  Stub stub = memory_stub(e, local);
  stub.value = to;
  stub.unsaved = unsaved_;
  if (local)
    check_local(shift, stub.entry);
  else
    check_l1(shift, stub.entry);
  move_memory(stub, local);
  bind(stub.back);
  if (is_float(op)) {
    if (op == Op::flh) or_(to, 0xFFFF0000);
    mov(f_of(e.rd), to);
  } else {
    define(e.rd, to);
  }
  stub.held = held_;
  bind(stub.behind);
  stubs_.push_back(stub);
}

void Emitter::store(Decoded e) {
  const Op op = static_cast<Op>(e.op);
  const unsigned shift = shift_of(op);
  const bool local = is_local(x_[e.rs1] + static_cast<u32>(e.imm));
  Reg32 from = edx;
  if (is_float(op))
    mov(edx, f_of(e.rs2));
  else
    from = use(e.rs2);
  address(use(e.rs1), local ? e.imm + kToLocal : e.imm);
  Stub stub = memory_stub(e, local);
  stub.value = from;
  stub.unsaved = unsaved_;
  stub.held = held_;
  if (local) {
    check_local(shift, stub.entry);
  } else {
    check_l1(shift, stub.entry);
    check_flags(stub.access);
  }
  move_memory(stub, local);
  bind(stub.back);
  bind(stub.behind);
  stubs_.push_back(stub);
}

/// The guess at the base was wrong: the same access in the other memory.
void Emitter::emit_other_memory(const Stub& stub) {
  const unsigned shift = shift_of(static_cast<Op>(stub.instruction.op));
  if (stub.l1_first) {
    add(eax, kToLocal);
    check_local(shift, stub.access);
  } else {
    sub(eax, kToLocal);
    check_l1(shift, stub.access);
    if (is_store(stub.instruction)) check_flags(stub.access);
  }
  move_memory(stub, stub.l1_first);
  jump(stub.back);
}

void Emitter::emit_access(const Stub& stub) {
  save(stub.unsaved);
  lea(rsi, ptr[kBudget + static_cast<int>(stub.refund)]);
  mov(rdi, kContext);
  mov(edx, stub.pc);
  mov(rcx, std::bit_cast<u64>(stub.instruction));
  call(ptr[kContext + static_cast<int>(offsetof(Context, access))]);
  test(eax, eax);
  jump(If::NotEqual, done_);
  for (unsigned i = 0; i < kHosts; ++i)
    if (stub.held[i] != kNobody) get(i, stub.held[i]);
  jump(stub.behind);
}

}  // namespace bhemu::riscv::jit

#endif
