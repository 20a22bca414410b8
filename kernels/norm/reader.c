// NCRISC. Arguments: addresses of input, scale and shift, first row of tiles, rows, tiles in a row,
// one over the columns (bf16).
#include "dram_pages.h"
#include "launch.h"
#include "norm.h"
#include "pool_weights.h"

static void ReadPages(u32 cb, u32 address, u32 first, u32 count) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), address, CbPageSize(cb));
  for (u32 page = first; page < first + count; ++page) CbReadPage(cb, &tensor, page);
}

static void ReadNorm(void) {
  const u32 width = Arg(5);
  CbPushPoolWeights(CB_WEIGHTS, Arg(6));
  ReadPages(CB_SCALE, Arg(1), 0, width);
  if (CENTRED) ReadPages(CB_SHIFT, Arg(2), 0, width);
  ReadPages(CB_INPUT, Arg(0), Arg(3) * width, Arg(4) * width);
}

KERNEL(ReadNorm)
