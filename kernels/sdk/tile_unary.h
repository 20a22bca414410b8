// TRISC1: kernels that take a tile to Dst, work on it with the vector unit and hand it on. Runtime
// argument: number of tiles.
#pragma once
#include "launch.h"
#include "tile_sfpu.h"

// UNARY_KERNEL(Name, fill, setup, statements): `setup` is done once, after the matrix unit's,
// `fill` brings a tile to Dst (MathCopyTile), the statements work on it.
#define UNARY_KERNEL(name, fill, setup, ...)        \
  static void name(void) {                          \
    MathStart();                                    \
    CopyInit();                                     \
    setup;                                          \
    for (u32 tiles = Arg(0); tiles != 0; --tiles) { \
      MathAcquireDst();                             \
      fill();                                       \
      __VA_ARGS__;                                  \
      MathReleaseDst();                             \
    }                                               \
  }                                                 \
  KERNEL(name)
