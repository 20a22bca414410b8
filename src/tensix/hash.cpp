#include "tensix/hash.hpp"

#include <xxhash.h>

#include <span>
#include <type_traits>

namespace bhemu::tensix {
namespace {

class Hasher {
 public:
  explicit Hasher(u64 seed) {
    XXH3_INITSTATE(&state_);
    XXH3_64bits_reset_withSeed(&state_, seed);
  }

  void word(u64 value) { XXH3_64bits_update(&state_, &value, sizeof value); }
  /// Bytes of an object in which every byte counts.
  template <class T>
  void object(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>, "padding would be hashed");
    XXH3_64bits_update(&state_, &value, sizeof value);
  }
  u64 value() const { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

template <RingPlaces Places>
void hash_queue(Hasher& hasher, const Ring<QueuedWord, kFifoDepth, Places>& fifo) {
  hasher.word(fifo.size());
  for (u32 i = 0; i < fifo.size(); ++i) {
    hasher.word(fifo[i].pushed);
    hasher.word(fifo[i].word);
  }
}

void hash_channel(Hasher& hasher, const AdcChannel& c) {
  for (const u64 counter :
       {u64{c.x}, u64{c.x_cr}, u64{c.y}, u64{c.y_cr}, u64{c.z}, u64{c.z_cr}, u64{c.w}, u64{c.w_cr}})
    hasher.word(counter);
}

void hash_frontend(Hasher& hasher, const Frontend& frontend) {
  hash_queue(hasher, frontend.fifo);
  hash_queue(hasher, frontend.brisc_fifo);
  hasher.word(frontend.behind_mop.size());
  for (u32 i = 0; i < frontend.behind_mop.size(); ++i) {
    hasher.word(frontend.behind_mop[i].word);
    hasher.word(frontend.behind_mop[i].ends);
  }
  hasher.object(frontend.mop_config);
  hasher.word(frontend.mask_hi);
  const MopExpansion& mop = frontend.mop;
  if (mop.phase != MopPhase::Idle) {
    for (const u32 value : {u32{mop.step}, u32{mop.outer}, mop.inner, mop.outer_count,
                            mop.inner_count, mop.flip, mop.mask})
      hasher.word(value);
  }
  hasher.word(static_cast<u64>(mop.phase));
  hasher.object(frontend.replay);
  hasher.word(static_cast<u64>(frontend.replay_mode));
  hasher.word(frontend.replay_index);
  hasher.word(frontend.replay_left);
  const u64 origin = u64{frontend.gate_from_brisc} << 32;
  hasher.word(frontend.gate_full ? (u64{frontend.gate_word} | origin) + 1 : 0);
  const LatchedWait& wait = frontend.wait;
  for (const u32 value : {static_cast<u32>(wait.kind), u32{wait.semaphores}, u32{wait.block},
                          u32{wait.condition}, u32{wait.stream_select}, wait.target})
    hasher.word(value);
  if (frontend.declared != kDefaultResources) hasher.object(frontend.declared);
  hasher.word(frontend.stopped);
  hasher.word(frontend.executed);
}

void hash_source(Hasher& hasher, const SrcFile& file) {
  hasher.object(file.bank);
  hasher.object(file.owner);
  hasher.object(file.format);
  hasher.word(file.unpack_bank);
  hasher.word(file.matrix_bank);
}

void hash_vector_unit(Hasher& hasher, const SfpuState& sfpu) {
  hasher.object(sfpu.lreg);
  hasher.object(sfpu.condition);
  hasher.object(sfpu.stack);
  hasher.word(sfpu.stack_size);
  hasher.word(sfpu.masked_lanes);
  hasher.object(sfpu.lane_config);
  hasher.object(sfpu.macro_instruction);
  hasher.object(sfpu.macro_sequence);
  hasher.object(sfpu.macro_misc);
  const SfpuSchedule& schedule = sfpu.schedule;
  hasher.word(u64{schedule.waiting_count} << 32 | schedule.writeback_count);
  hasher.word(schedule.idle_next);
  for (u32 i = 0; i < schedule.waiting_count; ++i) hasher.object(schedule.waiting[i]);
  for (u32 i = 0; i < schedule.writeback_count; ++i) hasher.object(schedule.writeback[i]);
  hasher.object(sfpu.prng);
}

void hash_effect(Hasher& hasher, const Effect& effect) {
  hasher.word(u64{static_cast<u8>(effect.kind)} | u64{effect.thread} << 8 | u64{effect.gpr} << 16 |
              u64{effect.bytes} << 24 | u64{effect.bank} << 32);
  hasher.word(u64{effect.address} << 32 | effect.mask);
  hasher.object(effect.value);
  hasher.word(effect.at);
}

void hash_pieces(Hasher& hasher, const Pieces& pieces, u64 word) {
  hasher.word(word);
  hasher.word(u64{pieces.count} << 32 | pieces.landed);
  for (const u64 value : {pieces.begin, pieces.span, pieces.draw, pieces.next}) hasher.word(value);
}

/// What is under way. The cells that it has still to move follow from word, counts and memory.
void hash_flights(Hasher& hasher, const Flights& flights) {
  for (const UnpackFlight& flight : flights.unpack) {
    if (flight.pieces.count == 0) continue;
    hash_pieces(hasher, flight.pieces, u64{flight.thread} << 32 | flight.word);
    hasher.word(u64{flight.done} << 32 | flight.target.position);
    for (const u64 value : {flight.source.data, flight.source.exponent, flight.source.delta})
      hasher.word(value);
  }
  if (flights.pack.pieces.count != 0) {
    hash_pieces(hasher, flights.pack.pieces, u64{flights.pack.thread} << 32 | flights.pack.word);
    hasher.object(flights.pack.input.row);
    hasher.object(flights.pack.config);
  }
  if (const MoverFlight& flight = flights.mover; flight.pieces.count != 0) {
    hash_pieces(hasher, flight.pieces, u64{flight.destination} << 32 | flight.source);
    hasher.word(u64{flight.size} << 32 | flight.done);
  }
  for (u32 i = 0; i < flights.commands.count; ++i) {
    const TdmaCommand& command = flights.commands.command[i];
    hasher.word(u64{command.opcode} << 40 | u64{command.mode} << 32 | command.size);
    hasher.word(u64{command.destination} << 32 | command.source);
    hasher.object(command.value);
  }
}

}  // namespace

u64 hash_of(const State& state, u64 seed) {
  Hasher hasher(seed);
  for (const Frontend& frontend : state.frontend) hash_frontend(hasher, frontend);
  hasher.object(state.sync.semaphore);
  hasher.object(state.sync.mutex);
  for (const auto& pcbuf : state.sync.pcbuf) {
    hasher.word(pcbuf.size());
    for (u32 i = 0; i < pcbuf.size(); ++i) hasher.word(pcbuf[i]);
  }
  hasher.object(state.cfg.bank);
  hasher.object(state.cfg.thread);
  hasher.word(state.cfg.debug_feature_disable);
  hasher.object(state.thcon.gpr);
  hasher.word(state.thcon.occupied_by);
  for (const auto& thread : state.adc.adc)
    for (const Adc& unit : thread)
      for (const AdcChannel& channel : unit.channel) hash_channel(hasher, channel);
  hasher.object(state.mover.parameter);
  hasher.object(state.mover.command_base);
  hasher.word(state.mover.busy_until);
  hash_source(hasher, state.fpu.src_a);
  hash_source(hasher, state.fpu.src_b);
  hasher.object(state.fpu.dst.row);
  hasher.object(state.fpu.dst.valid);
  hasher.object(state.fpu.rwc);
  hasher.word(state.fpu.last_src_a_row);
  hasher.object(state.unpacker);
  hasher.object(state.packer);
  hash_vector_unit(hasher, state.sfpu);
  hasher.object(state.busy_until);
  // Of the Full build; when all is past they mean nothing.
  for (const auto& times :
       {std::span<const Cycle>(state.taken_until), std::span<const Cycle>(state.held_until)}) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] <= state.now) continue;
      hasher.word(i);
      hasher.word(times[i]);
    }
  }
  for (u32 i = 0; i < state.effects.count; ++i) hash_effect(hasher, state.effects.effect[i]);
  if (state.flights.any()) hash_flights(hasher, state.flights);
  hasher.word(state.soft_reset);
  if (state.perf.counted != 0) hasher.object(state.perf);  // once they have been used
  return hasher.value();
}

}  // namespace bhemu::tensix
