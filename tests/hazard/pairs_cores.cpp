// Pairs of programs for rows 1 to 13, 60, 64 to 66: cores.
#include "hazard/pairs.hpp"
#include "tensix/config.hpp"
#include "tensix/isa.hpp"

namespace bhemu::host::pairs {
namespace {

using race::EdgeId;
using race::FindingKind;
namespace tens = tensix::op;

constexpr u32 kData = 0x20000;
constexpr u32 kFlag = 0x20040;
constexpr u32 kGprs = 0xFFE00000;
constexpr u32 kConfig = 0xFFEF0000;
constexpr u32 kMopConfig = 0xFFB80000;
constexpr u32 kPush = 0xFFE40000;
constexpr u32 kPcBuf = 0xFFE80000;
constexpr u32 kDisLowCache = 1u << 3;
constexpr u32 kGpr = 8;

template <class Op>
u32 word(std::initializer_list<tensix::FieldValue> values = {}) {
  return tensix::encode<Op>(values);
}
u32 use_gpr() {
  return word<tens::ADDDMAREG>(
      {{"op_a_reg_index", kGpr}, {"op_b_reg_index", kGpr}, {"result_reg_index", 9}});
}
u32 load_gpr() {
  return word<tens::LOADIND>(
      {{"addr_reg_index", 4}, {"data_reg_index", kGpr}, {"offset_index", 12}, {"size_sel", 1}});
}
/// The scalar unit stores a GPR to L1 address 0x20000.
std::vector<Step> store_by_thread() {
  const auto half = [](u32 gpr, u32 value) {
    return op(word<tens::SETDMAREG>({{"reg_index_16b", gpr}, {"payload_sig_sel", value}}));
  };
  return {half(8, kData >> 4), half(9, 0), half(24, 0), half(25, 0),
          op(word<tens::STOREIND>({{"addr_reg_index", 4},
                                   {"data_reg_index", 5},
                                   {"offset_index", 24},
                                   {"size_sel", 1},
                                   {"mem_hier_sel", 1}}))};
}
/// A template of one round.
std::vector<Step> mop_of_nops() {
  std::vector<Step> steps = {{Step::Kind::ExpanderDone}};
  const u32 nop = tensix::encode<tens::NOP>({});
  for (u32 i = 0; i < 9; ++i) steps.push_back(store(kMopConfig + 4 * i, i < 2 ? 1 : nop));
  return steps;
}
std::vector<Step> join(std::vector<Step> a, const std::vector<Step>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class CorePairs {
 public:
  std::vector<Pair> all() const {
    return together({stores_loads_and_what_threads_do(), pushes_requests_and_queues()});
  }

 private:
  std::vector<Pair> stores_loads_and_what_threads_do() const {
    return {
        {EdgeId::StoreLoadSameBytes,
         "own_store_and_load",
         {{0, kBrisc, {store(kData)}}, {0, kNcrisc, {load_use(kData)}}},
         {{0, kBrisc, {store(kData), load_use(kData)}}},
         FindingKind::Race,
         false,
         false},
        {EdgeId::StoreStoreSameRegion,
         "two_stores",
         {{0, kBrisc, {store(kData)}}, {0, kNcrisc, {store(kData, 2)}}},
         {{0, kBrisc, {store(kData), store(kData, 2)}}},
         FindingKind::Race,
         false,
         false},
        {EdgeId::StoreOtherRegion,
         "store_then_mailbox",
         {{0, kTrisc0, {store(kData), mail(kTrisc1)}},
          {0, kTrisc1, {take(kTrisc0), load_use(kData)}}}},
        {EdgeId::LoadLater,
         "load_then_push",
         {{0, kTrisc0, join({load(kData)}, store_by_thread())}}},
        {EdgeId::CoreAtomic,
         "atomic_hands_over",
         {{0, kBrisc, {store(kData)}}, {0, kNcrisc, {poll(kFlag, 0), load_use(kData)}}},
         {{0, kBrisc, {store(kData), add(kFlag)}}, {0, kNcrisc, {poll(kFlag, 1), load_use(kData)}}},
         FindingKind::Race,
         false,
         false},
        {EdgeId::StaleL0,
         "poll_without_a_fence",
         {{0, kBrisc, {nops(200), store(kFlag, 5)}},
          {0,
           kNcrisc,
           {{Step::Kind::Csr, 0, 0, kDisLowCache}, {Step::Kind::PollWithout, 0, kFlag, 5}}}},
         {},
         FindingKind::StaleCache},
        {EdgeId::StoreThenOwnTensix,
         "gpr_for_the_own_thread",
         {{0, kTrisc0, {store(kGprs + 4 * kGpr, 7), op(use_gpr())}}}},
        {EdgeId::StoreThenOtherTensix,
         "configuration_for_another_thread",
         {{0, kTrisc0, {store(kConfig + 4 * fp32, 1u << 30), mail(kTrisc1)}},
          {0, kTrisc1, {take(kTrisc0), sfpload}}}},
        {EdgeId::TensixThenLoad,
         "gpr_read_by_the_core",
         {{0, kTrisc0, {op(load_gpr()), load_use(kGprs + 4 * kGpr)}}}},
        {EdgeId::TensixThenLoad,
         "gpr_of_another_core's_thread",
         {{0, kTrisc0, {op(load_gpr()), mail(kBrisc)}},
          {0, kBrisc, {take(kTrisc0), load_use(kGprs + 4 * kGpr)}}}},
        {EdgeId::MopConfig,
         "mop_then_its_configuration",
         {{0, kTrisc0, join(mop_of_nops(), {mop, store(kMopConfig, 2)})}}},
    };
  }
  std::vector<Pair> pushes_requests_and_queues() const {
    return {
        {EdgeId::ReplayGathering,
         "recording_while_fusing",
         {{0, kTrisc0, {record, nop, nop}}},
         {},
         FindingKind::Window},
        {EdgeId::TwoPushers,
         "two_cores_push",
         {{0, kBrisc, {store(kPush + 0x10000, word<tens::NOP>())}},
          {0, kTrisc1, {nops(500), nop}}}},
        {EdgeId::CommandToCounter,
         "counter_behind_a_request",
         {{0,
           kBrisc,
           {send({.local = kData, .tile = 1, .remote = kData}),
            {Step::Kind::WaitZero, 0, 0xFFB20200 + 4 * 16},
            store(kData)}}},
         {{0,
           kBrisc,
           {send({.local = kData, .tile = 1, .remote = kData}),
            wait_free({}),
            {Step::Kind::WaitZero, 0, 0xFFB20200 + 4 * 16},
            store(kData)}}},
         FindingKind::Contract,
         true,
         false},
        {EdgeId::PcBuf,
         "brisc_waits_at_a_pcbuf",
         {{0, kTrisc0, join(store_by_thread(), {load_use(kPcBuf)})},
          {0, kBrisc, {nops(2000), load_use(kData), store(kPcBuf, 1)}}},
         {{0, kTrisc0, join(store_by_thread(), {load_use(kPcBuf)})},
          {0, kBrisc, {load_use(kPcBuf), load_use(kData), store(kPcBuf, 1)}}},
         FindingKind::Race,
         false,
         false},
        {EdgeId::CoreMailbox,
         "mailbox_hands_over",
         {{0, kTrisc0, {load_use(kData)}}, {0, kTrisc2, {store(kData)}}},
         {{0, kTrisc0, {load_use(kData), mail(kTrisc2)}},
          {0, kTrisc2, {take(kTrisc0), store(kData)}}},
         FindingKind::Race,
         false,
         false},
        {EdgeId::OtherAccess,
         "nothing_between_two_cores",
         {{0, kTrisc0, {store(kData)}}, {0, kTrisc1, {load_use(kData)}}}},
    };
  }

  const u32 fp32 = tensix::cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled::kWord;
  const Step sfpload = op(word<tens::SFPLOAD>({{"sfpu_addr_mode", 7}}));
  const Step nop = op(word<tens::NOP>());
  const Step record = op(word<tens::REPLAY>({{"len", 2}, {"load_mode", 1}}));
  const Step mop = op(word<tens::MOP>({{"mop_type", 1}}));
};

}  // namespace

std::vector<Pair> core_pairs() {
  return CorePairs().all();
}

}  // namespace bhemu::host::pairs
