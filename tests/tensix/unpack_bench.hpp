// The fixture of the unpacker tests: one tile in L1, described as vendor kernels describe it.
#pragma once

#include <gtest/gtest.h>

#include "numeric/format_unpack.hpp"
#include "tensix/data_bench.hpp"

namespace bhemu::tensix {

using numeric::Format;

inline constexpr u32 format_code(Format format) {
  return static_cast<u32>(format);
}

/// Everything a plain UNPACR depends on, with the values that kernels use.
struct TileSetup {
  u32 unpacker = 0;
  Format in = Format::Bf16;
  Format out = Format::Bf16;
  u32 x = 256, y = 1, z = 4, w = 1;
  u32 base = 0x100;  // 16-byte units, less one
  u32 offset = 0;
  u32 x_start = 0, x_end = 255;
  u32 destination = 64;
  bool by_address = true;
};

class Unpack : public ::testing::Test, public DataBench {
 protected:
  AdcUnit unit(u32 unpacker) const {
    return unpacker == 0 ? AdcUnit::Unpacker0 : AdcUnit::Unpacker1;
  }
  u32 data_address(const TileSetup& s) const { return (s.base + s.offset + 1) * 16; }

  void apply(const TileSetup& s) {
    const u32 section = s.unpacker * kThconSection;
    const u32 word = cfg::THCON_SEC0_REG0_TileDescriptor::kWord + section;
    set_word(word, format_code(s.in) | 1u << 4 | s.x << 16);
    set_word(word + 1, s.y | s.z << 16);
    set_word(word + 2, s.w);
    set_word(word + 3, 0);
    set<cfg::THCON_SEC0_REG2_Out_data_format>(format_code(s.out), section);
    set_word(
        cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0::kWord + section,
        words()[cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0::kWord + section] | 0x000F000F);
    for (u32 c = 0; c < 8; ++c)
      set_word(cfg::THCON_SEC0_REG3_Base_address::kWord + section + c, s.base);
    set<cfg::THCON_SEC0_REG7_Offset_address>(s.offset, section);
    set<cfg::THCON_SEC0_REG7_Offset_cntx1_address>(s.offset, section);
    if (s.unpacker == 0) {
      set_word(84, s.destination | s.destination << 16);
      set_word(85, s.destination | s.destination << 16);
      set_word(86, s.x | s.x << 16);
      set_word(87, s.x | s.x << 16);
    }
    set_thread<thread_cfg::SRCA_SET_SetOvrdWithAddr>(s.by_address);
    Adc& adc = DataBench::adc(unit(s.unpacker));
    adc.channel[0].x = s.x_start;
    adc.channel[1].x = s.x_end;
  }
  const ConfigWords& words() { return state().cfg.bank[0]; }

  /// The vendor kernels' form: multi-context mode, counters of thread 0.
  Completion unpack(u32 unpacker = 0, bool dvalid = false,
                    std::initializer_list<FieldValue> more = {}) {
    std::vector<FieldValue> fields = {{"unpack_block_selection", unpacker},
                                      {"ovrd_thread_id", 1},
                                      {"set_dat_valid", dvalid},
                                      {"last", 1}};
    fields.insert(fields.end(), more.begin(), more.end());
    u32 word = encode<op::UNPACR>();
    for (const FieldValue& f : fields) word |= encode<op::UNPACR>({f});
    Context context{state(), environment(), 0, 0, word};
    return execute(context, op::UNPACR{word});
  }
  Environment& environment() {
    local_.l1 = &l1;
    local_.faults = &faults;
    return local_;
  }
  SrcRow& src_a(u32 row) { return state().fpu.src_a.bank[state().fpu.src_a.unpack_bank][row]; }
  SrcRow& src_b(u32 row) { return state().fpu.src_b.bank[state().fpu.src_b.unpack_bank][row]; }
  void fill_bf16(u32 address, u32 count, u32 first = 0x3F80) {
    for (u32 i = 0; i < count; ++i) put16(address + 2 * i, static_cast<u16>(first + i));
  }

 private:
  Environment local_;
};

}  // namespace bhemu::tensix
