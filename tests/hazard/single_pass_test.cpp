// Clients of libttsim, the shim and the C API run once. A word by which agents signal can have been
// written before anybody has seen that it is one: then what it held before its first write has to
// be known all the same, or the first look at it would prove nothing.
#include <gtest/gtest.h>

#include "hazard/pairs.hpp"
#include "tensix/isa.hpp"

namespace bhemu::host::pairs {
namespace {

using race::NocKind;
namespace tens = tensix::op;

constexpr u32 kData = 0x20000;
constexpr u32 kThere = 0x30000;
constexpr u32 kFlag = 0x20400;
constexpr u32 kAnswer = 0x20C00;
constexpr u32 kFar = 0x1000;    // in DRAM
constexpr u32 kLate = 4000;     // instructions until the reader looks for the first time
constexpr u32 kDataFirst = 16;  // GPRs of the scalar unit, in halves

/// A writer of data and a flag in both orders, and how the flag is waited for.
struct Signal {
  const char* name;
  std::vector<Step> in_order;
  std::vector<Step> racy;
  unsigned core = kBrisc;  // of the writer
  Step wait = {};          // of the reader
  u32 data = kThere;
  bool far = false;  // the reader is in the other tile
};

Request data_to_other() {
  return {.kind = NocKind::Write, .local = kData, .tile = 1, .remote = kThere, .channel = 2};
}
Request flag_to(unsigned tile, u32 address) {
  return {.kind = NocKind::Write,
          .local = kFlag,
          .tile = tile,
          .remote = address,
          .size = 16,
          .buffer = 2};
}
Request add_to_flag() {
  return {.kind = NocKind::Atomic, .local = kAnswer, .tile = 1, .remote = kFlag, .buffer = 3};
}
Step poll_far() {
  const Request read = {.kind = NocKind::Read,
                        .local = kAnswer,
                        .tile = kDram,
                        .remote = kFar,
                        .size = 16,
                        .buffer = 1};
  return {Step::Kind::PollFar, 0, 0, 1, read};
}
Step set_half(u32 half, u32 value) {
  return op(tensix::encode<tens::SETDMAREG>({{"reg_index_16b", half}, {"payload_sig_sel", value}}));
}
/// The scalar unit adds 1 to the flag.
std::vector<Step> add_by_thread(std::vector<Step> first, std::vector<Step> then) {
  const std::vector<Step> add = {
      set_half(kDataFirst, kFlag >> 4), set_half(kDataFirst + 1, 0), set_half(kDataFirst + 2, 1),
      set_half(kDataFirst + 3, 0),
      op(tensix::encode<tens::ATINCGET>({{"addr_reg_index", kDataFirst / 2},
                                         {"data_reg_index", kDataFirst / 2 + 1},
                                         {"wrap_val", 31},
                                         {"mem_hier_sel", 1}}))};
  first.insert(first.end(), add.begin(), add.end());
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

std::vector<Signal> signals() {
  const std::vector<Step> data = {store(kThere), load_use(kThere)};
  const std::vector<Step> sent = {store(kFlag), load_use(kFlag), send(data_to_other()),
                                  wait_for(NocKind::Write, 0)};
  const std::vector<Step> not_waited = {store(kFlag), load_use(kFlag), send(data_to_other())};
  const auto with = [](std::vector<Step> steps, std::vector<Step> more) {
    steps.insert(steps.end(), more.begin(), more.end());
    return steps;
  };
  return {
      {"store", with(data, {store(kFlag)}), {store(kFlag), store(kThere)}},
      {"atomic", with(data, {add(kFlag)}), {add(kFlag), store(kThere)}},
      {"atomic_of_a_thread", add_by_thread(data, {}), add_by_thread({}, {store(kThere)}), kTrisc1},
      {"packet",
       with(sent, {send(flag_to(1, kFlag))}),
       with(not_waited, {send(flag_to(1, kFlag))}),
       kBrisc,
       {},
       kThere,
       true},
      {"atomic_of_a_packet",
       with(sent, {send(add_to_flag())}),
       with(not_waited, {send(add_to_flag())}),
       kBrisc,
       {},
       kThere,
       true},
      {"packet_to_dram", with(sent, {send(flag_to(kDram, kFar))}),
       with(not_waited, {send(flag_to(kDram, kFar))}), kBrisc, poll_far(), kThere, true},
  };
}

class SinglePass : public testing::TestWithParam<Signal> {};

TEST_P(SinglePass, of_a_word_first_looked_at_long_after_it_was_written_proves_what_it_says) {
  const Signal& one = GetParam();
  const Step wait = one.wait.kind == Step::Kind::Nops ? poll(kFlag, 1) : one.wait;
  const Lane reader = {
      one.far ? 1u : 0u, one.far ? kBrisc : kTrisc0, {nops(kLate), wait, load_use(one.data)}};
  for (const bool in_order : {true, false}) {
    const Seen seen = watch({{0, one.core, in_order ? one.in_order : one.racy}, reader}, false, 1);
    EXPECT_TRUE(seen.faults.empty()) << seen.faults.front();
    EXPECT_EQ(seen.findings.empty(), in_order) << seen.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Races, SinglePass, testing::ValuesIn(signals()),
                         [](const auto& info) { return std::string(info.param.name); });

// What a flag held before its last write is no proof that this one has been seen.
TEST(SinglePassOf, a_word_that_held_the_value_before_proves_nothing) {
  for (const bool adds : {true, false}) {
    const Lane writer = {0,
                         kBrisc,
                         {store(kFlag), load_use(kFlag), nops(40), store(kThere), load_use(kThere),
                          adds ? add(kFlag) : store(kFlag)}};
    const Lane reader = {0, kTrisc0, {nops(kLate), poll(kFlag, adds ? 2 : 1), load_use(kThere)}};
    const Seen seen = watch({writer, reader}, false, 1);
    EXPECT_EQ(seen.findings.empty(), adds) << seen.text;
  }
}

}  // namespace
}  // namespace bhemu::host::pairs
