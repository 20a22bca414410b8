// Where polling loops come round. A core that was parked once will most likely wait in the same
// loop again: when it passes the same instruction twice, a look at the next round is worth while at
// once. The addresses are a tile's own; some it has from other tiles (known_loops.hpp), but in such
// a way that when its cores park depends on no host thread.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/inplace_vector.hpp"
#include "riscv/core.hpp"
#include "riscv/known_round.hpp"

namespace bhemu::riscv {

/// Where the loop begins in which there is an instruction at `pc`, by the next branch or jump back
/// over it; `pc` itself if there is none near by. (Most cores are found somewhere in a loop, and
/// tiles are to find the same head.)
u32 top_of_loop(u32 pc, const u8* l1, u32 l1_bytes);

class LoopHeads {
 public:
  /// As long as the words of its line are what they were.
  bool has(u32 pc, const u8* l1) const {
    const Head* const head = find(pc);
    return head != nullptr && head->stands_in(l1);
  }
  bool has_any_in(u32 address, u32 bytes, const u8* l1) const {
    return std::any_of(pcs_.begin(), pcs_.end(),
                       [&](u32 pc) { return pc - address < bytes && has(pc, l1); });
  }
  /// A bit for each word of the line at `address` that is one.
  u16 in_line(u32 address, const u8* l1) const;
  bool empty() const { return pcs_.empty(); }

  /// A core was parked that had come back to `pc` after `period` cycles. The lines in which
  /// something has changed by that: that of `pc`, and that of the head which makes room; the same
  /// one twice if none does.
  using Lines = std::array<u32, 2>;
  Lines add(u32 pc, Cycle period, const u8* l1);
  /// Cores of other tiles wait there, and this one has room. False: it is a head already, or was
  /// one that looks were in vain at.
  bool adopt(u32 pc, LoopShape shape, std::shared_ptr<const KnownRound> round, const u8* l1);
  /// A look at the round that begins there was in vain. True: so often that the head is none any
  /// more.
  bool was_in_vain(u32 pc);
  /// A core was parked there. True: it is worth while to learn which round it goes through, since
  /// cores have waited there before. The more often what was learnt was of no use, the rarer.
  bool was_of_use(u32 pc);
  /// What is known of the round that begins there.
  struct Round {
    LoopShape shape;                    // of period 0: it is no head any more
    const KnownRound* known = nullptr;  // null: nothing else
    /// Who comes by for the first time may be about to go through it, too.
    bool early = false;
  };
  Round round_at(u32 pc) const {
    const Head* const head = find(pc);
    return head != nullptr ? Round{head->shape, head->round.get(), head->early_others < kMostOthers}
                           : Round{};
  }
  void learn(u32 pc, std::shared_ptr<const KnownRound> round);
  /// The known round was gone through once more, or was not the one.
  void was_known(u32 pc, bool same);
  /// Who came by for the first time did not go through it.
  void was_not_known_early(u32 pc);
  void clear();
  /// Asks the host for what a look at any of them needs.
  void fetch() const {
    for (const Head& head : heads_) __builtin_prefetch(&head);
  }

 private:
  // Chosen, not measured: firmware's cores wait in seven loops of a launch.
  static constexpr std::size_t kMost = 24;
  static constexpr u32 kMostInVain = 4;
  static constexpr u32 kMostOthers = 4;
  static constexpr u32 kFirstLearnt = 2;
  static constexpr u32 kFirstOfOthers = 1;  // where cores of other tiles wait

  // What a look at it needs lies in one line of the host's caches.
  struct alignas(64) Head {
    u32 in_vain = 0;               // looks, one after the other
    u32 of_use = 0;                // cores parked since a known round was the one
    u32 learns_at = kFirstLearnt;  // so many of them
    u32 others = 0;                // rounds, one after the other, that were not the known one
    u32 early_others = 0;          // likewise, of first ones
    LoopShape shape;
    std::shared_ptr<const KnownRound> round;
    u32 line;
    std::array<u8, kLineBytes> words;  // of the line at `line`
    bool stands_in(const u8* l1) const { return std::equal(words.begin(), words.end(), l1 + line); }
  };
  const Head* find(u32 pc) const {
    for (std::size_t i = 0; i < pcs_.size(); ++i)
      if (pcs_[i] == pc) return &heads_[i];
    return nullptr;
  }
  Head* find(u32 pc) { return const_cast<Head*>(std::as_const(*this).find(pc)); }
  Head& make(u32 pc, LoopShape shape, const u8* l1);
  void erase(std::size_t index);

  // The oldest first. Where they are lies together, since it is asked for most.
  InplaceVector<u32, kMost> pcs_;
  InplaceVector<Head, kMost> heads_;
  InplaceVector<u32, kMost> given_up_;  // the latest at which looks were in vain
};

}  // namespace bhemu::riscv
