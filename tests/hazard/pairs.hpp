// Small whole programs for rows of edges.def, as steps of cores, so that a test can put a line in:
// the one that the detector suggests.
#pragma once

#include <string>
#include <vector>

#include "host/report/races.hpp"
#include "race/edges.hpp"

namespace bhemu::host::pairs {

inline constexpr unsigned kBrisc = 0, kNcrisc = 1, kTrisc0 = 2, kTrisc1 = 3, kTrisc2 = 4;

inline constexpr unsigned kDram = 2;

/// A request of an NIU.
struct Request {
  race::NocKind kind = race::NocKind::Write;
  unsigned noc = 0;
  u32 local = 0;
  unsigned tile = 0;  // of the program, by index; kDram: a bank
  u32 remote = 0;
  u32 size = 64;
  u32 buffer = 0;
  u32 channel = 1;
  bool is_static = true;
};

struct Step {
  enum class Kind : u8 {
    Tensix,        // an instruction of the core's own thread
    Store,         // `value` to `address`
    Load,          // whose value nobody uses yet
    Use,           // of the last load
    Drop,          // the last load's register is written over, and that is used
    LoadUse,       // both
    Add,           // an atomic, to the word at `address`
    Fence,         //
    Poll,          // until the word at `address` is `value`, with fences
    PollSet,       // until the low byte of the word at `address` is not 0
    PollFar,       // a short read again and again, until the word is `value`
    PollWithout,   // the same, without
    Send,          // a request
    Wait,          // until the NIU's counter at `address` says that what was sent is done
    WaitZero,      // until the register at `address` is 0
    ThreadDone,    // CoprocessorDoneCheck
    ExpanderDone,  // MOPExpanderDoneCheck
    Csr,           // cfg0: the bits of `value` are set (`address` 1) or cleared (0)
    Mail,          // to core `address`
    Take,          // a word from core `address`
    Nops,          // `value` of them
  };
  Kind kind = Kind::Nops;
  u32 word = 0;
  u32 address = 0;
  u32 value = 0;
  Request request = {};
};

struct Lane {
  unsigned tile = 0;  // by index
  unsigned core = 0;
  std::vector<Step> steps;
};
using Program = std::vector<Lane>;

inline Step op(u32 word) {
  return {Step::Kind::Tensix, word};
}
inline Step store(u32 address, u32 value = 1) {
  return {Step::Kind::Store, 0, address, value};
}
inline Step load(u32 address) {
  return {Step::Kind::Load, 0, address};
}
inline Step load_use(u32 address) {
  return {Step::Kind::LoadUse, 0, address};
}
inline Step add(u32 address) {
  return {Step::Kind::Add, 0, address};
}
inline Step poll(u32 address, u32 value) {
  return {Step::Kind::Poll, 0, address, value};
}
inline Step send(const Request& request) {
  return {Step::Kind::Send, 0, 0, 0, request};
}
inline Step mail(unsigned core) {
  return {Step::Kind::Mail, 0, core};
}
inline Step take(unsigned core) {
  return {Step::Kind::Take, 0, core};
}
inline Step nops(u32 count) {
  return {Step::Kind::Nops, 0, 0, count};
}
/// Until all requests of a kind that the core has sent on the NIU are done; `sent`: have gone out.
Step wait_for(race::NocKind kind, unsigned noc, bool sent = false);
/// Until the initiator of the request is free.
Step wait_free(const Request& request);

/// A side of a finding, as a step of the program. False: of nobody in it.
struct At {
  std::size_t lane = 0;
  std::size_t step = 0;
};

struct Seen {
  std::vector<race::Finding> findings;
  std::string text;
  std::vector<std::string> faults;
  std::vector<NodeId> nodes;             // of the program's tiles
  std::vector<std::vector<u32>> begins;  // by lane: where the code of each step begins
};

/// Runs the program under the detector, as often as it takes to know all words that signal.
Seen watch(const Program& program, bool contracts = false, unsigned most_passes = 4);

/// Puts the line that the finding suggests into the program. False: the test does not know how to
/// do what the text says.
bool apply_fix(Program& program, const Seen& seen, const race::Finding& finding);

/// A program that lacks what a row asks for. `ordered`: the form that is in order, where that is
/// not the same program with the suggested line.
struct Pair {
  race::EdgeId row;
  const char* name;
  Program broken;
  Program ordered = {};
  race::FindingKind kind = race::FindingKind::Race;
  bool contracts = false;     // the finding is one of level documented
  bool names_the_row = true;  // or another, of which this row is a part
};
/// Several lists as one.
inline std::vector<Pair> together(std::initializer_list<std::vector<Pair>> lists) {
  std::vector<Pair> all;
  for (const std::vector<Pair>& one : lists) all.insert(all.end(), one.begin(), one.end());
  return all;
}
std::vector<Pair> core_pairs();
std::vector<Pair> thread_pairs();
std::vector<Pair> network_pairs();

}  // namespace bhemu::host::pairs
