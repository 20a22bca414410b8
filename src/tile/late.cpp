#include "tile/late.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/delays.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

using riscv::Outcome;

Way way_of(Region region) {
  switch (region) {
    case Region::Config:
    case Region::Gpr:
    case Region::Tdma:
      return Way::Config;
    case Region::Niu0:
    case Region::Niu1:
      return Way::Niu;
    case Region::Overlay:
      return Way::Overlay;
    // Posts and takes through PCBuf are never late: LLK's unpackers post UNPACK_SYNC by a store and
    // push the SEMGET that takes it, with nothing between that orders the two.
    case Region::Dst:
      return Way::Dst;
    default:
      return Way::None;
  }
}

}  // namespace

void Tile::set_delays(std::shared_ptr<const DelayPlan> plan) {
  if (!shape_.is_tensix()) return;
  // What is late already stays so; it needs somebody to let it land.
  Node::set_delays(std::move(plan));
  if (late_ == nullptr && delays_ != nullptr) late_ = std::make_unique<LateStores>(*this);
  coprocessor_->set_delays(delays_.get());
  for (auto& niu : nius_) niu->set_delays(delays_.get());
}

Cycle Tile::next_late() const {
  if (late_ == nullptr) return kNever;
  return std::min({late_->next(), nius_[0]->next_departure(), nius_[1]->next_departure()});
}

/// Before the agents take their turns.
void Tile::serve_late() {
  turn_begin_ = turn_limit_ = now_;
  position_ = kOutside;
  while (late_->next() <= now_) {
    const Cycle next = late_->next();
    for (std::size_t i = 0; i < late_->stores.size(); ++i)
      if (late_->stores[i].due == next) {
        land(i, now_);
        break;
      }
  }
  for (auto& niu : nius_) niu->depart_due(now_);
}

/// The store at `index` takes effect.
void Tile::land(std::size_t index, Cycle now) {
  const LateStore store = late_->stores[index];
  late_->stores.erase(late_->stores.begin() + static_cast<std::ptrdiff_t>(index));
  if (store.way == Way::L1) {
    l1_.write(store.address, store.data.data(), store.bytes, {agent(store.core), store.pc, now});
    return;
  }
  count_pending(store, -1);
  u32 value = 0;
  std::memcpy(&value, store.data.data(), 4);
  if (carry_out(store.core, store.pc, store.address, store.bytes, value, now) == Outcome::Stop)
    after_run(store.core, Outcome::Stop);
}

/// For TRISC_CFG, which waits until the core's requests to the backend have been processed.
void Tile::count_pending(const LateStore& store, i32 change) {
  const unsigned first = index(CoreId::Trisc0);
  if (store.way == Way::Config && store.core >= first)
    coprocessor_->count_pending_stores(store.core - first, change);
}

/// What the core has under way on this way, and was stored before what overlaps or is the last of
/// all; `bytes` 0: everything.
void Tile::land_way(unsigned core, Way way, u32 address, u32 bytes) {
  auto& stores = late_->stores;
  std::size_t last = 0;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    const LateStore& store = stores[i];
    if (store.core != core || (way != Way::None && store.way != way)) continue;
    if (bytes == 0 || (store.address < address + bytes && address < store.address + store.bytes))
      last = i + 1;
  }
  for (std::size_t i = 0; i < last;) {
    if (stores[i].core == core && (way == Way::None || stores[i].way == way)) {
      land(i, cores_[core].cycle);
      --last;
    } else {
      ++i;
    }
  }
}

void Tile::land_overlapping(unsigned core, u32 address, u32 bytes) {
  if (!late_->stores.empty()) land_way(core, Way::L1, address, bytes);
}

void Tile::land_before_load(unsigned core, u32 address) {
  if (late_->stores.empty()) return;
  const Region region = shape_.regions->at(address);
  const Way way = region == Region::Count ? Way::None : way_of(region);
  if (way != Way::None) land_way(core, way, 0, 0);
}

/// The core is held up before the access that it is at: it comes back to it later.
bool Tile::holds_up(unsigned core) {
  if (delays_ == nullptr || late_->drawn[core]) return false;
  late_->drawn[core] = true;
  riscv::CoreState& state = cores_[core];
  const Agent agent = this->agent(core);
  const DelayKind kind =
      delays_->is_first(DelayKind::Start, agent) ? DelayKind::Start : DelayKind::Stall;
  const u32 cycles = delays_->draw(kind, agent, state.pc, state.cycle);
  state.cycle += cycles;
  return late_->held_up = cycles != 0;
}

/// The access under way was not refused: its core comes back to it by itself.
bool Tile::was_held_up() {
  return late_ != nullptr && std::exchange(late_->held_up, false);
}

/// On its way from `now` on; what is not late takes effect at once.
Outcome Tile::send_on_its_way(LateStore store, DelayKind kind, Cycle now) {
  const Agent agent = this->agent(store.core);
  store.due = now;
  if (delays_ != nullptr) store.due += delays_->draw(kind, agent, store.pc, now);
  for (const LateStore& before : late_->stores)
    if (before.core == store.core && before.way == store.way)
      store.due = std::max(store.due, before.due);
  late_->stores.push_back(store);
  if (store.way != Way::L1) count_pending(store, 1);
  end_long_turn(now);
  if (store.due == now) land(late_->stores.size() - 1, now);
  return Outcome::Ok;
}

Outcome Tile::store_late(unsigned core, u32 address, u32 size, u32 value) {
  if (holds_up(core)) return Outcome::Blocked;
  const Cycle now = cores_[core].cycle;
  const Region region = shape_.regions->at(address);
  const Way way = region == Region::Count ? Way::None : way_of(region);
  Outcome outcome = Outcome::Ok;
  // What can be refused, or has to wait for room, is asked at once: nothing of it is late but the
  // core itself. PCBufs of BRISC, mailboxes.
  const bool queues = way == Way::Semaphore && core == index(CoreId::Brisc);
  const bool allowed = way != Way::None && bit(region_info(region).cores, core) && !queues &&
                       (size == 4 || region == Region::Gpr || region == Region::Dst) &&
                       !held_by_ttsync(core, region, address - region_info(region).first, true);
  if (allowed) {
    LateStore store;
    store.address = address;
    store.pc = cores_[core].pc;
    store.core = static_cast<u8>(core);
    store.way = way;
    store.bytes = static_cast<u8>(size);
    std::memcpy(store.data.data(), &value, 4);
    const DelayKind kind = way == Way::Config ? DelayKind::Config : DelayKind::Drain;
    outcome = send_on_its_way(store, kind, now);
  } else {
    outcome = this->store(core, address, size, value, now);
    if (outcome == Outcome::Ok && (region == Region::InstrnBuf0 || region == Region::InstrnBuf1 ||
                                   region == Region::InstrnBuf2))
      put_off_push(core, region, false);
  }
  if (outcome == Outcome::Ok) late_->drawn[core] = false;
  return outcome;
}

Outcome Tile::store_l1_late(unsigned core, u32 address, const void* source, u32 bytes) {
  LateStore store;
  store.address = address;
  store.pc = cores_[core].pc;
  store.core = static_cast<u8>(core);
  store.way = Way::L1;
  store.bytes = static_cast<u8>(bytes);
  std::memcpy(store.data.data(), source, bytes);
  return send_on_its_way(store, DelayKind::Drain, cores_[core].cycle);
}

Outcome Tile::push_late(unsigned core, u32 word) {
  if (holds_up(core)) return Outcome::Blocked;
  const unsigned thread = core - index(CoreId::Trisc0);
  const Outcome outcome = push_tensix(core, thread, word, cores_[core].cycle, Pushed::ByTtinsn);
  if (outcome != Outcome::Ok) return outcome;
  put_off_push(core, Region::InstrnBuf0, slots_[core].fused > 1);
  late_->drawn[core] = false;
  return Outcome::Ok;
}

/// The word that was pushed last.
void Tile::put_off_push(unsigned core, Region region, bool fused) {
  const bool brisc = core == index(CoreId::Brisc);
  const unsigned own = brisc ? 0 : core - index(CoreId::Trisc0);
  const unsigned thread = region == Region::InstrnBuf1 ? 1 : region == Region::InstrnBuf2 ? 2 : own;
  if (bit(debug_.get(debug_reg::DBG_INSTRN_BUF_CTRL0), thread)) return;  // it was lost
  const riscv::CoreState& state = cores_[core];
  const u32 cycles =
      delays_ == nullptr ? 0 : delays_->draw(DelayKind::Push, agent(core), state.pc, state.cycle);
  coprocessor_->put_off_push(thread, state.cycle + cycles, fused, brisc);
}

void Tile::forget_late() {
  if (late_ != nullptr) late_->clear();
}

void Tile::archive_late(Archive& archive) {
  bool has_late = late_ != nullptr;
  archive.value(has_late);
  if (has_late) {
    if (late_ == nullptr) late_ = std::make_unique<LateStores>(*this);
    late_->archive(archive);
  } else if (late_ != nullptr) {
    late_->clear();
  }
  bool draws = delays_ != nullptr;
  archive.value(draws);
  if (!draws) return;
  if (delays_ != nullptr)
    delays_->archive(archive);
  else
    Delays(id(), nullptr).archive(archive);
}

/// One instruction; see run_core.
Outcome Tile::execute_late(unsigned core) {
  riscv::CoreState& state = cores_[core];
  constexpr u32 kFence = 0x0F, kAtomic = 0x2F;
  if (!late_->stores.empty() && riscv::is_instruction_address(state.pc, l1_.size())) {
    const u32 opcode = l1_.read32(state.pc) & 0x7F;
    if (opcode == kFence || opcode == kAtomic) land_way(core, Way::None, 0, 0);
  }
  return riscv::run(state, *late_->buses[core], state.cycle + 1);
}

}  // namespace bhemu::tile
