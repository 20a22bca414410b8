// Drawn statements: BlackholeA0/TensixTile/BabyRISCV/L1CacheTagSearchAccel.md. Only BRISC can use
// it.
#include "audit/on_cores.hpp"
#include "tensix/config.hpp"

namespace bhemu::test {
namespace {

namespace cfg = tensix::cfg;

constexpr u32 kTags = 0x4000, kValid = 0x5000, kData = 0x6000;

/// A tile whose BRISC sets fields of the accelerator's configuration, word by word.
class Search : public OnCores {
 public:
  template <class Field>
  void set(u32 value) {
    Field::set(words_, value);
    write_word(Field::kWord);
  }
  /// Appends: configuration word := what the fields set so far say.
  void write_word(u32 word) { store(Brisc, 0xFFEF0000 + 4 * word, words_[word]); }
  void describe() {
    set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Tag_Width>(2);  // words
    set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Start_Addr>(kTags / 16);
    set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_End_Addr>(kTags / 16 + 3);
    set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Valid_bit_section_start_addr>(kValid / 16);
    set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Valid_bit_section_end_addr>(kValid / 16);
    set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Data_Valid_bit_section_start_addr>(kData / 16);
  }
  void look(u32 index, u32 address) {
    on(Brisc).fence();  // no hit in the L0 data cache
    load_result(Brisc, index, address);
  }

 private:
  tensix::ConfigWords words_{};
};

TEST(AuditTagSearch, finds_a_valid_tag_and_allocates_when_there_is_none) {
  Search chip;
  for (u32 i = 0; i < 16; ++i) chip.write(kTags + 4 * i, 0x100 + i);
  chip.write(kValid, 0x000000FF);
  chip.describe();
  chip.set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Tag_Value_low>(0x105);
  chip.set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Search_Enable>(1);
  chip.look(0, kTags);
  // The latched value stays until one of the five bits changes.
  chip.set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Tag_Value_low>(0x109);
  chip.look(1, kTags + 4);
  chip.set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Tag_alloc>(1);
  chip.look(2, kTags);
  chip.look(3, kTags + 16);  // outside of the first 16 bytes: L1
  chip.go();
  EXPECT_EQ(chip.result(0), 6u);
  EXPECT_EQ(chip.result(1), 6u);
  EXPECT_EQ(chip.result(2), 0x80000001u + 8) << "found, but not valid: the first free index";
  EXPECT_EQ(chip.result(3), 0x104u);
}

TEST(AuditTagSearch, invalidates_all_when_told_to) {
  Search chip;
  chip.write(kValid, 0xFFFFFFFF);
  chip.write(kValid + 12, 0xFFFFFFFF);
  chip.describe();
  chip.set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Tag_inv_all>(1);
  chip.look(0, kValid);
  chip.go();
  EXPECT_EQ(chip.result(0), 0u);
  EXPECT_EQ(chip.read(kValid), 0u);
  EXPECT_EQ(chip.read(kValid + 12), 0u);
}

TEST(AuditTagSearch, tells_one_bit_of_a_vector) {
  for (const u32 bit : {5u, 6u, 37u}) {
    Search chip;
    chip.write(kData, 1u << 5);
    chip.write(kData + 4, 1u << 5);
    chip.describe();
    chip.set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Data_Valid_offset>(bit);
    chip.set<cfg::L1_CACHE_TAG_SEARCH_ACCEL_Data_Valid_chk>(1);
    chip.look(0, kData);
    chip.go();
    EXPECT_EQ(chip.result(0), bit == 6 ? 0u : 1u) << bit;
  }
}

}  // namespace
}  // namespace bhemu::test
