// Clears a tile of Dst by blocks of sixteen rows, and gives the number of a row in place of that
// of a block: Dst has no such block, and nothing is cleared.
#include "launch.h"
#include "tensix.h"

enum { CLEAR_16_ROWS = 1, TILE = 2, ROWS_OF_A_TILE = 64, ROWS_OF_A_BLOCK = 16 };

static void Clear(void) {
#ifdef MENDED
  TTI(ZEROACC, .clear_mode = CLEAR_16_ROWS, .where = TILE * ROWS_OF_A_TILE / ROWS_OF_A_BLOCK);
#else
  TTI(ZEROACC, .clear_mode = CLEAR_16_ROWS, .where = TILE * ROWS_OF_A_TILE);  // HERE
#endif
}
KERNEL(Clear)
