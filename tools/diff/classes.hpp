// The classes of random programs.
#pragma once

#include <span>
#include <string_view>

#include "diff/program.hpp"

namespace bhemu::diff {

struct ProgramClass {
  const char* name;
  Program (*make)(u64 seed);
};

std::span<const ProgramClass> classes();
const ProgramClass* find_class(std::string_view name);

Program make_gpr(u64 seed);       // ThCon arithmetic, SETDMAREG, configuration by every way
Program make_adc(u64 seed);       // address counters, seen through what the packer reads
Program make_sync(u64 seed);      // semaphores, mutexes, stalls of one thread
Program make_threads(u64 seed);   // values that cores and threads pass to each other
Program make_frontend(u64 seed);  // MOP templates and replay
Program make_brisc(u64 seed);     // instructions that BRISC pushes to a thread
Program make_sfpu(u64 seed);
Program make_noc(u64 seed);  // within one tile
Program make_riscv(u64 seed);
Program make_pack(u64 seed);      // formats, ReLU, L1 accumulation
Program make_unpack(u64 seed);    // formats, modes, counters, contexts; sources and Dst out
Program make_fpu(u64 seed);       // every instruction of the matrix unit
Program make_pipeline(u64 seed);  // unpack, compute and pack in three threads
Program make_math(u64 seed);      // unpack to sources, FPU, pack: a pipeline in one thread

}  // namespace bhemu::diff
