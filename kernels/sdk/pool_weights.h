// BRISC, NCRISC: the weights that the matrix unit pools with.
#pragma once
#include "cb.h"

enum { POOL_WEIGHT_ONE = 0x3F80 };  // bf16

// A tile with the same bf16 number in the first row of every face and zeroes elsewhere, as the next
// page of a circular buffer.
static void CbPushPoolWeights(u32 cb, u32 bf16) {
  enum { FACE_BYTES = 512, FACE_ROW_BYTES = 32, TILE_BYTES = 2048 };
  CbReserveBack(cb, 1);
  const u32 tile = CbWritePointer(cb);
  for (u32 at = 0; at < TILE_BYTES; at += 4) {
    Write32(tile + at, at % FACE_BYTES < FACE_ROW_BYTES ? bf16 << 16 | bf16 : 0);
  }
  Fence();
  CbPushBack(cb, 1);
}
