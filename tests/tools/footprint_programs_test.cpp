// Footprints against execution in the states that programs make: the differential tool's random
// programs, taken word by word in the order of their items.
#include <gtest/gtest.h>

#include <cstring>

#include "diff/classes.hpp"
#include "support/footprint_check.hpp"
#include "support/rounds.hpp"
#include "tensix/cfg/cfg.hpp"

namespace bhemu::diff {
namespace {

using tensix::test::FootprintCheck;

constexpr u32 kConfigWindow = 0xFFEF0000;
constexpr u32 kGprWindow = 0xFFE00000;

/// Plays the stores of a program on a coprocessor that has no cores. What waits is left out.
class Player {
 public:
  explicit Player(const Program& program) : program_(program) {
    if (program.data.empty()) return;
    std::memcpy(check_.l1().data() + kData, program.data.data(), program.data.size() * 4);
  }

  /// What is wrong, or nothing.
  std::string play() {
    for (const Item& item : program_.items) {
      if (item.kind != Kind::Store || item.tile != 0) continue;
      const std::string wrong = store(item);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }
  u32 executed() const { return executed_; }

 private:
  std::string store(const Item& item) {
    tensix::State& state = check_.state();
    const u32 offset = item.address - kConfigWindow;
    if (item.address >= kPushTensix && item.address < kPushTensix + kThreads * 0x10000)
      return push(item.core < kThreads ? item.core : (item.address - kPushTensix) >> 16,
                  item.value);
    if (item.address >= kConfigWindow && offset / 4 < tensix::kConfigWindow) {
      tensix::Environment env;
      tensix::write_config_window(state, env, Agent::Trisc0, offset / 4, item.value, 0);
    } else if (item.address >= kGprWindow && item.address < kGprWindow + 0x1000 &&
               item.core < kThreads) {
      state.thcon.gpr[item.core][(item.address - kGprWindow) / 4 % tensix::kGprs] = item.value;
    } else if (item.address + 4 <= L1::kSize) {
      std::memcpy(check_.l1().data() + item.address, &item.value, 4);
    }
    return {};
  }

  std::string push(unsigned thread, u32 word) {
    if (tensix::info_of_word(word).unit == tensix::Unit::Frontend) return {};
    tensix::State& state = check_.state();
    state.mover.busy_until = 0;
    state.thcon.occupied_by = 0;
    ++executed_;
    std::string wrong = check_.run(thread, word);
    while (wrong.empty() && state.sfpu.schedule.waiting_count != 0) {
      const tensix::SfpuScheduled entry =
          state.sfpu.schedule.waiting[--state.sfpu.schedule.waiting_count];
      wrong = check_.run(entry.thread, entry.word, &entry);
    }
    state.sfpu.schedule = {};
    return wrong;
  }

  const Program& program_;
  FootprintCheck check_;
  u32 executed_ = 0;
};

TEST(FootprintPrograms, random_programs_of_every_class_stay_within_their_footprints) {
  for (const char* name :
       {"gpr", "adc", "sync", "sfpu", "pack", "math", "fpu", "unpack", "pipeline"}) {
    const ProgramClass* const one = find_class(name);
    ASSERT_NE(one, nullptr) << name;
    u32 executed = 0;
    for (u64 i = 0; i < test::rounds(12); ++i) {
      const Program program = one->make(test::seed(i));
      Player player(program);
      ASSERT_EQ(player.play(), "") << name << " " << i;
      executed += player.executed();
    }
    EXPECT_GT(executed, 100u) << name;
  }
}

}  // namespace
}  // namespace bhemu::diff
