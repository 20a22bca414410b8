// Pages about looking into a tile: docs/registers/debug_bus.md and perf_counters.md.
#include "doc_markdown.hpp"
#include "doc_pages.hpp"
#include "tile/debug_bus.hpp"

namespace bhemu::docs {
namespace {

struct Place {
  std::string prefix;
  unsigned daisy;
  unsigned signal;
};

/// Where a row of one kind stands: once for each core, thread or counter.
std::vector<Place> core_places(const u16 (&group)[kCores]) {
  return {{"brisc_", 7, group[0]},
          {"ncrisc_", 7, group[1]},
          {"trisc0_", 7, group[2]},
          {"trisc1_", 7, group[3]},
          {"trisc2_", 7, group[4]}};
}
std::vector<Place> thread_places(unsigned daisy, const char* before, const u16 (&group)[kThreads]) {
  std::vector<Place> places;
  for (unsigned i = 0; i < kThreads; ++i)
    places.push_back({fmt::format("{}{}_", before, i), daisy, group[i]});
  return places;
}
std::vector<Place> adc_places() {
  return {{"adcs0_unpacker0_channel0_", 6, 0}, {"adcs0_unpacker0_channel1_", 6, 1},
          {"adcs0_unpacker1_channel0_", 6, 2}, {"adcs0_unpacker1_channel1_", 6, 3},
          {"adcs2_packers_channel0_", 6, 4},   {"adcs2_packers_channel1_", 6, 5}};
}

std::string signal_row(const std::vector<Place>& places, const char* name, unsigned low,
                       unsigned width, const char* meaning) {
  std::string names;
  std::string selects;
  for (const Place& place : places) {
    const char* comma = names.empty() ? "" : ", ";
    names += comma + code_cell(place.prefix);
    selects += fmt::format("{}{}", comma, place.signal);
  }
  if (places.size() == 1) names = "";
  return row({std::to_string(places[0].daisy), selects,
              width == 1 ? std::to_string(low) : fmt::format("{}:{}", low + width - 1, low),
              code_cell(name), names, cell(meaning)});
}

constexpr const char* kDaisychain =
    "DBG_BUS_CTRL (0x054): signal select in bits 15:0, daisy select in 23:16, which word of the "
    "128\n"
    "bits DBG_RD_DATA shows in 26:25, enable in 29. What is shown is the state of the tile "
    "between\n"
    "two instructions of a core and two cycles of the coprocessor, without the five cycles that "
    "the\n"
    "chip takes. Signal select 255 is the self test of every daisy select: the daisy select, then\n"
    "0xA5A5A5A5, 0x5A5A5A5A, 0xA5A5A5A5.\n\n"
    "Reading a word that holds signals without a counterpart only gives zero and the warning\n"
    "`tile-debug-signal`, once per word; `--rule tile-debug-signal=error` makes it a fault.\n\n"
    "An Ethernet tile has the groups A and B of its cores only: selects 18 and 19 of ERISC0, 20 "
    "and\n"
    "21 of ERISC1, laid out as those of BRISC.\n\n";

}  // namespace

std::string debug_bus_page() {
  std::string page = page_head("Signals of the debug daisychain", "src/tile/debug_bus.def");
  page += kDaisychain;
  page += "## Signals\n\nA name has one of the prefixes, in the order of the signal selects.\n\n";
  page += table_head({"daisy", "signal select", "bits", "signal", "prefix", "meaning"});
#define SIGNAL(name, daisy, signal, low, width, value, meaning) \
  page += signal_row({{"", daisy, signal}}, #name, low, width, meaning);
#define CORE_SIGNAL(name, group, low, width, value, meaning) \
  page += signal_row(core_places(tile::kDaisyGroup##group), #name, low, width, meaning);
#define TRISC_SIGNAL(name, group, low, width, value, meaning) \
  page +=                                                     \
      signal_row(thread_places(7, "trisc", tile::kDaisyGroup##group), #name, low, width, meaning);
#define THREAD_SIGNAL(name, low, width, value, meaning)                                       \
  page += signal_row(thread_places(1, "tensix_frontend_t", tile::kDaisyFrontend), #name, low, \
                     width, meaning);
#define ADC_SIGNAL(name, low, width, value, meaning) \
  page += signal_row(adc_places(), #name, low, width, meaning);
#include "tile/debug_bus.def"
  page +=
      "\n## Groups with signals that read zero\n\nSignals inside a pipeline, of caches, ports and "
      "counters, by tt-exalens' names of the groups. The\nmask has the bits that have a name and "
      "no counterpart, highest word first.\n\n";
  page += table_head({"daisy", "signal select", "group", "mask"});
#define UNMODELLED(group, daisy, signal, word0, word1, word2, word3)             \
  page += row({std::to_string(daisy), std::to_string(signal), code_cell(#group), \
               fmt::format("{:08X} {:08X} {:08X} {:08X}", word3, word2, word1, word0)});
#include "tile/debug_bus.def"
  return page;
}

std::string perf_counters_page() {
  std::string page = page_head("Performance counters", "src/tensix/perf/perf.def");
  page +=
      "A bank has a reference period, a register with mode (bits 7:0) and selection (16:8), one "
      "that\nstarts (a rising bit 0) and stops (a rising bit 1) it, and two outputs: reference "
      "cycles, and the\nselected counter. Mode 0 runs until it is stopped, mode 1 for the period, "
      "mode 2 as mode 0 without\nreference cycles. A counter counts the cycles in which what is "
      "said here holds, in the timing of\nthe run; a core sees what the coprocessor had done when "
      "its turn began (ARCHITECTURE.md). A\nrefused one raises `tile-perf-counter` when a program "
      "reads it, and shows the host zero with the "
      "warning\n`tile-debug-signal`.\n\n";
  page += table_head({"bank", "select", "counter", "counts", "refused because"});
#define COUNTER(bank, select, name, level, meaning) \
  page += row({#bank, std::to_string(select), code_cell(#name), cell(meaning), ""});
#define REFUSED(bank, select, name, why) \
  page += row({#bank, std::to_string(select), code_cell(#name), "", cell(why)});
#include "tensix/perf/perf.def"
#undef COUNTER
#undef REFUSED
  return page;
}

}  // namespace bhemu::docs
