// Programs of all three threads, as compute kernels are: thread 0 unpacks, thread 1 computes with
// the matrix unit and perhaps the vector unit, thread 2 packs. Src banks hand data from the first
// to the second, a semaphore and the halves of Dst from the second to the third.
#include "diff/classes.hpp"
#include "diff/data_parts.hpp"

namespace bhemu::diff {
namespace {

using namespace tensix;

constexpr u32 kTile = 1024;
constexpr u32 kTileBytes = 2048;     // of formats of up to 16 bits
constexpr u32 kSemaphore = 1u << 1;  // results that wait for the packer
constexpr u32 kInDst = 1u << 2;      // Direct: tiles in Dst, until they are packed
constexpr u32 kUnpacked = 1u << 3;   // Direct: tiles that nobody has taken
constexpr u32 kMopConfig = 0xFFB80000;
constexpr u32 kGo = 0x1F000;  // the first thread has configured everything

// Direct: unpacked to Dst, where the matrix unit has nothing to do.
enum class Work : u8 { Copy, Binary, Product, Reduce, Max, Direct };

struct OutMode {
  u8 in;
  u8 out;
};

class Pipeline {
 public:
  explicit Pipeline(u64 seed) : w_(seed) {}
  Program make();

 private:
  void choose();
  void choose_output();
  void source_data();
  void configure_unpackers();
  void configure_packer();
  void prologue_of_math();
  void prologue_of_pack();
  void unpack_tile(u32 tile);
  void math_tile(u32 tile);
  void pack_tile(u32 tile);

  void by_rows();
  void product();
  void reduce();
  void sfpu();
  u32 sfpu_step();
  u32 row_instruction();
  void set_mop(Writer& list, const std::array<u32, 9>& words);
  void pause(Writer& list);
  void math_mode(u32 mode, u32 a, u32 b, u32 d, u32 fidelity, bool fidelity_clear);
  // --- Items of a thread.
  Writer& on(u8 core) {
    w_.core = core;
    return w_;
  }
  Writer& unpackers() { return on(kTrisc0); }
  Writer& math() { return on(kTrisc1); }
  Writer& pack() { return on(kTrisc2); }
  bool two_sources() const { return work_ != Work::Copy && work_ != Work::Direct; }
  u32 half_rows() const { return dst32_ ? 256 : 512; }

  Writer w_;
  Work work_ = Work::Copy;
  u32 in_ = kBf16;
  u32 src_ = kBf16;
  bool dst32_ = false;
  OutMode out_{};
  bool transpose_ = false;
  bool faces_ = false;  // four small transfers a tile
  bool accumulate_ = false;
  bool replay_ = false;
  bool mop_ = false;
  u32 tiles_ = 1;
  u32 inner_ = 1;  // source tiles to a result
  u32 phases_ = 1;
  u32 sfpu_steps_ = 0;
  u32 broadcast_ = 0;
  u32 kind_ = 0;
};

void Pipeline::choose() {
  work_ = static_cast<Work>(w_.pick({0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5}));
  in_ = w_.pick({kBf16, kBf16, kFp16, kFp32, kBfp8, kBfp4, kFp8, kInt8});
  if (in_ == kInt8 && work_ == Work::Copy) work_ = Work::Binary;
  if (work_ == Work::Max) in_ = w_.pick({kBf16, kFp32});
  if (work_ == Work::Direct) in_ = w_.pick({kFp32, kFp32, kInt32});
  src_ = in_ == kFp32 ? kTf32 : in_;
  if (work_ == Work::Direct) src_ = in_;
  dst32_ = w_.one_in(2);
  // A move of TF32 writes 32-bit rows, every other one 16-bit rows.
  if (work_ == Work::Copy) dst32_ = src_ == kTf32;
  if (src_ == kTf32 || src_ == kInt8 || work_ == Work::Direct) dst32_ = true;
  transpose_ = work_ != Work::Direct && w_.one_in(4);
  faces_ = w_.one_in(2);
  replay_ = w_.one_in(2);
  mop_ = w_.one_in(2);
  tiles_ = 1 + w_.below(3);
  inner_ = work_ == Work::Product ? 1 + w_.below(2) : 1;
  phases_ = work_ == Work::Product || work_ == Work::Reduce ? w_.pick({1, 2, 4}) : 1;
  sfpu_steps_ = w_.one_in(2) && in_ != kInt8 && in_ != kInt32 ? 1 + w_.below(6) : 0;
  broadcast_ = w_.one_in(2) ? w_.below(4) : 0;
  kind_ = w_.below(3);
  choose_output();
}

void Pipeline::choose_output() {
  const bool five_bits = src_ == kFp16 || src_ == kFp8;
  u32 in = kBf16;
  u32 out = kBf16;
  if (src_ == kInt8 || src_ == kInt32) {
    in = out = w_.pick({kInt32, kInt8});
  } else if (dst32_) {
    in = w_.pick({kFp32, kFp32, kBf16, kBfp8, kFp16});
    out = in == kFp32   ? w_.pick({kFp32, kFp16, kBfp8, kBfp4, kBfp2})
          : in == kBf16 ? kBf16
          : in == kFp16 ? w_.pick({kFp16, kFp8})
                        : w_.pick({kBfp8, kBfp4});
  } else if (five_bits) {
    in = kFp16;
    out = w_.pick({kFp32, kFp16, kBf16, kFp8});
  } else {
    out = w_.pick({kFp32, kBf16, kBf16, kBfp8, kBfp4, kBfp2});
  }
  out_ = {static_cast<u8>(in), static_cast<u8>(out)};
  accumulate_ = (out == kFp32 || out == kBf16) && w_.one_in(4);
}

/// Two pairs of sources; for 32-bit formats the second pair is the first one.
void Pipeline::source_data() {
  const u32 bytes = datum_bits(in_) == 32 ? 2 * kTileBytes : kTileBytes;
  for (u32 source = 0; source < kDataBytes / bytes; ++source) {
    std::vector<u32> words = random_data(w_, in_, kTile);
    if (work_ == Work::Max && source % 2 == 1)
      for (u32& word : words) word = in_ == kBf16 ? 0x3F803F80 : 0x3F800000;
    words.resize(bytes / 4);
    w_.program.data.insert(w_.program.data.end(), words.begin(), words.end());
  }
}

void Pipeline::configure_unpackers() {
  const u32 bytes = datum_bits(in_) == 32 ? 2 * kTileBytes : kTileBytes;
  for (u32 unpacker : {0u, 1u}) {
    Unpack u{.unpacker = unpacker, .in = in_, .out = src_};
    u.address = kData + unpacker * bytes;
    u.address1 = bytes == kTileBytes ? u.address + 2 * bytes : u.address;
    u.haloize = transpose_ && unpacker == 0;
    u.to_dst = work_ == Work::Direct && unpacker == 0;
    u.first_row1 = u.to_dst ? half_rows() : 0;
    if (work_ == Work::Direct && unpacker == 1) continue;
    setup_unpacker(w_, u);
  }
  const u32 face = 256 * std::max(1u, datum_bits(src_) / 8);
  w_.config(cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride::kWord, face);
  w_.config(cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride::kWord, face);
  w_.config(cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr::kWord,
            1u << cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr::kLow);
}

void Pipeline::configure_packer() {
  w_.setup_pack_32();
  w_.config(kAluWord, Alu{.src_a = src_,
                          .src_b = src_ == kFp8    ? kFp16
                                   : src_ == kTf32 ? kFp32
                                                   : src_,
                          .dst = out_.in,
                          .fp32 = dst32_ && src_ != kInt8,
                          .sfpu_fp32 = dst32_,
                          .int8 = src_ == kInt8}
                          .word());
  const u32 bytes = datum_bits(out_.in) / 8;
  w_.config(cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride::kWord, (16 * bytes) << 16);
  w_.config(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride::kWord, 256 * bytes | (1024 * bytes) << 16);
  w_.config(cfg::PCK_DEST_RD_CTRL_Read_32b_data::kWord,
            u32{dst32_} | u32{dst32_ && out_.in == kFp16} << 3);
  w_.config(cfg::THCON_SEC0_REG1_Row_start_section_size::kWord,
            is_block_format(out_.out) ? 4u << cfg::THCON_SEC0_REG1_Exp_section_size::kLow : 0);
  w_.config(cfg::THCON_SEC0_REG1_Disable_zero_compress::kWord,
            1u | (accumulate_ ? 4u : 0) |
                u32{out_.out} << cfg::THCON_SEC0_REG1_Out_data_format::kLow |
                u32{out_.in} << cfg::THCON_SEC0_REG1_In_data_format::kLow);
  w_.config(cfg::THCON_SEC0_REG1_Downsample_mask::kWord,
            u32{accumulate_} << cfg::THCON_SEC0_REG1_Pack_L1_Acc::kLow |
                u32{out_.out == kFp8} << cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp::kLow);
}

void Pipeline::math_mode(u32 mode, u32 a, u32 b, u32 d, u32 fidelity, bool fidelity_clear) {
  math().thread_config(thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord + mode, (a & 63) | (b & 63)
                                                                                           << 8);
  math().thread_config(thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + mode,
                       d | fidelity << 13 | u32{fidelity_clear} << 15);
}

/// Modes 0..5 step through the faces of a product, 6 and 7 are for rows.
void Pipeline::prologue_of_math() {
  math().thread_config(thread_cfg::CFG_STATE_ID_StateID::kWord, w_.second_bank());
  math_mode(0, 32, 16, 0, 0, false);
  math_mode(1, 32, 56, 0, 0, false);
  math_mode(2, 32, 8, 0, 0, false);
  math_mode(3, 48, 8, 0, 0, false);
  math_mode(4, 16, 8, 0, 1, false);
  math_mode(5, 16, 8, 0, 0, true);
  math_mode(6, 8, 8, 8, 0, false);
  math_mode(7, 0, 0, 2, 0, false);
  math().op<op::SETRWC>({{"bit_mask", 0xF}});
  math().op<op::SFPENCC>({{"imm12_math", 3}, {"instr_mod1", 10}});
  if (!mop_ || work_ == Work::Direct) return;
  const u32 nop = encode<op::NOP>();
  const u32 row = row_instruction();
  const u32 end =
      encode<op::SETRWC>({{"bit_mask", 0xF}, {"clear_ab_vld", two_sources() ? 3u : 1u}});
  set_mop(math(), {1, 8, nop, end, nop, row, nop, row, row});
}

void Pipeline::prologue_of_pack() {
  pack().thread_config(thread_cfg::CFG_STATE_ID_StateID::kWord, w_.second_bank());
  pack().thread_config(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::kWord, 4);
  pack().thread_config(thread_cfg::ADDR_MOD_PACK_SEC1_YsrcIncr::kWord,
                       1u << thread_cfg::ADDR_MOD_PACK_SEC1_YsrcClear::kLow | 1u << 12);
  pack().thread_config(thread_cfg::ADDR_MOD_PACK_SEC2_YsrcIncr::kWord,
                       1u << thread_cfg::ADDR_MOD_PACK_SEC1_YsrcClear::kLow | 1u << 13);
  pack().op<op::SETADCXX>({{"cnt_set_mask", 4}, {"x_end2", 15}});
  pack().op<op::SETADCXY>({{"cnt_set_mask", 4}, {"bit_mask", 0xB}});
  pack().op<op::SETADCZW>({{"cnt_set_mask", 4}, {"bit_mask", 0xF}});
  const auto pacr = [](u32 mode) {
    return encode<op::PACR>({{"addr_mode", mode}, {"last", mode == 2 ? 1u : 0u}});
  };
  const u32 nop = encode<op::NOP>();
  if (mop_) set_mop(pack(), {4, 4, nop, nop, nop, pacr(0), nop, pacr(2), pacr(1)});
}

void Pipeline::pause(Writer& list) {
  if (!w_.one_in(3)) return;
  for (u32 n = w_.below(12); n > 0; --n) list.op<op::DMANOP>();
}

void Pipeline::unpack_tile(u32 tile) {
  unpackers().thread_config(thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0::kWord,
                            tile % 2 * 0x101);
  const u32 transfers = faces_ ? 4 : 1;
  const bool direct = work_ == Work::Direct;
  if (direct)
    unpackers().op<op::SEMWAIT>({{"stall_res", 0x1FF}, {"sem_sel", kInDst}, {"wait_sem_cond", 2}});
  for (u32 source = 0; source < (two_sources() ? 2u : 1u); ++source)
    for (u32 face = 0; face < transfers; ++face) {
      // The Z counters of both channels go on with every face but the last.
      const bool last = face + 1 == transfers;
      unpack(w_, source, last && !direct, last ? 0 : 0x11);
      if (last && faces_) w_.op<op::SETADCZW>({{"cnt_set_mask", 1u << source}, {"bit_mask", 0xF}});
    }
  if (!direct) return;
  unpackers().wait_all();
  for (const u32 semaphore : {kInDst, kUnpacked})
    unpackers().op<op::SEMPOST>({{"sem_sel", semaphore}});
}

/// Eight rows of a copy or an element-wise operation.
u32 Pipeline::row_instruction() {
  if (work_ == Work::Copy) return encode<op::MOVA2D>({{"addr_mode", 6}, {"instr_mod", 2}});
  const std::initializer_list<FieldValue> fields = {
      {"addr_mode", 6}, {"instr_mod19", broadcast_}, {"dest_accum_en", 0}};
  if (kind_ == 0) return encode<op::ELWADD>(fields);
  if (kind_ == 1) return encode<op::ELWSUB>(fields);
  return encode<op::ELWMUL>(fields);
}

/// Template 1: two loops, what opens and closes the outer one, the inner's instructions.
void Pipeline::set_mop(Writer& list, const std::array<u32, 9>& words) {
  for (u32 i = 0; i < words.size(); ++i) list.store(kMopConfig + 4 * i, words[i]);
}

void Pipeline::by_rows() {
  const u32 clear = two_sources() ? 3 : 1;
  if (mop_) {
    // What came before leaves room for what the template expands to.
    math().sync();
    return math().op<op::MOP>({{"mop_type", 1}});
  }
  for (u32 row = 0; row < 64; row += 8) math().tensix(row_instruction());
  math().op<op::SETRWC>({{"bit_mask", 0xF}, {"clear_ab_vld", clear}});
}

/// Result face (r, c) += face (r, k) of SrcB times face (k, c) of SrcA, eight rows at a time.
void Pipeline::product() {
  for (u32 phase = 0; phase < phases_; ++phase)
    for (u32 c = 0; c < 2; ++c)
      for (u32 r = 0; r < 2; ++r)
        for (u32 half = 0; half < 2; ++half)
          for (u32 k = 0; k < 2; ++k) {
            u32 mode = k == 0 ? 0 : half == 0 ? 1 : r == 0 ? 2 : 3;
            if (k == 1 && half == 1 && r == 1 && c == 1) mode = phase + 1 == phases_ ? 5 : 4;
            math().op<op::MVMUL>({{"dst", 32 * r + 16 * c + 8 * half}, {"addr_mode", mode}});
          }
  math().op<op::SETRWC>({{"bit_mask", 0xF}, {"clear_ab_vld", 3}});
}

void Pipeline::reduce() {
  for (u32 face = 0; face < 4; ++face) {
    for (u32 phase = 0; phase < phases_; ++phase) {
      const bool last = phase + 1 == phases_;
      if (work_ == Work::Max)
        math().op<op::GMPOOL>({{"dst", face / 2 * 16}, {"pool_addr_mode", 7}, {"instr_mod19", 1}});
      else
        math().op<op::GAPOOL>(
            {{"dst", face / 2 * 16}, {"pool_addr_mode", last ? 5u : 4u}, {"instr_mod19", 1}});
      if (work_ == Work::Max) break;
    }
    math().op<op::SETRWC>({{"bit_mask", 0x4}});
  }
  math().op<op::SETRWC>({{"bit_mask", 0xF}, {"clear_ab_vld", 3}});
}

/// Arithmetic on registers 0..3 that kernels use; register 0 is what is loaded and stored.
u32 Pipeline::sfpu_step() {
  const u32 to = w_.below(4);
  const u32 a = w_.below(4);
  const u32 b = w_.one_in(3) ? 10 : w_.below(4);
  const u32 c = w_.one_in(3) ? 9 : w_.below(4);
  switch (w_.below(10)) {
    case 0:
      return encode<op::SFPMUL>(
          {{"lreg_src_a", a}, {"lreg_src_b", b}, {"lreg_src_c", 9}, {"lreg_dest", to}});
    case 1:
      return encode<op::SFPADD>(
          {{"lreg_src_a", 10}, {"lreg_src_b", b}, {"lreg_src_c", c}, {"lreg_dest", to}});
    case 2:
      return encode<op::SFPABS>({{"lreg_c", a}, {"lreg_dest", to}, {"instr_mod1", 1}});
    case 3:
      return encode<op::SFPSETCC>({{"lreg_c", a}, {"instr_mod1", 2 * w_.below(4)}});
    case 4:
      return encode<op::SFPARECIP>({{"lreg_c", a}, {"lreg_dest", to}});
    case 5:
      return encode<op::SFPSWAP>(
          {{"lreg_src_c", a}, {"lreg_dest", to}, {"instr_mod1", w_.below(2)}});
    case 6:
      return encode<op::SFPMULI>({{"imm16_math", w_.float_bits() >> 16}, {"lreg_dest", to}});
    case 7:
      return encode<op::SFP_STOCH_RND>({{"lreg_src_c", a}, {"lreg_dest", to}, {"instr_mod1", 1}});
    default:
      return encode<op::SFPMAD>({{"lreg_src_a", a},
                                 {"lreg_src_b", b},
                                 {"lreg_src_c", c},
                                 {"lreg_dest", to},
                                 {"instr_mod1", w_.below(4)}});
  }
}

/// The same few instructions over all rows of the tile, perhaps out of the replay buffer.
void Pipeline::sfpu() {
  if (sfpu_steps_ == 0) return;
  math().wait_all();
  std::vector<u32> body{encode<op::SFPLOAD>({{"sfpu_addr_mode", 0}})};
  for (u32 i = 0; i < sfpu_steps_; ++i) body.push_back(sfpu_step());
  body.push_back(encode<op::SFPENCC>({{"imm12_math", 3}, {"instr_mod1", 10}}));
  body.push_back(encode<op::SFPSTORE>({{"sfpu_addr_mode", 7}}));
  const u32 length = static_cast<u32>(body.size());
  const u32 start = w_.below(32 - length);
  if (replay_) {
    math().op<op::REPLAY>({{"load_mode", 1}, {"len", length}, {"start_idx", start}});
    for (const u32 word : body) math().tensix(word);
  }
  for (u32 i = 0; i < 32; ++i) {
    if (replay_) {
      math().op<op::REPLAY>({{"len", length}, {"start_idx", start}});
      continue;
    }
    for (const u32 word : body) math().tensix(word);
  }
  math().op<op::SETRWC>({{"bit_mask", 0xF}});
}

void Pipeline::math_tile(u32 tile) {
  pause(math());
  math().op<op::SEMWAIT>({{"stall_res", 0x1FF}, {"sem_sel", kSemaphore}, {"wait_sem_cond", 2}});
  math().thread_config(thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset::kWord, tile % 2 * half_rows());
  for (u32 i = 0; i < inner_; ++i) {
    // Valid sources: either waited for, or left to the instructions.
    if (w_.one_in(3) && work_ != Work::Direct)
      math().op<op::STALLWAIT>(
          {{"stall_res", 0x1FF}, {"wait_res", two_sources() ? 0x180u : 0x80u}});
    switch (work_) {
      case Work::Copy:
      case Work::Binary:
        by_rows();
        break;
      case Work::Product:
        product();
        break;
      case Work::Direct:
        math().op<op::SEMWAIT>(
            {{"stall_res", 0x1FF}, {"sem_sel", kUnpacked}, {"wait_sem_cond", 1}});
        math().op<op::SEMGET>({{"sem_sel", kUnpacked}});
        break;
      default:
        reduce();
    }
  }
  sfpu();
  math().wait_all();
  math().op<op::SEMPOST>({{"sem_sel", kSemaphore}});
}

void Pipeline::pack_tile(u32 tile) {
  pause(pack());
  pack().op<op::SEMWAIT>({{"stall_res", 0x1FF}, {"sem_sel", kSemaphore}, {"wait_sem_cond", 1}});
  // GPRs 4 and 5: address of the result, half of Dst.
  const u32 address = (kOut + tile * 0x1400) / 16 - 1;
  const auto set = [&](u32 half_register, u32 value) {
    pack().op<op::SETDMAREG>({{"reg_index_16b", half_register},
                              {"payload_sig_sel", value & 0x3FFF},
                              {"payload_sig_sel_size", value >> 14 & 3}});
  };
  set(8, address & 0xFFFF);
  set(9, address >> 16);
  set(10, tile % 2 * half_rows());
  set(11, 0);
  pack().wait_all();
  pack().op<op::WRCFG>({{"gpr_address", 4}, {"cfg_reg", cfg::THCON_SEC0_REG1_L1_Dest_addr::kWord}});
  pack().op<op::WRCFG>(
      {{"gpr_address", 5}, {"cfg_reg", cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset::kWord}});
  for (u32 i = 0; i < 2; ++i) pack().op<op::DMANOP>();
  if (mop_) {
    pack().sync();
    pack().op<op::MOP>({{"mop_type", 1}});
  }
  for (u32 group = 0; group < 16 && !mop_; ++group) {
    const bool last = group == 15;
    pack().op<op::PACR>({{"addr_mode", last             ? 2u
                                       : group % 4 == 3 ? 1u
                                                        : 0u},
                         {"last", last ? 1u : 0u}});
  }
  pack().wait_all();
  // The half is empty again before the matrix unit gets it.
  pack().op<op::ZEROACC>({{"where", tile % 2}, {"clear_mode", 2}, {"use_32_bit_mode", dst32_}});
  pack().wait_all();
  pack().op<op::SEMGET>({{"sem_sel", kSemaphore}});
  if (work_ == Work::Direct) pack().op<op::SEMGET>({{"sem_sel", kInDst}});
}

Program Pipeline::make() {
  choose();
  w_.keep = true;
  if (w_.one_in(6)) w_.use_second_bank();
  source_data();
  // In this order: they share a word, and the packer's settings in it are all of it.
  configure_unpackers();
  configure_packer();
  w_.sync();
  w_.op<op::ZEROACC>({{"clear_mode", 3}});
  for (const u32 semaphore : {kSemaphore, kInDst, kUnpacked})
    w_.op<op::SEMINIT>({{"sem_sel", semaphore},
                        {"init_value", 0},
                        {"max_value", semaphore == kUnpacked ? 2 : 1 + w_.below(2)}});
  reset_unpack_counters(w_, 3, faces_ ? 255 : kTile - 1);
  w_.wait_all();
  w_.sync();
  w_.store(kGo, 1);
  math().wait(kGo, 1);
  pack().wait(kGo, 1);
  prologue_of_math();
  prologue_of_pack();
  w_.keep = false;
  for (u32 tile = 0; tile < tiles_ * inner_; ++tile) unpack_tile(tile);
  for (u32 tile = 0; tile < tiles_; ++tile) {
    math_tile(tile);
    pack_tile(tile);
  }
  w_.keep = true;
  for (u8 core = kTrisc0; core <= kTrisc2; ++core) on(core).sync();
  return w_.program;
}

}  // namespace

Program make_pipeline(u64 seed) {
  return Pipeline(seed).make();
}

}  // namespace bhemu::diff
