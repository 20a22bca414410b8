// The prebuilt integer kernel (riscv_kernel.c) for the benchmark and for tests.
#pragma once

#include "base/types.hpp"

namespace bhemu {

inline constexpr u32 kIntegerKernel[] = {
#include "riscv_kernel.inc"
};
/// Where ra should point: an ebreak placed there ends the guest.
inline constexpr u32 kIntegerKernelReturn = 0x3000;
/// What the C source gives when compiled for the host, for one repetition.
inline constexpr u32 kIntegerKernelChecksum = 1777064544;

}  // namespace bhemu
