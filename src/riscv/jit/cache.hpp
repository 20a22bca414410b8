// Translations of a device, shared by its tiles: the same words at the same address are translated
// once. Bounded: when the memory is full, a new one is begun, and the old one goes when the last
// tile has let go of it.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "riscv/jit/arena.hpp"
#include "riscv/jit/options.hpp"
#include "riscv/jit/region.hpp"
#include "riscv/jit/translate.hpp"

namespace bhemu::riscv::jit {

/// Of `bits` bits. Kernels of a tile's cores start at round addresses, so plain low bits would
/// meet.
constexpr u32 scatter(u32 pc, unsigned bits) {
  return pc * 0x9E3779B1u >> (32 - bits);
}

/// A translated region. Immutable.
struct Unit {
  struct Piece {
    u32 pc;
    u32 count;   // instructions
    u32 offset;  // of the code in the arena
    u32 first;   // of its words among those of the unit
  };
  u32 l1_bytes = 0;           // of the tiles that it is for
  std::vector<Piece> pieces;  // by address
  std::vector<u32> words;     // what it was made from, piece after piece
  std::vector<u32> steps;     // of each word: offset of the code that begins with it

  u32 begin() const { return pieces.front().pc; }
  u32 end() const { return pieces.back().pc + pieces.back().count * 4; }
  /// Was made from a word in [address, address + bytes).
  bool covers(u32 address, u32 bytes) const;
  /// What is known of `pc` by it (context.hpp).
  u32 entry_of(u32 pc) const;
  /// L1 holds these very words.
  bool matches(const u8* l1) const;
  bool has_any_of(const LoopHeads& heads, const u8* l1) const;
};

/// One filling of the memory.
struct Shelf {
  std::unique_ptr<Arena> arena;
  u32 enter = 0;
  u32 leave = 0;
  std::vector<std::unique_ptr<Unit>> units;
  /// Regions by the lines that they have words in, blocks by where they begin.
  std::unordered_map<u32, std::vector<const Unit*>> regions;
  std::unordered_map<u32, std::vector<const Unit*>> blocks;

  /// No region has words in the line of `pc`, whatever lies there: to be asked without the lock. A
  /// core asks at each address that it comes to for the first time.
  bool has_none_near(u32 pc) const {
    const u32 bit = scatter(line_of(pc), kLineBits);
    return (lines[bit / 64].load(std::memory_order_relaxed) >> bit % 64 & 1) == 0;
  }
  void add(std::unique_ptr<Unit> unit, Extent extent);
  static constexpr u32 line_of(u32 pc) { return pc / kLineBytes; }

 private:
  static constexpr unsigned kLineBits = 12;
  std::array<std::atomic<u64>, (1u << kLineBits) / 64> lines{};  // scattered
};

class CodeCache {
 public:
  /// Null when translation is off, or the host does not allow it.
  static std::shared_ptr<CodeCache> create(const Options& options);

  const Options& options() const { return options_; }
  std::shared_ptr<Shelf> shelf();
  /// Rises when `shelf` becomes another.
  u64 generation() const { return generation_.load(std::memory_order_acquire); }
  struct Query {
    const u8* l1;
    u32 l1_bytes;
    u32 pc;
    Extent extent;
    const std::array<u32, 33>& x;
    const LoopHeads* heads;  // of the tile; null: none
  };
  /// What has been translated of the code at `pc`; null: nothing. The unit lives as long as the
  /// shelf.
  const Unit* find(const Shelf& shelf, const Query& query);
  /// The same, or translates it. Null when nothing there can be translated, or `shelf` is full and
  /// a new one has been begun.
  const Unit* find_or_translate(Shelf& shelf, const Query& query);
  u64 translated() const { return translated_.load(std::memory_order_relaxed); }

 private:
  explicit CodeCache(const Options& options) : options_(options) {}
  std::shared_ptr<Shelf> make_shelf() const;

  Options options_;
  std::mutex mutex_;
  Translator translator_;  // with the lock
  std::shared_ptr<Shelf> shelf_;
  std::atomic<u64> generation_{0};
  std::atomic<u64> translated_{0};
};

}  // namespace bhemu::riscv::jit
