#include "tensix/footprint/flow.hpp"

#include <algorithm>

namespace bhemu::tensix {
namespace {

/// How many of the latest flows a new one is compared with: a row of Dst has one for each of three
/// operands, and 32-bit rows have each of them twice.
constexpr std::size_t kLooksBack = 8;

bool join(Flow& old, const Flow& added) {
  const bool same = old.to == added.to && old.from == added.from && old.group == added.group &&
                    old.step == added.step && old.size == added.size && old.stride == added.stride;
  if (!same || old.to_begin + old.count * old.stride != added.to_begin ||
      old.count % old.group != 0 ||
      old.from_begin + old.count / old.group * old.step != added.from_begin)
    return false;
  old.count += added.count;
  return true;
}

}  // namespace

void Flows::keep(const Flow& flow) {
  if (flow.count == 0) return;
  const std::size_t back = std::min(kLooksBack, all_.size());
  for (std::size_t i = 0; i < back; ++i)
    if (join(all_[all_.size() - 1 - i], flow)) return;
  all_.push_back(flow);
}

}  // namespace bhemu::tensix
