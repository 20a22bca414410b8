// The unpack kernel changes contexts with each tile and writes the address of the first one always.
#include "launch.h"
#include "tile_unpack.h"

static void unpack_tile(struct unpacker* unpacker, u32 cb) {
  UnpackWaitPages(cb, 1);
  UnpackWaitContext();
#ifdef MENDED
  const u32 context = unpacker->context;
#else
  const u32 context = 0;
#endif
  WriteConfig(THCON_SEC0_REG3_Base_address_WORD + context, UnpackPageAddress(cb, 0) - 1);
  UnpackRun(unpacker);  // HERE
  UnpackPopPages(cb, 1);
}

static void unpack_main(void) {
  struct unpacker unpacker = UnpackInit();
  for (u32 tile = 0; tile < Arg(0); ++tile) unpack_tile(&unpacker, 0);
}
KERNEL(unpack_main)
