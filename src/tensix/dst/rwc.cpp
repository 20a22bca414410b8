#include "tensix/dst/rwc.hpp"

#include <fmt/format.h>

#include "tensix/dst/notes.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kSrcMask = kSrcRows - 1;
constexpr u32 kDstMask = kDstRows - 1;

struct CounterStep {
  u32 increment;
  bool carriage_return;
  bool clear;
  bool copy_to_return;  // Dst only
};

// Without branches: which of these an instruction asks for changes from one to the next.
template <class T>
void step(T& counter, T& copy, const CounterStep& how, u32 mask) {
  const u32 from = how.carriage_return && !how.copy_to_return ? copy : counter;
  const u32 next = how.clear ? 0 : (from + how.increment) & mask;
  counter = static_cast<T>(next);
  copy = how.carriage_return || how.clear || how.copy_to_return ? static_cast<T>(next) : copy;
}

template <class T>
void increment(T& counter, T& copy, u32 amount, bool carriage_return, u32 mask) {
  step(counter, copy, {amount, carriage_return, false, false}, mask);
}

}  // namespace

void apply_whole_addr_mod(Context& context, u32 addr_mode, bool update_fidelity) {
  const ThreadConfigWords& words = context.thread_config();
  Rwc& rwc = rwc_of(context);
  const u32 ab = words[thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord + addr_mode];
  const u32 dst = words[thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + addr_mode];
  const u32 bias = words[thread_cfg::ADDR_MOD_BIAS_SEC0_BiasIncr::kWord + addr_mode];
  step(rwc.src_a, rwc.src_a_cr, {bits(ab, 0, 6), bit(ab, 6), bit(ab, 7), false}, kSrcMask);
  step(rwc.src_b, rwc.src_b_cr, {bits(ab, 8, 6), bit(ab, 14), bit(ab, 15), false}, kSrcMask);
  step(rwc.dst, rwc.dst_cr, {bits(dst, 0, 10), bit(dst, 10), bit(dst, 11), bit(dst, 12)}, kDstMask);
  if (update_fidelity)
    rwc.fidelity = bit(dst, 15) ? 0 : static_cast<u8>((rwc.fidelity + bits(dst, 13, 2)) & 3);

  if (bit(bias, 4)) {
    rwc.bias = 0;
  } else if (bits(bias, 0, 2) != 0) {
    rwc.bias ^= 1;
    // On Wormhole the bit adds 4 to the index; nobody knows what it does on Blackhole.
    context.raise(Rule::FpuAddrModBias,
                  fmt::format("address mode {} toggles the bias bit", addr_mode));
  }
}

void flip_src_banks(Context& context, bool flip_a, bool flip_b) {
  const ThreadConfigWords& words = context.thread_config();
  FpuState& fpu = context.state.fpu;
  if (flip_a) fpu.src_a.flip_matrix_bank(!thread_cfg::CLR_DVALID_SrcA_Disable::get(words));
  if (flip_b) fpu.src_b.flip_matrix_bank(!thread_cfg::CLR_DVALID_SrcB_Disable::get(words));
}

Completion execute(Context& context, op::SETRWC insn) {
  Rwc& rwc = rwc_of(context);
  const u32 mask = insn.bit_mask();
  const u32 cr = insn.rwc_cr();
  // The counter values of A, B and Dst are the nibbles of the stack pointer, too (assembly.yaml).
  if (bit(mask, 4))
    rwc.sp = static_cast<u16>((insn.rwc_a() | insn.rwc_b() << 4 | insn.rwc_d() << 8) & kDstMask);
  if (bit(mask, 0))
    rwc.src_a = rwc.src_a_cr =
        static_cast<u8>((insn.rwc_a() + (bit(cr, 0) ? rwc.src_a_cr : 0)) & kSrcMask);
  if (bit(mask, 1))
    rwc.src_b = rwc.src_b_cr =
        static_cast<u8>((insn.rwc_b() + (bit(cr, 1) ? rwc.src_b_cr : 0)) & kSrcMask);
  if (bit(mask, 2) || bit(cr, 3)) {
    const u32 base = bit(cr, 3) ? rwc.dst : bit(cr, 2) ? rwc.dst_cr : 0;
    rwc.dst = rwc.dst_cr = static_cast<u16>((insn.rwc_d() + base) & kDstMask);
  }
  if (bit(mask, 3)) rwc.fidelity = 0;
  flip_src_banks(context, bit(insn.clear_ab_vld(), 0), bit(insn.clear_ab_vld(), 1));
  return Completion::Done;
}

Completion execute(Context& context, op::INCRWC insn) {
  Rwc& rwc = rwc_of(context);
  const u32 cr = insn.rwc_cr();
  increment(rwc.src_a, rwc.src_a_cr, insn.rwc_a(), bit(cr, 0), kSrcMask);
  increment(rwc.src_b, rwc.src_b_cr, insn.rwc_b(), bit(cr, 1), kSrcMask);
  increment(rwc.dst, rwc.dst_cr, insn.rwc_d(), bit(cr, 2), kDstMask);
  return Completion::Done;
}

/// Sets or increments the bias counter of address modes. The bit that counters carry (RWCs.md,
/// ExtraAddrModBit) is all that is known of it; how a value of 12 bits becomes that bit is not.
Completion execute(Context& context, op::SETIBRWC insn) {
  Rwc& rwc = rwc_of(context);
  const bool increment = insn.set_inc_ctrl() != 0;
  if (insn.rwc_bias() != 0 &&
      context.raise(Rule::FpuBiasValue,
                    fmt::format("{} {}", increment ? "add" : "set", insn.rwc_bias())))
    return Completion::Done;
  if (!increment) rwc.bias = 0;
  return Completion::Done;
}

// --- Footprints.

namespace {

using namespace footprint_cell;

/// As `step`.
void note_step(const Footprint& print, u32 counter, u32 copy, const CounterStep& how) {
  const u32 cells = print.thread * kRwcCells;
  if (how.clear) {
    print.write(Space::Rwc, cells + counter);
    print.write(Space::Rwc, cells + copy);
  } else if (how.copy_to_return) {
    print.update(Space::Rwc, cells + counter);
    print.write(Space::Rwc, cells + copy);
  } else if (how.carriage_return) {
    print.write(Space::Rwc, cells + counter);
    print.update(Space::Rwc, cells + copy);
  } else if (how.increment != 0) {
    print.update(Space::Rwc, cells + counter);
  }
}

/// SETRWC: the new value is the copy's and some.
void note_set(const Footprint& print, u32 counter, u32 copy, bool from_copy) {
  const u32 cells = print.thread * kRwcCells;
  print.write(Space::Rwc, cells + counter);
  print.note(from_copy ? Access::ReadWrite : Access::Write, Space::Rwc, cells + copy);
}

}  // namespace

void note_addr_mod(const Footprint& print, u32 addr_mode, bool update_fidelity) {
  const auto words = print.thread_config();
  const u32 ab = words[thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord + addr_mode];
  const u32 dst = words[thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + addr_mode];
  const u32 bias = words[thread_cfg::ADDR_MOD_BIAS_SEC0_BiasIncr::kWord + addr_mode];
  note_step(print, SrcACounter, SrcACr, {bits(ab, 0, 6), bit(ab, 6), bit(ab, 7), false});
  note_step(print, SrcBCounter, SrcBCr, {bits(ab, 8, 6), bit(ab, 14), bit(ab, 15), false});
  note_step(print, DstCounter, DstCr, {bits(dst, 0, 10), bit(dst, 10), bit(dst, 11), bit(dst, 12)});
  const u32 cells = print.thread * kRwcCells;
  if (update_fidelity && bit(dst, 15))
    print.write(Space::Rwc, cells + Fidelity);
  else if (update_fidelity && bits(dst, 13, 2) != 0)
    print.update(Space::Rwc, cells + Fidelity);
  if (bit(bias, 4))
    print.write(Space::Rwc, cells + Bias);
  else if (bits(bias, 0, 2) != 0)
    print.update(Space::Rwc, cells + Bias);
}

void note_flips(const Footprint& print, bool flip_a, bool flip_b) {
  const auto words = print.thread_config();
  const auto note = [&](u32 file, bool keeps) {
    const u32 cells = file * kSrcCells;
    if (!keeps) print.write(Space::SrcControl, cells + Owner0 + src_file(print, file).matrix_bank);
    print.update(Space::SrcControl, cells + MatrixBank);
  };
  if (flip_a) note(0, thread_cfg::CLR_DVALID_SrcA_Disable::get(words) != 0);
  if (flip_b) note(1, thread_cfg::CLR_DVALID_SrcB_Disable::get(words) != 0);
}

void note_last_src_a_row(const Footprint& print) {
  print.write(Space::Rwc, LastSrcARow);
}

void footprint(const Footprint& print, op::SETRWC insn) {
  const u32 mask = insn.bit_mask();
  const u32 cr = insn.rwc_cr();
  const u32 cells = print.thread * kRwcCells;
  if (bit(mask, 4)) print.write(Space::Rwc, cells + StackPointer);
  if (bit(mask, 0)) note_set(print, SrcACounter, SrcACr, bit(cr, 0));
  if (bit(mask, 1)) note_set(print, SrcBCounter, SrcBCr, bit(cr, 1));
  if (bit(cr, 3)) {
    print.update(Space::Rwc, cells + DstCounter);
    print.write(Space::Rwc, cells + DstCr);
  } else if (bit(mask, 2)) {
    note_set(print, DstCounter, DstCr, bit(cr, 2));
  }
  if (bit(mask, 3)) print.write(Space::Rwc, cells + Fidelity);
  note_flips(print, bit(insn.clear_ab_vld(), 0), bit(insn.clear_ab_vld(), 1));
}

void footprint(const Footprint& print, op::INCRWC insn) {
  const u32 cr = insn.rwc_cr();
  note_step(print, SrcACounter, SrcACr, {insn.rwc_a(), bit(cr, 0), false, false});
  note_step(print, SrcBCounter, SrcBCr, {insn.rwc_b(), bit(cr, 1), false, false});
  note_step(print, DstCounter, DstCr, {insn.rwc_d(), bit(cr, 2), false, false});
}

void footprint(const Footprint& print, op::SETIBRWC insn) {
  if (insn.set_inc_ctrl() == 0) print.write(Space::Rwc, print.thread * kRwcCells + Bias);
}

}  // namespace bhemu::tensix
