// Programs for the units that compute nothing: registers, counters, the frontend.
#include <array>

#include "diff/classes.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

using namespace tensix;

constexpr u32 kGprs = 0xFFE00000;
constexpr u32 kMopConfig = 0xFFB80000;

void load_gprs(Writer& w) {
  for (u32 i = 0; i < 64; ++i) w.load(kGprs + i * 4);
}

void set_gprs(Writer& w) {
  for (u32 i = 0; i < 64; ++i) w.store(kGprs + i * 4, w.any_word());
}

/// Words of the configuration whose every bit can be read back and does nothing by itself.
constexpr std::array<u32, 12> kPlainWords{12, 13, 14, 15, 28, 56, 57, 64, 65, 68, 69, 112};

u32 plain_word(Writer& w) {
  return kPlainWords[w.below(kPlainWords.size())];
}

void stall_thcon(Writer& w) {
  w.op<op::STALLWAIT>({{"stall_res", 0x1FF}, {"wait_res", 1}});
}

void gpr_arithmetic(Writer& w) {
  const u32 a = w.below(64);
  const u32 b = w.below(64);
  const u32 r = w.below(64);
  const bool immediate = w.one_in(80);
  const auto emit = [&](u32 word) {
    w.tensix(word | a | b << 6 | r << 12 | (immediate ? 1u << 23 : 0));
  };
  switch (w.below(w.one_in(60) ? 6 : 2)) {
    case 0:
      return emit(encode<op::ADDDMAREG>());
    case 1:
      return emit(encode<op::MULDMAREG>());
    case 2:
      return emit(encode<op::SUBDMAREG>());
    case 3:
      return emit(encode<op::BITWOPDMAREG>({{"op_sel", w.below(3)}}));
    case 4:
      return emit(encode<op::SHIFTDMAREG>({{"op_sel", w.below(2)}}));
    default:
      return emit(encode<op::CMPDMAREG>({{"op_sel", w.below(3)}}));
  }
}

void gpr_step(Writer& w) {
  switch (w.below(8)) {
    case 0:
      return w.op<op::SETDMAREG>({{"reg_index_16b", w.below(128)},
                                  {"payload_sig_sel", w.below(1 << 14)},
                                  {"payload_sig_sel_size", w.below(4)}});
    case 1:
      return w.op<op::WRCFG>({{"gpr_address", w.below(64)}, {"cfg_reg", plain_word(w)}});
    case 2:
      return w.op<op::WRCFG>({{"gpr_address", w.below(16) * 4}, {"cfg_reg", 12}, {"wr128b", 1}});
    case 3:
      return w.op<op::RDCFG>({{"gpr_address", w.below(64)}, {"cfg_reg", plain_word(w)}});
    case 4: {
      const u32 opcode = 0xB3 + w.below(4);
      return w.tensix(opcode << 24 | w.below(256) << 16 | w.below(256) << 8 | plain_word(w));
    }
    case 5:
      // The core runs ahead of what it has pushed.
      w.keep = true;
      w.sync();
      w.keep = false;
      return w.config(plain_word(w), w.word());
    default:
      return gpr_arithmetic(w);
  }
}

struct AdcUse {
  u32 y = 0;
  u32 z = 0;
};

void adc_step(Writer& w) {
  const u32 mask = 4 | w.below(4);
  const u32 y = w.below(6);
  const u32 z = w.below(2);
  const u32 set = 2 | w.below(2) << 3;  // the X counter of channel 0 stays 0
  switch (w.below(7)) {
    case 0:
      return w.op<op::SETADC>(
          {{"cnt_set_mask", mask}, {"dimension_index", 1}, {"value", w.below(8)}});
    case 1:
      return w.op<op::SETADC>(
          {{"cnt_set_mask", mask}, {"dimension_index", 2}, {"value", w.below(3)}});
    case 2:
      return w.op<op::SETADCXY>({{"cnt_set_mask", mask}, {"ch0_y", y}, {"bit_mask", set}});
    case 3:
      return w.op<op::INCADCXY>({{"cnt_set_mask", mask}, {"ch0_y", y}});
    case 4:
      return w.op<op::ADDRCRXY>({{"cnt_set_mask", mask}, {"ch0_y", y}, {"bit_mask", 2}});
    case 5:
      return w.op<op::INCADCZW>({{"cnt_set_mask", mask}, {"ch0_z", z}});
    default:
      return w.op<op::ADDRCRZW>({{"cnt_set_mask", mask}, {"ch0_z", z}, {"bit_mask", 1}});
  }
}

/// Row r of Dst (32 bits) holds r in every datum that the SFPU reaches with one store.
void number_rows(Writer& w, u32 rows) {
  for (u32 row = 0; row < rows; row += 4) {
    w.op<op::SFPLOADI>({{"lreg_ind", 0}, {"instr_mod0", 2}, {"imm16", row}});
    for (const u32 half : {0u, 2u})
      w.op<op::SFPSTORE>({{"lreg_ind", 0},
                          {"instr_mod0", 4},
                          {"sfpu_addr_mode", 7},
                          {"dest_reg_addr", row + half}});
  }
}

/// Instructions whose order and number of executions the registers show.
u32 counting_word(Writer& w) {
  const u32 a = w.below(8);
  if (w.one_in(4))
    return encode<op::MULDMAREG>(
        {{"op_a_reg_index", a}, {"op_b_reg_index", 8 + w.below(4)}, {"result_reg_index", a}});
  return encode<op::ADDDMAREG>(
      {{"op_a_reg_index", a}, {"op_b_reg_index", w.below(12)}, {"result_reg_index", w.below(8)}});
}

void mop(Writer& w) {
  const u32 nop = encode<op::NOP>();
  const auto maybe = [&] { return w.one_in(3) ? nop : counting_word(w); };
  if (w.one_in(2)) {
    w.store(kMopConfig + 0, 1 + w.below(w.one_in(4) ? 32 : 5));
    w.store(kMopConfig + 4, 1 + w.below(w.one_in(4) ? 64 : 6));
    for (u32 slot = 2; slot < 7; ++slot) w.store(kMopConfig + slot * 4, maybe());
    // The loop's own instructions; the last two replace them at the ends of the loops.
    for (u32 slot = 7; slot < 9; ++slot) w.store(kMopConfig + slot * 4, maybe());
    return w.op<op::MOP>({{"mop_type", 1}});
  }
  w.store(kMopConfig + 4, w.below(4));
  for (u32 slot = 2; slot < 9; ++slot) w.store(kMopConfig + slot * 4, maybe());
  w.op<op::MOP_CFG>({{"zmask_hi16", w.below(1 << 16)}});
  w.op<op::MOP>({{"zmask_lo16_or_loop_count", w.below(1 << 16)}, {"loop_count", w.below(32)}});
}

void replay(Writer& w) {
  const u32 start = w.below(24);
  const u32 length = 1 + w.below(8);
  w.op<op::REPLAY>({{"load_mode", 1},
                    {"execute_while_loading", w.below(2)},
                    {"len", length},
                    {"start_idx", start}});
  for (u32 i = 0; i < length; ++i) w.tensix(counting_word(w));
  for (u32 i = w.below(3); i > 0; --i) {
    const u32 skip = w.below(length);
    w.op<op::REPLAY>({{"len", 1 + w.below(length - skip)}, {"start_idx", start + skip}});
  }
}

}  // namespace

Program make_gpr(u64 seed) {
  Writer w(seed);
  w.keep = true;
  set_gprs(w);
  for (const u32 word : kPlainWords) w.config(word, w.word());
  w.keep = false;
  for (u32 steps = 1 + w.below(24); steps > 0; --steps) {
    gpr_step(w);
    w.keep = true;
    stall_thcon(w);
    w.op<op::NOP>();
    w.op<op::NOP>();
    if (w.one_in(2)) w.sync();
    w.keep = false;
  }
  w.keep = true;
  w.sync();
  load_gprs(w);
  for (const u32 word : kPlainWords) w.load(0xFFEF0000 + word * 4);
  return w.program;
}

Program make_adc(u64 seed) {
  Writer w(seed);
  w.keep = true;
  w.setup_pack_32();
  number_rows(w, 128);
  w.wait_all();
  w.op<op::SETADCXX>({{"cnt_set_mask", 4}, {"x_end2", 15}});
  w.op<op::SETADCXY>({{"cnt_set_mask", 4}, {"bit_mask", 0xB}});
  w.op<op::SETADCZW>({{"cnt_set_mask", 4}, {"bit_mask", 0xF}});
  for (u32 mode = 1; mode < 4; ++mode)
    w.thread_config(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::kWord + mode, w.word() & 0xB03F);
  w.keep = false;
  for (u32 packs = 1 + w.below(8); packs > 0; --packs) {
    for (u32 steps = w.below(4); steps > 0; --steps) adc_step(w);
    w.op<op::PACR>({{"addr_mode", w.below(4)}, {"read_intf_sel", 1}});
  }
  w.keep = true;
  w.op<op::PACR>({{"addr_mode", 0}, {"read_intf_sel", 1}, {"last", 1}});
  w.wait_all();
  w.sync();
  return w.program;
}

Program make_frontend(u64 seed) {
  Writer w(seed);
  w.keep = true;
  for (u32 i = 0; i < 12; ++i) w.store(kGprs + i * 4, w.word() | 1);
  w.keep = false;
  for (u32 steps = 1 + w.below(6); steps > 0; --steps) {
    switch (w.below(3)) {
      case 0:
        mop(w);
        // A template must not change while it runs.
        w.keep = true;
        w.sync();
        w.keep = false;
        break;
      case 1:
        w.keep = true;  // taking out a part of a recording would make it swallow what follows
        replay(w);
        w.keep = false;
        break;
      default:
        w.tensix(counting_word(w));
    }
  }
  w.keep = true;
  w.sync();
  load_gprs(w);
  return w.program;
}

}  // namespace bhemu::diff
