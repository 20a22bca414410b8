// The CSRs that show the tile: tt_cfg_qstatus, tt_cfg_bstatus, tt_cfg_sstatus0-7 (CSRs.md).
#include <fmt/format.h>

#include "tile/bus.hpp"

namespace bhemu::tile {

riscv::Loaded Tile::read_status_csr(unsigned core, u32 csr) {
  slots_[core].impure = true;
  if (coprocessor_ == nullptr) {
    const bool stop = faults().raise(Rule::TileNoCoprocessor, agent(core), cores_[core].pc,
                                     cores_[core].cycle, fmt::format("read of CSR 0x{:03x}", csr));
    return {0, stop ? riscv::Outcome::Stop : riscv::Outcome::Ok};
  }
  const bool trisc = core >= index(CoreId::Trisc0);
  // Cores without a thread see the union of all threads (CSRs.md, "Elsewhere").
  const unsigned thread = trisc ? core - index(CoreId::Trisc0) : kThreads;
  if (csr == riscv::kCsrQstatus) return {coprocessor_->queue_status(thread)};
  if (csr == riscv::kCsrBstatus) return {coprocessor_->backend_status(thread)};
  const bool stop = faults().raise(Rule::TileStreamStatusCsr, agent(core), cores_[core].pc,
                                   cores_[core].cycle, fmt::format("read of CSR 0x{:03x}", csr));
  return {0, stop ? riscv::Outcome::Stop : riscv::Outcome::Ok};
}

template <bool Record>
riscv::Loaded CoreBus<Record>::read_csr(riscv::CoreState&, u32 csr) {
  return tile_.read_status_csr(core_, csr);
}

// A live status CSR shows hardware; what is written there is gone at the next look.
template <bool Record>
riscv::Outcome CoreBus<Record>::write_csr(riscv::CoreState&, u32, u32) {
  if constexpr (Record) note_impure();
  return riscv::Outcome::Ok;
}

template struct CoreBus<false>;
template struct CoreBus<true>;

}  // namespace bhemu::tile
