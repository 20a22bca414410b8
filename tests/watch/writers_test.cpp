// Last writers and watchpoints, with small guest programs: the author is right, and nobody else is
// named.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/assembler.hpp"
#include "tensix/isa.hpp"
#include "watch/watchpoint.hpp"

namespace bhemu::watch {
namespace {

using test::Assembler;
using enum test::Reg;
using tensix::encode;
namespace op = tensix::op;

constexpr u32 kSoftReset = 0xFFB121B0;
constexpr u32 kNiu0 = 0xFFB20000;
constexpr u32 kData = 0x20000;
constexpr std::array<u32, kThreads> kTriscStart{0x6000, 0xA000, 0xE000};

struct Chip {
  Chip() : tile(device.board().tensix()[0]), other(device.board().tensix()[1]) {}

  void write(Coord where, u64 address, const std::vector<u32>& words) {
    device.write(where, address, {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
  }
  void load(u32 address, const std::vector<u32>& words) { write(tile, address, words); }
  void load_trisc(unsigned thread, const std::vector<u32>& tensix) {
    Assembler a(kTriscStart[thread]);
    for (const u32 word : tensix) a.ttinsn(word);
    a.halt();
    load(kTriscStart[thread], a.finish());
  }
  /// Bits of SOFT_RESET_0 that let these cores go.
  void run(u32 held) {
    device.write32(tile, kSoftReset, held);
    device.run(4000);
    for (const Fault& fault : device.faults()) ADD_FAILURE() << fault.text;
  }
  std::vector<Answer> ask(const std::string& place) {
    const std::string text = fmt::format("{}-{} {}", tile.x, tile.y, place);
    const Question question = parse_question("--why", text, device.board());
    said = text_of(device, question, why(writers, question), code);
    return why(writers, question);
  }
  std::string lines(const std::string& place) {
    ask(place);
    return said;
  }

  Device device{DeviceOptions{}};
  Coord tile;
  Coord other;
  host::CodeMap code;
  WritersOfDevice writers{device};
  std::string said;
};

/// A core has its NIU write `bytes` bytes at kData to the other tile.
void write_to_other(Assembler& a, const Chip& chip, u32 target, u32 bytes) {
  a.li(s0, kNiu0);
  const auto set = [&a](u32 offset, u32 value) {
    a.li(t0, value);
    a.sw(t0, static_cast<i32>(offset), s0);
  };
  set(0x00, kData);  // TARG: here
  set(0x04, 0);
  set(0x08, chip.tile.x | u32{chip.tile.y} << 6);
  set(0x0C, target);  // RET: there
  set(0x10, 0);
  set(0x14, chip.other.x | u32{chip.other.y} << 6);
  set(0x18, 0);
  set(0x1C, 0x2012);  // a write with response
  set(0x20, bytes);
  set(0x40, 1);
}

constexpr u32 kBriscRuns = 0x47000;
constexpr u32 kBriscAndTriscsRun = 0x40000;

std::vector<u32> stores(u32 base, const std::vector<std::pair<u32, u32>>& words) {
  Assembler a(base);
  for (const auto& [address, value] : words) {
    a.li(s0, address);
    a.li(t0, value);
    a.sw(t0, 0, s0);
  }
  a.halt();
  return a.finish();
}

TEST(LastWriters, of_neighbouring_words_are_told_apart) {
  Chip chip;
  chip.load(kData, {1, 2, 3, 4});
  chip.load(0, stores(0, {{kData, 7}}));
  chip.load(kTriscStart[0], stores(kTriscStart[0], {{kData + 8, 9}}));
  chip.run(kBriscAndTriscsRun | 0x6000);
  const auto answers = chip.ask("0x20000+16");
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0].writer.author.agent, Agent::Brisc);
  EXPECT_EQ(answers[1].writer.kind, Actor::Kind::Host);
  EXPECT_EQ(answers[2].writer.author.agent, Agent::Trisc0);
  EXPECT_EQ(answers[3].writer.kind, Actor::Kind::Host);
  EXPECT_EQ(answers[0].place, (Place{Area::Memory, kData, kData + 4}));
  EXPECT_NE(chip.said.find("memory [0x20000, +4]: BRISC at pc 0x"), std::string::npos) << chip.said;
  const auto nobody = chip.ask("0x30000");
  ASSERT_EQ(nobody.size(), 1u);
  EXPECT_FALSE(nobody[0].known);
}

TEST(LastWriters, of_what_the_mover_brought_is_the_core_that_told_it) {
  Chip chip;
  chip.load(kData, {1, 2, 3, 4});
  // 16 bytes from L1 to L1, compact; then a word to L1 itself.
  constexpr u32 kTdma = 0xFFB11000;
  constexpr u32 kTarget = 0x800;
  chip.load(0, stores(0, {{kTdma + 0x2C, kData >> 4},
                          {kTdma + 0x10, 0xC0000040u | 1u << 24 | (kTarget >> 4) << 16},
                          {kTdma + 0x00, kTarget + 0x40},
                          {kTdma + 0x08, 99},
                          {kTdma + 0x10, 0x666}}));
  chip.run(kBriscRuns);
  for (const u32 at : {kTarget + 4, kTarget + 0x40}) {
    const auto answers = chip.ask(fmt::format("{:#x}", at));
    ASSERT_FALSE(answers.empty()) << std::hex << at;
    EXPECT_NE(chip.said.find("mover"), std::string::npos) << chip.said;
    EXPECT_NE(chip.said.find("BRISC"), std::string::npos) << chip.said;
  }
}

TEST(LastWriters, of_a_byte_is_who_wrote_the_byte) {
  Chip chip;
  chip.load(kData, {0});
  Assembler a;
  a.li(s0, kData);
  a.li(t0, 5);
  a.sb(t0, 2, s0);
  a.halt();
  chip.load(0, a.finish());
  chip.run(kBriscRuns);
  const auto answers = chip.ask("0x20000");
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[1].place, (Place{Area::Memory, kData + 2, kData + 3}));
  EXPECT_EQ(answers[1].writer.kind, Actor::Kind::Core);
  EXPECT_EQ(answers[2].writer.kind, Actor::Kind::Host);
}

TEST(LastWriters, of_what_came_over_the_noc_are_followed_to_the_sender) {
  Chip chip;
  chip.write(chip.tile, kData, {0x11, 0x22});
  Assembler a;
  write_to_other(a, chip, 0x30000, 16);
  a.halt();
  chip.load(0, a.finish());
  chip.run(kBriscRuns);
  const std::string asked = fmt::format("{}-{} 0x30000+16", chip.other.x, chip.other.y);
  const Question question = parse_question("--why", asked, chip.device.board());
  const auto answers = why(chip.writers, question);
  ASSERT_EQ(answers.size(), 1u);
  const Answer& answer = answers[0];
  EXPECT_EQ(answer.writer.kind, Actor::Kind::Noc);
  EXPECT_EQ(answer.writer.issuer, Agent::Brisc);
  EXPECT_EQ(answer.writer.author.tile, chip.device.board().node_at_translated(chip.tile));
  ASSERT_EQ(answer.from.size(), 1u);
  EXPECT_EQ(answer.from[0].writer.kind, Actor::Kind::Host);
  EXPECT_EQ(answer.from[0].place, (Place{Area::Memory, kData, kData + 8}));
  const std::string text = text_of(chip.device, question, answers, chip.code);
  EXPECT_NE(text.find("for BRISC of (1, 2) at pc "), std::string::npos) << text;
}

TEST(LastWriters, of_bytes_in_the_midst_of_a_request_are_those_of_the_same_bytes_at_its_source) {
  Chip chip;
  chip.load(kData, std::vector<u32>(256));
  Assembler a;
  // Each word of the source is written by an instruction of its own.
  for (u32 i = 0; i < 24; ++i) {
    a.li(s0, kData + 4 * i);
    a.li(t0, i);
    a.sw(t0, 0, s0);
  }
  write_to_other(a, chip, kData + 0x1000, 96);
  a.halt();
  chip.load(0, a.finish());
  chip.run(kBriscRuns);
  for (const u32 word : {0u, 13u, 20u}) {
    const std::string text =
        fmt::format("{}-{} {:#x}", chip.other.x, chip.other.y, kData + 0x1000 + 4 * word);
    const Question question = parse_question("--why", text, chip.device.board());
    const auto answers = why(chip.writers, question);
    ASSERT_EQ(answers.size(), 1u);
    ASSERT_EQ(answers[0].from.size(), 1u) << word;
    EXPECT_EQ(answers[0].from[0].place,
              (Place{Area::Memory, kData + 4 * word, kData + 4 * word + 4}));
    EXPECT_EQ(answers[0].from[0].writer.kind, Actor::Kind::Core);
  }
}

TEST(LastWriters, of_a_configuration_field_is_not_who_wrote_the_next_field) {
  Chip chip;
  // RMWCIB writes a byte of word 72 under a mask: bits 8..11, then thread 1 bits 12..15.
  chip.load_trisc(0, {encode<op::RMWCIB1>({{"cfg_reg_addr", 72}, {"mask", 0x0F}, {"data", 0x05}})});
  chip.load_trisc(1, {encode<op::RMWCIB1>({{"cfg_reg_addr", 72}, {"mask", 0xF0}, {"data", 0x50}})});
  chip.load_trisc(2, {});
  chip.run(kBriscAndTriscsRun | 0x800);
  const auto answers = chip.ask("cfg:0:72");
  ASSERT_EQ(answers.size(), 4u) << chip.said;
  EXPECT_FALSE(answers[0].known);
  EXPECT_EQ(answers[1].writer.author.agent, Agent::Thread0);
  EXPECT_EQ(answers[1].place.size(), 4u);
  EXPECT_EQ(answers[2].writer.author.agent, Agent::Thread1);
  EXPECT_FALSE(answers[3].known);
  EXPECT_EQ(answers[1].writer.pusher, Agent::Trisc0);
  EXPECT_EQ(answers[1].writer.pushed_from, kTriscStart[0]);
}

TEST(LastWriters, of_a_register_are_followed_through_what_computed_it) {
  Chip chip;
  chip.load_trisc(0,
                  {encode<op::SETDMAREG>({{"reg_index_16b", 8}, {"payload_sig_sel", 3}}),
                   encode<op::SETDMAREG>({{"reg_index_16b", 10}, {"payload_sig_sel", 4}}),
                   encode<op::ADDDMAREG>(
                       {{"result_reg_index", 6}, {"op_a_reg_index", 4}, {"op_b_reg_index", 5}})});
  chip.run(kBriscAndTriscsRun | 0x800 | 0x6000);
  const auto answers = chip.ask("gpr:0:6");
  ASSERT_EQ(answers.size(), 1u) << chip.said;
  EXPECT_EQ(tensix::opcode_of(answers[0].writer.author.pc), op::ADDDMAREG::kOpcode);
  ASSERT_EQ(answers[0].from.size(), 2u) << chip.said;
  for (const Answer& source : answers[0].from)
    EXPECT_EQ(tensix::opcode_of(source.writer.author.pc), op::SETDMAREG::kOpcode);
  EXPECT_NE(chip.said.find("thread 0 with ADDDMAREG"), std::string::npos) << chip.said;
  EXPECT_FALSE(chip.ask("gpr:1:6")[0].known) << "another thread's register";
}

TEST(LastWriters, of_a_semaphore_are_all_who_have_lately_changed_it) {
  Chip chip;
  chip.load_trisc(0, {encode<op::SEMINIT>({{"sem_sel", 2}, {"max_value", 3}, {"init_value", 1}}),
                      encode<op::SEMPOST>({{"sem_sel", 2}})});
  chip.run(kBriscAndTriscsRun | 0x800 | 0x6000);
  const auto answers = chip.ask("sem:1");
  ASSERT_EQ(answers.size(), 2u) << chip.said;
  EXPECT_EQ(tensix::opcode_of(answers[0].writer.author.pc), op::SEMPOST::kOpcode);
  EXPECT_EQ(answers[0].before, 1u);
  EXPECT_EQ(answers[0].after, 2u);
  EXPECT_EQ(tensix::opcode_of(answers[1].writer.author.pc), op::SEMINIT::kOpcode);
  EXPECT_FALSE(chip.ask("sem:0")[0].known);
}

std::vector<Hit> hits_of(Chip& chip, const std::string& watch, u32 held) {
  Watchpoints points(chip.device, {parse_watch("--watch", watch, chip.device.board())});
  chip.run(held);
  chip.said.clear();
  const std::vector<Hit> hits = points.take();
  for (const Hit& hit : hits) chip.said += text_of(chip.device, points, hit, chip.code);
  return hits;
}

TEST(Watchpoints, tell_of_each_write_with_its_author_and_what_was_there) {
  Chip chip;
  chip.load(kData, {1, 2, 3});
  chip.load(0, stores(0, {{kData, 7}, {kData + 4, 8}, {kData + 4, 8}, {kData + 8, 9}}));
  const auto hits = hits_of(chip, "1-2:l1:0x20004+4", kBriscRuns);
  ASSERT_EQ(hits.size(), 2u) << chip.said;
  EXPECT_TRUE(hits[0].changed);
  EXPECT_EQ(hits[0].before, 2u);
  EXPECT_EQ(hits[0].after, 8u);
  EXPECT_FALSE(hits[1].changed);
  EXPECT_EQ(hits[0].actor.author.agent, Agent::Brisc);
  EXPECT_NE(chip.said.find("write of memory [0x20004, +4], 0x00000002 -> 0x00000008, by BRISC at "),
            std::string::npos)
      << chip.said;
  EXPECT_NE(chip.said.find("as it was"), std::string::npos);
}

TEST(Watchpoints, of_reads_do_not_tell_of_writes) {
  Chip chip;
  Assembler a;
  a.li(s0, kData);
  a.sw(s0, 0, s0);
  a.lw(t0, 0, s0);
  a.lw(t0, 4, s0);
  a.halt();
  chip.load(0, a.finish());
  EXPECT_EQ(hits_of(chip, "1-2:l1:0x20000:r", kBriscRuns).size(), 1u) << chip.said;
  Chip again;
  again.load(0, a.finish());
  EXPECT_EQ(hits_of(again, "1-2:l1:0x20000:rw", kBriscRuns).size(), 2u) << again.said;
}

TEST(Watchpoints, see_registers_of_the_coprocessor) {
  Chip chip;
  chip.load_trisc(0, {encode<op::SETDMAREG>({{"reg_index_16b", 8}, {"payload_sig_sel", 3}}),
                      encode<op::SETDMAREG>({{"reg_index_16b", 10}, {"payload_sig_sel", 4}})});
  const auto hits = hits_of(chip, "1-2:gpr:0:4", kBriscAndTriscsRun | 0x800 | 0x6000);
  ASSERT_EQ(hits.size(), 1u) << chip.said;
  EXPECT_EQ(hits[0].after & 0xFFFF, 3u) << chip.said;
  EXPECT_EQ(hits[0].actor.author.agent, Agent::Thread0);
}

}  // namespace
}  // namespace bhemu::watch
