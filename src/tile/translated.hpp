// The translated code of a tile's cores (riscv/jit): what is translated, and each core's context.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "riscv/jit/run.hpp"

namespace bhemu::tile {

struct Translated {
  Translated(std::shared_ptr<riscv::jit::CodeCache> code, u32 l1_bytes,
             const riscv::LoopHeads& heads)
      : translations(std::move(code), l1_bytes, &heads) {}

  riscv::jit::Translations translations;
  std::array<riscv::jit::Context, kCores> contexts;
};

}  // namespace bhemu::tile
