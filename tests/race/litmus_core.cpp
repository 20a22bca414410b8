#include "race/litmus.hpp"

namespace bhemu::race::test {
namespace {

constexpr Location kData{Place::L1, 4, 0x10000};
constexpr Location kFlag{Place::L1, 4, 0x20000};

/// TRISC1 sends a mailbox word to TRISC0; what TRISC0 does then comes after.
void tell(Bench& b, unsigned from, unsigned to, u32 number = 1) {
  const u16 mailbox = static_cast<u16>(from * 8 + to);
  b.signal(from, Object::Mailbox, mailbox);
  b.observe(to, Object::Mailbox, mailbox, number);
}

void own_store_and_load(Bench& b, bool ordered) {
  b.store(kBrisc, kData);
  b.load_use(ordered ? kBrisc : kNcrisc, kData);
}
void two_stores(Bench& b, bool ordered) {
  b.store(kBrisc, kData);
  b.store(ordered ? kBrisc : kNcrisc, kData);
}
void store_then_mailbox(Bench& b, bool ordered) {
  b.store(kTrisc0, kData);
  if (ordered) b.load_use(kTrisc0, kData);
  tell(b, kTrisc0, kTrisc1);
  b.load_use(kTrisc1, kData);
}
void load_then_signal(Bench& b, bool ordered) {
  b.load(kTrisc0, kData);
  if (ordered) b.use(kTrisc0);
  b.signal(kTrisc0, Object::Pages, 3);
  b.observe(kTrisc1, Object::Pages, 3, 1);
  b.store(kTrisc1, kData);
}
void atomic_hands_over(Bench& b, bool ordered) {
  b.store(kBrisc, kData);
  if (ordered) {
    b.amo(kBrisc, kFlag);
    b.amo(kNcrisc, kFlag);
    b.use(kNcrisc);
  }
  b.load_use(kNcrisc, kData);
}
void poll_without_fence(Bench& b, bool ordered) {
  b.detector.mark_sync(kFlag.begin);
  b.detector.on(event::DataCache{b.site(kNcrisc), true});
  b.load_use(kNcrisc, kFlag, Region::L1, true);
  b.store(kBrisc, kFlag, Region::L1, true);
  if (ordered) b.fence(kNcrisc);
  b.load_use(kNcrisc, kFlag, Region::L1, true);
}
void new_code(Bench& b, bool ordered) {
  b.store(kBrisc, kData);
  if (ordered) b.load_use(kBrisc, kData);
  b.detector.on(event::InvalidateCode{b.site(kBrisc), 1u << kTrisc0, 100});
  b.detector.on(event::Fetch{b.site(kTrisc0), kData});
}
void store_then_own_thread(Bench& b, bool ordered) {
  b.store(kTrisc0, field(7), Region::Config);
  if (ordered) b.issue(0, words::stallwait(block::kUnpack, wait::kTriscCfg));
  b.run(0, words::unpacr(), field(7), Mode::Read);
}
void store_then_other_thread(Bench& b, bool ordered) {
  b.store(kTrisc0, field(7), Region::Config);
  if (ordered) b.load_use(kTrisc0, field(7), Region::Config);
  tell(b, kTrisc0, kTrisc1);
  b.issue(1, words::stallwait(block::kMath, wait::kTriscCfg));  // sees TRISC1's own stores only
  b.run(1, words::mvmul, field(7), Mode::Read);
}
void thread_then_core(Bench& b, bool ordered) {
  b.run(0, words::loadind, gpr(0, 4), Mode::Write);
  if (ordered) b.done_check(kTrisc0);
  b.load_use(kTrisc0, gpr(0, 4), Region::Config);
}
void mop_then_config(Bench& b, bool ordered) {
  const Location where{Place::MopConfig, 9, 0};
  b.store(kTrisc0, where, Region::Push);
  const u32 id = b.push(kTrisc0, 0, words::mop);
  b.detector.on(event::Expand{b.thread_site(0, words::mop), 0, id, kTrisc0, where});
  if (ordered) b.done_check(kTrisc0, true, true);
  b.store(kTrisc0, where, Region::Push);
}
void two_pushers(Bench& b, bool ordered) {
  b.push(kBrisc, 1, words::nop);
  if (ordered) b.start(kTrisc1, kBrisc);
  b.push(kTrisc1, 1, words::nop);
}
void pcbuf_wait(Bench& b, bool ordered) {
  b.run(0, words::pacr, kData, Mode::Write);
  if (ordered) {
    b.detector.on(event::AwaitThread{b.site(kBrisc), 0, 9, 500});
    b.steps(kBrisc, 500);
    b.use(kBrisc, 9);
  }
  b.load_use(kBrisc, kData);
}
void mailbox_hands_over(Bench& b, bool ordered) {
  b.load_use(kTrisc0, kData);
  if (ordered) tell(b, kTrisc0, kTrisc2);
  b.store(kTrisc2, kData);
}

}  // namespace

std::vector<Litmus> core_litmus() {
  using enum FindingKind;
  return {
      {EdgeId::StoreLoadSameBytes, "a core sees its own store", own_store_and_load, Race, false},
      {EdgeId::StoreStoreSameRegion, "a core's stores are in order", two_stores, Race, false},
      {EdgeId::StoreOtherRegion, "a store, then a mailbox", store_then_mailbox, Race, true},
      {EdgeId::LoadLater, "a load whose value is not used", load_then_signal, Race, false},
      {EdgeId::CoreAtomic, "atomics hand over", atomic_hands_over, Race, false},
      {EdgeId::StaleL0, "a poll without a fence", poll_without_fence, StaleCache, true},
      {EdgeId::CodeFetch, "new code", new_code, StaleCache, true},
      {EdgeId::StoreThenOwnTensix, "configuration for the own thread", store_then_own_thread, Race,
       true},
      {EdgeId::StoreThenOtherTensix, "configuration for another thread", store_then_other_thread,
       Race, true},
      {EdgeId::TensixThenLoad, "a GPR read by the core", thread_then_core, Race, true},
      {EdgeId::MopConfig, "a MOP's configuration", mop_then_config, Race, true},
      {EdgeId::TwoPushers, "two cores push into a thread", two_pushers, Race, true},
      {EdgeId::PcBuf, "BRISC waits at a PCBuf", pcbuf_wait, Race, false},
      {EdgeId::CoreMailbox, "a mailbox hands over", mailbox_hands_over, Race, false},
  };
}

}  // namespace bhemu::race::test
