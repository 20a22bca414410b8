// Random debuggers on a tile whose cores poll, compute, push and wait: nothing aborts, and what
// they see and leave behind does not depend on parking.
#include <random>

#include "support/rounds.hpp"
#include "tensix/isa.hpp"
#include "tile/debugged_tile.hpp"

namespace bhemu::test {
namespace {

namespace op = tensix::op;

constexpr u32 kShared = 0x9000;

/// A loop of a few random parts: arithmetic, loads and stores of shared words, pushes, mailboxes.
std::vector<u32> random_loop(u32 base, bool may_push, std::mt19937_64& random) {
  Assembler a(base);
  const auto pick = [&](u32 count) { return static_cast<u32>(random() % count); };
  a.li(s0, kShared);
  a.li(s1, 0xFFE40000);
  a.li(s2, 0xFFEC0000);
  a.li(s3, tensix::encode<op::NOP>({}));
  a.label("again");
  const u32 parts = 1 + pick(5);
  for (u32 i = 0; i < parts; ++i) {
    const i32 word = static_cast<i32>(pick(8)) * 4;
    switch (pick(may_push ? 9 : 5)) {
      case 0:
        a.addi(a1, a1, 3);
        break;
      case 1:
      case 2:
        a.lw(a2, word, s0);
        break;
      case 3:
        a.sw(a1, word, s0);
        break;
      case 4:
        a.addi(a1, zero, 5);
        break;
      case 5:
        a.sw(s3, 0, s1);
        break;
      case 6:
        a.lw(a3, static_cast<i32>(pick(2)) * 4, s2);
        break;
      case 7:
        a.sw(a1, 0, s2);
        break;
      default:
        a.li(t0, 0xFFE80004);
        a.lw(a0, 0, t0);
        break;
    }
  }
  a.lw(a4, 0x20, s0);
  a.beq(a4, zero, "again");
  a.j("again");
  return a.finish();
}

void random_act(DebuggedTile& chip, std::mt19937_64& random, std::vector<u32>& seen) {
  const auto pick = [&](u32 count) { return static_cast<u32>(random() % count); };
  const Debugger debugger = chip.debugger_of(kDebuggable[pick(4)]);
  constexpr std::array<u32, 12> kAddresses{kShared,    kShared + 4, kShared + 0x20, 0xFFB00010,
                                           0xFFE40000, 0xFFEC0000,  0xFFEC0004,     0xFFEC1000,
                                           0xFFEC2000, 0xFFB12080,  0xFFB12084,     0xFFB1208C};
  const u32 address = kAddresses[pick(kAddresses.size())];
  switch (pick(14)) {
    case 0:
    case 1:
      return debugger.pause();
    case 2:
    case 3:
      return debugger.resume();
    case 4:
      return debugger.step();
    case 5:
      return debugger.command(1u << pick(9) | 1u << pick(9));
    case 6:
      return debugger.watch(pick(8), 8 + pick(4), 0x6000 * pick(3) + pick(16) * 4);
    case 7:
      return debugger.watch(pick(8), 8 + pick(4), address);
    case 8:
      return debugger.set(Debugger::kModes, 0);
    case 9:
      debugger.set(Debugger::kArgument0, address);
      return debugger.command(Debugger::kReadMemory);
    case 10:
      return debugger.set_memory(
          address, pick(2) == 0 ? static_cast<u32>(random()) : 0x80010001 | pick(4) << 17);
    case 11:
      return chip.write(kShared + pick(9) * 4, static_cast<u32>(random()));
    case 12:
      seen.push_back(debugger.status());
      seen.push_back(debugger.get(Debugger::kResult));
      return seen.push_back(debugger.gpr(pick(33)));
    default:
      // Some cores through a soft reset, BRISC never: it alone is not started anew at 0.
      if (pick(4) != 0) return;
      chip.start({CoreId::Brisc, kDebuggable[1 + pick(3)], CoreId::Ncrisc});
      return chip.start(
          {CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc1, CoreId::Trisc2});
  }
}

std::vector<u32> session(u64 seed, Cycle quantum, bool parking) {
  std::mt19937_64 random(seed);
  DebuggedTile chip(CoreId::Brisc, quantum, parking);
  constexpr std::array<u32, kCores> kBase{0x100, 0x12000, 0x6000, 0xA000, 0xE000};
  // What a core with cleared registers stores to must not be code: an instruction that waits is
  // fetched again, and only without parking.
  chip.load(0, {0x1000006F});  // j 0x100
  for (unsigned core = 0; core < kCores; ++core)
    chip.load(kBase[core], random_loop(kBase[core], core != 1, random));
  chip.start({CoreId::Brisc, CoreId::Ncrisc, CoreId::Trisc0, CoreId::Trisc1, CoreId::Trisc2});
  std::vector<u32> seen;
  for (u32 i = 0; i < 60; ++i) {
    const u32 acts = static_cast<u32>(random() % 5);
    for (u32 act = 0; act < acts; ++act) random_act(chip, random, seen);
    chip.advance(256 * (1 + random() % 4));
    const u64 hash = chip.hash();
    seen.push_back(static_cast<u32>(hash ^ hash >> 32));
  }
  return seen;
}

TEST(RandomDebugger, random_sessions_are_the_same_with_parking_and_without) {
  const u64 sessions = 1 + rounds(100'000) / 10'000;
  std::mt19937_64 seeds(seed(20));
  for (u64 i = 0; i < sessions; ++i) {
    const u64 seed = seeds();
    for (const Cycle quantum : {1, 32})
      ASSERT_EQ(session(seed, quantum, true), session(seed, quantum, false)) << seed;
  }
}

}  // namespace
}  // namespace bhemu::test
