#include "host/report/situation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>

#include "base/bits.hpp"
#include "host/boot/mailboxes.hpp"
#include "host/error.hpp"
#include "host/report/callers.hpp"
#include "host/report/inspect.hpp"
#include "noc/stream.hpp"
#include "tensix/frontend/gate.hpp"
#include "tensix/state.hpp"
#include "tensix/sync/sync.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

constexpr u32 kStreams = 0xFFB40000;
constexpr u32 kStreamsEnd = 0xFFB80000;
constexpr u32 kNius = 0xFFB20000;
constexpr u32 kSemaphores = 0xFFE80020;
/// Cores beyond these are listed, but not looked into: they stand as their neighbours do.
constexpr unsigned kMostProbes = 160;
/// No kernel waits for more pages at once.
constexpr u32 kMostPages = 256;

u32 l1_word(tile::Tile& tile, u32 address) {
  u32 value = 0;
  if (address + 4 <= tile.l1().size()) std::memcpy(&value, tile.l1().data() + address, 4);
  return value;
}
bool is_thread(Agent agent) {
  return agent >= Agent::Thread0 && agent <= Agent::Thread2;
}
unsigned thread_of(Agent agent) {
  return static_cast<unsigned>(agent) - static_cast<unsigned>(Agent::Thread0);
}
CoreId core_of_thread(unsigned thread) {
  return static_cast<CoreId>(index_of(CoreId::Trisc0) + thread);
}

class Builder {
 public:
  Builder(Device& device, const CodeMap& code, const Observed* observed)
      : device_(device), code_(code), observed_(observed) {}

  Situation build(std::span<const Coord> tiles, bool running) {
    situation_.cycle = device_.cycle();
    situation_.tiles.assign(tiles.begin(), tiles.end());
    for (NodeId node = 0; node < device_.board().node_count(); ++node)
      if (tile::Tile* tile = device_.tile_of(node); tile != nullptr && situation_.kernel_base == 0)
        if (const LaunchView view = launch_of(*tile, 0); view.valid)
          situation_.kernel_base = view.kernel_base;
    runs_ = running;
    for (Waiter& waiter : device_.waiters()) {
      moves_ |= is_between_reads(waiter.waits, situation_.cycle, runs_);
      add(std::move(waiter), tiles, false);
    }
    moves_ |= anybody_runs(device_);
    if (running) add_running(tiles);
    std::stable_partition(situation_.standing.begin(), situation_.standing.end(),
                          [](const Standing& one) { return !one.firmware; });
    for (size_t i = 0; i < situation_.standing.size(); ++i) look_into(situation_.standing[i]);
    for (Standing& standing : situation_.standing) connect(standing);
    return std::move(situation_);
  }

 private:
  static bool asked(std::span<const Coord> tiles, Coord tile) {
    return tiles.empty() || std::find(tiles.begin(), tiles.end(), tile) != tiles.end();
  }

  const LaunchView& launch(NodeId node) {
    const auto [entry, fresh] = launches_.try_emplace(node);
    if (fresh) entry->second = launch_of(*device_.tile_of(node), situation_.kernel_base);
    return entry->second;
  }

  void add(Waiter&& waiter, std::span<const Coord> tiles, bool running) {
    Standing one;
    one.running = running;
    one.node = waiter.node;
    one.tile = device_.coord_of(waiter.node);
    one.agent = waiter.agent;
    one.pc = waiter.pc;
    one.waits = std::move(waiter.waits);
    const tile::WaitNames names{[this](NodeId node) { return device_.name_of(node); }, {}};
    one.what = tile::what_of(one.waits, names);
    one.who = tile::who_of(one.waits, names);
    const LaunchView& view = launch(one.node);
    if (is_core(one.agent)) {
      one.firmware = view.valid && one.pc < view.kernel_base;
      const CodeMap::Location location = code_.locate(one.agent, one.pc, one.tile);
      place(one, one.pc);
      // Launch messages of other layouts do not say where firmware ends.
      one.firmware |= !view.valid && location.image.find("firmware") != std::string::npos;
    }
    // A tile that was not asked about matters only if something of a kernel waits there.
    if (asked(tiles, one.tile) || !one.firmware) situation_.standing.push_back(std::move(one));
  }

  void place(Standing& one, u32 pc) {
    const riscv::CoreState& core = device_.tile_of(one.node)->core(core_of(one.agent));
    std::tie(one.user, one.where) = place_and_chain(core, pc, one.agent, one.tile, code_);
  }

  void add_running(std::span<const Coord> tiles) {
    for (NodeId node = 0; node < device_.board().node_count(); ++node) {
      tile::Tile* tile = device_.tile_of(node);
      if (tile == nullptr || !tile->in_use() || !asked(tiles, device_.coord_of(node))) continue;
      for (unsigned core = 0; core < tile->shape().cores; ++core) {
        const CoreId id = tile->shape().core[core];
        if (tile->status(id) != tile::CoreStatus::Running || tile->is_waiting_for_work(core))
          continue;
        const auto known = std::find_if(
            situation_.standing.begin(), situation_.standing.end(),
            [&](const Standing& one) { return one.node == node && one.agent == agent_of(id); });
        if (known == situation_.standing.end())
          add({node, agent_of(id), tile->core(id).pc, {}}, tiles, true);
      }
    }
  }

  void look_into(Standing& one) {
    tile::Tile& tile = *device_.tile_of(one.node);
    if (is_thread(one.agent)) return look_into_thread(one, tile);
    const CoreId core = core_of(one.agent);
    const tile::CoreSlot& slot = tile.slot(core);
    if (one.firmware || !tile.shape().is_tensix()) return;
    if (slot.status == tile::CoreStatus::Blocked) look_into_block(one);
    const bool loops =
        slot.status == tile::CoreStatus::Parked || slot.status == tile::CoreStatus::Running;
    if (probes_++ >= kMostProbes) return;
    if (!probe_memory_) probe_memory_.emplace();
    Probe probe(tile, core, moves_, *probe_memory_);
    if (loops) look_into_loop(one, tile, slot, probe);
    one.future = probe.future(launch(one.node).valid ? launch(one.node).kernel_base : 0);
  }

  static void look_into_block(Standing& one) {
    if (one.waits.all.empty()) return;
    const Wait& wait = one.waits.all.front();
    one.index = wait.index;
    one.address = static_cast<u32>(wait.address);
    switch (wait.kind) {
      case Awaited::MailboxWord:
      case Awaited::MailboxRoom:
        one.want = Want::Mailbox;
        break;
      case Awaited::PcBufWord:
      case Awaited::PcBufRoom:
      case Awaited::PcBufDrained:
        one.want = Want::PcBuf;
        break;
      case Awaited::PackedTile:
      case Awaited::TdmaRoom:
        one.want = Want::Register;
        break;
      default:
        one.want = Want::Thread;
    }
  }

  void look_into_loop(Standing& one, tile::Tile& tile, const tile::CoreSlot& slot, Probe& probe) {
    const ProbedLoop loop = probe.loop();
    if (!loop.found) return;
    if (const auto count = std::find_if(
            loop.counts.begin(), loop.counts.end(),
            [](const ProbedCount& each) { return each.step != 0 && each.wanted_step == 0; });
        count != loop.counts.end())
      one.count = *count;
    if (loop.exits.empty()) {
      one.want = loop.words.empty() && !loop.reads_clock ? Want::Nothing : Want::Register;
      one.address = loop.words.empty() ? loop.own_memory : loop.words.front().address;
      return;
    }
    // The loop of a barrier within that of a poll: what goes round, not what is passed through.
    const size_t chosen = awaited_exit(loop);
    const ProbedExit& exit = loop.exits[chosen];
    one.compared = true;
    one.relation = exit.leaves_when;
    one.value = exit.value;
    one.wanted = exit.wanted;
    if (!code_.locate(one.agent, exit.pc, one.tile).image.empty()) place(one, exit.pc);
    const bool polls = slot.status == tile::CoreStatus::Running ||
                       is_between_reads(one.waits, situation_.cycle, runs_);
    for (size_t i = 0; i < loop.words.size(); ++i)
      if (bit(static_cast<u32>(exit.words >> i), 0)) classify(one, loop.words[i]);
    one.by_clock = loop.reads_clock && one.want == Want::Register;
    if (one.want == Want::CbPages) look_into_buffer(one, loop, chosen, tile, probe);
    if (one.want == Want::Semaphore) look_into_semaphore(one, loop, chosen, tile, probe);
    if (one.want == Want::Word || one.want == Want::Register)
      look_into_bits(one, loop, chosen, tile, probe);
    for (size_t i = 0; i < chosen && one.want == Want::Word; ++i) add_alternative(one, loop, i);
    if (polls && one.want == Want::Word) {
      const tile::Activity& activity = tile.activity();
      if (activity.reads[index_of(core_of(one.agent))] != 0) {
        one.want = Want::Remote;
        one.remote = activity.read_target;
        one.address = static_cast<u32>(activity.read_address);
      }
    }
  }

  /// Which bits of the word count, and what the whole is.
  static void look_into_bits(Standing& one, const ProbedLoop& loop, size_t exit, tile::Tile& tile,
                             Probe& probe) {
    const u32 address = one.address & ~3u;
    if (address < kL1Size)
      one.whole = l1_word(tile, address);
    else if (one.by_clock || !peek_register(tile, core_of(one.agent), address, one.whole))
      return;
    if (loop.exits[exit].wanted_words != 0) return;
    const u32 mask = probe.bits_of(loop, exit, address, one.whole);
    if (mask != 0) one.mask = mask;
  }

  /// Another word of L1 that would end the loop, too.
  static void add_alternative(Standing& one, const ProbedLoop& loop, size_t index) {
    const ProbedExit& exit = loop.exits[index];
    for (size_t i = 0; i < loop.words.size(); ++i) {
      const u32 address = loop.words[i].address;
      if (!bit(static_cast<u32>(exit.words >> i), 0) || address >= kL1Size) continue;
      if ((address & ~3u) == one.address) continue;
      one.alternatives.push_back({address & ~3u, exit.leaves_when, exit.value, exit.wanted});
      return;
    }
  }

  /// Whether pages are waited for or room, and how much, by what would end the wait. (The compare
  /// itself may be in any form: compilers make `!= 0` and masks of `< n`.)
  void look_into_buffer(Standing& one, const ProbedLoop& loop, size_t exit, tile::Tile& tile,
                        Probe& probe) const {
    if (has_no_buffer(device_, one.tile, one.index)) {
      one.impossible = true;
      return;
    }
    const u32 base = kStreams + one.index * noc::kStreamStride;
    u32 received = 0;
    u32 acked = 0;
    peek_register(tile, CoreId::Brisc, base + tile::Ledger::kReceived, received);
    peek_register(tile, CoreId::Brisc, base + tile::Ledger::kAcked, acked);
    bool reads_received = false;
    bool reads_acked = false;
    for (size_t i = 0; i < loop.words.size(); ++i) {
      if (!bit(static_cast<u32>(loop.exits[exit].words >> i), 0)) continue;
      reads_received |= loop.words[i].address == base + tile::Ledger::kReceived;
      reads_acked |= loop.words[i].address == base + tile::Ledger::kAcked;
    }
    const u32 filled = (received - acked) & 0xFFFF;
    const u32 places = pages_of(device_, one.tile, one.index);
    const u32 free = places > filled ? places - filled : 0;
    const bool at_least = one.relation == Relation::AtLeast;
    const bool any = one.relation == Relation::NotEqual && one.value == one.wanted;
    // What the loop compares, where it compares pages with pages.
    const u32 seen = any ? 0 : one.value;
    const u32 asked = any ? 1 : at_least ? one.wanted : 0;
    const u32 reserved = at_least && one.wanted > free ? one.wanted : free + 1;
    one.relation = Relation::AtLeast;
    for (u32 taken = 1; reads_acked && taken <= std::min(filled, kMostPages); ++taken)
      if (probe.otherwise(loop, exit, base + tile::Ledger::kAcked, acked + taken).leaves) {
        one.want = Want::CbRoom;
        one.value = free;
        one.wanted = free + taken;
        return look_behind_core(one, reads_received != reads_acked, seen, asked);
      }
    // With one counter known only, its movement the other way stands for that of the other.
    const u32 counter = base + (reads_received ? tile::Ledger::kReceived : tile::Ledger::kAcked);
    const auto with_more = [&](u32 pages) {
      return probe.otherwise(loop, exit, counter,
                             reads_received ? received + pages : acked - pages);
    };
    i32 slope = 0;
    for (u32 step = 1; step <= 16 && slope == 0; step *= 2)
      slope = static_cast<i32>(with_more(step).value - loop.exits[exit].value);
    u32 missing = 1;
    while (missing < kMostPages && !with_more(missing).leaves) ++missing;
    const bool over = places != 0 && filled + missing > places;
    const bool is_room = slope < 0 && (over || !with_more(missing).leaves || !reads_received);
    one.want = is_room ? Want::CbRoom : Want::CbPages;
    one.value = is_room ? free : filled;
    one.wanted = is_room ? reserved : filled + missing;
    look_behind_core(one, reads_received != reads_acked, seen, asked);
  }

  /// Which of its values would end the wait. (Compilers make shifts and masks of `< 2`.)
  static void look_into_semaphore(Standing& one, const ProbedLoop& loop, size_t exit,
                                  tile::Tile& tile, Probe& probe) {
    constexpr u32 kValues = 16;
    u32 leaves = 0;
    for (u32 value = 0; value < kValues; ++value)
      leaves |= u32{probe.otherwise(loop, exit, kSemaphores + 4 * one.index, value).leaves}
                << value;
    const u32 all = (1u << kValues) - 1;
    const u32 below = static_cast<u32>(std::countr_one(leaves));
    const u32 from = static_cast<u32>(std::countr_zero(leaves | 1u << kValues));
    const auto becomes = [&](Relation relation, u32 wanted) {
      one.relation = relation;
      one.wanted = wanted;
      one.value = tile.coprocessor().state().sync.semaphore[one.index].value;
    };
    if (below > 1 && leaves == (1u << below) - 1)
      becomes(Relation::Less, below);
    else if (from > 1 && from < kValues && leaves == (all & ~((1u << from) - 1)))
      becomes(Relation::AtLeast, from);
  }

  /// A TRISC keeps a counter of its own, and its thread writes the shared one later: what the core
  /// sees is less than what the two registers say.
  void look_behind_core(Standing& one, bool one_counter, u32 seen, u32 asked) const {
    const bool room = one.want == Want::CbRoom;
    if (!one_counter || !waits_with_core(one) || seen > one.value || asked <= seen) return;
    if (asked - seen != one.wanted - one.value && !room) return;
    one.pending = one.value - seen;
    one.value = seen;
    one.wanted = asked;
  }

  /// The thread of this TRISC waits, too.
  bool waits_with_core(const Standing& one) const {
    const unsigned thread = index_of(core_of(one.agent)) - index_of(CoreId::Trisc0);
    return thread < kThreads && waits(one.node, thread);
  }

  static void classify(Standing& one, const ProbedWord& word) {
    const u32 at = word.address;
    if (at >= kStreams && at < kStreamsEnd) {
      const u32 reg = at % noc::kStreamStride;
      if (reg != tile::Ledger::kReceived && reg != tile::Ledger::kAcked) {
        if (one.want == Want::Other) one.want = Want::Register, one.address = at;
        return;
      }
      one.index = (at - kStreams) / noc::kStreamStride;
      one.want = Want::CbPages;
    } else if (at >= kNius && at < kStreams) {
      one.want = Want::Answers;
      one.index = (at - kNius) >> 16 & 1;
      one.address = at;
    } else if (at >= kSemaphores && at < kSemaphores + 0x20) {
      one.want = Want::Semaphore;
      one.index = (at - kSemaphores) / 4;
    } else if (at < kL1Size) {
      if (one.want == Want::Other) one.want = Want::Word, one.address = at & ~3u;
    } else if (one.want == Want::Other) {
      one.want = Want::Register;
      one.address = at;
    }
  }

  void look_into_thread(Standing& one, tile::Tile& tile) {
    const unsigned thread = thread_of(one.agent);
    const tensix::State& state = tile.coprocessor().state();
    const tensix::Frontend& frontend = state.frontend[thread];
    const u32 word = one.waits.by;
    look_into_waits(one, thread);
    const std::optional<u32> pusher =
        observed_ == nullptr ? std::nullopt : observed_->pushed_from(one.node, thread);
    if (pusher && word == frontend.gate_word)
      one.user = code_.locate(agent_of(core_of_thread(thread)), *pusher, one.tile).users();
    if (one.user.empty())
      one.user = place_of_word(tile, launch(one.node), one.tile, thread, word, code_);
    if (one.user.empty() && word != frontend.gate_word)
      one.user = place_of_word(tile, launch(one.node), one.tile, thread, frontend.gate_word, code_);
    const CoreId core = core_of_thread(thread);
    const bool pushes = stand_of(tile, launch(one.node), core) == CoreStand::Busy;
    if (one.user.empty() && !pushes) {
      // What an ended kernel has left behind is as a rule the rest of a MOP.
      constexpr u32 kMop = u32{tensix::op::MOP::kOpcode} << 24 | 1u << 23;
      constexpr size_t kMost = 3;
      const auto places = places_of_word(tile, launch(one.node), one.tile, thread, kMop, code_);
      if (places.size() <= kMost) one.user = fmt::format("{}", fmt::join(places, " or "));
    }
    if (one.user.empty()) {
      const riscv::CoreState& state = tile.core(core);
      if (stand_of(tile, launch(one.node), core) == CoreStand::Busy)
        one.user = place_and_chain(state, state.pc, agent_of(core), one.tile, code_).first;
    }
    one.where = one.user;
  }

  /// Of several things, what somebody else has to give.
  static void look_into_waits(Standing& one, unsigned thread) {
    one.want = Want::Busy;
    one.index = kThreads;  // nobody else's fault
    for (const Wait& wait : one.waits.all) {
      switch (wait.kind) {
        case Awaited::Semaphore:
          one.want = Want::Semaphore;
          one.index = wait.index;
          one.compared = true;
          one.relation = wait.until == Until::NotEqual ? Relation::NotEqual : Relation::Less;
          one.value = wait.value;
          one.wanted = wait.wanted;
          return;
        case Awaited::Condition:
          if (wait.index < 5 || wait.index > 8) break;
          one.want = Want::Source;
          one.by_matrix = wait.index >= 7;
          one.index = wait.index == 6 || wait.index == 8;
          break;
        case Awaited::SourceValid:
        case Awaited::SourceFree:
          one.want = Want::Source;
          one.by_matrix = wait.kind == Awaited::SourceValid;
          one.index = wait.index;
          return;
        case Awaited::Mutex:
          one.want = Want::Mutex;
          one.index = wait.index;
          break;
        case Awaited::SoftReset:
          one.want = Want::Reset;
          break;
        case Awaited::ScalarUnit:
          one.index = wait.index;
          break;
        case Awaited::ComparedWord:
          one.want = Want::Word;
          one.index = thread;
          one.address = static_cast<u32>(wait.address);
          one.value = one.whole = wait.value;
          if (tensix::opcode_of(one.waits.by) != tensix::op::ATCAS::kOpcode) break;
          one.compared = true;
          one.wanted = tensix::op::ATCAS{one.waits.by}.cmp_val();
          break;
        case Awaited::StreamPhase:
        case Awaited::StreamMessages:
          one.want = Want::Other;
          break;
        default:
          break;
      }
    }
  }

  // --- Who would give it.

  void connect(Standing& one) {
    if (one.firmware) return;
    const bool pages = one.want == Want::CbPages || one.want == Want::CbRoom;
    const u32 places = pages ? pages_of(device_, one.tile, one.index) : 0;
    one.impossible |= places != 0 && one.wanted > places;
    if (one.impossible) return;
    for (size_t i = 0; i < situation_.standing.size(); ++i) {
      const Standing& other = situation_.standing[i];
      if (&other == &one || other.firmware) continue;
      const bool here = other.node == one.node;
      const std::optional<u32> giving = gives(one, other);
      if (!(here && holds(one, other)) && !giving) continue;
      one.from.push_back(i);
      one.from_pc.push_back(giving.value_or(0));
    }
  }

  /// By what hardware says.
  bool holds(const Standing& one, const Standing& other) const {
    tile::Tile& tile = *device_.tile_of(one.node);
    if (!tile.shape().is_tensix()) return false;
    const tensix::State& state = tile.coprocessor().state();
    const auto is = [&](unsigned thread) {
      return other.agent == agent_of_thread(thread) ||
             (other.agent == agent_of(core_of_thread(thread)) && !waits(one.node, thread));
    };
    switch (one.want) {
      case Want::CbPages:
      case Want::CbRoom:
        return one.pending != 0 && other.agent == agent_of_thread(index_of(core_of(one.agent)) -
                                                                  index_of(CoreId::Trisc0));
      case Want::Thread:
        return other.agent == agent_of_thread(one.index);
      case Want::Mutex: {
        const u8 holder =
            one.index < tensix::kMutexes ? state.sync.mutex[one.index] : tensix::kNobody;
        return holder != tensix::kNobody && is(holder);
      }
      case Want::Source:
        // Software unpacks in thread 0 and computes in thread 1 (tt-llk); others are found by what
        // they would do.
        return is(one.by_matrix ? 0 : 1) && one.agent != other.agent;
      case Want::Busy:
        return other.agent == agent_of_thread(one.index);
      case Want::PcBuf:
        return other.agent ==
               (one.agent == Agent::Brisc ? agent_of(core_of_thread(one.index)) : Agent::Brisc);
      case Want::Mailbox: {
        constexpr Agent kEnds[] = {Agent::Brisc, Agent::Trisc0, Agent::Trisc1, Agent::Trisc2};
        return other.agent == kEnds[one.index];
      }
      default:
        return false;
    }
  }

  bool waits(NodeId node, unsigned thread) const {
    return std::any_of(situation_.standing.begin(), situation_.standing.end(),
                       [&](const Standing& one) {
                         return one.node == node && one.agent == agent_of_thread(thread);
                       });
  }

  /// By what the other would do if it could: the pc of its core, or 0.
  std::optional<u32> gives(const Standing& one, const Standing& other) const {
    // A thread that waits does what is queued, and what its core would push behind that.
    if (is_thread(other.agent)) {
      if (other.node != one.node) return std::nullopt;
      const tensix::State& state = device_.tile_of(other.node)->coprocessor().state();
      const tensix::Frontend& frontend = state.frontend[thread_of(other.agent)];
      const auto changes = [&](u32 word) { return is_given_by_word(one, word); };
      bool found = changes(frontend.gate_word);
      for (u32 i = 0; i < frontend.fifo.size(); ++i) found |= changes(frontend.fifo[i].word);
      for (u32 i = 0; i < frontend.brisc_fifo.size(); ++i)
        found |= changes(frontend.brisc_fifo[i].word);
      return found ? std::optional<u32>(0) : std::nullopt;
    }
    const auto deed = std::find_if(other.future.begin(), other.future.end(), [&](const Deed& each) {
      return is_given_by(one, each, other.node == one.node);
    });
    return deed == other.future.end() ? std::nullopt : std::optional<u32>(deed->pc);
  }

  static u32 counter_of(const Standing& one) {
    return kStreams + one.index * noc::kStreamStride +
           (one.want == Want::CbPages ? tile::Ledger::kReceived : tile::Ledger::kAcked);
  }

  /// It waits for less, in whatever form that is compared.
  static bool falls(const Standing& one) {
    return one.relation == Relation::Less ||
           (one.relation == Relation::Equal && one.value > one.wanted);
  }

  static bool is_given_by_word(const Standing& one, u32 word) {
    const u8 opcode = tensix::opcode_of(word);
    if (one.want == Want::CbPages || one.want == Want::CbRoom)
      return opcode == tensix::op::STOREREG::kOpcode &&
             tensix::op::STOREREG{word}.reg_addr() == (counter_of(one) & 0xFFFFF) >> 2;
    if (one.want != Want::Semaphore) return false;
    const bool post = !falls(one);
    return opcode == (post ? tensix::op::SEMPOST::kOpcode : tensix::op::SEMGET::kOpcode) &&
           bit(word, 2 + one.index);
  }

  bool is_given_by(const Standing& one, const Deed& deed, bool here) const {
    if (deed.kind == Deed::Kind::Push) return here && is_given_by_word(one, deed.value);
    if (deed.kind == Deed::Kind::Store) {
      if (!here) return false;
      if (one.want == Want::CbPages || one.want == Want::CbRoom)
        return deed.address == counter_of(one);
      if (one.want == Want::Semaphore)
        return deed.address == kSemaphores + 4 * one.index && bit(deed.value, 0) == falls(one);
      return one.want == Want::Word && (deed.address & ~3u) == one.address;
    }
    const std::optional<Written> written = written_by(deed);
    if (!written) return false;
    Coord there = one.tile;
    u32 address = one.address;
    if (one.want == Want::Remote)
      there = device_.coord_of(one.remote);
    else if (one.want == Want::CbPages || one.want == Want::CbRoom)
      address = counter_of(one);
    else if (one.want != Want::Word)
      return false;
    return there.x >= written->first.x && there.x <= written->last.x &&
           there.y >= written->first.y && there.y <= written->last.y &&
           written->address < address + u64{4} && address < written->address + written->bytes;
  }

  Device& device_;
  const CodeMap& code_;
  const Observed* observed_;
  Situation situation_;
  std::map<NodeId, LaunchView> launches_;
  std::optional<ProbeMemory> probe_memory_;
  unsigned probes_ = 0;
  bool moves_ = false;  // time goes on
  bool runs_ = false;   // for all that is known
};

}  // namespace

Situation situation_of(Device& device, const CodeMap& code, std::span<const Coord> tiles,
                       bool running, const Observed* observed) {
  Situation situation = Builder(device, code, observed).build(tiles, running);
  situation.observed = observed;
  return situation;
}

}  // namespace bhemu::host
