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
#include "tensix/fpu/state.hpp"

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
  u64 generation;  // of the address modifiers; 0: of none
  u32 count;       // of words
  Rwc begin;
  Rwc end;
  std::array<u32, kMost> words;
  std::array<Step, kMost> steps;

  /// It goes from these counters through the first ones of `ahead`.
  bool is_of(const Rwc& rwc, std::span<const u32> ahead) const {
    static_assert(std::has_unique_object_representations_v<Rwc>);
    return count <= ahead.size() && std::memcmp(&begin, &rwc, sizeof rwc) == 0 &&
           std::memcmp(words.data(), ahead.data(), count * sizeof(u32)) == 0;
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
  /// Null: none is known that goes from these counters through words of `ahead`.
  const Course* find(const Rwc& rwc, std::span<const u32> ahead) const {
    const Course& course = courses_[place_of(rwc, ahead)];
    return course.generation == generation_ && course.is_of(rwc, ahead) ? &course : nullptr;
  }
  /// Where such a course is to be written. It counts once it is kept.
  Course& place_for(const Rwc& rwc, std::span<const u32> ahead) {
    Course& course = courses_[place_of(rwc, ahead)];
    course.generation = 0;
    course.begin = rwc;
    return course;
  }
  void keep(Course& course, u32 count, const Rwc& end) {
    if (count == 0) return;
    course.count = count;
    course.end = end;
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
  static u32 place_of(const Rwc& rwc, std::span<const u32> ahead) {
    const u32 rows = static_cast<u32>(rwc.dst << 16 | rwc.src_a << 8 | rwc.src_b);
    const u32 count = std::min(static_cast<u32>(ahead.size()), Course::kMost);
    const u32 rest = ahead[0] ^ count << 8 ^ static_cast<u32>(rwc.fidelity) << 4;
    return (rows * 0x9E3779B1u ^ rest * 0x85EBCA6Bu) * 0xC2B2AE35u >> (32 - kBits);
  }

  u64 generation_ = 1;
  Modifiers modifiers_{};
  std::array<Course, 1 << kBits> courses_{};
};

}  // namespace bhemu::tensix::fpu
