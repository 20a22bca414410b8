#include "race/detector.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.hpp"
#include "race/bench.hpp"

namespace bhemu::race::test {
namespace {

constexpr Location kData{Place::L1, 64, 0x10000};
constexpr Location kFlag{Place::L1, 4, 0x20000};

/// A page handed over: written, read back, counted.
void push_page(Bench& b, unsigned core, u64 page) {
  b.store(core, l1(page));
  b.load_use(core, l1(page));
  b.signal(core, Object::Pages, 0);
}

TEST(RaceDetector, who_waits_for_one_page_and_reads_two_is_found_though_both_are_there) {
  for (const bool reads_two : {false, true}) {
    Bench bench;
    push_page(bench, kNcrisc, 0x1000);
    push_page(bench, kNcrisc, 0x2000);
    push_page(bench, kNcrisc, 0x3000);
    bench.observe(kBrisc, Object::Pages, 0, 1);
    bench.load_use(kBrisc, l1(0x1000));
    if (reads_two) bench.load_use(kBrisc, l1(0x2000));
    EXPECT_EQ(bench.count(FindingKind::Race), reads_two ? 1u : 0u) << bench.text();
  }
}

TEST(RaceDetector, a_semaphore_gives_what_its_oldest_post_knew) {
  for (const bool second : {false, true}) {
    Bench bench;
    bench.run(0, words::wrcfg, field(1), Mode::Write);
    bench.issue(0, words::sempost(1));
    bench.run(0, words::wrcfg, field(2), Mode::Write);
    bench.issue(0, words::sempost(1));
    bench.issue(1, words::semwait(0x1FF, 1, 1));
    bench.run(1, words::mvmul, field(1), Mode::Read);
    if (second) bench.run(1, words::mvmul, field(2), Mode::Read);
    EXPECT_EQ(bench.silent(), !second) << bench.text();
  }
}

TEST(RaceDetector, instructions_that_the_block_mask_does_not_hold_learn_nothing_from_the_wait) {
  Bench bench;
  bench.run(0, words::loadind, gpr(0, 3), Mode::Write);
  bench.issue(0, words::stallwait(block::kUnpack, wait::kThcon));
  bench.run(0, words::adddmareg, gpr(0, 3), Mode::Read);
  EXPECT_EQ(bench.count(FindingKind::Race), 1u);
  bench.run(0, words::unpacr(), gpr(0, 3), Mode::Read);
  EXPECT_EQ(bench.count(FindingKind::Race), 1u) << "held, and so in order";
}

TEST(RaceDetector, counters_prove_something_only_when_all_requests_they_count_are_done) {
  struct Proof {
    u8 index;
    u32 value;
    bool proves;
  };
  // Three writes of transaction ids 1, 1 and 2, one of them to two tiles.
  const Proof proofs[] = {{1, 4, true},   {1, 3, false},     {1, 0, false},
                          {10, 3, false}, {0, 0, false},     {2, 0, false},
                          {11, 0, false}, {16 + 2, 0, true}, {16 + 1, 0, false}};
  for (const Proof& proof : proofs) {
    Bench bench;
    std::array<Ticket, 3> tickets;
    const u8 ids[] = {1, 1, 2};
    for (unsigned i = 0; i < 3; ++i) {
      event::Request one;
      one.tid = ids[i];
      one.answers = i == 0 ? 2 : 1;
      one.buffer = static_cast<u16>(i);
      tickets[i] = bench.request(kBrisc, one);
      bench.arrive(tickets[i], l1(0x1000 + 64 * i, 64), Mode::Write);
    }
    bench.counter(kBrisc, 0, proof.index, proof.value);
    bench.load_use(kBrisc, l1(0x1080));  // what the third, with id 2, has written
    EXPECT_EQ(bench.silent(), proof.proves)
        << unsigned{proof.index} << "=" << proof.value << bench.text();
  }
}

/// The store by which a core starts a request can lie in its queue for long (`--timing chaos`).
/// What the core does meanwhile comes behind the request all the same.
TEST(RaceDetector, a_request_takes_along_what_its_core_knew_when_it_started_it) {
  for (const bool late : {false, true}) {
    Bench bench;
    event::Request write;
    write.source = l1(0x1000, 64);
    write.was_late = late;
    if (late)
      bench.send(kBrisc);
    else
      bench.request(kBrisc, write);
    bench.store(kBrisc, l1(0x1000));                             // of its source
    bench.store(kBrisc, {Place::Initiator, 1, 2}, Region::Niu);  // and of a register it is made of
    if (late) bench.request(kBrisc, write);
    const std::vector<Finding> all = bench.detector.findings();
    ASSERT_EQ(all.size(), 2u) << late << bench.text();
    for (const Finding& one : all)
      EXPECT_EQ(one.edge,
                one.where.place == Place::L1 ? EdgeId::SourceReuse : EdgeId::InitiatorBusy)
          << late << bench.text();
  }
}

TEST(RaceDetector, a_kernel_leaves_behind_what_it_started_wherever_the_store_is) {
  Bench bench;
  event::Request read;
  read.kind = NocKind::Read;
  read.was_late = true;
  bench.send(kBrisc);
  bench.detector.on(event::Return{bench.site(kBrisc)});
  EXPECT_TRUE(bench.silent());
  bench.request(kBrisc, read);
  EXPECT_EQ(bench.count(FindingKind::ExitInFlight), 1u) << bench.text();
  read.was_late = false;  // by the next kernel, which may wait for it
  bench.request(kBrisc, read);
  EXPECT_EQ(bench.count(FindingKind::ExitInFlight), 1u) << bench.text();
}

/// Of an inline posted write there is nothing to wait for: neither source nor answer.
TEST(RaceDetector, a_late_posted_write_without_a_source_can_be_left_behind) {
  for (const NocKind kind : {NocKind::Posted, NocKind::PostedAtomic}) {
    Bench bench;
    event::Request one;
    one.kind = kind;
    one.was_late = true;
    bench.send(kBrisc);
    bench.detector.on(event::Return{bench.site(kBrisc)});
    bench.request(kBrisc, one);
    EXPECT_TRUE(bench.silent()) << bench.text();
  }
}

/// Of two posts that have come both have happened, whoever made them; which of two the first was
/// is taken from the run.
TEST(RaceDetector, who_waits_for_all_posts_there_are_knows_what_each_poster_knew) {
  for (const Object object : {Object::Pages, Object::Semaphore}) {
    for (const u32 awaited : {1u, 2u}) {
      Bench bench;
      for (const unsigned core : {kTrisc0, kTrisc1}) {
        bench.store(core, l1(0x1000 * core));
        bench.load_use(core, l1(0x1000 * core));
        bench.signal(core, object, 3);
      }
      bench.observe(kTrisc2, object, 3, awaited);
      bench.load_use(kTrisc2, l1(0x1000 * kTrisc0));
      EXPECT_TRUE(bench.silent()) << bench.text();
      bench.load_use(kTrisc2, l1(0x1000 * kTrisc1));
      EXPECT_EQ(bench.silent(), awaited == 2) << bench.text();
    }
  }
}

TEST(RaceDetector, code_is_not_to_be_written_while_a_core_may_be_fetching_it) {
  for (const bool waits : {false, true}) {
    Bench bench;
    const auto fetch = [&](u64 address) {
      bench.detector.on(event::Fetch{bench.site(kNcrisc), l1(address)});
    };
    // Of two messages, one in front of the fetches and one behind, the first proves nothing.
    bench.signal(kNcrisc, Object::Mailbox, 1);
    fetch(0x1004);
    fetch(0x1008);
    bench.signal(kNcrisc, Object::Mailbox, 1);
    bench.observe(kBrisc, Object::Mailbox, 1, waits ? 2 : 1);
    bench.store(kBrisc, l1(0x1000));  // beside it
    EXPECT_TRUE(bench.silent()) << bench.text();
    bench.store(kBrisc, l1(0x1008));
    EXPECT_EQ(bench.silent(), waits) << bench.text();
    const unsigned before = bench.count(FindingKind::Race);
    bench.store(kBrisc, l1(0x1008));   // nobody has fetched what was written
    bench.store(kNcrisc, l1(0x1004));  // and a core is in order with itself
    EXPECT_EQ(bench.count(FindingKind::Race), before) << bench.text();
  }
}

/// A new program is loaded over the old one while the core that ran it is in reset.
TEST(RaceDetector, who_holds_a_core_in_reset_knows_that_it_is_done) {
  for (const bool holds : {false, true}) {
    Bench bench;
    bench.store(kNcrisc, l1(0x8000));
    bench.detector.on(event::Fetch{bench.site(kNcrisc), l1(0x1000)});
    Site host = bench.site(kBrisc);
    host.agent = Agent::Host;
    if (holds) bench.detector.on(event::Hold{host, kNcrisc});
    bench.detector.on(event::HostWrite{host, l1(0x1000), false, {}});
    bench.detector.on(event::HostWrite{host, l1(0x8000), false, {}});
    EXPECT_EQ(bench.detector.findings().size(), holds ? 0u : 2u) << holds << bench.text();
  }
}

TEST(RaceDetector, answers_of_reads_on_one_channel_are_in_no_order) {
  for (const u8 waited_for : {u8{1}, u8{2}}) {
    Bench bench;
    for (const u8 tid : {u8{1}, u8{2}}) {
      event::Request read;
      read.kind = NocKind::Read;
      read.tid = tid;
      read.channel = 7;
      bench.arrive(bench.request(kBrisc, read), l1(0x1000u * tid, 64), Mode::Write);
    }
    constexpr u8 kOutstanding = 16;
    bench.counter(kBrisc, 0, static_cast<u8>(kOutstanding + waited_for), 0);
    bench.load_use(kBrisc, l1(0x1000));
    EXPECT_EQ(bench.silent(), waited_for == 1) << bench.text();
  }
}

TEST(RaceDetector, streamwait_gives_what_was_known_when_the_awaited_message_came) {
  for (const u32 awaited : {1u, 2u}) {
    Bench bench;
    push_page(bench, kBrisc, 0x1000);
    push_page(bench, kBrisc, 0x2000);
    bench.issue(0, tensix::encode<tensix::op::STREAMWAIT>({{"stall_res", block::kUnpack}}));
    bench.detector.on(event::StreamTest{0, 0, awaited});
    bench.run(0, words::unpacr(), l1(0x2000), Mode::Read);
    EXPECT_EQ(bench.silent(), awaited == 2) << bench.text();
  }
}

TEST(RaceDetector, who_waits_for_a_word_with_atcas_knows_what_its_writer_knew) {
  for (const bool before_the_flag : {false, true}) {
    Bench bench;
    if (before_the_flag) bench.store(kBrisc, l1(0x1000));
    bench.store(kBrisc, kFlag, Region::L1, true);
    if (!before_the_flag) bench.store(kBrisc, l1(0x1000));
    bench.run(0, tensix::encode<tensix::op::ATCAS>({{"cmp_val", 1}}), kFlag, Mode::Atomic);
    bench.run(0, words::unpacr(), l1(0x1000), Mode::Read);
    EXPECT_EQ(bench.silent(), before_the_flag) << bench.text();
  }
}

TEST(RaceDetector, two_stores_of_one_value_are_silent_though_nothing_orders_them) {
  for (const u32 second : {7u, 8u}) {
    const std::vector<u8> memory(0x2000);
    Settings settings;
    settings.memory = memory.data();
    settings.memory_bytes = memory.size();
    Bench bench(settings);
    for (const auto& [core, value] : {std::pair{kBrisc, 7u}, std::pair{kNcrisc, second}}) {
      event::Store store{bench.site(core), l1(0x1000), Region::L1, 1};
      store.value = value;
      bench.detector.on(store);
    }
    EXPECT_EQ(bench.silent(), second == 7) << bench.text();
  }
}

TEST(RaceDetector, counters_wrap_and_still_prove) {
  Bench bench;
  event::Request one;
  one.kind = NocKind::Read;
  one.answers = 0xFFFFFFFF;
  bench.request(kBrisc, one);
  one.answers = 2;
  const Ticket ticket = bench.request(kBrisc, one);
  bench.arrive(ticket, kData, Mode::Write);
  bench.counter(kBrisc, 0, 2, 1);
  bench.load_use(kBrisc, l1(0x10000));
  EXPECT_TRUE(bench.silent()) << bench.text();
}

TEST(RaceDetector, posted_writes_are_never_acknowledged) {
  Bench bench;
  event::Request one;
  one.kind = NocKind::Posted;
  const Ticket ticket = bench.request(kBrisc, one);
  bench.arrive(ticket, kData, Mode::Write);
  for (const u8 index : {1, 11, 16}) bench.counter(kBrisc, 0, index, index == 11 ? 1 : 0);
  bench.load_use(kBrisc, l1(0x10000));
  EXPECT_EQ(bench.count(FindingKind::Race), 1u);
}

/// What a program does that only shipped software calls ordered: a contract, and no race.
std::vector<Finding> at_both_levels(void (*program)(Bench&)) {
  Settings documented;
  documented.level = Level::Documented;
  Bench custom;
  Bench strict(documented);
  program(custom);
  program(strict);
  return merge_levels(custom.detector.findings(), strict.detector.findings());
}

TEST(RaceDetector, what_only_custom_orders_is_a_contract) {
  void (*const programs[])(Bench&) = {
      [](Bench& b) {  // row 3: a fence
        b.store(kTrisc0, kFlag);
        b.fence(kTrisc0);
        b.signal(kTrisc0, Object::Mailbox, 1);
        b.observe(kTrisc1, Object::Mailbox, 1, 1);
        b.load_use(kTrisc1, kFlag);
      },
      [](Bench& b) {  // row 44: a fence before a request reads the word
        b.store(kBrisc, l1(0x10000));
        b.fence(kBrisc);
        event::Request one;
        one.source = kData;
        b.request(kBrisc, one);
      },
      [](Bench& b) {  // row 45: the counter of writes sent
        event::Request one;
        one.source = kData;
        b.request(kBrisc, one);
        b.counter(kBrisc, 0, 10, 1);
        b.store(kBrisc, l1(0x10000));
      },
      [](Bench& b) {  // row 49: payload, then semaphore, on one channel
        event::Request one;
        one.channel = 9;
        const Ticket data = b.request(kBrisc, one);
        b.arrive(data, kData, Mode::Write);
        one.kind = NocKind::Atomic;
        const Ticket up = b.request(kBrisc, one);
        b.arrive(up, kFlag, Mode::Atomic);
        b.load_use(kNcrisc, kFlag);
        b.load_use(kNcrisc, l1(0x10000));
      }};
  for (const auto program : programs) {
    const std::vector<Finding> all = at_both_levels(program);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all.front().kind, FindingKind::Contract) << text_of(all.front(), Names());
    EXPECT_NE(info_of(all.front().edge).level, Level::Documented);
  }
}

TEST(RaceDetector, the_order_in_which_the_events_came_does_not_matter) {
  const auto program = [](Bench& b, bool first_thread_first) {
    const auto write = [&] { b.run(0, words::unpacr(), dst(0), Mode::Write); };
    const auto read = [&] { b.run(1, words::sfpload, dst(0), Mode::Write); };
    if (first_thread_first) {
      write();
      read();
    } else {
      read();
      write();
    }
  };
  Bench a;
  Bench b;
  program(a, true);
  program(b, false);
  ASSERT_EQ(a.detector.findings().size(), 1u);
  ASSERT_EQ(b.detector.findings().size(), 1u);
  EXPECT_TRUE(same_finding(a.detector.findings()[0], b.detector.findings()[0]));
}

// Part F of the specification: looks racy, is safe.

TEST(RaceDetector, many_atomics_to_one_counter_are_silent) {
  Bench bench;
  for (const unsigned core : {kBrisc, kNcrisc}) {
    event::Request one;
    one.kind = NocKind::Atomic;
    bench.arrive(bench.request(core, one), kFlag, Mode::Atomic);
    bench.amo(core, kFlag);
  }
  bench.run(0, word<tensix::op::ATINCGET>(), kFlag, Mode::Atomic);
  EXPECT_TRUE(bench.silent()) << bench.text();
}

TEST(RaceDetector, threads_that_change_different_bits_of_a_word_by_rmwcib_are_silent) {
  Bench bench;
  for (unsigned thread = 0; thread < 3; ++thread)
    bench.run(thread, words::rmwcib, field(40 + thread), Mode::Write);
  EXPECT_TRUE(bench.silent()) << bench.text();
  bench.run(2, words::rmwcib, field(40), Mode::Write);
  EXPECT_EQ(bench.count(FindingKind::Race), 1u);
}

TEST(RaceDetector, fields_of_threads_and_of_the_shared_file_are_different_places) {
  Bench bench;
  bench.run(0, words::wrcfg, {Place::Config, 1, 5}, Mode::Write);
  bench.run(1, word<tensix::op::SETC16>(), {Place::ThreadConfig, 1, kConfigBank + 5}, Mode::Write);
  EXPECT_TRUE(bench.silent());
}

TEST(RaceDetector, zero_fill_by_a_read_of_zeroes_then_a_barrier_is_silent) {
  Bench bench;
  bench.store(kNcrisc, l1(0x10000));
  bench.load_use(kNcrisc, l1(0x10000));
  event::Request one;
  one.kind = NocKind::Read;
  const Ticket ticket = bench.request(kNcrisc, one);
  bench.arrive(ticket, {Place::L1, 64, 0x8000}, Mode::Read, true);
  bench.arrive(ticket, kData, Mode::Write);
  bench.counter(kNcrisc, 0, 2, 1);
  bench.store(kNcrisc, l1(0x10000));
  EXPECT_TRUE(bench.silent()) << bench.text();
}

TEST(RaceDetector, brisc_pushing_before_the_trisc_starts_is_silent) {
  Bench bench;
  bench.push(kBrisc, 1, words::nop);
  bench.start(kTrisc1, kBrisc);
  bench.push(kTrisc1, 1, words::nop);
  EXPECT_TRUE(bench.silent()) << bench.text();
}

TEST(RaceDetector, a_poll_loop_with_a_fence_is_silent_and_so_is_one_without_an_l0_cache) {
  for (const bool l0 : {true, false}) {
    Bench bench;
    bench.detector.mark_sync(kFlag.begin);
    bench.detector.on(event::DataCache{bench.site(kBrisc), l0});
    for (unsigned i = 0; i < 3; ++i) {
      bench.load_use(kBrisc, kFlag, Region::L1, true);
      if (l0) bench.fence(kBrisc);
      bench.store(kNcrisc, kFlag, Region::L1, true);
    }
    bench.load_use(kBrisc, kFlag, Region::L1, true);
    EXPECT_TRUE(bench.silent()) << bench.text();
  }
}

TEST(RaceDetector, double_buffered_contexts_are_fields_of_their_own) {
  Bench bench;
  for (unsigned i = 0; i < 6; ++i) {
    bench.run(0, words::unpacr(), field(60 + i % 2), Mode::Read);
    bench.issue(0, words::stallwait(block::kCfg, wait::kUnpack0));
    bench.run(0, words::rmwcib, field(61 - i % 2), Mode::Write);
  }
  EXPECT_TRUE(bench.silent()) << bench.text();
}

TEST(RaceDetector, zeroacc_behind_the_packers_drain_needs_no_second_wait_before_semget) {
  Bench bench;
  bench.issue(1, words::seminit(1, 0, 1));
  for (unsigned tile = 0; tile < 3; ++tile) {
    if (tile != 0) bench.issue(1, words::semwait(block::kMath, 1, 2));
    bench.run(1, words::mvmul, dst(0), Mode::Write);
    bench.issue(1, words::stallwait(block::kSync, wait::kMath | wait::kSfpu));
    bench.issue(1, words::sempost(1));
    bench.issue(2, words::semwait(block::kPack, 1, 1));
    bench.run(2, words::pacr, dst(0), Mode::Read);
    bench.issue(2, words::stallwait(block::kMath | block::kSync, wait::kPack));
    bench.run(2, words::zeroacc, dst(0), Mode::Write);
    bench.issue(2, words::semget(1));
  }
  EXPECT_TRUE(bench.silent()) << bench.text();
}

TEST(RaceDetector, fillers_that_a_test_tool_issues_in_the_wrong_thread_are_injected) {
  Bench bench;
  bench.run(0, words::unpacr(), src_a(0), Mode::Write);
  bench.run(1, words::unpacr_nop(), src_a(0), Mode::Write);
  EXPECT_EQ(bench.count(FindingKind::Injected), 1u) << bench.text();
  EXPECT_EQ(bench.count(FindingKind::Race), 0u);
}

// Reports.

TEST(RaceReport, a_report_names_both_sides_the_place_the_missing_wait_and_a_delay) {
  Bench bench;
  bench.run(1, words::sfpload, field(11), Mode::Read);
  bench.issue(1, words::stallwait(block::kCfg, wait::kMath));
  bench.run(1, words::rmwcib, field(11), Mode::Write);
  const std::string text = bench.text();
  for (const char* part :
       {"SFPLOAD", "RMWCIB0", "configuration field", "STALLWAIT(CFG, SFPU)", "hold ", "row 38"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(RaceReport, the_same_pair_is_reported_once_and_counted) {
  Bench bench;
  for (unsigned i = 0; i < 5; ++i) {
    bench.run(0, words::unpacr(), dst(8 * i), Mode::Write);
    bench.run(1, words::sfpload, dst(8 * i), Mode::Read);
  }
  ASSERT_EQ(bench.detector.findings().size(), 1u);
  EXPECT_EQ(bench.detector.findings()[0].times, 5u);
}

TEST(RaceReport, a_second_pass_finds_the_site_that_the_first_has_forgotten) {
  const auto program = [](Bench& b) {
    b.run(0, words::unpacr(), dst(0), Mode::Write);
    for (unsigned i = 1; i < 100; ++i) b.run(0, words::unpacr(), dst(8 * i), Mode::Write);
    b.run(1, words::sfpload, dst(0), Mode::Read);
  };
  Bench first;
  program(first);
  ASSERT_EQ(first.detector.findings().size(), 1u);
  EXPECT_FALSE(first.detector.findings()[0].first.known);
  Settings settings;
  settings.wanted = first.detector.wanted();
  Bench second(settings);
  program(second);
  EXPECT_TRUE(second.detector.findings()[0].first.known);
  EXPECT_TRUE(second.detector.wanted().empty());
}

/// LLK's matrix product adds to what it has just read, and writes it back.
TEST(RaceThread, rdcfg_is_done_by_custom_when_the_scalar_unit_goes_on) {
  constexpr Location kGpr{Place::Gpr, 2, 24};
  const auto findings = [&](Level level, u32 next) {
    Settings settings;
    settings.level = level;
    Bench bench(settings);
    bench.run(0, word<tensix::op::RDCFG>(), kGpr, Mode::Write);
    bench.run(0, next, kGpr, Mode::Read);
    return bench.detector.findings();
  };
  const u32 add = word<tensix::op::ADDDMAREG>();
  EXPECT_TRUE(findings(Level::Custom, add).empty());
  const auto documented = findings(Level::Documented, add);
  ASSERT_EQ(documented.size(), 1u);
  EXPECT_EQ(documented[0].kind, FindingKind::Contract);
  EXPECT_EQ(documented[0].edge, EdgeId::RdcfgToGpr);
  const auto without = findings(Level::Custom, word<tensix::op::WRCFG>());
  ASSERT_EQ(without.size(), 1u);
  EXPECT_EQ(without[0].kind, FindingKind::Race);
}

/// Start-up code clears the GPRs by stores and waits for nothing.
TEST(RaceThread, a_store_to_a_gpr_is_there_by_custom_after_sixty_four_instructions_of_the_core) {
  constexpr Location kGpr{Place::Gpr, 2, 24};
  const auto count = [&](Level level, unsigned between, unsigned thread) {
    Settings settings;
    settings.level = level;
    Bench bench(settings);
    bench.store(kTrisc0, kGpr, Region::Config);
    bench.steps(kTrisc0, between);
    bench.run(thread, word<tensix::op::SETDMAREG>(), kGpr, Mode::Write);
    return bench.detector.findings().size();
  };
  EXPECT_EQ(count(Level::Custom, 64, 0), 0u);
  EXPECT_EQ(count(Level::Custom, 62, 0), 1u);
  EXPECT_EQ(count(Level::Custom, 64, 1), 1u);
  EXPECT_EQ(count(Level::Documented, 64, 0), 1u);
}

TEST(RaceReport, suppressions_need_a_reason_and_match_both_ways_round) {
  Bench bench;
  bench.store(kBrisc, kFlag);
  bench.store(kNcrisc, kFlag);
  const Finding finding = bench.detector.findings().at(0);
  Suppressions good;
  EXPECT_EQ(good.parse(fmt::format("# judged\nrace {:x} {:x} both write the same  # note\n",
                                   finding.second.site.pc, finding.first.site.pc)),
            "");
  ASSERT_NE(good.reason_for(finding), nullptr);
  Suppressions bad;
  EXPECT_EQ(bad.parse("race 1000 1004\n"), "line 1: a reason is missing");
  EXPECT_EQ(bad.parse("\nrat 1 2 x\n"), "line 2: 'rat' is no kind of finding");
  EXPECT_EQ(bad.parse("race 1 zz x"), "line 1: two program counters in hexadecimal are expected");
  EXPECT_EQ(bad.reason_for(finding), nullptr);
}

TEST(RaceReport, findings_are_given_to_programs_and_editors) {
  Bench bench;
  bench.store(kBrisc, kFlag);
  bench.store(kNcrisc, kFlag);
  const std::vector<Finding> all = bench.detector.findings();
  const std::string json = json_of(all, Names());
  EXPECT_NE(json.find(R"("kind": "race")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("where": "L1[0x20000, +4]")"), std::string::npos) << json;
  const std::string sarif = sarif_of(all, Names());
  const Json result = Json::parse(sarif)["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "race") << sarif;
  EXPECT_EQ(result["level"], "error") << sarif;
  for (const std::string& text : {json, sarif})
    EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
}

TEST(RaceDetector, a_tile_takes_less_than_a_mebibyte_when_whole_lines_are_used) {
  Bench bench;
  for (u64 page = 0; page < kL1Size; page += 2048) {
    bench.run(2, words::pacr, {Place::L1, 2048, page}, Mode::Write);
    bench.issue(2, words::stallwait(block::kUnpack, wait::kPack));
    bench.run(2, words::unpacr(), {Place::L1, 2048, page}, Mode::Read);
  }
  EXPECT_TRUE(bench.silent());
  EXPECT_LE(bench.detector.bytes(), 1u << 20);
}

TEST(RaceEdges, the_narrowest_row_is_named) {
  const auto row = [](u32 from, u32 to, u8 between, Place place) {
    return missing_edge(from, to, between, place).name;
  };
  EXPECT_EQ(row(kind::Sfpu, kind::Pack, scope::Tile, Place::Dst), "MathToPack");
  EXPECT_EQ(row(kind::Sfpu, kind::Gate, scope::Own, Place::Config), "ConfigInFlight");
  EXPECT_EQ(row(kind::StoreConfig, kind::Unpack, scope::Own, Place::Config), "StoreThenOwnTensix");
  EXPECT_EQ(row(kind::StoreL1, kind::NocSource, scope::Own, Place::L1), "StoreToSource");
  EXPECT_EQ(row(kind::NocRead, kind::Unpack, scope::Tile, Place::L1), "ReadArrived");
  EXPECT_EQ(row(kind::Host, kind::Host, scope::Far, Place::Rwc), "HostGo");
}

}  // namespace
}  // namespace bhemu::race::test
