// What an instruction is about to do to memory, found out before it does it: for watchpoints.
#pragma once

#include "riscv/core.hpp"

namespace bhemu::riscv {

struct DataAccess {
  bool load = false;
  bool store = false;      // both: an atomic
  bool is_vector = false;  // plan_vector_access knows the addresses
  bool to_float = false;   // a load: its register is of f, not of x
  u32 rd = 0;
  u32 address = 0;
};

/// `word` is the instruction at the core's pc.
DataAccess data_access_of(const CoreState& state, u32 word);

}  // namespace bhemu::riscv
