// Which value each unit of a long range has, kept as stretches of equal ones.
#pragma once

#include <map>

#include "base/types.hpp"

namespace bhemu::watch {

template <class Value>
class RangeMap {
 public:
  /// [begin, end) has this value from now on.
  void assign(u64 begin, u64 end, const Value& value) {
    if (begin >= end) return;
    split(begin);
    split(end);
    stretches_.erase(stretches_.lower_bound(begin), stretches_.lower_bound(end));
    stretches_.emplace(begin, Stretch{end, value});
  }

  /// Calls visit(begin, end, value) for each stretch within [begin, end), in order.
  template <class Visit>
  void each(u64 begin, u64 end, Visit visit) const {
    auto at = stretches_.upper_bound(begin);
    if (at != stretches_.begin()) --at;
    for (; at != stretches_.end() && at->first < end; ++at) {
      if (at->second.end <= begin) continue;
      visit(at->first < begin ? begin : at->first, at->second.end > end ? end : at->second.end,
            at->second.value);
    }
  }

  void clear() { stretches_.clear(); }

 private:
  struct Stretch {
    u64 end;
    Value value;
  };

  /// No stretch has `at` within.
  void split(u64 at) {
    auto found = stretches_.upper_bound(at);
    if (found == stretches_.begin()) return;
    --found;
    if (found->first == at || found->second.end <= at) return;
    const Stretch rest = found->second;
    found->second.end = at;
    stretches_.emplace(at, rest);
  }

  std::map<u64, Stretch> stretches_;
};

}  // namespace bhemu::watch
