// Of a tile that nobody has looked at for a while, nothing is in the host's caches, and its cores,
// their slots, buses, contexts and code are some hundred cache lines: asked for one after the
// other, each when it is needed, they were a quarter of what letting a tile's cores loose took.
#include "base/bits.hpp"
#include "tile/bus.hpp"
#include "tile/tile.hpp"
#include "tile/translated.hpp"

namespace bhemu::tile {
namespace {

constexpr std::size_t kCacheLine = 64;

/// Asks the host for the cache lines of [begin, end); nothing else happens.
inline void fetch(const void* begin, const void* end) {
  const char* const last = static_cast<const char*>(end);
  for (const char* at = static_cast<const char*>(begin); at < last; at += kCacheLine)
    __builtin_prefetch(at);
}
template <class T>
inline void fetch(const T& object) {
  fetch(&object, &object + 1);
}

}  // namespace

void Tile::fetch_cores(u32 cores) const {
  for (unsigned core = 0; core < shape_.cores; ++core) {
    if (!bit(cores, core)) continue;
    const riscv::CoreState& state = cores_[core];
    fetch(&state, &state.ldm);
    fetch(slots_[core]);
    fetch(*buses_[core]);
    fetch(*recording_buses_[core]);
    if (translated_ != nullptr) fetch(translated_->contexts[core]);
    const u32 pc = start_pc(core);
    if (!l1_.has(pc, 4)) continue;
    __builtin_prefetch(l1_.data() + pc);
    __builtin_prefetch(l1_.flags() + (pc >> L1::kLineShift));
    __builtin_prefetch(lines_.table().places + pc / riscv::kLineBytes);
  }
}

}  // namespace bhemu::tile
