#include "pcie/endpoint.hpp"

#include <algorithm>
#include <cstring>

namespace bhemu::pcie {
namespace {

/// Writes over the NoC reach what has no side effect outside the tile; the DMA engine is started
/// by the host only.
bool reachable(u32 offset) {
  return offset < DMA_READ_ENABLE || offset > DMA_READ_MSI_MESSAGE;
}

}  // namespace

bool Endpoint::host_address(u64 address, u32 bytes, u64& target) const {
  const u64 window = address / kWindowBytes;
  const u64 offset = address % kWindowBytes;
  if (window < 4) {
    target = offset;
    return true;
  }
  return window < 8 && controller_.outbound(offset, bytes, target);
}

bool Endpoint::read(u64 address, void* target, u32 bytes, Cycle now) {
  if (address / kWindowBytes == 62) {
    const u64 offset = address % kWindowBytes;
    u32 value;
    if (bytes != 4 || offset >= Controller::kBytes ||
        !controller_.read(static_cast<u32>(offset), value))
      return false;
    std::memcpy(target, &value, 4);
    return true;
  }
  check_regions(address, bytes, {Agent::Host, 0, now, id()});
  u64 from;
  return memory_ != nullptr && host_address(address, bytes, from) &&
         memory_->read(from, target, bytes);
}

/// A doubt is told of once, until there is another.
void Endpoint::check_regions(u64 address, u32 bytes, const Author& author) {
  if (address / kWindowBytes < 4 || address / kWindowBytes >= 8) return;
  std::string doubt = controller_.doubt(address % kWindowBytes, bytes);
  const std::string about = doubt.substr(std::min(doubt.size(), doubt.find(' ')));
  if (about == told_) return;
  told_ = about;
  if (!doubt.empty()) faults().raise(Rule::PcieIatuRegion, author, std::move(doubt));
}

bool Endpoint::write(u64 address, const void* source, u32 bytes, const Author& author) {
  if (address / kWindowBytes == 62) {
    const u64 offset = address % kWindowBytes;
    u32 value;
    if (bytes != 4 || offset >= Controller::kBytes || !reachable(static_cast<u32>(offset)))
      return false;
    std::memcpy(&value, source, 4);
    return controller_.write(static_cast<u32>(offset), value);
  }
  check_regions(address, bytes, author);
  u64 to;
  return memory_ != nullptr && host_address(address, bytes, to) &&
         memory_->write(to, source, bytes);
}

void Endpoint::reset(Cycle now) {
  noc::Endpoint::reset(now);
  controller_.reset();
}

}  // namespace bhemu::pcie
