#include "eth/classifier.hpp"

#include "base/bits.hpp"
#include "mem/mapping.hpp"

namespace bhemu::eth {

void Classifier::write_pattern(u32 update, const Pattern& from) {
  Pattern& to = pattern_[bits(update, 0, 6)][bit(update, 8)];
  const bool not_ip = bit(update, 10);
  const auto copy = [&](u32 flag, u32 first, u32 words) {
    for (u32 i = first; bit(update, flag) && i < first + words; ++i) to[i] = from[i];
  };
  copy(16, kProtocol, 1);
  copy(17, kDestinationPort, 1);
  copy(18, kSourcePort, 1);
  copy(19, kDestinationAddress, 4);
  copy(20, kSourceAddress, 4);
  copy(21, kType, 1);
  copy(22, kEthertype, 1);
  copy(23, kPriority, 1);
  if (not_ip && (bit(update, 19) || bit(update, 20))) to[kAddressFlags] = from[kAddressFlags];
}

void Classifier::flush() {
  enabled_ = {};
  for (auto& row : pattern_)
    for (Pattern& pattern : row) pattern.fill(~0u);
}

u64 Classifier::hash(u64 seed) const {
  static_assert(std::has_unique_object_representations_v<Classifier>);
  return hash_bytes(seed, this, sizeof *this);
}

}  // namespace bhemu::eth
