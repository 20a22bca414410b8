#include "gdb/packet.hpp"

#include <gtest/gtest.h>

#include <random>

#include "fuzz/gdb_entry.hpp"
#include "gdb/registers.hpp"
#include "riscv/core.hpp"

namespace bhemu::gdb {
namespace {

using Kind = Incoming::Kind;

void feed(PacketReader& reader, std::string_view text) {
  reader.feed({reinterpret_cast<const u8*>(text.data()), text.size()});
}

TEST(GdbPackets, a_packet_comes_whole_however_it_is_cut) {
  const std::string text = "+" + framed("qSupported") + framed("g");
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    PacketReader reader;
    std::vector<Incoming> all;
    for (const std::string_view part :
         {std::string_view(text).substr(0, cut), std::string_view(text).substr(cut)}) {
      feed(reader, part);
      while (auto incoming = reader.next()) all.push_back(*incoming);
    }
    ASSERT_EQ(all.size(), 3u) << cut;
    EXPECT_EQ(all[0].kind, Kind::Ack);
    EXPECT_EQ(all[1].body, "qSupported");
    EXPECT_EQ(all[2].body, "g");
  }
}

TEST(GdbPackets, a_wrong_checksum_is_told_and_what_follows_is_read) {
  PacketReader reader;
  feed(reader, "$g#00$g#zz$g#67");
  EXPECT_EQ(reader.next()->kind, Kind::Corrupt);
  EXPECT_EQ(reader.next()->kind, Kind::Corrupt);
  EXPECT_EQ(reader.next()->body, "g");
  EXPECT_FALSE(reader.next());
}

TEST(GdbPackets, an_interrupt_is_one_byte_outside_of_packets) {
  PacketReader reader;
  feed(reader, "\x03" + framed("X\x03"));
  EXPECT_EQ(reader.next()->kind, Kind::Interrupt);
  EXPECT_EQ(reader.next()->body, "X\x03");
}

TEST(GdbPackets, bytes_with_a_meaning_are_escaped_there_and_back) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  PacketReader reader;
  feed(reader, framed(escaped(all)));
  EXPECT_EQ(reader.next()->body, all);
}

TEST(GdbPackets, a_packet_that_is_too_long_is_dropped) {
  PacketReader reader;
  feed(reader, "$" + std::string(PacketReader::kMostBytes + 1, 'a'));
  EXPECT_EQ(reader.next()->kind, Kind::Corrupt);
  feed(reader, framed("g"));
  EXPECT_EQ(reader.next()->body, "g");
}

TEST(GdbPackets, numbers_are_hexadecimal_and_at_most_64_bits) {
  Fields fields("12,ffffffffffffffff,10000000000000000");
  EXPECT_EQ(fields.number(), 0x12u);
  EXPECT_FALSE(fields.number());
  EXPECT_TRUE(fields.take(","));
  EXPECT_EQ(fields.number(), ~u64{0});
  EXPECT_TRUE(fields.take(","));
  EXPECT_FALSE(fields.number());
}

TEST(GdbRegisters, each_one_that_can_be_written_is_read_again) {
  riscv::CoreState state;
  for (u32 number = 1; number < kFirstCsr; ++number) {
    EXPECT_TRUE(write_register(state, number, number * 0x01010101)) << number;
    EXPECT_EQ(read_register(state, number), number * 0x01010101) << number;
  }
  EXPECT_TRUE(write_register(state, 0, 7));
  EXPECT_EQ(read_register(state, 0), 0u);
  EXPECT_FALSE(write_register(state, 1000, 7));
  EXPECT_FALSE(read_register(state, 1000));
}

TEST(GdbRegisters, the_vector_registers_are_those_behind_the_others) {
  riscv::CoreState state;
  for (u32 i = 0; i < 32; ++i) {
    VectorBytes bytes;
    for (u8& byte : bytes) byte = static_cast<u8>(i * 16 + (&byte - bytes.data()));
    EXPECT_TRUE(write_vector(state, kFirstVector + i, bytes));
    EXPECT_EQ(read_vector(state, kFirstVector + i), bytes);
    EXPECT_EQ(state.v.reg[i], bytes);
    EXPECT_FALSE(read_register(state, kFirstVector + i));
  }
  EXPECT_FALSE(read_vector(state, kFirstVector - 1));
  EXPECT_FALSE(read_vector(state, kFirstVector + 32));
  EXPECT_FALSE(write_vector(state, kFirstVector + 32, VectorBytes{}));
}

TEST(GdbRegisters, the_description_numbers_every_register_once) {
  const std::string text = target_description();
  riscv::CoreState state;
  u32 number = 0;
  while (read_register(state, number)) {
    const std::string regnum = "regnum=\"" + std::to_string(number) + "\"";
    const std::size_t at = text.find(regnum);
    ASSERT_NE(at, std::string::npos) << number;
    EXPECT_EQ(text.find(regnum, at + 1), std::string::npos) << number;
    ++number;
  }
  EXPECT_GT(number, kFirstCsr + 10);
  EXPECT_EQ(number, kFirstVector);
  for (; read_vector(state, number); ++number)
    EXPECT_NE(text.find("regnum=\"" + std::to_string(number) + "\""), std::string::npos) << number;
  EXPECT_EQ(text.find("regnum=\"" + std::to_string(number) + "\""), std::string::npos);
}

/// What gdb itself has sent, and what nobody should send, with bytes changed, lost and repeated.
TEST(GdbFuzz, packets_of_any_kind_are_answered_or_refused) {
  std::mt19937 random(1);
  test::GdbFuzz fuzz;
  for (const std::string& seed : test::gdb_seeds()) {
    fuzz.run({reinterpret_cast<const u8*>(seed.data()), seed.size()});
    for (int round = 0; round < 40; ++round) {
      std::string text = seed;
      for (int change = 0; change < 3 && !text.empty(); ++change) {
        const std::size_t at = random() % text.size();
        const unsigned what = random() % 3;
        if (what == 0) text[at] = static_cast<char>(random());
        if (what == 1) text.erase(at, 1 + random() % 4);
        if (what == 2) text.insert(at, text.substr(at, random() % 8));
      }
      fuzz.run({reinterpret_cast<const u8*>(text.data()), text.size()});
    }
  }
}

}  // namespace
}  // namespace bhemu::gdb
