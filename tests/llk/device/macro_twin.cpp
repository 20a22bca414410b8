// One thread that runs an SFPU kernel of LLK (the macro KERNEL, with its set-up) on 512 rows of
// words that the host has put at kInput, and says at kDone when it is through (macro_twins.py).
#include <cstdint>

#include "ckernel.h"
#include "ckernel_globals.h"
#include "ckernel_helper.h"
#include "ckernel_sfpu.h"
#include "cmath_common.h"
#include "llk_defs.h"
#include "llk_math_common.h"
#include "llk_math_eltwise_unary_sfpu.h"
#include "sfpu/ckernel_sfpu_exp.h"
#include "sfpu/ckernel_sfpu_mul_int.h"
#include "sfpu/ckernel_sfpu_recip.h"
#include "sfpu/ckernel_sfpu_typecast.h"
#include "sfpu/ckernel_sfpu_where.h"

using namespace ckernel;
using namespace ckernel::sfpu;

// LLK's headers want them from whoever includes them.
// tidy: allow global in this file: that is how LLK passes them
std::uint32_t unp_cfg_context = 0;
std::uint32_t pack_sync_tile_dst_ptr = 0;
std::uint32_t math_sync_tile_dst_index = 0;

namespace {

using Word = volatile std::uint32_t*;
constexpr std::uint32_t kAluWord = 0x3F000;
constexpr std::uint32_t kDone = 0x3F004;
constexpr std::uint32_t kInput = 0x40000;
constexpr std::uint32_t kInputWords = 16 * 512;
constexpr std::uint32_t kConfig = 0xFFEF0000;
constexpr std::uint32_t kDst = 0xFFBD8000;

/// The next face, for kernels that leave the counter where it is.
[[maybe_unused]] void next_face() {
  TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, 8, 0, 0, p_setrwc::SET_D);
  TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, 8, 0, 0, p_setrwc::SET_D);
}

}  // namespace

extern "C" __attribute__((naked, section(".text.start"))) void _start() {
  asm volatile("li sp, 0xFFB00F00\n j run");
}

extern "C" __attribute__((used)) void run() {
  reinterpret_cast<Word>(kConfig)[1] = *reinterpret_cast<Word>(kAluWord);
  TTI_SFPENCC(3, 0, 0, 10);
  TTI_SFPCONFIG(0, 15, 1);
  _llk_math_eltwise_unary_sfpu_init_<SfpuType::typecast>();
  tensix_sync();
  for (std::uint32_t i = 0; i < kInputWords; ++i)
    reinterpret_cast<Word>(kDst)[i] = reinterpret_cast<Word>(kInput)[i];
  tensix_sync();
  TTI_SETRWC(0, 0, 0, 0, 0, 15);
  KERNEL;
  TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::WAIT_SFPU);
  TTI_NOP;
  tensix_sync();
  *reinterpret_cast<Word>(kDone) = 1;
  for (;;) {
  }
}
