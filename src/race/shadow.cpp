#include "race/shadow.hpp"

#include <algorithm>

namespace bhemu::race {

Shadow::Page& Shadow::make_page(Place place, u64 number) {
  auto& near = near_[static_cast<unsigned>(place)];
  if (number < kNearPages && number >= near.size()) near.resize(number + 1);
  std::unique_ptr<Page>& page =
      number < kNearPages ? near[number] : far_[number * kPlaces + static_cast<unsigned>(place)];
  if (page == nullptr) {
    page = std::make_unique<Page>();
    ++pages_;
  }
  return *page;
}

/// Two cells must not share a set of readers.
Cell Shadow::copy_of(const Cell& cell) {
  Cell copy = cell;
  if (cell.readers == 0) return copy;
  const std::vector<Epoch> readers = sets_[cell.readers - 1];
  copy.readers = 0;
  inflate(copy);
  readers_of(copy) = readers;
  return copy;
}

std::size_t Shadow::cut(std::vector<Segment>& split, unsigned at) {
  // The first segment that ends behind the boundary.
  const auto found =
      std::upper_bound(split.begin(), split.end(), at,
                       [](unsigned unit, const Segment& one) { return unit < one.end; });
  const auto index = static_cast<std::size_t>(found - split.begin());
  const unsigned from = index == 0 ? 0 : split[index - 1].end;
  if (at == from || at == kUnits) return index;
  const Segment front{static_cast<u8>(at), copy_of(split[index].cell)};
  if (split.size() == split.capacity()) split.reserve(split.size() + 2);  // most stay that small
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(index), front);
  ++splits_;
  return index + 1;
}

bool Shadow::equal(const Cell& a, const Cell& b) const {
  if (a.readers == 0 || b.readers == 0) return a == b;
  Cell x = a;
  x.readers = b.readers;
  return x == b && sets_[a.readers - 1] == sets_[b.readers - 1];
}

void Shadow::join_equal(Line& line, std::size_t first, std::size_t last) {
  std::vector<Segment>& split = *line.split;
  std::size_t kept = first == 0 ? 0 : first - 1;
  const std::size_t end = std::min(last + 1, split.size());
  for (std::size_t i = kept + 1; i < end; ++i) {
    if (equal(split[kept].cell, split[i].cell)) {
      drop(split[i].cell);
      split[kept].end = split[i].end;
    } else if (++kept != i) {
      split[kept] = split[i];
    }
  }
  if (kept + 1 < end) {
    splits_ -= end - (kept + 1);
    split.erase(split.begin() + static_cast<std::ptrdiff_t>(kept + 1),
                split.begin() + static_cast<std::ptrdiff_t>(end));
  }
  if (split.size() != 1) return;
  line.whole = split[0].cell;
  line.split.reset();
}

void Shadow::inflate(Cell& cell) {
  if (free_sets_.empty()) {
    sets_.emplace_back();
    free_sets_.push_back(static_cast<u32>(sets_.size()));
  }
  cell.readers = free_sets_.back();
  free_sets_.pop_back();
  std::vector<Epoch>& set = readers_of(cell);
  set.clear();
  if (cell.read) set.push_back(cell.read);
}

void Shadow::drop(Cell& cell) {
  if (cell.readers == 0) return;
  sets_[cell.readers - 1].clear();
  free_sets_.push_back(cell.readers);
  cell.readers = 0;
}

void Shadow::forget_readers(Cell& cell) {
  drop(cell);
  cell.read = {};
}

std::size_t Shadow::bytes() const {
  std::size_t total = pages_ * sizeof(Page) + splits_ * sizeof(Segment);
  total += far_.size() * 4 * sizeof(void*);
  for (const auto& near : near_) total += near.capacity() * sizeof(void*);
  for (const std::vector<Epoch>& set : sets_) total += sizeof set + set.capacity() * sizeof(Epoch);
  return total;
}

}  // namespace bhemu::race
