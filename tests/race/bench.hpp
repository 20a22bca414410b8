// A tile for the detector's tests: cores, threads and NIUs as short calls that make events, with
// step and instruction counts kept by the bench.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "race/detector.hpp"

namespace bhemu::race::test {

inline constexpr unsigned kBrisc = 0, kNcrisc = 1, kTrisc0 = 2, kTrisc1 = 3, kTrisc2 = 4;

template <class Op>
constexpr u32 word(std::initializer_list<tensix::FieldValue> values = {}) {
  return tensix::encode<Op>(values);
}

class Bench {
 public:
  explicit Bench(Settings settings = {}) : settings_(std::move(settings)), detector(settings_) {}

  /// Every access has a program counter of its own, so that no two findings are the same.
  Site site(unsigned core) {
    return {static_cast<Agent>(core), next_pc_ += 4, ++cycle_, settings_.tile};
  }
  void load(unsigned core, Location where, Region region = Region::L1, u8 reg = 5,
            bool sync = false, u32 value = 1) {
    detector.on(event::Load{site(core), where, region, reg, ++steps_[core], sync, value});
  }
  void use(unsigned core, u8 reg = 5) { detector.on(event::Use{site(core), reg, ++steps_[core]}); }
  void load_use(unsigned core, Location where, Region region = Region::L1, bool sync = false,
                u32 value = 1) {
    load(core, where, region, 5, sync, value);
    use(core);
  }
  void store(unsigned core, Location where, Region region = Region::L1, bool sync = false) {
    detector.on(event::Store{site(core), where, region, ++steps_[core], sync});
  }
  void fence(unsigned core) { detector.on(event::Fence{site(core), ++steps_[core]}); }
  void amo(unsigned core, Location where, u8 reg = 5) {
    detector.on(event::Amo{site(core), where, reg, ++steps_[core]});
  }
  /// A swap that finds 0, and a look at what it has found.
  void take(unsigned core, Location where, u8 reg = 5) {
    event::Amo one{site(core), where, reg, ++steps_[core]};
    one.change.how = SyncWord::How::Set;
    one.value = 1;
    detector.on(one);
    use(core, reg);
  }
  void steps(unsigned core, unsigned count) { steps_[core] += count; }
  void done_check(unsigned core, bool store = true, bool mop = false) {
    if (store) detector.on(event::DoneCheck{site(core), mop, false, 0, ++steps_[core]});
    detector.on(event::DoneCheck{site(core), mop, true, 6, ++steps_[core]});
    use(core, 6);
  }
  void signal(unsigned core, Object object, u16 index, u16 amount = 1) {
    detector.on(event::Signal{site(core), object, index, amount, ++steps_[core], false});
  }
  void observe(unsigned core, Object object, u16 index, u32 guaranteed) {
    detector.on(event::Observe{site(core), object, index, guaranteed, 7, ++steps_[core], false});
    use(core, 7);
  }
  u32 push(unsigned core, unsigned thread, u32 word) {
    const u32 id = ++pushes_[core][thread];
    detector.on(event::Push{site(core), thread, word, id, ++steps_[core]});
    return id;
  }
  /// A word that has been pushed leaves the gate.
  u32 issue_pushed(unsigned thread, u32 word, unsigned core, u32 id) {
    detector.on(event::Issue{thread_site(thread, word), thread, id, core, ++ops_[thread]});
    return ops_[thread];
  }
  /// Pushed by the thread's own core and issued at once.
  u32 issue(unsigned thread, u32 word) {
    const unsigned core = thread + 2;
    return issue_pushed(thread, word, core, push(core, thread, word));
  }
  void access(unsigned thread, u32 op, u32 word, Location where, Mode mode) {
    detector.on(event::Access{thread_site(thread, word), thread, op, where, mode});
  }
  u32 run(unsigned thread, u32 word, Location where, Mode mode) {
    const u32 op = issue(thread, word);
    access(thread, op, word, where, mode);
    return op;
  }
  /// The store by which a core starts a request, on its way to the NIU: request() lets it arrive.
  void send(unsigned core, unsigned niu = 0, u16 buffer = 0) {
    detector.on(event::Send{site(core), niu, buffer, ++steps_[core]});
  }
  Ticket request(unsigned core, event::Request one) {
    Ticket ticket;
    one.site = site(core);
    one.step = ++steps_[core];
    one.ticket = &ticket;
    detector.on(one);
    return ticket;
  }
  void counter(unsigned core, unsigned niu, u8 index, u32 value) {
    detector.on(event::Counter{site(core), niu, index, value, 8, ++steps_[core]});
    use(core, 8);
  }
  void arrive(const Ticket& ticket, Location where, Mode mode, bool at_source = false) {
    detector.on(event::Arrive{ticket, where, mode, ++cycle_, at_source});
  }
  void start(unsigned core, unsigned by) { detector.on(event::Start{site(by), core}); }

  Site thread_site(unsigned thread, u32 word) {
    return {agent_of_thread(thread), word, ++cycle_, settings_.tile, Origin::Queue};
  }
  unsigned count(FindingKind kind) const {
    unsigned found = 0;
    for (const Finding& one : detector.findings()) found += one.kind == kind;
    return found;
  }
  bool silent() const { return detector.findings().empty(); }
  /// The row of the first finding, 0 when there is none.
  unsigned row() const {
    const std::vector<Finding> all = detector.findings();
    return all.empty() ? 0 : static_cast<unsigned>(all.front().edge);
  }
  std::string text() const {
    std::string all;
    for (const Finding& one : detector.findings()) all += text_of(one, Names());
    return all;
  }

 private:
  Settings settings_;
  std::array<u64, kCores> steps_{};
  std::array<std::array<u32, kThreads>, kCores> pushes_{};
  std::array<u32, kThreads> ops_{};
  u32 next_pc_ = 0x1000;
  Cycle cycle_ = 0;

 public:
  Detector detector;
};

inline Location l1(u64 begin, u32 size = 4) {
  return {Place::L1, size, begin};
}
inline Location dst(u64 row, u32 rows = 8) {
  return {Place::Dst, rows, row};
}
inline Location src_a(unsigned bank, u64 row = 0, u32 rows = 64) {
  return {Place::SrcA, rows, bank * 64 + row};
}
inline Location src_bank(unsigned src, unsigned bank) {
  return {src == 0 ? Place::SrcA : Place::SrcB, 64, bank * 64u};
}
inline Location field(u64 index) {
  return {Place::Config, 1, index};
}
inline Location gpr(unsigned thread, u64 index) {
  return {Place::Gpr, 2, (thread * 64 + index) * 2};
}

// Words that the tests use again and again.
namespace words {
using namespace tensix;
inline u32 stallwait(u32 block, u32 condition) {
  return word<op::STALLWAIT>({{"stall_res", block}, {"wait_res", condition}});
}
inline u32 sempost(u32 mask) {
  return word<op::SEMPOST>({{"sem_sel", mask}});
}
inline u32 semget(u32 mask) {
  return word<op::SEMGET>({{"sem_sel", mask}});
}
inline u32 seminit(u32 mask, u32 value, u32 max) {
  return word<op::SEMINIT>({{"sem_sel", mask}, {"init_value", value}, {"max_value", max}});
}
/// condition 1: while 0; 2: while at the limit.
inline u32 semwait(u32 block, u32 mask, u32 condition) {
  return word<op::SEMWAIT>({{"stall_res", block}, {"sem_sel", mask}, {"wait_sem_cond", condition}});
}
inline u32 unpacr(unsigned unpacker = 0) {
  return word<op::UNPACR>({{"unpack_block_selection", unpacker}});
}
inline u32 unpacr_nop(unsigned unpacker = 0) {
  return word<op::UNPACR_NOP>({{"unpacker_select", unpacker}});
}
inline const u32 pacr = word<op::PACR>();
inline const u32 setrwc = word<op::SETRWC>({{"clear_ab_vld", 1}});
inline const u32 mvmul = word<op::MVMUL>();
inline const u32 elwadd = word<op::ELWADD>();
inline const u32 movd2a = word<op::MOVD2A>();
inline const u32 zeroacc = word<op::ZEROACC>();
inline const u32 sfpload = word<op::SFPLOAD>();
inline const u32 sfpstore = word<op::SFPSTORE>();
inline const u32 wrcfg = word<op::WRCFG>();
inline const u32 rdcfg = word<op::RDCFG>();
inline const u32 streamwrcfg = word<op::STREAMWRCFG>();
inline const u32 rmwcib = word<op::RMWCIB0>();
inline const u32 xmov = word<op::XMOV>();
inline const u32 loadind = word<op::LOADIND>();
inline const u32 adddmareg = word<op::ADDDMAREG>();
inline const u32 storereg = word<op::STOREREG>();
inline const u32 mop = word<op::MOP>();
inline const u32 atgetm = word<op::ATGETM>();
inline const u32 atrelm = word<op::ATRELM>();
inline const u32 nop = word<op::NOP>();
}  // namespace words

namespace block {
inline constexpr u32 kTdma = 1, kSync = 2, kPack = 4, kUnpack = 8, kMover = 16, kThcon = 32,
                     kMath = 64, kCfg = 128, kSfpu = 256;
}
namespace wait {
inline constexpr u32 kThcon = 1u << 0, kUnpack0 = 1u << 1, kUnpack1 = 1u << 2, kPack = 1u << 3,
                     kMath = 1u << 4, kSrcAClr = 1u << 5, kSrcBClr = 1u << 6, kSrcAVld = 1u << 7,
                     kSrcBVld = 1u << 8, kMover = 1u << 9, kTriscCfg = 1u << 10, kSfpu = 1u << 11,
                     kCfg = 1u << 12;
}

}  // namespace bhemu::race::test
