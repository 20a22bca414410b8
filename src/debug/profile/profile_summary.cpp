// A profile, tile by tile, becomes one of roles; and the verdict.
#include <fmt/format.h>

#include <algorithm>

#include "debug/profile/profile_report.hpp"
#include "host/error.hpp"
#include "host/report/inspect.hpp"
#include "host/report/situation.hpp"
#include "tensix/isa.hpp"
#include "tile/tile.hpp"

namespace bhemu::debug {
namespace {

constexpr size_t kMostWaits = 8;  // of a role
constexpr const char* kUnits[tensix::kBusyUnits] = {
    "scalar unit", "unpacker 0",         "unpacker 1", "packer",    "matrix unit",
    "vector unit", "configuration unit", "mover",      "sync unit", "miscellaneous"};

bool is_thread(Agent agent) {
  return agent >= Agent::Thread0 && agent <= Agent::Thread2;
}
unsigned thread_of(Agent agent) {
  return static_cast<unsigned>(agent) - static_cast<unsigned>(Agent::Thread0);
}
Agent core_of_thread(Agent agent) {
  return is_thread(agent)
             ? static_cast<Agent>(thread_of(agent) + static_cast<unsigned>(Agent::Trisc0))
             : agent;
}
Agent thread_of_core(Agent agent) {
  return agent >= Agent::Trisc0 && agent <= Agent::Trisc2
             ? agent_of_thread(static_cast<unsigned>(agent) - static_cast<unsigned>(Agent::Trisc0))
             : agent;
}

/// Ethernet tiles have no kernels of ours: what runs there is their base firmware.
bool ran_kernel(const TileUse& tile) {
  return std::any_of(tile.lanes.begin(), tile.lanes.end(), [](const auto& entry) {
    return entry.first <= Agent::Thread2 && entry.second.first != kNever;
  });
}

class Maker {
 public:
  Maker(const Profile& profile, Device& device, const host::CodeMap& code)
      : profile_(profile), device_(device), code_(code) {
    summary_.begin = profile.begin;
    summary_.end = profile.end;
  }

  ProfileSummary make() {
    for (const TileUse& tile : profile_.tiles) {
      for (unsigned noc = 0; noc < kNocs; ++noc)
        for (unsigned kind = 0; kind < 6; ++kind) {
          summary_.traffic[noc][kind].packets += tile.sent[noc][kind].packets;
          summary_.traffic[noc][kind].bytes += tile.sent[noc][kind].bytes;
        }
      if (!ran_kernel(tile)) continue;
      ++summary_.tiles;
      if (sample_ == nullptr) sample_ = &tile;
      for (const auto& [agent, lane] : tile.lanes) add(tile, agent, lane);
      for (unsigned unit = 0; unit < tensix::kBusyUnits; ++unit) {
        units_[unit].cycles += tile.units[unit].cycles;
        units_[unit].instructions += tile.units[unit].instructions;
      }
      for (const auto& [index, buffer] : tile.buffers) add(tile, index, buffer);
    }
    finish_roles();
    finish_units();
    finish_buffers();
    summary_.warning =
        profile_.windows
            ? "units are busy as long as timing.def typically says; cores and NoC are not timed "
              "like silicon"
            : "every instruction takes one cycle here, and a way through the NoC a constant: "
              "shares "
              "show who waits for whom, not silicon's time";
    summary_.verdict = verdict();
    return std::move(summary_);
  }

 private:
  struct Sum {
    RoleUse use;
    std::map<WaitAt, std::pair<u64, const TileUse*>> waits;  // and a tile that had the most of it
    std::map<WaitAt, u64> longest;
  };

  void add(const TileUse& tile, Agent agent, const Lane& lane) {
    Sum& sum = sums_[agent];
    sum.use.agent = agent;
    ++sum.use.tiles;
    sum.use.instructions += lane.instructions;
    for (unsigned s = 0; s < kSpents; ++s) sum.use.cycles[s] += lane.cycles[s];
    for (const auto& [at, cycles] : lane.waits) {
      auto& [all, where] = sum.waits[at];
      all += cycles;
      u64& longest = sum.longest[at];
      if (cycles >= longest) longest = cycles, where = &tile;
    }
  }

  void add(const TileUse& tile, u32 index, const BufferUse& buffer) {
    if (buffer.pushed == 0 && buffer.popped == 0) return;
    RoleBuffer& sum = buffers_[index];
    sum.index = index;
    ++sum.tiles;
    sum.pushed += buffer.pushed;
    sum.popped += buffer.popped;
    sum.most = std::max(sum.most, buffer.most);
    if (sum.pages == 0) sum.pages = host::pages_of(device_, tile.tile, index);
    for (const auto& [level, cycles] : buffer.at_level) {
      sum.average += static_cast<double>(level) * static_cast<double>(cycles);
      if (level == 0) sum.empty += static_cast<double>(cycles);
      if (sum.pages != 0 && level >= sum.pages) sum.full += static_cast<double>(cycles);
    }
    const auto note = [](std::vector<Agent>& agents, const std::map<Agent, u64>& by) {
      for (const auto& [agent, pages] : by) {
        const Agent core = core_of_thread(agent);
        if (std::find(agents.begin(), agents.end(), core) == agents.end()) agents.push_back(core);
      }
    };
    note(sum.producers, buffer.pushes);
    note(sum.consumers, buffer.pops);
  }

  void place(RoleWait& wait, Agent agent, const TileUse& tile) const {
    if (!is_thread(agent)) {
      const host::CodeMap::Location location = code_.locate(agent, wait.at, tile.tile);
      wait.where = location.text();
      wait.place = location.user();
      return;
    }
    tile::Tile* const chip = device_.tile_of(tile.node);
    const host::LaunchView launch = host::launch_of(*chip, profile_.kernel_base);
    wait.place = host::place_of_word(*chip, launch, tile.tile, thread_of(agent), wait.at, code_);
    wait.where = wait.place;
  }

  void finish_roles() {
    for (auto& [agent, sum] : sums_) {
      for (const auto& [at, entry] : sum.waits)
        sum.use.waits.push_back({at.wait, at.at, entry.first, "", ""});
      std::stable_sort(sum.use.waits.begin(), sum.use.waits.end(),
                       [](const RoleWait& a, const RoleWait& b) { return a.cycles > b.cycles; });
      if (sum.use.waits.size() > kMostWaits) sum.use.waits.resize(kMostWaits);
      for (RoleWait& wait : sum.use.waits)
        place(wait, agent, *sum.waits[{wait.wait, wait.at}].second);
      summary_.roles.push_back(sum.use);
    }
  }

  double all_cycles() const {
    return static_cast<double>(std::max<u64>(summary_.tiles, 1)) *
           static_cast<double>(std::max<Cycle>(profile_.span(), 1));
  }

  void finish_units() {
    for (unsigned unit = 0; unit < tensix::kBusyUnits; ++unit)
      if (units_[unit].instructions != 0)
        summary_.units.push_back({kUnits[unit], units_[unit].cycles, units_[unit].instructions,
                                  static_cast<double>(units_[unit].cycles) / all_cycles(), unit});
    for (u32 opcode = 0; opcode < profile_.opcodes.size(); ++opcode) {
      const OpcodeUse& use = profile_.opcodes[opcode];
      if (use.instructions != 0)
        summary_.opcodes.push_back({tensix::info_of_word(opcode << 24).name, use.cycles,
                                    use.instructions,
                                    static_cast<double>(use.cycles) / all_cycles(), opcode});
    }
    std::stable_sort(summary_.opcodes.begin(), summary_.opcodes.end(),
                     [](const RoleUnit& a, const RoleUnit& b) { return a.cycles > b.cycles; });
  }

  void finish_buffers() {
    for (auto& [index, sum] : buffers_) {
      const double time =
          static_cast<double>(sum.tiles) * static_cast<double>(std::max<Cycle>(profile_.span(), 1));
      sum.average /= time;
      sum.empty /= time;
      sum.full /= time;
      summary_.buffers.push_back(sum);
    }
  }

  // --- The verdict.

  const RoleUse* role(Agent agent) const {
    for (const RoleUse& use : summary_.roles)
      if (use.agent == agent) return &use;
    return nullptr;
  }

  /// The instruction of the matrix or the vector unit that is at work most; with none, that of any.
  const RoleUnit* main_opcode() const {
    for (const RoleUnit& opcode : summary_.opcodes) {
      const tensix::Unit unit = tensix::info_of_word(opcode.code << 24).unit;
      if (unit == tensix::Unit::Fpu || unit == tensix::Unit::Sfpu) return &opcode;
    }
    return summary_.opcodes.empty() ? nullptr : &summary_.opcodes.front();
  }

  /// The agent that can end the wait: the buffer's producer or consumer; Host: none is known.
  Agent giver(const WaitOf& wait) const {
    using trace::Wait;
    for (const RoleBuffer& buffer : summary_.buffers) {
      if (buffer.index != wait.index) continue;
      if (wait.awaited == Awaited::Pages && !buffer.producers.empty())
        return buffer.producers.front();
      if (wait.awaited == Awaited::Room && !buffer.consumers.empty())
        return buffer.consumers.front();
    }
    if (wait.awaited != Awaited::Event) return Agent::Host;
    switch (wait.event) {
      case Wait::Fifo:
      case Wait::ThreadDone:
      case Wait::AutoTtSync:
      case Wait::Mop:
        return agent_of_thread(std::min(wait.index, kThreads - 1));
      case Wait::SrcA:
      case Wait::SrcB:
      case Wait::SrcAB:
        return Agent::Thread0;
      case Wait::SrcAFree:
      case Wait::SrcBFree:
        return Agent::Thread1;
      case Wait::Semaphore:
      case Wait::SemaphoreRoom: {
        if (sample_ == nullptr) return Agent::Host;
        const auto& moves = wait.event == Wait::Semaphore ? sample_->posts : sample_->gets;
        const auto found = moves.find(static_cast<u8>(wait.index));
        return found == moves.end() ? Agent::Host : found->second.begin()->first;
      }
      default:
        return Agent::Host;
    }
  }

  std::string clause(const RoleUse& use, const RoleWait& wait) const {
    std::string text = fmt::format("{} waits {} of the time for {}", name_of(use.agent),
                                   percent(use.share(wait.cycles)), text_of(wait.wait));
    if (!wait.place.empty()) text += fmt::format(" at {}", wait.place);
    return text;
  }

  /// From what computes to what holds it up.
  std::string verdict() const {
    if (summary_.tiles == 0) return "no kernel ran";
    std::string text;
    Agent at = Agent::Thread1;
    const RoleUnit* const opcode = main_opcode();
    if (opcode != nullptr) {
      text = fmt::format("{} is at work {} of the time", opcode->name, percent(opcode->share));
    } else {
      at = busiest_waiter();
    }
    std::vector<Agent> seen;
    constexpr double kWorth = 0.05;
    while (at != Agent::Host && std::find(seen.begin(), seen.end(), at) == seen.end()) {
      seen.push_back(at);
      const RoleUse* use = role(at);
      if (use == nullptr) break;
      // A thread with nothing queued waits for its core.
      const double idle = use->share(use->cycles[static_cast<unsigned>(Spent::Idle)]);
      const double first = use->waits.empty() ? 0 : use->share(use->waits.front().cycles);
      if (is_thread(at) && idle > first) {
        at = core_of_thread(at);
        continue;
      }
      if (first < kWorth) break;
      const RoleWait& wait = use->waits.front();
      text += (text.empty() ? "" : "; ") + clause(*use, wait);
      const Agent next = giver(wait.wait);
      at = is_thread(next) || next == Agent::Host || !is_thread(thread_of_core(next))
               ? next
               : thread_of_core(next);
    }
    return text.empty() ? "nothing waits" : text;
  }

  Agent busiest_waiter() const {
    const RoleUse* best = nullptr;
    for (const RoleUse& use : summary_.roles)
      if (best == nullptr || use.waited() > best->waited()) best = &use;
    return best == nullptr ? Agent::Host : best->agent;
  }

  const Profile& profile_;
  Device& device_;
  const host::CodeMap& code_;
  ProfileSummary summary_;
  const TileUse* sample_ = nullptr;
  std::map<Agent, Sum> sums_;
  std::array<UnitUse, tensix::kBusyUnits> units_{};
  std::map<u32, RoleBuffer> buffers_;
};

}  // namespace

u64 RoleUse::total() const {
  u64 sum = 0;
  for (const u64 part : cycles) sum += part;
  return sum;
}
u64 RoleUse::waited() const {
  u64 sum = 0;
  for (unsigned s = 0; s < kSpents; ++s)
    if (is_wait(static_cast<Spent>(s))) sum += cycles[s];
  return sum;
}
double RoleUse::share(u64 part) const {
  return static_cast<double>(part) / static_cast<double>(std::max<u64>(total(), 1));
}

ProfileSummary summary_of(const Profile& profile, Device& device, const host::CodeMap& code) {
  return Maker(profile, device, code).make();
}

}  // namespace bhemu::debug
