// Programs of RISC-V instructions without branches: registers and memory at the end.
#include <array>

#include "diff/classes.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

/// funct7 << 3 | funct3 of the register-register instructions (RV32IM, Zba, Zbb).
constexpr std::array<u16, 32> kRegister{
    0x000, 0x001, 0x002, 0x003, 0x004, 0x005, 0x006, 0x007,  // add .. and
    0x100, 0x105,                                            // sub, sra
    0x008, 0x009, 0x00A, 0x00B, 0x00C, 0x00D, 0x00E, 0x00F,  // mul .. remu
    0x082, 0x084, 0x086,                                     // sh1add ..
    0x107, 0x106, 0x104,                                     // andn, orn, xnor
    0x02C, 0x02D, 0x02E, 0x02F,                              // min .. maxu
    0x181, 0x185, 0x000, 0x008,                              // rol, ror
};

u32 destination(Writer& w) {
  return w.below(31);  // x31 is the address of the data
}

u32 immediate_instruction(Writer& w) {
  const u32 funct = w.below(8);
  u32 immediate = w.below(4096);
  if (funct == 1) immediate = w.below(32);
  if (funct == 5) immediate = w.below(32) | w.pick({0, 0x400});
  return immediate << 20 | w.below(32) << 15 | funct << 12 | destination(w) << 7 | 0x13;
}

/// clz, ctz, cpop, sext.b, sext.h, rev8, orc.b, zext.h, rori
u32 unary_instruction(Writer& w) {
  const u32 sources = w.below(32) << 15 | destination(w) << 7;
  switch (w.below(6)) {
    case 0:
      return w.pick({0x600, 0x601, 0x602, 0x604, 0x605}) << 20 | sources | 0x1013;
    case 1:
      return 0x698u << 20 | sources | 0x5013;
    case 2:
      return 0x287u << 20 | sources | 0x5013;
    case 3:
      return 0x080u << 20 | sources | 0x4033;
    default:
      return (0x600u | w.below(32)) << 20 | sources | 0x5013;
  }
}

u32 memory_instruction(Writer& w) {
  const u32 size = w.below(3);
  const u32 offset = (w.below(2048) >> size) << size;
  if (w.one_in(2)) {
    const u32 funct = size == 2 ? 2 : size | w.below(2) << 2;
    return offset << 20 | 31u << 15 | funct << 12 | destination(w) << 7 | 0x03;
  }
  return (offset >> 5) << 25 | w.below(32) << 20 | 31u << 15 | size << 12 | (offset & 31) << 7 |
         0x23;
}

}  // namespace

Program make_riscv(u64 seed) {
  Writer w(seed);
  for (u32 i = 0; i < 512; ++i) w.program.data.push_back(w.any_word());
  for (u32 steps = 1 + w.below(60); steps > 0; --steps) {
    switch (w.below(6)) {
      case 0:
        w.code(immediate_instruction(w));
        break;
      case 1:
        w.code(memory_instruction(w));
        break;
      case 2:
        w.code(unary_instruction(w));
        break;
      case 3:
        w.code(w.below(1 << 20) << 12 | destination(w) << 7 | 0x37);
        break;
      default: {
        const u32 kind = kRegister[w.below(kRegister.size())];
        w.code((kind >> 3) << 25 | w.below(32) << 20 | w.below(32) << 15 | (kind & 7) << 12 |
               destination(w) << 7 | 0x33);
      }
    }
  }
  return w.program;
}

}  // namespace bhemu::diff
