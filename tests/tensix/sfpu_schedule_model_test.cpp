// SFPLOADMACRO's schedule against a model of BlackholeA0 SFPLOADMACRO.md that walks through the
// cycles: random configurations, random programs of macros, loads, stores and other instructions,
// from a thread with gaps between its words or from three that hold each other up with a semaphore.
// Programs that no document decides (two results for a register in a cycle, a forbidden meeting, a
// scheduled instruction that reads what an issued multiply-add has yet to deliver) end where that
// happens.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "support/mul_add_model.hpp"
#include "support/rounds.hpp"
#include "tensix/context.hpp"
#include "tensix/dst/dst_access.hpp"
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
  u32 mod = 0;    // of a store
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

/// Formats that move bits without arithmetic; the others have tests of their own.
enum Mod : u32 {
  kBf16 = 2,
  kInt32 = 4,
  kUint16 = 6,
  kHi16 = 7,
  kLo16 = 9,
  kLo16Only = 14,
  kHi16Only = 15
};

u32 swapped_fields(u32 h) {  // BF16 keeps its exponent below its mantissa in Dst
  return (h & 0x8000) | (h & 0x7F) << 8 | (h >> 7 & 0xFF);
}
u32 loaded(u32 mod, u32 cell, u32 old) {
  switch (mod) {
    case kInt32:
      return cell;
    case kBf16:
      return ((cell & 0x8000) | (cell >> 8 & 0x7F) | (cell & 0xFF) << 7) << 16;
    case kHi16:
      return cell << 16;
    case kLo16Only:
      return (old & 0xFFFF0000) | cell;
    case kHi16Only:
      return (old & 0xFFFF) | cell << 16;
    default:
      return cell;
  }
}
u32 stored_cell(u32 mod, u32 value) {
  switch (mod) {
    case kInt32:
      return value;
    case kBf16:
      return swapped_fields((value & 0x7F800000) == 0 ? value >> 31 << 15 : value >> 16);
    case kHi16Only:
      return value >> 16;
    default:
      return value & 0xFFFF;
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
    if (word == 0 && held()) return;
    std::vector<Job> due;
    for (u32 unit = 0; unit < 4; ++unit) take_due(static_cast<Unit>(unit), due);
    check_meeting(due);
    check_reads(due);
    const std::array<u32, 17> before = reg;
    std::array<u32, kGroups> stored = dst;
    std::map<u32, u32> results = std::move(landing_);  // of the cycle before, in two-cycle units
    landing_.clear();
    for (const Job& job : due) {
      if (job.unit == kStore) {
        stored[job.group] = stored_cell(job.mod, before[job.vd]);
      } else if (!is_nop(job.word)) {
        auto& target = job.unit == kMad ? landing_ : results;
        if (target.contains(job.vd)) undecided = true;
        target[job.vd] = value_of(job, before);
      }
    }
    dst = stored;
    if (word != 0) issue(word, due, results);
    for (const auto& [vd, value] : results) reg[vd] = value;
    for (Job& job : waiting_) {
      if (!job.fresh) --job.left;
      job.fresh = false;
    }
  }

 private:
  /// Nothing at all happens without an instruction (src/tensix/sfpu/schedule.hpp says why).
  bool held() const {
    for (const Job& job : waiting_)
      if (job.by_instruction) return true;
    return false;
  }

  void check_reads(const std::vector<Job>& due) {
    const u32 late = std::exchange(late_, kNone);
    if (late == kNone) return;
    for (const Job& job : due) {
      const bool reads_a = opcode(job.word) == op::SFPMAD::kOpcode && (job.word >> 16 & 15) == late;
      if (job.unit == kStore ? job.vd == late : reads_a || job.vb == late || job.vc == late)
        undecided = true;
    }
  }

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

  static bool taken(const std::vector<Job>& due, Unit unit) {
    for (const Job& job : due)
      if (job.unit == unit) return true;
    return false;
  }

  /// Lost when a scheduled instruction has the unit.
  void issue(u32 word, const std::vector<Job>& due, std::map<u32, u32>& results) {
    const u32 high = word >> 20 & 15, low = word >> 4 & 15, mod = word >> 16 & 15;
    const u32 group = word >> 2 & 7;
    switch (opcode(word)) {
      case op::SFPLOADMACRO::kOpcode:
        return macro(word, results);
      case op::SFPLOADI::kOpcode:
        return write(high, word & 0xFFFF, results);
      case op::SFPLOAD::kOpcode:
        return write(high, loaded(mod, dst[group], reg[high]), results);
      case op::SFPSTORE::kOpcode:
        if (!taken(due, kStore)) dst[group] = stored_cell(mod, reg[high]);
        return;
      case op::SFPNOT::kOpcode:
        if (!taken(due, kSimple)) write(low, ~reg[word >> 8 & 15], results);
        return;
      case op::SFPMAD::kOpcode:
        if (taken(due, kMad)) return;
        late_ = low;
        if (landing_.contains(low)) undecided = true;
        return write(low, MulAddModel::of(reg[mod], reg[word >> 12 & 15], reg[word >> 8 & 15]),
                     results);
      default:
        return;
    }
  }

  void write(u32 vd, u32 value, const std::map<u32, u32>& results) {
    if (results.contains(vd)) undecided = true;
    reg[vd] = value;
  }

  void macro(u32 word, std::map<u32, u32>& results) {
    const u32 index = word >> 22 & 3;
    const u32 vd = (word >> 20 & 3) + word % 2 * 4;
    const u32 group = word >> 2 & 7;
    if (results.contains(vd)) undecided = true;
    const u32 mod = word >> 16 & 15;
    const u32 value = loaded(mod, dst[group], reg[vd]);
    for (u32 i = 0; i < 4; ++i) plan(static_cast<Unit>(i), index, vd, {group, mod});
    reg[vd] = value;
  }

  struct Source {
    u32 group, mod;
  };

  void plan(Unit unit, u32 index, u32 vd, Source source) {
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
    job.group = source.group;
    job.mod = bit(config.misc, 4 + index) ? source.mod : config.misc & 15;
    job.by_instruction = bit(config.misc, 8 + unit);
    job.word = selector == 2   ? encode<op::SFPNOP>()
               : selector == 3 ? encode<op::SFPSTORE>()
                               : config.templates[selector - 4];
    operands(job, sequence, vd);
    waiting_.push_back(job);
  }

  static void operands(Job& job, u32 sequence, u32 vd) {
    if (job.unit == kStore) {
      const u32 own = job.word >> 20 & 15;
      job.vd = bit(sequence, 6) ? kExtra : bit(sequence, 7) ? own : vd;
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

  static constexpr u32 kNone = 99;
  std::vector<Job> waiting_;
  std::map<u32, u32> landing_;
  u32 late_ = kNone;  // what an issued multiply-add of the cycle before writes
};

/// A bench and a model in step.
class RandomSchedule {
 public:
  explicit RandomSchedule(u64 seed) : random_(seed), wide_(any() % 2 == 0) {
    configure();
    for (u32 r = 0; r < 8; ++r) {
      model_.reg[r] = value();
      sfpu().lreg[r].lane.fill(model_.reg[r]);
    }
    model_.reg[10] = 0x3F800000;
    model_.reg[8] = 0x3F56594B;
    DstAccess dst(bench_.state());
    for (u32 group = 0; group < kGroups; ++group) {
      model_.dst[group] = wide_ ? value() : any() & 0xFFFF;
      for (u32 i = 0; i < 64; ++i) {
        const u32 row = 4 * group + i / 16;
        if (wide_)
          dst.write32(row, i % 16, numeric::dst_from_fp32(model_.dst[group]));
        else
          dst.write16(row, i % 16, static_cast<u16>(model_.dst[group]));
      }
    }
  }

  /// Cycles in which bench and model agreed. One thread, gaps between its words.
  u32 run_alone() {
    const u32 gap = any() % 3 == 0 ? 0 : 1 + any() % 8;
    for (u32 cycle = 0; cycle < 60; ++cycle) {
      const bool none = cycle >= 48 ? any() % 2 == 0 : gap != 0 && any() % 10 < gap;
      if (!none) bench_.push(kThread, cycle < 48 ? next_word() : encode<op::SFPNOP>());
      if (!step(cycle)) return cycle;
    }
    return 60;
  }

  /// Threads 1 and 2 compete for the vector unit; all three hold each other at the gate.
  u32 run_together() {
    for (u32 i = 0; i < 24; ++i) {
      for (const unsigned thread : {1u, 2u})
        bench_.push(thread, any() % 6 == 0 ? waiting_word() : next_word());
      bench_.push(0, any() % 2 == 0 ? sempost(1) : semget(1));
    }
    for (u32 cycle = 0; cycle < 60; ++cycle) {
      if (cycle >= 40 && any() % 2 == 0) bench_.push(0, encode<op::SFPNOP>());
      if (!step(cycle)) return cycle;
    }
    return 60;
  }

 private:
  /// False: the program ends here.
  bool step(u32 cycle) {
    u32 issued = 0;
    for (const auto& [thread, word] : bench_.cycle())
      if (bhemu::tensix::kDecoded[opcode(word)].unit == bhemu::tensix::Unit::Sfpu) issued = word;
    // A forbidden meeting stops the thread before its instruction.
    const bool faulted = bench_.faulted(Rule::SfpuMacroPairing);
    model_.cycle(issued != 0 || !faulted ? issued : encode<op::SFPNOP>());
    if (model_.undecided) return false;
    EXPECT_EQ(faulted, model_.forbidden);
    if (faulted || model_.forbidden) return false;
    compare(cycle, issued);
    return !testing::Test::HasFailure();
  }

  u32 any() { return static_cast<u32>(random_()); }
  u32 value() { return any() % 2 == 0 ? 0x3F000000 + any() % 0x1000000 : any() % 1024; }
  SfpuState& sfpu() { return bench_.state().sfpu; }
  u32 load_mod() {
    constexpr u32 kMods[] = {kBf16, kUint16, kHi16, kLo16, kLo16Only, kHi16Only};
    return wide_ ? u32{kInt32} : kMods[any() % 6];
  }
  /// Also for a macro whose store takes over the mode of its load.
  u32 either_mod() {
    constexpr u32 kMods[] = {kBf16, kUint16, kLo16Only, kHi16Only};
    return wide_ ? u32{kInt32} : kMods[any() % 4];
  }

  u32 template_word(u32 kind) {
    const u32 a = any() % 8, b = any() % 8, c = any() % 8, d = any() % 8;
    switch (kind % 9) {
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
      case 7:
        return 0x94000006u | (any() % 8) << 12 | c << 8 | d << 4;  // SFPSHFT2, an immediate
      default:
        return encode<op::SFPSTORE>({{"lreg_ind", d}});
    }
  }

  /// Templates 0 and 1 are for the simple unit, 2 for the multiply-add unit, 3 for rounding or for
  /// a store of a register of its own.
  void configure() {
    Configuration& config = model_.config;
    const bool stores = any() % 2 == 0;
    config.templates = {template_word(any() % 4), template_word(any() % 4),
                        template_word(4 + any() % 3), template_word(stores ? 8 : 7)};
    const u32 macros = 1 + any() % 4;  // the others are as the first ones
    for (u32 i = 0; i < 4; ++i) {
      config.sequences[i] = i < macros ? sequence(stores) : config.sequences[i % macros];
    }
    config.misc = either_mod() | (any() & 0xF) << 4 | (any() % 2 == 0 ? (any() & 0xF) << 8 : 0);
    for (u32 i = 0; i < 4; ++i) {
      sfpu().macro_instruction[i].fill(config.templates[i]);
      sfpu().macro_sequence[i].fill(config.sequences[i]);
    }
    sfpu().macro_misc.fill(config.misc);
  }

  u32 sequence(bool template_stores) {
    const u32 selectors[4] = {any() % 3 == 0 ? any() % 2 * 2 : 4 + any() % 2,
                              any() % 3 == 0 ? any() % 2 * 2 : 6u,
                              any() % 4 == 0 && !template_stores ? 7u : 0,
                              any() % 3 == 0    ? 0
                              : template_stores ? 7u
                                                : 3u};
    u32 word = 0;
    for (u32 unit = 0; unit < 4; ++unit)
      word |= ((any() % 4) << 6 | (any() % 8) << 3 | selectors[unit]) << (8 * unit);
    return word;
  }

  u32 next_word() {
    const u32 vd = any() % 8, address = (any() % kGroups) << 2;
    switch (any() % 12) {
      case 0:
      case 1:
        return encode<op::SFPNOP>();
      case 2:
        return encode<op::SFPLOADI>({{"lreg_ind", vd}, {"instr_mod0", 2}, {"imm16", any() % 4096}});
      case 3:
        return encode<op::SFPNOT>({{"lreg_c", any() % 8}, {"lreg_dest", vd}});
      case 4:
        return encode<op::SFPLOAD>(
            {{"lreg_ind", vd}, {"instr_mod0", load_mod()}, {"dest_reg_addr", address}});
      case 5:
        return encode<op::SFPSTORE>(
            {{"lreg_ind", vd}, {"instr_mod0", either_mod()}, {"dest_reg_addr", address}});
      case 6:
        return template_word(4);
      default: {
        const u32 macro = any() % 4;
        const u32 mod = bit(model_.config.misc, 4 + macro) ? either_mod() : load_mod();
        return encode<op::SFPLOADMACRO>({{"lreg_ind", macro << 2 | (vd & 3)},
                                         {"instr_mod0", mod},
                                         {"dest_reg_addr", address | vd >> 2}});
      }
    }
  }

  /// Keeps the thread at its gate, or not, as the others have left the semaphore.
  u32 waiting_word() { return semwait(1u << 8, 1, 1 + any() % 2); }

  void compare(u32 cycle, u32 word) {
    for (const u32 r : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 16u})
      for (const u32 lane : {0u, 13u, 31u})
        ASSERT_EQ(sfpu().lreg[r][lane], model_.reg[r])
            << "LReg " << r << " after cycle " << cycle << ", " << std::hex << word;
    DstAccess dst(bench_.state());
    for (u32 group = 0; group < kGroups; ++group) {
      const u32 row = 4 * group + 1;
      const u32 cell = wide_ ? numeric::fp32_from_dst(dst.read32(row, 6)) : dst.read16(row, 6);
      ASSERT_EQ(cell, model_.dst[group])
          << "rows " << 4 * group << " after cycle " << cycle << ", " << std::hex << word;
    }
  }

  std::mt19937_64 random_;
  bool wide_;
  Harness bench_;
  ScheduleModel model_;
};

TEST(LoadMacroModel, random_programs_do_what_the_model_does_cycle_by_cycle) {
  const u64 programs = 1 + bhemu::test::rounds(60'000) / 30;
  u64 cycles = 0;
  for (u64 i = 0; i < programs && !testing::Test::HasFailure(); ++i)
    cycles += RandomSchedule(bhemu::test::seed(71) + i).run_alone();
  EXPECT_GT(cycles, 6 * programs) << "most programs end before they begin";
}

TEST(LoadMacroModel, threads_that_hold_each_other_up_do_what_the_model_does) {
  const u64 programs = 1 + bhemu::test::rounds(60'000) / 30;
  u64 cycles = 0;
  for (u64 i = 0; i < programs && !testing::Test::HasFailure(); ++i)
    cycles += RandomSchedule(bhemu::test::seed(72) + i).run_together();
  EXPECT_GT(cycles, 6 * programs) << "most programs end before they begin";
}

}  // namespace
}  // namespace bhemu::tensix::test
