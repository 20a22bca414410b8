// Every row of niu.def.
#include <gtest/gtest.h>

#include <set>

#include "base/timing_range.hpp"
#include "noc/fabric.hpp"

namespace bhemu::noc {
namespace {

std::vector<u32> offsets_of(const RegisterInfo& info) {
  std::vector<u32> offsets;
  for (u32 copy = 0; copy < (info.per_buffer || info.aliased ? 4 : 1); ++copy)
    for (u32 word = 0; word < info.count; ++word)
      offsets.push_back(info.offset + copy * 0x800 + 4 * word);
  return offsets;
}

TEST(NiuRegisters, every_row_answers_at_all_its_offsets_and_rows_do_not_overlap) {
  std::set<u32> seen;
  for (unsigned row = 0; row < niu_register_count(); ++row) {
    const RegisterInfo& info = niu_registers()[row];
    for (const u32 offset : offsets_of(info)) {
      EXPECT_EQ(niu_register_at(offset), &info) << info.name;
      EXPECT_TRUE(seen.insert(offset).second) << info.name;
    }
  }
}

TEST(NiuRegisters, an_offset_without_a_row_does_not_exist) {
  Fabric fabric;
  TestTile& tile = fabric.tile({1, 2});
  std::set<u32> known;
  for (unsigned row = 0; row < niu_register_count(); ++row)
    for (const u32 offset : offsets_of(niu_registers()[row])) known.insert(offset);
  u32 refused = 0;
  for (u32 offset = 0; offset < 0x10000; offset += 4) {
    if (known.count(offset) != 0) continue;
    u32 value;
    EXPECT_FALSE(tile.niu[0]->read(offset, value, {})) << offset;
    EXPECT_FALSE(tile.niu[1]->write(offset, 0, {Agent::Brisc, 0, 0})) << offset;
    ++refused;
  }
  EXPECT_EQ(refused, 0x10000 / 4 - known.size());
  EXPECT_TRUE(tile.faults.faults().empty());
}

TEST(NiuRegisters, plain_words_keep_what_is_written_and_wake_waiters_first) {
  Fabric fabric;
  TestTile& tile = fabric.tile({1, 2});
  for (unsigned row = 0; row < niu_register_count(); ++row) {
    const RegisterInfo& info = niu_registers()[row];
    if (info.access != RegisterAccess::RW || info.kind != RegisterKind::Storage) continue;
    u32 pattern = 0xA5A50000u + row * 77;
    for (const u32 offset : offsets_of(info)) {
      const u32 touches = tile.touches;
      tile.write(1, offset, pattern);
      EXPECT_EQ(tile.touches, touches + 1) << info.name;
      const bool half = info.per_buffer && info.offset == niu::NOC_PACKET_TAG;
      EXPECT_EQ(tile.read(1, offset), half ? pattern & 0xFFFF : pattern) << info.name;
      pattern += 0x01010101;
    }
  }
  EXPECT_TRUE(tile.faults.faults().empty());
}

TEST(NiuRegisters, read_only_registers_ignore_writes_with_a_warning) {
  Fabric fabric;
  TestTile& tile = fabric.tile({1, 2});
  for (unsigned row = 0; row < niu_register_count(); ++row) {
    const RegisterInfo& info = niu_registers()[row];
    if (info.access != RegisterAccess::RO) continue;
    for (const u32 offset : offsets_of(info)) {
      const u32 before = tile.read(0, offset);
      tile.faults.clear();
      tile.write(0, offset, ~before);
      EXPECT_TRUE(tile.faulted(Rule::NocReadOnlyRegister)) << info.name;
      EXPECT_EQ(tile.read(0, offset), before) << info.name;
    }
  }
}

TEST(NiuRegisters, reading_a_write_only_register_is_a_fault) {
  Fabric fabric;
  TestTile& tile = fabric.tile({1, 2});
  tile.read(0, niu::NOC_CLEAR_OUTSTANDING_REQ_CNT);
  EXPECT_TRUE(tile.faulted(Rule::NocWriteOnlyRegister));
}

TEST(NiuRegisters, identification_follows_position_noc_and_translation) {
  Fabric fabric;
  Translation identity;
  for (unsigned noc = 0; noc < kNocs; ++noc) {
    identity.broadcast_columns = 0x301 << noc;
    fabric.routing.set_translation(noc, identity);
  }
  fabric.routing.describe(7, {NodeKind::Tensix, {3, 4}, 0});
  TestTile& tile = fabric.add_tile(7, {5, 6});
  constexpr u32 kSize = 17u << 12 | 12u << 19;
  for (u32 buffer = 0; buffer < 4; ++buffer) {
    const u32 base = buffer * 0x800;
    EXPECT_EQ(tile.read(0, base + 0x44), (5 | 6 << 6 | kSize | 1u << 28));
    EXPECT_EQ(tile.read(1, base + 0x44), (11 | 5 << 6 | kSize));
    EXPECT_EQ(tile.read(0, base + 0x48), 0x00010007u);
    EXPECT_EQ(tile.read(1, base + 0x48), 0x01010007u);
    EXPECT_EQ(tile.read(0, base + 0x64), 0x10101010u);
    EXPECT_EQ(tile.read(0, base + 0x68), 0u);
  }
  EXPECT_EQ(tile.read(0, 0x148), (3 | 4 << 6));
  EXPECT_EQ(tile.read(1, 0x148), (3 | 4 << 6));
  EXPECT_EQ(tile.read(0, 0x100) >> 14 & 1, 1u);
  EXPECT_EQ(tile.read(0, 0x108), 0x301u);
  EXPECT_EQ(tile.read(1, 0x108), 0x602u);
}

TEST(NiuRegisters, debug_information_and_flit_counters_are_refused_by_name) {
  for (const u32 offset : {0x300u, 0x374u, 0x380u, 0x3FCu, 0x500u, 0x5FCu}) {
    Fabric fabric;
    TestTile& tile = fabric.tile({1, 2});
    u32 value = 1;
    EXPECT_TRUE(tile.niu[0]->read(offset, value, {})) << offset;
    EXPECT_TRUE(tile.faulted(Rule::NocDebugRegister)) << offset;
    EXPECT_TRUE(tile.niu[0]->write(offset, 1, {Agent::Brisc, 0, 0})) << offset;
    EXPECT_TRUE(tile.faulted(Rule::NocReadOnlyRegister)) << offset;
  }
}

TEST(NiuRegisters, ddr_translation_may_be_prepared_but_not_switched_on) {
  Fabric fabric;
  TestTile& tile = fabric.tile({1, 2});
  tile.write(0, niu::DDR_COORD_TRANSLATE_TABLE, 0x1234);
  tile.write(0, niu::DDR_COORD_TRANSLATE_TABLE + 20, 0x3FF);
  tile.write(0, niu::DDR_COORD_TRANSLATE_COL_SWAP, 0);
  EXPECT_TRUE(tile.faults.faults().empty());
  EXPECT_EQ(tile.read(0, niu::DDR_COORD_TRANSLATE_TABLE), 0x1234u);
  tile.write(0, niu::DDR_COORD_TRANSLATE_TABLE + 20, 0x400);
  EXPECT_TRUE(tile.faulted(Rule::NocDdrTranslation));
}

TEST(NocTiming, figures_are_in_order) {
#define RANGE(minimum, typical, maximum) \
  TimingRange {                          \
    minimum, typical, maximum            \
  }
#define PHASE(what, range, evidence, source) EXPECT_TRUE((range).in_order()) << what;
#include "noc/timing.def"
#undef PHASE
#undef RANGE
}

}  // namespace
}  // namespace bhemu::noc
