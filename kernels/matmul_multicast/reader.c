// NCRISC: the leader reads the whole right operand into circular buffer 1 (one page) and multicasts
// it to all other tiles; then every tile reads its rows of the left operand to circular buffer 0,
// once for every column of the output.
//
// Arguments: addresses of both operands, first row of tiles, number of rows, tiles of the inner
// dimension, columns of tiles. The program runs on the whole grid; its first tile leads.
// Semaphores, starting from 0: 0 tiles that are ready (at the leader), 1 operand is there.
#include "dram_pages.h"
#include "grid.h"
#include "launch.h"
#include "semaphore.h"

enum { SEM_READY = 0, SEM_THERE = 1, TILE_BYTES = 2048 };

static void ToAllOthers(u32 noc, u32 address, u32 size) {
  GridMulticast(noc, address, size, 0, GridColumns(), 0, GridRows());
}

static void Lead(u32 noc, u32 pages) {
  const struct interleaved_dram right = InterleavedDram(noc, Arg(1), TILE_BYTES);
  const u32 buffer = CbWritePointer(1);
  for (u32 page = 0; page < pages; ++page) {
    NocRead(noc, DramPageXy(&right, page), DramPageAddress(&right, page),
            buffer + page * TILE_BYTES, TILE_BYTES);
  }
  NocReadBarrier(noc);
  SemaphoreWaitMin(SEM_READY, GridColumns() * GridRows() - 1);
  ToAllOthers(noc, buffer, pages * TILE_BYTES);
  SemaphoreSet(SEM_THERE, 1);
  Fence();
  ToAllOthers(noc, SemaphoreAddress(SEM_THERE), 4);
}

static void Follow(u32 noc) {
  NocAtomicAdd(noc, NocXy(GridX(0), GridY(0)), SemaphoreAddress(SEM_READY), 1);
  NocAtomicBarrier(noc);
  SemaphoreWaitMin(SEM_THERE, 1);
}

static void ReadAndShare(void) {
  const u32 noc = MyNoc();
  const u32 inner = Arg(4);
  const u32 columns = Arg(5);
  CbReserveBack(1, 1);
  if (MyX(noc) == GridX(0) && MyY(noc) == GridY(0)) {
    Lead(noc, inner * columns);
  } else {
    Follow(noc);
  }
  CbPushBack(1, 1);
  const struct interleaved_dram left = InterleavedDram(noc, Arg(0), TILE_BYTES);
  const u32 end = Arg(2) + Arg(3);
  for (u32 row = Arg(2); row < end; ++row) {
    for (u32 column = 0; column < columns; ++column) {
      for (u32 k = 0; k < inner; ++k) CbReadPage(0, &left, row * inner + k);
    }
  }
}

KERNEL(ReadAndShare)
