// Long fills of memory: what is remembered of them, and the copy that goes past the host's caches.
#include "mem/fills.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "mem/copy_past_caches.hpp"
#include "mem/mapping.hpp"

namespace bhemu {
namespace {

constexpr u64 kGranule = Fills::kGranule;
constexpr u64 kBlock = Fills::kBlock;
constexpr u64 kCache = 4 * kBlock;

/// Fills so many bytes in pieces, as long as it is asked to. True: all of them were cold.
struct Uploader {
  Fills fills{64 * kBlock, kCache};

  bool all_cold(u64 offset, u64 bytes, u64 piece) { return cold(offset, bytes, piece) == bytes; }
  bool none_cold(u64 offset, u64 bytes, u64 piece) { return cold(offset, bytes, piece) == 0; }

 private:
  u64 cold(u64 offset, u64 bytes, u64 piece) {
    u64 all = 0;
    for (const u64 end = offset + bytes; offset < end;) {
      const u64 next = std::min({end, offset + piece, (offset / kBlock + 1) * kBlock});
      if (fills.begin(offset, next - offset)) all += next - offset;
      offset = next;
    }
    return all;
  }
};

TEST(Fills, what_is_filled_again_and_again_and_fits_into_the_cache_is_never_cold) {
  for (const u64 piece : {kGranule, kGranule + 4096, 4 * kGranule, kBlock}) {
    Uploader uploader;
    for (int round = 0; round < 20; ++round)
      EXPECT_TRUE(uploader.none_cold(3 * kBlock, kCache, piece)) << piece;
  }
}

TEST(Fills, what_does_not_fit_into_the_cache_is_cold_from_the_second_time_on) {
  for (const u64 piece : {kGranule, kGranule + 4096, 4 * kGranule, kBlock}) {
    Uploader uploader;
    uploader.none_cold(0, 2 * kCache, piece);
    for (int round = 0; round < 20; ++round)
      EXPECT_TRUE(uploader.all_cold(0, 2 * kCache, piece)) << piece;
  }
}

TEST(Fills, a_block_that_is_filled_twice_in_a_row_is_cold_only_the_first_time) {
  Uploader uploader;
  uploader.none_cold(0, kBlock, kGranule);
  uploader.none_cold(kBlock, 2 * kCache, kGranule);
  EXPECT_TRUE(uploader.all_cold(0, kBlock, kGranule));
  EXPECT_TRUE(uploader.none_cold(0, kBlock, kGranule));
  EXPECT_TRUE(uploader.none_cold(0, kBlock, 8 * kGranule));
}

TEST(Fills, pages_are_there_once_whole_granules_of_them_were_made) {
  Fills fills(3 * kBlock, kCache);
  EXPECT_FALSE(fills.has_pages(kBlock, 1));
  fills.made_pages(kBlock + 4096, 2 * kGranule);  // the second granule as a whole
  EXPECT_FALSE(fills.has_pages(kBlock + 4096, kGranule));
  EXPECT_TRUE(fills.has_pages(kBlock + kGranule, kGranule));
  EXPECT_FALSE(fills.has_pages(kBlock + kGranule, kGranule + 1));
  fills.made_pages(kBlock, kBlock);
  EXPECT_TRUE(fills.has_pages(kBlock, kBlock));
  EXPECT_FALSE(fills.has_pages(2 * kBlock, 1));
  fills.made_pages(2 * kBlock + 1, 4096);  // no granule as a whole
  EXPECT_FALSE(fills.has_pages(2 * kBlock + 1, 1));
}

TEST(CopyPastCaches, copies_what_it_is_told_to_and_nothing_else_wherever_it_begins) {
  std::mt19937_64 random(11);
  std::vector<u8> source(5000), target(5000), model(5000);
  for (u8& byte : source) byte = static_cast<u8>(random());
  for (int round = 0; round < 5000; ++round) {
    const u64 bytes = random() % (round % 2 == 0 ? 200 : 4000);
    const u64 from = random() % (source.size() - bytes);
    const u64 to = random() % (target.size() - bytes);
    copy_past_caches(target.data() + to, source.data() + from, bytes);
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                model.begin() + static_cast<std::ptrdiff_t>(to));
    ASSERT_EQ(target, model) << bytes << " from " << from << " to " << to;
  }
}

TEST(CopyPastCaches, uploads_that_no_cache_holds_read_back) {
  constexpr u64 kBytes = 66 << 20;  // more than cache_bytes() of mapping.cpp is at most
  constexpr u64 kPiece = 700'001;
  std::vector<u8> piece(kPiece);
  for (const bool large_pages : {false, true}) {
    Mapping memory =
        large_pages ? Mapping::in_large_pages("test", kBytes) : Mapping("test", kBytes);
    for (u8 round = 0; round < 3; ++round) {
      for (u64 i = 0; i < kPiece; ++i) piece[i] = static_cast<u8>(i * 31 >> 7 ^ round);
      for (u64 at = 0; at + kPiece <= kBytes; at += kPiece) memory.fill(at, piece.data(), kPiece);
      for (u64 at = 0; at + kPiece <= kBytes; at += kPiece)
        ASSERT_TRUE(std::equal(piece.begin(), piece.end(), memory.data() + at)) << at;
    }
  }
}

}  // namespace
}  // namespace bhemu
