// Of a tile that nobody has looked at for a while, nothing is in the host's caches, and its cores,
// their slots, buses, contexts and code are some hundred cache lines: asked for one after the
// other, each when it is needed, they were a quarter of what letting a tile's cores loose took.
#include <algorithm>

#include "base/bits.hpp"
#include "base/prefetch.hpp"
#include "noc/stream_table.hpp"
#include "tile/bus.hpp"
#include "tile/tile.hpp"
#include "tile/translated.hpp"

namespace bhemu::tile {
namespace {

/// Where the core's globals begin, and its stack.
inline void fetch_local(const riscv::CoreState& state) {
  constexpr unsigned kSp = 2;
  __builtin_prefetch(state.ldm.data());
  const u32 top = state.x[kSp] - riscv::kLdmBase;
  for (const u32 at : {top, top + static_cast<u32>(kCacheLine)})
    if (at < riscv::ldm_size_of(state.id)) __builtin_prefetch(&state.ldm[at]);
}

}  // namespace

/// Before a write of the host: who may be woken by it.
void Tile::fetch_waiting() const {
  for (unsigned core = 0; core < shape_.cores; ++core) {
    __builtin_prefetch(&slots_[core]);
    __builtin_prefetch(&slots_[core].reads);
    __builtin_prefetch(&cores_[core].cycle);
  }
}

/// The host writes there. More than a word or two is most often a program or a message to one; how
/// much of it is asked for is chosen, not measured.
void Tile::note_written(u32 address, u64 bytes) {
  constexpr u64 kWords = 8;
  __builtin_prefetch(l1_.data() + address);
  __builtin_prefetch(lines_.table().places + address / riscv::kLineBytes);
  if (bytes <= kWords) return;
  constexpr u64 kMost = 8 * kCacheLine;
  written_[1] = written_[0];
  written_[0] = {address, static_cast<u32>(std::min({bytes, kMost, u64{l1_.size()} - address}))};
}

/// Somebody has been woken from outside, and will run in the next epoch: what he and those that he
/// may wake will need.
void Tile::fetch_run() const {
  if (translated_ != nullptr)
    prefetch(translated_.get(), translated_->translations.seldom_used());
  if (coprocessor_ != nullptr) coprocessor_->fetch();
  __builtin_prefetch(&follower_);
  __builtin_prefetch(&arrivals_);
  if (streams_ != nullptr) streams_->fetch_counts();
  lines_.heads().fetch();
  prefetch(&registers_, &access_ + 1);
  prefetch(&ledger_, &ledger_.counter_changes());
  for (const Written& written : written_) {
    const u8* const at = l1_.data() + written.address;
    prefetch(at, at + written.bytes);
  }
  for (unsigned core = 0; core < shape_.cores; ++core) {
    const CoreStatus status = slots_[core].status;
    if (status != CoreStatus::Running && status != CoreStatus::Parked) continue;
    const riscv::CoreState& state = cores_[core];
    prefetch(&state, &state.f);
    fetch_local(state);
    __builtin_prefetch(buses_[core].get());
    if (translated_ != nullptr) __builtin_prefetch(&translated_->contexts[core]);
    if (l1_.has(state.pc, 4))
      __builtin_prefetch(lines_.table().places + state.pc / riscv::kLineBytes);
  }
}

void Tile::fetch_cores(u32 cores) const {
  prefetch(&debugger_, &follower_);
  fetch_run();
  for (unsigned core = 0; core < shape_.cores; ++core) {
    if (!bit(cores, core)) continue;
    const riscv::CoreState& state = cores_[core];
    prefetch(&state, &state.ldm);
    prefetch(&slots_[core], &slots_[core].steps);
    __builtin_prefetch(buses_[core].get());
    if (translated_ != nullptr) __builtin_prefetch(&translated_->contexts[core]);
    const u32 pc = start_pc(core);
    if (!l1_.has(pc, 4)) continue;
    __builtin_prefetch(l1_.data() + pc);
    __builtin_prefetch(l1_.flags() + (pc >> L1::kLineShift));
    __builtin_prefetch(lines_.table().places + pc / riscv::kLineBytes);
  }
}

}  // namespace bhemu::tile
