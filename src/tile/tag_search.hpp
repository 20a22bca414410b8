// The L1 cache tag search accelerator: while it is switched on, a read of a certain 16 bytes of L1
// by BRISC gives the result of a search through arrays in L1 instead.
//
// Document: jasondavies/tt-isa-documentation BlackholeA0/TensixTile/BabyRISCV/
// L1CacheTagSearchAccel.md. It takes its configuration over when one of five bits changes.
// Chosen where the page leaves it open: which entry an allocation takes when all are valid
// ("random") comes from a generator of its own. Not modelled: the cycles that a search takes, and
// the L0 data cache, in which silicon keeps the result of a read until it is flushed.
#pragma once

#include <optional>

#include "mem/l1.hpp"
#include "tensix/config.hpp"

namespace bhemu::tile {

class TagSearch {
 public:
  /// The configuration words that hold the bits whose change counts.
  static bool concerns(u32 config_word);
  /// After a write to one of them. True: the configuration was taken over.
  bool latch(const tensix::ConfigWords& config);
  bool armed() const { return search_ || invalidate_all_ || query_; }

  enum class Operation : u8 { None, Search, InvalidateAll, Query };
  /// What a read of `address` sets off.
  Operation operation_at(u32 address) const;
  /// Carries it out. None: its arrays do not lie in L1, or have no end.
  std::optional<u32> perform(Operation operation, L1& l1, const Author& author);

  u64 hash(u64 seed) const;

 private:
  std::optional<u32> search(L1& l1, const Author& author);
  std::optional<u32> allocate(const L1& l1);
  u32 next_random();

  bool search_ = false;
  bool allocate_ = false;
  bool invalidate_ = false;
  bool invalidate_all_ = false;
  bool query_ = false;
  u8 log2_width_ = 0;
  u64 tag_ = 0;
  // In units of 16 bytes; the last of an array is part of it.
  u32 first_ = 0;
  u32 last_ = 0;
  u32 valid_first_ = 0;
  u32 valid_last_ = 0;
  u32 data_first_ = 0;
  u32 data_offset_ = 0;
  u32 random_ = 1;
};

}  // namespace bhemu::tile
