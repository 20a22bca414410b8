#include "mem/copy_past_caches.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace bhemu {

#ifdef __SSE2__
// Whole lines have to be written at once; 16 bytes at a time, which every x86-64 has, do that as
// fast as 32.
void copy_past_caches(void* target, const void* source, u64 bytes) {
  constexpr u64 kLine = 64;
  u8* const to = static_cast<u8*>(target);
  const u8* const from = static_cast<const u8*>(source);
  u64 at = std::min((0 - reinterpret_cast<std::uintptr_t>(to)) % kLine, bytes);
  std::memcpy(to, from, at);
  for (; bytes - at >= kLine; at += kLine) {
    const auto* const line = reinterpret_cast<const __m128i*>(from + at);
    auto* const place = reinterpret_cast<__m128i*>(to + at);
    const __m128i a = _mm_loadu_si128(line);
    const __m128i b = _mm_loadu_si128(line + 1);
    const __m128i c = _mm_loadu_si128(line + 2);
    const __m128i d = _mm_loadu_si128(line + 3);
    _mm_stream_si128(place, a);
    _mm_stream_si128(place + 1, b);
    _mm_stream_si128(place + 2, c);
    _mm_stream_si128(place + 3, d);
  }
  _mm_sfence();  // these stores are ordered with no others
  std::memcpy(to + at, from + at, bytes - at);
}
#else
void copy_past_caches(void* target, const void* source, u64 bytes) {
  std::memcpy(target, source, bytes);
}
#endif

}  // namespace bhemu
