// Reads pages of a tensor that is interleaved over the DRAM banks into a circular buffer.
// Arguments: address, first page, number of pages. READER_CB: the buffer.
#include "cb.h"
#include "launch.h"
#include "noc.h"

static void ReadPages(void) {
  const u32 noc = MyNoc();
  const u32 page_size = CbPageSize(READER_CB);
  const struct interleaved_dram tensor = InterleavedDram(noc, Arg(0), page_size);
  const u32 first = Arg(1);
  const u32 end = first + Arg(2);
  for (u32 page = first; page < end; ++page) {
    CbReserveBack(READER_CB, 1);
    NocRead(noc, DramPageXy(&tensor, page), DramPageAddress(&tensor, page),
            CbWritePointer(READER_CB), page_size);
    NocReadBarrier(noc);
    CbPushBack(READER_CB, 1);
  }
}

KERNEL(ReadPages)
