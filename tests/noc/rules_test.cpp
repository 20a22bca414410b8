// Every rule a request can break: one request that breaks it, and that nothing was sent.
#include <gtest/gtest.h>

#include "dram/bank.hpp"
#include "noc/checks.hpp"
#include "noc/fabric.hpp"

namespace bhemu::noc {
namespace {

constexpr Coord kA{1, 2};
constexpr Coord kB{2, 3};
constexpr Coord kDram{17, 12};
constexpr u64 kRegister = 0xFFB12000;
constexpr Coord kNowhere{5, 5};

struct Case {
  const char* name;
  Rule rule;
  TestRequest request;
  bool sent = false;  // a warning only
};

/// Requests with nothing wrong, which each case changes in one way.
struct Usual {
  TestRequest write{.control = kWrite | kResponse,
                    .target = 0x1000,
                    .target_at = at(kA),
                    .home = 0x2000,
                    .home_at = at(kB),
                    .length = 64};
  TestRequest read{
      .target = 0x1000, .target_at = at(kB), .home = 0x2000, .home_at = at(kA), .length = 64};
  TestRequest atomic{.control = kAtomic | kResponse,
                     .target = 0x1000,
                     .target_at = at(kB),
                     .home = 0x40,
                     .home_at = at(kA),
                     .length = 0x107C,
                     .data = 1};
};

// tidy: allow function-length: a table of cases
std::vector<Case> cases() {
  const auto [write, read, atomic] = Usual();
  std::vector<Case> list;
  const auto add = [&list](const char* name, Rule rule, TestRequest request, bool sent = false) {
    list.push_back({name, rule, request, sent});
  };
  TestRequest r = write;
  r.home_at = at(kNowhere);
  add("write to nowhere", Rule::NocNoSuchNode, r);
  r = write, r.target_at = at(kNowhere);
  add("acknowledgement to nowhere", Rule::NocNoSuchNode, r);
  r = read, r.target_at = at(kNowhere);
  add("read from nowhere", Rule::NocNoSuchNode, r);
  r = write, r.target = 0x180000;
  add("source beyond L1", Rule::NocAddress, r);
  r = write, r.target = 0x1004;
  add("write not congruent", Rule::NocAlignment, r);
  r = read, r.home = 0x2008;
  add("read not congruent", Rule::NocAlignment, r);
  r = read, r.target_at = at(kDram), r.target = 0x1010;
  add("DRAM read not congruent modulo 64", Rule::NocAlignment, r);
  r = write, r.length = 0x200000;
  add("too long", Rule::NocLength, r);
  r = write, r.length = 1ull << 32 | 64;
  add("too long by the high word", Rule::NocLength, r);
  r = write, r.length = 16385, r.target = 0x1010, r.home = 0x2010;
  add("split needs 64-byte alignment", Rule::NocSplitAlignment, r);
  r = write, r.home = kRegister;
  add("64 bytes to a register", Rule::NocRegisterLength, r);
  r = read, r.target = kRegister, r.length = 8;
  add("8 bytes from a register", Rule::NocRegisterLength, r);
  r = read, r.target = kRegister, r.length = 2;
  add("2 bytes from a register", Rule::NocRegisterLength, r);
  r = write, r.target = kRegister + 2, r.control |= kByteEnable;
  add("byte enables from within a word of a register", Rule::NocAlignment, r);
  r = write, r.control = 3;
  add("type 3", Rule::NocReservedCommand, r);
  r = write, r.control |= 1u << 11;
  add("reserved bit 11", Rule::NocReservedBits, r, true);
  r = write, r.control |= 1u << 20;
  add("reserved bit 20", Rule::NocReservedBits, r, true);
  r = write, r.control |= 1u << 7 | 4u << 13;
  add("broadcast channel for unicast", Rule::NocVirtualChannel, r, true);
  r = write, r.control |= 1u << 31;
  add("accumulate", Rule::NocL1Accumulate, r);
  r = write, r.control |= kInline, r.target_at = at(kB);
  add("inline to L1", Rule::NocInlineToL1, r);
  r = write, r.control |= kInline, r.target_at = at(kDram);
  add("inline to DRAM", Rule::NocInlineTarget, r);
  r = write, r.control |= kInline, r.target_at = at(kB), r.target = kRegister + 2;
  add("inline misaligned", Rule::NocAlignment, r);
  r = write, r.tag = 1u << 6;
  add("overlay delivery", Rule::NocOverlayDelivery, r);
  r = atomic, r.target_at = at(kDram);
  add("atomic on DRAM", Rule::NocAtomicTarget, r);
  r = atomic, r.target = kRegister;
  add("atomic on a register", Rule::NocAtomicTarget, r);
  r = atomic, r.target = 0x1002;
  add("atomic misaligned", Rule::NocAtomicTarget, r);
  r = atomic, r.home = kRegister;
  add("atomic result to a register", Rule::NocAtomicTarget, r);
  r = atomic, r.length = 0x5000;
  add("undocumented atomic", Rule::NocAtomicOperation, r);
  r = read, r.control = kBroadcast, r.target_at = rectangle(kA, kB);
  add("broadcast read", Rule::NocBroadcastRead, r);
  r = write, r.control |= kBroadcast, r.home_at = rectangle({8, 8}, {9, 9});
  add("empty rectangle", Rule::NocBroadcastEmpty, r);
  r = write, r.control |= kBroadcast, r.home_at = rectangle(kB, kDram);
  add("broadcast to DRAM", Rule::NocBroadcastTarget, r);
  return list;
}

TEST(Rules, each_forbidden_request_raises_its_rule_and_is_not_sent) {
  for (const Case& test : cases()) {
    Fabric fabric;
    TestTile& a = fabric.tile(kA);
    TestTile& b = fabric.tile(kB);
    b.registers[kRegister] = 0;
    dram::Bank bank(fabric.endpoint(NodeKind::Dram, kDram));
    fabric.add_endpoint(bank);
    issue(a, 0, test.request);
    ASSERT_FALSE(a.faults.faults().empty()) << test.name;
    EXPECT_TRUE(a.faulted(test.rule)) << test.name << ": " << a.faults.faults().front().text;
    EXPECT_EQ(a.faults.faults().front().pc, 0x200u) << test.name;
    EXPECT_EQ(!fabric.log.empty(), test.sent) << test.name;
    const bool is_error = info_of(test.rule).severity == Severity::Error;
    EXPECT_EQ(a.faults.stopped(), is_error) << test.name;
  }
}

/// Requests that come as near to breaking a rule as a request can without doing so.
// tidy: allow function-length: a table of cases
std::vector<Case> near_misses() {
  const auto [write, read, atomic] = Usual();
  std::vector<Case> list;
  const auto add = [&list](const char* name, Rule rule, TestRequest request) {
    list.push_back({name, rule, request, true});
  };
  TestRequest r = write;
  add("write to a neighbour", Rule::NocNoSuchNode, r);
  r = write, r.target = 0x180000 - 64;
  add("source at the end of L1", Rule::NocAddress, r);
  r = write, r.target = 0x1010, r.home = 0x2020;
  add("write congruent modulo 16", Rule::NocAlignment, r);
  r = read, r.target_at = at(kDram), r.target = 0x1010, r.home = 0x2050;
  add("DRAM read congruent modulo 64", Rule::NocAlignment, r);
  r = write, r.length = 0x40000;
  add("a long request", Rule::NocLength, r);
  r = write, r.length = 16384, r.target = 0x1010, r.home = 0x2010;
  add("the longest that is not split", Rule::NocSplitAlignment, r);
  r = write, r.length = 16385;
  add("split at 64 bytes", Rule::NocSplitAlignment, r);
  r = read, r.target = kRegister, r.length = 4;
  add("4 bytes from a register", Rule::NocRegisterLength, r);
  r = write, r.control |= 1u << 7 | 1u << 13;
  add("a unicast channel for unicast", Rule::NocVirtualChannel, r);
  r = write, r.control |= kInline, r.target_at = at(kB), r.target = kRegister;
  add("inline to a register", Rule::NocInlineToL1, r);
  r = atomic, r.target = 0x1004;
  add("atomic on an aligned word", Rule::NocAtomicTarget, r);
  r = atomic;
  add("an increment", Rule::NocAtomicOperation, r);
  r = write, r.control |= kBroadcast, r.home_at = rectangle(kB, kB);
  add("a rectangle of one tile", Rule::NocBroadcastEmpty, r);
  return list;
}

TEST(Rules, requests_next_to_the_forbidden_ones_go_out_in_silence) {
  for (const Case& test : near_misses()) {
    Fabric fabric;
    TestTile& a = fabric.tile(kA);
    TestTile& b = fabric.tile(kB);
    b.registers[kRegister] = 0;
    dram::Bank bank(fabric.endpoint(NodeKind::Dram, kDram));
    fabric.add_endpoint(bank);
    issue(a, 0, test.request);
    EXPECT_FALSE(a.faulted(test.rule)) << test.name;
    EXPECT_TRUE(a.faults.faults().empty()) << test.name << ": " << a.faults.faults().front().text;
    EXPECT_FALSE(fabric.log.empty()) << test.name;
  }
}

TEST(Rules, a_linked_transaction_must_stay_with_its_destination) {
  Fabric fabric;
  TestTile& a = fabric.tile(kA);
  fabric.tile(kB);
  fabric.tile({3, 3});
  TestRequest request{.control = kWrite | kResponse | kLinked,
                      .target = 0x1000,
                      .target_at = at(kA),
                      .home = 0x2000,
                      .home_at = at(kB),
                      .length = 16};
  issue(a, 0, request);
  request.control &= ~kLinked;
  issue(a, 0, request, 2);  // from another buffer: still the same transaction
  request.home_at = at({3, 3});
  issue(a, 0, request);  // the transaction was over
  EXPECT_TRUE(a.faults.faults().empty());
  request.control |= kLinked;
  issue(a, 0, request);
  request.home_at = at(kB);
  issue(a, 0, request);
  EXPECT_TRUE(a.faulted(Rule::NocLinkedDestination));
}

TEST(Rules, an_address_that_the_target_does_not_have_is_its_fault_and_names_the_issuer) {
  Fabric fabric;
  TestTile& a = fabric.tile(kA);
  TestTile& b = fabric.tile(kB);
  issue(a, 0,
        {.target = 0x17FFF0, .target_at = at(kB), .home = 0x1000, .home_at = at(kA), .length = 32});
  fabric.run();
  ASSERT_TRUE(b.faulted(Rule::NocAddress));
  EXPECT_EQ(b.faults.faults().front().text,
            "read of 32 bytes at 0x17fff0, issued by BRISC of Tensix (1,2) at pc 0x200");
  EXPECT_EQ(a.read(0, 0x208), 0u);
}

TEST(Rules, with_severity_silicon_the_request_goes_out) {
  Fabric fabric;
  fabric.policy.severity[static_cast<unsigned>(Rule::NocInlineToL1)] = Severity::Silicon;
  TestTile& a = fabric.tile(kA);
  TestTile& b = fabric.tile(kB);
  issue(
      a, 0,
      {.control = kWrite | kInline | kResponse, .target = 0x3004, .target_at = at(kB), .data = 77});
  fabric.run();
  EXPECT_EQ(b.l1_word(0x3004), 77u);
  EXPECT_FALSE(a.faults.stopped());
}

TEST(Rules, more_than_255_requests_of_one_id_overflow_its_counter) {
  Fabric fabric;
  TestTile& a = fabric.tile(kA);
  fabric.tile(kB);
  const TestRequest request{.target = 0x1000,
                            .target_at = at(kB),
                            .home = 0x2000,
                            .home_at = at(kA),
                            .length = 16,
                            .id = 15};
  for (u32 i = 0; i < 255; ++i) issue(a, 0, request);
  EXPECT_TRUE(a.faults.faults().empty());
  EXPECT_EQ(a.read(0, 0x27C), 255u);
  issue(a, 0, request);
  EXPECT_TRUE(a.faulted(Rule::NocTransactionCounter));
  EXPECT_EQ(a.read(0, 0x27C), 0u);
  fabric.run();
  EXPECT_EQ(a.read(0, 0x27C), 0u);
}

// The congruence rules against a table written down from the headers.
TEST(Rules, congruence_of_transfers) {
  struct Row {
    bool read;
    NodeKind kind;
    u64 remote;
    u32 modulus;
    u32 length;
  };
  const Row rows[] = {
      {true, NodeKind::Tensix, 0x1000, 16, 64},  {false, NodeKind::Tensix, 0x1000, 16, 64},
      {true, NodeKind::Dram, 0x1000, 64, 64},    {false, NodeKind::Dram, 0x1000, 16, 64},
      {true, NodeKind::Pcie, 0x1000, 64, 64},    {false, NodeKind::Pcie, 0x1000, 16, 64},
      {true, NodeKind::Tensix, kRegister, 4, 4}, {false, NodeKind::Tensix, kRegister, 16, 4},
      {true, NodeKind::Ethernet, 0x1000, 16, 64}};
  for (const Row& row : rows) {
    for (u32 offset = 0; offset < 128; ++offset) {
      const Objection objection = check_transfer({.read = row.read,
                                                  .remote = row.kind,
                                                  .remote_address = row.remote,
                                                  .local_address = 0x2000 + offset,
                                                  .length = row.length});
      const Rule expected = offset % row.modulus == 0 ? Rule::Count : Rule::NocAlignment;
      EXPECT_EQ(objection.rule, expected) << row.remote << " " << offset;
    }
  }
}

}  // namespace
}  // namespace bhemu::noc
