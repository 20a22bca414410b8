#include "riscv/diagnose.hpp"

#include <fmt/format.h>

#include "base/bits.hpp"
#include "riscv/disasm.hpp"

namespace bhemu::riscv {

std::string bad_pc_text(u32 pc) {
  if ((pc & 3) != 0) return fmt::format("pc 0x{:08x} is not a multiple of four", pc);
  return fmt::format("pc 0x{:08x} is not in L1; instructions can be fetched from L1 only", pc);
}

std::string bad_target_text(u32 pc, u32 target) {
  const char* reason = (target & 3) != 0 ? "not a multiple of four" : "not in L1";
  return fmt::format("the jump at 0x{:08x} goes to 0x{:08x}, which is {}", pc, target, reason);
}

std::string misaligned_text(u32 address, u32 size, bool store) {
  return fmt::format("{} of {} bytes at 0x{:08x}, which is not a multiple of {}",
                     store ? "store" : "load", size, address, size);
}

std::string atomic_text(u32 address) {
  return fmt::format("atomic operation on 0x{:08x}; atomics work on aligned words of L1 only",
                     address);
}

std::string csr_text(u32 address, u32 value) {
  return fmt::format("0x{:08x} written to CSR {} (0x{:03x})", value, find_csr(address)->name,
                     address);
}

std::string unknown_csr_text(u32 address) {
  return fmt::format("CSR 0x{:03x} does not exist on this core", address);
}

std::string ebreak_text(const CoreState& state) {
  return fmt::format(
      "ebreak: the program stopped itself, as a failed assertion of the kernel library does "
      "(ra 0x{:08x}, a0 0x{:08x}, a1 0x{:08x})",
      state.x[1], state.x[10], state.x[11]);
}

std::string ecall_text(const CoreState& state) {
  return fmt::format("ecall with a7 0x{:08x}, a0 0x{:08x}; there is no environment to call",
                     state.x[17], state.x[10]);
}

std::string mret_text(const CoreState& state) {
  if (!takes_interrupts(state.id))
    return fmt::format("mret on {}, which takes no interrupts", name_of(state.id));
  return "mret outside an interrupt handler";
}

std::string ttinsn_text(const CoreState& state, u32 word) {
  return fmt::format(".ttinsn 0x{:08x} on {}, which cannot push Tensix instructions", word,
                     name_of(state.id));
}

std::string illegal_text(u32 word) {
  if (word == 0xFFFFFFFF)
    return "word 0xffffffff is no instruction; memory that was never loaded, as it seems";
  return fmt::format("word 0x{:08x} is no instruction of the baby RISC-V cores", word);
}

std::string vector_text(const CoreState& state, u32 word) {
  return fmt::format("{} (word 0x{:08x}) with vtype 0x{:x}, vl {}", disassemble(word, state.pc),
                     word, state.csr.vtype, state.csr.vl);
}

std::string vector_access_text(u32 address, u32 bytes, bool store) {
  return fmt::format("vector {} of {}-byte elements at 0x{:08x}, outside L1 and own local memory",
                     store ? "store" : "load", bytes, address);
}

}  // namespace bhemu::riscv
