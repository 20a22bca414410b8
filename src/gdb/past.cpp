// Going back: to a snapshot, and forward again to the point before.
#include "gdb/server.hpp"

namespace bhemu::gdb {
namespace {

/// A moment this many instructions before a point is worth keeping: who steps back once does it
/// again.
constexpr u64 kNear = 20000;
constexpr u64 kNone = ~u64{0};

}  // namespace

Server::Point Server::point_of_stop() const {
  if (inside_ == nullptr) return {stop_.place, kNone, device_->cycle()};
  // In the midst of an epoch, between two edges. The core that gdb was told of may be another one,
  // asleep, which does not come by until long after.
  const riscv::CoreState& state = state_of(before_);
  return {before_, state.instret, device_->cycle() + 1, state.cycle};
}

/// bs (`one`: to before the latest instruction of the chosen core) and bc.
std::optional<std::string> Server::go_back(bool one) {
  present_ = point_of_stop();
  goal_ = {};
  goal_.point.place = control_;
  std::optional<std::size_t> moment;
  if (one) {
    const u64 count = state_of(control_).instret;
    goal_.point.count = count - 1;
    if (count != 0) moment = history_.before(flat(control_), count - 1);
  } else {
    goal_.kind = Goal::Kind::Collect;
    moment = history_.until(device_->cycle());
  }
  last_hit_ = 0;
  if (history_.empty()) return stop_text({Why::Begin, control_});
  if (moment)
    goal_.moment = *moment;
  else
    go_to_begin();
  mode_ = Mode::Abandoning;
  resumed_ = true;
  return std::nullopt;
}

void Server::go_to_begin() {
  goal_.kind = Goal::Kind::Hit;
  goal_.hit = 0;
  goal_.moment = 0;
}

/// At an edge.
void Server::begin_again() {
  device_->restore(history_[goal_.moment].snapshot);
  for (Member& member : tiles_) member.hit = {};
  touched_.reset();
  stepping_.reset();
  hits_ = 0;
  went_back_ = true;
  mode_ = Mode::Again;
  arm();
}

/// True: the point was found, and what was to be done there is done.
bool Server::at_goal(Place place, const riscv::CoreState& state) {
  if (goal_.kind == Goal::Kind::Hit) return false;
  const Point& point = goal_.kind == Goal::Kind::Point ? goal_.point : present_;
  if (point.place != place) return false;
  // An instruction that had to wait comes by again, later.
  if (state.instret < point.count || (state.instret == point.count && state.cycle < point.cycle)) {
    tiles_[place.tile].tile->keep_awake(place.core);
    return false;
  }
  if (point.count == kNone) return false;
  if (goal_.kind == Goal::Kind::Collect) {
    end_collecting();
    return true;
  }
  mode_ = Mode::Forward;
  touched_.reset();
  Member& member = tiles_[place.tile];
  if (member.breakpoints.at(state.pc)) member.hit[place.core] = state.instret + 1;
  converse({Why::Step, place});
  return true;
}

/// Everything up to the present has been seen from this moment on: to the last stop on the way, or
/// to the moment before.
void Server::end_collecting() {
  mode_ = Mode::Abandoning;
  if (last_hit_ != 0) {
    goal_.kind = Goal::Kind::Hit;
    goal_.hit = last_hit_;
  } else if (goal_.moment == 0) {
    go_to_begin();
  } else {
    present_ = {present_.place, kNone, history_[goal_.moment].cycle};
    --goal_.moment;
  }
}

void Server::keep_moment() {
  if (goal_.kind != Goal::Kind::Point) return;
  const Point& point = goal_.point;
  const u64 count = state_of(point.place).instret;
  const u64 begin = history_[goal_.moment].counts[flat(point.place)];
  if (count + kNear < point.count || count > point.count || count < begin + kNear) return;
  history_.add(*device_, counts());
  goal_.moment = history_.until(device_->cycle()).value_or(0);
}

}  // namespace bhemu::gdb
