#include "device/image.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bhemu {

namespace {

/// Of a part, before its bytes.
struct Entry {
  u32 acts = 0;
  u32 has_faults = 0;
  Cycle rests = 0;
};

}  // namespace

DeviceImage::DeviceImage(std::span<const u8> bytes, std::shared_ptr<const void> owner)
    : bytes_(bytes), owner_(std::move(owner)), header_(StateHeader::read(bytes)) {
  Archive archive = Archive::loading(bytes.subspan(sizeof header_));
  engine_ = archive.view();
  for (u32 node = 0; node < header_.nodes; ++node) {
    Entry entry;
    archive.value(entry);
    parts_.push_back({archive.view(), entry.acts != 0, entry.has_faults != 0, entry.rests});
  }
  if (!archive.at_end()) throw ArchiveError("the image was made by another version of bhemu");
}

bool DeviceImage::is_at_rest() const {
  return std::ranges::none_of(parts_, [](const Part& part) { return part.rests == kNever; });
}

DeviceImage::Writer::Writer(std::vector<u8> engine) {
  StateHeader header;  // to come
  whole_.raw(&header, sizeof header);
  whole_.vector(engine);
}

void DeviceImage::Writer::add(const Part& part) {
  Entry entry{part.acts, part.has_faults, part.rests};
  whole_.value(entry);
  whole_.bytes(part.changes);
}

std::shared_ptr<const DeviceImage> DeviceImage::Writer::finish(StateHeader header) {
  std::vector<u8> bytes = whole_.take();
  bytes.shrink_to_fit();
  header.describe(std::span(bytes).subspan(sizeof header));
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto owner = std::make_shared<const std::vector<u8>>(std::move(bytes));
  return std::make_shared<const DeviceImage>(*owner, owner);
}

}  // namespace bhemu
