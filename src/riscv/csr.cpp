#include "riscv/csr.hpp"

#include "riscv/core.hpp"

namespace bhemu::riscv {
namespace {

constexpr u32 low(u64 value) {
  return static_cast<u32>(value);
}
constexpr u32 high(u64 value) {
  return static_cast<u32>(value >> 32);
}
constexpr u64 with_low(u64 old, u32 value) {
  return (old & ~u64{0xFFFFFFFF}) | value;
}
constexpr u64 with_high(u64 old, u32 value) {
  return low(old) | (u64{value} << 32);
}
void set_low(u64& counter, u32 value) {
  counter = with_low(counter, value);
}
void set_high(u64& counter, u32 value) {
  counter = with_high(counter, value);
}

u64 mcycle(const CoreState& s) {
  return s.cycle + s.csr.mcycle_offset;
}
u64 minstret(const CoreState& s) {
  return s.instret + s.csr.minstret_offset;
}
void set_mcycle(CoreState& s, u64 value) {
  s.csr.mcycle_offset = value - s.cycle;
}
void set_minstret(CoreState& s, u64 value) {
  s.csr.minstret_offset = value - s.instret;
}

// PmcClrOnRd: a read also writes zero to the half that was read.
u32 read_hpm_low(CsrState& c, unsigned index) {
  const u32 value = low(c.mhpmcounter[index]);
  if ((c.cfg0 & kCfg0PmcClrOnRd) != 0) set_low(c.mhpmcounter[index], 0);
  return value;
}
u32 read_hpm_high(CsrState& c, unsigned index) {
  const u32 value = high(c.mhpmcounter[index]);
  if ((c.cfg0 & kCfg0PmcClrOnRd) != 0) set_high(c.mhpmcounter[index], 0);
  return value;
}

constexpr CsrInfo kCsrs[] = {
#define CSR(address, name, kind, read, write) {address, #name, CsrKind::kind},
#include "riscv/csr.def"
#undef CSR
};

}  // namespace

const CsrInfo* find_csr(u32 address) {
  for (const CsrInfo& info : kCsrs)
    if (info.address == address) return &info;
  return nullptr;
}

bool is_live_status(const CoreState& state, u32 address) {
  if (address < kCsrQstatus || address >= kCsrQstatus + kStatusCsrs) return false;
  if ((state.csr.cfg0 & kCfg0DisTTStatusReg) != 0) return false;
  const bool is_scratch = address >= kCsrSstatus0;
  return !(is_scratch && takes_interrupts(state.id));
}

u32 read_stored_csr(CoreState& s, u32 address) {
  CsrState& c = s.csr;
  switch (address) {
#define CSR(address, name, kind, read, write) \
  case address:                               \
    return read;
#include "riscv/csr.def"
#undef CSR
  }
  return 0;
}

void write_stored_csr(CoreState& s, u32 address, u32 value) {
  CsrState& c = s.csr;
  switch (address) {
#define CSR(address, name, kind, read, write) \
  case address:                               \
    write;                                    \
    break;
#include "riscv/csr.def"
#undef CSR
  }
}

}  // namespace bhemu::riscv
