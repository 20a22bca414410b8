#include "hazard/copy.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/bits.hpp"
#include "mem/mapping.hpp"
#include "riscv/decode.hpp"
#include "riscv/effect.hpp"
#include "riscv/execute.hpp"
#include "riscv/isa.hpp"
#include "riscv/lines.hpp"

namespace bhemu::hazard {
namespace {

constexpr u32 kAlonePc = 0x1000;  // the first; a branch either way stays within L1
constexpr u32 kAloneBytes = 0x2000;
constexpr unsigned kMostSteps = 512;         // round a polling loop, which may pass its time
constexpr unsigned kMostRequestSteps = 512;  // with a request and the wait for its answer
constexpr unsigned kMostForks = 8;           // branches on what an NIU or a clock says
constexpr std::size_t kMostLoads = 8;        // of one loop, which a compiler has unrolled
constexpr u32 kNius = 0xFFB20000;
constexpr u32 kNiusEnd = 0xFFB40000;
constexpr u32 kWallClock = 0xFFB121F0;  // low, high, high as it was when low was read
constexpr u32 kWallClockEnd = 0xFFB121FC;
constexpr u64 kTick = 1u << 16;  // cycles that pass from one look at a clock to the next
constexpr u32 kA = 5;            // registers that a single instruction is made to use
constexpr u32 kB = 6;
constexpr u32 kResult = 7;

bool is_branch(u32 word) {
  return (word & 0x7F) == 0x63;
}

/// The word with other registers in the places of rs1, rs2 and rd. x0 stays: it is part of what
/// some words mean (zext.h).
u32 with_registers(u32 word, bool has_second, bool has_result) {
  if (bits(word, 15, 5) != 0) word = with_bits(word, 15, 5, kA);
  if (has_second && bits(word, 20, 5) != 0) word = with_bits(word, 20, 5, kB);
  if (has_result) word = with_bits(word, 7, 5, kResult);
  return word;
}

/// The tile as the copy sees it (riscv/core.hpp).
struct CopyBus {
  static constexpr bool kRecord = false;
  static constexpr u32 kL1Bytes = kL1Size;

  CopyBus(u8* memory, u32 bytes)
      : flags((bytes >> 6) + 1, 1),  // so that every store comes by store_l1
        words(Mapping::anonymous(bytes)),
        l1(memory),
        l1_flags(flags.data()),
        code(lines.table()) {}

  riscv::Loaded load(riscv::CoreState& state, u32 address, u32) {
    asked_niu |= is_niu(address);
    if (address >= kWallClock && address < kWallClockEnd)
      return {clock(state, address == kWallClock, address != kWallClock)};
    return {0};
  }
  riscv::Outcome store(riscv::CoreState&, u32 address, u32, u32) {
    return requests && is_niu(address) ? riscv::Outcome::Ok : done();
  }
  riscv::Outcome store_l1(riscv::CoreState&, u32, const void*, u32) {
    return stores ? riscv::Outcome::Ok : done();
  }
  riscv::Outcome push_tensix(riscv::CoreState&, u32) { return done(); }
  riscv::Loaded read_csr(riscv::CoreState& state, u32 csr) {
    constexpr u32 kMcycle = 0xB00, kMcycleh = 0xB80, kCycle = 0xC00, kCycleh = 0xC80;
    const bool high = csr == kMcycleh || csr == kCycleh;
    return high || csr == kMcycle || csr == kCycle ? riscv::Loaded{clock(state, !high, high)}
                                                   : riscv::Loaded{0};
  }
  riscv::Outcome write_csr(riscv::CoreState&, u32, u32) { return riscv::Outcome::Ok; }
  void decode(u32 pc) { lines.decode(pc, l1); }
  bool raise(riscv::CoreState&, Rule, std::string) { return true; }
  bool has_debugger() const { return false; }
  void pause() {}
  void note_load_l1(u32, u32) {}
  void note_impure() {}
  void note_clock() {}

  static bool is_niu(u32 address) { return address >= kNius && address < kNiusEnd; }
  riscv::Outcome done() {
    noticed = true;
    return riscv::Outcome::Ok;
  }
  /// Code may be another than when it was decoded.
  void renew(u32 pc, u32 word) {
    u32& known = reinterpret_cast<u32*>(words.data())[pc / 4];
    if (known == word) return;
    known = word;
    lines.forget(pc);
  }
  /// A core that waits for a while, or gives up after a while, looks at a clock that goes on.
  u32 clock(const riscv::CoreState& state, bool tick, bool high) {
    asked_clock = true;
    if (tick) ticks += kTick;
    return static_cast<u32>((state.cycle + ticks) >> (high ? 32 : 0));
  }
  /// What the next branch decides on is not known, so it goes either way.
  bool is_undecided() const { return (requests && asked_niu) || asked_clock; }
  void decide() { asked_niu = asked_clock = false; }
  void forget() { noticed = asked_niu = asked_clock = false; }

  std::vector<u8> flags;
  Mapping words;  // that `lines` were decoded from
  riscv::OwnLines lines;
  bool requests = false;  // to the NIU are nothing to notice
  bool stores = false;    // to L1, likewise
  bool noticed = false;
  bool asked_niu = false;  // since the last branch
  bool asked_clock = false;
  u64 ticks = 0;

  u8* l1;
  const u8* l1_flags;
  const riscv::CodeTable& code;
  u32 ldm_size = 0x2000;
  bool attention = false;
};

}  // namespace

class CopyBench {
 public:
  using Between = Copy::Between;

  explicit CopyBench(u32 l1_bytes)
      : alone_memory_(kAloneBytes),
        alone_(alone_memory_.data(), kAloneBytes),
        inside_(nullptr, l1_bytes) {}

  /// Every store comes by store_l1, so nothing is written through the pointer.
  void look_at(const u8* l1) { inside_.l1 = const_cast<u8*>(l1); }
  u32 result_of(u32 word, u32 a, u32 b);
  bool is_taken(u32 word, u32 a, u32 b);
  bool comes_back(const riscv::CoreState& state, u32 from, u32 load_pc, u32 address,
                  Between between);

 private:
  bool go_to_branch(riscv::CoreState& state);
  bool leads_to_any(riscv::CoreState& state, u32 address, std::vector<u32>& loads);
  u32 next_load(riscv::CoreState& state, u32 address, unsigned forks);
  u32 word_at(u32 pc) const;
  u32 place_alone(u32 word);
  void run_alone(u32 pc, u32 a, u32 b);

  riscv::CoreState small_;
  std::vector<u8> alone_memory_;
  CopyBus alone_;       // for a single instruction
  CopyBus inside_;      // for code in L1
  riscv::Kinds kinds_;  // of its instructions
  unsigned steps_ = 0;  // that are left to `inside_`
};

u32 branch_target(u32 pc, u32 word) {
  const u32 offset = bits(word, 8, 4) << 1 | bits(word, 25, 6) << 5 | u32{bit(word, 7)} << 11 |
                     (bit(word, 31) ? 0xFFFFF000u : 0u);
  return pc + offset;
}

/// Where the instruction stands, alone among others; it stays there, decoded.
u32 CopyBench::place_alone(u32 word) {
  constexpr u32 kPlaces = (kAloneBytes - kAlonePc) / 4;
  const u32 pc = kAlonePc + 4 * (word * 0x9E3779B1u >> 16) % (4 * kPlaces);
  u32 there = 0;
  std::memcpy(&there, alone_.l1 + pc, 4);
  if (there != word) {
    std::memcpy(alone_.l1 + pc, &word, 4);
    alone_.lines.forget(pc);
  }
  return pc;
}

void CopyBench::run_alone(u32 pc, u32 a, u32 b) {
  small_.pc = pc;
  small_.x[kA] = a;
  small_.x[kB] = b;
  riscv::run(small_, alone_, small_.cycle + 1);
}

u32 CopyBench::result_of(u32 word, u32 a, u32 b) {
  const bool has_second = (word & 0x7F) == 0x33;
  run_alone(place_alone(with_registers(word, has_second, true)), a, b);
  return small_.x[kResult];
}

bool CopyBench::is_taken(u32 word, u32 a, u32 b) {
  const u32 pc = place_alone(with_registers(word, true, false));
  run_alone(pc, a, b);
  return small_.pc != pc + 4;
}

u32 CopyBench::word_at(u32 pc) const {
  u32 word = 0;
  std::memcpy(&word, inside_.l1 + pc, 4);
  return word;
}

/// Goes on to the next load of the address and returns where that is; 0 when the core does anything
/// that others could notice before, or does not come to one. What an NIU or a clock would say is
/// not known, so a branch behind a look at it goes either way.
u32 CopyBench::next_load(riscv::CoreState& state, u32 address, unsigned forks) {
  while (steps_ != 0 && riscv::is_instruction_address(state.pc, kL1Size)) {
    --steps_;
    const u32 word = word_at(state.pc);
    const riscv::Effect effect = riscv::effect_of(state, kinds_.at(state.pc, word));
    if (riscv::loads(effect) && effect.address == address) return state.pc;
    if (inside_.is_undecided() && is_branch(word)) {
      inside_.decide();
      if (forks == 0) return 0;
      const auto other = std::make_unique<riscv::CoreState>(state);
      other->pc = state.pc + 4;  // out of a loop, mostly
      if (const u32 found = next_load(*other, address, forks - 1); found != 0) {
        state = *other;
        return found;
      }
      inside_.forget();
      state.pc = branch_target(state.pc, word);
      --forks;
      continue;
    }
    inside_.renew(state.pc, word);
    if (riscv::run(state, inside_, state.cycle + 1) != riscv::Outcome::Ok) return 0;
    inside_.attention = false;
    if (inside_.noticed) return 0;
  }
  return 0;
}

/// To the branch behind the load at the pc. False: there is none before something that others could
/// notice.
bool CopyBench::go_to_branch(riscv::CoreState& state) {
  u32 word = word_at(state.pc);
  do {
    inside_.renew(state.pc, word);
    if (riscv::run(state, inside_, state.cycle + 1) != riscv::Outcome::Ok) return false;
    inside_.attention = false;
    if (!riscv::is_instruction_address(state.pc, kL1Size)) return false;
    word = word_at(state.pc);
  } while (!inside_.noticed && !is_branch(word) && --steps_ != 0);
  return is_branch(word) && !inside_.noticed;
}

/// Whether a way from the load at the pc leads back to one of `loads`.
bool CopyBench::leads_to_any(riscv::CoreState& state, u32 address, std::vector<u32>& loads) {
  loads.push_back(state.pc);
  if (!go_to_branch(state)) return false;
  const u32 branch = state.pc;
  for (const u32 next : {branch + 4, branch_target(branch, word_at(branch))}) {
    const auto way = std::make_unique<riscv::CoreState>(state);
    way->pc = next;
    inside_.forget();
    const u32 load = next_load(*way, address, kMostForks);
    if (load == 0) continue;
    if (std::find(loads.begin(), loads.end(), load) != loads.end()) return true;
    if (loads.size() < kMostLoads && leads_to_any(*way, address, loads)) return true;
  }
  return false;
}

bool CopyBench::comes_back(const riscv::CoreState& state, u32 from, u32 load_pc, u32 address,
                           Between between) {
  inside_.ticks = 0;
  inside_.requests = between == Between::Requests;
  inside_.stores = between == Between::Stores;
  steps_ = inside_.requests ? kMostRequestSteps : kMostSteps;
  const auto copy = std::make_unique<riscv::CoreState>(state);
  copy->pc = from;
  const u32 load = next_load(*copy, address, kMostForks);
  std::vector<u32> loads{load_pc};
  const bool back = load == load_pc || (load != 0 && leads_to_any(*copy, address, loads));
  inside_.forget();
  return back;
}

CopyBenches::CopyBenches() = default;
CopyBenches::~CopyBenches() = default;

std::unique_ptr<CopyBench> CopyBenches::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<CopyBench> bench = std::move(free_.back());
      free_.pop_back();
      return bench;
    }
  }
  return std::make_unique<CopyBench>(kL1Size);
}

void CopyBenches::give_back(std::unique_ptr<CopyBench> bench) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(bench));
}

Copy::Copy(const u8* l1, CopyBenches& benches) : l1_(l1), benches_(benches) {}
Copy::~Copy() = default;

Copy::Use::Use(Copy& copy) : copy_(copy) {
  if (copy_.uses_++ != 0) return;
  copy_.bench_ = copy_.benches_.take();
  copy_.bench_->look_at(copy_.l1_);
}

Copy::Use::~Use() {
  if (--copy_.uses_ == 0) copy_.benches_.give_back(std::move(copy_.bench_));
}

u32 Copy::result_of(u32 word, u32 a, u32 b) {
  const Use use(*this);
  return bench_->result_of(word, a, b);
}

bool Copy::is_taken(u32 word, u32 a, u32 b) {
  const Use use(*this);
  return bench_->is_taken(word, a, b);
}

bool Copy::comes_back(const riscv::CoreState& state, u32 from, u32 load_pc, u32 address,
                      Between between) {
  const Use use(*this);
  return bench_->comes_back(state, from, load_pc, address, between);
}

}  // namespace bhemu::hazard
