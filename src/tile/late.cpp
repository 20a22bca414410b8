#include "tile/late.hpp"
#include "tile/core_access.hpp"

#include <algorithm>
#include <cstring>

#include "base/bits.hpp"
#include "riscv/decode.hpp"

namespace bhemu::tile {

using riscv::Outcome;

LateStores::Way LateStores::way_of(Region region) {
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

Cycle LateStores::next() const {
  Cycle next = kNever;
  for (const Store& store : stores_) next = std::min(next, store.due);
  return next;
}

void LateStores::serve(Cycle now) {
  for (Cycle due = next(); due <= now; due = next())
    for (std::size_t i = 0; i < stores_.size(); ++i)
      if (stores_[i].due == due) {
        land(i, now);
        break;
      }
}

void LateStores::before_instruction(unsigned core) {
  const riscv::CoreState& state = env_.cores[core];
  constexpr u32 kFence = 0x0F, kAtomic = 0x2F;
  if (stores_.empty() || !riscv::is_instruction_address(state.pc, env_.l1.size())) return;
  const u32 opcode = env_.l1.read32(state.pc) & 0x7F;
  if (opcode == kFence || opcode == kAtomic) land_way(core, Way::None, 0, 0);
}

/// The store at `index` takes effect.
void LateStores::land(std::size_t index, Cycle now) {
  const Store store = stores_[index];
  stores_.erase(stores_.begin() + static_cast<std::ptrdiff_t>(index));
  if (store.way == Way::L1) {
    env_.l1.write(store.address, store.data.data(), store.bytes,
                  {agent(store.core), store.pc, now});
    return;
  }
  count_pending(store, -1);
  u32 value = 0;
  std::memcpy(&value, store.data.data(), 4);
  if (env_.access.carry_out(store.core, store.pc, store.address, store.bytes, value, now) ==
      Outcome::Stop)
    env_.host.after_run(store.core, Outcome::Stop);
}

/// For TRISC_CFG, which waits until the core's requests to the backend have been processed, and for
/// who wants room in TDMA-RISC's queue.
void LateStores::count_pending(const Store& store, i32 change) {
  const unsigned first = index(CoreId::Trisc0);
  if (store.address == tensix::kTdmaCommandAddress)
    env_.coprocessor->count_pending_commands(change);
  if (store.way == Way::Config && store.core >= first)
    env_.coprocessor->count_pending_stores(store.core - first, change);
}

/// What the core has under way on this way, and was stored before what overlaps or is the last of
/// all; `bytes` 0: everything.
void LateStores::land_way(unsigned core, Way way, u32 address, u32 bytes) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    const Store& store = stores_[i];
    if (store.core != core || (way != Way::None && store.way != way)) continue;
    if (bytes == 0 || (store.address < address + bytes && address < store.address + store.bytes))
      last = i + 1;
  }
  for (std::size_t i = 0; i < last;) {
    if (stores_[i].core == core && (way == Way::None || stores_[i].way == way)) {
      land(i, env_.cores[core].cycle);
      --last;
    } else {
      ++i;
    }
  }
}

void LateStores::land_overlapping(unsigned core, u32 address, u32 bytes) {
  if (!stores_.empty()) land_way(core, Way::L1, address, bytes);
}

void LateStores::land_before_load(unsigned core, u32 address) {
  if (stores_.empty()) return;
  const Region region = env_.shape.regions->at(address);
  const Way way = region == Region::Count ? Way::None : way_of(region);
  if (way != Way::None) land_way(core, way, 0, 0);
}

/// The core is held up before the access that it is at: it comes back to it later.
bool LateStores::holds_up(unsigned core) {
  if (env_.delays == nullptr || drawn_[core]) return false;
  drawn_[core] = true;
  riscv::CoreState& state = env_.cores[core];
  const Agent agent = this->agent(core);
  const DelayKind kind =
      env_.delays->is_first(DelayKind::Start, agent) ? DelayKind::Start : DelayKind::Stall;
  const u32 cycles = env_.delays->draw(kind, agent, state.pc, state.cycle);
  state.cycle += cycles;
  return held_up_ = cycles != 0;
}

/// On its way from `now` on; what is not late takes effect at once.
Outcome LateStores::send(Store store, DelayKind kind, Cycle now) {
  const Agent agent = this->agent(store.core);
  store.due = now;
  if (env_.delays != nullptr) [[unlikely]]
    store.due += env_.delays->draw(kind, agent, store.pc, now);
  for (const Store& before : stores_)
    if (before.core == store.core && before.way == store.way)
      store.due = std::max(store.due, before.due);
  stores_.push_back(store);
  if (store.way != Way::L1) count_pending(store, 1);
  env_.host.end_long_turn(now);
  if (store.due == now) land(stores_.size() - 1, now);
  return Outcome::Ok;
}

Outcome LateStores::store(unsigned core, u32 address, u32 size, u32 value) {
  if (holds_up(core)) return Outcome::Blocked;
  const Cycle now = env_.cores[core].cycle;
  const Region region = env_.shape.regions->at(address);
  const Way way = region == Region::Count ? Way::None : way_of(region);
  Outcome outcome = Outcome::Ok;
  // What can be refused is asked at once, and so is a command to TDMA-RISC: it has its place in the
  // queue before it is sent. What else has to wait for room (PCBufs, mailboxes) has no way, and
  // nothing of it is late but the core itself.
  const bool allowed = way != Way::None && bit((*env_.shape.regions)[region].cores, core) &&
                       (size == 4 || region == Region::Gpr || region == Region::Dst) &&
                       !env_.access.held_by_ttsync(
                           core, region, address - (*env_.shape.regions)[region].first, true) &&
                       !(address == tensix::kTdmaCommandAddress &&
                         env_.coprocessor->tdma_write_waits(address & 0xFFF));
  if (allowed) {
    Store store;
    store.address = address;
    store.pc = env_.cores[core].pc;
    store.core = static_cast<u8>(core);
    store.way = way;
    store.bytes = static_cast<u8>(size);
    std::memcpy(store.data.data(), &value, 4);
    const DelayKind kind = way == Way::Config ? DelayKind::Config : DelayKind::Drain;
    outcome = send(store, kind, now);
  } else {
    outcome = env_.access.store(core, address, size, value, now);
    if (outcome == Outcome::Ok && (region == Region::InstrnBuf0 || region == Region::InstrnBuf1 ||
                                   region == Region::InstrnBuf2))
      put_off_push(core, region, false);
  }
  if (outcome == Outcome::Ok) drawn_[core] = false;
  return outcome;
}

Outcome LateStores::store_l1(unsigned core, u32 address, const void* source, u32 bytes) {
  Store store;
  store.address = address;
  store.pc = env_.cores[core].pc;
  store.core = static_cast<u8>(core);
  store.way = Way::L1;
  store.bytes = static_cast<u8>(bytes);
  std::memcpy(store.data.data(), source, bytes);
  return send(store, DelayKind::Drain, env_.cores[core].cycle);
}

Outcome LateStores::push(unsigned core, u32 word) {
  if (holds_up(core)) return Outcome::Blocked;
  const unsigned thread = core - index(CoreId::Trisc0);
  const Outcome outcome =
      env_.access.push_tensix(core, thread, word, env_.cores[core].cycle, Pushed::ByTtinsn);
  if (outcome != Outcome::Ok) return outcome;
  put_off_push(core, Region::InstrnBuf0, env_.slots[core].fused > 1);
  drawn_[core] = false;
  return Outcome::Ok;
}

/// The word that was pushed last.
void LateStores::put_off_push(unsigned core, Region region, bool fused) {
  const bool brisc = core == index(CoreId::Brisc);
  const unsigned own = brisc ? 0 : core - index(CoreId::Trisc0);
  const unsigned thread = region == Region::InstrnBuf1 ? 1 : region == Region::InstrnBuf2 ? 2 : own;
  if (bit(env_.registers.get(debug_reg::DBG_INSTRN_BUF_CTRL0), thread)) return;  // it was lost
  const riscv::CoreState& state = env_.cores[core];
  const u32 cycles = env_.delays == nullptr
                         ? 0
                         : env_.delays->draw(DelayKind::Push, agent(core), state.pc, state.cycle);
  env_.coprocessor->put_off_push(thread, state.cycle + cycles, fused, brisc);
}

void LateStores::clear() {
  stores_.clear();
  drawn_ = {};
}

void LateStores::archive(Archive& archive) {
  archive.vector(stores_);
  archive.whole(drawn_);
}

}  // namespace bhemu::tile
