// The pack core wants room in the output buffer, whose consumer has taken one page and ended.
#include "cb.h"
#include "launch.h"

#if GUEST_CORE == CORE_TRISC2
static void Reserve(void) {
  const u32 pages = LocalCb(16)->fifo_num_pages;
  while (pages - CbPagesFilled(16) < 1) {  // HERE
  }
}
static void Pack(void) {
  const u32 received = StreamRegister(16, STREAM_TILES_RECEIVED);
  for (u32 i = 0; i < 4; ++i) {
    Reserve();
    Write32(received, Read32(received) + 1);
  }
}
KERNEL(Pack)
#else
static void Write(void) {
#ifdef MENDED
  for (u32 i = 0; i < 4; ++i) {
    CbWaitFront(16, 1);
    CbPopFront(16, 1);
  }
#else
  CbWaitFront(16, 1);
  CbPopFront(16, 1);
#endif
}
KERNEL(Write)
#endif
