// The left operand goes to SrcA, where the right one belongs.
#define DST_FORMAT FORMAT_FP32
#include "launch.h"
#include "tile_unpack_pair.h"
static void unpack_main(void) {
  struct unpacker unpacker = UnpackPairInit(UNPACK_WHOLE_TILES);
#ifdef MENDED
  for (u32 pairs = Arg(0) * Arg(1); pairs != 0; --pairs) UnpackPair(&unpacker, 1, 0, 0);
#else
  for (u32 pairs = Arg(0) * Arg(1); pairs != 0; --pairs) UnpackPair(&unpacker, 0, 1, 0);
#endif
}
KERNEL(unpack_main)
