#include "tensix/timing.hpp"

#include "tensix/isa.hpp"

namespace bhemu::tensix {
namespace {

constexpr u8 opcode_named(std::string_view name) {
  for (const Info& info : kInfo)
    if (info.name != nullptr && name == info.name) return info.opcode;
  return 0;  // no instruction has it; checked below
}

constexpr std::array<TimingRow, 256> make_rows() {
  std::array<TimingRow, 256> rows{};
#define RANGE(minimum, typical, maximum) \
  TimingRange {                          \
    minimum, typical, maximum            \
  }
#define TIMING(name, latency, occupancy, per_kib, thread, effect, evidence, source) \
  static_assert(opcode_named(#name) != 0, #name " is no instruction");              \
  rows[opcode_named(#name)] = {#name,                                               \
                               latency,                                             \
                               occupancy,                                           \
                               per_kib,                                             \
                               ThreadRule::thread,                                  \
                               EffectPoint::effect,                                 \
                               Evidence::evidence,                                  \
                               source};
#include "tensix/timing.def"
#undef TIMING
#undef RANGE
  return rows;
}

constexpr bool every_instruction_has_a_row() {
  const auto rows = make_rows();
  for (const Info& info : kInfo)
    if (info.name != nullptr && rows[info.opcode].name == nullptr) return false;
  return true;
}
static_assert(every_instruction_has_a_row(), "an instruction of isa.def is not in timing.def");

}  // namespace

const std::array<TimingRow, 256> kTimingRows = make_rows();

const char* name_of(EffectPoint point) {
  switch (point) {
    case EffectPoint::Issue:
      return "issue";
    case EffectPoint::End:
      return "end";
    case EffectPoint::Pieces:
      return "pieces";
  }
  return "?";
}

Timing Timing::typical() {
  Timing timing;
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    const TimingRow& row = kTimingRows[opcode];
    if (row.name == nullptr) continue;
    timing.duration[opcode] = {row.latency.typical, row.occupancy.typical, row.per_kib.typical,
                               row.thread == ThreadRule::Holds};
  }
  return timing;
}

}  // namespace bhemu::tensix
