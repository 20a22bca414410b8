// The interpreter's instances for the cores of a Tensix and of an Ethernet tile, and those of the
// way through translated code.
#include "riscv/execute.hpp"
#include "tile/bus.hpp"
#include "tile/delayed_bus.hpp"

namespace bhemu::riscv {

template Outcome run<tile::CoreBus<false>>(CoreState&, tile::CoreBus<false>&, Cycle);
template Outcome run<tile::CoreBus<true>>(CoreState&, tile::CoreBus<true>&, Cycle);
template Outcome run<tile::EthernetCoreBus<false>>(CoreState&, tile::EthernetCoreBus<false>&,
                                                   Cycle);
template Outcome run<tile::EthernetCoreBus<true>>(CoreState&, tile::EthernetCoreBus<true>&, Cycle);

template Outcome run<tile::DelayedBus>(CoreState&, tile::DelayedBus&, Cycle);

}  // namespace bhemu::riscv

namespace bhemu::riscv::jit {

template Outcome run_on<tile::CoreBus<false>>(Context&, Translations&, Leave);
template Outcome run_on<tile::EthernetCoreBus<false>>(Context&, Translations&, Leave);

}  // namespace bhemu::riscv::jit

namespace bhemu::tile {

void Tile::make_translated(const std::shared_ptr<riscv::jit::CodeCache>& code, Arena* arena) {
  if (code == nullptr) return;
  translated_ = make_in<Translated>(arena, code, l1_.size(), lines_.heads());
  for (unsigned core = 0; core < kCores; ++core) {
    CoreBus<false>& bus = *buses_[core];
    translated_->contexts[core] = shape_.is_tensix()
                                      ? riscv::jit::context_of(cores_[core], bus)
                                      : riscv::jit::context_of(cores_[core], *buses_[core]);
  }
}

}  // namespace bhemu::tile
