// What users write for a place, and what is made of it.
#include <gtest/gtest.h>

#include <vector>

#include "host/error.hpp"
#include "tensix/config.hpp"
#include "watch/range_map.hpp"
#include "watch/why.hpp"

namespace bhemu::watch {
namespace {

std::string place_text(const std::string& text) {
  std::string all;
  for (const Place& place : parse_places("--why", text))
    all += (all.empty() ? "" : "; ") + describe(place);
  return all;
}

std::string refusal_of(const std::string& text) {
  try {
    parse_places("--why", text);
  } catch (const host::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Places, are_read_as_users_write_them) {
  EXPECT_EQ(place_text("0x1000"), "memory [0x01000, +4]");
  EXPECT_EQ(place_text("0x1000+64"), "memory [0x01000, +64]");
  EXPECT_EQ(place_text("l1:4096-4099"), "memory [0x01000, +4]");
  EXPECT_EQ(place_text("dst:3"), "Dst row 3");
  EXPECT_EQ(place_text("dst:0-7"), "Dst rows 0..7");
  EXPECT_EQ(place_text("srca:5"), "SrcA row 5 of bank 0; SrcA row 5 of bank 1");
  EXPECT_EQ(place_text("src b:1:0-15"), "SrcB rows 0..15 of bank 1");
  EXPECT_EQ(place_text("lreg:2"), "LReg 2");
  EXPECT_EQ(place_text("lreg:2:31"), "LReg 2, lane 31");
  EXPECT_EQ(place_text("dst:3:5"), "Dst row 3, column 5");
  EXPECT_EQ(place_text("dst:3:0-15"), "Dst row 3");
  EXPECT_EQ(place_text("dst:3:0-3"), "Dst row 3, even columns 0..2; Dst row 3, odd columns 1..3");
  EXPECT_EQ(place_text("srcb:1:4:2-3"), "SrcB row 4, columns 2..3 of bank 1");
  EXPECT_EQ(place_text("gpr:1:16"), "GPR 16 of thread 1");
  EXPECT_EQ(place_text("sem:1"), "semaphore 1");
  EXPECT_EQ(place_text("mutex:2"), "mutex 2");
  EXPECT_EQ(place_text("cb:3"), "pages received in CB 3; pages acknowledged in CB 3");
  EXPECT_EQ(place_text("stream:3:12"), "stream 3 register 12");
  EXPECT_EQ(place_text("ldm:trisc1:0x20"), "local memory [0x0020, +4] of TRISC1");
  EXPECT_EQ(place_text("reg:0xffb12000"), "register 0xffb12000");
  EXPECT_EQ(place_text("cfg:THCON_SEC0_REG2_Out_data_format"),
            "configuration THCON_SEC0_REG2_Out_data_format of bank 0; "
            "configuration THCON_SEC0_REG2_Out_data_format of bank 1");
  EXPECT_EQ(parse_places("--why", "cfg:thcon_sec0_reg2_out_data_format").front().size(), 4u);
}

TEST(Places, of_a_touch_of_every_other_column_are_halves_of_rows) {
  const auto halves = [](u32 mask) {
    std::string all;
    each_place({tensix::Space::Dst, tensix::Access::Read, 4, 2, mask},
               [&](const Place& place) { all += describe(place) + "; "; });
    return all;
  };
  EXPECT_EQ(halves(0xFFFF), "Dst rows 4..5; ");
  EXPECT_EQ(halves(0x5555), "Dst row 4, even columns; Dst row 5, even columns; ");
  EXPECT_EQ(halves(0xAAAA), "Dst row 4, odd columns; Dst row 5, odd columns; ");
  EXPECT_EQ(halves(0x0002), "Dst row 4, column 1; Dst row 5, column 1; ");
}

TEST(Places, that_make_no_sense_are_refused_with_what_would) {
  EXPECT_NE(refusal_of("gprs:3").find("did you mean 'gpr'"), std::string::npos);
  EXPECT_NE(refusal_of("cfg:THCON_SEC0_REG2_Out_data_formt")
                .find("did you mean 'THCON_SEC0_REG2_Out_data_format'"),
            std::string::npos);
  for (const char* text : {"", "dst:", "dst:1024", "dst:7-3", "0x", "0x10+0", "gpr:3:0", "gpr:0:64",
                           "gpr:1", "sem:8", "l1:x", "ldm:trisc9:0", "cfg:", "dst:1:16",
                           "dst:1:2:3", "srca:0:64:0", "srca:0:1:16", "lreg:1:32", "-4"})
    EXPECT_NE(refusal_of(text), "") << text;
}

TEST(Questions, begin_with_a_tile_that_the_board_has) {
  const Board board(BoardOptions::defaults(BoardModel::P100A));
  for (const char* text : {"1-2 dst:0", "1,2 dst:0", "(1, 2) dst:0", "(1,2) dst:0", "1-2:dst:0"}) {
    const Question question = parse_question("--why", text, board);
    EXPECT_EQ(question.tile, (Coord{1, 2})) << text;
    EXPECT_EQ(question.places.size(), 1u) << text;
    EXPECT_EQ(question.places.front().area, Area::Dst) << text;
  }
  for (const char* text : {"dst:0", "1-2", "30-30 dst:0", "1-2-3 dst:0", "300-2 dst:0", ""})
    EXPECT_THROW(parse_question("--why", text, board), host::InputError) << text;
}

TEST(Ranges, keep_the_latest_value_of_every_unit) {
  RangeMap<int> map;
  std::array<int, 64> model{};
  u32 random = 12345;
  for (int step = 1; step < 2000; ++step) {
    random = random * 1664525 + 1013904223;
    const u32 begin = random >> 8 & 63;
    const u32 end = std::min(64u, begin + (random >> 16 & 15));
    map.assign(begin, end, step);
    for (u32 i = begin; i < end; ++i) model[i] = step;
    std::array<int, 64> found{};
    u64 last = 0;
    map.each(0, 64, [&](u64 first, u64 until, int value) {
      EXPECT_LE(last, first);
      last = until;
      for (u64 i = first; i < until; ++i) found[i] = value;
    });
    ASSERT_EQ(found, model) << step;
  }
  map.each(10, 11, [&](u64 first, u64 until, int value) {
    EXPECT_EQ(first, 10u);
    EXPECT_EQ(until, 11u);
    EXPECT_EQ(value, model[10]);
  });
}

/// Groups of units, several pages, and so many values that those nobody has any more are dropped.
TEST(Ranges, keep_the_latest_value_of_every_unit_of_a_long_range) {
  constexpr u64 kUnits = 20000;
  for (const u32 shift : {0u, 2u, 5u}) {
    RangeMap<int> map(shift);
    std::vector<int> model(kUnits);
    u32 random = 12345;
    const auto draw = [&] { return (random = random * 1664525 + 1013904223) >> 8; };
    for (int step = 1; step <= 60000; ++step) {
      const u64 begin = draw() % kUnits;
      const u64 length = draw() % 8 == 0 ? draw() % 3000 : draw() % 40;
      const u64 end = std::min(kUnits, begin + length);
      map.assign(begin, end, step);
      std::fill(model.begin() + static_cast<std::ptrdiff_t>(begin),
                model.begin() + static_cast<std::ptrdiff_t>(end), step);
      if (step % 5000 != 0) continue;
      std::vector<int> found(kUnits);
      map.each(0, kUnits, [&](u64 first, u64 until, int value) {
        std::fill(found.begin() + static_cast<std::ptrdiff_t>(first),
                  found.begin() + static_cast<std::ptrdiff_t>(until), value);
      });
      ASSERT_EQ(found, model) << shift << " " << step;
    }
    const u64 far = u64{1} << 40;
    map.assign(far - 3, far + 3, -1);
    u64 seen = 0;
    map.each(far - 100, far + 100, [&](u64 first, u64 until, int value) {
      EXPECT_EQ(value, -1);
      seen += until - first;
    });
    EXPECT_EQ(seen, 6u);
  }
}

}  // namespace
}  // namespace bhemu::watch
