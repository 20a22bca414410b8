// Decoded code. The unit is a line of L1, 64 bytes: its sixteen words decoded, and behind them an
// entry that leads on to the next line. Tiles run the same code at the same addresses, so what a
// line's contents decode to is kept once for all tiles of a device (LineCache), and a tile has an
// index a line (CodeLines): what was decoded is warm in the host's caches when the next tile comes
// to it, and costs no memory of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "mem/mapping.hpp"
#include "riscv/core.hpp"
#include "riscv/isa.hpp"
#include "riscv/known_loops.hpp"
#include "riscv/loop_heads.hpp"

namespace bhemu::riscv {

/// One line as it has stood at one address, with the same heads of loops. Immutable once others can
/// find it.
struct alignas(64) DecodedLine {
  std::array<Decoded, kLineWords + 1> entries;    // the last: Op::next_line
  u32 earlier;                                    // other contents of the same line; 0: none known
  u16 heads;                                      // a bit for each word that is the head of a loop
  alignas(8) std::array<u8, kLineWords> own_ops;  // see kOwnOps
  alignas(64) std::array<u32, kLineWords> words;
};
static_assert(sizeof(DecodedLine) == kLineStride * sizeof(Decoded));
static_assert(offsetof(DecodedLine, own_ops) == kOwnOps * sizeof(Decoded));

/// One filling of the memory. Lines are only added, so it may be read meanwhile.
class LineShelf {
 public:
  static constexpr u32 kFull = ~u32{0};

  explicit LineShelf(u32 capacity);

  /// What CodeTable::blocks is.
  const Decoded* blocks() const { return reinterpret_cast<const Decoded*>(memory_.data()); }
  /// A line, and which of its words are heads of loops.
  struct Contents {
    const u8* words;
    u16 heads;
  };
  /// The place in `blocks` of the line at `address` with these contents; 0: not among the latest.
  u32 find(u32 address, Contents contents) const;
  /// Adds it, and returns its place, or kFull. The caller keeps others from adding meanwhile.
  u32 add(u32 address, Contents contents);

 private:
  std::atomic<u32>& latest(u32 address) const {
    return reinterpret_cast<std::atomic<u32>*>(latest_.data())[address / kLineBytes];
  }
  DecodedLine& line(u32 place) const {
    return reinterpret_cast<DecodedLine*>(memory_.data())[place];
  }

  Mapping memory_;
  Mapping latest_;  // by line of L1, the place of what was last added for it
  u32 capacity_;
  u32 count_ = 1;  // place 0 is the line that is not decoded
};

/// Bounded: when a shelf is full a new one is begun, and the old one goes when the last tile has
/// let go of it. Any thread may ask.
class LineCache {
 public:
  /// Of 256 bytes each, in memory that exists when it is used. A place has 16 bits.
  static constexpr u32 kLines = 32 * 1024;

  explicit LineCache(u32 lines = kLines);

  std::shared_ptr<LineShelf> shelf();
  /// The place in `shelf` of the line at `address`, whose words are decoded if they have to be;
  /// or kFull: `shelf` is no longer the current one.
  u32 place(LineShelf& shelf, u32 address, LineShelf::Contents contents);
  KnownLoops& loops() { return loops_; }

 private:
  u32 lines_;
  std::mutex mutex_;
  std::shared_ptr<LineShelf> shelf_;
  KnownLoops loops_;
};

/// One tile's L1.
class CodeLines {
 public:
  /// Of that tile. Its index lies in pages of the arena, if there is one.
  explicit CodeLines(std::shared_ptr<LineCache> cache, NodeId tile = 0, Arena* arena = nullptr);

  /// What other tiles have told in epochs that ended before `end` is known from now on; what this
  /// one tells is from `end` on. (When the epoch began does not count: a tile may have slept.)
  void begin_epoch(Cycle end) { epoch_end_ = end; }

  const CodeTable& table() const { return table_; }
  /// The line of `pc`, which has not been decoded since it was last forgotten. True: it has a head
  /// of a loop that was not known here, so what is translated of it passes that by.
  bool decode(u32 pc, const u8* l1);
  /// Its words change.
  void forget(u32 address) { places()[address / kLineBytes] = 0; }
  void forget_all() { places_.clear(); }

  const LoopHeads& heads() const { return heads_; }
  bool has_decoded(u32 pc) const { return table_.places[pc / kLineBytes] != 0; }
  /// The words of the line at `address`. If it is decoded, those among the decoded, which are in a
  /// cache of the host when L1 is not.
  const u8* words_of(u32 address, const u8* l1) const {
    const u16 place = table_.places[address / kLineBytes];
    if (place == 0) return l1 + address;
    return reinterpret_cast<const u8*>(
        reinterpret_cast<const DecodedLine*>(table_.blocks)[place].words.data());
  }
  /// As LoopHeads::has.
  bool is_head(u32 pc, const u8* l1) const {
    const u16 place = table_.places[pc / kLineBytes];
    if (place == 0) return heads_.has(pc, l1);
    const Decoded entry = table_.blocks[place * kLineStride + pc % kLineBytes / 4];
    return static_cast<Op>(entry.op) == Op::loop_head;
  }
  /// Heads of loops in the line at `address` in which cores of other tiles wait are this tile's,
  /// too. True: there are some that were not.
  bool adopt_heads(u32 address, const u8* l1) {
    return !cache_->loops().has_none_in(address) && adopt_known_heads(address, l1);
  }
  /// As LoopHeads has them.
  void add_head(u32 pc, Cycle period, const u8* l1) {
    for (const u32 line : heads_.add(pc, period, l1)) forget(line);
  }
  /// A core was parked in a loop that is none of this tile's: the others hear of it.
  void tell_of_head(u32 pc, LoopShape shape, const u8* l1);
  /// What a core that leaves reset at `pc` begins with.
  static KnownLoops::Start start_at(u32 pc, const u8* l1) {
    return KnownLoops::start_of(pc, l1 + (pc & ~(kLineBytes - 1)));
  }
  /// A core that began with that has been parked for the first time: all tiles hear of it.
  void tell_of_wait(KnownLoops::Start start, Cycle after);
  /// How long cores that left reset with what begins at `pc` were at work before they were parked;
  /// 0: nothing is known. `until`: by what has been told until then, or nothing: in this epoch.
  Cycle first_wait(KnownLoops::Start start, std::optional<Cycle> until = {}) const;
  void head_was_in_vain(u32 pc) {
    if (heads_.was_in_vain(pc)) forget(pc);
  }
  bool head_was_of_use(u32 pc) { return heads_.was_of_use(pc); }
  /// The others hear of it, too.
  void learn_round(u32 head, const std::optional<KnownRound>& round, const u8* l1);
  void round_was_known(u32 head, bool same) { heads_.was_known(head, same); }
  void round_was_not_known_early(u32 head) { heads_.was_not_known_early(head); }
  void forget_heads() { heads_.clear(); }

 private:
  u16* places() const { return reinterpret_cast<u16*>(places_.data()); }
  void take_shelf();
  bool adopt_known_heads(u32 address, const u8* l1);

  std::shared_ptr<LineCache> cache_;
  std::shared_ptr<LineShelf> shelf_;
  NodeId tile_;
  Cycle epoch_end_ = 1;
  Mapping places_;
  CodeTable table_;
  LoopHeads heads_;
};

/// Code that one interpreter has for itself, decoded word by word: for who executes words that
/// stand in memory for a moment only.
class OwnLines {
 public:
  /// Of kL1Size bytes.
  OwnLines();

  const CodeTable& table() const { return table_; }
  void decode(u32 pc, const u8* l1);
  /// The word at `pc` changes.
  void forget(u32 pc);

 private:
  Decoded* block(u32 pc) const;

  Mapping places_;
  Mapping blocks_;
  CodeTable table_;
};

}  // namespace bhemu::riscv
