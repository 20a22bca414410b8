// Drawn statements: Ethernet tiles (BlackholeA0/EthernetTile/EthernetTxRx.md and
// EthernetRxClassifier.md). No tile has a cable, so what frames do is refused (eth-no-link); what
// is left to see is the registers and the tables behind them.
#include "eth/ethernet_chip.hpp"

namespace bhemu::test {
namespace {

constexpr Coord kPort = EthernetChip::kPort;

/// A field that the page gives: where, and which bits.
struct Field {
  u32 address;
  u32 mask;
};

void expect_kept(std::initializer_list<Field> fields) {
  EthernetChip chip;
  for (const Field& field : fields) chip.write(field.address, field.mask, kPort);
  for (const Field& field : fields)
    EXPECT_EQ(chip.read(field.address, kPort) & field.mask, field.mask)
        << std::hex << field.address;
  for (const Field& field : fields) chip.write(field.address, 0, kPort);
  for (const Field& field : fields) EXPECT_EQ(chip.read(field.address, kPort), 0u);
  EXPECT_TRUE(chip.device.faults().empty());
}

TEST(AuditEthernet, the_classifiers_registers_are_where_the_page_says_and_keep_their_fields) {
  expect_kept({
      {0xFFB9C400, 0x3FFFF},    {0xFFB9C404, 0x3FFFF},      // USER_DEFINED_VLAN_TAG
      {0xFFB9C418, 0x7FFFFFF},  {0xFFB9C41C, 0x7FFFFFF},    // USER_DEFINED_L3_HDR
      {0xFFB9C460, 0x11FF},     {0xFFB9C464, 0x11FF},       // USER_DEFINED_L4_HDR_FIELDS
      {0xFFB9C468, ~0u},        {0xFFB9C46C, ~0u},          // USER_DEFINED_L4_HDR_PORT
      {0xFFB9C818, 0xF},        {0xFFB9C818 + 6 * 4, 0xF},  // REDUCED_DA
      {0xFFB9C840, 0xFFFF},     {0xFFB9C844, 0xFFFF},       // USER_ETHERTYPE
      {0xFFB9C848, 0xF},        {0xFFB9C84C, 0xF},          // USER_REDUCED_ETHERTYPE
      {0xFFB9C900, ~0u},        {0xFFB9C93C, ~0u},          // USER_PORT_REDUCTION_PORT
      {0xFFB9C940, 0x111F},     {0xFFB9C97C, 0x111F},       // USER_PORT_REDUCTION_RULE
      {0xFFB9CD04, 0x7F},                                   // NO_MATCH_ACTIONS
      {0xFFB9CD08, 0x8FFF8FFF},                             // NO_MATCH_VLAN
      {0xFFB9D000, 0x3},                                    // OVERRIDE_DECISION
      {0xFFB98120, ~0u},                                    // EOP_STATUS_GOOD_LO
      {0xFFB98150, 0x3},                                    // MAC_RX_ROUTING
      {0xFFB98154, 0xFFF},                                  // MAC_RX_ADDR_ROUTING
  });
}

TEST(AuditEthernet, frames_with_an_unsupported_mac_control_are_dropped_by_default) {
  EthernetChip chip;  // a bit of EOP_STATUS_GOOD_LO for each row of the table, 5 is that one
  EXPECT_EQ(chip.read(0xFFB98120, kPort), 0b11111u);
}

constexpr u32 kGo = 1u << 31;

/// The registers of a row of the TCAM, as the page lists them for a kind of row.
struct Part {
  u32 write, read, value;
};
constexpr Part kNotIp[] = {{0xDC0, 0xE50, 0x88F7}, {0xD90, 0xE10, 0x11}, {0xD94, 0xE14, 0x12},
                           {0xDA0, 0xE20, 0x21},   {0xDA4, 0xE24, 0x22}, {0xDB0, 0xE30, 0xF},
                           {0xDC4, 0xE54, 5}};
constexpr Part kIp[] = {{0xDBC, 0xE4C, 6},    {0xD90, 0xE10, 0x31}, {0xD9C, 0xE1C, 0x34},
                        {0xDA0, 0xE20, 0x41}, {0xDA8, 0xE28, 0x43}, {0xDAC, 0xE2C, 0x44},
                        {0xDB4, 0xE34, 80},   {0xDB8, 0xE48, 443}};

void expect_row(u32 kind, u32 not_ip, std::span<const Part> parts) {
  EthernetChip chip;
  const auto write = [&](u32 offset, u32 value) { chip.write(kClassifier + offset, value, kPort); };
  const auto read = [&](u32 offset) { return chip.read(kClassifier + offset, kPort); };
  write(0xD80, kind);
  for (const Part& part : parts) write(part.write, part.value);
  write(0xDF0, 9 | 1 << 9 | not_ip << 10 | 0xFF << 16 | kGo);
  write(0xDF0, 10 | kGo);  // another row is read
  for (const Part& part : parts) EXPECT_NE(read(part.read), part.value) << std::hex << part.read;
  write(0xDF0, 9 | kGo);
  EXPECT_EQ(read(0xE00), kind);
  for (const Part& part : parts) EXPECT_EQ(read(part.read), part.value) << std::hex << part.read;
  EXPECT_TRUE(chip.device.faults().empty());
}

TEST(AuditEthernet, rows_of_the_tcam_have_the_registers_of_their_kind) {
  expect_row(0, 1, kNotIp);
  expect_row(1, 0, kIp);
  expect_row(3, 0, kIp);
}

TEST(AuditEthernet, rows_of_the_flow_table_are_written_by_four_registers_and_a_go) {
  EthernetChip chip;
  const auto write = [&](u32 offset, u32 value) { chip.write(kClassifier + offset, value, kPort); };
  const auto read = [&](u32 offset) { return chip.read(kClassifier + offset, kPort); };
  for (const u32 row : {5u, 62u}) {
    write(0xE84, 0x40 | (row & 3));
    write(0xE88, 0x8000 | row);
    write(0xE80, 0);
    write(0xE8C, 0xCAFE0000 | row);
    write(0xEA0, row | 1 << 8 | kGo);
  }
  write(0xEA0, 5 | kGo);
  EXPECT_EQ(read(0xE84), 0x41u);
  EXPECT_EQ(read(0xE88), 0x8005u);
  EXPECT_EQ(read(0xE80), 0u);
  EXPECT_EQ(read(0xE8C), 0xCAFE0005u);
  EXPECT_TRUE(chip.device.faults().empty());
}

TEST(AuditEthernet, labels_of_the_flow_table_are_refused_by_name) {
  EthernetChip chip;
  EXPECT_FALSE(chip.device.write32(kPort, kClassifier + 0xE80, 1));
  EXPECT_EQ(chip.rules(), std::vector<Rule>{Rule::EthNotModelled});
}

TEST(AuditEthernet, transmit_queues_and_headers_are_where_the_page_says_and_keep_their_fields) {
  expect_kept({
      {0xFFB9000C, 0xFFFF},
      {0xFFB9100C, 0xFFFF},
      {0xFFB9200C, 0xFFFF},  // MAX_PKT_SIZE_BYTES
      {0xFFB90044, ~0u},
      {0xFFB91044, ~0u},  // REMOTE_REG_DATA
      {0xFFB9004C, ~0u},
      {0xFFB9204C, ~0u},         // LOCAL_SEQ_UPDATE_TIMEOUT
      {0xFFB98200, 0x04371113},  // INSERT_CTL: all that is not reserved
      {0xFFB98218, ~0u},
      {0xFFB9821C, 0xFFFF},      // MAC_DA
      {0xFFB98220, 0xFFFF0001},  // USE_ETHERTYPE, ETHERTYPE
      {0xFFB98200 + 9 * 0x80, 0x04371113},
      {0xFFB98220 + 9 * 0x80, 0xFFFF0001},  // the last row
  });
}

TEST(AuditEthernet, the_status_tells_that_a_command_has_been_taken) {
  EthernetChip chip;  // it is, at once; where it goes to is another matter
  chip.device.set_rule(Rule::EthNoLink, Severity::Silicon);
  for (u32 queue = 0; queue < 3; ++queue) {
    chip.write(kTxq0 + 0x1000 * queue + 0x04, 1, kPort);
    EXPECT_EQ(chip.read(kTxq0 + 0x1000 * queue + 0x08, kPort) & 1u << 16, 0u);
    EXPECT_EQ(chip.read(kTxq0 + 0x1000 * queue + 0x04, kPort), 0u);
  }
}

TEST(AuditEthernet, a_receive_queue_is_of_one_of_two_modes) {
  EthernetChip chip;
  for (const u32 mode : {0u, 2u}) {  // raw, TT-link
    chip.write(kRxq0 + 0x1000, mode, kPort);
    EXPECT_EQ(chip.read(kRxq0 + 0x1000, kPort), mode);
  }
}

}  // namespace
}  // namespace bhemu::test
