// Three threads that unpack, move and pack with MOPs in between, as kernels do.
#pragma once

#include <cstring>
#include <random>

#include "tensix/harness.hpp"

namespace bhemu::tensix::test {

/// Their configuration, words and data. Whatever it draws comes from one seed.
class Kernel {
 public:
  static constexpr u32 kFp32 = 0, kFp16 = 1, kBf16 = 5, kBfp8 = 6;
  static constexpr u32 kIn = 0x1000;   // of L1, in units of 16 bytes
  static constexpr u32 kOut = 0x4000;  // likewise

  explicit Kernel(u64 seed) : random_(seed) {}

  u32 any() { return static_cast<u32>(random_()); }
  bool once_in(u32 n) { return any() % n == 0; }

  void choose() {
    vary();
    faces_ = 1 + any() % 5;
    packs_ = 1 + any() % 20;
    interfaces_ = once_in(4) ? any() % 16 : 0;
    product_ = once_in(3);
  }
  /// Chooses anew what no expander, gate or queue depends on.
  void vary() {
    in_ = std::array{kBf16, kBf16, kFp16, kFp32, kBfp8}[any() % 5];
    out_ = in_ == kFp16 ? kFp16 : std::array{kBf16, kBf16, kBfp8, kFp32}[any() % 4];
    wide_ = once_in(3);
    reads_ = once_in(4) ? 1 + any() % 20 : 16;
    increment_ = once_in(4) ? any() % 8 : 4;
    invalid_ = once_in(3);
    high_halves_ = once_in(8);
    swizzle_ = once_in(8);
    seed_ = any();
  }
  void set_up(Harness& harness) {
    State& state = harness.state();
    for (ConfigWords& words : state.cfg.bank) set_up(words);
    for (unsigned thread = 0; thread < kThreads; ++thread) set_up(state, thread);
    std::mt19937 random(seed_);
    for (u32 i = 0; i < 0x4000; ++i) {
      const u32 value = (random() & 0x807F80FF) | 0x3F003F00;
      std::memcpy(harness.l1.data() + kIn * 16 + i * 4, &value, 4);
    }
    for (DstRow& row : state.fpu.dst.row)
      for (u16& datum : row.datum) datum = static_cast<u16>(random() & 0xFF0F) | 0x60;
    for (u32 row = 0; row < 256; ++row) state.fpu.dst.valid[row] = !invalid_ || random() % 8 != 0;
    state.cfg.debug_feature_disable = high_halves_ ? 1u << 11 : 0;
    state.sync.semaphore[2].max = 1;
    set_up_mops(state);
  }
  /// The next word of a thread.
  u32 word(unsigned thread) {
    if (once_in(12)) return expander_word();
    if (!once_in(4)) return encode<op::MOP>({{"mop_type", 1}});
    return thread == 0 ? unpack_word() : thread == 1 ? math_word() : pack_word();
  }

  /// Unpacks a face to SrcA or SrcB and hands it over.
  static u32 face(u32 unpacker) {
    return encode<op::UNPACR>({{"unpack_block_selection", unpacker},
                               {"ovrd_thread_id", 1},
                               {"set_dat_valid", 1},
                               {"last", 1}});
  }

 private:
  /// Replay buffers are filled and played, MOPs go by a mask.
  u32 expander_word() {
    const u32 start = any() % 6;
    const u32 length = 1 + any() % 4;
    switch (any() % 4) {
      case 0:
        return encode<op::REPLAY>({{"start_idx", start},
                                   {"len", length},
                                   {"load_mode", 1},
                                   {"execute_while_loading", any() % 2}});
      case 1:
        return encode<op::REPLAY>({{"start_idx", start}, {"len", length}});
      case 2:
        return encode<op::MOP_CFG>({{"zmask_hi16", any() % 16}});
      default:
        return encode<op::MOP>(
            {{"loop_count", 14 + any() % 6}, {"zmask_lo16_or_loop_count", any() & 0xFFFF}});
    }
  }
  u32 unpack_word() {
    switch (any() % 9) {
      case 0:
      case 8:
        return face(1);
      case 1:
        return face(0) | encode<op::UNPACR>({{"addr_mode", any() % 16}});
      case 2:
        return encode<op::SETADCXX>({{"cnt_set_mask", 3}, {"x_end2", once_in(2) ? 255u : 15u}});
      case 3:
        return encode<op::RMWCIB0>({{"cfg_reg_addr", cfg::THCON_SEC0_REG3_Base_address::kWord},
                                    {"mask", 0x3F},
                                    {"data", any() % 64}});
      case 4:
        return encode<op::RMWCIB0>(
            {{"cfg_reg_addr", cfg::THCON_SEC0_REG5_Dest_cntx0_address::kWord},
             {"mask", 0xC0},
             {"data", once_in(2) ? 0x40u : 0x80u}});
      default:
        return encode<op::SETADCZW>({{"cnt_set_mask", 3}, {"bit_mask", 0xF}});
    }
  }
  u32 math_word() {
    switch (any() % 17) {
      case 9:
        return encode<op::MVMUL>({{"dst", any() % 8 * 8}, {"clear_dvalid", once_in(4) ? 2u : 0u}});
      case 10:
        return encode<op::MOVD2A>({{"instr_mod", 2}, {"dst", any() % 64}, {"src", any() % 64}});
      case 11:
        return encode<op::SFPLOAD>({{"dest_reg_addr", any() % 16 * 4}, {"lreg_ind", any() % 4}});
      case 12:
      case 13:
        return encode<op::SFPMAD>({{"lreg_dest", any() % 4},
                                   {"lreg_src_a", any() % 4},
                                   {"lreg_src_b", any() % 4},
                                   {"lreg_src_c", any() % 4}});
      case 14:
        return encode<op::SFPSTORE>({{"dest_reg_addr", any() % 16 * 4}, {"lreg_ind", any() % 4}});
      case 15:
        return encode<op::SETC16>(
            {{"setc16_reg", thread_cfg::FIDELITY_BASE_Phase::kWord}, {"setc16_value", any() % 4}});
      case 16:
        return semwait(1u << 5, 4, 2);
      case 0:
        return encode<op::SETRWC>({{"clear_ab_vld", any() % 4}, {"bit_mask", any() % 16}});
      case 1:
        return encode<op::ZEROACC>({{"clear_mode", 1}, {"where", any() % 16}, {"addr_mode", 7}});
      case 2:
        return encode<op::SFPCONFIG>(
            {{"config_dest", 15}, {"instr_mod1", 1}, {"imm16_math", once_in(2) ? 0x200u : 0u}});
      case 3:
        return encode<op::RMWCIB3>({{"cfg_reg_addr", cfg::ALU_ACC_CTRL_Fp32_enabled::kWord},
                                    {"mask", 1u << (cfg::ALU_ACC_CTRL_Fp32_enabled::kLow - 24)},
                                    {"data", any() & 0xFF}});
      case 4:
        return encode<op::SETC16>(
            {{"setc16_reg", thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset::kWord},
             {"setc16_value", any() % 4 * 64}});
      case 5:
        return encode<op::SEMPOST>({{"sem_sel", 4}});
      case 6:
        return encode<op::MOVA2D>(
            {{"instr_mod", once_in(2) ? 2u : 0u}, {"dest_32b_lo", once_in(8)}});
      default:
        return encode<op::STALLWAIT>({{"stall_res", 0x40}, {"wait_res", 8}});
    }
  }
  u32 pack_word() {
    switch (any() % 9) {
      case 8:  // a stream counts tiles
        return encode<op::STOREREG>(
            {{"reg_addr", 0x10000 + any() % 4}, {"tdma_data_reg_index", 3}});
      case 7:
        return semwait(1u << 2, 4, 1);
      case 0:
        return encode<op::SETC16>({{"setc16_reg", thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::kWord},
                                   {"setc16_value", once_in(2) ? 4 : any() % 64}});
      case 1:
        return encode<op::RMWCIB0>({{"cfg_reg_addr", cfg::STACC_RELU_ApplyRelu::kWord},
                                    {"mask", 1u << cfg::STACC_RELU_ApplyRelu::kLow},
                                    {"data", any() & 0xFF}});
      case 2:
        return encode<op::PACR>({{"flush", 1}});
      case 3:
        return encode<op::SEMGET>({{"sem_sel", 4}});
      case 4:
        return encode<op::STALLWAIT>({{"stall_res", 4}, {"wait_res", 0x10}});
      default:
        return encode<op::PACR>({{"addr_mode", any() % 2}, {"last", once_in(4)}});
    }
  }
  void set_up(ConfigWords& words);
  void set_up(State& state, unsigned thread);
  void set_up_mops(State& state);
  void set_up_pack(State& state);

  std::mt19937_64 random_;
  u32 in_ = 0, out_ = 0, reads_ = 0, faces_ = 0, packs_ = 0, interfaces_ = 0, increment_ = 0;
  u32 seed_ = 0;
  bool product_ = false;
  bool wide_ = false, invalid_ = false, high_halves_ = false, swizzle_ = false;
};

inline void Kernel::set_up(ConfigWords& words) {
  const u32 src = in_ == kFp32 ? 4u : in_ == kBfp8 ? kBf16 : in_;
  for (const u32 section : {0u, kThconSection}) {
    const u32 tile = cfg::THCON_SEC0_REG0_TileDescriptor::kWord + section;
    words[tile] = in_ | 1 << 4 | 256 << 16;
    words[tile + 1] = 1 | 4 << 16;
    cfg::THCON_SEC0_REG2_Out_data_format::set(words, src, section);
    words[cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0::kWord + section] = 0xF000F;
    words[cfg::THCON_SEC0_REG3_Base_address::kWord + section] = kIn;
    cfg::THCON_SEC0_REG2_Unpack_limit_address::set(words, 0x1FFFF, section);
  }
  words[cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride::kWord] = 512;
  words[cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride::kWord] = 512;
  words[cfg::THCON_SEC0_REG5_Dest_cntx0_address::kWord] = 64 | 64 << 16;
  words[cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0::kWord] = 256 | 256 << 16;
  cfg::ALU_FORMAT_SPEC_REG2_Dstacc::set(words, wide_ ? kFp32 : src == 4 ? kBf16 : src);
  cfg::ALU_ACC_CTRL_Fp32_enabled::set(words, wide_);
  cfg::DEST_ACCESS_CFG_swizzle_32b::set(words, swizzle_);
  cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride::set(words, wide_ ? 64 : 32);
  cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride::set(words, wide_ ? 1024 : 512);
  cfg::PCK_DEST_RD_CTRL_Read_32b_data::set(words, wide_);
  cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane::set(words, reads_);
  cfg::PCK_EDGE_OFFSET_SEC0_mask::set(words, 0xFFFF);
  words[cfg::THCON_SEC0_REG1_L1_Dest_addr::kWord] = kOut - 1;
  cfg::THCON_SEC0_REG1_Exp_section_size::set(words, out_ == kBfp8 ? 4 : 0);
  cfg::THCON_SEC0_REG1_Disable_zero_compress::set(words, 1);
  cfg::THCON_SEC0_REG1_Out_data_format::set(words, out_);
  cfg::THCON_SEC0_REG1_In_data_format::set(words, wide_ ? kFp32 : src == 4 ? kBf16 : src);
}

inline void Kernel::set_up(State& state, unsigned thread) {
  ThreadConfigWords& words = state.cfg.thread[thread];
  thread_cfg::SRCA_SET_SetOvrdWithAddr::set(words, 1);
  words[thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord] = 8;
  words[thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord] = 8;
  words[thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::kWord] = static_cast<u16>(increment_);
  words[thread_cfg::ADDR_MOD_PACK_SEC1_YsrcIncr::kWord] =
      1u << thread_cfg::ADDR_MOD_PACK_SEC1_YsrcClear::kLow;
  for (u32 unit = 0; unit < 2; ++unit) state.adc.adc[thread][unit].channel[1].x = 255;
  state.adc.of(thread, AdcUnit::Packer).channel[1].x = 15;
}

inline void Kernel::set_up_mops(State& state) {
  const u32 none = nop();
  for (Frontend& frontend : state.frontend) frontend.replay.fill(none);
  const u32 unpack = face(0) | encode<op::UNPACR>({{"addr_mode", 1}});
  state.frontend[0].mop_config = {1, faces_, none, none, none, unpack, none, unpack, unpack};
  if (product_) {
    state.frontend[0].mop_config = {1, faces_, none, none, none, unpack, face(1), face(1), face(1)};
    const u32 multiply = encode<op::MVMUL>();
    const u32 end = encode<op::MVMUL>({{"clear_dvalid", 3}});
    state.frontend[1].mop_config = {faces_, 2, none, none, none, multiply, none, end, end};
    return set_up_pack(state);
  }
  const u32 move = encode<op::MOVA2D>({{"instr_mod", 2}});
  const u32 next = encode<op::SETRWC>({{"clear_ab_vld", 1}, {"bit_mask", 3}});
  state.frontend[1].mop_config = {faces_, 2, none, next, none, move, none, move, move};
  set_up_pack(state);
}

inline void Kernel::set_up_pack(State& state) {
  const u32 none = nop();
  const u32 pack = encode<op::PACR>({{"read_intf_sel", interfaces_}});
  const u32 last = pack | encode<op::PACR>({{"addr_mode", 1}, {"last", 1}});
  state.frontend[2].mop_config = {1, packs_, none, none, none, pack, none, last, last};
}

}  // namespace bhemu::tensix::test
