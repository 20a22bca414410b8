// When a core's loads from L1 can be answered by its L0 data cache.
#pragma once

#include "base/bits.hpp"
#include "riscv/csr.hpp"

namespace bhemu::riscv {

/// The cache is on (cfg0.DisLowCash), and pmacfg0 and pmacfg1 do not ask for a fence before every
/// access (BlackholeA0 BabyRISCV/CSRs.md).
inline bool has_data_cache(const CsrState& csr) {
  constexpr u32 kDisLowCache = 3;
  return !bit(csr.cfg0, kDisLowCache) && ((csr.pmacfg[0] | csr.pmacfg[1]) & 1) == 0;
}

}  // namespace bhemu::riscv
