// The dispatch table, made from isa.def, and what is common to all instructions.

#include <algorithm>

#include <fmt/format.h>

#include "tensix/block_mask.hpp"
#include "tensix/context.hpp"
#include "tensix/frontend/gate.hpp"
#include "tensix/properties.hpp"

namespace bhemu::tensix {

bool Context::raise(Rule rule, std::string text) const {
  if (env.faults == nullptr) return false;
  const bool stop = env.faults->raise(rule, agent_of_thread(thread), word, now, std::move(text));
  if (stop) state.frontend[thread].stopped = true;
  return stop;
}

namespace {

Completion unknown_opcode(Context& context) {
  context.raise(Rule::TensixUnknownOpcode,
                fmt::format("no instruction has opcode {:#04x} (word {:#010x})",
                            opcode_of(context.word), context.word));
  return Completion::Done;
}

/// A row INSN_UNDOCUMENTED. Where the rule is made a warning, the instruction does nothing.
template <Rule rule>
Completion undocumented(Context& context) {
  context.raise(rule, fmt::format("{} ({:#010x})", info_of_word(context.word).name, context.word));
  return Completion::Done;
}

constexpr u8 accept(u8 opcode, Unit unit) {
  using namespace frontend;
  switch (unit) {
    case Unit::Thcon:
      return kAcceptThcon;
    case Unit::Fpu:
      return kAcceptFpu;
    case Unit::Sfpu:
      return kAcceptSfpu;
    case Unit::Pack:
      return kAcceptPack;
    case Unit::Unpack:
      return kAcceptUnpack0;  // the gate shifts it for unpacker 1
    case Unit::Cfg:
      return opcode == op::SETC16::kOpcode ? 0 : kAcceptConfig;
    case Unit::Sync: {
      const bool mutex = opcode == op::ATGETM::kOpcode || opcode == op::ATRELM::kOpcode;
      return mutex ? 0 : kAcceptSync;
    }
    default:
      return 0;  // Misc and NOP: one per thread; the mover refuses by itself
  }
}

constexpr BusyUnit busy(Unit unit) {
  switch (unit) {
    case Unit::Sync:
      return BusyUnit::Sync;
    case Unit::Cfg:
      return BusyUnit::Cfg;
    case Unit::Thcon:
      return BusyUnit::Thcon;
    case Unit::Xmov:
      return BusyUnit::Xmov;
    case Unit::Unpack:
      return BusyUnit::Unpack0;
    case Unit::Pack:
      return BusyUnit::Pack;
    case Unit::Fpu:
      return BusyUnit::Fpu;
    case Unit::Sfpu:
      return BusyUnit::Sfpu;
    case Unit::None:
    case Unit::Frontend:
    case Unit::Misc:
      break;
  }
  return BusyUnit::Misc;
}

constexpr u8 step_of(u8 opcode, Unit unit) {
  using namespace frontend;
  u32 step = 0;
  if (unit == Unit::Thcon || unit == Unit::Sfpu) step |= kStepSlowly;
  if (unit == Unit::Unpack) step |= kStepTwoUnits;
  if (unit == Unit::Unpack || unit == Unit::Fpu) step |= kStepWaitsForSource;
  if (unit == Unit::Fpu && properties_of(u32{opcode} << 24).banks == Banks::Keeps)
    step |= kStepKeepsBanks;
  const auto is_one_of = [opcode](std::initializer_list<u8> list) {
    return std::find(list.begin(), list.end(), opcode) != list.end();
  };
  const bool counts = is_one_of(
      {op::SETADC::kOpcode, op::SETADCXX::kOpcode, op::SETADCXY::kOpcode, op::SETADCZW::kOpcode,
       op::INCADCXY::kOpcode, op::INCADCZW::kOpcode, op::ADDRCRXY::kOpcode, op::ADDRCRZW::kOpcode});
  if (unit == Unit::Sync || counts || is_one_of({op::UNPACR::kOpcode, op::PACR::kOpcode}))
    step |= kStepKeepsProducts;
  // Neither a semaphore nor a bank.
  if (counts || is_one_of({op::STALLWAIT::kOpcode, op::SEMWAIT::kOpcode, op::STREAMWAIT::kOpcode,
                           op::ATGETM::kOpcode, op::ATRELM::kOpcode}))
    step |= kStepReleasesNobody;
  if (opcode == op::MVMUL::kOpcode) step |= kStepIsProduct;
  return static_cast<u8>(step);
}

constexpr Decoded decoded(u8 opcode, Unit unit, Completion (*execute)(Context&)) {
  const bool plain = unit == Unit::Fpu || unit == Unit::Pack ||
                     (unit == Unit::Sfpu && opcode != op::SFPLOADMACRO::kOpcode);
  return Decoded{execute, blocked_by(opcode, unit), unit, accept(opcode, unit), busy(unit),
                 plain,   step_of(opcode, unit)};
}

std::array<Decoded, 256> make_table() {
  std::array<Decoded, 256> table;
  table.fill(Decoded{unknown_opcode, 0, Unit::None, 0, BusyUnit::Misc, false, 0});
#define FIELD(name, low, width)
#define INSN(name, opcode, unit, properties, fields)                 \
  table[opcode] = decoded(opcode, Unit::unit, [](Context& context) { \
    return execute(context, op::name{context.word});                 \
  });
#define INSN_UNDOCUMENTED(name, opcode, unit, rule, properties, fields) \
  table[opcode] = decoded(opcode, Unit::unit, undocumented<Rule::rule>);
#include "tensix/isa.def"
  return table;
}

Completion behind_its_expander(Context& context) {
  context.raise(Rule::TensixFrontendWord,
                fmt::format("{} reached the wait gate: BRISC enters behind the MOP expander, and a "
                            "replay buffer cannot hold MOP or REPLAY",
                            info_of_word(context.word).name));
  return Completion::Done;
}

}  // namespace

const std::array<Decoded, 256> kDecoded = make_table();

Completion execute(Context&, op::NOP) {
  return Completion::Done;
}
Completion execute(Context& context, op::MOP) {
  return behind_its_expander(context);
}
Completion execute(Context& context, op::MOP_CFG) {
  return behind_its_expander(context);
}
Completion execute(Context& context, op::REPLAY) {
  return behind_its_expander(context);
}
// Taken out of the stream by Auto TTSync (STALLWAIT.md, RESOURCEDECL); see frontend.hpp.
Completion execute(Context&, op::RESOURCEDECL) {
  return Completion::Done;
}

}  // namespace bhemu::tensix
