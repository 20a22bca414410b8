#include "host/report/callers.hpp"

#include <algorithm>
#include <cstring>

#include "base/bits.hpp"
#include "riscv/core.hpp"

namespace bhemu::host {
namespace {

constexpr u32 kReturn = 1;
constexpr u32 kStackPointer = 2;
constexpr size_t kDeepest = 6;
constexpr u32 kStackSearched = 1024;  // bytes of a frame at most

std::optional<u32> word_at(const Elf& elf, u32 linked) {
  for (const Segment& segment : elf.segments()) {
    const u32 offset = linked - segment.virtual_address;
    if (!segment.executable || offset + 4 > segment.data.size() || offset > linked) continue;
    u32 word = 0;
    std::memcpy(&word, segment.data.data() + offset, sizeof word);
    return word;
  }
  return std::nullopt;
}

u32 jal_offset(u32 word) {
  const u32 offset = bits(word, 21, 10) << 1 | bit(word, 20) << 11 | bits(word, 12, 8) << 12;
  return bit(word, 31) ? offset | 0xFFF00000 : offset;
}

/// The function that the call at `site` calls; nothing: it is no call, or one by a pointer.
std::optional<u32> called_at(const Elf& elf, u32 site) {
  constexpr u32 kJalRa = 0x0EF;  // opcode and register
  constexpr u32 kJalrRa = 0x0E7;
  const std::optional<u32> call = word_at(elf, site);
  if (!call) return std::nullopt;
  if (bits(*call, 0, 12) == kJalRa) return site + jal_offset(*call);
  const std::optional<u32> before = word_at(elf, site - 4);
  const bool pair = before && bits(*call, 0, 12) == kJalrRa && bits(*before, 0, 7) == 0x17 &&
                    bits(*before, 7, 5) == bits(*call, 15, 5);
  if (!pair) return std::nullopt;
  return site - 4 + (*before & 0xFFFFF000) + static_cast<u32>(static_cast<i32>(*call) >> 20);
}

}  // namespace

std::vector<u32> call_sites(const riscv::CoreState& core, u32 pc, Agent agent, Coord tile,
                            const CodeMap& code) {
  std::vector<u32> sites;
  u32 stack = core.x[kStackPointer] - kLdmStart;
  while (sites.size() < kDeepest) {
    const CodeMap::Location here = code.locate(agent, pc, tile);
    const Symbol* function = here.elf == nullptr ? nullptr : here.elf->function_at(here.linked);
    if (function == nullptr || function->value > here.linked) break;
    const auto site_of = [&](u32 returns) -> std::optional<u32> {
      const CodeMap::Location there = code.locate(agent, returns - 4, tile);
      if (there.elf != here.elf || called_at(*here.elf, there.linked) != function->value)
        return std::nullopt;
      return returns - 4;
    };
    std::optional<u32> site;
    if (sites.empty()) site = site_of(core.x[kReturn]);
    const u32 end = std::min<u32>(stack + kStackSearched, static_cast<u32>(core.ldm.size()));
    for (u32 at = stack; !site && at % 4 == 0 && at + 4 <= end && at >= stack; at += 4) {
      u32 word = 0;
      std::memcpy(&word, core.ldm.data() + at, sizeof word);
      site = site_of(word);
      if (site) stack = at + 4;
    }
    if (!site) break;
    sites.push_back(*site);
    pc = *site;
  }
  return sites;
}

void add_callers(std::string& user, std::string& where, std::span<const u32> sites, Agent agent,
                 Coord tile, const CodeMap& code) {
  constexpr size_t kShown = 3;
  const auto frames = [](const std::string& chain) {
    size_t count = chain.empty() ? 0 : 1;
    for (size_t at = 0; (at = chain.find(" < ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  for (const u32 site : sites) {
    const CodeMap::Location location = code.locate(agent, site, tile);
    const auto is_users = [](const SourceFrame& frame) { return !frame.is_library(); };
    const bool users = std::any_of(location.frames.begin(), location.frames.end(), is_users);
    where += " < " + location.text();
    if (users && frames(user) < kShown) user += " < " + location.users();
  }
}

std::pair<std::string, std::string> place_and_chain(const riscv::CoreState& core, u32 pc,
                                                    Agent agent, Coord tile, const CodeMap& code) {
  const CodeMap::Location location = code.locate(agent, pc, tile);
  std::pair<std::string, std::string> both{location.users(), location.text()};
  add_callers(both.first, both.second, call_sites(core, pc, agent, tile, code), agent, tile, code);
  return both;
}

}  // namespace bhemu::host
