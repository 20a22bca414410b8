// What a core's interpreter sees of its tile (the Bus contract of riscv/core.hpp). Two types: the
// fast one, and the recording one with which the scheduler looks for a loop it may park.
#pragma once

#include "riscv/core.hpp"
#include "tile/tile.hpp"
#include "tile/translated.hpp"

namespace bhemu::tile {

/// The overlay registers that a core has sent its thread to write (STOREREG) in the turn under way.
/// A turn lets the core run on before the thread does, for longer than an instruction can take from
/// the core to the register when nothing holds it up; so a load of such a register waits for the
/// end of the turn. No document orders the two; tt-metal's test of circular buffers that wrap at
/// the packer relies on it (docs/DISAGREEMENTS.md, Open).
class OwnStores {
 public:
  void add(u32 address, Cycle turn) {
    if (turn != turn_) count_ = 0;
    turn_ = turn;
    if (count_ < kMost) addresses_[count_] = address;
    ++count_;
  }
  bool has(u32 address, Cycle turn) const {
    if (turn != turn_ || count_ == 0) return false;
    if (count_ > kMost) return true;  // more than are remembered: it may be any
    for (unsigned i = 0; i < count_; ++i)
      if (addresses_[i] == address) return true;
    return false;
  }

 private:
  static constexpr unsigned kMost = 8;
  Cycle turn_ = 0;
  unsigned count_ = 0;
  std::array<u32, kMost> addresses_{};
};

/// What every run looks at lies in one line of the host's caches.
template <bool Record>
struct alignas(64) CoreBus {
  static constexpr bool kRecord = Record;
  static constexpr u32 kL1Bytes = kL1Size;

  CoreBus(Tile& tile, unsigned core)
      : l1(tile.l1_.data()),
        l1_flags(tile.l1_.flags()),
        code(tile.lines_.table()),
        tile_(tile),
        core_(core),
        ldm_size(riscv::ldm_size_of(tile.shape_.core[core])) {}

  u8* l1;
  const u8* l1_flags;
  const riscv::CodeTable& code;

 protected:
  Tile& tile_;
  unsigned core_;

 public:
  u32 ldm_size;
  bool attention = false;
  bool stops_at_heads = false;  // of loops: the schedule wants to look for one there
  bool at_head = false;         // and has been left there
  bool sits_out = false;  // of the bus that does not record: the rest of the turn, for `stores`
  bool watches = true;    // of the recording bus: what is read is watched for changes
  u32 stop_pc = ~u32{0};  // of the recording bus: where a round begins
  OwnStores stores;       // of the bus that does not record, for both

  bool sit_out_for(u32 address, Cycle turn) { return sits_out = stores.has(address, turn); }
  riscv::Loaded load(riscv::CoreState& state, u32 address, u32 size) {
    // Who does not record has asked for what can be loaded at once.
    if constexpr (!Record) return tile_.access_.load_slowly(core_, address, size, state.cycle);
    const riscv::Loaded loaded = tile_.access_.load(core_, address, size, state.cycle);
    attend();
    return loaded;
  }
  riscv::Outcome store(riscv::CoreState& state, u32 address, u32 size, u32 value) {
    // As above: who does not record has asked for what can be stored at once.
    if constexpr (!Record)
      return tile_.access_.carry_out(core_, state.pc, address, size, value, state.cycle);
    note_impure();
    return tile_.access_.store(core_, address, size, value, state.cycle);
  }
  bool load_at_once(u32 address, u32& value, Cycle now) {
    return tile_.access_.load_at_once(core_, address, value, now);
  }
  bool store_at_once(u32 pc, u32 address, u32 value, Cycle now) {
    return tile_.access_.store_at_once(core_, pc, address, value, now);
  }
  riscv::Outcome store_l1(riscv::CoreState& state, u32 address, const void* source, u32 bytes) {
    if constexpr (Record) note_impure();
    tile_.l1_.write(address, source, bytes, {tile_.agent(core_), state.pc, state.cycle});
    return riscv::Outcome::Ok;
  }
  u32 push_at_once(u32 pc, std::span<const u32> words, Cycle now) {
    return tile_.access_.push_at_once(core_, pc, words, now, Pushed::ByTtinsn);
  }
  riscv::Outcome push_tensix(riscv::CoreState& state, u32 word) {
    if constexpr (Record) note_impure();
    if (push_at_once(state.pc, {&word, 1}, state.cycle) != 0) return riscv::Outcome::Ok;
    return tile_.access_.push_tensix(core_, core_ - static_cast<unsigned>(CoreId::Trisc0), word,
                                     state.cycle, Pushed::ByTtinsn);
  }
  riscv::Loaded read_csr(riscv::CoreState& state, u32 csr);
  riscv::Outcome write_csr(riscv::CoreState& state, u32 csr, u32 value);
  void decode(u32 pc) {
    if (tile_.lines_.decode(pc, l1)) tile_.drop_translated(pc);
    tile_.l1_.set_flag(pc, L1::kCode);
  }
  bool stop_at_head(u32 pc, Cycle now) {
    if (!stops_at_heads || !tile_.comes_round(core_, pc, now)) return false;
    return attention = at_head = true;
  }
  void mark_code(u32 address) { tile_.mark_translated(address); }
  [[gnu::cold]] bool raise(riscv::CoreState& state, Rule rule, std::string text) {
    if constexpr (Record) note_impure();
    return tile_.faults().raise(rule, tile_.agent(core_), state.pc, state.cycle, std::move(text));
  }

  bool has_debugger() const { return tile_.debugger_.attends(core_); }
  void pause() { tile_.debugger_.halt(core_, debug_field::Status_EbreakHit.with(1)); }

  void note_clock() {
    ++tile_.activity_.clock_reads;
    tile_.slots_[core_].timed = true;
  }

  void note_load_l1(u32 address, u32 size) {
    if (!watches) return;
    CoreSlot& slot = tile_.slots_[core_];
    if (!slot.reads.add(address, size)) return note_impure();
    for (u32 line = address >> L1::kLineShift; line <= (address + size - 1) >> L1::kLineShift;
         ++line)
      tile_.l1_.set_flag(line << L1::kLineShift, L1::kWatched);
  }
  void note_impure() {
    tile_.slots_[core_].impure = true;
    attention = true;
  }

 protected:
  void attend();
  bool is_recording() const { return tile_.slots_[core_].recording; }
};

/// The same for a tile with less L1, which the interpreter wants to know when it is compiled.
template <bool Record>
struct EthernetCoreBus final : CoreBus<Record> {
  static constexpr u32 kL1Bytes = kEthernetL1Size;
  using CoreBus<Record>::CoreBus;
};

/// Who records looks at once at what ends the recording, or the turn.
template <bool Record>
inline void CoreBus<Record>::attend() {
  attention |= tile_.slots_[core_].impure || tile_.buses_[core_]->attention;
}

}  // namespace bhemu::tile

namespace bhemu::riscv {
// Instantiated in tile/interpreter.cpp.
extern template Outcome run<tile::CoreBus<false>>(CoreState&, tile::CoreBus<false>&, Cycle);
extern template Outcome run<tile::CoreBus<true>>(CoreState&, tile::CoreBus<true>&, Cycle);
extern template Outcome run<tile::EthernetCoreBus<false>>(CoreState&, tile::EthernetCoreBus<false>&,
                                                          Cycle);
extern template Outcome run<tile::EthernetCoreBus<true>>(CoreState&, tile::EthernetCoreBus<true>&,
                                                         Cycle);
}  // namespace bhemu::riscv

namespace bhemu::riscv::jit {
extern template Outcome run_on<tile::CoreBus<false>>(Context&, Translations&, Leave);
extern template Outcome run_on<tile::EthernetCoreBus<false>>(Context&, Translations&, Leave);
}  // namespace bhemu::riscv::jit

namespace bhemu::tile {

// Here because they are called once per instruction while a loop is looked for.
inline riscv::Outcome Tile::execute(unsigned core, Cycle until) {
  // Fewer instructions than a block has are not worth the way into translated code.
  if (translated_ != nullptr && until >= cores_[core].cycle + riscv::jit::kWorthEntering) {
    riscv::jit::Context& context = translated_->contexts[core];
    riscv::jit::Translations& translations = translated_->translations;
    if (shape_.is_tensix()) return riscv::jit::run<CoreBus<false>>(context, translations, until);
    return riscv::jit::run<EthernetCoreBus<false>>(context, translations, until);
  }
  CoreBus<false>& bus = *buses_[core];
  if (shape_.is_tensix()) return riscv::run(cores_[core], bus, until);
  return riscv::run(cores_[core], *buses_[core], until);
}

/// Leaves when the core comes to bus.stop_pc, or has done something that is not pure.
inline riscv::Outcome Tile::execute_recorded(unsigned core, Cycle until) {
  CoreBus<true>& bus = *recording_buses_[core];
  if (shape_.is_tensix()) return riscv::run(cores_[core], bus, until);
  return riscv::run(cores_[core], *recording_buses_[core], until);
}

}  // namespace bhemu::tile
