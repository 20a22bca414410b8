// Programs of RISC-V instructions on any core: registers and memory at the end.
// (V and the half-precision floats are left out: no other simulator takes them.)
#include <array>

#include "diff/classes.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

constexpr u32 kDataRegister = 31;   // the address of the data
constexpr u32 kLocalRegister = 30;  // the address of the core's own memory
constexpr u32 kPointer = 29;        // computed just before it is used
constexpr u32 kLocal = 0xFFB00000;
constexpr u32 kLocalWords = 64;

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

constexpr u32 kNop = 0x00000013;
constexpr u32 addi(u32 rd, u32 rs1, u32 immediate) {
  return (immediate & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0x13;
}

u32 destination(Writer& w) {
  return w.below(kPointer);
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

u32 register_instruction(Writer& w) {
  const u32 kind = kRegister[w.below(kRegister.size())];
  return (kind >> 3) << 25 | w.below(32) << 20 | w.below(32) << 15 | (kind & 7) << 12 |
         destination(w) << 7 | 0x33;
}

/// Loads and stores of all sizes, in L1 and in local memory.
u32 memory_instruction(Writer& w) {
  const u32 size = w.below(3);
  const bool local = w.one_in(4);
  const u32 base = local ? kLocalRegister : kDataRegister;
  const u32 offset = (w.below(local ? kLocalWords * 4 : 2048) >> size) << size;
  if (w.one_in(2)) {
    const u32 funct = size == 2 ? 2 : size | w.below(2) << 2;
    return offset << 20 | base << 15 | funct << 12 | destination(w) << 7 | 0x03;
  }
  return (offset >> 5) << 25 | w.below(32) << 20 | base << 15 | size << 12 | (offset & 31) << 7 |
         0x23;
}

u32 plain_instruction(Writer& w) {
  switch (w.below(6)) {
    case 0:
      return immediate_instruction(w);
    case 1:
      return memory_instruction(w);
    case 2:
      return unary_instruction(w);
    case 3:  // lui, auipc
      return w.below(1 << 20) << 12 | destination(w) << 7 | w.pick({0x37, 0x17});
    default:
      return register_instruction(w);
  }
}

/// Zaamo, on a word of the data.
void atomic(Writer& w) {
  const u32 funct = w.pick({0x00, 0x01, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C});
  w.code(addi(kPointer, kDataRegister, w.below(512) * 4));
  w.code(funct << 27 | w.below(4) << 25 | w.below(32) << 20 | kPointer << 15 | 2u << 12 |
         destination(w) << 7 | 0x2F);
}

constexpr u32 branch(u32 funct, u32 rs1, u32 rs2, u32 by) {
  return (by >> 12 & 1) << 31 | (by >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | funct << 12 |
         (by >> 1 & 0xF) << 8 | (by >> 11 & 1) << 7 | 0x63;
}

constexpr u32 jump(u32 rd, u32 by) {
  return (by >> 20 & 1) << 31 | (by >> 1 & 0x3FF) << 21 | (by >> 11 & 1) << 20 |
         (by >> 12 & 0xFF) << 12 | rd << 7 | 0x6F;
}

/// A branch or a jump over some instructions, taken or not.
void skip(Writer& w) {
  const u32 over = 1 + w.below(4);
  switch (w.below(4)) {
    case 0:
      w.code(jump(destination(w), over * 4 + 4));
      break;
    case 1:
      w.code(0x17 | kPointer << 7);  // auipc, then a jump from there
      w.code((over * 4 + 8) << 20 | kPointer << 15 | destination(w) << 7 | 0x67);
      break;
    default:
      w.code(branch(w.pick({0, 1, 4, 5, 6, 7}), w.below(32), w.below(32), over * 4 + 4));
  }
  for (u32 i = 0; i < over; ++i) w.code(plain_instruction(w));
}

/// A loop that counts down.
void loop(Writer& w) {
  const u32 length = 1 + w.below(3);
  w.code(addi(kPointer, 0, 1 + w.below(20)));
  for (u32 i = 0; i < length; ++i) w.code(plain_instruction(w));
  w.code(addi(kPointer, kPointer, 0xFFF));
  w.code(branch(1, kPointer, 0, 0u - (length + 1) * 4));
}

/// The F extension as far as it goes: no division, rounding to nearest.
u32 float_instruction(Writer& w) {
  const u32 registers = w.below(32) << 20 | w.below(32) << 15 | w.below(32) << 7;
  const u32 one = w.below(32) << 15;
  constexpr u32 kDynamic = 7u << 12;
  switch (w.below(10)) {
    case 0:
      return w.below(32) << 27 | registers | kDynamic | w.pick({0x43, 0x47, 0x4B, 0x4F});
    case 1:
      return 0x10u << 25 | registers | w.below(3) << 12 | 0x53;
    case 2:
      return 0x14u << 25 | registers | w.below(2) << 12 | 0x53;
    case 3:
      return 0x50u << 25 | (registers & ~0xF80u) | w.below(3) << 12 | destination(w) << 7 | 0x53;
    case 4:
      return 0x60u << 25 | w.below(2) << 20 | one | w.pick({0, 7}) << 12 | destination(w) << 7 |
             0x53;
    case 5:
      return 0x68u << 25 | w.below(2) << 20 | one | w.pick({0, 7}) << 12 | w.below(32) << 7 | 0x53;
    case 6:
      return 0x70u << 25 | one | w.below(2) << 12 | destination(w) << 7 | 0x53;
    case 7:
      return 0x78u << 25 | one | w.below(32) << 7 | 0x53;
    default:
      return w.pick({0x00, 0x04, 0x08}) << 25 | registers | kDynamic | 0x53;
  }
}

u32 float_memory_instruction(Writer& w) {
  const u32 offset = w.below(512) * 4;
  if (w.one_in(2)) return offset << 20 | kDataRegister << 15 | 2u << 12 | w.below(32) << 7 | 0x07;
  return (offset >> 5) << 25 | w.below(32) << 20 | kDataRegister << 15 | 2u << 12 |
         (offset & 31) << 7 | 0x27;
}

void step(Writer& w) {
  if (w.program.floats && w.one_in(2)) return w.code(float_instruction(w));
  if (w.program.floats && w.one_in(8)) return w.code(float_memory_instruction(w));
  w.group = w.new_group();
  switch (w.below(24)) {
    case 0:
    case 1:
      skip(w);
      break;
    case 2:
      loop(w);
      break;
    case 3:
    case 4:
      atomic(w);
      break;
    case 5:
      w.code(w.pick({0x0FF0000F, kNop}));
      break;
    default:
      w.code(plain_instruction(w));
  }
  w.group = 0;
}

}  // namespace

Program make_riscv(u64 seed) {
  Writer w(seed);
  w.core = static_cast<u8>(w.below(kCores));
  w.program.floats = w.one_in(3);
  for (u32 i = 0; i < 512; ++i)
    w.program.data.push_back(w.program.floats && i >= 32 ? w.float_bits() : w.any_word());
  w.keep = true;
  w.code(kLocal | kLocalRegister << 7 | 0x37);
  for (u32 i = 0; i < kLocalWords; ++i)
    w.code((i >> 3) << 25 | (i & 15) << 20 | kLocalRegister << 15 | 2u << 12 | (i & 7) << 9 | 0x23);
  w.keep = false;
  for (u32 steps = 1 + w.below(60); steps > 0; --steps) step(w);
  w.keep = true;
  for (u32 i = 0; i < kLocalWords; ++i) w.load(kLocal + i * 4);
  return w.program;
}

}  // namespace bhemu::diff
