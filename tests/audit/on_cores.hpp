// A tile whose cores run small programs that store what they found at kResults.
#pragma once

#include <map>

#include "tensix/isa.hpp"
#include "tile/one_tile.hpp"

namespace bhemu::test {

using enum CoreId;
namespace op = tensix::op;
using tensix::encode;

// Where the cores of a tile find things.
inline constexpr u32 kInstrn = 0xFFE40000;  // of the TRISC that stores there
inline constexpr u32 kGpr = 0xFFE00000;
inline constexpr u32 kTtSync = 0xFFE80004;
inline constexpr u32 kSemaphore = 0xFFE80020;
inline constexpr u32 kMailbox = 0xFFEC0000;
inline constexpr u32 kConfig = 0xFFEF0000;

/// SEMWAIT that blocks everything behind it while the semaphore is 0.
inline u32 hold_until_posted(u32 semaphore) {
  return encode<op::SEMWAIT>(
      {{"stall_res", 0x1FF}, {"sem_sel", 1u << semaphore}, {"wait_sem_cond", 1}});
}
inline u32 init(u32 semaphore) {
  return encode<op::SEMINIT>({{"sem_sel", 1u << semaphore}, {"init_value", 0}, {"max_value", 15}});
}

inline constexpr u32 kResults = 0x1000;
inline constexpr std::array<CoreId, kCores> kAllCores{CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0,
                                                      CoreId::Trisc1, CoreId::Trisc2};

class OnCores : public OneTile {
 public:
  using OneTile::OneTile;

  /// The program of a core, to be appended to.
  Assembler& on(CoreId core) { return programs_.try_emplace(core, base_of(core)).first->second; }
  /// Appends: result `index` := reg. Uses t6.
  void keep(CoreId core, u32 index, Reg reg) {
    on(core).li(t6, kResults + 4 * index);
    on(core).sw(reg, 0, t6);
  }
  /// Appends: *address := value. Uses t5 and t6.
  void store(CoreId core, u32 address, u32 value) {
    on(core).li(t5, value);
    on(core).li(t6, address);
    on(core).sw(t5, 0, t6);
  }
  /// Appends: result `index` := *address. Uses t5 and t6.
  void load_result(CoreId core, u32 index, u32 address) {
    on(core).li(t6, address);
    on(core).lw(t5, 0, t6);
    keep(core, index, t5);
  }
  /// Appends: waits until result `index` is not zero. Uses t5 and t6.
  void wait_for(CoreId core, u32 index) {
    Assembler& a = on(core);
    const std::string label = "wait" + std::to_string(labels_++);
    a.li(t6, kResults + 4 * index);
    a.label(label);
    a.lw(t5, 0, t6);
    a.beq(t5, zero, label);
  }
  /// Appends: csrrs t5, csr, x0; result `index` := t5.
  void csr_result(CoreId core, u32 index, u32 csr) {
    on(core).word(csr << 20 | 2u << 12 | t5 << 7 | 0x73);
    keep(core, index, t5);
  }
  /// Appends: csrrw x0, csr, t5 with t5 = value.
  void csr_store(CoreId core, u32 csr, u32 value) {
    on(core).li(t5, value);
    on(core).word(csr << 20 | t5 << 15 | 1u << 12 | 0x73);
  }
  /// Starts every core that has a program.
  sched::Stop go(Cycle cycles = 30'000) {
    u32 held = 0x47800;
    constexpr std::array<u32, kCores> kBit{11, 18, 12, 13, 14};
    for (auto& [core, program] : programs_) {
      program.halt();
      load(base_of(core), program.finish());
      if (core == CoreId::Brisc)
        load(0, {base_of(core) | t6 << 7 | 0x37, t6 << 15 | 0x67});  // lui t6; jr t6
      else
        start_at(core, base_of(core));
      held &= ~(1u << kBit[static_cast<unsigned>(core)]);
    }
    write(kSoftReset, held);
    return run(cycles);
  }
  u32 result(u32 index) { return read(kResults + 4 * index); }
  bool faulted() const { return !tile->faults().faults().empty(); }
  bool faulted(Rule rule) const {
    for (const Fault& fault : tile->faults().faults())
      if (fault.rule == rule) return true;
    return false;
  }
  tensix::State& state() { return tile->coprocessor().state(); }

 private:
  static u32 base_of(CoreId core) { return 0x8000 + 0x2000 * static_cast<u32>(core); }

  std::map<CoreId, Assembler> programs_;
  u32 labels_ = 0;
};

}  // namespace bhemu::test
