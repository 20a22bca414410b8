// The registers of the port, as far as they go without a cable.
#include "eth/ethernet_chip.hpp"
#include "eth/registers.hpp"

namespace bhemu::test {
namespace {

constexpr Coord kPort = EthernetChip::kPort;

TEST(EthernetPort, every_register_is_there_and_has_its_reset_value) {
  EthernetChip chip;
  for (const eth::RegisterInfo& row : eth::registers()) {
    if (row.kind == eth::Kind::Unmodelled || row.block == eth::Block::RiscControl) continue;
    const eth::BlockInfo& block = eth::info_of(row.block);
    for (u32 copy = 0; copy < block.copies; ++copy)
      for (u32 i = 0; i < row.count; ++i) {
        const u32 address = block.first + copy * block.stride + row.offset + 4 * i;
        EXPECT_EQ(chip.read(address, kPort), row.reset) << block.name << copy << " " << row.name;
      }
  }
  EXPECT_TRUE(chip.device.faults().empty());
}

TEST(EthernetPort, has_the_documented_reset_values) {
  EthernetChip chip;
  EXPECT_EQ(chip.read(kTxq0 + 0x1000 + 0x0C, kPort), 1500u);
  EXPECT_EQ(chip.read(kTxq0 + 0x2000 + 0x6C, kPort), 8u);
  EXPECT_EQ(chip.read(kTxq0 + 0x4C, kPort), 0x1F40u);
  EXPECT_EQ(chip.read(kRxq0 + 0x18, kPort), 14u);
  EXPECT_EQ(chip.read(0xFFB98120, kPort), 0x1Fu);
  EXPECT_EQ(chip.read(0xFFB98154, kPort), 0xA00u);
}

TEST(EthernetPort, stores_what_is_written_in_each_copy_by_itself) {
  EthernetChip chip;
  for (u32 queue = 0; queue < 3; ++queue)
    chip.write(kTxq0 + 0x1000 * queue + 0x1C, queue + 5, kPort);
  for (u32 row = 0; row < 10; ++row) chip.write(kHeaderTable + 0x80 * row + 0x18, row + 50, kPort);
  chip.write(kRxq0, ~0u, kPort);
  for (u32 queue = 0; queue < 3; ++queue)
    EXPECT_EQ(chip.read(kTxq0 + 0x1000 * queue + 0x1C, kPort), queue + 5);
  for (u32 row = 0; row < 10; ++row)
    EXPECT_EQ(chip.read(kHeaderTable + 0x80 * row + 0x18, kPort), row + 50);
  EXPECT_EQ(chip.read(kRxq0, kPort), 0b110u) << "other bits read as zero";
}

TEST(EthernetPort, an_address_without_a_register_is_a_fault) {
  for (const u32 address :
       {kTxq0 + 0x100, kRxq0 + 0x1C, 0xFFB98010u, kClassifier + 0x3000 - 0x600}) {
    EthernetChip chip;
    u32 value = 0;
    EXPECT_FALSE(chip.device.read32(kPort, address, value)) << std::hex << address;
    EXPECT_EQ(chip.rules(), std::vector<Rule>{Rule::EthUnknownRegister}) << std::hex << address;
  }
}

TEST(EthernetPort, what_is_not_modelled_is_a_fault) {
  const struct {
    u32 address, value;
  } writes[] = {{0xFFB14020, 1}, {kTxq0 + 0x90, 1},        {0xFFB98800, 1},
                {0xFFBA2200, 1}, {kClassifier + 0xD00, 1}, {kTxq0 + 0x04, 8}};
  for (const auto& write : writes) {
    EthernetChip chip;
    EXPECT_FALSE(chip.device.write32(kPort, write.address, write.value));
    EXPECT_EQ(chip.rules(), std::vector<Rule>{Rule::EthNotModelled}) << std::hex << write.address;
  }
  EthernetChip chip;
  for (u32 i = 0; i < 5; ++i) chip.write(0xFFB14020 + 4 * i, 0, kPort);  // as tt-metal does
  EXPECT_TRUE(chip.device.faults().empty());
}

TEST(EthernetPort, the_counters_of_dropped_packets_are_read_only) {
  EthernetChip chip;
  EXPECT_FALSE(chip.device.write32(kPort, kRxq0 + 0x4C, 1));
  EXPECT_EQ(chip.rules(), std::vector<Rule>{Rule::TileReadOnlyRegister});
}

/// Sends from ERISC1 of a tile, as a program would.
Fault sent_by(Coord tile, u32 queue, u32 command, u32 start, u32 size, u32 target) {
  EthernetChip chip;
  Assembler a(EthernetChip::kCode);
  const auto store = [&](u32 offset, u32 value) {
    a.li(t0, kTxq0 + 0x1000 * queue + offset);
    a.li(t1, value);
    a.sw(t1, 0, t0);
  };
  store(0x14, start);
  store(0x18, size);
  store(0x1C, target);
  store(0x04, command);
  a.halt();
  chip.load(a, EthernetChip::kCode, tile);
  chip.start(CoreId::Erisc1, EthernetChip::kCode, tile);
  EXPECT_EQ(chip.run().status, RunStatus::Faulted);
  EXPECT_EQ(chip.device.faults().size(), 1u);
  return chip.device.faults().empty() ? Fault{} : chip.device.faults()[0];
}

TEST(EthernetPort, a_command_without_a_peer_is_a_fault_that_says_so) {
  Fault fault = sent_by(kPort, 0, 2, 0x1000, 64, 0x2000);
  EXPECT_EQ(fault.rule, Rule::EthNoLink);
  EXPECT_EQ(fault.agent, Agent::Erisc1);
  EXPECT_EQ(fault.text, "L1 write of 64 bytes from 0x01000 on TXQ0 of E4: the port has no cable");
  fault = sent_by(EthernetChip::kFirst, 1, 4, 0, 0, 0xFFB40000);
  EXPECT_EQ(fault.rule, Rule::EthNoLink);
  EXPECT_EQ(fault.text,
            "MMIO write to 0xffb40000 on TXQ1 of E0: the tile has no port: its SerDes serves PCIe");
  EXPECT_EQ(sent_by(kPort, 2, 1, 0x1001, 61, 0).rule, Rule::EthNoLink) << "raw: any alignment";
}

TEST(EthernetPort, a_command_that_the_queue_does_not_take_is_a_fault) {
  EXPECT_EQ(sent_by(kPort, 0, 2, 0x1004, 64, 0x2000).rule, Rule::EthCommand);
  EXPECT_EQ(sent_by(kPort, 0, 2, 0x1000, 65, 0x2000).rule, Rule::EthCommand);
  EXPECT_EQ(sent_by(kPort, 0, 2, 0x1000, 64, 0x2008).rule, Rule::EthCommand);
  EXPECT_EQ(sent_by(kPort, 0, 2, 0x7FFF0, 32, 0x2000).rule, Rule::EthCommand) << "beyond L1";
  EXPECT_EQ(sent_by(kPort, 2, 4, 0, 0, 0xFFB40000).rule, Rule::EthCommand) << "TXQ2";
  EXPECT_EQ(sent_by(kPort, 1, 4, 0, 0, 0xFFB40002).rule, Rule::EthCommand);
  EXPECT_EQ(sent_by(kPort, 0, 3, 0x1000, 64, 0x2000).rule, Rule::EthCommand);
}

TEST(EthernetPort, as_a_run_may_choose_a_lost_packet_goes_unnoticed) {
  EthernetChip chip;
  chip.device.set_rule(Rule::EthNoLink, Severity::Silicon);
  chip.write(kTxq0 + 0x04, 1, kPort);
  EXPECT_EQ(chip.read(kTxq0 + 0x04, kPort), 0u) << "CMD reads as zero";
  EXPECT_EQ(chip.read(kTxq0 + 0x08, kPort), 0u);
}

TEST(EthernetPort, rows_of_the_tcam_are_reached_through_their_window) {
  EthernetChip chip;
  const auto write = [&](u32 offset, u32 value) { chip.write(kClassifier + offset, value, kPort); };
  const auto read = [&](u32 offset) { return chip.read(kClassifier + offset, kPort); };
  constexpr u32 kGo = 1u << 31;
  write(0xD60, 1);
  write(0xD40, 5 | 1 << 8 | 1 << 16 | kGo);
  write(0xD40, 5 | kGo);
  EXPECT_EQ(read(0xD44), 5u | 1 << 8);
  write(0xD40, 6 | kGo);
  EXPECT_EQ(read(0xD44), 6u);
  write(0xD80, 0);       // not IP
  write(0xDC0, 0x88F7);  // type
  write(0xDA4, 0x1234);  // destination address
  write(0xDB4, 0x55);    // a port, which such a row does not have
  write(0xDF0, 5 | 1 << 9 | 1 << 10 | 0xFF << 16 | kGo);
  write(0xDF0, 5 | kGo);
  EXPECT_EQ(read(0xE00), 0u);
  EXPECT_EQ(read(0xE50), 0x88F7u);
  EXPECT_EQ(read(0xE24), 0x1234u);
  EXPECT_EQ(read(0xE34), 0u);
  write(0xDF0, 5 | 1 << 8 | kGo);
  EXPECT_EQ(read(0xE50), ~0u) << "the mask was not written";
}

TEST(EthernetPort, rows_of_the_flow_table_are_reached_through_their_window) {
  EthernetChip chip;
  const auto write = [&](u32 offset, u32 value) { chip.write(kClassifier + offset, value, kPort); };
  constexpr u32 kGo = 1u << 31;
  write(0xE84, 2);
  write(0xE8C, 0xCAFE);
  write(0xEA0, 63 | 1 << 8 | kGo);
  write(0xE84, 0);
  write(0xE8C, 0);
  write(0xEA0, 63 | kGo);
  EXPECT_EQ(chip.read(kClassifier + 0xE84, kPort), 2u);
  EXPECT_EQ(chip.read(kClassifier + 0xE8C, kPort), 0xCAFEu);
}

TEST(EthernetPort, a_copy_of_the_chip_has_the_registers_too) {
  EthernetChip chip;
  chip.write(kTxq0 + 0x1C, 0x77, kPort);
  Device copy = chip.device.clone();
  u32 value = 0;
  EXPECT_TRUE(copy.read32(kPort, kTxq0 + 0x1C, value));
  EXPECT_EQ(value, 0x77u);
}

TEST(EthernetPort, a_core_that_polls_the_link_status_is_parked) {
  EthernetChip chip;
  Assembler a(EthernetChip::kCode);
  a.li(t0, kPcsStatus);
  a.label("poll");
  a.lw(t1, 0, t0);
  a.beq(t1, zero, "poll");
  a.halt();
  chip.load(a, EthernetChip::kCode, kPort);
  chip.start(CoreId::Erisc1, EthernetChip::kCode, kPort);
  EXPECT_EQ(chip.run().status, RunStatus::Idle);
  EXPECT_EQ(chip.tile(kPort).status(CoreId::Erisc1), tile::CoreStatus::Parked);
}

}  // namespace
}  // namespace bhemu::test
