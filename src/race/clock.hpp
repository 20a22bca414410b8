// Clocks: what an agent knows to have happened. A clock holds, for every component of every tile of
// which it has heard, the time (a count of the component's actions) up to which all is known.
//
// Clocks are values and are copied all the time (into every pushed word, post and packet), so the
// bulk is shared and never changed; a few recent entries lie in front of it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "race/times.hpp"

namespace bhemu::race {

class Clock {
 private:
  struct TileTimes {
    u16 tile = 0;
    Times times;
  };
  /// By tile, in groups: a clock that has been launched knows of every tile, and what it learns
  /// later is of few.
  static constexpr unsigned kGroup = 16;
  using Group = std::array<Times, kGroup>;
  using Others = std::vector<std::shared_ptr<const Group>>;
  /// What is behind the recent entries. An agent learns of its own tile all the time and of others
  /// now and then, when it is launched or a packet comes; so those are a table of their own, which
  /// most clocks of a tile share.
  struct Base {
    TileTimes own;                         // of the tile that changed last
    std::shared_ptr<const Others> others;  // of `own.tile` it may know less than `own`

    const Times* of(u16 tile) const;
  };

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
  u32 base_at(u16 tile, Component component) const;
  void join_base(const std::shared_ptr<const Base>& other);
  static bool covers(const Base& a, const Base& b);
  static bool covers(const Group& a, const Group& b);
  static const Times* find(const Others* others, u16 tile);
  static std::shared_ptr<const Group> merged(const std::shared_ptr<const Group>& a,
                                             const std::shared_ptr<const Group>& b);
  static std::shared_ptr<const Others> merged(const std::shared_ptr<const Others>& a,
                                              const std::shared_ptr<const Others>& b);
  static std::shared_ptr<const Others> with(const std::shared_ptr<const Others>& others,
                                            const TileTimes& one);

  std::shared_ptr<const Base> base_;
  std::array<Epoch, kRecent> recent_{};
  u8 used_ = 0;
};

}  // namespace bhemu::race
