// The translated code of a tile's cores (riscv/jit): what is translated, and each core's context.
#pragma once

#include <array>

#include "riscv/jit/run.hpp"

namespace bhemu::tile {

struct Translated {
  riscv::jit::Translations translations;
  std::array<riscv::jit::Context, kCores> contexts;
};

}  // namespace bhemu::tile
