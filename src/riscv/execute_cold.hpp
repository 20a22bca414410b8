// The out-of-line half of the interpreter: everything that may fault, block, touch a device or the
// recorder. Each public function executes one predecoded instruction completely. The state's pc,
// cycle and instret are up to date; after Outcome::Ok the pc is that of the next instruction, after
// any other outcome nothing has happened.
#pragma once

#include <algorithm>
#include <cstring>

#include "riscv/arithmetic.hpp"
#include "riscv/decode.hpp"
#include "riscv/diagnose.hpp"
#include "riscv/vector.hpp"

namespace bhemu::riscv {

template <class Bus>
class Cold {
 public:
  Cold(CoreState& state, Bus& bus) : s_(state), bus_(bus) {}

  /// The pc is no instruction address: there is no way to carry on.
  [[gnu::noinline]] Outcome bad_pc() {
    return fault(Rule::RiscvBadPc, bad_pc_text(s_.pc)) ? Outcome::Stop : Outcome::Blocked;
  }
  [[gnu::noinline]] Outcome bad_target();
  [[gnu::noinline]] Outcome bad_jalr(Decoded e) {
    return take((s_.x[e.rs1] + static_cast<u32>(e.imm)) & ~1u);
  }
  template <class T>
  [[gnu::noinline]] Outcome load_integer(Decoded e) {
    return load_to<T>(e, s_.x[e.rd], 0);
  }
  template <class T>
  [[gnu::noinline]] Outcome load_float(Decoded e) {
    return load_to<T>(e, s_.f[e.rd], sizeof(T) == 2 ? 0xFFFF0000 : 0);
  }
  template <class T>
  [[gnu::noinline]] Outcome store_register(Decoded e, u32 value) {
    return next(store(s_.x[e.rs1] + static_cast<u32>(e.imm), sizeof(T), static_cast<T>(value)));
  }
  using Combine = u32 (*)(u32 old, u32 operand);
  [[gnu::noinline]] Outcome atomic(Decoded e, Combine combine);
  [[gnu::noinline]] Outcome csr(Decoded e, bool immediate, Combine combine);
  [[gnu::noinline]] Outcome breakpoint();
  [[gnu::noinline]] Outcome environment_call();
  [[gnu::noinline]] Outcome interrupt_return();
  [[gnu::noinline]] Outcome tensix(u32 word);
  [[gnu::noinline]] Outcome illegal(u32 word);
  [[gnu::noinline]] Outcome vector(u32 word);

 private:
  bool fault(Rule rule, std::string text) { return bus_.raise(s_, rule, std::move(text)); }
  void impure() {
    if constexpr (Bus::kRecord) bus_.note_impure();
  }
  u8* own_ldm(u32 address, u32 size) {
    const u32 offset = address - kLdmBase;
    return offset < bus_.ldm_size && size <= bus_.ldm_size - offset ? &s_.ldm[offset] : nullptr;
  }
  Outcome next(Outcome outcome) {
    if (outcome == Outcome::Ok) s_.pc += 4;
    return outcome;
  }
  Outcome take(u32 target);
  Outcome pause(Rule rule, std::string (*text)(const CoreState&));
  bool aligned_or_fault(u32& address, u32 size, bool store);
  Outcome load(u32 address, u32 size, u32& value);
  Outcome store(u32 address, u32 size, u32 value);
  Outcome store_bytes(u32 address, const void* source, u32 size);
  Outcome store_askew(u32 address, u32 size, u32 value);
  template <class T>
  Outcome load_to(Decoded e, u32& target, u32 box);
  Outcome read_csr(u32 address, CsrKind kind, u32& value);
  Outcome write_csr(u32 address, CsrKind kind, u32 value);
  Outcome freeze_status();
  Outcome vector_memory(u32 word);
  bool is_vector_reachable(u32 address, u32 bytes);
  Outcome vector_fault(VectorResult result, u32 word);

  CoreState& s_;
  Bus& bus_;
};

template <class Bus>
Outcome Cold<Bus>::take(u32 target) {
  if (!fault(Rule::RiscvBadPc, bad_target_text(s_.pc, target))) return Outcome::Blocked;
  return Outcome::Stop;
}

template <class Bus>
Outcome Cold<Bus>::bad_target() {
  u32 word;
  std::memcpy(&word, bus_.l1 + s_.pc, 4);
  if ((word & 0x7F) == 0x6F) return take(s_.pc + static_cast<u32>(j_immediate(word)));
  if (branch_taken(word, s_.x[rs1_of(word)], s_.x[rs2_of(word)]))
    return take(s_.pc + static_cast<u32>(b_immediate(word)));
  return next(Outcome::Ok);
}

// ---- Memory -------------------------------------------------------------------------------------

template <class Bus>
bool Cold<Bus>::aligned_or_fault(u32& address, u32 size, bool store) {
  if (is_aligned(address, size)) return true;
  if (fault(Rule::RiscvMisaligned, misaligned_text(address, size, store))) return false;
  address &= ~(size - 1);
  return true;
}

template <class Bus>
Outcome Cold<Bus>::load(u32 address, u32 size, u32& value) {
  if (!aligned_or_fault(address, size, false)) return Outcome::Stop;
  value = 0;
  if (address < Bus::kL1Bytes) {
    if constexpr (Bus::kRecord) bus_.note_load_l1(address, size);
    std::memcpy(&value, bus_.l1 + address, size);
    return Outcome::Ok;
  }
  if (const u8* ldm = own_ldm(address, size)) {
    std::memcpy(&value, ldm, size);
    return Outcome::Ok;
  }
  if constexpr (!Bus::kRecord && requires(Cycle now) { bus_.load_at_once(address, value, now); }) {
    if (size == 4 && bus_.load_at_once(address, value, s_.cycle)) return Outcome::Ok;
  }
  const Loaded loaded = bus_.load(s_, address, size);
  value = loaded.value;
  return loaded.outcome;
}

template <class Bus>
Outcome Cold<Bus>::store_bytes(u32 address, const void* source, u32 size) {
  if (u8* ldm = own_ldm(address, size)) {
    if (std::memcmp(ldm, source, size) != 0) impure();
    std::memcpy(ldm, source, size);
    return Outcome::Ok;
  }
  impure();
  if (bus_.l1_flags[address >> 6] != 0) return bus_.store_l1(s_, address, source, size);
  std::memcpy(bus_.l1 + address, source, size);
  return Outcome::Ok;
}

/// L1 is written by lines of 16 bytes, in which the value stands in every lane of its size: silicon
/// enables the bytes from `address` on, and those beyond the line are lost (measured on cards by
/// tt-exalens test/ttexalens/unit_tests/test_l1_mem_access.py).
template <class Bus>
Outcome Cold<Bus>::store_askew(u32 address, u32 size, u32 value) {
  if (fault(Rule::RiscvMisaligned, misaligned_text(address, size, true))) return Outcome::Stop;
  constexpr u32 kLine = 16;
  const u32 count = std::min(size, kLine - address % kLine);
  u8 bytes[4];
  for (u32 i = 0; i < count; ++i) bytes[i] = static_cast<u8>(value >> ((address + i) % size * 8));
  return store_bytes(address, bytes, count);
}

template <class Bus>
Outcome Cold<Bus>::store(u32 address, u32 size, u32 value) {
  if (!is_aligned(address, size) && address < Bus::kL1Bytes)
    return store_askew(address, size, value);
  if (!aligned_or_fault(address, size, true)) return Outcome::Stop;
  if (address < Bus::kL1Bytes || own_ldm(address, size) != nullptr)
    return store_bytes(address, &value, size);
  impure();
  return bus_.store(s_, address, size, value & (0xFFFFFFFFu >> (32 - 8 * size)));
}

template <class Bus>
template <class T>
Outcome Cold<Bus>::load_to(Decoded e, u32& target, u32 box) {
  u32 value;
  const Outcome outcome = load(s_.x[e.rs1] + static_cast<u32>(e.imm), sizeof(T), value);
  if (outcome != Outcome::Ok) return outcome;
  target = static_cast<u32>(static_cast<i32>(static_cast<T>(value))) | box;
  return next(Outcome::Ok);
}

template <class Bus>
Outcome Cold<Bus>::atomic(Decoded e, Combine combine) {
  const u32 address = s_.x[e.rs1];
  if (address >= Bus::kL1Bytes || !is_aligned(address, 4)) {
    if (fault(Rule::RiscvAtomicTarget, atomic_text(address))) return Outcome::Stop;
    return next(Outcome::Ok);
  }
  u32 old;
  if (const Outcome outcome = load(address, 4, old); outcome != Outcome::Ok) return outcome;
  const u32 result = combine(old, s_.x[e.rs2]);
  // An atomic that leaves the word as it was is a load that bypasses the L0 cache, which is how
  // firmware is advised to poll (MemoryOrdering.md, L0 data cache).
  if (result != old) {
    const Outcome outcome = store_bytes(address, &result, 4);
    if (outcome != Outcome::Ok) return outcome;
  }
  s_.x[e.rd] = old;
  return next(Outcome::Ok);
}

// ---- CSRs ---------------------------------------------------------------------------------------

template <class Bus>
Outcome Cold<Bus>::read_csr(u32 address, CsrKind kind, u32& value) {
  if (is_live_status(s_, address)) {
    const Loaded loaded = bus_.read_csr(s_, address);
    value = loaded.value;
    return loaded.outcome;
  }
  const bool clears = address == 0xB03 || address == 0xB04 || address == 0xB83 || address == 0xB84;
  if (kind == CsrKind::Clock) bus_.note_clock();
  if (clears && (s_.csr.cfg0 & kCfg0PmcClrOnRd) != 0) impure();
  value = read_stored_csr(s_, address);
  return Outcome::Ok;
}

/// DisTTStatusReg is being set: from now on the status CSRs keep the values that they show now.
template <class Bus>
Outcome Cold<Bus>::freeze_status() {
  std::array<u32, kStatusCsrs> frozen = s_.csr.status;
  for (u32 i = 0; i < kStatusCsrs; ++i) {
    if (!is_live_status(s_, kCsrQstatus + i)) continue;
    const Loaded loaded = bus_.read_csr(s_, kCsrQstatus + i);
    if (loaded.outcome != Outcome::Ok) return loaded.outcome;
    frozen[i] = loaded.value;
  }
  s_.csr.status = frozen;
  return Outcome::Ok;
}

template <class Bus>
Outcome Cold<Bus>::write_csr(u32 address, CsrKind kind, u32 value) {
  impure();
  if (s_.csr.in_interrupt && fault(Rule::RiscvHandlerCsrWrite, csr_text(address, value)))
    return Outcome::Stop;
  if (kind == CsrKind::ReadOnly && fault(Rule::RiscvReadOnlyCsr, csr_text(address, value)))
    return Outcome::Stop;
  if ((address == 0x323 || address == 0x324) && value != 0 &&
      fault(Rule::RiscvHpmEvent, csr_text(address, value)))
    return Outcome::Stop;
  if (is_live_status(s_, address)) return bus_.write_csr(s_, address, value);
  const bool was_frozen = (s_.csr.cfg0 & kCfg0DisTTStatusReg) != 0;
  if (address == 0x7C0 && (value & kCfg0DisTTStatusReg) != 0 && !was_frozen) {
    if (const Outcome outcome = freeze_status(); outcome != Outcome::Ok) return outcome;
  }
  write_stored_csr(s_, address, value);
  return Outcome::Ok;
}

template <class Bus>
Outcome Cold<Bus>::csr(Decoded e, bool immediate, Combine combine) {
  const u32 address = static_cast<u32>(e.imm);
  const CsrInfo* info = find_csr(address);
  if (info == nullptr) {
    if (fault(Rule::RiscvUnknownCsr, unknown_csr_text(address))) return Outcome::Stop;
    return next(Outcome::Ok);
  }
  // csrrw and csrrwi always write, and do not read when rd is x0; the others write unless the
  // operand is x0 or 0.
  const Op op = static_cast<Op>(e.op);
  const bool always_writes = op == Op::csrrw || op == Op::csrrwi;
  const u32 operand = immediate ? e.rs1 : s_.x[e.rs1];
  u32 old = 0;
  if (!always_writes || e.rd != 32) {
    const Outcome outcome = read_csr(address, info->kind, old);
    if (outcome != Outcome::Ok) return outcome;
  }
  if (always_writes || e.rs1 != 0) {
    const Outcome outcome = write_csr(address, info->kind, combine(old, operand));
    if (outcome != Outcome::Ok) return outcome;
  }
  s_.x[e.rd] = old;
  return next(Outcome::Ok);
}

// ---- System, Tensix, illegal --------------------------------------------------------------------

/// Both are nops with a breakpoint on them (DebugInterface.md). A program that executes one when
/// no debugger is there has stopped itself.
template <class Bus>
Outcome Cold<Bus>::pause(Rule rule, std::string (*text)(const CoreState&)) {
  impure();
  if (!bus_.has_debugger() && fault(rule, text(s_))) return Outcome::Stop;
  bus_.pause();
  return next(Outcome::Ok);
}

template <class Bus>
Outcome Cold<Bus>::breakpoint() {
  return pause(Rule::RiscvEbreak, ebreak_text);
}

template <class Bus>
Outcome Cold<Bus>::environment_call() {
  return pause(Rule::RiscvEcall, ecall_text);
}

template <class Bus>
Outcome Cold<Bus>::interrupt_return() {
  impure();
  if (!takes_interrupts(s_.id) || !s_.csr.in_interrupt) {
    if (fault(Rule::RiscvMret, mret_text(s_))) return Outcome::Stop;
    return next(Outcome::Ok);
  }
  s_.csr.in_interrupt = false;
  s_.pc = s_.csr.restore_pc;
  return Outcome::Ok;
}

/// Exactly a store of the word to INSTRN_BUF_BASE (PushTensixInstruction.md): on RISCV B that
/// enters thread 0 behind its MOP expander, on RISCV NC nothing is mapped there.
template <class Bus>
Outcome Cold<Bus>::tensix(u32 word) {
  impure();
  if (s_.id == CoreId::Brisc) return next(bus_.store(s_, kInstrnBufBase, 4, word));
  if (s_.id == CoreId::Ncrisc || s_.id >= CoreId::Erisc0) {
    if (fault(Rule::RiscvTtinsn, ttinsn_text(s_, word))) return Outcome::Stop;
    return next(Outcome::Ok);
  }
  return next(bus_.push_tensix(s_, word));
}

template <class Bus>
Outcome Cold<Bus>::illegal(u32 word) {
  if (fault(Rule::RiscvIllegalInstruction, illegal_text(word))) return Outcome::Stop;
  return next(Outcome::Ok);
}

// ---- Vector -------------------------------------------------------------------------------------

template <class Bus>
Outcome Cold<Bus>::vector_fault(VectorResult result, u32 word) {
  const Rule rule =
      result == VectorResult::BadType ? Rule::RiscvVectorType : Rule::RiscvIllegalInstruction;
  if (fault(rule, vector_text(s_, word))) return Outcome::Stop;
  return next(Outcome::Ok);
}

template <class Bus>
Outcome Cold<Bus>::vector(u32 word) {
  impure();
  if (s_.id != CoreId::Trisc2) {
    if (fault(Rule::RiscvVectorCore, vector_text(s_, word))) return Outcome::Stop;
    return next(Outcome::Ok);
  }
  if (is_vector_memory(word)) return vector_memory(word);
  VectorResult result = execute_vector(s_, word, false);
  if (result == VectorResult::HalfFloat) {
    if (fault(Rule::RiscvVectorHalf, vector_text(s_, word))) return Outcome::Stop;
    result = execute_vector(s_, word, true);
  }
  return result == VectorResult::Ok ? next(Outcome::Ok) : vector_fault(result, word);
}

template <class Bus>
bool Cold<Bus>::is_vector_reachable(u32 address, u32 bytes) {
  return is_aligned(address, bytes) &&
         (address < Bus::kL1Bytes || own_ldm(address, bytes) != nullptr);
}

/// All elements are checked before the first moves, so that a fault leaves no trace.
template <class Bus>
Outcome Cold<Bus>::vector_memory(u32 word) {
  VectorAccess access;
  const VectorResult result = plan_vector_access(s_, word, access);
  if (result != VectorResult::Ok) return vector_fault(result, word);
  u32 count = access.count;
  for (u32 i = 0; i < count; ++i) {
    const VectorAccess::Element& element = access.element[i];
    if (is_vector_reachable(element.address, access.bytes)) continue;
    if (access.fault_only_first && element.index != 0) {
      s_.csr.vl = element.index;
      count = i;
      break;
    }
    const Rule rule =
        is_aligned(element.address, access.bytes) ? Rule::RiscvVectorDevice : Rule::RiscvMisaligned;
    std::string text = rule == Rule::RiscvMisaligned
                           ? misaligned_text(element.address, access.bytes, access.store)
                           : vector_access_text(element.address, access.bytes, access.store);
    if (fault(rule, std::move(text))) return Outcome::Stop;
    return next(Outcome::Ok);
  }
  for (u32 i = 0; i < count; ++i) {
    const VectorAccess::Element& element = access.element[i];
    u8* const bytes = &s_.v.reg[element.reg][element.offset];
    if (access.store) {
      const Outcome outcome = store_bytes(element.address, bytes, access.bytes);
      if (outcome != Outcome::Ok) return outcome;
    } else {
      u32 value;
      const Outcome outcome = load(element.address, access.bytes, value);
      if (outcome != Outcome::Ok) return outcome;
      std::memcpy(bytes, &value, access.bytes);
    }
  }
  return next(Outcome::Ok);
}

}  // namespace bhemu::riscv
