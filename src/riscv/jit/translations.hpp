// What is translated of one tile's L1, shared by its cores, and the way in.
//
// Whoever changes a word of L1 that may be code says so first (before_write). What was translated
// from that word is dropped. The first time that a core comes to an address, the device's cache is
// asked whether another tile, or this one before the words were changed, has translated the same.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "riscv/jit/cache.hpp"
#include "riscv/jit/context.hpp"

namespace bhemu::riscv::jit {

/// What is known of the addresses that cores have lately come to from the interpreter: of those
/// that share a set, four. A count a word of L1 would be a page of memory for every few addresses.
class Entrances {
 public:
  static constexpr u32 kUnknown = 3u << 30;
  static constexpr u32 kMost = (1u << 13) - 1;

  struct Entrance {
    u32 key = 0;  // the word of L1, counted from 1, and how often the interpreter was there
    u32 entry = kUnknown;  // context.hpp

    u32 times() const { return key & kMost; }
    void set_times(u32 times) { key = (key & ~kMost) | times; }
    void rise() { key += times() != kMost; }
    bool is(u32 pc) const { return (key ^ key_of(pc)) <= kMost; }
  };

  Entrance& of(u32 pc) {
    std::array<Entrance, kWays>& set = sets_[scatter(pc, kSetBits)];
    for (Entrance& entrance : set)
      if (entrance.is(pc)) return entrance;
    return replace(set, pc);
  }
  /// What stands in [begin, end) is not known any more.
  void forget(u32 begin, u32 end);

 private:
  static constexpr unsigned kSetBits = 4;
  static constexpr unsigned kWays = 4;
  static constexpr u32 key_of(u32 pc) { return (pc / 4 + 1) << 13; }
  static_assert(kL1Size / 4 < 1u << 19);

  Entrance& replace(std::array<Entrance, kWays>& set, u32 pc);

  alignas(64) std::array<std::array<Entrance, kWays>, 1 << kSetBits> sets_{};
};

/// How often cores have come from the interpreter to lines of L1, of as many as it can tell apart.
/// A core is looked at every so many instructions, so in a long loop it is seldom found at one
/// address again, but in the same lines.
class LineVisits {
 public:
  /// With this one.
  u32 count(u32 pc) {
    const u32 line = pc / kLineBytes + 1;
    Visits& visits = visits_[scatter(line, kBits)];
    if (visits.line != line) visits = {line, 0};
    return ++visits.times;
  }
  /// The lines of [begin, end) are to be counted from the beginning again.
  void forget(u32 begin, u32 end) {
    for (u32 line = begin / kLineBytes + 1; line <= (end - 1) / kLineBytes + 1; ++line)
      if (Visits& visits = visits_[scatter(line, kBits)]; visits.line == line) visits = {};
  }

 private:
  static constexpr unsigned kBits = 6;
  struct Visits {
    u32 line = 0;  // from 1 on
    u32 times = 0;
  };
  std::array<Visits, 1 << kBits> visits_{};
};

/// Calls `gate`, the way in of a shelf: where the compiler does not check calls (CMakeLists.txt).
Leave go_through(const void* gate, Context* context, const void* code);

class Translations {
 public:
  /// `heads` of loops are not translated; who adds one says so (before_head).
  Translations(std::shared_ptr<CodeCache> cache, u32 l1_bytes, const LoopHeads* heads = nullptr);

  /// What is known of the instruction at `pc`, an instruction address (context.hpp).
  u32 at(u32 pc) { return entrance_at(pc).entry; }
  /// Before [address, address + bytes) of L1 changes.
  void before_write(u32 address, u32 bytes) {
    if (!installed_.empty()) drop_made_from(address & ~3u, bytes + address % 4, Why::OtherWords);
  }
  /// There is a head of a loop in [address, address + bytes) that was not known.
  void before_head(u32 address, u32 bytes) { drop_made_from(address, bytes, Why::Head); }
  /// All of them.
  void drop();

  /// The interpreter is at `pc`, which no block begins at. True: there is a way in now.
  bool visit(const CoreState& state, const u8* l1);
  /// Lines of L1 whose words the latest visit has translated: the caller marks them as code.
  const std::vector<u32>& fresh_lines() const { return fresh_lines_; }

  /// Runs what stands at the core's pc, of which at() has said that it is compiled or covered, and
  /// what follows. All of `context` is set but what belongs to the translations.
  Leave enter(Context& context, u32 entry) {
    context.chains = chains_.data();
    context.leave = leave_;
    context.generation = &generation_;
    return enter_at(context, code_ + (entry & kOffsetMask));
  }
  /// Translated code has come to `pc` by itself and has left; the next time it shall go on.
  void chain(u32 pc, u32 entry) {
    chains_[Chain::slot_of(pc)] = {Chain::key_of(pc), code_ + (entry & kOffsetMask)};
  }
  /// Whether the core is where its time was over, and the same code still stands there.
  bool can_resume(const Context& context, u32 pc) const {
    return context.resume_pc == pc && context.resume_generation == generation_;
  }
  /// Of that generation `context` has all that it needs.
  Leave resume(Context& context) { return enter_at(context, context.resume); }
  u64 generation() const { return generation_; }
  /// What every way in looks at lies before it.
  const void* seldom_used() const { return &line_visits_; }
  /// Drops them when the cache has begun a new shelf: before turns are run, and when code is looked
  /// for; not while one of them runs, which may have led to a second core's being run.
  void keep_up() {
    if (cache_->generation() != shelf_generation_ && depth_ == 0) change_shelf();
  }

 private:
  Leave enter_at(Context& context, const void* code) {
    context.resume_generation = generation_;
    ++depth_;
    const Leave leave = go_through(gate_, &context, code);
    --depth_;
    if (leave != Leave::Over) context.resume_generation = 0;
    return leave;
  }

  u32 entry_of(u32 pc) const;
  void change_shelf();
  void install(const Unit& unit);
  enum class Why : u8 { OtherWords, Head };
  void drop_made_from(u32 address, u32 bytes, Why why);
  Entrances::Entrance& entrance_at(u32 pc) {
    Entrances::Entrance& entrance = entrances_.of(pc);
    if (entrance.entry == Entrances::kUnknown) {
      entrance.entry = entry_of(pc);
      // It stays: who comes there goes on in translated code.
      if ((entrance.entry & kCompiled) != 0) entrance.set_times(Entrances::kMost);
    }
    return entrance;
  }
  void forget(const Unit& unit);

  // What every way in looks at comes first.
  std::shared_ptr<CodeCache> cache_;
  u64 shelf_generation_ = 0;
  unsigned depth_ = 0;  // of `enter_at`
  u32 l1_bytes_;
  const u8* code_ = nullptr;
  const u8* gate_ = nullptr;
  const u8* leave_ = nullptr;
  std::shared_ptr<Shelf> shelf_;
  const LoopHeads* heads_;
  u32 threshold_;
  u64 generation_ = 0;
  /// A unit and what it lies between, so that a write need not look at each unit and its pieces.
  struct Installed {
    u32 begin;
    u32 end;
    const Unit* unit;
    bool overlaps(u32 from, u32 to) const { return begin < to && from < end; }
  };
  std::vector<Installed> installed_;
  std::vector<u32> fresh_lines_;
  Entrances entrances_;
  LineVisits line_visits_;
  std::array<Chain, Chain::kSlots> chains_{};
};

}  // namespace bhemu::riscv::jit
