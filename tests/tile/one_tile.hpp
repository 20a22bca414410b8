// A chip of one tile, for tests of what happens inside it.
#pragma once

#include <gtest/gtest.h>

#include "sched/engine.hpp"
#include "support/assembler.hpp"
#include "tile/tile.hpp"

namespace bhemu::test {

inline constexpr u32 kSoftReset = 0xFFB121B0;

struct OneTile {
  /// `code`: translates what cores execute; null: the interpreter does everything. `lines`: of
  /// tiles with other numbers, too; null: its own.
  explicit OneTile(Cycle quantum = 16, bool parking = true, const tensix::Timing* units = nullptr,
                   const std::shared_ptr<riscv::jit::CodeCache>& code = nullptr,
                   const std::shared_ptr<riscv::LineCache>& lines = nullptr, NodeId number = 0)
      : node(number) {
    const Coord here{1, 2};
    for (unsigned noc = 0; noc < kNocs; ++noc) routing.place(noc, here, node);
    tile::TileConfig config;
    config.node = node;
    config.noc0 = here;
    config.routing = &routing;
    config.timing = &timing;
    config.policy = &policy;
    config.quantum = quantum;
    config.parking = parking;
    config.units = units;
    config.code = code;
    config.lines = lines;
    tile = std::make_unique<tile::Tile>(config);
    make_engine(timing.one_way);
  }
  /// In which a core that is alone runs on for so long.
  void make_engine(Cycle epoch) {
    engine = std::make_unique<sched::Engine>(node + 1u, nullptr, epoch, 1);
    engine->add(*tile);
  }

  void load(u32 address, const std::vector<u32>& words) {
    tile->host_write(address, {reinterpret_cast<const u8*>(words.data()), words.size() * 4},
                     engine->now());
    engine->touch(node);
  }
  void write(u32 address, u32 value) {
    EXPECT_TRUE(tile->host_write(address, {reinterpret_cast<const u8*>(&value), 4}, engine->now()));
    engine->touch(node);
  }
  u32 read(u32 address) {
    u32 value = 0;
    EXPECT_TRUE(tile->host_read(address, {reinterpret_cast<u8*>(&value), 4}, engine->now()));
    return value;
  }
  /// Sets the start address of `core` and forgets nothing else; release with `start`.
  void start_at(CoreId core, u32 pc) {
    if (core == CoreId::Ncrisc) {
      write(0xFFB12238, pc);
      write(0xFFB1223C, 1);
    } else if (core != CoreId::Brisc) {
      const u32 index = static_cast<u32>(core) - static_cast<u32>(CoreId::Trisc0);
      write(0xFFB12228 + index * 4, pc);
      write(0xFFB12234, read(0xFFB12234) | 1u << index);
    }
  }
  /// Releases the named cores and holds the others.
  void start(std::initializer_list<CoreId> cores) {
    constexpr std::array<u32, kCores> kBit{11, 18, 12, 13, 14};
    u32 held = 0x47800;
    for (const CoreId core : cores) held &= ~(1u << kBit[static_cast<unsigned>(core)]);
    write(kSoftReset, held);
  }
  sched::Stop run(Cycle cycles = 100'000) { return engine->run(engine->now() + cycles, nullptr); }
  u64 hash() {
    tile->settle(engine->now());
    return tile->hash(engine->now());
  }

  NodeId node;
  noc::Routing routing;
  noc::Timing timing;
  FaultPolicy policy;
  std::unique_ptr<tile::Tile> tile;
  std::unique_ptr<sched::Engine> engine;
};

}  // namespace bhemu::test
