#include "noc/registers.hpp"

namespace bhemu::noc {
namespace {

using enum RegisterAccess;
using enum RegisterKind;

constexpr RegisterInfo kRegisters[] = {
#define CMD(name, offset, access, kind, reset, meaning) \
  {#name, offset, 1, access, kind, reset, true, false, meaning},
#define NIU(name, offset, count, access, kind, reset, meaning) \
  {#name, offset, count, access, kind, reset, false, false, meaning},
#define SHARED(name, offset, count, access, kind, reset, meaning) \
  {#name, offset, count, access, kind, reset, false, true, meaning},
#include "noc/niu.def"
#undef SHARED
#undef NIU
#undef CMD
};
constexpr unsigned kCount = sizeof(kRegisters) / sizeof(kRegisters[0]);
constexpr u8 kNone = 0xFF;

// Row number of every word of the window.
constexpr std::array<u8, kNiuWords> make_index() {
  std::array<u8, kNiuWords> index{};
  index.fill(kNone);
  for (unsigned row = 0; row < kCount; ++row) {
    const RegisterInfo& info = kRegisters[row];
    const u32 copies = info.per_buffer || info.aliased ? kCommandBuffers : 1;
    for (u32 copy = 0; copy < copies; ++copy)
      for (u32 word = 0; word < info.count; ++word)
        index[(info.offset + copy * kBufferStride) / 4 + word] = static_cast<u8>(row);
  }
  return index;
}
constexpr std::array<u8, kNiuWords> kIndex = make_index();
static_assert(kCount < kNone);

constexpr std::array<u8, kNiuWords> make_ways() {
  std::array<u8, kNiuWords> ways{};
  for (u32 word = 0; word < kNiuWords; ++word) {
    if (kIndex[word] == kNone) continue;
    const RegisterInfo& info = kRegisters[kIndex[word]];
    if (info.access == RW || info.access == RO) ways[word] |= kMayLook;
    // The high half of NOC_PACKET_TAG has no storage (MemoryMap.md).
    if (info.per_buffer && info.access == RW && info.kind == Storage &&
        info.offset != niu::NOC_PACKET_TAG)
      ways[word] |= kJustHoldsWord;
  }
  return ways;
}

}  // namespace

constexpr std::array<u8, kNiuWords> kNiuWays = make_ways();

const RegisterInfo* niu_registers() {
  return kRegisters;
}
unsigned niu_register_count() {
  return kCount;
}

const RegisterInfo* niu_register_at(u32 offset) {
  if (offset >= kNiuWindow || kIndex[offset / 4] == kNone) return nullptr;
  return &kRegisters[kIndex[offset / 4]];
}

}  // namespace bhemu::noc
