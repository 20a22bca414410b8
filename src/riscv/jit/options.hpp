// Whether, and from when on, RISC-V code is translated. Nothing that a guest can see depends on it.
#pragma once

#include "base/types.hpp"

namespace bhemu::riscv::jit {

struct Options {
  bool enabled = true;
  /// How often the interpreter is found at a pc before the code there is translated. Zero: at once.
  /// With 16, loops that clear memory while firmware boots were translated, which each of a hundred
  /// tiles takes over for one pass; with 20 to 64 they are not.
  u32 threshold = 24;
  u32 arena_bytes = 16u << 20;

  /// What the environment says: BHEMU_JIT is off, on (as is the default), or hot (threshold zero).
  static Options from_environment();
};

}  // namespace bhemu::riscv::jit
