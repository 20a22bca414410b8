// Operations that last: in timings that put effects off, unpackers, packer and mover read and write
// piece by piece. Each race here has a core beside the unit, and a result that says who was first.
#include <algorithm>
#include <set>

#include "harness.hpp"
#include "tensix/footprint/footprint.hpp"
#include "tensix/mover/mover.hpp"
#include "tensix/operation.hpp"
#include "tensix/pack_bench.hpp"
#include "tensix/unpack_bench.hpp"
#include "trace/observer.hpp"

namespace bhemu::tensix {
namespace {

using test::Harness;

Timing timing_with(Placement placement, u64 seed = 0) {
  Timing timing = Timing::typical();
  timing.placement = placement;
  timing.seed = seed;
  return timing;
}

/// The configuration and counters of a bench, in a coprocessor whose time goes on.
void set_up(Harness& harness, State& from) {
  harness.state().cfg = from.cfg;
  harness.state().adc = from.adc;
}

/// Early, late, and both over seeds, each seed always the same.
template <class Race>
void expect_early_and_late(Race race) {
  EXPECT_TRUE(race(timing_with(Placement::Issue)));
  EXPECT_FALSE(race(timing_with(Placement::End)));
  u32 early = 0;
  for (u64 seed = 0; seed < 64; ++seed) {
    const bool was_early = race(timing_with(Placement::Drawn, seed));
    EXPECT_EQ(was_early, race(timing_with(Placement::Drawn, seed))) << "one seed, one run";
    early += was_early ? 1 : 0;
  }
  EXPECT_GT(early, 4u);
  EXPECT_LT(early, 60u);
}

u32 unpacr(bool hands_over) {
  return encode<op::UNPACR>({{"ovrd_thread_id", 1}, {"set_dat_valid", hands_over}, {"last", 1}});
}

class UnpackPieces : public Unpack {
 protected:
  UnpackPieces() { apply(setup_); }

  void start(Harness& harness, bool hands_over = false) {
    set_up(harness, state());
    for (u32 i = 0; i < 256; ++i) put(harness, i, 0x3F80 + i);
    harness.push(0, unpacr(hands_over));
  }
  void put(Harness& harness, u32 datum, u32 value) {
    const u16 half = static_cast<u16>(value);
    harness.l1.write(data_address(setup_) + 2 * datum, &half, 2, harness.core());
  }
  static u32 cell(Harness& harness, u32 row) {
    return harness.state().fpu.src_a.bank[0][row].datum[0];
  }
  TileSetup setup_;
};

TEST_F(UnpackPieces, a_row_that_a_core_writes_in_the_window_is_read_before_or_after) {
  expect_early_and_late([this](const Timing& timing) {
    Harness harness(&timing);
    start(harness);
    harness.run(12);
    put(harness, 15 * 16, 0x1234);
    harness.run(30);
    EXPECT_TRUE(harness.faults.faults().empty());
    return cell(harness, 15) == (0x3F80u + 240) << 16;
  });
}

TEST_F(UnpackPieces, rows_that_have_gone_by_are_there_and_others_are_not) {
  const Timing timing = timing_with(Placement::End);
  Harness harness(&timing);
  start(harness, true);
  harness.run(10);  // of 20
  EXPECT_EQ(cell(harness, 0), 0x3F80u << 16);
  EXPECT_EQ(cell(harness, 15), 0u);
  EXPECT_EQ(harness.state().fpu.src_a.owner[0], SrcOwner::Unpacker);
  EXPECT_FALSE(harness.coprocessor.drained(0));
  put(harness, 0, 0x1234);
  harness.run(11);
  EXPECT_TRUE(harness.coprocessor.drained(0));
  EXPECT_EQ(cell(harness, 0), 0x3F80u << 16) << "it was read before";
  EXPECT_EQ(cell(harness, 15), (0x3F80u + 240) << 16);
  EXPECT_EQ(harness.state().fpu.src_a.owner[0], SrcOwner::Matrix) << "with the last row";
  EXPECT_EQ(harness.state().fpu.src_a.unpack_bank, 1);
}

struct BankMoves final : trace::Observer {
  void moved(const trace::BankMove& move) override { given += move.gives ? 1 : 0; }
  u32 given = 0;
};

TEST_F(UnpackPieces, tell_an_observer_once_that_the_bank_is_given_away) {
  for (const Placement placement : {Placement::Issue, Placement::End, Placement::Drawn}) {
    const Timing timing = timing_with(placement);
    Harness harness(&timing);
    BankMoves moves;
    harness.coprocessor.set_observer(&moves);
    start(harness, true);
    harness.run(60);
    EXPECT_EQ(moves.given, 1u);
  }
}

/// What an observer hears of one kind of landings, and of instructions.
struct Landings final : trace::Observer {
  explicit Landings(trace::Landing::What what) : what_(what) {}
  void issued(const trace::Issue& issue) override {
    issued_after = pieces.size();
    whole.assign(issue.touches->begin(), issue.touches->end());
  }
  void landed(const trace::Landing& landing) override {
    ASSERT_EQ(landing.what, what_);
    EXPECT_EQ(landing.piece, pieces.size());
    count = landing.pieces;
    cycles.push_back(landing.author.cycle);
    authors.push_back(landing.author);
    pieces.emplace_back(landing.touches->begin(), landing.touches->end());
  }

  /// Units of a space that are read or written, of one piece.
  static std::set<u64> cells(const std::vector<Touch>& touches, Space space, Access access) {
    std::set<u64> found;
    for (const Touch& touch : touches)
      if (touch.space == space && (access == Access::Read ? reads : writes)(touch.access))
        for (u64 cell = touch.begin; cell < touch.end(); ++cell) found.insert(cell);
    return found;
  }
  /// The pieces together touch what the footprint of the instruction says, each cell once.
  void expect_whole(Space space, Access access) const {
    std::set<u64> together;
    std::size_t single = 0;
    for (const auto& piece : pieces) {
      const std::set<u64> part = cells(piece, space, access);
      single += part.size();
      together.insert(part.begin(), part.end());
    }
    EXPECT_FALSE(together.empty());
    EXPECT_EQ(together, cells(whole, space, access)) << name_of(space);
    EXPECT_EQ(together.size(), single) << "twice: " << name_of(space);
  }

  std::vector<std::vector<Touch>> pieces;
  std::vector<Touch> whole;
  std::vector<Cycle> cycles;
  std::vector<Author> authors;
  std::size_t issued_after = 0;
  u32 count = 0;

 private:
  trace::Landing::What what_;
};

TEST_F(UnpackPieces, are_told_to_an_observer_each_with_what_it_touches) {
  const Timing timing = timing_with(Placement::End);
  Harness harness(&timing);
  Landings log(trace::Landing::What::Unpack);
  harness.coprocessor.set_observer(&log);
  start(harness, true);
  const Cycle issued = harness.now;
  harness.run(30);
  ASSERT_EQ(log.pieces.size(), 16u);
  EXPECT_EQ(log.count, 16u);
  EXPECT_EQ(log.issued_after, 0u);
  EXPECT_EQ(log.cycles.back(), issued + 20) << "12 cycles, and 16 a KiB";
  EXPECT_TRUE(std::is_sorted(log.cycles.begin(), log.cycles.end()));
  EXPECT_EQ(log.authors[0].agent, Agent::Thread0);
  EXPECT_EQ(log.authors[0].pc, unpacr(true));
  EXPECT_EQ(Landings::cells(log.pieces[3], Space::SrcA, Access::Write), std::set<u64>{3});
  log.expect_whole(Space::L1, Access::Read);
  log.expect_whole(Space::SrcA, Access::Write);
}

TEST_F(UnpackPieces, lost_in_a_reset_of_the_unpacker) {
  const Timing timing = timing_with(Placement::End);
  Harness harness(&timing);
  start(harness, true);
  harness.run(10);
  harness.coprocessor.set_soft_reset(1, harness.now);
  harness.run(30);
  EXPECT_EQ(cell(harness, 15), 0u);
  EXPECT_EQ(harness.state().fpu.src_a.owner[0], SrcOwner::Unpacker);
}

TEST_F(UnpackPieces, in_flight_are_part_of_the_hash_and_of_snapshots) {
  const Timing timing = timing_with(Placement::End);
  Harness harness(&timing);
  start(harness, true);
  harness.run(10);
  const u64 hash = harness.coprocessor.hash(1);
  Archive saving = Archive::saving();
  harness.coprocessor.archive(saving);
  const std::vector<u8> bytes = saving.take();
  Harness other(&timing);
  start(other);
  other.run(10);
  Archive loading = Archive::loading(bytes);
  other.coprocessor.archive(loading);
  EXPECT_EQ(other.coprocessor.hash(1), hash);
  other.run(30);
  harness.run(30);
  EXPECT_EQ(cell(other, 15), (0x3F80u + 240) << 16);
  EXPECT_EQ(other.coprocessor.hash(1), harness.coprocessor.hash(1));
  EXPECT_NE(harness.coprocessor.hash(1), hash);
}

class PackPieces : public Pack {
 protected:
  PackPieces() { apply(Format::Bf16, Format::Bf16, false); }

  static void put(Harness& harness, u32 row, u32 value) {
    DstAccess(harness.state()).write16(row, 0, numeric::dst_from_bf16(static_cast<u16>(value)));
  }
  void start(Harness& harness) {
    set_up(harness, state());
    for (u32 row = 0; row < 4; ++row) put(harness, row, 0x4000 + row);
    harness.push(0, encode<op::PACR>({{"last", 1}}));
  }
  static u32 packed(Harness& harness, u32 row) {
    return harness.l1.read32(kData + 32 * row) & 0xFFFF;
  }
};

TEST_F(PackPieces, a_row_of_dst_that_changes_in_the_window_is_packed_before_or_after) {
  expect_early_and_late([this](const Timing& timing) {
    Harness harness(&timing);
    start(harness);
    harness.run(20);
    put(harness, 3, 0x1234);
    harness.run(40);
    EXPECT_TRUE(harness.faults.faults().empty());
    return packed(harness, 3) == 0x4003;
  });
}

TEST_F(PackPieces, a_core_that_reads_l1_in_the_window_finds_the_first_rows_and_not_the_last) {
  const Timing timing = timing_with(Placement::End);
  Harness harness(&timing);
  start(harness);
  harness.run(30);  // of 44
  EXPECT_EQ(packed(harness, 0), 0x4000u);
  EXPECT_EQ(packed(harness, 3), 0u);
  EXPECT_TRUE(harness.state().packer.open);
  // What it was issued with is what counts.
  harness.state().cfg.bank[0] = {};
  harness.run(20);
  EXPECT_EQ(packed(harness, 3), 0x4003u);
  EXPECT_FALSE(harness.state().packer.open) << "closed with the last row";
}

TEST_F(PackPieces, are_told_to_an_observer_each_with_what_it_touches) {
  const Timing timing = timing_with(Placement::End);
  Harness harness(&timing);
  Landings log(trace::Landing::What::Pack);
  harness.coprocessor.set_observer(&log);
  start(harness);
  const Cycle issued = harness.now;
  harness.run(60);
  ASSERT_EQ(log.pieces.size(), 4u);
  EXPECT_EQ(log.cycles.back(), issued + 44) << "40 cycles, and 32 a KiB";
  log.expect_whole(Space::Dst, Access::Read);
  log.expect_whole(Space::L1, Access::Write);
}

TEST_F(PackPieces, that_follow_each_other_make_the_same_tile_as_at_once) {
  const auto tile = [this](Placement placement) {
    const Timing timing = timing_with(placement);
    Harness harness(&timing);
    set_up(harness, state());
    for (u32 row = 0; row < 64; ++row) put(harness, row, 0x4000 + row);
    for (u32 i = 0; i < 16; ++i)
      harness.execute(0, {encode<op::PACR>({{"addr_mode", i % 4 == 3}, {"last", i == 15}})});
    std::vector<u8> bytes(2048);
    harness.l1.read(kData, bytes.data(), 2048);
    return bytes;
  };
  const std::vector<u8> at_once = tile(Placement::Issue);
  EXPECT_NE(at_once[2 * 16 * 63], 0);
  EXPECT_EQ(tile(Placement::End), at_once);
  EXPECT_EQ(tile(Placement::Drawn), at_once);
}

void command_mover(Harness& harness, u32 destination, u32 source, u32 size) {
  ConfigWords& words = harness.state().cfg.bank[0];
  words[88] = source >> 4;
  words[89] = destination >> 4;
  words[90] = size >> 4 | 3u << 30;  // from L1 to L1
}

TEST(MoverPieces, what_a_core_writes_in_the_window_is_moved_before_or_after) {
  expect_early_and_late([](const Timing& timing) {
    Harness harness(&timing);
    command_mover(harness, 0x6000, 0x5000, 1024);
    harness.l1.write32(0x53F0, 7, {});
    harness.push(0, encode<op::XMOV>());
    harness.run(60);  // of 99
    harness.l1.write32(0x53F0, 99, harness.core());
    harness.run(60);
    return harness.l1.read32(0x63F0) == 7;
  });
}

TEST(MoverPieces, are_told_to_an_observer_each_with_what_it_touches) {
  const Timing timing = timing_with(Placement::End);
  Harness harness(&timing);
  Landings log(trace::Landing::What::Move);
  harness.coprocessor.set_observer(&log);
  command_mover(harness, 0x6000, 0x5000, 1024);
  harness.push(0, encode<op::XMOV>());
  harness.run(110);
  EXPECT_EQ(log.pieces.size(), 64u);
  log.expect_whole(Space::L1, Access::Read);
  log.expect_whole(Space::L1, Access::Write);
}

TEST(MoverPieces, of_a_core_are_told_with_the_core_as_their_author) {
  for (const Placement placement : {Placement::Issue, Placement::End}) {
    const Timing timing = timing_with(placement);
    Harness harness(&timing);
    Landings log(trace::Landing::What::Move);
    harness.coprocessor.set_observer(&log);
    const u32 command = 0xC0000040u | 1u << 24 | 0x60u << 16;
    harness.coprocessor.write_tdma(0x2C, 0x500, harness.core());
    harness.coprocessor.write_tdma(0x10, command, harness.core(Agent::Trisc1));
    harness.run(20);
    ASSERT_EQ(log.pieces.size(), 1u);
    EXPECT_EQ(log.authors[0].agent, Agent::Trisc1);
    EXPECT_EQ(Landings::cells(log.pieces[0], Space::L1, Access::Write).size(), 16u);
  }
}

TEST(MoverPieces, arrive_one_after_the_other) {
  const Timing timing = timing_with(Placement::End);
  Harness harness(&timing);
  command_mover(harness, 0x6000, 0x5000, 1024);
  for (u32 i = 0; i < 256; ++i) harness.l1.write32(0x5000 + 4 * i, i + 1, {});
  harness.push(0, encode<op::XMOV>());
  harness.run(50);
  EXPECT_EQ(harness.l1.read32(0x6000), 1u);
  EXPECT_EQ(harness.l1.read32(0x6000 + 1020), 0u);
  EXPECT_GT(harness.state().mover.busy_until, harness.now);
  harness.run(55);
  EXPECT_EQ(harness.l1.read32(0x6000 + 1020), 256u);
  EXPECT_LE(harness.state().mover.busy_until, harness.now);
}

TEST(MoverPieces, of_commands_of_cores_wait_in_a_queue_and_keep_their_order) {
  const Timing timing = timing_with(Placement::End);
  Harness harness(&timing);
  for (u32 i = 0; i < 256; ++i) harness.l1.write32(0x5000 + 4 * i, 5, {});
  const auto command = [&](u32 destination, u32 source) {
    const u32 parameter[] = {source >> 4, destination >> 4, 64, 3};
    for (u32 i = 0; i < 4; ++i)
      ASSERT_EQ(harness.coprocessor.write_tdma(4 * i, parameter[i], harness.core()),
                RegisterAccess::Done);
    ASSERT_EQ(harness.coprocessor.write_tdma(0x10, 0x40, harness.core()), RegisterAccess::Done);
  };
  command(0x6000, 0x5000);
  command(0x7000, 0x6000);  // what the first one brings
  harness.run(105);
  EXPECT_EQ(harness.l1.read32(0x6000 + 1020), 5u);
  EXPECT_EQ(harness.l1.read32(0x7000 + 1020), 0u);
  harness.run(105);
  EXPECT_EQ(harness.l1.read32(0x7000 + 1020), 5u);
}

}  // namespace
}  // namespace bhemu::tensix
