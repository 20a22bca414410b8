// The unpacker takes faces for 8 rows, math and pack kernels for 16.
#include "launch.h"
#include "tile_unpack.h"
#ifdef MENDED
enum { FACE_R_DIM = 16 };
#else
enum { FACE_R_DIM = 8 };
#endif
static void unpack_main(void) {
  struct unpacker unpacker = UnpackInit();
  TTI(SETADCXX, .cnt_set_mask = ADC_UNPACK0 | ADC_UNPACK1, .x_end2 = FACE_R_DIM * 16 - 1);
  for (u32 t = Arg(0); t != 0; --t) UnpackTile(&unpacker, 0);  // HERE
}
KERNEL(unpack_main)
