// Programs for the SFPU: any word in any lane of any register, random instructions between two
// windows of Dst (one that 32-bit accesses use, one of 16-bit accesses), and everything out: all
// registers, the lane mask, both windows.
#include <array>

#include "diff/classes.hpp"
#include "diff/data_parts.hpp"

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
    Shape{op::SFPSHFT::kOpcode, 0x00AF, 0x00AF},
    Shape{op::SFPSETCC::kOpcode, 0x0155, 0x0055},
    Shape{op::SFPMOV::kOpcode, 0x0107, 0x0007},
    Shape{op::SFPABS::kOpcode, 0x0003, 0x0003},
    Shape{op::SFPAND::kOpcode, 0x0003, 0x0003},
    Shape{op::SFPOR::kOpcode, 0x0003, 0x0003},
    Shape{op::SFPNOT::kOpcode, 0x0001, 0x0001},
    Shape{op::SFPLZ::kOpcode, 0x0415, 0x0015},
    Shape{op::SFPSETEXP::kOpcode, 0x0007, 0x0007},
    Shape{op::SFPSETMAN::kOpcode, 0x0003, 0x0003},
    Shape{op::SFPMAD::kOpcode, 0x000F, 0x000F},
    Shape{op::SFPADD::kOpcode, 0x000F, 0x000F},
    Shape{op::SFPMUL::kOpcode, 0x000F, 0x0003},
    Shape{op::SFPSETSGN::kOpcode, 0x0003, 0x0003},
    Shape{op::SFPCOMPC::kOpcode, 0x0001, 0x0001},
    Shape{op::SFPTRANSP::kOpcode, 0x0001, 0x0001},
    Shape{op::SFPXOR::kOpcode, 0x0001, 0x0001},
    Shape{op::SFP_STOCH_RND::kOpcode, 0x00FF, 0x00CE},
    Shape{op::SFPCAST::kOpcode, 0x000F, 0x0009},
    Shape{op::SFPSWAP::kOpcode, 0x03FF, 0x020F},
    Shape{op::SFPSHFT2::kOpcode, 0x007F, 0x0038},
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

// Dst: 32-bit rows 0..127 lie where 16-bit rows 0..255 do.
constexpr u32 kWideRows = 32;     // filled with data, loaded and stored at random
constexpr u32 kRegisterRow = 64;  // where registers go in the end
constexpr u32 kWideEnd = 128;
constexpr u32 kNarrowRow = 256;
constexpr u32 kNarrowRows = 64;
constexpr u32 kFixedMode = 7;  // the address mode that moves nothing

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
    case op::SFPSHFT2::kOpcode:
      return mod == 5 ? w.below(8) : 0;
    case op::SFPAND::kOpcode:
    case op::SFPOR::kOpcode:
      return mod == 1 ? w.below(16) : 0;
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

/// A source: mostly L0..L7, sometimes a constant or one of those that SFPCONFIG writes.
u32 source(Writer& w) {
  return w.one_in(8) ? 8 + w.below(8) : w.below(8);
}

/// What the whole program keeps to.
struct Style {
  bool sfpu_fp32;   // what the formats of mode 0 are
  bool strange;     // modifiers that only bhemu knows
  bool nops;        // SFPNOP after every instruction
  bool dest_index;  // SFPSWAP carries L4..L7 along; nobody else may write them
  u32 depth = 0;    // of the stack of conditions
};

u32 destination(Writer& w, const Style& style) {
  return w.below(style.dest_index ? 4 : 8);
}

u32 random_arithmetic(Writer& w, const Style& style) {
  const Shape& shape = kShapes[w.below(kShapes.size())];
  const u32 mod = pick_mod(w, style.strange && w.one_in(4) ? shape.mods : shape.common);
  const u32 head = u32{shape.opcode} << 24;
  const u32 to = destination(w, style);
  switch (shape.opcode) {
    case op::SFPMULI::kOpcode:
    case op::SFPADDI::kOpcode:
      return head | (w.float_bits() >> 16) << 8 | to << 4 | mod;
    case op::SFPSETCC::kOpcode:
      return head | source(w) << 8 | mod;
    case op::SFPMAD::kOpcode:
      return head | source(w) << 16 | source(w) << 12 | source(w) << 8 | to << 4 | mod;
    // The unused operand must be the constant that makes it neutral.
    case op::SFPADD::kOpcode: {
      const bool second = w.one_in(2);
      const u32 other = source(w);
      return head | (second ? other : 10) << 16 | (second ? 10 : other) << 12 | source(w) << 8 |
             to << 4 | mod;
    }
    case op::SFPMUL24::kOpcode:
    case op::SFPMUL::kOpcode:
      return head | source(w) << 16 | source(w) << 12 | 9u << 8 | to << 4 | mod;
    case op::SFPLUT::kOpcode:
      return head | to << 20 | mod << 16;
    case op::SFPLOADI::kOpcode:
      return head | to << 20 | mod << 16 | (w.any_word() & 0xFFFF);
    case op::SFP_STOCH_RND::kOpcode:
      return head | w.below(8) << 12 | source(w) << 8 | to << 4 | mod |
             (style.strange && w.one_in(3) ? 1u << 21 : 0);
    case op::SFPENCC::kOpcode:
      return head | (mod >= 8 ? (w.one_in(4) ? 0 : 1) | w.below(2) << 1 : 0) << 12 | mod;
    case op::SFPLUTFP32::kOpcode:
      return head | to << 4 | mod;
    case op::SFPCOMPC::kOpcode:
    case op::SFPTRANSP::kOpcode:
      return head;
    case op::SFPSWAP::kOpcode: {
      if (!style.dest_index) return head | w.below(12) << 8 | w.below(12) << 4 | mod;
      // Indices tell which of two equal operands is taken: for negative ones cards and other
      // simulators differ (DISAGREEMENTS.md), so one operand is never negative.
      const u32 c = w.below(4);
      w.op<op::SFPSETSGN>({{"lreg_dest", c}, {"lreg_c", c}, {"instr_mod1", 1}});
      return head | c << 8 | w.below(4) << 4 | mod;
    }
    default:
      break;
  }
  const u32 immediate = immediate_of(w, shape.opcode, mod);
  return head | immediate << 12 | source(w) << 8 | to << 4 | mod;
}

/// Between registers and Dst: each format to the window of its width.
void memory_step(Writer& w, const Style& style) {
  const bool store = w.one_in(2);
  u32 mode;
  if (style.strange && w.one_in(4))
    mode = w.below(16);
  else if (store)
    mode = w.pick({0, 2, 3, 4, 6, 7, 9, 12, 14, 15});
  else
    mode = w.pick({0, 2, 3, 4, 6, 12, 14, 15});
  bool wide =
      mode == 0 ? style.sfpu_fp32 : mode == 3 || mode == 4 || mode == 7 || mode == 9 || mode == 12;
  // Bits of one width read as the other: only high halves are defined, but everybody has the rest.
  if (w.one_in(20)) wide = !wide;
  const u32 row = (wide ? 0 : kNarrowRow) + 2 * w.below((wide ? kWideRows : kNarrowRows) / 4);
  const u32 addr_mode = w.below(8);
  if (store)
    return w.op<op::SFPSTORE>({{"lreg_ind", w.below(12)},
                               {"instr_mod0", mode},
                               {"sfpu_addr_mode", addr_mode},
                               {"dest_reg_addr", row}});
  w.op<op::SFPLOAD>({{"lreg_ind", w.one_in(16) ? 8 + w.below(4) : w.below(8)},
                     {"instr_mod0", mode},
                     {"sfpu_addr_mode", addr_mode},
                     {"dest_reg_addr", row}});
}

/// SFPCONFIG takes L0 of all lanes, which have to be active and to agree.
void config_step(Writer& w, Style& style) {
  if (style.dest_index) return;
  w.op<op::SFPENCC>({{"imm12_math", 3}, {"instr_mod1", 10}});
  if (w.one_in(6)) return w.op<op::SFPCONFIG>({{"config_dest", 11}, {"instr_mod1", 1}});
  // Destinations 12 to 15: a template for SFPLOADMACRO, which is not executed now.
  if (w.one_in(4)) return w.op<op::SFPIADD>({{"lreg_dest", 12 + w.below(4)}, {"instr_mod1", 5}});
  if (w.one_in(6))
    return w.op<op::SFPCONFIG>(
        {{"config_dest", 15}, {"instr_mod1", 1}, {"imm16_math", w.below(2) << 8}});
  load_register(w, 0, w.float_bits());
  w.op<op::SFPCONFIG>({{"config_dest", 11 + w.below(4)}});
}

/// A block under a condition, an alternative, and back to the lanes of before.
void condition_step(Writer& w, Style& style) {
  if (w.one_in(2) && style.depth < 8) {
    ++style.depth;
    w.op<op::SFPPUSHC>();
    return w.op<op::SFPSETCC>({{"lreg_c", w.below(8)}, {"instr_mod1", 2 * w.below(4)}});
  }
  if (style.depth == 0) return;
  if (w.one_in(2)) return w.op<op::SFPCOMPC>();
  --style.depth;
  w.op<op::SFPPOPC>();
}

void move_rows(Writer& w) {
  const u32 by = 2 * w.below(8);
  if (w.one_in(2)) return w.op<op::INCRWC>({{"rwc_d", by}, {"rwc_cr", 4 * w.below(2)}});
  w.op<op::SETRWC>({{"bit_mask", 4}, {"rwc_d", by}, {"rwc_cr", 4 * w.below(2)}});
}

void step(Writer& w, Style& style) {
  switch (w.below(13)) {
    case 12:
      return move_rows(w);
    case 0:
    case 1:
      return memory_step(w, style);
    case 2:
      return condition_step(w, style);
    case 3:
      return w.one_in(3) ? config_step(w, style) : w.tensix(random_arithmetic(w, style));
    case 4:
      // The random number generator of each lane, before its next step.
      if (w.one_in(3))
        return w.op<op::SFPMOV>(
            {{"lreg_dest", destination(w, style)}, {"lreg_c", 9}, {"instr_mod1", 8}});
      [[fallthrough]];
    default:
      return w.tensix(random_arithmetic(w, style));
  }
}

void store_register(Writer& w, u32 lreg, u32 row) {
  w.op<op::SFPSTORE>({{"lreg_ind", lreg},
                      {"instr_mod0", 4},
                      {"sfpu_addr_mode", kFixedMode},
                      {"dest_reg_addr", row}});
}

/// Lanes: values of every kind, or of one kind in all lanes, so that comparisons go either way.
void lane_data(Writer& w, u32 words) {
  u32 common = w.any_word();
  for (u32 i = 0; i < words; ++i) {
    if (i % 64 == 0) common = w.one_in(2) ? w.float_bits() : w.any_word();
    const u32 value = w.one_in(4) ? w.any_word() : w.float_bits();
    w.program.data.push_back(w.one_in(6) ? common : value);
  }
}

void set_up(Writer& w, const Style& style) {
  lane_data(w, kWideRows * 16);
  w.setup_pack_32();
  w.config(cfg::PRNG_SEED_Seed_Val::kWord, w.word());
  words_to_dst(w, kData, 0, kWideRows);
  const Alu alu{.src_b = w.pick({kFp32, kFp16, kBf16, kBfp8, kBfp4, kInt16}),
                .fp32 = w.one_in(2),
                .sfpu_fp32 = style.sfpu_fp32};
  w.config(kAluWord, alu.word());
  for (u32 mode = 0; mode < kFixedMode; ++mode)
    w.thread_config(thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + mode,
                    2 * w.below(5) | (w.one_in(6) ? 1u << (10 + w.below(2)) : 0));
  w.thread_config(thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + kFixedMode, 0);
  w.op<op::SETRWC>({{"bit_mask", 0xF}});
  w.op<op::SFPENCC>({{"imm12_math", 3}, {"instr_mod1", 10}});
  for (u32 row = kRegisterRow; row < kWideEnd; row += 2) store_register(w, 9, row);
  for (u32 lreg = 0; lreg < 8; ++lreg)
    w.op<op::SFPLOAD>({{"lreg_ind", lreg},
                       {"instr_mod0", 4},
                       {"sfpu_addr_mode", kFixedMode},
                       {"dest_reg_addr", 2 * lreg}});
  for (u32 row = 0; row < kNarrowRows; row += 2)
    w.op<op::SFPSTORE>({{"lreg_ind", w.below(8)},
                        {"instr_mod0", w.pick({2, 6, 15})},
                        {"sfpu_addr_mode", kFixedMode},
                        {"dest_reg_addr", kNarrowRow + row}});
}

void read_back(Writer& w) {
  w.op<op::SETRWC>({{"bit_mask", 0xF}});
  store_register(w, 10, kRegisterRow + 48);  // 1.0 in the lanes that are active
  w.op<op::SFPENCC>({{"imm12_math", 3}, {"instr_mod1", 10}});
  for (u32 lreg = 0; lreg < 8; ++lreg) store_register(w, lreg, kRegisterRow + 4 * lreg);
  w.op<op::SFPCONFIG>({{"config_dest", 15}, {"instr_mod1", 1}});
  for (u32 lreg = 11; lreg < 15; ++lreg) {
    w.op<op::SFPMOV>({{"lreg_dest", 0}, {"lreg_c", lreg}});
    store_register(w, 0, kRegisterRow + 4 * (lreg - 3));
  }
  dump_dst32(w, 0, kWideEnd, kOut);
  dump_dst16(w, kNarrowRow, kNarrowRows, kOut + kWideEnd * 64);
}

}  // namespace

Program make_sfpu(u64 seed) {
  Writer w(seed);
  Style style{.sfpu_fp32 = w.one_in(2),
              .strange = w.one_in(10),
              .nops = w.one_in(2),
              .dest_index = w.one_in(12)};
  w.keep = true;
  set_up(w, style);
  w.keep = style.dest_index;
  if (style.dest_index)
    w.op<op::SFPCONFIG>(
        {{"config_dest", 15}, {"instr_mod1", 1}, {"imm16_math", w.pick({4, 0x104})}});
  w.keep = false;
  for (u32 steps = 1 + w.below(24); steps > 0; --steps) {
    step(w, style);
    w.keep = true;
    if (style.nops) w.op<op::SFPNOP>();
    w.keep = false;
  }
  w.keep = true;
  read_back(w);
  return w.program;
}

}  // namespace bhemu::diff
