// The rows of src/tensix/isa.def as plain data, for the pages made from them.
#pragma once

#include <vector>

#include "base/fault.hpp"

namespace bhemu::docs {

struct TensixField {
  const char* name;
  unsigned low;
  unsigned width;
};

struct TensixRow {
  static constexpr unsigned kFields = 16;
  const char* name;
  unsigned opcode;
  const char* unit;
  Rule undocumented;            // Rule::Count: the instruction is executed
  TensixField fields[kFields];  // those that are not used have no name
};

/// By opcode.
std::vector<TensixRow> tensix_rows();

}  // namespace bhemu::docs
