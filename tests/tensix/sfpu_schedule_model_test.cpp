// SFPLOADMACRO's schedule against a model of BlackholeA0 SFPLOADMACRO.md that walks through the
// cycles: random configurations, random programs of macros, loads, stores and simple instructions.
// Programs that no document decides (two results for a register in a cycle, a forbidden meeting)
// end where that happens.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>

#include "support/mul_add_model.hpp"
#include "support/rounds.hpp"
#include "tensix/fpu/dst_access.hpp"
#include "tensix/harness.hpp"

namespace bhemu::tensix::test {
namespace {

using bhemu::test::MulAddModel;

constexpr unsigned kThread = 2;
constexpr u32 kGroups = 8;  // of four rows of Dst
constexpr u32 kExtra = 16;

enum Unit : u32 { kSimple, kMad, kRound, kStore };

/// Operands after the macro has had its say, and the template's word for the rest.
struct Job {
  u32 word = 0;
  Unit unit = kSimple;
  u32 vb = 0, vc = 0, vd = 0;
  u32 group = 0;  // of a store
  int left = 0;   // of the delay
  bool by_instruction = false;
  bool fresh = true;
};

u32 opcode(u32 word) {
  return word >> 24;
}
bool is_nop(u32 word) {
  return opcode(word) == op::SFPNOP::kOpcode;
}

/// What the instructions of these tests compute.
u32 value_of(const Job& job, const std::array<u32, 17>& reg) {
  const u32 b = reg[job.vb], c = reg[job.vc];
  const u32 imm12 = job.word >> 12 & 0xFFF;
  const u32 imm16 = job.word >> 8 & 0xFFFF;
  switch (opcode(job.word)) {
    case op::SFPIADD::kOpcode:
      return job.word % 16 == 5 ? c + imm12 : c - b;
    case op::SFPABS::kOpcode:
      return c >= 0x80000000 ? 0 - c : c;
    case op::SFPXOR::kOpcode:
      return c ^ b;
    case op::SFPAND::kOpcode:
      return c & b;
    case op::SFPNOT::kOpcode:
      return ~c;
    case op::SFPMAD::kOpcode:
      return MulAddModel::of(reg[job.word >> 16 & 15], b, c);
    case op::SFPADDI::kOpcode:
      return MulAddModel::of(imm16 << 16, 0x3F800000, c);
    case op::SFPMULI::kOpcode:
      return MulAddModel::of(imm16 << 16, c, 0);
    case op::SFPSHFT2::kOpcode:
      return b << (imm12 % 32);
    default:
      ADD_FAILURE() << "no such instruction";
      return 0;
  }
}

struct Configuration {
  std::array<u32, 4> templates{};
  std::array<u32, 4> sequences{};
  u32 misc = 0;
};

class ScheduleModel {
 public:
  std::array<u32, 17> reg{};
  std::array<u32, kGroups> dst{};
  Configuration config;
  bool undecided = false;
  bool forbidden = false;

  /// One cycle, in which `word` is issued (0: nothing).
  void cycle(u32 word) {
    std::vector<Job> due;
    for (u32 unit = 0; unit < 4; ++unit) take_due(static_cast<Unit>(unit), due);
    check_meeting(due);
    const std::array<u32, 17> before = reg;
    std::array<u32, kGroups> stored = dst;
    std::map<u32, u32> results = std::move(landing_);  // of the cycle before, in two-cycle units
    landing_.clear();
    for (const Job& job : due) {
      if (job.unit == kStore) {
        stored[job.group] = before[job.vd];
      } else if (!is_nop(job.word)) {
        auto& target = job.unit == kMad ? landing_ : results;
        if (target.contains(job.vd)) undecided = true;
        target[job.vd] = value_of(job, before);
      }
    }
    dst = stored;
    if (word != 0) issue(word, due, results);
    for (const auto& [vd, value] : results) reg[vd] = value;
    count_down(word != 0);
  }

 private:
  void take_due(Unit unit, std::vector<Job>& due) {
    for (std::size_t i = 0; i < waiting_.size();) {
      if (waiting_[i].unit == unit && waiting_[i].left == 0 && !waiting_[i].fresh) {
        due.push_back(waiting_[i]);
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
  }

  void check_meeting(const std::vector<Job>& due) {
    const Job* simple = nullptr;
    const Job* round = nullptr;
    for (const Job& job : due) {
      if (job.unit == kSimple) simple = &job;
      if (job.unit == kRound) round = &job;
    }
    if (simple != nullptr && round != nullptr && (simple->vd == kExtra) == (round->vd == kExtra))
      forbidden = true;
  }

  void issue(u32 word, const std::vector<Job>& due, std::map<u32, u32>& results) {
    const u32 vd = word >> 20 & 15;
    switch (opcode(word)) {
      case op::SFPLOADMACRO::kOpcode:
        return macro(word, results);
      case op::SFPLOADI::kOpcode:
        if (results.contains(vd)) undecided = true;
        reg[vd] = word & 0xFFFF;
        return;
      case op::SFPNOT::kOpcode: {  // lost when a scheduled instruction has the simple unit
        for (const Job& job : due)
          if (job.unit == kSimple) return;
        const u32 target = word >> 4 & 15;
        if (results.contains(target)) undecided = true;
        reg[target] = ~reg[word >> 8 & 15];
        return;
      }
      default:
        return;
    }
  }

  void macro(u32 word, std::map<u32, u32>& results) {
    const u32 index = word >> 22 & 3;
    const u32 vd = (word >> 20 & 3) + word % 2 * 4;
    const u32 group = word >> 2 & 7;
    if (results.contains(vd)) undecided = true;
    const u32 loaded = dst[group];
    for (u32 i = 0; i < 4; ++i) plan(static_cast<Unit>(i), index, vd, group);
    reg[vd] = loaded;
  }

  void plan(Unit unit, u32 index, u32 vd, u32 group) {
    const u32 sequence = config.sequences[index] >> (8 * unit) & 0xFF;
    const int delay = static_cast<int>(sequence >> 3 & 7);
    // Only what is replaced is forgotten: LLK's reciprocals need it so (docs/DISAGREEMENTS.md).
    const u32 selector = sequence & 7;
    if (selector == 0) return;
    // What is left after this cycle decides whether both would execute at the same time.
    if (delay != 7)
      std::erase_if(waiting_, [&](const Job& job) {
        return job.unit == unit && !job.fresh && job.left - 1 == delay;
      });
    Job job;
    job.unit = unit;
    job.left = delay;
    job.group = group;
    job.by_instruction = bit(config.misc, 8 + unit);
    job.word = selector == 2   ? encode<op::SFPNOP>()
               : selector == 3 ? encode<op::SFPSTORE>()
                               : config.templates[selector - 4];
    operands(job, sequence, vd);
    waiting_.push_back(job);
  }

  static void operands(Job& job, u32 sequence, u32 vd) {
    if (job.unit == kStore) {
      job.vd = bit(sequence, 6) ? kExtra : bit(sequence, 7) ? 0 : vd;
      return;
    }
    const u32 code = opcode(job.word);
    const u32 own = job.word >> 4 & 15;
    const bool immediate = code == op::SFPADDI::kOpcode || code == op::SFPMULI::kOpcode;
    const bool has_b =
        code == op::SFPMAD::kOpcode || code == op::SFPAND::kOpcode || code == op::SFPSHFT2::kOpcode;
    if (bit(sequence, 7)) {
      job.vb = vd;
      job.vc = immediate ? own : job.word >> 8 & 15;
    } else {
      job.vc = vd;
      job.vb = has_b ? job.word >> 12 & 15 : own;
    }
    job.vd = bit(sequence, 6) ? kExtra : vd;
  }

  void count_down(bool issued) {
    bool by_instruction = false;
    for (const Job& job : waiting_) by_instruction |= job.by_instruction;
    for (Job& job : waiting_) {
      if (job.fresh)
        job.fresh = false;
      else if (issued || !by_instruction)
        --job.left;
    }
  }

  std::vector<Job> waiting_;
  std::map<u32, u32> landing_;
};

/// A bench and a model in step.
class RandomSchedule {
 public:
  explicit RandomSchedule(u64 seed) : random_(seed) {
    configure();
    for (u32 r = 0; r < 8; ++r) {
      model_.reg[r] = value();
      sfpu().lreg[r].lane.fill(model_.reg[r]);
    }
    model_.reg[10] = 0x3F800000;
    model_.reg[8] = 0x3F56594B;
    DstAccess dst(bench_.state());
    for (u32 group = 0; group < kGroups; ++group) {
      model_.dst[group] = value();
      for (u32 i = 0; i < 64; ++i)
        dst.write32(4 * group + i / 16, i % 16, numeric::dst_from_fp32(model_.dst[group]));
    }
  }

  /// Cycles in which bench and model agreed.
  u32 run() {
    for (u32 cycle = 0; cycle < 48; ++cycle) {
      const u32 word = cycle < 36 ? next_word() : any() % 2 * encode<op::SFPNOP>();
      if (word != 0) bench_.push(kThread, word);
      model_.cycle(word);
      if (model_.undecided) return cycle;
      bench_.run_one();
      EXPECT_EQ(bench_.faulted(Rule::SfpuMacroPairing), model_.forbidden);
      if (model_.forbidden) return cycle;
      compare(cycle, word);
      if (testing::Test::HasFatalFailure() || testing::Test::HasNonfatalFailure()) return cycle;
    }
    return 48;
  }

 private:
  struct Bench : Harness {
    void run_one() { run(1); }
  };

  u32 any() { return static_cast<u32>(random_()); }
  u32 value() { return any() % 2 == 0 ? 0x3F000000 + any() % 0x1000000 : any() % 1024; }
  SfpuState& sfpu() { return bench_.state().sfpu; }

  u32 template_word(u32 kind) {
    const u32 a = any() % 8, b = any() % 8, c = any() % 8, d = any() % 8;
    switch (kind % 8) {
      case 0:
        return 0x79000005u | (any() % 64) << 12 | c << 8 | d << 4;  // SFPIADD, an immediate
      case 1:
        return 0x79000006u | c << 8 | d << 4;  // SFPIADD, C - B
      case 2:
        return 0x7D000000u | c << 8 | d << 4;  // SFPABS
      case 3:
        return 0x8D000000u | c << 8 | d << 4;  // SFPXOR
      case 4:
        return 0x84000000u | a << 16 | b << 12 | c << 8 | d << 4;  // SFPMAD
      case 5:
        return 0x75000000u | (0x3F80 + any() % 64) << 8 | d << 4;  // SFPADDI
      case 6:
        return 0x74000000u | (0x3F80 + any() % 64) << 8 | d << 4;  // SFPMULI
      default:
        return 0x94000006u | (any() % 8) << 12 | c << 8 | d << 4;  // SFPSHFT2, an immediate
    }
  }

  /// Templates 0 and 1 are for the simple unit, 2 for the multiply-add unit, 3 for rounding.
  void configure() {
    Configuration& config = model_.config;
    config.templates = {template_word(any() % 4), template_word(any() % 4),
                        template_word(4 + any() % 3), template_word(7)};
    for (u32& sequence : config.sequences) {
      const u32 flags[4] = {any() % 4, any() % 4, any() % 4, any() % 4};
      const u32 selectors[4] = {any() % 3 == 0 ? 0 : 4 + any() % 2, any() % 3 == 0 ? 0 : 6u,
                                any() % 4 == 0 ? 7u : 0, any() % 3 == 0 ? 0 : 3u};
      sequence = 0;
      for (u32 unit = 0; unit < 4; ++unit)
        sequence |= (flags[unit] << 6 | (any() % 8) << 3 | selectors[unit]) << (8 * unit);
    }
    config.misc = 4 | (any() % 3 == 0 ? (any() & 0xF) << 8 : 0);
    for (u32 i = 0; i < 4; ++i) {
      sfpu().macro_instruction[i].fill(config.templates[i]);
      sfpu().macro_sequence[i].fill(config.sequences[i]);
    }
    sfpu().macro_misc.fill(config.misc);
  }

  u32 next_word() {
    const u32 vd = any() % 8;
    switch (any() % 8) {
      case 0:
        return 0;
      case 1:
        return encode<op::SFPNOP>();
      case 2:
        return encode<op::SFPLOADI>({{"lreg_ind", vd}, {"instr_mod0", 2}, {"imm16", any() % 4096}});
      case 3:
        return encode<op::SFPNOT>({{"lreg_c", any() % 8}, {"lreg_dest", vd}});
      default:
        return encode<op::SFPLOADMACRO>({{"lreg_ind", (any() % 4) << 2 | (vd & 3)},
                                         {"instr_mod0", 4},
                                         {"dest_reg_addr", (any() % kGroups) << 2 | vd >> 2}});
    }
  }

  void compare(u32 cycle, u32 word) {
    for (const u32 r : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 16u})
      for (const u32 lane : {0u, 13u, 31u})
        ASSERT_EQ(sfpu().lreg[r][lane], model_.reg[r])
            << "LReg " << r << " after cycle " << cycle << ", " << std::hex << word;
    DstAccess dst(bench_.state());
    for (u32 group = 0; group < kGroups; ++group)
      ASSERT_EQ(numeric::fp32_from_dst(dst.read32(4 * group + 1, 6)), model_.dst[group])
          << "rows " << 4 * group << " after cycle " << cycle << ", " << std::hex << word;
  }

  std::mt19937_64 random_;
  Bench bench_;
  ScheduleModel model_;
};

TEST(LoadMacroModel, random_programs_do_what_the_model_does_cycle_by_cycle) {
  const u64 programs = bhemu::test::rounds(60'000) / 30;
  u64 cycles = 0;
  for (u64 i = 0; i < programs && !testing::Test::HasFailure(); ++i)
    cycles += RandomSchedule(bhemu::test::seed(71) + i).run();
  EXPECT_GT(cycles, 6 * programs) << "most programs end before they begin";
}

}  // namespace
}  // namespace bhemu::tensix::test
