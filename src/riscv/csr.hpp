// The control and status registers of a baby RISC-V core (BabyRISCV/CSRs.md). Rows: csr.def.
//
// Not modelled: events of mhpmcounter3/4 (no document lists them: selecting one is diagnosed), and
// everything in cfg0 and pmacfg0/1 that changes timing only.
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace bhemu::riscv {

struct CoreState;

inline constexpr u32 kCfg0PmcClrOnRd = 1u << 8;
inline constexpr u32 kCfg0DisTTStatusReg = 1u << 29;
inline constexpr u32 kCfg0EnBFloat = 1u << 30;
inline constexpr u32 kCfg0EnBFloatRTNE = 1u << 31;

inline constexpr u32 kCsrQstatus = 0xBC0;  // tt_cfg_qstatus, bstatus, sstatus0-7: 0xBC0-0xBC9
inline constexpr u32 kCsrBstatus = 0xBC1;
inline constexpr u32 kCsrSstatus0 = 0xBC2;
inline constexpr unsigned kStatusCsrs = 10;

/// Plain data.
struct CsrState {
  u32 fcsr = 0;  // eight stored bits; hardware ignores the rounding mode
  u32 vxsat = 0;
  u32 vxrm = 0;
  u32 vl = 0;
  u32 vtype = 0;
  u32 vlenb = 16;  // a store, not a constant: writable, without effect on execution
  u32 mcountinhibit = 0;
  std::array<u32, 2> mhpmevent{};
  std::array<u64, 2> mhpmcounter{};
  u32 cfg0 = 16u << 13;  // StMergeTimer resets to 16, all other fields to 0
  std::array<u32, 2> pmacfg{};
  u32 cfg1 = 0;
  u32 hwa_mask = 0;
  u32 hwa_cfg = 0;
  u32 vgsrc = 0;
  u64 mcycle_offset = 0;    // mcycle = CoreState::cycle + mcycle_offset
  u64 minstret_offset = 0;  // minstret = CoreState::instret + minstret_offset
  /// tt_cfg_* as last written or frozen: scratch on RISCV B and NC (sstatus), frozen elsewhere.
  std::array<u32, kStatusCsrs> status{};
  u32 intp_restore_pc = 0;  // the readable copy
  u32 restore_pc = 0;       // where mret really goes
  bool in_interrupt = false;
};

enum class CsrKind : u8 {
  Storage,   // a register of CsrState
  Clock,     // counts by itself: reading it is not pure
  ReadOnly,  // a constant
  Status,    // shows the coprocessor or the overlay, through Bus::read_csr
};

struct CsrInfo {
  u32 address;
  std::string_view name;
  CsrKind kind;
};

/// Null for a CSR that the hardware does not have.
const CsrInfo* find_csr(u32 address);

/// True if the value of this Status CSR comes from the tile now: not frozen by DisTTStatusReg, and
/// not one of RISCV B's and NC's scratch registers.
bool is_live_status(const CoreState& state, u32 address);

/// All kinds except live Status CSRs. Reading may clear (PmcClrOnRd).
u32 read_stored_csr(CoreState& state, u32 address);
/// A write to a ReadOnly CSR has no effect.
void write_stored_csr(CoreState& state, u32 address, u32 value);

}  // namespace bhemu::riscv
