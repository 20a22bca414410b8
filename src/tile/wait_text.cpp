#include "tile/wait_text.hpp"

#include <fmt/format.h>

#include "base/bits.hpp"
#include "base/wakeup.hpp"
#include "noc/niu.hpp"
#include "tensix/disasm.hpp"
#include "tensix/isa.hpp"
#include "tile/ledger.hpp"
#include "tile/riscv_debug.hpp"

namespace bhemu::tile {
namespace {

constexpr const char* kAnyWriter =
    "another core of this tile, a packer, a NoC write from another tile, or the host";

struct ConditionText {
  const char* until;
  const char* who;
};
/// STALLWAIT.md, conditions C0 to C12.
constexpr ConditionText kConditions[13] = {
    {"the scalar unit has no request outstanding", "the scalar unit"},
    {"unpacker 0 is idle", "unpacker 0"},
    {"unpacker 1 is idle", "unpacker 1"},
    {"the packer is idle", "the packer"},
    {"the matrix unit is idle", "the matrix unit"},
    {"SrcA is free for the unpacker",
     "the thread whose matrix instruction clears data valid of SrcA (CLEARDVALID, SETRWC)"},
    {"SrcB is free for the unpacker",
     "the thread whose matrix instruction clears data valid of SrcB (CLEARDVALID, SETRWC)"},
    {"SrcA is valid", "the thread that unpacks to SrcA (UNPACR, UNPACR_NOP or SETDVALID)"},
    {"SrcB is valid", "the thread that unpacks to SrcB (UNPACR, UNPACR_NOP or SETDVALID)"},
    {"the mover is idle", "the mover"},
    {"the core's configuration writes have arrived", "the TRISC"},
    {"the vector unit is idle", "the vector unit"},
    {"the configuration unit is idle", "the configuration unit"},
};

const char* mailbox_end(u32 end) {
  constexpr const char* kNames[] = {"BRISC", "TRISC0", "TRISC1", "TRISC2"};
  return kNames[end & 3];
}
const char* source(u32 index) {
  return index == 0 ? "SrcA" : "SrcB";
}

/// A list without repetitions.
class List {
 public:
  explicit List(const char* separator) : separator_(separator) {}
  void add(const std::string& part) {
    if (part.empty() || text_.find(part) != std::string::npos) return;
    if (!text_.empty()) text_ += separator_;
    text_ += part;
  }
  std::string text() && { return std::move(text_); }

 private:
  const char* separator_;
  std::string text_;
};

/// Words for one Wait; what it says of a thread's is a part of a sentence about its instruction.
class Words {
 public:
  Words(const Waits& waits, const WaitNames& names) : waits_(waits), names_(names) {}

  std::string what() const {
    if (waits_.all.empty()) return "";
    switch (waits_.all.front().kind) {
      case Awaited::Condition:
      case Awaited::Semaphore:
      case Awaited::StreamPhase:
      case Awaited::StreamMessages:
      case Awaited::Lifted:
        return fmt::format("{} until {}, before {}", instruction(), joined(" and "),
                           tensix::disassemble(waits_.word));
      case Awaited::SourceValid:
      case Awaited::SourceFree:
        return fmt::format("{} waits for {}", instruction(), joined(" and "));
      default:
        return joined("; ");
    }
  }

  std::string who() const {
    if (waits_.all.size() == 1 && waits_.all[0].kind == Awaited::Word)
      if (const KnownWord* known = known_word(waits_.all[0].address)) return known->who;
    List list("; ");
    for (const Wait& wait : waits_.all) list.add(who(wait));
    return std::move(list).text();
  }

 private:
  std::string instruction() const {
    const char* name = tensix::info_of_word(waits_.by).name;
    return name != nullptr ? name : "an instruction";
  }

  std::string joined(const char* separator) const {
    List list(separator);
    u32 answers = 0;  // NIUs of which an answer was named
    for (const Wait& wait : waits_.all) {
      const bool more = wait.kind == Awaited::Answers && bit(answers, wait.index);
      if (wait.kind == Awaited::Answers) answers |= 1u << wait.index;
      list.add(more ? tile_answers(wait) : what(wait));
    }
    return std::move(list).text();
  }

  std::string node(NodeId id) const {
    return names_.node ? names_.node(id) : fmt::format("node {}", id);
  }
  std::string tile_answers(const Wait& wait) const {
    return noc::text_of_answers(wait, node(wait.node));
  }

  const KnownWord* known_word(u64 address) const {
    for (const KnownWord& word : names_.words)
      if (word.address == address) return &word;
    return nullptr;
  }
  std::string word(const Wait& wait) const {
    const std::string plain = fmt::format("L1[0x{:05x}]", wait.address);
    const KnownWord* known = known_word(wait.address);
    return fmt::format("{} is 0x{:08x}",
                       known != nullptr ? fmt::format("{} ({})", known->name, plain) : plain,
                       wait.value);
  }

  static const char* meaning(u32 reg) {
    return reg == Ledger::kReceived ? " (pages received)"
           : reg == Ledger::kAcked  ? " (pages acknowledged)"
                                    : "";
  }

  static std::string halted(u32 reasons) {
    const u32 hits = debug_field::Status_WatchpointHit.of(reasons);
    std::string what = debug_field::Status_EbreakHit.of(reasons) != 0
                           ? "to be resumed: halted by ebreak or ecall"
                           : "to be resumed: halted by the debugger";
    if (hits != 0) what += fmt::format(", watchpoints 0x{:02x} hit", hits);
    return what;
  }

  std::string semaphore(const Wait& wait) const {
    if (wait.until == Until::NotEqual) return fmt::format("semaphore {} is not 0", wait.index);
    return fmt::format("semaphore {} (value {}) is below its maximum {}", wait.index, wait.value,
                       wait.wanted);
  }

  std::string what_unit(const Wait& wait) const {
    if (wait.since == 0) return fmt::format("{} waits for its unit", instruction());
    return fmt::format("{} waits for its unit, which is free in cycle {}", instruction(),
                       wait.since);
  }

  // tidy: allow function-length: one sentence per kind
  std::string what(const Wait& wait) const {
    switch (wait.kind) {
      case Awaited::Word:
        return word(wait);
      case Awaited::Stream:
        return fmt::format("stream {} register 0x{:02x}{} is {}", wait.index, wait.address,
                           meaning(static_cast<u32>(wait.address)), wait.value);
      case Awaited::Pages:
        return fmt::format("circular buffer of stream {}: {} pages received, {} acknowledged",
                           wait.index, wait.value, wait.other);
      case Awaited::Answers:
        return fmt::format("NoC {}: {}", wait.index, tile_answers(wait));
      case Awaited::NiuRegister:
        return fmt::format("a register of NIU {}", wait.index);
      case Awaited::SemaphoreSeen:
        return fmt::format("semaphore {} is {}", wait.index, wait.value);
      case Awaited::Register:
        return fmt::format("a change of a {}", name_of(static_cast<Resource>(wait.index)));
      case Awaited::Remote:
        return fmt::format("a change at 0x{:x} of {}, which it reads over and over", wait.address,
                           node(wait.node));
      case Awaited::Nothing:
        return "nothing at all: an endless loop that reads nothing";
      case Awaited::Time:
        return fmt::format("cycle {}: its loop counts or looks at a clock until then", wait.since);
      case Awaited::FifoRoom:
        return fmt::format("room in the instruction FIFO of thread {}", wait.index);
      case Awaited::ThreadDone:
        return fmt::format("thread {} to finish all its instructions (TTSync)", wait.index);
      case Awaited::MopDone:
        return fmt::format("the MOP expander of thread {} to finish", wait.index);
      case Awaited::MailboxWord:
        return fmt::format("a word in the mailbox from {}", mailbox_end(wait.index));
      case Awaited::MailboxRoom:
        return fmt::format("room in the mailbox to {}", mailbox_end(wait.index));
      case Awaited::PcBufWord:
        return "a word in its PCBuf";
      case Awaited::PcBufRoom:
        return fmt::format("room in the PCBuf of TRISC{}", wait.index);
      case Awaited::PcBufDrained:
        return fmt::format("TRISC{} to drain its PCBuf and wait, and thread {} to be idle",
                           wait.index, wait.index);
      case Awaited::TtSync:
        return fmt::format(
            "instructions of thread {} that use what it accesses at 0x{:08x} (Auto TTSync)",
            wait.index, wait.address);
      case Awaited::PackedTile:
        return "a tile in the packer's metadata FIFO";
      case Awaited::TdmaRoom:
        return fmt::format(
            "room in TDMA-RISC's command queue, where {} commands wait for the mover, which is "
            "busy until cycle {}",
            wait.value, wait.since);
      case Awaited::Debugger:
        return halted(wait.value);
      case Awaited::Condition:
        return kConditions[wait.index].until;
      case Awaited::Lifted:
        return "the wait is lifted in the next cycle";
      case Awaited::StreamPhase:
      case Awaited::StreamMessages:
        return fmt::format("{} of stream select {} reaches {}",
                           wait.kind == Awaited::StreamPhase ? "the phase" : "the message count",
                           wait.index, wait.wanted);
      case Awaited::Semaphore:
        return semaphore(wait);
      case Awaited::Mutex:
        if (wait.holders == 0)
          return fmt::format("{} of mutex {}, which does not exist", instruction(), wait.index);
        return fmt::format("{} until mutex {} is free", instruction(), wait.index);
      case Awaited::ComparedWord:
        return fmt::format("{} waits for a word in L1: L1[0x{:05x}] is 0x{:08x}", instruction(),
                           wait.address, wait.value);
      case Awaited::SoftReset:
        return fmt::format("{}: its unit is held in soft reset", instruction());
      case Awaited::ScalarUnit:
        return fmt::format("{} waits for the scalar unit", instruction());
      case Awaited::LastInstruction:
        return fmt::format("{} waits until the thread's last instruction is done, in cycle {}",
                           instruction(), wait.since);
      case Awaited::UnitFree:
        return what_unit(wait);
      case Awaited::SourceValid:
        return fmt::format("{} to be valid", source(wait.index));
      case Awaited::SourceFree:
        return fmt::format("{} to be free", source(wait.index));
      case Awaited::Fault:
        return fmt::format("stopped by a fault at {}", tensix::disassemble(waits_.by));
    }
    return "";
  }

  std::string thread(const Wait& wait) const {
    if (waits_.behind.empty() || !waits_.behind.front().waiting)
      return fmt::format("thread {} itself", wait.index);
    return fmt::format("thread {} itself, which waits: {}", wait.index,
                       Words(waits_.behind.front(), names_).what());
  }

  static std::string poster(const Wait& wait) {
    const char* name = wait.until == Until::NotEqual ? "SEMPOST" : "SEMGET";
    List threads(", ");
    for (unsigned thread = 0; thread < kThreads; ++thread)
      if (wait.is_held_by(agent_of_thread(thread))) threads.add(fmt::format("thread {}", thread));
    if (wait.holders != 0)
      return fmt::format("{} of semaphore {} queued in {}", name, wait.index,
                         std::move(threads).text());
    return fmt::format("a thread's {} of semaphore {}, or a TRISC's write to {:#x}; none is queued",
                       name, wait.index, 0xFFE80020u + wait.index * 4);
  }

  static std::string stream_writer(const Wait& wait) {
    constexpr const char* kProducer = "the producer of that circular buffer (push_back)";
    if (wait.kind == Awaited::Pages)  // an empty buffer has room
      return wait.value == wait.other
                 ? kProducer
                 : "the consumer (pop_front), or the producer of more pages (push_back)";
    return wait.address == Ledger::kReceived ? kProducer
           : wait.address == Ledger::kAcked  ? "the consumer of that circular buffer (pop_front)"
                                             : "whoever writes that stream register";
  }

  // tidy: allow function-length: one sentence per kind
  std::string who(const Wait& wait) const {
    switch (wait.kind) {
      case Awaited::Word:
        return kAnyWriter;
      case Awaited::Stream:
      case Awaited::Pages:
        return stream_writer(wait);
      case Awaited::Answers:
        return "the target of the outstanding transactions";
      case Awaited::NiuRegister:
        return "whoever sends to this tile on that NoC";
      case Awaited::SemaphoreSeen:
        return "SEMPOST or SEMGET of a thread, or another TRISC through the semaphore window";
      case Awaited::Register:
        return "another core of this tile";
      case Awaited::Remote:
        return "the cores of that tile, or whoever writes there";
      case Awaited::FifoRoom:
      case Awaited::ThreadDone:
      case Awaited::MopDone:
      case Awaited::TtSync:
        return thread(wait);
      case Awaited::MailboxWord:
        return mailbox_end(wait.index);
      case Awaited::MailboxRoom:
        return "whoever reads the mailboxes that this core fills";
      case Awaited::PcBufWord:
        return "BRISC";
      case Awaited::PcBufRoom:
      case Awaited::PcBufDrained:
        return fmt::format("TRISC{}", wait.index);
      case Awaited::PackedTile:
        return "whoever issues PACR with Last";
      case Awaited::TdmaRoom:
        return "the mover, when it is done with the command that it carries out";
      case Awaited::Debugger:
        return wait.other != 0 ? "the host, through RISC_DBG_CNTL_0 (0xFFB12080)"
                               : "a soft reset: NCRISC has no debug interface";
      case Awaited::Condition:
        return kConditions[wait.index].who;
      case Awaited::StreamPhase:
      case Awaited::StreamMessages:
        return "whoever writes that stream register";
      case Awaited::Semaphore:
        return poster(wait);
      case Awaited::Mutex:
        for (unsigned thread = 0; thread < kThreads; ++thread)
          if (wait.is_held_by(agent_of_thread(thread)))
            return fmt::format("thread {} holds it and releases it by ATRELM", thread);
        return "nobody";
      case Awaited::ComparedWord:
        return "whoever writes that word";
      case Awaited::SoftReset:
        return "whoever clears the bit in SOFT_RESET_0";
      case Awaited::ScalarUnit:
        return fmt::format("thread {}, whose waiting instruction occupies it", wait.index);
      case Awaited::LastInstruction:
        return "the scalar unit";
      case Awaited::UnitFree:
        return "the unit";
      case Awaited::SourceValid:
        return "the thread that unpacks (UNPACR, UNPACR_NOP or SETDVALID)";
      case Awaited::SourceFree:
        return "the thread whose matrix instructions consume it (data valid cleared)";
      case Awaited::Fault:
        return "nobody";
      case Awaited::Nothing:
      case Awaited::Time:
      case Awaited::Lifted:
        return "";
    }
    return "";
  }

  const Waits& waits_;
  const WaitNames& names_;
};

}  // namespace

std::string what_of(const Waits& waits, const WaitNames& names) {
  return Words(waits, names).what();
}

std::string who_of(const Waits& waits, const WaitNames& names) {
  return Words(waits, names).who();
}

}  // namespace bhemu::tile
