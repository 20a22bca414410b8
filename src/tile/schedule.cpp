// Whose turn it is: see tile.hpp and docs/ARCHITECTURE.md, "Inside a tile".
#include <algorithm>
#include <cstring>
#include <utility>

#include "noc/trace.hpp"
#include "riscv/core.hpp"
#include "tensix/fpu/product_run.hpp"
#include "tile/bus.hpp"
#include "tile/onlooker.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

constexpr Cycle kFirstProbe = 48;
// The longest work of firmware's cores in a launch, BRISC's, is 268 cycles.
constexpr unsigned kMostPatience = 8;
constexpr Cycle kLongestBackoff = 1 << 15;
// A loop that passes its anchor so often in a turn without coming back to the same state counts
// something, and is given up early the first few times: a loop that polls many words in turn is
// found when it lasts.
constexpr unsigned kPasses = 4;
constexpr Cycle kPatient = kFirstProbe * 8;
constexpr Cycle kFirstGlance = 16;
constexpr Cycle kLatestGlance = 256;
constexpr Cycle kGlanceLength = 48;

}  // namespace

bool Tile::anyone_awake() const {
  for (const CoreSlot& slot : slots_) {
    if (slot.status == CoreStatus::Running) return true;
    if (slot.status == CoreStatus::Blocked && !parking_) return true;
  }
  return !coprocessor_asleep() || dump_.running();
}

Cycle Tile::next_cycle() const {
  return anyone_awake() || !early_.empty()
             ? now_
             : std::min({arrivals_.next(), next_late(), next_rounds_});
}

void Tile::deliver(noc::Packet&& packet) {
  arrivals_.push(std::move(packet));
}

void Tile::run_until(Cycle until, noc::Outbox& outbox) {
  outbox_ = &outbox;
  lines_.begin_epoch(until);
  for (noc::Packet& packet : early_) outbox.packets.push_back(std::move(packet));
  early_.clear();
  const bool followed = follower_.begin_epoch(now_, until);
  if (followed || onlooker_ != nullptr || is_ever_late()) {
    run_turns<true>(until);
  } else {
    run_turns<false>(until);
  }
  outbox_ = nullptr;
}

namespace {

/// Lends a tile's coprocessor what its products keep, as long as this tile is the one that runs.
class ProductLoan {
 public:
  explicit ProductLoan(tensix::Coprocessor* coprocessor) : coprocessor_(coprocessor) {
    if (coprocessor_ != nullptr) coprocessor_->lend(&products_);
  }
  ~ProductLoan() {
    if (coprocessor_ != nullptr) coprocessor_->lend(nullptr);
  }
  ProductLoan(const ProductLoan&) = delete;
  ProductLoan& operator=(const ProductLoan&) = delete;

 private:
  tensix::Coprocessor* coprocessor_;
  tensix::fpu::ProductRun products_;
};

}  // namespace

template <bool Followed>
void Tile::run_turns(Cycle until) {
  const ProductLoan loan(coprocessor_.get());
  if (translated_ != nullptr) translated_->translations.keep_up();
  while (now_ < until) {
    if (!anyone_awake()) {
      const Cycle arrives = std::min(arrivals_.next(), next_rounds_);
      const Cycle next = Followed ? std::min(arrives, next_late()) : arrives;
      if (next >= until) break;
      now_ = std::max(now_, next);
    }
    serve_arrivals();
    if (Followed && is_ever_late()) serve_late();
    if (next_rounds_ <= now_) end_rounds();
    if (!anyone_awake()) continue;  // nobody was roused
    const Cycle limit = std::min({until, arrivals_.next(), next_rounds_});
    run_turn<Followed>(Followed ? std::min(limit, next_late()) : limit);
  }
}

void Tile::serve_arrivals() {
  turn_begin_ = turn_limit_ = now_;
  position_ = kOutside;
  while (arrivals_.next() <= now_) {
    if (arrivals_.next_is_several()) {
      serve_acknowledgements();
      continue;
    }
    noc::Packet packet = arrivals_.pop();
    const unsigned noc = packet.noc;
    if (packet.spread != 0 && !nius_[noc]->take_piece(packet, now_)) {
      arrivals_.push(std::move(packet));
      continue;
    }
    if (trace_ != nullptr) [[unlikely]]
      noc::trace_arrival(*trace_, packet, now_);
    ledger_.arrived(packet, now_);
    nius_[noc]->receive(std::move(packet), now_);
    if (nius_[noc]->interrupt() != pic_.hardware(1 + noc)) registers_.refresh_hardware_interrupts();
  }
}

void Tile::serve_acknowledgements() {
  const noc::Acknowledgements all = arrivals_.pop_all();
  // Another packet may come between two of them, or an observer or trace is told of each.
  if (arrivals_.next() <= now_ || trace_ != nullptr || observer_ != nullptr) {
    for (const auto& sender : all.senders) arrivals_.push(all.packet_of(sender));
    return;
  }
  const unsigned noc = all.packet.noc;
  nius_[noc]->receive(all, now_);
  if (nius_[noc]->interrupt() != pic_.hardware(1 + noc)) registers_.refresh_hardware_interrupts();
}

/// What run_until would do with it, for a write to plain memory.
bool Tile::receive_at_rest(const noc::Packet& request, noc::Acknowledgements& answers) {
  using noc::PacketKind;
  if (trace_ != nullptr || observer_ != nullptr || onlooker_ != nullptr || is_ever_late() ||
      port_ != nullptr)
    return false;
  if (request.kind != PacketKind::WriteRequest || request.byte_enable != ~u64{0} ||
      request.header_store || request.spread != 0 || request.reply_to == id() ||
      request.length == 0 || request.address >= l1_.size() ||
      request.length > l1_.size() - request.address)
    return false;
  noc::Niu& niu = *nius_[request.noc];
  const Cycle now = request.arrival;
  if ((wakeup_.watched & mask_of(niu_of(request.noc))) != 0 || arrivals_.next() <= now ||
      niu.interrupt() != pic_.hardware(1 + request.noc))
    return false;
  if (!l1_.write_plain(static_cast<u32>(request.address), request.payload.data(), request.length))
    return false;
  begin_host_access(now);  // nobody's turn
  ledger_.arrived(request, now);
  niu.count_served(request);
  if (!noc::wants_response(request)) return true;
  if (answers.senders.empty()) answers.packet = niu.acknowledgement(request, now);
  answers.senders.push_back({id(), sequence_++});
  ++activity_.effects;
  return true;
}

Cycle Tile::nominal_end(Cycle at) const {
  return std::min(turn_limit_, begin_of_quantum(at) + quantum_);
}

template <bool Followed>
void Tile::run_turn(Cycle limit) {
  turn_begin_ = now_;
  turn_limit_ = limit;
  unsigned running = 0;
  bool retries = false;
  for (const CoreSlot& slot : slots_) {
    running += slot.status == CoreStatus::Running ? 1 : 0;
    retries |= slot.status == CoreStatus::Blocked && !parking_;
  }
  // A core that runs alone can run on: no other agent acts that could see the difference. An access
  // that could wake another agent ends the long turn at the quantum it is in.
  long_turn_ = running == 1 && long_turns_ && !retries && !pic_.armed() && coprocessor_asleep() &&
               !dump_.running();
  turn_end_ = long_turn_ ? limit : nominal_end(now_);
  const bool plain = !Followed && !long_turn_ && translated_ != nullptr && shape_.is_tensix();
  for (unsigned core = 0; core < kCores; ++core) {
    CoreSlot& slot = slots_[core];
    if (slot.status == CoreStatus::Blocked && !parking_) {
      slot.status = CoreStatus::Running;
      cores_[core].cycle = std::max(cores_[core].cycle, turn_begin_);
    }
    if (slot.status != CoreStatus::Running) continue;
    position_ = core;
    if (!plain || !run_plainly(core, translated_->contexts[core])) run_core<Followed>(core);
  }
  position_ = kCores;
  if (!coprocessor_asleep()) {
    const Cycle begin = nominal_begin(turn_end_ - 1);
    if (Followed)
      run_coprocessor_followed(begin);
    else
      coprocessor_->run(begin, turn_end_);
  }
  now_ = turn_end_;
  position_ = kOutside;
  if (dump_.running()) debug_unit_.write_due_samples(now_);
}

/// What run_core does when it is found in few looks that there is nothing to do but to execute.
/// False: there may be more to do in this turn.
inline bool Tile::run_plainly(unsigned core, riscv::jit::Context& context) {
  const riscv::CoreState& state = *context.state;
  CoreSlot& slot = slots_[core];
  if (slot.checked || slot.recording || pic_.armed() ||
      turn_end_ < state.cycle + riscv::jit::kWorthEntering ||
      (parking_ && state.cycle >= slot.next_probe))
    return false;
  slot.passes = 0;
  slot.waited_for = BlockKind::None;
  CoreBus<false>& bus = *static_cast<CoreBus<false>*>(context.bus);
  bus.stops_at_heads = parking_;
  const riscv::Outcome outcome =
      riscv::jit::run<CoreBus<false>>(context, translated_->translations, turn_end_);
  bus.stops_at_heads = bus.attention = false;
  if (std::exchange(bus.at_head, false)) [[unlikely]]
    look_at_head(core);
  else if (outcome != riscv::Outcome::Ok)
    after_run(core, outcome);
  return slot.status != CoreStatus::Running || state.cycle >= turn_end_;
}

template <bool Followed>
void Tile::run_core(unsigned core) {
  riscv::CoreState& state = cores_[core];
  CoreSlot& slot = slots_[core];
  const bool followed = Followed && follower_.follows(core);
  slot.passes = 0;
  while (slot.status == CoreStatus::Running && state.cycle < turn_end_) {
    slot.waited_for = BlockKind::None;
    if (slot.checked && debugger_.finish_access(core)) continue;
    if (pic_.armed()) {
      slot.passes = 0;
      take_interrupt(core);
    }
    if (parking_ && !slot.recording && state.cycle >= slot.next_probe) start_recording(core);
    const bool looked_at = Followed && onlooker_ != nullptr;
    if (slot.checked) {
      if (looked_at) onlooker_->before_instruction(*this, core);
      debugger_.run_checked(core);
      continue;
    }
    riscv::Outcome outcome;
    if (looked_at) {
      outcome = run_looked_at(core, followed);
    } else if (followed || (Followed && late_ != nullptr)) {
      outcome = run_followed(core);
    } else if (slot.recording) {
      CoreBus<true>& bus = *recording_buses_[core];
      do {  // a round, or what there is of it before the recording ends
        const Cycle until =
            pic_.armed() ? state.cycle + 1 : std::min(turn_end_, slot.anchor_cycle + slot.longest);
        bus.stop_pc = slot.anchor_pc;
        outcome = execute_recorded(core, until);
        bus.attention = false;
        check_recording(core);
      } while (slot.recording && outcome == riscv::Outcome::Ok && !slot.checked &&
               slot.status == CoreStatus::Running && state.cycle < turn_end_ && !pic_.armed());
    } else {
      CoreBus<false>& bus = *buses_[core];
      bus.stops_at_heads = parking_;
      outcome = long_turn_ && parking_ ? execute_alone(core) : execute(core, turn_end_);
      bus.stops_at_heads = bus.attention = false;
    }
    if (std::exchange(buses_[core]->at_head, false)) [[unlikely]]
      look_at_head(core);
    else
      after_run(core, outcome);
  }
}

/// As execute() to the end of a long turn. In it only this core changes anything, so a loop that
/// has gone round once without an effect goes on until the end, and those rounds are left out. That
/// is not parking: for the schedule the core is awake, in the state that it would have.
riscv::Outcome Tile::execute_alone(unsigned core) {
  const riscv::CoreState& state = cores_[core];
  for (;;) {
    const Cycle until = std::min(turn_end_, glances_[core].next);
    riscv::Outcome outcome = riscv::Outcome::Ok;
    if (state.cycle < until) outcome = execute(core, until);
    const bool goes_on = outcome == riscv::Outcome::Ok && !buses_[core]->attention;
    if (!goes_on || state.cycle < until || until >= turn_end_) return outcome;
    outcome = glance(core);
    if (outcome != riscv::Outcome::Ok || buses_[core]->attention || state.cycle >= turn_end_)
      return outcome;
  }
}

/// Looks for a loop of a core that is alone, and leaves its rounds out.
riscv::Outcome Tile::glance(unsigned core) {
  riscv::CoreState& state = cores_[core];
  CoreSlot& slot = slots_[core];
  CoreBus<true>& bus = *recording_buses_[core];
  const riscv::CoreState& now = state;
  const Cycle begin = state.cycle;
  const u32 pc = state.pc;
  const auto x = state.x;
  const auto f = state.f;
  const riscv::CsrState csr = state.csr;
  const auto is_back = [&] {
    return now.pc == pc && std::equal(x.begin(), x.begin() + 32, now.x.begin()) && f == now.f &&
           std::memcmp(&csr, &now.csr, sizeof csr) == 0;
  };
  const bool impure = std::exchange(slot.impure, false);
  slot.timed = false;
  bus.watches = false;
  bus.stop_pc = pc;
  bus.stops_at_heads = true;
  riscv::Outcome outcome = riscv::Outcome::Ok;
  bool loops = false;
  bool goes_on = true;
  while (goes_on) {
    outcome = execute_recorded(core, std::min(turn_end_, begin + kGlanceLength));
    goes_on = outcome == riscv::Outcome::Ok && !slot.impure && !slot.timed &&
              !buses_[core]->attention && !bus.attention &&
              state.cycle < std::min(turn_end_, begin + kGlanceLength);
    loops = goes_on && is_back();
    goes_on = goes_on && !loops;
  }
  // A loop that comes by a head is found there, and parks.
  if (slot.head_cycle > begin || (slot.head_pc != CoreSlot::kNoHead && slot.head_cycle == begin))
    loops = false;
  // Attention that the recording bus has drawn by itself is the end of this look, not of the run.
  buses_[core]->at_head = std::exchange(bus.at_head, false);
  buses_[core]->attention |= buses_[core]->at_head;
  bus.attention = false;
  bus.watches = true;
  bus.stops_at_heads = false;
  slot.impure |= impure;
  Glance& glance = glances_[core];
  if (loops) {
    const Cycle period = state.cycle - begin;
    const Cycle rounds = (turn_end_ - state.cycle) / period;
    state.cycle += rounds * period;
    state.instret += rounds * period;
    glance = {turn_end_ + kFirstGlance, kFirstGlance};
  } else {
    glance.backoff = std::min(std::max(glance.backoff, kFirstGlance) * 2, kLongestBackoff);
    glance.next = state.cycle + glance.backoff;
  }
  return outcome;
}

void Tile::after_run(unsigned core, riscv::Outcome outcome) {
  CoreSlot& slot = slots_[core];
  if (outcome == riscv::Outcome::Blocked) {
    if (std::exchange(buses_[core]->sits_out, false)) {
      if (slot.recording) stop_recording(core, true);
      cores_[core].cycle = nominal_end(cores_[core].cycle);
    } else if (!was_held_up()) {
      block(core);
    }
  }
  if (outcome == riscv::Outcome::Stop) {
    if (slot.recording) stop_recording(core, true);
    slot.status = CoreStatus::Stopped;
  }
}

void Tile::end_long_turn(Cycle at) {
  if (!long_turn_ || position_ >= kCores) return;
  long_turn_ = false;
  turn_end_ = nominal_end(at);
  buses_[position_]->attention = true;
}

void Tile::block(unsigned core) {
  CoreSlot& slot = slots_[core];
  if (slot.recording) stop_recording(core, true);
  slot.status = CoreStatus::Blocked;
  slot.waited_for = slot.block;
  cores_[core].cycle = nominal_end(cores_[core].cycle);
  update_watched();
}

// The first cycle at which a woken core could see what is about to change: cores that come later
// in the turn see it in this turn, the others in the next.
Cycle Tile::wake_cycle(unsigned core) const {
  if (position_ == kOutside) return now_;
  const Cycle at = position_ < kCores ? cores_[position_].cycle : turn_end_ - 1;
  return position_ < core ? nominal_begin(at) : nominal_end(at);
}

void Tile::wake_core(unsigned core) {
  if (position_ < kCores) end_long_turn(cores_[position_].cycle);
  // Between epochs it is the host, or a multicast to a tile that sleeps.
  if (outbox_ == nullptr) fetch_run();
  CoreSlot& slot = slots_[core];
  riscv::CoreState& state = cores_[core];
  const Cycle at = std::max(wake_cycle(core), state.cycle);
  if (slot.status == CoreStatus::Parked) {
    replay(core, at);
    unwatch(core);
    // Not before: most of those who are let loose with a chip wait in one loop for ever.
    if (!std::exchange(slot.at_head, false) && slot.rounds_end == kNever)
      add_head(slot.anchor_pc, slot.period);
  }
  state.cycle = at;
  slot.status = CoreStatus::Running;
  slot.block = BlockKind::None;
  slot.block_resources = 0;
  slot.backoff = kFirstProbe;
  slot.woken = true;
  slot.next_probe = at + slot.patience * kFirstProbe;
  slot.head_pc = CoreSlot::kNoHead;
  // A core that is at work when it is looked at is looked at later the next time.
  Glance& glance = glances_[core];
  glance.backoff = std::min(glance.backoff, kLatestGlance);
  glance.next = at + std::max(slot.patience * kFirstGlance, glance.backoff);
  update_watched();
}

void Tile::take_interrupt(unsigned core) {
  if (core >= Pic::kCores || cores_[core].csr.in_interrupt || !pic_.pending(core)) return;
  if (slots_[core].recording) stop_recording(core, false);
  const u32 handler = pic_.serve(core);
  follower_.interrupted(core, handler);
  cores_[core].enter_interrupt(handler);
}

void Tile::rouse_for_interrupts() {
  for (unsigned core = 0; core < Pic::kCores; ++core) {
    if (cores_[core].csr.in_interrupt || !pic_.pending(core)) continue;
    const CoreStatus status = slots_[core].status;
    if (status == CoreStatus::Parked || status == CoreStatus::Blocked) wake_core(core);
    if (core == position_) buses_[core]->attention = true;
  }
}

void Tile::start_recording(unsigned core) {
  CoreSlot& slot = slots_[core];
  const riscv::CoreState& state = cores_[core];
  slot.recording = true;
  slot.at_head = false;
  slot.longest = static_cast<u8>(kProbeLength);
  slot.impure = false;
  slot.timed = false;
  slot.reads.clear();
  slot.reads.add(Resource::Ldm);
  slot.passes = 0;
  slot.anchor_cycle = state.cycle;
  slot.anchor_pc = state.pc;
  slot.anchor_x = state.x;
  slot.anchor_f = state.f;
  std::memcpy(slot.anchor_csr.data(), &state.csr, sizeof state.csr);
  update_watched();
}

void Tile::stop_recording(unsigned core, bool failed) {
  CoreSlot& slot = slots_[core];
  slot.recording = false;
  unwatch(core);
  update_watched();
  if (std::exchange(slot.at_head, false)) {
    if (failed) lines_.head_was_in_vain(slot.anchor_pc);
    slot.next_probe = std::max(slot.next_probe, cores_[core].cycle + kFirstProbe);
    return;
  }
  // A core that works for so long after it was woken is not looked at so early the next time.
  if (failed && std::exchange(slot.woken, false))
    slot.patience = static_cast<u8>(std::min(2u * slot.patience, kMostPatience));
  const Cycle longer = std::min(std::max<Cycle>(slot.backoff, kFirstProbe) * 2, kLongestBackoff);
  slot.backoff = static_cast<u16>(failed ? longer : kFirstProbe);
  slot.next_probe = cores_[core].cycle + slot.backoff;
}

void Tile::check_recording(unsigned core) {
  CoreSlot& slot = slots_[core];
  if (!slot.recording) return;  // something it had read was changed meanwhile
  const riscv::CoreState& state = cores_[core];
  const bool is_round = state.pc == slot.anchor_pc && state.cycle != slot.anchor_cycle;
  if (slot.impure || (slot.timed && !may_grow(core))) {
    return stop_recording(core, true);
  } else if (is_round && !slot.timed && back_at_anchor(core)) {
    slot.recording = false;
    slot.status = CoreStatus::Parked;
    slot.period = static_cast<u32>(state.cycle - slot.anchor_cycle);
    slot.rounds_end = kNever;
    note_wait(core);
    if (slot.at_head) {  // so it stays, until the core is woken
      if (lines_.head_was_of_use(slot.anchor_pc)) learn_round(core);
    } else {
      slot.patience = 1;
      tell_of_head(core);
    }
  } else if (is_round && slot.at_head && slot.passes == 0) {
    // It found out last that what it reads has changed: once more, from here.
    look_at_head(core);
    slot.passes = 1;
    return;
  } else if (is_round && slot.passes == 0 && may_grow(core) &&
             park_in_rounds(core) == InRounds::Over) {
    // Looked into at the first passage only: it takes long.
    return;
  } else if (state.cycle - slot.anchor_cycle >= slot.longest) {
    return stop_recording(core, true);
  }
  if (slot.recording && state.pc == slot.anchor_pc && slot.passes < kPasses &&
      ++slot.passes == kPasses && slot.backoff < kPatient)
    return stop_recording(core, true);
  // The latest round may have read something new.
  if ((slot.reads.resources() & ~wakeup_.watched) != 0) update_watched();
}

}  // namespace bhemu::tile
