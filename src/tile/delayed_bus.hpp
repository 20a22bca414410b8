// What a core sees of its tile while things happen late in it (tile/late.hpp): its stores and
// pushes may be held up, and wait for their way; its loads wait for what is under way before them.
#pragma once

#include "tile/bus.hpp"
#include "tile/late.hpp"

namespace bhemu::tile {

struct DelayedBus final : CoreBus<true> {
  DelayedBus(Tile& tile, unsigned core, LateStores& late) : CoreBus<true>(tile, core), late_(late) {
    l1_flags = late.l1_flags();
  }

  riscv::Loaded load(riscv::CoreState& state, u32 address, u32 size) {
    late_.land_before_load(core_, address);
    return CoreBus<true>::load(state, address, size);
  }
  riscv::Outcome store(riscv::CoreState&, u32 address, u32 size, u32 value) {
    note_impure();
    return late_.store(core_, address, size, value);
  }
  riscv::Outcome store_l1(riscv::CoreState&, u32 address, const void* source, u32 bytes) {
    note_impure();
    return late_.store_l1(core_, address, source, bytes);
  }
  riscv::Outcome push_tensix(riscv::CoreState&, u32 word) {
    note_impure();
    return late_.push(core_, word);
  }
  void note_load_l1(u32 address, u32 size) {
    late_.land_overlapping(core_, address, size);
    if (is_recording()) CoreBus<true>::note_load_l1(address, size);
  }
  void note_impure() {
    if (is_recording()) CoreBus<true>::note_impure();
  }

 private:
  LateStores& late_;
};

}  // namespace bhemu::tile

namespace bhemu::riscv {
extern template Outcome run<tile::DelayedBus>(CoreState&, tile::DelayedBus&, Cycle);
}  // namespace bhemu::riscv
