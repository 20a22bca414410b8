#include <fmt/format.h>

#include <algorithm>

#include "diff/runner.hpp"
#include "tile/tile.hpp"

namespace bhemu::diff {
namespace {

constexpr Cycle kLimit = 400'000;
/// As many columns as may be missing: a small board is quick to build.
constexpr u16 kHarvested = 0x3F80;

std::span<const u8> bytes_of(const std::vector<u32>& words) {
  return {reinterpret_cast<const u8*>(words.data()), words.size() * 4};
}

bool all_done(Device& device, const Program& program, Coord first) {
  for (u32 tile = 0; tile < program.tiles; ++tile) {
    const Coord at = coord_of(first, tile);
    const u32 cores = cores_of(program, tile);
    for (u32 core = 0; core < kCores; ++core) {
      u32 flag = 1;
      if ((cores >> core & 1) != 0) device.read32(at, flag_of(core), flag);
      if (flag == 0) return false;
    }
  }
  return true;
}

}  // namespace

Ours::Ours(TimingModel timing, bool parking, bool hashes) : hashes_(hashes) {
  options_.timing = timing;
  options_.parking = parking;
  options_.board.harvested_columns = kHarvested;
  renew();
}

void Ours::renew() {
  device_ = std::make_unique<Device>(options_);
  fresh_ = true;
  singles_ = device_->board().tensix();
  squares_.clear();
  const auto there = [&](Coord coord) {
    return std::find(singles_.begin(), singles_.end(), coord) != singles_.end();
  };
  for (const Coord coord : singles_)
    if (coord.x % 2 == kFirstTile.x % 2 && coord.y % 2 == kFirstTile.y % 2 &&
        there(coord_of(coord, 3)))
      squares_.push_back(coord);
}

Coord Ours::claim(const Program& program) {
  if (program.alone) {
    if (!fresh_) renew();
    singles_.clear();
    squares_.clear();
    fresh_ = false;
    return kFirstTile;
  }
  const bool many = program.tiles > 1;
  if ((many ? squares_ : singles_).empty()) renew();
  std::vector<Coord>& from = many ? squares_ : singles_;
  const Coord first = from.front();
  from.erase(from.begin());
  (many ? singles_ : squares_).clear();
  fresh_ = false;
  return first;
}

Outcome Ours::run(const Program& program) {
  const Coord first = claim(program);
  const auto at = [&](u32 tile) { return coord_of(first, tile); };
  for (u32 tile = 0; tile < program.tiles; ++tile)
    for (const auto& [address, words] : image_of(program, tile, first))
      device_->write(at(tile), address, bytes_of(words));
  for (u32 tile = 0; tile < program.tiles; ++tile)
    device_->write32(at(tile), kSoftReset, release_of(cores_of(program, tile)));
  const RunResult result = device_->run(kLimit, [&] { return all_done(*device_, program, first); });
  Outcome outcome;
  outcome.dump.resize(size_t{program.tiles} * kDumpBytes);
  for (u32 tile = 0; tile < program.tiles; ++tile) {
    device_->read(at(tile), kData, std::span(outcome.dump).subspan(tile * kDumpBytes, kDumpBytes));
    if (hashes_) {
      device_->tile(at(tile)).settle(device_->cycle());
      outcome.hash = device_->tile(at(tile)).hash(outcome.hash + device_->cycle());
    }
    device_->write32(at(tile), kSoftReset, kAllHeld);
  }
  const std::vector<Fault> faults = device_->faults();
  for (const Fault& fault : faults) {
    if (fault.severity != Severity::Error) continue;
    outcome.end = End::Refused;
    outcome.rule = info_of(fault.rule).name;
    outcome.why = fmt::format("{}: {}", outcome.rule, fault.text);
    break;
  }
  if (outcome.why.empty() && result.status == RunStatus::Done) outcome.end = End::Done;
  // A tile that stopped halfway may still have work.
  if (outcome.end != End::Done || !faults.empty()) renew();
  return outcome;
}

}  // namespace bhemu::diff
