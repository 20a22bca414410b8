// The L1 cache tag search accelerator as BRISC meets it (L1CacheTagSearchAccel.md).
#include "tile/tag_search.hpp"

#include <random>

#include "support/rounds.hpp"
#include "tile/one_tile.hpp"

namespace bhemu::test {
namespace {

constexpr u32 kTags = 0x20000;
constexpr u32 kValids = 0x30000;
constexpr u32 kData = 0x38000;
constexpr u32 kResult = 0x10000;
constexpr u32 kConfig = 0xFFEF0000;

struct Setting {
  u32 log2_width = 2;
  u64 tag = 0;
  u32 blocks = 4;        // of tags
  u32 valid_blocks = 1;  // of their bits
  bool search = false, allocate = false, invalidate = false, invalidate_all = false, query = false;
  u32 data_offset = 0;

  std::vector<u32> words() const {
    const u32 first = kTags / 16, valids = kValids / 16, data = kData / 16;
    return {u32{search} | first << 1,
            first + blocks - 1,
            static_cast<u32>(tag),
            static_cast<u32>(tag >> 32),
            log2_width | valids << 2,
            valids + valid_blocks - 1,
            data | u32{query} << 17,
            data_offset | u32{invalidate} << 24 | u32{invalidate_all} << 25 | u32{allocate} << 26};
  }
};

struct Searcher : OneTile {
  /// BRISC configures, then reads `address` `times` and switches everything off again.
  std::vector<u32> read_with(const Setting& setting, u32 address, u32 times = 1) {
    Assembler a;
    a.li(t0, kConfig);
    const std::vector<u32> words = setting.words();
    // The words whose bits count come last.
    for (const u32 i : {1u, 2u, 3u, 4u, 5u, 7u, 6u, 0u}) {
      a.li(t1, words[i]);
      a.li(t2, kConfig + (212 + i) * 4);
      a.sw(t1, 0, t2);
    }
    a.li(s0, address);
    a.li(s1, kResult);
    for (u32 i = 0; i < times; ++i) {
      a.lw(a0, 0, s0);
      a.sw(a0, static_cast<i32>(4 * i), s1);
    }
    for (const u32 i : {0u, 6u, 7u}) {
      a.li(t2, kConfig + (212 + i) * 4);
      a.sw(zero, 0, t2);
    }
    a.lw(a0, 0, s0);
    a.sw(a0, static_cast<i32>(4 * times), s1);
    a.halt();
    load(0, a.finish());
    start({});
    start({CoreId::Brisc});
    run();
    std::vector<u32> results;
    for (u32 i = 0; i <= times; ++i) results.push_back(read(kResult + 4 * i));
    return results;
  }
};

TEST(TagSearch, finds_the_first_tag_that_matches_and_counts_from_one) {
  Searcher chip;
  for (u32 i = 0; i < 16; ++i) chip.write(kTags + 4 * i, 100 + i);
  chip.write(kValids, 0xFFFF);
  Setting setting{.tag = 107, .search = true};
  EXPECT_EQ(chip.read_with(setting, kTags), (std::vector<u32>{8, 100}));
  EXPECT_EQ(chip.read_with(setting, kTags + 12), (std::vector<u32>{8, 103}))
      << "anywhere in the 16 bytes";
  EXPECT_EQ(chip.read_with(setting, kTags + 16), (std::vector<u32>{104, 104})) << "but not behind";
  setting.tag = 116;
  EXPECT_EQ(chip.read_with(setting, kTags), (std::vector<u32>{0, 100}));
  EXPECT_TRUE(chip.tile->faults().faults().empty());
}

TEST(TagSearch, ends_at_a_match_that_is_not_valid) {
  Searcher chip;
  chip.write(kTags + 4, 7);
  chip.write(kTags + 8, 7);
  chip.write(kValids, 1u << 2);
  EXPECT_EQ(chip.read_with({.tag = 7, .search = true}, kTags)[0], 0u);
  EXPECT_EQ(chip.read_with({.tag = 7, .search = true, .allocate = true}, kTags)[0], 0x80000001u);
}

TEST(TagSearch, invalidates_what_it_finds_when_asked_to) {
  Searcher chip;
  for (u32 i = 0; i < 16; ++i) chip.write(kTags + 4 * i, i + 1);
  chip.write(kValids, 0xFFFF);
  const auto results = chip.read_with({.tag = 4, .search = true, .invalidate = true}, kTags, 2);
  EXPECT_EQ(results, (std::vector<u32>{4, 0, 1}));
  EXPECT_EQ(chip.read(kValids), 0xFFF7u);
}

TEST(TagSearch, allocates_the_first_entry_that_is_not_valid_or_any) {
  Searcher chip;
  chip.write(kValids, ~0u);
  chip.write(kValids + 4, ~(1u << 5));
  EXPECT_EQ(chip.read_with({.tag = 9, .search = true, .allocate = true}, kTags)[0],
            0x80000001u + 37);
  for (u32 i = 0; i < 4; ++i) chip.write(kValids + 4 * i, ~0u);
  const auto any = chip.read_with({.tag = 9, .search = true, .allocate = true}, kTags, 8);
  for (u32 i = 0; i < 8; ++i) {
    EXPECT_GE(any[i], 0x80000001u);
    EXPECT_LT(any[i], 0x80000001u + 128);
  }
}

TEST(TagSearch, invalidates_all_or_tells_one_bit_of_a_vector) {
  Searcher chip;
  for (u32 i = 0; i < 12; ++i) chip.write(kValids + 4 * i, ~0u);
  EXPECT_EQ(chip.read_with({.valid_blocks = 2, .search = true, .invalidate_all = true}, kValids)[0],
            0u);
  for (u32 i = 0; i < 12; ++i) EXPECT_EQ(chip.read(kValids + 4 * i), i < 8 ? 0u : ~0u) << i;
  chip.write(kData + 4 * 3, 1u << 9);
  for (const u32 bit : {104u, 105u, 106u})
    EXPECT_EQ(chip.read_with({.query = true, .data_offset = bit}, kData)[0], bit == 105 ? 1u : 0u);
  EXPECT_TRUE(chip.tile->faults().faults().empty());
}

TEST(TagSearch, agrees_with_the_documents_formula_for_every_width) {
  std::mt19937_64 random(seed(31));
  for (u64 round = 0; round < rounds(60); ++round) {
    Searcher chip;
    Setting setting;
    setting.log2_width = static_cast<u32>(random() % 4);
    setting.search = true;
    setting.tag = random() % 3 << (random() % 2 * 33);
    const u32 bytes = 1u << setting.log2_width;
    const u32 count = setting.blocks * 16 / bytes;
    const u64 mask = bytes == 8 ? ~u64{0} : (u64{1} << (8 * bytes)) - 1;
    std::vector<u8> tags(count * bytes);
    std::vector<u64> values(count);
    for (u32 i = 0; i < count; ++i) {
      values[i] = (random() % 5 << (random() % 2 * 33)) & mask;
      for (u32 byte = 0; byte < bytes; ++byte)
        tags[i * bytes + byte] = static_cast<u8>(values[i] >> (8 * byte));
    }
    EXPECT_TRUE(chip.tile->host_write(kTags, tags, 0));
    const u32 valid = static_cast<u32>(random());
    chip.write(kValids, valid);
    u32 expected = 0;
    for (u32 i = 0; i < count && expected == 0; ++i) {
      if (values[i] != (setting.tag & mask)) continue;
      if (i >= 32 || (valid >> i & 1) == 0) break;
      expected = i + 1;
    }
    EXPECT_EQ(chip.read_with(setting, kTags)[0], expected) << setting.log2_width;
  }
}

TEST(TagSearch, takes_its_configuration_over_only_when_one_of_five_bits_changes) {
  Searcher chip;
  for (u32 i = 0; i < 16; ++i) chip.write(kTags + 4 * i, i + 1);
  chip.write(kValids, 0xFFFF);
  Assembler a;
  const auto set = [&a](u32 word, u32 value) {
    a.li(t1, value);
    a.li(t2, kConfig + word * 4);
    a.sw(t1, 0, t2);
  };
  const Setting setting{.tag = 3, .search = true};
  const auto words = setting.words();
  for (const u32 i : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 0u}) set(212 + i, words[i]);
  a.li(s0, kTags);
  a.li(s1, kResult);
  set(214, 5);  // the tag is still 3
  a.lw(a0, 0, s0);
  a.sw(a0, 0, s1);
  set(219, 1u << 26);  // allocate: everything is taken over
  a.lw(a0, 0, s0);
  a.sw(a0, 4, s1);
  a.halt();
  chip.load(0, a.finish());
  chip.start({CoreId::Brisc});
  chip.run();
  EXPECT_EQ(chip.read(kResult), 3u);
  EXPECT_EQ(chip.read(kResult + 4), 5u);
}

TEST(TagSearch, is_seen_by_no_other_core_and_wakes_brisc_from_a_loop_over_the_same_word) {
  for (const bool parking : {false, true}) {
    OneTile chip(16, parking);
    for (u32 i = 0; i < 16; ++i) chip.write(kTags + 4 * i, i);
    chip.write(kValids, 0xFFFF);
    Assembler b;  // BRISC polls the word until it is 6
    b.li(s0, kTags);
    b.li(t0, 6);
    b.label("loop");
    b.lw(a0, 0, s0);
    b.bne(a0, t0, "loop");
    b.li(s1, kResult);
    b.sw(a0, 0, s1);
    b.halt();
    chip.load(0, b.finish());
    Assembler t(0x6000);  // TRISC0 switches the search on after a while, and reads the word itself
    t.li(t0, 2000);
    t.label("wait");
    t.addi(t0, t0, -1);
    t.bne(t0, zero, "wait");
    const auto words = Setting{.tag = 5, .search = true}.words();
    for (const u32 i : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 0u}) {
      t.li(t1, words[i]);
      t.li(t2, kConfig + (212 + i) * 4);
      t.sw(t1, 0, t2);
    }
    t.li(s0, kTags);
    t.lw(a0, 0, s0);
    t.li(s1, kResult);
    t.sw(a0, 4, s1);
    t.halt();
    chip.load(0x6000, t.finish());
    chip.write(kResult + 4, 77);
    chip.start({CoreId::Brisc, CoreId::Trisc0});
    chip.run(20'000);
    EXPECT_EQ(chip.read(kResult), 6u);
    EXPECT_EQ(chip.read(kResult + 4), 0u);
  }
}

TEST(TagSearch, without_an_end_beyond_l1_or_by_a_narrow_load_is_refused) {
  for (const Setting& setting :
       {Setting{.blocks = 0, .search = true}, Setting{.blocks = 0x18000, .search = true},
        Setting{.valid_blocks = 0x18000, .search = true, .allocate = true}}) {
    Searcher chip;
    chip.read_with(setting, kTags);
    ASSERT_EQ(chip.tile->faults().faults().size(), 1u);
    EXPECT_EQ(chip.tile->faults().faults()[0].rule, Rule::TileTagSearch);
    EXPECT_TRUE(chip.tile->faults().stopped());
  }
}

}  // namespace
}  // namespace bhemu::test
