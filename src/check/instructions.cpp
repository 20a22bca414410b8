// Tensix instructions that mean nothing, or not what their author may think.
#include <fmt/format.h>

#include <string>

#include "base/bits.hpp"
#include "check/tile_checker.hpp"
#include "numeric/sfpu_float.hpp"
#include "tensix/isa.hpp"
#include "tensix/operation.hpp"
#include "tensix/sfpu/state.hpp"

namespace bhemu::check {
namespace {

using namespace tensix;

u32 known_bits(const Info& info) {
  u32 mask = 0xFF000000;
  for (u8 i = 0; i < info.fields_used; ++i)
    mask |= ((u32{1} << info.fields[i].width) - 1) << info.fields[i].low;
  return mask;
}

/// Whether all lanes of an LReg are `value`, with either sign.
bool holds(const State& state, u32 index, u32 value) {
  for (const u32 lane : state.sfpu.lreg[index].lane)
    if ((lane & ~numeric::kFp32Sign) != value) return false;
  return true;
}

/// SFPADD, SFPMUL and SFPMUL24 compute VA * VB + VC as SFPMAD does, and are a sum or a product only
/// through their third operand. Said is what is wrong with it, or nothing. The instruction has been
/// executed: an operand that it has written itself, and one that LReg 7 chose, are left out.
std::string fixed_operand(const State& state, u32 word) {
  const op::SFPMAD insn{word};
  constexpr u32 kIndirect = 0b1100;
  if ((insn.instr_mod1() & kIndirect) != 0) return {};
  constexpr u32 kOne = 0x3F800000;
  const u32 d = insn.lreg_dest();
  const u32 a = insn.lreg_src_a(), b = insn.lreg_src_b(), c = insn.lreg_src_c();
  if (opcode_of(word) == op::SFPADD::kOpcode) {
    if (a == d || b == d || holds(state, a, kOne) || holds(state, b, kOne)) return {};
    return fmt::format("multiplies: neither VA (LReg {}) nor VB (LReg {}) is 1.0", a, b);
  }
  if (c == d || holds(state, c, 0)) return {};
  return fmt::format("adds VC (LReg {}), which is not 0", c);
}

}  // namespace

void TileChecker::check_instruction(const trace::Issue& one) {
  const Author& author = one.operation.author;
  const u32 word = author.pc;
  const Info& info = info_of_word(word);
  if (info.name == nullptr) return;
  if (const u32 unused = word & ~known_bits(info); unused != 0)
    raise(Rule::TensixUnusedBits, author,
          fmt::format("{} ({:#010x}) has bits {:#x} set, which are no field's", info.name, word,
                      unused));
  const auto empty = [&](const char* what) {
    raise(Rule::TensixEmptyMask, author,
          fmt::format("{} ({:#010x}) names no {}", info.name, word, what));
  };
  switch (info.opcode) {
    case op::SEMPOST::kOpcode:
      if (op::SEMPOST{word}.sem_sel() == 0) empty("semaphore");
      break;
    case op::SEMGET::kOpcode:
      if (op::SEMGET{word}.sem_sel() == 0) empty("semaphore");
      break;
    case op::SEMWAIT::kOpcode:
      if (op::SEMWAIT{word}.sem_sel() == 0) empty("semaphore");
      if (op::SEMWAIT{word}.wait_sem_cond() == 0)
        empty("condition: it waits as a STALLWAIT without conditions does, for no semaphore");
      break;
    case op::RMWCIB0::kOpcode:
    case op::RMWCIB1::kOpcode:
    case op::RMWCIB2::kOpcode:
    case op::RMWCIB3::kOpcode:
      if (op::RMWCIB0{word}.mask() == 0) empty("bit, and changes nothing");
      break;
    case op::SEMINIT::kOpcode: {
      const op::SEMINIT insn{word};
      if (insn.sem_sel() == 0) empty("semaphore");
      if (insn.init_value() > insn.max_value())
        raise(Rule::TensixSemaphoreInit, author,
              fmt::format("SEMINIT gives a semaphore the value {} and the maximum {}",
                          insn.init_value(), insn.max_value()));
      break;
    }
    case op::ATGETM::kOpcode: {
      const u32 index = op::ATGETM{word}.mutex_index();
      if (index < mutexes_.size() && mutexes_[index] == one.thread)
        raise(Rule::TensixMutexTwice, author,
              fmt::format("ATGETM of mutex {}, which thread {} holds already", index, one.thread));
      break;
    }
    case op::CLEARDVALID::kOpcode:
      if (op::CLEARDVALID{word}.cleardvalid() == 0 && op::CLEARDVALID{word}.reset() == 0)
        empty("bank, and gives none back");
      for (unsigned file = 0; file < 2 && !bit(op::CLEARDVALID{word}.reset(), 0); ++file)
        if (bit(op::CLEARDVALID{word}.cleardvalid(), file) &&
            banks_.owner[file][banks_.matrix[file]] != SrcOwner::Matrix)
          raise(
              Rule::FpuBankNotValid, author,
              fmt::format("CLEARDVALID gives back bank {} of Src{}, which the unpacker has already",
                          banks_.matrix[file], file == 0 ? 'A' : 'B'));
      break;
    case op::SFPADD::kOpcode:
    case op::SFPMUL::kOpcode:
    case op::SFPMUL24::kOpcode:
      if (const std::string wrong = fixed_operand(*one.state, word); !wrong.empty())
        raise(Rule::SfpuFixedOperand, author,
              fmt::format("{} ({:#010x}) {}", info.name, word, wrong));
      break;
    default:
      break;
  }
}

TileChecker::Banks TileChecker::banks_of(const State& state) {
  const SrcFile* const files[2] = {&state.fpu.src_a, &state.fpu.src_b};
  Banks banks;
  for (unsigned file = 0; file < 2; ++file) {
    banks.owner[file] = files[file]->owner;
    banks.matrix[file] = files[file]->matrix_bank;
  }
  return banks;
}

}  // namespace bhemu::check
