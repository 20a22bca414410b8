// One core with a flat L1, and the few steps that every test repeats.
#pragma once

#include <initializer_list>
#include <vector>

#include "riscv/encode.hpp"
#include "riscv/flat_bus.hpp"

namespace bhemu::riscv {

template <class Bus>
struct BasicGuest {
  explicit BasicGuest(CoreId id = CoreId::Brisc) : bus(memory, ldm_size_of(id)) {
    core.id = id;
    core.reset(0x1000);
  }
  /// Places code at the pc.
  void load(const std::vector<u32>& words) { memory.write_words(core.pc, words); }
  Outcome steps(u64 count) { return run(core, bus, core.cycle + count); }
  /// Places code at the pc and executes it.
  Outcome execute(const std::vector<u32>& words) {
    load(words);
    return steps(words.size());
  }
  Outcome execute(std::initializer_list<u32> words) { return execute(std::vector<u32>(words)); }
  Rule fault() const { return bus.faults.empty() ? Rule::Count : bus.faults.back().rule; }

  FlatMemory memory;
  Bus bus;
  CoreState core;
};
using Guest = BasicGuest<FlatBus>;
using RecordingGuest = BasicGuest<RecordingFlatBus>;

}  // namespace bhemu::riscv
