// NCRISC: takes the pages of the tensor to be half as large as they are.
#include "dram_pages.h"
#include "launch.h"

#ifdef MENDED
enum { PAGE_SIZE = 2048 };
#else
enum { PAGE_SIZE = 1024 };
#endif

static void ReadAll(void) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), Arg(0), PAGE_SIZE);
  for (u32 page = 0; page < 16; ++page) CbReadPage(0, &tensor, page);  // HERE
}
KERNEL(ReadAll)
