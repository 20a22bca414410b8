// Adds up its share of a table, whose first page and number of pages it takes for each other.
#include "launch.h"
#include "noc.h"
// Arguments: table, first page, pages, out, page of it.
enum { PAGE = 0x40000, SUM = 0x41000, PAGE_BYTES = 64 };

static void Add(void) {
  const u32 noc = MyNoc();
  const struct interleaved_dram table = InterleavedDram(noc, Arg(0), PAGE_BYTES);
  const struct interleaved_dram out = InterleavedDram(noc, Arg(3), PAGE_BYTES);
#ifdef MENDED
  const u32 first = Arg(1), pages = Arg(2);
#else
  const u32 first = Arg(2), pages = Arg(1);
#endif
  u32 sum = 0;
  for (u32 page = first; page < first + pages; ++page) {
    NocRead(noc, DramPageXy(&table, page), DramPageAddress(&table, page), PAGE, PAGE_BYTES);
    NocReadBarrier(noc);
    sum += Read32(PAGE);
  }
  for (u32 i = 0; i < 16; ++i) Write32(SUM + 4 * i, sum);
  Fence();
  NocWrite(noc, SUM, DramPageXy(&out, Arg(4)), DramPageAddress(&out, Arg(4)), PAGE_BYTES);
  NocWriteBarrier(noc);
}
KERNEL(Add)
