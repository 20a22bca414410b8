#include "tile/shape.hpp"

#include "noc/stream.hpp"

namespace bhemu::tile {
namespace {

constexpr u8 kNobody = Shape::kNobody;
constexpr std::array<u8, 4> kDebuggedTensix = {
#define SELECT(which, core) static_cast<u8>(CoreId::core),
#include "tile/riscv_debug.def"
};

}  // namespace

const Shape& tensix_shape() {
  static constexpr CoreId kIds[] = {CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc1,
                                    CoreId::Trisc2};
  static const Shape kShape{
      noc::NodeKind::Tensix, kCores,           {kIds[0], kIds[1], kIds[2], kIds[3], kIds[4]},
      {11, 18, 12, 13, 14},  kDebuggedTensix,  kL1Size,
      noc::kStreams,         &tensix_regions()};
  return kShape;
}

const Shape& ethernet_shape() {
  // The three that do not exist are named like the last that does; nobody ever sees them.
  constexpr CoreId kLast = CoreId::Erisc1;
  static const Shape kShape{noc::NodeKind::Ethernet,
                            kEthernetCores,
                            {CoreId::Erisc0, CoreId::Erisc1, kLast, kLast, kLast},
                            {11, 12, 13, 14, 18},
                            {0, 1, kNobody, kNobody},
                            kEthernetL1Size,
                            noc::kStreams / 2,
                            &ethernet_regions()};
  return kShape;
}

}  // namespace bhemu::tile
