// What the generators write programs with: random numbers, items, and the settings that they share.
#pragma once

#include <initializer_list>

#include "diff/program.hpp"
#include "tensix/config.hpp"
#include "tensix/isa.hpp"

namespace bhemu::diff {

class Writer {
 public:
  /// Neighbouring seeds must not give the same numbers one step apart.
  explicit Writer(u64 seed) : state_(seed) { state_ = next() ^ ~seed; }

  // --- Random numbers (splitmix64).
  u64 next();
  u32 word() { return static_cast<u32>(next() >> 32); }
  u32 below(u32 count) { return static_cast<u32>(word() * u64{count} >> 32); }
  bool one_in(u32 count) { return below(count) == 0; }
  u32 pick(std::initializer_list<u32> values) {
    return values.begin()[below(static_cast<u32>(values.size()))];
  }
  /// A single with an exponent, sign and mantissa of the interesting kind.
  u32 float_bits();
  /// Any word; small numbers, all ones, floats and single bits more often.
  u32 any_word();

  // --- Items, of the current core and tile. While `keep` is set, they are set-up or read-back;
  // while `group` is not 0, shrinking takes them out together.
  bool keep = false;
  u8 core = kTrisc0;
  u8 tile = 0;
  u32 group = 0;
  u32 new_group() { return ++groups_; }
  void store(u32 address, u32 value) { add(Kind::Store, address, value); }
  void load(u32 address) { add(Kind::Load, address, 0); }
  void wait(u32 address, u32 value) { add(Kind::Wait, address, value); }
  /// Waits until a counter has been raised by `events` more than by the earlier items of this kind.
  void count(u32 address, u32 events) { add(Kind::Count, address, events); }
  void place(u32 address, u32 value) { add(Kind::Place, address, value); }
  void code(u32 instruction) { add(Kind::Code, 0, instruction); }
  void tensix(u32 instruction) { store(kPushTensix, instruction); }
  template <class Op>
  void op(std::initializer_list<tensix::FieldValue> fields = {}) {
    tensix(tensix::encode<Op>(fields));
  }
  /// By the core's own store, to state bank 0; after use_second_bank by WRCFG, which reaches 1.
  void config(u32 word, u32 value);
  void use_second_bank();
  bool second_bank() const { return second_bank_; }
  void thread_config(u32 word, u32 value) {
    op<tensix::op::SETC16>({{"setc16_reg", word}, {"setc16_value", value}});
  }
  void sync() { load(kTensixSync); }
  /// Waits for every unit whose completion a STALLWAIT of all documents can see.
  void wait_all() { op<tensix::op::STALLWAIT>({{"stall_res", 0x1FF}, {"wait_res", 0x81F}}); }

  // --- Read-back of Dst: rows of 32 bits, raw, to kOut. `rows` is a multiple of four.
  void setup_pack_32(u32 rows_per_plane = 16);
  void pack_rows(u32 rows);

  Program program;

 private:
  void add(Kind kind, u32 address, u32 value) {
    program.items.push_back({kind, address, value, keep, core, tile, group});
  }
  u64 state_;
  bool second_bank_ = false;
  u32 groups_ = 0;
};

}  // namespace bhemu::diff
