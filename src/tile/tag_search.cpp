#include "tile/tag_search.hpp"

#include "base/bits.hpp"
#include "mem/mapping.hpp"

namespace bhemu::tile {
namespace {

using namespace tensix::cfg;

constexpr u32 kBlock = 16;

u64 read_tag(const L1& l1, u32 address, u32 bytes) {
  u64 value = 0;
  l1.read(address, &value, bytes);
  return value;
}

/// The byte that holds bit `index` of an array of 64-bit words: little-endian, so simply its byte.
u32 byte_of(u32 first_block, u64 index) {
  return static_cast<u32>(first_block * u64{kBlock} + index / 8);
}

bool lies_in_l1(u64 address, u64 bytes) {
  return address + bytes <= L1::kSize;
}

}  // namespace

bool TagSearch::concerns(u32 config_word) {
  return config_word == L1_CACHE_TAG_SEARCH_ACCEL_Search_Enable::kWord ||
         config_word == L1_CACHE_TAG_SEARCH_ACCEL_Data_Valid_chk::kWord ||
         config_word == L1_CACHE_TAG_SEARCH_ACCEL_Tag_inv::kWord;
}

bool TagSearch::latch(const tensix::ConfigWords& config) {
  const bool search = L1_CACHE_TAG_SEARCH_ACCEL_Search_Enable::get(config) != 0;
  const bool allocate = L1_CACHE_TAG_SEARCH_ACCEL_Tag_alloc::get(config) != 0;
  const bool invalidate = L1_CACHE_TAG_SEARCH_ACCEL_Tag_inv::get(config) != 0;
  const bool invalidate_all = L1_CACHE_TAG_SEARCH_ACCEL_Tag_inv_all::get(config) != 0;
  const bool query = L1_CACHE_TAG_SEARCH_ACCEL_Data_Valid_chk::get(config) != 0;
  if (search == search_ && allocate == allocate_ && invalidate == invalidate_ &&
      invalidate_all == invalidate_all_ && query == query_)
    return false;
  search_ = search;
  allocate_ = allocate;
  invalidate_ = invalidate;
  invalidate_all_ = invalidate_all;
  query_ = query;
  log2_width_ = static_cast<u8>(L1_CACHE_TAG_SEARCH_ACCEL_Tag_Width::get(config));
  tag_ = L1_CACHE_TAG_SEARCH_ACCEL_Tag_Value_low::get(config) |
         u64{L1_CACHE_TAG_SEARCH_ACCEL_Tag_Value_high::get(config)} << 32;
  first_ = L1_CACHE_TAG_SEARCH_ACCEL_Start_Addr::get(config);
  last_ = L1_CACHE_TAG_SEARCH_ACCEL_End_Addr::get(config);
  valid_first_ = L1_CACHE_TAG_SEARCH_ACCEL_Valid_bit_section_start_addr::get(config);
  valid_last_ = L1_CACHE_TAG_SEARCH_ACCEL_Valid_bit_section_end_addr::get(config);
  data_first_ = L1_CACHE_TAG_SEARCH_ACCEL_Data_Valid_bit_section_start_addr::get(config);
  data_offset_ = L1_CACHE_TAG_SEARCH_ACCEL_Data_Valid_offset::get(config);
  return true;
}

TagSearch::Operation TagSearch::operation_at(u32 address) const {
  const u32 block = address / kBlock;
  if (invalidate_all_) return block == valid_first_ ? Operation::InvalidateAll : Operation::None;
  if (query_) return block == data_first_ ? Operation::Query : Operation::None;
  return search_ && block == first_ ? Operation::Search : Operation::None;
}

std::optional<u32> TagSearch::perform(Operation operation, L1& l1, const Author& author) {
  const bool valid_ends =
      valid_last_ >= valid_first_ &&
      lies_in_l1(u64{valid_first_} * kBlock, (u64{valid_last_} - valid_first_ + 1) * kBlock);
  switch (operation) {
    case Operation::Search:
      if (allocate_ && !valid_ends) return std::nullopt;
      return search(l1, author);
    case Operation::InvalidateAll: {
      if (!valid_ends) return std::nullopt;
      constexpr std::array<u8, kBlock> kZeros{};
      for (u32 block = valid_first_; block <= valid_last_; ++block)
        l1.write(block * kBlock, kZeros.data(), kBlock, author);
      return 0;
    }
    default: {
      const u32 address = byte_of(data_first_, data_offset_);
      if (!lies_in_l1(address, 1)) return std::nullopt;
      return static_cast<u32>(read_tag(l1, address, 1) >> (data_offset_ % 8) & 1);
    }
  }
}

std::optional<u32> TagSearch::search(L1& l1, const Author& author) {
  if (last_ < first_ || !lies_in_l1(u64{first_} * kBlock, (u64{last_} - first_ + 1) * kBlock))
    return std::nullopt;
  const u32 bytes = 1u << log2_width_;
  const u64 wanted = bytes == 8 ? tag_ : tag_ & ((u64{1} << (bytes * 8)) - 1);
  const u32 count = (last_ - first_ + 1) * kBlock / bytes;
  for (u32 i = 0; i < count; ++i) {
    if (read_tag(l1, first_ * kBlock + i * bytes, bytes) != wanted) continue;
    const u32 address = byte_of(valid_first_, i);
    if (!lies_in_l1(address, 1)) return std::nullopt;
    const u8 valids = static_cast<u8>(read_tag(l1, address, 1));
    const u8 mask = static_cast<u8>(1u << (i % 8));
    if ((valids & mask) == 0) break;  // found, but not valid: that ends the search
    if (invalidate_) {
      const u8 cleared = static_cast<u8>(valids & ~mask);
      l1.write(address, &cleared, 1, author);
    }
    return 1 + i;
  }
  return allocate_ ? allocate(l1) : 0;
}

std::optional<u32> TagSearch::allocate(const L1& l1) {
  constexpr u32 kAllocated = 0x80000001;
  const u32 bytes = (valid_last_ - valid_first_ + 1) * kBlock;
  for (u32 i = 0; i < bytes * 8; ++i) {
    if ((read_tag(l1, byte_of(valid_first_, i), 1) >> (i % 8) & 1) == 0) return kAllocated + i;
  }
  return kAllocated + next_random() % (bytes * 8);
}

u32 TagSearch::next_random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  return random_;
}

// Nothing while it has never been used.
u64 TagSearch::hash(u64 seed) const {
  const u64 words[] = {u64{search_} | u64{allocate_} << 1 | u64{invalidate_} << 2 |
                           u64{invalidate_all_} << 3 | u64{query_} << 4 | u64{log2_width_} << 8,
                       tag_,
                       u64{first_} << 32 | last_,
                       u64{valid_first_} << 32 | valid_last_,
                       u64{data_first_} << 32 | data_offset_,
                       random_};
  const bool unused =
      words[0] == 0 && tag_ == 0 && words[2] == 0 && words[3] == 0 && words[4] == 0 && random_ == 1;
  return unused ? seed : hash_bytes(seed, words, sizeof words);
}

}  // namespace bhemu::tile
