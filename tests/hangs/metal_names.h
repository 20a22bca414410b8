// Functions under the names that kernels of tt-metal use, each of its own as there, so that
// programs of this folder look as those of people who come from there.
#pragma once
#include "cb.h"
#include "dram_pages.h"
#include "noc.h"
#include "semaphore.h"

GUEST_INLINE u32 get_semaphore(u32 index) {
  return SemaphoreAddress(index);
}
GUEST_INLINE void noc_semaphore_wait(u32 address, u32 value) {
  while (Read32(address) != value) InvalidateL1Cache();
}
GUEST_INLINE void noc_semaphore_wait_min(u32 address, u32 value) {
  while (Read32(address) < value) InvalidateL1Cache();
}
GUEST_INLINE void noc_semaphore_set(u32 address, u32 value) {
  Write32(address, value);
}
GUEST_INLINE void noc_semaphore_inc(u32 x, u32 y, u32 address, u32 addend) {
  NocAtomicAdd(MyNoc(), NocXy(x, y), address, addend);
}

GUEST_INLINE void noc_async_read(u32 x, u32 y, u32 address, u32 l1, u32 size) {
  NocRead(MyNoc(), NocXy(x, y), address, l1, size);
}
GUEST_INLINE void noc_async_write(u32 l1, u32 x, u32 y, u32 address, u32 size) {
  NocWrite(MyNoc(), l1, NocXy(x, y), address, size);
}
GUEST_INLINE void noc_async_read_page(const struct interleaved_dram* tensor, u32 page, u32 l1) {
  NocRead(tensor->noc, DramPageXy(tensor, page), DramPageAddress(tensor, page), l1,
          tensor->page_stride);
}
GUEST_INLINE void noc_async_write_page(u32 l1, const struct interleaved_dram* tensor, u32 page) {
  NocWrite(tensor->noc, l1, DramPageXy(tensor, page), DramPageAddress(tensor, page),
           tensor->page_stride);
}
GUEST_INLINE void noc_async_read_barrier(void) {
  NocReadBarrier(MyNoc());
}
GUEST_INLINE void noc_async_write_barrier(void) {
  NocWriteBarrier(MyNoc());
}
GUEST_INLINE void noc_async_atomic_barrier(void) {
  NocAtomicBarrier(MyNoc());
}

GUEST_INLINE void cb_reserve_back(u32 cb, u32 pages) {
  CbReserveBack(cb, pages);
}
GUEST_INLINE void cb_push_back(u32 cb, u32 pages) {
  CbPushBack(cb, pages);
}
GUEST_INLINE void cb_wait_front(u32 cb, u32 pages) {
  CbWaitFront(cb, pages);
}
GUEST_INLINE void cb_pop_front(u32 cb, u32 pages) {
  CbPopFront(cb, pages);
}
GUEST_INLINE u32 get_write_ptr(u32 cb) {
  return CbWritePointer(cb);
}
GUEST_INLINE u32 get_read_ptr(u32 cb) {
  return CbReadPointer(cb);
}
