// BRISC takes pages as tt-metal's dispatcher does: it looks at the count of pages once for several,
// keeps it in its local memory, copies the pages there as well, and decides later from what it has
// kept whether there is a page to read. Broken, the end that it keeps is a page too far; NCRISC is
// always far ahead, so in no run does anything come out wrong (ORDERING.md, row 66).
#include "atomics.h"
#include "races.h"

enum { PAGES = 12, WORDS = 16, PAGE = 4 * WORDS, COUNT = 0, FIRST = 0x40, WAIT = 6000 };

#if GUEST_CORE == CORE_NCRISC
static void Produce(void) {
  for (u32 i = 0; i < PAGES; ++i) {
    const u32 page = ScratchAddress(FIRST) + i * PAGE;
    for (u32 word = 0; word < WORDS; ++word) Write32(page + 4 * word, i + word);
    ReadBack(page + PAGE - 4);
    AtomicAdd(ScratchAddress(COUNT), 1);
  }
}
KERNEL(Produce)
#else
typedef struct {
  u32 seen, taken, end;
} Reader;

static void Consume(void) {
  for (u32 i = 0; i < WAIT; ++i) __asm__ volatile("nop");
  const u32 first = ScratchAddress(FIRST);
  volatile Reader reader = {0, 0, first};
  volatile u32 copy[WORDS];
  u32 sum = 0;
  for (u32 page = first; page != first + PAGES * PAGE; page += PAGE) {
    if (page == reader.end) {
      while ((reader.seen = Read32(ScratchAddress(COUNT))) == reader.taken) Fence();
      const u32 more = reader.seen - reader.taken;
      reader.taken += more;
      reader.end += (MENDED ? more : more + 1) * PAGE;
    }
    for (u32 word = 0; word < WORDS; ++word) copy[word] = Read32(page + 4 * word);
    for (u32 word = 0; word < WORDS; ++word) sum += copy[word];
  }
  Report(0x600D0000 + sum);
}
KERNEL(Consume)
#endif
