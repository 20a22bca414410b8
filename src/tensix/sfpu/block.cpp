#include "tensix/sfpu/block.hpp"

#include "numeric/sfpu_float.hpp"
#include "tensix/data_paths.hpp"
#include "tensix/sfpu/vector.hpp"

namespace bhemu::tensix::sfpu {
namespace {

using numeric::SfpuStep;
using Kind = numeric::SfpuStepKind;

constexpr u32 kExponentMask = 0x7F800000;
constexpr u32 kFractionMask = 0x007FFFFF;
constexpr u32 kSign = numeric::kFp32Sign;
constexpr u32 kLRegZero = 9;
constexpr u32 kLRegOne = 10;
/// From here on VD names templates of SFPLOADMACRO; eight registers can be written.
constexpr u32 kWritable = 8;
constexpr u32 kTemplates = 12;

/// Bits of LaneConfig that add something to a load, a store, a write or a swap.
constexpr u32 kAdds = 1u << lane_config::kEnableFp16aInf | 1u << lane_config::kEnableDestIndex |
                      1u << lane_config::kBlockDestWrite | 1u << lane_config::kBlockDestRead |
                      1u << lane_config::kDestReadColumnExchange |
                      1u << lane_config::kDestWriteColumnExchange |
                      1u << lane_config::kExchangeSrcbSrcc;

// Fields that most instructions have in common.
u32 mod_of(u32 word) {
  return bits(word, 0, 4);
}
u32 vd_of_word(u32 word) {
  return bits(word, 4, 4);
}
u32 vc_of_word(u32 word) {
  return bits(word, 8, 4);
}
u32 imm12_of(u32 word) {
  return bits(word, 12, 12);
}

/// (c & keep) | (b & take) | immediate.
bool combine(SfpuStep& step, u32 keep, u32 take, u32 immediate) {
  step.kind = Kind::Combine;
  step.keep = keep;
  step.take = take;
  step.immediate = immediate;
  return true;
}
bool of_kind(SfpuStep& step, Kind kind, u32 immediate = 0) {
  step.kind = kind;
  step.immediate = immediate;
  return true;
}

bool load_immediate(op::SFPLOADI insn, SfpuStep& step) {
  const u32 vd = insn.lreg_ind();
  const u32 immediate = insn.imm16();
  if (vd >= kWritable) return false;
  step.b = step.c = step.d = static_cast<u8>(vd);
  switch (insn.instr_mod0()) {
    case 0:
      return combine(step, 0, 0, immediate << 16);
    case 1:
      return combine(step, 0, 0, numeric::fp32_of_immediate_fp16(immediate));
    case 2:
      return combine(step, 0, 0, immediate);
    case 4:
      return combine(step, 0, 0, static_cast<u32>(sign_extend(immediate, 16)));
    case 8:
      return combine(step, 0x0000FFFF, 0, immediate << 16);
    case 10:
      return combine(step, 0xFFFF0000, 0, immediate);
    default:
      return false;
  }
}

/// SFPSHFT by an immediate: of C, or of the old D.
bool shift(u32 word, SfpuStep& step) {
  const u32 mod = mod_of(word);
  const bool is_signed = bit(mod, 1);
  if (!bit(mod, 0)) return of_kind(step, is_signed ? Kind::ShiftBySigned : Kind::ShiftBy);
  const i32 places = sign_extend(imm12_of(word), 12);
  if (bit(mod, 2)) step.b = step.c;
  if (places >= 0) return of_kind(step, Kind::ShiftLeft, static_cast<u32>(places) & 31);
  return of_kind(step, is_signed ? Kind::ShiftRightSigned : Kind::ShiftRight,
                 (0u - static_cast<u32>(places)) & 31);
}

/// SFPSWAP: the lanes in which VD gets the smaller one.
bool swap(u32 word, SfpuStep& step) {
  constexpr u32 kMinimumInVd[16] = {0,          0xFFFFFFFF, 0x0000FFFF, 0x00FF00FF, 0xFF0000FF,
                                    0x000000FF, 0x0000FF00, 0x00FF0000, 0xFF000000};
  const u32 mod = mod_of(word);
  return mod == 0 ? of_kind(step, Kind::Swap, numeric::kAllLanes)
                  : of_kind(step, Kind::SwapOrdered, kMinimumInVd[mod]);
}

/// The multiply-add sub-unit.
bool arithmetic(u32 word, SfpuStep& step) {
  const u32 mod = mod_of(word);
  const u32 vd = vd_of_word(word);
  // Bits 2 and 3: LReg 7 names a register in every lane.
  if (vd >= kWritable || (mod & 12) != 0) return false;
  step.d = static_cast<u8>(vd);
  switch (opcode_of(word)) {
    case op::SFPADDI::kOpcode:
      step.b = kLRegOne;
      step.c = step.d;
      if (bit(mod, 1)) step.options = SfpuStep::kFlipZ;
      return of_kind(step, Kind::MulAddImmediate, op::SFPADDI{word}.imm16_math() << 16);
    case op::SFPMULI::kOpcode:
      step.a = step.d;
      step.c = kLRegZero;
      if (bit(mod, 1)) step.options = SfpuStep::kFlipX;
      return of_kind(step, Kind::MulImmediate, op::SFPMULI{word}.imm16_math() << 16);
    default:
      step.a = static_cast<u8>(bits(word, 16, 4));
      step.b = static_cast<u8>(bits(word, 12, 4));
      step.c = static_cast<u8>(bits(word, 8, 4));
      step.options = static_cast<u8>((bit(mod, 0) ? SfpuStep::kFlipX : 0) |
                                     (bit(mod, 1) ? SfpuStep::kFlipZ : 0));
      return of_kind(step, Kind::MulAdd);
  }
}

/// The simple sub-unit, as far as it writes a register.
bool simple(u32 word, SfpuStep& step) {
  const u32 mod = mod_of(word);
  const u32 imm12 = imm12_of(word);
  if (vd_of_word(word) >= kWritable) return false;
  step.d = step.b = static_cast<u8>(vd_of_word(word));
  step.c = static_cast<u8>(vc_of_word(word));
  switch (opcode_of(word)) {
    case op::SFPMOV::kOpcode:
      if (bit(mod, 3)) return false;
      if ((mod & ~4u) == 2) step.options = SfpuStep::kEverywhere;
      return of_kind(step, Kind::Flip, bit(mod, 0) ? kSign : 0);
    case op::SFPIADD::kOpcode:
      step.options = static_cast<u8>((bit(mod, 2) ? 0 : SfpuStep::kSetsFlags) |
                                     (bit(mod, 3) ? SfpuStep::kInvertsFlags : 0));
      if (bit(mod, 0))
        return of_kind(step, Kind::AddImmediate, static_cast<u32>(sign_extend(imm12, 12)));
      return of_kind(step, bit(mod, 1) ? Kind::Subtract : Kind::Add);
    case op::SFPSHFT::kOpcode:
      return shift(word, step);
    case op::SFPAND::kOpcode:
    case op::SFPOR::kOpcode:
      if (bit(mod, 0)) step.b = static_cast<u8>(imm12 & 15);
      return of_kind(step, opcode_of(word) == op::SFPAND::kOpcode ? Kind::And : Kind::Or);
    case op::SFPXOR::kOpcode:
      return of_kind(step, Kind::Xor);
    case op::SFPNOT::kOpcode:
      return of_kind(step, Kind::Flip, ~0u);
    case op::SFPABS::kOpcode:
      return of_kind(step, bit(mod, 0) ? Kind::AbsoluteFloat : Kind::AbsoluteInteger);
    case op::SFPEXEXP::kOpcode:
      step.options = static_cast<u8>((bit(mod, 1) ? SfpuStep::kSetsFlags : 0) |
                                     (bit(mod, 3) ? SfpuStep::kInvertsFlags : 0));
      return of_kind(step, Kind::Exponent, bit(mod, 0) ? 0 : 127);
    case op::SFPEXMAN::kOpcode:
      return combine(step, kFractionMask, 0, bit(mod, 0) ? 0 : 0x800000);
    case op::SFPSETEXP::kOpcode:
      if (bit(mod, 0))
        return combine(step, ~kExponentMask, 0, op::SFPSETEXP{word}.imm12_math() << 23);
      if (bit(mod, 1)) return combine(step, ~kExponentMask, kExponentMask, 0);
      return of_kind(step, Kind::SetLowExponent);
    case op::SFPSETMAN::kOpcode:
      return bit(mod, 0) ? combine(step, ~kFractionMask, 0, imm12 << 11)
                         : combine(step, ~kFractionMask, kFractionMask, 0);
    case op::SFPSETSGN::kOpcode:
      return bit(mod, 0) ? combine(step, ~kSign, 0, op::SFPSETSGN{word}.imm12_math() << 31)
                         : combine(step, ~kSign, kSign, 0);
    case op::SFPDIVP2::kOpcode:
      if (bit(mod, 0)) return of_kind(step, Kind::AddExponent, imm12 & 0xFF);
      return combine(step, ~kExponentMask, 0, (imm12 & 0xFF) << 23);
    case op::SFPCAST::kOpcode:
      if ((mod & 3) == 1) return false;  // draws random numbers
      return of_kind(step, (mod & 3) == 0   ? Kind::FloatOfInteger
                           : (mod & 3) == 2 ? Kind::AbsoluteInteger
                                            : Kind::SwapSign);
    default:
      return swap(word, step);
  }
}

/// What changes flags and does not touch their stack.
bool condition(u32 word, SfpuStep& step) {
  const u32 mod = mod_of(word);
  const u32 imm12 = imm12_of(word);
  step.c = static_cast<u8>(vc_of_word(word));
  step.d = static_cast<u8>(vd_of_word(word));
  if (step.d >= kTemplates) return false;
  switch (opcode_of(word)) {
    case op::SFPSETCC::kOpcode:
      if (bit(mod, 3)) return of_kind(step, Kind::FlagsAre, 0);
      if (bit(mod, 0))
        return of_kind(step, Kind::FlagsAre,
                       op::SFPSETCC{word}.imm12_math() != 0 ? numeric::kAllLanes : 0);
      if (bit(mod, 2)) step.options = SfpuStep::kComplement;
      return of_kind(step, bit(mod, 1) ? Kind::FlagsNonzero : Kind::FlagsNegative);
    case op::SFPENCC::kOpcode:
      step.keep = bit(mod, 1) ? 0 : numeric::kAllLanes;
      step.take = (bit(mod, 1) ? bit(imm12, 0) : bit(mod, 0)) ? numeric::kAllLanes : 0;
      return of_kind(step, Kind::EnableFlags,
                     !bit(mod, 3) || bit(imm12, 1) ? numeric::kAllLanes : 0);
    default:  // SFPGT, SFPLE
      if (bit(mod, 1) || (bit(mod, 3) && step.d >= kWritable)) return false;
      step.options = static_cast<u8>(
          (opcode_of(word) == op::SFPLE::kOpcode ? SfpuStep::kComplement : 0) |
          (bit(mod, 0) ? SfpuStep::kSetsFlags : 0) | (bit(mod, 3) ? SfpuStep::kWrites : 0));
      return of_kind(step, Kind::Greater);
  }
}

using Known = StepCache::Known;

Known make_step(u32 word, SfpuStep& step) {
  step = {};
  bool known = false;
  switch (opcode_of(word)) {
    case op::SFPMAD::kOpcode:
    case op::SFPADD::kOpcode:
    case op::SFPMUL::kOpcode:
    case op::SFPADDI::kOpcode:
    case op::SFPMULI::kOpcode:
      known = arithmetic(word, step);
      break;
    case op::SFPLOADI::kOpcode:
      known = load_immediate(op::SFPLOADI{word}, step);
      break;
    case op::SFPSETCC::kOpcode:
    case op::SFPENCC::kOpcode:
    case op::SFPGT::kOpcode:
    case op::SFPLE::kOpcode:
      known = condition(word, step);
      break;
    case op::SFPNOP::kOpcode:
      return vd_of_word(word) < kTemplates ? Known::NoEffect : Known::NoStep;
    case op::SFPMOV::kOpcode:
    case op::SFPIADD::kOpcode:
    case op::SFPSHFT::kOpcode:
    case op::SFPAND::kOpcode:
    case op::SFPOR::kOpcode:
    case op::SFPXOR::kOpcode:
    case op::SFPNOT::kOpcode:
    case op::SFPABS::kOpcode:
    case op::SFPEXEXP::kOpcode:
    case op::SFPEXMAN::kOpcode:
    case op::SFPSETEXP::kOpcode:
    case op::SFPSETMAN::kOpcode:
    case op::SFPSETSGN::kOpcode:
    case op::SFPDIVP2::kOpcode:
    case op::SFPCAST::kOpcode:
    case op::SFPSWAP::kOpcode:
      known = simple(word, step);
      break;
    default:
      return Known::NoStep;
  }
  if (!known) return Known::NoStep;
  const bool changes_flags = step.kind >= Kind::FlagsAre ||
                             (step.options & (SfpuStep::kSetsFlags | SfpuStep::kInvertsFlags)) != 0;
  return changes_flags ? Known::StepChangesFlags : Known::Step;
}

}  // namespace

Block::Block(Context& context)
    : context_(context), cache_(context.env.paths == nullptr ? nullptr : &context.env.paths->sfpu) {
  look();
}

void Block::look() {
  const SfpuState& sfpu = context_.state.sfpu;
  u32 set = 0;
  for (const u32 column : sfpu.lane_config) set |= column;
  usable_ = (set & kAdds) == 0;
  everywhere_ = enabled_lanes(sfpu) == numeric::kAllLanes;
}

bool Block::add(u32 word) {
  if (!usable_) return false;
  if (count_ == kSteps) finish();
  const u8 opcode = opcode_of(word);
  SfpuStep* step = &own_[count_];
  Known known = Known::Step;
  if (opcode == op::SFPLOAD::kOpcode || opcode == op::SFPSTORE::kOpcode) {
    *step = {};
    const bool taken = opcode == op::SFPLOAD::kOpcode
                           ? add_load(context_, op::SFPLOAD{word}, *step)
                           : add_store(context_, op::SFPSTORE{word}, everywhere_, *step);
    if (!taken) return false;
  } else if (cache_ == nullptr) {
    known = make_step(word, *step);
  } else {
    StepCache::Entry& entry = cache_->of(word);
    if (entry.word != word || entry.known == Known::Nothing) {
      finish();  // a step that waits for its turn must not be overwritten
      entry.word = word;
      entry.known = make_step(word, entry.step);
    }
    known = entry.known;
    step = &entry.step;
  }
  if (known <= Known::NoEffect) return known == Known::NoEffect;
  if (known == Known::StepChangesFlags) everywhere_ = false;
  step_[count_++] = step;
  return true;
}

void Block::finish() {
  if (count_ == 0) return;
  SfpuState& sfpu = context_.state.sfpu;
  numeric::SfpuBlock block{sfpu.lreg.data(), sfpu.condition.use_lane_flags,
                           sfpu.condition.lane_flags, ~sfpu.masked_lanes};
  numeric::sfpu_run_block(block, step_.data(), count_);
  sfpu.condition = {block.use_lane_flags, block.lane_flags};
  everywhere_ = block.active() == numeric::kAllLanes;
  count_ = 0;
}

}  // namespace bhemu::tensix::sfpu
