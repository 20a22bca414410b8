#include "race/component.hpp"

#include "tensix/block_mask.hpp"
#include "tensix/frontend/ttsync.hpp"

namespace bhemu::race {

const char* name_of(Region region) {
  constexpr const char* kNames[kRegions] = {
      "L1", "configuration", "NIU", "overlay", "PCBuf", "mailbox", "push", "control", "Dst window"};
  return kNames[static_cast<unsigned>(region)];
}

const char* name_of(Part part) {
  constexpr const char* kNames[kParts] = {
      "wait gate",   "MOP expander", "unpacker 0",  "unpacker 1", "matrix unit",
      "vector unit", "packer",       "scalar unit", "mover",      "configuration unit"};
  return kNames[static_cast<unsigned>(part)];
}

Part part_of_word(u32 word) {
  using namespace tensix;
  const u8 opcode = opcode_of(word);
  switch (kInfo[opcode].unit) {
    case Unit::Unpack:
      return bits(word, 23, 1) != 0 ? Part::Unpack1 : Part::Unpack0;
    case Unit::Fpu:
      return Part::Fpu;
    case Unit::Sfpu:
      return Part::Sfpu;
    case Unit::Pack:
      return Part::Pack;
    case Unit::Xmov:
      return Part::Mover;
    case Unit::Cfg:
      // STREAMWRCFG and RDCFG end at no known time; the others in one or two cycles (rows 32, 57).
      return opcode == op::STREAMWRCFG::kOpcode || opcode == op::RDCFG::kOpcode ? Part::Config
                                                                                : Part::Gate;
    case Unit::Thcon:
      // What touches memory ends behind the thread's back (C0); arithmetic holds the thread.
      switch (frontend::resource_class_of(opcode)) {
        case frontend::kAtomics:
        case frontend::kIndirect:
        case frontend::kStoreRegister:
        case frontend::kLoadRegister:
          return Part::Thcon;
        default:
          return Part::Gate;
      }
    default:
      return Part::Gate;
  }
}

u16 blocked_by(u32 word) {
  using namespace tensix;
  const u8 opcode = opcode_of(word);
  // A NOP is held only when every bit of the mask is set, so no single bit orders it.
  return opcode == op::NOP::kOpcode ? u16{0} : tensix::blocked_by(opcode, kInfo[opcode].unit);
}

}  // namespace bhemu::race
