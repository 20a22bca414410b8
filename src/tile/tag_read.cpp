// How the tile and BRISC meet the tag search accelerator: see tag_search.hpp. A core that may set
// it off executes instruction by instruction (Debugger::run_checked), so all others pay nothing.
#include <fmt/format.h>

#include "base/bits.hpp"
#include "tile/bus.hpp"

namespace bhemu::tile {
namespace {

/// The narrower loads' part of a word, as the document does not describe it: the bytes at that
/// place of the result. `word` is the instruction.
u32 narrowed(u32 result, u32 address, u32 word, bool to_float) {
  const u32 log2_bytes = bits(word, 12, 2);
  if (log2_bytes >= 2) return result;
  const u32 width = 8u << log2_bytes;
  const u32 part = bits(result, address % 4 * 8, width);
  const bool is_signed = !bit(word, 14);
  if (to_float) return 0xFFFF0000 | part;
  return is_signed && bit(part, width - 1) ? part | ~0u << width : part;
}

}  // namespace

/// Decoded entries follow L1 by themselves (mem/l1.hpp), so RISCV_IC_INVALIDATE and its like have
/// nothing to do.
void Tile::config_written(u32 word, u32, Cycle) {
  if (!TagSearch::concerns(word)) return;
  if (!tag_search_.latch(std::as_const(*coprocessor_).state().cfg.bank[0])) return;
  constexpr unsigned kBrisc = index(CoreId::Brisc);
  if (slots_[kBrisc].status == CoreStatus::Parked) wake_core(kBrisc);
  if (slots_[kBrisc].recording) stop_recording(kBrisc, false);
  debugger_.refresh_checked(kBrisc);
  buses_[kBrisc]->attention = recording_buses_[kBrisc]->attention = position_ == kBrisc;
}

/// What a load gives instead of the contents of L1; carries out what it sets off. A core that broke
/// the rule is stopped.
std::optional<u32> Tile::tag_search(unsigned core, const riscv::Effect& effect, u32 word) {
  const u32 alignment = 1u << bits(word, 12, 2);  // a misaligned load is a fault of its own
  if (core != index(CoreId::Brisc) || effect.reach != riscv::Reach::Load ||
      effect.address % alignment != 0)
    return std::nullopt;
  const TagSearch::Operation operation = tag_search_.operation_at(effect.address);
  if (operation == TagSearch::Operation::None) return std::nullopt;
  slots_[core].impure = true;
  const riscv::CoreState& state = cores_[core];
  const auto broken = [&](const char* what) {
    if (faults().raise(Rule::TileTagSearch, Agent::Brisc, state.pc, state.cycle,
                       fmt::format("load from 0x{:08x}: {}", effect.address, what)))
      slots_[core].status = CoreStatus::Stopped;
    return slots_[core].status == CoreStatus::Stopped;
  };
  if (bits(word, 12, 2) < 2 && broken("narrower than a word")) return std::nullopt;
  const auto result = tag_search_.perform(operation, l1_, {Agent::Brisc, state.pc, state.cycle});
  if (!result) {
    broken("the arrays to search do not end, or not in L1");
    return std::nullopt;
  }
  return narrowed(*result, effect.address, word, effect.destination == riscv::Destination::Float);
}

}  // namespace bhemu::tile
