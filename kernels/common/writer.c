// Writes pages from a circular buffer to a tensor that is interleaved over the DRAM banks.
// Arguments: address, first page, number of pages. WRITER_CB: the buffer.
#include "cb.h"
#include "launch.h"
#include "noc.h"

static void WritePages(void) {
  const u32 noc = MyNoc();
  const u32 page_size = CbPageSize(WRITER_CB);
  const struct interleaved_dram tensor = InterleavedDram(noc, Arg(0), page_size);
  const u32 first = Arg(1);
  const u32 end = first + Arg(2);
  for (u32 page = first; page < end; ++page) {
    CbWaitFront(WRITER_CB, 1);
    NocWrite(noc, CbReadPointer(WRITER_CB), DramPageXy(&tensor, page),
             DramPageAddress(&tensor, page), page_size);
    NocWriteBarrier(noc);
    CbPopFront(WRITER_CB, 1);
  }
}

KERNEL(WritePages)
