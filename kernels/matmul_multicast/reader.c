// NCRISC: the leader reads the whole right operand into circular buffer 1 (one page) and multicasts
// it to all other tiles; then every tile reads its rows of the left operand to circular buffer 0,
// once for every column of the output.
//
// Arguments: addresses of both operands, first row of tiles, number of rows, tiles of the inner
// dimension, columns of tiles, index of this tile, number of tiles. The tiles are the board's, 10
// rows of them from (1, 2): seven columns, then two of other kinds, then the rest.
// Semaphores, starting from 0: 0 tiles that are ready (at the leader), 1 operand is there.
#include "cb.h"
#include "launch.h"
#include "noc.h"
#include "semaphore.h"

enum { SEM_READY = 0, SEM_THERE = 1 };
enum { LEADER_X = 1, LEADER_Y = 2, LAST_Y = 11, GRID_ROWS = 10 };
enum { WEST_LAST_X = 7, EAST_FIRST_X = 10, WEST_TILES = 7 * GRID_ROWS, TILE_BYTES = 2048 };

static void ToAllOthers(u32 noc, u32 address, u32 size, u32 tiles) {
  const u32 east_columns = (tiles - WEST_TILES) / GRID_ROWS;
  const u32 west = NocRectangle(noc, LEADER_X, LEADER_Y, WEST_LAST_X, LAST_Y);
  const u32 east =
      NocRectangle(noc, EAST_FIRST_X, LEADER_Y, EAST_FIRST_X + east_columns - 1, LAST_Y);
  NocWriteMulticast(noc, address, west, address, size, WEST_TILES - 1);
  NocWriteMulticast(noc, address, east, address, size, tiles - WEST_TILES);
  NocWriteBarrier(noc);
}

static void Lead(u32 noc, u32 pages, u32 tiles) {
  const struct interleaved_dram right = InterleavedDram(noc, Arg(1), TILE_BYTES);
  const u32 buffer = CbWritePointer(1);
  for (u32 page = 0; page < pages; ++page) {
    NocRead(noc, DramPageXy(&right, page), DramPageAddress(&right, page),
            buffer + page * TILE_BYTES, TILE_BYTES);
  }
  NocReadBarrier(noc);
  SemaphoreWaitMin(SEM_READY, tiles - 1);
  ToAllOthers(noc, buffer, pages * TILE_BYTES, tiles);
  SemaphoreSet(SEM_THERE, 1);
  Fence();
  ToAllOthers(noc, SemaphoreAddress(SEM_THERE), 4, tiles);
}

static void Follow(u32 noc) {
  NocAtomicAdd(noc, NocXy(LEADER_X, LEADER_Y), SemaphoreAddress(SEM_READY), 1);
  NocAtomicBarrier(noc);
  SemaphoreWaitMin(SEM_THERE, 1);
}

static void ReadRow(u32 noc, const struct interleaved_dram* left, u32 row, u32 inner) {
  for (u32 page = row * inner; page < (row + 1) * inner; ++page) {
    CbReserveBack(0, 1);
    NocRead(noc, DramPageXy(left, page), DramPageAddress(left, page), CbWritePointer(0),
            TILE_BYTES);
    NocReadBarrier(noc);
    CbPushBack(0, 1);
  }
}

static void ReadAndShare(void) {
  const u32 noc = MyNoc();
  const u32 inner = Arg(4);
  const u32 columns = Arg(5);
  CbReserveBack(1, 1);
  if (Arg(6) == 0) {
    Lead(noc, inner * columns, Arg(7));
  } else {
    Follow(noc);
  }
  CbPushBack(1, 1);
  const struct interleaved_dram left = InterleavedDram(noc, Arg(0), TILE_BYTES);
  const u32 end = Arg(2) + Arg(3);
  for (u32 row = Arg(2); row < end; ++row) {
    for (u32 column = 0; column < columns; ++column) ReadRow(noc, &left, row, inner);
  }
}

KERNEL(ReadAndShare)
