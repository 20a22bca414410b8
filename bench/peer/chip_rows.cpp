// Rows that a whole chip needs: start, boot, launch, host accesses, NoC. Results are checked: a row
// with a wrong one fails.
#include <algorithm>

#include "host/boot/firmware.hpp"
#include "host/boot/launch.hpp"
#include "peer/card.hpp"
#include "support/assembler.hpp"

namespace bhemu::peer {
namespace {

using test::Assembler;
using enum test::Reg;

// --- Firmware and kernels.

struct Booter {
  explicit Booter(const Setup& setup)
      : board(BoardOptions::defaults(BoardModel::P150)),
        firmware(setup.firmware.empty() ? host::Firmware::embedded()
                                        : host::Firmware::load(setup.firmware)) {
    // 120 tiles: the columns that a P100A has.
    for (const Coord tile : board.tensix())
      if (tile.x < 15) tiles.push_back(tile);
    image = firmware.image(board);
  }

  Board board;
  host::Firmware firmware;
  std::vector<Coord> tiles;
  std::vector<host::Firmware::Piece> image;

  void release(Card& card) const {
    for (const Coord tile : tiles) {
      card.write32(tile, host::kSoftReset0, host::kSoftResetAll);
      for (const auto& piece : image)
        if (!piece.bytes.empty())
          card.write(tile, piece.address, piece.bytes.data(), piece.bytes.size());
      card.write32(tile, host::kNcriscResetPc, firmware.elf(CoreId::Ncrisc).entry());
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        const auto core = static_cast<CoreId>(static_cast<unsigned>(CoreId::Trisc0) + thread);
        card.write32(tile, host::kTrisc0ResetPc + 4 * thread, firmware.elf(core).entry());
      }
    }
    for (const Coord tile : tiles) card.write32(tile, host::kSoftReset0, host::kSoftResetBriscRuns);
  }
  void wait(Card& card, u32 clocks) const {
    const u32 go = firmware.protocol().go_messages;
    std::size_t next = 0;
    for (u32 rounds = 0; next < tiles.size(); ++rounds) {
      demand(rounds < 100'000, "the tiles do not become ready");
      card.clock(clocks);
      while (next < tiles.size() && card.read32(tiles[next], go) >> 24 == host::kGoDone) ++next;
    }
  }
  void boot(Card& card) const {
    release(card);
    wait(card, 1000);
  }

  /// A kernel on each of the five cores, which writes a word and returns.
  void launch(Card& card, u32 mark) const {
    host::Launch launch;
    for (unsigned core = 0; core < kCores; ++core) {
      Assembler a;
      a.li(t0, kMarks + 4 * core);
      a.li(t1, mark + core);
      a.sw(t1, 0, t0);
      a.word(0x00008067);  // ret
      const std::vector<u32> words = a.finish();
      host::KernelImage kernel;
      kernel.bytes.resize(words.size() * 4);
      std::memcpy(kernel.bytes.data(), words.data(), kernel.bytes.size());
      launch.kernels[core] = kernel;
    }
    const host::LaunchOffsets offsets = host::layout_of(launch, firmware);
    const std::vector<u8> message = host::launch_message(firmware, launch, offsets);
    std::vector<u8> region(offsets.end);
    for (unsigned core = 0; core < kCores; ++core)
      std::copy(launch.kernels[core]->bytes.begin(), launch.kernels[core]->bytes.end(),
                region.begin() + offsets.text[core]);
    const host::Protocol& protocol = firmware.protocol();
    for (const Coord tile : tiles) {
      const u32 slot =
          card.read32(tile, protocol.launch_message_read_pointer) % protocol.launch_ring_size;
      card.write(tile, firmware.kernel_config_base(), region.data(), region.size());
      card.write(tile, protocol.launch_ring + slot * protocol.launch.bytes, message.data(),
                 message.size());
    }
    for (const Coord tile : tiles) card.write32(tile, protocol.go_messages, u32{host::kGoGo} << 24);
    wait(card, 200);
  }
  void check_marks(Card& card, u32 mark) const {
    for (const Coord tile : tiles)
      for (u32 core = 0; core < kCores; ++core)
        demand(card.read32(tile, kMarks + 4 * core) == mark + core, "a kernel has not run");
  }

 private:
  static constexpr u32 kMarks = 0x100000;
};

// --- Guests of the NoC rows.

constexpr u32 kBuffer = 0x20000;
constexpr u32 kBytes = 8192;
constexpr u32 kCount = 0x10000;
constexpr u32 kNiu = 0xFFB20000;
enum Offset : i32 {
  kTargLo = 0x00,
  kTargHi = 0x08,
  kRetLo = 0x0C,
  kRetHi = 0x14,
  kCtrl = 0x1C,
  kLength = 0x20,
  kCommand = 0x40,
  kReadsAnswered = 0x208,
  kWritesAnswered = 0x204,
};

constexpr u32 packed(Coord coord) {
  return coord.x | u32{coord.y} << 6;
}

void set(Assembler& a, i32 reg, u32 value) {
  a.li(t0, value);
  a.sw(t0, reg, s0);
}

void wait_for(Assembler& a, i32 counter, test::Reg wanted, const std::string& label) {
  a.label(label);
  a.lw(t0, counter, s0);
  a.bne(t0, wanted, label);
}

/// `turns` times: 8 KiB from DRAM to this tile, and on to the next one.
std::vector<u32> copy_program(u32 turns) {
  Assembler a;
  a.li(s0, kNiu);
  a.li(s1, turns);
  a.lw(s3, kReadsAnswered, s0);
  a.lw(s4, kWritesAnswered, s0);
  set(a, kLength, kBytes);
  a.label("turn");
  set(a, kTargLo, 0);
  set(a, kTargHi, packed({17, 12}));
  set(a, kRetLo, kBuffer);
  set(a, kRetHi, packed(kTile));
  set(a, kCtrl, 0x2090);
  set(a, kCommand, 1);
  a.addi(s3, s3, 1);
  wait_for(a, kReadsAnswered, s3, "read");
  set(a, kTargLo, kBuffer);
  set(a, kTargHi, packed(kTile));
  set(a, kRetLo, kBuffer);
  set(a, kRetHi, packed({2, 2}));
  set(a, kCtrl, 0x2092);
  set(a, kCommand, 1);
  a.addi(s4, s4, 1);
  wait_for(a, kWritesAnswered, s4, "write");
  a.addi(s1, s1, -1);
  a.bne(s1, zero, "turn");
  a.li(t1, kCount);
  a.li(t0, turns);
  a.sw(t0, 0, t1);
  a.halt();
  return a.finish();
}

/// `turns` times: 8 KiB to 28 tiles.
std::vector<u32> multicast_program(u32 turns) {
  Assembler a;
  a.li(s0, kNiu);
  a.li(s1, turns);
  a.lw(s4, kWritesAnswered, s0);
  set(a, kLength, kBytes);
  set(a, kTargLo, kBuffer);
  set(a, kTargHi, packed(kTile));
  set(a, kRetLo, kBuffer);
  set(a, kRetHi, packed({7, 6}) | packed({1, 3}) << 12);
  set(a, kCtrl, 1u << 8 | 1u << 5 | 4u << 13 | 0x92);
  a.label("turn");
  set(a, kCommand, 1);
  a.addi(s4, s4, 28);
  wait_for(a, kWritesAnswered, s4, "write");
  a.addi(s1, s1, -1);
  a.bne(s1, zero, "turn");
  a.li(t1, kCount);
  a.li(t0, turns);
  a.sw(t0, 0, t1);
  a.halt();
  return a.finish();
}

std::vector<u32> pattern(u32 seed) {
  std::vector<u32> words(kBytes / 4);
  for (u32& word : words) word = seed = seed * 1664525 + 1013904223;
  return words;
}

double run_guest(Card& card, const std::vector<u32>& program, u32 turns) {
  card.write32(kTile, host::kSoftReset0, host::kSoftResetAll);
  card.write32(kTile, kCount, 0);
  card.write(kTile, 0, program);
  const double begin = now();
  card.write32(kTile, host::kSoftReset0, host::kSoftResetBriscRuns);
  for (u32 round = 0; card.read32(kTile, kCount) != turns; ++round) {
    demand(round < 1'000'000, "the guest does not finish");
    card.clock(5000);
  }
  return (now() - begin) / turns;
}

// --- Rows: seconds per unit.

Measured row_init(const Setup& setup) {
  const double begin = now();
  Card card(setup);
  return now() - begin;
}

Measured row_boot(const Setup& setup) {
  const Booter booter(setup);
  Card card(setup);
  const double begin = now();
  booter.boot(card);
  return now() - begin;
}

/// After a boot.
Measured row_exit(const Setup& setup) {
  const Booter booter(setup);
  Card card(setup);
  booter.boot(card);
  const double begin = now();
  card.exit();
  return now() - begin;
}

Measured row_whole(const Setup& setup) {
  const Booter booter(setup);
  const double begin = now();
  Card card(setup);
  booter.boot(card);
  booter.launch(card, 7);
  const double time = now() - begin;
  booter.check_marks(card, 7);
  const double again = now();
  card.exit();
  return time + now() - again;
}

Measured row_launch(const Setup& setup) {
  const Booter booter(setup);
  Card card(setup);
  booter.boot(card);
  double best = 1e9;
  for (u32 i = 0; i < 6; ++i) {
    const double begin = now();
    booter.launch(card, 16 * i);
    best = std::min(best, now() - begin);
    booter.check_marks(card, 16 * i);
  }
  return best;
}

Measured row_read(const Setup& setup) {
  constexpr u32 kTimes = 2'000'000;
  Card card(setup);
  card.write32(kTile, 0x1000, 0x12345678);
  card.aim(1, kTile, 0);
  u32 value = 0;
  u32 sum = 0;
  card.bus_read(card.through(1, 0x1000), &value, 4);
  const double begin = now();
  for (u32 i = 0; i < kTimes; ++i) {
    card.bus_read(card.through(1, 0x1000), &value, 4);
    sum += value;
  }
  const double time = now() - begin;
  demand(sum == 0x12345678 * kTimes, "a word that was not written");
  return time / kTimes;
}

Measured row_write(const Setup& setup) {
  constexpr u32 kTimes = 500'000;
  Card card(setup);
  card.aim(1, kTile, 0);
  const double begin = now();
  for (u32 i = 0; i < kTimes; ++i) card.bus_write(card.through(1, 0x1000 + i % 64 * 4), &i, 4);
  const double time = now() - begin;
  demand(card.read32(kTile, 0x1000 + (kTimes - 1) % 64 * 4) == kTimes - 1, "a word is lost");
  return time / kTimes;
}

double poll(Card& card, u64 address, u32 times) {
  card.aim(1, kTile, 0);
  u32 value = 0;
  const double begin = now();
  for (u32 i = 0; i < times; ++i) {
    card.bus_read(card.through(1, address), &value, 4);
    card.clock(1);
  }
  return (now() - begin) / times;
}

Measured row_poll_reset(const Setup& setup) {
  Card card(setup);
  card.write32(kTile, 0x1000, 1);
  return poll(card, 0x1000, 300'000);
}

Measured row_poll_idle(const Setup& setup) {
  const Booter booter(setup);
  Card card(setup);
  booter.boot(card);
  return poll(card, booter.firmware.protocol().go_messages, 20'000);
}

Measured row_copy(const Setup& setup) {
  Card card(setup);
  const std::vector<u32> words = pattern(3);
  card.write({17, 12}, 0, words);
  run_guest(card, copy_program(100), 100);
  const double time = run_guest(card, copy_program(4000), 4000);
  for (u32 i = 0; i < words.size(); i += 100)
    demand(card.read32({2, 2}, kBuffer + 4 * i) == words[i], "the copy differs");
  return time;
}

Measured row_multicast(const Setup& setup) {
  Card card(setup);
  const std::vector<u32> words = pattern(5);
  card.write(kTile, kBuffer, words);
  run_guest(card, multicast_program(50), 50);
  const double time = run_guest(card, multicast_program(1000), 1000);
  for (u8 x = 1; x <= 7; ++x)
    for (u8 y = 3; y <= 6; ++y)
      demand(card.read32({x, y}, kBuffer + 400) == words[100], "a receiver has something else");
  return time;
}

constexpr u64 kPiece = u64{1} << 18;

double upload(Card& card, Coord tile, u64 bytes, u32 times) {
  std::vector<u8> data(kPiece);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<u8>(i * 31 >> 7);
  const double begin = now();
  for (u32 i = 0; i < times; ++i)
    for (u64 at = 0; at < bytes; at += kPiece) card.write(tile, at, data.data(), kPiece);
  const double time = now() - begin;
  return time / (static_cast<double>(bytes) * times / (1 << 20));
}

Measured row_upload_l1(const Setup& setup) {
  Card card(setup);
  return upload(card, kTile, u64{1} << 20, 400);
}
Measured row_upload_dram(const Setup& setup) {
  Card card(setup);
  return upload(card, {17, 12}, u64{64} << 20, 6);
}

constexpr Row kRows[] = {
    {"init", "ms", 1e3, row_init},
    {"boot 120 tiles", "ms", 1e3, row_boot},
    {"five-core launch on 120 tiles", "ms", 1e3, row_launch},
    {"exit after a boot of 120 tiles", "ms", 1e3, row_exit},
    {"init, boot, launch, exit", "ms", 1e3, row_whole},
    {"32-bit host read of L1", "ns", 1e9, row_read},
    {"32-bit host write to L1", "ns", 1e9, row_write},
    {"poll, all cores in reset", "ns", 1e9, row_poll_reset},
    {"poll, idle firmware", "ns", 1e9, row_poll_idle},
    {"copy DRAM to L1 to L1, 8 KiB", "us", 1e6, row_copy},
    {"multicast of 8 KiB to 28", "us", 1e6, row_multicast},
    {"host upload to L1, per MiB", "us", 1e6, row_upload_l1},
    {"host upload to DRAM, per MiB", "us", 1e6, row_upload_dram},
};

}  // namespace

std::span<const Row> chip_rows() {
  return kRows;
}

}  // namespace bhemu::peer
