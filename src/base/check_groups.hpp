// Which of the checks a run makes that cost something (docs/DEBUGGING.md, "Checks").
#pragma once

#include "base/types.hpp"

namespace bhemu {

enum class CheckGroup : u8 {
#define CHECK_GROUP(id, name, usual, summary) id,
#include "base/check_groups.def"
#undef CHECK_GROUP
  Count,
};
inline constexpr unsigned kCheckGroups = static_cast<unsigned>(CheckGroup::Count);

struct CheckGroupInfo {
  const char* name;
  bool usual;  // on unless told otherwise
  const char* summary;
};
inline constexpr CheckGroupInfo kCheckGroupInfo[] = {
#define CHECK_GROUP(id, name, usual, summary) {name, usual, summary},
#include "base/check_groups.def"
#undef CHECK_GROUP
};

class CheckSet {
 public:
  constexpr CheckSet() = default;
  static constexpr CheckSet usual() {
    CheckSet set;
    for (unsigned i = 0; i < kCheckGroups; ++i)
      if (kCheckGroupInfo[i].usual) set.add(static_cast<CheckGroup>(i));
    return set;
  }
  static constexpr CheckSet all() {
    CheckSet set;
    set.bits_ = (1u << kCheckGroups) - 1;
    return set;
  }
  constexpr void add(CheckGroup group) { bits_ |= 1u << static_cast<unsigned>(group); }
  constexpr void remove(CheckGroup group) { bits_ &= ~(1u << static_cast<unsigned>(group)); }
  constexpr bool has(CheckGroup group) const {
    return (bits_ >> static_cast<unsigned>(group) & 1) != 0;
  }
  /// `caches=silicon`: a load that hits in the L0 data cache gets what is in it, old or not.
  constexpr void set_silicon_caches(bool on) { silicon_caches_ = on; }
  constexpr bool silicon_caches() const { return silicon_caches_ && has(CheckGroup::Caches); }
  constexpr bool empty() const { return bits_ == 0; }
  /// Some of it needs somebody who looks on at every instruction (src/check).
  constexpr bool needs_observer() const {
    for (unsigned i = 0; i < kCheckGroups; ++i)
      if (!kCheckGroupInfo[i].usual && has(static_cast<CheckGroup>(i))) return true;
    return false;
  }
  friend constexpr bool operator==(CheckSet, CheckSet) = default;

 private:
  u32 bits_ = 0;
  bool silicon_caches_ = false;
};

}  // namespace bhemu
