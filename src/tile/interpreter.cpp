// The interpreter's instances for the cores of a Tensix and of an Ethernet tile.
#include "riscv/execute.hpp"
#include "tile/bus.hpp"

namespace bhemu::riscv {

template Outcome run<tile::CoreBus<false>>(CoreState&, tile::CoreBus<false>&, Cycle);
template Outcome run<tile::CoreBus<true>>(CoreState&, tile::CoreBus<true>&, Cycle);
template Outcome run<tile::EthernetCoreBus<false>>(CoreState&, tile::EthernetCoreBus<false>&,
                                                   Cycle);
template Outcome run<tile::EthernetCoreBus<true>>(CoreState&, tile::EthernetCoreBus<true>&, Cycle);

}  // namespace bhemu::riscv
