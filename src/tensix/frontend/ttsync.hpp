// Auto TTSync: holds back a TRISC's access to configuration, GPRs or TDMA-RISC while instructions
// that it has pushed before, and that use the same, have not passed the wait gate.
//
// Documents: BlackholeA0/TensixTile/BabyRISCV/AutoTTSync.md; RESOURCEDECL in tt-llk
// tt_llk_blackhole/instructions/assembly.yaml. The other direction, instructions that wait for
// accesses, needs nothing here: an access has always been carried out when the next one is pushed.
// So neither has RESOURCEDECL's linger time an effect.
#pragma once

#include "tensix/context.hpp"

namespace bhemu::tensix::frontend {

/// What is tracked: three parts of each bank of the configuration, GPRs, TDMA-RISC.
enum TrackedResource : u32 {
  kUnpacker0 = 1u << 0,
  kUnpacker1 = 1u << 1,
  kRemainder = 1u << 2,
  kWholeBank = kUnpacker0 | kUnpacker1 | kRemainder,
  kSecondBank = 3,  // how far the second bank's are shifted
  kBothBanks = kWholeBank | kWholeBank << kSecondBank,
  kTrackedGprs = 1u << 6,
  kTrackedTdma = 1u << 7,
};

/// The resources that an access of the thread's core counts as; 0: none that is tracked.
/// `window_index`: as in cfg.hpp.
u32 resources_of_config(const State& state, unsigned thread, u32 window_index);
u32 resources_of_gprs(const State& state, unsigned thread);
u32 resources_of_tdma(const State& state, unsigned thread);

/// The access has to wait.
bool must_wait(const State& state, unsigned thread, u32 resources, bool is_store);

/// Classes of instructions that RESOURCEDECL tells apart (assembly.yaml, "op_class"), as far as
/// others than Auto TTSync ask for them.
enum ResourceClass : u32 { kAtomics = 1, kIndirect = 3, kStoreRegister = 5, kLoadRegister = 6 };
u32 resource_class_of(u8 opcode);

/// RESOURCEDECL, as the frontend takes it.
void declare_resources(Frontend& frontend, u32 word);

}  // namespace bhemu::tensix::frontend
