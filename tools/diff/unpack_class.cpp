// Programs for the unpackers: several transfers with random formats, modes, counters, strides and
// contexts into the same bank (or into Dst), then the bank handed over and read raw.
#include <utility>

#include "diff/classes.hpp"
#include "diff/data_parts.hpp"

namespace bhemu::diff {
namespace {

using namespace tensix;

constexpr u32 kDumpRows = 128;
// Whose turn it is, behind the results of loads, of which these programs have few.
constexpr u32 kTurnOfFirst = kResults + 4 * kMaxResults + 0x10;
constexpr u32 kTurnOfThread = kTurnOfFirst + 0x10;

struct Pair {
  u8 in;
  u8 out;
};

// clang-format off
constexpr std::array kPairs{
    Pair{kFp32, kFp16}, Pair{kFp32, kTf32}, Pair{kFp32, kBf16}, Pair{kFp16, kFp16},
    Pair{kBf16, kBf16}, Pair{kBfp8, kBfp8}, Pair{kBfp4, kBfp4}, Pair{kBfp2, kBfp2},
    Pair{kInt16, kInt16}, Pair{kFp8, kFp8}, Pair{kInt8, kInt8},
};
constexpr std::array kPairsOfDst{
    Pair{kFp32, kFp32}, Pair{kFp32, kTf32}, Pair{kInt32, kInt32},
};
// What other simulators do not have; bhemu has some of it and faults on the rest.
constexpr std::array kStrangePairs{
    Pair{kBf16, kTf32}, Pair{kFp16, kBf16}, Pair{kBfp8, kBf16}, Pair{2, 2}, Pair{3, 3},
    Pair{11, 11}, Pair{kFp8, kFp16}, Pair{kInt8, kInt32}, Pair{kFp32, kBfp8}, Pair{kTf32, kTf32},
};
// clang-format on

class UnpackProgram {
 public:
  explicit UnpackProgram(u64 seed) : w_(seed) {}
  Program make();

 private:
  void choose();
  void set_up();
  void strides();
  void place();
  template <class Emit>
  void for_both(const Emit& emit);
  template <class Emit>
  void turn_of_first(const Emit& emit);
  void transfer(bool last);
  void clear();
  void hold_first();

  Writer w_;
  Unpack u_;
  bool strange_ = false;
  u32 count_ = 0;  // data of a transfer
  u8 thread_ = kTrisc0;
  u32 turns_ = 0;
};

void UnpackProgram::choose() {
  strange_ = w_.one_in(10);
  u_.unpacker = w_.one_in(3) ? 1 : 0;
  u_.to_dst = u_.unpacker == 0 && w_.one_in(4);
  Pair pair =
      u_.to_dst ? kPairsOfDst[w_.below(kPairsOfDst.size())] : kPairs[w_.below(kPairs.size())];
  if (strange_ && w_.one_in(2)) pair = kStrangePairs[w_.below(kStrangePairs.size())];
  u_.in = pair.in;
  u_.out = pair.out;
  u_.address = kData + 16 * w_.below(128);
  u_.address1 = kData + 16 * w_.below(128);
  u_.x_dim = w_.pick({256, 256, 16, 32, 64, 1024, 16 * (1 + w_.below(32))});
  u_.y_dim = w_.pick({1, 1, 2, 4, 16});
  u_.z_dim = w_.pick({0, 1, 4, 4});
  const bool a = u_.unpacker == 0;
  u_.haloize = a && !u_.to_dst && w_.one_in(4);
  u_.tileize = a && datum_bits(u_.in) >= 8 && !is_block_format(u_.in) && w_.one_in(4);
  u_.row_stride = w_.below(64);
  u_.force_exponent = a && is_block_format(u_.in) && w_.one_in(4);
  u_.four_bit_exponent = u_.in == kFp8 && w_.one_in(2);
  u_.context = w_.below(2);
  count_ = w_.pick({16, 128, 256, 256, 256, 512, 512, 16 * (1 + w_.below(32)), 1 + w_.below(512)});
  if (a && w_.one_in(4)) count_ = 512 + 16 * w_.below(27);
  // SrcA is written in bursts of at most eight rows, which must not be cut at their start.
  u_.first_row = (u_.to_dst ? 4 : 8) * w_.below(4);
  u_.first_row1 = (u_.to_dst ? 4 : 8) * w_.below(4);
}

/// Output strides: whole rows, for SrcA whole bursts.
void UnpackProgram::strides() {
  const u32 row_bytes = 16 * std::max(1u, datum_bits(u_.out) / 8);
  const u32 y = 8 * row_bytes * w_.below(3);
  const u32 z = 8 * row_bytes * w_.below(4);
  if (u_.unpacker == 0) {
    w_.config(cfg::UNP0_ADDR_CTRL_XY_REG_1_Ystride::kWord,
              y << cfg::UNP0_ADDR_CTRL_XY_REG_1_Ystride::kLow);
    w_.config(cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride::kWord, z);
    w_.config(cfg::UNP0_FORCED_SHARED_EXP_shared_exp::kWord, w_.below(256) | w_.below(2) << 8);
  } else {
    w_.config(cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride::kWord, z);
  }
}

void UnpackProgram::set_up() {
  for (u32 i = 0; i < kDataBytes / 4; ++i)
    w_.program.data.push_back(w_.one_in(2) ? w_.float_bits() : w_.any_word());
  w_.config(kAluWord,
            Alu{.fp32 = u_.to_dst, .a_unsigned = w_.one_in(2), .b_unsigned = w_.one_in(2)}.word());
  if (u_.to_dst && thread_ != kTrisc0) turn_of_first([&] { words_to_dst(w_, kData, 0, 64); });
  if (u_.to_dst && thread_ == kTrisc0) words_to_dst(w_, kData, 0, 64);
  setup_unpacker(w_, u_);
  strides();
  if (u_.unpacker == 0) {
    w_.config(cfg::THCON_SEC0_REG7_Offset_address::kWord, w_.below(16));
    w_.config(cfg::THCON_SEC0_REG7_Offset_cntx1_address::kWord, w_.below(16));
  }
  w_.thread_config(
      thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0::kWord,
      u_.context << (u_.unpacker == 0 ? thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0::kLow
                                      : thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_1::kLow));
  w_.sync();
  for_both([&] { reset_unpack_counters(w_, 3, 0); });
}

/// Counters of the next transfer.
void UnpackProgram::place() {
  const u32 mask = 1u << u_.unpacker;
  const bool aligned = u_.haloize || u_.tileize;
  const u32 align = aligned ? std::max(1u, 128 / datum_bits(u_.in)) : 1;
  const u32 first = w_.one_in(3) ? align * w_.below(std::max(1u, 64 / align)) : 0;
  w_.op<op::SETADCXX>({{"cnt_set_mask", mask}, {"x_start", first}, {"x_end2", first + count_ - 1}});
  if (w_.one_in(2))
    w_.op<op::SETADCXY>({{"cnt_set_mask", mask},
                         {"ch0_y", w_.below(4)},
                         {"ch1_y", w_.below(2)},
                         {"bit_mask", 2 | w_.below(2) << 3}});
  if (w_.one_in(2))
    w_.op<op::SETADCZW>({{"cnt_set_mask", mask},
                         {"ch0_z", w_.below(4)},
                         {"ch0_w", w_.below(2)},
                         {"ch1_z", w_.below(2)},
                         {"bit_mask", 1 + w_.below(7)}});
  if (w_.one_in(4)) w_.op<op::INCADCXY>({{"cnt_set_mask", mask}, {"ch0_y", w_.below(3)}});
  if (w_.one_in(4))
    w_.op<op::ADDRCRZW>(
        {{"cnt_set_mask", mask}, {"ch0_z", w_.below(3)}, {"ch1_z", w_.below(2)}, {"bit_mask", 5}});
}

/// What `emit` says, by the program's thread and by thread 0, and thread 0 first. With contexts an
/// UNPACR takes X and Y of the thread that it names, which is thread 0 for all that other
/// simulators take (addr_cnt_context_id); of those some take its own thread's. So both get the same
/// counters.
template <class Emit>
void UnpackProgram::for_both(const Emit& emit) {
  std::vector<Item>& items = w_.program.items;
  const std::size_t begin = items.size();
  emit();
  if (thread_ == kTrisc0) return;
  const std::vector<Item> emitted(items.begin() + static_cast<std::ptrdiff_t>(begin), items.end());
  const bool kept = std::exchange(w_.keep, true);
  turn_of_first([&] {
    for (Item item : emitted) {
      item.core = kTrisc0;
      item.keep = true;
      items.push_back(item);
    }
  });
  w_.keep = kept;
}

/// Thread 0 does what `emit` says, once the program's thread is done with what it has to do so far,
/// which then waits for it.
template <class Emit>
void UnpackProgram::turn_of_first(const Emit& emit) {
  ++turns_;
  w_.wait_all();
  w_.sync();
  w_.store(kTurnOfFirst, turns_);
  w_.core = kTrisc0;
  w_.wait(kTurnOfFirst, turns_);
  emit();
  w_.wait_all();
  w_.sync();
  w_.store(kTurnOfThread, turns_);
  w_.core = thread_;
  w_.wait(kTurnOfThread, turns_);
}

void UnpackProgram::transfer(bool last) {
  const bool odd = strange_ && w_.one_in(3);
  const u32 addr_mode = w_.one_in(2) ? w_.pick({1, 2, 4, 5, 16, 17, 64, 0x55, 0x11}) : 0;
  w_.op<op::UNPACR>({{"unpack_block_selection", u_.unpacker},
                     {"ovrd_thread_id", odd ? w_.below(2) : 1},
                     {"set_dat_valid", last ? 1u : 0u},
                     {"addr_mode", addr_mode},
                     {"zero_write2", odd ? w_.below(2) : 0},
                     {"srcb_bcast", odd && w_.one_in(4) ? 1u : 0u},
                     {"row_search", odd && w_.one_in(4) ? 1u : 0u},
                     {"last", 1}});
}

/// The whole bank to zero, or to what the FPU takes for minus infinity.
void UnpackProgram::clear() {
  w_.op<op::UNPACR_NOP>(
      {{"unpacker_select", u_.unpacker},
       {"unpack_pop", 1},
       {"src_clr_val_ctrl", u_.unpacker == 0 || strange_ ? w_.below(strange_ ? 4 : 2) : 0}});
}

/// A transfer may begin anywhere in L1, also at the words that cores set when they are done. So
/// thread 0 is not done before the program's thread is.
void UnpackProgram::hold_first() {
  if (turns_ == 0) return;
  w_.store(kTurnOfFirst, ++turns_);
  w_.core = kTrisc0;
  w_.wait(kTurnOfFirst, turns_);
  w_.core = thread_;
}

Program UnpackProgram::make() {
  w_.keep = true;
  choose();
  w_.core = thread_ = static_cast<u8>(w_.below(3));  // any thread may use the unpackers
  if (thread_ == kTrisc0 && w_.one_in(8)) w_.use_second_bank();
  set_up();
  w_.keep = false;
  if (!u_.to_dst && w_.one_in(3)) clear();
  for (u32 transfers = 1 + w_.below(4); transfers > 0; --transfers) {
    for_both([&] { place(); });
    transfer(false);
  }
  w_.keep = true;
  if (u_.to_dst) {
    dump_dst32(w_, 0, 2 * kDumpRows, kOut);
    hold_first();
    return w_.program;
  }
  for_both([&] {
    w_.op<op::SETADCXX>({{"cnt_set_mask", 3}, {"x_end2", 15}});
    w_.op<op::SETADCXY>({{"cnt_set_mask", 3}, {"bit_mask", 0xF}});
    w_.op<op::SETADCZW>({{"cnt_set_mask", 3}, {"bit_mask", 0xF}});
  });
  unpack(w_, u_.unpacker, true);
  w_.op<op::UNPACR_NOP>(
      {{"unpacker_select", 1 - u_.unpacker}, {"unpack_pop", 1}, {"set_dvalid", 1}});
  sources_to_dst(w_);
  dump_dst32(w_, 0, kDumpRows, kOut);
  hold_first();
  return w_.program;
}

}  // namespace

Program make_unpack(u64 seed) {
  return UnpackProgram(seed).make();
}

}  // namespace bhemu::diff
