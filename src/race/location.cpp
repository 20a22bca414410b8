#include "race/location.hpp"

#include <fmt/format.h>

#include <iterator>

namespace bhemu::race {
namespace {

constexpr const char* kConfigNames[] = {
#define CFG(name, word, low, width) #name,
#include "tensix/config.def"
#undef CFG
#undef THREAD_CFG
};
constexpr const char* kThreadConfigNames[] = {
#define THREAD_CFG(name, word, low, width) #name,
#include "tensix/config.def"
#undef CFG
#undef THREAD_CFG
};
constexpr const char* kRegisterNames[] = {
    "NOC_TARG_ADDR_LO", "NOC_TARG_ADDR_MID", "NOC_TARG_ADDR_HI", "NOC_RET_ADDR_LO",
    "NOC_RET_ADDR_MID", "NOC_RET_ADDR_HI",   "NOC_PACKET_TAG",   "NOC_CTRL",
    "NOC_AT_LEN_BE",    "NOC_AT_LEN_BE_1",   "NOC_AT_DATA",      "NOC_BRCST_EXCLUDE"};
constexpr unsigned kCommandControl = 16;

template <std::size_t size>
const char* name_in(const char* const (&names)[size], u64 index) {
  return index < size ? names[index] : "(no such field)";
}

std::string range(const char* what, const Location& where) {
  if (where.size == 1) return fmt::format("{} {}", what, where.begin);
  return fmt::format("{}s {} to {}", what, where.begin, where.end() - 1);
}

std::string src(const char* name, const Location& where) {
  const u64 row = where.begin & 63;
  const std::string rows = where.size == 1
                               ? fmt::format("row {}", row)
                               : fmt::format("rows {} to {}", row, (row + where.size - 1) & 63);
  return fmt::format("{} bank {} {}", name, where.begin >> 6, rows);
}

std::string initiator(u64 index) {
  const u64 reg = index & 31;
  const char* name = reg == kCommandControl ? "NOC_CMD_CTRL" : name_in(kRegisterNames, reg);
  return fmt::format("{} of request initiator {} of NIU {}", name, index >> 5 & 3, index >> 7);
}

/// Objects by which agents signal each other stand behind the NIUs' counters: race::place_of.
std::string counter(u64 index) {
  constexpr const char* kObjects[] = {"semaphore", "mailbox", "PCBuf", "page counter",
                                      "page counter"};
  if (index < 2 * 64) return fmt::format("NIU {} counter {}", index / 64, index % 64);
  const u64 object = (index >> 16) - 2;
  if (index >> 32 == 0 && object < std::size(kObjects))
    return fmt::format("{} {}", kObjects[object], index & 0xFFFF);
  return fmt::format("register {:#x}", index & 0xFFFFFFFF);
}

}  // namespace

const char* name_of(Place place) {
  constexpr const char* kNames[kPlaces] = {"L1",
                                           "DRAM",
                                           "configuration",
                                           "thread configuration",
                                           "Dst",
                                           "SrcA",
                                           "SrcB",
                                           "LReg",
                                           "GPR",
                                           "address counters",
                                           "RWC",
                                           "MOP configuration",
                                           "replay buffer",
                                           "request initiator",
                                           "stream register",
                                           "push port",
                                           "NIU counter",
                                           "semaphore"};
  return kNames[static_cast<unsigned>(place)];
}

std::string describe(const Location& where) {
  const u64 begin = where.begin;
  switch (where.place) {
    case Place::L1:
      return fmt::format("L1[{:#x}, +{}]", begin, where.size);
    case Place::Dram:
      return fmt::format("DRAM[{:#x}, +{}]", begin, where.size);
    case Place::Config: {
      const u64 field = begin % kConfigBank;
      const u64 bank = begin / kConfigBank & 1;
      if (field == kFeatureDisable) return "DBG_FEATURE_DISABLE";
      if (field >= kUnnamedConfig)
        return fmt::format("configuration word {} of bank {}", field - kUnnamedConfig, bank);
      return fmt::format("configuration field {} of bank {}", name_in(kConfigNames, field), bank);
    }
    case Place::ThreadConfig:
      return fmt::format("configuration field {} of thread {}",
                         name_in(kThreadConfigNames, begin % kConfigBank), begin / kConfigBank);
    case Place::Dst:
      return range("Dst row", where);
    case Place::SrcA:
      return src("SrcA", where);
    case Place::SrcB:
      return src("SrcB", where);
    case Place::LReg:
      return begin == 17 ? "the vector unit's condition code" : range("LReg", where);
    case Place::Gpr:
      if (where.size % 2 == 0 && begin % 2 == 0)
        return fmt::format("GPR {} of thread {}", begin >> 1 & 63, begin >> 7);
      return fmt::format("{} half of GPR {} of thread {}", begin % 2 == 0 ? "low" : "high",
                         begin >> 1 & 63, begin >> 7);
    case Place::MopConfig:
      return fmt::format("MOP configuration word {} of thread {}", begin % 9, begin / 9);
    case Place::Replay:
      return fmt::format("{} replay slot{} from {} of thread {}", where.size,
                         where.size == 1 ? "" : "s", begin & 31, begin >> 5);
    case Place::Initiator:
      return initiator(begin);
    case Place::Stream:
      return fmt::format("register {} of stream {}", begin & 1023, begin >> 10);
    case Place::PushPort:
      return fmt::format("the FIFO of thread {}", begin);
    case Place::Counter:
      return counter(begin);
    case Place::Semaphore:
      return fmt::format("the {} of semaphore {}", (begin & 1) != 0 ? "limit" : "value",
                         begin >> 1);
    default:
      return range(name_of(where.place), where);
  }
}

}  // namespace bhemu::race
