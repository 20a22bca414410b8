#include "tile/debug_bus.hpp"

#include <span>

#include "base/bits.hpp"
#include "tensix/frontend/frontend.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

using tensix::BusyUnit;
using tensix::SrcOwner;
using tensix::Unit;

constexpr u32 kSelfTest = 255;

struct Signal {
  u8 daisy;
  u16 signal;
  u8 low;
  u8 width;
  u8 index;
  u64 (*value)(DebugProbe& p, unsigned i);
};

struct Unmodelled {
  const char* group;
  u8 daisy;
  u16 signal;
  std::array<u32, 4> words;  // which bits have a name
};

#define VALUE(value)                     \
  [](DebugProbe& p, unsigned i) -> u64 { \
    (void)p, (void)i;                    \
    return value;                        \
  }
#define ROW(daisy, signal, low, width, index, value) \
  {daisy, signal, low, width, index, VALUE(value)},

constexpr Signal kSignals[] = {
#define SIGNAL(name, daisy, signal, low, width, value, meaning) \
  ROW(daisy, signal, low, width, 0, value)
#define CORE_SIGNAL(name, group, low, width, value, meaning) \
  ROW(7, kDaisyGroup##group[0], low, width, 0, value)        \
  ROW(7, kDaisyGroup##group[1], low, width, 1, value)        \
  ROW(7, kDaisyGroup##group[2], low, width, 2, value)        \
  ROW(7, kDaisyGroup##group[3], low, width, 3, value)        \
  ROW(7, kDaisyGroup##group[4], low, width, 4, value)
#define TRISC_SIGNAL(name, group, low, width, value, meaning) \
  ROW(7, kDaisyGroup##group[0], low, width, 0, value)         \
  ROW(7, kDaisyGroup##group[1], low, width, 1, value)         \
  ROW(7, kDaisyGroup##group[2], low, width, 2, value)
#define THREAD_SIGNAL(name, low, width, value, meaning) \
  ROW(1, kDaisyFrontend[0], low, width, 0, value)       \
  ROW(1, kDaisyFrontend[1], low, width, 1, value)       \
  ROW(1, kDaisyFrontend[2], low, width, 2, value)
#define ADC_SIGNAL(name, low, width, value, meaning) \
  ROW(6, 0, low, width, 0, value)                    \
  ROW(6, 1, low, width, 1, value)                    \
  ROW(6, 2, low, width, 2, value)                    \
  ROW(6, 3, low, width, 3, value)                    \
  ROW(6, 4, low, width, 4, value)                    \
  ROW(6, 5, low, width, 5, value)
#include "tile/debug_bus.def"
};

constexpr Signal kEthernetSignals[] = {
#define CORE_SIGNAL(name, group, low, width, value, meaning)  \
  ROW(7, kEthernetDaisyGroup##group[0], low, width, 0, value) \
  ROW(7, kEthernetDaisyGroup##group[1], low, width, 1, value)
#include "tile/debug_bus.def"
#undef ROW
#undef VALUE
};

constexpr Unmodelled kUnmodelled[] = {
#define UNMODELLED(group, daisy, signal, word0, word1, word2, word3) \
  {#group, daisy, signal, {word0, word1, word2, word3}},
#include "tile/debug_bus.def"
};

std::span<const Signal> signals_of(noc::NodeKind tile) {
  if (tile == noc::NodeKind::Tensix) return kSignals;
  return kEthernetSignals;
}
std::span<const Unmodelled> unmodelled_of(noc::NodeKind tile) {
  if (tile == noc::NodeKind::Tensix) return kUnmodelled;
  return {};
}

/// A daisy select that some group has: the self test answers there.
bool is_daisy(noc::NodeKind tile, u32 daisy) {
  for (const Signal& row : signals_of(tile))
    if (row.daisy == daisy) return true;
  for (const Unmodelled& row : unmodelled_of(tile))
    if (row.daisy == daisy) return true;
  return false;
}

void put(DaisyGroup& group, u32 low, u32 width, u64 value) {
  for (u32 i = 0; i < width; ++i) {
    const u32 at = low + i;
    group[at / 32] |= static_cast<u32>(value >> i & 1) << (at % 32);
  }
}

}  // namespace

DaisyGroup daisy_group(DebugProbe& probe, u32 daisy, u32 signal) {
  if (signal == kSelfTest && is_daisy(probe.kind(), daisy))
    return {daisy, 0xA5A5A5A5, 0x5A5A5A5A, 0xA5A5A5A5};
  DaisyGroup group{};
  for (const Signal& row : signals_of(probe.kind())) {
    if (row.daisy == daisy && row.signal == signal)
      put(group, row.low, row.width, row.value(probe, row.index));
  }
  return group;
}

DaisyWord daisy_word(noc::NodeKind tile, u32 daisy, u32 signal, u32 word) {
  if (signal == kSelfTest && is_daisy(tile, daisy)) return DaisyWord::Modelled;
  bool known = false;
  for (const Signal& row : signals_of(tile)) {
    if (row.daisy != daisy || row.signal != signal) continue;
    known = true;
    if (row.low < 32 * word + 32 && row.low + row.width > 32 * word) return DaisyWord::Modelled;
  }
  for (const Unmodelled& row : unmodelled_of(tile)) {
    if (row.daisy != daisy || row.signal != signal) continue;
    known = true;
    if (row.words[word] != 0) return DaisyWord::Unmodelled;
  }
  return known ? DaisyWord::Reserved : DaisyWord::Unmodelled;
}

const char* unmodelled_group(noc::NodeKind tile, u32 daisy, u32 signal) {
  for (const Unmodelled& row : unmodelled_of(tile))
    if (row.daisy == daisy && row.signal == signal) return row.group;
  return nullptr;
}

// --- Cores -------------------------------------------------------------------------------------

noc::NodeKind DebugProbe::kind() const {
  return tile_.shape_.kind;
}

u32 DebugProbe::pc(unsigned core) {
  return tile_.pc_of(core);
}

bool DebugProbe::held(unsigned core) const {
  const CoreStatus status = tile_.slots_[core].status;
  return status == CoreStatus::Reset || status == CoreStatus::Stopped;
}

bool DebugProbe::waits(unsigned core, BlockKind kind, unsigned about) const {
  // Not by the status: whether a core that waits has been roused to look again depends on parking.
  const CoreSlot& slot = tile_.slots_[core];
  if (held(core) || slot.waited != kind || slot.waited_instret != tile_.cores_[core].instret)
    return false;
  if (tile_.coprocessor_ == nullptr) return false;  // nothing of it to wait for
  const tensix::Coprocessor& unit = *tile_.coprocessor_;
  const bool trisc = core >= static_cast<unsigned>(CoreId::Trisc0);
  const unsigned target = slot.waited_address >> 16 & 3;  // of BRISC's windows
  const unsigned thread = trisc ? core - static_cast<unsigned>(CoreId::Trisc0) : target;
  const unsigned box = slot.waited_address >> 12 & 3;
  switch (kind) {
    case BlockKind::None:
      return false;
    case BlockKind::FifoFull:
      return thread == about && !(trisc ? unit.can_push(thread) : unit.can_push_from_brisc(thread));
    case BlockKind::MailboxEmpty: {
      const unsigned end = *Mailboxes::end_of(static_cast<CoreId>(core));
      return box == about && tile_.mailboxes_.empty(about, end);
    }
    case BlockKind::MailboxFull:
      return !tile_.mailboxes_.can_push(*Mailboxes::end_of(static_cast<CoreId>(core)));
    case BlockKind::PcBufEmpty:
      return thread == about && unit.pcbuf_empty(thread);
    case BlockKind::PcBufFull:
      return thread == about && unit.pcbuf_full(thread);
    case BlockKind::PcBufBarrier:
      return thread == about && !(unit.pcbuf_empty(thread) && unit.drained(thread) &&
                                  waits(static_cast<unsigned>(CoreId::Trisc0) + thread,
                                        BlockKind::PcBufEmpty, thread));
    case BlockKind::CoprocessorDone:
      return thread == about && !unit.drained(thread);
    case BlockKind::MopDone:
      return thread == about && !unit.mop_drained(thread);
    case BlockKind::TtSyncLoad:
    case BlockKind::TtSyncStore:
      return thread == about && tile_.access_.still_held_by_ttsync(core);
    case BlockKind::PackedTile:
      return unit.tdma_read_waits(slot.waited_address & 0xFFC);
    case BlockKind::TdmaFull:
      return unit.tdma_write_waits(slot.waited_address & 0xFFC);
  }
  return false;
}

bool DebugProbe::waits_to_store(unsigned core) const {
  if (waits(core, BlockKind::MailboxFull, 0) || waits(core, BlockKind::TdmaFull, 0)) return true;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    if (waits(core, BlockKind::FifoFull, thread) || waits(core, BlockKind::PcBufFull, thread))
      return true;
  }
  return false;
}

u32 DebugProbe::store_address(unsigned core) const {
  return waits_to_store(core) ? tile_.slots_[core].waited_address : 0;
}

bool DebugProbe::waits_for_sync(unsigned thread) const {
  const unsigned core = static_cast<unsigned>(CoreId::Trisc0) + thread;
  return waits(core, BlockKind::CoprocessorDone, thread) || waits(core, BlockKind::MopDone, thread);
}

bool DebugProbe::runs(unsigned core) const {
  if (held(core)) return false;
  const CoreSlot& slot = tile_.slots_[core];
  for (unsigned about = 0; about < 4; ++about)
    if (waits(core, slot.waited, about)) return false;
  return true;
}

u32 DebugProbe::mailbox_ready(unsigned from) const {
  u32 ready = 0;
  for (unsigned end = 0; end < 4; ++end) {
    const unsigned core = end == 0 ? 0 : end + 1;  // NCRISC has none
    ready |= u32{!waits(core, BlockKind::MailboxEmpty, from)} << end;
  }
  return ready;
}

// --- Coprocessor -------------------------------------------------------------------------------

const tensix::Coprocessor& DebugProbe::coprocessor() const {
  return *tile_.coprocessor_;
}
const tensix::State& DebugProbe::state() const {
  return coprocessor().state();
}
const tensix::Frontend& DebugProbe::frontend(unsigned thread) const {
  return state().frontend[thread];
}

u32 DebugProbe::pcbuf_front(unsigned thread) const {
  const auto& pcbuf = state().sync.pcbuf[thread];
  return pcbuf.empty() ? 0 : pcbuf.front();
}

bool DebugProbe::expands_template0(unsigned thread) const {
  return frontend(thread).mop.phase == tensix::MopPhase::Template0;
}
bool DebugProbe::expands_template1(unsigned thread) const {
  return frontend(thread).mop.phase > tensix::MopPhase::Template0;
}
bool DebugProbe::mop_stage_valid(unsigned thread) const {
  return frontend(thread).mop.phase != tensix::MopPhase::Idle || !frontend(thread).fifo.empty();
}
u32 DebugProbe::mop_stage_word(unsigned thread) const {
  const tensix::Frontend& front = frontend(thread);
  if (front.mop.phase != tensix::MopPhase::Idle) return front.mop.word;
  return front.fifo.empty() ? 0 : front.fifo.front().word;
}

u32 DebugProbe::gate_word(unsigned thread) const {
  return frontend(thread).gate_full ? frontend(thread).gate_word : 0;
}
bool DebugProbe::at_gate(unsigned thread, Unit unit) const {
  return frontend(thread).gate_full && tensix::info_of_word(gate_word(thread)).unit == unit;
}
u32 DebugProbe::unpack_at_gate(unsigned thread) const {
  return at_gate(thread, Unit::Unpack) ? 1u << bits(gate_word(thread), 23, 1) : 0;
}
bool DebugProbe::tdma_at_gate(unsigned thread) const {
  constexpr u32 kTdma = 1u << 8;  // of tt_cfg_qstatus
  return frontend(thread).gate_full && (tensix::frontend::types_of(gate_word(thread)) & kTdma) != 0;
}

u32 DebugProbe::busy(unsigned thread, BusyUnit unit) const {
  return state().busy_until[thread][static_cast<unsigned>(unit)] > state().now;
}
bool DebugProbe::mover_busy() const {
  return state().mover.busy_until > std::max(now_, state().now);
}

u64 DebugProbe::math_offsets() const {
  using Field = tensix::thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset;
  u64 offsets = 0;
  for (unsigned thread = 0; thread < kThreads; ++thread)
    offsets |= u64{Field::get(state().thread_config(thread)) & 0xFFF} << (12 * thread);
  return offsets;
}

const tensix::Rwc& DebugProbe::rwc(unsigned thread) const {
  return state().fpu.rwc[thread];
}
const tensix::AdcChannel& DebugProbe::adc(unsigned select) const {
  const unsigned unit = select / 2;
  return state().adc.of(unit == 2 ? 2 : 0, static_cast<tensix::AdcUnit>(unit)).channel[select % 2];
}
const tensix::SrcFile& DebugProbe::src_a() const {
  return state().fpu.src_a;
}
const tensix::SrcFile& DebugProbe::src_b() const {
  return state().fpu.src_b;
}
u32 DebugProbe::source_b_valid() const {
  return u32{src_b().owner[0] == SrcOwner::Matrix} | u32{src_b().owner[1] == SrcOwner::Matrix} << 1;
}

u32 DebugProbe::lanes_enabled() const {
  const tensix::SfpuState& sfpu = state().sfpu;
  const u32 lanes =
      (~sfpu.condition.use_lane_flags | sfpu.condition.lane_flags) & ~sfpu.masked_lanes;
  u32 value = 0;
  for (u32 i = 0; i < 32; ++i) value |= u32{bit(lanes, i % 4 * 8 + i / 4)} << i;
  return value;
}

// --- Samples -----------------------------------------------------------------------------------

void DaisyDump::start_series(u32 first, u32 count, u32 interval, const Author& author) {
  author_ = author.agent;
  address_ = first;
  left_ = count;
  interval_ = interval;
  next_ = author.cycle;
}

void DaisyDump::step() {
  address_ += 16;
  --left_;
  next_ += interval_;
}

u64 DaisyDump::hash(u64 seed) const {
  if (address_ == 0 && left_ == 0) return seed;  // never used
  const std::array<u64, 5> words{address_, advanced_, left_, interval_, left_ == 0 ? 0 : next_};
  return hash_bytes(seed, words.data(), sizeof words);
}

}  // namespace bhemu::tile
