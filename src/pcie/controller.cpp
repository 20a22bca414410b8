#include "pcie/controller.hpp"

#include <fmt/format.h>

#include "base/bits.hpp"
#include "mem/mapping.hpp"

namespace bhemu::pcie {
namespace {

struct RegisterRow {
  u32 offset;
  u32 stride;
  u32 count;
  u32 reset;
  u32 writable;
};

constexpr RegisterRow kRows[] = {
#define PCIE_REGISTER(name, offset, stride, count, reset, writable, meaning) \
  {offset, stride, count, reset, writable},
#include "pcie/controller.def"
#undef PCIE_REGISTER
};

const RegisterRow* row_at(u32 offset) {
  if (offset % 4 != 0) return nullptr;
  for (const RegisterRow& row : kRows) {
    if (offset < row.offset) continue;
    const u32 beyond = offset - row.offset;
    if (row.stride == 0 ? beyond == 0 : beyond % row.stride == 0 && beyond / row.stride < row.count)
      return &row;
  }
  return nullptr;
}

u64 joined(u32 low, u32 high) {
  return u64{high} << 32 | low;
}

}  // namespace

void Controller::reset() {
  words_ = {};
  for (const RegisterRow& row : kRows)
    for (u32 i = 0; i < row.count; ++i) set_word(row.offset + i * row.stride, row.reset);
}

bool Controller::read(u32 offset, u32& value) const {
  if (row_at(offset) == nullptr) return false;
  value = word(offset);
  return true;
}

bool Controller::write(u32 offset, u32 value) {
  const RegisterRow* row = row_at(offset);
  if (row == nullptr) return false;
  set_word(offset, (word(offset) & ~row->writable) | (value & row->writable));
  return true;
}

bool Controller::enabled(u32 region) const {
  return bit(word(IATU_OUT_CONTROL_2 + region * kRegionStride), 31);
}

Controller::Range Controller::range(u32 region) const {
  const u32 at = region * kRegionStride;
  // Without INCREASE_REGION_SIZE a region ends within the 4 GiB that it begins in.
  const bool wide = bit(word(IATU_OUT_CONTROL_1 + at), 13);
  const u32 limit_high = word((wide ? IATU_OUT_LIMIT_HIGH : IATU_OUT_BASE_HIGH) + at);
  return {joined(word(IATU_OUT_BASE_LOW + at), word(IATU_OUT_BASE_HIGH + at)),
          joined(word(IATU_OUT_LIMIT_LOW + at), limit_high)};
}

std::string Controller::doubt(u64 address, u32 bytes) const {
  const u64 last = address + (bytes == 0 ? 0 : bytes - 1);
  const auto text = [this](u32 region) {
    const Range of = range(region);
    return fmt::format("region {} ({:#x} to {:#x})", region, of.base, of.limit);
  };
  std::string empty;
  std::string first;
  for (u32 region = 0; region < kRegions; ++region) {
    if (!enabled(region)) continue;
    const auto [base, limit] = range(region);
    if (limit < base && empty.empty()) empty = text(region) + " ends before it begins";
    if (last < base || address > limit) continue;
    if (!first.empty()) return fmt::format("{:#x} lies in {} and {}", address, first, text(region));
    first = text(region);
  }
  return first.empty() && !empty.empty()
             ? fmt::format("{:#x} lies in no region, and {}", address, empty)
             : "";
}

bool Controller::outbound(u64 address, u32 bytes, u64& target) const {
  target = address;
  const u64 last = address + (bytes == 0 ? 0 : bytes - 1);
  for (u32 region = 0; region < kRegions; ++region) {
    if (!enabled(region)) continue;
    const u32 at = region * kRegionStride;
    const auto [base, limit] = range(region);
    if (last < base || address > limit) continue;
    if (address < base || last > limit) return false;
    target =
        joined(word(IATU_OUT_TARGET_LOW + at), word(IATU_OUT_TARGET_HIGH + at)) + (address - base);
    return true;
  }
  return true;
}

u64 Controller::hash(u64 seed) const {
  return hash_bytes(seed, words_.data(), sizeof words_);
}

}  // namespace bhemu::pcie
