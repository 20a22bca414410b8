#include "race/litmus.hpp"

namespace bhemu::race::test {
namespace {

constexpr Location kData{Place::L1, 64, 0x10000};
constexpr u32 kSemaphore = 1u << 1;

void unit_to_unit(Bench& b, bool ordered) {
  b.run(0, words::unpacr(), dst(0), Mode::Write);
  if (ordered) b.issue(0, words::stallwait(block::kMath, wait::kUnpack0));
  b.run(0, words::mvmul, dst(0), Mode::Read);
}
/// Thread 0 unpacks into Dst; thread 1 uses it.
void across_threads(Bench& b, bool ordered) {
  b.run(0, words::unpacr(), dst(0), Mode::Write);
  if (ordered) b.issue(0, words::stallwait(block::kSync, wait::kUnpack0));
  b.issue(0, words::sempost(kSemaphore));
  b.issue(1, words::semwait(block::kSfpu, kSemaphore, 1));
  b.run(1, words::sfpload, dst(0), Mode::Read);
}
void gpr_across_threads(Bench& b, bool ordered) {
  b.run(0, words::pacr, kData, Mode::Write);
  if (ordered) b.issue(0, words::stallwait(block::kSync, wait::kPack));
  b.issue(0, words::sempost(kSemaphore));
  b.issue(1, words::semwait(block::kUnpack, kSemaphore, 1));
  b.run(1, words::unpacr(), kData, Mode::Read);
}
void post_at_fifteen(Bench& b, bool ordered) {
  b.issue(0, words::seminit(kSemaphore, ordered ? 14 : 15, 15));
  b.issue(0, words::sempost(kSemaphore));
}
void take_at_zero(Bench& b, bool ordered) {
  if (ordered) b.issue(0, words::sempost(kSemaphore));
  if (ordered) b.issue(1, words::semwait(block::kSync, kSemaphore, 1));
  b.issue(1, words::semget(kSemaphore));
}
/// The post was there in time, and nothing says that it always is.
void take_in_time_by_luck(Bench& b, bool ordered) {
  b.issue(0, words::sempost(kSemaphore));
  if (ordered) b.issue(1, words::semwait(block::kSync, kSemaphore, 1));
  b.issue(1, words::semget(kSemaphore));
}
void start_of_a_semaphore(Bench& b, bool ordered) {
  b.issue(0, words::seminit(kSemaphore, 0, 2));
  if (ordered) b.issue(0, words::sempost(2 * kSemaphore));
  if (ordered) b.issue(1, words::semwait(block::kSync, 2 * kSemaphore, 1));
  b.issue(1, words::sempost(kSemaphore));
}
void mutex(Bench& b, bool ordered) {
  b.issue(0, words::atgetm);
  b.run(0, words::wrcfg, field(3), Mode::Write);
  b.issue(0, words::atrelm);
  if (ordered) b.issue(1, words::atgetm);
  b.run(1, words::wrcfg, field(3), Mode::Write);
}
void bank_by_itself(Bench& b, bool ordered) {
  const u32 unpack = b.run(0, words::unpacr(), src_a(0), Mode::Write);
  b.detector.on(event::SrcGive{b.thread_site(0, words::unpacr()), 0, unpack, 0, 0, false});
  const u32 op = b.issue(1, words::mvmul);
  if (ordered) b.detector.on(event::SrcTake{b.thread_site(1, words::mvmul), 1, op, 0, 0, true});
  b.access(1, op, words::mvmul, src_a(0), Mode::Read);
}
/// The race of #52256: the bank that the wait tests is the one before the clear's flip.
void move_into_bank(Bench& b, bool ordered) {
  const u32 first = b.run(0, words::unpacr_nop(), src_a(0), Mode::Write);
  b.detector.on(event::SrcGive{b.thread_site(0, words::unpacr_nop()), 0, first, 0, 0, false});
  const u32 add = b.issue(1, words::elwadd);
  b.detector.on(event::SrcTake{b.thread_site(1, words::elwadd), 1, add, 0, 0, true});
  b.access(1, add, words::elwadd, src_a(0), Mode::Read);
  b.detector.on(event::SrcGive{b.thread_site(1, words::elwadd), 1, add, 0, 0, true});
  const u32 second = b.run(0, words::unpacr_nop(), src_a(1), Mode::Write);
  b.detector.on(event::SrcGive{b.thread_site(0, words::unpacr_nop()), 0, second, 0, 1, false});
  b.detector.on(event::SrcPointers{0, 0, 1, 0});
  b.issue(1, words::stallwait(block::kMath, wait::kSrcAVld | (ordered ? wait::kMath : 0)));
  b.run(1, words::movd2a, src_a(1, 0, 4), Mode::Write);
}
void clear_of_the_other_bank(Bench& b, bool ordered) {
  const u32 give = b.run(0, words::unpacr(), src_a(0), Mode::Write);
  b.detector.on(event::SrcGive{b.thread_site(0, words::unpacr()), 0, give, 0, 0, false});
  const u32 math = b.issue(1, words::mvmul);
  b.detector.on(event::SrcTake{b.thread_site(1, words::mvmul), 1, math, 0, 0, true});
  b.access(1, math, words::mvmul, src_a(0), Mode::Read);
  b.detector.on(event::SrcGive{b.thread_site(1, words::mvmul), 1, math, 0, 0, true});
  const u32 clear = b.issue(0, words::unpacr_nop());
  if (ordered)
    b.detector.on(event::SrcTake{b.thread_site(0, words::unpacr_nop()), 0, clear, 0, 0, false});
  b.access(0, clear, words::unpacr_nop(), src_a(0), Mode::Write);
}
void block_of_dst(Bench& b, bool ordered) {
  if (ordered) {
    b.run(1, words::mvmul, dst(0), Mode::Write);
    b.run(1, words::mvmul, dst(0), Mode::Write);
    b.issue(1, words::sempost(kSemaphore));
    b.issue(2, words::semwait(block::kPack, kSemaphore, 1));
  } else {
    b.run(1, words::mvmul, dst(0), Mode::Write);
  }
  b.run(2, words::pacr, dst(0), Mode::Read);
}
void math_to_pack(Bench& b, bool ordered) {
  b.run(1, words::sfpstore, dst(0), Mode::Write);
  if (ordered) b.issue(1, words::stallwait(block::kSync, wait::kMath | wait::kSfpu));
  b.issue(1, words::sempost(kSemaphore));
  b.issue(2, words::semwait(block::kPack, kSemaphore, 1));
  b.run(2, words::pacr, dst(0), Mode::Read);
}
/// The packer's drain before the half is given back.
void pack_to_math(Bench& b, bool ordered) {
  b.issue(1, words::seminit(kSemaphore, 0, 1));
  b.run(1, words::mvmul, dst(0), Mode::Write);
  b.issue(1, words::stallwait(block::kSync, wait::kMath | wait::kSfpu));
  b.issue(1, words::sempost(kSemaphore));
  b.issue(2, words::semwait(block::kPack, kSemaphore, 1));
  b.run(2, words::pacr, dst(0), Mode::Read);
  if (ordered) b.issue(2, words::stallwait(block::kSync, wait::kPack));
  b.issue(2, words::semget(kSemaphore));
  b.issue(1, words::semwait(block::kMath, kSemaphore, 2));
  b.run(1, words::mvmul, dst(0), Mode::Write);
}
void dst_window(Bench& b, bool ordered) {
  b.store(kTrisc1, dst(0, 1), Region::Dst);
  if (ordered) b.load_use(kTrisc1, dst(0, 1), Region::Dst);
  b.run(1, words::sfpload, dst(0), Mode::Read);
}
void rdcfg_to_gpr(Bench& b, bool ordered) {
  b.run(0, words::rdcfg, gpr(0, 5), Mode::Write);
  if (ordered) b.issue(0, words::stallwait(block::kCfg, wait::kCfg));
  b.run(0, words::wrcfg, gpr(0, 5), Mode::Read);
}
void stream_to_config(Bench& b, bool ordered) {
  b.run(0, words::streamwrcfg, field(9), Mode::Write);
  if (ordered) b.issue(0, words::stallwait(block::kCfg, wait::kCfg));
  b.run(0, words::wrcfg, field(9), Mode::Write);
}
void load_to_gpr(Bench& b, bool ordered) {
  b.run(0, words::loadind, gpr(0, 5), Mode::Write);
  if (ordered) b.issue(0, words::stallwait(block::kThcon, wait::kThcon));
  b.run(0, words::adddmareg, gpr(0, 5), Mode::Read);
}
void config_in_flight(Bench& b, bool ordered) {
  b.run(1, words::sfpload, field(11), Mode::Read);
  b.issue(1, words::stallwait(block::kCfg, wait::kMath | (ordered ? wait::kSfpu : 0)));
  b.run(1, words::rmwcib, field(11), Mode::Write);
}
void shared_word(Bench& b, bool ordered) {
  b.run(1, words::rmwcib, field(20), Mode::Write);
  // RMWCIB touches the fields under its mask; WRCFG touches the whole word.
  const Location where{Place::Config, ordered ? 1u : 2u, ordered ? 21u : 20u};
  b.run(2, ordered ? words::rmwcib : words::wrcfg, where, Mode::Write);
}
void mover_to_use(Bench& b, bool ordered) {
  b.run(0, words::xmov, kData, Mode::Write);
  if (ordered) b.issue(0, words::stallwait(block::kUnpack, wait::kMover));
  b.run(0, words::unpacr(), kData, Mode::Read);
}
/// C9 and C12 are over all threads: the other thread's move is known to have been issued.
void mover_of_another_thread(Bench& b, bool ordered) {
  b.run(0, words::xmov, kData, Mode::Write);
  b.issue(0, words::sempost(kSemaphore));
  b.issue(1, words::semwait(block::kTdma | block::kSync, kSemaphore, 1));
  b.issue(1, words::stallwait(block::kUnpack, ordered ? wait::kMover : wait::kUnpack0));
  b.run(1, words::unpacr(), kData, Mode::Read);
}
/// SETRWC waits for no bank.
void release_of_a_bank(Bench& b, bool ordered) {
  const u32 give = b.run(0, words::unpacr_nop(), src_a(0), Mode::Write);
  b.detector.on(event::SrcGive{b.thread_site(0, words::unpacr_nop()), 0, give, 0, 0, false});
  if (ordered) b.issue(1, words::stallwait(block::kMath, wait::kSrcAVld));
  const u32 release = b.issue(1, words::setrwc);
  b.detector.on(event::SrcGive{b.thread_site(1, words::setrwc), 1, release, 0, 0, true});
}
/// The base of the next tile, written behind an UNPACR that may still be at work.
void base_of_the_next_tile(Bench& b, bool ordered) {
  const u32 op = b.issue(0, words::unpacr());
  b.detector.on(
      event::Access{b.thread_site(0, words::unpacr()), 0, op, field(3), Mode::Read, ordered});
  b.run(0, words::rmwcib, field(3), Mode::Write);
}
void page_push(Bench& b, bool ordered) {
  b.run(2, words::pacr, kData, Mode::Write);
  if (ordered) b.issue(2, words::stallwait(block::kThcon, wait::kPack));
  const u32 op = b.issue(2, words::storereg);
  b.detector.on(event::Signal{b.thread_site(2, words::storereg), Object::Pages, 16, 1, op, false});
  b.observe(kBrisc, Object::Pages, 16, 1);
  b.load_use(kBrisc, kData);
}
void stream_wait(Bench& b, bool ordered) {
  b.store(kBrisc, kData);
  b.load_use(kBrisc, kData);
  b.signal(kBrisc, Object::Pages, 5);
  if (ordered) b.detector.on(event::Observe{b.thread_site(0, 0), Object::Pages, 5, 1, 0, 0, false});
  b.run(0, words::unpacr(), kData, Mode::Read);
}

}  // namespace

std::vector<Litmus> thread_litmus() {
  using enum FindingKind;
  return {
      {EdgeId::UnitToUnit, "one unit, then another", unit_to_unit},
      {EdgeId::UnitAcrossThreads, "a pack and another thread's unpack", gpr_across_threads},
      {EdgeId::SemaphoreSaturates, "a post at 15", post_at_fifteen, LostSync},
      {EdgeId::SemaphoreSaturates, "a take at 0", take_at_zero, LostSync},
      {EdgeId::SemaphoreSaturates, "a take that is in time by luck", take_in_time_by_luck,
       LostSync},
      {EdgeId::SemaphoreInit, "a semaphore's start", start_of_a_semaphore},
      {EdgeId::Mutex, "a mutex around a word", mutex, Race, false},
      {EdgeId::SrcBanks, "a bank by itself", bank_by_itself, Race, false},
      {EdgeId::MoveIntoSrc, "MOVD2A behind a clear", move_into_bank},
      {EdgeId::ClearOtherBank, "UNPACR_NOP into the math bank", clear_of_the_other_bank},
      {EdgeId::DstBlock, "a block of Dst", block_of_dst, Race, false},
      {EdgeId::MathToPack, "SFPSTORE, then PACR", math_to_pack},
      {EdgeId::MathToPack, "PACR, then the next tile", pack_to_math, Race, false},
      {EdgeId::UnpackToDst, "an unpack into Dst", across_threads},
      {EdgeId::DstWindow, "a core's window into Dst", dst_window},
      {EdgeId::RdcfgToGpr, "RDCFG", rdcfg_to_gpr},
      {EdgeId::StreamWrcfg, "STREAMWRCFG", stream_to_config},
      {EdgeId::ThconToGpr, "LOADIND", load_to_gpr},
      {EdgeId::ConfigInFlight, "a field that the vector unit samples", config_in_flight},
      {EdgeId::SharedWord, "WRCFG over a sibling", shared_word},
      {EdgeId::MoverToUse, "XMOV", mover_to_use},
      {EdgeId::MoverToUse, "XMOV of another thread", mover_of_another_thread},
      {EdgeId::BankRelease, "a bank given back by SETRWC", release_of_a_bank},
      {EdgeId::SampledAtIssue, "the base of the next tile", base_of_the_next_tile, Race, false},
      {EdgeId::UnitsToPages, "a page pushed behind PACR", page_push},
      {EdgeId::StreamWait, "STREAMWAIT", stream_wait, Race, false},
  };
}

}  // namespace bhemu::race::test
