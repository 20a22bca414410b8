// Registers of the NIU; see niu.hpp.
#include "noc/niu.hpp"

#include <bit>

#include <fmt/format.h>

#include "base/bits.hpp"
#include "mem/mapping.hpp"
#include "noc/identity.hpp"
#include "noc/niu_state.hpp"
#include "noc/registers.hpp"

namespace bhemu::noc {
namespace {

constexpr u32 kTranslateEnable = 1u << 14;
constexpr u32 kHeaderStoreOff = 1u << 13;
constexpr u32 kKeepOnRead = 1u << 28;  // NIU_TRANS_COUNT_RTZ_CFG_RC_DISABLE
// A FIFO in front of each command buffer holds up to 16 requests as far as its 5-bit count tells;
// requests are taken at once, so all slots are always free.
constexpr u32 kAllSlotsFree = 0x10101010;
// ARC firmware's NocInit: maximal back-off exponent 15.
constexpr u32 kRouterConfig = 0xF << 8;

const SparseImage<std::array<u32, kNiuWords>>& reset_words() {
  static const SparseImage<std::array<u32, kNiuWords>> words([](std::array<u32, kNiuWords>& all) {
    const RegisterInfo* rows = niu_registers();
    for (unsigned row = 0; row < niu_register_count(); ++row)
      for (u32 index = 0; rows[row].reset != kComputed && index < rows[row].count; ++index)
        all[rows[row].offset / 4 + index] = rows[row].reset;
  });
  return words;
}

}  // namespace

Niu::Niu(unsigned noc, const NiuEnvironment& environment)
    : state_(make_in<NiuState>(environment.arena, InZeroedMemory{environment.arena != nullptr})),
      environment_(environment),
      noc_(noc) {
  reset_words().copy_to_zeros(state_->words.data());
  set_computed_words();
}
Niu::~Niu() = default;

void Niu::reset() {
  *state_ = NiuState(InZeroedMemory{});
  state_->words = reset_words().value();
  broadcast_ = {};
  set_computed_words();
}

void Niu::set_computed_words() {
  const Routing& routing = *environment_.routing;
  const Translation& translation = routing.translation(noc_);
  const Coord logical = routing.has_translation() ? routing.info(environment_.node).translated
                                                  : environment_.position;
  word(niu::NIU_CFG_0) = kHeaderStoreOff | (routing.has_translation() ? kTranslateEnable : 0);
  word(niu::ROUTER_CFG_0) = kRouterConfig;
  word(niu::ROUTER_CFG_1) = translation.broadcast_columns;
  word(niu::ROUTER_CFG_3) = translation.broadcast_rows;
  word(niu::NOC_ID_LOGICAL) = logical.x | u32{logical.y} << 6;
  word(niu::NOC_ID_TRANSLATE_COL_MASK) = translation.column_mask;
  word(niu::NOC_ID_TRANSLATE_ROW_MASK) = translation.row_mask;
  for (u32 i = 0; i < 6; ++i) {
    word(niu::NOC_X_ID_TRANSLATE_TABLE + 4 * i) = translation.x_table[i];
    word(niu::NOC_Y_ID_TRANSLATE_TABLE + 4 * i) = translation.y_table[i];
  }

  // NOC_ENDPOINT_ID: how Tensix tiles are counted is not documented; ours is the node number.
  const bool ethernet = routing.kind(environment_.node) == NodeKind::Ethernet;
  const u32 tile_type = ethernet ? 0x0200 : 0x0100;
  const u32 tile_index = ethernet ? environment_.instance : environment_.node & 0xFFu;
  const u32 endpoint_id = tile_index | tile_type << 8 | noc_ << 24;
  for (u32 buffer = 0; buffer < kCommandBuffers; ++buffer) {
    word(niu::NOC_NODE_ID + buffer * kBufferStride) = node_id(noc_, environment_.position);
    word(niu::NOC_ENDPOINT_ID + buffer * kBufferStride) = endpoint_id;
    word(niu::CMD_BUF_AVAIL + buffer * kBufferStride) = kAllSlotsFree;
  }
}

bool Niu::read(u32 offset, u32& value, const Author& author) {
  const RegisterInfo* info = niu_register_at(offset);
  if (info == nullptr) return false;
  if (info->access == RegisterAccess::NO) {
    refuse(Rule::NocDebugRegister, author,
           fmt::format("0x{:03x} of NoC {}: {}", offset, noc_, info->meaning));
    value = 0;
    return true;
  }
  if (info->access == RegisterAccess::WO) {
    refuse(Rule::NocWriteOnlyRegister, author,
           fmt::format("{} of NoC {} was read", info->name, noc_));
    value = 0;
    return true;
  }
  value = offset == niu::NIU_TRANS_COUNT_RTZ_NUM ? next_rtz() : word(offset);
  return true;
}

/// What a write does, by row of niu.def: a Trigger row without its function does not compile.
struct Niu::Written {
  Niu& niu_;
  u32 offset;
  u32 value;
  const Author& author;

  template <RegisterKind kind, u32 row>
  void perform() {
    if constexpr (kind == RegisterKind::Trigger) {
      trigger(Register<row>{});
    } else {
      if (kind == RegisterKind::WithoutEffect && value != 0)
        niu_.refuse(Rule::ConfigWithoutEffect, author,
                    fmt::format("{} of NoC {} was written with 0x{:x}",
                                niu_register_at(offset)->name, niu_.noc_, value));
      // The high half of NOC_PACKET_TAG has no storage (MemoryMap.md).
      store(row == niu::NOC_PACKET_TAG ? value & 0xFFFF : value);
    }
  }

 private:
  void store(u32 stored) { niu_.word(offset) = stored; }

  void trigger(Register<niu::NOC_CMD_CTRL>) {
    if (bit(value, 0)) niu_.issue(offset / kBufferStride, author);
  }
  void trigger(Register<niu::NOC_CLEAR_OUTSTANDING_REQ_CNT>) {
    for (u32 id = 0; id < 16; ++id)
      if (bit(value, id)) niu_.lower_transactions(niu::NIU_MST_REQS_OUTSTANDING_ID, id, 255);
    for (u32 id = 0; id < 16; ++id)
      if (bit(value, id)) niu_.word(niu::NIU_MST_REQS_OUTSTANDING_ID + 4 * id) = 0;
  }
  void trigger(Register<niu::NIU_TRANS_COUNT_RTZ_CLR>) {
    niu_.word(niu::NIU_TRANS_COUNT_RTZ_SOURCE) &= ~value;
  }
  void trigger(Register<niu::DEBUG_COUNTER_RESET>) {
    // A pulse; the flit counters are not modelled.
  }
  void trigger(Register<niu::DDR_COORD_TRANSLATE_TABLE>) {
    translate_ddr(offset == niu::DDR_COORD_TRANSLATE_TABLE + 4 * 5 && (value & 0xC00) != 0);
  }
  void trigger(Register<niu::DDR_COORD_TRANSLATE_COL_SWAP>) { translate_ddr(value != 0); }

  void translate_ddr(bool switched_on) {
    if (switched_on && niu_.refuse(Rule::NocDdrTranslation, author,
                                   fmt::format("{} was written with 0x{:x}",
                                               niu_register_at(offset)->name, value)))
      return;
    store(value);
  }
};

bool Niu::write(u32 offset, u32 value, const Author& author) {
  const RegisterInfo* info = niu_register_at(offset);
  if (info == nullptr) return false;
  if (info->access == RegisterAccess::RO || info->access == RegisterAccess::NO) {
    refuse(Rule::NocReadOnlyRegister, author,
           fmt::format("{} of NoC {} was written with 0x{:x}", info->name, noc_, value));
    return true;
  }
  touch();
  if (!info->per_buffer) broadcast_.receivers = nullptr;
  Written written{*this, offset, value, author};
  switch (info->offset) {
#define NIU(name, offset, count, access, kind, reset, meaning) \
  case offset:                                                 \
    written.perform<RegisterKind::kind, offset>();             \
    break;
#define CMD(name, offset, access, kind, reset, meaning) \
  NIU(name, offset, 1, access, kind, reset, meaning)
#define SHARED NIU
#include "noc/niu.def"
#undef SHARED
#undef NIU
#undef CMD
  }
  return true;
}

bool Niu::refuse(Rule rule, const Author& issuer, std::string text) {
  refused_ = true;
  return environment_.faults->raise(rule, issuer, std::move(text));
}

void Niu::raise_transactions(u32 counter, u32 id, u32 amount, const Author& issuer) {
  u32& value = word(counter + 4 * id);
  // A multicast is counted up once and down for each of its targets, below zero: with what is
  // really under way that is no overflow.
  const bool outstanding = counter == niu::NIU_MST_REQS_OUTSTANDING_ID;
  if (value + amount > 255 && (!outstanding || state_->outstanding_count + amount > 255))
    refuse(Rule::NocTransactionCounter, issuer,
           fmt::format("transaction id {} of NoC {} has {} requests outstanding", id, noc_,
                       value + amount));
  value = (value + amount) & 255;
}

void Niu::lower_transactions(u32 counter, u32 id, u32 amount, u32 times) {
  u32& value = word(counter + 4 * id);
  // Without coming to zero on the way, all at once is the same.
  if (u64{amount} * times <= value) {
    amount *= times;
    times = 1;
  }
  for (; times != 0; --times) {
    // NIU_TRANS_COUNT_RTZ_SOURCE: any change from positive to zero is kept.
    if (counter == niu::NIU_MST_REQS_OUTSTANDING_ID && value != 0 && amount >= value)
      word(niu::NIU_TRANS_COUNT_RTZ_SOURCE) |= 1u << id;
    value = (value - amount) & 255;
  }
}

// Of several ids the lowest is reported; the documents leave the choice open.
u32 Niu::next_rtz() {
  const u32 pending =
      word(niu::NIU_TRANS_COUNT_RTZ_SOURCE) & word(niu::NIU_TRANS_COUNT_RTZ_CFG) & 0xFFFF;
  const u32 id = pending == 0 ? 0 : static_cast<u32>(std::countr_zero(pending));
  if ((word(niu::NIU_TRANS_COUNT_RTZ_CFG) & kKeepOnRead) == 0) {
    touch();
    word(niu::NIU_TRANS_COUNT_RTZ_SOURCE) &= ~(1u << id);
  }
  return id;
}

void Niu::archive(Archive& archive) {
  state_->archive(archive);
  if (archive.is_loading()) broadcast_ = {};
}

u64 Niu::hash(u64 seed) const {
  seed = hash_bytes(seed, state_->words.data(), sizeof state_->words);
  const u32 rest[] = {state_->linked, state_->linked_coordinate, state_->linked_control,
                      state_->outstanding_count};
  return hash_bytes(seed, rest, sizeof rest);
}

}  // namespace bhemu::noc
