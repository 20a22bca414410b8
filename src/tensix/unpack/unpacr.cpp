// UNPACR in its three forms: move datums, increment the context counter, flush the row start cache.
//
// Documents: tt-isa-documentation UNPACR.md, UNPACR_Regular.md, UNPACR_IncrementContextCounter.md,
// UNPACR_FlushCache.md. Bit 0 ("last") has no effect in those pages and is set by vendor kernels.
#include <algorithm>

#include <fmt/format.h>

#include "tensix/handover.hpp"
#include "tensix/pieces.hpp"
#include "tensix/unpack/faces.hpp"
#include "tensix/unpack/transfer.hpp"
#include "tensix/watch.hpp"

namespace bhemu::tensix {
namespace {

/// Bits that the two separate forms of UNPACR leave clear: all but opcode, unpacker, last, and
/// the bits of `allowed`.
bool other_bits_clear(op::UNPACR insn, u32 allowed) {
  return (insn.word & 0x007FFFFEu & ~allowed) == 0;
}

void advance_counters(const Context& context, op::UNPACR insn, const unpack::Selection& select) {
  const AdcUnit unit = select.unpacker == 0 ? AdcUnit::Unpacker0 : AdcUnit::Unpacker1;
  const u32 mode = insn.addr_mode();
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    if (thread != context.thread && thread != select.xy_thread) continue;
    Adc& adc = context.state.adc.of(thread, unit);
    adc.channel[0].z = static_cast<u16>((adc.channel[0].z + bits(mode, 0, 2)) & kAdcMaskZ);
    adc.channel[0].y = static_cast<u16>((adc.channel[0].y + bits(mode, 2, 2)) & kAdcMaskY);
    adc.channel[1].z = static_cast<u16>((adc.channel[1].z + bits(mode, 4, 2)) & kAdcMaskZ);
    adc.channel[1].y = static_cast<u16>((adc.channel[1].y + bits(mode, 6, 2)) & kAdcMaskY);
  }
}

Completion increment_context(const Context& context, op::UNPACR insn) {
  const u32 unpacker = insn.unpack_block_selection();
  if (!other_bits_clear(insn, 1u << 13)) {
    context.raise(
        Rule::UnpackUndocumented,
        fmt::format("UNPACR {:#010x} increments the context counter and does more", insn.word));
    return Completion::Done;
  }
  u8& counter = context.state.unpacker[unpacker].context[context.thread];
  counter = unpack::next_context(context.config(), unpacker, counter);
  return Completion::Done;
}

/// Context counter and address counters, which are those of the next instruction.
void step_on(const Context& context, op::UNPACR insn, const unpack::Selection& select) {
  if (select.multi && insn.auto_inc_context_id() != 0)
    context.state.unpacker[select.unpacker].context[context.thread] =
        unpack::next_context(context.config(), select.unpacker, select.context);
  advance_counters(context, insn, select);
}

bool steps_src_row(const Context& context, u32 unpacker) {
  return cfg::THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd::get(context.config(),
                                                          unpacker * kThconSection) != 0;
}
u8 next_src_row(const Context& context, u32 unpacker) {
  const u8 row = context.state.unpacker[unpacker].src_row[context.thread];
  return static_cast<u8>((row + 16 + unpack::set_base(context, unpacker)) & 63);
}

void finish(const Context& context, op::UNPACR insn, const unpack::Plan& plan) {
  const u32 unpacker = plan.select.unpacker;
  step_on(context, insn, plan.select);
  if (insn.set_dat_valid() != 0) {
    unpack::hand_over(context, unpacker, static_cast<u8>(plan.target.format));
  } else if (steps_src_row(context, unpacker)) {
    context.state.unpacker[unpacker].src_row[context.thread] = next_src_row(context, unpacker);
  }
}

/// The datums go by later (pieces.hpp), and with the last of them the bank.
void take_off(Context& context, op::UNPACR insn, const unpack::Plan& plan) {
  const u32 unpacker = plan.select.unpacker;
  UnpackFlight flight;
  if (!unpack::depart(context, plan, flight.destination)) return;
  flight.word = context.word;
  flight.thread = static_cast<u8>(context.thread);
  flight.origin = context.origin;
  flight.hands_over = insn.set_dat_valid() != 0;
  flight.sets_row = steps_src_row(context, unpacker);
  flight.next_row =
      flight.hands_over ? unpack::set_base(context, unpacker) : next_src_row(context, unpacker);
  flight.select = plan.select;
  flight.source = plan.source;
  flight.target = plan.target;
  flight.pieces.count = std::max(1u, (plan.source.count + numeric::kRow - 1) / numeric::kRow);
  step_on(context, insn, plan.select);
  context.state.flights.unpack[unpacker] = flight;
  context.pieces = &context.state.flights.unpack[unpacker].pieces;
}

void tell_piece(const Context& context, const UnpackFlight& flight, u32 until) {
  Touches touches;
  unpack::note_part(Footprint(context.state, context.env, context.thread, context.word, touches),
                    flight, until);
  context.env.watch->landed(trace::Landing::What::Unpack, context.author(), touches,
                            flight.pieces.landed, flight.pieces.count);
}

}  // namespace

void unpack::land_piece(State& state, const Environment& env, u32 unpacker, Cycle now) {
  UnpackFlight& flight = state.flights.unpack[unpacker];
  const Context context{state, env, flight.thread, now, flight.word, nullptr, flight.origin};
  const bool last = flight.pieces.landed + 1 == flight.pieces.count;
  const u32 until = std::min(flight.source.count, (flight.pieces.landed + 1) * numeric::kRow);
  if (env.watch != nullptr) [[unlikely]]
    tell_piece(context, flight, until);
  if (!transfer_part(context, flight, until)) {
    flight = {};
    return;
  }
  flight.pieces.land();
  if (!last) return;
  const bool given =
      !flight.hands_over || hand_over(context, unpacker, static_cast<u8>(flight.target.format));
  if (given && (flight.hands_over || flight.sets_row))
    state.unpacker[unpacker].src_row[flight.thread] = flight.next_row;
  flight = {};
}

Completion execute(Context& context, op::UNPACR insn) {
  if (insn.search_cache_flush() != 0) {
    if (!other_bits_clear(insn, 1u << 1 | 1u << 7))
      context.raise(Rule::UnpackUndocumented,
                    fmt::format("UNPACR {:#010x} flushes the cache and does more", insn.word));
    return Completion::Done;
  }
  if (insn.cfg_context_cnt_inc() != 0) return increment_context(context, insn);

  const u32 unpacker = insn.unpack_block_selection();
  if (!unpack::src_file(context.state, unpacker).unpacker_may_write()) return Completion::Stall;
  unpack::Plan plan;
  if (!unpack::select_context(context, insn, plan.select)) return Completion::Done;
  const bool in_pieces = lands_in_pieces(context.env);
  if (!in_pieces && unpack::unpack_face(context, insn, plan.select, plan)) {
    finish(context, insn, plan);
    return Completion::Done;
  }
  if (!unpack::make_plan(context, insn, plan.select, plan)) return Completion::Done;
  context.moved = plan.source.count * plan.source.datum_bits / 8;
  if (in_pieces) [[unlikely]] {
    take_off(context, insn, plan);
    return Completion::Done;
  }
  if (!unpack::transfer(context, plan)) return Completion::Done;
  unpack::remember_face(context, insn, plan);
  finish(context, insn, plan);
  return Completion::Done;
}

// --- Footprints.

namespace {

using namespace footprint_cell;

void note_counters(const Footprint& print, op::UNPACR insn, const unpack::Selection& select) {
  const u32 mode = insn.addr_mode();
  const u32 cells[4] = {Z, Y, kAdcCells + Z, kAdcCells + Y};
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    if (thread != print.thread && thread != select.xy_thread) continue;
    for (u32 i = 0; i < 4; ++i)
      if (bits(mode, 2 * i, 2) != 0)
        print.update(Space::Adc, adc(thread, select.unpacker, 0, 0) + cells[i]);
  }
}

/// As `finish`.
void note_finish(const Footprint& print, op::UNPACR insn, const unpack::Selection& select) {
  const u32 unpacker = select.unpacker;
  const u32 cells = unpacker * kUnpackerCells;
  if (select.multi && insn.auto_inc_context_id() != 0) {
    unpack::next_context(print.config(), unpacker, 0);
    print.write(Space::Unpacker, cells + Context0 + print.thread);
  }
  note_counters(print, insn, select);
  if (insn.set_dat_valid() != 0) return unpack::note_hand_over(print, unpacker, true);
  if (cfg::THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd::get(print.config(), unpacker * kThconSection) ==
      0)
    return;
  unpack::set_base(print, unpacker);
  print.update(Space::Unpacker, cells + SrcRow0 + print.thread);
}

}  // namespace

void footprint(const Footprint& print, op::UNPACR insn) {
  const u32 unpacker = insn.unpack_block_selection();
  if (insn.search_cache_flush() != 0) return;
  if (insn.cfg_context_cnt_inc() != 0) {
    if (!other_bits_clear(insn, 1u << 13)) return;
    unpack::next_context(print.config(), unpacker, 0);
    return print.update(Space::Unpacker, unpacker * kUnpackerCells + Context0 + print.thread);
  }
  unpack::note_unpack_bank(print, unpacker);
  unpack::Plan plan;
  if (!unpack::select_context(print, insn, plan.select)) return;
  if (!unpack::make_plan(print, insn, plan.select, plan)) return;
  unpack::transfer(print, plan);
  note_finish(print, insn, plan.select);
}

}  // namespace bhemu::tensix
