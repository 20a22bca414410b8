// The second and third Tensix thread of a program: a list of stores that TRISC1 or TRISC2 makes,
// written into L1 by the items of TRISC0, so that a list is made shorter item by item as well.
#pragma once

#include "diff/writer.hpp"

namespace bhemu::diff {

class ThreadList {
 public:
  /// `thread` is 1 or 2.
  explicit ThreadList(u32 thread) : thread_(thread) {}

  void store(u32 address, u32 value) { entries_.push_back({address, value}); }
  /// The core waits until the thread has done all it was given.
  void sync() { entries_.push_back({kTensixSync | kLoadMark, 0}); }
  void tensix(u32 instruction) { store(kPushTensix, instruction); }
  template <class Op>
  void op(std::initializer_list<tensix::FieldValue> fields = {}) {
    tensix(tensix::encode<Op>(fields));
  }
  void thread_config(u32 word, u32 value) {
    op<tensix::op::SETC16>({{"setc16_reg", word}, {"setc16_value", value}});
  }

  /// The core's code and its list, as items of `w`; the entries from `first` on can be taken out.
  void place(Writer& w, size_t first) const;
  /// Waits until the thread has done everything.
  void wait(Writer& w) const { w.wait(flag(), 1); }
  size_t size() const { return entries_.size(); }

 private:
  static constexpr u32 kLoadMark = 1;

  struct Entry {
    u32 address;
    u32 value;
  };

  u32 code() const { return thread_ == 1 ? 0xA000 : 0xE000; }
  u32 list() const { return thread_ == 1 ? 0x18000 : 0x1C000; }
  u32 flag() const { return 0x17FF0 + 4 * thread_; }
  std::vector<u32> stub() const;

  u32 thread_;
  std::vector<Entry> entries_;
};

inline constexpr u32 kAllTriscsRun = 0x40800;

}  // namespace bhemu::diff
