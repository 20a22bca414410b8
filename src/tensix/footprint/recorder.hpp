// The reader's twin of Context: code that only finds out what an instruction would do is written
// once for both, as a template over whoever asks, and what it reads of a Footprint is noted.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "base/fault.hpp"
#include "tensix/coprocessor.hpp"
#include "tensix/footprint/footprint.hpp"
#include "tensix/isa.hpp"
#include "tensix/state.hpp"

namespace bhemu::tensix {

struct Context;

/// Words of configuration that note what is read of them.
template <class Words>
class Noted {
 public:
  Noted(const Words& words, Touches& touches, Space space, u32 first, u32 global)
      : words_(words), touches_(touches), space_(space), first_(first), global_(global) {}

  u32 operator[](u32 word) const {
    note(word, kWhole);
    return words_[word];
  }
  u32 field(u32 word, u32 low, u32 width) const {
    note(word, static_cast<u32>(((u64{1} << width) - 1) << low));
    return bits(words_[word], low, width);
  }

 private:
  static constexpr u32 kWhole =
      static_cast<u32>((u64{1} << 8 * sizeof(typename Words::value_type)) - 1);
  void note(u32 word, u32 mask) const {
    touches_.add({space_, Access::Read, word < global_ ? first_ + word : word, 1, mask});
  }

  const Words& words_;
  Touches& touches_;
  Space space_;
  u32 first_;   // what word 0 is in the space
  u32 global_;  // words from here on are the same ones for everybody
};

class Footprint {
 public:
  Footprint(const State& state, const Environment& env, unsigned thread, u32 word, Touches& touches,
            const SfpuScheduled* scheduled = nullptr)
      : state(state),
        env(env),
        thread(thread),
        word(word),
        scheduled(scheduled),
        touches_(touches) {}

  // --- As in Context.
  const State& state;
  const Environment& env;
  const unsigned thread;
  const u32 word;
  const SfpuScheduled* const scheduled;
  mutable u32 moved = 0;

  /// The configuration that the thread sees, and that it sees this one.
  Noted<ConfigWords> config() const {
    const u32 bank = thread_cfg::CFG_STATE_ID_StateID::get(thread_config());
    return {state.cfg.bank[bank], touches_, Space::Config, bank * kConfigWords, kGlobalConfigBase};
  }
  Noted<ThreadConfigWords> thread_config() const { return thread_config(thread); }
  Noted<ThreadConfigWords> thread_config(unsigned of_thread) const {
    return {state.thread_config(of_thread), touches_, Space::ThreadConfig,
            of_thread * kThreadConfigWords, kThreadConfigWords};
  }
  const L1& l1() const { return *env.l1; }
  void touch(Resource) const {}
  /// No rule stops a footprint.
  bool raise(Rule, const std::string&) const { return false; }

  // --- Notes.
  void read(Space space, u32 begin, u32 size = 1, u32 mask = ~0u) const {
    touches_.add({space, Access::Read, begin, size, mask});
  }
  void write(Space space, u32 begin, u32 size = 1, u32 mask = ~0u) const {
    touches_.add({space, Access::Write, begin, size, mask});
  }
  void update(Space space, u32 begin, u32 size = 1, u32 mask = ~0u) const {
    touches_.add({space, Access::ReadWrite, begin, size, mask});
  }
  void note(Access access, Space space, u32 begin, u32 size = 1, u32 mask = ~0u) const {
    touches_.add({space, access, begin, size, mask});
  }
  /// A register of the tile, of the overlay's streams or another.
  void note_register(Access access, u32 address) const;
  void flow(const Flow& flow) const { touches_.flows.add(flow); }
  bool wants_flows() const { return touches_.flows.wanted(); }
  /// Words [first, first + size) of the thread's GPRs.
  void note_gprs(Access access, u32 first, u32 size = 1, u32 mask = ~0u) const {
    touches_.add({Space::Gpr, access, thread * kGprs + first, size, mask});
  }

 private:
  Touches& touches_;
};

/// Whether the code that asks wants notes and no effects.
template <class C>
inline constexpr bool kOnlyNotes = std::is_same_v<C, Footprint>;

/// What `config()` gives, and its type.
template <class C>
using ConfigRef = decltype(std::declval<const C&>().config());
template <class C>
using ConfigOf = std::decay_t<ConfigRef<C>>;

/// Said where Context and Footprint share the code that reads something.
inline void note_read(const Context&, Space, u32, u32 = 1, u32 = ~0u) {}
inline void note_read(const Footprint& print, Space space, u32 begin, u32 size = 1,
                      u32 mask = ~0u) {
  print.read(space, begin, size, mask);
}

#define FIELD(name, low, width)
#define INSN(name, opcode, unit, properties, fields) \
  void footprint(const Footprint& print, op::name insn);
#define INSN_UNDOCUMENTED(name, opcode, unit, rule, properties, fields)
#include "tensix/isa.def"

}  // namespace bhemu::tensix
