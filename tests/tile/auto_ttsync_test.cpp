// Auto TTSync: a TRISC's accesses wait for the instructions it has pushed before (AutoTTSync.md).
#include "tensix/frontend/ttsync.hpp"

#include "tensix/cfg/cfg.hpp"
#include "tensix/isa.hpp"
#include "tensix/state.hpp"
#include "tile/one_tile.hpp"

namespace bhemu::test {
namespace {

using tensix::encode;
namespace op = tensix::op;
using namespace tensix::frontend;

constexpr u32 kCode = 0x6000;
constexpr u32 kResult = 0x9000;
constexpr u32 kTrackConfig = 1, kSubdivide = 2, kTrackGprs = 4, kTrackTdma = 8, kTrack = 16;
constexpr u32 kTtSyncDone = 0xFFE80004;

u32 setc16(u32 index, u32 value) {
  return encode<op::SETC16>({{"setc16_reg", index}, {"setc16_value", value}});
}
u32 endless_wait() {
  return encode<op::SEMWAIT>({{"stall_res", 0x1FF}, {"wait_sem_cond", 1}, {"sem_sel", 1}});
}
u32 wrcfg(u32 gpr, u32 word) {
  return encode<op::WRCFG>({{"gpr_address", gpr}, {"cfg_reg", word}});
}
u32 setdmareg(u32 half, u32 value) {
  return encode<op::SETDMAREG>({{"reg_index_16b", half}, {"payload_sig_sel", value}});
}

struct Program {
  Assembler a{kCode};
  Program() { a.li(s1, 0xFFE40000); }
  void push(u32 word) {
    a.li(t1, word);
    a.sw(t1, 0, s1);
  }
  /// Thread 0 tracks by `mask`, and has done so when the next instruction is pushed.
  void track(u32 mask) {
    push(setc16(56, mask));
    a.li(t0, kTtSyncDone);
    a.lw(a0, 0, t0);
  }
  void store(u32 address, u32 value) {
    a.li(t0, address);
    a.li(t1, value);
    a.sw(t1, 0, t0);
  }
  void load_to_result(u32 address) {
    a.li(t0, address);
    a.lw(a0, 0, t0);
    a.li(s0, kResult);
    a.sw(a0, 0, s0);
  }
  void run_on(OneTile& chip) {
    a.halt();
    chip.load(kCode, a.finish());
    chip.start_at(CoreId::Trisc0, kCode);
    chip.start({CoreId::Trisc0});
    chip.run(20'000);
  }
};

TEST(AutoTtSync, keeps_a_store_behind_the_instruction_that_reads_what_it_changes) {
  for (const bool tracks : {false, true})
    for (const Cycle quantum : {1, 32})
      for (const bool parking : {false, true}) {
        OneTile chip(quantum, parking);
        Program p;
        p.track(tracks ? kTrack | kTrackGprs : 0);
        p.store(0xFFE00000 + 4 * 8, 11);
        for (u32 i = 0; i < 8; ++i) p.push(encode<op::DMANOP>());
        p.push(wrcfg(8, 100));
        p.store(0xFFE00000 + 4 * 8, 22);
        p.run_on(chip);
        const auto& state = chip.tile->coprocessor().state();
        EXPECT_EQ(state.thcon.gpr[0][8], 22u);
        if (tracks) {
          EXPECT_EQ(state.cfg.bank[0][100], 11u);
        }
      }
}

TEST(AutoTtSync, keeps_a_load_behind_the_instruction_that_writes_what_it_reads) {
  OneTile chip;
  Program p;
  p.track(kTrack | kTrackGprs);
  for (u32 i = 0; i < 8; ++i) p.push(encode<op::DMANOP>());
  p.push(setdmareg(16, 77));
  p.load_to_result(0xFFE00000 + 4 * 8);
  p.run_on(chip);
  EXPECT_EQ(chip.read(kResult), 77u);
}

/// Whether the program gets to its end although `pushed` never passes the gate.
bool passes(u32 mask, const std::vector<u32>& pushed, u32 address, bool is_store) {
  OneTile chip;
  Program p;
  p.track(mask);
  p.push(endless_wait());
  for (const u32 word : pushed) p.push(word);
  is_store ? p.store(address, 0) : p.load_to_result(address);
  p.store(kResult, 1);
  p.run_on(chip);
  const bool passed = chip.read(kResult) == 1;
  if (!passed) {
    EXPECT_EQ(chip.tile->status(CoreId::Trisc0), tile::CoreStatus::Blocked);
    EXPECT_NE(chip.tile->waiting(CoreId::Trisc0).find(Awaited::TtSync), nullptr);
  }
  return passed;
}

TEST(AutoTtSync, tracks_only_what_it_is_told_to_and_what_the_instruction_uses) {
  constexpr u32 kGpr = 0xFFE00000, kConfig = 0xFFEF0000, kTdma = 0xFFB11000;
  const u32 pacr = encode<op::PACR>();
  EXPECT_TRUE(passes(kTrackGprs, {setdmareg(0, 1)}, kGpr, true)) << "not enabled";
  EXPECT_TRUE(passes(kTrack, {setdmareg(0, 1)}, kGpr, true));
  EXPECT_FALSE(passes(kTrack | kTrackGprs, {setdmareg(0, 1)}, kGpr, true));
  EXPECT_TRUE(passes(kTrack | kTrackConfig | kTrackTdma, {setdmareg(0, 1)}, kGpr, true));
  EXPECT_TRUE(passes(kTrack | kTrackGprs, {pacr}, kGpr, true)) << "uses no GPR";
  EXPECT_FALSE(passes(kTrack | kTrackTdma, {pacr}, kTdma + 0x24, true));
  EXPECT_FALSE(passes(kTrack | kTrackConfig, {pacr}, kConfig + 4 * 100, true)) << "it reads it";
  EXPECT_TRUE(passes(kTrack | kTrackConfig, {pacr}, kConfig + 4 * 100, false));
  EXPECT_FALSE(passes(kTrack | kTrackConfig, {wrcfg(1, 5)}, kConfig + 4 * 100, false));
  EXPECT_TRUE(passes(kTrack | kTrackConfig, {wrcfg(1, 5)}, kConfig + 4 * (224 + 100), false))
      << "the other bank";
  EXPECT_FALSE(
      passes(kTrack | kTrackConfig, {setc16(0, 1), wrcfg(1, 5)}, kConfig + 4 * (224 + 100), false));
  EXPECT_TRUE(passes(kTrack | kTrackConfig, {encode<op::NOP>()}, kConfig + 4 * 100, true));
  EXPECT_FALSE(passes(kTrack | kTrackGprs, {encode<op::DMANOP>(), encode<op::MOP>()}, kGpr, false))
      << "a MOP may use everything";
}

TEST(AutoTtSync, tells_unpackers_apart_when_it_is_to) {
  constexpr u32 kConfig = 0xFFEF0000;
  constexpr u32 kUnpacker0Word = 76, kUnpacker1Word = 76 + 48, kOther = 100;
  const auto unpacr = [](u32 which) { return encode<op::UNPACR>() | which << 23; };
  const auto at = [](u32 word) { return kConfig + 4 * word; };
  const u32 all = kTrack | kTrackConfig;
  for (const u32 word : {kUnpacker0Word, kUnpacker1Word, kOther})
    EXPECT_FALSE(passes(all, {unpacr(0)}, at(word), true));
  EXPECT_FALSE(passes(all | kSubdivide, {unpacr(0)}, at(kUnpacker0Word), true));
  EXPECT_TRUE(passes(all | kSubdivide, {unpacr(0)}, at(kUnpacker1Word), true));
  EXPECT_TRUE(passes(all | kSubdivide, {unpacr(1)}, at(kUnpacker0Word), true));
  EXPECT_FALSE(passes(all | kSubdivide, {unpacr(1)}, at(kUnpacker1Word), true));
  EXPECT_TRUE(passes(all | kSubdivide, {unpacr(0)}, at(kOther), true));
}

TEST(AutoTtSync, uses_what_resourcedecl_says) {
  constexpr u32 kGpr = 0xFFE00000;
  OneTile chip;
  Program p;
  p.push(encode<op::RESOURCEDECL>({{"op_class", 0}, {"resources", 0}}));
  p.track(kTrack | kTrackGprs);
  p.push(endless_wait());
  p.push(setdmareg(0, 1));
  p.store(kGpr, 5);
  p.store(kResult, 1);
  p.run_on(chip);
  EXPECT_EQ(chip.read(kResult), 1u);
}

TEST(AutoTtSync, counts_every_word_of_the_window_to_some_resource_of_its_bank) {
  tensix::State state;
  auto& words = state.cfg.thread[0];
  words[56] = static_cast<u16>(kTrack | kTrackConfig | kSubdivide);
  for (u32 i = 0; i < tensix::kConfigWindow; ++i) {
    const u32 found = resources_of_config(state, 0, i);
    ASSERT_NE(found, 0u) << i;
    ASSERT_EQ(found & ~u32{kBothBanks}, 0u) << i;
    if (i < tensix::kGlobalConfigBase) {
      ASSERT_EQ(found & ~u32{kWholeBank}, 0u) << i;
    }
  }
  EXPECT_EQ(resources_of_config(state, 0, 45), u32{kUnpacker0 | kUnpacker1});
  EXPECT_EQ(resources_of_config(state, 0, 48), u32{kWholeBank});
  EXPECT_EQ(resources_of_config(state, 0, tensix::kConfigThreads + 1),
            (kUnpacker0 | kUnpacker1) * 9u);
}

// Not Auto TTSync, but alike: an overlay register is written by STOREREG within a few cycles, so a
// core that looks soon afterwards must not be told of what was there a whole turn before.
constexpr u32 kPagesReceived = 0xFFB40000 + 4 * 10;  // of stream 0

u32 storereg(u32 gpr, u32 address) {
  return encode<op::STOREREG>(
      {{"reg_addr", (address - 0xFFB00000) / 4}, {"tdma_data_reg_index", gpr}});
}

TEST(OwnStores, a_core_sees_what_its_thread_has_written_to_an_overlay_register) {
  for (const Cycle quantum : {1, 32})
    for (const bool parking : {false, true}) {
      OneTile chip(quantum, parking);
      Program p;
      p.push(setdmareg(48, 0x40));
      p.push(storereg(24, kPagesReceived));
      p.push(setdmareg(48, 0x60));
      p.push(storereg(24, kPagesReceived));
      p.load_to_result(kPagesReceived);
      p.run_on(chip);
      EXPECT_EQ(chip.read(kResult), 0x60u) << quantum;
    }
}

TEST(OwnStores, a_core_does_not_wait_for_a_thread_that_waits) {
  for (const Cycle quantum : {1, 32}) {
    OneTile chip(quantum);
    Program p;
    p.push(setdmareg(48, 0x40));
    p.push(endless_wait());
    p.push(storereg(24, kPagesReceived));
    p.load_to_result(kPagesReceived);
    p.store(kResult + 4, 1);
    p.run_on(chip);
    EXPECT_EQ(chip.read(kResult), 0u);
    EXPECT_EQ(chip.read(kResult + 4), 1u);
  }
}

}  // namespace
}  // namespace bhemu::test
