// Programs for the matrix unit: both sources unpacked (all formats that a source can have), Dst
// filled with anything, random instructions of the FPU over it; out come Dst and both sources.
//
// The counters are followed while the program is written, because most instructions ask for
// aligned rows.
#include <array>

#include "diff/classes.hpp"
#include "diff/data_parts.hpp"

namespace bhemu::diff {
namespace {

using namespace tensix;

constexpr u32 kSourceData = 1024;
constexpr u32 kSourceBytes = 2048;  // of a source, formats of up to 16 bits
constexpr u32 kDumpAddress = kOut + 0x2000;
constexpr u32 kModes = 8;

struct Mode {
  u32 a = 0;
  bool a_cr = false;
  bool a_clear = false;
  u32 b = 0;
  bool b_cr = false;
  bool b_clear = false;
  u32 d = 0;
  bool d_cr = false;
  bool d_clear = false;
  bool d_to_cr = false;
  u32 fidelity = 0;
  bool fidelity_clear = false;
};

struct Counter {
  u32 now = 0;
  u32 kept = 0;

  void step(u32 by, bool clear, bool cr, bool to_cr, u32 rows) {
    if (clear)
      now = kept = 0;
    else if (cr)
      now = kept = (kept + by) % rows;
    else
      now = (now + by) % rows;
    if (to_cr) kept = now;
  }
};

/// One program in the making.
class FpuProgram {
 public:
  explicit FpuProgram(u64 seed) : w_(seed) {}
  Program make();

 private:
  void choose_formats();
  void choose_modes();
  void set_up();
  void source_data();
  void set_modes();
  void step();
  void strange_step();
  void element_wise();
  void product();
  void pool();
  void move_to_dst();
  void move_from_dst();
  void counters();
  void zero();

  void apply(u32 mode);
  void clear_valid(u32 mask, bool always = false);
  u32 pick_mode() { return w_.below(kModes); }
  u32 pick_clear() { return w_.one_in(10) ? can_clear(1 + w_.below(3)) : 0; }
  u32 can_clear(u32 mask) const;
  /// A row for a field, a multiple of `step`, so that it stays below 64 together with `counter`.
  u32 row_for(u32 counter, u32 step) { return w_.below((64 - counter) / step) * step; }
  bool five_bits() const { return a_ == kFp16 || a_ == kFp8; }

  Writer w_;
  u32 in_ = kBf16;
  u32 in_b_ = kBf16;
  std::array<u32, 2> out_{};  // of the unpackers
  u32 a_ = kBf16;             // what the matrix unit takes the sources for
  u32 b_ = kBf16;
  bool four_bit_exponent_ = false;
  Alu alu_;
  bool pool_ = false;      // SrcB is all ones
  bool fidelity_ = false;  // phases, which only products have
  bool strange_ = false;   // things that only bhemu knows
  u32 explicit_ = 0;       // formats of the sources come from the ALU's configuration
  u32 keep_denormals_ = 0;
  u32 keep_valid_ = 0;  // sources whose banks no instruction but CLEARDVALID gives back
  u32 offset_ = 0;      // of the matrix unit in Dst
  std::array<Mode, kModes> modes_;
  Counter row_a_;
  Counter row_b_;
  Counter row_d_;
  std::array<std::array<bool, 2>, 2> valid_{};
  std::array<u32, 2> bank_{};
  std::array<u32, 2> unpack_bank_{};
};

void FpuProgram::choose_formats() {
  strange_ = w_.one_in(10);
  pool_ = w_.one_in(5);
  in_ = w_.pick({kFp32, kBf16, kBf16, kBf16, kFp16, kFp16, kBfp8, kBfp4, kBfp2, kFp8, kInt8});
  if (pool_ && in_ != kBf16) in_ = kFp32;
  a_ = in_;
  if (in_ == kFp32) a_ = pool_ ? w_.pick({kTf32, kBf16}) : w_.pick({kTf32, kTf32, kBf16, kFp16});
  b_ = a_;
  in_b_ = in_;
  if (!five_bits() && in_ != kInt8 && in_ != kFp32 && !pool_ && w_.one_in(4))
    in_b_ = b_ = w_.pick({kBf16, kBfp8, kBfp4});
  out_ = {a_, b_};
  four_bit_exponent_ = in_ == kFp8 && w_.one_in(2);
  fidelity_ = w_.one_in(2);
  alu_ = {.src_a = a_,
          .src_b = b_,
          .dst = kBf16,
          .fp32 = in_ != kInt8 && w_.one_in(2),
          .int8 = in_ == kInt8,
          .a_unsigned = in_ == kInt8 && w_.one_in(2),
          .b_unsigned = in_ == kInt8 && w_.one_in(2)};
  explicit_ = w_.below(2);
  if (explicit_ != 0 && !five_bits() && in_ != kInt8 && w_.one_in(3)) {
    // The ALU may take the data for another format of eight bits of exponent.
    alu_.src_a = a_ = w_.pick({kBf16, kBfp8, kTf32});
    alu_.src_b = b_ = w_.pick({kBf16, kBfp8, kTf32});
  }
  keep_denormals_ =
      !pool_ && datum_bits(in_) < 32 && datum_bits(in_b_) < 32 && w_.one_in(8) ? 1 : 0;
  const bool wide = alu_.fp32 || alu_.int8;
  offset_ = 64 * w_.below(3) + (w_.one_in(3) ? wide ? 256 : 512 : 0);
}

void FpuProgram::choose_modes() {
  for (u32 i = 0; i + 1 < kModes; ++i) {
    Mode& m = modes_[i];
    m.a = 16 * w_.below(3);
    m.a_cr = w_.one_in(6);
    m.a_clear = w_.one_in(8);
    m.b = 8 * w_.below(4);
    m.b_cr = w_.one_in(6);
    m.b_clear = w_.one_in(8);
    m.d = 8 * w_.below(3);
    m.d_to_cr = w_.one_in(6);
    m.d_cr = !m.d_to_cr && w_.one_in(6);
    m.d_clear = !m.d_to_cr && w_.one_in(8);
    m.fidelity = fidelity_ ? w_.below(4) : 0;
    m.fidelity_clear = w_.one_in(8);
  }
}

void FpuProgram::set_modes() {
  for (u32 i = 0; i < kModes; ++i) {
    const Mode& m = modes_[i];
    w_.thread_config(thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord + i,
                     m.a | u32{m.a_cr} << 6 | u32{m.a_clear} << 7 | m.b << 8 | u32{m.b_cr} << 14 |
                         u32{m.b_clear} << 15);
    w_.thread_config(thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + i,
                     m.d | u32{m.d_cr} << 10 | u32{m.d_clear} << 11 | u32{m.d_to_cr} << 12 |
                         m.fidelity << 13 | u32{m.fidelity_clear} << 15);
  }
}

/// The lowest bit of every datum of 8 or 16 bits that is zero but for a sign.
u32 zeros(u32 word, u32 width) {
  u32 found = 0;
  for (u32 low = 0; low < 32 && width <= 16; low += width)
    if (bits(word, low, width - 1) == 0) found |= 1u << low;
  return found;
}

/// Up to four sources one after the other: A and B, and for the narrow formats another pair.
void FpuProgram::source_data() {
  auto& data = w_.program.data;
  const u32 bytes = datum_bits(in_) == 32 ? 2 * kSourceBytes : kSourceBytes;
  for (u32 source = 0; source < 4; ++source) {
    std::vector<u32> words = random_data(w_, source % 2 == 0 ? in_ : in_b_, kSourceData);
    if (pool_ && source % 2 == 1)
      for (u32& word : words) word = in_ == kBf16 ? 0x3F803F80 : 0x3F800000;
    words.resize(bytes / 4);
    // docs/DISAGREEMENTS.md, denormals kept: a zero in SrcB.
    if (keep_denormals_ != 0)
      for (u32& word : words) word |= zeros(word, datum_bits(in_));
    data.insert(data.end(), words.begin(), words.end());
  }
  if (data.size() > kDataBytes / 4) data.resize(kDataBytes / 4);
}

void FpuProgram::set_up() {
  source_data();
  // Data of the sources, as words, is also what Dst starts with.
  words_to_dst(w_, kData + 16 * w_.below(64), 0, 64);
  const u32 bytes = datum_bits(in_) == 32 ? 2 * kSourceBytes : kSourceBytes;
  for (u32 unpacker : {0u, 1u}) {
    Unpack u{.unpacker = unpacker, .in = unpacker == 0 ? in_ : in_b_, .out = out_[unpacker]};
    u.address = kData + unpacker * bytes;
    u.address1 = bytes == kSourceBytes ? u.address + 2 * bytes : u.address;
    u.four_bit_exponent = four_bit_exponent_;
    setup_unpacker(w_, u);
  }
  w_.config(cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr::kWord, 0);
  w_.config(kAluWord, alu_.word());
  set_modes();
  w_.thread_config(thread_cfg::DISABLE_IMPLIED_SRCA_FMT_Base::kWord, explicit_);
  w_.thread_config(thread_cfg::DISABLE_IMPLIED_SRCB_FMT_Base::kWord, explicit_);
  w_.thread_config(thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset::kWord, offset_);
  keep_valid_ = w_.one_in(10) ? w_.below(4) : 0;
  w_.thread_config(thread_cfg::CLR_DVALID_SrcA_Disable::kWord, keep_valid_);
  w_.config(cfg::DEST_ACCESS_CFG_zeroacc_absolute_tile_mode::kWord,
            w_.below(2) << cfg::DEST_ACCESS_CFG_zeroacc_absolute_tile_mode::kLow);
  // Products with denormals kept are refused by everybody.
  w_.config(cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src::kWord, keep_denormals_);
  w_.sync();
  reset_unpack_counters(w_, 3, kSourceData - 1);
  for (u32 unpacker : {0u, 1u}) {
    unpack(w_, unpacker, true);
    valid_[unpacker][0] = true;
    unpack_bank_[unpacker] = 1;
  }
  w_.op<op::SETRWC>({{"bit_mask", 0xF}});
}

void FpuProgram::apply(u32 mode) {
  const Mode& m = modes_[mode];
  row_a_.step(m.a, m.a_clear, m.a_cr, false, 64);
  row_b_.step(m.b, m.b_clear, m.b_cr, false, 64);
  row_d_.step(m.d, m.d_clear, m.d_cr, m.d_to_cr, 1024);
}

/// Of the sources in `mask`, those whose next bank is valid or the unpacker's next one: where banks
/// are kept, the two may fall out of step.
u32 FpuProgram::can_clear(u32 mask) const {
  u32 possible = 0;
  for (u32 source : {0u, 1u}) {
    const u32 next = bank_[source] ^ 1;
    if (valid_[source][next] || unpack_bank_[source] == next) possible |= 1u << source;
  }
  return mask & possible;
}

/// Banks given back; whatever the matrix unit has none of after that is unpacked again.
void FpuProgram::clear_valid(u32 mask, bool always) {
  for (u32 source : {0u, 1u}) {
    if ((mask >> source & 1) == 0) continue;
    if (!always && (keep_valid_ >> source & 1) != 0) {
      // The bank stays with the matrix unit, which goes on to its other one.
      bank_[source] ^= 1;
    } else {
      valid_[source][bank_[source]] = false;
      bank_[source] ^= 1;
    }
    if (valid_[source][bank_[source]]) continue;
    w_.thread_config(thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0::kWord, w_.pick({0, 1, 0x100}));
    unpack(w_, source, true);
    valid_[source][unpack_bank_[source]] = true;
    unpack_bank_[source] ^= 1;
  }
}

void FpuProgram::element_wise() {
  const u32 mode = pick_mode();
  const u32 clear = pick_clear();
  const u32 dst = 8 * w_.below(8);
  const u32 broadcast = w_.one_in(2) ? w_.below(4) : 0;
  u32 kind = fidelity_ && !w_.one_in(40) ? 2 : w_.below(3);
  // docs/DISAGREEMENTS.md, denormals kept: a subtraction makes it out of any zero.
  if (keep_denormals_ != 0 && kind == 1) kind = 0;
  const std::initializer_list<FieldValue> fields = {{"dst", dst},
                                                    {"addr_mode", mode},
                                                    {"instr_mod19", broadcast},
                                                    {"dest_accum_en", kind == 2 ? 0 : w_.below(2)},
                                                    {"clear_dvalid", clear}};
  if (kind == 0) w_.op<op::ELWADD>(fields);
  if (kind == 1) w_.op<op::ELWSUB>(fields);
  if (kind == 2) w_.op<op::ELWMUL>(fields);
  apply(mode);
  clear_valid(clear);
}

void FpuProgram::product() {
  if (a_ == kBfp2 || (keep_denormals_ != 0 && !strange_)) return element_wise();
  const u32 mode = pick_mode();
  const u32 clear = pick_clear();
  if (w_.one_in(4))
    w_.op<op::GAPOOL>({{"dst", 4 * w_.below(16)},
                       {"pool_addr_mode", mode},
                       {"instr_mod19", 1},
                       {"clear_dvalid", clear}});
  else
    w_.op<op::MVMUL>({{"dst", 8 * w_.below(8)},
                      {"addr_mode", mode},
                      {"instr_mod19", strange_ && w_.one_in(4) ? 1u : 0u},
                      {"clear_dvalid", clear}});
  apply(mode);
  clear_valid(clear);
}

void FpuProgram::pool() {
  if (!pool_) return product();
  const u32 mode = pick_mode();
  const u32 clear = pick_clear();
  w_.op<op::GMPOOL>({{"dst", 4 * w_.below(16)},
                     {"pool_addr_mode", mode},
                     {"instr_mod19", 1},
                     {"max_pool_index_en", strange_ && w_.one_in(4) ? 1u : 0u},
                     {"clear_dvalid", clear}});
  apply(mode);
  clear_valid(clear);
}

void FpuProgram::move_to_dst() {
  const u32 mode = pick_mode();
  const u32 low = a_ != kTf32 && !five_bits() && !alu_.fp32 && w_.one_in(6) ? 1 : 0;
  if (a_ == kInt8) return element_wise();
  // With Fp32_enabled cards take every source as TF32, ttsim 1.10.0 does not (DISAGREEMENTS.md).
  if (alu_.fp32 && (a_ != kTf32 || b_ != kTf32)) return element_wise();
  if (w_.one_in(2)) {
    w_.op<op::MOVA2D>({{"dst", 8 * w_.below(8)},
                       {"src", row_for(row_a_.now, 8)},
                       {"addr_mode", mode},
                       {"instr_mod", strange_ && w_.one_in(4) ? 0u : 2u},
                       {"dest_32b_lo", low}});
    return apply(mode);
  }
  if (b_ == kFp8 || b_ == kBfp2 || a_ == kBfp2) return element_wise();
  // Bits that only TF32 has, in a SrcB taken for another format (DISAGREEMENTS.md, MOVB2D).
  if (a_ == kTf32 && b_ != kTf32) return element_wise();
  const u32 kind = 2 + w_.below(4);
  w_.op<op::MOVB2D>({{"dst", 8 * w_.below(8)},
                     {"src", row_for(row_b_.now, (kind & 2) != 0 ? 8 : 4)},
                     {"addr_mode", mode},
                     {"movb2d_instr_mod", kind},
                     {"dest_32b_lo", low}});
  apply(mode);
}

void FpuProgram::move_from_dst() {
  const u32 mode = pick_mode();
  const u32 which = w_.below(3);
  const bool dst32 = alu_.fp32 || alu_.int8;
  if (which == 0) {
    w_.op<op::MOVB2A>({{"srca", row_for(row_a_.now, 4)},
                       {"srcb", row_for(row_b_.now, 4)},
                       {"addr_mode", mode},
                       {"instr_mod", 2}});
    return apply(mode);
  }
  if (keep_denormals_ != 0) return counters();
  // Between a 16-bit Dst and TF32, or a 32-bit Dst and FP16, nothing moves.
  if (a_ == kInt8 || a_ == kFp8 || a_ == kBfp2 || (a_ == kTf32) != dst32) return counters();
  const u32 dst = 4 * w_.below(16);
  if (which == 1)
    w_.op<op::MOVD2A>(
        {{"dst", dst}, {"src", row_for(row_a_.now, 4)}, {"addr_mode", mode}, {"instr_mod", 2}});
  else
    w_.op<op::MOVD2B>({{"dst", dst},
                       {"src", row_for(row_b_.now, 4)},
                       {"addr_mode", mode},
                       {"instr_mod", 2 * w_.below(2)}});
  apply(mode);
}

void FpuProgram::counters() {
  const u32 d = 8 * w_.below(2);
  if (w_.one_in(2)) {
    const u32 mask = w_.below(16);
    const u32 cr = mask & w_.below(8);
    const u32 b = 8 * w_.below(2);
    w_.op<op::SETRWC>({{"bit_mask", mask}, {"rwc_cr", cr}, {"rwc_b", b}, {"rwc_d", d}});
    const auto set = [&](Counter& c, u32 bit, u32 value, u32 rows) {
      if ((mask >> bit & 1) == 0) return;
      c.now = c.kept = ((cr >> bit & 1) != 0 ? c.kept + value : value) % rows;
    };
    set(row_a_, 0, 0, 64);
    set(row_b_, 1, b, 64);
    set(row_d_, 2, d, 1024);
    return;
  }
  const bool cr = w_.one_in(3);
  const u32 b = 8 * w_.below(2);
  w_.op<op::INCRWC>({{"rwc_b", b}, {"rwc_d", d}, {"rwc_cr", cr ? 4u : 0u}});
  row_b_.step(b, false, false, false, 64);
  row_d_.step(d, false, cr, false, 1024);
}

void FpuProgram::zero() {
  const u32 mode = pick_mode();
  switch (w_.below(6)) {
    case 0:
      if (alu_.int8) return;
      w_.op<op::ZEROACC>({{"where", w_.below(64)}, {"addr_mode", mode}, {"clear_mode", 0}});
      return apply(mode);
    case 1:
      w_.op<op::ZEROACC>({{"where", w_.below(8)},
                          {"addr_mode", mode},
                          {"clear_mode", 1},
                          {"use_32_bit_mode", w_.below(2)}});
      return apply(mode);
    case 2:
      if (w_.one_in(2)) {
        const u32 mask = can_clear(1 + w_.below(3));
        if (mask == 0) return;
        w_.op<op::CLEARDVALID>({{"cleardvalid", mask}});
        return clear_valid(mask, true);
      }
      return w_.op<op::ZEROACC>({{"where", w_.below(2)}, {"clear_mode", 2}});
    case 3:
      return w_.op<op::ZEROSRC>(
          {{"src_mask", keep_denormals_ != 0 ? 1 : 1 + w_.below(3)}, {"write_mode", 1}});
    default:
      return w_.op<op::TRNSPSRCB>();
  }
}

void FpuProgram::strange_step() {
  const u32 mode = pick_mode();
  apply(mode);
  switch (w_.below(4)) {
    case 0:
      return w_.op<op::SHIFTXA>({{"shift_mode", w_.below(4)}, {"log2_amount2", w_.below(4)}});
    case 1:
      return w_.op<op::SHIFTXB>(
          {{"shift_row", w_.below(64)}, {"rot_shift", w_.below(2)}, {"addr_mode", mode}});
    case 2:
      return w_.op<op::DOTPV>({{"dst", 8 * w_.below(8)}, {"addr_mode", mode}});
    default:
      return w_.op<op::MOVDBGA2D>(
          {{"dst", 8 * w_.below(8)}, {"addr_mode", mode}, {"instr_mod", 2}});
  }
}

void FpuProgram::step() {
  if (strange_ && w_.one_in(6)) return strange_step();
  switch (w_.below(10)) {
    case 0:
    case 1:
      return product();
    case 2:
      return pool();
    case 3:
      return move_to_dst();
    case 4:
      return move_from_dst();
    case 5:
      return counters();
    case 6:
      return zero();
    default:
      return element_wise();
  }
}

Program FpuProgram::make() {
  choose_formats();
  choose_modes();
  w_.keep = true;
  if (w_.one_in(8)) w_.use_second_bank();
  set_up();
  w_.keep = false;
  for (u32 steps = 1 + w_.below(16); steps > 0; --steps) step();
  w_.keep = true;
  if (alu_.fp32 || alu_.int8)
    dump_dst32(w_, offset_, 128, kOut);
  else
    dump_dst16(w_, offset_, 256, kOut);
  sources_to_dst(w_);
  dump_dst32(w_, 0, 128, kDumpAddress);
  return w_.program;
}

}  // namespace

Program make_fpu(u64 seed) {
  return FpuProgram(seed).make();
}

}  // namespace bhemu::diff
