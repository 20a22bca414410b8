#include "gdb/history.hpp"

#include <algorithm>

namespace bhemu::gdb {
namespace {

constexpr std::size_t kMost = 24;
constexpr int kShare = 20;

}  // namespace

bool History::is_due() const {
  return moments_.empty() || Clock::now() - last_ > cost_ * kShare;
}

bool History::has(Cycle cycle) const {
  return std::any_of(moments_.begin(), moments_.end(),
                     [cycle](const Moment& moment) { return moment.cycle == cycle; });
}

void History::add(Device& device, std::vector<u64> counts) {
  const Clock::time_point begin = Clock::now();
  Moment moment{device.cycle(), std::move(counts), device.snapshot()};
  const auto place =
      std::lower_bound(moments_.begin(), moments_.end(), moment.cycle,
                       [](const Moment& each, Cycle cycle) { return each.cycle < cycle; });
  if (place != moments_.end() && place->cycle == moment.cycle)
    *place = std::move(moment);
  else
    moments_.insert(place, std::move(moment));
  if (moments_.size() > kMost) thin();
  last_ = Clock::now();
  cost_ = last_ - begin;
}

/// Every other one goes, but for the first and the last.
void History::thin() {
  std::vector<Moment> kept;
  for (std::size_t i = 0; i < moments_.size(); ++i)
    if (i % 2 == 0 || i + 1 == moments_.size()) kept.push_back(std::move(moments_[i]));
  moments_ = std::move(kept);
}

std::optional<std::size_t> History::before(std::size_t core, u64 count) const {
  for (std::size_t i = moments_.size(); i-- > 0;)
    if (moments_[i].counts[core] <= count) return i;
  return std::nullopt;
}

std::optional<std::size_t> History::until(Cycle cycle) const {
  for (std::size_t i = moments_.size(); i-- > 0;)
    if (moments_[i].cycle <= cycle) return i;
  return std::nullopt;
}

}  // namespace bhemu::gdb
