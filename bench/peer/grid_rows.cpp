// Rows of cores and coprocessors: one, a tile's, some tiles', a whole grid's. Time is counted from
// the first core that is let loose, releases included.
#include "host/boot/mailboxes.hpp"
#include "mem/mapping.hpp"
#include "peer/card.hpp"
#include "peer/guest.hpp"
#include "support/assembler.hpp"
#include "tile/shape.hpp"

namespace bhemu::peer {
namespace {

using test::Assembler;
using enum test::Reg;

constexpr unsigned kWholeGrid = 140;

/// The columns and rows of a P150.
std::vector<Coord> grid(unsigned count) {
  std::vector<Coord> tiles;
  for (u8 x = 1; x <= 16; ++x)
    for (u8 y = 2; y <= 11 && tiles.size() < count; ++y)
      if (x < 8 || x > 9) tiles.push_back({x, y});
  return tiles;
}

// --- Cores.

// Where cores start when nothing overrides it.
constexpr std::array<u32, kCores> kStart = {0, 0x12000, 0x6000, 0xA000, 0xE000};
constexpr u32 kDone = 0x1F000;  // a word a core
constexpr u32 kFlag = 0x1F100;  // what pollers look at
constexpr u32 kWork = 0x1F200;  // 64 bytes a core
constexpr u32 kPerRound = 10;   // instructions

/// Rounds of arithmetic with a load and a store of L1, then what came of them.
std::vector<u32> busy_program(unsigned core, u32 rounds) {
  Assembler a(kStart[core]);
  a.li(s0, kWork + 64 * core);
  a.li(s1, rounds);
  a.li(t1, 1);
  a.label("round");
  a.lw(t0, 0, s0);
  a.add(t0, t0, t1);
  a.slli(t2, t0, 3);
  a.xor_(t1, t1, t2);
  a.addi(t1, t1, 77);
  a.slli(t2, t1, 7);
  a.add(t1, t1, t2);
  a.sw(t1, 0, s0);
  a.addi(s1, s1, -1);
  a.bne(s1, zero, "round");
  a.li(s0, kDone + 4 * core);
  a.sw(t1, 0, s0);
  a.halt();
  return a.finish();
}

std::vector<u32> polling_program(unsigned core) {
  Assembler a(kStart[core]);
  a.li(s0, kFlag);
  a.label("poll");
  a.lw(t0, 0, s0);
  a.beq(t0, zero, "poll");
  a.halt();
  return a.finish();
}

struct Loose {
  std::vector<Coord> tiles;
  unsigned cores;
};

/// Lets `cores` of each tile loose and waits for the words that the busy ones leave.
Measured run_cores(Card& card, const Loose& loose, unsigned busy, u32 clocks, double instructions) {
  u32 reset = host::kSoftResetAll;
  for (unsigned core = 0; core < loose.cores; ++core)
    reset &= ~(1u << tile::tensix_shape().reset_bit[core]);
  const double begin = now();
  for (const Coord tile : loose.tiles) card.write32(tile, kSoftReset, reset);
  u64 hash = 0;
  for (unsigned i = 0; i < busy; ++i) {
    const Coord tile = loose.tiles[i / loose.cores];
    u32 word;
    for (u32 tries = 0; (word = card.read32(tile, kDone + i % loose.cores * 4)) == 0; ++tries) {
      demand(tries < 10'000'000, "a core does not finish");
      card.clock(clocks);
    }
    hash = hash_bytes(hash, &word, sizeof word);
  }
  return {(now() - begin) / instructions, hash};
}

Measured busy_cores(const Setup& setup, unsigned tiles, unsigned cores, u32 instructions) {
  Card card(setup);
  const Loose loose{grid(tiles), cores};
  const u32 rounds = instructions / (tiles * cores) / kPerRound;
  for (const Coord tile : loose.tiles) {
    card.write32(tile, kSoftReset, host::kSoftResetAll);
    for (unsigned core = 0; core < cores; ++core)
      card.write(tile, kStart[core], busy_program(core, rounds));
  }
  const double all = static_cast<double>(rounds) * kPerRound * tiles * cores;
  return run_cores(card, loose, tiles * cores, 1000, all);
}

/// One core works, the 599 others of 120 tiles poll.
Measured pollers(const Setup& setup, u32 rounds) {
  Card card(setup);
  const Loose loose{grid(120), 5};
  for (const Coord tile : loose.tiles) {
    card.write32(tile, kSoftReset, host::kSoftResetAll);
    for (unsigned core = 0; core < 5; ++core) card.write(tile, kStart[core], polling_program(core));
  }
  card.write(loose.tiles[0], kStart[0], busy_program(0, rounds));
  return run_cores(card, loose, 1, 1000, rounds * kPerRound);
}

// --- Coprocessors: the loops of peer/guest.hpp.

const GuestProgram& program_named(const char* name) {
  static const std::vector<GuestProgram> kPrograms = guest_programs();
  for (const GuestProgram& program : kPrograms)
    if (program.name == name) return program;
  throw std::runtime_error(std::string("there is no program ") + name);
}

/// `turns` of the program on each of so many tiles. Two host threads have a whole grid let loose by
/// one multicast: one tile after the other, what the host's thread does alone would be measured.
Measured run_program(const Setup& setup, const char* name, unsigned count, u32 turns) {
  const clockid_t clock = setup.threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
  const GuestProgram& program = program_named(name);
  Card card(setup);
  const std::vector<Coord> tiles = grid(count);
  for (const Coord tile : tiles) {
    card.write32(tile, kSoftReset, host::kSoftResetAll);
    for (const auto& [address, words] : program.image) card.write(tile, address, words);
    card.write32(tile, kWanted, turns);
  }
  const double begin = now(clock);
  if (tiles.size() == kWholeGrid && setup.threads > 1)
    card.multicast32(tiles.front(), tiles.back(), kSoftReset, program.reset);
  else
    for (const Coord tile : tiles) card.write32(tile, kSoftReset, program.reset);
  for (const Coord tile : tiles)
    for (u32 tries = 0; card.read32(tile, peer::kCount) != turns; ++tries) {
      demand(tries < 10'000'000, "a tile does not finish");
      card.clock(500);
    }
  const double seconds = now(clock) - begin;
  u64 hash = 0;
  if (program.has_tile)
    for (const Coord tile : tiles)
      for (u32 at = 0; at < kTileBytes; at += 4) {
        const u32 word = card.read32(tile, kOut + at);
        hash = hash_bytes(hash, &word, sizeof word);
      }
  return {seconds / (program.per_turn * turns * count), hash};
}

constexpr Row kRows[] = {
    {"one busy core, an instruction", "ns", 1e9,
     [](const Setup& s) { return busy_cores(s, 1, 1, 10'000'000); }},
    {"five busy cores of one tile, an instruction", "ns", 1e9,
     [](const Setup& s) { return busy_cores(s, 1, 5, 10'000'000); }},
    {"40 busy cores on 8 tiles, an instruction", "ns", 1e9,
     [](const Setup& s) { return busy_cores(s, 8, 5, 16'000'000); }},
    {"600 busy cores on 120 tiles, an instruction", "ns", 1e9,
     [](const Setup& s) { return busy_cores(s, 120, 5, 24'000'000); }},
    {"one useful core beside 599 pollers, an instruction", "ns", 1e9,
     [](const Setup& s) { return pollers(s, 10'000); }},
    {"the same when it executes five times as many", "ns", 1e9,
     [](const Setup& s) { return pollers(s, 50'000); }},
    {"MVMUL bf16, one tile", "ns", 1e9,
     [](const Setup& s) { return run_program(s, "mvmul", 1, 60); }},
    {"MVMUL bf16, 8 tiles", "ns", 1e9,
     [](const Setup& s) { return run_program(s, "mvmul", 8, 8); }},
    {"SFPMAD, one tile", "ns", 1e9,
     [](const Setup& s) { return run_program(s, "sfpu_mad", 1, 1000); }},
    {"tile copy, one tile", "us", 1e6,
     [](const Setup& s) { return run_program(s, "tile_copy", 1, 3000); }},
    {"tile copy, 140 tiles", "us", 1e6,
     [](const Setup& s) { return run_program(s, "tile_copy", 140, 120); }},
    {"tile product LoFi, one tile", "us", 1e6,
     [](const Setup& s) { return run_program(s, "product_lofi", 1, 600); }},
    {"tile product LoFi, 140 tiles", "us", 1e6,
     [](const Setup& s) { return run_program(s, "product_lofi", 140, 24); }},
    {"tile product HiFi4, one tile", "us", 1e6,
     [](const Setup& s) { return run_program(s, "product_hifi4", 1, 150); }},
    {"tile product HiFi4, 140 tiles", "us", 1e6,
     [](const Setup& s) { return run_program(s, "product_hifi4", 140, 6); }},
    {"tile copy, 140 tiles, two host threads", "us", 1e6,
     [](const Setup& s) { return run_program(s, "tile_copy", 140, 120); }, 2},
    {"tile product LoFi, 140 tiles, two host threads", "us", 1e6,
     [](const Setup& s) { return run_program(s, "product_lofi", 140, 24); }, 2},
    {"tile product HiFi4, 140 tiles, two host threads", "us", 1e6,
     [](const Setup& s) { return run_program(s, "product_hifi4", 140, 6); }, 2},
};

}  // namespace

std::span<const Row> grid_rows() {
  return kRows;
}

}  // namespace bhemu::peer
