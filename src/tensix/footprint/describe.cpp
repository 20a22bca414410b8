// Touches in words, by the names that the documents have.
#include <fmt/format.h>

#include "tensix/footprint/footprint.hpp"
#include "tensix/operation.hpp"
#include "tensix/state.hpp"

namespace bhemu::tensix {
namespace {

using namespace footprint_cell;

struct FieldRow {
  const char* name;
  u16 word;
  u32 mask;
};
template <class Field>
constexpr FieldRow field_row(const char* name) {
  return {name, Field::kWord, static_cast<u32>(((u64{1} << Field::kWidth) - 1) << Field::kLow)};
}
constexpr FieldRow kFields[] = {
#define CFG(name, word, low, width) field_row<cfg::name>(#name),
#define THREAD_CFG(name, word, low, width)
#include "tensix/config.def"
};
constexpr FieldRow kThreadFields[] = {
#define CFG(name, word, low, width)
#define THREAD_CFG(name, word, low, width) field_row<thread_cfg::name>(#name),
#include "tensix/config.def"
};

/// The fields of `mask` in a word, at most three by name.
template <std::size_t kRows>
std::string fields_of(const FieldRow (&rows)[kRows], u32 word, u32 mask) {
  std::string text;
  u32 found = 0;
  for (const FieldRow& row : rows) {
    if (row.word != word || (row.mask & mask) == 0) continue;
    if (++found > 3) return text + " ...";
    text += (found == 1 ? "" : ", ") + std::string(row.name);
  }
  return found != 0 ? text : fmt::format("word {}", word);
}

std::string range(const char* what, u64 first, u32 size) {
  return size == 1 ? fmt::format("{} {}", what, first)
                   : fmt::format("{} {}..{}", what, first, first + size - 1);
}
std::string of_thread(const char* what, const Touch& touch, u32 per_thread) {
  return range(what, touch.begin % per_thread, touch.size) +
         fmt::format(" of thread {}", touch.begin / per_thread);
}

std::string of_bank(const char* what, const Touch& touch) {
  return range(what, touch.begin % kSrcRows, touch.size) +
         fmt::format(" of bank {}", touch.begin / kSrcRows);
}

template <std::size_t kNames>
const char* name_in(const char* const (&names)[kNames], u32 index) {
  return index < kNames ? names[index] : "?";
}

/// Cells that have names of their own, one after the other.
template <class Name>
std::string named_cells(const Touch& touch, Name name) {
  std::string text = name(touch.begin);
  if (touch.size > 1) text += fmt::format(" to {}", name(touch.begin + touch.size - 1));
  return text;
}

std::string config_text(const Touch& touch) {
  const u32 word = touch.begin % kConfigWords;
  const std::string what =
      touch.size == 1 ? fields_of(kFields, word, touch.mask) : range("words", word, touch.size);
  return "configuration " + what +
         (word < kGlobalConfigBase ? fmt::format(" of bank {}", touch.begin / kConfigWords) : "");
}

std::string thread_config_text(const Touch& touch) {
  const u32 word = touch.begin % kThreadConfigWords;
  const std::string what = touch.size == 1 ? fields_of(kThreadFields, word, touch.mask)
                                           : range("words", word, touch.size);
  return fmt::format("configuration {} of thread {}", what, touch.begin / kThreadConfigWords);
}

std::string src_control_text(const Touch& touch) {
  constexpr const char* kNames[] = {"owner of bank 0",  "owner of bank 1", "format of bank 0",
                                    "format of bank 1", "unpacker's bank", "matrix unit's bank"};
  return named_cells(touch, [&](u32 cell) {
    return fmt::format("{} of Src{}", name_in(kNames, cell % kSrcCells),
                       cell < kSrcCells ? 'A' : 'B');
  });
}

std::string adc_text(const Touch& touch) {
  constexpr const char* kCounters[] = {"X", "X_Cr", "Y", "Y_Cr", "Z", "Z_Cr", "W", "W_Cr"};
  constexpr const char* kUnits[] = {"unpacker 0", "unpacker 1", "packer"};
  const u32 counters = touch.begin / 16;
  const std::string what = named_cells(
      touch, [&](u32 cell) { return std::string(name_in(kCounters, cell % kAdcCells)); });
  return fmt::format("ADC {} of channel {}, {}, thread {}", what, touch.begin % 16 / kAdcCells,
                     name_in(kUnits, counters / kThreads), counters % kThreads);
}

std::string rwc_text(const Touch& touch) {
  constexpr const char* kCounters[] = {"Dst",  "Dst_Cr",  "SP",       "SrcA", "SrcA_Cr",
                                       "SrcB", "SrcB_Cr", "fidelity", "bias", "last SrcA row"};
  const std::string what = named_cells(
      touch, [&](u32 cell) { return std::string(name_in(kCounters, cell % kRwcCells)); });
  return fmt::format("RWC {} of thread {}", what, touch.begin / kRwcCells);
}

std::string condition_text(const Touch& touch) {
  constexpr const char* kNames[] = {"UseLaneFlags", "LaneFlags", "flag stack's size"};
  if (touch.begin < Stack)
    return named_cells(touch, [&](u32 cell) {
      return cell < Stack ? std::string(name_in(kNames, cell)) : "flag stack";
    });
  return range("flag stack", touch.begin - Stack, touch.size);
}

std::string unpacker_text(const Touch& touch) {
  const u32 cell = touch.begin % kUnpackerCells;
  const std::string what = cell == MessageCount ? "message count"
                           : cell < SrcRow0     ? fmt::format("context of thread {}", cell)
                                            : fmt::format("SrcRow of thread {}", cell - SrcRow0);
  return fmt::format("unpacker {}: {}", touch.begin / kUnpackerCells, what);
}

std::string packer_text(const Touch& touch) {
  constexpr const char* kNames[] = {"open tile",
                                    "tile position",
                                    "exponent statistics",
                                    "tracked context",
                                    "last tile size",
                                    "accumulated size of thread 0",
                                    "accumulated size of thread 1",
                                    "accumulated size of thread 2",
                                    "closed tiles",
                                    "zero flags",
                                    "PACR_SETREG data",
                                    "L1 address offset"};
  return "packer: " +
         named_cells(touch, [&](u32 cell) { return std::string(name_in(kNames, cell)); });
}

std::string busy_text(const Touch& touch) {
  if (touch.begin == kMoverBusy) return "whether the mover is at work";
  return fmt::format("whether unit {} works for thread {}", touch.begin % kBusyUnits,
                     touch.begin / kBusyUnits);
}

// tidy: allow function-length: one case per space
std::string place_text(const Touch& touch) {
  switch (touch.space) {
    case Space::L1:
      return fmt::format("L1[{:#x}, +{}]", touch.begin, touch.size);
    case Space::Config:
      return config_text(touch);
    case Space::ThreadConfig:
      return thread_config_text(touch);
    case Space::Dst:
      return range("Dst row", touch.begin, touch.size);
    case Space::SrcA:
      return of_bank("SrcA row", touch);
    case Space::SrcB:
      return of_bank("SrcB row", touch);
    case Space::SrcControl:
      return src_control_text(touch);
    case Space::LReg:
      return range("LReg", touch.begin, touch.size);
    case Space::ConditionCode:
      return condition_text(touch);
    case Space::SfpuConfig:
      return range("SFPCONFIG destination", touch.begin, touch.size);
    case Space::SfpuSchedule:
      return "SFPLOADMACRO's schedule";
    case Space::Random:
      return touch.begin == 0 ? "generators of the vector unit" : "generators of the packer";
    case Space::Gpr:
      return of_thread("GPR", touch, kGprs);
    case Space::Adc:
      return adc_text(touch);
    case Space::Rwc:
      return rwc_text(touch);
    case Space::Semaphore:
      return range("semaphore", touch.begin, touch.size);
    case Space::Mutex:
      return range("mutex", touch.begin, touch.size);
    case Space::WaitGate:
      return range("wait gate of thread", touch.begin, touch.size);
    case Space::Busy:
      return busy_text(touch);
    case Space::MopConfig:
      return of_thread("MOP configuration", touch, kMopCells);
    case Space::Replay:
      return of_thread("replay slot", touch, kReplaySlots);
    case Space::ResourceClass:
      return of_thread("resource class", touch, 16);
    case Space::Unpacker:
      return unpacker_text(touch);
    case Space::Packer:
      return packer_text(touch);
    case Space::Stream:
      return fmt::format("stream {} register {}", touch.begin / 1024, touch.begin % 1024);
    case Space::Mmio:
      return fmt::format("register {:#010x}", touch.begin);
  }
  return "?";
}

}  // namespace

const char* name_of(Space space) {
  constexpr const char* kNames[kSpaces] = {"L1",
                                           "configuration",
                                           "thread configuration",
                                           "Dst",
                                           "SrcA",
                                           "SrcB",
                                           "Src banks",
                                           "LRegs",
                                           "lane flags",
                                           "SFPCONFIG",
                                           "schedule",
                                           "random",
                                           "GPRs",
                                           "ADCs",
                                           "RWCs",
                                           "semaphores",
                                           "mutexes",
                                           "wait gate",
                                           "busy",
                                           "MOP configuration",
                                           "replay",
                                           "resource classes",
                                           "unpacker",
                                           "packer",
                                           "streams",
                                           "registers"};
  return kNames[static_cast<unsigned>(space)];
}

std::string describe(const Touch& touch) {
  constexpr const char* kAccess[] = {"?", "read", "write", "read and write"};
  return fmt::format("{} {}", kAccess[static_cast<unsigned>(touch.access)], place_text(touch));
}

}  // namespace bhemu::tensix
