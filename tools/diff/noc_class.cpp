// Programs that move data over both NoCs between one to four tiles: reads, writes, multicasts,
// atomics, writes of registers; posted and not, linked, by every command buffer and core.
// (Inline writes to L1 are a defect of the chip, which bhemu refuses.)
//
// Every transfer has a destination of its own, so that their order does not matter; words that
// several tiles increment are the exception, and there the sum is the same.
#include <array>

#include "diff/classes.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

// Registers of a NIU and of its command buffers, BlackholeA0/NoC/MemoryMap.md.
constexpr u32 kNiu = 0xFFB20000;
constexpr u32 kNiuBytes = 0x10000;
constexpr u32 kBufferBytes = 0x800;
constexpr u32 kTargLo = 0x00;
constexpr u32 kTargMid = 0x04;
constexpr u32 kTargHi = 0x08;
constexpr u32 kRetLo = 0x0C;
constexpr u32 kRetMid = 0x10;
constexpr u32 kRetHi = 0x14;
constexpr u32 kTag = 0x18;
constexpr u32 kCtrl = 0x1C;
constexpr u32 kLength = 0x20;
constexpr u32 kInlineData = 0x28;
constexpr u32 kCommand = 0x40;
constexpr u32 kAtomicsAnswered = 0x200;
constexpr u32 kAcksReceived = 0x204;
constexpr u32 kReadsAnswered = 0x208;
constexpr u32 kPostedAtomicsSent = 0x21C;
constexpr u32 kWritesSent = 0x228;
constexpr u32 kPostedWritesSent = 0x22C;

// Bits of the control word.
constexpr u32 kAtomic = 1;
constexpr u32 kWrite = 2;
constexpr u32 kInline = 8;
constexpr u32 kAnswered = 1 << 4;
constexpr u32 kMulticast = 1 << 5;
constexpr u32 kLinked = 1 << 6;
constexpr u32 kStaticChannel = 1 << 7;
constexpr u32 kPathReserve = 1 << 8;
constexpr u32 kIncludeSource = 1 << 17;

constexpr u32 kWords = 0x25000;  // words that are incremented: for all, then of each tile
constexpr u32 kOldValues = kWords + 0x800;
constexpr u32 kThrownAway = 0x2F000;      // old values that depend on who came first
constexpr u32 kCounted = kData + 0x1800;  // zero at first: words of increments without answer
constexpr u32 kCountedWords = 128;
constexpr u32 kStreams = 0xFFB40000;
constexpr u32 kStreamSource = 0x10;
/// Where a tile keeps what it puts into DRAM by one NoC: two cores must not meet there.
constexpr u32 kDramBytes = 0x8000;
/// DRAM in translated coordinates: the first port of each of seven banks.
constexpr std::array<u32, 7> kDram{17 | 12 << 6, 17 | 15 << 6, 17 | 18 << 6, 17 | 21 << 6,
                                   18 | 12 << 6, 18 | 15 << 6, 18 | 18 << 6};

class Traffic {
 public:
  Traffic(Writer& writer, u32 tiles) : w_(writer), tiles_(tiles) {
    for (u8& core : cores_)
      core = static_cast<u8>(w_.pick({kTrisc0, kTrisc0, kBrisc, kNcrisc, kTrisc2}));
    landed_.fill(kOut);
  }

  void step();
  void finish();

 private:
  u32 niu() const { return kNiu + noc_ * kNiuBytes; }
  u32 buffer() const { return niu() + buffer_ * kBufferBytes; }
  void choose_agent();
  u32 claim(u32 tile, u32 bytes, u32 alignment);
  void command(u32 control, u32 length);
  void places(u32 target, u32 target_tile, u32 back, u32 back_value);
  void read();
  void write();
  void posted_write();
  void multicast();
  void increment();
  void posted_increment();
  void dram();
  void write_register();
  void read_register();

  Writer& w_;
  u32 tiles_;
  // Each NIU of a tile has one core: its counters say what that core has sent.
  std::array<u8, 2> cores_{};
  u32 noc_ = 0;
  u32 buffer_ = 0;
  u32 channel_ = 0;
  std::array<u32, kMaxTiles> landed_{};  // where the next transfer to the tile goes
  std::array<u32, kMaxTiles> answers_{};
  u32 streams_ = 0;
  u32 counted_ = 0;
};

void Traffic::choose_agent() {
  w_.tile = static_cast<u8>(w_.below(tiles_));
  noc_ = w_.below(2);
  w_.core = cores_[noc_];
  buffer_ = w_.below(4);
  channel_ = w_.one_in(3) ? kStaticChannel | w_.below(4) << 14 : 0;
}

/// Room in the output of the tile; 0 when there is none left.
u32 Traffic::claim(u32 tile, u32 bytes, u32 alignment) {
  const u32 first = landed_[tile] + alignment;
  if (first + bytes > kWords) return 0;
  landed_[tile] = (first + bytes + 15) / 16 * 16;
  return first;
}

void Traffic::command(u32 control, u32 length) {
  w_.store(buffer() + kTag, w_.below(16) << 10);
  w_.store(buffer() + kLength, length);
  w_.store(buffer() + kCtrl, control | channel_);
  w_.store(buffer() + kCommand, 1);
}

void Traffic::places(u32 target, u32 target_tile, u32 back, u32 back_value) {
  w_.store(buffer() + kTargLo, target);
  w_.store(buffer() + kTargMid, 0);
  w_.place(buffer() + kTargHi, place_value(target_tile));
  w_.store(buffer() + kRetLo, back);
  w_.store(buffer() + kRetMid, 0);
  w_.place(buffer() + kRetHi, back_value);
}

void Traffic::read() {
  const u32 bytes = 1 + w_.below(w_.one_in(2) ? 64 : 1024);
  const u32 alignment = w_.below(16);
  const u32 to = claim(w_.tile, bytes, alignment);
  if (to == 0) return;
  places(kData + w_.below(0x80) * 16 + alignment, w_.below(tiles_), to, place_value(w_.tile));
  command(kAnswered, bytes);
  w_.count(niu() + kReadsAnswered, 1);
}

/// One write, or several linked ones to the same tile.
void Traffic::write() {
  const u32 tile = w_.below(tiles_);
  for (u32 left = w_.one_in(4) ? 1 + w_.below(3) : 0;; --left) {
    const u32 bytes = 1 + w_.below(w_.one_in(2) ? 64 : 1024);
    const u32 alignment = w_.below(16);
    const u32 to = claim(tile, bytes, alignment);
    // A chain that has begun must have an end.
    const bool last = left == 0 || landed_[tile] + 0x1000 > kWords;
    if (to == 0) return;
    places(kData + w_.below(0x80) * 16 + alignment, w_.tile, to, place_value(tile));
    command(kWrite | kAnswered | (last ? 0 : kLinked), bytes);
    w_.count(niu() + kAcksReceived, 1);
    if (last) return;
  }
}

/// Nobody answers a posted write: its destination sees its last word.
void Traffic::posted_write() {
  const u32 bytes = 4 * (1 + w_.below(64));
  const u32 alignment = w_.below(4) * 4;
  const u32 tile = w_.below(tiles_);
  const u32 to = claim(tile, bytes, alignment);
  if (to == 0) return;
  const u32 from = kData + w_.below(0x80) * 16 + alignment;
  places(from, w_.tile, to, place_value(tile));
  command(kWrite, bytes);
  const u32 last = w_.program.data[(from + bytes - 4 - kData) / 4] + w_.tile * 0x01010101u;
  w_.tile = static_cast<u8>(tile);
  w_.wait(to + bytes - 4, last);
}

void Traffic::multicast() {
  if (tiles_ != 4) return;
  const u32 bytes = 1 + w_.below(w_.one_in(2) ? 64 : 512);
  const u32 alignment = w_.below(16);
  // The same place in all tiles of the rectangle: behind what any of them has.
  const auto [first, last] =
      std::array<std::pair<u32, u32>, 5>{{{0, 3}, {0, 1}, {2, 3}, {0, 2}, {1, 3}}}[w_.below(5)];
  u32 most = kOut;
  for (const u32 where : landed_) most = most < where ? where : most;
  for (u32& where : landed_) where = most;
  u32 to = 0;
  for (u32 tile = 0; tile < 4; ++tile) to = claim(tile, bytes, alignment);
  if (to == 0) return;
  const bool include = w_.one_in(2);
  u32 reached = 0;
  for (u32 tile = 0; tile < 4; ++tile) {
    const u32 x = tile & 1;
    const u32 y = tile >> 1;
    if (x < (first & 1) || x > (last & 1) || y < first >> 1 || y > last >> 1) continue;
    if (tile != w_.tile || include) ++reached;
  }
  // NoC 1 runs the other way.
  places(kData + w_.below(0x80) * 16 + alignment, w_.tile, to,
         noc_ == 0 ? place_value(first, last) : place_value(last, first));
  command(kWrite | kAnswered | kMulticast | kPathReserve | (include ? kIncludeSource : 0), bytes);
  w_.count(niu() + kAcksReceived, reached);
}

void Traffic::increment() {
  const bool own = w_.one_in(2);  // a word that only this NIU increments
  const u32 word = kWords + w_.below(8) * 16 + (own ? 0x100 + w_.tile * 0x100u + noc_ * 0x80 : 0);
  const u32 answer = own ? kOldValues + answers_[w_.tile]++ * 4 : kThrownAway;
  places(word, w_.below(tiles_), answer, place_value(w_.tile));
  w_.store(buffer() + kInlineData, w_.any_word());
  // Peers take increments of word 0 and 32 bits.
  const bool wide = own && w_.one_in(100);
  command(kAtomic | kAnswered,
          0x1000 | (wide ? 3 + w_.below(29) : 31) << 2 | (wide ? w_.below(4) : 0));
  w_.count(niu() + kAtomicsAnswered, 1);
}

/// Nobody answers: the tile of the word sees it.
void Traffic::posted_increment() {
  if (counted_ == kCountedWords) return;
  const u32 word = kCounted + counted_++ * 16;
  const u32 tile = w_.below(tiles_);
  const u32 by = w_.any_word() | 1;
  places(word, tile, kThrownAway, place_value(w_.tile));
  w_.store(buffer() + kInlineData, by);
  command(kAtomic, 0x1000 | 31 << 2);
  w_.tile = static_cast<u8>(tile);
  w_.wait(word, by);
}

/// To DRAM and back: the alignment within 64 bytes stays.
void Traffic::dram() {
  const u32 bytes = 1 + w_.below(w_.one_in(2) ? 64 : 1024);
  const u32 offset = w_.below(64);
  const u32 to = claim(w_.tile, bytes + 128, 0);
  if (to == 0) return;
  const u32 bank = kDram[w_.below(kDram.size())];
  const u32 there = (w_.tile * kNocs + noc_) * kDramBytes + w_.below(0x100) * 64 + offset;
  places(kData + w_.below(0x20) * 64 + offset, w_.tile, there, 0);
  w_.store(buffer() + kRetHi, bank);
  command(kWrite | kAnswered, bytes);
  w_.count(niu() + kAcksReceived, 1);
  places(there, 0, (to + 63) / 64 * 64 + offset, place_value(w_.tile));
  w_.store(buffer() + kTargHi, bank);
  command(kAnswered, bytes);
  w_.count(niu() + kReadsAnswered, 1);
}

/// An inline write of a stream register, which the destination reads at the end.
void Traffic::write_register() {
  if (streams_ == 64) return;
  const u32 address = kStreams + streams_++ * 0x1000 + kStreamSource;
  const u32 tile = w_.below(tiles_);
  const u32 value = 1 + w_.below(0xFFFFFF);
  places(address, tile, kOut, place_value(w_.tile));
  w_.store(buffer() + kInlineData, value);
  const bool answered = w_.one_in(2);
  command(kWrite | kInline | (answered ? kAnswered : 0), 0xF);
  if (answered) w_.count(niu() + kAcksReceived, 1);
  w_.tile = static_cast<u8>(tile);
  w_.wait(address, value);
}

void Traffic::read_register() {
  const u32 to = claim(w_.tile, 4, w_.below(4) * 4);
  if (to == 0) return;
  places(kSoftReset, w_.below(tiles_), to, place_value(w_.tile));
  // The word of the register lies where its address says.
  if ((to & 15) != (kSoftReset & 15)) w_.store(buffer() + kRetLo, to & ~15u);
  command(kAnswered, 4);
  w_.count(niu() + kReadsAnswered, 1);
}

void Traffic::step() {
  choose_agent();
  w_.group = w_.new_group();
  switch (w_.below(12)) {
    case 0:
    case 1:
      increment();
      break;
    case 10:
      posted_increment();
      break;
    case 11:
      dram();
      break;
    case 2:
      write_register();
      break;
    case 3:
      read_register();
      break;
    case 4:
      posted_write();
      break;
    case 5:
    case 6:
      multicast();
      break;
    case 7:
    case 8:
      read();
      break;
    default:
      write();
  }
  w_.group = 0;
}

void Traffic::finish() {
  w_.keep = true;
  for (w_.tile = 0; w_.tile < tiles_; ++w_.tile) {
    for (noc_ = 0; noc_ < 2; ++noc_) {
      w_.core = cores_[noc_];
      for (const u32 counter : {kAtomicsAnswered, kAcksReceived, kReadsAnswered, kPostedAtomicsSent,
                                kWritesSent, kPostedWritesSent})
        w_.load(niu() + counter);
    }
  }
}

}  // namespace

Program make_noc(u64 seed) {
  Writer w(seed);
  for (u32 i = 0; i < 1024; ++i) w.program.data.push_back(w.word());
  w.program.tiles = w.pick({1, 2, 4, 4});
  Traffic traffic(w, w.program.tiles);
  for (u32 steps = 1 + w.below(24); steps > 0; --steps) traffic.step();
  traffic.finish();
  return w.program;
}

}  // namespace bhemu::diff
