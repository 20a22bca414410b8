#include "tensix/handover.hpp"

#include <fmt/format.h>

namespace bhemu::tensix::unpack {

namespace {

/// False: the bank already belongs to the matrix unit, and the thread stops.
bool may_hand_over(const Context& context, u32 unpacker) {
  const SrcFile& file = src_file(context.state, unpacker);
  if (file.unpacker_may_write()) return true;
  return !context.raise(Rule::UnpackBankTaken,
                        fmt::format("Src{} bank {} already belongs to the matrix unit",
                                    unpacker == 0 ? 'A' : 'B', file.unpack_bank));
}

void reset_src_row(const Context& context, u32 unpacker) {
  context.state.unpacker[unpacker].src_row[context.thread] = set_base(context, unpacker);
}

}  // namespace

bool hand_over(const Context& context, u32 unpacker) {
  if (!may_hand_over(context, unpacker)) return false;
  src_file(context.state, unpacker).hand_to_matrix();
  reset_src_row(context, unpacker);
  return true;
}

bool hand_over(const Context& context, u32 unpacker, u8 format) {
  if (!may_hand_over(context, unpacker)) return false;
  src_file(context.state, unpacker).hand_to_matrix(format);
  reset_src_row(context, unpacker);
  return true;
}

void context_counter_written(const Context& context, u16 value) {
  for (u32 unpacker = 0; unpacker < 2; ++unpacker) {
    u8& counter = context.state.unpacker[unpacker].context[context.thread];
    if (bit(value, 5 + 8 * unpacker)) counter = next_context(context.config(), unpacker, counter);
    if (bit(value, 4 + 8 * unpacker)) counter = 0;
  }
}

namespace {
using namespace footprint_cell;
}

void note_unpack_bank(const Footprint& print, u32 unpacker) {
  const SrcFile& file = unpacker == 0 ? print.state.fpu.src_a : print.state.fpu.src_b;
  print.read(Space::SrcControl, unpacker * kSrcCells + UnpackBank);
  print.read(Space::SrcControl, unpacker * kSrcCells + Owner0 + file.unpack_bank);
}

void note_hand_over(const Footprint& print, u32 unpacker, bool with_format) {
  const SrcFile& file = unpacker == 0 ? print.state.fpu.src_a : print.state.fpu.src_b;
  const u32 cells = unpacker * kSrcCells;
  note_unpack_bank(print, unpacker);
  print.write(Space::SrcControl, cells + Owner0 + file.unpack_bank);
  if (with_format) print.write(Space::SrcControl, cells + Format0 + file.unpack_bank);
  print.write(Space::SrcControl, cells + UnpackBank);
  set_base(print, unpacker);
  print.write(Space::Unpacker, unpacker * kUnpackerCells + SrcRow0 + print.thread);
}

void note_context_counter_written(const Footprint& print, u16 value) {
  for (u32 unpacker = 0; unpacker < 2; ++unpacker) {
    const u32 cell = unpacker * kUnpackerCells + Context0 + print.thread;
    const bool steps = bit(value, 5 + 8 * unpacker);
    const bool clears = bit(value, 4 + 8 * unpacker);
    if (steps && !clears) {
      next_context(print.config(), unpacker, 0);
      print.update(Space::Unpacker, cell);
    } else if (clears) {
      print.write(Space::Unpacker, cell);
    }
  }
}

}  // namespace bhemu::tensix::unpack
