// The math kernel sets up the address modes of the packer. They belong to a thread each, and the
// pack kernel relies on what it takes for set.
#include "launch.h"
#include "tile_pack.h"

static void configure(void) {
#ifdef MENDED
  TTI(SETC16, .setc16_reg = ADDR_MOD_PACK_SEC0_YsrcIncr_WORD,
      .setc16_value = 4 << ADDR_MOD_PACK_SEC0_YsrcIncr_LOW | 4 << ADDR_MOD_PACK_SEC0_YdstIncr_LOW);
  TTI(SETC16, .setc16_reg = ADDR_MOD_PACK_SEC1_YsrcIncr_WORD,
      .setc16_value = 1 << ADDR_MOD_PACK_SEC1_YsrcClear_LOW |
                      1 << ADDR_MOD_PACK_SEC1_YdstClear_LOW |
                      1 << ADDR_MOD_PACK_SEC1_ZsrcClear_LOW);
  TTI(SETC16, .setc16_reg = ADDR_MOD_PACK_SEC2_YsrcIncr_WORD,
      .setc16_value = 1 << ADDR_MOD_PACK_SEC2_YsrcClear_LOW | 4 << ADDR_MOD_PACK_SEC2_YdstIncr_LOW |
                      1 << ADDR_MOD_PACK_SEC2_ZsrcIncr_LOW);
#endif
  const u32 pacr = OP(PACR, .addr_mode = 0, .read_intf_sel = 0xF);
  ConfigureMop(
      (struct mop){.outer = TILE_FACES,
                   .inner = FACE_ROWS / 4,
                   .start = OP(NOP),
                   .end = OP(NOP),
                   .loop = pacr,
                   .last_inner = OP(PACR, .addr_mode = 2, .read_intf_sel = 0xF),
                   .last_outer = OP(PACR, .addr_mode = 1, .read_intf_sel = 0xF, .last = 1)});
}

static void pack_main(void) {
  PackConfigureStrides(1);
  configure();
  struct packer packer = PackStart();
  PackTiles(&packer, 16, Arg(0));  // HERE
}
KERNEL(pack_main)
