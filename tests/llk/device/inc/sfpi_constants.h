// Modes of the SFPU instructions, under the names that LLK's kernels use.
#pragma once

namespace sfpi {

constexpr unsigned SFP_DESTREG_STRIDE = 2;

constexpr unsigned SFPLOAD_MOD0_FMT_SRCB = 0;
constexpr unsigned SFPLOAD_MOD0_FMT_BOB32 = 12;
constexpr unsigned SFPLOAD_ADDR_MODE_NOINC = 7;
constexpr unsigned SFPSTORE_MOD0_FMT_SRCB = 0;
constexpr unsigned SFPSTORE_MOD0_FMT_BOB32 = 4;

constexpr unsigned SFPLOADI_MOD0_FLOATB = 0;
constexpr unsigned SFPLOADI_MOD0_FLOATA = 1;
constexpr unsigned SFPLOADI_MOD0_USHORT = 2;
constexpr unsigned SFPLOADI_MOD0_SHORT = 4;
constexpr unsigned SFPLOADI_MOD0_UPPER = 8;
constexpr unsigned SFPLOADI_MOD0_LOWER = 10;

constexpr unsigned SFPMAD_MOD1_NEGATE_VA = 1;

constexpr unsigned SFPEXEXP_MOD1_SET_CC_SGN_EXP = 2;
constexpr unsigned SFPEXEXP_MOD1_SET_CC_COMP_EXP = 8;

constexpr unsigned SFPARECIP_MOD1_RECIP = 0;
constexpr unsigned SFPARECIP_MOD1_COND_RECIP = 1;
constexpr unsigned SFPARECIP_MOD1_EXP = 2;

constexpr unsigned SFPMUL24_MOD1_LOWER = 0;
constexpr unsigned SFPMUL24_MOD1_UPPER = 1;

constexpr unsigned SFPIADD_MOD1_ARG_LREG_DST = 0;
constexpr unsigned SFPIADD_MOD1_ARG_IMM = 1;
constexpr unsigned SFPIADD_MOD1_ARG_2SCOMP_LREG_DST = 2;
constexpr unsigned SFPIADD_MOD1_CC_LT0 = 0;
constexpr unsigned SFPIADD_MOD1_CC_NONE = 4;
constexpr unsigned SFPIADD_MOD1_CC_GTE0 = 8;

constexpr unsigned SFPSETCC_MOD1_LREG_LT0 = 0;
constexpr unsigned SFPSETCC_MOD1_LREG_NE0 = 2;
constexpr unsigned SFPSETCC_MOD1_LREG_GTE0 = 4;
constexpr unsigned SFPSETCC_MOD1_LREG_EQ0 = 6;

constexpr unsigned SFPENCC_MOD1_EU_R1 = 0;

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

constexpr unsigned SFPSHFT2_MOD1_SUBVEC_SHFLROR1 = 3;
constexpr unsigned SFPSHFT2_MOD1_SUBVEC_SHFLSHR1 = 4;
constexpr unsigned SFPSHFT2_MOD1_SHFT_LREG = 5;
constexpr unsigned SFPSHFT2_MOD1_SHFT_IMM = 6;

constexpr unsigned SFPSWAP_MOD1_SWAP = 0;
constexpr unsigned SFPSWAP_MOD1_VEC_MIN_MAX = 1;

}  // namespace sfpi
