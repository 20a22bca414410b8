#include "tensix/reset.hpp"

#include <algorithm>

#include "tensix/cfg/cfg.hpp"

namespace bhemu::tensix {
namespace {

// Bits of SOFT_RESET_0.
enum : unsigned {
  kUnpacker0 = 0,
  kUnpacker1 = 1,
  kPacker = 2,
  kMover = 6,
  kTdma = 8,
  kThconConfig = 9,
  kMath = 10,
  kTrisc0 = 12,
  kSourceAOwner = 15,
  kSourceB = 16,
  kPackerDst = 17,
  kSourceAColumns = 19,
};

void zero_columns(SrcFile& file, u32 first, u32 count) {
  for (auto& bank : file.bank) {
    for (SrcRow& row : bank) {
      for (u32 i = 0; i < count; ++i) row.datum[first + i] = 0;
    }
  }
}

void give_to_unpacker(SrcFile& file) {
  file.owner.fill(SrcOwner::Unpacker);
  file.unpack_bank = 0;
  file.matrix_bank = 0;
}

void enter(State& state, const Environment& env, u32 entered, Cycle now) {
  // What is under way in a unit is lost with it.
  if (bit(entered, kUnpacker0)) state.flights.unpack[0] = {};
  if (bit(entered, kUnpacker1)) state.flights.unpack[1] = {};
  if (bit(entered, kPacker)) state.flights.pack = {};
  if (bit(entered, kMover) && state.flights.mover.pieces.count != 0) {
    state.flights.mover = {};
    state.mover.busy_until = std::min(state.mover.busy_until, now);
  }
  if (bit(entered, kPacker)) {
    state.packer.open = false;
    state.packer.accumulated_size.fill(0);
    state.packer.last_tile_size = 0;
    state.packer.closed_head = state.packer.closed_tail = 0;
  }
  if (bit(entered, kTdma)) {
    state.mover.parameter.fill(0);
    state.flights.commands = {};
  }
  if (bit(entered, kThconConfig)) {
    for (ConfigWords& bank : state.cfg.bank) {
      for (u32 i = kThconConfigBase; i < kGlobalConfigBase; ++i) bank[i] = 0;
    }
  }
  if (bit(entered, kMath)) zero_columns(state.fpu.src_a, 0, kRowDatums);
  for (u32 group = 0; group < 4; ++group) {
    if (bit(entered, kSourceAColumns + group)) zero_columns(state.fpu.src_a, 4 * group, 4);
  }
  if (bit(entered, kSourceAOwner)) give_to_unpacker(state.fpu.src_a);
  if (bit(entered, kSourceB)) {
    give_to_unpacker(state.fpu.src_b);
    zero_columns(state.fpu.src_b, 0, kRowDatums);
  }
  if (bit(entered, kPackerDst)) {
    state.fpu.dst.valid.fill(1);  // as ZEROACC of all of Dst with Revert
    state.packer.exponent_histogram.fill(0);
    state.packer.max_exponent = 0;
  }
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    if (bit(entered, kTrisc0 + thread)) discard_frontend(state, env, thread);
  }
}

void leave(State& state, const Environment& env, u32 left) {
  if (bit(left, kPacker)) state.packer.l1_address_offset = 0;
  if (bit(left, kPackerDst)) state.packer.random.fill(0);
  if (bit(left, kMath)) state.sfpu = SfpuState{};
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    if (!bit(left, kTrisc0 + thread)) continue;
    if (env.wakeup != nullptr) env.wakeup->touch(thread_of(thread));
    state.sync.pcbuf[thread].clear();
  }
}

}  // namespace

const SparseImage<State>& powered_on() {
  static const SparseImage<State> image([](State& state) { state.fpu.dst.valid.fill(1); });
  return image;
}

void power_on(State& state) {
  state = powered_on().value();
}

void apply_soft_reset(State& state, const Environment& env, u32 bits, Cycle now) {
  const u32 before = state.soft_reset;
  if (env.wakeup != nullptr) {
    for (const Resource resource : {Resource::Config, Resource::Dst, Resource::Tdma})
      env.wakeup->touch(resource);
  }
  state.soft_reset = bits;
  enter(state, env, bits & ~before, now);
  leave(state, env, before & ~bits);
}

void discard_frontend(State& state, const Environment& env, unsigned thread) {
  if (env.wakeup != nullptr) {
    env.wakeup->touch(fifo_of(thread));
    env.wakeup->touch(thread_of(thread));
  }
  state.frontend[thread].fifo.clear();
  state.frontend[thread].mop = MopExpansion{};
}

bool any_lane_enabled(const State& state) {
  const SfpuCondition& condition = state.sfpu.condition;
  return (~condition.use_lane_flags | condition.lane_flags) != 0;
}

}  // namespace bhemu::tensix
