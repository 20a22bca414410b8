#include "hazard/pairs.hpp"

#include "support/assembler.hpp"
#include "tensix/isa.hpp"

namespace bhemu::host::pairs {
namespace {

using race::NocKind;
using test::Assembler;
using enum test::Reg;

constexpr u32 kSoftReset = 0xFFB121B0;
constexpr u32 kHeld = 0x47800;                           // all five
constexpr u32 kResetBit[kCores] = {11, 18, 12, 13, 14};  // of SOFT_RESET_0
constexpr u32 kStart[kCores] = {0, 0x12000, 0x6000, 0xA000, 0xE000};
constexpr u32 kPcBuf = 0xFFE80000;
constexpr u32 kMailbox = 0xFFEC0000;
constexpr u32 kNiu = 0xFFB20000;
constexpr u32 kBufferStride = 0x800;
constexpr u32 kCmdCtrl = 0x40;
constexpr u32 kCounters = 0x200;
constexpr u32 kSent = 0x228;

u32 niu(unsigned noc) {
  return kNiu + noc * 0x10000;
}
/// Of a core, as mailboxes number them.
u32 mailbox_of(unsigned core) {
  return core == kBrisc ? 0 : core - 1;
}
u32 counter_of(NocKind kind) {
  return kCounters + (kind == NocKind::Atomic ? 0 : kind == NocKind::Write ? 4 : 8);
}

class Code {
 public:
  Code(const Lane& lane, std::span<const Coord> tiles)
      : lane_(lane), tiles_(tiles), a_(kStart[lane.core]) {
    // The caches are for the programs that are about them.
    csr(1u << 3, true);
    for (const Step& step : lane.steps) {
      begins.push_back(a_.here());
      emit(step);
    }
    begins.push_back(a_.here());
    a_.halt();
  }
  std::vector<u32> words() { return a_.finish(); }
  std::vector<u32> begins;

 private:
  void csr(u32 bits, bool set) {
    constexpr u32 kCfg0 = 0x7C0;
    a_.li(t0, bits);
    a_.word(kCfg0 << 20 | t0 << 15 | (set ? 2u : 3u) << 12 | 0x73);
  }
  void set(u32 address, u32 value) {
    a_.li(t0, address);
    a_.li(t1, value);
    a_.sw(t1, 0, t0);
  }
  void load(u32 address) {
    a_.li(t0, address);
    a_.lw(t2, 0, t0);
  }
  void use() { a_.addi(zero, t2, 0); }
  void load_use(u32 address) {
    load(address);
    use();
  }
  void loop_until(u32 address, u32 value, bool fences) {
    const std::string label = std::to_string(a_.here());
    a_.li(t0, address);
    a_.li(t1, value);
    a_.label(label);
    if (fences) a_.fence();
    a_.lw(t2, 0, t0);
    a_.bne(t2, t1, label);
  }
  void request(const Request& one) {
    const u32 base = niu(one.noc) + one.buffer * kBufferStride;
    const Coord at = tiles_[one.tile];
    const u32 there = u32{at.y} << 6 | at.x;
    const Coord own = tiles_[lane_.tile];
    const u32 here = u32{own.y} << 6 | own.x;
    const bool read = one.kind == NocKind::Read;
    const bool atomic = one.kind == NocKind::Atomic;
    const bool posted = one.kind == NocKind::Posted;
    const u32 length = atomic ? 1u << 12 | 31u << 2 | (one.remote >> 2 & 3) : one.size;
    const u32 answered = posted ? 0 : 1u << 4;
    loop_until(base + kCmdCtrl, 0, false);
    set(base + 0x00, read || atomic ? one.remote : one.local);
    set(base + 0x04, 0);
    set(base + 0x08, read || atomic ? there : here);
    set(base + 0x0C, read || atomic ? one.local : one.remote);
    set(base + 0x10, 0);
    set(base + 0x14, read || atomic ? here : there);
    set(base + 0x1C, (atomic ? 1u
                      : read ? 0u
                             : 2u) |
                         answered | (one.is_static ? 1u << 7 : 0) | one.channel << 13);
    set(base + 0x20, length);
    if (atomic) set(base + 0x28, 1);
    set(base + kCmdCtrl, 1);
    constexpr u32 kMost = 16384;
    count(one) += one.kind == NocKind::Read || atomic ? 1 : (one.size + kMost - 1) / kMost;
  }
  u32& count(const Request& one) { return counts_[one.noc][static_cast<unsigned>(one.kind)]; }

  void emit(const Step& step) {
    using Kind = Step::Kind;
    switch (step.kind) {
      case Kind::Tensix:
        return a_.ttinsn(step.word);
      case Kind::Store:
        return set(step.address, step.value);
      case Kind::Load:
        return load(step.address);
      case Kind::Use:
        return use();
      case Kind::Drop:
        a_.li(t2, 0);
        return use();
      case Kind::LoadUse:
        return load_use(step.address);
      case Kind::Add:
        a_.li(t0, step.address);
        a_.li(t1, 1);
        return a_.word(t1 << 20 | t0 << 15 | 2u << 12 | t2 << 7 | 0x2F);
      case Kind::Fence:
        return a_.fence();
      case Kind::Poll:
        return loop_until(step.address, step.value, true);
      case Kind::PollSet: {
        const std::string label = std::to_string(a_.here());
        a_.li(t0, step.address);
        a_.label(label);
        a_.lw(t2, 0, t0);
        a_.andi(t2, t2, 0xFF);
        return a_.beq(t2, zero, label);
      }
      case Kind::PollFar: {
        constexpr u32 kOutstanding = 0x240;  // of id 0
        const std::string label = "far" + std::to_string(a_.here());
        a_.label(label);
        request(step.request);
        loop_until(niu(step.request.noc) + kOutstanding, 0, false);
        load(step.request.local);
        a_.li(t1, step.value);
        return a_.bne(t2, t1, label);
      }
      case Kind::PollWithout:
        return loop_until(step.address, step.value, false);
      case Kind::Send:
        return request(step.request);
      case Kind::Wait:
        return loop_until(step.address, count(step.request), false);
      case Kind::WaitZero:
        return loop_until(step.address, 0, false);
      case Kind::ThreadDone:
        set(kPcBuf + 4, 0);
        return load_use(kPcBuf + 4);
      case Kind::ExpanderDone:
        set(kPcBuf + 8, 0);
        return load_use(kPcBuf + 8);
      case Kind::Csr:
        return csr(step.value, step.address != 0);
      case Kind::Mail:
        return set(kMailbox + 0x1000 * mailbox_of(step.address), 1);
      case Kind::Take:
        return load_use(kMailbox + 0x1000 * mailbox_of(step.address));
      case Kind::Nops:
        for (u32 i = 0; i < step.value; ++i) a_.addi(zero, zero, 0);
        return;
    }
  }

  const Lane& lane_;
  std::span<const Coord> tiles_;
  Assembler a_;
  u32 counts_[kNocs][race::kNocKinds] = {};
};

/// All semaphores have a limit before anybody watches.
void start_semaphores(Device& device, Coord tile) {
  Assembler a(kStart[kTrisc0]);
  a.ttinsn(tensix::encode<tensix::op::SEMINIT>({{"sem_sel", 0xFF}, {"max_value", 15}}));
  a.halt();
  const std::vector<u32> words = a.finish();
  device.write(tile, kStart[kTrisc0],
               {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
  device.write32(tile, kSoftReset, kHeld & ~(1u << kResetBit[kTrisc0]));
  device.run(300);
  device.write32(tile, kSoftReset, kHeld);
  device.run(300);
}

Seen run_once(const Program& program, bool contracts, RaceHints& hints, bool& again) {
  constexpr Cycle kCycles = 30'000;
  Device device{DeviceOptions{}};
  std::vector<Coord> tiles(device.board().tensix().begin(), device.board().tensix().begin() + 2);
  start_semaphores(device, tiles.front());
  RaceOptions options;
  options.on = true;
  options.contracts = contracts;
  RaceWatch watch(device, options, nullptr, tiles, hints);
  tiles.push_back({17, 12});
  Seen seen;
  for (const Coord tile : tiles)
    if (seen.nodes.size() < kDram) seen.nodes.push_back(device.board().node_at_translated(tile));
  std::vector<u32> held(tiles.size(), kHeld);
  for (const Lane& lane : program) {
    Code code(lane, tiles);
    const std::vector<u32> words = code.words();
    device.write(tiles[lane.tile], kStart[lane.core],
                 {reinterpret_cast<const u8*>(words.data()), words.size() * 4});
    seen.begins.push_back(code.begins);
    held[lane.tile] &= ~(1u << kResetBit[lane.core]);
  }
  for (std::size_t i = 0; i < kDram; ++i)
    if (held[i] != kHeld) device.write32(tiles[i], kSoftReset, held[i]);
  device.run(kCycles);
  for (const Fault& fault : device.faults()) seen.faults.push_back(fault.text);
  const RaceReport report = watch.report(CodeMap());
  for (const RaceFinding& one : report.findings) seen.findings.push_back(one.finding);
  seen.text = report.text();
  hints = report.hints;
  again = report.needs_another_pass;
  return seen;
}

}  // namespace

Step wait_for(NocKind kind, unsigned noc, bool sent) {
  Request request;
  request.kind = kind;
  request.noc = noc;
  return {Step::Kind::Wait, 0, niu(noc) + (sent ? kSent : counter_of(kind)), 0, request};
}

Step wait_free(const Request& request) {
  return {Step::Kind::WaitZero, 0, niu(request.noc) + request.buffer * kBufferStride + kCmdCtrl};
}

Seen watch(const Program& program, bool contracts, unsigned most_passes) {
  RaceHints hints;
  bool again = true;
  Seen seen;
  for (unsigned pass = 0; again && pass < most_passes; ++pass)
    seen = run_once(program, contracts, hints, again);
  return seen;
}

}  // namespace bhemu::host::pairs
