// A pipeline for programs of this folder: out = (a + b) * c in blocks of two tiles, the sums by way
// of circular buffer 24. A program that has a math or pack kernel of its own says so before this.
// Arguments of NCRISC: addresses of a, b, c, blocks; BRISC: address, blocks; TRISCs: blocks.
#pragma once
#include "launch.h"
enum { CB_A = 0, CB_B = 1, CB_C = 2, CB_SUMS = 24, CB_OUT = 16, BLOCK = 2 };

#if GUEST_CORE == CORE_NCRISC
#include "dram_pages.h"

static void FetchBlock(u32 cb, u32 address, u32 block) {
  const struct interleaved_dram tensor = InterleavedDram(MyNoc(), address, CbPageSize(cb));
  for (u32 i = 0; i < BLOCK; ++i) CbReadPage(cb, &tensor, block * BLOCK + i);
}
static void Reader(void) {
  for (u32 block = 0; block < Arg(3); ++block) {
    FetchBlock(CB_A, Arg(0), block);
    FetchBlock(CB_B, Arg(1), block);
    FetchBlock(CB_C, Arg(2), block);
  }
}
KERNEL(Reader)

#elif GUEST_CORE == CORE_BRISC
#include "dram_pages.h"

static void Writer(void) {
  const struct interleaved_dram out = InterleavedDram(MyNoc(), Arg(0), CbPageSize(CB_OUT));
  for (u32 page = 0; page < BLOCK * Arg(1); ++page) CbWritePage(CB_OUT, &out, page);
}
KERNEL(Writer)

#elif GUEST_CORE == CORE_TRISC0
#include "tile_unpack_pair.h"

static void Unpacker(void) {
  struct unpacker unpacker = UnpackPairInit(UNPACK_FACES);
  for (u32 block = 0; block < Arg(0); ++block) {
    for (u32 i = 0; i < BLOCK; ++i) UnpackPair(&unpacker, CB_A, CB_B, 0);
    for (u32 i = 0; i < BLOCK; ++i) UnpackPair(&unpacker, CB_SUMS, CB_C, 0);
  }
}
KERNEL(Unpacker)

#elif GUEST_CORE == CORE_TRISC1
#include "tile_fpu.h"
#ifndef OWN_MATH
static void AddBlock(void) {
  BINARY_INIT(ELWADD, 1, BROADCAST_NONE);
  for (u32 i = 0; i < BLOCK; ++i) {
    MathAcquireDst();
    BinaryTile(BROADCAST_NONE);
    MathReleaseDst();
  }
}
static void MultiplyBlock(void) {
  BINARY_INIT(ELWMUL, 4, BROADCAST_NONE);
  for (u32 i = 0; i < BLOCK; ++i) {
    MathAcquireDst();
    BinaryTile(BROADCAST_NONE);
    MathReleaseDst();
  }
}
#else
static void AddBlock(void);
static void MultiplyBlock(void);
#endif
static void Compute(void) {
  MathStart();
  for (u32 block = 0; block < Arg(0); ++block) {
    AddBlock();
    MultiplyBlock();
  }
}
KERNEL(Compute)

#else
#include "tile_pack.h"
#ifndef OWN_PACK
static void StoreTile(struct packer* packer, u32 cb) {
  PackTile(packer, cb);
}
#else
static void StoreTile(struct packer* packer, u32 cb);
#endif
static void Packer(void) {
  struct packer packer = PackInit();
  for (u32 block = 0; block < Arg(0); ++block) {
    for (u32 i = 0; i < BLOCK; ++i) StoreTile(&packer, CB_SUMS);
    for (u32 i = 0; i < BLOCK; ++i) StoreTile(&packer, CB_OUT);
  }
}
KERNEL(Packer)
#endif
