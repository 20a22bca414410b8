// What the host does in the midst of a run, and clients that only write bytes.
#include <gtest/gtest.h>

#include "host/boot/mailboxes.hpp"
#include "host/report/races.hpp"
#include "support/assembler.hpp"

namespace bhemu::host {
namespace {

using race::EdgeId;
using race::FindingKind;
using test::Assembler;
using enum test::Reg;

constexpr u32 kSoftReset = 0xFFB121B0;
constexpr u32 kOnlyBrisc = 0x47000;
constexpr u32 kNiu = 0xFFB20000;
constexpr u32 kWord = 0x20000;

RaceOptions race_on() {
  RaceOptions options;
  options.on = true;
  return options;
}

void put(Device& device, Coord tile, u32 address, const std::vector<u32>& words) {
  device.write(tile, address, {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
}

/// Adds 1 to a word of its own tile by an atomic of the NIU.
void send_atomic(Assembler& a, Coord tile) {
  const u32 own = u32{tile.y} << 6 | tile.x;
  const u32 base = kNiu + 3 * 0x800;
  const auto set = [&](u32 offset, u32 value) {
    a.li(t0, base + offset);
    a.li(t1, value);
    a.sw(t1, 0, t0);
  };
  set(0x00, kWord);
  set(0x04, 0);
  set(0x08, own);
  set(0x0C, 0x20C00);
  set(0x10, 0);
  set(0x14, own);
  set(0x1C, 1 | 1u << 4 | 1u << 7 | 1u << 13);
  set(0x20, 1u << 12 | 31u << 2);
  set(0x28, 1);
  set(0x40, 1);
}

/// Until the atomic has been answered.
void await_atomic(Assembler& a) {
  a.li(t0, kNiu + 0x200);
  a.li(t1, 1);
  a.label("answered");
  a.lw(t2, 0, t0);
  a.bne(t2, t1, "answered");
}

// tt-metal #30062: a global semaphore is cleared when a peer may already have raised it.
TEST(HostRaces, a_semaphore_that_the_host_clears_while_it_is_in_use_is_found) {
  for (const bool before_the_start : {false, true}) {
    Device device{DeviceOptions{}};
    const Coord tile = device.board().tensix()[0];
    RaceWatch watch(device, race_on(), nullptr, std::span(&tile, 1));
    Assembler a;
    send_atomic(a, tile);
    a.halt();
    put(device, tile, 0, a.finish());
    if (before_the_start) device.write32(tile, kWord, 0);
    device.write32(tile, kSoftReset, kOnlyBrisc);
    device.run(2000);
    if (!before_the_start) device.write32(tile, kWord, 0);
    device.run(100);
    const RaceReport report = watch.report(CodeMap());
    EXPECT_EQ(report.findings.empty(), before_the_start) << report.text();
    if (before_the_start || report.findings.empty()) continue;
    EXPECT_EQ(report.findings[0].finding.kind, FindingKind::Race);
    EXPECT_EQ(report.findings[0].finding.edge, EdgeId::HostGo) << report.text();
  }
}

// tt-metal #3649: the host posts what a core is to read, and lets it go by a write that can pass
// it.
TEST(HostRaces, what_the_host_posts_need_not_be_there_when_it_lets_a_core_go) {
  enum class Way { Strict, Posted, ReadBack, GoPostedToo };
  for (const Way way : {Way::Strict, Way::Posted, Way::ReadBack, Way::GoPostedToo}) {
    Device device{DeviceOptions{}};
    const Coord tile = device.board().tensix()[0];
    const NodeId node = device.board().node_at_translated(tile);
    RaceWatch watch(device, race_on(), nullptr, std::span(&tile, 1));
    Assembler a;
    a.li(t0, kWord);
    a.label("go");
    a.word(0x0FF0000F);  // fence: L0 would answer the second look
    a.lw(t1, 0x40, t0);
    a.beq(t1, zero, "go");
    a.lw(t1, 0, t0);
    a.add(t1, t1, t1);
    a.halt();
    put(device, tile, 0, a.finish());
    device.write32(tile, kSoftReset, kOnlyBrisc);
    device.run(200);
    const auto write = [&](u32 address, bool posted) {
      const u32 one = 1;
      device.write(node, address, {reinterpret_cast<const u8*>(&one), 4}, posted);
    };
    u32 value = 0;
    write(kWord, way != Way::Strict);
    if (way == Way::ReadBack) device.read32(tile, kWord, value);
    write(kWord + 0x40, way == Way::GoPostedToo);
    device.run(2000);
    const RaceReport report = watch.report(CodeMap());
    EXPECT_EQ(report.findings.empty(), way != Way::Posted) << report.text();
    if (way != Way::Posted || report.findings.empty()) continue;
    EXPECT_EQ(report.findings[0].finding.kind, FindingKind::Race);
    EXPECT_EQ(report.findings[0].finding.edge, EdgeId::HostGo) << report.text();
  }
}

// A queue's core says that it is ready; the host reads its word until it does.
TEST(HostRaces, a_word_that_the_host_reads_again_and_again_tells_it_what_its_writer_knew) {
  for (const bool polls : {false, true}) {
    Device device{DeviceOptions{}};
    const Coord tile = device.board().tensix()[0];
    RaceWatch watch(device, race_on(), nullptr, std::span(&tile, 1));
    Assembler a;
    a.li(t0, kWord);
    a.li(t1, 1);
    a.sw(t1, 0x40, t0);
    a.sw(t1, 0, t0);
    a.halt();
    put(device, tile, 0, a.finish());
    device.write32(tile, kSoftReset, kOnlyBrisc);
    u32 value = 0;
    if (polls) device.read32(tile, kWord, value);
    device.run(2000);
    if (polls) device.read32(tile, kWord, value);
    device.read32(tile, kWord + 0x40, value);
    EXPECT_EQ(value, 1u);
    const RaceReport report = watch.report(CodeMap());
    EXPECT_EQ(report.findings.empty(), polls) << report.text();
  }
}

// Nobody has said what firmware runs: the launch message says where kernels begin.
TEST(HostRaces, a_kernel_of_a_client_that_only_writes_bytes_returns_with_an_atomic_under_way) {
  constexpr u32 kKernels = 0x8000;
  constexpr u32 kFirmware = 0x1000;
  for (const bool waits : {false, true}) {
    Device device{DeviceOptions{}};
    const Coord tile = device.board().tensix()[0];
    RaceWatch watch(device, race_on(), nullptr, std::span(&tile, 1));
    device.write32(tile, kProtocol96.launch_message_read_pointer, 0);
    device.write32(tile, kProtocol96.launch_ring + kProtocol96.launch.kernel_config_base, kKernels);
    Assembler start;
    start.li(t0, kFirmware);
    start.word(t0 << 15 | 0x67);  // jr t0
    put(device, tile, 0, start.finish());
    Assembler firmware(kFirmware);
    firmware.li(t0, kKernels);
    firmware.word(t0 << 15 | ra << 7 | 0x67);  // jalr t0
    firmware.halt();
    put(device, tile, kFirmware, firmware.finish());
    Assembler kernel(kKernels);
    send_atomic(kernel, tile);
    if (waits) await_atomic(kernel);
    kernel.word(ra << 15 | 0x67);  // ret
    put(device, tile, kKernels, kernel.finish());
    device.write32(tile, kSoftReset, kOnlyBrisc);
    device.run(5000);
    const RaceReport report = watch.report(CodeMap());
    ASSERT_EQ(report.findings.empty(), waits) << report.text();
    if (waits) continue;
    EXPECT_EQ(report.findings[0].finding.kind, FindingKind::ExitInFlight);
  }
}

}  // namespace
}  // namespace bhemu::host
