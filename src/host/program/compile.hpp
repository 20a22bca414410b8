// Kernels from C: finds a cross compiler, compiles against our SDK (kernels/sdk), and keeps what it
// has compiled, by content.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace bhemu::host {

struct Program;

struct KernelSource {
  std::string path;
  std::vector<std::string> flags;  // -D..., -I..., whatever the compiler takes
};

/// The ELF in the cache: BHEMU_CACHE, else below the user's cache folder. Compiles when none of the
/// source, what it includes, the flags and the compiler is the same. Throws InputError with what
/// the compiler says, or when there is no compiler or no SDK.
std::string compiled_kernel(const KernelSource& source, CoreId core);
/// The same to a file.
void compile_kernel(const KernelSource& source, CoreId core, const std::string& output);

/// Compiles what a program names as `source:`; its paths are ELFs then.
void compile_sources(Program& program);

}  // namespace bhemu::host
