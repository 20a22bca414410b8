#include "riscv/access.hpp"

#include "riscv/decode.hpp"
#include "riscv/diagnose.hpp"
#include "riscv/vector.hpp"

namespace bhemu::riscv {

DataAccess data_access_of(const CoreState& state, u32 word) {
  DataAccess access;
  const Row* row = find_row(word);
  if (row == nullptr) return access;
  const u32 base = state.x[rs1_of(word)];
  access.rd = rd_of(word);
  switch (row->format) {
    case Format::Load:
    case Format::FpLoad:
      access.load = true;
      access.to_float = row->format == Format::FpLoad;
      access.address = base + static_cast<u32>(i_immediate(word));
      break;
    case Format::Store:
    case Format::FpStore:
      access.store = true;
      access.address = base + static_cast<u32>(s_immediate(word));
      break;
    case Format::Amo:
      access.load = access.store = true;
      access.address = base;
      break;
    case Format::Ttinsn:  // is a store of the word (PushTensixInstruction.md)
      access.store = true;
      access.address = kInstrnBufBase;
      break;
    case Format::Vector:
      access.is_vector = is_vector_memory(word);
      break;
    default:
      break;
  }
  return access;
}

}  // namespace bhemu::riscv
