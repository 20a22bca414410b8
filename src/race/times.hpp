// Up to which action of each component of one tile something is known. Most components never act
// in a run, and there are hundreds of such tables in a tile's detector, so that only times other
// than 0 are kept: for each 32 components a mask of those that have one, then the times in order.
#pragma once

#include <bit>
#include <memory>
#include <span>

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

/// Never changed once made, and shared by its copies.
class Times {
 public:
  /// Nothing is known.
  Times() = default;

  u32 at(Component component) const {
    const unsigned block = component / kBlock;
    if (block >= blocks()) return 0;
    const u32 bit = u32{1} << component % kBlock;
    const u32 mask = mask_of(block);
    if ((mask & bit) == 0) return 0;
    return words_[first_of(block) + static_cast<unsigned>(std::popcount(mask & (bit - 1)))];
  }
  /// Whether each time of the other is known here, too.
  bool covers(const Times& other) const;
  /// The greater of two, entry by entry; one of them where it is that already.
  static Times merged(const Times& a, const Times& b);
  /// What is known with these actions, too, whatever their tile.
  Times with(std::span<const Epoch> actions) const;

  /// Bytes that no copy shares.
  std::size_t bytes() const;
  /// Whether it is a copy of the other.
  bool is(const Times& other) const { return words_ == other.words_; }

 private:
  static constexpr unsigned kBlock = 32;

  // words_: the number of blocks; of each its mask and where its times begin; the times.
  unsigned blocks() const { return words_ == nullptr ? 0 : words_[0]; }
  u32 mask_of(unsigned block) const { return words_[1 + 2 * block]; }
  u32 first_of(unsigned block) const { return words_[2 + 2 * block]; }
  /// The same times in a table that has room for more; `mask_of(block)` are those it has to have.
  template <class Masks>
  std::shared_ptr<u32[]> copy_with(unsigned blocks, Masks&& mask_of) const;
  static u32& slot(u32* words, Component component);

  std::shared_ptr<const u32[]> words_;
};

}  // namespace bhemu::race
