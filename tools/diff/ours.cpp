#include <fmt/format.h>

#include "diff/runner.hpp"

namespace bhemu::diff {
namespace {

constexpr Cycle kLimit = 400'000;

std::span<const u8> bytes_of(const std::vector<u32>& words) {
  return {reinterpret_cast<const u8*>(words.data()), words.size() * 4};
}

}  // namespace

Ours::Ours(TimingModel timing, bool parking) {
  options_.timing = timing;
  options_.parking = parking;
  renew();
}

void Ours::renew() {
  device_ = std::make_unique<Device>(options_);
  next_tile_ = 0;
}

Outcome Ours::run(const Program& program) {
  if (program.alone && next_tile_ != 0) renew();
  if (next_tile_ == device_->board().tensix().size()) renew();
  const Coord tile = device_->board().tensix()[next_tile_++];
  for (const auto& [address, words] : image_of(program))
    device_->write(tile, address, bytes_of(words));
  device_->write32(tile, kSoftReset, kTrisc0Runs);
  const auto done = [&] {
    u32 flag = 0;
    device_->read32(tile, kFlag, flag);
    return flag != 0;
  };
  const RunResult result = device_->run(kLimit, done);
  Outcome outcome;
  outcome.dump.resize(kDumpBytes);
  device_->read(tile, kData, outcome.dump);
  device_->write32(tile, kSoftReset, kAllHeld);
  const std::vector<Fault> faults = device_->faults();
  for (const Fault& fault : faults) {
    if (fault.severity != Severity::Error) continue;
    outcome.end = End::Refused;
    outcome.why = fmt::format("{}: {}", info_of(fault.rule).name, fault.text);
    break;
  }
  if (outcome.why.empty() && result.status == RunStatus::Done) outcome.end = End::Done;
  // A tile that stopped halfway may still have work.
  if (outcome.end != End::Done || !faults.empty()) renew();
  return outcome;
}

}  // namespace bhemu::diff
