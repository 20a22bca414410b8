#include "host/hunt/delay_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/archive.hpp"
#include "tensix/disasm.hpp"
#include "tensix/isa.hpp"

namespace bhemu::host {
namespace {

constexpr u64 kMost = 1 << 20;  // delays in a list

void archive_delays(Archive& archive, std::vector<Delay>& delays) {
  u64 count = delays.size();
  archive.value(count);
  if (count > kMost) throw ArchiveError("too many delays");
  if (archive.is_loading()) delays.assign(static_cast<size_t>(count), {});
  for (Delay& delay : delays) {
    archive.value(delay.node);
    u8 agent = static_cast<u8>(delay.agent);
    u8 kind = static_cast<u8>(delay.kind);
    archive.value(agent);
    archive.value(kind);
    archive.value(delay.occurrence);
    archive.value(delay.where);
    archive.value(delay.cycles);
    archive.value(delay.most);
    archive.value(delay.at);
    if (agent >= kAgents || kind >= kDelayKinds) throw ArchiveError("no such delay");
    delay.agent = static_cast<Agent>(agent);
    delay.kind = static_cast<DelayKind>(kind);
  }
}

bool is_thread(Agent agent) {
  return agent >= Agent::Thread0 && agent <= Agent::Thread2;
}

/// The core that pushes a thread's words, or the core itself.
Agent core_of_delay(const Delay& delay) {
  if (!is_thread(delay.agent)) return delay.agent;
  return static_cast<Agent>(static_cast<unsigned>(Agent::Trisc0) +
                            static_cast<unsigned>(delay.agent) -
                            static_cast<unsigned>(Agent::Thread0));
}

/// What TT-NOP takes for its sites.
bool is_sync(u32 word) {
  using namespace tensix;
  switch (opcode_of(word)) {
    case op::STALLWAIT::kOpcode:
    case op::SEMWAIT::kOpcode:
    case op::SEMGET::kOpcode:
    case op::SEMPOST::kOpcode:
    case op::SEMINIT::kOpcode:
      return true;
    default:
      return false;
  }
}

/// A `.ttinsn` of a kernel: where it runs, and the word that it pushes.
struct PushedWord {
  u32 address = 0;  // in the ELF
  u32 running = 0;
  u32 word = 0;
};

std::vector<PushedWord> pushed_words(const CodeMap& code, Agent agent) {
  std::vector<PushedWord> words;
  if (!is_core(agent)) return words;
  for (const CodeMap::Entry& entry : code.entries()) {
    if (entry.core != core_of(agent)) continue;
    for (const Segment& segment : entry.elf->segments()) {
      if (!segment.executable || segment.virtual_address < entry.link_base ||
          segment.virtual_address - entry.link_base >= entry.bytes)
        continue;
      for (size_t at = 0; at + 4 <= segment.data.size(); at += 4) {
        u32 word = 0;
        std::memcpy(&word, segment.data.data() + at, 4);
        if ((word & 3) == 3) continue;  // RISC-V's own
        const u32 address = segment.virtual_address + static_cast<u32>(at);
        words.push_back({address, address - entry.link_base + entry.run_base, std::rotr(word, 2)});
      }
    }
  }
  return words;
}

std::string place_text(const Delay& delay, Device& device, const CodeMap& code) {
  const Coord tile = device.coord_of(delay.node);
  if (!is_thread(delay.agent)) {
    if (!is_core(delay.agent)) return fmt::format("pc 0x{:x}", delay.where);
    const std::string text = code.locate(delay.agent, delay.where, tile).text();
    return text.empty() ? fmt::format("pc 0x{:x}", delay.where) : text;
  }
  std::string text = tensix::disassemble(delay.where);
  const Agent core = core_of_delay(delay);
  for (const PushedWord& one : pushed_words(code, core)) {
    if (one.word != delay.where) continue;
    const std::string line = code.locate(core, one.running, tile).text();
    if (!line.empty()) text += fmt::format(", pushed at {}", line);
    break;
  }
  return text;
}

}  // namespace

BundleSection delay_section(std::span<const Delay> delays) {
  Archive archive = Archive::saving();
  std::vector<Delay> copy(delays.begin(), delays.end());
  archive_delays(archive, copy);
  return {kDelaySection, true, archive.take()};
}

std::shared_ptr<const DelayPlan> delay_plan_of(const Bundle& bundle) {
  for (const BundleSection& section : bundle.sections) {
    if (section.name != kDelaySection) continue;
    Archive archive = Archive::loading(section.bytes);
    DelayPlan plan;
    archive_delays(archive, plan.list);
    if (!archive.at_end()) throw ArchiveError("more than delays");
    const auto less = [](const Delay& a, const Delay& b) { return a.key() < b.key(); };
    if (!std::is_sorted(plan.list.begin(), plan.list.end(), less))
      throw ArchiveError("delays in disorder");
    return std::make_shared<const DelayPlan>(std::move(plan));
  }
  return nullptr;
}

std::string text_of(const DelayBand& band, Device& device, const CodeMap& code) {
  const Delay& delay = band.delay;
  const std::string cycles = band.least == band.most
                                 ? fmt::format("{} cycles", band.least)
                                 : fmt::format("{} to {} cycles", band.least, band.most);
  return fmt::format("delay {} #{} of {} of {}, {}, by {}: {}", row_of(delay.kind).word,
                     delay.occurrence, name_of(delay.agent), device.name_of(delay.node),
                     place_text(delay, device, code), cycles, row_of(delay.kind).what);
}

std::string nop_arguments(const DelayBand& band, Device& device, const CodeMap& code) {
  constexpr std::array<const char*, kThreads> kThreadNames = {"unpack", "math", "pack"};
  const Delay& delay = band.delay;
  const Agent core = core_of_delay(delay);
  const bool holds = delay.kind == DelayKind::Gate || delay.kind == DelayKind::Stall ||
                     delay.kind == DelayKind::Start || delay.kind == DelayKind::Push;
  if (!holds || core < Agent::Trisc0 || core > Agent::Trisc2)
    return fmt::format("none for {}: TT-NOP holds up TRISCs and their threads only",
                       row_of(delay.kind).word);
  const unsigned thread = static_cast<unsigned>(core) - static_cast<unsigned>(Agent::Trisc0);
  // The sync instruction in front of which NOPs do the same: the one itself, or the last before it.
  std::vector<PushedWord> sites;
  const PushedWord* target = nullptr;
  const std::vector<PushedWord> words = pushed_words(code, core);
  for (const PushedWord& one : words)
    if (target == nullptr &&
        (is_thread(delay.agent) ? one.word == delay.where : one.running >= delay.where))
      target = &one;
  std::optional<size_t> site;
  for (const PushedWord& one : words) {
    if (!is_sync(one.word)) continue;
    if (!site || (target != nullptr && one.address <= target->address)) site = sites.size();
    sites.push_back(one);
  }
  const char* const filler = is_thread(delay.agent) ? "tti_nop" : "risc_nop";
  if (!site)
    return fmt::format("no sync instruction in TRISC{}'s kernel: insert {} x {} at {}", thread,
                       band.least, filler, place_text(delay, device, code));
  return fmt::format(
      "TTNOP_SITE_MODE=sync TTNOP_THREADS={0} TTNOP_SITES={0}:{1} TTNOP_FILLER={2} "
      "TTNOP_DELAYS={3}-{4}  ({5} at 0x{6:x})",
      kThreadNames[thread], *site, filler, band.least,
      std::max(band.least, std::min(band.most, 100u)), tensix::disassemble(sites[*site].word),
      sites[*site].address);
}

}  // namespace bhemu::host
