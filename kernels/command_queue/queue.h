// A command queue between a host and the card, in the manner of blackhole-py's: what its programs
// share. They run on BRISC by themselves, without firmware: a jump at address 0 leads to them.
#pragma once
#include "noc_regs.h"

// Words in L1 of the prefetch core. The host sets the first block before it lets the core go.
enum {
  QUEUE_PUT = 0x1000,  // bytes that the host has put into the ring so far, 64 bits
  QUEUE_RING_BYTES = 0x1010,
  QUEUE_RING = 0x1014,        // NoC address of the ring at the PCIe tile, low word
  QUEUE_COMPLETION = 0x1018,  // of the page that we write, low word
  QUEUE_HOST_MID = 0x101C,    // middle word of both
  QUEUE_PCIE_XY = 0x1020,
  QUEUE_OWN_XY = 0x1024,
  QUEUE_READY = 0x1028,     // we: 1 when the core polls
  QUEUE_FINISHED = 0x1040,  // workers add 1 each when they have finished
  QUEUE_STAGED = 0x1080,    // what is on its way to the host
  QUEUE_POLLED = 0x10C0,    // what was read of host memory to wait for
  QUEUE_RECORD = 0x20000,
};

// Words in L1 of a worker.
enum {
  WORKER_GO = 0x370,  // GO: run once
  WORKER_QUEUE_XY = 0x380,
  WORKER_VALUE = 0x400,  // what is added
  WORKER_SUM = 0x404,    // to this
  WORKER_RUNS = 0x408,
};
enum { GO = 0x80000000u };

// Place of the ring's read pointer in the completion page.
enum { COMPLETION_READ_POINTER = 16 };

// A record is a whole number of lines; the first is the header, then comes what is to be written.
enum { LINE = 64, HEADER_TARGETS = 16, MOST_TARGETS = 12 };
struct record {
  u8 op;
  u8 pad;
  u16 targets;  // tiles
  u32 total;    // bytes with the header
  u32 address;
  u32 size;  // bytes to be written
};
enum op {
  OP_PAD = 0,              // nothing: to the end of the ring
  OP_UNICAST_WRITE = 1,    // to `address` of each tile that is listed from +16
  OP_MULTICAST_WRITE = 2,  // to `address` of the rectangle at +16
  OP_RUN = 3,              // multicasts a word as OP_MULTICAST_WRITE; waits for `targets` workers
  OP_SIGNAL = 5,           // the word at +16 to `address` in the completion page
  OP_WAIT = 8,             // until the word at `address` of the completion page is that at +16
};

// Jumps in without firmware: local memory holds the stack.
#define STAND_ALONE(main_function)                                               \
  __attribute__((section(".text.start"), used, naked)) void _start(void) {       \
    __asm__("lui sp, 0xFFB02\n\taddi sp, sp, -16\n\tcall " #main_function "\n"); \
  }
