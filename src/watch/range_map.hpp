// Which value each unit of a long range was given last.
//
// Values lie in a table, and units know the index of theirs. Units that are mostly given values
// together (the bytes of a word, the bits of a register) are a group, which has one index as long
// as they have one value. Values that no unit has any more are dropped from time to time.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"

namespace bhemu::watch {

template <class Value>
class RangeMap {
 public:
  /// Groups of 1 << `shift` units.
  explicit RangeMap(u32 shift = 0) : shift_(shift) {}

  /// [begin, end) has this value from now on.
  void assign(u64 begin, u64 end, const Value& value) {
    if (begin >= end) return;
    if (values_.size() >= limit_) drop_unused();
    const u32 index = static_cast<u32>(values_.size());
    values_.push_back(value);
    const u64 mask = units() - 1;
    if (end - begin == units() && (begin & mask) == 0) {  // a word, most of the time
      Page& page = page_of(begin >> shift_);
      u32& entry = page.index[(begin >> shift_) % kGroups];
      if (page.split != 0) join(page, entry);
      entry = index;
      return;
    }
    while (begin < end && ((begin & mask) != 0 || end - begin < units())) {
      const u64 next = std::min(end, (begin | mask) + 1);
      assign_part(begin, next, index);
      begin = next;
    }
    const u64 last = end & ~mask;
    for (u64 group = begin >> shift_; group < last >> shift_;) {
      const u64 page_end = (group / kGroups + 1) * kGroups;
      const u64 stop = std::min(page_end, last >> shift_);
      fill(page_of(group), group % kGroups, group % kGroups + (stop - group), index);
      group = stop;
    }
    if (begin < last) begin = last;
    if (begin < end) assign_part(begin, end, index);
  }

  /// Calls visit(begin, end, value) for each stretch within [begin, end) that was given its value
  /// at once, in order.
  template <class Visit>
  void each(u64 begin, u64 end, Visit visit) const {
    u32 index = 0;
    u64 from = begin;
    const auto go_on = [&](u64 at, u32 next) {
      if (next == index) return;
      if (index != 0) visit(from, at, values_[index]);
      index = next;
      from = at;
    };
    for (u64 at = begin; at < end;) {
      const u64 group = at >> shift_;
      const Page* page = find_page(group / kGroups);
      if (page == nullptr) {
        go_on(at, 0);
        at = std::min(end, (group / kGroups + 1) * kGroups << shift_);
        continue;
      }
      const u64 next = std::min(end, (group + 1) << shift_);
      const u32 entry = page->index[group % kGroups];
      if ((entry & kSplit) == 0) {
        go_on(at, entry);
      } else {
        for (u64 unit = at; unit < next; ++unit)
          go_on(unit, parts_[(entry & ~kSplit) * units() + (unit & (units() - 1))]);
      }
      at = next;
    }
    go_on(end, 0);
  }

  void clear() {
    near_.clear();
    far_.clear();
    parts_.clear();
    free_.clear();
    values_.assign(1, Value());
    limit_ = kFirstLimit;
  }

 private:
  static constexpr u32 kSplit = 1u << 31;  // the rest of an entry is a number of parts_
  static constexpr u64 kGroups = 1024;
  static constexpr u64 kNearPages = 1024;
  static constexpr std::size_t kFirstLimit = 1u << 14;

  struct Page {
    std::array<u32, kGroups> index{};  // 0: no value
    u32 split = 0;                     // groups whose units have different ones
  };

  u64 units() const { return u64{1} << shift_; }

  const Page* find_page(u64 number) const {
    if (number < near_.size()) return near_[number].get();
    const auto found = far_.find(number);
    return found == far_.end() ? nullptr : found->second.get();
  }
  Page& page_of(u64 group) {
    const u64 number = group / kGroups;
    if (number < kNearPages && number >= near_.size()) near_.resize(number + 1);
    std::unique_ptr<Page>& page = number < kNearPages ? near_[number] : far_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    return *page;
  }

  void fill(Page& page, u64 first, u64 last, u32 index) {
    for (u64 i = first; i < last && page.split != 0; ++i) join(page, page.index[i]);
    std::fill(page.index.begin() + static_cast<std::ptrdiff_t>(first),
              page.index.begin() + static_cast<std::ptrdiff_t>(last), index);
  }
  void join(Page& page, u32& entry) {
    if ((entry & kSplit) == 0) return;
    free_.push_back(entry & ~kSplit);
    entry = 0;
    --page.split;
  }

  /// Some units of one group.
  void assign_part(u64 begin, u64 end, u32 index) {
    Page& page = page_of(begin >> shift_);
    u32& entry = page.index[(begin >> shift_) % kGroups];
    if ((entry & kSplit) == 0) {
      u32 part = static_cast<u32>(parts_.size() / units());
      if (free_.empty()) {
        parts_.resize(parts_.size() + units());
      } else {
        part = free_.back();
        free_.pop_back();
      }
      std::fill_n(parts_.begin() + static_cast<std::ptrdiff_t>(part * units()), units(), entry);
      entry = part | kSplit;
      ++page.split;
    }
    u32* const units_of = parts_.data() + (entry & ~kSplit) * units();
    std::fill(units_of + (begin & (units() - 1)), units_of + ((end - 1) & (units() - 1)) + 1,
              index);
    const bool same =
        std::all_of(units_of, units_of + units(), [&](u32 one) { return one == *units_of; });
    if (!same) return;
    const u32 whole = *units_of;
    join(page, entry);
    entry = whole;
  }

  template <class Visit>
  void each_index(Visit visit) {
    const auto of_page = [&](Page& page) {
      for (u32& entry : page.index) {
        if ((entry & kSplit) == 0) {
          visit(entry);
          continue;
        }
        for (u64 i = 0; i < units(); ++i) visit(parts_[(entry & ~kSplit) * units() + i]);
      }
    };
    for (auto& page : near_)
      if (page != nullptr) of_page(*page);
    for (auto& [number, page] : far_) of_page(*page);
  }

  void drop_unused() {
    std::vector<u32> moved(values_.size());
    std::size_t entries = 0;
    each_index([&](u32 index) {
      moved[index] = 1;
      ++entries;
    });
    moved[0] = 0;
    u32 kept = 1;
    for (u32 i = 1; i < moved.size(); ++i) {
      if (moved[i] == 0) continue;
      if (kept != i) values_[kept] = std::move(values_[i]);
      moved[i] = kept++;
    }
    values_.resize(kept);
    each_index([&](u32& index) { index = moved[index]; });
    limit_ = std::max({kFirstLimit, 2 * std::size_t{kept}, entries / 4});
  }

  u32 shift_;
  std::vector<std::unique_ptr<Page>> near_;             // by number, of low addresses
  std::unordered_map<u64, std::unique_ptr<Page>> far_;  // of the others
  std::vector<u32> parts_;                              // of groups that are split
  std::vector<u32> free_;                               // numbers of unused ones
  std::vector<Value> values_ = std::vector<Value>(1);   // [0]: nobody's
  std::size_t limit_ = kFirstLimit;
};

}  // namespace bhemu::watch
