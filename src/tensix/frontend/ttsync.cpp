#include "tensix/frontend/ttsync.hpp"

#include "base/bits.hpp"
#include "tensix/cfg/cfg.hpp"
#include "tensix/properties.hpp"

namespace bhemu::tensix::frontend {
namespace {

constexpr std::array<u8, kConfigWords> make_parts() {
  std::array<u8, kConfigWords> parts{};
  parts.fill(kRemainder);
#define TTSYNC(first, last, which) \
  for (u32 i = cfg::first::kWord; i <= cfg::last::kWord; ++i) parts[i] = which;
#include "tensix/frontend/ttsync.def"
#undef TTSYNC
  return parts;
}
constexpr std::array<u8, kConfigWords> kParts = make_parts();

// Bits of a declaration (assembly.yaml, RESOURCEDECL, "resources").
enum : u32 { kReadsConfig = 0, kWritesConfig = 1, kParts0 = 2, kReadsGprs = 5, kReadsTdma = 7 };

constexpr u32 class_of(u8 opcode) {
  const DeclaredClass declared = kProperties[opcode].declared;
  return static_cast<u32>(declared == DeclaredClass::Exempt ? DeclaredClass::Other : declared);
}

struct Use {
  u32 read = 0;
  u32 written = 0;
};

bool is_exempt(u8 opcode) {
  return kProperties[opcode].declared == DeclaredClass::Exempt;
}

/// `banks`: those that the thread has selected or is about to select.
Use use_of(const State& state, unsigned thread, u32 word, u32 banks) {
  const u8 opcode = opcode_of(word);
  if (is_exempt(opcode)) return {};
  const u32 declared = state.frontend[thread].declared[class_of(opcode)];
  u32 parts = bits(declared, kParts0, 3);
  const bool unpacks = opcode == op::UNPACR::kOpcode || opcode == op::UNPACR_NOP::kOpcode;
  if (unpacks &&
      thread_cfg::TENSIX_TRISC_SYNC_EnSubdividedCfgForUnpacr::get(state.thread_config(thread)) != 0)
    parts = bit(word, 23) ? u32{kUnpacker1} : u32{kUnpacker0};
  const u32 config = (bit(banks, 0) ? parts : 0) | (bit(banks, 1) ? parts << kSecondBank : 0);
  const auto used = [&](u32 further) {
    return (bit(declared, kReadsConfig + further) ? config : 0) |
           (bit(declared, kReadsGprs + further) ? u32{kTrackedGprs} : 0) |
           (bit(declared, kReadsTdma + further) ? u32{kTrackedTdma} : 0);
  };
  return {used(0), used(1)};
}

/// Which of its TRISC's words a thread has in front of the gate's exit, oldest first. Expansions
/// are under the declaration of their MOP or REPLAY, but for words that have left the MOP expander:
/// by their own they use less, so that an access may go on earlier than on silicon, never too
/// early.
template <class Visit>
void each_word_under_way(const Frontend& frontend, Visit visit) {
  const bool plays = frontend.replay_mode == ReplayMode::Play;
  if ((frontend.gate_full || plays) && !frontend.gate_from_brisc)
    visit(plays ? encode<op::REPLAY>() : frontend.gate_word);
  for (u32 i = 0; i < frontend.behind_mop.size(); ++i) visit(frontend.behind_mop[i].word);
  if (frontend.mop.phase != MopPhase::Idle) visit(encode<op::MOP>());
  for (u32 i = 0; i < frontend.fifo.size(); ++i) visit(frontend.fifo[i].word);
}

bool is_enabled(const State& state, unsigned thread, bool tracked) {
  return tracked && thread_cfg::TENSIX_TRISC_SYNC_TrackTensixInstructions::get(
                        state.thread_config(thread)) != 0;
}

u32 subdivided_parts(u32 window_index) {
  if (window_index >= kConfigThreads) {
    const bool offset =
        window_index == kConfigThreads + thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset::kWord;
    const u32 parts = offset ? kUnpacker0 | kUnpacker1 : u32{kRemainder};
    return parts | parts << kSecondBank;
  }
  const u32 remainders = kRemainder | kRemainder << kSecondBank;
  if (window_index >= kConfigDual) return remainders;
  const u32 word = window_index % kConfigWords;
  if (word >= kGlobalConfigBase) return remainders;
  const u32 parts = kParts[word];
  return window_index < kConfigBank1 ? parts : parts << kSecondBank;
}

}  // namespace

u32 resources_of_config(const State& state, unsigned thread, u32 window_index) {
  const ThreadConfigWords& words = state.thread_config(thread);
  if (!is_enabled(state, thread, thread_cfg::TENSIX_TRISC_SYNC_TrackGlobalCfg::get(words) != 0))
    return 0;
  if (thread_cfg::TENSIX_TRISC_SYNC_EnSubdividedCfgForUnpacr::get(words) != 0)
    return subdivided_parts(window_index);
  const bool in_one_bank =
      window_index < kConfigDual && window_index % kConfigWords < kGlobalConfigBase;
  if (!in_one_bank) return kBothBanks;
  return window_index < kConfigBank1 ? u32{kWholeBank} : u32{kWholeBank} << kSecondBank;
}

u32 resources_of_gprs(const State& state, unsigned thread) {
  const u32 tracked = thread_cfg::TENSIX_TRISC_SYNC_TrackGPR::get(state.thread_config(thread));
  return is_enabled(state, thread, tracked != 0) ? u32{kTrackedGprs} : 0;
}

u32 resources_of_tdma(const State& state, unsigned thread) {
  const u32 tracked = thread_cfg::TENSIX_TRISC_SYNC_TrackTDMARegs::get(state.thread_config(thread));
  return is_enabled(state, thread, tracked != 0) ? u32{kTrackedTdma} : 0;
}

bool must_wait(const State& state, unsigned thread, u32 resources, bool is_store) {
  if (resources == 0) return false;
  const Frontend& frontend = state.frontend[thread];
  u32 banks = 1u << (state.thread_config(thread)[0] & 1u);
  bool waits = false;
  each_word_under_way(frontend, [&](u32 word) {
    if (opcode_of(word) == op::SETC16::kOpcode &&
        op::SETC16{word}.setc16_reg() == thread_cfg::CFG_STATE_ID_StateID::kWord)
      banks |= 1u << (op::SETC16{word}.setc16_value() & 1u);
    const Use use = use_of(state, thread, word, banks);
    waits |= (use.written & resources) != 0 || (is_store && (use.read & resources) != 0);
  });
  return waits;
}

void declare_resources(Frontend& frontend, u32 word) {
  const op::RESOURCEDECL insn{word};
  frontend.declared[insn.op_class()] = static_cast<u16>(insn.resources());
}

u32 resource_class_of(u8 opcode) {
  return class_of(opcode);
}

}  // namespace bhemu::tensix::frontend
