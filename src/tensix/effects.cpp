#include "tensix/effects.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "base/delays.hpp"
#include "tensix/cfg/cfg.hpp"
#include "tensix/footprint/recorder.hpp"
#include "tensix/piece_clock.hpp"
#include "tensix/timing.hpp"
#include "tensix/watch.hpp"

namespace bhemu::tensix {
namespace {

void touch(const Environment& env, Resource resource) {
  if (env.wakeup != nullptr) env.wakeup->touch(resource);
}

void store(const Environment& env, const Effect& effect) {
  std::array<u16, 8> halves{};
  std::memcpy(halves.data(), effect.value.data(), 16);
  if (effect.bytes == 16) {
    std::array<u16, 8> merged;
    env.l1->read(effect.address, merged.data(), 16);
    for (u32 i = 0; i < 8; ++i)
      if (bit(effect.mask, i)) merged[i] = halves[i];
    halves = merged;
  }
  env.l1->write(effect.address, halves.data(), effect.bytes, effect.author);
}

void increment(State& state, const Environment& env, const Effect& effect) {
  const u32 old = env.l1->read32(effect.address);
  const u32 sum = old + effect.value[0];
  env.l1->write32(effect.address, (sum & effect.mask) | (old & ~effect.mask), effect.author);
  touch(env, Resource::Gpr);
  state.thcon.gpr[effect.thread][effect.gpr] = old;
}

void load_register(State& state, const Environment& env, const Effect& effect) {
  u32 value = 0;
  if (!env.registers->load_register(effect.address, value, effect.author)) {
    state.frontend[effect.thread].stopped = true;
    return;
  }
  touch(env, Resource::Gpr);
  state.thcon.gpr[effect.thread][effect.gpr] = value;
}

void change(State& state, const Environment& env, const Effect& effect) {
  auto& gpr = state.thcon.gpr[effect.thread];
  switch (effect.kind) {
    case EffectKind::Gpr:
      touch(env, Resource::Gpr);
      gpr[effect.gpr] = (effect.value[0] & effect.mask) | (gpr[effect.gpr] & ~effect.mask);
      return;
    case EffectKind::Load:
      touch(env, Resource::Gpr);
      env.l1->read(effect.address, &gpr[effect.gpr], effect.bytes);
      return;
    case EffectKind::Store:
      return store(env, effect);
    case EffectKind::Increment:
      return increment(state, env, effect);
    case EffectKind::LoadRegister:
      return load_register(state, env, effect);
    case EffectKind::StoreRegister:
      if (!env.registers->store_register(effect.address, effect.value[0], effect.author))
        state.frontend[effect.thread].stopped = true;
      return;
    case EffectKind::Config: {
      const u32 old = state.cfg.bank[effect.bank][effect.address];
      const u32 value = (effect.value[0] & effect.mask) | (old & ~effect.mask);
      return write_config_word(state, env, effect.bank, effect.address, value, effect.author.cycle,
                               effect.mask == ~0u);
    }
  }
}

void note(const Footprint& print, const Effect& effect) {
  const u32 gpr = effect.thread * kGprs + effect.gpr;
  switch (effect.kind) {
    case EffectKind::Gpr:
      return print.write(Space::Gpr, gpr, 1, effect.mask);
    case EffectKind::Load:
      print.read(Space::L1, effect.address, effect.bytes);
      return print.write(Space::Gpr, gpr, (effect.bytes + 3u) / 4);
    case EffectKind::Store:
      if (effect.bytes != 16) return print.write(Space::L1, effect.address, effect.bytes);
      for (u32 half = 0; half < 8; ++half)
        if (bit(effect.mask, half)) print.write(Space::L1, effect.address + 2 * half, 2);
      return;
    case EffectKind::Increment:
      print.update(Space::L1, effect.address, 4);
      return print.write(Space::Gpr, gpr);
    case EffectKind::LoadRegister:
      print.note_register(Access::Read, effect.address);
      return print.write(Space::Gpr, gpr);
    case EffectKind::StoreRegister:
      return print.note_register(Access::Write, effect.address);
    case EffectKind::Config:
      return note_config_write(print, effect.bank, effect.address, effect.mask);
  }
}

/// In cycle `now`, of the Full build.
void land(State& state, const Environment& env, const Effect& effect, Cycle now) {
  change(state, env, effect);
  if (env.watch == nullptr) return;
  Touches touches;
  note(Footprint(state, env, effect.thread, effect.author.pc, touches), effect);
  Author author = effect.author;
  author.cycle = now;
  env.watch->landed(trace::Landing::What::Effect, author, touches);
}

/// A draw depends on the seed, the author and how many instructions its thread had executed before,
/// not on other draws: to take one away moves no other.
Cycle draw(const Timing& timing, const Context& context, Cycle most) {
  u64 key = Pieces::mixed(timing.seed + 0x9E3779B97F4A7C15u);
  key = Pieces::mixed(key ^ (u64{context.env.node} << 8 | context.thread));
  key = Pieces::mixed(key ^ context.word);
  key = Pieces::mixed(key ^ context.state.frontend[context.thread].executed);
  return key % (most + 1);
}

Cycle late_point_of(const Context& context) {
  const u8 opcode = opcode_of(context.word);
  if (kTimingRows[opcode].effect == EffectPoint::Issue) return context.now;
  const u32 latency = context.env.timing->duration[opcode].latency;
  return context.now + context.env.delays->draw(DelayKind::Effect, agent_of_thread(context.thread),
                                                context.word, context.now, latency, latency);
}

Cycle point_of(const Context& context) {
  const Timing* timing = context.env.timing;
  if (context.env.delays != nullptr) [[unlikely]]
    return late_point_of(context);
  if (timing == nullptr || timing->placement == Placement::Issue) return context.now;
  const u8 opcode = opcode_of(context.word);
  if (kTimingRows[opcode].effect == EffectPoint::Issue) return context.now;
  const Cycle latency = timing->duration[opcode].latency;
  return context.now +
         (timing->placement == Placement::End ? latency : draw(*timing, context, latency));
}

Unit unit_of(u32 word) {
  return kDecoded[opcode_of(word)].unit;
}

Effect taken_out(EffectQueue& queue, u32 index) {
  const Effect effect = queue.effect[index];
  std::copy(queue.effect.begin() + index + 1, queue.effect.begin() + queue.count,
            queue.effect.begin() + index);
  queue.effect[--queue.count] = Effect{};
  return effect;
}

}  // namespace

void put(const Context& context, Effect effect) {
  effect.thread = static_cast<u8>(context.thread);
  effect.author = context.author();
  if (context.env.timing == nullptr) return change(context.state, context.env, effect);
  EffectQueue& queue = context.state.effects;
  effect.at = point_of(context);
  // A unit keeps the order in which instructions came to it.
  const Unit unit = unit_of(context.word);
  for (u32 i = 0; i < queue.count; ++i)
    if (unit_of(queue.effect[i].author.pc) == unit)
      effect.at = std::max(effect.at, queue.effect[i].at);
  context.last_effect = std::max(context.last_effect, effect.at);
  effect.author.cycle = effect.at;
  if (effect.at <= context.now) return land(context.state, context.env, effect, context.now);
  CHECK(queue.count < EffectQueue::kCapacity);  // the gate has looked: is_taken
  queue.effect[queue.count++] = effect;
}

void forward_results(State& state, const Environment& env, unsigned thread, Cycle now) {
  EffectQueue& queue = state.effects;
  for (u32 i = 0; i < queue.count;) {
    const Effect& effect = queue.effect[i];
    if (effect.kind == EffectKind::Gpr && effect.thread == thread &&
        unit_of(effect.author.pc) == Unit::Thcon) {
      land(state, env, taken_out(queue, i), now);
    } else {
      ++i;
    }
  }
}

namespace {

void land_rows(State& state, const Environment& env, Cycle now) {
  Late& late = state.late;
  u32 kept = 0;
  for (u32 i = 0; i < late.rows; ++i) {
    const LateRow row = late.row[i];
    if (row.at > now) {
      late.row[kept++] = row;
      continue;
    }
    touch(env, Resource::Dst);
    for (u32 column = 0; column < row.value.size(); ++column)
      if (bit(row.columns, column)) state.fpu.dst.row[row.row].datum[column] = row.value[column];
  }
  for (u32 i = kept; i < late.rows; ++i) late.row[i] = {};
  late.rows = kept;
}

}  // namespace

void land_due(State& state, const Environment& env, Cycle now) {
  EffectQueue& queue = state.effects;
  if (state.late.rows != 0) land_rows(state, env, now);
  for (;;) {
    u32 first = queue.count;
    for (u32 i = 0; i < queue.count; ++i)
      if (queue.effect[i].at <= now &&
          (first == queue.count || queue.effect[i].at < queue.effect[first].at))
        first = i;
    if (first == queue.count) return;
    const Cycle at = queue.effect[first].at;
    land(state, env, taken_out(queue, first), at);
  }
}

}  // namespace bhemu::tensix
