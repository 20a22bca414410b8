#include "host/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>

#include "base/bits.hpp"
#include "host/inspect.hpp"
#include "host/mailboxes.hpp"
#include "noc/niu_state.hpp"
#include "noc/registers.hpp"
#include "tensix/state.hpp"
#include "tile/debug_registers.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

std::string text_of(Coord tile) {
  return fmt::format("({}, {})", tile.x, tile.y);
}

std::string counted(u32 count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string wanted_text(Relation relation, u32 wanted) {
  switch (relation) {
    case Relation::Equal:
      return fmt::format("exactly {:#x}", wanted);
    case Relation::NotEqual:
      return fmt::format("anything but {:#x}", wanted);
    case Relation::Less:
      return fmt::format("less than {:#x}", wanted);
    case Relation::AtLeast:
      return fmt::format("at least {:#x}", wanted);
  }
  return "";
}
std::string wanted_text(const Standing& one) {
  return wanted_text(one.relation, one.wanted);
}

/// "NAME to be at least 0x4; it is 0x3", "bit 2 of NAME to be set; it is 0x3".
std::string compared_text(const Standing& one, const std::string& name) {
  if (!one.compared) return fmt::format("{} to change; it is {:#x}", name, one.whole);
  if (one.mask == ~0u)
    return fmt::format("{} to be {}; it is {:#x}", name, wanted_text(one), one.value);
  const u32 low = static_cast<u32>(std::countr_zero(one.mask));
  const bool single = std::popcount(one.mask) == 1;
  if (one.mask == 0xFFu << low && low % 8 == 0 && one.value == (one.whole >> low & 0xFF))
    return fmt::format("byte {} of {} to be {}; it is {:#x} (the word is {:#010x})", low / 8, name,
                       wanted_text(one), one.value, one.whole);
  const std::string which =
      single ? fmt::format("bit {}", low) : fmt::format("the bits {:#x}", one.mask);
  const bool any = one.relation == Relation::NotEqual && one.wanted == 0;
  const bool none = one.relation == Relation::Equal && one.wanted == 0;
  if (any || none)
    return fmt::format("{} of {} to be {}; the word is {:#x}", which, name, any ? "set" : "clear",
                       one.whole);
  return fmt::format("{} of {} to be {}; they are {:#x} (the word is {:#x})", which, name,
                     wanted_text(one), one.value, one.whole);
}

/// The uses that tt-metal's and tt-llk's kernels make of the coprocessor's semaphores
/// (tt-llk tt_llk_blackhole/common/inc/ckernel_structs.h).
std::string semaphore_name(u32 index) {
  static constexpr const char* kNames[] = {"", "MATH_PACK", "UNPACK_TO_DEST", "", "", "UNPACK_SYNC",
                                           "", "MATH_DONE"};
  const std::string name = kNames[index % 8];
  return name.empty() ? fmt::format("Tensix semaphore {}", index)
                      : fmt::format("Tensix semaphore {} ({})", index, name);
}

class Words {
 public:
  explicit Words(const Context& context)
      : device_(context.device), situation_(context.situation), code_(context.code) {}

  tile::Tile& tile_of(const Standing& one) const { return *device_.tile_of(one.node); }

  // --- Who is who.

  std::string name(const Standing& one, bool alone) const {
    size_t tiles = 0;
    for (const Standing& other : situation_.standing)
      tiles += other.agent == one.agent && other.pc == one.pc && other.want == one.want &&
               other.index == one.index && other.value == one.value;
    std::string text = fmt::format("{} of {}", bhemu::name_of(one.agent), text_of(one.tile));
    if (tiles > 1 && !alone)
      text += fmt::format(" (and of {})", counted(static_cast<u32>(tiles - 1), "more tile"));
    return text;
  }

  /// "has ended", "is held in reset", "waits itself at ..."
  std::string doing(tile::Tile& tile, NodeId node, Agent agent) const {
    const CoreId core = core_of(agent);
    switch (stand_of(tile, launch_of(tile, situation_.kernel_base), core)) {
      case CoreStand::InReset:
        return "is held in reset";
      case CoreStand::Idle:
        return "has no kernel in this launch";
      case CoreStand::Ended:
        return "has ended its kernel";
      case CoreStand::Faulted:
        return "was stopped by a fault";
      case CoreStand::Busy:
        break;
    }
    const std::string place =
        code_.locate(agent, tile.core(core).pc, device_.coord_of(node)).user();
    const bool waits =
        std::any_of(situation_.standing.begin(), situation_.standing.end(),
                    [&](const Standing& one) { return one.node == node && one.agent == agent; });
    return fmt::format("{}{}", waits ? "waits itself" : "runs", at(place));
  }

  static std::string plural(std::string text) {
    static constexpr std::pair<const char*, const char*> kForms[] = {
        {"is held", "are held"},
        {"has ended its kernel", "have ended their kernels"},
        {"was stopped", "were stopped"},
        {"waits itself", "wait themselves"},
        {"runs", "run"},
        {"has no", "have no"}};
    for (const auto& [one, many] : kForms)
      if (text.starts_with(one)) return many + text.substr(std::string(one).size());
    return text;
  }

  /// What the cores of a tile do, those that do the same together.
  std::string cores_of(tile::Tile& tile, NodeId node, Agent except) const {
    std::vector<std::pair<std::string, std::string>> groups;
    for (unsigned i = 0; i < tile.shape().cores; ++i) {
      const Agent agent = agent_of(tile.shape().core[i]);
      if (agent == except) continue;
      const std::string does = doing(tile, node, agent);
      if (does == "has no kernel in this launch") continue;
      const auto same = std::find_if(groups.begin(), groups.end(),
                                     [&](const auto& group) { return group.second == does; });
      if (same != groups.end())
        same->first += fmt::format(", {}", name_of(agent));
      else
        groups.emplace_back(name_of(agent), does);
    }
    std::string text;
    for (const auto& [who, does] : groups)
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", who,
                          who.find(',') == std::string::npos ? does : plural(does));
    return text.empty() ? "no other core of the tile runs a kernel" : text;
  }

  // --- Circular buffers.

  u32 capacity(const Standing& one) const { return pages_of(device_, one.tile, one.index); }

  /// Who has changed a counter, and where that one is: a core of this tile, a thread for its core,
  /// or a core of another tile that did so over the NoC.
  struct Mover {
    Agent agent = Agent::Host;
    NodeId node = kNoNode;
    std::string name;
    std::string place;
  };
  Mover mover_of(const Standing& one, const tile::CounterChange& change, u64 address) const {
    Mover mover{core_behind(change.agent), one.node, "", ""};
    if (is_core(change.agent)) mover.place = code_.locate(change.agent, change.pc, one.tile).user();
    mover.name = name_of(mover.agent);
    if (change.agent != Agent::Niu0 && change.agent != Agent::Niu1) return mover;
    mover.node = kNoNode;
    tile_of(one).ledger().each_arrival([&](const tile::Arrival& arrival) {
      if (mover.node != kNoNode || arrival.address != address) return;
      mover.agent = arrival.issuer;
      mover.node = arrival.source;
      mover.name = fmt::format("{} of {}", name_of(arrival.issuer),
                               device_.board().routing().name(arrival.source));
      if (is_core(arrival.issuer))
        mover.place =
            code_.locate(arrival.issuer, arrival.issuer_pc, device_.coord_of(arrival.source)).user();
    });
    return mover;
  }
  static u64 counter_address(u32 stream, bool received) {
    return 0xFFB40000 + stream * noc::kStreamStride +
           (received ? tile::Ledger::kReceived : tile::Ledger::kAcked);
  }

  /// Buffers whose counter was moved in this launch instead, and by whom.
  std::string other_buffers(const Standing& one, bool received) const {
    std::string text;
    for (u32 stream = 0; stream < noc::kStreams; ++stream) {
      const tile::CounterChange& change = tile_of(one).ledger().counter(stream, received);
      if (stream == one.index || change.changes == 0) continue;
      const Mover mover = mover_of(one, change, counter_address(stream, received));
      text += fmt::format("{}CB {} by {}{}", text.empty() ? "" : ", ", stream, mover.name,
                          at(mover.place));
    }
    return text;
  }

  /// A thread of the coprocessor acts for its core.
  static Agent core_behind(Agent agent) {
    const unsigned thread = static_cast<unsigned>(agent) - static_cast<unsigned>(Agent::Thread0);
    return thread < kThreads ? agent_of(static_cast<CoreId>(index_of(CoreId::Trisc0) + thread))
                             : agent;
  }

  std::string counter_giver(const Standing& one, bool received) const {
    const tile::CounterChange& change = tile_of(one).ledger().counter(one.index, received);
    const char* role = received ? "producer" : "consumer";
    const char* done = received ? "pushed" : "taken";
    if (change.changes == 0) {
      const std::string others = other_buffers(one, received);
      return fmt::format("nobody has {} a page in this launch{}: {}", done,
                         others.empty() ? "" : fmt::format(" (but of {})", others),
                         cores_of(tile_of(one), one.node, one.agent));
    }
    u32 total = 0;
    const u64 address = counter_address(one.index, received);
    peek_register(tile_of(one), CoreId::Brisc, static_cast<u32>(address), total);
    const Mover mover = mover_of(one, change, address);
    const bool only = std::popcount(change.agents) == 1 && mover.node == one.node;
    const std::string& place = mover.place;
    // tt-metal's kernels may begin below zero.
    const bool wrapped = (total & 0x8000) != 0;
    const std::string pages =
        wrapped ? fmt::format("{} pages or more", change.changes) : counted(total & 0xFFFF, "page");
    const std::string last =
        fmt::format("{} {}, the last in cycle {}{}", done, pages, change.cycle, at(place));
    if (mover.agent == one.agent && mover.node == one.node)
      return fmt::format("its only {} is {} itself, which has {}", role, mover.name, last);
    if (mover.agent == Agent::Host) return fmt::format("its {} is the host, which has {}", role, last);
    tile::Tile* tile = mover.node == kNoNode ? nullptr : device_.tile_of(mover.node);
    if (tile == nullptr || !is_core(mover.agent))
      return fmt::format("its {}, who acts over the NoC, has {}", role, last);
    return fmt::format("its {}{}, {}, {} having {}", only ? "only " : "last ", role, mover.name,
                       doing(*tile, mover.node, mover.agent), last);
  }

  /// Two consumers of one buffer starve each other.
  std::string taken_by_another(const Standing& one) const {
    const tile::CounterChange& change = tile_of(one).ledger().counter(one.index, false);
    const Agent agent = core_behind(change.agent);
    if (change.changes == 0 || agent == one.agent) return "";
    return fmt::format("; {} has taken the last, in cycle {}", name_of(agent), change.cycle);
  }

  /// A buffer that the program does not have.
  Explanation no_buffer(const Standing& one) const {
    std::string others;
    for (const CircularBuffer& buffer : circular_buffers(device_, one.tile))
      others += fmt::format("{}{}", others.empty() ? "" : ", ", buffer.index);
    return {fmt::format("at CB {}, which the program does not have", one.index),
            fmt::format("it has no pages, so that neither pages nor room can ever come; the "
                        "program has CB {}",
                        others),
            fmt::format("add CB {} to the program, or correct its number in the kernel",
                        one.index)};
  }

  Explanation pages(const Standing& one) const {
    const u32 places = capacity(one);
    Explanation text;
    text.want = fmt::format("for {} in CB {}, which holds {}", counted(one.wanted, "page"),
                            one.index, one.value);
    if (places != 0 && one.wanted > places) {
      text.giver =
          fmt::format("the buffer has {} only, so that can never be", counted(places, "place"));
      text.remedy = fmt::format("wait for at most {} at a time, or give CB {} at least {} pages",
                                places, one.index, one.wanted);
      return text;
    }
    text.giver = counter_giver(one, true) + taken_by_another(one);
    const bool never = tile_of(one).ledger().counter(one.index, true).changes == 0;
    text.remedy = never ? fmt::format(
                              "have a kernel push to CB {} (cb_push_back), or wait on the "
                              "buffer that is filled",
                              one.index)
                        : "push as many pages as are waited for: compare the counts in the "
                          "arguments of producer and consumer";
    return text;
  }

  Explanation room(const Standing& one) const {
    const u32 places = capacity(one);
    Explanation text;
    text.want =
        fmt::format("for room for {} in CB {}, where {} free{}", counted(one.wanted, "page"),
                    one.index, one.value == 1 ? "1 is" : fmt::format("{} are", one.value),
                    places != 0 ? fmt::format(" of {}", places) : "");
    if (places != 0 && one.wanted > places) {
      text.giver = fmt::format(
          "no consumer can ever make that room: the reservation is larger than the "
          "buffer (rule {})",
          info_of(Rule::CbOverReserve).name);
      text.remedy = fmt::format("reserve at most {} at a time, or give CB {} at least {} pages",
                                places, one.index, one.wanted);
      return text;
    }
    text.giver = counter_giver(one, false);
    const bool never = tile_of(one).ledger().counter(one.index, false).changes == 0;
    text.remedy = never ? fmt::format(
                              "have a kernel take pages from CB {} (cb_pop_front), or push "
                              "no more than it holds",
                              one.index)
                        : "take as many pages as are pushed: compare the counts in the arguments "
                          "of producer and consumer";
    return text;
  }

  // --- Words and semaphores.

  std::string word_name(const Standing& one) const {
    const LaunchView launch = launch_of(tile_of(one), situation_.kernel_base);
    if (launch.valid && one.address == launch.go_address) return "the go message";
    if (launch.valid && one.address >= launch.semaphores && one.address < launch.semaphores_end &&
        (one.address - launch.semaphores) % kSemaphoreStride == 0)
      return fmt::format("semaphore {} (L1[{:#07x}])",
                         (one.address - launch.semaphores) / kSemaphoreStride, one.address);
    return fmt::format("L1[{:#07x}]", one.address);
  }

  /// A signal that may have been meant for this word: to the same one of another tile, or to
  /// another semaphore of this one.
  std::string elsewhere(const Standing& one) const {
    const LaunchView launch = launch_of(tile_of(one), situation_.kernel_base);
    std::string text;
    const auto found = [&](const std::string& where, const tile::Arrival& arrival) {
      if (!text.empty() || !is_core(arrival.issuer)) return;
      const CodeMap::Location place =
          code_.locate(arrival.issuer, arrival.issuer_pc, device_.coord_of(arrival.source));
      text = fmt::format(" (but {} was {} by {} of {}{})", where,
                         arrival.atomic ? "incremented" : "written", name_of(arrival.issuer),
                         device_.board().routing().name(arrival.source), at(place.user()));
    };
    tile_of(one).ledger().each_arrival([&](const tile::Arrival& arrival) {
      const u64 offset = arrival.address - launch.semaphores;
      if (launch.valid && arrival.address >= launch.semaphores &&
          arrival.address < launch.semaphores_end && offset % kSemaphoreStride == 0)
        found(fmt::format("semaphore {} of the tile", offset / kSemaphoreStride), arrival);
    });
    for (NodeId node = 0; node < device_.board().node_count(); ++node) {
      tile::Tile* tile = device_.tile_of(node);
      if (tile == nullptr || node == one.node) continue;
      tile->ledger().each_arrival([&](const tile::Arrival& arrival) {
        if (arrival.address == one.address)
          found("the same address of " + device_.board().routing().name(node), arrival);
      });
    }
    return text;
  }

  /// Tiles of the program that can give nothing, since they are held in reset.
  std::string held_tiles(const Standing& one) const {
    std::vector<Coord> held;
    for (const Coord coord : situation_.tiles) {
      const NodeId node = device_.board().node_at_translated(coord);
      tile::Tile* tile = node == kNoNode ? nullptr : device_.tile_of(node);
      if (tile != nullptr && node != one.node &&
          tile->status(CoreId::Brisc) == tile::CoreStatus::Reset)
        held.push_back(coord);
    }
    return held.empty() ? ""
                        : fmt::format("; {} of the program {} held in reset", tiles_text(held, 0),
                                      held.size() == 1 ? "is" : "are");
  }

  Explanation word(const Standing& one) const {
    Explanation text;
    text.want = "for " + compared_text(one, word_name(one));
    for (const Standing::Alternative& other : one.alternatives) {
      Standing as = one;
      as.address = other.address;
      text.want += fmt::format("; or for {} to be {}; it is {:#x}", word_name(as),
                               wanted_text(other.relation, other.wanted), other.value);
    }
    u32 arrivals = 0;
    tile::Arrival last;
    tile_of(one).ledger().each_arrival([&](const tile::Arrival& arrival) {
      if (arrival.address >= one.address + u64{4} || one.address >= arrival.address + arrival.bytes)
        return;
      if (arrivals++ == 0) last = arrival;
    });
    const bool masked = one.mask != ~0u;
    const bool over =
        one.compared && !masked && one.relation == Relation::Equal && one.value > one.wanted;
    const std::string held = held_tiles(one);
    if (arrivals == 0) {
      text.giver = fmt::format("nobody has written it over the NoC{}, and {}{}", elsewhere(one),
                               cores_of(tile_of(one), one.node, one.agent), held);
      text.remedy =
          "have the kernel that owes the signal write or increment this address of this "
          "tile (coordinates, address and count are what usually differ)";
      return text;
    }
    const std::string from = device_.board().routing().name(last.source);
    std::string who = fmt::format("{} of {}", name_of(last.issuer), from);
    std::string does;
    if (tile::Tile* tile = device_.tile_of(last.source); tile != nullptr && is_core(last.issuer)) {
      who += at(code_.locate(last.issuer, last.issuer_pc, device_.coord_of(last.source)).user());
      does = ", which " + doing(*tile, last.source, last.issuer);
    }
    text.giver = fmt::format(
        "it was {} {}, last in cycle {} by {}{}{}", last.atomic ? "incremented" : "written",
        arrivals == 1 ? "once" : fmt::format("{} times", arrivals), last.cycle, who, does, held);
    const bool set_once = !last.atomic && !over && arrivals == 1;
    text.remedy = masked ? "compare the bits and the byte that are waited for with what is written"
                  : over ? "the value has gone past what is waited for: wait for 'at least', or "
                           "signal fewer times"
                  : !held.empty() ? "take that tile out of reset, or count without it"
                  : set_once      ? "write the value that is waited for: compare what both sides "
                                    "mean by it"
                                  : "signal as often as is waited for: compare the counts of both "
                                    "sides";
    if (over && !last.atomic)
      text.remedy = "write the value that is waited for: compare what both sides mean by it";
    return text;
  }

  /// Where the kernel of a thread posts or gets a semaphore, by its code.
  std::string place_of_use(const Standing& one, unsigned thread, bool get) const {
    const u8 opcode = get ? tensix::op::SEMGET::kOpcode : tensix::op::SEMPOST::kOpcode;
    const u32 word = u32{opcode} << 24 | 1u << (2 + one.index);
    return place_of_word(tile_of(one), launch_of(tile_of(one), situation_.kernel_base), one.tile,
                         thread, word, code_);
  }

  static std::string times(u32 count) {
    return count == 1 ? "once" : fmt::format("{} times", count);
  }

  /// "it was posted 7 times by thread 1 (TRISC1 has ended its kernel) at Add (math.c:5)"; by those
  /// who have done so, or whose kernels could.
  std::string users_of(const Standing& one, bool get) const {
    const tensix::SemaphoreUse& use = tile_of(one).coprocessor().state().semaphore_use[one.index];
    const auto& counts = get ? use.taken : use.posted;
    const char* done = get ? "taken" : "posted";
    std::string text;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const std::string place = place_of_use(one, thread, get);
      if (counts[thread] == 0 && place.empty()) continue;
      const Agent core = core_behind(agent_of_thread(thread));
      const std::string how_often =
          counts[thread] == 0 ? fmt::format("has never {} it", done)
                              : fmt::format("has {} it {}", done, times(counts[thread]));
      text += fmt::format("{}thread {} {}{}, and {} {}", text.empty() ? "" : "; ", thread,
                          how_often,
                          place.empty() ? "" : fmt::format(" (at {})", place), name_of(core),
                          doing(tile_of(one), one.node, core));
    }
    if (counts[tensix::SemaphoreUse::kCores] != 0)
      text += fmt::format("{}cores have {} it {}", text.empty() ? "" : "; ", done,
                          times(counts[tensix::SemaphoreUse::kCores]));
    return text;
  }

  Explanation semaphore(const Standing& one) const {
    Explanation text;
    const tensix::Semaphore& semaphore =
        tile_of(one).coprocessor().state().sync.semaphore[one.index % tensix::kSemaphores];
    const bool down = one.relation == Relation::Less ||
                      (one.relation == Relation::Equal && one.value > one.wanted);
    text.want = fmt::format("for {} to be {}; it is {} of at most {}", semaphore_name(one.index),
                            wanted_text(one), semaphore.value, semaphore.max);
    if (down && semaphore.max == 0) {
      text.giver = "nobody has given it a maximum (SEMINIT)";
      text.remedy = "initialise the semaphore (SEMINIT) before it is waited for";
      return text;
    }
    const std::string users = users_of(one, down);
    text.giver = fmt::format("only a {} would do, and none is under way: {}",
                             down ? "SEMGET" : "SEMPOST",
                             !users.empty() ? users
                                            : cores_of(tile_of(one), one.node,
                                                       core_behind(one.agent)));
    text.remedy = down ? "take the semaphore (SEMGET) as often as it is posted, or raise its "
                         "maximum (SEMINIT)"
                       : "post the semaphore (SEMPOST) as often as it is waited for and taken, and "
                         "initialise it before either";
    return text;
  }

  // --- NoC.

  /// A rectangle that ends before it begins goes round the torus.
  static bool in_span(u32 value, u32 first, u32 last) {
    return first <= last ? value >= first && value <= last : value >= first || value <= last;
  }

  /// The last multicasts that are still in the command buffers, and whom they really reached.
  std::string multicasts(const Standing& one) const {
    const noc::NiuState& state = tile_of(one).niu(one.index).state();
    std::string text;
    for (u32 buffer = 0; buffer < 4; ++buffer) {
      const auto field = [&](u32 offset) { return state.words[(buffer * 0x800 + offset) / 4]; };
      Deed deed;
      deed.kind = Deed::Kind::Request;
      deed.noc = one.index;
      deed.command.control = field(noc::niu::NOC_CTRL);
      deed.command.target_coordinate = field(noc::niu::NOC_TARG_ADDR_HI);
      deed.command.return_coordinate = field(noc::niu::NOC_RET_ADDR_HI);
      if (!deed.command.broadcast() || !deed.command.response()) continue;
      const std::optional<Written> written = written_by(deed);
      if (!written) continue;
      u32 reached = 0;
      for (const Coord tile : device_.board().tensix()) {
        const bool inside = in_span(tile.x, written->first.x, written->last.x) &&
                            in_span(tile.y, written->first.y, written->last.y);
        reached += inside && (!(tile == one.tile) || deed.command.include_source());
      }
      text += fmt::format("; its last multicast, to {} to {}, reached {}{}",
                          text_of(written->first), text_of(written->last), counted(reached, "tile"),
                          deed.command.include_source() ? ", itself included" : " beside itself");
    }
    return text;
  }

  Explanation answers(const Standing& one) const {
    Explanation text;
    const u32 offset = one.address & 0xFFFF;
    const noc::RegisterInfo* info = noc::niu_register_at(offset);
    const char* what = offset == noc::niu::NIU_MST_WR_ACK_RECEIVED        ? "write acknowledgements"
                       : offset == noc::niu::NIU_MST_RD_RESP_RECEIVED     ? "read responses"
                       : offset == noc::niu::NIU_MST_ATOMIC_RESP_RECEIVED ? "atomic responses"
                       : info != nullptr                                  ? info->name
                                                                          : "a register";
    text.want = fmt::format(
        "for {} on NoC {}: {} are counted and {} are wanted", what, one.index, one.value,
        one.relation == Relation::Equal ? fmt::format("{}", one.wanted) : wanted_text(one));
    const std::string outstanding = tile_of(one).niu(one.index).outstanding();
    if (!outstanding.empty()) {
      text.giver = fmt::format("still unanswered: {}", outstanding);
      text.remedy = "look at the target of that request";
      return text;
    }
    text.giver =
        fmt::format("every request of this tile on that NoC has been answered{}", multicasts(one));
    const bool counts_answers = offset == noc::niu::NIU_MST_WR_ACK_RECEIVED ||
                                offset == noc::niu::NIU_MST_RD_RESP_RECEIVED ||
                                offset == noc::niu::NIU_MST_ATOMIC_RESP_RECEIVED;
    if (!counts_answers) {
      const bool by_id = info != nullptr && std::string(info->name).find("_ID") != std::string::npos;
      text.want = fmt::format("for {} on NoC {} to be {}; it is {:#x}", what, one.index,
                              wanted_text(one), one.value);
      text.remedy = by_id ? "this register is 0 when all requests with that transaction id have "
                            "been answered: wait for 0, and give the requests the id "
                            "(NOC_PACKET_TAG)"
                          : "this register counts only one kind of what this tile sends or gets on "
                            "this NoC (posted or not; reads, writes or atomics): wait for the one "
                            "that counts what the kernel has sent";
      return text;
    }
    text.remedy = one.value < one.wanted
                      ? "the kernel counts on more answers than it asked for: posted requests "
                        "have none, a multicast has one for each tile that it reaches (gaps and "
                        "the sender do not count), and the counter of another NoC or core is "
                        "another"
                      : "the kernel counts fewer requests than it has sent: each request that "
                        "asks for an answer must be counted, also on this NoC and by this core";
    return text;
  }

  Explanation remote(const Standing& one) const {
    Explanation text;
    const std::string target = device_.board().routing().name(one.remote);
    text.want = fmt::format("for a word of {}, {:#x}, to be {}; it reads {:#x} there over and over",
                            target, one.address, wanted_text(one), one.value);
    tile::Tile* tile = device_.tile_of(one.remote);
    if (tile == nullptr) {
      text.giver = "no core lives there that could change it, and nothing is under way to it";
      text.remedy =
          "have a kernel write that very word, or read the one that is written: page, bank and "
          "address are what usually differ";
      return text;
    }
    text.giver = tile_state(*tile, one.remote);
    text.remedy = fmt::format(
        "have a kernel of {} write that word, start that tile, or read the "
        "right tile and address",
        target);
    return text;
  }

  std::string tile_state(tile::Tile& tile, NodeId node) const {
    const LaunchView launch = launch_of(tile, situation_.kernel_base);
    u32 reset = 0;
    u32 idle = 0;
    for (unsigned i = 0; i < tile.shape().cores; ++i) {
      const CoreStand stand = stand_of(tile, launch, tile.shape().core[i]);
      reset += stand == CoreStand::InReset;
      idle += stand == CoreStand::Idle;
    }
    if (reset == tile.shape().cores) return "the cores of that tile are held in reset";
    if (reset + idle == tile.shape().cores) return "that tile runs no kernel";
    return "there " + cores_of(tile, node, Agent::Host);
  }

  // --- The coprocessor.

  Explanation source(const Standing& one) const {
    Explanation text;
    const char* file = one.index == 0 ? "SrcA" : "SrcB";
    const Agent giver = one.by_matrix ? Agent::Trisc0 : Agent::Trisc1;
    const tensix::State& state = tile_of(one).coprocessor().state();
    const tensix::SrcFile& banks = one.index == 0 ? state.fpu.src_a : state.fpu.src_b;
    const u32 full = static_cast<u32>(banks.owner[0] == tensix::SrcOwner::Matrix) +
                     static_cast<u32>(banks.owner[1] == tensix::SrcOwner::Matrix);
    if (one.by_matrix) {
      text.want = fmt::format("for {} to be valid", file);
      text.giver = fmt::format("no unpack to it is under way, and {} {}", name_of(giver),
                               doing(tile_of(one), one.node, giver));
      text.remedy = fmt::format(
          "unpack to {} once for each time that it is consumed (UNPACR with data valid, or "
          "UNPACR_NOP for a bank that is not read), and consume it no more often",
          file);
    } else {
      text.want = fmt::format("for {} to be released by the matrix unit: {} of its 2 banks {} full",
                              file, full, full == 1 ? "is" : "are");
      text.giver = fmt::format("nothing under way clears data valid of {}, and {} {}", file,
                               name_of(giver), doing(tile_of(one), one.node, giver));
      text.remedy = fmt::format(
          "release {} after it was used (SETRWC or CLEARDVALID with its bit, "
          "or the instruction's own clear) once for each unpack",
          file);
    }
    return text;
  }

  Explanation mutex(const Standing& one) const {
    Explanation text;
    const tensix::State& state = tile_of(one).coprocessor().state();
    const u8 holder = one.index < tensix::kMutexes ? state.sync.mutex[one.index] : tensix::kNobody;
    text.want = fmt::format("for mutex {}", one.index);
    if (holder >= kThreads) {
      text.giver = "there is no such mutex";
      text.remedy = "use mutex 0, 2, 3 or 4";
      return text;
    }
    const LaunchView launch = launch_of(tile_of(one), situation_.kernel_base);
    const u32 word = u32{tensix::op::ATGETM::kOpcode} << 24 | one.index;
    const std::string taken = place_of_word(tile_of(one), launch, one.tile, holder, word, code_);
    const Agent core = agent_of(static_cast<CoreId>(index_of(CoreId::Trisc0) + holder));
    text.giver = fmt::format("thread {} holds it{}{}, no ATRELM of it is under way, and {} {}",
                             holder, taken.empty() ? "" : ", taken", at(taken), name_of(core),
                             doing(tile_of(one), one.node, core));
    text.remedy =
        fmt::format("release mutex {} (ATRELM) on every way out of what it protects", one.index);
    return text;
  }

  /// A register of the tile that is polled.
  Explanation polled_register(const Standing& one) const {
    Explanation text;
    constexpr u32 kDebug = 0xFFB12000;
    const tile::DebugRegisterInfo* info =
        one.address >= kDebug && one.address < kDebug + 0x1000
            ? tile::debug_register_at(one.address % 0x1000 & ~3u, noc::NodeKind::Tensix)
            : nullptr;
    if (one.by_clock) {
      text.want = fmt::format("for time to pass: {} cycles are waited for, and {} have gone",
                              one.wanted, one.value);
      text.giver = "nothing but the clock can end that";
      text.remedy = "wait for fewer cycles, or let the run take more (--max-cycles)";
      return text;
    }
    const std::string name = info != nullptr ? fmt::format("{} ({:#x})", info->name, one.address)
                                             : fmt::format("the register {:#x}", one.address);
    text.want = "for " + compared_text(one, name);
    text.giver = fmt::format("nothing under way changes it, and {}",
                             cores_of(tile_of(one), one.node, one.agent));
    text.remedy = "poll a register that something changes, or have somebody change this one";
    return text;
  }

  Explanation thread(const Standing& one) const {
    Explanation text;
    // Waits that are told with their instruction.
    const bool by_instruction = !one.what.empty() && std::isupper(one.what[0]) != 0 &&
                                !is_core(one.agent);
    text.want = (by_instruction ? "by " : "for ") + one.what;
    text.giver =
        one.who.empty() ? "nobody could release it" : "it could be released by: " + one.who;
    text.remedy = one.want == Want::Thread ? fmt::format("look at what thread {} does", one.index)
                                           : "look at what the others do, below";
    return text;
  }

  Explanation queue(const Standing& one) const {
    Explanation text;
    text.want = "for " + one.what;
    std::string giver = one.who;
    constexpr Agent kEnds[] = {Agent::Brisc, Agent::Trisc0, Agent::Trisc1, Agent::Trisc2};
    if (!one.waits.all.empty() && one.waits.all.front().kind == Awaited::MailboxRoom &&
        one.index < std::size(kEnds))
      return {text.want,
              fmt::format("only {} could take words out of it, and it {}",
                          name_of(kEnds[one.index]),
                          doing(tile_of(one), one.node, kEnds[one.index])),
              "let both sides send and take the same number of words"};
    for (unsigned i = 0; i < tile_of(one).shape().cores; ++i) {
      const Agent agent = agent_of(tile_of(one).shape().core[i]);
      if (one.who == name_of(agent))
        giver = fmt::format("only {} could give it, and it {}", one.who,
                            doing(tile_of(one), one.node, agent));
    }
    text.giver = giver;
    text.remedy = "let both sides send and take the same number of words";
    return text;
  }

  Explanation explain(const Standing& one) const {
    const bool pages_or_room = one.want == Want::CbPages || one.want == Want::CbRoom;
    if (pages_or_room && one.impossible && has_no_buffer(device_, one.tile, one.index))
      return no_buffer(one);
    switch (one.want) {
      case Want::CbPages:
        return pages(one);
      case Want::CbRoom:
        return room(one);
      case Want::Semaphore:
        return semaphore(one);
      case Want::Word:
        return word(one);
      case Want::Answers:
        return answers(one);
      case Want::Remote:
        return remote(one);
      case Want::Source:
        return source(one);
      case Want::Mutex:
        return mutex(one);
      case Want::Mailbox:
      case Want::PcBuf:
        return queue(one);
      case Want::Register:
        if (one.compared) return polled_register(one);
        return thread(one);
      case Want::Nothing:
        return {"for nothing at all", "its loop reads nothing that could ever change",
                "give the loop a condition that changes"};
      case Want::Reset:
        return {one.what, "only " + one.who, "clear the unit's bit in SOFT_RESET_0 first"};
      default:
        return thread(one);
    }
  }

 private:
  Device& device_;
  const Situation& situation_;
  const CodeMap& code_;
};

}  // namespace

Explanation explain(const Context& context, const Standing& standing) {
  return Words(context).explain(standing);
}

std::string name_of(const Context& context, const Standing& standing, bool alone) {
  return Words(context).name(standing, alone);
}

std::string cores_of(const Context& context, NodeId node, Agent except) {
  return Words(context).cores_of(*context.device.tile_of(node), node, except);
}

}  // namespace bhemu::host
