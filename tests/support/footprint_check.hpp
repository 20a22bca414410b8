// Executes instructions one by one and holds them against their footprints: what changed lies in
// what they say they write, and what they do not say they read makes no difference; nor does, to
// one of the results, what they read and do not say that it comes from.
#pragma once

#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "mem/l1.hpp"
#include "tensix/context.hpp"
#include "tensix/footprint/footprint.hpp"

namespace bhemu::tensix::test {

/// A part of the state that touches can name.
struct Cell {
  Space space = Space::L1;
  u32 index = 0;
  u32 offset = 0;  // in State
  u32 bytes = 0;
  u32 parts = 0;   // 0: the bits of a number; 1: a whole; more: as many equal parts, a bit each
  u32 most = ~0u;  // the greatest value of a number, or the bits that a part may have
};

/// Every cell, and which bytes of State are none and may change all the same (windows, queues).
class CellMap {
 public:
  CellMap();
  std::span<const Cell> cells() const { return cells_; }
  /// Bytes of State that are in no cell.
  const std::vector<bool>& unnamed() const { return unnamed_; }

 private:
  std::vector<Cell> cells_;
  std::vector<bool> unnamed_;
};

class FootprintCheck : private TileRegisters, private WriteListener {
 public:
  FootprintCheck();

  State& state() { return *state_; }
  L1& l1() { return l1_; }
  /// Rules stop the instruction that breaks them, or nothing does.
  void set_rules(bool stop) { env_.faults = stop ? &faults_ : nullptr; }

  /// Executes `word` of `thread` and compares. Empty: everything holds. The state is then that
  /// after the instruction; a stalled one has changed nothing.
  std::string run(unsigned thread, u32 word, const SfpuScheduled* scheduled = nullptr);
  /// Of the latest run.
  const Touches& touches() const { return touches_; }
  bool stalled() const { return stalled_; }
  bool faulted() const { return !faults_.faults().empty(); }

  u32 random() { return static_cast<u32>(random_()); }
  u32 below(u32 count) { return random() % count; }
  bool one_in(u32 count) { return below(count) == 0; }
  /// A word of the row with random fields, a third of which are zero.
  u32 random_word(const Info& info);
  /// Every cell anew, in what values it can have.
  void randomise(State& state, Space space);
  void randomise_all();
  void seed(u64 seed) { random_.seed(seed); }

 private:
  bool load_register(u32 address, u32& value, const Author& author) override;
  bool store_register(u32 address, u32 value, const Author& author) override;
  void config_written(u32, u32, Cycle) override {}
  void before_write(u32 address, u32 bytes, const Author& author) override;
  struct Written {
    u32 address;
    std::vector<u8> before;
  };
  void randomise_cell(State& state, const Cell& cell, u32 keep);
  void finish_random(State& state);
  u32 value_of_register(u32 address) const;
  bool execute(State& state, unsigned thread, u32 word, const SfpuScheduled* scheduled);
  u32 touched(const Cell& cell, Access access) const;
  bool l1_touched(u32 address, Access access) const;
  std::string check_writes(const State& before, const State& after) const;
  std::string check_l1_writes() const;
  std::string check_reads(const State& before, const State& after, unsigned thread, u32 word,
                          const SfpuScheduled* scheduled);
  /// One result, in a state in which what it does not come from is something else.
  std::string check_flows(const State& before, const State& after, unsigned thread, u32 word,
                          const SfpuScheduled* scheduled);
  std::string compare_cells(const State& before, const State& after, const State& other_before,
                            const State& other_after) const;
  void scramble_l1();
  void restore_l1(const std::vector<Written>& written);

  std::unique_ptr<State> state_ = std::make_unique<State>();
  L1 l1_;
  FaultPolicy policy_;
  FaultPort faults_{0, &policy_};
  Environment env_;
  CellMap map_;
  std::mt19937_64 random_{1};
  Touches touches_;
  bool stalled_ = false;
  u32 salt_ = 0;  // of registers that are not named as read
  bool salted_ = false;
  std::vector<Written> written_;
  std::vector<std::pair<u32, u32>> stored_;  // registers
};

}  // namespace bhemu::tensix::test
