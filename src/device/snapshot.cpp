// Snapshots of a device: a header that says of what, then the archive of all parts.
#include <fmt/format.h>

#include <cstring>

#include "base/archive.hpp"
#include "base/check.hpp"
#include "device/device_impl.hpp"
#include "mem/mapping.hpp"

namespace bhemu {
namespace {

constexpr char kMagic[8] = {'b', 'h', 'e', 'm', 'u', 's', 'n', 'p'};
constexpr u32 kVersion = 11;

struct Header {
  char magic[8] = {};
  u32 version = 0;
  u32 model = 0;
  u32 harvested_dram = 0;
  u32 harvested_columns = 0;
  u32 timing = 0;
  u32 nodes = 0;
  u64 bytes = 0;     // after the header
  u64 checksum = 0;  // of those bytes
};

Header header_of(const DeviceOptions& options, unsigned nodes) {
  Header header;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.model = static_cast<u32>(options.board.model) | static_cast<u32>(options.board.bundle)
                                                             << 8;
  header.harvested_dram = options.board.harvested_dram;
  header.harvested_columns = options.board.harvested_columns;
  header.timing = static_cast<u32>(options.timing);
  header.nodes = nodes;
  return header;
}

void check(const Header& found, const Header& wanted, std::span<const u8> body) {
  if (std::memcmp(found.magic, wanted.magic, sizeof kMagic) != 0)
    throw ArchiveError("this is no snapshot of bhemu");
  if (found.version != wanted.version)
    throw ArchiveError(fmt::format("the snapshot has version {}, this bhemu reads version {}",
                                   found.version, wanted.version));
  if (found.model != wanted.model || found.harvested_dram != wanted.harvested_dram ||
      found.harvested_columns != wanted.harvested_columns || found.nodes != wanted.nodes)
    throw ArchiveError("the snapshot is of another board or other harvesting");
  if (found.timing != wanted.timing) throw ArchiveError("the snapshot was made in another timing");
  if (found.bytes != body.size()) throw ArchiveError("the snapshot is cut short");
  if (found.checksum != hash_bytes(0, body.data(), body.size()))
    throw ArchiveError("the snapshot is damaged: its checksum is wrong");
}

}  // namespace

void Device::Impl::archive(Archive& archive) {
  make_all_nodes();
  engine->archive(archive);
  for (const auto& node : nodes) node->archive(archive);
}

void Device::Impl::load(noc::Node& node, const DeviceImage& from) {
  Archive archive = Archive::loading(from.parts[node.id()].bytes);
  node.archive(archive);
  CHECK(archive.at_end());
}

/// What this process has seen of the state before.
void Device::Impl::forget_what_was() {
  spinning = false;
  trace_forget();
  observers_forget();
  livelock.restart(engine->now());
}

/// The nodes that are there become as in the image, the others when they are touched.
void Device::Impl::take_over(std::shared_ptr<const DeviceImage> from) {
  image = std::move(from);
  for (const auto& node : nodes)
    if (node != nullptr) load(*node, *image);
  Archive archive = Archive::loading(image->engine);
  engine->archive(archive);
  for (NodeId id = 0; id < nodes.size(); ++id)
    if (image->parts[id].has_faults) node(id);
  self_starting = false;
  forget_what_was();
}

std::vector<u8> Device::snapshot() {
  impl_->make_all_nodes();
  for (tile::Tile* tile : impl_->tiles)
    if (tile != nullptr) tile->settle(cycle());
  Archive archive = Archive::saving();
  Header header = header_of(impl_->options, impl_->board.node_count());
  archive.raw(&header, sizeof header);
  impl_->archive(archive);
  std::vector<u8> bytes = archive.take();
  header.bytes = bytes.size() - sizeof header;
  header.checksum = hash_bytes(0, bytes.data() + sizeof header, header.bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

void Device::restore(std::span<const u8> snapshot) {
  Header header;
  if (snapshot.size() < sizeof header) throw ArchiveError("the snapshot is cut short");
  std::memcpy(&header, snapshot.data(), sizeof header);
  const std::span<const u8> body = snapshot.subspan(sizeof header);
  check(header, header_of(impl_->options, impl_->board.node_count()), body);
  impl_->image = nullptr;
  impl_->self_starting = true;  // every node is in the snapshot
  Archive archive = Archive::loading(body);
  impl_->archive(archive);
  if (!archive.at_end()) throw ArchiveError("the snapshot was made by another version of bhemu");
  impl_->forget_what_was();
}

std::shared_ptr<const DeviceImage> Device::image() {
  if (impl_->like_image) return impl_->image;
  auto image = std::make_shared<DeviceImage>();
  const Header header = header_of(impl_->options, impl_->board.node_count());
  Archive of_header = Archive::saving();
  of_header.raw(const_cast<Header*>(&header), sizeof header);
  image->header = of_header.take();
  impl_->make_all_nodes();
  for (tile::Tile* tile : impl_->tiles)
    if (tile != nullptr) tile->settle(cycle());
  Archive of_engine = Archive::saving();
  impl_->engine->archive(of_engine);
  image->engine = of_engine.take();
  for (const auto& node : impl_->nodes) {
    Archive archive = Archive::saving();
    node->archive(archive);
    image->parts.push_back(
        {archive.take(), node->next_cycle() != kNever, !node->faults().faults().empty()});
    image->parts.back().bytes.shrink_to_fit();
  }
  return image;
}

void Device::take_over(std::shared_ptr<const DeviceImage> image) {
  const Header wanted = header_of(impl_->options, impl_->board.node_count());
  if (image->header.size() != sizeof wanted ||
      std::memcmp(image->header.data(), &wanted, sizeof wanted) != 0)
    throw ArchiveError("the image is of another board, other harvesting or another timing");
  impl_->take_over(std::move(image));
}

Device Device::clone() {
  Device copy(impl_->options);
  copy.impl_->keep_pushes = impl_->keep_pushes;
  copy.impl_->lines = impl_->lines;
  copy.impl_->turns = impl_->turns;
  copy.impl_->take_over(image());
  // Only the nodes that every device has exist yet, and nobody has seen them.
  copy.impl_->like_image = true;
  return copy;
}

}  // namespace bhemu
