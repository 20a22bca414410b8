// The interpreter's two instances for a tile's cores.
#include "riscv/execute.hpp"
#include "tile/bus.hpp"

namespace bhemu::riscv {

template Outcome run<tile::CoreBus<false>>(CoreState&, tile::CoreBus<false>&, Cycle);
template Outcome run<tile::CoreBus<true>>(CoreState&, tile::CoreBus<true>&, Cycle);

}  // namespace bhemu::riscv
