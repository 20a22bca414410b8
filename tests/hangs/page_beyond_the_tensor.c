// The reader fetches a page that the tensor does not have.
#include "dram_pages.h"
#include "launch.h"

#ifdef MENDED
enum { PAGE = 0 };
#else
enum { PAGE = 5 };
#endif

static void Fetch(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), 2048);
  NocRead(tensor.noc, DramPageXy(&tensor, PAGE), DramPageAddress(&tensor, PAGE), 0x100000,  // HERE
          2048);
  NocReadBarrier(tensor.noc);
}
KERNEL(Fetch)
