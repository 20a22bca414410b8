#include "tensix/conditions.hpp"

#include <array>
#include <bit>

namespace bhemu::tensix {
namespace {

constexpr u32 kAllConditions = 0x1FFF;

bool busy(const State& state, unsigned thread, BusyUnit unit, Cycle now) {
  return state.busy_until[thread][static_cast<unsigned>(unit)] > now;
}

}  // namespace

u32 unmet_conditions(const State& state, unsigned thread, u32 condition, Cycle now) {
  const FpuState& fpu = state.fpu;
  const auto waits = [&](unsigned index) {
    switch (index) {
      case 0:
        return busy(state, thread, BusyUnit::Thcon, now);
      case 1:
        return busy(state, thread, BusyUnit::Unpack0, now);
      case 2:
        return busy(state, thread, BusyUnit::Unpack1, now);
      case 3:
        return busy(state, thread, BusyUnit::Pack, now);
      case 4:
        return busy(state, thread, BusyUnit::Fpu, now);
      case 5:
        return !fpu.src_a.unpacker_may_write();
      case 6:
        return !fpu.src_b.unpacker_may_write();
      case 7:
        return !fpu.src_a.matrix_may_read() && state.late.bank_until[0] <= now;
      case 8:
        return !fpu.src_b.matrix_may_read() && state.late.bank_until[1] <= now;
      case 9:
        return state.mover.busy_until > now;
      case 11:
        return busy(state, thread, BusyUnit::Sfpu, now);
      case 12:
        return busy(state, 0, BusyUnit::Cfg, now) || busy(state, 1, BusyUnit::Cfg, now) ||
               busy(state, 2, BusyUnit::Cfg, now);
      case 10:
        // A request of the thread's core that was sent but not carried out: only when it is late.
        return state.late.pending_stores[thread] != 0;
      default:
        return false;
    }
  };
  u32 unmet = 0;
  for (u32 left = condition & kAllConditions; left != 0; left &= left - 1) {
    const unsigned index = static_cast<unsigned>(std::countr_zero(left));
    unmet |= static_cast<u32>(waits(index)) << index;
  }
  return unmet;
}

void note_conditions(const Footprint& print, u32 condition) {
  using namespace footprint_cell;
  const auto busy_cell = [](unsigned thread, BusyUnit unit) {
    return thread * kBusyUnits + static_cast<u32>(unit);
  };
  const auto note_bank = [&](u32 file, SrcCell turn, u8 bank) {
    print.read(Space::SrcControl, file * kSrcCells + turn);
    print.read(Space::SrcControl, file * kSrcCells + Owner0 + bank);
  };
  constexpr std::array<BusyUnit, 5> kUnits = {BusyUnit::Thcon, BusyUnit::Unpack0, BusyUnit::Unpack1,
                                              BusyUnit::Pack, BusyUnit::Fpu};
  for (u32 i = 0; i < kUnits.size(); ++i)
    if (bit(condition, i)) print.read(Space::Busy, busy_cell(print.thread, kUnits[i]));
  const FpuState& fpu = print.state.fpu;
  if (bit(condition, 5)) note_bank(0, UnpackBank, fpu.src_a.unpack_bank);
  if (bit(condition, 6)) note_bank(1, UnpackBank, fpu.src_b.unpack_bank);
  if (bit(condition, 7)) note_bank(0, MatrixBank, fpu.src_a.matrix_bank);
  if (bit(condition, 8)) note_bank(1, MatrixBank, fpu.src_b.matrix_bank);
  if (bit(condition, 9)) print.read(Space::Busy, kMoverBusy);
  if (bit(condition, 11)) print.read(Space::Busy, busy_cell(print.thread, BusyUnit::Sfpu));
  if (bit(condition, 12))
    for (unsigned thread = 0; thread < kThreads; ++thread)
      print.read(Space::Busy, busy_cell(thread, BusyUnit::Cfg));
}

}  // namespace bhemu::tensix
