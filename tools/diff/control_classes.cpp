// Programs for the units that compute nothing: registers, counters, the frontend.
#include <array>

#include "diff/classes.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

using namespace tensix;

constexpr u32 kGprs = 0xFFE00000;
constexpr u32 kMopConfig = 0xFFB80000;
constexpr u32 kSemaphores = 0xFFE80020;

void load_gprs(Writer& w) {
  for (u32 i = 0; i < 64; ++i) w.load(kGprs + i * 4);
}

/// Changes of the address counters, of which the packer shows its own. What it cannot start from
/// (as other simulators have it) is changed back before it does.
class Counters {
 public:
  explicit Counters(Writer& writer) : w_(writer) {}
  void step();
  void make_usable();

 private:
  void set_one(u32 mask);
  void planes(u32 mask);
  void rows(u32 mask);
  void last_datum(u32 mask);

  Writer& w_;
  u32 x1_ = 15;  // counter X of channel 1 of the packer, and what it comes back to
  u32 x1_cr_ = 15;
};

void Counters::set_one(u32 mask) {
  // Y, Z and W of channel 0; Y of channel 1, which moves the destination by its stride.
  const u32 which = w_.pick({1, 2, 3, 5});
  const u32 limit = which == 1 ? 64 : which == 5 ? 16 : which == 2 ? 4 : 2;
  const u32 value = w_.one_in(8) && which != 5 ? w_.below(1 << 16) : w_.below(limit);
  w_.op<op::SETADC>({{"cnt_set_mask", mask},
                     {"dimension_index", which & 3},
                     {"channel_index", which >> 2},
                     {"value", value}});
}

void Counters::rows(u32 mask) {
  const u32 x = w_.below(8);  // of channel 0, which is brought back
  const u32 y0 = w_.below(8);
  const u32 y1 = w_.below(4);
  switch (w_.below(3)) {
    case 0:
      return w_.op<op::SETADCXY>({{"cnt_set_mask", mask},
                                  {"ch0_y", y0},
                                  {"ch1_y", y1},
                                  {"bit_mask", w_.pick({2, 8, 10})}});
    case 1:
      return w_.op<op::INCADCXY>(
          {{"cnt_set_mask", mask}, {"ch0_x", x}, {"ch0_y", y0}, {"ch1_y", y1}});
    default:
      return w_.op<op::ADDRCRXY>({{"cnt_set_mask", mask},
                                  {"ch0_y", y0},
                                  {"ch1_y", y1},
                                  {"bit_mask", w_.pick({2, 8, 10})}});
  }
}

void Counters::planes(u32 mask) {
  const u32 z = w_.below(3);
  const u32 w = w_.below(2);
  switch (w_.below(3)) {
    case 0:
      return w_.op<op::SETADCZW>(
          {{"cnt_set_mask", mask}, {"ch0_z", z}, {"ch0_w", w}, {"bit_mask", 1 + w_.below(3)}});
    case 1:
      return w_.op<op::INCADCZW>({{"cnt_set_mask", mask},
                                  {"ch0_z", z},
                                  {"ch0_w", w},
                                  {"ch1_z", w_.below(8)},
                                  {"ch1_w", w_.below(8)}});
    default:
      return w_.op<op::ADDRCRZW>(
          {{"cnt_set_mask", mask}, {"ch0_z", z}, {"ch0_w", w}, {"bit_mask", 1 + w_.below(3)}});
  }
}

/// Counter X of channel 1 says how many data a row has.
void Counters::last_datum(u32 mask) {
  const bool ours = (mask & 4) != 0;
  const u32 by = w_.below(8);
  switch (w_.below(4)) {
    case 0: {
      const u32 last = w_.pick({7, 15});
      if (ours) x1_ = x1_cr_ = last;
      return w_.op<op::SETADCXX>({{"cnt_set_mask", mask}, {"x_end2", last}});
    }
    case 1:
      if (ours) x1_ = x1_cr_ = by;
      return w_.op<op::SETADCXY>({{"cnt_set_mask", mask}, {"ch1_x", by}, {"bit_mask", 4}});
    case 2:
      if (ours) x1_ += by;
      return w_.op<op::INCADCXY>({{"cnt_set_mask", mask}, {"ch1_x", by}});
    default:
      if (ours) x1_ = x1_cr_ += by;
      return w_.op<op::ADDRCRXY>({{"cnt_set_mask", mask}, {"ch1_x", by}, {"bit_mask", 4}});
  }
}

void Counters::step() {
  const u32 mask = w_.one_in(4) ? 1 + w_.below(7) : 4 | w_.below(4);
  switch (w_.below(8)) {
    case 0:
      return last_datum(mask);
    case 1:
    case 2:
      return set_one(mask);
    case 3:
    case 4:
    case 5:
      return rows(mask);
    default:
      return planes(mask);
  }
}

void Counters::make_usable() {
  w_.op<op::ADDRCRXY>({{"cnt_set_mask", 4}, {"bit_mask", 1}});
  w_.op<op::ADDRCRZW>({{"cnt_set_mask", 4}, {"bit_mask", 0xC}});
  const u32 last = x1_ <= 7 ? 7 : 15;
  if (x1_ > last) {
    w_.op<op::SETADCXX>({{"cnt_set_mask", 4}, {"x_end2", last}});
    x1_cr_ = last;
  } else {
    for (u32 left = last - x1_; left > 0;) {
      const u32 by = left < 7 ? left : 7;
      w_.op<op::INCADCXY>({{"cnt_set_mask", 4}, {"ch1_x", by}});
      left -= by;
    }
  }
  x1_ = last;
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

/// A word of a template: an instruction, nothing, or (where it may be) a replay of what is
/// recorded.
u32 template_word(Writer& w, bool replays) {
  if (w.one_in(3)) return encode<op::NOP>();
  if (replays && w.one_in(5))
    return encode<op::REPLAY>({{"len", 1 + w.below(3)}, {"start_idx", w.below(32)}});
  return counting_word(w);
}

/// `rare`: also counts that others do not know (zero, and many).
void mop(Writer& w, bool replays, bool rare) {
  if (w.one_in(2)) {
    const bool many = w.one_in(6) && !replays;
    w.store(kMopConfig + 0, rare ? w.below(130) : many ? 1 + w.below(12) : 1 + w.below(4));
    w.store(kMopConfig + 4, rare ? w.below(130) : 1 + w.below(4));
    for (u32 slot = 2; slot < 7; ++slot) w.store(kMopConfig + slot * 4, template_word(w, replays));
    // The loop's own instructions; the last two replace them at the ends of the loops.
    for (u32 slot = 7; slot < 9; ++slot) w.store(kMopConfig + slot * 4, template_word(w, replays));
    return w.op<op::MOP>({{"mop_type", 1}});
  }
  w.store(kMopConfig + 4, w.below(4));
  for (u32 slot = 2; slot < 9; ++slot) w.store(kMopConfig + slot * 4, template_word(w, replays));
  if (w.one_in(2)) w.op<op::MOP_CFG>({{"zmask_hi16", w.below(1 << 16)}});
  w.op<op::MOP>({{"zmask_lo16_or_loop_count", w.below(1 << 16)},
                 {"loop_count", w.below(rare      ? 128
                                        : replays ? 6
                                                  : 16)}});
}

/// A recording (of words, or of what a MOP expands to), and replays of parts of it.
void replay(Writer& w) {
  const u32 start = w.below(32);
  const u32 length = 1 + w.below(w.one_in(4) ? 32 : 8);
  const auto record = [&](u32 count) {
    w.op<op::REPLAY>({{"load_mode", 1},
                      {"execute_while_loading", w.below(2)},
                      {"len", count},
                      {"start_idx", start}});
  };
  if (w.one_in(4)) {
    // Two words each time round; the recording may end in the middle of the MOP.
    const u32 rounds = 1 + w.below(8);
    w.store(kMopConfig + 4, 1);
    for (const u32 slot : {2u, 3u}) w.store(kMopConfig + slot * 4, counting_word(w));
    w.op<op::MOP_CFG>();
    record(1 + w.below(rounds * 2));
    w.op<op::MOP>({{"loop_count", rounds - 1}});
  } else {
    record(length);
    for (u32 i = 0; i < length; ++i) w.tensix(counting_word(w));
  }
  for (u32 i = w.below(3); i > 0; --i) {
    const u32 skip = w.below(length);
    w.op<op::REPLAY>({{"len", 1 + w.below(length - skip)}, {"start_idx", (start + skip) % 32}});
  }
}

/// Fills the recording of the thread: it must not hold what nobody put there.
void record_all(Writer& w) {
  w.op<op::REPLAY>({{"load_mode", 1}, {"len", 32}});
  for (u32 i = 0; i < 32; ++i) w.tensix(counting_word(w));
}

}  // namespace

Program make_adc(u64 seed) {
  Writer w(seed);
  w.core = static_cast<u8>(w.below(3));
  w.keep = true;
  w.setup_pack_32();
  w.config(cfg::PCK0_ADDR_CTRL_XY_REG_1_Ystride::kWord, w.below(8) * 16 << 16);
  w.sync();
  w.op<op::ZEROACC>({{"clear_mode", 3}, {"addr_mode", 7}});
  number_rows(w, 128);
  w.wait_all();
  w.op<op::SETADCXX>({{"cnt_set_mask", 7}, {"x_end2", 15}});
  w.op<op::SETADCXY>({{"cnt_set_mask", 7}, {"bit_mask", 0xB}});
  w.op<op::SETADCZW>({{"cnt_set_mask", 7}, {"bit_mask", 0xF}});
  // Others do not know the bit for Y of channel 1 that adds to where it comes back to.
  const u32 modes = w.one_in(50) ? 0xFFFF : 0xFBFF;
  for (u32 mode = 1; mode < 4; ++mode)
    w.thread_config(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::kWord + mode, w.word() & modes);
  w.keep = false;
  Counters counters(w);
  for (u32 tiles = 1 + w.below(3); tiles > 0; --tiles) {
    for (u32 packs = w.below(4);; --packs) {
      w.group = w.new_group();
      for (u32 steps = w.below(4); steps > 0; --steps) counters.step();
      counters.make_usable();
      w.op<op::PACR>(
          {{"addr_mode", w.below(4)}, {"read_intf_sel", 1}, {"last", packs == 0 ? 1u : 0u}});
      w.group = 0;
      w.keep = true;
      w.sync();
      w.keep = false;
      if (packs == 0) break;
    }
  }
  w.keep = true;
  w.wait_all();
  w.sync();
  return w.program;
}

Program make_frontend(u64 seed) {
  Writer w(seed);
  const bool rare = w.one_in(25);
  const u8 core = static_cast<u8>(w.below(3));
  const auto sync = [&] {
    w.keep = true;
    w.sync();
    w.keep = false;
  };
  w.core = core;
  w.keep = true;
  for (u32 i = 0; i < 12; ++i) w.store(kGprs + i * 4, w.word() | 1);
  record_all(w);
  sync();
  for (u32 steps = 1 + w.below(8); steps > 0; --steps) {
    w.group = w.new_group();
    switch (w.below(5)) {
      case 0:
      case 1:
        mop(w, w.one_in(3), rare);
        break;
      case 2:
      case 3:
        replay(w);
        break;
      default:
        w.tensix(rare && w.one_in(2) ? encode<op::RESOURCEDECL>({{"op_class", w.below(16)},
                                                                 {"resources", w.below(512)},
                                                                 {"linger_time", w.below(16)}})
                                     : counting_word(w));
    }
    w.group = 0;
    // A template must not change while it runs, and no queue may be full.
    sync();
  }
  w.keep = true;
  load_gprs(w);
  return w.program;
}

/// BRISC pushes into the queue of a thread, behind its MOP expander.
Program make_brisc(u64 seed) {
  Writer w(seed);
  const u8 thread = static_cast<u8>(w.below(3));
  constexpr u32 kReady = kData;
  w.keep = true;
  w.core = thread;
  for (u32 i = 0; i < 12; ++i) w.store(kGprs + i * 4, w.word() | 1);
  w.op<op::SEMINIT>({{"sem_sel", 1}, {"init_value", 0}, {"max_value", 1}});
  record_all(w);
  w.sync();
  w.store(kReady, 1);
  w.core = kBrisc;
  w.wait(kReady, 1);
  const u32 window = kPushTensix + thread * 0x10000u;
  w.keep = false;
  for (u32 words = 1 + w.below(40); words > 0; --words) {
    w.group = w.new_group();
    if (w.one_in(6)) {
      const u32 length = 1 + w.below(4);
      w.store(window, encode<op::REPLAY>({{"load_mode", 1},
                                          {"execute_while_loading", w.below(2)},
                                          {"len", length},
                                          {"start_idx", w.below(32)}}));
      for (u32 i = 0; i < length; ++i) w.store(window, counting_word(w));
    } else if (w.one_in(6)) {
      w.store(window, encode<op::REPLAY>({{"len", 1 + w.below(4)}, {"start_idx", w.below(32)}}));
    } else {
      w.store(window, counting_word(w));
    }
    w.group = 0;
  }
  w.keep = true;
  w.store(window, encode<op::SEMPOST>({{"sem_sel", 1}}));
  w.core = thread;
  w.wait(kSemaphores, 1);
  load_gprs(w);
  return w.program;
}

}  // namespace bhemu::diff
