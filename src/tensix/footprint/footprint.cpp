#include "tensix/footprint/footprint.hpp"

#include "tensix/footprint/recorder.hpp"

namespace bhemu::tensix {
namespace {

using Table = std::array<void (*)(const Footprint&), 256>;

/// Unknown opcodes and rows INSN_UNDOCUMENTED touch nothing.
constexpr Table make_footprint_table() {
  Table table;
  table.fill([](const Footprint&) {});
#define FIELD(name, low, width)
#define INSN(name, opcode, unit, properties, fields) \
  table[opcode] = [](const Footprint& print) { footprint(print, op::name{print.word}); };
#define INSN_UNDOCUMENTED(name, opcode, unit, rule, properties, fields)
#include "tensix/isa.def"
  return table;
}
const Table kFootprints = make_footprint_table();

}  // namespace

void Footprint::note_register(Access access, u32 address) const {
  constexpr u32 kStreams = 0xFFB40000;
  constexpr u32 kStreamBytes = 0x1000;
  constexpr u32 kStreamCount = 64;
  const u32 offset = address - kStreams;
  if (offset < kStreamCount * kStreamBytes)
    note(access, Space::Stream, offset / kStreamBytes * 1024 + offset % kStreamBytes / 4);
  else
    note(access, Space::Mmio, address, 4);
}

void footprint(const State& state, const Environment& env, unsigned thread, u32 word,
               Touches& touches) {
  kFootprints[opcode_of(word)](Footprint(state, env, thread, word, touches));
}

void footprint(const State& state, const Environment& env, const SfpuScheduled& scheduled,
               Touches& touches) {
  const Footprint print(state, env, scheduled.thread, scheduled.word, touches, &scheduled);
  print.update(Space::SfpuSchedule, 0);
  kFootprints[opcode_of(scheduled.word)](print);
}

}  // namespace bhemu::tensix
