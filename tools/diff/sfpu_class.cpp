// Programs for the SFPU: random registers, random instructions, all registers and the lane mask
// out.
#include <array>

#include "diff/classes.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

using namespace tensix;

struct Shape {
  u8 opcode;
  u16 mods;    // legal values of the modifier, as a mask
  u16 common;  // those that other simulators take too: a program with another one is refused whole
};

// clang-format off
constexpr std::array kShapes{
    Shape{op::SFPMULI::kOpcode, 0x0001, 0x0001},
    Shape{op::SFPADDI::kOpcode, 0x0001, 0x0001},
    Shape{op::SFPDIVP2::kOpcode, 0x0003, 0x0003},
    Shape{op::SFPEXEXP::kOpcode, 0x0707, 0x0407},
    Shape{op::SFPEXMAN::kOpcode, 0x0003, 0x0003},
    Shape{op::SFPIADD::kOpcode, 0x0777, 0x0777},
    Shape{op::SFPSHFT::kOpcode, 0x00AF, 0x0003},
    Shape{op::SFPSETCC::kOpcode, 0x0155, 0x0055},
    Shape{op::SFPMOV::kOpcode, 0x0107, 0x0003},
    Shape{op::SFPABS::kOpcode, 0x0003, 0x0003},
    Shape{op::SFPAND::kOpcode, 0x0001, 0x0001},
    Shape{op::SFPOR::kOpcode, 0x0001, 0x0001},
    Shape{op::SFPNOT::kOpcode, 0x0001, 0x0001},
    Shape{op::SFPLZ::kOpcode, 0x0415, 0x0015},
    Shape{op::SFPSETEXP::kOpcode, 0x0007, 0x0007},
    Shape{op::SFPSETMAN::kOpcode, 0x0003, 0x0003},
    Shape{op::SFPMAD::kOpcode, 0x0007, 0x0001},
    Shape{op::SFPADD::kOpcode, 0x0007, 0x0001},
    Shape{op::SFPMUL::kOpcode, 0x0007, 0x0001},
    Shape{op::SFPSETSGN::kOpcode, 0x0003, 0x0003},
    Shape{op::SFPCOMPC::kOpcode, 0x0001, 0x0001},
    Shape{op::SFPTRANSP::kOpcode, 0x0001, 0x0001},
    Shape{op::SFPXOR::kOpcode, 0x0001, 0x0001},
    Shape{op::SFP_STOCH_RND::kOpcode, 0x00FF, 0x00CE},
    Shape{op::SFPCAST::kOpcode, 0x000F, 0x0001},
    Shape{op::SFPSWAP::kOpcode, 0x03FF, 0x020F},
    Shape{op::SFPSHFT2::kOpcode, 0x007F, 0x0028},
    Shape{op::SFPLUT::kOpcode, 0x0014, 0x0010},
    Shape{op::SFPLUTFP32::kOpcode, 0x000D, 0x0004},
    Shape{op::SFPLE::kOpcode, 0x010F, 0x0102},
    Shape{op::SFPGT::kOpcode, 0x010F, 0x0102},
    Shape{op::SFPMUL24::kOpcode, 0x0003, 0x0003},
    Shape{op::SFPARECIP::kOpcode, 0x0007, 0x0001},
    Shape{op::SFPLOADI::kOpcode, 0x0517, 0x0517},
    Shape{op::SFPENCC::kOpcode, 0x070F, 0x0401},
};
// clang-format on

/// An immediate that the instruction has a meaning for, mostly.
u32 immediate_of(Writer& w, u32 opcode, u32 mod) {
  switch (opcode) {
    case op::SFPDIVP2::kOpcode:
      return (w.below(256) - 128) & 0xFFF;
    case op::SFPIADD::kOpcode:
      return (mod & 1) != 0 ? w.pick({w.below(32), w.below(4096), 4064 + w.below(32)}) : 0;
    case op::SFPSHFT::kOpcode:
      return (mod & 1) != 0 ? (w.below(64) - 32) & 0xFFF : 0;
    case op::SFPSETEXP::kOpcode:
      return mod == 1 ? w.below(256) : 0;
    case op::SFPSETSGN::kOpcode:
      return mod == 1 ? w.below(2) : 0;
    default:
      return 0;
  }
}

u32 pick_mod(Writer& w, u32 mask) {
  for (;;) {
    const u32 mod = w.below(16);
    if ((mask >> mod & 1) != 0) return mod;
  }
}

/// A source: mostly L0..L7, sometimes a constant.
u32 source(Writer& w) {
  return w.one_in(8) ? w.pick({9, 10, 15}) : w.below(8);
}

u32 random_instruction(Writer& w) {
  const Shape& shape = kShapes[w.below(kShapes.size())];
  const u32 mod = pick_mod(w, w.one_in(60) ? shape.mods : shape.common);
  const u32 head = u32{shape.opcode} << 24;
  switch (shape.opcode) {
    case op::SFPMULI::kOpcode:
    case op::SFPADDI::kOpcode:
      return head | (w.float_bits() >> 16) << 8 | w.below(8) << 4 | mod;
    case op::SFPMUL24::kOpcode:
      return head | source(w) << 16 | source(w) << 12 | 9u << 8 | w.below(8) << 4 | mod;
    case op::SFPSETCC::kOpcode:
      return head | source(w) << 8 | mod;
    case op::SFPMAD::kOpcode:
      return head | source(w) << 16 | source(w) << 12 | source(w) << 8 | w.below(8) << 4 | mod;
    // The unused operand must be the constant that makes it neutral.
    case op::SFPADD::kOpcode:
      return head | 10u << 16 | source(w) << 12 | source(w) << 8 | w.below(8) << 4 | mod;
    case op::SFPMUL::kOpcode:
      return head | source(w) << 16 | source(w) << 12 | 9u << 8 | w.below(8) << 4 | mod;
    case op::SFPLUT::kOpcode:
      return head | w.below(8) << 20 | mod << 16;
    case op::SFPLOADI::kOpcode:
      return head | w.below(8) << 20 | mod << 16 | (w.any_word() & 0xFFFF);
    case op::SFP_STOCH_RND::kOpcode:
      return head | w.below(8) << 12 | w.below(8) << 8 | w.below(8) << 4 | mod;
    case op::SFPENCC::kOpcode:
      return head | (mod >= 8 ? 1 | w.below(2) << 1 : 0) << 12 | mod;
    case op::SFPLUTFP32::kOpcode:
      return head | w.below(8) << 4 | mod;
    case op::SFPCOMPC::kOpcode:
    case op::SFPTRANSP::kOpcode:
      return head;
    case op::SFPAND::kOpcode:
    case op::SFPOR::kOpcode:
    case op::SFPXOR::kOpcode:
    case op::SFPSWAP::kOpcode:
      return head | w.below(8) << 8 | w.below(8) << 4 | mod;
    default:
      break;
  }
  const u32 immediate = immediate_of(w, shape.opcode, mod);
  return head | immediate << 12 | source(w) << 8 | w.below(8) << 4 | mod;
}

void load_register(Writer& w, u32 lreg, u32 value) {
  w.op<op::SFPLOADI>({{"lreg_ind", lreg}, {"instr_mod0", 10}, {"imm16", value & 0xFFFF}});
  w.op<op::SFPLOADI>({{"lreg_ind", lreg}, {"instr_mod0", 8}, {"imm16", value >> 16}});
}

/// Registers 0, 2, 4, 6 the same in all lanes; 1, 3, 5, 7 different in every lane.
void set_registers(Writer& w) {
  for (u32 lreg = 0; lreg < 8; lreg += 2)
    load_register(w, lreg, w.one_in(2) ? w.float_bits() : w.any_word());
  for (u32 lreg = 1; lreg < 8; lreg += 2) {
    w.op<op::SFPMOV>({{"lreg_dest", lreg}, {"lreg_c", 15}});
    w.op<op::SFPSHFT>(
        {{"lreg_dest", lreg}, {"lreg_c", lreg}, {"imm12_math", w.below(28)}, {"instr_mod1", 1}});
    w.op<op::SFPXOR>({{"lreg_dest", lreg}, {"lreg_c", lreg - 1}});
  }
}

void store_register(Writer& w, u32 lreg, u32 row) {
  w.op<op::SFPSTORE>(
      {{"lreg_ind", lreg}, {"instr_mod0", 4}, {"sfpu_addr_mode", 7}, {"dest_reg_addr", row}});
}

}  // namespace

Program make_sfpu(u64 seed) {
  Writer w(seed);
  w.keep = true;
  w.setup_pack_32();
  w.sync();
  w.op<op::SFPENCC>({{"imm12_math", 3}, {"instr_mod1", 10}});
  for (u32 row = 0; row < 40; row += 2) store_register(w, 9, row);
  set_registers(w);
  w.keep = false;
  for (u32 steps = 1 + w.below(12); steps > 0; --steps) {
    w.tensix(random_instruction(w));
    w.keep = true;
    w.op<op::SFPNOP>();
    w.keep = false;
  }
  w.keep = true;
  store_register(w, 10, 32);  // 1.0 in the lanes that are active
  w.op<op::SFPENCC>({{"imm12_math", 3}, {"instr_mod1", 10}});
  for (u32 lreg = 0; lreg < 8; ++lreg) store_register(w, lreg, 4 * lreg);
  w.pack_rows(40);
  return w.program;
}

}  // namespace bhemu::diff
