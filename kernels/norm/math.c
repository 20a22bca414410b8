// TRISC1. Arguments: rows of tiles, tiles in a row; common argument: epsilon (f32).
#include "launch.h"
#include "tile_rows.h"

// L0 = 1 / sqrt(L0 + L7)
static void SfpuRoot(void) {
  SfpuAdd(SFPU_L0, SFPU_L7, SFPU_L0);
  SfpuReciprocalRoot();
  TTI(SFPMOV, .lreg_c = SFPU_L1, .lreg_dest = SFPU_L0);
}

static void Norm(void) {
  const u32 width = Arg(1);
  MathStart();
  SfpuReciprocalRootInit();
  SfpuLoadScalar(SFPU_L7, CommonArg(0));
  for (u32 rows = Arg(0); rows != 0; --rows) {
    if (CENTRED) {
      POOL_ROW(POOL_SUM, width, );
      COMBINE_ROW(ELWSUB, 1, BROADCAST_COLUMN, width, );
    }
    COMBINE_ROW(ELWMUL, 4, BROADCAST_NONE, width, );
    POOL_ROW(POOL_SUM, width, SFPU_COLUMN(SfpuRoot()));
    COMBINE_ROW(ELWMUL, 4, BROADCAST_COLUMN, width, );
    COMBINE_ROW(ELWMUL, 4, BROADCAST_ROW, width, );
    if (CENTRED) COMBINE_ROW(ELWADD, 1, BROADCAST_ROW, width, );
  }
}

KERNEL(Norm)
