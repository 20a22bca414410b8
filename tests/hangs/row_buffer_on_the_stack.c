// TRISC0 keeps a table of offsets for each tile on its stack, which has no room for it.
#include "launch.h"
#include "tile_unpack.h"
#ifdef MENDED
enum { ENTRIES = 32 };
#else
enum { ENTRIES = 960 };
#endif

static u32 __attribute__((noinline)) largest_offset(u32 tiles) {  // HERE
  volatile u32 offsets[ENTRIES];
  for (u32 i = 0; i < ENTRIES; ++i) offsets[i] = i * tiles;
  return offsets[ENTRIES - 1];
}

static void unpack_main(void) {
  struct unpacker unpacker = UnpackInit();
  const u32 tiles = Arg(0);
  for (u32 tile = 0; tile < tiles; ++tile) {
    if (largest_offset(tile) > 100000) return;
    UnpackTile(&unpacker, 0);
  }
}
KERNEL(unpack_main)
