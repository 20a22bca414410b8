// A coprocessor alone, with L1, faults, wake-ups and a few registers around it.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "mem/l1.hpp"
#include "tensix/coprocessor.hpp"
#include "tensix/isa.hpp"
#include "tensix/state.hpp"
#include "tensix/timing.hpp"

namespace bhemu::tensix::test {

class Harness final : private Waker, private TileRegisters {
 public:
  /// `timing`: of the Full build; null: the Plain one.
  explicit Harness(const Timing* timing = nullptr)
      : faults(0, &policy), coprocessor(environment()) {
    coprocessor.set_timing(timing);
    wakeup.waker = this;
  }

  State& state() { return coprocessor.state(); }
  u32& gpr(unsigned thread, u32 index) { return state().thcon.gpr[thread][index]; }
  Semaphore& semaphore(u32 index) { return state().sync.semaphore[index]; }

  /// Pushes as the thread's TRISC does, one cycle before the present.
  void push(unsigned thread, u32 word) { coprocessor.push(thread, word, now - 1); }
  void push(unsigned thread, std::initializer_list<u32> words) {
    for (const u32 word : words) push(thread, word);
  }

  /// Runs one cycle and returns the words that left the wait gates in it, by thread.
  std::vector<std::pair<unsigned, u32>> cycle() {
    std::array<u64, kThreads> before{};
    for (unsigned t = 0; t < kThreads; ++t) before[t] = coprocessor.instructions_executed(t);
    coprocessor.run(now, now + 1);
    ++now;
    std::vector<std::pair<unsigned, u32>> left;
    for (unsigned t = 0; t < kThreads; ++t) {
      if (coprocessor.instructions_executed(t) != before[t])
        left.emplace_back(t, state().frontend[t].gate_word);
    }
    return left;
  }

  /// The words that `thread` executes in `cycles` cycles.
  std::vector<u32> trace(unsigned thread, unsigned cycles) {
    std::vector<u32> words;
    for (unsigned i = 0; i < cycles; ++i) {
      for (const auto& [t, word] : cycle()) {
        if (t == thread) words.push_back(word);
      }
    }
    return words;
  }
  void run(Cycle cycles) {
    coprocessor.run(now, now + cycles);
    now += cycles;
  }

  /// Pushes the words as room allows and runs until the thread has done them.
  void execute(unsigned thread, const std::vector<u32>& words) {
    for (const u32 word : words) {
      while (!coprocessor.can_push(thread)) run(1);
      push(thread, word);
    }
    for (int i = 0; i < 100 && !coprocessor.drained(thread); ++i) run(1);
  }

  /// An access of a core, at this moment.
  Author core(Agent agent = Agent::Trisc0) const { return {agent, 0x100, now}; }

  bool faulted(Rule rule) const {
    for (const Fault& fault : faults.faults()) {
      if (fault.rule == rule) return true;
    }
    return false;
  }

  L1 l1;
  Wakeup wakeup;
  FaultPolicy policy;
  FaultPort faults;
  std::map<u32, u32> registers;                           // what LOADREG and STOREREG reach
  bool refuses_registers = false;                         // as a tile where a rule is broken
  std::vector<Author> authors;                            // of the accesses to them
  std::vector<std::pair<u32, u32>> config_notifications;  // word, value
  std::vector<Resource> woken;
  Cycle now = 100;
  Coprocessor coprocessor;

 private:
  Environment environment() {
    Environment env;
    env.l1 = &l1;
    env.wakeup = &wakeup;
    env.faults = &faults;
    env.registers = this;
    return env;
  }
  void wake(Resource resource) override { woken.push_back(resource); }
  bool load_register(u32 address, u32& value, const Author& author) override {
    authors.push_back(author);
    value = registers[address];
    return !refuses_registers;
  }
  bool store_register(u32 address, u32 value, const Author& author) override {
    authors.push_back(author);
    if (!refuses_registers) registers[address] = value;
    return !refuses_registers;
  }
  void config_written(u32 index, u32 value, Cycle) override {
    config_notifications.emplace_back(index, value);
  }
};

// Words that many tests use.
inline u32 set_half(u32 half, u32 value) {
  return encode<op::SETDMAREG>({{"reg_index_16b", half},
                                {"payload_sig_sel", value & 0x3FFF},
                                {"payload_sig_sel_size", value >> 14}});
}
inline std::vector<u32> set_gpr(u32 index, u32 value) {
  return {set_half(2 * index, value & 0xFFFF), set_half(2 * index + 1, value >> 16)};
}
inline u32 nop() {
  return encode<op::NOP>();
}
inline u32 stallwait(u32 block, u32 condition) {
  return encode<op::STALLWAIT>({{"stall_res", block}, {"wait_res", condition}});
}
inline u32 semwait(u32 block, u32 semaphores, u32 condition) {
  return encode<op::SEMWAIT>(
      {{"stall_res", block}, {"sem_sel", semaphores}, {"wait_sem_cond", condition}});
}
inline u32 seminit(u32 semaphores, u32 value, u32 max) {
  return encode<op::SEMINIT>({{"sem_sel", semaphores}, {"init_value", value}, {"max_value", max}});
}
inline u32 sempost(u32 semaphores) {
  return encode<op::SEMPOST>({{"sem_sel", semaphores}});
}
inline u32 semget(u32 semaphores) {
  return encode<op::SEMGET>({{"sem_sel", semaphores}});
}
inline u32 setc16(u32 index, u32 value) {
  return encode<op::SETC16>({{"setc16_reg", index}, {"setc16_value", value}});
}
inline u32 atgetm(u32 mutex) {
  return encode<op::ATGETM>({{"mutex_index", mutex}});
}
inline u32 atrelm(u32 mutex) {
  return encode<op::ATRELM>({{"mutex_index", mutex}});
}

}  // namespace bhemu::tensix::test
