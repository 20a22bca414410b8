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
  u16 mods;        // legal values of the modifier, as a mask
  bool immediate;  // bits 23:12 are an immediate
};

constexpr std::array kShapes{
    Shape{op::SFPMULI::kOpcode, 0x0001, false},    Shape{op::SFPADDI::kOpcode, 0x0001, false},
    Shape{op::SFPDIVP2::kOpcode, 0x0003, true},    Shape{op::SFPEXEXP::kOpcode, 0x0703, false},
    Shape{op::SFPEXMAN::kOpcode, 0x0003, false},   Shape{op::SFPIADD::kOpcode, 0x0777, true},
    Shape{op::SFPSHFT::kOpcode, 0x00FF, true},     Shape{op::SFPSETCC::kOpcode, 0x0155, false},
    Shape{op::SFPMOV::kOpcode, 0x0007, false},     Shape{op::SFPABS::kOpcode, 0x0003, false},
    Shape{op::SFPAND::kOpcode, 0x0001, false},     Shape{op::SFPOR::kOpcode, 0x0001, false},
    Shape{op::SFPNOT::kOpcode, 0x0001, false},     Shape{op::SFPLZ::kOpcode, 0x0415, false},
    Shape{op::SFPSETEXP::kOpcode, 0x0007, true},   Shape{op::SFPSETMAN::kOpcode, 0x0003, true},
    Shape{op::SFPMAD::kOpcode, 0x0007, false},     Shape{op::SFPADD::kOpcode, 0x0007, false},
    Shape{op::SFPMUL::kOpcode, 0x0007, false},     Shape{op::SFPSETSGN::kOpcode, 0x0003, true},
    Shape{op::SFPCOMPC::kOpcode, 0x0001, false},   Shape{op::SFPTRANSP::kOpcode, 0x0001, false},
    Shape{op::SFPXOR::kOpcode, 0x0001, false},     Shape{op::SFP_STOCH_RND::kOpcode, 0x00FF, false},
    Shape{op::SFPCAST::kOpcode, 0x000F, false},    Shape{op::SFPSWAP::kOpcode, 0x03FF, false},
    Shape{op::SFPSHFT2::kOpcode, 0x007F, true},    Shape{op::SFPLUT::kOpcode, 0x0005, false},
    Shape{op::SFPLUTFP32::kOpcode, 0x000D, false}, Shape{op::SFPLE::kOpcode, 0x000F, false},
    Shape{op::SFPGT::kOpcode, 0x000F, false},      Shape{op::SFPMUL24::kOpcode, 0x0003, false},
    Shape{op::SFPARECIP::kOpcode, 0x0007, false},  Shape{op::SFPLOADI::kOpcode, 0x0517, false},
    Shape{op::SFPENCC::kOpcode, 0x070F, true},
};

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
  const u32 mod = pick_mod(w, shape.mods);
  const u32 head = u32{shape.opcode} << 24;
  switch (shape.opcode) {
    case op::SFPMULI::kOpcode:
    case op::SFPADDI::kOpcode:
      return head | (w.float_bits() >> 16) << 8 | w.below(8) << 4 | mod;
    case op::SFPMAD::kOpcode:
    case op::SFPMUL24::kOpcode:
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
      return head | w.below(32) << 16 | w.below(8) << 12 | w.below(8) << 8 | w.below(8) << 4 | mod;
    case op::SFPENCC::kOpcode:
      return head | w.below(4) << 12 | mod;
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
  const u32 immediate =
      shape.immediate ? w.pick({w.below(32), w.below(4096), 4064 + w.below(32)}) : 0;
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
