// The checked list (tools/coverage, docs/coverage) against the emulator: every address that a
// header names is read and written on a real tile or card, every field of the configuration is set,
// and what they raise must be what their rows claim.
#include <set>

#include "audit/on_cores.hpp"
#include "card/function.hpp"
#include "coverage.hpp"

namespace bhemu::test {
namespace {

using coverage::Class;
using coverage::Registers;
using coverage::Space;

/// The core that may access the address.
CoreId reader_of(u64 address) {
  const bool triscs = (address >= 0xFFB80000 && address < 0xFFC00000) ||
                      (address >= 0xFFE80000 && address < 0xFFE90000);
  return triscs ? CoreId::Trisc1 : CoreId::Brisc;
}

/// What the access raised: the name of the first rule, "waits", or nothing.
std::string outcome(OnCores& chip, CoreId core) {
  chip.store(core, kResults + 4, 1);
  chip.go(3'000);
  for (const Fault& fault : chip.tile->faults().faults()) return info_of(fault.rule).name;
  return chip.result(1) == 1 ? "" : "waits";
}

std::string outcome_of_read(u64 address) {
  OnCores chip;
  chip.load_result(reader_of(address), 0, static_cast<u32>(address));
  return outcome(chip, reader_of(address));
}

std::string outcome_of_write(u64 address, u32 value) {
  OnCores chip;
  chip.store(reader_of(address), static_cast<u32>(address), value);
  return outcome(chip, reader_of(address));
}

/// Each address that a header names, and the first of each row.
std::set<u64> addresses_of(Space space) {
  std::set<u64> found;
  for (const coverage::Name& name : coverage::names())
    if (name.space == space) found.insert(name.address);
  for (const Registers& row : coverage::registers())
    if (row.space == space) found.insert(row.first);
  return found;
}

TEST(Coverage, every_named_address_of_a_tile_does_what_its_row_says) {
  for (const u64 address : addresses_of(Space::Tile)) {
    const Registers* row = coverage::registers_at(Space::Tile, address);
    ASSERT_NE(row, nullptr) << std::hex << address;
    EXPECT_EQ(outcome_of_read(address), row->read) << std::hex << address << " read";
    EXPECT_EQ(outcome_of_write(address, row->value), row->write) << std::hex << address;
  }
}

TEST(Coverage, addresses_that_blackhole_lacks_are_refused) {
  for (const u32 address : {0xFFC00000u, 0xFFB80024u, 0xFFB10000u, 0xFFB1E000u, 0xFFF00000u})
    EXPECT_EQ(outcome_of_read(address), "tile-unmapped-address") << std::hex << address;
}

struct Field {
  const char* name;
  bool threads;
  u32 word;
  u32 mask;
};

constexpr u32 mask_of(u32 low, u32 width) {
  return static_cast<u32>(((u64{1} << width) - 1) << low);
}

constexpr Field kFields[] = {
#define CFG(name, word, low, width) {#name, false, word, mask_of(low, width)},
#define THREAD_CFG(name, word, low, width) {#name, true, word, mask_of(low, width)},
#include "tensix/config.def"
#undef CFG
#undef THREAD_CFG
};

TEST(Coverage, every_configuration_field_does_what_its_row_says) {
  for (const Field& field : kFields) {
    OnCores chip;
    if (field.threads)
      chip.store(CoreId::Trisc1, 0xFFE40000,
                 tensix::encode<tensix::op::SETC16>(
                     {{"setc16_reg", field.word}, {"setc16_value", field.mask}}));
    else
      chip.store(CoreId::Trisc1, 0xFFEF0000 + 4 * field.word, field.mask);
    const coverage::Named* row = coverage::field_row(field.name);
    ASSERT_NE(row, nullptr) << field.name;
    const bool at_once = std::string_view(row->rule) == "config-without-effect";
    EXPECT_EQ(outcome(chip, CoreId::Trisc1), at_once ? row->rule : "") << field.name;
  }
}

class CoverageOfCard : public ::testing::Test {
 protected:
  static DeviceOptions options() {
    DeviceOptions result;
    result.board = BoardOptions::defaults(BoardModel::P150);
    return result;
  }
  bool answers(u64 address) {
    u32 value = 0;
    try {
      function.bar_read(0, address, {reinterpret_cast<u8*>(&value), 4});
      return true;
    } catch (const card::AccessError&) {
      return false;
    }
  }
  Device device{options()};
  card::Function function{device};
};

TEST_F(CoverageOfCard, every_named_address_of_the_arc_answers_or_does_not) {
  for (const u64 address : addresses_of(Space::Arc)) {
    const Registers* row = coverage::registers_at(Space::Arc, address);
    ASSERT_NE(row, nullptr) << std::hex << address;
    u32 value = 0;
    EXPECT_EQ(device.read32({8, 0}, address, value), row->kind == Class::Modelled)
        << std::hex << address;
  }
}

TEST_F(CoverageOfCard, every_row_of_bar_0_answers_or_does_not) {
  for (const Registers& row : coverage::registers())
    if (row.space == Space::Bar0) {
      EXPECT_EQ(answers(row.first), row.kind == Class::Modelled) << std::hex << row.first;
      EXPECT_EQ(answers(row.last & ~3ull), row.kind == Class::Modelled) << std::hex << row.last;
    }
}

TEST_F(CoverageOfCard, every_named_address_of_an_ethernet_tile_does_what_its_row_says) {
  const auto outcome_of = [](const auto& access) -> std::string {
    Device device{options()};
    const bool taken = access(device);
    for (const Fault& fault : device.faults()) return info_of(fault.rule).name;
    return taken ? "" : "no answer";
  };
  for (const u64 address : addresses_of(Space::Ethernet)) {
    const Registers* row = coverage::registers_at(Space::Ethernet, address);
    ASSERT_NE(row, nullptr) << std::hex << address;
    u32 value = 0;
    const auto read = [&](Device& chip) { return chip.read32({20, 25}, address, value); };
    const auto write = [&](Device& chip) { return chip.write32({20, 25}, address, row->value); };
    EXPECT_EQ(outcome_of(read), row->read) << std::hex << address << " read";
    if (row->value == 0) continue;
    EXPECT_EQ(outcome_of(write), row->write) << std::hex << address;
  }
}

}  // namespace
}  // namespace bhemu::test
