#include "watch/watchpoint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tile/tile.hpp"
#include "watch/cells.hpp"

namespace bhemu::watch {

namespace {

bool watches_reads(const std::vector<Watch>& watches, NodeId node) {
  return std::any_of(watches.begin(), watches.end(),
                     [&](const Watch& watch) { return watch.what.node == node && watch.reads; });
}

}  // namespace

/// What one node tells.
class Watchpoints::Node final : public Accesses {
 public:
  Node(Device& device, NodeId node, u32 l1_bytes, const std::vector<Watch>& watches)
      : Accesses(node, l1_bytes, watches_reads(watches, node)), device_(device), watches_(watches) {
    for (std::size_t watch = 0; watch < watches.size(); ++watch) {
      if (watches[watch].what.node != node) continue;
      for (const Place& place : watches[watch].what.places)
        watched_.push_back({watch, place, cells_of(device, node, place), 0});
    }
  }

  std::vector<Hit>& hits() { return hits_; }
  u64 left_out() const { return left_out_; }

  void forget() override {
    Accesses::forget();
    for (Watched& one : watched_) one.cells = cells_of(device_, node(), one.place);
  }

 protected:
  void accessed(const Access& access, const Actor& actor) override {
    for (Watched& one : watched_) {
      if (!one.place.overlaps(access.place)) continue;
      const Watch& watch = watches_[one.watch];
      Hit hit;
      if (access.writes) compare(one, hit);
      const bool wanted = (watch.reads && access.reads) || (watch.writes && access.writes);
      if (!wanted) continue;
      if (++one.hits > kMostHits) {
        ++left_out_;
        continue;
      }
      hit.watch = one.watch;
      hit.access = access;
      hit.access.place.begin = std::max(one.place.begin, access.place.begin);
      hit.access.place.end = std::min(one.place.end, access.place.end);
      hit.actor = actor;
      hit.cycle = actor.author.cycle;
      if (one.cells.empty() && access.has_values) {
        hit.has_values = true;
        hit.changed = access.before != access.after;
        hit.before = access.before;
        hit.after = access.after;
      }
      hits_.push_back(hit);
    }
  }

 private:
  struct Watched {
    std::size_t watch = 0;
    Place place;
    std::vector<u32> cells;
    std::size_t hits = 0;
  };

  /// Of memory, up to four bytes from the word on in which the first change is.
  static u32 word_at(const Place& place, const std::vector<u32>& cells, std::size_t from) {
    if (place.area != Area::Memory && place.area != Area::Ldm) return cells[from];
    u32 word = 0;
    for (std::size_t i = 0; i < 4 && from + i < cells.size(); ++i)
      word |= cells[from + i] << (8 * i);
    return word;
  }

  void compare(Watched& one, Hit& hit) const {
    if (one.cells.empty()) return;
    std::vector<u32> now = cells_of(device_, node(), one.place);
    hit.has_values = true;
    std::size_t first = 0;
    while (first < now.size() && now[first] == one.cells[first]) ++first;
    hit.changed = first != now.size();
    if (hit.changed) {
      const bool bytes = one.place.area == Area::Memory || one.place.area == Area::Ldm;
      const std::size_t into = bytes ? (one.place.begin + first) % 4 : 0;
      first -= std::min(first, into);
      hit.cell = one.place.begin + first;
      hit.before = word_at(one.place, one.cells, first);
      hit.after = word_at(one.place, now, first);
    }
    one.cells = std::move(now);
  }

  Device& device_;
  const std::vector<Watch>& watches_;
  std::vector<Watched> watched_;
  std::vector<Hit> hits_;
  u64 left_out_ = 0;
};

Watchpoints::Watchpoints(Device& device, std::vector<Watch> watches)
    : device_(device), watches_(std::move(watches)) {
  id_ = device.observe([&](NodeId node) -> std::unique_ptr<trace::Observer> {
    const bool wanted = std::any_of(watches_.begin(), watches_.end(),
                                    [node](const Watch& watch) { return watch.what.node == node; });
    if (!wanted) return nullptr;
    tile::Tile* tile = device.tile_of(node);
    auto one =
        std::make_unique<Node>(device, node, tile == nullptr ? 0 : tile->l1().size(), watches_);
    nodes_.push_back(one.get());
    return one;
  });
}

Watchpoints::~Watchpoints() {
  device_.stop_observing(id_);
}

std::vector<Hit> Watchpoints::take() {
  std::vector<Hit> all;
  for (Node* node : nodes_) {
    all.insert(all.end(), node->hits().begin(), node->hits().end());
    node->hits().clear();
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Hit& a, const Hit& b) { return a.cycle < b.cycle; });
  return all;
}

bool Watchpoints::has_hits() const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](Node* node) { return !node->hits().empty(); });
}

u64 Watchpoints::left_out() const {
  u64 count = 0;
  for (const Node* node : nodes_) count += node->left_out();
  return count;
}

Watch parse_watch(const std::string& setting, const std::string& text, const Board& board) {
  Watch watch;
  std::string rest = text;
  const std::size_t colon = text.rfind(':');
  const std::string mode = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (mode == "r" || mode == "w" || mode == "rw") {
    watch.reads = mode != "w";
    watch.writes = mode != "r";
    rest = text.substr(0, colon);
  }
  watch.what = parse_question(setting, rest, board);
  watch.what.text = text;
  return watch;
}

std::string text_of(const Device& device, const Watchpoints& watchpoints, const Hit& hit,
                    const host::CodeMap& code) {
  const Access& access = hit.access;
  const char* what = access.reads && access.writes ? "change" : access.writes ? "write" : "read";
  std::string text = fmt::format("watch {}: {} of {}", watchpoints.watches()[hit.watch].what.text,
                                 what, describe(access.place));
  if (hit.changed) {
    const bool bytes = access.place.area == Area::Memory || access.place.area == Area::Ldm;
    if (bytes && hit.cell != access.place.begin) text += fmt::format(", at {:#x}", hit.cell);
    text += fmt::format(", {:#010x} -> {:#010x}", hit.before, hit.after);
  } else if (hit.has_values && access.writes) {
    text += ", as it was";
  }
  return text + ", by " + text_of(device, hit.actor, code) + "\n";
}

}  // namespace bhemu::watch
