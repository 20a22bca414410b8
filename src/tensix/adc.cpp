// Instructions that set and step the address counters.
//
// Documents: tt-isa-documentation ADCs.md, SETADC.md, SETADCXX.md, SETADCXY.md, SETADCZW.md,
// INCADC*.md, ADDRCR*.md (one text for Wormhole and Blackhole), MiscellaneousUnit.md.
#include <fmt/format.h>

#include "tensix/context.hpp"
#include "tensix/footprint/recorder.hpp"

namespace bhemu::tensix {
namespace {

/// Calls `apply(Adc&)` for the units of `mask` (U0, U1, PK). The two bits of `override` name
/// another thread, 0 meaning the own one.
template <class Apply>
Completion for_units(Context& context, u32 mask, u32 override_bits, Apply apply) {
  const unsigned thread = override_bits == 0 ? context.thread : override_bits - 1;
  for (u32 unit = 0; unit < 3; ++unit) {
    if (bit(mask, unit)) apply(context.state.adc.adc[thread][unit]);
  }
  return Completion::Done;
}

template <class Op>
Completion for_units(Context& context, Op insn, void (*apply)(Adc&, Op)) {
  return for_units(context, insn.cnt_set_mask(), insn.thread_override(),
                   [&](Adc& adc) { apply(adc, insn); });
}

void set_x(AdcChannel& channel, u32 value) {
  channel.x = channel.x_cr = value & kAdcMaskX;
}
void set_y(AdcChannel& channel, u32 value) {
  channel.y = channel.y_cr = static_cast<u16>(value & kAdcMaskY);
}
void set_z(AdcChannel& channel, u32 value) {
  channel.z = channel.z_cr = static_cast<u16>(value & kAdcMaskZ);
}
void set_w(AdcChannel& channel, u32 value) {
  channel.w = channel.w_cr = static_cast<u16>(value & kAdcMaskW);
}

}  // namespace

Completion execute(Context& context, op::SETADC insn) {
  // NewValue is the whole field of 18 bits; its two high bits also select the thread.
  const u32 value = insn.value() | insn.thread_override() << 16;
  return for_units(context, insn.cnt_set_mask(), insn.thread_override(), [&](Adc& adc) {
    AdcChannel& channel = adc.channel[insn.channel_index()];
    switch (insn.dimension_index()) {
      case 0:
        return set_x(channel, value);
      case 1:
        return set_y(channel, value);
      case 2:
        return set_z(channel, value);
      default:
        return set_w(channel, value);
    }
  });
}

Completion execute(Context& context, op::SETADCXX insn) {
  return for_units(context, insn.cnt_set_mask(), 0, [&](Adc& adc) {
    set_x(adc.channel[0], insn.x_start());
    set_x(adc.channel[1], insn.x_end2());
  });
}

Completion execute(Context& context, op::SETADCXY insn) {
  return for_units<op::SETADCXY>(context, insn, [](Adc& adc, op::SETADCXY set) {
    if (bit(set.bit_mask(), 0)) set_x(adc.channel[0], set.ch0_x());
    if (bit(set.bit_mask(), 1)) set_y(adc.channel[0], set.ch0_y());
    if (bit(set.bit_mask(), 2)) set_x(adc.channel[1], set.ch1_x());
    if (bit(set.bit_mask(), 3)) set_y(adc.channel[1], set.ch1_y());
  });
}

Completion execute(Context& context, op::SETADCZW insn) {
  return for_units<op::SETADCZW>(context, insn, [](Adc& adc, op::SETADCZW set) {
    if (bit(set.bit_mask(), 0)) set_z(adc.channel[0], set.ch0_z());
    if (bit(set.bit_mask(), 1)) set_w(adc.channel[0], set.ch0_w());
    if (bit(set.bit_mask(), 2)) set_z(adc.channel[1], set.ch1_z());
    if (bit(set.bit_mask(), 3)) set_w(adc.channel[1], set.ch1_w());
  });
}

Completion execute(Context& context, op::INCADCXY insn) {
  return for_units<op::INCADCXY>(context, insn, [](Adc& adc, op::INCADCXY add) {
    AdcChannel& in = adc.channel[0];
    AdcChannel& out = adc.channel[1];
    in.x = (in.x + add.ch0_x()) & kAdcMaskX;
    in.y = static_cast<u16>((in.y + add.ch0_y()) & kAdcMaskY);
    out.x = (out.x + add.ch1_x()) & kAdcMaskX;
    out.y = static_cast<u16>((out.y + add.ch1_y()) & kAdcMaskY);
  });
}

Completion execute(Context& context, op::INCADCZW insn) {
  return for_units<op::INCADCZW>(context, insn, [](Adc& adc, op::INCADCZW add) {
    AdcChannel& in = adc.channel[0];
    AdcChannel& out = adc.channel[1];
    in.z = static_cast<u16>((in.z + add.ch0_z()) & kAdcMaskZ);
    in.w = static_cast<u16>((in.w + add.ch0_w()) & kAdcMaskW);
    out.z = static_cast<u16>((out.z + add.ch1_z()) & kAdcMaskZ);
    out.w = static_cast<u16>((out.w + add.ch1_w()) & kAdcMaskW);
  });
}

// Steps the carriage-return copy and returns to it.
Completion execute(Context& context, op::ADDRCRXY insn) {
  return for_units<op::ADDRCRXY>(context, insn, [](Adc& adc, op::ADDRCRXY add) {
    AdcChannel& in = adc.channel[0];
    AdcChannel& out = adc.channel[1];
    if (bit(add.bit_mask(), 0)) set_x(in, in.x_cr + add.ch0_x());
    if (bit(add.bit_mask(), 1)) set_y(in, in.y_cr + add.ch0_y());
    if (bit(add.bit_mask(), 2)) set_x(out, out.x_cr + add.ch1_x());
    if (bit(add.bit_mask(), 3)) set_y(out, out.y_cr + add.ch1_y());
  });
}

Completion execute(Context& context, op::ADDRCRZW insn) {
  return for_units<op::ADDRCRZW>(context, insn, [](Adc& adc, op::ADDRCRZW add) {
    AdcChannel& in = adc.channel[0];
    AdcChannel& out = adc.channel[1];
    if (bit(add.bit_mask(), 0)) set_z(in, in.z_cr + add.ch0_z());
    if (bit(add.bit_mask(), 1)) set_w(in, in.w_cr + add.ch0_w());
    if (bit(add.bit_mask(), 2)) set_z(out, out.z_cr + add.ch1_z());
    if (bit(add.bit_mask(), 3)) set_w(out, out.w_cr + add.ch1_w());
  });
}

// --- Footprints.

namespace {

using namespace footprint_cell;

/// Calls `note(unit's first cell)` for the units of `mask`.
template <class Note>
void for_unit_cells(const Footprint& print, u32 mask, u32 override_bits, Note note) {
  const unsigned thread = override_bits == 0 ? print.thread : override_bits - 1;
  for (u32 unit = 0; unit < 3; ++unit)
    if (bit(mask, unit)) note(adc(thread, unit, 0, X));
}

/// The two counters of each channel that XY and ZW instructions have in their mask of four bits.
constexpr std::array<u32, 4> kXy = {X, Y, kAdcCells + X, kAdcCells + Y};
constexpr std::array<u32, 4> kZw = {Z, W, kAdcCells + Z, kAdcCells + W};

/// Set: counter and carriage-return copy.
template <class Op>
void note_set(const Footprint& print, Op insn, const std::array<u32, 4>& counters) {
  for_unit_cells(print, insn.cnt_set_mask(), insn.thread_override(), [&](u32 unit) {
    for (u32 i = 0; i < 4; ++i)
      if (bit(insn.bit_mask(), i)) print.write(Space::Adc, unit + counters[i], 2);
  });
}
/// ADDRCR: the copy steps, the counter becomes it.
template <class Op>
void note_return(const Footprint& print, Op insn, const std::array<u32, 4>& counters) {
  for_unit_cells(print, insn.cnt_set_mask(), insn.thread_override(), [&](u32 unit) {
    for (u32 i = 0; i < 4; ++i) {
      if (!bit(insn.bit_mask(), i)) continue;
      print.write(Space::Adc, unit + counters[i]);
      print.update(Space::Adc, unit + counters[i] + 1);
    }
  });
}
template <class Op>
void note_increment(const Footprint& print, Op insn, const std::array<u32, 4>& counters,
                    const std::array<u32, 4>& amounts) {
  for_unit_cells(print, insn.cnt_set_mask(), insn.thread_override(), [&](u32 unit) {
    for (u32 i = 0; i < 4; ++i)
      if (amounts[i] != 0) print.update(Space::Adc, unit + counters[i]);
  });
}

}  // namespace

void footprint(const Footprint& print, op::SETADC insn) {
  const u32 counter = insn.channel_index() * kAdcCells + 2 * insn.dimension_index();
  for_unit_cells(print, insn.cnt_set_mask(), insn.thread_override(),
                 [&](u32 unit) { print.write(Space::Adc, unit + counter, 2); });
}
void footprint(const Footprint& print, op::SETADCXX insn) {
  for_unit_cells(print, insn.cnt_set_mask(), 0, [&](u32 unit) {
    print.write(Space::Adc, unit + X, 2);
    print.write(Space::Adc, unit + kAdcCells + X, 2);
  });
}
void footprint(const Footprint& print, op::SETADCXY insn) {
  note_set(print, insn, kXy);
}
void footprint(const Footprint& print, op::SETADCZW insn) {
  note_set(print, insn, kZw);
}
void footprint(const Footprint& print, op::INCADCXY insn) {
  note_increment(print, insn, kXy, {insn.ch0_x(), insn.ch0_y(), insn.ch1_x(), insn.ch1_y()});
}
void footprint(const Footprint& print, op::INCADCZW insn) {
  note_increment(print, insn, kZw, {insn.ch0_z(), insn.ch0_w(), insn.ch1_z(), insn.ch1_w()});
}
void footprint(const Footprint& print, op::ADDRCRXY insn) {
  note_return(print, insn, kXy);
}
void footprint(const Footprint& print, op::ADDRCRZW insn) {
  note_return(print, insn, kZw);
}

}  // namespace bhemu::tensix
