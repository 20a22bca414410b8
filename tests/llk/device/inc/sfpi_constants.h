// Modes of the SFPU instructions, under the names that kernels use.
#pragma once

namespace sfpi {

constexpr unsigned SFP_LREG_COUNT = 8;
constexpr unsigned SFP_DESTREG_STRIDE = 2;
constexpr unsigned SFP_DESTREG_COUNT = 0x400 / SFP_DESTREG_STRIDE;

constexpr unsigned SFPLOAD_MOD0_FMT_SRCB = 0;
constexpr unsigned SFPLOAD_MOD0_FMT_FP16A = 1;
constexpr unsigned SFPLOAD_MOD0_FMT_FP16B = 2;
constexpr unsigned SFPLOAD_MOD0_FMT_FP32 = 3;
constexpr unsigned SFPLOAD_MOD0_FMT_INT32 = 4;
constexpr unsigned SFPLOAD_MOD0_FMT_INT8 = 5;
constexpr unsigned SFPLOAD_MOD0_FMT_UINT16 = 6;
constexpr unsigned SFPLOAD_MOD0_FMT_HI16 = 7;
constexpr unsigned SFPLOAD_MOD0_FMT_INT16 = 8;
constexpr unsigned SFPLOAD_MOD0_FMT_LO16 = 9;
constexpr unsigned SFPLOAD_MOD0_FMT_BOB32 = 12;
constexpr unsigned SFPLOAD_MOD0_FMT_SM32 = 12;
constexpr unsigned SFPLOAD_MOD0_FMT_INT32_TO_SM = 12;
constexpr unsigned SFPLOAD_ADDR_MODE_NOINC = 7;

constexpr unsigned SFPSTORE_MOD0_FMT_SRCB = 0;
constexpr unsigned SFPSTORE_MOD0_FMT_FP16A = 1;
constexpr unsigned SFPSTORE_MOD0_FMT_FP16B = 2;
constexpr unsigned SFPSTORE_MOD0_FMT_FP32 = 3;
constexpr unsigned SFPSTORE_MOD0_FMT_INT32 = 4;
constexpr unsigned SFPSTORE_MOD0_FMT_INT8 = 5;
constexpr unsigned SFPSTORE_MOD0_FMT_UINT16 = 6;
constexpr unsigned SFPSTORE_MOD0_FMT_HI16 = 7;
constexpr unsigned SFPSTORE_MOD0_FMT_INT16 = 8;
constexpr unsigned SFPSTORE_MOD0_FMT_LO16 = 9;
constexpr unsigned SFPSTORE_MOD0_FMT_BOB32 = 4;
constexpr unsigned SFPSTORE_MOD0_FMT_SM32 = 12;
constexpr unsigned SFPSTORE_MOD0_FMT_INT32_TO_SM = 12;
constexpr unsigned SFPSTORE_MOD0_FMT_LO16_ONLY = 14;
constexpr unsigned SFPSTORE_MOD0_FMT_HI16_ONLY = 15;
constexpr unsigned SFPSTORE_ADDR_MODE_NOINC = 7;

constexpr unsigned SFPMOV_MOD1_COMPSIGN = 1;
constexpr unsigned SFPMOV_MOD1_CONFIG = 8;

constexpr unsigned SFPLOADI_MOD0_FLOATB = 0;
constexpr unsigned SFPLOADI_MOD0_FLOATA = 1;
constexpr unsigned SFPLOADI_MOD0_USHORT = 2;
constexpr unsigned SFPLOADI_MOD0_SHORT = 4;
constexpr unsigned SFPLOADI_MOD0_UPPER = 8;
constexpr unsigned SFPLOADI_MOD0_LOWER = 10;

constexpr unsigned SFPMAD_MOD1_OFFSET_NONE = 0;
constexpr unsigned SFPMAD_MOD1_NEGATE_VA = 1;
constexpr unsigned SFPMAD_MOD1_NEGATE_VC = 2;
constexpr unsigned SFPMAD_MOD1_SRCA_LREG7 = 4;
constexpr unsigned SFPMAD_MOD1_DST_LREG7 = 8;
constexpr unsigned SFPADD_MOD1_SRCA_LREG7 = 4;
constexpr unsigned SFPADD_MOD1_DST_LREG7 = 8;
constexpr unsigned SFPMUL_MOD1_SRCA_LREG7 = 4;
constexpr unsigned SFPMUL_MOD1_DST_LREG7 = 8;

constexpr unsigned SFPEXMAN_MOD1_PAD8 = 0;
constexpr unsigned SFPEXMAN_MOD1_PAD9 = 1;

constexpr unsigned SFPEXEXP_MOD1_DEBIAS = 0;
constexpr unsigned SFPEXEXP_MOD1_NODEBIAS = 1;
constexpr unsigned SFPEXEXP_MOD1_SET_CC_SGN_EXP = 2;
constexpr unsigned SFPEXEXP_MOD1_SET_CC_COMP_EXP = 8;
constexpr unsigned SFPEXEXP_MOD1_SET_CC_SGN_COMP_EXP = 10;

constexpr unsigned SFPSETEXP_MOD1_IMM = 1;
constexpr unsigned SFPSETEXP_MOD1_CPY = 2;
constexpr unsigned SFPSETMAN_MOD1_IMM = 1;
constexpr unsigned SFPSETSGN_MOD1_IMM = 1;

constexpr unsigned SFPABS_MOD1_INT = 0;
constexpr unsigned SFPABS_MOD1_FLOAT = 1;

constexpr unsigned SFPARECIP_MOD1_RECIP = 0;
constexpr unsigned SFPARECIP_MOD1_COND_RECIP = 1;
constexpr unsigned SFPARECIP_MOD1_EXP = 2;

constexpr unsigned SFPMUL24_MOD1_LOWER = 0;
constexpr unsigned SFPMUL24_MOD1_UPPER = 1;
constexpr unsigned SFPMUL24_MOD1_SRCA_LREG7 = 4;
constexpr unsigned SFPMUL24_MOD1_DST_LREG7 = 8;

constexpr unsigned SFPIADD_MOD1_ARG_LREG_DST = 0;
constexpr unsigned SFPIADD_MOD1_ARG_IMM = 1;
constexpr unsigned SFPIADD_MOD1_ARG_2SCOMP_LREG_DST = 2;
constexpr unsigned SFPIADD_MOD1_CC_LT0 = 0;
constexpr unsigned SFPIADD_MOD1_CC_NONE = 4;
constexpr unsigned SFPIADD_MOD1_CC_GTE0 = 8;

constexpr unsigned SFPSETCC_MOD1_LREG_LT0 = 0;
constexpr unsigned SFPSETCC_MOD1_IMM_BIT0 = 1;
constexpr unsigned SFPSETCC_MOD1_LREG_NE0 = 2;
constexpr unsigned SFPSETCC_MOD1_LREG_GTE0 = 4;
constexpr unsigned SFPSETCC_MOD1_LREG_EQ0 = 6;
constexpr unsigned SFPSETCC_MOD1_COMP = 8;

constexpr unsigned SFPENCC_IMM12_NEITHER = 0;
constexpr unsigned SFPENCC_IMM12_BOTH = 3;
constexpr unsigned SFPENCC_MOD1_EU_R1 = 0;
constexpr unsigned SFPENCC_MOD1_EC_R1 = 1;
constexpr unsigned SFPENCC_MOD1_EI_R1 = 2;
constexpr unsigned SFPENCC_MOD1_EU_RI = 8;
constexpr unsigned SFPENCC_MOD1_EC_RI = 9;
constexpr unsigned SFPENCC_MOD1_EI_RI = 10;

constexpr unsigned SFPPUSHC_MOD1_PUSH = 0;
constexpr unsigned SFPPUSHC_MOD1_REPLACE = 1;
constexpr unsigned SFPPOPC_MOD1_POP = 0;

constexpr unsigned SFPCONFIG_MOD1_ARG_IMM = 1;
constexpr unsigned SFPCONFIG_DEST_MACRO_INST0 = 0;
constexpr unsigned SFPCONFIG_DEST_MACRO_INST1 = 1;
constexpr unsigned SFPCONFIG_DEST_MACRO_INST2 = 2;
constexpr unsigned SFPCONFIG_DEST_MACRO_INST3 = 3;
constexpr unsigned SFPCONFIG_DEST_MACRO_SEQ0 = 4;
constexpr unsigned SFPCONFIG_DEST_MACRO_SEQ1 = 5;
constexpr unsigned SFPCONFIG_DEST_MACRO_SEQ2 = 6;
constexpr unsigned SFPCONFIG_DEST_MACRO_SEQ3 = 7;
constexpr unsigned SFPCONFIG_DEST_MACRO_CTRL = 8;
constexpr unsigned SFPCONFIG_SRC_RAND = 9;
constexpr unsigned SFPCONFIG_DEST_SFPU_CTRL = 15;

constexpr unsigned SFPLZ_MOD1_CC_NONE = 0;
constexpr unsigned SFPLZ_MOD1_CC_NE0 = 2;
constexpr unsigned SFPLZ_MOD1_CC_COMP = 8;
constexpr unsigned SFPLZ_MOD1_CC_EQ0 = 10;
constexpr unsigned SFPLZ_MOD1_NOSGN_MASK = 4;
constexpr unsigned SFPLZ_MOD1_NOSGN_CC_NONE = 4;
constexpr unsigned SFPLZ_MOD1_NOSGN_CC_NE0 = 6;
constexpr unsigned SFPLZ_MOD1_NOSGN_CC_COMP = 12;
constexpr unsigned SFPLZ_MOD1_NOSGN_CC_EQ0 = 14;

constexpr unsigned SFPSDIVP2_MOD1_ADD = 1;

constexpr unsigned SFPLUT_MOD0_SGN_UPDATE = 0;
constexpr unsigned SFPLUT_MOD0_SGN_RETAIN = 4;
constexpr unsigned SFPLUTFP32_MOD0_FP32_3ENTRY_TABLE = 0;
constexpr unsigned SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE1 = 2;
constexpr unsigned SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE2 = 3;
constexpr unsigned SFPLUTFP32_MOD0_FP16_3ENTRY_TABLE = 10;
constexpr unsigned SFPLUTFP32_MOD0_SGN_UPDATE = 0;
constexpr unsigned SFPLUTFP32_MOD0_SGN_RETAIN = 4;

constexpr unsigned SFPCAST_MOD1_SM32_TO_FP32_RNE = 0;
constexpr unsigned SFPCAST_MOD1_SM32_TO_FP32_RNS = 1;
constexpr unsigned SFPCAST_MOD1_INT32_TO_FP32_RNE = 0;
constexpr unsigned SFPCAST_MOD1_INT32_TO_FP32_RNS = 1;
constexpr unsigned SFPCAST_MOD1_INT32_ABS = 2;
constexpr unsigned SFPCAST_MOD1_INT32_TO_SM32 = 3;

constexpr unsigned SFPSTOCHRND_RND_EVEN = 0;
constexpr unsigned SFPSTOCHRND_RND_STOCH = 1;
constexpr unsigned SFPSTOCHRND_RND_ZERO = 2;
constexpr unsigned SFPSTOCHRND_MOD1_FP32_TO_FP16A = 0;
constexpr unsigned SFPSTOCHRND_MOD1_FP32_TO_FP16B = 1;
constexpr unsigned SFPSTOCHRND_MOD1_FP32_TO_UINT8 = 2;
constexpr unsigned SFPSTOCHRND_MOD1_FP32_TO_INT8 = 3;
constexpr unsigned SFPSTOCHRND_MOD1_INT32_TO_UINT8 = 4;
constexpr unsigned SFPSTOCHRND_MOD1_INT32_TO_INT8 = 5;
constexpr unsigned SFPSTOCHRND_MOD1_FP32_TO_UINT16 = 6;
constexpr unsigned SFPSTOCHRND_MOD1_FP32_TO_INT16 = 7;
constexpr unsigned SFPSTOCHRND_MOD1_CONV_MASK = 7;
constexpr unsigned SFPSTOCHRND_MOD1_IMM8 = 8;

constexpr unsigned SFPSHFT_MOD1_LOGICAL = 0;
constexpr unsigned SFPSHFT_MOD1_SHIFT_IMM = 0;
constexpr unsigned SFPSHFT_MOD1_SHIFT_LREGC = 1;
constexpr unsigned SFPSHFT_MOD1_ARITHMETIC = 2;
constexpr unsigned SFPSHFT_MOD1_SRC_LREGC = 4;
/// The word's own bits: the amount is the immediate, and VC is shifted.
constexpr unsigned SFPSHFT_MOD1_SHIFT_IMM_C = 5;

constexpr unsigned SFPSHFT2_MOD1_COPY4 = 0;
constexpr unsigned SFPSHFT2_MOD1_SUBVEC_CHAINED_COPY4 = 1;
constexpr unsigned SFPSHFT2_MOD1_SUBVEC_SHFLROR1_AND_COPY4 = 2;
constexpr unsigned SFPSHFT2_MOD1_SUBVEC_SHFLROR1 = 3;
constexpr unsigned SFPSHFT2_MOD1_SUBVEC_SHFLSHR1 = 4;
constexpr unsigned SFPSHFT2_MOD1_SHFT_LREG = 5;
constexpr unsigned SFPSHFT2_MOD1_SHFT_IMM = 6;

constexpr unsigned SFPSWAP_MOD1_SWAP = 0;
constexpr unsigned SFPSWAP_MOD1_VEC_MIN_MAX = 1;
constexpr unsigned SFPSWAP_MOD1_SUBVEC_MIN01_MAX23 = 2;
constexpr unsigned SFPSWAP_MOD1_SUBVEC_MIN02_MAX13 = 3;
constexpr unsigned SFPSWAP_MOD1_SUBVEC_MIN03_MAX12 = 4;
constexpr unsigned SFPSWAP_MOD1_SUBVEC_MIN0_MAX123 = 5;
constexpr unsigned SFPSWAP_MOD1_SUBVEC_MIN1_MAX023 = 6;
constexpr unsigned SFPSWAP_MOD1_SUBVEC_MIN2_MAX013 = 7;
constexpr unsigned SFPSWAP_MOD1_SUBVEC_MIN3_MAX012 = 8;
constexpr unsigned SFPSWAP_MOD1_VEC_MAX_MIN = 9;

constexpr unsigned CREG_IDX_0P837300003 = 8;
constexpr unsigned CREG_IDX_0 = 9;
constexpr unsigned CREG_IDX_1 = 10;
constexpr unsigned CREG_IDX_PRGM0 = 11;
constexpr unsigned CREG_IDX_PRGM1 = 12;
constexpr unsigned CREG_IDX_PRGM2 = 13;
constexpr unsigned CREG_IDX_PRGM3 = 14;
constexpr unsigned CREG_IDX_NEG_1 = CREG_IDX_PRGM0;
constexpr unsigned CREG_IDX_TILEID = 15;

}  // namespace sfpi
