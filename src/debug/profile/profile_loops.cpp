#include "debug/profile/profile_loops.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "noc/niu.hpp"
#include "noc/stream.hpp"

namespace bhemu::debug {
namespace {

// As a core addresses them (tile/regions.def).
constexpr u32 kLocal = 0xFFB00000;
constexpr u32 kLocalEnd = 0xFFB10000;
constexpr u32 kNius = 0xFFB20000;
constexpr u32 kStreams = 0xFFB40000;
constexpr u32 kStreamsEnd = 0xFFB80000;
constexpr u32 kSemaphores = 0xFFE80020;
constexpr u32 kAckedOffset = 0x20;
constexpr u32 kReceivedOffset = 0x28;

WaitOf of_niu(u32 address) {
  const u32 offset = address & 0xFFFF;
  WaitOf wait;
  wait.index = (address - kNius) >> 16 & 1;
  switch (offset) {
    case 0x200:
      wait.awaited = Awaited::Atomics;
      return wait;
    case 0x204:
      wait.awaited = Awaited::Writes;
      return wait;
    case 0x208:
      wait.awaited = Awaited::Reads;
      return wait;
    case 0x228:
    case 0x22C:
      wait.awaited = Awaited::Departures;
      return wait;
    default:
      break;
  }
  if (offset >= 0x240 && offset < 0x280)
    wait.awaited = Awaited::Transactions;
  else if (offset >= 0x280 && offset < 0x2C0)
    wait.awaited = Awaited::Departures;
  else if (offset < 0x2000 && (offset & 0x7FF) == 0x40)
    wait.awaited = Awaited::CommandBuffer;
  else
    wait.awaited = Awaited::Niu, wait.address = address;
  return wait;
}

WaitOf of_address(u32 address, const Profile& profile) {
  WaitOf wait;
  if (address >= kStreams && address < kStreamsEnd) {
    const u32 reg = address % noc::kStreamStride;
    wait.index = (address - kStreams) / noc::kStreamStride;
    wait.awaited = reg == kReceivedOffset ? Awaited::Pages
                   : reg == kAckedOffset  ? Awaited::Room
                                          : Awaited::Register;
    if (wait.awaited == Awaited::Register) wait.index = 0, wait.address = address;
  } else if (address >= kNius && address < kStreams) {
    wait = of_niu(address);
  } else if (address >= kSemaphores && address < kSemaphores + 0x20) {
    wait.awaited = Awaited::Semaphore;
    wait.index = (address - kSemaphores) / 4;
  } else if (address < kL1Size) {
    const bool known = address >= profile.semaphores && address < profile.semaphores_end;
    wait.awaited = known ? Awaited::SemaphoreWord : Awaited::Word;
    wait.index = known ? (address - profile.semaphores) / 16 : 0;
    wait.address = address & ~3u;
  } else if (address >= kLocal && address < kLocalEnd) {
    wait.awaited = Awaited::Local;
  } else {
    wait.awaited = Awaited::Register;
    wait.address = address;
  }
  return wait;
}

/// The clearer one of two things that a loop reads: what its own memory says is a detail.
int clearness(Awaited awaited) {
  switch (awaited) {
    case Awaited::Pages:
    case Awaited::Room:
      return 6;
    case Awaited::Reads:
    case Awaited::Writes:
    case Awaited::Departures:
    case Awaited::Atomics:
    case Awaited::Transactions:
    case Awaited::Niu:
    case Awaited::CommandBuffer:
      return 5;
    case Awaited::SemaphoreWord:
    case Awaited::Semaphore:
      return 4;
    case Awaited::Word:
      return 3;
    case Awaited::Register:
      return 2;
    case Awaited::Local:
      return 1;
    default:
      return 0;
  }
}

std::string of_event(const WaitOf& wait) {
  using trace::Wait;
  constexpr const char* kEnds[] = {"BRISC", "TRISC0", "TRISC1", "TRISC2"};
  const char* const end = kEnds[wait.index & 3];
  switch (wait.event) {
    case Wait::Fifo:
      return fmt::format("room in the instruction FIFO of thread {}", wait.index);
    case Wait::ThreadDone:
      return fmt::format("thread {} to be done (TTSync)", wait.index);
    case Wait::AutoTtSync:
      return fmt::format("thread {} (Auto TTSync)", wait.index);
    case Wait::Mop:
      return fmt::format("the MOP expander of thread {}", wait.index);
    case Wait::MailboxWord:
      return fmt::format("a word in the mailbox from {}", end);
    case Wait::MailboxRoom:
      return fmt::format("room in the mailbox to {}", end);
    case Wait::PcBufWord:
      return "a word in its PCBuf";
    case Wait::PcBufRoom:
      return fmt::format("room in the PCBuf of TRISC{}", wait.index);
    case Wait::PcBufBarrier:
      return fmt::format("TRISC{} and its thread to be idle", wait.index);
    case Wait::PackedTile:
      return "a tile in the packer's metadata FIFO";
    case Wait::TdmaRoom:
      return "room in TDMA-RISC's command queue";
    case Wait::Debugger:
      return "a debugger";
    case Wait::SrcA:
      return "SrcA to be valid";
    case Wait::SrcB:
      return "SrcB to be valid";
    case Wait::SrcAB:
      return "SrcA and SrcB to be valid";
    case Wait::SrcAFree:
      return "SrcA to be free";
    case Wait::SrcBFree:
      return "SrcB to be free";
    case Wait::Semaphore:
      return fmt::format("semaphore {} to be not 0", wait.index);
    case Wait::SemaphoreRoom:
      return fmt::format("semaphore {} to be below its maximum", wait.index);
    case Wait::Mutex:
      return fmt::format("mutex {}", wait.index);
    case Wait::Unit:
      return "its unit, which is taken";
    case Wait::Idle:
      return "units to be idle (STALLWAIT)";
    case Wait::Word:
      return "a word of L1";
    case Wait::Stream:
      return "an overlay register";
    case Wait::Reset:
      return "a unit in soft reset";
    case Wait::Latch:
      return "a wait instruction before it";
    case Wait::Other:
      break;
  }
  return "something else";
}

}  // namespace

LoopWait wait_of_loop(std::span<const LoopStep> steps, const Profile& profile) {
  LoopWait found;
  if (steps.empty()) return found;
  found.waits =
      std::none_of(steps.begin(), steps.end(), [](const LoopStep& step) { return step.stores; });
  found.at = {{Awaited::Nothing, {}, 0, 0}, steps.front().pc};
  const LoopStep* received = nullptr;
  const LoopStep* acked = nullptr;
  for (const LoopStep& step : steps) {
    if (step.loaded == LoopStep::kNone) continue;
    const WaitOf wait = of_address(step.loaded, profile);
    if (wait.awaited == Awaited::Pages) received = &step;
    if (wait.awaited == Awaited::Room) acked = &step;
    // Of two alike: the one that comes first in the code.
    const int more = clearness(wait.awaited) - clearness(found.at.wait.awaited);
    if (more > 0 || (more == 0 && step.pc < found.at.at)) found.at = {wait, step.pc};
  }
  // Whoever reads both counters of a buffer waits for pages if it is empty; profile.cpp knows who
  // fills it.
  if (received != nullptr && acked != nullptr) {
    found.both_counters = true;
    found.filled = (received->value - acked->value) & 0xFFFF;
  }
  return found;
}

std::string text_of(const WaitOf& wait) {
  switch (wait.awaited) {
    case Awaited::Event:
      return of_event(wait);
    case Awaited::Pages:
      return fmt::format("pages in CB {}", wait.index);
    case Awaited::Room:
      return fmt::format("room in CB {}", wait.index);
    case Awaited::Reads:
      return fmt::format("the data of reads, NoC {} (read barrier)", wait.index);
    case Awaited::Writes:
      return fmt::format("acknowledgements of writes, NoC {} (write barrier)", wait.index);
    case Awaited::Departures:
      return fmt::format("writes to depart, NoC {}", wait.index);
    case Awaited::Atomics:
      return fmt::format("answers to atomics, NoC {} (atomic barrier)", wait.index);
    case Awaited::Transactions:
      return fmt::format("transactions of an id, NoC {}", wait.index);
    case Awaited::CommandBuffer:
      return fmt::format("a command buffer of NoC {}", wait.index);
    case Awaited::Niu:
      return fmt::format("register {:#x} of NIU {}", wait.address & 0xFFFF, wait.index);
    case Awaited::SemaphoreWord:
      return fmt::format("semaphore {} (L1[0x{:05x}])", wait.index, wait.address);
    case Awaited::Word:
      return fmt::format("L1[0x{:05x}]", wait.address);
    case Awaited::Semaphore:
      return fmt::format("semaphore {} of the coprocessor", wait.index);
    case Awaited::Local:
      return "its own memory";
    case Awaited::Register:
      return fmt::format("the register at {:#010x}", wait.address);
    case Awaited::Nothing:
      break;
  }
  return "nothing at all: a loop that reads nothing";
}

Spent spent_of(const WaitOf& wait) {
  using trace::Wait;
  switch (wait.awaited) {
    case Awaited::Pages:
    case Awaited::Room:
      return Spent::WaitBuffer;
    case Awaited::SemaphoreWord:
    case Awaited::Word:
    case Awaited::Semaphore:
      return Spent::WaitSync;
    case Awaited::Local:
    case Awaited::Register:
    case Awaited::Nothing:
      return Spent::WaitOther;
    case Awaited::Event:
      break;
    default:
      return Spent::WaitNoc;
  }
  switch (wait.event) {
    case Wait::Fifo:
    case Wait::ThreadDone:
    case Wait::AutoTtSync:
    case Wait::Mop:
    case Wait::Unit:
    case Wait::Idle:
    case Wait::Latch:
      return Spent::WaitThread;
    case Wait::SrcA:
    case Wait::SrcB:
    case Wait::SrcAB:
    case Wait::SrcAFree:
    case Wait::SrcBFree:
      return Spent::WaitSource;
    case Wait::Other:
    case Wait::Debugger:
    case Wait::Reset:
      return Spent::WaitOther;
    default:
      return Spent::WaitSync;
  }
}

}  // namespace bhemu::debug
