// Integer benchmark of one RISC-V core; runs on any of the five.
// Arguments: iterations, scratch address in L1, address of the checksum in L1.
#include "int_bench.h"
#include "launch.h"

static void Bench(void) {
  Write32(Arg(2), BenchRun((unsigned*)Arg(1), Arg(0)));
}

KERNEL(Bench)
