// A baby RISC-V core: its state and the interpreter's contract with the tile around it.
//
// Documents: BlackholeA0/TensixTile/BabyRISCV/ (README, InstructionSet, CSRs, MemoryOrdering).
// One instruction is one cycle here; `silicon` latencies come with the timing model.
// Not modelled: the L0 data cache and the instruction cache.
#pragma once

#include "base/fault.hpp"
#include "base/types.hpp"
#include "mem/arena.hpp"
#include "riscv/csr.hpp"
#include "riscv/vector_state.hpp"

namespace bhemu::riscv {

/// What an access or an instruction led to.
enum class Outcome : u8 {
  Ok,
  Blocked,  // cannot happen yet (FIFO full, mailbox empty, TTSync): pc stays, try again when woken
  Stop,     // a fault of severity Error was raised; pc stays at the offending instruction
};

struct Loaded {
  u32 value = 0;
  Outcome outcome = Outcome::Ok;
};

/// One predecoded instruction, 8 bytes.
/// `op` 0 means "not decoded yet". Register number 32 is the sink of writes to x0.
struct Decoded {
  u8 op = 0;
  u8 rd = 0;
  u8 rs1 = 0;
  u8 rs2 = 0;
  i32 imm = 0;
};
static_assert(sizeof(Decoded) == 8);

/// Code is decoded by lines of L1 (riscv/lines.hpp).
inline constexpr u32 kLineBytes = 64;
inline constexpr u32 kLineWords = kLineBytes / 4;

/// Entries from one line's words to the next line's.
inline constexpr u32 kLineStride = 32;

/// Behind a line's entries, from this one on, lie its words' own ops, a byte each: of an
/// instruction at the head of a loop the entry says Op::loop_head.
inline constexpr u32 kOwnOps = 18;

/// Where the interpreter finds decoded words: those of the line at `address` begin at
/// blocks[places[address / kLineBytes] * kLineStride]. At place 0 are words that are not decoded.
struct CodeTable {
  const u16* places = nullptr;  // kL1Size / kLineBytes
  const Decoded* blocks = nullptr;
};

inline constexpr u32 kLdmBase = 0xFFB00000;
constexpr u32 ldm_size_of(CoreId core) {
  return core >= CoreId::Trisc0 && core <= CoreId::Trisc2 ? 0x1000 : 0x2000;
}
/// Has an interrupt controller. (The same cores have the status CSRs of streams as plain storage.)
constexpr bool takes_interrupts(CoreId core) {
  return ldm_size_of(core) == 0x2000;
}

/// Plain data; a snapshot copies it. Hot fields first.
struct alignas(64) CoreState {
  CoreState() : CoreState(InZeroedMemory{}) {}
  explicit CoreState(InZeroedMemory zeroed) {
    if (zeroed.holds) return;
    x.fill(0);
    f.fill(0);
    ldm.fill(0);
    v = VectorState{};
  }

  std::array<u32, 33> x;  // x[0] stays 0; x[32] swallows writes to x0
  u32 pc = 0;
  Cycle cycle = 0;  // the cycle at which the next instruction executes
  u64 instret = 0;
  std::array<u32, 32> f;
  CsrState csr{};
  CoreId id = CoreId::Brisc;
  bool ldm_is_zero = true;  // no core has run with it, and nobody else has written to it
  // Whoever made the state vouches for it: nobody has run with it or written to a register.
  bool is_new = false;
  alignas(16) std::array<u8, 0x2000> ldm;
  VectorState v;  // TRISC2 only

  /// State after a reset that starts at `start_pc`: every register is zero, sp and gp too
  /// (SoftReset.md, "RISCV soft reset"). Seed 001 names values of sp and gp; they are what the boot
  /// code of the known firmware sets.
  /// `keeps_ldm`: local memory is spared (RISCV_DEBUG_REG_DISABLE_RESET).
  void reset(u32 start_pc, bool keeps_ldm = false);
  /// What the interrupt controller of RISCV B or NC does to its core: pc to the handler, the old
  /// pc kept for mret. The caller has checked `!csr.in_interrupt`.
  void enter_interrupt(u32 handler);
};

// ---------------------------------------------------------------------------------------------
// The interpreter is a template over a Bus, which the tile (or a test) supplies:
//
//   struct Bus {
//     static constexpr bool kRecord;        // true: call note_* below, and stop at stop_pc, a u32
//     static constexpr u32 kL1Bytes;        // at most kL1Size
//     u8* l1;                                // kL1Bytes bytes
//     const u8* l1_flags;                    // a byte per 64-byte line (mem/l1.hpp); a store may
//                                            // write l1 directly only where the byte is 0
//     const CodeTable& code;                 // may change with any call below
//     u32 ldm_size;                          // of this core
//     bool attention;                        // set by any call below: leave run() after this
//                                            // instruction (whether or not it was Blocked)
//     // Everything that is neither L1 nor the core's own LDM. `address` is aligned to `size`
//     // (the interpreter has raised the misaligned-access fault otherwise). size 1, 2, 4.
//     Loaded load(CoreState&, u32 address, u32 size);
//     Outcome store(CoreState&, u32 address, u32 size, u32 value);
//     // The same for a word that is read or written most often, where that needs nothing of the
//     // core's state and has no effect on it. False: nothing is done, and `load` (`store`) is
//     // to be called. The interpreter asks, too, unless it records; a bus that it alone runs on
//     // need not have them.
//     bool load_at_once(u32 address, u32& value, Cycle now);
//     bool store_at_once(u32 pc, u32 address, u32 value, Cycle now);
//     // A store to L1 whose line has flags: the tile's door. `bytes` may be up to 16 (vector).
//     Outcome store_l1(CoreState&, u32 address, const void* source, u32 bytes);
//     // `.ttinsn` of a TRISC: push the (already un-rotated) Tensix word to the core's own thread.
//     // (On BRISC it arrives as store(0xFFE40000), on NCRISC it is a fault.)
//     Outcome push_tensix(CoreState&, u32 word);
//     // Likewise the words of instructions from `pc` on, one a cycle from `now` on, as many as can
//     // be pushed at once. Returns how many.
//     u32 push_at_once(u32 pc, std::span<const u32> words, Cycle now);
//     // Live CSRs that the tile knows (tt_cfg_qstatus, tt_cfg_bstatus, tt_cfg_sstatus on TRISCs).
//     Loaded read_csr(CoreState&, u32 csr);
//     Outcome write_csr(CoreState&, u32 csr, u32 value);
//     // Decodes the word at `pc`, which is not; from now on whoever changes it has it forgotten.
//     void decode(u32 pc);
//     // Marks the line of `address` as holding code (sets L1::kCode): its words were translated.
//     void mark_code(u32 address);
//     // Raises; true means the core must stop (the handler returns Outcome::Stop).
//     bool raise(CoreState&, Rule, std::string text);
//     // ebreak and ecall: true when a debugger is there, for whom they are meant.
//     bool has_debugger();
//     // The core pauses after the instruction under way: sets attention.
//     void pause();
//     // It looked at a CSR that counts cycles or instructions: it may be timing something out, and
//     // will find another value when it looks again.
//     void note_clock();
//     // The core comes to the head of a loop (riscv/loop_heads.hpp). True, with `attention` set:
//     // leave before it is executed. A bus need not have it.
//     bool stop_at_head(u32 pc, Cycle now);
//     // Only when kRecord. The engine is looking for a polling loop it may park:
//     void note_load_l1(u32 address, u32 size);
//     void note_impure();                    // stored something,
//                                            // executed ebreak/ecall/wfi ... (not: fence)
//   };
//
// `run` executes instructions until state.cycle == until, or bus.attention, or an outcome other
// than Ok. Every executed instruction adds 1 to cycle and instret; a Blocked or Stop one adds
// nothing and leaves pc at it, and has had no effect at all (so it can be tried again).
// An LDM store that writes the bytes already there is not impure, nor is an atomic that leaves its
// word as it was. Writes to CSRs and all vector instructions are impure, so "the same state" means
// pc, x[1..31] and f; x[32] holds whatever was written to x0 last.
// ---------------------------------------------------------------------------------------------
template <class Bus>
Outcome run(CoreState& state, Bus& bus, Cycle until);

}  // namespace bhemu::riscv
