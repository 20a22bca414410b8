// Highway's run-time part for x86-64: which vectors the processor at hand has, and which kernels
// are chosen. We have our own, since libhwy.so measures the processor's timer whenever a program
// that is linked with it starts (versions 1.0.3 and 1.2: 3 ms of processor time, measured), which
// is twice as long as everything else takes to load libbhemu.so. The interface is that of
// hwy/targets.h; elsewhere it is the library's.
//
// tidy: allow global in this file: that interface has a state for the whole process
//
// Which features a target stands for: hwy/detect_targets.h, the comments on HWY_SSE2 and the
// others.
#include <hwy/highway.h>
#include <hwy/targets.h>

#if HWY_ARCH_X86_64

#include <cpuid.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "base/bits.hpp"

namespace {

using bhemu::bit;
using bhemu::i64;
using bhemu::u32;
using bhemu::u64;

struct Leaf {
  u32 a = 0, b = 0, c = 0, d = 0;
};
Leaf leaf_of(u32 number, u32 part = 0) {
  Leaf leaf;
  if (__get_cpuid_count(number, part, &leaf.a, &leaf.b, &leaf.c, &leaf.d) == 0) return {};
  return leaf;
}

/// What the operating system saves of the registers of vectors (XCR0).
u64 saved_state() {
  u32 low;
  u32 high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return u64{high} << 32 | low;
}

bool all(u32 word, std::initializer_list<u32> places) {
  for (const u32 place : places)
    if (!bit(word, place)) return false;
  return true;
}

[[maybe_unused]] bool is_amd(const Leaf& name) {
  return std::memcmp(&name.b, "Auth", 4) == 0 && std::memcmp(&name.d, "enti", 4) == 0 &&
         std::memcmp(&name.c, "cAMD", 4) == 0;
}

/// Each target needs the ones before it. Intel's Software Developer's Manual, CPUID.
i64 detected() {
  const Leaf one = leaf_of(1);
  const Leaf seven = leaf_of(7);
  const Leaf more = seven.a >= 1 ? leaf_of(7, 1) : Leaf{};
  const Leaf extended = leaf_of(0x80000001);
  i64 targets = HWY_SCALAR | HWY_EMU128;
#ifdef HWY_SSE2
  targets |= HWY_SSE2;  // as every processor of this kind
#endif
  if (!all(one.c, {0, 9})) return targets;  // SSE3, SSSE3
  targets |= HWY_SSSE3;
  if (!all(one.c, {1, 19, 20, 25})) return targets;  // PCLMULQDQ, SSE4.1, SSE4.2, AES
  targets |= HWY_SSE4;
  constexpr u64 kYmm = 0x6;
  constexpr u64 kZmm = 0xE6;
  const u64 saved = bit(one.c, 27) ? saved_state() : 0;  // OSXSAVE
  // FMA, AVX, F16C; BMI1, AVX2, BMI2; LZCNT
  if (!all(one.c, {12, 28, 29}) || !all(seven.b, {3, 5, 8}) || !bit(extended.c, 5) ||
      (saved & kYmm) != kYmm)
    return targets;
  targets |= HWY_AVX2;
  if (!all(seven.b, {16, 17, 28, 30, 31}) || (saved & kZmm) != kZmm) return targets;
  targets |= HWY_AVX3;  // AVX-512 F, DQ, CD, BW, VL
  // VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ, VNNI, BITALG, VPOPCNTDQ
  if (!all(seven.c, {1, 6, 8, 9, 10, 11, 12, 14})) return targets;
  targets |= HWY_AVX3_DL;
  if (!bit(more.a, 5)) return targets;  // AVX-512 BF16
#ifdef HWY_AVX3_ZEN4
  if (is_amd(leaf_of(0))) targets |= HWY_AVX3_ZEN4;
#endif
#ifdef HWY_AVX3_SPR
  if (bit(seven.d, 23)) targets |= HWY_AVX3_SPR;  // AVX-512 FP16
#endif
  return targets;
}

/// What has been asked for instead; 0: nothing.
std::atomic<i64>& replaced() {
  static std::atomic<i64> targets{0};
  return targets;
}
std::atomic<i64>& allowed() {
  static std::atomic<i64> targets{~i64{0}};
  return targets;
}

}  // namespace

namespace hwy {

int64_t SupportedTargets() {
  static const i64 kDetected = detected();
  const i64 instead = replaced().load();
  const i64 targets = (instead != 0 ? instead : kDetected) & allowed().load();
  return targets == 0 ? HWY_STATIC_TARGET : targets;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

void DisableTargets(int64_t targets) {
  allowed().store(~targets);
  GetChosenTarget().DeInit();  // chosen anew with the next call
}

void SetSupportedTargetsForTest(int64_t targets) {
  replaced().store(targets);
  GetChosenTarget().DeInit();
}

/// Of assertions, which Highway has in builds with sanitizers.
void Abort(const char* file, int line, const char* format, ...) {
  std::fprintf(stderr, "%s:%d: Highway: ", file, line);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace hwy

#endif  // HWY_ARCH_X86_64
