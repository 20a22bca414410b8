// Where cores stop for gdb: breakpoints, watched memory, steps.
#include <fmt/format.h>

#include <utility>

#include "gdb/server.hpp"
#include "riscv/decode.hpp"
#include "riscv/effect.hpp"

namespace bhemu::gdb {

void Server::before_instruction(tile::Tile& tile, unsigned core) {
  if (conversing_ || (mode_ != Mode::Forward && mode_ != Mode::Again)) return;
  const Place place{index_.at(tile.id()), core};
  const riscv::CoreState& state = state_of(place);
  inside_ = &tile;
  before_ = place;
  if (mode_ == Mode::Again && at_goal(place, state)) return;
  if (const std::optional<Stop> stop = touched_by_now()) at_stop(*stop);
  if (mode_ == Mode::Forward && is_step_over(place, state)) at_stop({Why::Step, place});
  if (hits_breakpoint(place, state)) {
    tile.keep_awake(core);
    at_stop({Why::Break, place});
  }
  if (mode_ == Mode::Forward || mode_ == Mode::Again) foresee(place, state);
  inside_ = nullptr;
}

/// True: gdb was asked what to do.
bool Server::at_stop(const Stop& stop) {
  if (mode_ == Mode::Again) {
    ++hits_;
    if (goal_.kind == Goal::Kind::Collect) last_hit_ = hits_;
    if (goal_.kind != Goal::Kind::Hit || hits_ != goal_.hit) return false;
    mode_ = Mode::Forward;
  }
  if (mode_ != Mode::Forward) return false;
  converse(stop);
  return true;
}

bool Server::is_step_over(Place place, const riscv::CoreState& state) const {
  if (!stepping_ || stepping_->place != place || state.instret == stepping_->count) return false;
  return state.pc < stepping_->begin || state.pc >= stepping_->end;
}

bool Server::hits_breakpoint(Place place, const riscv::CoreState& state) {
  Member& member = tiles_[place.tile];
  const bool others = stepping_ && stepping_->alone && stepping_->place != place;
  const bool is_one =
      member.breakpoints.at(state.pc) || (others && member.breakpoints.was_at(state.pc));
  if (!is_one) return false;
  // An instruction that had to wait comes by again.
  return std::exchange(member.hit[place.core], state.instret + 1) != state.instret + 1;
}

/// What the instruction will do to watched memory that has no door: reads, and local memory.
void Server::foresee(Place place, const riscv::CoreState& state) {
  Member& member = tiles_[place.tile];
  if (stepping_ && stepping_->place == place) member.tile->keep_awake(place.core);
  if (member.breakpoints.watches().empty()) return;
  L1& l1 = member.tile->l1();
  if (!riscv::is_instruction_address(state.pc, l1.size())) return;
  const riscv::Effect effect = riscv::effect_of(state, l1.read32(state.pc));
  if (!riscv::loads(effect) && !riscv::stores(effect)) return;
  for (const Watch& watch : member.breakpoints.watches()) {
    const bool local = watch.address >= riscv::kLdmBase;
    if (!watch.overlaps(effect.address, effect.size)) continue;
    if (local && watch.core != place.core) continue;
    const bool read = watch.kind != WatchKind::Write && riscv::loads(effect);
    const bool written = watch.kind != WatchKind::Read && riscv::stores(effect) && local;
    if (!read && !written) continue;
    member.tile->keep_awake(place.core);
    Touched touched{{Why::Watch, place, watch.address, watch.kind}, true, state.instret, {}, 0, {}};
    if (watch.kind == WatchKind::Write) {
      touched.address = watch.address;
      touched.before.resize(watch.bytes);
      const CoreId id = member.tile->shape().core[place.core];
      if (!member.tile->look(id, watch.address, touched.before)) touched.before.clear();
    }
    touched_ = std::move(touched);
    return;
  }
}

void Server::before_l1_write(tile::Tile& tile, u32 address, u32 bytes, const Author& author) {
  if (conversing_ || touched_ || (mode_ != Mode::Forward && mode_ != Mode::Again)) return;
  const unsigned index = index_.at(tile.id());
  for (const Watch& watch : tiles_[index].breakpoints.watches()) {
    if (watch.kind == WatchKind::Read || !watch.overlaps(address, bytes)) continue;
    Place place = general_;
    if (place.tile != index) place = {index, 0};
    const bool own = author.tile == kNoNode || author.tile == tile.id();
    const bool by_core = own && author.agent <= Agent::Trisc2;
    if (by_core) place.core = static_cast<unsigned>(author.agent);
    Touched touched;
    touched.stop = {Why::Watch, place, watch.address, watch.kind};
    touched.address = watch.address;
    touched.before.resize(watch.bytes);
    tile.l1().read(watch.address, touched.before.data(), watch.bytes);
    const std::string where =
        own ? std::string(by_core ? "pc" : "instruction") : fmt::format("tile {}, pc", author.tile);
    touched.author = fmt::format("0x{:05x} is written by {} ({} 0x{:08x}) in cycle {}\n",
                                 std::max(address, watch.address), name_of(author.agent), where,
                                 author.pc, author.cycle);
    touched_ = std::move(touched);
    return;
  }
}

/// The stop for memory that was touched, once that has happened and, where only changes count, it
/// has changed.
std::optional<Server::Stop> Server::touched_by_now() {
  if (!touched_) return std::nullopt;
  const Touched touched = *std::exchange(touched_, std::nullopt);
  const Stop& stop = touched.stop;
  tile::Tile& tile = *tiles_[stop.place.tile].tile;
  if (touched.by_core && state_of(stop.place).instret == touched.count) return std::nullopt;
  if (stop.kind == WatchKind::Write && !touched.before.empty()) {
    std::vector<u8> now(touched.before.size());
    const CoreId id = tile.shape().core[stop.place.core];
    if (tile.look(id, touched.address, now) && now == touched.before) return std::nullopt;
  }
  if (mode_ == Mode::Forward && !touched.author.empty()) print(touched.author);
  return stop;
}

}  // namespace bhemu::gdb
