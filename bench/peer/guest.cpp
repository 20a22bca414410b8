#include "peer/guest.hpp"

#include <array>

#include "support/assembler.hpp"
#include "tensix/config.hpp"
#include "tensix/isa.hpp"

namespace bhemu::peer {
namespace {

using namespace tensix;
using test::Assembler;
using enum test::Reg;

// Where a TRISC starts when nothing overrides it.
constexpr std::array<u32, 3> kStart = {0x6000, 0xA000, 0xE000};
constexpr u32 kReady = 0x1F020;  // thread 0 has written the configuration
constexpr u32 kInA = 0x20000;    // SrcA's tile
constexpr u32 kInB = 0x22000;    // SrcB's
constexpr u32 kConfig = 0xFFEF0000;
constexpr u32 kTensixSync = 0xFFE80004;
constexpr u32 kMopConfig = 0xFFB80000;
constexpr u32 kBf16 = 5;

// Fields of STALLWAIT and SEMWAIT by their names in LLK.
enum Stall : u32 { kStallSync = 2, kStallPack = 4, kStallMath = 0x40 };
enum Condition : u32 { kPackBusy = 8, kMathBusy = 0x10 };

u32 stallwait(u32 stall, u32 condition) {
  return encode<op::STALLWAIT>({{"stall_res", stall}, {"wait_res", condition}});
}
u32 semwait(u32 stall, u32 condition) {
  return encode<op::SEMWAIT>({{"stall_res", stall}, {"sem_sel", 2}, {"wait_sem_cond", condition}});
}
u32 replay(u32 count, bool record = false) {
  return encode<op::REPLAY>({{"start_idx", 0}, {"len", count}, {"load_mode", record ? 1u : 0u}});
}
u32 thread_config(u32 word, u32 value) {
  return encode<op::SETC16>({{"setc16_reg", word}, {"setc16_value", value}});
}

/// What one thread does: once, then in every turn of its loop.
struct Thread {
  std::vector<std::pair<u32, u32>> stores;  // before anything else
  std::vector<u32> once;
  std::vector<u32> turn;
  u32 repeat = 1;
  bool counts = false;
};

void mop(Thread& thread, const std::array<u32, 9>& words) {
  for (u32 i = 0; i < words.size(); ++i) thread.stores.emplace_back(kMopConfig + i * 4, words[i]);
}
const u32 kNop = encode<op::NOP>();
const u32 kRunMop = encode<op::MOP>({{"mop_type", 1}});

std::vector<u32> code_of(const Thread& thread, unsigned index) {
  Assembler a(kStart[index]);
  a.li(s0, kReady);
  a.li(s1, kTensixSync);
  a.li(s2, kCount);
  if (index != 0) {
    a.label("wait");
    a.lw(t0, 0, s0);
    a.beq(t0, zero, "wait");
  }
  for (const auto& [address, value] : thread.stores) {
    a.li(t0, address);
    a.li(t1, value);
    a.sw(t1, 0, t0);
  }
  for (const u32 word : thread.once) a.ttinsn(word);
  a.lw(t0, 0, s1);
  if (index == 0) {
    a.li(t1, 1);
    a.sw(t1, 0, s0);
  }
  a.li(s3, 0);
  a.li(s4, kWanted);
  a.label("idle");
  a.lw(t0, 0, s4);
  a.beq(t0, s3, "idle");
  for (u32 i = 0; i < thread.repeat; ++i)
    for (const u32 word : thread.turn) a.ttinsn(word);
  a.addi(s3, s3, 1);
  if (thread.counts) {
    // All of this thread's instructions are through, and with them those that it waits for.
    a.lw(t0, 0, s1);
    a.sw(s3, 0, s2);
  }
  a.j("idle");
  return a.finish();
}

class Writer {
 public:
  explicit Writer(std::string name, std::string unit) {
    program_.name = std::move(name);
    program_.unit = std::move(unit);
  }
  std::array<Thread, 3> thread;

  void config(u32 word, u32 value) { thread[0].stores.emplace_back(kConfig + word * 4, value); }

  /// Both unpackers and the packer for bf16 tiles of four faces in L1, Dst of 16 bits.
  void configure(bool whole_tiles);
  void pack_tiles(bool clear_dst);

  GuestProgram finish(double per_turn, u32 batch) {
    constexpr u32 kAllHeld = 0x47800;
    constexpr u32 kTrisc0 = 1u << 12;
    program_.per_turn = per_turn;
    program_.batch = batch;
    program_.reset = kAllHeld;
    for (unsigned i = 0; i < 3; ++i) {
      if (thread[i].turn.empty()) continue;
      program_.image.emplace_back(kStart[i], code_of(thread[i], i));
      program_.reset &= ~(kTrisc0 << i);
    }
    program_.has_tile = !thread[2].turn.empty();
    program_.image.emplace_back(kWanted, std::vector<u32>(16));
    program_.image.emplace_back(kInA, tile(7));
    program_.image.emplace_back(kInB, tile(11));
    return program_;
  }

 private:
  /// 1024 numbers around 1 of both signs.
  static std::vector<u32> tile(u32 seed) {
    std::vector<u32> words(kTileBytes / 4);
    for (u32& word : words) {
      seed = seed * 1664525 + 1013904223;
      word = (seed & 0x80FF80FF) | 0x3F003F00;
    }
    return words;
  }

  GuestProgram program_;
};

void Writer::configure(bool whole_tiles) {
  using enum test::Reg;
  for (u32 section : {0u, kThconSection}) {
    config(cfg::THCON_SEC0_REG0_TileDescriptor::kWord + section,
           kBf16 | 1 << 4 | (section != 0 ? 256u << 16 : 0));
    config(cfg::THCON_SEC0_REG0_TileDescriptor::kWord + 1 + section, 1 | 4 << 16);
    config(cfg::THCON_SEC0_REG2_Out_data_format::kWord + section, kBf16 | 2 << 4);
    config(cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0::kWord + section, 0xF000F);
    config(cfg::THCON_SEC0_REG3_Base_address::kWord + section,
           (section != 0 ? kInB : kInA) / 16 - 1);
  }
  config(cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride::kWord, kTileBytes / 4);
  config(cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride::kWord, kTileBytes / 4);
  config(cfg::THCON_SEC0_REG5_Dest_cntx0_address::kWord, 4 * 16 | 4 * 16 << 16);
  config(cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0::kWord, 256 | 256 << 16);
  config(cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr::kWord,
         1u << cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr::kLow);
  config(cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kWord,
         kBf16 << cfg::ALU_FORMAT_SPEC_REG2_Dstacc::kLow |
             kBf16 << cfg::ALU_FORMAT_SPEC_REG0_SrcA::kLow |
             kBf16 << cfg::ALU_FORMAT_SPEC_REG1_SrcB::kLow);
  config(cfg::STACC_RELU_ApplyRelu::kWord, 0);
  config(cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride::kWord, 32u << 16);
  config(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride::kWord, 0x200u | 0x800u << 16);
  config(cfg::PCK_DEST_RD_CTRL_Read_32b_data::kWord, 0);
  config(cfg::PACK_COUNTERS_SEC0_pack_per_xy_plane::kWord,
         16 << cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane::kLow);
  config(cfg::PCK_EDGE_OFFSET_SEC0_mask::kWord, 0xFFFF);
  config(cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0::kWord, 0);
  config(cfg::THCON_SEC0_REG1_Row_start_section_size::kWord, 0);
  config(cfg::THCON_SEC0_REG1_L1_Dest_addr::kWord, kOut / 16 - 1);
  config(cfg::THCON_SEC0_REG1_Disable_zero_compress::kWord,
         1u | kBf16 << cfg::THCON_SEC0_REG1_Out_data_format::kLow |
             kBf16 << cfg::THCON_SEC0_REG1_In_data_format::kLow);
  config(cfg::THCON_SEC0_REG1_Downsample_mask::kWord, 0);

  thread[0].once = {
      thread_config(thread_cfg::SRCA_SET_Base::kWord,
                    1u << thread_cfg::SRCA_SET_SetOvrdWithAddr::kLow),
      thread_config(thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0::kWord, 0),
      encode<op::SEMINIT>({{"sem_sel", 2}, {"init_value", 0}, {"max_value", 1}}),
      encode<op::SETADCXY>({{"cnt_set_mask", 3}, {"bit_mask", 0xB}}),
      encode<op::SETADCZW>({{"cnt_set_mask", 3}, {"bit_mask", 0xF}}),
      encode<op::SETADCXX>({{"cnt_set_mask", 3}, {"x_end2", whole_tiles ? 1023u : 255u}})};
  thread[0].once.insert(thread[0].once.end(),
                        {encode<op::ZEROACC>({{"clear_mode", 3}, {"addr_mode", 7}}),
                         encode<op::SETRWC>({{"bit_mask", 0xF}})});
}

const u32 kUnpackA = encode<op::UNPACR>({{"ovrd_thread_id", 1}, {"set_dat_valid", 1}, {"last", 1}});
const u32 kUnpackB = kUnpackA | encode<op::UNPACR>({{"unpack_block_selection", 1}});

/// Thread 2: a tile of 16 times four rows when the semaphore says that it is there.
void Writer::pack_tiles(bool clear_dst) {
  Thread& pack = thread[2];
  const u32 pacr = encode<op::PACR>();
  const u32 last = encode<op::PACR>({{"addr_mode", 1}, {"last", 1}});
  mop(pack, {1, 16, kNop, kNop, kNop, pacr, kNop, last, last});
  pack.once = {thread_config(thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr::kWord, 4),
               thread_config(thread_cfg::ADDR_MOD_PACK_SEC1_YsrcIncr::kWord,
                             1u << thread_cfg::ADDR_MOD_PACK_SEC1_YsrcClear::kLow),
               encode<op::SETADCXX>({{"cnt_set_mask", 4}, {"x_end2", 15}}),
               encode<op::SETADCXY>({{"cnt_set_mask", 4}, {"bit_mask", 0xB}}),
               encode<op::SETADCZW>({{"cnt_set_mask", 4}, {"bit_mask", 0xF}})};
  pack.turn = {semwait(kStallPack, 1), kRunMop};
  if (clear_dst) {
    pack.turn.push_back(stallwait(kStallMath, kPackBusy));
    pack.turn.push_back(encode<op::ZEROACC>({{"clear_mode", 3}, {"addr_mode", 7}}));
  }
  pack.turn.push_back(stallwait(kStallSync, kPackBusy | kMathBusy));
  pack.turn.push_back(encode<op::SEMGET>({{"sem_sel", 2}}));
  pack.repeat = 16;
  pack.counts = true;
}

/// The address modifiers and the sixteen MVMUL of LLK's product of two tiles of 32 x 32.
void set_up_products(Thread& math, u32 phases) {
  struct Modifier {
    u32 a, b, dst;
  };
  constexpr u32 kClear = 1u << 7 | 1u << 6;
  constexpr u32 kReturn = 1u << 6;
  constexpr u32 kB = 8;  // SrcB's half of the word
  const std::array<std::pair<u32, Modifier>, 5> modifiers{{
      {0, {0, 8, 8}},
      {1, {16, kReturn, 8}},
      {2, {kReturn, 32 | kReturn, 8}},
      {4, {32 | kReturn, 48 | kReturn, 1u << 10}},
      {5, {kClear, kClear, 1u << 11 | 1u << 10 | (phases > 1 ? 1u << 13 : 0)}},
  }};
  for (const auto& [index, how] : modifiers) {
    math.once.push_back(
        thread_config(thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord + index, how.a | how.b << kB));
    math.once.push_back(
        thread_config(thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + index, how.dst));
  }
  math.once.push_back(replay(16, true));
  for (const u32 mode : {0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5})
    math.once.push_back(encode<op::MVMUL>({{"addr_mode", mode}}));
}

GuestProgram products(const std::string& name, u32 phases) {
  Writer w(name, "tile products");
  w.configure(true);
  w.thread[0].turn = {kUnpackB, kUnpackA};
  w.thread[0].repeat = 16;
  Thread& math = w.thread[1];
  set_up_products(math, phases);
  const u32 clear = encode<op::SETRWC>({{"clear_ab_vld", 3}, {"bit_mask", 0xF}});
  mop(math, {1, phases, kNop, clear, kNop, replay(16), kNop, replay(16), replay(16)});
  math.turn = {semwait(kStallMath, 2), kRunMop, stallwait(kStallSync, kMathBusy),
               encode<op::SEMPOST>({{"sem_sel", 2}})};
  math.repeat = 16;
  w.pack_tiles(true);
  return w.finish(16, 8);
}

GuestProgram copies() {
  Writer w("tile_copy", "tiles");
  w.configure(false);
  Thread& unpack = w.thread[0];
  const u32 face = kUnpackA | encode<op::UNPACR>({{"addr_mode", 1}});
  mop(unpack, {1, 4, kNop, kNop, kNop, face, kNop, face, face});
  unpack.turn = {encode<op::SETADCZW>({{"cnt_set_mask", 1}, {"bit_mask", 0xF}}), kRunMop};
  unpack.repeat = 16;
  Thread& math = w.thread[1];
  math.once.push_back(thread_config(thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord, 8));
  math.once.push_back(thread_config(thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord, 8));
  const u32 move = encode<op::MOVA2D>({{"instr_mod", 2}});
  const u32 next = encode<op::SETRWC>({{"clear_ab_vld", 1}, {"bit_mask", 3}});
  mop(math, {4, 2, kNop, next, kNop, move, kNop, move, move});
  math.turn = {semwait(kStallMath, 2), kRunMop, encode<op::SETRWC>({{"bit_mask", 0xF}}),
               stallwait(kStallSync, kMathBusy), encode<op::SEMPOST>({{"sem_sel", 2}})};
  math.repeat = 16;
  w.pack_tiles(false);
  return w.finish(16, 100);
}

GuestProgram matrix_loop() {
  Writer w("mvmul", "MVMUL");
  w.configure(true);
  Thread& math = w.thread[0];
  math.once.push_back(kUnpackB);
  math.once.push_back(kUnpackA);
  set_up_products(math, 1);
  mop(math, {1, 8, kNop, kNop, kNop, replay(16), kNop, replay(16), replay(16)});
  math.turn = {kRunMop};
  math.repeat = 16;
  math.counts = true;
  return w.finish(16 * 8 * 16, 8);
}

const u32 kMad =
    encode<op::SFPMAD>({{"lreg_src_a", 0}, {"lreg_src_b", 1}, {"lreg_src_c", 2}, {"lreg_dest", 3}});

void set_up_vectors(Writer& w) {
  w.configure(true);
  std::vector<u32>& once = w.thread[0].once;
  once.push_back(encode<op::SFPENCC>({{"imm12_math", 3}, {"instr_mod1", 10}}));
  // Numbers below 1, so that feeding a result back stays finite.
  for (u32 i = 0; i < 4; ++i)
    once.push_back(encode<op::SFPLOADI>({{"lreg_ind", i}, {"imm16", 0x3F4C - 0x41 * i}}));
}

/// Instructions that the core pushes one by one.
GuestProgram pushed_vectors() {
  Writer w("sfpu_mad_pushed", "SFPU instructions");
  set_up_vectors(w);
  Thread& math = w.thread[0];
  math.turn = {kMad};
  math.repeat = 1024;
  math.counts = true;
  return w.finish(1024, 300);
}

GuestProgram replayed_vectors(const std::string& name, const std::vector<u32>& loop) {
  Writer w(name, "SFPU instructions");
  set_up_vectors(w);
  Thread& math = w.thread[0];
  math.once.push_back(replay(32, true));
  for (u32 i = 0; i < 32; ++i) math.once.push_back(loop[i % loop.size()]);
  math.turn = {replay(32)};
  math.repeat = 64;
  math.counts = true;
  return w.finish(64 * 32, 150);
}

}  // namespace

std::vector<GuestProgram> guest_programs() {
  const u32 load = encode<op::SFPLOAD>({{"lreg_ind", 0}, {"instr_mod0", 2}, {"sfpu_addr_mode", 7}});
  const u32 store =
      encode<op::SFPSTORE>({{"lreg_ind", 3}, {"instr_mod0", 2}, {"sfpu_addr_mode", 7}});
  return {matrix_loop(),
          replayed_vectors("sfpu_mad", {kMad}),
          pushed_vectors(),
          replayed_vectors("sfpu_load_mad_store", {load, kMad, kMad, store}),
          copies(),
          products("product_lofi", 1),
          products("product_hifi4", 4)};
}

}  // namespace bhemu::peer
