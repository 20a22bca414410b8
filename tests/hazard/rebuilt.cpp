#include "hazard/rebuilt.hpp"

#include "tensix/config.hpp"
#include "tensix/isa.hpp"

namespace bhemu::host::pairs {
namespace {

using race::EdgeId;
using race::FindingKind;
using race::NocKind;
namespace tens = tensix::op;

constexpr u32 kData = 0x20000;
constexpr u32 kThere = 0x30000;
constexpr u32 kFlag = 0x20400;
constexpr u32 kCredit = 0x20440;
constexpr u32 kAnswer = 0x20C00;
constexpr u32 kGprs = 0xFFE00000;
constexpr u32 kPcBuf = 0xFFE80000;
constexpr u32 kSemaphores = 0xFFE80020;
constexpr u32 kConfig = 0xFFEF0000;
constexpr u32 kPush = 0xFFE40000;
constexpr u32 kDstWindow = 0xFFBD8000;
constexpr u32 kGpr = 8;
constexpr u32 kSync = 1u << 1, kCfg = 1u << 7, kSfpu = 1u << 8;
constexpr u32 kWaitMath = 1u << 4, kWaitSfpu = 1u << 11, kWaitTrisc = 1u << 10;

template <class Op>
Step word(std::initializer_list<tensix::FieldValue> values = {}) {
  return op(tensix::encode<Op>(values));
}
Step stallwait(u32 block, u32 condition) {
  return word<tens::STALLWAIT>({{"stall_res", block}, {"wait_res", condition}});
}
Step post(unsigned semaphore = 2) {
  return word<tens::SEMPOST>({{"sem_sel", 1u << semaphore}});
}
Step get(unsigned semaphore = 2) {
  return word<tens::SEMGET>({{"sem_sel", 1u << semaphore}});
}
Step wait(u32 block, unsigned semaphore = 2, u32 condition = 1) {
  return word<tens::SEMWAIT>(
      {{"stall_res", block}, {"sem_sel", 1u << semaphore}, {"wait_sem_cond", condition}});
}
Step half(u32 gpr, u32 value) {
  return word<tens::SETDMAREG>({{"reg_index_16b", gpr}, {"payload_sig_sel", value}});
}
Step sfpload() {
  return word<tens::SFPLOAD>({{"sfpu_addr_mode", 7}});
}
Step sfpstore() {
  return word<tens::SFPSTORE>({{"sfpu_addr_mode", 7}});
}
Step use_gpr() {
  return word<tens::ADDDMAREG>(
      {{"op_a_reg_index", kGpr}, {"op_b_reg_index", kGpr}, {"result_reg_index", 9}});
}
/// The scalar unit stores to, or adds to, the word at kData.
std::vector<Step> by_scalar_unit(bool adds, std::vector<Step> then) {
  std::vector<Step> steps = {half(8, kData >> 4), half(9, 0), half(24, 0), half(25, 0)};
  steps.push_back(adds ? word<tens::ATINCGET>({{"addr_reg_index", 4},
                                               {"data_reg_index", 5},
                                               {"wrap_val", 31},
                                               {"mem_hier_sel", 1}})
                       : word<tens::STOREIND>({{"addr_reg_index", 4},
                                               {"data_reg_index", 5},
                                               {"offset_index", 24},
                                               {"size_sel", 1},
                                               {"mem_hier_sel", 1}}));
  steps.insert(steps.end(), then.begin(), then.end());
  return steps;
}

Request write_to(unsigned tile, u32 to = kThere, u32 from = kData) {
  return {.kind = NocKind::Write, .local = from, .tile = tile, .remote = to};
}
Request read_of(unsigned tile, u32 from, u32 to) {
  return {.kind = NocKind::Read, .local = to, .tile = tile, .remote = from, .buffer = 1};
}
Request add_to(unsigned tile, u32 to) {
  return {.kind = NocKind::Atomic, .local = kAnswer, .tile = tile, .remote = to, .buffer = 3};
}
Request dynamic(Request request) {
  request.is_static = false;
  return request;
}
Request by_noc_1(Request request) {
  request.noc = 1;
  return request;
}
Request on_channel_2(Request request) {
  request.channel = 2;
  return request;
}
/// To a word of DRAM, and until it is 1.
Request far_flag() {
  return {.kind = NocKind::Write,
          .local = kFlag,
          .tile = kDram,
          .remote = 0x1000,
          .size = 16,
          .buffer = 2};
}
Step poll_far() {
  const Request read = {.kind = NocKind::Read,
                        .local = kCredit,
                        .tile = kDram,
                        .remote = 0x1000,
                        .size = 16,
                        .buffer = 1};
  return {Step::Kind::PollFar, 0, 0, 1, read};
}
Step poll_set(u32 address) {
  return {Step::Kind::PollSet, 0, address};
}

class RebuiltRaces {
 public:
  std::vector<Pair> all() const {
    return together({from_public_threads(), waits_for_something_else(),
                     between_cores_units_and_packets(), in_time_by_luck_or_by_another_way()});
  }

 private:
  std::vector<Pair> from_public_threads() const {
    return {
        // tt-metal #47257: each part clears the flags of a barrier, unsynchronised, before the
        // first.
        {EdgeId::OtherAccess,
         "flag_cleared_by_a_late_start",
         {{0, kTrisc0, {store(kFlag, 0), poll(kFlag, 1)}}, {0, kBrisc, {nops(400), store(kFlag)}}},
         {{0, kTrisc0, {store(kFlag, 0), load_use(kFlag), mail(kBrisc), poll(kFlag, 1)}},
          {0, kBrisc, {take(kTrisc0), store(kFlag)}}}},
        // tt-llk #1695: a STALLWAIT does not hold a store of the core.
        {EdgeId::TensixThenLoad,
         "stallwait_before_a_store_of_the_core",
         {{0,
           kTrisc1,
           {sfpload(), stallwait(kCfg, kWaitSfpu), store(kConfig + 4 * alu, 1u << 30)}}}},
        // tt-llk #97: a WRCFG rewrites what an instruction under way still uses.
        {EdgeId::ConfigInFlight,
         "word_rewritten_under_way",
         {{0, kTrisc1, with(fp32_in_gpr(), {sfpload(), wrcfg})}}},
        // #33805: an atomic barrier behind a write.
        {EdgeId::SourceReuse,
         "atomic_barrier_behind_a_write",
         {{0, kBrisc, {send(write_to(1)), wait_for(NocKind::Atomic, 0), store(kData)}}}},
        // #50996: the receiver gives its credit before it has read.
        {EdgeId::OtherAccess,
         "credit_before_the_read",
         {{0,
           kBrisc,
           {send(write_to(1)), wait_for(NocKind::Write, 0), send(add_to(1, kFlag)),
            poll(kCredit, 1), send(write_to(1)), wait_for(NocKind::Write, 0)}},
          {1, kBrisc, {poll(kFlag, 1), send(add_to(0, kCredit)), load_use(kThere)}}},
         {{0,
           kBrisc,
           {send(write_to(1)), wait_for(NocKind::Write, 0), send(add_to(1, kFlag)),
            poll(kCredit, 1), send(write_to(1)), wait_for(NocKind::Write, 0)}},
          {1, kBrisc, {poll(kFlag, 1), load_use(kThere), send(add_to(0, kCredit))}}},
         FindingKind::Race,
         false,
         false},
        // Row 9: the other core's STALLWAIT waits for its own core's stores.
        {EdgeId::StoreThenOtherTensix,
         "gpr_of_another_thread_by_brisc",
         {{0, kBrisc, {store(kGprs + 4 * kGpr, 7), mail(kTrisc0)}},
          {0, kTrisc0, {take(kBrisc), stallwait(0x20, kWaitTrisc), use_gpr()}}}},
        // Row 4: a mailbox is another region than the load's.
        {EdgeId::LoadLater,
         "read_of_a_page_not_yet_answered",
         {{0, kTrisc0, {load(kData), mail(kBrisc), {Step::Kind::Use}}},
          {0, kBrisc, {take(kTrisc0), store(kData)}}},
         {{0, kTrisc0, {load_use(kData), mail(kBrisc)}},
          {0, kBrisc, {take(kTrisc0), store(kData)}}},
         FindingKind::Race,
         false,
         false},
    };
  }
  std::vector<Pair> waits_for_something_else() const {
    return {
        // Row 47: the barrier of the other NoC.
        {EdgeId::ReadArrived,
         "barrier_of_the_other_noc",
         {{0, kBrisc, {send(read_of(1, kThere, kData)), mail(kTrisc0)}},
          {0, kTrisc0, {take(kBrisc), wait_for(NocKind::Read, 1), load_use(kData)}}}},
        // Row 16: the limit of a semaphore says nothing of its posts.
        {EdgeId::UnitAcrossThreads,
         "wait_for_the_limit_instead_of_a_post",
         {{0, kTrisc0, {sfpstore(), stallwait(kSync, kWaitSfpu), post()}},
          {0, kTrisc1, {wait(kSfpu, 2, 2), sfpload()}}},
         {{0, kTrisc0, {sfpstore(), stallwait(kSync, kWaitSfpu), post()}},
          {0, kTrisc1, {wait(kSfpu, 2, 1), sfpload()}}}},
        // Row 16: the drain is of the wrong unit.
        {EdgeId::UnitAcrossThreads,
         "drain_of_the_wrong_unit",
         {{0, kTrisc0, {sfpstore(), stallwait(kSync, kWaitMath), post()}},
          {0, kTrisc1, {wait(kSfpu), sfpload()}}}},
        // Row 10: RDCFG's answer is on its way when the core looks.
        {EdgeId::TensixThenLoad,
         "answer_of_rdcfg",
         {{0,
           kTrisc0,
           {word<tens::RDCFG>({{"cfg_reg", 209}, {"gpr_address", kGpr}}),
            load_use(kGprs + 4 * kGpr)}}}},
        // Row 13: BRISC sets a mode in a thread whose own core pushes at the same time.
        {EdgeId::TwoPushers,
         "mode_pushed_by_brisc",
         {{0, kBrisc, {store(kPush + 0x10000, fp32.word)}}, {0, kTrisc1, {nops(300), sfpload()}}}},
        // Row 44, documented: a fence says that a store has been emitted.
        {EdgeId::StoreToSource,
         "fence_before_the_send",
         {{0, kBrisc, {store(kData), {Step::Kind::Fence}, send(write_to(1))}}},
         {},
         FindingKind::Contract,
         true},
        // Row 48: the old value of an atomic is read before it has come.
        {EdgeId::AtomicDone,
         "old_value_of_an_atomic",
         {{0, kBrisc, {send(add_to(1, kFlag)), load_use(kAnswer)}}}},
        // Row 3: what is used is not what was loaded, only the register has the same number.
        {EdgeId::StoreOtherRegion,
         "read_back_and_dropped",
         {{0, kTrisc0, {store(kData), load(kData), {Step::Kind::Drop}, mail(kTrisc1)}},
          {0, kTrisc1, {take(kTrisc0), load_use(kData)}}}},
        // Row 3: PCBuf is another region than L1.
        {EdgeId::StoreOtherRegion,
         "argument_behind_a_pcbuf",
         {{0, kBrisc, {store(kData), store(kPcBuf, 1)}},
          {0, kTrisc0, {load_use(kPcBuf), load_use(kData)}}}},
        // Row 3: another tile is told of a store, and reads it by NoC.
        {EdgeId::StoreOtherRegion,
         "store_then_told_by_the_noc",
         {{0, kBrisc, {store(kData), send(add_to(1, kFlag))}},
          {1,
           kBrisc,
           {poll(kFlag, 1), send(read_of(0, kData, kThere)), wait_for(NocKind::Read, 0),
            load_use(kThere)}}}},
    };
  }
  std::vector<Pair> between_cores_units_and_packets() const {
    return {
        // Row 10: the thread's semaphore is polled by a core; the scalar unit was not drained.
        {EdgeId::TensixThenLoad,
         "semaphore_polled_by_a_core",
         {{0, kTrisc0, by_scalar_unit(false, {post()})},
          {0, kTrisc1, {poll_set(kSemaphores + 8), load_use(kData)}}},
         {{0, kTrisc0, by_scalar_unit(false, {stallwait(kSync, 1), post()})},
          {0, kTrisc1, {poll_set(kSemaphores + 8), load_use(kData)}}}},
        // Row 29: the window into Dst, and another thread.
        {EdgeId::DstWindow,
         "window_for_another_thread",
         {{0, kTrisc0, {store(kDstWindow, 0x3F80), mail(kTrisc1)}},
          {0, kTrisc1, {take(kTrisc0), sfpload()}}},
         {{0, kTrisc0, {store(kDstWindow, 0x3F80), load_use(kDstWindow), mail(kTrisc1)}},
          {0, kTrisc1, {take(kTrisc0), sfpload()}}},
         FindingKind::Race,
         false,
         false},
        // A plain store against the scalar unit's atomics: what is added in between is lost.
        {EdgeId::OtherAccess,
         "store_over_the_scalar_unit's_atomic",
         {{0, kTrisc0, by_scalar_unit(true, {})}, {0, kBrisc, {nops(300), store(kData, 0)}}},
         {{0, kTrisc0, by_scalar_unit(true, {{Step::Kind::ThreadDone}, mail(kBrisc)})},
          {0, kBrisc, {take(kTrisc0), store(kData, 0)}}},
         FindingKind::Race,
         false,
         false},
        // Row 45 across cores: the flag says that the write was asked for.
        {EdgeId::SourceReuse,
         "buffer_handed_over_while_it_is_sent",
         {{0, kBrisc, {send(write_to(1)), store(kFlag)}},
          {0, kTrisc0, {poll(kFlag, 1), store(kData)}}}},
        // Row 49: a dynamic channel keeps nothing in order.
        {EdgeId::WriteLanded,
         "flag_on_a_dynamic_channel",
         {{0, kBrisc, {send(dynamic(write_to(1))), send(dynamic(add_to(1, kFlag)))}}, reader}},
        // Row 46: *sent* is not *landed*.
        {EdgeId::WriteLanded,
         "flushed_is_not_landed",
         {{0,
           kBrisc,
           {send(write_to(1)), wait_for(NocKind::Write, 0, true),
            send(on_channel_2(add_to(1, kFlag)))}},
          reader}},
        // Row 39: two mutexes for one word.
        {EdgeId::SharedWord,
         "two_mutexes_for_one_word",
         {{0, kTrisc0, with(value(1), {mutex(2), wrcfg_of(2), unlock(2)})},
          {0, kTrisc1, with(value(0x100), {nops(200), mutex(3), wrcfg_of(2), unlock(3)})}},
         {{0, kTrisc0, with(value(1), {mutex(2), wrcfg_of(2), unlock(2)})},
          {0, kTrisc1, with(value(0x100), {nops(200), mutex(2), wrcfg_of(2), unlock(2)})}}},
    };
  }
  std::vector<Pair> in_time_by_luck_or_by_another_way() const {
    return {
        // Row 17: a take that nothing makes wait, and that is in time in this run.
        {EdgeId::SemaphoreSaturates,
         "take_that_is_in_time_by_luck",
         {{0, kTrisc0, {post()}}, {0, kTrisc1, {nops(500), get()}}},
         {},
         FindingKind::LostSync},
        // Row 5: an atomic whose result nobody looks at tells nothing, though it came second.
        {EdgeId::OtherAccess,
         "atomic_that_nobody_looks_at",
         {{0, kBrisc, {store(kData), add(kFlag)}},
          {0, kNcrisc, {nops(400), add(kFlag), load_use(kData)}}},
         {{0, kBrisc, {store(kData), add(kFlag)}}, {0, kNcrisc, {poll(kFlag, 1), load_use(kData)}}},
         FindingKind::Race,
         false,
         false},
        // Row 46 and 45: the read of the own tile copies what a write of another NoC brings.
        {EdgeId::WriteLanded,
         "copy_of_what_is_still_coming",
         {{0,
           kBrisc,
           {send(write_to(0)), send(by_noc_1(read_of(0, kThere, 0x40000))),
            wait_for(NocKind::Read, 1)}}}},
        // Row 46: the flag is a word of DRAM, which the other tile reads again and again.
        {EdgeId::WriteLanded,
         "flag_in_dram",
         {{0, kBrisc, {store(kFlag), load_use(kFlag), send(write_to(1)), send(far_flag())}},
          {1, kBrisc, {poll_far(), load_use(kThere)}}}},
        // Row 50: data by one NoC, the flag by the other.
        {EdgeId::WriteLanded,
         "flag_by_the_other_noc",
         {{0, kBrisc, {send(write_to(1)), send(by_noc_1(add_to(1, kFlag)))}}, reader}},
    };
  }

  const u32 alu = tensix::cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled::kWord;
  const Step wrcfg = word<tens::WRCFG>({{"cfg_reg", alu}, {"gpr_address", kGpr}});
  const Step fp32 = word<tens::RMWCIB3>({{"cfg_reg_addr", alu}, {"mask", 0x40}, {"data", 0x40}});
  static Step mutex(u32 index) { return word<tens::ATGETM>({{"mutex_index", index}}); }
  static Step unlock(u32 index) { return word<tens::ATRELM>({{"mutex_index", index}}); }
  static Step wrcfg_of(u32 index) {
    return word<tens::WRCFG>({{"cfg_reg", index}, {"gpr_address", kGpr}});
  }
  const Lane reader{1, kBrisc, {poll(kFlag, 1), load_use(kThere)}};
  static std::vector<Step> fp32_in_gpr() {
    return std::vector<Step>{
        half(2 * kGpr, 0),
        word<tens::SETDMAREG>({{"reg_index_16b", 2 * kGpr + 1}, {"payload_sig_sel_size", 1}}),
        stallwait(kCfg, 1)};
  }
  static std::vector<Step> value(u32 one) {
    return std::vector<Step>{half(2 * kGpr, one), half(2 * kGpr + 1, 0), stallwait(kCfg, 1)};
  }
  static std::vector<Step> with(std::vector<Step> a, const std::vector<Step>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
};

}  // namespace

std::vector<Pair> rebuilt_races() {
  return RebuiltRaces().all();
}

std::vector<Quiet> quiet_programs() {
  const Lane reader{1, kBrisc, {poll(kFlag, 1), load_use(kThere)}};
  return {
      {"load_and_flag_in_one_region",
       {{0, kNcrisc, {load(kData), store(kFlag)}}, {0, kBrisc, {poll(kFlag, 1), store(kData)}}}},
      {"barrier_by_another_core_of_the_same_niu",
       {{0, kBrisc, {send(read_of(1, kThere, kData)), mail(kTrisc0)}},
        {0, kTrisc0, {take(kBrisc), {Step::Kind::Poll, 0, 0xFFB20208, 1}, load_use(kData)}}}},
      {"stores_and_flag_in_one_region",
       {{0, kBrisc, {store(kData), store(kFlag)}},
        {0, kNcrisc, {poll(kFlag, 1), load_use(kData)}}}},
      {"payload_and_flag_on_one_channel",
       {{0, kBrisc, {send(write_to(1)), send(add_to(1, kFlag))}}, reader}},
      {"many_atomics_to_one_counter",
       {{0, kBrisc, {send(add_to(1, kFlag)), wait_for(NocKind::Atomic, 0)}},
        {1, kBrisc, {add(kFlag)}},
        {1, kNcrisc, {add(kFlag)}}}},
      {"answers_of_two_atomics_in_one_word",
       {{0, kBrisc, {send(add_to(1, kFlag))}}, {0, kNcrisc, {send(by_noc_1(add_to(1, kFlag)))}}}},
      {"answer_behind_its_barrier",
       {{0, kBrisc, {send(add_to(1, kFlag)), wait_for(NocKind::Atomic, 0), load_use(kAnswer)}}}},
      {"one_value_of_two_cores",
       {{0, kBrisc, {store(kData, 7)}}, {0, kNcrisc, {nops(200), store(kData, 7)}}}},
      {"two_posts_two_takes",
       {{0, kTrisc0, {post(), post()}}, {0, kTrisc1, {wait(kSync), get(), wait(kSync), get()}}}},
      {"semaphore_polled_and_taken",
       {{0, kTrisc0, {sfpstore(), stallwait(kSync, kWaitSfpu), post()}},
        {0, kTrisc1, {poll_set(kSemaphores + 8), get(), sfpload()}}}},
      {"rewrite_behind_tensix_sync",
       {{0,
         kTrisc1,
         {sfpload(),
          {Step::Kind::ThreadDone},
          store(kConfig + 4, 1u << 30),
          load_use(kConfig + 4),
          sfpload()}}}},
  };
}

}  // namespace bhemu::host::pairs
