#include "tile/mailboxes.hpp"

#include "mem/mapping.hpp"

namespace bhemu::tile {

u64 Mailboxes::hash(u64 seed) const {
  for (const auto& from : boxes_) {
    for (const auto& box : from) {
      seed = hash_bytes(seed, nullptr, 0) + box.size();
      for (u32 i = 0; i < box.size(); ++i) seed = hash_bytes(seed, &box[i], sizeof(u32));
    }
  }
  return seed;
}

}  // namespace bhemu::tile
