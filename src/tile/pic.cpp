#include "tile/pic.hpp"

#include "base/bits.hpp"
#include "base/check.hpp"
#include "mem/mapping.hpp"

namespace bhemu::tile {
namespace {

// PIC.md, "Memory Map".
constexpr u32 kPerCore = 0x0C;  // SW_INT_EN, HW_INT_EN, INT_NO of BRISC, then of NCRISC
constexpr u32 kSwInt = 0x18;
constexpr u32 kHwInt = 0x98;
constexpr u32 kHandlers = 0xA8;  // 32 software, then 4 hardware
constexpr u32 kHardwareMask = (1u << Pic::kHardware) - 1;

}  // namespace

u32 Pic::read(u32 offset) {
  if (offset >= kHandlers) return handler_[(offset - kHandlers) / 4];
  if (offset >= kHwInt) return bit(hardware_, (offset - kHwInt) / 4) ? 1 : 0;
  if (offset >= kSwInt) {
    u32& slot = value_[(offset - kSwInt) / 4];
    const u32 value = slot;
    slot = 0;
    return value;
  }
  const unsigned core = offset / kPerCore;
  switch (offset % kPerCore / 4) {
    case 0:
      return static_cast<u32>(enable_[core]);
    case 1:
      return static_cast<u32>(enable_[core] >> kSoftware);
    default:
      return number_[core];
  }
}

bool Pic::read_has_effect(u32 offset) const {
  return offset >= kSwInt && offset < kHwInt && value_[(offset - kSwInt) / 4] != 0;
}

bool Pic::write(u32 offset, u32 value) {
  if (offset >= kHandlers) {
    handler_[(offset - kHandlers) / 4] = value;
    return true;
  }
  if (offset >= kHwInt) return true;  // "Writing to the register has no effect"
  if (offset >= kSwInt) {
    value_[(offset - kSwInt) / 4] = value;
    return true;
  }
  u64& enable = enable_[offset / kPerCore];
  switch (offset % kPerCore / 4) {
    case 0:
      enable = (enable & ~u64{0xFFFFFFFF}) | value;
      return true;
    case 1:
      enable = (enable & 0xFFFFFFFF) | u64{value & kHardwareMask} << kSoftware;
      return true;
    default:
      return false;
  }
}

void Pic::set_hardware(unsigned index, bool raised) {
  hardware_ = with_bits(hardware_, index, 1, raised ? 1 : 0);
}

u64 Pic::raised() const {
  u64 sources = u64{hardware_} << kSoftware;
  for (unsigned i = 0; i < kSoftware; ++i) sources |= u64{value_[i] != 0} << i;
  return sources;
}

bool Pic::pending(unsigned core) const {
  return enable_[core] != 0 && (enable_[core] & raised()) != 0;
}

u32 Pic::serve(unsigned core) {
  const u64 wanted = enable_[core] & raised();
  for (unsigned step = 1; step <= kSources; ++step) {
    const unsigned source = (last_served_[core] + step) % kSources;
    if ((wanted >> source & 1) == 0) continue;
    last_served_[core] = source;
    number_[core] = source;
    return handler_[source];
  }
  CHECK(false && "serve() without a pending IRQ");
  return 0;
}

u64 Pic::hash(u64 seed) const {
  seed = hash_bytes(seed, enable_.data(), sizeof enable_);
  seed = hash_bytes(seed, number_.data(), sizeof number_);
  seed = hash_bytes(seed, last_served_.data(), sizeof last_served_);
  seed = hash_bytes(seed, value_.data(), sizeof value_);
  seed = hash_bytes(seed, handler_.data(), sizeof handler_);
  return hash_bytes(seed, &hardware_, sizeof hardware_);
}

}  // namespace bhemu::tile
