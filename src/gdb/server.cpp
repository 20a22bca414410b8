#include "gdb/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "host/error.hpp"

namespace bhemu::gdb {
namespace {

/// Edges between two looks for somebody who wants in.
constexpr u64 kBetweenLooks = 256;
/// Each is an inferior of gdb's, which loads its symbols again for each.
constexpr std::size_t kMostTiles = 16;

std::vector<Coord> tiles_named(const std::string& list, Device& device, host::SettingStyle style) {
  const std::vector<bool> nodes =
      host::nodes_of_tiles(host::setting_name(style, "gdb-tiles"), list, device.board());
  std::vector<Coord> tiles;
  for (NodeId node = 0; node < nodes.size(); ++node)
    if (nodes[node]) tiles.push_back(device.coord_of(node));
  return tiles;
}

}  // namespace

Server::Server(Device& device, ServerOptions options)
    : device_(&device), options_(std::move(options)), link_(options_.settings.where) {
  std::vector<Coord> wanted = options_.tiles;
  if (wanted.size() > kMostTiles) wanted.resize(kMostTiles);
  if (!options_.settings.tiles.empty())
    wanted = tiles_named(options_.settings.tiles, device, options_.style);
  for (const Coord coord : wanted) {
    Member member;
    member.coord = coord;
    member.node = device.board().node_at_translated(coord);
    tile::Tile* tile = device.tile_of(member.node);
    if (tile == nullptr || !tile->shape().is_tensix())
      throw host::InputError(
          "", "", fmt::format("gdb: there is no Tensix tile at ({}, {})", coord.x, coord.y));
    if (!index_.emplace(member.node, static_cast<unsigned>(tiles_.size())).second) continue;
    tiles_.push_back(std::move(member));
  }
  if (tiles_.empty()) throw host::InputError("", "", "gdb: no tile was chosen");
  adopt(device);
}

Server::Server(Device& device, ServerOptions options, OnlyReplies)
    : Server(device, std::move(options)) {
  device.attend(nullptr);
  greeted_ = true;
}

Server::~Server() {
  detach();
  device_->attend(nullptr);
}

void Server::adopt(Device& device) {
  device_ = &device;
  for (Member& member : tiles_) member.tile = device.tile_of(member.node);
  device.attend(this);
}

void Server::move_to(Device& device) {
  history_.clear();
  touched_.reset();
  writers_.reset();
  watchpoints_.reset();
  adopt(device);
  arm();
}

void Server::detach() {
  link_.close();
  mode_ = Mode::Detached;
  stepping_.reset();
  touched_.reset();
  history_.clear();
  for (Member& member : tiles_) {
    for (const Watch& watch : member.breakpoints.watches())
      member.tile->observe(watch.address, watch.bytes, false);
    member.breakpoints.clear();
  }
  arm();
}

bool Server::is_armed() const {
  if (mode_ != Mode::Forward) return mode_ == Mode::Again;
  if (stepping_ || touched_) return true;
  for (const Member& member : tiles_)
    if (!member.breakpoints.empty()) return true;
  return false;
}

/// Cores are looked at only while there is something to look for.
void Server::arm() {
  const bool armed = is_armed();
  for (Member& member : tiles_) {
    member.tile->set_onlooker(armed ? this : nullptr);
    for (const Watch& watch : member.breakpoints.watches())
      member.tile->observe(watch.address, watch.bytes, true);
  }
  rouse_ = armed;
}

void Server::wait_for_client() {
  greeted_ = true;
  const std::string& script = options_.settings.script;
  if (!script.empty()) write_script();
  std::string text = fmt::format("bhemu: waiting for gdb: target extended-remote {}", address());
  if (!script.empty()) text = fmt::format("bhemu: waiting for gdb: gdb-multiarch -x {}", script);
  if (tiles_.size() < options_.tiles.size())
    text += fmt::format(" ({} of {} tiles; {} chooses others)", tiles_.size(),
                        options_.tiles.size(), host::setting_name(options_.style, "gdb-tiles"));
  std::fprintf(stderr, "%s\n", text.c_str());
  while (!link_.accept() && !killed_) {
    link_.wait();
    if (options_.interrupted && options_.interrupted()) killed_ = true;
  }
}

// --- The conversation.

void Server::tell(const std::string& body) {
  last_sent_ = framed(body);
  link_.send(last_sent_);
}

void Server::print(const std::string& text) {
  tell("O" + to_hex(text));
}

void Server::converse(const Stop& stop) {
  stop_ = stop;
  general_ = control_ = stop.place;
  stepping_.reset();
  conversing_ = true;
  resumed_ = changed_ = false;
  if (stop.why != Why::Attached) {
    // What was run again has been told before.
    const std::string text = watched();
    if (!std::exchange(went_back_, false) && !text.empty()) print(text);
    tell(stop_text(stop));
  }
  while (!resumed_ && link_.connected()) hear();
  conversing_ = false;
  if (!link_.connected()) return detach();
  arm();
}

/// Answers what has come, or waits for a moment. False: nothing has.
bool Server::hear() {
  const std::optional<Incoming> incoming = link_.poll();
  if (!incoming) {
    if (!link_.connected()) return false;
    link_.wait();
    if (options_.interrupted && options_.interrupted()) {
      killed_ = true;
      link_.close();
    }
    return false;
  }
  switch (incoming->kind) {
    case Incoming::Kind::Packet: {
      if (!no_ack_) link_.send("+");
      const std::optional<std::string> reply = reply_to(incoming->body);
      if (reply) tell(*reply);
      if (incoming->body == "QStartNoAckMode") no_ack_ = true;
      break;
    }
    case Incoming::Kind::Corrupt:
      if (!no_ack_) link_.send("-");
      break;
    case Incoming::Kind::Nack:
      link_.send(last_sent_);
      break;
    case Incoming::Kind::Ack:
    case Incoming::Kind::Interrupt:  // it stands already
      break;
  }
  return true;
}

std::string Server::stop_text(const Stop& stop) const {
  std::string reason;
  unsigned signal = 5;  // SIGTRAP
  switch (stop.why) {
    case Why::Attached:
    case Why::Step:
      break;
    case Why::Break:
      reason = "swbreak:;";
      break;
    case Why::Watch:
      reason = fmt::format("{}:{:x};",
                           stop.kind == WatchKind::Write  ? "watch"
                           : stop.kind == WatchKind::Read ? "rwatch"
                                                          : "awatch",
                           stop.address);
      break;
    case Why::Interrupt:
      signal = 2;  // SIGINT
      break;
    case Why::Standstill:
      signal = 6;  // SIGABRT
      break;
    case Why::Fault:
      signal = 11;  // SIGSEGV
      break;
    case Why::Begin:
      reason = "replaylog:begin;";
      break;
  }
  return fmt::format("T{:02x}{}thread:{};", signal, reason, thread_id(stop.place));
}

/// What has come while the cores ran: only an interrupt is allowed then.
bool Server::take_interrupt() {
  while (const std::optional<Incoming> incoming = link_.poll())
    if (incoming->kind == Incoming::Kind::Interrupt) return true;
  if (!link_.connected()) detach();
  return false;
}

/// One inferior after the other is told to have ended, whenever gdb lets the rest go on; then, or
/// when gdb has had enough, nobody is left to talk to.
void Server::finish(int status) {
  constexpr unsigned kMostSilence = 10;
  device_->attend(nullptr);
  for (unsigned left = static_cast<unsigned>(tiles_.size()); left != 0; --left) {
    if (!multiprocess_) left = 1;
    ended_ = tiles_.size() - left + 1;
    tell(multiprocess_ ? fmt::format("W{:02x};process:{:x}", status, ended_)
                       : fmt::format("W{:02x}", status));
    general_ = control_ = {std::min(ended_, static_cast<unsigned>(tiles_.size() - 1)), 0};
    resumed_ = false;
    unsigned silence = 0;
    while (!resumed_ && link_.connected() && silence < kMostSilence) {
      if (hear())
        silence = 0;
      else
        ++silence;
    }
    if (!link_.connected() || silence == kMostSilence) break;
  }
  detach();
}

// --- Edges and ends of runs.

void Server::host_acts() {
  if (!conversing_) history_.clear();
}

void Server::at_edge() {
  inside_ = nullptr;
  if (killed_) return;
  if (!greeted_) wait_for_client();
  if (killed_) return;
  if (mode_ == Mode::Detached) {
    if (!link_.connected() && (edges_++ % kBetweenLooks != 0 || !link_.accept())) return;
    no_ack_ = multiprocess_ = false;
    mode_ = Mode::Forward;
    converse({});
  }
  serve_edge();
  if (mode_ == Mode::Forward && history_.is_due()) history_.add(*device_, counts());
  if (std::exchange(rouse_, false))
    for (const Member& member : tiles_) device_->rouse_parked(member.node);
}

void Server::serve_edge() {
  for (;;) {
    if (mode_ == Mode::Abandoning) begin_again();
    if (mode_ == Mode::Again && goal_.kind == Goal::Kind::Hit && goal_.hit == 0) {
      mode_ = Mode::Forward;
      converse({Why::Begin, goal_.point.place});
    } else if (mode_ == Mode::Again && goal_.kind == Goal::Kind::Collect &&
               device_->cycle() >= present_.edge) {
      end_collecting();
    } else if (const std::optional<Stop> stop = touched_by_now()) {
      at_stop(*stop);
    } else if (mode_ == Mode::Forward && take_interrupt()) {
      converse({Why::Interrupt, general_});
    } else if (mode_ == Mode::Again) {
      keep_moment();
    }
    if (mode_ != Mode::Abandoning) return;
  }
}

bool Server::at_end(const RunResult& result) {
  inside_ = nullptr;
  if (killed_ || mode_ == Mode::Detached) return false;
  if (mode_ == Mode::Abandoning) return true;  // at_edge, which is first
  const bool stands = result.status == RunStatus::Idle || result.status == RunStatus::Spinning;
  if (!stands && result.status != RunStatus::Faulted) return false;
  if (mode_ == Mode::Again) {
    if (goal_.kind == Goal::Kind::Collect) {
      end_collecting();
    } else {
      mode_ = Mode::Forward;
      converse({Why::Begin, goal_.point.place});
    }
    return true;
  }
  if (stands && !options_.stops_at_standstill) return false;
  // It goes on once more for what gdb has changed, or wants to see of cores that sleep in loops;
  // when nothing comes of that, it was the end.
  const Why why = stands ? Why::Standstill : Why::Fault;
  if (stop_.why == why && !changed_) return false;
  if (options_.standstill) print(options_.standstill());
  converse({why, general_});
  return mode_ == Mode::Abandoning || changed_ || is_armed();
}

// --- Cores.

const riscv::CoreState& Server::state_of(Place place) const {
  const tile::Tile& tile = *tiles_[place.tile].tile;
  return tile.core(tile.shape().core[place.core]);
}

std::vector<u64> Server::counts() const {
  std::vector<u64> counts;
  for (const Member& member : tiles_) {
    member.tile->settle(device_->cycle());
    for (unsigned core = 0; core < kCores; ++core)
      counts.push_back(member.tile->core(member.tile->shape().core[core]).instret);
  }
  return counts;
}

}  // namespace bhemu::gdb
