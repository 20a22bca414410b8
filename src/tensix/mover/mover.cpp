#include "tensix/mover/mover.hpp"

#include <cstring>

#include <fmt/format.h>

#include "tensix/cfg/cfg.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kConfigRegion = 0x10000;  // destinations below are bytes of the configuration window
constexpr unsigned kMoverResetBit = 6;

void fault(const Environment& env, Rule rule, const Author& author, std::string text) {
  if (env.faults != nullptr)
    env.faults->raise(rule, author.agent, author.pc, author.cycle, std::move(text));
}

bool check_l1(const Environment& env, u32 address, u32 size, const char* what,
              const Author& author) {
  if (L1::contains(address, size)) return true;
  fault(env, Rule::TensixL1Range, author,
        fmt::format("mover: {} {:#x}, {:#x} bytes", what, address, size));
  return false;
}

void to_l1(const Environment& env, u32 destination, u32 source, u32 size, bool copy,
           const Author& author) {
  if (!check_l1(env, destination, size, "destination", author)) return;
  if (copy && !check_l1(env, source, size, "source", author)) return;
  env.l1->before_write(destination, size, author);
  u8* memory = env.l1->data();
  // Units of 16 bytes in ascending order: overlapping copies smear as a loop does.
  for (u32 i = 0; i < size; i += 16) {
    if (copy) {
      std::memmove(memory + destination + i, memory + source + i, 16);
    } else {
      std::memset(memory + destination + i, 0, 16);
    }
  }
}

void to_config(State& state, const Environment& env, u32 destination, u32 source, u32 size,
               bool copy, const Author& author) {
  if (copy && !check_l1(env, source, size, "source", author)) return;
  if (destination >= kConfigRegion) {
    fault(env, Rule::TensixMoverTarget, author,
          fmt::format("mover: destination {:#x} is neither L1 nor configuration", destination));
    return;
  }
  if (destination + size > kConfigRegion) {
    fault(env, Rule::TensixUndefined, author,
          fmt::format("mover: {:#x} bytes from configuration byte {:#x} on", size, destination));
    return;
  }
  for (u32 i = 0; i < size; i += 4) {
    const u32 value = copy ? env.l1->read32(source + i) : 0;
    if (write_config_window(state, env, author.agent, (destination + i) / 4, value, author.cycle))
      continue;
    fault(env, Rule::TensixMoverTarget, author,
          fmt::format("mover: configuration byte {:#x} is not writable", destination + i));
    return;
  }
}

}  // namespace

void run_mover(State& state, const Environment& env, u32 destination, u32 source, u32 size,
               MoverMode mode, const Author& author) {
  if (bit(state.soft_reset, kMoverResetBit)) return;  // SoftReset.md: commands are discarded
  if (env.wakeup != nullptr) env.wakeup->touch(Resource::Tdma);
  const bool copy = mode == MoverMode::L1ToConfig || mode == MoverMode::L1ToL1;
  if (mode == MoverMode::ZeroToL1 || mode == MoverMode::L1ToL1) {
    to_l1(env, destination, source, size, copy, author);
  } else {
    to_config(state, env, destination, source, size, copy, author);
  }
  state.mover.busy_until = std::max(state.mover.busy_until, author.cycle + 1);
}

Completion execute(Context& context, op::XMOV) {
  if (context.state.mover.busy_until > context.now) return Completion::Stall;
  const ConfigWords& words = context.config();
  const Author author{agent_of_thread(context.thread), context.word, context.now};
  run_mover(context.state, context.env, cfg::THCON_SEC0_REG6_Destination_address::get(words) << 4,
            cfg::THCON_SEC0_REG6_Source_address::get(words) << 4,
            bits(cfg::THCON_SEC0_REG6_Buffer_size::get(words), 0, 16) << 4,
            static_cast<MoverMode>(cfg::THCON_SEC0_REG6_Transfer_direction::get(words)), author);
  return Completion::Done;
}

}  // namespace bhemu::tensix
