// Packs that come as near to breaking a rule as is right (tests/tools/rule_tests.def).
#include "tensix/pack_bench.hpp"

namespace bhemu::tensix {
namespace {

TEST_F(Pack, what_lies_next_to_what_faults_is_packed_in_silence) {
  const auto expect = [&](const char* what, std::initializer_list<FieldValue> fields, auto change) {
    first_pacr(fields, change);
    EXPECT_FALSE(faulted()) << what;
    EXPECT_EQ(packer().channel[0].y, 4) << what;
  };
  const auto nothing = [] {};
  expect("as kernels pack", {}, nothing);
  expect("context control 0", {{"ctxt_ctrl", 0}}, nothing);
  expect("no compression", {}, [&] { set<cfg::THCON_SEC0_REG1_Disable_zero_compress>(1); });
  expect("a format that the intermediate one goes into", {},
         [&] { set<cfg::THCON_SEC0_REG1_Out_data_format>(code(Format::Fp32)); });
  expect("the packer's rounding to nearest", {}, [&] {
    apply(Format::Bf16, Format::Bf16, true);
    set<cfg::ALU_ROUNDING_MODE_Gasket_srnd_en>(0);
  });
  expect("a threshold of zero", {}, [&] {
    set<cfg::STACC_RELU_ApplyRelu>(2);
    set<cfg::STACC_RELU_ReluThreshold>(0);
  });
  expect("a positive threshold", {}, [&] {
    set<cfg::STACC_RELU_ApplyRelu>(2);
    set<cfg::STACC_RELU_ReluThreshold>(0x3F80);
  });
  expect("one column", {}, [&] { packer().channel[1].x = 0; });
  expect("the last bytes of L1", {},
         [&] { set<cfg::THCON_SEC0_REG1_L1_Dest_addr>((kL1Size - 128) / 16 - 1); });
  expect("rows that begin at a multiple of four", {},
         [&] { set<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset>(4); });
}

TEST_F(Pack, int16_of_32_bit_dst_is_diagnosed_and_of_16_bit_dst_is_not) {
  for (const bool wide : {false, true}) {
    faults.clear();
    state().packer = PackerState{};
    packer() = Adc{};
    apply(Format::Int16, Format::Int16, wide);
    pacr();
    EXPECT_EQ(faulted(Rule::PackInt16From32), wide);
  }
}

TEST_F(Pack, a_new_output_format_for_the_next_tile_is_silent) {
  apply(Format::Bf16, Format::Bf16, false);
  pacr({{"last", 1}});
  set<cfg::THCON_SEC0_REG1_Out_data_format>(code(Format::Fp32));
  pacr();
  EXPECT_FALSE(faulted());
}

}  // namespace
}  // namespace bhemu::tensix
