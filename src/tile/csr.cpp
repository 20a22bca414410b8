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
  if (csr == riscv::kCsrBstatus) {
    const bool stop = coprocessor_->raw_busy_status(thread) &&
                      faults().raise(Rule::TileRawBusyStatus, agent(core), cores_[core].pc,
                                     cores_[core].cycle, "read of tt_cfg_bstatus");
    if (stop) return {0, riscv::Outcome::Stop};
    return {coprocessor_->backend_status(thread)};
  }
  // Four phases, then four message counts; a thread selects four streams to wait for. B and NC
  // have plain storage here, which riscv/csr.cpp knows.
  constexpr u32 kSelects = 4;
  const u32 number = csr - riscv::kCsrSstatus0;
  const u32 select = number % kSelects;
  const bool stop =
      faults().raise(Rule::TileStreamStatusCsr, agent(core), cores_[core].pc, cores_[core].cycle,
                     fmt::format("tt_cfg_sstatus{}: shows the stream that "
                                 "STREAM_ID_SYNC_SEC{} names",
                                 number, select));
  if (stop) return {0, riscv::Outcome::Stop};
  const u32 stream = coprocessor_->selected_stream(thread, select);
  const u32 index =
      number < kSelects ? noc::stream::STREAM_CURR_PHASE : noc::stream::STREAM_NUM_MSGS_RECEIVED;
  u32 value = 0;
  CHECK(streams_->read(stream * noc::kStreamStride + index * 4, value));
  return {value};
}

template <bool Record>
riscv::Loaded CoreBus<Record>::read_csr(riscv::CoreState&, u32 csr) {
  if constexpr (Record) attention = true;  // the tile says that it is not pure
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
