// Reads pages of a tensor that is interleaved over the DRAM banks into a circular buffer.
// Arguments: address, first page, number of pages. READER_CB: the buffer.
#include "dram_pages.h"
#include "launch.h"

static void ReadPages(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), CbPageSize(READER_CB));
  const u32 first = Arg(1);
  const u32 end = first + Arg(2);
  for (u32 page = first; page < end; ++page) CbReadPage(READER_CB, &tensor, page);
}

KERNEL(ReadPages)
