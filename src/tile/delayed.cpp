// The tile while things happen late in it: see late.hpp.
#include <algorithm>

#include "tile/delayed_bus.hpp"
#include "tile/late.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {

void Tile::make_late() {
  late_ = std::make_unique<LateStores>(LateStores::Environment{
      shape_, cores_, slots_, debug_, l1_, coprocessor_, delays_, access_, *this});
  for (unsigned core = 0; core < kCores; ++core)
    delayed_buses_[core] = std::make_unique<DelayedBus>(*this, core, *late_);
}

/// Of an Ethernet tile, requests are late; its cores and their stores never are.
void Tile::set_delays(std::shared_ptr<const DelayPlan> plan) {
  // Effects that are late already stay late, so what lets them land must stay.
  Node::set_delays(std::move(plan));
  if (delays_ != nullptr) departs_ = true;
  if (shape_.is_tensix()) {
    if (late_ == nullptr && delays_ != nullptr) make_late();
    coprocessor_->set_delays(delays_.get());
  }
  for (auto& niu : nius_) niu->set_delays(delays_.get());
}

Cycle Tile::next_late() const {
  const Cycle store = late_ == nullptr ? kNever : late_->next();
  if (!departs_) return store;
  return std::min({store, nius_[0]->next_departure(), nius_[1]->next_departure()});
}

/// Before the agents take their turns.
void Tile::serve_late() {
  turn_begin_ = turn_limit_ = now_;
  position_ = kOutside;
  if (late_ != nullptr) late_->serve(now_);
  for (auto& niu : nius_) niu->depart_due(now_);
}

bool Tile::was_held_up() {
  return late_ != nullptr && late_->was_held_up();
}

void Tile::forget_late() {
  if (late_ != nullptr) late_->clear();
}

void Tile::archive_late(Archive& archive) {
  bool has_late = late_ != nullptr;
  archive.value(has_late);
  if (has_late) {
    if (late_ == nullptr) make_late();
    late_->archive(archive);
  } else if (late_ != nullptr) {
    late_->clear();
  }
  bool departs = departs_;
  archive.value(departs);
  departs_ = departs_ || departs;
  bool draws = delays_ != nullptr;
  archive.value(draws);
  if (!draws) return;
  if (delays_ != nullptr)
    delays_->archive(archive);
  else
    Delays(id(), nullptr).archive(archive);
}

/// One instruction; see run_core.
riscv::Outcome Tile::execute_late(unsigned core) {
  late_->before_instruction(core);
  riscv::CoreState& state = cores_[core];
  return riscv::run(state, *delayed_buses_[core], state.cycle + 1);
}

}  // namespace bhemu::tile
