// Programs of the ThCon and the configuration unit: registers of a thread, both banks of the
// configuration by every way there is, stream registers, L1 through ThCon.
#include <array>

#include "diff/classes.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

using namespace tensix;

constexpr u32 kGprs = 0xFFE00000;
constexpr u32 kConfig = 0xFFEF0000;
constexpr u32 kStreams = 0xFFB40000;
// Offsets within a stream of registers that do nothing by themselves.
constexpr u32 kStreamSource = 0x10;
constexpr u32 kStreamStart = 0x20;
constexpr u32 kStreamSize = 0x28;
constexpr u32 kStreamUpdate = 0x438;
constexpr u32 kStreamSpace = 0x4A4;
constexpr u32 kUsedStreams = 4;

/// Words of a bank whose every bit can be read back and does nothing by itself.
constexpr std::array<u32, 23> kPlainWords{2,  12, 13, 14, 15, 28, 56, 57,  59,  64,  65, 68,
                                          69, 70, 72, 76, 77, 84, 86, 112, 120, 124, 125};
/// The registers from here on are set up: L1 addresses (in units of 16 bytes) and offsets.
constexpr u32 kFreeGprs = 56;
constexpr u32 kAddressGpr = 60;
constexpr u32 kOffsetGpr = 61;

struct Step {
  Writer& w;
  bool rare;  // also what other simulators do not take

  u32 word() { return kPlainWords[w.below(kPlainWords.size())]; }
  u32 gpr() { return w.below(kFreeGprs); }
  /// A register that may be written; those that are set up stay.
  u32 result() { return gpr(); }

  void arithmetic();
  void memory();
  void other_configuration();
  void stream();
  void take();
};

void Step::arithmetic() {
  const bool immediate = rare && w.one_in(3);
  const u32 operands = gpr() | gpr() << 6 | result() << 12 | (immediate ? 1u << 23 : 0);
  switch (w.below(rare ? 6 : 2)) {
    case 0:
      return w.tensix(encode<op::ADDDMAREG>() | operands);
    case 1:
      return w.tensix(encode<op::MULDMAREG>() | operands);
    case 2:
      return w.tensix(encode<op::SUBDMAREG>() | operands);
    case 3:
      return w.tensix(encode<op::BITWOPDMAREG>({{"op_sel", w.below(3)}}) | operands);
    case 4:
      return w.tensix(encode<op::SHIFTDMAREG>({{"op_sel", w.below(2)}}) | operands);
    default:
      return w.tensix(encode<op::CMPDMAREG>({{"op_sel", w.below(3)}}) | operands);
  }
}

void Step::memory() {
  const u32 address = kAddressGpr | (gpr() & ~3u) << 6;
  switch (w.below(7)) {
    case 0:
    case 1:
      return w.op<op::LOADIND>({{"addr_reg_index", kAddressGpr},
                                {"data_reg_index", gpr() & ~3u},
                                {"auto_inc_spec", w.below(4)},
                                {"offset_index", kOffsetGpr * 2 + w.below(2)},
                                {"size_sel", w.below(4)}});
    case 2:
    case 3:
      return w.op<op::STOREIND>({{"addr_reg_index", kAddressGpr},
                                 {"data_reg_index", gpr() & ~3u},
                                 {"auto_inc_spec", w.below(4)},
                                 {"offset_index", kOffsetGpr * 2 + w.below(2)},
                                 {"reg_size_sel", w.below(2)},
                                 {"size_sel", w.below(2)},
                                 {"mem_hier_sel", 1}});
    case 4:
      return w.tensix(
          encode<op::ATINCGET>(
              {{"sel32b", w.below(4)}, {"wrap_val", w.below(32)}, {"mem_hier_sel", 1}}) |
          address);
    case 5:
      return w.tensix(
          encode<op::ATSWAP>(
              {{"swap_mask", w.below(256)}, {"single_data_reg", w.below(2)}, {"mem_hier_sel", 1}}) |
          address);
    default:  // (ATINCGETPTR and ATCAS may wait for ever.)
      return w.op<op::DMANOP>();
  }
}

/// Forms that other simulators refuse.
void Step::other_configuration() {
  switch (w.below(4)) {
    case 0:
      return w.op<op::CFGSHIFTMASK>({{"cfg_reg", word()},
                                     {"scratch_sel", w.below(4)},
                                     {"right_cshift_amt", w.below(32)},
                                     {"mask_width", w.below(32)},
                                     {"operation", w.below(8)},
                                     {"disable_mask_on_old_val", w.below(2)}});
    case 1:
      return w.op<op::FLUSHDMA>({{"flush_spec", 1 + w.below(15)}});
    case 2:
      return w.op<op::LOADREG>({{"reg_addr", (kStreams - 0xFFB00000 + kStreamSource) / 4 +
                                                 w.below(kUsedStreams) * 0x400},
                                {"tdma_data_reg_index", result()}});
    default:
      return memory();
  }
}

void Step::stream() {
  const u32 reg = w.pick({kStreamStart, kStreamSize, kStreamUpdate});
  const u32 address = kStreams + w.below(kUsedStreams) * 0x1000 + reg;
  // The low six bits of an update name a destination, of which others know one.
  const u32 value = reg == kStreamUpdate ? w.below(1 << 17) << 6 : w.word();
  w.group = w.new_group();
  if (w.one_in(2)) {
    w.sync();  // a STOREREG that is still on its way may not be overtaken
    w.store(address, value);
    w.group = 0;
    return;
  }
  const u32 from = gpr();
  w.op<op::SETDMAREG>({{"reg_index_16b", from * 2},
                       {"payload_sig_sel", value & 0x3FFF},
                       {"payload_sig_sel_size", value >> 14 & 3}});
  w.op<op::SETDMAREG>({{"reg_index_16b", from * 2 + 1},
                       {"payload_sig_sel", value >> 16 & 0x3FFF},
                       {"payload_sig_sel_size", value >> 30}});
  w.op<op::STOREREG>({{"reg_addr", (address - 0xFFB00000) / 4}, {"tdma_data_reg_index", from}});
  w.group = 0;
}

void Step::take() {
  if (rare && w.one_in(3)) return other_configuration();
  switch (w.below(12)) {
    case 0:
      return w.op<op::SETDMAREG>({{"reg_index_16b", w.below(kFreeGprs * 2)},
                                  {"payload_sig_sel", w.below(1 << 14)},
                                  {"payload_sig_sel_size", w.below(4)}});
    case 1:
      return w.op<op::WRCFG>({{"gpr_address", w.below(64)}, {"cfg_reg", word()}});
    case 2:
      return w.op<op::WRCFG>({{"gpr_address", w.below(16) * 4}, {"cfg_reg", 12}, {"wr128b", 1}});
    case 3:
      return w.op<op::RDCFG>({{"gpr_address", result()}, {"cfg_reg", word()}});
    case 4: {
      const u32 opcode = 0xB3 + w.below(4);
      return w.tensix(opcode << 24 | w.below(256) << 16 | w.below(256) << 8 | word());
    }
    case 5: {
      // The core runs ahead of what it has pushed.
      w.keep = true;
      w.sync();
      w.keep = false;
      const bool scratch = w.one_in(3);
      return w.config(scratch ? cfg::SCRATCH_SEC0_val::kWord + w.below(3) : word(), w.word());
    }
    case 6:
      return w.op<op::CFGSHIFTMASK>({{"cfg_reg", word()},
                                     {"scratch_sel", w.below(4)},
                                     {"mask_width", 31},
                                     {"operation", 3},
                                     {"disable_mask_on_old_val", 1}});
    case 7:
      return stream();
    case 8:
      return w.thread_config(thread_cfg::CFG_STATE_ID_StateID::kWord, w.below(2));
    case 9:
      return w.op<op::DMANOP>();
    default:
      return arithmetic();
  }
}

void set_up(Writer& w) {
  for (u32 i = 0; i < 64; ++i) {
    u32 value = w.any_word();
    if (i == kAddressGpr) value = kOut / 16;
    if (i == kOffsetGpr) value = w.below(16) * 16 | w.below(16) << 20;
    w.store(kGprs + i * 4, value);
  }
  for (const u32 word : kPlainWords) w.config(word, w.word());
  for (u32 i = 0; i < 3; ++i) w.config(cfg::SCRATCH_SEC0_val::kWord + i, w.word());
  // The other bank, which only instructions reach everywhere.
  w.sync();
  w.thread_config(thread_cfg::CFG_STATE_ID_StateID::kWord, 1);
  for (const u32 word : kPlainWords)
    w.op<op::WRCFG>({{"gpr_address", w.below(64)}, {"cfg_reg", word}});
  w.thread_config(thread_cfg::CFG_STATE_ID_StateID::kWord, 0);
  w.wait_all();
  w.sync();
}

void read_back(Writer& w) {
  w.sync();
  for (u32 i = 0; i < 64; ++i) w.load(kGprs + i * 4);
  for (const u32 word : kPlainWords) w.load(kConfig + word * 4);
  for (u32 bank = 0; bank < 2; ++bank) {
    w.thread_config(thread_cfg::CFG_STATE_ID_StateID::kWord, bank);
    for (u32 i = 0; i < kPlainWords.size(); ++i)
      w.op<op::RDCFG>({{"gpr_address", i}, {"cfg_reg", kPlainWords[i]}});
    w.op<op::STALLWAIT>({{"stall_res", 0x1FF}, {"wait_res", 1}});
    w.sync();
    for (u32 i = 0; i < kPlainWords.size(); ++i) w.load(kGprs + i * 4);
  }
  for (u32 stream = 0; stream < kUsedStreams; ++stream)
    for (const u32 reg : {kStreamStart, kStreamSize, kStreamSpace})
      w.load(kStreams + stream * 0x1000 + reg);
}

}  // namespace

Program make_gpr(u64 seed) {
  Writer w(seed);
  w.core = static_cast<u8>(w.below(3));
  Step step{w, w.one_in(25)};
  w.keep = true;
  set_up(w);
  w.keep = false;
  for (u32 steps = 1 + w.below(30); steps > 0; --steps) {
    step.take();
    w.keep = true;
    w.op<op::STALLWAIT>({{"stall_res", 0x1FF}, {"wait_res", 1}});
    w.op<op::NOP>();
    w.op<op::NOP>();
    if (w.one_in(2)) w.sync();
    w.keep = false;
  }
  w.keep = true;
  read_back(w);
  return w.program;
}

}  // namespace bhemu::diff
