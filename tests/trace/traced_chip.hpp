// A device whose trace is kept as text.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "debug/trace/trace_text.hpp"
#include "device/device.hpp"
#include "support/assembler.hpp"
#include "tensix/isa.hpp"
#include "tile/tile.hpp"
#include "trace/selection.hpp"
#include "trace/sink.hpp"

namespace bhemu::test {

/// Lines and events of one trace.
struct Kept {
  std::string text;
  std::vector<trace::Event> events;
  trace::Summary summary;
};

class KeepingSink final : public trace::Sink {
 public:
  KeepingSink(std::shared_ptr<Kept> kept, std::unique_ptr<debug::TraceFormatter> formatter)
      : kept_(std::move(kept)), formatter_(std::move(formatter)) {}
  void begin(const std::vector<trace::NodeName>& nodes) override { formatter_->header(nodes); }
  void write(const trace::Event& event) override {
    kept_->text += formatter_->line(event);
    kept_->events.push_back(event);
  }
  bool flush() override { return true; }
  void end(const trace::Summary& summary) override { kept_->summary = summary; }
  std::string error() const override { return ""; }

 private:
  std::shared_ptr<Kept> kept_;
  std::unique_ptr<debug::TraceFormatter> formatter_;
};

inline std::shared_ptr<Kept> start_trace(Device& device, const trace::Selection& selection,
                                         bool json = false) {
  auto kept = std::make_shared<Kept>();
  device.start_trace(
      std::make_unique<KeepingSink>(kept, json ? debug::json_formatter() : debug::text_formatter()),
      selection);
  return kept;
}

inline u32 bit_of(trace::What what) {
  return 1u << static_cast<unsigned>(what);
}

inline void load(Device& device, Coord tile, u32 address, const std::vector<u32>& words) {
  device.write(tile, address, {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
}

inline constexpr u32 kSoftReset = 0xFFB121B0;
/// Values of SOFT_RESET_0 that hold all but the named cores.
inline constexpr u32 kBriscRuns = 0x47000;
inline constexpr u32 kBriscAndTriscsRun = 0x40000;
/// Where a TRISC starts without an override.
inline constexpr u32 kTriscStart[kThreads] = {0x6000, 0xA000, 0xE000};

inline constexpr u32 kToken = 0x8000;
inline constexpr u32 kFlag = 0x8100;
inline constexpr u32 kDone = 0x8200;
inline constexpr u32 kArguments = 0x8300;
inline constexpr u32 kAnswer = 0x8400;
inline constexpr u32 kFifo = 0xFFE40000;
inline constexpr u32 kPcBuf = 0xFFE80000;
inline constexpr u32 kMailbox = 0xFFEC0000;

namespace ring {

using enum Reg;
using tensix::encode;
namespace op = tensix::op;

/// BRISC: `rounds` times counts up a word of the next tile, then waits until the tile before has
/// done so here; a word to TRISC0's mailbox and one back; then a mark.
inline std::vector<u32> brisc(u32 rounds) {
  Assembler a;
  a.li(s0, 0xFFB20000);
  a.li(s1, kArguments);
  a.lw(s2, 0, s1);  // coordinate of the next tile
  a.lw(s9, 4, s1);  // of this one
  a.li(s5, rounds);
  a.li(s6, kToken);
  a.label("round");
  a.addi(s4, s4, 1);
  a.sw(s6, 0x00, s0);  // NOC_TARG_ADDR
  a.sw(zero, 0x04, s0);
  a.sw(s2, 0x08, s0);
  a.li(t0, kAnswer);
  a.sw(t0, 0x0C, s0);  // NOC_RET_ADDR
  a.sw(zero, 0x10, s0);
  a.sw(s9, 0x14, s0);
  a.li(t0, 0x2091);  // an atomic with response
  a.sw(t0, 0x1C, s0);
  a.li(t0, 0x107C);  // increment
  a.sw(t0, 0x20, s0);
  a.li(t0, 1);
  a.sw(t0, 0x28, s0);
  a.li(t0, 1);
  a.sw(t0, 0x40, s0);
  a.label("wait");
  a.fence();
  a.lw(a0, 0, s6);
  a.blt(a0, s4, "wait");
  a.bne(s4, s5, "round");
  a.li(t1, kMailbox + 0x1000);
  a.sw(s4, 0, t1);  // to TRISC0
  a.lw(a1, 0, t1);  // from TRISC0
  a.li(t2, kDone);
  a.addi(a1, a1, 1);
  a.sw(a1, 0, t2);
  a.halt();
  return a.finish();
}

/// TRISC0: a semaphore that thread 1 posts, waited for by thread 0; TTSync; the mailbox.
inline std::vector<u32> trisc0() {
  Assembler a(kTriscStart[0]);
  a.li(t0, kFifo);
  for (const u32 word :
       {encode<op::SEMINIT>({{"sem_sel", 2}, {"max_value", 3}}),
        encode<op::SEMWAIT>({{"wait_sem_cond", 1}, {"sem_sel", 2}, {"stall_res", 0x1FF}}),
        encode<op::SEMGET>({{"sem_sel", 2}})}) {
    a.li(t1, word);
    a.sw(t1, 0, t0);
  }
  // Record two words, play them.
  a.ttinsn(encode<op::REPLAY>({{"load_mode", 1}, {"len", 2}}));
  a.ttinsn(encode<op::SETDMAREG>({{"reg_index_16b", 2}, {"payload_sig_sel", 7}}));
  a.ttinsn(encode<op::SETDMAREG>({{"reg_index_16b", 4}, {"payload_sig_sel", 9}}));
  a.ttinsn(encode<op::REPLAY>({{"len", 2}}));
  a.li(t2, kPcBuf + 4);
  a.lw(a0, 0, t2);  // TTSync
  a.li(t3, kMailbox);
  a.lw(a1, 0, t3);
  a.addi(a1, a1, 100);
  a.sw(a1, 0, t3);
  a.halt();
  return a.finish();
}

/// TRISC1: counts for a while, then posts.
inline std::vector<u32> trisc1() {
  Assembler a(kTriscStart[1]);
  a.li(a0, 300);
  a.label("count");
  a.addi(a0, a0, -1);
  a.bne(a0, zero, "count");
  a.ttinsn(encode<op::SEMPOST>({{"sem_sel", 2}}));
  a.halt();
  return a.finish();
}

/// TRISC2: polls a flag of L1 that nobody ever sets.
inline std::vector<u32> trisc2() {
  Assembler a(kTriscStart[2]);
  a.li(s0, kFlag);
  a.label("poll");
  a.lw(a0, 0, s0);
  a.addi(a1, a0, 1);
  a.beq(a0, zero, "poll");
  a.halt();
  return a.finish();
}

inline constexpr u32 kTiles = 9;  // enough for the engine to use its threads
inline constexpr u32 kRounds = 5;

inline void prepare(Device& device) {
  const auto& tiles = device.board().tensix();
  for (u32 i = 0; i < kTiles; ++i) {
    const Coord next = tiles[(i + 1) % kTiles];
    load(device, tiles[i], 0, brisc(kRounds));
    load(device, tiles[i], kTriscStart[0], trisc0());
    load(device, tiles[i], kTriscStart[1], trisc1());
    load(device, tiles[i], kTriscStart[2], trisc2());
    device.write32(tiles[i], kArguments, next.x | u32{next.y} << 6);
    device.write32(tiles[i], kArguments + 4, tiles[i].x | u32{tiles[i].y} << 6);
    device.write32(tiles[i], kSoftReset, kBriscAndTriscsRun);
  }
}

inline bool is_done(Device& device) {
  const auto& tiles = device.board().tensix();
  for (u32 i = 0; i < kTiles; ++i) {
    u32 value = 0;
    device.read32(tiles[i], kDone, value);
    if (value != kRounds + 101) return false;
  }
  return true;
}

}  // namespace ring

}  // namespace bhemu::test
