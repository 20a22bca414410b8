// The fixture of the packer tests: configuration and counters as vendor kernels set them.
#pragma once

#include <gtest/gtest.h>

#include "numeric/format_codes.hpp"
#include "tensix/data_bench.hpp"

namespace bhemu::tensix {

using numeric::Format;

inline constexpr u32 code(Format format) {
  return static_cast<u32>(format);
}
inline constexpr u32 kTarget = 0x400;  // word 69, 16-byte units, less one
inline constexpr u32 kData = (kTarget + 1) * 16;

class Pack : public ::testing::Test, public DataBench {
 protected:
  /// As set_packer_config, set_packer_strides and configure_pack of vendor kernels.
  void apply(Format in, Format out, bool read_32b) {
    const u32 bytes = numeric::address_bytes_of(in);
    set<cfg::ALU_FORMAT_SPEC_REG2_Dstacc>(code(in));
    set<cfg::THCON_SEC0_REG1_In_data_format>(code(in));
    set<cfg::THCON_SEC0_REG1_Out_data_format>(code(out));
    set<cfg::THCON_SEC0_REG1_Disable_zero_compress>(1);
    set<cfg::THCON_SEC0_REG1_L1_Dest_addr>(kTarget | 1u << 31);
    set<cfg::THCON_SEC0_REG1_Exp_section_size>(numeric::is_bfp(out) ? 4 : 0);
    set<cfg::PCK_DEST_RD_CTRL_Read_32b_data>(read_32b);
    set<cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride>(16 * bytes);
    set<cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride>(256 * bytes);
    set<cfg::PCK0_ADDR_CTRL_ZW_REG_0_Wstride>(1024 * bytes);
    set<cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane>(16);
    set<cfg::PCK_EDGE_OFFSET_SEC0_mask>(0xFFFF);
    packer().channel[1].x = 15;
    set_thread<thread_cfg::ADDR_MOD_PACK_SEC0_YsrcIncr>(4);
    set_thread<thread_cfg::ADDR_MOD_PACK_SEC1_YsrcClear>(1);
    set_thread<thread_cfg::ADDR_MOD_PACK_SEC1_ZsrcIncr>(1);
  }
  Adc& packer() { return adc(AdcUnit::Packer); }

  void put_bf16(u32 row, u32 column, u32 value) {
    dst().write16(row, column, numeric::dst_from_bf16(static_cast<u16>(value)));
  }
  void put_fp32(u32 row, u32 column, u32 value) {
    dst().write32(row, column, numeric::dst_from_fp32(value));
  }
  /// Row r, column c of Dst holds BF16 0x4000 + 16 r + c.
  void fill_dst_bf16(u32 rows) {
    for (u32 r = 0; r < rows; ++r)
      for (u32 c = 0; c < 16; ++c) put_bf16(r, c, 0x4000 + 16 * r + c);
  }
  Completion pacr(std::initializer_list<FieldValue> fields = {}) { return run<op::PACR>(fields); }
  /// The first PACR of a packer that was set up for BF16 and then changed.
  template <class Change>
  void first_pacr(std::initializer_list<FieldValue> fields, Change change) {
    faults.clear();
    for (auto& bank : state().cfg.bank) bank.fill(0);
    state().packer = PackerState{};
    packer() = Adc{};
    apply(Format::Bf16, Format::Bf16, false);
    change();
    pacr(fields);
  }
  void close() { pacr({{"flush", 1}}); }
};

}  // namespace bhemu::tensix
