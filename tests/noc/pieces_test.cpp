// Data that go by in pieces, where effects are put off: sources that are read, and payloads that
// land, while others look at the same memory.
#include <gtest/gtest.h>

#include "noc/fabric.hpp"
#include "trace/observer.hpp"

namespace bhemu::noc {
namespace {

constexpr Coord kA{1, 2};
constexpr Coord kB{2, 3};
constexpr u32 kBytes = 4096;  // 64 cycles, 16 pieces

class NocPieces : public testing::Test {
 protected:
  NocPieces() {
    for (u32 i = 0; i < kBytes; ++i) a.l1[0x4000 + i] = b.l1[0x4000 + i] = 1;
    a.now = 1000;
  }
  void spread(Spread::Kind kind, u64 seed = 0) {
    fabric.timing.spread = {kind, seed};
    for (auto& niu : a.niu) niu->set_departures(kind != Spread::Kind::None);
  }
  /// All that happens up to `until`.
  void run(Cycle until) {
    for (; now_ < until; ++now_) {
      for (auto& niu : a.niu) niu->depart_due(now_);
      fabric.run(now_ + 1);
    }
  }
  void write_to_b() {
    issue(a, 0,
          {.control = kWrite | kResponse | 1u << 7,
           .target = 0x4000,
           .target_at = at(kA),
           .home = 0x8000,
           .home_at = at(kB),
           .length = kBytes});
  }
  void read_from_b() {
    issue(a, 0,
          {.control = kResponse,
           .target = 0x4000,
           .target_at = at(kB),
           .home = 0x8000,
           .home_at = at(kA),
           .length = kBytes});
  }
  static u8 last(const TestTile& tile, u32 address) { return tile.l1[address + kBytes - 1]; }

  Fabric fabric;
  TestTile& a = fabric.tile(kA);
  TestTile& b = fabric.tile(kB);
  Cycle way = fabric.timing.one_way;

 private:
  Cycle now_ = 1000;
};

TEST_F(NocPieces, of_a_source_are_read_one_after_the_other_before_the_request_is_sent) {
  spread(Spread::Kind::Whole);
  write_to_b();
  run(1032);
  EXPECT_EQ(a.read(0, 0x228), 0u) << "not sent: some of it is still to be read";
  a.l1[0x4000] = 9;               // was read
  a.l1[0x4000 + kBytes - 1] = 9;  // was not
  run(1065);
  run(1000 + 4 * way);
  EXPECT_EQ(b.l1[0x8000], 1);
  EXPECT_EQ(last(b, 0x8000), 9);
}

struct Landings final : trace::Observer {
  void landed(const trace::Landing& landing) override { all.push_back(landing); }
  std::vector<trace::Landing> all;
};

/// 16 pieces one after the other, of one request.
void expect_pieces(const std::vector<trace::Landing>& all, trace::Landing::What what, u64 address) {
  ASSERT_EQ(all.size(), 16u);
  for (u32 i = 0; i < 16; ++i) {
    EXPECT_EQ(all[i].what, what);
    EXPECT_EQ(all[i].piece, i);
    EXPECT_EQ(all[i].pieces, 16u);
    EXPECT_EQ(all[i].address, address + 256 * i);
    EXPECT_EQ(all[i].length, 256u);
    EXPECT_EQ(all[i].request, all[0].request);
    EXPECT_NE(all[i].request.number, 0u);
    const Cycle before = i == 0 ? 0 : all[i - 1].author.cycle;
    EXPECT_GT(all[i].author.cycle, before);
  }
}

TEST_F(NocPieces, are_told_to_the_observers_of_both_nodes) {
  Landings of_a, of_b;
  for (auto& niu : a.niu) niu->set_observer(&of_a);
  for (auto& niu : b.niu) niu->set_observer(&of_b);
  spread(Spread::Kind::Whole);
  write_to_b();
  run(1000 + 6 * way);
  expect_pieces(of_a.all, trace::Landing::What::Source, 0x4000);
  expect_pieces(of_b.all, trace::Landing::What::Write, 0x8000);
  ASSERT_FALSE(of_b.all.empty());
  EXPECT_EQ(of_a.all[0].request, of_b.all[0].request);
  EXPECT_EQ(of_a.all.back().author.cycle, 1064u);
}

TEST_F(NocPieces, of_a_read_are_told_to_the_observers_of_both_nodes) {
  Landings of_a, of_b;
  for (auto& niu : a.niu) niu->set_observer(&of_a);
  for (auto& niu : b.niu) niu->set_observer(&of_b);
  spread(Spread::Kind::Whole);
  read_from_b();
  run(1000 + 6 * way);
  expect_pieces(of_b.all, trace::Landing::What::Read, 0x4000);
  expect_pieces(of_a.all, trace::Landing::What::Data, 0x8000);
}

TEST_F(NocPieces, of_a_source_are_read_early_or_late_by_the_seed) {
  u32 late = 0;
  for (u64 seed = 0; seed < 64; ++seed) {
    Fabric other;
    TestTile& from = other.tile(kA);
    TestTile& to = other.tile(kB);
    other.timing.spread = {Spread::Kind::Drawn, seed};
    from.niu[0]->set_departures(true);
    from.now = 1000;
    issue(from, 0,
          {.control = kWrite | kResponse,
           .target = 0x4000,
           .target_at = at(kA),
           .home = 0x8000,
           .home_at = at(kB),
           .length = kBytes});
    for (Cycle now = 1000; now < 1032; ++now) from.niu[0]->depart_due(now);
    from.l1[0x4000 + kBytes - 1] = 9;
    for (Cycle now = 1032; now < 2000; ++now) {
      from.niu[0]->depart_due(now);
      other.run(now + 1);
    }
    late += last(to, 0x8000) == 9 ? 1 : 0;
  }
  EXPECT_GT(late, 8u);
  EXPECT_LT(late, 56u);
}

TEST_F(NocPieces, of_a_payload_land_one_after_the_other_and_the_last_one_counts) {
  spread(Spread::Kind::Whole);
  write_to_b();
  run(1000 + 64 + way + 32);
  EXPECT_EQ(b.l1[0x8000], 1);
  EXPECT_EQ(last(b, 0x8000), 0);
  EXPECT_EQ(b.read(0, 0x2C0), 0u);
  EXPECT_EQ(a.read(0, 0x204), 0u) << "no acknowledgement";
  run(1000 + 64 + way + 65);
  EXPECT_EQ(last(b, 0x8000), 1);
  run(1000 + 64 + 2 * way + 66);
  EXPECT_EQ(a.read(0, 0x204), 1u);
}

TEST_F(NocPieces, land_before_a_later_request_of_the_same_channel) {
  spread(Spread::Kind::Whole);
  write_to_b();
  for (u32 i = 0; i < 16; ++i) a.l1[0x3FF0 + i] = 7;
  issue(a, 0,
        {.control = kWrite | kResponse | 1u << 7,
         .target = 0x3FF0,
         .target_at = at(kA),
         .home = 0x8000 + kBytes - 16,
         .home_at = at(kB),
         .length = 16});
  run(1000 + 6 * way);
  EXPECT_EQ(last(b, 0x8000), 7) << "what is behind the data stays behind them";
}

TEST_F(NocPieces, of_a_read_are_read_and_land_one_after_the_other) {
  spread(Spread::Kind::Whole);
  read_from_b();
  run(1000 + way + 32);
  b.l1[0x4000] = 9;               // was read
  b.l1[0x4000 + kBytes - 1] = 9;  // was not
  run(1000 + 2 * way + 64 + 32);
  EXPECT_EQ(a.l1[0x8000], 1);
  EXPECT_EQ(last(a, 0x8000), 0);
  EXPECT_EQ(a.read(0, 0x208), 0u);
  run(1000 + 2 * way + 64 + 66);
  EXPECT_EQ(last(a, 0x8000), 9);
  EXPECT_EQ(a.read(0, 0x208), 1u);
}

TEST_F(NocPieces, go_at_once_where_effects_are_not_put_off) {
  spread(Spread::Kind::None);
  write_to_b();
  a.l1[0x4000 + kBytes - 1] = 9;
  run(1000 + way + 1);
  EXPECT_EQ(last(b, 0x8000), 1);
}

}  // namespace
}  // namespace bhemu::noc
