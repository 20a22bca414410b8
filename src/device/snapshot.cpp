// Snapshots and images of a device: a header that says of what, then the archives of its parts.
#include <cstring>

#include "base/archive.hpp"
#include "base/check.hpp"
#include "device/device_impl.hpp"
#include "device/state_header.hpp"

namespace bhemu {

void Device::Impl::archive(Archive& archive) {
  make_all_nodes();
  engine->archive(archive);
  for (const auto& node : nodes) node->archive(archive);
}

/// Into a node that was just made.
void Device::Impl::load_fresh(noc::Node& node) {
  Archive archive = Archive::loading_changes(image->part(node.id()).changes);
  node.archive(archive);
  CHECK(archive.at_end());
}

/// Nodes of a device with one thread in which nothing has happened yet.
DeviceOptions Device::Impl::options_of_scratch() const {
  DeviceOptions alone = options;
  alone.threads = 1;
  return alone;
}

std::shared_ptr<const DeviceImage> Device::Impl::make_image(std::span<const Cycle> rests) {
  make_all_nodes();
  settle_all();
  Archive of_engine = Archive::saving();
  engine->archive(of_engine);
  DeviceImage::Writer writer(of_engine.take());
  Impl scratch(options_of_scratch());
  std::vector<u8> fresh;
  std::vector<u8> room;
  for (const auto& node : nodes) {
    Archive blocks = Archive::saving_blocks(std::move(fresh));
    scratch.node(node->id()).archive(blocks);
    fresh = blocks.take();
    Archive changes = Archive::saving_changes(fresh, std::move(room));
    node->archive(changes);
    room = changes.take();
    DeviceImage::Part part;
    part.changes = room;
    part.acts = node->next_cycle() != kNever;
    part.has_faults = !node->faults().faults().empty();
    if (!rests.empty()) part.rests = rests[node->id()];
    writer.add(part);
  }
  return writer.finish(StateHeader::of(options, board.node_count(), StateHeader::Kind::Image));
}

/// DeviceImage::Part::rests of each node of a device that goes on from `image`, found by trying.
/// None: a node does not come to rest soon, or not for good, or reaches another before.
std::vector<Cycle> Device::Impl::find_rests(const std::shared_ptr<const DeviceImage>& image) const {
  constexpr unsigned kMostEpochs = 64;
  if (options.timing == TimingModel::Chaos) return {};
  Device ahead(options_of_scratch());
  ahead.take_over(image);
  Impl& impl = *ahead.impl_;
  impl.make_all_nodes();
  const u64 packets = impl.engine->packets();
  std::vector<Cycle> rests(nodes.size(), kNever);
  for (unsigned epoch = 0; epoch < kMostEpochs; ++epoch) {
    const Cycle now = ahead.cycle();
    bool all = true;
    for (const auto& node : impl.nodes) {
      const Cycle next = node->next_cycle();
      Cycle& rest = rests[node->id()];
      if (next == kNever && rest == kNever) rest = now;
      // One that passes over epochs would be counted as at work in them.
      if (next != kNever && (rest != kNever || next >= now + noc_timing.one_way)) return {};
      all &= rest != kNever;
    }
    if (!ahead.faults().empty() || impl.engine->packets() != packets) return {};
    if (all) return rests;
    ahead.advance(noc_timing.one_way);
  }
  return {};
}

/// Parked cores are brought to the present.
void Device::Impl::settle_all() {
  for (tile::Tile* tile : tiles)
    if (tile != nullptr) tile->settle(engine->now());
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
  const bool fresh = !touched && image == nullptr;
  image = std::move(from);
  if (!fresh) {
    // Something has happened in these: they take over all of what a node just made becomes.
    Impl scratch(options_of_scratch());
    scratch.take_over(image);
    for (const auto& node : nodes) {
      if (node == nullptr) continue;
      Archive saved = Archive::saving();
      scratch.node(node->id()).archive(saved);
      const std::vector<u8> bytes = saved.take();
      Archive archive = Archive::loading(bytes);
      node->archive(archive);
    }
  } else {
    for (const auto& node : nodes)
      if (node != nullptr) load_fresh(*node);
  }
  Archive archive = Archive::loading(image->engine());
  engine->archive(archive);
  for (NodeId id = 0; id < nodes.size(); ++id)
    if (image->part(id).has_faults) node(id);
  self_starting = false;
  // Found where nothing is disturbed; whoever disturbs it here has all nodes made.
  late = image->is_at_rest() && options.parking && delays == nullptr &&
         image->header().options == StateHeader::hash_of(options);
  if (late) count_late_nodes();
  forget_what_was();
}

std::vector<u8> Device::snapshot() {
  impl_->make_all_nodes();
  impl_->settle_all();
  Archive archive = Archive::saving();
  StateHeader header =
      StateHeader::of(impl_->options, impl_->board.node_count(), StateHeader::Kind::Snapshot);
  archive.raw(&header, sizeof header);
  impl_->archive(archive);
  std::vector<u8> bytes = archive.take();
  header.describe(std::span(bytes).subspan(sizeof header));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

void Device::restore(std::span<const u8> snapshot) {
  const StateHeader header = StateHeader::read(snapshot);
  const std::span<const u8> body = snapshot.subspan(sizeof header);
  header.check_fits(
      StateHeader::of(impl_->options, impl_->board.node_count(), StateHeader::Kind::Snapshot));
  header.check_body(body);
  impl_->image = nullptr;
  impl_->late = false;
  impl_->self_starting = true;  // every node is in the snapshot
  Archive archive = Archive::loading(body);
  impl_->archive(archive);
  if (!archive.at_end()) throw ArchiveError("the snapshot was made by another version of bhemu");
  impl_->forget_what_was();
}

std::shared_ptr<const DeviceImage> Device::image() {
  if (impl_->image != nullptr && !impl_->touched) return impl_->image;
  return impl_->make_image({});
}

std::shared_ptr<const DeviceImage> Device::image_at_rest() {
  const std::shared_ptr<const DeviceImage> image = this->image();
  if (image->is_at_rest()) return image;
  const std::vector<Cycle> rests = impl_->find_rests(image);
  return rests.empty() ? image : impl_->make_image(rests);
}

void Device::take_over(std::shared_ptr<const DeviceImage> image) {
  image->header().check_fits(
      StateHeader::of(impl_->options, impl_->board.node_count(), StateHeader::Kind::Image));
  impl_->take_over(std::move(image));
}

bool Device::is_watched() const {
  return impl_->is_watched();
}

bool Device::is_untouched() const {
  return !impl_->touched && impl_->image == nullptr;
}

Device Device::clone() {
  Device copy(impl_->options);
  copy.impl_->keep_pushes = impl_->keep_pushes;
  copy.impl_->lines = impl_->lines;
  copy.impl_->turns = impl_->turns;
  copy.impl_->take_over(image());
  // Only the nodes that every device has exist yet, and nobody has seen them.
  copy.impl_->touched = false;
  return copy;
}

}  // namespace bhemu
