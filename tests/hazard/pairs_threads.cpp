// Pairs of programs for rows 14 to 42, 56 to 59, 67: threads of the coprocessor.
#include "hazard/pairs.hpp"
#include "noc/stream.hpp"
#include "tensix/config.hpp"
#include "tensix/isa.hpp"

namespace bhemu::host::pairs {
namespace {

using race::EdgeId;
using race::FindingKind;
namespace tens = tensix::op;
namespace cfg = tensix::cfg;

constexpr u32 kGpr = 8;
constexpr u32 kDstWindow = 0xFFBD8000;
constexpr u32 kData = 0x20000;
constexpr u32 kSync = 1u << 1, kUnpack = 1u << 3, kThcon = 1u << 5, kMath = 1u << 6;
constexpr u32 kSfpu = 1u << 8;
constexpr u32 kWaitSfpu = 1u << 11, kWaitMath = 1u << 4;
constexpr u32 kWaitUnpack0 = 1u << 1, kWaitUnpack1 = 1u << 2, kSrcaClr = 1u << 5;
constexpr u32 kSrcbClr = 1u << 6;
constexpr u32 kSemaphore = 1u << 2;

template <class Op>
Step word(std::initializer_list<tensix::FieldValue> values = {}) {
  return op(tensix::encode<Op>(values));
}
Step stallwait(u32 block, u32 condition) {
  return word<tens::STALLWAIT>({{"stall_res", block}, {"wait_res", condition}});
}
Step post() {
  return word<tens::SEMPOST>({{"sem_sel", kSemaphore}});
}
Step start() {
  return word<tens::SEMINIT>({{"sem_sel", kSemaphore}, {"max_value", 9}});
}
Step wait(u32 block) {
  return word<tens::SEMWAIT>({{"stall_res", block}, {"sem_sel", kSemaphore}, {"wait_sem_cond", 1}});
}
Step give(unsigned unpacker) {
  return word<tens::UNPACR_NOP>({{"unpacker_select", unpacker},
                                 {"set_dvalid", 1},
                                 {"unpack_pop", 1},
                                 {"stall_clr_cntrl", 1}});
}
Step sfpload(u32 row = 0) {
  return word<tens::SFPLOAD>({{"dest_reg_addr", row}, {"sfpu_addr_mode", 7}});
}
Step sfpstore(u32 row = 0) {
  return word<tens::SFPSTORE>({{"dest_reg_addr", row}, {"sfpu_addr_mode", 7}});
}
Step half(u32 gpr, u32 value) {
  return word<tens::SETDMAREG>({{"reg_index_16b", gpr}, {"payload_sig_sel", value}});
}
const Step& use_gpr() {
  static const Step kStep = word<tens::ADDDMAREG>(
      {{"op_a_reg_index", kGpr}, {"op_b_reg_index", kGpr}, {"result_reg_index", 9}});
  return kStep;
}
Step load_gpr() {
  return word<tens::LOADIND>(
      {{"addr_reg_index", 4}, {"data_reg_index", kGpr}, {"offset_index", 12}, {"size_sel", 1}});
}
Step rmw(u32 field_word, unsigned byte, u32 mask, u32 data) {
  const u32 fields[] = {field_word, mask, data};
  switch (byte) {
    case 0:
      return word<tens::RMWCIB0>(
          {{"cfg_reg_addr", fields[0]}, {"mask", fields[1]}, {"data", fields[2]}});
    case 1:
      return word<tens::RMWCIB1>(
          {{"cfg_reg_addr", fields[0]}, {"mask", fields[1]}, {"data", fields[2]}});
    default:
      return word<tens::RMWCIB3>(
          {{"cfg_reg_addr", fields[0]}, {"mask", fields[1]}, {"data", fields[2]}});
  }
}
/// Both banks for the matrix unit of thread 1.
Lane unpacks(unsigned pairs = 1) {
  Lane lane{0, kTrisc0, {}};
  for (unsigned i = 0; i < pairs; ++i) {
    lane.steps.push_back(give(0));
    lane.steps.push_back(give(1));
  }
  return lane;
}

class ThreadPairs {
 public:
  std::vector<Pair> all() const {
    return together({units_semaphores_and_banks(), dst_and_vector_unit(),
                     configuration_and_scalar_unit(), switches_releases_and_streams()});
  }

 private:
  std::vector<Pair> units_semaphores_and_banks() const {
    return {
        {EdgeId::GateOrder,
         "gate_order",
         {{0, kTrisc0, {load_gpr(), use_gpr()}}},
         {{0, kTrisc0, {half(2 * kGpr, 1), use_gpr(), half(2 * kGpr, 2)}}},
         FindingKind::Race,
         false,
         false},
        {EdgeId::UnitToUnit,
         "move_then_store",
         {unpacks(), {0, kTrisc1, {stallwait(kMath, 0x180), move_a, sfpstore()}}}},
        {EdgeId::UnitToUnit,
         "store_then_move",
         {unpacks(), {0, kTrisc1, {stallwait(kMath, 0x180), sfpstore(), move_b}}}},
        {EdgeId::UnitAcrossThreads,
         "store_for_another_thread",
         {{0, kTrisc0, {sfpstore(), post()}}, math_waits}},
        {EdgeId::SemaphoreSaturates,
         "take_at_zero",
         {{0, kTrisc0, {word<tens::SEMGET>({{"sem_sel", kSemaphore}})}},
          {0, kTrisc1, {nops(500), post()}}},
         {},
         FindingKind::LostSync},
        {EdgeId::SemaphoreInit,
         "start_of_a_semaphore",
         {{0, kTrisc0, {start()}}, {0, kTrisc1, {nops(300), post()}}}},
        {EdgeId::SemaphoreInit,
         "start_behind_a_post",
         {{0, kTrisc0, {nops(300), start()}}, {0, kTrisc1, {post()}}}},
        {EdgeId::Mutex,
         "mutex_around_a_unit",
         {{0, kTrisc0, {get_mutex, sfpstore(), let_mutex}},
          {0, kTrisc1, {nops(300), get_mutex, stallwait(kSfpu, kWaitMath), sfpload(), let_mutex}}},
         {{0, kTrisc0, {get_mutex, sfpstore(), stallwait(kSync, kWaitSfpu), let_mutex}},
          {0, kTrisc1, {nops(300), get_mutex, sfpload(), stallwait(kSync, kWaitSfpu), let_mutex}}},
         FindingKind::Race,
         false,
         false},
        {EdgeId::SrcBanks,
         "banks_by_themselves",
         {unpacks(2), {0, kTrisc1, {move_a, add, move_a, add}}},
         {unpacks(2), {0, kTrisc1, {add, add}}},
         FindingKind::Race,
         false,
         false},
        {EdgeId::MoveIntoSrc, "move_into_a_bank", {unpacks(), {0, kTrisc1, {move_a}}}},
        {EdgeId::MoveIntoSrc, "move_into_a_bank_of_srcb", {unpacks(), {0, kTrisc1, {move_b}}}},
    };
  }
  std::vector<Pair> dst_and_vector_unit() const {
    return {
        {EdgeId::ClearOtherBank,
         "clear_of_the_other_bank",
         {{0,
           kTrisc0,
           {give(0), give(1), word<tens::UNPACR_NOP>({{"set_dvalid", 1}, {"unpack_pop", 1}}),
            give(1), word<tens::UNPACR_NOP>({{"set_dvalid", 1}, {"unpack_pop", 1}}), give(1)}},
          {0, kTrisc1, {add, add, add}}}},
        {EdgeId::DstBlock,
         "block_of_dst",
         {unpacks(), {0, kTrisc1, {add, sfpload()}}},
         {unpacks(2), {0, kTrisc1, {add, stallwait(kMath, 0x190), move_b, add}}},
         FindingKind::Window,
         false,
         false},
        {EdgeId::FpuToSfpLoad,
         "sum_then_load",
         {unpacks(), {0, kTrisc1, {add, sfpload()}}},
         {},
         FindingKind::Window},
        {EdgeId::MoveToDst,
         "move_then_sum",
         {unpacks(2), {0, kTrisc1, {stallwait(kMath, 0x180), to_dst, add_on_top}}},
         {},
         FindingKind::Window},
        {EdgeId::MathToPack,
         "math_and_the_clear_of_the_packer",
         {{0, kTrisc1, {sfpstore(), post()}}, {0, kTrisc2, {wait(kSfpu), sfpload()}}},
         {{0, kTrisc1, {sfpstore(), stallwait(kSync, kWaitSfpu), post()}},
          {0, kTrisc2, {wait(kSfpu), sfpload()}}},
         FindingKind::Race,
         false,
         false},
        {EdgeId::DstWindow,
         "window_of_the_core",
         {{0, kTrisc1, {store(kDstWindow, 0x3F80), sfpload()}}}},
        {EdgeId::MadToReader,
         "sum_of_an_unseen_operand",
         {{0, kTrisc1, {mad, iadd}}},
         {},
         FindingKind::Window},
        {EdgeId::MadToReader,
         "sum_of_a_seen_operand",
         {{0, kTrisc1, {mad, iadd}}},
         {{0, kTrisc1, {mad, add_lregs}}},
         FindingKind::Window},
        {EdgeId::WrcfgToNext,
         "wrcfg_then_user",
         {{0, kTrisc1, {wrcfg, sfpload()}}},
         {},
         FindingKind::Window},
    };
  }
  std::vector<Pair> configuration_and_scalar_unit() const {
    return {
        {EdgeId::Setc16ToNext,
         "state_id_in_a_bundle",
         {{0, kTrisc1, {set_state, sfpload()}}},
         {},
         FindingKind::Window},
        {EdgeId::RdcfgToGpr, "rdcfg", {{0, kTrisc0, {rdcfg, write_back}}}},
        {EdgeId::StreamWrcfg,
         "streamwrcfg",
         {{0,
           kTrisc0,
           {half(2 * kGpr, 7), half(2 * kGpr + 1, 0), stallwait(1u << 7, 1), stream,
            wrcfg_scratch}}}},
        {EdgeId::SetdmaregToWrcfg,
         "setdmareg",
         {{0, kTrisc0, {half(2 * kGpr, 1), wrcfg_scratch}}},
         {},
         FindingKind::Window},
        {EdgeId::ThconToGpr, "loadind", {{0, kTrisc0, {load_gpr(), use_gpr()}}}},
        {EdgeId::ConfigInFlight, "field_of_a_load_under_way", {{0, kTrisc1, {sfpload(), fp32}}}},
        {EdgeId::ConfigInFlight,
         "field_of_a_sum_under_way",
         {unpacks(),
          {0, kTrisc1, {add, rmw(cfg::ALU_ACC_CTRL_Fp32_enabled::kWord, 3, 0x20, 0x20)}}}},
        {EdgeId::SharedWord,
         "wrcfg_over_a_sibling",
         {{0,
           kTrisc0,
           {half(2 * kGpr, 7), half(2 * kGpr + 1, 0), stallwait(1u << 7, 1), rmw(2, 0, 1, 1)}},
          {0,
           kTrisc1,
           {half(2 * kGpr, 0x100), half(2 * kGpr + 1, 0), stallwait(1u << 7, 1), nops(100),
            word<tens::WRCFG>({{"cfg_reg", 2}, {"gpr_address", kGpr}})}}}},
        {EdgeId::MoveHoldsFpu,
         "move_then_add",
         {unpacks(2), {0, kTrisc1, {move_b, add}}},
         {unpacks(2), {0, kTrisc1, {stallwait(kMath, 0x180), move_b, add, add}}},
         FindingKind::Race,
         false,
         false},
        {EdgeId::CfgshiftmaskToNext,
         "cfgshiftmask_then_user",
         {{0, kTrisc1, {shift, sfpload()}}},
         {},
         FindingKind::Window},
        {EdgeId::SwapHoldsSfpu,
         "swap_then_reader",
         {{0, kTrisc1, {mad, word<tens::SFPSWAP>({{"lreg_dest", 3}, {"instr_mod1", 1}})}}},
         {{0, kTrisc1, {word<tens::SFPSWAP>({{"lreg_dest", 3}}), iadd}}},
         FindingKind::Window,
         false,
         false},
    };
  }
  std::vector<Pair> switches_releases_and_streams() const {
    return {
        {EdgeId::BackdoorSwitch,
         "backdoor_then_template",
         {{0, kTrisc1, {backdoor, template_load}}},
         {},
         FindingKind::Window},
        {EdgeId::BankRelease,
         "banks_given_back_unseen",
         {unpacks(), {0, kTrisc1, {nops(200), release}}}},
        // C5 and C6 of a STALLWAIT: until the unpackers have the bank.
        {EdgeId::ClearOtherBank,
         "clear_behind_srca_clr",
         {{0, kTrisc0, clears_of_srca({})}, {0, kTrisc1, {add, add, add}}},
         {{0, kTrisc0, clears_of_srca({stallwait(kUnpack, kWaitUnpack0 | kSrcaClr)})},
          {0, kTrisc1, {add, add, add}}}},
        {EdgeId::ClearOtherBank,
         "clear_behind_srcb_clr",
         {{0, kTrisc0, clears_of_srcb({})}, {0, kTrisc1, {add, add, add}}},
         {{0, kTrisc0, clears_of_srcb({stallwait(kUnpack, kWaitUnpack1 | kSrcbClr)})},
          {0, kTrisc1, {add, add, add}}}},
        // Row 63: the phase of a stream, waited for with a block that does not hold the load.
        {EdgeId::StreamWait,
         "phase_of_a_stream",
         {{0, kBrisc, store_and_begin_phase()}, {0, kTrisc0, await_phase_and_load(kSync)}},
         {{0, kBrisc, store_and_begin_phase()}, {0, kTrisc0, await_phase_and_load(kThcon)}},
         FindingKind::Race,
         false,
         false},
    };
  }

  /// Banks are given away three times; from the second time on the unpacker clears them without
  /// testing that they are its own.
  static std::vector<Step> clears_of_srca(const std::vector<Step>& before) {
    return clears(0, {{"set_dvalid", 1}, {"unpack_pop", 1}}, before);
  }
  static std::vector<Step> clears_of_srcb(const std::vector<Step>& before) {
    return clears(1, {{"unpacker_select", 1}, {"set_dvalid", 1}, {"unpack_pop", 1}}, before);
  }
  static std::vector<Step> clears(unsigned unpacker,
                                  std::initializer_list<tensix::FieldValue> untested,
                                  const std::vector<Step>& before) {
    std::vector<Step> steps = {give(0), give(1)};
    for (unsigned i = 0; i < 2; ++i) {
      steps.insert(steps.end(), before.begin(), before.end());
      steps.push_back(word<tens::UNPACR_NOP>(untested));
      steps.push_back(give(unpacker ^ 1));
    }
    return steps;
  }
  /// BRISC stores a word of L1, then begins the first phase of stream 17.
  static std::vector<Step> store_and_begin_phase() {
    using namespace noc::stream;
    const auto set = [](u32 stream, u32 index, u32 value) {
      return store(0xFFB40000 + stream * 0x1000 + index * 4, value);
    };
    constexpr u32 kEndpoints = 1u << 4 | 1u << 6;
    return {store(kData),
            load_use(kData),
            set(0, STREAM_MSG_HEADER_FORMAT, 16 << 7),
            set(17, STREAM_MISC_CFG, kEndpoints),
            set(17, STREAM_BUF_START, 0x3000),
            set(17, STREAM_BUF_SIZE, 8),
            set(17, STREAM_MSG_INFO_PTR, 0x2400),
            set(17, STREAM_MSG_INFO_WR_PTR, 0x2400),
            set(17, STREAM_PHASE_AUTO_CFG_HEADER, 3 << 12 | 1),
            set(17, STREAM_PHASE_ADVANCE, 0)};
  }
  static std::vector<Step> await_phase_and_load(u32 block) {
    constexpr u32 kStreamOfSelect2 = 61;  // of ThreadConfig
    return {
        half(8, kData >> 4),
        half(9, 0),
        half(24, 0),
        half(25, 0),
        word<tens::SETC16>({{"setc16_reg", kStreamOfSelect2}, {"setc16_value", 17}}),
        word<tens::STREAMWAIT>({{"stall_res", block}, {"target_value", 1}, {"wait_stream_sel", 2}}),
        word<tens::LOADIND>({{"addr_reg_index", 4},
                             {"data_reg_index", kGpr},
                             {"offset_index", 24},
                             {"size_sel", 1}})};
  }

  const u32 alu = cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled::kWord;
  const u32 scratch = cfg::SCRATCH_SEC0_val::kWord;
  const Step add = word<tens::ELWADD>({{"clear_dvalid", 3}});
  const Step add_on_top = word<tens::ELWADD>({{"dest_accum_en", 1}});
  const Step move_a = word<tens::MOVD2A>({{"instr_mod", 2}});
  const Step move_b = word<tens::MOVD2B>({{"instr_mod", 2}});
  const Step to_dst = word<tens::MOVA2D>({{"instr_mod", 2}});
  const Step set_state = word<tens::SETC16>({{"setc16_reg", 0}, {"setc16_value", 1}});
  const Step wrcfg = word<tens::WRCFG>({{"cfg_reg", alu}, {"gpr_address", kGpr}});
  const Step wrcfg_scratch = word<tens::WRCFG>({{"cfg_reg", scratch}, {"gpr_address", kGpr}});
  const Step mad = word<tens::SFPMAD>({{"lreg_dest", 3}});
  const Step iadd = word<tens::SFPIADD>({{"lreg_dest", 3}, {"lreg_c", 1}});
  const Step add_lregs = word<tens::SFPADD>({{"lreg_src_c", 3}, {"lreg_dest", 2}});
  const Step shift = word<tens::CFGSHIFTMASK>({{"cfg_reg", alu}, {"mask_width", 31}});
  const Step backdoor =
      word<tens::SFPCONFIG>({{"config_dest", 15}, {"imm16_math", 2}, {"instr_mod1", 1}});
  const Step template_load = word<tens::SFPLOADI>({{"lreg_ind", 13}});
  const Step release = word<tens::SETRWC>({{"clear_ab_vld", 3}, {"bit_mask", 0xF}});
  const Step get_mutex = word<tens::ATGETM>({{"mutex_index", 2}});
  const Step let_mutex = word<tens::ATRELM>({{"mutex_index", 2}});
  const Step stream = word<tens::STREAMWRCFG>({{"cfg_reg", scratch}, {"stream_reg_addr", 10}});
  const Step rdcfg = word<tens::RDCFG>({{"cfg_reg", scratch}, {"gpr_address", kGpr}});
  const Step write_back =
      word<tens::WRCFG>({{"cfg_reg", cfg::SCRATCH_SEC1_val::kWord}, {"gpr_address", kGpr}});
  const Step fp32 = rmw(alu, 3, 0x40, 0x40);
  const Lane math_waits{0, kTrisc1, {wait(kSfpu), sfpload()}};
};

}  // namespace

std::vector<Pair> thread_pairs() {
  return ThreadPairs().all();
}

}  // namespace bhemu::host::pairs
