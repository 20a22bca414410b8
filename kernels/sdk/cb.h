// Circular buffers as the data-movement cores use them. Pages produced and consumed are counted in
// two scratch registers of the buffer's stream, 16 bits each; the pointers are the core's own.
#pragma once
#include "guest_types.h"
#include "ldm.h"
#include "mmio.h"

// The count of pages that are filled and not yet taken.
GUEST_INLINE u32 CbPagesFilled(u32 cb) {
  const u32 received = Read32(StreamRegister(cb, STREAM_TILES_RECEIVED));
  const u32 acked = Read32(StreamRegister(cb, STREAM_TILES_ACKED));
  return (received - acked) & 0xFFFF;
}

#if !IS_TRISC
GUEST_INLINE u32 CbPageSize(u32 cb) {
  return LocalCb(cb)->fifo_page_size;
}
GUEST_INLINE u32 CbWritePointer(u32 cb) {
  return LocalCb(cb)->fifo_wr_ptr;
}
GUEST_INLINE u32 CbReadPointer(u32 cb) {
  return LocalCb(cb)->fifo_rd_ptr;
}

// Waits until there is room for some pages.
GUEST_INLINE void CbReserveBack(u32 cb, u32 pages) {
  const u32 capacity = LocalCb(cb)->fifo_num_pages;
  while (capacity - CbPagesFilled(cb) < pages) {
  }
}

GUEST_INLINE u32 CbAdvance(const struct local_cb_interface* interface, u32 pointer, u32 pages) {
  pointer += pages * interface->fifo_page_size;
  return pointer < interface->fifo_limit ? pointer : pointer - interface->fifo_size;
}

GUEST_INLINE void CbPushBack(u32 cb, u32 pages) {
  const u32 received = StreamRegister(cb, STREAM_TILES_RECEIVED);
  Write32(received, Read32(received) + pages);
  LocalCb(cb)->fifo_wr_ptr = CbAdvance(LocalCb(cb), LocalCb(cb)->fifo_wr_ptr, pages);
}

// Waits until some pages are filled.
GUEST_INLINE void CbWaitFront(u32 cb, u32 pages) {
  while (CbPagesFilled(cb) < pages) {
  }
  InvalidateL1Cache();
}

GUEST_INLINE void CbPopFront(u32 cb, u32 pages) {
  const u32 acked = StreamRegister(cb, STREAM_TILES_ACKED);
  Write32(acked, Read32(acked) + pages);
  LocalCb(cb)->fifo_rd_ptr = CbAdvance(LocalCb(cb), LocalCb(cb)->fifo_rd_ptr, pages);
}
#endif
