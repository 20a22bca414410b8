// Writes pages from a circular buffer to a tensor that is interleaved over the DRAM banks.
// Arguments: address, first page, number of pages. WRITER_CB: the buffer.
#include "dram_pages.h"
#include "launch.h"

static void WritePages(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), CbPageSize(WRITER_CB));
  const u32 first = Arg(1);
  const u32 end = first + Arg(2);
  for (u32 page = first; page < end; ++page) CbWritePage(WRITER_CB, &tensor, page);
}

KERNEL(WritePages)
