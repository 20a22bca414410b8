// What an Ethernet tile has that a Tensix tile has not: its port, and the base firmware with which
// it starts.
#include <cstring>

#include "tile/tile.hpp"

namespace bhemu::tile {

void Tile::make_port(const TileConfig& config) {
  CHECK(config.ethernet.has_value());
  boot_ = config.ethernet;
  eth::Port::Environment environment;
  environment.faults = &faults();
  environment.wakeup = &wakeup_;
  environment.instance = boot_->instance;
  std::unique_ptr<eth::Link> link;
  if (boot_->has_port())
    link = std::make_unique<eth::NoCable>();
  else
    link = std::make_unique<eth::NoSerdes>();
  port_ = std::make_unique<eth::Port>(environment, std::move(link));
  boot_ethernet();
}

/// What the ARC's firmware does to every Ethernet tile that works (bh_arc/eth.c): it loads the base
/// firmware and lets ERISC0 go. ERISC1 stays in reset.
void Tile::boot_ethernet() {
  port_->reset();
  eth::load_base_firmware(l1_, *boot_, now_);
  port_->set_start_pc(0, eth::kFirmwareBase, eth::kBootParameters - 4);
  const u32 held = debug_.get(debug_reg::SOFT_RESET_0);
  set_soft_reset(held & ~(1u << shape_.reset_bit[0]), {Agent::Host, 0, now_});
}

bool Tile::is_waiting_for_work(unsigned core) const {
  if (port_ == nullptr || core != 0) return false;
  const CoreStatus status = slots_[core].status;
  const bool runs = status == CoreStatus::Running || status == CoreStatus::Parked;
  // Wherever in its rounds a parked core is, it is in the loop.
  return runs && eth::is_waiting(cores_[core].pc);
}

/// `bytes` at `address` of L1 have been read into `target`.
void Tile::show_heartbeat(u32 address, void* target, u32 bytes, Cycle now) const {
  const u32 end = address + bytes;
  if (end <= eth::kHeartbeat || address >= eth::kHeartbeat + 4 || !is_waiting_for_work(0)) return;
  const u32 beat = eth::heartbeat_at(now);
  for (u32 i = 0; i < 4; ++i) {
    const u32 at = eth::kHeartbeat + i;
    if (at >= address && at < end)
      static_cast<u8*>(target)[at - address] = static_cast<u8>(beat >> (8 * i));
  }
}

}  // namespace bhemu::tile
