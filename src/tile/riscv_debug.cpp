#include "tile/riscv_debug.hpp"

#include "mem/mapping.hpp"

namespace bhemu::tile {
namespace {

enum Access : u8 { RO, RW };

struct RegisterInfo {
  u32 first, count;
  Access access;
};
constexpr RegisterInfo kRegisters[] = {
#define DR(name, index, count, access, meaning) {index, count, access},
#include "tile/riscv_debug.def"
};

struct ModeInfo {
  u32 value;
  bool instruction, loads, stores;
};
constexpr ModeInfo kModes[] = {
#define MODE(value, name, instruction, loads, stores, meaning) {value, instruction, loads, stores},
#include "tile/riscv_debug.def"
};

/// The watchpoints that are at `where` and in a mode of the wanted kind.
u32 hits(const CoreDebug& debug, u32 where, bool ModeInfo::*kind) {
  u32 mask = 0;
  for (unsigned i = 0; i < kWatchpoints; ++i) {
    if (debug.address[i] != where) continue;
    for (const ModeInfo& mode : kModes)
      if (mode.value == bits(debug.modes, i * 4, 4) && mode.*kind) mask |= 1u << i;
  }
  return mask;
}

}  // namespace

u32 CoreDebug::instruction_hits(u32 pc) const {
  return hits(*this, pc, &ModeInfo::instruction);
}
u32 CoreDebug::load_hits(u32 where) const {
  return hits(*this, where, &ModeInfo::loads);
}
u32 CoreDebug::store_hits(u32 where) const {
  return hits(*this, where, &ModeInfo::stores);
}

bool CoreDebug::is_armed() const {
  for (unsigned i = 0; i < kWatchpoints; ++i)
    for (const ModeInfo& mode : kModes)
      if (mode.value == bits(modes, i * 4, 4)) return true;
  return false;
}

u32* RiscvDebug::register_at(unsigned which, u32 index) {
  CoreDebug& debug = core[which];
  switch (index) {
    case dr::Command:
      return &debug.command;
    case dr::Argument0:
      return &debug.argument0;
    case dr::Argument1:
      return &debug.argument1;
    case dr::Result:
      return &debug.result;
    case dr::WatchpointModes:
      return &debug.modes;
    default:
      if (index < dr::WatchpointAddress || index >= dr::WatchpointAddress + kWatchpoints)
        return nullptr;
      return &debug.address[index - dr::WatchpointAddress];
  }
}

bool RiscvDebug::is_writable(u32 index) {
  for (const RegisterInfo& info : kRegisters)
    if (index - info.first < info.count) return info.access == RW;
  return false;
}

u64 RiscvDebug::hash(u64 seed) const {
  const bool untouched = attended == 0 && core == std::array<CoreDebug, kCores>{};
  return untouched ? seed : hash_bytes(seed, this, sizeof *this);
}

}  // namespace bhemu::tile
