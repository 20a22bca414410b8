#include "capi/code_finder.hpp"

#include <algorithm>

namespace bhemu::capi {
namespace {

constexpr u32 kAround = 32;  // bytes before and after a pc that have to agree
constexpr u32 kL1Bytes = 1536 * 1024;

}  // namespace

CodeFinder::CodeFinder(const std::vector<std::string>& paths) {
  for (const std::string& path : paths)
    elfs_.push_back(std::make_unique<const host::Elf>(host::Elf::load(path)));
}

bool CodeFinder::find(u32 address, std::span<const u8> code, Place& place) const {
  unsigned found = 0;
  for (const auto& elf : elfs_) {
    for (const host::Segment& segment : elf->segments()) {
      if (!segment.executable) continue;
      auto at = segment.data.begin();
      while ((at = std::search(at, segment.data.end(), code.begin(), code.end())) !=
             segment.data.end()) {
        const auto offset = static_cast<u32>(at++ - segment.data.begin());
        const Place here{elf.get(), &segment, address - offset};
        if (here.run_base == segment.virtual_address) {
          place = here;
          return true;
        }
        if (++found == 1) place = here;
      }
    }
  }
  return found == 1;
}

host::CodeMap CodeFinder::locate(Device& device) const {
  host::CodeMap map;
  if (elfs_.empty()) return map;
  for (const Fault& fault : device.faults()) {
    if (fault.agent > Agent::Trisc2 || fault.pc >= kL1Bytes ||
        device.tile_of(fault.node) == nullptr)
      continue;
    // Code may begin or end here: what is around it is only as long as it has to be.
    for (u32 around = kAround; around >= 8; around /= 2) {
      const u32 first = fault.pc - std::min(fault.pc, around);
      std::vector<u8> code(std::min(fault.pc + around, kL1Bytes) - first);
      Place place;
      if (!device.read(fault.node, first, code) || !find(first, code, place)) continue;
      map.add(static_cast<CoreId>(fault.agent), *place.elf, place.run_base,
              place.segment->virtual_address, static_cast<u32>(place.segment->data.size()));
      break;
    }
  }
  return map;
}

}  // namespace bhemu::capi
