#include "card/config_space.hpp"

namespace bhemu::card {
namespace {

struct Row {
  u32 offset;
  u32 reset;
  u32 writable;
};

constexpr Row kRows[] = {
#define CONFIG_REGISTER(name, offset, reset, writable, meaning) {offset, reset, writable},
#include "card/config_space.def"
#undef CONFIG_REGISTER
};

constexpr u32 kTypeBits = 0xF;  // of a BAR: 64 bits, prefetchable

const Row* row_at(u32 offset) {
  for (const Row& row : kRows)
    if (row.offset == offset) return &row;
  return nullptr;
}

}  // namespace

ConfigSpace::ConfigSpace(u16 subsystem) {
  for (const Row& row : kRows) words_[row.offset / 4] = row.reset;
  words_[kConfig_SUBSYSTEM / 4] |= u32{subsystem} << 16;
}

bool ConfigSpace::read(u32 offset, u32& value) const {
  if (offset % 4 != 0 || offset >= kBytes) return false;
  value = words_[offset / 4];
  return true;
}

bool ConfigSpace::write(u32 offset, u32 value) {
  if (offset % 4 != 0 || offset >= kBytes) return false;
  const Row* row = row_at(offset);
  if (row == nullptr) return true;
  u32& word = words_[offset / 4];
  word = (word & ~row->writable) | (value & row->writable);
  return true;
}

u64 ConfigSpace::bar_base(unsigned bar) const {
  const u32 low = words_[(kConfig_BAR0_LOW + bar * 4) / 4] & ~kTypeBits;
  return u64{words_[(kConfig_BAR0_HIGH + bar * 4) / 4]} << 32 | low;
}

}  // namespace bhemu::card
