#include "gdb/server.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>
#include <thread>

#include "cli/command.hpp"
#include "gdb/client.hpp"
#include "host/boot/machine.hpp"
#include "host/error.hpp"

namespace bhemu::gdb {
namespace {

using host::Machine;
using test::GdbClient;

constexpr const char* kPc = "p20";
constexpr const char* kDetach = "D";

class GdbServer : public testing::Test {
 protected:
  /// Runs an example, with a debugger that does what `session` says; returns the hash at the end.
  u64 run(const std::string& example, const std::function<void(GdbClient&)>& session) {
    const host::Program program = host::load_program(std::string(BHEMU_SOURCE_DIR) + "/" + example);
    Machine machine(DeviceOptions{}, host::Firmware::embedded());
    EXPECT_EQ(machine.boot().status, host::Status::Ok);
    const host::PreparedProgram prepared = machine.prepare(program);
    std::unique_ptr<Server> server;
    std::thread client;
    if (session) {
      ServerOptions options;
      options.settings.where = (scratch_.path() / "gdb").string();
      options.tiles = {{1, 2}, {2, 2}};
      options.code = [&machine] { return machine.code(); };
      server = std::make_unique<Server>(machine.device(), std::move(options));
      client = std::thread([this, &session] {
        GdbClient gdb((scratch_.path() / "gdb").string());
        gdb.ask("qSupported:multiprocess+;swbreak+");
        session(gdb);
      });
    }
    const host::Outcome outcome = machine.run(prepared, scratch_.path().string());
    if (server) server->finish(static_cast<int>(outcome.status));
    if (client.joinable()) client.join();
    status_ = outcome.status;
    code_ = machine.code().entries();
    cycle_ = machine.device().cycle();
    return machine.device().hash();
  }
  u32 address_of(CoreId core, const std::string& symbol) {
    for (const host::CodeMap::Entry& entry : code_)
      if (entry.core == core && entry.link_base < 0x1000)
        if (const host::Symbol* found = entry.elf->symbol(symbol))
          return found->value - entry.link_base + entry.run_base;
    return 0;
  }

  test::Scratch scratch_{"bhemu_gdb_test"};
  host::Status status_ = host::Status::Ok;
  std::vector<host::CodeMap::Entry> code_;
  Cycle cycle_ = 0;
};

constexpr const char* kCopy = "examples/copy.yaml";
// Where BRISC's kernel of that program begins, as `monitor symbols` says.
constexpr u32 kBriscKernel = 0x8810;

TEST_F(GdbServer, who_only_looks_on_changes_neither_cycles_nor_hash) {
  const u64 plain = run(kCopy, nullptr);
  const Cycle cycle = cycle_;
  EXPECT_EQ(run(kCopy, [](GdbClient& gdb) { gdb.ask("vCont;c"); }), plain);
  EXPECT_EQ(cycle_, cycle);
  // With cores that are looked at one instruction after the other, and memory that is watched.
  EXPECT_EQ(run(kCopy,
                [](GdbClient& gdb) {
                  gdb.ask("Z0,17fff0,4");
                  gdb.ask("Z2,17fff0,4");
                  gdb.ask("Z3,ffb00ff0,4");
                  gdb.ask("vCont;c");
                }),
            plain);
  EXPECT_EQ(cycle_, cycle);
  // Stopped a few hundred times.
  EXPECT_EQ(run(kCopy,
                [](GdbClient& gdb) {
                  for (int i = 0; i < 300; ++i) gdb.ask("vCont;s:p1.1;c");
                  for (int i = 0; i < 100; ++i) gdb.ask("vCont;s:p2.5;c");
                  gdb.ask("g");
                  gdb.ask("qRcmd," + to_hex(std::string_view("cb")));
                  gdb.ask("qRcmd," + to_hex(std::string_view("cores")));
                  gdb.ask("mffb20200,40");
                  gdb.ask("vCont;c");
                }),
            plain);
  EXPECT_EQ(cycle_, cycle);
  EXPECT_EQ(status_, host::Status::Ok);
}

TEST_F(GdbServer, a_breakpoint_holds_each_core_that_comes_by) {
  run(kCopy, [](GdbClient& gdb) {
    gdb.ask("Hgp1.1");
    gdb.ask("Z0,8810,4");
    gdb.ask("Hgp2.1");
    gdb.ask("Z0,8810,4");
    std::string first = gdb.ask("vCont;c");
    EXPECT_TRUE(first.starts_with("T05swbreak:;thread:p")) << first;
    EXPECT_EQ(gdb.word(kPc), kBriscKernel);
    const std::string second = gdb.ask("vCont;c");
    EXPECT_TRUE(second.starts_with("T05swbreak:;thread:p")) << second;
    EXPECT_NE(first, second);
    EXPECT_EQ(gdb.word(kPc), kBriscKernel);
    EXPECT_TRUE(gdb.ask("vCont;c").starts_with("W00"));
  });
}

TEST_F(GdbServer, a_step_is_one_instruction_forward_and_back) {
  run(kCopy, [](GdbClient& gdb) {
    gdb.ask("Hgp1.1");
    gdb.ask("Z0,8810,4");
    gdb.ask("vCont;c");
    gdb.ask("z0,8810,4");
    std::vector<std::string> registers{gdb.ask("g")};
    for (int i = 0; i < 60; ++i) {
      EXPECT_EQ(gdb.ask("vCont;s:p1.1;c"), "T05thread:p1.1;");
      registers.push_back(gdb.ask("g"));
      EXPECT_NE(registers[i], registers[i + 1]);
    }
    gdb.ask("Hcp1.1");
    for (int i = 59; i >= 0; i -= 7) {
      for (int back = 0; back < (i == 59 ? 1 : 7); ++back)
        EXPECT_EQ(gdb.ask("bs"), "T05thread:p1.1;");
      EXPECT_EQ(gdb.ask("g"), registers[i]) << i;
    }
    gdb.say(kDetach);
  });
  EXPECT_EQ(status_, host::Status::Ok);
}

TEST_F(GdbServer, what_the_packer_writes_is_watched_and_gone_back_to) {
  run(kCopy, [](GdbClient& gdb) {
    gdb.ask("Hgp1.1");
    gdb.ask("Z2,38000,4");
    const std::string stop = gdb.ask("vCont;c");
    EXPECT_TRUE(stop.starts_with("T05watch:38000;thread:p1.")) << stop;
    const u32 written = gdb.word("m38000,4");
    EXPECT_NE(written, 0u);
    EXPECT_EQ(gdb.ask("vCont;c"), stop);  // the third page, in the same place
    const u32 last = gdb.word("m38000,4");
    EXPECT_NE(last, written);
    gdb.ask("z2,38000,4");
    gdb.ask("Z0,8a10,4");  // after a page was written to DRAM
    EXPECT_TRUE(gdb.ask("vCont;c").starts_with("T05swbreak:;thread:p1.1"));
    gdb.ask("z0,8a10,4");
    gdb.ask("Z2,38000,4");
    // The way back ends where a change was told, and then where there is no more past.
    EXPECT_EQ(gdb.ask("bc"), stop);
    EXPECT_EQ(gdb.word("m38000,4"), last);
    EXPECT_EQ(gdb.ask("bc"), stop);
    EXPECT_EQ(gdb.word("m38000,4"), written);
    EXPECT_TRUE(gdb.ask("bc").starts_with("T05replaylog:begin;"));
    EXPECT_EQ(gdb.word("m38000,4"), 0u);
    // And forward again.
    EXPECT_EQ(gdb.ask("vCont;c"), stop);
    EXPECT_EQ(gdb.word("m38000,4"), written);
    gdb.say(kDetach);
  });
  EXPECT_EQ(status_, host::Status::Ok);
}

TEST_F(GdbServer, a_watchpoint_of_the_whole_address_space_is_refused_without_making_room_for_it) {
  const auto peak_kib = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  run(kCopy, [&](GdbClient& gdb) {
    gdb.ask("Hgp1.1");
    const long before = peak_kib();
    for (const char* packet : {"Z2,0,ffffffff", "z2,26620,6600222687", "Z3,26620,ffff0000"})
      EXPECT_EQ(gdb.ask(packet), "E03") << packet;
    EXPECT_LT(peak_kib() - before, 1 << 20);
    gdb.say(kDetach);
  });
  EXPECT_EQ(status_, host::Status::Ok);
}

TEST_F(GdbServer, going_back_and_on_ends_as_if_nobody_had_looked) {
  const u64 plain = run(kCopy, nullptr);
  EXPECT_EQ(run(kCopy,
                [](GdbClient& gdb) {
                  gdb.ask("Hgp1.1");
                  gdb.ask("Z2,38000,4");
                  gdb.ask("vCont;c");
                  gdb.ask("bs");
                  gdb.ask("bs");
                  gdb.ask("bc");
                  gdb.ask("z2,38000,4");
                  gdb.ask("vCont;c");
                }),
            plain);
}

TEST_F(GdbServer, registers_with_side_effects_and_places_that_are_none_cannot_be_read) {
  run(kCopy, [](GdbClient& gdb) {
    EXPECT_EQ(gdb.ask("mffec0000,4"), "E03");  // a mailbox
    EXPECT_EQ(gdb.ask("mffe80000,4"), "E03");  // PCBuf
    EXPECT_EQ(gdb.ask("mffe40000,4"), "E03");  // an instruction FIFO
    EXPECT_EQ(gdb.ask("m180000,4"), "E03");
    EXPECT_EQ(gdb.ask("mfffffffc,8"), "E03");
    EXPECT_EQ(gdb.ask("mffe80020,4").size(), 8u);  // a semaphore
    EXPECT_EQ(gdb.ask("mffef0000,8").size(), 16u);
    EXPECT_EQ(gdb.ask("M180000,4:00000000"), "E03");
    gdb.say(kDetach);
  });
}

TEST_F(GdbServer, memory_and_registers_are_written) {
  run(kCopy, [](GdbClient& gdb) {
    gdb.ask("Hgp1.1");
    EXPECT_EQ(gdb.ask("M17fff0,4:78563412"), "OK");
    EXPECT_EQ(gdb.word("m17fff0,4"), 0x12345678u);
    EXPECT_EQ(gdb.ask("P1f=efbeadde"), "OK");
    EXPECT_EQ(gdb.word("p1f"), 0xDEADBEEFu);
    gdb.say(kDetach);
  });
}

TEST_F(GdbServer, a_hang_is_a_stop_and_then_the_end) {
  run("tests/hangs/cb_wrong_index.yaml", [](GdbClient& gdb) {
    EXPECT_TRUE(gdb.ask("vCont;c").starts_with("T06thread:"));
    EXPECT_TRUE(gdb.ask("vCont;c").starts_with("W03"));
  });
  EXPECT_EQ(status_, host::Status::Hang);
}

TEST_F(GdbServer, tiles_and_ports_that_are_none_are_refused) {
  Device device{DeviceOptions{}};
  const auto refused = [&](const std::string& where, Coord tile) {
    ServerOptions options;
    options.settings.where = where;
    options.tiles = {tile};
    EXPECT_THROW(Server(device, options), host::InputError) << where;
  };
  refused("70000", {1, 2});
  refused("-1", {1, 2});
  refused("no/such/folder", {1, 2});
  refused("0", {8, 3});
}

}  // namespace
}  // namespace bhemu::gdb
