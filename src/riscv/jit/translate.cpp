#include "riscv/jit/translate.hpp"

#include "riscv/jit/emitter.hpp"

namespace bhemu::riscv::jit {

#if defined(__x86_64__)

namespace {

using namespace Xbyak::util;

/// Saves what a function must save, and gives the registers of translated code their meaning.
class GateCode : private Xbyak::CodeGenerator {
 public:
  explicit GateCode(std::vector<u8>& buffer) : CodeGenerator(buffer.size(), buffer.data()) {}
  Gate make();

 private:
  static constexpr int kAlign = 8;
};

Gate GateCode::make() {
  Gate gate;
  const Xbyak::Reg64 saved[] = {rbx, rbp, r12, r13, r14, r15};
  for (const Xbyak::Reg64& reg : saved) push(reg);
  sub(rsp, kAlign);
  mov(rbp, rdi);
  mov(rbx, ptr[rbp + static_cast<int>(offsetof(Context, state))]);
  mov(r12, ptr[rbp + static_cast<int>(offsetof(Context, l1))]);
  mov(r13, ptr[rbp + static_cast<int>(offsetof(Context, l1_flags))]);
  mov(r14, ptr[rbp + static_cast<int>(offsetof(Context, budget))]);
  mov(r15, ptr[rbp + static_cast<int>(offsetof(Context, chains))]);
  jmp(rsi);
  gate.leave = static_cast<u32>(getSize());
  mov(ptr[rbp + static_cast<int>(offsetof(Context, budget))], r14);
  add(rsp, kAlign);
  for (unsigned i = std::size(saved); i-- > 0;) pop(saved[i]);
  ret();
  gate.code.assign(getCode(), getCode() + getSize());
  return gate;
}

}  // namespace

bool can_translate() {
  return true;
}

Gate make_gate() {
  std::vector<u8> buffer(256);
  return GateCode(buffer).make();
}

Translator::Translator() : buffer_(new u8[Emitter::kMostCode]) {}
Translator::~Translator() = default;

Translated Translator::translate(const std::vector<Block>& blocks, u32 l1_bytes,
                                 const std::array<u32, 33>& x) {
  Emitter emitter(buffer_.get(), blocks, l1_bytes, x);
  emitter.emit();
  return {emitter.code(), emitter.heads(), emitter.steps()};
}

#else

bool can_translate() {
  return false;
}
Gate make_gate() {
  return {};
}
Translator::Translator() = default;
Translator::~Translator() = default;
Translated Translator::translate(const std::vector<Block>&, u32, const std::array<u32, 33>&) {
  return {};
}

#endif

}  // namespace bhemu::riscv::jit
