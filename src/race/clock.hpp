// Clocks: what an agent knows to have happened. A clock holds, for every component of every tile of
// which it has heard, the time (a count of the component's actions) up to which all is known.
//
// Clocks are values and are copied all the time (into every pushed word, post and packet), so the
// bulk is shared and never changed; a few recent entries lie in front of it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "race/component.hpp"

namespace bhemu::race {

/// One action of one component. Time 0: none.
struct Epoch {
  u32 time = 0;
  Component component = 0;
  u16 tile = 0;

  explicit operator bool() const { return time != 0; }
  friend bool operator==(const Epoch&, const Epoch&) = default;
};

class Clock {
 private:
  using Times = std::vector<u32>;  // by component
  struct TileTimes {
    u16 tile = 0;
    std::shared_ptr<const Times> times;
  };
  using Base = std::vector<TileTimes>;  // by tile, ascending

 public:
  /// The bulks that an owner's clock has joined of late. What it knows only grows, so it need not
  /// look at them again.
  class Joined {
   public:
    void forget() { *this = {}; }

   private:
    friend class Clock;
    std::array<std::shared_ptr<const Base>, 4> bases_;
    u8 next_ = 0;
  };

  /// The last action of a component that is known, 0 when none is.
  u32 at(u16 tile, Component component) const;
  bool knows(Epoch epoch) const { return at(epoch.tile, epoch.component) >= epoch.time; }
  /// Learns of a component's actions up to a time.
  void raise(Epoch upto);
  /// Learns all that another clock knows.
  void join(const Clock& other);
  /// The same for an owner who joins much that it has joined before; `joined` is of this clock
  /// only.
  void join(const Clock& other, Joined& joined);
  /// Makes room in front of the bulk, for an owner whose copies learn a little more each.
  void make_room() {
    if (used_ + kRoom > kRecent) fold();
  }
  /// Bytes behind it that no other clock shares.
  std::size_t bytes() const;

 private:
  static constexpr unsigned kRecent = 8;
  static constexpr unsigned kRoom = 4;

  void fold();
  void join_base(const std::shared_ptr<const Base>& other);
  static bool covers(const Times& a, const Times& b);
  static bool covers(const Base& a, const Base& b);
  static u32 base_at(const Base* base, u16 tile, Component component);
  static std::shared_ptr<const Times> merged(const std::shared_ptr<const Times>& a,
                                             const std::shared_ptr<const Times>& b);

  std::shared_ptr<const Base> base_;
  std::array<Epoch, kRecent> recent_{};
  u8 used_ = 0;
};

}  // namespace bhemu::race
