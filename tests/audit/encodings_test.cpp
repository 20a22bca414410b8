// Drawn statements: bit layouts of instructions, from the encoding diagrams
// (Diagrams/Src/Bits32.lua) and the TT_ macros of the ISA pages. Each word is put together here by
// hand.
#include <gtest/gtest.h>

#include "noc/command.hpp"
#include "tensix/isa.hpp"

namespace bhemu::tensix {
namespace {

TEST(AuditEncodings, scalar_and_sync_instructions_have_the_documented_bits) {
  EXPECT_EQ((encode<op::RMWCIB2>({{"mask", 0xA5}, {"data", 0x3C}, {"cfg_reg_addr", 0x81}})),
            0xB5u << 24 | 0xA5u << 16 | 0x3Cu << 8 | 0x81u);
  EXPECT_EQ((encode<op::RMWCIB0>({{"mask", 1}})) >> 24, 0xB3u);
  EXPECT_EQ((encode<op::RMWCIB1>({{"mask", 1}})) >> 24, 0xB4u);
  EXPECT_EQ((encode<op::RMWCIB3>({{"mask", 1}})) >> 24, 0xB6u);
  EXPECT_EQ((encode<op::SEMWAIT>({{"stall_res", 0x155}, {"sem_sel", 0x81}, {"wait_sem_cond", 2}})),
            0xA6u << 24 | 0x155u << 15 | 0x81u << 2 | 2u);
  EXPECT_EQ((encode<op::ATGETM>({{"mutex_index", 0x1234}})), 0xA0u << 24 | 0x1234u);
  EXPECT_EQ((encode<op::SUBDMAREG>({{"op_a_reg_index", 5},
                                    {"op_b_reg_index", 63},
                                    {"result_reg_index", 33},
                                    {"op_b_is_const", 1}})),
            0x59u << 24 | 1u << 23 | 33u << 12 | 63u << 6 | 5u);
  EXPECT_EQ((encode<op::SHIFTDMAREG>({{"op_a_reg_index", 5},
                                      {"op_b_reg_index", 31},
                                      {"result_reg_index", 33},
                                      {"op_sel", 1},
                                      {"op_b_is_const", 1}})),
            0x5Cu << 24 | 1u << 23 | 1u << 18 | 33u << 12 | 31u << 6 | 5u);
  EXPECT_EQ((encode<op::LOADIND>({{"size_sel", 3},
                                  {"offset_index", 0x55},
                                  {"auto_inc_spec", 2},
                                  {"data_reg_index", 0x2A},
                                  {"addr_reg_index", 0x15}})),
            0x49u << 24 | 3u << 22 | 0x55u << 14 | 2u << 12 | 0x2Au << 6 | 0x15u);
  EXPECT_EQ((encode<op::STOREREG>({{"tdma_data_reg_index", 0x2A}, {"reg_addr", 0x3FFFF}})),
            0x67u << 24 | 0x2Au << 18 | 0x3FFFFu);
  EXPECT_EQ((encode<op::REG2FLOP>({{"size_sel", 1}, {"flop_index", 0x55}, {"reg_index", 0x2A}})),
            0x48u << 24 | 1u << 22 | 0x55u << 6 | 0x2Au);
  // SETDMAREG, special: ResultSize 23:22, WhichPackers 18:15, InputSource 14:11, InputHalfReg 10:8,
  // bit 7, ResultHalfReg 6:0.
  EXPECT_EQ((encode<op::SETDMAREG>({{"payload_sig_sel_size", 2},
                                    {"payload_sig_sel", 0xFu << 7 | 0xAu << 3 | 5u},
                                    {"set_signals_mode", 1},
                                    {"reg_index_16b", 0x41}})),
            0x45u << 24 | 2u << 22 | 0xFu << 15 | 0xAu << 11 | 5u << 8 | 1u << 7 | 0x41u);
  EXPECT_EQ((encode<op::ADDRCRXY>({{"cnt_set_mask", 5},
                                   {"thread_override", 2},
                                   {"ch1_y", 1},
                                   {"ch1_x", 2},
                                   {"ch0_y", 3},
                                   {"ch0_x", 4},
                                   {"bit_mask", 9}})),
            0x53u << 24 | 5u << 21 | 2u << 18 | 1u << 15 | 2u << 12 | 3u << 9 | 4u << 6 | 9u);
}

TEST(AuditEncodings, frontend_and_matrix_instructions_have_the_documented_bits) {
  EXPECT_EQ(
      (encode<op::REPLAY>(
          {{"start_idx", 17}, {"len", 0x2A}, {"execute_while_loading", 1}, {"load_mode", 1}})),
      0x04u << 24 | 17u << 14 | 0x2Au << 4 | 3u);
  EXPECT_EQ((encode<op::MOP_CFG>({{"zmask_hi16", 0xBEEF}})), 0x03u << 24 | 0xBEEFu);
  EXPECT_EQ((encode<op::GATESRCRST>({{"reset_srcb_gate_control", 1}})), 0x35u << 24 | 2u);
  EXPECT_EQ((encode<op::ZEROSRC>(
                {{"src_mask", 3}, {"bank_mask", 1}, {"write_mode", 1}, {"zero_val", 1}})),
            0x11u << 24 | 0x1Fu);
  // Blackhole's address modes have three bits, so AddrMod lies one bit lower than on Wormhole.
  EXPECT_EQ(
      (encode<op::MOVA2D>(
          {{"dest_32b_lo", 1}, {"src", 0x2A}, {"addr_mode", 5}, {"instr_mod", 2}, {"dst", 0x155}})),
      0x12u << 24 | 1u << 23 | 0x2Au << 17 | 5u << 14 | 1u << 13 | 0x155u);
}

TEST(AuditEncodings, vector_instructions_have_the_documented_bits) {
  EXPECT_EQ(
      (encode<op::SFPAND>({{"imm12_math", 5}, {"lreg_c", 6}, {"lreg_dest", 7}, {"instr_mod1", 1}})),
      0x7Eu << 24 | 5u << 12 | 6u << 8 | 7u << 4 | 1u);
  EXPECT_EQ((encode<op::SFPEXMAN>({{"lreg_c", 6}, {"lreg_dest", 7}, {"instr_mod1", 1}})),
            0x78u << 24 | 6u << 8 | 7u << 4 | 1u);
  // SFPLOADMACRO: MacroIndex 23:22 and VDLo 21:20 are one field here, Imm9 9:1 and VDHi 0 another.
  EXPECT_EQ((encode<op::SFPLOADMACRO>({{"lreg_ind", 2u << 2 | 3u},
                                       {"instr_mod0", 9},
                                       {"sfpu_addr_mode", 5},
                                       {"dest_reg_addr", 0x155u << 1 | 1u}})),
            0x93u << 24 | 2u << 22 | 3u << 20 | 9u << 16 | 5u << 13 | 0x155u << 1 | 1u);
  EXPECT_EQ((encode<op::SFPMULI>({{"imm16_math", 0x3F80}, {"lreg_dest", 7}, {"instr_mod1", 2}})),
            0x74u << 24 | 0x3F80u << 8 | 7u << 4 | 2u);
  EXPECT_EQ((encode<op::SFPSETMAN>(
                {{"imm12_math", 0xABC}, {"lreg_c", 6}, {"lreg_dest", 7}, {"instr_mod1", 1}})),
            0x83u << 24 | 0xABCu << 12 | 6u << 8 | 7u << 4 | 1u);
  EXPECT_EQ((encode<op::SFP_STOCH_RND>({{"rnd_mode", 2},
                                        {"lreg_src_b", 4},
                                        {"lreg_src_c", 4},
                                        {"lreg_dest", 7},
                                        {"instr_mod1", 3}})),
            0x8Eu << 24 | 2u << 21 | 4u << 12 | 4u << 8 | 7u << 4 | 3u);
  EXPECT_EQ((encode<op::SFPDIVP2>(
                {{"imm12_math", 0x81}, {"lreg_c", 6}, {"lreg_dest", 7}, {"instr_mod1", 1}})),
            0x76u << 24 | 0x81u << 12 | 6u << 8 | 7u << 4 | 1u);
  EXPECT_EQ((encode<op::SFPIADD>(
                {{"imm12_math", 0xFFF}, {"lreg_c", 6}, {"lreg_dest", 7}, {"instr_mod1", 1}})),
            0x79u << 24 | 0xFFFu << 12 | 6u << 8 | 7u << 4 | 1u);
  EXPECT_EQ((encode<op::SFPSHFT>(
                {{"imm12_math", 0xFFF}, {"lreg_c", 6}, {"lreg_dest", 7}, {"instr_mod1", 1}})),
            0x7Au << 24 | 0xFFFu << 12 | 6u << 8 | 7u << 4 | 1u);
  EXPECT_EQ((encode<op::SFPLOADI>({{"lreg_ind", 5}, {"instr_mod0", 8}, {"imm16", 0xCAFE}})),
            0x71u << 24 | 5u << 20 | 8u << 16 | 0xCAFEu);
  EXPECT_EQ((encode<op::SFPLUTFP32>({{"lreg_dest", 5}, {"instr_mod1", 6}})),
            0x95u << 24 | 5u << 4 | 6u);
  EXPECT_EQ(encode<op::SFPNOP>(), 0x8Fu << 24);
  EXPECT_EQ((encode<op::SFPPUSHC>({{"lreg_dest", 5}, {"instr_mod1", 6}})),
            0x87u << 24 | 5u << 4 | 6u);
}

}  // namespace
}  // namespace bhemu::tensix
