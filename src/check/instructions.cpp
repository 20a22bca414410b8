// Tensix instructions that mean nothing, or not what their author may think.
#include <fmt/format.h>

#include "base/bits.hpp"
#include "check/tile_checker.hpp"
#include "tensix/isa.hpp"
#include "tensix/operation.hpp"

namespace bhemu::check {
namespace {

using namespace tensix;

u32 known_bits(const Info& info) {
  u32 mask = 0xFF000000;
  for (u8 i = 0; i < info.fields_used; ++i)
    mask |= ((u32{1} << info.fields[i].width) - 1) << info.fields[i].low;
  return mask;
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
      if (index < sync_.mutex.size() && sync_.mutex[index] == one.thread)
        raise(Rule::TensixMutexTwice, author,
              fmt::format("ATGETM of mutex {}, which thread {} holds already", index, one.thread));
      break;
    }
    case op::CLEARDVALID::kOpcode:
      for (unsigned file = 0; file < 2 && !bit(op::CLEARDVALID{word}.reset(), 0); ++file)
        if (bit(op::CLEARDVALID{word}.cleardvalid(), file) &&
            banks_.owner[file][banks_.matrix[file]] != SrcOwner::Matrix)
          raise(
              Rule::FpuBankNotValid, author,
              fmt::format("CLEARDVALID gives back bank {} of Src{}, which the unpacker has already",
                          banks_.matrix[file], file == 0 ? 'A' : 'B'));
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
