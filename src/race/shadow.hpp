// The memory of who touched what last: for every byte of L1 and every row, field and register the
// last write and the reads since then, as epochs (FastTrack: a single epoch as long as one will
// do).
//
// A line of 64 units is one cell while everybody touches all of it; where accesses begin or end
// within, it falls into segments, and grows together again when those are equal.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "race/clock.hpp"
#include "race/location.hpp"

namespace bhemu::race {

struct Cell {
  Epoch write;
  Epoch read;             // the only one since the write, or the last of several
  u32 readers = 0;        // 1 + index of a set of several, 0: none
  bool atomic = false;    // the write was one
  bool read_only = true;  // never written since the detector began
  friend bool operator==(const Cell&, const Cell&) = default;
};

class Shadow {
 public:
  /// Calls visit(cell, begin, end) for the stretches of a location that have a history in common.
  template <class Visit>
  void visit(const Location& where, Visit&& visit) {
    for (u64 at = where.begin; at < where.end();) {
      const u64 line = at / kUnits;
      const u64 line_end = (line + 1) * kUnits;
      const u64 end = where.end() < line_end ? where.end() : line_end;
      visit_line(line_of(where.place, line), line * kUnits, at, end, visit);
      at = end;
    }
  }

  /// The same of what there is, without making or changing any of it.
  template <class Visit>
  void look(const Location& where, Visit&& visit) const {
    for (u64 at = where.begin; at < where.end();) {
      const u64 line = at / kUnits;
      const u64 end = std::min(where.end(), (line + 1) * kUnits);
      if (const Line* found = find_line(where.place, line); found != nullptr) {
        if (found->split == nullptr) {
          visit(found->whole, at, end);
        } else {
          u64 from = line * kUnits;
          for (const Segment& one : *found->split) {
            const u64 to = line * kUnits + one.end;
            if (to > at && from < end) visit(one.cell, std::max(from, at), std::min(to, end));
            from = to;
          }
        }
      }
      at = end;
    }
  }

  /// Several reads that no write has followed.
  std::vector<Epoch>& readers_of(Cell& cell) { return sets_[cell.readers - 1]; }
  const std::vector<Epoch>& readers_of(const Cell& cell) const { return sets_[cell.readers - 1]; }
  /// Makes a set of a cell's single read.
  void inflate(Cell& cell);
  void forget_readers(Cell& cell);

  std::size_t bytes() const;

 private:
  static constexpr unsigned kUnits = 64;
  struct Segment {
    u8 end = kUnits;  // within the line
    Cell cell;
  };
  struct Line {
    Cell whole;
    std::unique_ptr<std::vector<Segment>> split;
  };

  static constexpr u64 kPageLines = 16;
  static constexpr u64 kNearPages = 2048;
  using Page = std::array<Line, kPageLines>;

  Line& line_of(Place place, u64 line) {
    const u64 number = line / kPageLines;
    auto& near = near_[static_cast<unsigned>(place)];
    Page* page = number < near.size() ? near[number].get() : nullptr;
    if (page == nullptr) page = &make_page(place, number);
    return (*page)[line % kPageLines];
  }
  const Line* find_line(Place place, u64 line) const {
    const u64 number = line / kPageLines;
    const auto& near = near_[static_cast<unsigned>(place)];
    const Page* page = number < near.size() ? near[number].get() : nullptr;
    if (page == nullptr && number >= kNearPages) {
      const auto found = far_.find(number * kPlaces + static_cast<unsigned>(place));
      if (found != far_.end()) page = found->second.get();
    }
    return page == nullptr ? nullptr : &(*page)[line % kPageLines];
  }
  Page& make_page(Place place, u64 number);
  /// A boundary at a unit of the line: the segment that begins there.
  std::size_t cut(std::vector<Segment>& split, unsigned at);
  /// Of segments that may have become equal to one another or to their neighbours.
  void join_equal(Line& line, std::size_t first, std::size_t last);
  bool equal(const Cell& a, const Cell& b) const;
  Cell copy_of(const Cell& cell);
  void drop(Cell& cell);

  template <class Visit>
  void visit_line(Line& line, u64 base, u64 begin, u64 end, Visit& visit) {
    if (line.split == nullptr) {
      if (begin == base && end == base + kUnits) {
        visit(line.whole, begin, end);
        return;
      }
      line.split = std::make_unique<std::vector<Segment>>(1, Segment{kUnits, line.whole});
    }
    std::vector<Segment>& split = *line.split;
    const std::size_t first = cut(split, static_cast<unsigned>(begin - base));
    const std::size_t last = cut(split, static_cast<unsigned>(end - base));
    u64 from = begin;
    for (std::size_t i = first; i < last; ++i) {
      const u64 to = base + split[i].end;
      visit(split[i].cell, from, to);
      from = to;
    }
    join_equal(line, first, last);
  }

  // Pages of lines that somebody has touched, by place and number; those of high addresses (DRAM).
  std::array<std::vector<std::unique_ptr<Page>>, kPlaces> near_;
  std::unordered_map<u64, std::unique_ptr<Page>> far_;
  std::size_t pages_ = 0;
  std::vector<std::vector<Epoch>> sets_;
  std::vector<u32> free_sets_;
  std::size_t splits_ = 0;
};

}  // namespace bhemu::race
