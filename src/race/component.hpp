// Who can act by itself in a tile, as far as order goes: a component is a part of the chip whose
// actions are in order among themselves and in no order with any other's, unless something makes
// one. Each has a place in a clock (clock.hpp).
//
// Documents: BlackholeA0/TensixTile/BabyRISCV/MemoryOrdering.md (cores: stores of each region of
// memory are processed by themselves), STALLWAIT.md (the wait gate is a thread's only program
// order; units complete by themselves), NoC/Counters.md (phases of a request).
#pragma once

#include "base/types.hpp"
#include "tensix/isa.hpp"

namespace bhemu::race {

/// Regions of memory that process a core's requests in order; between two of them nothing is in
/// order. The two sides of mailboxes are two regions; loads belong to the core's program.
enum class Region : u8 { L1, Config, Niu, Overlay, PcBuf, Mailbox, Push, Control, Dst };
inline constexpr unsigned kRegions = 9;
const char* name_of(Region region);

/// Parts of a Tensix thread that complete by themselves. What has a fixed latency behind the wait
/// gate (SETC16, RMWCIB, WRCFG, counters, semaphores, GPR arithmetic) is in order with the gate and
/// is the gate, with gaps checked by window.hpp.
enum class Part : u8 { Gate, Expander, Unpack0, Unpack1, Fpu, Sfpu, Pack, Thcon, Mover, Config };
inline constexpr unsigned kParts = 10;
const char* name_of(Part part);

/// A place in the clock of a tile. Cores first, then threads; requests of the NIUs have places that
/// are given out as they come (network.cpp).
using Component = u16;

inline constexpr Component kCoreStride = 1 + kRegions;
inline constexpr Component kFirstThreadPart = kCores * kCoreStride;
inline constexpr Component kHostComponent = kFirstThreadPart + kThreads * kParts;
inline constexpr Component kHostPosted = kHostComponent + 1;  // posted writes of the host
inline constexpr Component kFirstNoc = kHostPosted + 1;

/// What a core's program does, and its loads.
constexpr Component program_of(unsigned core) {
  return static_cast<Component>(core * kCoreStride);
}
/// What a region has processed of a core's stores.
constexpr Component store_of(unsigned core, Region region) {
  return static_cast<Component>(core * kCoreStride + 1 + static_cast<unsigned>(region));
}
constexpr Component part_of(unsigned thread, Part part) {
  return static_cast<Component>(kFirstThreadPart + thread * kParts + static_cast<unsigned>(part));
}
constexpr bool is_core_component(Component component) {
  return component < kFirstThreadPart;
}
constexpr bool is_thread_component(Component component) {
  return component >= kFirstThreadPart && component < kHostComponent;
}
constexpr bool is_noc_component(Component component) {
  return component >= kFirstNoc;
}
constexpr unsigned core_of_component(Component component) {
  return component / kCoreStride;
}
constexpr unsigned thread_of_component(Component component) {
  return (component - kFirstThreadPart) / kParts;
}
constexpr Part part_of_component(Component component) {
  return static_cast<Part>((component - kFirstThreadPart) % kParts);
}

/// Kinds of components, as a mask: what a row of edges.def speaks of.
namespace kind {
inline constexpr u32 Load = 1u << 0;         // a core's loads
inline constexpr u32 StoreL1 = 1u << 1;      // stores, by region
inline constexpr u32 StoreConfig = 1u << 2;  // configuration, GPRs, TDMA-RISC
inline constexpr u32 StoreNiu = 1u << 3;
inline constexpr u32 StoreOther = 1u << 4;  // overlay, PCBuf, mailbox, control, Dst
inline constexpr u32 Push = 1u << 5;
inline constexpr u32 Gate = 1u << 6;
inline constexpr u32 Expander = 1u << 7;
inline constexpr u32 Unpack = 1u << 8;
inline constexpr u32 Fpu = 1u << 9;
inline constexpr u32 Sfpu = 1u << 10;
inline constexpr u32 Pack = 1u << 11;
inline constexpr u32 Thcon = 1u << 12;
inline constexpr u32 Mover = 1u << 13;
inline constexpr u32 Config = 1u << 14;     // of the configuration unit, what lasts
inline constexpr u32 NocRead = 1u << 15;    // data of a read arriving
inline constexpr u32 NocSource = 1u << 16;  // source of a write being read
inline constexpr u32 NocWrite = 1u << 17;   // data of a write arriving
inline constexpr u32 NocPosted = 1u << 18;  // the same, posted
inline constexpr u32 NocAtomic = 1u << 19;
inline constexpr u32 Host = 1u << 20;
inline constexpr u32 NocReadSource = 1u << 21;  // source of a read being read, in another tile

inline constexpr u32 Store = StoreL1 | StoreConfig | StoreNiu | StoreOther;
inline constexpr u32 Core = Load | Store | Push;
inline constexpr u32 Unit = Unpack | Fpu | Sfpu | Pack | Thcon | Mover | Config;
inline constexpr u32 Thread = Gate | Expander | Unit;
inline constexpr u32 Noc = NocRead | NocReadSource | NocSource | NocWrite | NocPosted | NocAtomic;
inline constexpr u32 Any = Core | Thread | Noc | Host;
}  // namespace kind

/// The part of a thread that an instruction's effects belong to; `word` tells unpackers apart, and
/// what the scalar and the configuration unit finish behind the thread's back.
Part part_of_word(u32 word);

/// Block bits B0 to B8 of STALLWAIT that hold an instruction (STALLWAIT.md, "Block mask").
u16 blocked_by(u32 word);

}  // namespace bhemu::race
