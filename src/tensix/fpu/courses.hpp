// Which rows products name that come one after the other, and what counters come to behind them,
// follows from their words, from the counters before them and from the thread's address modifiers.
// Loops go the same way again and again, so it is worked out once.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>

#include "tensix/config.hpp"
#include "tensix/fpu/kernels.hpp"

namespace bhemu::tensix::fpu {

/// Products of one thread of which none hands over a bank.
struct Course {
  static constexpr u32 kMost = 16;  // chosen: what a tile product in LoFi takes
  struct Step {
    u16 dst;  // a row of Dst, before what the configuration adds to all
    u8 a_row;
    u8 b_row;
    u8 fidelity;
  };
  /// What goes into the same eight rows: the first and the last of them.
  struct Rows {
    u16 dst;
    u8 first;
    u8 last;
  };
  /// Halves of the mantissas of operands: bit operand + kProductOperands * half.
  struct Halves {
    u32 a;
    u32 b;
  };
  static constexpr Halves halves_of(const NarrowProduct& product) {
    return {1u << (product.a + kProductOperands * (product.phase & 1)),
            1u << (product.b + kProductOperands * (product.phase >> 1))};
  }
  u64 generation;  // of the address modifiers; 0: of none
  u32 count;       // of words
  bool is_cut;     // they ended with the words that could be executed together then
  Rwc begin;
  Rwc end;
  std::array<u32, kMost> words;
  std::array<Step, kMost> steps;
  // As they are listed (ProductRun), if the configuration adds `phase` to all fidelities:
  u32 phase;
  u32 rows_count;
  Halves halves;
  std::array<NarrowProduct, kMost> products;
  std::array<Rows, kMost> rows;

  /// It goes from these counters through `ahead`, as far as both go.
  bool is_of(const Rwc& rwc, std::span<const u32> ahead) const {
    static_assert(std::has_unique_object_representations_v<Rwc>);
    const size_t common = std::min<size_t>(count, ahead.size());
    return std::memcmp(&begin, &rwc, sizeof rwc) == 0 &&
           std::memcmp(words.data(), ahead.data(), common * sizeof(u32)) == 0;
  }
  /// Works out how its products are listed.
  void write_list(u32 base_phase) {
    phase = base_phase;
    rows_count = 0;
    halves = {};
    for (u32 i = 0; i < count; ++i) {
      const Step& step = steps[i];
      const u32 own_phase = (step.fidelity + base_phase) & 3;
      products[i] = {static_cast<u8>(step.a_row / kMaxKernelRows),
                     static_cast<u8>(step.b_row / kMaxKernelRows), static_cast<u8>(own_phase), 0};
      const Halves own = halves_of(products[i]);
      halves.a |= own.a;
      halves.b |= own.b;
      const u16 dst = step.dst & 0x3F8;
      const auto known = std::find_if(rows.begin(), rows.begin() + rows_count,
                                      [dst](const Rows& of) { return of.dst == dst; });
      const u8 place = static_cast<u8>(i);
      if (known == rows.begin() + rows_count) {
        rows[rows_count++] = {dst, place, place};
        continue;
      }
      products[known->last].skip = static_cast<u8>(place - known->last);
      known->last = place;
    }
  }
};

/// The latest of a tile: one for each of some beginnings.
class Courses {
 public:
  /// Who goes through them now has these address modifiers: courses with others are none any more.
  void expect(const ThreadConfigWords& words) {
    const Modifiers now = modifiers_of(words);
    if (now == modifiers_) return;
    modifiers_ = now;
    ++generation_;
  }
  /// Where a course is, or would be, that begins with these counters and this word.
  Course& at(const Rwc& rwc, u32 word) { return courses_[place_of(rwc, word)]; }
  bool is_known(const Course& course, const Rwc& rwc, std::span<const u32> ahead) const {
    return course.generation == generation_ && course.is_of(rwc, ahead) &&
           !(course.is_cut && course.count < ahead.size());
  }
  /// Writes what was done into the place of another one.
  void keep(Course& course, const Course& done, u32 phase) {
    course = done;
    course.write_list(phase);
    course.generation = generation_;
  }

 private:
  static constexpr u32 kBits = 6;  // chosen, not measured
  static constexpr u32 kSections = 8;
  using Modifiers = std::array<std::array<u16, kSections>, 3>;

  static Modifiers modifiers_of(const ThreadConfigWords& words) {
    Modifiers all;
    std::memcpy(all[0].data(), &words[thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord], sizeof all[0]);
    std::memcpy(all[1].data(), &words[thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord],
                sizeof all[1]);
    std::memcpy(all[2].data(), &words[thread_cfg::ADDR_MOD_BIAS_SEC0_BiasIncr::kWord],
                sizeof all[2]);
    return all;
  }
  static u32 place_of(const Rwc& rwc, u32 word) {
    const u32 rows = static_cast<u32>(rwc.dst << 16 | rwc.src_a << 8 | rwc.src_b);
    const u32 rest = word ^ static_cast<u32>(rwc.fidelity) << 4;
    return (rows * 0x9E3779B1u ^ rest * 0x85EBCA6Bu) * 0xC2B2AE35u >> (32 - kBits);
  }

  u64 generation_ = 1;
  Modifiers modifiers_{};
  std::array<Course, 1 << kBits> courses_{};
};

}  // namespace bhemu::tensix::fpu
