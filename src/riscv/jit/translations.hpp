// What is translated of one tile's L1: a word per word of L1, shared by its cores, and the way in.
//
// Whoever changes a word of L1 that may be code says so first (before_write). What was translated
// from that word is dropped. The first time that a core comes to an address, the device's cache is
// asked whether another tile, or this one before the words were changed, has translated the same.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "mem/mapping.hpp"
#include "riscv/jit/cache.hpp"
#include "riscv/jit/context.hpp"

namespace bhemu::riscv::jit {

/// How often the interpreter has come to an address that has no translation: of the addresses that
/// share a set the four that it comes to. A count a word of L1 would be a page of memory for every
/// few visits of each tile.
class Visits {
 public:
  /// The count of `pc`; 0 is one that is not known.
  u32& of(u32 pc);

 private:
  static constexpr unsigned kSetBits = 5;
  static constexpr unsigned kWays = 4;
  struct Count {
    u32 pc = ~u32{0};
    u32 visits = 0;
  };
  std::array<std::array<Count, kWays>, 1 << kSetBits> sets_{};
};

class Translations {
 public:
  /// Its table lies in pages of the arena, if there is one. `heads` of loops are not translated;
  /// who adds one says so (before_write).
  Translations(std::shared_ptr<CodeCache> cache, u32 l1_bytes, bhemu::Arena* arena = nullptr,
               const LoopHeads* heads = nullptr);

  /// What is known of the instruction at `pc`, an instruction address (context.hpp).
  u32 at(u32 pc) const {
    const u32 page = pc / kCodeOfPage;
    return (marked_[page / 64] >> page % 64 & 1) != 0 ? table()[pc / 4] : 0;
  }
  /// Before [address, address + bytes) of L1 changes.
  void before_write(u32 address, u32 bytes) {
    if (installed_.empty()) return;
    for (u32 word = address / 4; word <= (address + bytes - 1) / 4; ++word)
      if ((at(word * 4) & (kCompiled | kCovered)) != 0)
        return drop_made_from(address & ~3u, bytes + address % 4);
  }
  /// All of them.
  void drop();

  /// The interpreter is at `pc`, which no block begins at. True: one does now.
  bool visit(const CoreState& state, const u8* l1);
  /// Lines of L1 whose words the latest visit has translated: the caller marks them as code.
  const std::vector<u32>& fresh_lines() const { return fresh_lines_; }

  /// Runs the block at the core's pc, and what follows. All of `context` is set but what belongs to
  /// the translations.
  Leave enter(Context& context);
  u64 generation() const { return generation_; }
  /// A tile drops its translations when the cache has begun a new shelf; not while one of them
  /// runs, which may have led to a second core's being run.
  void keep_up() {
    if (cache_->generation() != shelf_generation_ && depth_ == 0) change_shelf();
  }

 private:
  /// What a page of the table is for. A look at one that nobody has written to would make it.
  static constexpr u32 kCodeOfPage = 4096;

  u32* table() const { return reinterpret_cast<u32*>(table_.data()); }
  void change_shelf();
  void install(const Unit& unit);
  void drop_made_from(u32 address, u32 bytes);
  void mark(const Unit& unit);
  void unmark(const Unit& unit);

  std::shared_ptr<CodeCache> cache_;
  std::shared_ptr<Shelf> shelf_;
  u64 shelf_generation_ = 0;
  u32 l1_bytes_;
  const LoopHeads* heads_;
  u32 threshold_;
  Mapping table_;
  std::array<u64, (kL1Size / kCodeOfPage + 63) / 64> marked_{};  // pages of the table, by bit
  Visits visits_;
  /// A unit and what it lies between, so that a write need not look at each unit and its pieces.
  struct Installed {
    u32 begin;
    u32 end;
    const Unit* unit;
    bool overlaps(u32 from, u32 to) const { return begin < to && from < end; }
  };
  std::vector<Installed> installed_;
  std::vector<u32> fresh_lines_;
  u64 generation_ = 0;
  unsigned depth_ = 0;  // of `enter`
};

}  // namespace bhemu::riscv::jit
