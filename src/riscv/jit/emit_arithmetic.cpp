// The templates of instructions on registers.
#include "riscv/jit/emitter.hpp"

#if defined(__x86_64__)

#include "base/check.hpp"

namespace bhemu::riscv::jit {

using namespace Xbyak::util;

bool Emitter::has_template(Decoded e) const {
  if (e.op < kFirstRow) return false;
  switch (row_of(static_cast<Op>(e.op)).format) {
    case Format::Upper:
    case Format::UpperPc:
    case Format::Jal:
    case Format::Jalr:
    case Format::Branch:
    case Format::Load:
    case Format::Store:
    case Format::FpLoad:
    case Format::FpStore:
    case Format::Imm:
    case Format::Reg:
    case Format::Fence:
      return true;
    case Format::Shift:
      return static_cast<Op>(e.op) != Op::grevi;
    case Format::Unary:
      switch (static_cast<Op>(e.op)) {
        case Op::cpop:  // not every x86-64 has popcnt
        case Op::orc_b:
        case Op::brev8:
          return false;
        default:
          return true;
      }
    default:
      switch (static_cast<Op>(e.op)) {
        case Op::fmv_x_w:
        case Op::fmv_w_x:
          return true;
        default:
          return false;
      }
  }
}

void Emitter::emit_one(Decoded e) {
  switch (row_of(static_cast<Op>(e.op)).format) {
    case Format::Jal:
      return jump_and_link(e);
    case Format::Jalr:
      return jump_register(e);
    case Format::Branch:
      return branch(e);
    case Format::Load:
    case Format::FpLoad:
      return load(e);
    case Format::Store:
    case Format::FpStore:
      return store(e);
    case Format::Fence:
      return;
    default:
      return arithmetic(e);
  }
}

void Emitter::arithmetic(Decoded e) {
  switch (row_of(static_cast<Op>(e.op)).format) {
    case Format::Upper:
    case Format::UpperPc: {
      const Reg32 to = fresh();
      mov(to, static_cast<u32>(e.imm));
      return define(e.rd, to);
    }
    case Format::Imm:
      return immediate(e);
    case Format::Shift:
      return shifts(e);
    case Format::Reg:
      return three_registers(e);
    case Format::Unary:
      return one_register(e);
    case Format::FpToInt: {  // fmv.x.w
      const Reg32 to = fresh();
      mov(to, f_of(e.rs1));
      return define(e.rd, to);
    }
    default:  // fmv.w.x
      mov(f_of(e.rd), use(e.rs1));
  }
}

void Emitter::immediate(Decoded e) {
  const Op op = static_cast<Op>(e.op);
  if (e.rs1 == 0 && op == Op::addi) {
    const Reg32 to = fresh();
    mov(to, static_cast<u32>(e.imm));
    return define(e.rd, to);
  }
  const Reg32 a = use(e.rs1);
  const Reg32 to = result(e, a);
  switch (op) {
    case Op::addi:
      if (e.imm == 0)
        move(to, a);
      else
        lea(to, ptr[a.cvt64() + e.imm]);
      break;
    case Op::slti:
    case Op::sltiu:
      xor_(eax, eax);
      cmp(a, static_cast<u32>(e.imm));
      if (op == Op::slti)
        setl(al);
      else
        setb(al);
      mov(to, eax);
      break;
    case Op::xori:
      move(to, a);
      xor_(to, static_cast<u32>(e.imm));
      break;
    case Op::ori:
      move(to, a);
      or_(to, static_cast<u32>(e.imm));
      break;
    default:
      CHECK(op == Op::andi);
      move(to, a);
      and_(to, static_cast<u32>(e.imm));
      break;
  }
  define(e.rd, to);
}

void Emitter::shifts(Decoded e) {
  const Reg32 a = use(e.rs1);
  const Reg32 to = result(e, a);
  move(to, a);
  switch (static_cast<Op>(e.op)) {
    case Op::slli:
      shl(to, e.imm);
      break;
    case Op::srli:
      shr(to, e.imm);
      break;
    case Op::srai:
      sar(to, e.imm);
      break;
    default:
      CHECK(static_cast<Op>(e.op) == Op::rori);
      ror(to, e.imm);
      break;
  }
  define(e.rd, to);
}

// tidy: allow function-length: a case per instruction
void Emitter::three_registers(Decoded e) {
  const Reg32 a = use(e.rs1);
  const Reg32 b = use(e.rs2);
  // These two need the first operand after they have begun to write the result.
  const bool inverts = static_cast<Op>(e.op) == Op::andn || static_cast<Op>(e.op) == Op::orn;
  const Reg32 to = inverts ? fresh() : result(e, a);
  const auto combine = [&](auto instruction) {
    move(to, a);
    instruction();
  };
  switch (static_cast<Op>(e.op)) {
    case Op::add:
      lea(to, ptr[a.cvt64() + b.cvt64()]);
      break;
    case Op::sub:
      combine([&] { sub(to, b); });
      break;
    case Op::xor_:
      combine([&] { xor_(to, b); });
      break;
    case Op::or_:
      combine([&] { or_(to, b); });
      break;
    case Op::and_:
      combine([&] { and_(to, b); });
      break;
    case Op::sll:
      mov(ecx, b);
      combine([&] { shl(to, cl); });
      break;
    case Op::srl:
      mov(ecx, b);
      combine([&] { shr(to, cl); });
      break;
    case Op::sra:
      mov(ecx, b);
      combine([&] { sar(to, cl); });
      break;
    case Op::rol:
      mov(ecx, b);
      combine([&] { rol(to, cl); });
      break;
    case Op::ror:
      mov(ecx, b);
      combine([&] { ror(to, cl); });
      break;
    case Op::sh1add:
      lea(to, ptr[b.cvt64() + a.cvt64() * 2]);
      break;
    case Op::sh2add:
      lea(to, ptr[b.cvt64() + a.cvt64() * 4]);
      break;
    case Op::sh3add:
      lea(to, ptr[b.cvt64() + a.cvt64() * 8]);
      break;
    case Op::andn:
      mov(to, b);
      not_(to);
      and_(to, a);
      break;
    case Op::orn:
      mov(to, b);
      not_(to);
      or_(to, a);
      break;
    case Op::xnor:
      combine([&] {
        xor_(to, b);
        not_(to);
      });
      break;
    case Op::pack:
      mov(eax, b);
      shl(eax, 16);
      movzx(to, a.cvt16());
      or_(to, eax);
      break;
    case Op::mul:
    case Op::mulh:
    case Op::mulhsu:
    case Op::mulhu:
      multiply(e, to, a, b);
      break;
    case Op::div_:
    case Op::divu:
    case Op::rem:
    case Op::remu:
      divide(e, to, a, b);
      break;
    default:
      compare(e, to, a, b);
      break;
  }
  define(e.rd, to);
}

void Emitter::compare(Decoded e, Reg32 to, Reg32 a, Reg32 b) {
  const Op op = static_cast<Op>(e.op);
  if (op == Op::slt || op == Op::sltu) {
    xor_(eax, eax);
    cmp(a, b);
    if (op == Op::slt)
      setl(al);
    else
      setb(al);
    mov(to, eax);
    return;
  }
  move(to, a);
  cmp(a, b);
  switch (op) {
    case Op::max:
      cmovl(to, b);
      break;
    case Op::maxu:
      cmovb(to, b);
      break;
    case Op::min:
      cmovg(to, b);
      break;
    default:
      CHECK(op == Op::minu);
      cmova(to, b);
      break;
  }
}

void Emitter::multiply(Decoded e, Reg32 to, Reg32 a, Reg32 b) {
  const Op op = static_cast<Op>(e.op);
  if (op == Op::mul) {
    move(to, a);
    imul(to, b);
    return;
  }
  if (op == Op::mulhu)
    mov(eax, a);
  else
    movsxd(rax, a);
  if (op == Op::mulh)
    movsxd(rcx, b);
  else
    mov(ecx, b);
  imul(rax, rcx);
  shr(rax, 32);
  mov(to, eax);
}

/// Division by zero and by -1 have results of their own (the latter because the host traps).
void Emitter::divide(Decoded e, Reg32 to, Reg32 a, Reg32 b) {
  const Op op = static_cast<Op>(e.op);
  const bool remainder = op == Op::rem || op == Op::remu;
  const bool is_signed = op == Op::div_ || op == Op::rem;
  Xbyak::Label zero, minus_one, end;
  mov(ecx, b);
  test(ecx, ecx);
  jz(zero);
  if (is_signed) {
    cmp(ecx, -1);
    je(minus_one);
  }
  mov(eax, a);
  if (is_signed) {
    cdq();
    idiv(ecx);
  } else {
    xor_(edx, edx);
    div(ecx);
  }
  mov(to, remainder ? edx : eax);
  jmp(end);
  if (is_signed) {
    L(minus_one);
    if (remainder) {
      xor_(to, to);
    } else {
      move(to, a);
      neg(to);
    }
    jmp(end);
  }
  L(zero);
  if (remainder)
    move(to, a);
  else
    mov(to, 0xFFFFFFFF);
  L(end);
}

void Emitter::one_register(Decoded e) {
  const Reg32 a = use(e.rs1);
  const Reg32 to = result(e, a);
  switch (static_cast<Op>(e.op)) {
    case Op::clz:
      mov(ecx, 63);
      bsr(eax, a);
      cmovz(eax, ecx);
      xor_(eax, 31);
      mov(to, eax);
      break;
    case Op::ctz:
      mov(ecx, 32);
      bsf(eax, a);
      cmovz(eax, ecx);
      mov(to, eax);
      break;
    case Op::sext_b:
      movsx(to, a.cvt8());
      break;
    case Op::sext_h:
      movsx(to, a.cvt16());
      break;
    case Op::zext_h:
      movzx(to, a.cvt16());
      break;
    default:
      CHECK(static_cast<Op>(e.op) == Op::rev8);
      move(to, a);
      bswap(to);
      break;
  }
  define(e.rd, to);
}

}  // namespace bhemu::riscv::jit

#endif
