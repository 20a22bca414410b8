// BRISC, NCRISC: pages between interleaved DRAM tensors and circular buffers.
#pragma once
#include "cb.h"
#include "noc.h"

// A page of the tensor as the next page of a circular buffer.
GUEST_INLINE void CbReadPage(u32 cb, const struct interleaved_dram* tensor, u32 page) {
  CbReserveBack(cb, 1);
  NocRead(tensor->noc, DramPageXy(tensor, page), DramPageAddress(tensor, page), CbWritePointer(cb),
          CbPageSize(cb));
  NocReadBarrier(tensor->noc);
  CbPushBack(cb, 1);
}

// The oldest page of a circular buffer to a page of the tensor.
GUEST_INLINE void CbWritePage(u32 cb, const struct interleaved_dram* tensor, u32 page) {
  CbWaitFront(cb, 1);
  NocWrite(tensor->noc, CbReadPointer(cb), DramPageXy(tensor, page), DramPageAddress(tensor, page),
           CbPageSize(cb));
  NocWriteBarrier(tensor->noc);
  CbPopFront(cb, 1);
}
